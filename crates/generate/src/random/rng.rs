//! Random numbers that are the same everywhere: SplitMix64.

/// A generator. Two with the same seed give the same numbers on every machine.
#[derive(Debug, Clone)]
pub(super) struct Rng(u64);

impl Rng {
    /// The generator of the `nth` piece of work under a seed, whoever does it.
    pub(super) fn of(seed: u64, nth: u64) -> Rng {
        // Spread both first: otherwise pieces of work side by side would draw the same numbers one after another.
        Rng(mix(mix(seed ^ 0x6a09_e667_f3bc_c908) ^ nth.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `end`, which is at least one.
    #[expect(clippy::cast_possible_truncation, reason = "below a usize")]
    pub(super) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// Whether something happens that has this probability.
    pub(super) fn happens(&mut self, probability: f64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
        let drawn = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        drawn < probability
    }

    /// One of these; `None` where there is none.
    pub(super) fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        if of.is_empty() { None } else { of.get(self.below(of.len())) }
    }
}

/// Spreads a number over all bits.
pub(super) fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_another_gives_others() {
        let draw = |seed, nth| {
            let mut rng = Rng::of(seed, nth);
            (0..8).map(|_| rng.below(1000)).collect::<Vec<usize>>()
        };
        assert_eq!(draw(1, 7), draw(1, 7));
        assert_ne!(draw(1, 7), draw(1, 8));
        assert_ne!(draw(1, 7), draw(2, 7));
    }

    #[test]
    fn neighbours_share_no_numbers() {
        for seed in [0, 1, 7] {
            let mut drawn: Vec<u64> = (0..50)
                .flat_map(|nth| {
                    let mut rng = Rng::of(seed, nth);
                    (0..8).map(move |_| rng.next())
                })
                .collect();
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), 400);
        }
    }

    #[test]
    fn numbers_are_spread_evenly() {
        let mut rng = Rng::of(3, 0);
        let mut counts = [0_usize; 10];
        for _ in 0..10_000 {
            counts[rng.below(10)] += 1;
        }
        assert!(counts.iter().all(|&count| (850..1150).contains(&count)), "{counts:?}");
        let happened = (0..10_000).filter(|_| rng.happens(0.1)).count();
        assert!((850..1150).contains(&happened), "{happened}");
    }
}
