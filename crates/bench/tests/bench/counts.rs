//! The counts of `programs/event-dpor/expected.tsv`: the programs have them, and the algorithms explore them.

use mazurka_bench::counter::{MessageOrder, count_classes};
use mazurka_bench::expected::{self, Row};
use mazurka_bench::measure::{self, Request};
use mazurka_bench::programs;
use mazurka_engine::{Algorithm, Outcome};

/// More executions than this take too long in an ordinary test run.
const MAX_EXECUTIONS: u64 = 30_000;
/// More prefixes than this are not searched in an ordinary test run.
const MAX_PREFIXES: usize = 6_000;

fn rows() -> Vec<Row> {
    let text = programs::expected_counts().expect("the table is there");
    let rows = expected::parse(&text).expect("the table is well formed");
    rows.into_iter().filter(|row| row.test).collect()
}

fn explore(row: &Row, algorithm: Algorithm, max_executions: Option<u64>) -> Outcome {
    let request = Request {
        program: format!("event-dpor/{}", row.program),
        params: row.params.clone(),
        algorithm,
        timeout: None,
        max_executions,
    };
    measure::run(&request, true).expect("the program compiles")
}

/// Every row with a known and not too large count: what the algorithm explores is what the table says, no
/// trace twice, nothing in vain.
fn check_algorithm(algorithm: Algorithm) {
    let mut checked = 0;
    for row in rows() {
        let Some(expected) = row.executions(algorithm).filter(|&e| e <= MAX_EXECUTIONS) else {
            continue;
        };
        let outcome = explore(&row, algorithm, None);
        let (numbers, classes) = (outcome.statistics, outcome.classes.expect("asked for"));
        let distinct = match algorithm {
            Algorithm::Event => classes.complete,
            _ => classes.ordered,
        };
        let label = row.label();
        assert!(outcome.complete, "{label} was not explored to its end");
        assert_eq!(outcome.failures, [], "{label} has a failure");
        assert_eq!(numbers.executions, expected, "{label}: executions");
        assert_eq!(numbers.blocked, row.blocked, "{label}: blocked");
        assert_eq!(numbers.redundant, 0, "{label}: redundant");
        assert_eq!(distinct, expected, "{label}: classes");
        checked += 1;
    }
    assert!(checked > 20, "only {checked} rows were checked");
}

#[test]
fn optimal_explores_as_many_as_the_table_says() {
    check_algorithm(Algorithm::Optimal);
}

#[test]
fn event_explores_as_many_as_the_table_says() {
    check_algorithm(Algorithm::Event);
}

#[test]
fn the_programs_have_as_many_classes_as_the_table_says() {
    let mut checked = 0;
    for row in rows() {
        let program = programs::load(&format!("event-dpor/{}", row.program), &row.params)
            .expect("the program compiles");
        let label = row.label();
        if let Some(classes) = count_classes(&program, MessageOrder::DoesNotCount, MAX_PREFIXES) {
            assert_eq!(Some(classes.complete), row.event, "{label}: classes");
            assert_eq!(classes.blocked, row.blocked, "{label}: blocked classes");
            checked += 1;
        }
        let too_many = row.optimal.is_none_or(|ordered| ordered > MAX_EXECUTIONS);
        if too_many {
            continue;
        }
        if let Some(classes) = count_classes(&program, MessageOrder::Counts, MAX_PREFIXES) {
            assert_eq!(Some(classes.complete), row.event, "{label}: classes");
            assert_eq!(Some(classes.ordered), row.optimal, "{label}: ordered");
            checked += 1;
        }
    }
    assert!(checked > 30, "only {checked} counts were checked");
}

/// The class counter is a judge of programs that the oracle cannot finish; here it is judged itself.
#[test]
fn the_class_counter_agrees_with_the_oracle() {
    let small = [
        ("fig1", ""),
        ("fig2a", ""),
        ("fig2b", ""),
        ("fig3", ""),
        ("fig5", ""),
        ("writers", "n=3"),
        ("posters", "n=2"),
        ("2PC", "n=1"),
        ("2PC", "n=2"),
        ("buyers", "n=2"),
        ("ping-pong", "n=2"),
        ("prolific", "n=2"),
        ("db-cache", "n=1"),
        ("plb", "n=3"),
        ("lastwrite", "n=3"),
        ("lastzero", "n=3"),
        ("floating-read", "n=4"),
    ];
    for (program, params) in small {
        let row = Row {
            program: program.to_owned(),
            params: expected::parse_params(params).expect("parameters"),
            optimal: None,
            event: None,
            blocked: 0,
            test: true,
            note: String::new(),
        };
        let outcome = explore(&row, Algorithm::Naive, Some(100_000));
        assert!(outcome.complete, "{} is too large", row.label());
        let program = programs::load(&format!("event-dpor/{program}"), &row.params)
            .expect("the program compiles");
        let counted = count_classes(&program, MessageOrder::Counts, usize::MAX);
        assert_eq!(counted, outcome.classes, "{}", row.label());
        let unordered = count_classes(&program, MessageOrder::DoesNotCount, usize::MAX);
        assert_eq!(
            unordered.map(|counts| counts.complete),
            outcome.classes.map(|counts| counts.complete),
            "{}",
            row.label()
        );
    }
}

#[test]
fn the_consistency_programs_have_no_failures() {
    for name in ["Buyers", "ChangRoberts", "Consensus", "Counting", "MessageLoop", "SparseMat"] {
        let request = Request {
            program: format!("consistency/{name}"),
            params: vec![("n".to_owned(), 4)],
            algorithm: Algorithm::Random,
            timeout: None,
            max_executions: Some(200),
        };
        let outcome = measure::run(&request, false).expect("the program compiles");
        assert_eq!(outcome.failures, [], "{name}");
        assert_eq!(outcome.statistics.executions, 200, "{name}");
    }
}
