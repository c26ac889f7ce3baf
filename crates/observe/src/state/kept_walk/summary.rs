//! What is known of nodes that follow each other: a fingerprint of all of them, which is a polynomial in theirs, and
//! how far up they reach.

/// Nodes that are summed up at once, at most: no more than 64, so that sums of products fit in 128 bits.
pub(super) const MOST_SUMMED: usize = 32;
/// A prime: fingerprints are polynomials over its field.
const PRIME: u64 = (1 << 61) - 1;
/// Where the two polynomials are evaluated.
const BASES: [u64; 2] = [0x1a3c_5b79_d2e4_8f01, 0x0bd7_93ae_6c15_f24b];
/// The powers of both.
const POWERS: [[u64; 2]; MOST_SUMMED + 1] = {
    let mut powers = [[1; 2]; MOST_SUMMED + 1];
    let mut n = 0;
    while n < MOST_SUMMED {
        powers[n + 1] = [times(powers[n][0], BASES[0]), times(powers[n][1], BASES[1])];
        n += 1;
    }
    powers
};

/// What is known of some nodes that follow each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Summary {
    pub(super) least_depth: i32,
    /// The least depth that a reference of a node reaches up to.
    pub(super) least_reach: i32,
    pub(super) hash: [u64; 2],
    /// The bases to the power of the number of nodes.
    power: [u64; 2],
}

impl Summary {
    pub(super) const EMPTY: Summary =
        Summary { least_depth: i32::MAX, least_reach: i32::MAX, hash: [0; 2], power: [1; 2] };

    /// Of nodes with these fingerprints, no more than can be summed up at once, whose depths are not known yet.
    pub(super) fn of(hashes: impl ExactSizeIterator<Item = [u64; 2]>) -> Summary {
        let n_nodes = hashes.len();
        let mut sums = [0_u128; 2];
        for (hash, power) in hashes.zip(POWERS[..n_nodes].iter().rev()) {
            for lane in 0..2 {
                sums[lane] += u128::from(hash[lane]) * u128::from(power[lane]);
            }
        }
        Summary { hash: sums.map(remainder), power: POWERS[n_nodes], ..Summary::EMPTY }
    }

    pub(super) fn then(&self, next: &Summary) -> Summary {
        let mut both = Summary {
            least_depth: self.least_depth.min(next.least_depth),
            least_reach: self.least_reach.min(next.least_reach),
            ..Summary::EMPTY
        };
        for lane in 0..2 {
            both.hash[lane] = add(times(self.hash[lane], next.power[lane]), next.hash[lane]);
            both.power[lane] = times(self.power[lane], next.power[lane]);
        }
        both
    }

    /// The same nodes, so many levels deeper.
    pub(super) fn deeper(&self, by: i32) -> Summary {
        let least_depth = self.least_depth.saturating_add(by);
        let least_reach = self.least_reach.saturating_add(by);
        Summary { least_depth, least_reach, ..*self }
    }
}

/// Folds the fingerprints of nodes in preorder: what `Sequence::fold` gives.
pub(super) fn fold(hashes: &[[u64; 2]]) -> [u64; 2] {
    let next = |total: [u64; 2], hash: &[u64; 2]| {
        [add(times(total[0], BASES[0]), hash[0]), add(times(total[1], BASES[1]), hash[1])]
    };
    hashes.iter().fold([0; 2], next)
}

/// The fingerprint of a node as elements of the field.
#[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
pub(super) fn lanes(fingerprint: u128) -> [u64; 2] {
    [reduce((fingerprint >> 64) as u64), reduce(fingerprint as u64)]
}

#[inline]
const fn reduce(word: u64) -> u64 {
    let word = (word & PRIME) + (word >> 61);
    if word >= PRIME { word - PRIME } else { word }
}

#[expect(clippy::cast_possible_truncation, reason = "all three parts are taken")]
fn remainder(sum: u128) -> u64 {
    let parts = [sum as u64 & PRIME, (sum >> 61) as u64 & PRIME, (sum >> 122) as u64];
    parts.into_iter().fold(0, add)
}

#[inline]
fn add(a: u64, b: u64) -> u64 {
    reduce(a + b)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "both parts fit")]
const fn times(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    reduce((product as u64 & PRIME) + (product >> 61) as u64)
}
