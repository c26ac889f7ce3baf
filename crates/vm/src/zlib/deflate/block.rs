//! Writes blocks: collects symbols, chooses between stored, fixed and own codes by size, and keeps
//! the output that has not found room yet.

use super::Run;
use super::codes::{
    CODE_LENGTH_EXTRA, Code, DISTANCE_EXTRA, END_OF_BLOCK, LENGTH_EXTRA, N_DISTANCES, N_LENGTHS,
    N_LITERALS, Tree, assign, distance_symbol, fixed_codes, length_symbol,
};

/// Symbols after which a block ends.
const MOST_SYMBOLS: usize = (16 << 10) - 1;

/// Order in which the lengths of the code length codes are sent.
const ORDER: [usize; N_LENGTHS] =
    [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

#[derive(Debug, Clone, Copy)]
enum Symbol {
    Literal(u8),
    Match { distance: u16, length: u16 },
}

/// See the module text.
#[derive(Debug, Clone)]
pub(super) struct BlockWriter {
    pending: Vec<u8>,
    given: usize,
    bits: u32,
    n_bits: u32,
    symbols: Vec<Symbol>,
    literal_counts: [u16; N_LITERALS],
    distance_counts: [u16; N_DISTANCES],
    fixed: (Vec<Code>, Vec<Code>),
}

impl BlockWriter {
    pub(super) fn new() -> BlockWriter {
        let mut writer = BlockWriter {
            pending: Vec::new(),
            given: 0,
            bits: 0,
            n_bits: 0,
            symbols: Vec::new(),
            literal_counts: [0; N_LITERALS],
            distance_counts: [0; N_DISTANCES],
            fixed: fixed_codes(),
        };
        writer.begin_block();
        writer
    }

    fn begin_block(&mut self) {
        self.symbols.clear();
        self.literal_counts = [0; N_LITERALS];
        self.literal_counts[END_OF_BLOCK] = 1;
        self.distance_counts = [0; N_DISTANCES];
    }

    pub(super) fn has_pending(&self) -> bool {
        self.given < self.pending.len()
    }

    pub(super) fn has_symbols(&self) -> bool {
        !self.symbols.is_empty()
    }

    /// Bytes that the head of a stored block takes from here.
    pub(super) fn stored_head_size(&self) -> usize {
        (self.n_bits as usize + 42) >> 3
    }

    /// Gives as much output as there is room for.
    pub(super) fn give(&mut self, run: &mut Run<'_>) {
        self.flush_bits();
        let n = run.room().min(self.pending.len() - self.given);
        let bytes = &self.pending[self.given..self.given + n];
        run.output[run.made..run.made + n].copy_from_slice(bytes);
        run.made += n;
        self.given += n;
        if self.given == self.pending.len() {
            self.pending.clear();
            self.given = 0;
        }
    }

    pub(super) fn put_half(&mut self, half: u32) {
        let [.., high, low] = half.to_be_bytes();
        self.pending.extend_from_slice(&[high, low]);
    }

    pub(super) fn put_word(&mut self, word: u32) {
        self.pending.extend_from_slice(&word.to_be_bytes());
    }

    fn send(&mut self, value: u32, n: u32) {
        self.bits |= value << self.n_bits;
        self.n_bits += n;
        // The last sixteen bits wait, as in zlib; when they go decides what fits into a call.
        if self.n_bits > 16 {
            let [low, high, ..] = self.bits.to_le_bytes();
            self.pending.extend_from_slice(&[low, high]);
            self.bits >>= 16;
            self.n_bits -= 16;
        }
    }

    fn send_code(&mut self, code: Code) {
        self.send(u32::from(code.bits), u32::from(code.length));
    }

    fn flush_bits(&mut self) {
        let [low, high, ..] = self.bits.to_le_bytes();
        if self.n_bits == 16 {
            self.pending.extend_from_slice(&[low, high]);
            self.bits = 0;
            self.n_bits = 0;
        } else if self.n_bits >= 8 {
            self.pending.push(low);
            self.bits >>= 8;
            self.n_bits -= 8;
        }
    }

    /// Fills up the last byte.
    fn align(&mut self) {
        let [low, high, ..] = self.bits.to_le_bytes();
        if self.n_bits > 8 {
            self.pending.extend_from_slice(&[low, high]);
        } else if self.n_bits > 0 {
            self.pending.push(low);
        }
        self.bits = 0;
        self.n_bits = 0;
    }

    /// Adds a literal; `true` where the block is full.
    pub(super) fn literal(&mut self, byte: u8) -> bool {
        self.literal_counts[usize::from(byte)] += 1;
        self.symbols.push(Symbol::Literal(byte));
        self.symbols.len() == MOST_SYMBOLS
    }

    /// Adds a match; `true` where the block is full.
    #[expect(clippy::cast_possible_truncation, reason = "at most 32768 and 258")]
    pub(super) fn matched(&mut self, distance: usize, length: usize) -> bool {
        self.literal_counts[END_OF_BLOCK + 1 + length_symbol(length).0] += 1;
        self.distance_counts[distance_symbol(distance).0] += 1;
        self.symbols.push(Symbol::Match { distance: distance as u16, length: length as u16 });
        self.symbols.len() == MOST_SYMBOLS
    }

    /// A stored block, RFC 1951 §3.2.4.
    pub(super) fn stored_block(&mut self, bytes: &[u8], last: bool) {
        self.stored_head(bytes.len(), last);
        self.pending.extend_from_slice(bytes);
    }

    /// The head of a stored block.
    #[expect(clippy::cast_possible_truncation, reason = "at most 65535")]
    pub(super) fn stored_head(&mut self, len: usize, last: bool) {
        self.send(u32::from(last), 3);
        self.align();
        let len = len as u16;
        self.pending.extend_from_slice(&len.to_le_bytes());
        self.pending.extend_from_slice(&(!len).to_le_bytes());
    }

    /// Ends the block in the shortest way. `source` is what it says, if it is still at hand;
    /// `len` is its length.
    pub(super) fn end_block(&mut self, source: Option<&[u8]>, len: usize, last: bool) {
        let literals = Tree::new(&self.literal_counts, 15);
        let distances = Tree::new(&self.distance_counts, 15);
        let lengths = LengthSymbols::new(&literals, &distances);
        let extra_of_literal =
            |symbol: usize| symbol.checked_sub(END_OF_BLOCK + 1).map_or(0, |idx| LENGTH_EXTRA[idx]);
        let extra_of_distance = |symbol: usize| DISTANCE_EXTRA[symbol];
        // Codes that were only added to have two are never sent and cost nothing.
        let sent = |tree: &Tree, counts: &[u16]| Tree { counts: counts.to_vec(), ..tree.clone() };
        let literals_sent = sent(&literals, &self.literal_counts);
        let distances_sent = sent(&distances, &self.distance_counts);
        let own = literals_sent.cost(&literals.lengths, &extra_of_literal)
            + distances_sent.cost(&distances.lengths, &extra_of_distance)
            + lengths.cost;
        let fixed_lengths =
            |codes: &[Code]| codes.iter().map(|code| code.length).collect::<Vec<u8>>();
        let fixed = literals_sent.cost(&fixed_lengths(&self.fixed.0), &extra_of_literal)
            + distances_sent.cost(&fixed_lengths(&self.fixed.1), &extra_of_distance);
        let (own, fixed) = ((own + 3 + 7) >> 3, (fixed + 3 + 7) >> 3);
        let best = own.min(fixed);
        match source {
            Some(bytes) if len + 4 <= best => self.stored_block(bytes, last),
            _ if fixed <= own => {
                self.send(1 << 1 | u32::from(last), 3);
                let fixed = self.fixed.clone();
                self.send_symbols(&fixed.0, &fixed.1);
            }
            _ => {
                self.send(2 << 1 | u32::from(last), 3);
                lengths.send(self, literals.last + 1, distances.last + 1);
                self.send_symbols(&assign(&literals.lengths), &assign(&distances.lengths));
            }
        }
        self.begin_block();
        if last {
            self.align();
        }
    }

    fn send_symbols(&mut self, literals: &[Code], distances: &[Code]) {
        let symbols = std::mem::take(&mut self.symbols);
        for symbol in &symbols {
            match *symbol {
                Symbol::Literal(byte) => self.send_code(literals[usize::from(byte)]),
                Symbol::Match { distance, length } => {
                    let (symbol, rest) = length_symbol(usize::from(length));
                    self.send_code(literals[END_OF_BLOCK + 1 + symbol]);
                    self.send_extra(rest, LENGTH_EXTRA[symbol]);
                    let (symbol, rest) = distance_symbol(usize::from(distance));
                    self.send_code(distances[symbol]);
                    self.send_extra(rest, DISTANCE_EXTRA[symbol]);
                }
            }
        }
        self.send_code(literals[END_OF_BLOCK]);
        self.symbols = symbols;
    }

    #[expect(clippy::cast_possible_truncation, reason = "at most 13 bits")]
    fn send_extra(&mut self, value: usize, n: u8) {
        if n != 0 {
            self.send(value as u32, u32::from(n));
        }
    }
}

/// The code lengths of a block, shortened by repetitions, and their own code.
struct LengthSymbols {
    /// Symbol and value of its extra bits.
    symbols: Vec<(usize, usize)>,
    tree: Tree,
    /// Lengths of that code that are sent, in the order they are.
    n_sent: usize,
    /// Bits it all takes.
    cost: usize,
}

impl LengthSymbols {
    fn new(literals: &Tree, distances: &Tree) -> LengthSymbols {
        let mut symbols = Vec::new();
        repetitions(&literals.lengths[..=literals.last], &mut symbols);
        repetitions(&distances.lengths[..=distances.last], &mut symbols);
        let mut counts = [0_u16; N_LENGTHS];
        for &(symbol, _) in &symbols {
            counts[symbol] += 1;
        }
        let tree = Tree::new(&counts, 7);
        let n_sent =
            (4..=N_LENGTHS).rev().find(|&n| tree.lengths[ORDER[n - 1]] != 0).unwrap_or(3).max(4);
        let counted = Tree { counts: counts.to_vec(), ..tree.clone() };
        let cost =
            counted.cost(&tree.lengths, &|symbol| CODE_LENGTH_EXTRA[symbol]) + 3 * n_sent + 14;
        LengthSymbols { symbols, tree, n_sent, cost }
    }

    #[expect(clippy::cast_possible_truncation, reason = "at most 5 bits")]
    fn send(&self, writer: &mut BlockWriter, n_literals: usize, n_distances: usize) {
        writer.send((n_literals - 257) as u32, 5);
        writer.send((n_distances - 1) as u32, 5);
        writer.send((self.n_sent - 4) as u32, 4);
        for &symbol in &ORDER[..self.n_sent] {
            writer.send(u32::from(self.tree.lengths[symbol]), 3);
        }
        let codes = assign(&self.tree.lengths);
        for &(symbol, extra) in &self.symbols {
            writer.send_code(codes[symbol]);
            writer.send_extra(extra, CODE_LENGTH_EXTRA[symbol]);
        }
    }
}

/// Writes runs of equal lengths as repetitions: 16 repeats the length before 3 to 6 times, 17 and 18
/// stand for 3 to 10 and 11 to 138 zeros. Runs are cut where zlib cuts them.
fn repetitions(lengths: &[u8], symbols: &mut Vec<(usize, usize)>) {
    let mut before = None;
    let mut at = 0;
    while at < lengths.len() {
        let length = lengths[at];
        let most = match length {
            0 => 138,
            _ if before == Some(length) => 6,
            _ => 7,
        };
        let count = lengths[at..].iter().take(most).take_while(|&&next| next == length).count();
        let least = if length == 0 || before == Some(length) { 3 } else { 4 };
        if count < least {
            symbols.extend(std::iter::repeat_n((usize::from(length), 0), count));
        } else if length != 0 {
            let mut repeated = count;
            if before != Some(length) {
                symbols.push((usize::from(length), 0));
                repeated -= 1;
            }
            symbols.push((16, repeated - 3));
        } else if count <= 10 {
            symbols.push((17, count - 3));
        } else {
            symbols.push((18, count - 11));
        }
        before = Some(length);
        at += count;
    }
}
