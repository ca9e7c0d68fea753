//! What several tests share: the sample traces, with what the table says of them.

use mazurka_traces::Loaded;
use std::path::PathBuf;

/// One sample trace.
pub struct Sample {
    pub name: String,
    pub folder: PathBuf,
    pub operations: usize,
    pub classes: u64,
    pub deadlocked: u64,
    /// The executions that the published implementation of EM-DPOR explores.
    pub em_dpor: u64,
}

impl Sample {
    pub fn bytes(&self, file: &str) -> Vec<u8> {
        std::fs::read(self.folder.join(file)).expect("the sample has this file")
    }

    pub fn load(&self) -> Loaded {
        let dependences = self.bytes("dependence.txt");
        let trace = self.bytes("trace.txt");
        mazurka_traces::load("trace.txt", &trace, Some(("dependence.txt", &dependences)))
            .unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// Every sample trace with the number of operations that the table says.
pub fn samples() -> Vec<Sample> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/em");
    let table = std::fs::read_to_string(folder.join("figures.tsv")).expect("the table is there");
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|row| {
        let mut columns = row.split('\t');
        let name = columns.next().expect("a name").to_owned();
        let mut number =
            || columns.next().and_then(|text| text.parse::<u64>().ok()).expect("a number");
        let (operations, classes, deadlocked) = (number() as usize, number(), number());
        let em_dpor = number();
        Sample { folder: folder.join(&name), name, operations, classes, deadlocked, em_dpor }
    })
    .collect()
}
