//! Helpers shared by the tests.

pub mod brute;

/// A small generator of pseudo-random numbers (xorshift64*), so that a seed is all a failure needs.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 33) as usize) % bound
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            items.swap(index, self.below(index + 1));
        }
    }
}

/// Is this graph free of cycles? By removing sources, as simply as can be.
pub fn acyclic(nodes: usize, edges: &[(u32, u32)]) -> bool {
    let mut incoming = vec![0; nodes];
    for &(_, to) in edges {
        incoming[to as usize] += 1;
    }
    let mut sources: Vec<usize> = (0..nodes).filter(|&node| incoming[node] == 0).collect();
    let mut removed = 0;
    while let Some(node) = sources.pop() {
        removed += 1;
        for &(from, to) in edges {
            if from as usize == node {
                incoming[to as usize] -= 1;
                if incoming[to as usize] == 0 {
                    sources.push(to as usize);
                }
            }
        }
    }
    removed == nodes
}

/// Calls `visit` with every way to order every list; stops when it returns true, and tells whether it did.
pub fn all_orders(lists: &mut Vec<Vec<u32>>, visit: &mut dyn FnMut(&[Vec<u32>]) -> bool) -> bool {
    permute(lists, 0, 0, visit)
}

fn permute(
    lists: &mut Vec<Vec<u32>>,
    list: usize,
    at: usize,
    visit: &mut dyn FnMut(&[Vec<u32>]) -> bool,
) -> bool {
    if list == lists.len() {
        return visit(lists);
    }
    if at >= lists[list].len() {
        return permute(lists, list + 1, 0, visit);
    }
    for other in at..lists[list].len() {
        lists[list].swap(at, other);
        if permute(lists, list, at + 1, visit) {
            return true;
        }
        lists[list].swap(at, other);
    }
    false
}
