//! Decompression, byte by byte resumable. Never takes a byte of input before it needs it, so what
//! stands behind the compressed data is left to the caller, as zlib does.

use super::checksum::adler32;
use super::huffman::{Decoded, Purpose, Table, fixed_literal_lengths};

/// Farthest that a distance reaches back.
const WINDOW: usize = 32 << 10;

/// Base lengths and extra bits of the length symbols 257 to 285, RFC 1951 §3.2.5.
const LENGTHS: [(u16, u8); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];

/// Base distances and extra bits of the distance symbols 0 to 29.
const DISTANCES: [(u16, u8); 30] = [
    (1, 0),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 1),
    (7, 1),
    (9, 2),
    (13, 2),
    (17, 3),
    (25, 3),
    (33, 4),
    (49, 4),
    (65, 5),
    (97, 5),
    (129, 6),
    (193, 6),
    (257, 7),
    (385, 7),
    (513, 8),
    (769, 8),
    (1025, 9),
    (1537, 9),
    (2049, 10),
    (3073, 10),
    (4097, 11),
    (6145, 11),
    (8193, 12),
    (12289, 12),
    (16385, 13),
    (24577, 13),
];

/// Order in which the lengths of the code length codes are given.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// What one call did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of input taken.
    pub consumed: usize,
    /// Bytes of output made.
    pub produced: usize,
    /// Why it ended.
    pub status: Status,
}

/// Why a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It needs more input or more room.
    Hungry,
    /// The compressed data is at its end.
    Finished,
    /// A dictionary must be given first.
    NeedsDictionary,
    /// The data is broken; zlib's words for it.
    Broken(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Head,
    DictionaryId,
    Dictionary,
    Block,
    StoredLength,
    Stored,
    TableSizes,
    CodeLengthLengths,
    CodeLengths,
    Symbol,
    LengthExtra { base: u16, bits: u8 },
    Distance,
    DistanceExtra { base: u16, bits: u8 },
    Match { distance: u16 },
    Literal(u8),
    Check,
    Done,
    Bad(&'static str),
}

/// A stream of compressed data and where its decompression stands.
#[derive(Debug, Clone)]
pub struct Inflater {
    raw: bool,
    state: State,
    last_block: bool,
    bits: u64,
    n_bits: u32,
    /// Bytes left of a stored block or a match.
    left: usize,
    sizes: (usize, usize, usize),
    lengths: Vec<u8>,
    literals: Table,
    distances: Table,
    /// The last bytes of output.
    window: Vec<u8>,
    /// Checksum of the output, or the id of the dictionary that is needed.
    pub adler: u32,
}

/// The part of a call that is not kept.
struct Run<'a> {
    input: &'a [u8],
    taken: usize,
    output: &'a mut [u8],
    made: usize,
}

impl Inflater {
    /// A stream with (RFC 1950) or without (`raw`) header and checksum.
    pub fn new(raw: bool) -> Inflater {
        Inflater {
            raw,
            state: if raw { State::Block } else { State::Head },
            last_block: false,
            bits: 0,
            n_bits: 0,
            left: 0,
            sizes: (0, 0, 0),
            lengths: Vec::new(),
            literals: Table::default(),
            distances: Table::default(),
            window: Vec::new(),
            adler: u32::from(!raw),
        }
    }

    /// Starts over.
    pub fn reset(&mut self) {
        *self = Inflater::new(self.raw);
    }

    /// Gives a dictionary; `false` where it is not the one that is needed or none is.
    pub fn set_dictionary(&mut self, dictionary: &[u8]) -> bool {
        if !self.raw {
            if self.state != State::Dictionary || adler32(1, dictionary) != self.adler {
                return false;
            }
            self.adler = 1;
            self.state = State::Block;
        }
        self.remember(dictionary);
        true
    }

    /// Decompresses as far as input and room reach.
    pub fn inflate(&mut self, input: &[u8], output: &mut [u8]) -> Progress {
        let mut run = Run { input, taken: 0, output, made: 0 };
        let mut checked = 0;
        let status = loop {
            match self.state {
                State::Done => break Status::Finished,
                State::Bad(reason) => break Status::Broken(reason),
                State::Dictionary => break Status::NeedsDictionary,
                State::Check if checked < run.made => {
                    self.adler = adler32(self.adler, &run.output[checked..run.made]);
                    checked = run.made;
                }
                _ => {
                    if !self.step(&mut run) {
                        break Status::Hungry;
                    }
                }
            }
        };
        if !self.raw && checked < run.made {
            self.adler = adler32(self.adler, &run.output[checked..run.made]);
        }
        let (consumed, produced) = (run.taken, run.made);
        let made = &run.output[..produced];
        self.remember(made);
        Progress { consumed, produced, status }
    }

