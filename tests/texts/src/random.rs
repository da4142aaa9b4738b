//! A random choice that can be repeated.

/// A small generator of pseudo-random numbers, the same everywhere.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The numbers of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number, below `end`; 0 where nothing is below it.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % end.max(1) as u64) as usize
    }
}

/// The number that a variable of the environment holds: more rounds, or another seed, on request.
#[must_use]
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}
