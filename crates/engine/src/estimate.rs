//! How many executions an exploration will have in the end, while it goes on.
//!
//! Executions are the leaves of a tree: a node for each prefix, a branch for each event that is explored from it. The branches that are
//! still to come are expected to have as many leaves as those of the same node that are known, and a branch that is being explored as many as is
//! expected of it in turn. **Source**: Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975,
//! whose probes are here the branches that the depth-first exploration has made anyway.
//!
//! **Deviation.** In Knuth's trees the branches of a node are there from the beginning. Here the reversal of races adds them while one explores,
//! most of them when the first branch is over, and some of what waits turns out to be needless. So nodes learn from others: the *height* of a node
//! is the number of nodes with several branches on the way from it to a leaf, and a node is expected to have as many branches as those of its
//! height that are over. Of heights that have not been reached yet more are expected, as much as each height had more than the one below.
//!
//! Such guesses multiply on the way up: where the first branch is still being explored at ten prefixes one below the other, small mistakes
//! become large ones. So each guess adds to a doubt (the variance of the logarithm of what is expected), and where other branches of a prefix are
//! over, the one that is being explored is taken to be like them, the more so the larger its own doubt.
//!
//! **Guarantee**: none. Nodes of one height need not be alike. The spread says how much the branches of a node differ, and no
//! more. **Cost**: a few words for each event of the current execution; an estimate takes one look at each.

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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Waiting {
    /// Those that will be explored.
    pub certain: usize,
    /// Those that may turn out to be needless.
    pub perhaps: usize,
}

/// What is known of the branches from one prefix of the current execution.
#[derive(Clone, Debug)]
struct Level {
    /// How many executions there were when the branch that is being explored began.
    begun: u64,
    /// Is there such a branch?
    is_open: bool,
    /// How many branches have been explored, and the sum of their executions and of the squares of those.
    branches: f64,
    executions: f64,
    squares: f64,
    /// The executions of the first one.
    first: f64,
    /// What waited when so many branches were over, where some of it waited perhaps.
    waited: Vec<(f64, Waiting)>,
    /// The largest height of what those lead to.
    height: usize,
}

impl Level {
    fn new(executions: u64) -> Self {
        Level {
            begun: executions,
            is_open: true,
            branches: 0.0,
            executions: 0.0,
            squares: 0.0,
            first: 0.0,
            waited: Vec::new(),
            height: 0,
        }
    }
}

/// The nodes of a height that are over, and how many branches they had.
#[derive(Clone, Copy, Debug, Default)]
struct Nodes {
    count: f64,
    branches: f64,
}

/// How often something came true.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    expected: f64,
    true_: f64,
}

impl Share {
    /// As long as nothing is known, all is expected to come true.
    fn rate(self) -> f64 {
        if self.expected > 0.0 { self.true_ / self.expected } else { 1.0 }
    }
}

/// Watches an exploration go down and back.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// One for each event of the current execution.
    levels: Vec<Level>,
    /// The nodes that are over, by their heights, from 1 on.
    heights: Vec<Nodes>,
    /// How much of what waits perhaps is explored, by logarithms: of many that wait at a node few are different. What waits when the first
    /// branch is over, and what still waits when others are.
    needed_first: Share,
    needed_later: Share,
    /// How large later branches are beside the first one.
    later: Share,
    /// The next estimate is made after so many executions.
    next: u64,
    /// The average of the logarithms of the last estimates.
    logarithm: Option<f64>,
}

/// With fewer executions nothing is known.
const FEW: u64 = 20;
/// There is an estimate whenever there are more executions by one part of so many.
const PAUSE: u64 = 16;
/// An estimate is the average of the last ones, about so many: what one place of the tree looks like is chance.
const MEMORY: f64 = 6.0;
/// The variance of the logarithms of the sizes of two branches of one prefix: they differ by a factor of 2.3 or so. (Chosen, as the two below, on the
/// programs of `mazurka-bench estimate` and smaller ones.)
const DIFFERENCE: f64 = 0.7;
/// Of branches that wait perhaps, at most so many times those are expected that prefixes of the same height have.
const MOST_PERHAPS: f64 = 2.0;
/// How much what waits counts beside what other prefixes of the same height had, where it is less, as more is still to be found, and
/// where it is more: the exponents of a geometric mean.
const WAITS_LESS: f64 = 0.2;
const WAITS_MORE: f64 = 0.6;

/// What is expected, as seen from one execution.
#[derive(Clone, Copy, Debug)]
struct View {
    executions: f64,
    variance: f64,
    /// How many of the executions are guessed.
    guessed: f64,
    /// How sure they are: the variance of their logarithm.
    doubt: f64,
}

impl Survey {
    /// An event has been performed, after so many executions.
    pub fn went_down(&mut self, executions: u64) {
        self.levels.push(Level::new(executions));
    }

