//! What a mailbox promises about the order of its messages.

use std::fmt;
use std::str::FromStr;

/// The discipline of a mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Policy {
    /// A queue: messages are executed in the order in which they were posted.
    Fifo,
    /// A bag: any posted message may be executed next.
    Multiset,
    /// A queue for each sender: messages from the same handler keep their order, others are free.
    P2p,
}

impl Policy {
    /// All policies, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::Fifo, Self::Multiset, Self::P2p];

    /// The name used in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::Multiset => "multiset",
            Self::P2p => "p2p",
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of no policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPolicy(String);

impl fmt::Display for UnknownPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown mailbox policy `{}`: expected fifo, multiset or p2p", self.0)
    }
}

impl std::error::Error for UnknownPolicy {}

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        let found = Self::ALL.into_iter().find(|policy| policy.name() == text);
        found.ok_or_else(|| UnknownPolicy(text.to_owned()))
    }
}
