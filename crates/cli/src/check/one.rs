//! The report of one program, and what its failure leaves behind.

use super::examine::{Examined, examine, reports};
use crate::args::{CheckArgs, Format};
use crate::error::{Error, Status};
use crate::explore::{Progress, note_threads};
use crate::export;
use crate::output;
use crate::screen::Screen;
use mazurka_report::{FileReport, files};
use std::path::Path;
use std::time::Instant;

pub fn run(file: &Path, args: &CheckArgs, screen: &Screen) -> Result<Status, Error> {
    for path in [&args.output.report, &args.save_schedule, &args.save_trace].into_iter().flatten() {
        output::check_path(path, file)?;
    }
    export::check_paths(&args.output, file)?;
    note_threads(&args.exploration, screen);
    let begun = Instant::now();
    let examined = examine(file, args, Progress::Line)?;
    screen.print(&match args.output.format {
        Format::Json => files::one_file(&reports(&examined)),
        Format::Text => text(&examined, args, screen),
    })?;
    leave_behind(file, &examined, args, screen)?;
    let report = FileReport { file: file.display().to_string(), result: Ok(reports(&examined)) };
    export::write_results(&args.output, &[report], begun.elapsed())?;
    Ok(Status::worst(examined.iter().map(Examined::status)))
}

fn text(examined: &[Examined], args: &CheckArgs, screen: &Screen) -> String {
    let texts: Vec<String> = examined.iter().map(|one| one.text(args, screen)).collect();
    let remark = if args.expect && examined.iter().all(|one| one.compared.is_none()) {
        "\nthe file has no `// expect:` line\n"
    } else {
        ""
    };
    texts.join("\n") + remark
}

/// The page, the trace, and the schedule of the first failure. Of several explorations the first one that fails counts.
fn leave_behind(
    file: &Path,
    examined: &[Examined],
    args: &CheckArgs,
    screen: &Screen,
) -> Result<(), Error> {
    let fails = |one: &&Examined| !one.explored.outcome.failures.is_empty();
    if let Some(one) = examined.iter().find(fails).or(examined.first()) {
        one.explored.write_page(&args.output, file)?;
        one.explored.write_exports(&args.output)?;
        if let Some(trace) = &one.trace {
            trace.write(&[file], screen)?;
        }
    }
    for Examined { explored, unroll, .. } in examined {
        let Some(failure) = explored.outcome.failures.first() else {
            continue;
        };
        if let Some(path) = &args.save_schedule {
            explored.write_schedule(path, *unroll, failure)?;
        }
        return Ok(());
    }
    Ok(())
}
