//! The litmus families with their known verdicts. The table is the one of the manual (`docs/src/weak-memory.md`).

use crate::axioms;
use crate::program::{Graph, Line, Op, Threads};
use mazurka::Algorithm;
use mazurka::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

/// A family, the threads, what is asked for, and whether it may happen. A thread's operations are `x = 1 rel` (a store), `x acq` (a load), `x := 1 ar` (a swap) and `fence sc`;
/// what is asked for is what each thread reads, and in which order an atomic is stored to.
const TABLE: &[(&str, &str, &str, bool)] = &[
    ("MP", "x = 1 rlx, y = 2 rlx ‖ y acq, x rlx", "‖ 2 0", true),
    ("MP", "x = 1 rlx, y = 2 rel ‖ y rlx, x rlx", "‖ 2 0", true),
    ("MP", "x = 1 rlx, y = 2 rel ‖ y acq, x rlx", "‖ 2 0", false),
    ("MP", "x = 1 rlx, y = 2 sc ‖ y sc, x rlx", "‖ 2 0", false),
    ("MP, fences", "x = 1 rlx, fence rel, y = 2 rlx ‖ y rlx, fence acq, x rlx", "‖ 2 0", false),
    ("MP, fences", "x = 1 rlx, fence rel, y = 2 rlx ‖ y rlx, x rlx", "‖ 2 0", true),
    ("MP, fences", "x = 1 rlx, y = 2 rlx ‖ y rlx, fence acq, x rlx", "‖ 2 0", true),
    ("MP, fences", "x = 1 rlx, fence acq, y = 2 rlx ‖ y rlx, fence rel, x rlx", "‖ 2 0", true),
    ("SB", "x = 1 rlx, y rlx ‖ y = 2 rlx, x rlx", "0 ‖ 0", true),
    ("SB", "x = 1 rel, y acq ‖ y = 2 rel, x acq", "0 ‖ 0", true),
    ("SB", "x = 1 sc, y sc ‖ y = 2 sc, x sc", "0 ‖ 0", false),
    ("SB", "x = 1 sc, y sc ‖ y = 2 sc, x acq", "0 ‖ 0", true),
    ("SB, fences", "x = 1 rlx, fence sc, y rlx ‖ y = 2 rlx, fence sc, x rlx", "0 ‖ 0", false),
    ("SB, fences", "x = 1 rlx, fence ar, y rlx ‖ y = 2 rlx, fence ar, x rlx", "0 ‖ 0", true),
    ("SB, fences", "x = 1 rlx, fence sc, y rlx ‖ y = 2 rlx, x rlx", "0 ‖ 0", true),
    ("SB, swaps", "x := 1 ar, y acq ‖ y := 2 ar, x acq", "0 0 ‖ 0 0", true),
    ("LB", "x rlx, y = 2 rlx ‖ y rlx, x = 1 rlx", "1 ‖ 2", false),
    ("IRIW", "x = 1 rel ‖ y = 2 rel ‖ x acq, y acq ‖ y acq, x acq", "‖ ‖ 1 0 ‖ 2 0", true),
    ("IRIW", "x = 1 sc ‖ y = 2 sc ‖ x sc, y sc ‖ y sc, x sc", "‖ ‖ 1 0 ‖ 2 0", false),
    ("IRIW", "x = 1 sc ‖ y = 2 sc ‖ x acq, y sc ‖ y acq, x sc", "‖ ‖ 1 0 ‖ 2 0", true),
    (
        "IRIW, fences",
        "x = 1 rlx ‖ y = 2 rlx ‖ x rlx, fence sc, y rlx ‖ y rlx, fence sc, x rlx",
        "‖ ‖ 1 0 ‖ 2 0",
        false,
    ),
    ("2+2W", "x = 1 rlx, y = 2 rlx ‖ y = 3 rlx, x = 4 rlx", "x 4 1, y 2 3", true),
    ("2+2W", "x = 1 rel, y = 2 rel ‖ y = 3 rel, x = 4 rel", "x 4 1, y 2 3", true),
    ("2+2W", "x = 1 sc, y = 2 sc ‖ y = 3 sc, x = 4 sc", "x 4 1, y 2 3", false),
    (
        "2+2W, fences",
        "x = 1 rlx, fence sc, y = 2 rlx ‖ y = 3 rlx, fence sc, x = 4 rlx",
        "x 4 1, y 2 3",
        false,
    ),
    ("CoRR", "x = 1 rlx ‖ x rlx, x rlx", "‖ 1 0", false),
    ("CoRR", "x = 1 rlx ‖ x = 2 rlx ‖ x rlx, x rlx ‖ x rlx, x rlx", "‖ ‖ 1 2 ‖ 2 1", false),
    ("CoWR", "x = 1 rlx, x rlx ‖ x = 2 rlx", "2 ‖, x 2 1", false),
    ("CoRW", "x rlx, x = 1 rlx ‖ x = 2 rlx", "2 ‖, x 1 2", false),
    ("CoWW", "x = 1 rlx, x = 2 rlx", "x 2 1", false),
    ("WRC", "x = 1 rlx ‖ x rlx, y = 2 rlx ‖ y rlx, x rlx", "‖ 1 ‖ 2 0", true),
    ("WRC", "x = 1 rlx ‖ x rlx, y = 2 rel ‖ y acq, x rlx", "‖ 1 ‖ 2 0", false),
    ("WRC", "x = 1 rel ‖ x acq, y = 2 rlx ‖ y acq, x rlx", "‖ 1 ‖ 2 0", true),
    ("RWC", "x = 1 rel ‖ x acq, y acq ‖ y = 2 rel, x acq", "‖ 1 0 ‖ 0", true),
    ("RWC", "x = 1 sc ‖ x sc, y sc ‖ y = 2 sc, x sc", "‖ 1 0 ‖ 0", false),
    ("ISA2", "x = 1 rlx, y = 2 rel ‖ y acq, z = 3 rel ‖ z acq, x rlx", "‖ 2 ‖ 3 0", false),
    ("ISA2", "x = 1 rlx, y = 2 rlx ‖ y acq, z = 3 rel ‖ z acq, x rlx", "‖ 2 ‖ 3 0", true),
    ("ISA2", "x = 1 rlx, y = 2 rel ‖ y acq, z = 3 rlx ‖ z acq, x rlx", "‖ 2 ‖ 3 0", true),
    ("R", "x = 1 rel, y = 2 rel ‖ y = 3 rel, x acq", "‖ 0, y 2 3", true),
    ("R", "x = 1 sc, y = 2 sc ‖ y = 3 sc, x sc", "‖ 0, y 2 3", false),
    (
        "R, fences",
        "x = 1 rlx, fence sc, y = 2 rlx ‖ y = 3 rlx, fence sc, x rlx",
        "‖ 0, y 2 3",
        false,
    ),
    ("S", "x = 1 rlx, y = 2 rlx ‖ y rlx, x = 3 rlx", "‖ 2, x 3 1", true),
    ("S", "x = 1 rlx, y = 2 rel ‖ y acq, x = 3 rlx", "‖ 2, x 3 1", false),
    ("release sequence", "x = 1 rlx, y = 2 rel ‖ y := 3 rlx ‖ y acq, x rlx", "‖ 2 ‖ 3 0", false),
    ("release sequence", "x = 1 rlx, y = 2 rel ‖ y = 3 rlx ‖ y acq, x rlx", "‖ ‖ 3 0, y 2 3", true),
    ("release sequence", "x = 1 rlx, y = 2 rel, y = 3 rlx ‖ y acq, x rlx", "‖ 3 0", true),
    (
        "release sequence",
        "x = 1 rlx, fence rel, y = 2 rlx ‖ y := 3 rlx ‖ y rlx, fence acq, x rlx",
        "‖ 2 ‖ 3 0",
        false,
    ),
    ("swaps", "x := 1 rlx ‖ x := 2 rlx", "0 ‖ 0", false),
];

