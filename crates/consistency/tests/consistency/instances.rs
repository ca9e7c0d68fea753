//! Every instance of the table, under both policies: the verdict, and an answer that the independent checkers accept.

use mazurka_consistency::{Limits, Policy, Solver, check, read, verify};
use std::path::{Path, PathBuf};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

#[test]
fn the_table_of_instances() {
    let table = std::fs::read_to_string(data().join("instances.tsv"))
        .expect("the table is part of the crate");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| !line.starts_with('#') && !line.starts_with("instance"))
        .map(|line| line.split('\t').collect())
        .collect();
    assert!(rows.len() >= 50, "the table has lost rows: {}", rows.len());
    for row in rows {
        let [name, events, messages, handlers, fifo, multiset] = row[..] else {
            panic!("a row of {} fields", row.len())
        };
        let trace = read::read_file(data().join("instances").join(name))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(trace.events().len().to_string(), events, "{name}");
        assert_eq!(trace.messages().len().to_string(), messages, "{name}");
        assert_eq!(trace.handlers().to_string(), handlers, "{name}");
        for (policy, expected) in [(Policy::Fifo, fifo), (Policy::Multiset, multiset)] {
            let answer = check(&trace, policy, Solver::Sat, &Limits::default());
            assert_eq!(answer.verdict.name(), expected, "{name} under {policy}");
            verify(&trace, &answer)
                .unwrap_or_else(|error| panic!("{name} under {policy}: {error}"));
        }
        // Queues for each sender promise more than bags and less than one queue.
        let between = check(&trace, Policy::P2p, Solver::Sat, &Limits::default());
        verify(&trace, &between).unwrap_or_else(|error| panic!("{name} under p2p: {error}"));
        assert!(fifo != "consistent" || between.verdict.name() == "consistent", "{name}");
        assert!(multiset != "inconsistent" || between.verdict.name() == "inconsistent", "{name}");
    }
}