    fn remember(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(WINDOW)..];
        self.window.extend_from_slice(bytes);
        let excess = self.window.len().saturating_sub(WINDOW);
        // Moving the window costs; let it grow to twice its size first.
        if excess > WINDOW {
            self.window.drain(..excess);
        }
    }

    /// One step of the current state; `false` where input or room is missing.
    fn step(&mut self, run: &mut Run<'_>) -> bool {
        match self.state {
            State::Head => self.head(run),
            State::DictionaryId => self.dictionary_id(run),
            State::Block => self.block(run),
            State::StoredLength => self.stored_length(run),
            State::Stored => self.stored(run),
            State::TableSizes => self.table_sizes(run),
            State::CodeLengthLengths => self.code_length_lengths(run),
            State::CodeLengths => self.code_lengths(run),
            State::Symbol => self.symbol(run),
            State::LengthExtra { base, bits } => {
                let Some(extra) = self.take(run, u32::from(bits)) else { return false };
                self.left = usize::from(base) + extra as usize;
                self.state = State::Distance;
                true
            }
            State::Distance => self.distance(run),
            State::DistanceExtra { base, bits } => {
                let Some(extra) = self.take(run, u32::from(bits)) else { return false };
                let distance = u32::from(base) + extra;
                self.begin_match(run, distance)
            }
            State::Match { distance } => self.copy_match(run, usize::from(distance)),
            State::Literal(byte) => {
                if run.made == run.output.len() {
                    return false;
                }
                run.output[run.made] = byte;
                run.made += 1;
                self.state = State::Symbol;
                true
            }
            State::Check => self.check(run),
            State::Dictionary | State::Done | State::Bad(_) => false,
        }
    }

    fn bad(&mut self, reason: &'static str) -> bool {
        self.state = State::Bad(reason);
        true
    }

    /// Takes bytes of input until there are `n` bits.
    fn need(&mut self, run: &mut Run<'_>, n: u32) -> bool {
        while self.n_bits < n {
            let Some(&byte) = run.input.get(run.taken) else { return false };
            run.taken += 1;
            self.bits |= u64::from(byte) << self.n_bits;
            self.n_bits += 8;
        }
        true
    }

    fn drop_bits(&mut self, n: u32) {
        self.bits >>= n;
        self.n_bits -= n;
    }

    /// The next `n` bits, at most 32; `None` where input is missing.
    #[expect(clippy::cast_possible_truncation, reason = "masked to n bits")]
    fn take(&mut self, run: &mut Run<'_>, n: u32) -> Option<u32> {
        if !self.need(run, n) {
            return None;
        }
        let value = (self.bits & ((1 << n) - 1)) as u32;
        self.drop_bits(n);
        Some(value)
    }

    fn head(&mut self, run: &mut Run<'_>) -> bool {
        let Some(head) = self.take(run, 16) else { return false };
        let (method_and_window, flags) = (head & 0xff, head >> 8);
        if (method_and_window << 8 | flags) % 31 != 0 {
            return self.bad("incorrect header check");
        }
        if method_and_window & 0xf != 8 {
            return self.bad("unknown compression method");
        }
        if method_and_window >> 4 > 7 {
            return self.bad("invalid window size");
        }
        self.adler = 1;
        self.state = if flags & 0x20 != 0 { State::DictionaryId } else { State::Block };
        true
    }

    fn dictionary_id(&mut self, run: &mut Run<'_>) -> bool {
        let Some(id) = self.take(run, 32) else { return false };
        self.adler = id.swap_bytes();
        self.state = State::Dictionary;
        true
    }

    fn block(&mut self, run: &mut Run<'_>) -> bool {
        if self.last_block {
            let rest = self.n_bits % 8;
            self.drop_bits(rest);
            self.state = if self.raw { State::Done } else { State::Check };
            return true;
        }
        let Some(head) = self.take(run, 3) else { return false };
        self.last_block = head & 1 != 0;
        match head >> 1 {
            0 => {
                let rest = self.n_bits % 8;
                self.drop_bits(rest);
                self.state = State::StoredLength;
            }
            1 => {
                let literals = Table::new(&fixed_literal_lengths(), Purpose::Literals);
                let distances = Table::new(&[5; 32], Purpose::Distances);
                self.literals = literals.unwrap_or_default();
                self.distances = distances.unwrap_or_default();
                self.state = State::Symbol;
            }
            2 => self.state = State::TableSizes,
            _ => return self.bad("invalid block type"),
        }
        true
    }

    fn stored_length(&mut self, run: &mut Run<'_>) -> bool {
        let Some(word) = self.take(run, 32) else { return false };
        if word & 0xffff != !word >> 16 {
            return self.bad("invalid stored block lengths");
        }
        self.left = (word & 0xffff) as usize;
        self.state = State::Stored;
        true
    }

    fn stored(&mut self, run: &mut Run<'_>) -> bool {
        if self.left == 0 {
            self.state = State::Block;
            return true;
        }
        let room = run.output.len() - run.made;
        let n = self.left.min(room).min(run.input.len() - run.taken);
        if n == 0 {
            return false;
        }
        run.output[run.made..run.made + n].copy_from_slice(&run.input[run.taken..run.taken + n]);
        run.made += n;
        run.taken += n;
        self.left -= n;
        true
    }

    fn table_sizes(&mut self, run: &mut Run<'_>) -> bool {
        let Some(word) = self.take(run, 14) else { return false };
        let n_literals = (word & 31) as usize + 257;
        let n_distances = (word >> 5 & 31) as usize + 1;
        let n_lengths = (word >> 10) as usize + 4;
        if n_literals > 286 || n_distances > 30 {
            return self.bad("too many length or distance symbols");
        }
        self.sizes = (n_literals, n_distances, n_lengths);
        self.lengths.clear();
        self.state = State::CodeLengthLengths;
        true
    }

    fn code_length_lengths(&mut self, run: &mut Run<'_>) -> bool {
        while self.lengths.len() < self.sizes.2 {
            let Some(length) = self.take(run, 3) else { return false };
            self.lengths.push(length.to_le_bytes()[0]);
        }
        let mut ordered = [0; 19];
        for (&symbol, &length) in ORDER.iter().zip(&self.lengths) {
            ordered[symbol] = length;
        }
        let Some(table) = Table::new(&ordered, Purpose::CodeLengths) else {
            return self.bad("invalid code lengths set");
        };
        self.literals = table;
        self.lengths.clear();
        self.state = State::CodeLengths;
        true
    }

    fn code_lengths(&mut self, run: &mut Run<'_>) -> bool {
        let (n_literals, n_distances, _) = self.sizes;
        while self.lengths.len() < n_literals + n_distances {
            let (symbol, length) = match self.literals.decode(self.bits, self.n_bits) {
                Decoded::Symbol(symbol, length) => (symbol, length),
                Decoded::Short if self.need(run, self.n_bits + 1) => continue,
                Decoded::Short => return false,
                // A set without codes: zlib takes one bit for a length of zero.
                Decoded::Invalid => (0, 1),
            };
            let (repeated, n_extra, least) = match symbol {
                0..16 => {
                    self.drop_bits(length);
                    self.lengths.push(symbol.to_le_bytes()[0]);
                    continue;
                }
                16 => (self.lengths.last().copied(), 2, 3),
                17 => (Some(0), 3, 3),
                _ => (Some(0), 7, 11),
            };
            if !self.need(run, length + n_extra) {
                return false;
            }
            self.drop_bits(length);
            let Some(value) = repeated else { return self.bad("invalid bit length repeat") };
            let count = self.take(run, n_extra).unwrap_or(0) as usize + least;
            if self.lengths.len() + count > n_literals + n_distances {
                return self.bad("invalid bit length repeat");
            }
            self.lengths.resize(self.lengths.len() + count, value);
        }
        if self.lengths[256] == 0 {
            return self.bad("invalid code -- missing end-of-block");
        }
        let (literals, distances) = self.lengths.split_at(n_literals);
        let literals = Table::new(literals, Purpose::Literals);
        let distances = Table::new(distances, Purpose::Distances);
        let Some(literals) = literals else { return self.bad("invalid literal/lengths set") };
        let Some(distances) = distances else { return self.bad("invalid distances set") };
        self.literals = literals;
        self.distances = distances;
        self.state = State::Symbol;
        true
    }

    /// Literals as long as they come, then whatever else stands there.
    fn symbol(&mut self, run: &mut Run<'_>) -> bool {
        loop {
            let symbol = match self.literals.decode(self.bits, self.n_bits) {
                Decoded::Symbol(symbol, length) => {
                    self.drop_bits(length);
                    symbol
                }
                Decoded::Short if self.need(run, self.n_bits + 1) => continue,
                Decoded::Short => return false,
                Decoded::Invalid => return self.bad("invalid literal/length code"),
            };
            match symbol {
                0..256 => {
                    let byte = symbol.to_le_bytes()[0];
                    if run.made == run.output.len() {
                        self.state = State::Literal(byte);
                        return false;
                    }
                    run.output[run.made] = byte;
                    run.made += 1;
                }
                256 => {
                    self.state = State::Block;
                    return true;
                }
                _ => {
                    let Some(&(base, bits)) = LENGTHS.get(usize::from(symbol) - 257) else {
                        return self.bad("invalid literal/length code");
                    };
                    self.state = State::LengthExtra { base, bits };
                    return true;
                }
            }
        }
    }

    fn distance(&mut self, run: &mut Run<'_>) -> bool {
        loop {
            match self.distances.decode(self.bits, self.n_bits) {
                Decoded::Symbol(symbol, length) => {
                    self.drop_bits(length);
                    let Some(&(base, bits)) = DISTANCES.get(usize::from(symbol)) else {
                        return self.bad("invalid distance code");
                    };
                    self.state = State::DistanceExtra { base, bits };
                    return true;
                }
                Decoded::Short if self.need(run, self.n_bits + 1) => {}
                Decoded::Short => return false,
                Decoded::Invalid => return self.bad("invalid distance code"),
            }
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "distances end at 32768")]
    fn begin_match(&mut self, run: &Run<'_>, distance: u32) -> bool {
        let known = self.window.len().min(WINDOW) + run.made;
        if distance as usize > known {
            return self.bad("invalid distance too far back");
        }
        self.state = State::Match { distance: distance as u16 };
        true
    }

    fn copy_match(&mut self, run: &mut Run<'_>, distance: usize) -> bool {
        let n = self.left.min(run.output.len() - run.made);
        if n == 0 {
            return false;
        }
        for _ in 0..n {
            let byte = match run.made.checked_sub(distance) {
                Some(at) => run.output[at],
                None => self.window[self.window.len() + run.made - distance],
            };
            run.output[run.made] = byte;
            run.made += 1;
        }
        self.left -= n;
        if self.left == 0 {
            self.state = State::Symbol;
        }
        true
    }

    fn check(&mut self, run: &mut Run<'_>) -> bool {
        let Some(sum) = self.take(run, 32) else { return false };
        if sum.swap_bytes() != self.adler {
            return self.bad("incorrect data check");
        }
        self.state = State::Done;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn compressed(bytes: &[u8], level: u32) -> Vec<u8> {
        let mut encoder =
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(level));
        encoder.write_all(bytes).expect("in memory");
        encoder.finish().expect("in memory")
    }

    fn sample() -> Vec<u8> {
        (0..200_000_u32)
            .map(|i| ((i.wrapping_mul(i) >> 7) ^ (i / 100)).to_le_bytes()[0] & 0x3f)
            .collect()
    }

    #[test]
    fn what_was_compressed_comes_back_whole() {
        for level in 0..=9 {
            let data = compressed(&sample(), level);
            let mut output = vec![0; 300_000];
            let progress = Inflater::new(false).inflate(&data, &mut output);
            assert_eq!(progress.status, Status::Finished);
            assert_eq!(progress.consumed, data.len());
            assert_eq!(output[..progress.produced], sample());
        }
    }

    #[test]
    fn one_byte_at_a_time_gives_the_same() {
        let mut data = compressed(&sample(), 6);
        data.extend_from_slice(b"what follows");
        let mut inflater = Inflater::new(false);
        let (mut at, mut all) = (0, Vec::new());
        loop {
            let mut output = [0; 7];
            let progress = inflater.inflate(&data[at..data.len().min(at + 1)], &mut output);
            at += progress.consumed;
            all.extend_from_slice(&output[..progress.produced]);
            if progress.status == Status::Finished {
                break;
            }
        }
        assert_eq!(all, sample());
        assert_eq!(&data[at..], b"what follows");
    }

    #[test]
    fn broken_data_is_named_as_zlib_names_it() {
        let status = |data: &[u8]| Inflater::new(false).inflate(data, &mut [0; 100]).status;
        assert_eq!(status(b"not compressed"), Status::Broken("incorrect header check"));
        let mut data = compressed(b"hello", 6);
        *data.last_mut().expect("not empty") ^= 1;
        assert_eq!(status(&data), Status::Broken("incorrect data check"));
        assert_eq!(status(&[0x78, 0x9c, 0x07]), Status::Broken("invalid block type"));
        assert_eq!(
            status(&[0x78, 0x9c, 1, 1, 1, 1, 1]),
            Status::Broken("invalid stored block lengths")
        );
        assert_eq!(status(&[0x78, 0x9c, 0x63, 0]), Status::Hungry);
    }

    #[test]
    fn a_dictionary_is_asked_for_and_checked() {
        // Made with zlib: dictionary "hello", data "hello".
        let mut inflater = Inflater::new(false);
        let head = [0x78, 0xbb, 0x06, 0x2c, 0x02, 0x15];
        assert_eq!(inflater.inflate(&head, &mut []).status, Status::NeedsDictionary);
        assert_eq!(inflater.adler, 0x062c_0215);
        assert!(!inflater.set_dictionary(b"other"));
        assert!(inflater.set_dictionary(b"hello"));
        assert_eq!(inflater.adler, 1);
    }
}
