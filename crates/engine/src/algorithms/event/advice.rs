//! What does not lead astray at once, when the events of a scenario are put in an order: what does not end takes the last turn, and the last place in a
//! queue.

use super::scenario::Scenario;
use crate::bits::{self, Bits};
use crate::ids::HandlerId;
use crate::operation::Effect;
use crate::program::Mailbox;

/// Which events of a scenario had better wait, and for which.
pub struct Advice<'s> {
    scenario: Scenario<'s>,
    /// The starts of messages that do not end.
    starts: Bits,
    /// The posts to queues of messages that start and do not end, and of those that do not even start.
    posts: Bits,
    /// Of these, those of messages that do not start.
    idle_posts: Bits,
}

impl<'s> Advice<'s> {
    /// At the initial state.
    pub fn new(scenario: Scenario<'s>) -> Self {
        let Scenario { execution, members, .. } = scenario;
        let nobody = bits::empty(members.len());
        let (starts, posts, idle_posts) = (nobody.clone(), nobody.clone(), nobody);
        let mut advice = Advice { scenario, starts, posts, idle_posts };
        for id in (0..execution.handler_count()).map(HandlerId::from) {
            let is_queue = execution.mailbox(id) == Mailbox::Fifo;
            for message in scenario.unfinished_on(id) {
                if let Some(start) = scenario.start_of(message) {
                    bits::insert(&mut advice.starts, start);
                }
                if let Some(post) = scenario.post_of(message).filter(|_| is_queue) {
                    bits::insert(&mut advice.posts, post);
                    if !scenario.starts(message) {
                        bits::insert(&mut advice.idle_posts, post);
                    }
                }
            }
        }
        advice
    }

    /// The first event that had better wait.
    pub fn first_to_wait(&self) -> Option<usize> {
        let first = |set| bits::iter(set).next();
        [&self.starts, &self.posts].into_iter().filter_map(|set| first(set)).min()
    }

    /// May it come before those that are still `to_come`?
    #[inline]
    pub fn recommends(&self, event: usize, to_come: impl FnOnce() -> Bits) -> bool {
        let has_to_wait = bits::contains(&self.starts, event) || bits::contains(&self.posts, event);
        !has_to_wait || self.is_its_turn(event, to_come())
    }

    /// Of those that are still to come at the same handler, are there only such as have to wait as long as this one?
    fn is_its_turn(&self, event: usize, mut to_come: Bits) -> bool {
        let execution = self.scenario.execution;
        let it = &execution.events()[event];
        let (rivals, as_long) = match it.effect {
            Effect::Post(_, handler) if bits::contains(&self.idle_posts, event) => {
                (execution.posts_to(handler), &self.idle_posts)
            }
            Effect::Post(_, handler) => (execution.posts_to(handler), &self.posts),
            _ => {
                let handler = execution.handler(it.task).expect("only messages start");
                (execution.starts_on(handler), &self.starts)
            }
        };
        bits::subtract(&mut to_come, as_long);
        !bits::intersects(&to_come, rivals)
    }
}
