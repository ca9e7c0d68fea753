//! Going back gives the state that a replay from the start gives, on random programs under random schedules.

use crate::generate::{Random, program as random_program};
use crate::support::{Driver, program_with};
use mazurka_engine::{Fault, Next, ObjectId, Run, TaskId};
use mazurka_lang::{EdProgram, Options};

/// Everything that can be seen of a run.
#[derive(PartialEq, Debug)]
struct View {
    depth: usize,
    values: Vec<i64>,
    tasks: Vec<(TaskId, Next, String, String)>,
    enabled: Vec<TaskId>,
    finally: Vec<Fault>,
}

/// The objects of the random programs: x, y, a[2][2], m, k[2].
const OBJECTS: u32 = 9;

fn view(driver: &mut Driver<'_>) -> View {
    let finally = driver.run.finish();
    let tasks = driver.tasks().into_iter();
    View {
        depth: driver.run.depth(),
        values: (0..OBJECTS).map(|object| driver.run.value(ObjectId(object))).collect(),
        tasks: tasks
            .map(|task| {
                (
                    task,
                    driver.run.next(task),
                    driver.run.task_path(task),
                    driver.run.task_label(task),
                )
            })
            .collect(),
        enabled: driver.enabled(),
        finally,
    }
}

fn random_walk(driver: &mut Driver<'_>, random: &mut Random, most: usize) {
    for _ in 0..most {
        let enabled = driver.enabled();
        if enabled.is_empty() {
            return;
        }
        driver.step(enabled[random.below(enabled.len())]);
    }
}

/// The same moves again, from the start. Task numbers may differ in a new run, so moves go by path and so does
/// the comparison.
fn replay<'p>(program: &'p EdProgram, driver: &Driver<'_>) -> Driver<'p> {
    let mut again = Driver::new(program);
    for (task, step) in &driver.history {
        let path = driver.run.task_path(*task);
        let same = again
            .tasks()
            .into_iter()
            .find(|task| again.run.task_path(*task) == path)
            .expect("the same task exists");
        let replayed = again.step(same);
        assert_eq!(replayed.accesses, step.accesses);
        assert_eq!(replayed.faults, step.faults);
        assert_eq!(replayed.location, step.location);
    }
    again
}

/// Leaves out task numbers, which depend on what a run has seen before.
fn without_numbers(view: View) -> impl PartialEq + std::fmt::Debug {
    let tasks: Vec<_> = view
        .tasks
        .into_iter()
        .map(|(_, next, path, label)| {
            let next = match next {
                Next::Operation(mazurka_engine::Operation::Join(_)) => "join".to_owned(),
                next => format!("{next:?}"),
            };
            (next, path, label)
        })
        .collect();
    // A mutex shows the number of its holder.
    let values: Vec<i64> = view.values.iter().take(6).copied().collect();
    let held: Vec<bool> = view.values.iter().skip(6).map(|holder| *holder != 0).collect();
    (view.depth, values, held, tasks, view.enabled.len(), view.finally)
}

#[test]
fn rewind_is_replay() {
    let mut longest = 0;
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let text = random_program(&mut random);
        let program = program_with(&text, &Options { unroll: 5, ..Options::default() });
        let mut driver = Driver::new(&program);
        for _ in 0..4 {
            random_walk(&mut driver, &mut random, 50);
            longest = longest.max(driver.run.depth());
            let back = random.below(driver.run.depth() + 1);
            driver.rewind(back);
            let after = view(&mut driver);
            let mut again = replay(&program, &driver);
            let expected = view(&mut again);
            assert_eq!(
                without_numbers(after),
                without_numbers(expected),
                "seed {seed}, back to {back}\n{text}"
            );
        }
    }
    assert!(longest > 40, "the programs are too short to say anything: {longest}");
}

#[test]
fn every_earlier_state_comes_back_exactly() {
    for seed in 1000..1060 {
        let mut random = Random::new(seed);
        let text = random_program(&mut random);
        let program = program_with(&text, &Options { unroll: 5, ..Options::default() });
        let mut driver = Driver::new(&program);
        let mut views = vec![view(&mut driver)];
        while views.len() < 60 {
            let before = driver.run.depth();
            random_walk(&mut driver, &mut random, 1);
            if driver.run.depth() == before {
                break;
            }
            views.push(view(&mut driver));
        }
        while let Some(expected) = views.pop() {
            driver.rewind(views.len());
            assert_eq!(view(&mut driver), expected, "seed {seed}\n{text}");
        }
    }
}
