//! Compression that gives the same bytes as zlib: the same matches, the same block borders, the
//! same codes. What a call consumes and produces is the same too, since programs see it.
//!
//! The stream is driven by [`Deflater::deflate`]; how matches are found is in `matching.rs`, how a
//! block is coded in `block.rs`, how uncompressed data passes in `stored.rs`.

mod block;
mod codes;
mod matching;
mod stored;

use super::checksum::adler32;
use block::BlockWriter;

/// How far back a match may lie, and half of the window.
const WINDOW: usize = 32 << 10;
const MASK: usize = WINDOW - 1;
const HASHES: usize = 32 << 10;
const LEAST_MATCH: usize = 3;
const MOST_MATCH: usize = 258;
/// Input that must lie ahead before a match is looked for.
const AHEAD: usize = MOST_MATCH + LEAST_MATCH + 1;
const MOST_DISTANCE: usize = WINDOW - AHEAD;

/// When output must be complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    /// Whenever it suits.
    None,
    /// All input must be decodable.
    Sync,
    /// As `Sync`, and decoding can start anew behind it.
    Full,
    /// The input is at its end.
    Finish,
    /// The current block ends; for changed parameters.
    Block,
}

impl Flush {
    /// The order that zlib gives its flush modes.
    fn rank(self) -> i32 {
        match self {
            Flush::None => 0,
            Flush::Block => 1,
            Flush::Sync => 4,
            Flush::Full => 6,
            Flush::Finish => 8,
        }
    }
}

/// How matches are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// The usual one.
    Default,
    /// Short matches are left.
    Filtered,
    /// No matches at all.
    HuffmanOnly,
}

/// What one call did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of input taken.
    pub consumed: usize,
    /// Bytes of output made.
    pub produced: usize,
    /// How it ended.
    pub status: Status,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// There was progress.
    Done,
    /// There was nothing to do or no room.
    Stuck,
    /// All output of the finished stream was given.
    Finished,
}

/// Effort of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Effort {
    good: usize,
    lazy: usize,
    nice: usize,
    chain: usize,
    way: Way,
}

/// How matches are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Stored,
    Fast,
    Slow,
}

const EFFORTS: [Effort; 10] = [
    Effort { good: 0, lazy: 0, nice: 0, chain: 0, way: Way::Stored },
    Effort { good: 4, lazy: 4, nice: 8, chain: 4, way: Way::Fast },
    Effort { good: 4, lazy: 5, nice: 16, chain: 8, way: Way::Fast },
    Effort { good: 4, lazy: 6, nice: 32, chain: 32, way: Way::Fast },
    Effort { good: 4, lazy: 4, nice: 16, chain: 16, way: Way::Slow },
    Effort { good: 8, lazy: 16, nice: 32, chain: 32, way: Way::Slow },
    Effort { good: 8, lazy: 16, nice: 128, chain: 128, way: Way::Slow },
    Effort { good: 8, lazy: 32, nice: 128, chain: 256, way: Way::Slow },
    Effort { good: 32, lazy: 128, nice: 258, chain: 1024, way: Way::Slow },
    Effort { good: 32, lazy: 258, nice: 258, chain: 4096, way: Way::Slow },
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Head,
    Body,
    Finished,
}

/// What was asked for by the call before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Nothing was compressed yet.
    Fresh,
    /// That call was short of room.
    Short,
    Flush(Flush),
}

/// How a way of compressing left a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    NeedsMore,
    BlockDone,
    FinishStarted,
    FinishDone,
}

/// Input and output of one call.
struct Run<'a> {
    input: &'a [u8],
    taken: usize,
    output: &'a mut [u8],
    made: usize,
}

impl Run<'_> {
    fn input_left(&self) -> usize {
        self.input.len() - self.taken
    }

    fn room(&self) -> usize {
        self.output.len() - self.made
    }
}

/// A stream being compressed.
#[derive(Debug, Clone)]
pub struct Deflater {
    raw: bool,
    level: usize,
    strategy: Strategy,
    phase: Phase,
    trailer_written: bool,
    last: Last,
    /// Checksum of the input.
    pub adler: u32,
    writer: BlockWriter,
    /// Twice the window, so that it need not move often.
    window: Vec<u8>,
    head: Vec<u16>,
    prev: Vec<u16>,
    hash: usize,
    /// Position in the window that is looked at.
    at: usize,
    /// Valid bytes from there on.
    ahead: usize,
    /// Where the current block began; may lie before the window.
    block_start: isize,
    /// Bytes before `at` that are not in the hash table yet.
    uninserted: usize,
    match_length: usize,
    match_start: usize,
    prev_length: usize,
    prev_match: usize,
    match_available: bool,
    /// How often the window moved under stored data, at most two.
    n_stored_moves: u32,
}

