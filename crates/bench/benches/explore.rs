//! Whole explorations of the papers' programs.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mazurka_bench::programs;
use mazurka_engine::{Algorithm, Config, explore};
use std::hint::black_box;
use std::time::Duration;

/// Programs, their `n` and their numbers of executions.
const PROGRAMS: [(&str, i64, u64); 4] =
    [("posters", 4, 2520), ("buyers", 6, 720), ("ping-pong", 6, 3276), ("writers", 6, 720)];

fn explore_programs(criterion: &mut Criterion) {
    for algorithm in [Algorithm::Event, Algorithm::Optimal] {
        let mut group = criterion.benchmark_group(algorithm.name());
        group.sample_size(10).measurement_time(Duration::from_secs(3));
        for (name, n, executions) in PROGRAMS {
            let params = [("n".to_owned(), n)];
            let program = programs::load(&format!("event-dpor/{name}"), &params)
                .expect("the program compiles");
            group.throughput(Throughput::Elements(executions));
            let config = Config::new(algorithm);
            group.bench_function(format!("{name}({n})"), |bencher| {
                bencher.iter(|| explore(black_box(&program), &config, &mut ()));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, explore_programs);
criterion_main!(benches);
