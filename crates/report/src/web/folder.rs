//! The files of a report: a page, the pictures that it shows, and the schedules.

use super::model::{WebRace, WebReport};
use super::{orders, page};
use std::collections::HashMap;
use std::sync::Arc;

/// A file of the report's folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportFile {
    /// Its path in the folder, with `/`.
    pub path: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Where the orders can be stepped through.
pub(super) const ORDERS: &str = "orders.html";

/// All files. `name` is what the user calls the folder: commands on the page use it.
pub fn folder(report: &WebReport, name: &str) -> Vec<ReportFile> {
    let races = report.races_by_severity();
    let pictures = Pictures::of(report, &races);
    let index = page::page(report, &races, &pictures, name);
    let mut files = vec![ReportFile { path: "index.html".to_owned(), bytes: index.into_bytes() }];
    let orders = orders::orders(report, &races);
    files.push(ReportFile { path: ORDERS.to_owned(), bytes: orders.into_bytes() });
    files.extend(pictures.files);
    files.extend(races.iter().enumerate().map(|(at, race)| ReportFile {
        path: schedule_path(at),
        bytes: race.schedule.clone().into_bytes(),
    }));
    files
}

/// Where the schedule of a race is, by the place of the race in the list.
pub(super) fn schedule_path(at: usize) -> String {
    format!("schedules/race-{}.json", at + 1)
}

/// The pictures that are shown, each once.
pub(super) struct Pictures {
    files: Vec<ReportFile>,
    /// For each sequence that has one, its file.
    paths: HashMap<usize, String>,
}

impl Pictures {
    /// Those of races whose pictures differ, and that of an order that was performed again.
    fn of(report: &WebReport, races: &[&WebRace]) -> Self {
        let mut pictures = Pictures { files: Vec::new(), paths: HashMap::new() };
        let mut known = HashMap::new();
        if let Some(sequence) = report.sequences.first().filter(|_| report.is_replay) {
            pictures.add(&mut known, 0, sequence.screenshot.clone());
        }
        for race in races {
            let picture = |sequence: usize| report.sequences[sequence].screenshot.clone();
            let (before, after) = (picture(race.parent), picture(race.sequence));
            // Equal pictures show nothing that one of them does not, unless they show what is wrong anyway.
            if race.is_harmless() && before == after {
                continue;
            }
            pictures.add(&mut known, race.parent, before);
            pictures.add(&mut known, race.sequence, after);
        }
        pictures
    }

    /// The picture of a sequence; equal ones have one file.
    fn add(
        &mut self,
        known: &mut HashMap<Arc<[u8]>, String>,
        sequence: usize,
        picture: Option<Arc<[u8]>>,
    ) {
        let Some(picture) = picture else { return };
        let path = known.entry(picture.clone()).or_insert_with(|| {
            let path = format!("pictures/{}.png", self.files.len() + 1);
            self.files.push(ReportFile { path: path.clone(), bytes: picture.to_vec() });
            path
        });
        self.paths.insert(sequence, path.clone());
    }

    /// The file with the picture of a sequence.
    pub fn path(&self, sequence: usize) -> Option<&str> {
        self.paths.get(&sequence).map(|path| &path[..])
    }
}
