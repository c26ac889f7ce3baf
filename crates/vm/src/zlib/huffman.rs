//! Decoding tables for the prefix codes of RFC 1951 §3.2.

/// Bits that one look-up decides.
const FAST_BITS: u32 = 10;
/// Longest code.
pub const MOST_BITS: usize = 15;

/// What a code is for; the three differ in which incomplete sets are tolerated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Lengths of other codes.
    CodeLengths,
    /// Literals and lengths.
    Literals,
    /// Distances.
    Distances,
}

/// A decoded symbol, or that no code begins with these bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoded {
    /// The symbol and how many bits its code has.
    Symbol(u16, u32),
    /// There are not enough bits to tell.
    Short,
    /// No such code; so many bits told.
    Invalid,
}

/// A set of codes, ready for decoding.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// By the next bits: symbol and length, length 0 where it is longer or invalid.
    fast: Vec<(u16, u8)>,
    /// Codes of each length.
    counts: [u16; MOST_BITS + 1],
    /// Symbols ordered by code.
    symbols: Vec<u16>,
    longest: u32,
}

impl Table {
    /// A table from the code length of each symbol; `None` where they are no set of codes.
    pub fn new(lengths: &[u8], purpose: Purpose) -> Option<Table> {
        let mut counts = [0_u16; MOST_BITS + 1];
        for &length in lengths {
            counts[usize::from(length)] += 1;
        }
        let longest = (1..=MOST_BITS).rev().find(|&length| counts[length] != 0).unwrap_or(0);
        let mut left = 1_i32;
        for &count in &counts[1..] {
            left = (left << 1) - i32::from(count);
            if left < 0 {
                return None;
            }
        }
        // A single code of one bit may stand alone, and a set may be empty until it is used.
        if longest > 0 && left > 0 && (purpose == Purpose::CodeLengths || longest != 1) {
            return None;
        }
        let mut offsets = [0_u16; MOST_BITS + 2];
        for length in 1..=MOST_BITS {
            offsets[length + 1] = offsets[length] + counts[length];
        }
        let mut symbols = vec![0; lengths.len()];
        for (symbol, &length) in (0_u16..).zip(lengths) {
            if length != 0 {
                let offset = &mut offsets[usize::from(length)];
                symbols[usize::from(*offset)] = symbol;
                *offset += 1;
            }
        }
        counts[0] = 0;
        #[expect(clippy::cast_possible_truncation, reason = "at most MOST_BITS")]
        let mut table = Table { fast: Vec::new(), counts, symbols, longest: longest as u32 };
        table.fill_fast();
        Some(table)
    }

    #[expect(clippy::cast_possible_truncation, reason = "codes have at most MOST_BITS bits")]
    fn fill_fast(&mut self) {
        let size = 1 << FAST_BITS;
        self.fast = vec![(0, 0); size];
        let mut code = 0_u32;
        let mut next = 0;
        for length in 1..=FAST_BITS {
            for _ in 0..self.counts[length as usize] {
                let reversed = code.reverse_bits() >> (32 - length);
                let mut at = reversed as usize;
                while at < size {
                    self.fast[at] = (self.symbols[next], length as u8);
                    at += 1 << length;
                }
                next += 1;
                code += 1;
            }
            code <<= 1;
        }
    }

    /// The symbol whose code the lowest `n_bits` bits begin with.
    #[inline]
    pub fn decode(&self, bits: u64, n_bits: u32) -> Decoded {
        let (symbol, length) = self.fast[(bits & ((1 << FAST_BITS) - 1)) as usize];
        if length != 0 {
            let length = u32::from(length);
            return if length <= n_bits { Decoded::Symbol(symbol, length) } else { Decoded::Short };
        }
        self.decode_slowly(bits, n_bits)
    }

    fn decode_slowly(&self, bits: u64, n_bits: u32) -> Decoded {
        let mut code = 0_i32;
        let mut first = 0_i32;
        let mut index = 0_i32;
        for length in 1..=self.longest {
            if length > n_bits {
                return Decoded::Short;
            }
            code |= i32::from(bits >> (length - 1) & 1 != 0);
            let count = i32::from(self.counts[length as usize]);
            if code - count < first {
                let at = usize::try_from(index + code - first).unwrap_or(0);
                return Decoded::Symbol(self.symbols[at], length);
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        if n_bits == 0 { Decoded::Short } else { Decoded::Invalid }
    }
}

/// Code lengths of the literals of a block with fixed codes, RFC 1951 §3.2.6.
pub fn fixed_literal_lengths() -> [u8; 288] {
    let mut lengths = [8; 288];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_with_too_many_codes_is_refused() {
        assert!(Table::new(&[1, 1, 1], Purpose::Literals).is_none());
    }

    #[test]
    fn an_incomplete_set_is_refused_but_for_a_single_short_code() {
        assert!(Table::new(&[2, 2], Purpose::Distances).is_none());
        assert!(Table::new(&[1], Purpose::Distances).is_some());
        assert!(Table::new(&[1], Purpose::CodeLengths).is_none());
        assert!(Table::new(&[0, 0], Purpose::Distances).is_some());
    }

    #[test]
    fn every_fixed_code_decodes_to_its_symbol() {
        let lengths = fixed_literal_lengths();
        let table = Table::new(&lengths, Purpose::Literals).expect("complete");
        // RFC 1951: 0b00110000 is literal 0, 0b0000000 is end of block, 0b111111111 literal 255.
        assert_eq!(table.decode(0b0000_1100, 8), Decoded::Symbol(0, 8));
        assert_eq!(table.decode(0, 7), Decoded::Symbol(256, 7));
        assert_eq!(table.decode(0b1_1111_1111, 9), Decoded::Symbol(255, 9));
        assert_eq!(table.decode(0b1_1111_1111, 8), Decoded::Short);
    }
}
