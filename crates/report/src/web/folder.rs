//! The files of a report: a page, the pictures that it shows, and the schedules.

use super::model::{WebRace, WebReport};
use super::page;
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

/// All files. `name` is what the user calls the folder: commands on the page use it.
pub fn folder(report: &WebReport, name: &str) -> Vec<ReportFile> {
    let races = report.races_by_severity();
    let pictures = Pictures::of(report, &races);
    let index = page::page(report, &races, &pictures, name);
    let mut files = vec![ReportFile { path: "index.html".to_owned(), bytes: index.into_bytes() }];
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
    /// Those of races whose pictures differ.
    fn of(report: &WebReport, races: &[&WebRace]) -> Self {
        let mut pictures = Pictures { files: Vec::new(), paths: HashMap::new() };
        let mut known: HashMap<Arc<[u8]>, String> = HashMap::new();
        for race in races {
            let picture = |sequence: usize| report.sequences[sequence].screenshot.clone();
            let (before, after) = (picture(race.parent), picture(race.sequence));
            // Equal pictures show nothing that one of them does not, unless they show what is wrong anyway.
            if race.is_harmless() && before == after {
                continue;
            }
            for (sequence, picture) in [(race.parent, before), (race.sequence, after)] {
                let Some(picture) = picture else { continue };
                let path = known.entry(picture.clone()).or_insert_with(|| {
                    let path = format!("pictures/{}.png", pictures.files.len() + 1);
                    let bytes = picture.to_vec();
                    pictures.files.push(ReportFile { path: path.clone(), bytes });
                    path
                });
                pictures.paths.insert(sequence, path.clone());
            }
        }
        pictures
    }

    /// The file with the picture of a sequence.
    pub fn path(&self, sequence: usize) -> Option<&str> {
        self.paths.get(&sequence).map(|path| &path[..])
    }
}
