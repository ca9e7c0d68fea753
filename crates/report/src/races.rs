//! The races of a recorded execution, for people and for programs.

use crate::palette::{Palette, Role};
use crate::text::{count, seconds};
use mazurka_traces::races::{Leads, OtherRead, Race, Races, Side};
use serde_json::{Value, json};
use std::time::Duration;

/// So many reads that see something else are shown for a race.
const MOST_READS: usize = 3;

/// The list for people: by object, uncovered ones first. `witnesses` adds the order that exchanges each.
pub fn text(
    program: &str,
    found: &Races,
    elapsed: Duration,
    witnesses: bool,
    palette: Palette,
) -> String {
    let uncovered = found.races.iter().filter(|race| !race.covered).count();
    let mut out = format!(
        "{}\n  {uncovered} uncovered; {} always in the recorded order, {}\n",
        palette.paint(
            Role::Strong,
            &format!("{}: {program}", count(found.races.len() as u64, "race"))
        ),
        count(found.ordered as u64, "pair"),
        seconds(elapsed),
    );
    if found.undecided > 0 {
        let undecided = count(found.undecided as u64, "pair");
        let text = format!("  {undecided} could not be decided in time: there may be more races\n");
        out.push_str(&palette.paint(Role::Caution, &text));
    }
    let mut heading = None;
    for race in &found.races {
        if heading != Some((race.covered, &race.object)) {
            let covered = if race.covered { ", covered by others" } else { "" };
            out.push_str(&format!("\n{}{covered}\n", palette.paint(Role::Strong, &race.object)));
            heading = Some((race.covered, &race.object));
        }
        out.push_str(&one(race, palette));
        if witnesses {
            out.push_str(&format!("      in the order {}\n", runs(&race.witness)));
        }
    }
    out
}

fn one(race: &Race, palette: Palette) -> String {
    let mut out = format!("  {}\n  {}\n", side(&race.first), side(&race.second));
    for (role, sentence) in leads(race, MOST_READS) {
        let text = format!("      {sentence}");
        out.push_str(&role.map_or_else(|| text.clone(), |role| palette.paint(role, &text)));
        out.push('\n');
    }
    out
}

/// What a race leads to, a sentence each, with at most so many reads.
fn leads(race: &Race, most: usize) -> Vec<(Option<Role>, String)> {
    match &race.leads {
        Leads::Deadlock(waits) => {
            vec![(Some(Role::Bad), format!("leads to a deadlock: {}", waits.join("; ")))]
        }
        Leads::OtherReads(reads) => {
            let shown = reads.iter().take(most);
            let mut sentences: Vec<(Option<Role>, String)> =
                shown.map(|read| (Some(Role::Caution), other_read(read))).collect();
            if reads.len() > most {
                let more = count((reads.len() - most) as u64, "read");
                sentences.push((None, format!("and {more} more")));
            }
            sentences
        }
        Leads::Nothing => vec![(None, "no read of the trace sees a difference".to_owned())],
    }
}

/// A race in a line.
pub fn headline(race: &Race) -> String {
    let Race { object, first, second, .. } = race;
    format!("{object}: {} by {} and {} by {}", first.does, first.task, second.does, second.task)
}

/// All that can be said of a race, a sentence each.
pub fn sentences(race: &Race) -> Vec<String> {
    let sides = [&race.first, &race.second].map(side);
    let covered = race.covered.then(|| "another race decides about it".to_owned());
    let leads = leads(race, usize::MAX).into_iter().map(|(_, sentence)| sentence);
    sides.into_iter().chain(covered).chain(leads).collect()
}

fn side(side: &Side) -> String {
    let looper = side.looper.as_ref();
    let looper = looper.map_or_else(String::new, |looper| format!(" on {looper}"));
    format!("{:5} by {}{looper} ({})", side.does, side.task, side.place)
}

fn other_read(read: &OtherRead) -> String {
    let value = |place: &Option<String>| match place {
        Some(place) => format!("what {place} wrote"),
        None => "the initial value".to_owned(),
    };
    format!("the read at {} sees {} instead of {}", read.place, value(&read.sees), value(&read.saw))
}

/// `t1×3 m5 m6×2`: who moves, and how often in a row.
fn runs(moves: &[String]) -> String {
    let rows = moves.chunk_by(|one, other| one == other);
    let shown = rows.map(|row| match row.len() {
        1 => row[0].clone(),
        times => format!("{}×{times}", row[0]),
    });
    shown.collect::<Vec<_>>().join(" ")
}

/// The list as one JSON object.
pub fn json(program: &str, found: &Races, elapsed: Duration) -> String {
    let object = json!({
        "program": program,
        "races": found.races.iter().map(object).collect::<Vec<_>>(),
        "ordered_pairs": found.ordered,
        "undecided_pairs": found.undecided,
        "elapsed_seconds": elapsed.as_secs_f64(),
    });
    format!("{object:#}\n")
}

fn object(race: &Race) -> Value {
    let side = |side: &Side| {
        json!({
            "task": side.task,
            "looper": side.looper,
            "does": side.does,
            "location": side.place,
            "position": side.position,
        })
    };
    let leads = match &race.leads {
        Leads::Deadlock(waits) => json!({ "kind": "deadlock", "waiting": waits }),
        Leads::OtherReads(reads) => {
            let reads = reads
                .iter()
                .map(|read| json!({ "location": read.place, "saw": read.saw, "sees": read.sees }));
            json!({ "kind": "other-reads", "reads": reads.collect::<Vec<_>>() })
        }
        Leads::Nothing => json!({ "kind": "nothing" }),
    };
    json!({
        "object": race.object,
        "first": side(&race.first),
        "second": side(&race.second),
        "covered": race.covered,
        "leads": leads,
        "witness": race.witness,
    })
}
