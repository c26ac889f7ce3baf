//! Numbers made from the machine's seed: the same for the same seed and position, everywhere.

/// A well mixed word (the finaliser of SplitMix64; Steele, Lea and Flood, 2014).
pub fn mix(seed: u64, position: u64) -> u64 {
    let mut z = seed.wrapping_add(position.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::mix;

    #[test]
    fn mix_is_fixed_and_tells_positions_and_seeds_apart() {
        assert_eq!(mix(0, 0), 0xe220_a839_7b1d_cdaf);
        assert_ne!(mix(7, 1), mix(7, 2));
        assert_ne!(mix(7, 1), mix(8, 1));
    }
}
