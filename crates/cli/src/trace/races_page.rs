//! The page of a recorded execution and of those that show its races.

use crate::error::Error;
use crate::page;
use mazurka_engine::{Move, Program, Recording, Run, Schedule, Watch, replay};
use mazurka_report::page::model::{Verdict, Why};
use mazurka_report::page::{PageBuilder, Shown};
use mazurka_report::{count, races};
use mazurka_traces::TraceProgram;
use mazurka_traces::races::{Race, Races};
use std::path::Path;

/// A page has at most so many events of executions that show races; it would be slow to open otherwise.
const MOST_EVENTS: usize = 100_000;

/// Writes the page, with as many races as there is time for.
pub fn write(
    path: &Path,
    file: &Path,
    program: &TraceProgram,
    found: &Races,
    watch: &Watch,
) -> Result<(), Error> {
    let title = format!("{}: {}", count(found.races.len() as u64, "race"), program.name());
    let mut page = PageBuilder::new(title, program.name());
    let run = program.start();
    let order = program.recorded_order().iter();
    let recorded: Vec<String> = order.map(|&task| run.task_path(task)).collect();
    let number = page.show(Shown::new("recorded execution", &recording(program, &recorded)?));
    page.execution_mut(number).verdict = Verdict::Neutral;
    let most = MOST_EVENTS / recorded.len().max(1);
    let mut shown = 0;
    for race in found.races.iter().take(most).take_while(|_| !watch.is_up()) {
        show_race(&mut page, program, &recorded, race)?;
        shown += 1;
    }
    if found.undecided > 0 {
        let undecided = count(found.undecided as u64, "pair");
        page.fact(format!("{undecided} could not be decided in time: there may be more races"));
    }
    if shown < found.races.len() {
        let left_out = count((found.races.len() - shown) as u64, "race");
        page.fact(format!("{left_out} not shown here; the list in the terminal has all"));
    }
    page::write(path, file, page)
}

/// An execution with the two the other way round.
fn show_race(
    page: &mut PageBuilder,
    program: &TraceProgram,
    recorded: &[String],
    race: &Race,
) -> Result<(), Error> {
    let recording = recording(program, &race.witness)?;
    let place = |position| step_in(&race.witness, recorded, position);
    let why = Why {
        words: "Recorded the other way round: here these two have changed places.".to_owned(),
        pair: place(race.second.position).zip(place(race.first.position)),
        other: Some(0),
        parts: Some(race.first.position),
    };
    let notes = races::sentences(race);
    let shown = Shown { notes, why: Some(why), ..Shown::new(races::headline(race), &recording) };
    let number = page.show(shown);
    page.execution_mut(number).verdict = Verdict::Neutral;
    Ok(())
}

/// Where an operation of the recorded execution stands in another one: it is the same one of its task.
fn step_in(order: &[String], recorded: &[String], position: usize) -> Option<usize> {
    let task = recorded.get(position)?;
    let before = recorded[..position].iter().filter(|other| *other == task).count();
    order.iter().enumerate().filter(|(_, other)| *other == task).nth(before).map(|(at, _)| at)
}

fn recording(program: &TraceProgram, order: &[String]) -> Result<Recording, Error> {
    let moves = order.iter().map(|task| Move { task: task.clone(), choice: 0 }).collect();
    replay(program, &Schedule { moves }).map_err(Error::NotReproducible)
}
