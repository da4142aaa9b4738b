//! Random numbers for sampling.
//!
//! The generator is SplitMix64: the state grows by a constant, and a number is the state mixed by two multiplications.
//! The same seed gives the same schedule on every machine.

/// A source of random numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Random(u64);

impl Random {
    /// A source that gives the same numbers for the same seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to a bound, without it; 0 if the bound is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        // The upper half of the product is uniform up to a part of 2^64 / bound.
        let product = u128::from(self.next()) * (bound as u128);
        (product >> 64) as usize
    }

    /// A position with a probability in proportion to its weight; `None` if no weight is positive.
    pub(crate) fn weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let total: f64 = weights.iter().sum();
        let mut rest = (self.next() >> 11) as f64 / (1u64 << 53) as f64 * total;
        let mut last = None;
        for (at, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            last = Some(at);
            if rest < *weight {
                break;
            }
            rest -= weight;
        }
        last
    }

    /// Numbers that multiply to a product of powers of primes: all such lists of this length have the same probability.
    pub(crate) fn factors(&mut self, powers: &[(i64, usize)], count: usize) -> Vec<i64> {
        let mut factors = vec![1i64; count];
        for (prime, power) in powers {
            self.distribute(*prime, *power, &mut factors);
        }
        factors
    }

    /// Multiplies factors by a power of a prime number, its parts distributed at random: of the slots in a row for all parts
    /// and all borders between factors, each choice of borders is as likely as any other.
    fn distribute(&mut self, prime: i64, power: usize, factors: &mut [i64]) {
        let mut borders = factors.len().saturating_sub(1);
        let (mut slots, mut parts) = (power + borders, power);
        let mut at = 0;
        while parts > 0 {
            if self.below(slots) < borders {
                borders -= 1;
                at += 1;
            } else {
                parts -= 1;
                if let Some(factor) = factors.get_mut(at) {
                    *factor = factor.saturating_mul(prime);
                }
            }
            slots -= 1;
        }
    }
}

/// Primes above are not looked for: what is left of a number then counts as one.
const MAX_PRIME: i64 = 1 << 16;

/// The primes of a number with their powers.
pub(crate) fn prime_powers(mut number: i64) -> Vec<(i64, usize)> {
    let mut powers = Vec::new();
    let mut prime = 2;
    while number > 1 {
        if prime >= MAX_PRIME || prime * prime > number {
            prime = number;
        }
        let mut power = 0;
        while number % prime == 0 {
            number /= prime;
            power += 1;
        }
        if power > 0 {
            powers.push((prime, power));
        }
        prime += 1;
    }
    powers
}
