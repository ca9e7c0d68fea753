//! How long reading and solving take: instances from files, and order problems of the size that the engine asks about.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use mazurka_consistency::order::{Message, OrderProblem};
use mazurka_consistency::{Limits, Policy, Solver, check, read};
use std::hint::black_box;
use std::time::Duration;

const INSTANCES: [&str; 7] = [
    "Buyers8_fifo.json",
    "ChangRoberts8_ms.json",
    "Consensus8_ms.json",
    "Counting8_ms.json",
    "MessageLoop4_ms.json",
    "red_chain8.json",
    "alike_100000_140_dep0.json.gz",
];

fn instances(criterion: &mut Criterion) {
    for name in INSTANCES {
        let path = format!("{}/tests/data/instances/{name}", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).expect("an instance");
        let trace = read::read(&bytes[..], read::DEFAULT_LIMIT).expect("a trace");
        criterion.bench_with_input(BenchmarkId::new("read", name), &bytes, |bencher, bytes| {
            bencher.iter(|| read::read(black_box(&bytes[..]), read::DEFAULT_LIMIT));
        });
        for policy in Policy::ALL {
            criterion.bench_with_input(
                BenchmarkId::new(policy.name(), name),
                &trace,
                |bencher, trace| {
                    bencher
                        .iter(|| check(black_box(trace), policy, Solver::Sat, &Limits::default()));
                },
            );
        }
    }
}

/// Messages of four nodes on four handlers, each posted by the one before or by one of two threads; some nodes of one
/// handler come before nodes of the next.
fn build(problem: &mut OrderProblem, nodes: u32, policy: Policy) {
    problem.reset(nodes as usize);
    let groups: Vec<u32> = (0..4).map(|_| problem.group(policy)).collect();
    let threads = nodes / 5;
    let mut free: Vec<u32> = (0..threads).collect();
    for thread in 0..2 {
        for node in (thread + 2..threads).step_by(2) {
            problem.edge(node - 2, node);
        }
    }
    for (index, get) in (threads..nodes - 3).step_by(4).enumerate() {
        problem.edge(get, get + 1);
        problem.edge(get + 1, get + 2);
        problem.edge(get + 2, get + 3);
        let post = if index % 3 == 0 { free.pop() } else { Some(get - 2) };
        problem.message(Message { post, ..Message::complete(groups[index % 4], get, get + 3) });
        if index % 5 == 4 {
            problem.edge(get - 6, get + 1);
        }
    }
}

fn order_problems(criterion: &mut Criterion) {
    let mut problem = OrderProblem::new();
    for policy in [Policy::Fifo, Policy::Multiset] {
        for nodes in [20, 50, 100, 200] {
            let id = BenchmarkId::new(format!("order-{policy}"), nodes);
            criterion.bench_with_input(id, &nodes, |bencher, &nodes| {
                bencher.iter(|| {
                    build(&mut problem, nodes, policy);
                    problem.solve(&Limits::default())
                });
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600)).sample_size(10);
    targets = order_problems, instances
}
criterion_main!(benches);
