//! From a trace to an answer: the verdict with what proves it, as the trace format describes.

use crate::certificate::{self, BadCertificate, FIXED_CYCLE};
use crate::fixed::Encoding;
use crate::limits::{Limit, Limits};
use crate::order::{Contradiction, Status};
use crate::policy::Policy;
use crate::proof::Kind;
use crate::saturation;
use crate::trace::{EventId, Trace};
use crate::witness::{self, BadWitness};
use std::fmt::{self, Write as _};
use std::str::FromStr;
use thiserror::Error;

/// Which procedure decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// Ours: clause learning with the closure as theory.
    #[default]
    Sat,
    /// The paper's Algorithm 1: saturation, then enumeration.
    Saturation,
    /// The paper's Algorithm 2 on Z3. Gives no certificates.
    #[cfg(feature = "smt")]
    Smt,
}

impl Solver {
    /// All solvers of this build.
    pub const ALL: &[Self] = &[
        Self::Sat,
        Self::Saturation,
        #[cfg(feature = "smt")]
        Self::Smt,
    ];

    /// The name used on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sat => "sat",
            Self::Saturation => "saturation",
            #[cfg(feature = "smt")]
            Self::Smt => "smt",
        }
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of no solver of this build.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown solver `{0}`: expected sat, saturation, or smt (if built with it)")]
pub struct UnknownSolver(String);

impl FromStr for Solver {
    type Err = UnknownSolver;

    fn from_str(text: &str) -> Result<Self, UnknownSolver> {
        let found = Self::ALL.iter().copied().find(|solver| solver.name() == text);
        found.ok_or_else(|| UnknownSolver(text.to_owned()))
    }
}

/// Is there an execution with the trace?
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Yes: this order of all events is one.
    Consistent(Vec<EventId>),
    /// No, and this certificate proves it; `None` from a solver that gives none.
    Inconsistent(Option<String>),
    /// A limit came first.
    Unknown(Limit),
}

/// The answer to "is this trace consistent under this policy?".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The policy that was asked about.
    pub policy: Policy,
    /// The verdict.
    pub verdict: Verdict,
}

/// Decides whether `trace` is consistent under `policy`.
#[must_use]
pub fn check(trace: &Trace, policy: Policy, solver: Solver, limits: &Limits<'_>) -> Answer {
    let mut encoding = Encoding::new(trace, policy);
    let status = match solver {
        Solver::Sat => encoding.problem.solve(limits),
        Solver::Saturation => saturation::solve(&mut encoding.problem, limits),
        #[cfg(feature = "smt")]
        Solver::Smt => crate::smt::solve(&mut encoding.problem, limits),
    };
    Answer { policy, verdict: verdict(&mut encoding, status) }
}

fn verdict(encoding: &mut Encoding, status: Status) -> Verdict {
    match status {
        Status::Ordered => match encoding.problem.linearise() {
            Some(order) => Verdict::Consistent(order),
            // Never so with our solvers; an outside solver's model is not to be trusted blindly.
            None => Verdict::Unknown(Limit::Solver),
        },
        Status::Contradiction => Verdict::Inconsistent(certificate_text(encoding)),
        Status::Unknown(limit) => Verdict::Unknown(limit),
    }
}

fn certificate_text(encoding: &Encoding) -> Option<String> {
    match encoding.problem.contradiction()? {
        Contradiction::FixedCycle => return Some(FIXED_CYCLE.to_owned()),
        Contradiction::Proof => {}
        // Of a trace all executed messages are complete.
        Contradiction::TwoUnfinished => return None,
        #[cfg(feature = "smt")]
        Contradiction::Unproven => return None,
    }
    let mut text = String::new();
    for (kind, clause, _) in encoding.problem.proof().kept() {
        text.push(if kind == Kind::Theory { 't' } else { 'l' });
        for &lit in clause {
            let (first, second) = encoding.pair(lit);
            let _ = write!(text, " {first}<{second}");
        }
        text.push('\n');
    }
    Some(text)
}

/// What an independent checker found wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotVerified {
    /// The witness is no execution.
    #[error("the witness does not replay: {0}")]
    Witness(#[from] BadWitness),
    /// The certificate proves nothing.
    #[error("the certificate does not hold: {0}")]
    Certificate(#[from] BadCertificate),
    /// The solver gave no certificate.
    #[error("the solver gives no certificate")]
    NoCertificate,
}

/// Checks an answer with the independent checkers. There is nothing to check in `unknown`.
pub fn verify(trace: &Trace, answer: &Answer) -> Result<(), NotVerified> {
    match &answer.verdict {
        Verdict::Consistent(order) => Ok(witness::replay(trace, answer.policy, order)?),
        Verdict::Inconsistent(Some(text)) => Ok(certificate::check(trace, answer.policy, text)?),
        Verdict::Inconsistent(None) => Err(NotVerified::NoCertificate),
        Verdict::Unknown(_) => Ok(()),
    }
}

impl Verdict {
    /// The word for it in files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Consistent(_) => "consistent",
            Self::Inconsistent(_) => "inconsistent",
            Self::Unknown(_) => "unknown",
        }
    }

    /// The exit status of `mazurka trace consistency`.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        match self {
            Self::Consistent(_) => 0,
            Self::Inconsistent(_) => 1,
            Self::Unknown(_) => 3,
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policy = self.policy;
        match &self.verdict {
            Verdict::Consistent(order) => {
                write!(
                    f,
                    "consistent under {policy}: there is an execution with this trace ({} events)",
                    order.len()
                )
            }
            Verdict::Inconsistent(_) => {
                write!(f, "inconsistent under {policy}: no execution has this trace")
            }
            Verdict::Unknown(limit) => write!(f, "unknown under {policy}: {limit}"),
        }
    }
}

impl Answer {
    /// The answer as the format's JSON object, with the time it took.
    #[must_use]
    pub fn to_json(&self, elapsed_seconds: f64) -> serde_json::Value {
        let mut object = serde_json::json!({
            "verdict": self.verdict.name(),
            "semantics": self.policy.name(),
            "elapsed_seconds": elapsed_seconds,
        });
        match &self.verdict {
            Verdict::Consistent(order) => object["order"] = serde_json::json!(order),
            Verdict::Inconsistent(text) => object["certificate"] = serde_json::json!(text),
            Verdict::Unknown(limit) => object["reason"] = serde_json::json!(limit.to_string()),
        }
        object
    }
}
