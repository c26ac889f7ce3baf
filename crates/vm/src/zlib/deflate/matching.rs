//! Finds repetitions: chains of positions with the same hash of three bytes, searched greedily
//! (`deflate_fast`) or with a second thought (`deflate_slow`).

use super::{
    AHEAD, Deflater, EFFORTS, Flush, LEAST_MATCH, Left, MASK, MOST_DISTANCE, MOST_MATCH, Run,
    Strategy, WINDOW,
};

/// A match of three bytes is not worth it farther back than this.
const TOO_FAR: usize = 4096;

impl Deflater {
    fn update_hash(&mut self, byte: u8) {
        self.hash = (self.hash << 5 ^ usize::from(byte)) & 0x7fff;
    }

    /// Puts the three bytes at a position into the table; gives the last position with their hash.
    #[expect(clippy::cast_possible_truncation, reason = "positions are below 65536")]
    pub(super) fn insert(&mut self, position: usize) -> usize {
        self.update_hash(self.window[position + LEAST_MATCH - 1]);
        let before = self.head[self.hash];
        self.prev[position & MASK] = before;
        self.head[self.hash] = position as u16;
        usize::from(before)
    }

    /// Moves all positions down by one window; those that fall out become none.
    pub(super) fn slide_hash(&mut self) {
        for position in self.head.iter_mut().chain(&mut self.prev) {
            *position = usize::from(*position)
                .checked_sub(WINDOW)
                .map_or(0, |at| u16::try_from(at).unwrap_or(0));
        }
    }

    /// Takes input until enough lies ahead, moving the window where it is full.
    pub(super) fn fill_window(&mut self, run: &mut Run<'_>) {
        loop {
            let mut room = self.window.len() - self.ahead - self.at;
            if self.at >= WINDOW + MOST_DISTANCE {
                self.window.copy_within(WINDOW.., 0);
                self.match_start = self.match_start.wrapping_sub(WINDOW);
                self.at -= WINDOW;
                self.block_start -= WINDOW.cast_signed();
                self.uninserted = self.uninserted.min(self.at);
                self.slide_hash();
                room += WINDOW;
            }
            if run.input_left() == 0 {
                break;
            }
            let n = self.take_input(run, self.at + self.ahead, room);
            self.ahead += n;
            self.insert_waiting();
            if self.ahead >= AHEAD || run.input_left() == 0 {
                break;
            }
        }
    }

    /// Puts bytes into the table that came before there were three to hash.
    fn insert_waiting(&mut self) {
        if self.ahead + self.uninserted < LEAST_MATCH {
            return;
        }
        let mut position = self.at - self.uninserted;
        self.hash = usize::from(self.window[position]);
        self.update_hash(self.window[position + 1]);
        while self.uninserted > 0 {
            self.insert(position);
            position += 1;
            self.uninserted -= 1;
            if self.ahead + self.uninserted < LEAST_MATCH {
                break;
            }
        }
    }

    /// The longest match along a chain, longer than `prev_length`; sets where it starts.
    fn longest_match(&mut self, first: usize) -> usize {
        let effort = EFFORTS[self.level];
        let mut chain = effort.chain;
        let mut best = self.prev_length;
        let limit = self.at.saturating_sub(MOST_DISTANCE);
        if self.prev_length >= effort.good {
            chain >>= 2;
        }
        let nice = effort.nice.min(self.ahead);
        let most = MOST_MATCH.min(self.window.len() - self.at);
        let mut candidate = first;
        loop {
            let window = &self.window;
            if best < most
                && window[candidate + best] == window[self.at + best]
                && window[candidate + best - 1] == window[self.at + best - 1]
                && window[candidate..candidate + 2] == window[self.at..self.at + 2]
            {
                let here = &window[self.at..self.at + most];
                let there = &window[candidate..candidate + most];
                let length = here.iter().zip(there).take_while(|(a, b)| a == b).count();
                if length > best {
                    self.match_start = candidate;
                    best = length;
                    if length >= nice {
                        break;
                    }
                }
            }
            candidate = usize::from(self.prev[candidate & MASK]);
            chain -= 1;
            if candidate <= limit || chain == 0 {
                break;
            }
        }
        best.min(self.ahead)
    }

    /// Ends the block that ends here and gives what there is room for.
    fn end_block(&mut self, run: &mut Run<'_>, last: bool) {
        let len = usize::try_from(self.at.cast_signed() - self.block_start).unwrap_or(0);
        let source =
            usize::try_from(self.block_start).ok().map(|start| &self.window[start..start + len]);
        self.writer.end_block(source, len, last);
        self.block_start = self.at.cast_signed();
        self.writer.give(run);
    }

    /// What all ways do when the input is used up.
    fn finish(&mut self, run: &mut Run<'_>, flush: Flush) -> Left {
        if flush == Flush::Finish {
            self.end_block(run, true);
            return if run.room() == 0 { Left::FinishStarted } else { Left::FinishDone };
        }
        if self.writer.has_symbols() {
            self.end_block(run, false);
            if run.room() == 0 {
                return Left::NeedsMore;
            }
        }
        Left::BlockDone
    }

