//! The least that must happen for the second event of a race: is that possible at all from a prefix?
//!
//! Most prefixes that are too long are so because what the second event needs is behind something that cannot end without the
//! first one: a message that is running, or is in front in a queue. Then no set of events reverses the race from there, nor from any
//! shorter prefix that still has the message in the way. So the least set is closed under what any set that contains it must contain,
//! and what this leads to holds for all of them.

use super::reverse_race::Reduction;
use super::saturation::{self, Saturation};
use super::scenario::Scenario;
use crate::bits::{self, Bits};
use crate::ids::{HandlerId, TaskId};
use crate::program::Mailbox;

/// What must happen, as far as is known.
struct Least<'l> {
    /// The events.
    members: Bits,
    /// What they may be.
    available: &'l [u64],
    /// What follows from the point holds as long as the prefix is longer than this.
    holds_behind: usize,
}

/// It cannot happen.
struct Impossible;

impl Reduction<'_, '_> {
    /// Is nothing possible here that reverses the race? Then it is noted where something may be.
    pub fn is_hopeless(&self, available: &[u64]) -> bool {
        if self.lead.is_some() {
            return false;
        }
        let mut members = Bits::from_slice(self.needed);
        bits::subtract(&mut members, &self.point.happened);
        let mut least = Least { members, available, holds_behind: 0 };
        let is_hopeless = self.close(&mut least).is_err();
        if is_hopeless {
            self.differs_at_most(least.holds_behind);
        }
        is_hopeless
    }

    /// Adds what any set that contains these events must contain.
    fn close(&self, least: &mut Least<'_>) -> Result<(), Impossible> {
        loop {
            let before = bits::count(&least.members);
            for handler in (0..self.point.execution.handler_count()).map(HandlerId::from) {
                self.make_room(least, handler)?;
            }
            if bits::count(&least.members) != before {
                continue;
            }
            if before > saturation::MOST_EVENTS {
                return Ok(());
            }
            let scenario = Scenario {
                point: self.point,
                members: &least.members,
                last: Some(self.last),
                last_at_end: true,
                lead: None,
                all_end: true,
            };
            let saturation = Saturation::of(scenario).ok_or(Impossible)?;
            for message in saturation.followed(scenario) {
                self.run_through(least, message)?;
            }
            if bits::count(&least.members) == before {
                return Ok(());
            }
        }
    }

    /// What is running on a handler, or in front in its queue, must end before others start.
    fn make_room(&self, least: &mut Least<'_>, handler: HandlerId) -> Result<(), Impossible> {
        let execution = self.point.execution;
        let starts = bits::common(&least.members, execution.starts_on(handler));
        let last = Some(self.last).filter(|last| last.starts).map(|last| last.task);
        let last = last.filter(|&task| execution.handler(task) == Some(handler));
        if bits::is_empty(&starts) && last.is_none() {
            return Ok(());
        }
        let is_fifo = execution.mailbox(handler) == Mailbox::Fifo;
        let queue = if is_fifo { self.point.queue(handler) } else { Vec::new() };
        let starting = bits::iter(&starts).map(|start| execution.events()[start].task).chain(last);
        let place = |message: TaskId| {
            queue.iter().position(|&queued| queued == message).unwrap_or(queue.len())
        };
        let in_front = starting.map(place).max().unwrap_or(0);
        let in_front = self.active[handler.index()].into_iter().chain(queue[..in_front].to_vec());
        for message in in_front {
            // In a FIFO mailbox the post decides: behind it the message is in front of all that start here.
            let takes_place =
                if is_fifo { execution.creator(message) } else { execution.start_of(message) };
            least.holds_behind = least.holds_behind.max(takes_place.unwrap_or(0));
            self.run_through(least, message)?;
        }
        Ok(())
    }

    /// The message must run to its end.
    fn run_through(&self, least: &mut Least<'_>, message: TaskId) -> Result<(), Impossible> {
        let execution = self.point.execution;
        let end = execution.end_of(message).ok_or(Impossible)?;
        if bits::contains(&self.point.happened, end) || bits::contains(&least.members, end) {
            return Ok(());
        }
        if !bits::contains(least.available, end) {
            return Err(Impossible);
        }
        bits::union(&mut least.members, execution.before(end));
        bits::insert(&mut least.members, end);
        bits::subtract(&mut least.members, &self.point.happened);
        Ok(())
    }
}
