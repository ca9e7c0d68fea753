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
        bits::union(&mut least.members, &execution.before(end));
        bits::insert(&mut least.members, end);
        bits::subtract(&mut least.members, &self.point.happened);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::point::Point;
    use super::super::realise::random::Program;
    use super::super::redundancy::Kind;
    use super::super::reverse_race::{Race, Reduction};
    use super::super::saturation::Saturation;
    use crate::bits::{self, Bits};
    use crate::execution::Execution;
    use crate::operation::Effect;
    use crate::reversal::{Last, Member};
    use crate::rng::Rng;

    /// Sets with more choices than this have too many parts to try all.
    const MOST_CHOICES: usize = 7;

    /// All parts of these events from which something is left out, as a search for maximal sets would.
    fn parts(execution: &Execution, reduction: &Reduction<'_, '_>, whole: &Bits) -> Vec<Bits> {
        let is_choice = |&event: &usize| {
            Kind::of(execution, event) != Kind::Free
                || execution.events()[event].effect == Effect::Start
        };
        let choices: Vec<usize> = bits::iter(whole).filter(is_choice).collect();
        if choices.len() > MOST_CHOICES {
            return Vec::new();
        }
        let part = |mask: u32| {
            let mut drop = bits::empty(whole.len());
            let dropped = choices.iter().enumerate().filter(|(at, _)| mask >> at & 1 != 0);
            dropped.for_each(|(_, &event)| bits::insert(&mut drop, event));
            if mask == 0 { Some(whole.clone()) } else { reduction.without(whole, &drop) }
        };
        (0..1 << choices.len()).filter_map(part).collect()
    }

    /// Where nothing is said to be possible, no part is; and whatever is possible keeps to what saturation says of it.
    #[test]
    fn what_is_hopeless_is_impossible() {
        let (mut hopeless, mut possible) = (0, 0);
        for seed in 0..4_000 {
            let mut rng = Rng::new(seed);
            let execution = Program::random(&mut rng).execute(&mut rng);
            for &(first, second) in execution.races() {
                let last = Last::performed(&execution, second as usize);
                let race = Race::new(&execution, first as usize, last);
                for depth in race.depths() {
                    let point = Point::at_depth(&execution, depth);
                    let mut whole = race.reserve.available.clone();
                    bits::subtract(&mut whole, &point.happened);
                    let reduction = Reduction::new(&point, &race.last, &race.reserve.needed, None);
                    let is_hopeless = reduction.is_hopeless(&whole);
                    hopeless += usize::from(is_hopeless);
                    for part in parts(&execution, &reduction, &whole) {
                        let Some(order) = reduction.scenario(&part, None).realise() else {
                            continue;
                        };
                        assert!(!is_hopeless, "seed {seed}, race {first} {second}, depth {depth}");
                        possible += 1;
                        let mut done = point.happened.clone();
                        let mut all = done.clone();
                        bits::union(&mut all, &part);
                        let last = race.last.among(&execution, &point.happened, &part);
                        let saturation = Saturation::of_prefix(&execution, &all, &last)
                            .expect("there is an order");
                        for member in order.events {
                            let before = bits::common(saturation.before(member), &all);
                            assert!(bits::is_subset(&before, &done), "seed {seed}: {member:?}");
                            if let Member::Event(event) = member {
                                bits::insert(&mut done, event);
                            }
                        }
                    }
                }
            }
        }
        assert!(hopeless > 1_000 && possible > 10_000, "{hopeless} hopeless, {possible} possible");
    }
}
