//! How many executions an exploration will have in the end, while it goes on.
//!
//! Executions are the leaves of a tree: a node for each prefix, a branch for each event that is explored from it. The branches that wait are
//! expected to have as many leaves as those of the same node that are known, and a branch that is being explored as many as is expected of it in
//! turn. **Source**: Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975, whose probes are here
//! the branches that the depth-first exploration has made anyway. **Guarantee**: none. Reversals of races add branches while one explores, so early
//! estimates may be too low; and branches explored later may be smaller, because more of what they lead to has been explored. The spread says
//! how much the branches of a node differ, and no more. **Cost**: a few words for each event of the current execution; an estimate takes
//! one look at each.

/// What is expected of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Estimate {
    /// So many executions in the end.
    pub executions: u64,
    /// By how much that may be wrong, if the branches that wait are like those that are known (a standard deviation).
    pub spread: u64,
    /// What is certain: those so far, and one for each branch that waits and will be explored.
    pub least: u64,
    /// Is that all one knows? Then `executions` is a guess: most of it is about branches beside the first one of their prefix.
    pub is_guess: bool,
}

/// How many branches wait at a prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// Those that will be explored.
    pub certain: usize,
    /// Those that may turn out to be needless.
    pub perhaps: usize,
}

/// What is known of the branches from one prefix of the current execution.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// How many executions there were when the branch that is being explored began.
    begun: u64,
    /// How many branches have been explored, and the sum of their executions and of the squares of those.
    branches: f64,
    executions: f64,
    squares: f64,
}

/// Watches an exploration go down and back.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// One for each event of the current execution.
    levels: Vec<Level>,
}

/// With fewer executions nothing is known.
const FEW: u64 = 20;

impl Survey {
    /// An event has been performed, after so many executions.
    pub fn went_down(&mut self, executions: u64) {
        self.levels.push(Level { begun: executions, branches: 0.0, executions: 0.0, squares: 0.0 });
    }

    /// The exploration has gone back to a prefix of this length: the branch from there has been explored.
    pub fn went_back(&mut self, depth: usize, executions: u64) {
        self.levels.truncate(depth + 1);
        if let Some(level) = self.levels.get_mut(depth) {
            let found = (executions - level.begun) as f64;
            level.branches += 1.0;
            level.executions += found;
            level.squares += found * found;
        }
    }

    /// The next branch from the last prefix begins. (The level stays: it belongs to the prefix, not to the event.)
    pub fn went_down_again(&mut self, executions: u64) {
        if let Some(level) = self.levels.last_mut() {
            level.begun = executions;
        }
    }

    /// How many levels there are.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// What is expected, if behind an execution that has just ended so many branches wait at each prefix. Nothing at the very beginning.
    pub fn estimate(&self, waiting: &[Waiting], executions: u64) -> Option<Estimate> {
        if executions < FEW {
            return None;
        }
        let (mut expected, mut variance) = (1.0, 0.0);
        // How many executions are expected of branches that nothing is known of but the one being explored.
        let mut guessed = 0.0;
        for (depth, level) in self.levels.iter().enumerate().rev() {
            let waiting = waiting.get(depth).map_or(0, |it| it.certain + it.perhaps) as f64;
            let known = level.branches + 1.0;
            let sum = level.executions + expected;
            let mean = sum / known;
            let squares = level.squares + expected * expected;
            let between = if known > 1.0 {
                ((squares - sum * mean) / (known - 1.0)).max(0.0)
            } else {
                mean * mean
            };
            let weight = 1.0 + waiting / known;
            variance = variance * weight * weight + waiting * between * (1.0 + waiting / known);
            expected = sum + waiting * mean;
            guessed *= weight;
            if known == 1.0 {
                guessed += waiting * mean;
            }
        }
        let least = executions + waiting.iter().map(|it| it.certain as u64).sum::<u64>();
        Some(Estimate {
            executions: (expected.round() as u64).max(least),
            spread: variance.sqrt().round() as u64,
            least,
            is_guess: guessed > expected / 2.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Explores a tree whose node at each depth has so many branches, and asks after so many executions.
    fn uniform(branches: &[usize], ask_after: u64) -> Option<Estimate> {
        fn go(
            survey: &mut Survey,
            waiting: &mut Vec<Waiting>,
            branches: &[usize],
            executions: &mut u64,
            ask_after: u64,
        ) -> Option<Option<Estimate>> {
            let Some((&here, below)) = branches.split_first() else {
                *executions += 1;
                let asked = *executions == ask_after;
                return asked.then(|| survey.estimate(waiting, *executions));
            };
            let depth = waiting.len();
            for at in 0..here {
                match at {
                    0 => survey.went_down(*executions),
                    _ => survey.went_down_again(*executions),
                }
                waiting.push(Waiting { certain: here - at - 1, perhaps: 0 });
                let answer = go(survey, waiting, below, executions, ask_after);
                waiting.truncate(depth);
                if answer.is_some() {
                    return answer;
                }
                survey.went_back(depth, *executions);
            }
            None
        }
        go(&mut Survey::default(), &mut Vec::new(), branches, &mut 0, ask_after).flatten()
    }

    #[test]
    fn a_tree_whose_branches_are_alike_is_known_at_once() {
        for after in [20, 77, 5_000] {
            let estimate = uniform(&[8, 7, 6, 5, 4, 3, 2], after).expect("enough was seen");
            assert_eq!(estimate.executions, 40_320);
        }
    }

    #[test]
    fn little_is_known_at_the_beginning() {
        assert_eq!(uniform(&[8, 7, 6, 5], 19), None);
        assert!(uniform(&[100, 3, 3, 3], 20).expect("enough").is_guess);
        assert!(!uniform(&[100, 3, 3, 3], 2_000).expect("enough").is_guess);
    }

    #[test]
    fn branches_that_differ_spread_the_estimate() {
        let mut survey = Survey::default();
        survey.went_down(0);
        survey.went_back(0, 10);
        survey.went_down_again(10);
        survey.went_back(0, 110);
        survey.went_down_again(110);
        let estimate = survey.estimate(&[Waiting { certain: 5, perhaps: 2 }], 111).expect("enough");
        assert_eq!(
            estimate.executions, 370,
            "110 so far, one of a branch, and 37 for each that waits"
        );
        assert!(estimate.spread > 100, "{estimate:?}");
        assert_eq!(estimate.least, 116);
    }
}