    /// The exploration goes back to a prefix of this length: the branch from there has been explored, and so many wait.
    pub fn is_explored(&mut self, depth: usize, waiting: Waiting) {
        if let Some(level) = self.levels.get_mut(depth).filter(|_| waiting.perhaps > 0) {
            level.waited.push((level.branches + 1.0, waiting));
        }
    }

    /// The exploration has gone back to a prefix of this length.
    pub fn went_back(&mut self, depth: usize, executions: u64) {
        let mut height = 0;
        while self.levels.len() > depth + 1
            && let Some(level) = self.levels.pop()
        {
            height = self.is_over(level, height, executions);
        }
        if let Some(level) = self.levels.get_mut(depth) {
            level.end_branch(executions);
            level.height = level.height.max(height);
        }
    }

    /// A node is over whose last branch leads to something of this height. Returns its own height.
    fn is_over(&mut self, mut level: Level, height_below: usize, executions: u64) -> usize {
        level.end_branch(executions);
        let below = level.height.max(height_below);
        for &(branches, waiting) in &level.waited {
            let perhaps = waiting.perhaps as f64;
            let came = level.branches - branches;
            let needed = (came - waiting.certain as f64).clamp(0.0, perhaps);
            let share =
                if branches == 1.0 { &mut self.needed_first } else { &mut self.needed_later };
            share.expected += perhaps.ln_1p();
            share.true_ += needed.ln_1p();
        }
        if level.branches == 1.0 {
            return below;
        }
        self.later.expected += (level.branches - 1.0) * level.first;
        self.later.true_ += level.executions - level.first;
        if self.heights.len() <= below {
            self.heights.resize(below + 1, Nodes::default());
        }
        self.heights[below].count += 1.0;
        self.heights[below].branches += level.branches;
        below + 1
    }

    /// The next branch from the last prefix begins. (The level stays: it belongs to the prefix, not to the event.)
    pub fn went_down_again(&mut self, executions: u64) {
        if let Some(level) = self.levels.last_mut() {
            level.begun = executions;
            level.is_open = true;
        }
    }

    /// How many levels there are.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Is it time for another estimate?
    pub fn is_due(&self, executions: u64) -> bool {
        executions >= FEW.max(self.next)
    }

    /// What is expected, if behind an execution that has just ended so many branches wait at each prefix. Nothing at the very beginning.
    pub fn estimate(&mut self, waiting: &[Waiting], executions: u64) -> Option<Estimate> {
        if executions < FEW {
            return None;
        }
        self.next = executions + executions / PAUSE + 1;
        let now = self.look(waiting, executions);
        let logarithm = now.executions.max(1.0).ln();
        let before = self.logarithm.unwrap_or(logarithm);
        let average = before + (logarithm - before) / MEMORY;
        self.logarithm = Some(average);
        let expected = average.exp();
        let least = executions + waiting.iter().map(|it| it.certain as u64).sum::<u64>();
        Some(Estimate {
            executions: (expected.round() as u64).max(least),
            spread: (now.variance.sqrt() * expected / now.executions).round() as u64,
            least,
            is_guess: now.guessed > now.executions / 2.0,
        })
    }

    /// What is expected, as seen from here.
    fn look(&self, waiting: &[Waiting], executions: u64) -> View {
        let usual = Usual::of(&self.heights);
        let mut view = View { executions: 1.0, variance: 0.0, guessed: 0.0, doubt: 0.0 };
        let mut height = 0;
        for (depth, level) in self.levels.iter().enumerate().rev() {
            let waiting = waiting.get(depth).copied().unwrap_or_default();
            height = level.height.max(height);
            let to_come = self.to_come(level, waiting, usual.branches(height) - 1.0);
            if level.branches + to_come > 0.0 {
                height += 1;
            }
            if level.branches > 0.0 {
                view.compare_with_siblings(level, (executions - level.begun) as f64);
            }
            // Behind later branches less is left to explore; where they were larger, that was by chance.
            view.add_branches(level, to_come, self.later.rate().min(1.0));
        }
        view
    }

    /// How many branches are still to come at a prefix. `usual`: how many more than one others of its height have.
    fn to_come(&self, level: &Level, waiting: Waiting, usual: f64) -> f64 {
        let is_first = level.branches == 0.0;
        let share = if is_first { self.needed_first } else { self.needed_later };
        let perhaps = (waiting.perhaps as f64 + 1.0).powf(share.rate()) - 1.0;
        let certain = waiting.certain as f64;
        let promised = certain + perhaps.min(MOST_PERHAPS * usual);
        if !is_first || promised == 0.0 {
            return promised;
        }
        // While the first branch is explored, more are found.
        let weight = if promised < usual { WAITS_LESS } else { WAITS_MORE };
        (promised.powf(weight) * usual.powf(1.0 - weight)).max(certain)
    }
}