    /// Takes the first match that is found.
    pub(super) fn deflate_fast(&mut self, run: &mut Run<'_>, flush: Flush) -> Left {
        loop {
            if self.ahead < AHEAD {
                self.fill_window(run);
                if self.ahead < AHEAD && flush == Flush::None {
                    return Left::NeedsMore;
                }
                if self.ahead == 0 {
                    break;
                }
            }
            let before = if self.ahead >= LEAST_MATCH { self.insert(self.at) } else { 0 };
            if before != 0 && self.at - before <= MOST_DISTANCE {
                self.match_length = self.longest_match(before);
            }
            let full;
            if self.match_length >= LEAST_MATCH {
                full = self.writer.matched(self.at - self.match_start, self.match_length);
                self.pass_match();
            } else {
                full = self.writer.literal(self.window[self.at]);
                self.ahead -= 1;
                self.at += 1;
            }
            if full {
                self.end_block(run, false);
                if run.room() == 0 {
                    return Left::NeedsMore;
                }
            }
        }
        self.uninserted = self.at.min(LEAST_MATCH - 1);
        self.finish(run, flush)
    }

    /// Moves behind a match of `deflate_fast`; only short ones go into the table.
    fn pass_match(&mut self) {
        let length = std::mem::take(&mut self.match_length);
        self.ahead -= length;
        if length <= EFFORTS[self.level].lazy && self.ahead >= LEAST_MATCH {
            for _ in 1..length {
                self.at += 1;
                self.insert(self.at);
            }
            self.at += 1;
        } else {
            self.at += length;
            self.hash = usize::from(self.window[self.at]);
            self.update_hash(self.window[self.at + 1]);
        }
    }

    /// Takes a match only if none longer begins one byte later.
    pub(super) fn deflate_slow(&mut self, run: &mut Run<'_>, flush: Flush) -> Left {
        loop {
            if self.ahead < AHEAD {
                self.fill_window(run);
                if self.ahead < AHEAD && flush == Flush::None {
                    return Left::NeedsMore;
                }
                if self.ahead == 0 {
                    break;
                }
            }
            let before = if self.ahead >= LEAST_MATCH { self.insert(self.at) } else { 0 };
            self.prev_length = self.match_length;
            self.prev_match = self.match_start;
            self.match_length = LEAST_MATCH - 1;
            if before != 0
                && self.prev_length < EFFORTS[self.level].lazy
                && self.at - before <= MOST_DISTANCE
            {
                self.match_length = self.longest_match(before);
                let is_far = self.match_length == LEAST_MATCH
                    && self.at.wrapping_sub(self.match_start) > TOO_FAR;
                if self.match_length <= 5 && (self.strategy == Strategy::Filtered || is_far) {
                    self.match_length = LEAST_MATCH - 1;
                }
            }
            if self.prev_length >= LEAST_MATCH && self.match_length <= self.prev_length {
                if self.take_previous_match() {
                    self.end_block(run, false);
                    if run.room() == 0 {
                        return Left::NeedsMore;
                    }
                }
            } else if self.match_available {
                if self.writer.literal(self.window[self.at - 1]) {
                    self.end_block(run, false);
                }
                self.at += 1;
                self.ahead -= 1;
                if run.room() == 0 {
                    return Left::NeedsMore;
                }
            } else {
                self.match_available = true;
                self.at += 1;
                self.ahead -= 1;
            }
        }
        if self.match_available {
            self.writer.literal(self.window[self.at - 1]);
            self.match_available = false;
        }
        self.uninserted = self.at.min(LEAST_MATCH - 1);
        self.finish(run, flush)
    }

    /// Takes the match that began one byte ago; `true` where the block is full.
    fn take_previous_match(&mut self) -> bool {
        let last = self.at + self.ahead - LEAST_MATCH;
        let full = self
            .writer
            .matched(self.at.wrapping_sub(1).wrapping_sub(self.prev_match), self.prev_length);
        self.ahead -= self.prev_length - 1;
        for _ in 0..self.prev_length - 2 {
            self.at += 1;
            if self.at <= last {
                self.insert(self.at);
            }
        }
        self.match_available = false;
        self.match_length = LEAST_MATCH - 1;
        self.at += 1;
        full
    }

    /// No matches.
    pub(super) fn deflate_literals(&mut self, run: &mut Run<'_>, flush: Flush) -> Left {
        loop {
            if self.ahead == 0 {
                self.fill_window(run);
                if self.ahead == 0 {
                    if flush == Flush::None {
                        return Left::NeedsMore;
                    }
                    break;
                }
            }
            self.match_length = 0;
            let full = self.writer.literal(self.window[self.at]);
            self.ahead -= 1;
            self.at += 1;
            if full {
                self.end_block(run, false);
                if run.room() == 0 {
                    return Left::NeedsMore;
                }
            }
        }
        self.uninserted = 0;
        self.finish(run, flush)
    }
}
