//! The rules of happens-before between callbacks, whatever the page does.
//!
//! Beside these, what registers a callback comes before it, and what creates an element comes before its events.

use super::pending::Meta;

/// What an event is in the life of a page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// Nothing special.
    #[default]
    Plain,
    /// The page's own first piece.
    Start,
    /// The parser goes on behind this stop (from 1). It waits for these stylesheets.
    Stop(usize, Vec<String>),
    /// A script that was written into the page behind this stop: the parser waits for it.
    Written(usize),
    /// A script that runs when the page has been parsed.
    Deferred(usize),
    /// `DOMContentLoaded`.
    Parsed(usize),
    /// `load` of the window.
    Loaded,
    /// A stylesheet with this address.
    Style(String),
    /// The n-th thing that the user does.
    Action(usize),
}

/// Must `first` come before `second`, if both can happen?
pub fn precedes(first: &Meta, second: &Meta) -> bool {
    in_page_order(&first.role, &second.role)
        || are_written(first, second)
        || (second.role == Role::Loaded && first.delays_load)
        || by_delay(first, second)
        || in_channel(first, second)
        || in_frame(first, second)
}

/// Parsing, deferred scripts and the user each go their way in order.
fn in_page_order(first: &Role, second: &Role) -> bool {
    match (first, second) {
        (Role::Stop(a, _), Role::Stop(b, _))
        | (Role::Deferred(a), Role::Deferred(b))
        | (Role::Action(a), Role::Action(b)) => a < b,
        (Role::Stop(a, _), Role::Written(b)) => a <= b,
        (Role::Written(a), Role::Stop(b, _)) => a < b,
        (Role::Stop(..) | Role::Written(_), Role::Deferred(_) | Role::Parsed(_) | Role::Loaded)
        | (Role::Deferred(_), Role::Parsed(_) | Role::Loaded)
        | (Role::Parsed(_), Role::Loaded) => true,
        (Role::Style(address), Role::Stop(_, styles)) => styles.contains(address),
        _ => false,
    }
}

/// Scripts that were written into the page run in the order in which they were written.
fn are_written(first: &Meta, second: &Meta) -> bool {
    matches!((&first.role, &second.role), (Role::Written(a), Role::Written(b)) if (a, first.order) < (b, second.order))
}

/// Timers of one creator by delay, and in order of creation where delays are equal. Those of a worker are not ordered with those
/// of the page.
fn by_delay(first: &Meta, second: &Meta) -> bool {
    let origin = |timer: &Meta| (timer.creator, timer.thread);
    match (first.delay, second.delay) {
        (Some(a), Some(b)) if origin(first) == origin(second) => {
            (a, first.order) < (b, second.order)
        }
        _ => false,
    }
}

/// Messages of one channel in the order in which they were sent.
fn in_channel(first: &Meta, second: &Meta) -> bool {
    first.channel.is_some() && first.channel == second.channel && first.order < second.order
}

/// Callbacks of one animation frame in order, and frames in order.
fn in_frame(first: &Meta, second: &Meta) -> bool {
    match (first.frame, second.frame) {
        (Some(a), Some(b)) => (a, first.order) < (b, second.order),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timer(creator: usize, delay: u64, order: u64) -> Meta {
        Meta { creator: Some(creator), delay: Some(delay), order, ..Meta::default() }
    }

    fn role(role: Role) -> Meta {
        Meta { role, ..Meta::default() }
    }

    #[test]
    fn timers_of_one_creator_by_delay_then_by_creation() {
        assert!(precedes(&timer(1, 0, 5), &timer(1, 10, 4)));
        assert!(precedes(&timer(1, 10, 4), &timer(1, 10, 5)));
        assert!(!precedes(&timer(1, 10, 5), &timer(1, 10, 4)));
        assert!(!precedes(&timer(1, 0, 1), &timer(2, 10, 2)));
    }

    #[test]
    fn the_life_of_a_page() {
        let stop = role(Role::Stop(1, vec!["a.css".to_owned()]));
        let later = role(Role::Stop(2, vec![]));
        let (deferred, parsed, loaded) =
            (role(Role::Deferred(0)), role(Role::Parsed(3)), role(Role::Loaded));
        let written = role(Role::Written(1));
        let chain = [&stop, &written, &later, &deferred, &parsed, &loaded];
        for (at, first) in chain.iter().enumerate() {
            for (to, second) in chain.iter().enumerate() {
                assert_eq!(precedes(first, second), at < to, "{at} {to}");
            }
        }
        assert!(precedes(&role(Role::Style("a.css".to_owned())), &stop));
        assert!(!precedes(&role(Role::Style("a.css".to_owned())), &later));
        let image = Meta { delays_load: true, ..Meta::default() };
        assert!(precedes(&image, &loaded) && !precedes(&image, &parsed));
    }

    #[test]
    fn channels_and_frames_in_order() {
        let sent = |order| Meta { channel: Some("port".to_owned()), order, ..Meta::default() };
        assert!(precedes(&sent(1), &sent(2)) && !precedes(&sent(2), &sent(1)));
        let frame = |frame, order| Meta { frame: Some(frame), order, ..Meta::default() };
        assert!(precedes(&frame(1, 1), &frame(1, 2)) && precedes(&frame(1, 9), &frame(2, 3)));
    }
}
