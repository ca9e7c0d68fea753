//! `--export KIND=FILE`: executions and results in the formats of other tools.

use crate::args::OutputArgs;
use crate::error::Error;
use crate::output;
use mazurka_engine::{Failure, Recording};
use mazurka_report::FileReport;
use mazurka_report::export::{self, Kind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Export {
    pub kind: Kind,
    pub path: PathBuf,
}

/// `KIND=FILE`.
pub fn parse(text: &str) -> Result<Export, String> {
    let names = Kind::ALL.map(Kind::name).join(", ");
    let (name, path) =
        text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or_else(|| {
            format!("expected KIND=FILE, such as mermaid=failure.mmd; kinds are {names}")
        })?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    let kind = kind.ok_or_else(|| format!("there is no kind `{name}`; there are {names}"))?;
    Ok(Export { kind, path: path.into() })
}

/// Refuses files that cannot be written, before anything is explored.
pub fn check_paths(args: &OutputArgs, input: &Path) -> Result<(), Error> {
    args.exports.iter().try_for_each(|export| output::check_path(&export.path, input))
}

/// The first of the formats for one execution that was asked for: several programs have no such.
pub fn of_execution(args: &OutputArgs) -> Option<&Export> {
    args.exports.iter().find(|export| !export.kind.is_of_results())
}

/// Writes the formats for executions.
pub fn write_to(
    exports: &[Export],
    recording: &Recording,
    failure: Option<&Failure>,
) -> Result<(), Error> {
    for Export { kind, path } in exports {
        if let Some(text) = export::execution(*kind, recording, failure) {
            output::write(path, &text)?;
        }
    }
    Ok(())
}

/// Writes the formats for results.
pub fn write_results(
    args: &OutputArgs,
    reports: &[FileReport<'_>],
    elapsed: Duration,
) -> Result<(), Error> {
    for Export { kind, path } in &args.exports {
        match kind {
            Kind::JUnit => output::write(path, &export::junit(reports, elapsed))?,
            Kind::Sarif => {
                output::write(path, &export::sarif(reports, env!("CARGO_PKG_VERSION")))?;
            }
            Kind::Mermaid | Kind::ShiViz | Kind::Chrome | Kind::Graphviz => {}
        }
    }
    Ok(())
}
