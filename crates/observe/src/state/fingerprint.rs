//! Fingerprints: 128 bits that stand for a state.
//!
//! Two lanes of multiply and shift, each a bijection of its state for every word and of the word for
//! every state, so that inputs that differ in one word never meet in a lane before another word is
//! mixed in. With ten million states the chance of any collision is below 10^-24; the exact words are
//! to be had as well (`Exact`), and tests compare the two.

/// 128 bits that stand for a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u128);

/// Takes the words of a canonical form, in order.
pub trait Sink {
    /// The next word.
    fn word(&mut self, word: u64);

    /// The next words, given as bytes; the last one may be cut short.
    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        for_each_word(bytes, |word| self.word(word));
    }
}

/// Calls `each` with eight bytes after the other.
#[inline(always)]
fn for_each_word(bytes: &[u8], mut each: impl FnMut(u64)) {
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        each(u64::from_le_bytes(chunk.try_into().unwrap_or_default()));
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        each(u64::from_le_bytes(word));
    }
}

/// The exact words.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Exact(pub Vec<u64>);

impl Sink for Exact {
    fn word(&mut self, word: u64) {
        self.0.push(word);
    }
}

const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xd6e8_feb8_6659_fd93;

/// Bytes from which on they are mixed side by side.
const LEAST_SIDE_BY_SIDE: usize = 256;

/// Makes a fingerprint of words.
#[derive(Debug, Clone, Copy)]
pub struct Mixer {
    first: u64,
    second: u64,
}

impl Mixer {
    /// The fingerprint of no words is different for every `purpose`.
    #[inline]
    pub fn new(purpose: u64) -> Mixer {
        Mixer { first: purpose ^ FIRST, second: purpose.wrapping_add(SECOND) }
    }

    /// The fingerprint of what came in.
    #[inline]
    pub fn finish(self) -> Fingerprint {
        let first = avalanche(self.first ^ self.second.rotate_left(32));
        let second = avalanche(self.second.wrapping_add(first));
        Fingerprint(u128::from(first) << 64 | u128::from(second))
    }

    /// Half of the fingerprint.
    #[expect(clippy::cast_possible_truncation, reason = "half of the bits")]
    pub fn half(self) -> u64 {
        self.finish().0 as u64
    }

    /// Mixes a fingerprint in.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
    pub fn fingerprint(&mut self, fingerprint: Fingerprint) {
        self.word((fingerprint.0 >> 64) as u64);
        self.word(fingerprint.0 as u64);
    }

    /// Mixes text in, with its length.
    pub fn text(&mut self, text: &[u8]) {
        self.word(text.len() as u64);
        for_each_word(text, |word| self.word(word));
    }
}

impl Sink for Mixer {
    #[inline(always)]
    fn word(&mut self, word: u64) {
        let first = (self.first ^ word).wrapping_mul(FIRST);
        self.first = first ^ first >> 29;
        let second = (self.second.rotate_left(23).wrapping_add(word)).wrapping_mul(SECOND);
        self.second = second ^ second >> 32;
    }

    /// Many bytes are mixed in several mixers side by side, which need not wait for each other.
    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        if bytes.len() >= LEAST_SIDE_BY_SIDE {
            let mut mixers = [Mixer::new(20), Mixer::new(21), Mixer::new(22), Mixer::new(23)];
            let mut rows = bytes.chunks_exact(8 * mixers.len());
            for row in &mut rows {
                for (mixer, word) in mixers.iter_mut().zip(row.chunks_exact(8)) {
                    mixer.word(u64::from_le_bytes(word.try_into().unwrap_or_default()));
                }
            }
            for mixer in mixers {
                self.word(mixer.first);
                self.word(mixer.second);
            }
            rest = rows.remainder();
        }
        for_each_word(rest, |word| self.word(word));
    }
}

/// A bijection in which every bit of the input reaches every bit of the output.
#[inline]
fn avalanche(mut word: u64) -> u64 {
    word ^= word >> 30;
    word = word.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word ^= word >> 27;
    word = word.wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// 64 bits of the fingerprint of a text, for names of classes.
pub fn name_key(name: &[u8]) -> u64 {
    let mut mixer = Mixer::new(0);
    mixer.text(name);
    mixer.half()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Mixer, Sink};

    #[test]
    fn every_bit_of_many_bytes_counts() {
        for len in [255, 256, 287, 300, 1024] {
            let mut bytes = vec![7_u8; len];
            let print = |bytes: &[u8]| {
                let mut mixer = Mixer::new(0);
                Sink::bytes(&mut mixer, bytes);
                mixer.finish().0
            };
            let mut seen = HashSet::from([print(&bytes)]);
            for bit in 0..8 * len {
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert!(seen.insert(print(&bytes)), "bit {bit} of {len} bytes");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            // Words that change their places are other words.
            bytes[0] = 1;
            bytes[40] = 2;
            let one = print(&bytes);
            bytes.swap(0, 40);
            assert_ne!(print(&bytes), one);
        }
    }

    #[test]
    fn short_sequences_of_small_words_all_differ() {
        let mut seen = HashSet::new();
        let mut n_sequences = 0;
        for len in 0..6_u32 {
            for code in 0..8_u64.pow(len) {
                let mut mixer = Mixer::new(0);
                for place in 0..len {
                    mixer.word(code / 8_u64.pow(place) % 8);
                }
                n_sequences += 1;
                // Each half alone must be as good as a hash.
                let whole = mixer.finish().0;
                assert!(seen.insert((0, (whole >> 64) as u64)));
                assert!(seen.insert((1, whole as u64)));
            }
        }
        assert_eq!(seen.len(), 2 * n_sequences);
    }
}
