//! Events per second of the machine in a straight run of one schedule. The aim is 20 million.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mazurka_engine::{Next, Program, Run, Step, TaskId};
use mazurka_lang::vm::VmRun;
use mazurka_lang::{Options, compile};
use std::hint::black_box;

const EVENTS: u64 = 100_000;

/// One thread that does `EVENTS` events with this body.
fn straight(criterion: &mut Criterion, name: &str, events_per_round: u64, body: &str) {
    let rounds = EVENTS / events_per_round;
    let text =
        format!("var x; var a[8]; mutex m; thread t {{ for i in 0..{rounds} {{ {body} }} }}");
    let program = compile("bench.ed", &text, &Options::default()).expect("the program is right");
    let mut run = program.start();
    let mut step = Step::default();
    let mut group = criterion.benchmark_group("vm");
    group.throughput(Throughput::Elements(EVENTS));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            to_the_end(&mut run, &mut step);
            assert_eq!(run.depth() as u64, EVENTS);
            run.rewind(0);
        });
    });
    group.finish();
}

fn to_the_end(run: &mut VmRun<'_>, step: &mut Step) {
    let task = TaskId(0);
    while let Next::Operation(operation) = run.next(task) {
        black_box(operation);
        step.clear();
        run.step(task, 0, step);
        black_box(&step.accesses);
    }
}

fn benches(criterion: &mut Criterion) {
    straight(criterion, "write", 1, "x = i;");
    straight(criterion, "increment", 2, "x = x + 1;");
    straight(criterion, "array", 2, "a[i % 8] = a[(i + 1) % 8] + i;");
    straight(criterion, "lock", 2, "with m { }");
    straight(criterion, "atomic", 1, "atomic { x = x + a[i % 8]; }");
}

criterion_group!(vm, benches);
criterion_main!(vm);
