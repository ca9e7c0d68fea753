//! `mazurka trace consistency`: is there an execution with this trace?

use super::consistency_page;
use super::load::load_partial;
use crate::args::{ConsistencyArgs, Format};
use crate::error::{Error, Status};
use crate::screen::Screen;
use crate::{interrupt, output};
use mazurka_consistency::explain::explain;
use mazurka_consistency::{Answer, Limits, Trace, Verdict, check, verify};
use std::time::{Duration, Instant};

pub fn run(args: &ConsistencyArgs, screen: &Screen) -> Result<Status, Error> {
    if let Some(path) = &args.report {
        output::check_path(path, &args.file)?;
    }
    let started = Instant::now();
    let trace = load_partial(&args.file, screen)?;
    let cancel = interrupt::flag();
    let limits = Limits {
        deadline: args.timeout.and_then(|time| started.checked_add(time)),
        conflicts: None,
        cancel: Some(&cancel),
    };
    let answer = check(&trace, args.mailbox, args.solver, &limits);
    let elapsed = started.elapsed();
    if args.verify {
        verify(&trace, &answer).map_err(Error::NotVerified)?;
    }
    screen.print(&match args.format {
        Format::Json => object(&answer, elapsed, args.verify),
        Format::Text => words(&trace, &answer, elapsed, args.verify, &limits),
    })?;
    if let Some(path) = &args.report {
        consistency_page::write(path, &trace, &answer, &limits)?;
    }
    Ok(match answer.verdict {
        Verdict::Consistent(_) => Status::Fine,
        Verdict::Inconsistent(_) => Status::FailureFound,
        Verdict::Unknown(_) => Status::Incomplete,
    })
}

fn object(answer: &Answer, elapsed: Duration, verified: bool) -> String {
    let mut object = answer.to_json(elapsed.as_secs_f64());
    if verified {
        object["verified"] = true.into();
    }
    format!("{object}\n")
}

/// The verdict, the size of the question, and why not.
fn words(
    trace: &Trace,
    answer: &Answer,
    elapsed: Duration,
    verified: bool,
    limits: &Limits<'_>,
) -> String {
    let mut out = format!(
        "{answer}\n  {} messages, {} events, {:.3} s\n",
        trace.messages().len(),
        trace.events().len(),
        elapsed.as_secs_f64(),
    );
    if verified && !matches!(answer.verdict, Verdict::Unknown(_)) {
        out.push_str("  an independent checker agrees\n");
    }
    if matches!(answer.verdict, Verdict::Inconsistent(_))
        && let Some(explanation) = explain(trace, answer.policy, limits)
    {
        out.push_str(&format!("\n{explanation}"));
    }
    out
}
