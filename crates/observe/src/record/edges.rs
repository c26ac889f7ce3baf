//! Which ways branches of the classes under test went, bin by bin.

use rustc_hash::FxHashMap;
use vm::mode::Place;
use vm::value::MethodId;

use crate::known_ways::KnownWays;

/// A numbering of branch edges, and which of them every bin took.
#[derive(Debug, Default)]
pub(super) struct Edges {
    /// By method.
    watched: Vec<Watched>,
    /// By method, where it is watched, and bytecode index: one more than the number of the edge of a
    /// condition that is not taken; that of the other edge follows it.
    conditions: Vec<Vec<u32>>,
    /// Edges of switches.
    cases: FxHashMap<(Place, u32), u32>,
    /// By number.
    pub(super) edges: Vec<(Place, u32)>,
    /// By number: one more than the bin that took the edge last.
    last: Vec<u32>,
    /// Bin and edge, without immediate repetitions.
    pub(super) taken: Vec<(u32, u32)>,
    /// Ways that the bin has taken, or that are not taken down.
    known: KnownWays,
    /// The bin that they are known for.
    known_for: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watched {
    Unknown,
    No,
    Yes,
}

impl Edges {
    /// Whether a way of a branch, by the address of its instruction, is nothing new for a bin.
    #[inline(always)]
    pub(super) fn knows(&mut self, address: usize, edge: u32, bin: u32) -> bool {
        if self.known_for != bin {
            self.known_for = bin;
            self.known.forget();
        }
        self.known.knows(address, edge)
    }

    /// Whether the branches of a method are taken down.
    #[inline]
    pub(super) fn watches(&mut self, method: MethodId, is_wanted: impl FnOnce() -> bool) -> bool {
        match self.watched.get(method.idx()) {
            Some(Watched::No) => false,
            Some(Watched::Yes) => true,
            _ => self.look(method, is_wanted()),
        }
    }

    #[cold]
    fn look(&mut self, method: MethodId, is_wanted: bool) -> bool {
        if self.watched.len() <= method.idx() {
            self.watched.resize(method.idx() + 1, Watched::Unknown);
        }
        if is_wanted && self.conditions.len() <= method.idx() {
            self.conditions.resize_with(method.idx() + 1, Vec::new);
        }
        self.watched[method.idx()] = if is_wanted { Watched::Yes } else { Watched::No };
        is_wanted
    }

    /// A branch of a method that is watched goes its way.
    #[inline]
    pub(super) fn take(&mut self, place: Place, edge: u32, bin: u32) {
        let Some(numbers) = self.conditions.get(place.method.idx()) else { return };
        let number = match numbers.get(usize::from(place.bci)).copied() {
            Some(first) if first > 0 && edge < 2 => first - 1 + edge,
            _ => self.add(place, edge),
        };
        let last = &mut self.last[number as usize];
        if *last != bin + 1 {
            *last = bin + 1;
            self.taken.push((bin, number));
        }
    }

    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "far fewer edges than 2^32")]
    fn add(&mut self, place: Place, edge: u32) -> u32 {
        let mut new = |edge: u32| {
            self.edges.push((place, edge));
            self.last.push(0);
            self.edges.len() as u32 - 1
        };
        if edge >= 2 {
            return *self.cases.entry((place, edge)).or_insert_with(|| new(edge));
        }
        let first = new(0);
        new(1);
        let numbers = &mut self.conditions[place.method.idx()];
        let bci = usize::from(place.bci);
        if numbers.len() <= bci {
            numbers.resize(bci + 1, 0);
        }
        numbers[bci] = first + 1;
        first + edge
    }
}
