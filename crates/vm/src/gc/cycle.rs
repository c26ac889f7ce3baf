//! One collection: what is collected, what was found alive, where it goes.
//!
//! Marking sets one bit per granule of every live object; the number of bits below a granule is how
//! far it slides. Marking uses its own stack, so that no structure is too deep for it.
#![expect(unsafe_code, reason = "objects are moved as raw memory; see `heap.rs`")]

use super::loaders::Watch;
use super::shapes::{Layout, Shapes};
use crate::class::ReferenceKind;
use crate::heap::{ELEMENTS_OFFSET, Heap, LENGTH_OFFSET, META_OFFSET, META_RECORD};
use crate::value::Ref;

/// Room that a cycle needs, kept between collections.
#[derive(Debug, Default)]
pub(super) struct Room {
    bits: Vec<u64>,
    slides: Vec<u32>,
    stack: Vec<Ref>,
    discovered: Vec<Ref>,
    roots: Vec<*mut u32>,
    metas: Vec<*mut u32>,
}

/// See the module text.
pub(super) struct Cycle<'a> {
    base: *mut u8,
    /// First byte that is collected.
    from: usize,
    /// First byte behind what is collected.
    to: usize,
    shapes: &'a Shapes,
    room: Room,
    /// Whether soft references are treated like weak ones.
    clear_soft: bool,
    /// Whether references found from now on keep their referents.
    is_settled: bool,
    /// Class loaders that may be gone, where they are looked for.
    watch: Option<Box<Watch>>,
}

