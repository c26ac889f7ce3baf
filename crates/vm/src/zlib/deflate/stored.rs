//! Level 0: input passes through in stored blocks, from the input to the output directly where both
//! have room, else by way of the window.

use super::{Deflater, Flush, Left, Run, WINDOW};
use crate::zlib::checksum::adler32;

/// Longest stored block.
const MOST_STORED: usize = 65_535;
/// What zlib keeps of output that found no room.
const PENDING: usize = 64 << 10;

impl Deflater {
    pub(super) fn deflate_stored(&mut self, run: &mut Run<'_>, flush: Flush) -> Left {
        let taken_before = run.taken;
        if self.store_directly(run, flush) {
            self.keep_passed(run, taken_before);
            return Left::FinishDone;
        }
        self.keep_passed(run, taken_before);
        if !matches!(flush, Flush::None | Flush::Finish)
            && run.input_left() == 0
            && self.waiting() == 0
        {
            return Left::BlockDone;
        }
        self.store_in_window(run);
        let room = (PENDING - self.writer.stored_head_size()).min(MOST_STORED);
        let waiting = self.waiting();
        let is_forced = (waiting > 0 || flush == Flush::Finish)
            && flush != Flush::None
            && run.input_left() == 0
            && waiting <= room;
        let mut last = false;
        if waiting >= room.min(WINDOW) || is_forced {
            let len = waiting.min(room);
            last = flush == Flush::Finish && run.input_left() == 0 && len == waiting;
            let start = self.block_start.unsigned_abs();
            let bytes = self.window[start..start + len].to_vec();
            self.writer.stored_block(&bytes, last);
            self.block_start += len.cast_signed();
            self.writer.give(run);
        }
        if last { Left::FinishStarted } else { Left::NeedsMore }
    }

    /// Bytes in the window that are in no block yet.
    fn waiting(&self) -> usize {
        usize::try_from(self.at.cast_signed() - self.block_start).unwrap_or(0)
    }

    /// Writes blocks straight to the output as long as they are worth it; `true` after the last.
    fn store_directly(&mut self, run: &mut Run<'_>, flush: Flush) -> bool {
        let worthy = (PENDING - 5).min(WINDOW);
        loop {
            let head = self.writer.stored_head_size();
            if run.room() < head {
                return false;
            }
            let waiting = self.waiting();
            let all = waiting + run.input_left();
            let len = MOST_STORED.min(all).min(run.room() - head);
            if len < worthy
                && ((len == 0 && flush != Flush::Finish) || flush == Flush::None || len != all)
            {
                return false;
            }
            let last = flush == Flush::Finish && len == all;
            self.writer.stored_head(len, last);
            self.writer.give(run);
            let from_window = waiting.min(len);
            let start = self.block_start.unsigned_abs();
            run.output[run.made..run.made + from_window]
                .copy_from_slice(&self.window[start..start + from_window]);
            run.made += from_window;
            self.block_start += from_window.cast_signed();
            let direct = len - from_window;
            let bytes = &run.input[run.taken..run.taken + direct];
            run.output[run.made..run.made + direct].copy_from_slice(bytes);
            if !self.raw {
                self.adler = adler32(self.adler, bytes);
            }
            run.taken += direct;
            run.made += direct;
            if last {
                return true;
            }
        }
    }

    /// Brings what passed by the window into it, for levels that come later.
    fn keep_passed(&mut self, run: &Run<'_>, taken_before: usize) {
        let passed = run.taken - taken_before;
        if passed == 0 {
            return;
        }
        if passed >= WINDOW {
            self.n_stored_moves = 2;
            self.window[..WINDOW].copy_from_slice(&run.input[run.taken - WINDOW..run.taken]);
            self.at = WINDOW;
            self.uninserted = self.at;
        } else {
            if self.window.len() - self.at <= passed {
                self.move_window();
            }
            self.window[self.at..self.at + passed]
                .copy_from_slice(&run.input[run.taken - passed..run.taken]);
            self.at += passed;
            self.uninserted += passed.min(WINDOW - self.uninserted);
        }
        self.block_start = self.at.cast_signed();
    }

    fn move_window(&mut self) {
        self.at -= WINDOW;
        self.window.copy_within(WINDOW..WINDOW + self.at, 0);
        self.n_stored_moves = (self.n_stored_moves + 1).min(2);
        self.uninserted = self.uninserted.min(self.at);
    }

    /// Takes input that waits for a block into the window.
    fn store_in_window(&mut self, run: &mut Run<'_>) {
        let mut room = self.window.len() - self.at;
        if run.input_left() > room && self.block_start >= WINDOW.cast_signed() {
            self.block_start -= WINDOW.cast_signed();
            self.move_window();
            room += WINDOW;
        }
        let n = self.take_input(run, self.at, room);
        self.at += n;
        self.uninserted += n.min(WINDOW - self.uninserted);
    }
}
