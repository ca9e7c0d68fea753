//! `mazurka trace consistency`: is there an execution with this trace?

use crate::args::{ConsistencyArgs, Format};
use crate::error::{Error, Status};
use crate::interrupt;
use crate::screen::Screen;
use mazurka_consistency::certificate::FIXED_CYCLE;
use mazurka_consistency::{Answer, Limits, Trace, Verdict, check, read, verify};
use mazurka_report::Role;
use std::time::{Duration, Instant};

pub fn run(args: &ConsistencyArgs, screen: &Screen) -> Result<Status, Error> {
    if args.file.is_dir() {
        return Err(Error::Directory(args.file.clone()));
    }
    let started = Instant::now();
    let trace = read::read_file(&args.file)
        .map_err(|source| Error::PartialTrace { path: args.file.clone(), source })?;
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
        Format::Text => words(&trace, &answer, elapsed, args.verify, screen),
    })?;
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

fn words(
    trace: &Trace,
    answer: &Answer,
    elapsed: Duration,
    verified: bool,
    screen: &Screen,
) -> String {
    let palette = screen.palette();
    let (role, why) = match &answer.verdict {
        Verdict::Consistent(_) => (
            Role::Good,
            "there is an execution with this trace; --format json prints it".to_owned(),
        ),
        Verdict::Inconsistent(certificate) => (Role::Bad, refusal(certificate.as_deref())),
        Verdict::Unknown(limit) => (Role::Caution, limit.to_string()),
    };
    let checked = match (&answer.verdict, verified) {
        (Verdict::Unknown(_), _) | (_, false) => "",
        _ => "  an independent checker agrees\n",
    };
    format!(
        "{}: {} ({}, {} messages, {} events, {:.3} s)\n  {why}\n{checked}",
        palette.paint(role, answer.verdict.name()),
        trace.name(),
        answer.policy.name(),
        trace.messages().len(),
        trace.events().len(),
        elapsed.as_secs_f64(),
    )
}

fn refusal(certificate: Option<&str>) -> String {
    match certificate {
        Some(FIXED_CYCLE) => {
            "program order, reads-from, coherence and posts contradict each other already"
                .to_owned()
        }
        Some(text) => format!(
            "no order of the messages works; --format json prints the certificate of {} steps",
            text.lines().count()
        ),
        None => "no order of the messages works; this solver gives no certificate".to_owned(),
    }
}
