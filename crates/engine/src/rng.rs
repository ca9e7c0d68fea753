//! A small random number generator whose sequence is the same on every machine.
//!
//! SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): one word of state, passes BigCrush, and trivially
//! portable. Sampling schedules needs no more, and a dependency could change its sequence.

/// The generator.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Seeded.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform below `bound`, without bias (Lemire's method).
    pub fn below(&mut self, bound: u64) -> u64 {
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            if product as u64 >= bound.wrapping_neg() % bound {
                return (product >> 64) as u64;
            }
        }
    }
}