impl<'a> Cycle<'a> {
    pub(super) fn new(
        heap: &Heap,
        from: usize,
        shapes: &'a Shapes,
        room: Room,
        clear_soft: bool,
    ) -> Cycle<'a> {
        let mut room = room;
        room.bits.clear();
        room.bits.resize(((heap.top - from) >> 9) + 2, 0);
        let (base, to) = (heap.base, heap.top);
        Cycle { base, from, to, shapes, room, clear_soft, is_settled: false, watch: None }
    }

    /// Looks for class loaders that are gone.
    pub(super) fn set_watch(&mut self, watch: Box<Watch>) {
        self.watch = Some(watch);
    }

    /// Gives back what `set_watch` was given.
    pub(super) fn take_watch(&mut self) -> Option<Box<Watch>> {
        self.watch.take()
    }

    /// The class loaders that may be gone.
    pub(super) fn watch(&self) -> Option<&Watch> {
        self.watch.as_deref()
    }

    /// A class is in use.
    pub(super) fn meet_class(&mut self, class_id: u32) {
        if let Some(watch) = &mut self.watch {
            watch.meet_class(class_id);
        }
    }

    /// An object that is not collected is in use.
    #[inline(always)]
    fn meet_fixed(&mut self, object: Ref) {
        if let Some(watch) = &mut self.watch {
            watch.meet_fixed(object);
        }
    }

    /// The room, for the next cycle.
    pub(super) fn into_room(mut self) -> Room {
        self.room.roots.clear();
        self.room.metas.clear();
        self.room.discovered.clear();
        self.room
    }

    /// Whether this cycle collects the object.
    #[inline(always)]
    pub(super) fn collects(&self, object: Ref) -> bool {
        object.byte_offset() >= self.from
    }

    #[inline(always)]
    fn granule(&self, object: Ref) -> usize {
        (object.byte_offset() - self.from) >> 3
    }

    /// Whether the object was found alive, or is not collected at all.
    #[inline(always)]
    pub(super) fn is_live(&self, object: Ref) -> bool {
        if !self.collects(object) {
            return !self.watch.as_ref().is_some_and(|watch| watch.is_gone(object));
        }
        let granule = self.granule(object);
        self.room.bits[granule >> 6] >> (granule & 63) & 1 != 0
    }

    #[inline(always)]
    fn word(&self, object: Ref, offset: u32) -> *mut u32 {
        // SAFETY: objects and their slots lie inside the region.
        unsafe { self.base.add(object.byte_offset() + offset as usize).cast() }
    }

    #[inline(always)]
    fn load(&self, object: Ref, offset: u32) -> u32 {
        // SAFETY: as in `word`.
        unsafe { self.word(object, offset).read() }
    }

    // ---- marking ------------------------------------------------------------------------------

    /// Takes a word that holds a reference, and will hold the new one after the cycle. No word may
    /// be given twice.
    #[inline]
    pub(super) fn root(&mut self, slot: *mut u32) {
        // SAFETY: roots are words of the machine that outlive the cycle.
        let object = Ref(unsafe { slot.read() });
        if self.collects(object) {
            self.room.roots.push(slot);
            self.mark(object);
        } else {
            self.meet_fixed(object);
        }
    }

    /// Takes a slot of an object that is not collected.
    #[inline]
    pub(super) fn root_at(&mut self, at: usize) {
        // SAFETY: the slot lies inside the region.
        self.root(unsafe { self.base.add(at).cast() });
    }

    /// Takes the meta word of an object that is not collected.
    #[inline]
    pub(super) fn root_meta(&mut self, object: Ref) {
        let meta = self.load(object, META_OFFSET);
        if meta & META_RECORD != 0 && self.collects(Ref(meta & !META_RECORD)) {
            self.room.metas.push(self.word(object, META_OFFSET));
            self.mark(Ref(meta & !META_RECORD));
        }
    }

    /// Takes the slots of an object that is not collected and is no mirror, as far as they are
    /// new: no word may be given twice. References of weak kinds count as ordinary ones: their
    /// referents are kept.
    pub(super) fn root_object(&mut self, object: Ref, is_new: &dyn Fn(usize) -> bool) {
        self.root_meta(object);
        let start = object.byte_offset();
        let shapes = self.shapes;
        let (class_id, length) = (self.load(object, 0), self.load(object, LENGTH_OFFSET) as usize);
        let mut root = |offset: usize| {
            if is_new(start + offset) {
                self.root_at(start + offset);
            }
        };
        match shapes.layout(class_id) {
            Layout::Plain { first, n, .. } => {
                shapes.offsets(first, n).iter().for_each(|&offset| root(offset as usize));
            }
            Layout::Weak { first, n, .. } => {
                shapes.offsets(first, n).iter().for_each(|&offset| root(offset as usize));
                root(shapes.reference.referent as usize);
            }
            Layout::References => {
                (0..length).for_each(|idx| root(ELEMENTS_OFFSET as usize + idx * 4));
            }
            Layout::Numbers { .. } | Layout::Mirror => {}
        }
    }

    fn root_slots(&mut self, object: Ref, first: u32, n: u32) {
        let shapes = self.shapes;
        for &offset in shapes.offsets(first, n) {
            self.root(self.word(object, offset));
        }
    }

    /// Takes an object that is not collected and holds a weak reference, treating it as such.
    pub(super) fn root_weak(&mut self, object: Ref) {
        let Layout::Weak { first, n, kind, .. } = self.shapes.layout(self.load(object, 0)) else {
            return self.root_object(object, &|_| true);
        };
        self.root_meta(object);
        self.root_slots(object, first, n);
        if self.is_weak(object, kind) {
            self.room.discovered.push(object);
            self.room.roots.push(self.word(object, self.shapes.reference.referent));
        } else {
            self.root(self.word(object, self.shapes.reference.referent));
        }
    }

    /// Marks an object; it is scanned by `drain`.
    #[inline]
    pub(super) fn mark(&mut self, object: Ref) {
        if !self.collects(object) {
            return self.meet_fixed(object);
        }
        let granule = self.granule(object);
        debug_assert!(
            object.byte_offset() < self.to,
            "internal: a reference leads behind the heap"
        );
        let bit = 1 << (granule & 63);
        if self.room.bits[granule >> 6] & bit != 0 {
            return;
        }
        if self.watch.is_some() {
            self.meet_class(self.load(object, 0));
        }
        let (size, has_slots) = self.measure(object);
        self.set_bits(granule, size >> 3);
        if has_slots {
            self.room.stack.push(object);
        }
        let meta = self.load(object, META_OFFSET);
        if meta & META_RECORD != 0 {
            self.mark(Ref(meta & !META_RECORD));
        }
    }

    /// Size in bytes and whether there is something to scan.
    #[inline(always)]
    fn measure(&self, object: Ref) -> (usize, bool) {
        let array = |shift: u32| {
            (ELEMENTS_OFFSET as usize + ((self.load(object, LENGTH_OFFSET) as usize) << shift) + 7)
                & !7
        };
        match self.shapes.layout(self.load(object, 0)) {
            Layout::Plain { size, n, .. } => (size as usize, n > 0),
            Layout::Weak { size, .. } => (size as usize, true),
            Layout::Numbers { shift } => (array(shift), false),
            Layout::References => (array(2), true),
            Layout::Mirror => unreachable!("internal: a mirror in the main region"),
        }
    }

    #[inline(always)]
    fn set_bits(&mut self, first: usize, n: usize) {
        let bits = &mut self.room.bits;
        let (mut word, shift) = (first >> 6, first & 63);
        if shift + n <= 64 {
            bits[word] |= (u64::MAX >> (64 - n)) << shift;
            return;
        }
        bits[word] |= u64::MAX << shift;
        let mut left = n - (64 - shift);
        while left >= 64 {
            word += 1;
            bits[word] = u64::MAX;
            left -= 64;
        }
        if left > 0 {
            bits[word + 1] |= (1 << left) - 1;
        }
    }

    /// Scans marked objects until there is none left.
    pub(super) fn drain(&mut self) {
        while let Some(object) = self.room.stack.pop() {
            match self.shapes.layout(self.load(object, 0)) {
                Layout::Plain { first, n, .. } => self.scan(object, first, n),
                Layout::References => {
                    for idx in 0..self.load(object, LENGTH_OFFSET) {
                        // SAFETY: the element lies inside the array.
                        let element =
                            unsafe { self.word(object, ELEMENTS_OFFSET).add(idx as usize).read() };
                        self.mark(Ref(element));
                    }
                }
                Layout::Weak { first, n, kind, .. } => {
                    self.scan(object, first, n);
                    if self.is_weak(object, kind) {
                        self.room.discovered.push(object);
                    } else {
                        self.mark(Ref(self.load(object, self.shapes.reference.referent)));
                    }
                }
                Layout::Numbers { .. } | Layout::Mirror => {}
            }
        }
    }

    #[inline(always)]
    fn scan(&mut self, object: Ref, first: u32, n: u32) {
        let shapes = self.shapes;
        for &offset in shapes.offsets(first, n) {
            self.mark(Ref(self.load(object, offset)));
        }
    }

    /// Whether the referent is not kept by this reference: it is active, and the referent was not
    /// found otherwise (yet).
    fn is_weak(&self, reference: Ref, kind: ReferenceKind) -> bool {
        if self.is_settled || (kind == ReferenceKind::Soft && !self.clear_soft) {
            return false;
        }
        let fields = self.shapes.reference;
        let referent = Ref(self.load(reference, fields.referent));
        self.load(reference, fields.next) == 0 && !referent.is_null() && !self.is_live(referent)
    }

    // ---- references -------------------------------------------------------------------------

    /// Decides over the references whose referents were not found: clears them, or keeps the
    /// referents of final ones for their finalizers. Gives those to be put on the pending list, in
    /// the order soft, weak, final, phantom (`java.lang.ref`, package text).
    pub(super) fn decide_references(&mut self) -> Vec<Ref> {
        let mut pending = Vec::new();
        for kinds in [
            &[ReferenceKind::Soft, ReferenceKind::Weak][..],
            &[ReferenceKind::Final],
            &[ReferenceKind::Phantom],
        ] {
            self.decide(kinds, &mut pending);
        }
        pending
    }

    fn decide(&mut self, kinds: &[ReferenceKind], pending: &mut Vec<Ref>) {
        let fields = self.shapes.reference;
        let mut kept = Vec::new();
        for reference in std::mem::take(&mut self.room.discovered) {
            let Layout::Weak { kind, .. } = self.shapes.layout(self.load(reference, 0)) else {
                continue;
            };
            let referent = Ref(self.load(reference, fields.referent));
            if self.is_live(referent) {
                continue;
            }
            if !kinds.contains(&kind) {
                self.room.discovered.push(reference);
                continue;
            }
            pending.push(reference);
            // SAFETY: fields of a reference object. No barrier: the cycle looks at all references
            // again when it slides, and no mark is open.
            unsafe {
                if kind == ReferenceKind::Final {
                    // Not active any more: found once only.
                    self.word(reference, fields.next).write(reference.0);
                    kept.push(referent);
                } else {
                    self.word(reference, fields.referent).write(0);
                }
            }
        }
        // What finalizers see is whole: references found on the way keep their referents.
        self.is_settled = true;
        for referent in kept {
            self.mark(referent);
        }
        self.drain();
    }

    // ---- sliding ----------------------------------------------------------------------------

    /// Computes how far everything slides; gives the end of what is left.
    #[expect(clippy::cast_possible_truncation, reason = "granule indices fit 32 bits by layout")]
    pub(super) fn plan(&mut self) -> usize {
        let mut granule = (self.from >> 3) as u32;
        self.room.slides.clear();
        self.room.slides.extend(self.room.bits.iter().map(|bits| {
            let before = granule;
            granule += bits.count_ones();
            before
        }));
        (granule as usize) << 3
    }

    /// Where a live object goes.
    #[inline(always)]
    pub(super) fn forward(&self, object: Ref) -> Ref {
        if !self.collects(object) {
            return object;
        }
        let granule = self.granule(object);
        let below = self.room.bits[granule >> 6] & ((1 << (granule & 63)) - 1);
        Ref(self.room.slides[granule >> 6] + below.count_ones())
    }

    /// Brings all words given as roots up to date.
    pub(super) fn update_roots(&mut self) {
        #[cfg(feature = "self-checks")]
        for slots in [&mut self.room.roots, &mut self.room.metas] {
            slots.sort_unstable();
            assert!(
                slots.windows(2).all(|pair| pair[0] != pair[1]),
                "internal: a root was given twice"
            );
        }
        for &slot in &self.room.roots {
            // SAFETY: see `root`; the words are still there.
            unsafe { slot.write(self.forward(Ref(slot.read())).0) }
        }
        for &slot in &self.room.metas {
            // SAFETY: as above.
            unsafe { slot.write(self.forward(Ref(slot.read() & !META_RECORD)).0 | META_RECORD) }
        }
    }

    /// Slides every live object to its place, its slots brought up to date.
    pub(super) fn slide(&mut self) {
        let n_granules = (self.to - self.from) >> 3;
        let mut granule = 0;
        while let Some(next) = self.next_live(granule, n_granules) {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "granule indices fit 32 bits by layout"
            )]
            let object = Ref(((self.from >> 3) + next) as u32);
            let (size, _) = self.measure(object);
            self.update_slots(object);
            let new = self.forward(object);
            if new != object {
                // SAFETY: both ranges lie in the collected part; what lies at the new place was
                // moved or is dead, since objects slide down in order.
                unsafe {
                    let from = self.base.add(object.byte_offset());
                    std::ptr::copy(from, self.base.add(new.byte_offset()), size);
                }
            }
            granule = next + (size >> 3);
        }
    }

    fn next_live(&self, granule: usize, end: usize) -> Option<usize> {
        let bits = &self.room.bits;
        let mut word = granule >> 6;
        let mut rest = *bits.get(word)? & (u64::MAX << (granule & 63));
        while rest == 0 {
            word += 1;
            rest = *bits.get(word)?;
        }
        let found = (word << 6) + rest.trailing_zeros() as usize;
        (found < end).then_some(found)
    }

    #[inline(always)]
    fn update(&self, slot: *mut u32) {
        // SAFETY: a slot of a live object.
        unsafe {
            let old = slot.read();
            if self.collects(Ref(old)) {
                slot.write(self.forward(Ref(old)).0);
            }
        }
    }

    #[inline(always)]
    fn update_slots(&self, object: Ref) {
        let meta = self.load(object, META_OFFSET);
        if meta & META_RECORD != 0 {
            let record = self.forward(Ref(meta & !META_RECORD));
            // SAFETY: the meta word of a live object.
            unsafe { self.word(object, META_OFFSET).write(record.0 | META_RECORD) }
        }
        match self.shapes.layout(self.load(object, 0)) {
            Layout::Plain { first, n, .. } => {
                for &offset in self.shapes.offsets(first, n) {
                    self.update(self.word(object, offset));
                }
            }
            Layout::Weak { first, n, .. } => {
                for &offset in self.shapes.offsets(first, n) {
                    self.update(self.word(object, offset));
                }
                self.update(self.word(object, self.shapes.reference.referent));
            }
            Layout::References => {
                for idx in 0..self.load(object, LENGTH_OFFSET) as usize {
                    // SAFETY: the element lies inside the array.
                    self.update(unsafe { self.word(object, ELEMENTS_OFFSET).add(idx) });
                }
            }
            Layout::Numbers { .. } | Layout::Mirror => {}
        }
    }
}
