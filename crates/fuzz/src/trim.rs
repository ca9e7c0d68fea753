//! Taking statements away, without leaving dangling references behind.

use crate::description::{Body, Description, Statement, blocks, blocks_mut};
use crate::properties::is_well_formed;
use mazurka_engine::rng::Rng;

/// Drops a statement drawn at random; bodies with more statements lose one more often.
pub fn drop_random_statement(description: &mut Description, rng: &mut Rng) {
    let total = description.statement_count();
    debug_assert!(total > 0, "an empty description is small enough");
    let start = rng.below(total as u64) as usize;
    for offset in 0..total {
        let candidate = without_statement(description, (start + offset) % total);
        if is_well_formed(&candidate) {
            *description = candidate;
            return;
        }
    }
    // Unreachable for well-formed descriptions (their last statement can always go), but never loop on it.
    description.threads.iter_mut().for_each(Vec::clear);
}

/// The description without its `position`-th statement, counted outer before inner over all bodies. What was
/// inside it is gone with it.
pub fn without_statement(description: &Description, position: usize) -> Description {
    replace_statement(description, position, |_| Vec::new())
}

/// The description with its `position`-th statement replaced.
pub fn replace_statement(
    description: &Description,
    position: usize,
    replacement: impl FnOnce(Statement) -> Body,
) -> Description {
    let mut result = description.clone();
    let mut left = position;
    let mut replacement = Some(replacement);
    for body in result.bodies_mut() {
        if replace_in(body, &mut left, &mut replacement) {
            break;
        }
    }
    result
}

fn replace_in(
    body: &mut Body,
    left: &mut usize,
    replacement: &mut Option<impl FnOnce(Statement) -> Body>,
) -> bool {
    for at in 0..body.len() {
        if *left == 0 {
            if let Some(replacement) = replacement.take() {
                let old = body.remove(at);
                body.splice(at..at, replacement(old));
            }
            return true;
        }
        *left -= 1;
        for block in blocks_mut(&mut body[at]) {
            if replace_in(block, left, replacement) {
                return true;
            }
        }
    }
    false
}

/// The statement at a position, counted as in [`without_statement`].
pub fn statement_at(description: &Description, position: usize) -> Option<&Statement> {
    let mut left = position;
    description.bodies().find_map(|body| find_in(body, &mut left))
}

fn find_in<'a>(body: &'a Body, left: &mut usize) -> Option<&'a Statement> {
    for statement in body {
        if *left == 0 {
            return Some(statement);
        }
        *left -= 1;
        for block in blocks(statement) {
            if let Some(found) = find_in(block, left) {
                return Some(found);
            }
        }
    }
    None
}
