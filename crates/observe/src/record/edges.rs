//! Which ways branches of the classes under test went, bin by bin.

use rustc_hash::FxHashMap;
use vm::mode::Place;
use vm::value::MethodId;
use vm::vm::Vm;

/// A numbering of branch edges, and which of them every bin took.
#[derive(Debug, Default)]
pub(super) struct Edges {
    /// By method.
    methods: Vec<Watched>,
    /// Edges of switches.
    cases: FxHashMap<(Place, u32), u32>,
    /// By number.
    pub(super) edges: Vec<(Place, u32)>,
    /// By number: one more than the bin that took the edge last.
    last: Vec<u32>,
    /// Bin and edge, without immediate repetitions.
    pub(super) taken: Vec<(u32, u32)>,
}

#[derive(Debug, Default)]
enum Watched {
    #[default]
    Unknown,
    No,
    /// By bytecode index: one more than the number of the edge of a condition that is not taken; that
    /// of the other edge follows it.
    Yes(Vec<u32>),
}

impl Edges {
    /// A branch goes its way.
    #[inline]
    pub(super) fn take(
        &mut self,
        vm: &Vm,
        place: Place,
        edge: u32,
        bin: u32,
        is_wanted: impl FnOnce(&Vm, MethodId) -> bool,
    ) {
        let number = match self.methods.get(place.method.idx()) {
            Some(Watched::No) => return,
            Some(Watched::Yes(numbers)) if edge < 2 => {
                match numbers.get(usize::from(place.bci)).copied() {
                    Some(first) if first > 0 => first - 1 + edge,
                    _ => self.add(place, edge),
                }
            }
            Some(Watched::Yes(_)) => self.add(place, edge),
            _ => {
                let is_wanted = is_wanted(vm, place.method);
                if self.methods.len() <= place.method.idx() {
                    self.methods.resize_with(place.method.idx() + 1, Watched::default);
                }
                self.methods[place.method.idx()] =
                    if is_wanted { Watched::Yes(Vec::new()) } else { Watched::No };
                if !is_wanted {
                    return;
                }
                self.add(place, edge)
            }
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
        if let Watched::Yes(numbers) = &mut self.methods[place.method.idx()] {
            let bci = usize::from(place.bci);
            if numbers.len() <= bci {
                numbers.resize(bci + 1, 0);
            }
            numbers[bci] = first + 1;
        }
        first + edge
    }
}