impl Deflater {
    /// A stream with (RFC 1950) or without (`raw`) header and checksum. A negative level stands
    /// for 6.
    pub fn new(level: i32, strategy: Strategy, raw: bool) -> Deflater {
        Deflater {
            raw,
            level: level_of(level),
            strategy,
            phase: Phase::Head,
            trailer_written: false,
            last: Last::Fresh,
            adler: 1,
            writer: BlockWriter::new(),
            window: vec![0; 2 * WINDOW],
            head: vec![0; HASHES],
            prev: vec![0; WINDOW],
            hash: 0,
            at: 0,
            ahead: 0,
            block_start: 0,
            uninserted: 0,
            match_length: LEAST_MATCH - 1,
            match_start: 0,
            prev_length: LEAST_MATCH - 1,
            prev_match: 0,
            match_available: false,
            n_stored_moves: 0,
        }
    }

    /// Starts over with the same parameters.
    pub fn reset(&mut self) {
        let level = i32::try_from(self.level).unwrap_or(6);
        *self = Deflater::new(level, self.strategy, self.raw);
    }

    /// Gives a dictionary before the first input; `false` where it is too late.
    pub fn set_dictionary(&mut self, dictionary: &[u8]) -> bool {
        // Behind the trailer zlib takes the stream for a raw one.
        let raw = self.raw || self.trailer_written;
        if (!raw && self.phase != Phase::Head) || self.ahead != 0 {
            return false;
        }
        if !raw {
            self.adler = adler32(self.adler, dictionary);
        }
        let mut dictionary = dictionary;
        if dictionary.len() >= WINDOW {
            if raw {
                self.head.fill(0);
                self.at = 0;
                self.block_start = 0;
                self.uninserted = 0;
            }
            dictionary = &dictionary[dictionary.len() - WINDOW..];
        }
        let mut run = Run { input: dictionary, taken: 0, output: &mut [], made: 0 };
        let adler = self.adler;
        self.fill_window(&mut run);
        while self.ahead >= LEAST_MATCH {
            let end = self.at + self.ahead - (LEAST_MATCH - 1);
            for position in self.at..end {
                self.insert(position);
            }
            self.at = end;
            self.ahead = LEAST_MATCH - 1;
            self.fill_window(&mut run);
        }
        self.adler = adler;
        self.at += self.ahead;
        self.block_start = self.at.cast_signed();
        self.uninserted = self.ahead;
        self.ahead = 0;
        self.match_length = LEAST_MATCH - 1;
        self.prev_length = LEAST_MATCH - 1;
        self.match_available = false;
        true
    }

    /// Changes level and strategy, ending the current block first where it must. `Stuck` where
    /// there was not enough room; then it is to be tried again.
    pub fn set_parameters(
        &mut self,
        level: i32,
        strategy: Strategy,
        input: &[u8],
        output: &mut [u8],
    ) -> Progress {
        let level = level_of(level);
        let mut progress = Progress { consumed: 0, produced: 0, status: Status::Done };
        let changes_way = EFFORTS[self.level].way != EFFORTS[level].way;
        if (strategy != self.strategy || changes_way) && self.last != Last::Fresh {
            progress = self.deflate(input, output, Flush::Block);
            let block = self.at.cast_signed() - self.block_start + self.ahead.cast_signed();
            if progress.consumed < input.len() || block != 0 {
                return Progress { status: Status::Stuck, ..progress };
            }
            progress.status = Status::Done;
        }
        if self.level != level {
            if self.level == 0 && self.n_stored_moves != 0 {
                if self.n_stored_moves == 1 {
                    self.slide_hash();
                } else {
                    self.head.fill(0);
                }
                self.n_stored_moves = 0;
            }
            self.level = level;
        }
        self.strategy = strategy;
        progress
    }

    /// Compresses as far as input and room reach.
    pub fn deflate(&mut self, input: &[u8], output: &mut [u8], flush: Flush) -> Progress {
        let mut run = Run { input, taken: 0, output, made: 0 };
        let status = self.drive(&mut run, flush);
        Progress { consumed: run.taken, produced: run.made, status }
    }

    fn drive(&mut self, run: &mut Run<'_>, flush: Flush) -> Status {
        if run.room() == 0 || (self.phase == Phase::Finished && flush != Flush::Finish) {
            return Status::Stuck;
        }
        let before = std::mem::replace(&mut self.last, Last::Flush(flush));
        if self.writer.has_pending() {
            self.writer.give(run);
            if run.room() == 0 {
                self.last = Last::Short;
                return Status::Done;
            }
        } else if run.input_left() == 0
            && flush != Flush::Finish
            && matches!(before, Last::Flush(before) if flush.rank() <= before.rank())
        {
            return Status::Stuck;
        }
        if self.phase == Phase::Finished && run.input_left() != 0 {
            return Status::Stuck;
        }
        if self.phase == Phase::Head {
            self.phase = Phase::Body;
            if !self.raw {
                self.write_head();
                self.writer.give(run);
                if self.writer.has_pending() {
                    self.last = Last::Short;
                    return Status::Done;
                }
            }
        }
        if (run.input_left() != 0
            || self.ahead != 0
            || (flush != Flush::None && self.phase != Phase::Finished))
            && self.compress(run, flush)
        {
            return Status::Done;
        }
        if flush != Flush::Finish {
            return Status::Done;
        }
        if self.raw || self.trailer_written {
            return Status::Finished;
        }
        self.writer.put_word(self.adler);
        self.writer.give(run);
        self.trailer_written = true;
        if self.writer.has_pending() { Status::Done } else { Status::Finished }
    }

