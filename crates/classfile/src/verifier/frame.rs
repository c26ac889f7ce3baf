//! Frames: the types of local variables and operand stack at one point of a method.

use super::vtype::VType;

/// The frame instructions work on.
pub(super) struct Frame {
    /// All variables of the method.
    locals: Vec<VType>,
    /// Invariant: variables from here on are unusable. Methods may declare tens of thousands of
    /// variables and use few.
    n_used: usize,
    pub(super) stack: Vec<VType>,
    /// In a constructor: no other constructor has been called yet (`flagThisUninit`).
    pub(super) this_uninitialized: bool,
}

/// A frame kept for later; unusable variables at the end are left out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StoredFrame {
    pub(super) locals: Box<[VType]>,
    pub(super) stack: Box<[VType]>,
    pub(super) this_uninitialized: bool,
}

/// A frame of the `StackMapTable`. Only usable variables are kept: nested `finally` blocks make
/// thousands of frames in which thousands of variables are not.
#[derive(Clone, Debug)]
pub(super) struct DeclaredFrame {
    /// Numbers and types of the usable variables, in order.
    pub(super) locals: Box<[(u16, VType)]>,
    pub(super) stack: Box<[VType]>,
    pub(super) this_uninitialized: bool,
}

impl DeclaredFrame {
    pub(super) fn new(locals: &[VType], stack: &[VType]) -> Self {
        let usable = |&(_, &word): &(usize, &VType)| word != VType::Top;
        DeclaredFrame {
            locals: locals
                .iter()
                .enumerate()
                .filter(usable)
                .map(|(idx, &word)| (idx as u16, word))
                .collect(),
            stack: stack.into(),
            this_uninitialized: locals.contains(&VType::UninitializedThis),
        }
    }
}

impl Frame {
    pub(super) fn new(max_locals: u16, this_uninitialized: bool) -> Self {
        Frame {
            locals: vec![VType::Top; usize::from(max_locals)],
            n_used: 0,
            stack: Vec::new(),
            this_uninitialized,
        }
    }

    /// The number of variables the method has.
    pub(super) fn max_locals(&self) -> usize {
        self.locals.len()
    }

    /// The variables up to the last one that may be usable.
    pub(super) fn locals(&self) -> &[VType] {
        &self.locals[..self.n_used]
    }

    /// The type of a variable.
    pub(super) fn local(&self, idx: usize) -> VType {
        self.locals.get(idx).copied().unwrap_or(VType::Top)
    }

    pub(super) fn load(&mut self, stored: &StoredFrame) {
        let n_stored = stored.locals.len().min(self.locals.len());
        self.locals[..n_stored].copy_from_slice(&stored.locals[..n_stored]);
        if n_stored < self.n_used {
            self.locals[n_stored..self.n_used].fill(VType::Top);
        }
        self.n_used = n_stored;
        self.stack.clear();
        self.stack.extend_from_slice(&stored.stack);
        self.this_uninitialized = stored.this_uninitialized;
    }

    pub(super) fn load_declared(&mut self, declared: &DeclaredFrame) {
        self.locals[..self.n_used].fill(VType::Top);
        self.n_used = 0;
        for &(idx, word) in &declared.locals {
            let idx = usize::from(idx);
            if let Some(local) = self.locals.get_mut(idx) {
                *local = word;
                self.n_used = idx + 1;
            }
        }
        self.stack.clear();
        self.stack.extend_from_slice(&declared.stack);
        self.this_uninitialized = declared.this_uninitialized;
    }

    pub(super) fn store(&self) -> StoredFrame {
        self.store_with_stack(&self.stack)
    }

    pub(super) fn store_with_stack(&self, stack: &[VType]) -> StoredFrame {
        StoredFrame {
            locals: trimmed(self.locals()).into(),
            stack: stack.into(),
            this_uninitialized: self.this_uninitialized,
        }
    }

    /// Replaces one type by another everywhere.
    pub(super) fn replace(&mut self, from: VType, to: VType) {
        for word in self.locals[..self.n_used].iter_mut().chain(&mut self.stack) {
            if *word == from {
                *word = to;
            }
        }
    }

    /// Sets a local variable; whatever it overlaps becomes unusable. The layout has made sure
    /// that it exists.
    pub(super) fn set_local(&mut self, local: usize, value: VType) {
        let n_words = if value.high().is_some() { 2 } else { 1 };
        if self.locals.len() < local + n_words {
            return;
        }
        if self.locals[local].is_high() && 0 < local {
            self.locals[local - 1] = VType::Top;
        }
        let last = local + n_words - 1;
        if self.locals[last].high().is_some() && last + 1 < self.locals.len() {
            self.locals[last + 1] = VType::Top;
        }
        self.n_used = self.n_used.max(last + 1);
        self.locals[local] = value;
        if let Some(high) = value.high() {
            self.locals[local + 1] = high;
        }
    }
}

/// The variables up to the last usable one.
pub(super) fn trimmed(locals: &[VType]) -> &[VType] {
    let len = locals.iter().rposition(|&word| word != VType::Top).map_or(0, |last| last + 1);
    &locals[..len]
}

#[cfg(test)]
mod tests {
    use super::VType::{Int, Long, LongHigh, Top};
    use super::{DeclaredFrame, Frame};

    fn frame(n_locals: u16) -> Frame {
        Frame::new(n_locals, false)
    }

    #[test]
    fn overwriting_half_of_a_long_makes_the_other_half_unusable() {
        let mut low = frame(3);
        low.set_local(0, Long);
        assert_eq!(low.locals, [Long, LongHigh, Top]);
        low.set_local(0, Int);
        assert_eq!(low.locals, [Int, Top, Top]);

        let mut high = frame(3);
        high.set_local(0, Long);
        high.set_local(1, Int);
        assert_eq!(high.locals, [Top, Int, Top]);
    }

    #[test]
    fn a_long_written_across_two_longs_makes_both_unusable() {
        let mut across = frame(4);
        across.set_local(0, Long);
        across.set_local(2, Long);
        across.set_local(1, Long);
        assert_eq!(across.locals, [Top, Long, LongHigh, Top]);
    }

    #[test]
    fn a_stored_frame_loads_back_as_it_was() {
        let mut from = frame(4);
        from.set_local(1, Long);
        from.stack.push(Int);
        let stored = from.store();
        assert_eq!(&*stored.locals, [Top, Long, LongHigh]);
        let mut to = frame(4);
        to.set_local(3, Int);
        to.load(&stored);
        assert_eq!((&to.locals, &to.stack), (&from.locals, &from.stack));
        assert_eq!(to.locals(), [Top, Long, LongHigh]);
    }

    #[test]
    fn a_declared_frame_makes_all_other_variables_unusable() {
        let declared = DeclaredFrame::new(&[Top, Long, LongHigh, Top], &[Int]);
        let mut to = frame(5);
        to.set_local(0, Int);
        to.set_local(4, Int);
        to.load_declared(&declared);
        assert_eq!(
            (to.locals.as_slice(), to.locals()),
            ([Top, Long, LongHigh, Top, Top].as_slice(), [Top, Long, LongHigh].as_slice(),)
        );
        assert_eq!(to.stack, [Int]);
    }
}