fn atomic(name: &str) -> usize {
    ["x", "y", "z"].iter().position(|it| *it == name).expect("an atomic")
}

fn order(name: &str) -> Ordering {
    match name {
        "rlx" => Relaxed,
        "acq" => Acquire,
        "rel" => Release,
        "ar" => AcqRel,
        "sc" => SeqCst,
        _ => panic!("an ordering: {name}"),
    }
}

fn line(text: &str) -> Line {
    let words: Vec<&str> = text.split_whitespace().collect();
    let op = match words[..] {
        ["fence", of] => Op::Fence(order(of)),
        [name, of] => Op::Load(atomic(name), order(of)),
        [name, "=", value, of] => Op::Store(atomic(name), value.parse().unwrap(), order(of)),
        [name, ":=", value, of] => Op::Swap(atomic(name), value.parse().unwrap(), order(of)),
        _ => panic!("an operation: {text}"),
    };
    op.into()
}

fn threads(text: &str) -> Threads {
    Threads(text.split('‖').map(|lines| lines.split(',').map(line).collect()).collect())
}

/// Is this graph what is asked for?
fn shows(graph: &Graph, asked: &str) -> bool {
    asked.split(',').all(|part| {
        let words: Vec<&str> = part.split_whitespace().collect();
        match words.first() {
            Some(&("x" | "y" | "z")) => {
                let order: Vec<i64> = words[1..].iter().map(|it| it.parse().unwrap()).collect();
                graph.orders.contains(&order)
            }
            _ => {
                let reads: Vec<Vec<u32>> = part
                    .split('‖')
                    .map(|own| own.split_whitespace().map(|it| it.parse().unwrap()).collect())
                    .collect();
                let asked_of_all = reads.iter().zip(&graph.reads);
                reads.len() == graph.reads.len()
                    && asked_of_all
                        .into_iter()
                        .all(|(asked, read)| asked.is_empty() || asked == read)
            }
        }
    })
}

