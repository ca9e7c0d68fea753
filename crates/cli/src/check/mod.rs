//! `mazurka check`: explore one program or several, report, leave behind what was asked for.

mod examine;
mod expect;
mod one;
mod several;

pub use examine::subject;

use crate::args::CheckArgs;
use crate::error::{Error, Status};
use crate::files;
use crate::screen::Screen;

/// One file has the report of one program. A folder has that of several, however many are in it: scripts need not count.
pub fn run(args: &CheckArgs, screen: &Screen) -> Result<Status, Error> {
    match args.paths.as_slice() {
        [file] if !file.is_dir() => one::run(file, args, screen),
        paths => several::run(&files::programs(paths)?, args, screen),
    }
}
