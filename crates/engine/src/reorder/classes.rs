//! Traces as keys: equal for two sequences of the same events if conflicting accesses come in the same order.

use crate::fingerprint::Fingerprint;
use crate::ids::EventId;
use crate::operation::Mode;
use crate::touch::Touch;
use rustc_hash::FxHashMap;

/// The key of a trace: a sum of 128-bit fingerprints over its events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClassKey(Fingerprint);

/// What has touched a location so far: the accesses since the last one that conflicts with them, and everything before.
struct History {
    mode: Mode,
    current: Fingerprint,
    earlier: Fingerprint,
}

impl ClassKey {
    /// Of a sequence of events with what they touch.
    pub fn of<'t>(sequence: impl Iterator<Item = (EventId, &'t [Touch])>) -> Self {
        let mut histories: FxHashMap<u32, History> = FxHashMap::default();
        let mut sum = Fingerprint::default();
        for (event, touches) in sequence {
            let own = Fingerprint::default().plus(u64::from(event.0));
            let mut name = own;
            for touch in touches {
                let earlier = touch_history(&mut histories, touch, own);
                name = name.and(earlier.plus(u64::from(touch.slot)).plus(touch.mode as u64));
            }
            sum = sum.and(name.mixed());
        }
        ClassKey(sum)
    }
}

/// The accesses of the same location that come before one that conflicts with them.
fn touch_history(
    histories: &mut FxHashMap<u32, History>,
    touch: &Touch,
    event: Fingerprint,
) -> Fingerprint {
    let history = histories.entry(touch.slot).or_insert_with(|| History {
        mode: touch.mode,
        current: Fingerprint::default(),
        earlier: Fingerprint::default(),
    });
    if history.mode.conflicts(touch.mode) {
        history.earlier = history.earlier.and(history.current).mixed();
        history.current = Fingerprint::default();
        history.mode = touch.mode;
    }
    history.current = history.current.and(event);
    history.earlier
}
