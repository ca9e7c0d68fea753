//! `mazurka trace`: recorded and partial traces.

mod consistency;
mod consistency_page;
mod convert;
mod explore;
mod load;
mod races;
mod races_page;

use crate::args::TraceCommand;
use crate::error::{Error, Status};
use crate::screen::Screen;

pub fn run(command: &TraceCommand, screen: &Screen) -> Result<Status, Error> {
    match command {
        TraceCommand::Explore(args) => explore::run(args, screen),
        TraceCommand::Consistency(args) => consistency::run(args, screen),
        TraceCommand::Races(args) => races::run(args, screen),
        TraceCommand::Convert(args) => convert::run(args, screen),
    }
}