#[test]
fn every_verdict_is_right() {
    for (family, program, asked, allowed) in TABLE {
        let threads = threads(program);
        let (judged, _) = axioms::graphs(&threads);
        let by_judge = judged.iter().any(|graph| shows(graph, asked));
        assert_eq!(by_judge, *allowed, "the axioms, {family}: {program}");
        for algorithm in [Algorithm::Event, Algorithm::Optimal] {
            let (shown, outcome) = threads.explore(algorithm);
            assert!(outcome.is_complete() && outcome.failures.is_empty(), "{outcome:?}");
            if shown.is_empty() {
                // Everything is SeqCst.
                assert!(!allowed, "{family}: {program}");
                assert_eq!(outcome.executions, judged.len() as u64, "{family}: {program}");
                continue;
            }
            let is_shown = shown.iter().any(|graph| shows(graph, asked));
            assert_eq!(is_shown, *allowed, "{}, {family}: {program}", algorithm.name());
            assert_eq!(shown, judged, "{}, {family}: {program}", algorithm.name());
        }
    }
}

#[test]
fn the_manual_has_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/weak-memory.md");
    let page = std::fs::read_to_string(path).expect("the manual has a page on weak memory");
    let head = "| family | threads | reads, orders of stores | may happen |\n|---|---|---|---|\n";
    let rows = TABLE.iter().map(|(family, program, asked, allowed)| {
        let verdict = if *allowed { "yes" } else { "no" };
        format!("| {family} | `{program}` | `{asked}` | {verdict} |\n")
    });
    let table = format!("{head}{}", rows.collect::<String>());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let (before, behind) = page.split_once("| family |").expect("a table");
        let behind = behind.split_once("\n\n").map_or("", |(_, behind)| behind);
        std::fs::write(path, format!("{before}{table}\n{behind}")).expect("the page");
        return;
    }
    assert!(page.contains(&table), "UPDATE_EXPECT=1 writes the table into {path}:\n{table}");
}
