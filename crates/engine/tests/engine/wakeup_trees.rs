//! What is put into a wakeup tree comes out again, and what a branch covers is not put in.

use crate::script::{Line, Script};
use mazurka_engine::execution::Execution;
use mazurka_engine::reversal::{Last, Reversal};
use mazurka_engine::touch::Dependence;
use mazurka_engine::wakeup::{Explored, WakeupTree};
use mazurka_engine::{Mode, Program, Run, Step, TaskId};
use smallvec::SmallVec;

const WRITE_X: Line = Line::Access(0, Mode::Write);
const READ_X: Line = Line::Access(0, Mode::Read);
const WRITE_Y: Line = Line::Access(1, Mode::Write);

/// The execution in which these threads move, in this order.
fn execution(script: &Script, moves: &[u32]) -> Execution {
    let (mut run, mut execution) = (script.start(), Execution::new(Dependence::Conflicts));
    for &thread in moves {
        let mut step = Step::default();
        run.step(TaskId(thread), 0, &mut step);
        execution.push(&run, TaskId(thread), 0, &step, &[]);
    }
    execution
}

/// The sequence that performs `second` without `first` and what happens after that.
fn reversal(execution: &Execution, first: usize, second: usize) -> Reversal<'_> {
    let last = Last::performed(execution, second).without(execution, first);
    Reversal::new(execution, execution.unaffected_behind(first), last)
}

fn first_tasks(tree: &WakeupTree) -> Vec<u32> {
    tree.branches.iter().map(|branch| branch.event.task.0).collect()
}

#[test]
fn a_sequence_is_inserted_once() {
    let script = Script::of_threads(&[&[WRITE_X], &[WRITE_X], &[READ_X]]);
    let execution = execution(&script, &[0, 1, 2]);
    let mut tree = WakeupTree::default();
    assert!(tree.insert(reversal(&execution, 0, 1)));
    assert!(!tree.insert(reversal(&execution, 0, 1)));
    assert_eq!(first_tasks(&tree), [1]);
}

#[test]
fn sequences_that_conflict_are_branches_of_their_own() {
    let script = Script::of_threads(&[&[WRITE_X], &[WRITE_X], &[READ_X]]);
    let one = execution(&script, &[0, 1, 2]);
    let other = execution(&script, &[0, 2, 1]);
    let mut tree = WakeupTree::default();
    assert!(tree.insert(reversal(&one, 0, 1)));
    assert!(tree.insert(reversal(&other, 0, 1)));
    assert_eq!(first_tasks(&tree), [1, 2]);
    let first = tree.branches.remove(0);
    assert_eq!((first.event.task, first_tasks(&tree)), (TaskId(1), vec![2]));
    assert!(first.tree.branches.is_empty(), "nothing follows the only event of a sequence");
}

#[test]
fn what_a_branch_does_not_disturb_is_covered_by_it() {
    let script = Script::of_threads(&[&[WRITE_X, WRITE_Y], &[WRITE_X], &[WRITE_Y]]);
    // The reads and writes of x first, then those of y.
    let execution = execution(&script, &[0, 1, 0, 2]);
    let mut tree = WakeupTree::default();
    assert!(tree.insert(reversal(&execution, 0, 1)));
    // Thread 2 writes y without thread 0: a run that begins with thread 1 can still do so.
    let last = Last::performed(&execution, 3).without(&execution, 0);
    assert!(!tree.insert(Reversal::new(&execution, execution.unaffected_behind(0), last)));
}

#[test]
fn a_long_sequence_comes_out_in_its_order() {
    let script = Script::of_threads(&[&[WRITE_X], &[WRITE_Y, WRITE_Y, WRITE_X]]);
    let execution = execution(&script, &[0, 1, 1, 1]);
    let mut tree = WakeupTree::default();
    assert!(tree.insert(reversal(&execution, 0, 3)));
    let mut length = 0;
    while let Some(first) = tree.branches.pop() {
        assert_eq!((first.event.task, tree.branches.len()), (TaskId(1), 0));
        tree = first.tree;
        length += 1;
    }
    assert_eq!(length, 3);
}

#[test]
fn a_weak_initial_neither_conflicts_nor_picks_another_alternative() {
    let script = Script::of_threads(&[&[WRITE_X], &[WRITE_X], &[READ_X], &[WRITE_Y]]);
    let execution = execution(&script, &[0, 1, 2, 3]);
    let mut sequence = reversal(&execution, 0, 1);
    sequence.keep_past_of_last();
    let explored = |event: usize, choice| Explored {
        task: execution.events()[event].task,
        choice,
        touches: SmallVec::from_slice(execution.touches(event)),
    };
    assert!(explored(1, 0).is_weak_initial(&sequence), "it is the sequence");
    assert!(!explored(1, 1).is_weak_initial(&sequence), "another alternative");
    assert!(!explored(2, 0).is_weak_initial(&sequence), "a read of what is written");
    assert!(explored(3, 0).is_weak_initial(&sequence), "something else");
    assert!(!explored(3, 0).is_initial(&sequence), "something else is no part of it");
}