impl View {
    /// The branch that is being explored is one of several: it is expected to be like those that are over, as far as it is in doubt.
    /// `done`: its executions so far.
    fn compare_with_siblings(&mut self, level: &Level, done: f64) {
        if self.doubt == 0.0 {
            return;
        }
        let alike = (level.executions / level.branches).max(1.0);
        let difference = DIFFERENCE * (1.0 + 1.0 / level.branches);
        let both = difference + self.doubt;
        let logarithm = (self.executions.ln() * difference + alike.ln() * self.doubt) / both;
        self.executions = logarithm.exp().max(done).max(1.0);
        self.doubt = difference * self.doubt / both;
    }

    /// From what is expected of the branch that is being explored to what is expected of its prefix.
    fn add_branches(&mut self, level: &Level, to_come: f64, beside_first: f64) {
        let known = level.branches + 1.0;
        let is_first = known == 1.0;
        let own = self.executions;
        let sum = level.executions + own;
        let mean = sum / known * if is_first { beside_first } else { 1.0 };
        let squares = level.squares + own * own;
        let between =
            if is_first { mean * mean } else { ((squares - sum * mean) / (known - 1.0)).max(0.0) };
        let weight = 1.0 + to_come / known;
        self.variance = self.variance * weight * weight + to_come * between * weight;
        self.executions = sum + to_come * mean;
        self.guessed *= weight;
        let share = 1.0 - level.executions / self.executions;
        self.doubt *= share * share;
        if is_first {
            // Nothing is known of these branches: they may be as many times more or fewer.
            self.guessed += to_come * mean;
            self.doubt += (self.executions / own).ln().powi(2);
        }
    }
}

impl Level {
    /// The branch that is being explored, if there is one, is over.
    fn end_branch(&mut self, executions: u64) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        let found = (executions - self.begun) as f64;
        if self.branches == 0.0 {
            self.first = found;
        }
        self.branches += 1.0;
        self.executions += found;
        self.squares += found * found;
    }
}

/// How many branches a node of each height has: a line through what is known.
#[derive(Clone, Copy, Debug)]
struct Usual<'s> {
    heights: &'s [Nodes],
    mean_height: f64,
    mean_branches: f64,
    growth: f64,
}

impl<'s> Usual<'s> {
    /// The line nearest to the averages of all heights; those of more nodes count for more, by the root of their number, as their
    /// averages are surer by that.
    fn of(heights: &'s [Nodes]) -> Self {
        let known = || heights.iter().enumerate().filter(|(_, nodes)| nodes.count > 0.0);
        let weighted = |value: &dyn Fn(f64, f64) -> f64| -> f64 {
            known()
                .map(|(height, nodes)| {
                    nodes.count.sqrt() * value(height as f64, nodes.branches / nodes.count)
                })
                .sum()
        };
        // Where nothing is known the weight is 0, and the line is the least there can be.
        let weight = weighted(&|_, _| 1.0).max(f64::MIN_POSITIVE);
        let mean_height = weighted(&|height, _| height) / weight;
        let mean_branches = weighted(&|_, branches| branches) / weight;
        let squares = weighted(&|height, _| (height - mean_height).powi(2));
        let products =
            weighted(&|height, branches| (height - mean_height) * (branches - mean_branches));
        let growth = if squares > 0.0 { products / squares } else { 0.0 };
        Usual { heights, mean_height, mean_branches, growth }
    }

    /// How many branches a node has that stands on this height. What the line says counts as one node more.
    fn branches(&self, height: usize) -> f64 {
        let above = height as f64 - self.mean_height;
        let line = (self.mean_branches + self.growth * above).max(2.0);
        let known = self.heights.get(height).copied().unwrap_or_default();
        (known.branches + line) / (known.count + 1.0)
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

    /// Explores a tree in which, at each node, all branches but the first two are found when the first one is over.
    fn found_late(
        survey: &mut Survey,
        path: &mut Vec<Waiting>,
        branches: &[usize],
        executions: &mut u64,
        last: &mut Vec<u64>,
    ) {
        let Some((&here, below)) = branches.split_first() else {
            *executions += 1;
            if survey.is_due(*executions) {
                last.extend(survey.estimate(path, *executions).map(|it| it.executions));
            }
            return;
        };
        let depth = path.len();
        for at in 0..here {
            match at {
                0 => survey.went_down(*executions),
                _ => survey.went_down_again(*executions),
            }
            let found = if at == 0 { here.min(2) } else { here };
            path.push(Waiting { certain: found - at - 1, perhaps: 0 });
            found_late(survey, path, below, executions, last);
            path.truncate(depth);
            survey.is_explored(depth, Waiting { certain: here - at - 1, perhaps: 0 });
            survey.went_back(depth, *executions);
        }
    }

    #[test]
    fn branches_that_are_found_late_are_expected_from_what_others_had() {
        let (mut survey, mut estimates) = (Survey::default(), Vec::new());
        found_late(&mut survey, &mut Vec::new(), &[7, 6, 5, 4, 3, 2], &mut 0, &mut estimates);
        let after_a_tenth = estimates.len() * 2 / 3;
        assert!(
            estimates[after_a_tenth..].iter().all(|&it| (1_680..=15_120).contains(&it)),
            "5,040 within a factor of 3: {estimates:?}"
        );
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