    /// Compresses; `true` where the call is over.
    fn compress(&mut self, run: &mut Run<'_>, flush: Flush) -> bool {
        let left = match (EFFORTS[self.level].way, self.strategy) {
            (Way::Stored, _) => self.deflate_stored(run, flush),
            (_, Strategy::HuffmanOnly) => self.deflate_literals(run, flush),
            (Way::Fast, _) => self.deflate_fast(run, flush),
            (Way::Slow, _) => self.deflate_slow(run, flush),
        };
        if matches!(left, Left::FinishStarted | Left::FinishDone) {
            self.phase = Phase::Finished;
        }
        match left {
            Left::NeedsMore | Left::FinishStarted => {
                if run.room() == 0 {
                    self.last = Last::Short;
                }
                true
            }
            Left::FinishDone => false,
            Left::BlockDone => {
                if flush != Flush::Block {
                    self.writer.stored_block(&[], false);
                    if flush == Flush::Full {
                        self.head.fill(0);
                        if self.ahead == 0 {
                            self.at = 0;
                            self.block_start = 0;
                            self.uninserted = 0;
                        }
                    }
                }
                self.writer.give(run);
                if run.room() == 0 {
                    self.last = Last::Short;
                    return true;
                }
                false
            }
        }
    }

    fn write_head(&mut self) {
        const METHOD_AND_WINDOW: u32 = 0x7800;
        const DICTIONARY: u32 = 0x20;
        let effort = match self.level {
            _ if self.strategy == Strategy::HuffmanOnly => 0,
            0..2 => 0,
            2..6 => 1,
            6 => 2,
            _ => 3,
        };
        let mut head = METHOD_AND_WINDOW | effort << 6;
        if self.at != 0 {
            head |= DICTIONARY;
        }
        head += 31 - head % 31;
        self.writer.put_half(head);
        if self.at != 0 {
            self.writer.put_word(self.adler);
        }
        self.adler = 1;
    }

    /// Takes input into the window from `to` on, at most `most` bytes.
    fn take_input(&mut self, run: &mut Run<'_>, to: usize, most: usize) -> usize {
        let n = run.input_left().min(most);
        let bytes = &run.input[run.taken..run.taken + n];
        run.taken += n;
        self.window[to..to + n].copy_from_slice(bytes);
        if !self.raw {
            self.adler = adler32(self.adler, bytes);
        }
        n
    }
}

fn level_of(level: i32) -> usize {
    usize::try_from(level).unwrap_or(6).min(9)
}

#[cfg(test)]
mod tests {
    use crate::zlib::inflate::{Inflater, Status as Inflated};

    use super::*;

    fn sample() -> Vec<u8> {
        let mut state = 1_u32;
        let mut bytes = Vec::new();
        while bytes.len() < 300_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [_, _, _, byte] = state.to_le_bytes();
            match byte % 4 {
                0 => bytes.extend_from_slice(b"the same words again and again, "),
                1 => bytes.extend(std::iter::repeat_n(byte, usize::from(byte))),
                _ => bytes.push(byte),
            }
        }
        bytes
    }

    fn whole(level: i32, strategy: Strategy, step: usize) -> Vec<u8> {
        let mut deflater = Deflater::new(level, strategy, false);
        let data = sample();
        let (mut at, mut packed) = (0, Vec::new());
        loop {
            let mut output = vec![0; step];
            let progress = deflater.deflate(&data[at..], &mut output, Flush::Finish);
            at += progress.consumed;
            packed.extend_from_slice(&output[..progress.produced]);
            if progress.status == Status::Finished {
                return packed;
            }
        }
    }

    #[test]
    fn what_is_compressed_comes_back_whole_at_every_level_and_step() {
        for strategy in [Strategy::Default, Strategy::Filtered, Strategy::HuffmanOnly] {
            for level in 0..=9 {
                for step in [1_000_000, 1000, 7] {
                    let packed = whole(level, strategy, step);
                    let mut output = vec![0; 400_000];
                    let progress = Inflater::new(false).inflate(&packed, &mut output);
                    assert_eq!(progress.status, Inflated::Finished, "{level} {step}");
                    assert!(output[..progress.produced] == sample(), "{level} {step}");
                }
            }
        }
    }
}
