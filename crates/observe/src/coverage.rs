//! Coverage of lines and branches: a [`Probe`] takes down which instructions ran and which way branches
//! went; [`measure`] compares that with everything the class files hold.
//!
//! A branch has one edge per way it can go: two for a condition, one per case and one for the default of
//! a switch, also where cases share a target; gaps that a compiler fills count as the default. What the compiler adds (bridges and other synthetic
//! methods, but not the bodies of lambdas) is not counted.

pub(crate) mod method;

use std::collections::BTreeMap;
use std::sync::Arc;

use classfile::{ClassFile, MethodInfo, access};
use rustc_hash::FxHashMap;
use vm::code::translate;
use vm::mode::{Mode, Place};
use vm::value::{ClassId, MethodId};
use vm::vm::Vm;

/// Decides by internal name whether a class is watched.
pub type Wanted = Box<dyn Fn(&str) -> bool + Send>;

/// Takes down what runs. One probe may watch several calls on one machine.
pub struct Probe {
    wanted: Wanted,
    /// By method; grows as methods are met.
    hits: Vec<Hits>,
}

/// What is known of one method.
#[derive(Debug, Default)]
struct Hits {
    watched: Watched,
    /// One bit per position of the method's code.
    steps: Vec<u64>,
    /// One bit per edge, by bytecode index of the branch.
    edges: FxHashMap<u16, Vec<u64>>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Watched {
    /// Not asked yet: a step does not tell the class.
    #[default]
    Unknown,
    Yes,
    No,
}

impl Probe {
    /// A probe for the classes that `wanted` accepts.
    pub fn new(wanted: Wanted) -> Probe {
        Probe { wanted, hits: Vec::new() }
    }

    /// What a probe would have taken down where branches went these ways; of lines it knows nothing.
    pub fn of_edges(edges: impl Iterator<Item = (Place, u32)>) -> Probe {
        let mut probe = Probe::new(Box::new(|_| true));
        for (place, edge) in edges {
            let hits = probe.hits(place.method);
            set(hits.edges.entry(place.bci).or_default(), edge as usize);
        }
        probe
    }

    /// Whether the class of a method is watched.
    pub(crate) fn watches(&mut self, vm: &Vm, method: MethodId) -> bool {
        if self.hits(method).watched == Watched::Unknown {
            let class = vm.class(vm.method(method).class).name.to_string();
            let watched = if (self.wanted)(&class) { Watched::Yes } else { Watched::No };
            let hits = self.hits(method);
            hits.watched = watched;
            if watched == Watched::No {
                hits.steps = Vec::new();
            }
        }
        self.hits(method).watched == Watched::Yes
    }

    /// Forgets methods from this number on: a rollback took them back.
    pub(crate) fn forget_from(&mut self, n_methods: usize) {
        self.hits.truncate(n_methods);
    }

    fn hits(&mut self, method: MethodId) -> &mut Hits {
        if self.hits.len() <= method.idx() {
            self.hits.resize_with(method.idx() + 1, Hits::default);
        }
        &mut self.hits[method.idx()]
    }
}

impl Mode for Probe {
    const STEPS: bool = true;
    const BRANCHES: bool = true;

    fn step(&mut self, method: MethodId, position: u32) {
        let hits = self.hits(method);
        if hits.watched != Watched::No {
            set(&mut hits.steps, position as usize);
        }
    }

    fn wants_branches(&mut self, vm: &mut Vm, method: MethodId) -> bool {
        self.watches(vm, method)
    }

    fn branch(&mut self, vm: &mut Vm, place: Place, edge: u32) {
        if self.watches(vm, place.method) {
            let hits = self.hits(place.method);
            set(hits.edges.entry(place.bci).or_default(), edge as usize);
        }
    }
}

/// Sets a bit; tells whether it was not set before.
pub(crate) fn set(bits: &mut Vec<u64>, at: usize) -> bool {
    let word = at / 64;
    if bits.len() <= word {
        bits.resize(word + 1, 0);
    }
    let bit = 1 << (at % 64);
    let is_new = bits[word] & bit == 0;
    bits[word] |= bit;
    is_new
}

pub(crate) fn is_set(bits: &[u64], at: usize) -> bool {
    bits.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 != 0)
}

/// So many of so many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ratio {
    /// Covered ones.
    pub covered: usize,
    /// All.
    pub total: usize,
}

impl std::ops::AddAssign for Ratio {
    fn add_assign(&mut self, other: Ratio) {
        self.covered += other.covered;
        self.total += other.total;
    }
}

/// Coverage of classes, in the order in which they were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// One entry per class.
    pub classes: Vec<ClassCoverage>,
}

/// Coverage of one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassCoverage {
    /// Internal name.
    pub name: String,
    /// Source file, if the class tells.
    pub source: Option<String>,
    /// Methods with a body, in the order of the class file.
    pub methods: Vec<MethodCoverage>,
}

/// Coverage of one method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodCoverage {
    /// Name.
    pub name: String,
    /// Descriptor.
    pub descriptor: String,
    /// Source lines with code, ascending, and whether any of it ran.
    pub lines: BTreeMap<u16, bool>,
    /// Bytecode instructions in order: their lines, and whether they ran.
    pub instructions: Vec<(Option<u16>, bool)>,
    /// Branches in the order of the code.
    pub branches: Vec<BranchCoverage>,
}

/// Coverage of one branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchCoverage {
    /// Bytecode index of the instruction.
    pub bci: u16,
    /// Its source line, if the class tells.
    pub line: Option<u16>,
    /// Which edges were taken: of a condition not taken and taken, of a switch the cases and the default.
    pub edges: Vec<bool>,
}

impl Coverage {
    /// Lines of all classes.
    pub fn lines(&self) -> Ratio {
        sum(self.classes.iter().map(ClassCoverage::lines))
    }

    /// Branch edges of all classes.
    pub fn branches(&self) -> Ratio {
        sum(self.classes.iter().map(ClassCoverage::branches))
    }
}

impl Coverage {
    /// Adds what another run over the same classes covered.
    pub fn merge(&mut self, other: &Coverage) {
        let methods = |coverage: &Coverage| {
            coverage.classes.iter().flat_map(|class| class.methods.clone()).collect::<Vec<_>>()
        };
        let others = methods(other);
        let own = self.classes.iter_mut().flat_map(|class| &mut class.methods);
        for (own, other) in own.zip(others) {
            for (line, covered) in other.lines {
                *own.lines.entry(line).or_default() |= covered;
            }
            for (own, other) in own.instructions.iter_mut().zip(other.instructions) {
                own.1 |= other.1;
            }
            for (own, other) in own.branches.iter_mut().zip(other.branches) {
                for (own, other) in own.edges.iter_mut().zip(other.edges) {
                    *own |= other;
                }
            }
        }
    }
}

impl ClassCoverage {
    /// Lines of the class; a line that several methods share counts once.
    pub fn lines(&self) -> Ratio {
        let mut lines: BTreeMap<u16, bool> = BTreeMap::new();
        for (&line, &covered) in self.methods.iter().flat_map(|method| &method.lines) {
            *lines.entry(line).or_default() |= covered;
        }
        ratio(lines.into_values())
    }

    /// Branch edges of the class.
    pub fn branches(&self) -> Ratio {
        sum(self.methods.iter().map(MethodCoverage::branches))
    }
}

impl MethodCoverage {
    /// Lines of the method.
    pub fn covered_lines(&self) -> Ratio {
        ratio(self.lines.values().copied())
    }

    /// Whether any of it ran.
    pub fn has_run(&self) -> bool {
        self.instructions.iter().any(|&(_, covered)| covered)
    }

    /// Branch edges of the method.
    pub fn branches(&self) -> Ratio {
        ratio(self.branches.iter().flat_map(|branch| branch.edges.iter().copied()))
    }
}

fn ratio(all: impl Iterator<Item = bool>) -> Ratio {
    let mut ratio = Ratio::default();
    for covered in all {
        ratio += Ratio { covered: usize::from(covered), total: 1 };
    }
    ratio
}

fn sum(all: impl Iterator<Item = Ratio>) -> Ratio {
    let mut sum = Ratio::default();
    for ratio in all {
        sum += ratio;
    }
    sum
}

/// Coverage of these classes, whether they were loaded or not. A class that several loaders defined
/// counts as covered where any of them ran.
pub fn measure(vm: &Vm, probe: &Probe, files: &[Arc<ClassFile>]) -> Coverage {
    let mut by_name: FxHashMap<&[u8], Vec<ClassId>> = FxHashMap::default();
    for class in &vm.classes {
        by_name.entry(class.class.name.as_bytes()).or_default().push(class.class.id);
    }
    let classes = files.iter().map(|file| {
        let loaded = by_name.get(file.name()).map_or(&[][..], Vec::as_slice);
        measure_class(vm, probe, file, loaded)
    });
    Coverage { classes: classes.collect() }
}

fn measure_class(vm: &Vm, probe: &Probe, file: &ClassFile, loaded: &[ClassId]) -> ClassCoverage {
    let mut methods = Vec::new();
    for (slot, info) in file.methods().iter().enumerate() {
        let Some(code) = &info.code else { continue };
        if is_added_by_compiler(file, info) {
            continue;
        }
        let mut coverage = method::uncovered(file, info, code);
        for id in method_ids(vm, file, loaded, slot) {
            if let (Some(hits), Some(compiled)) = (probe.hits.get(id.idx()), vm.methods.code(id)) {
                method::cover(&mut coverage, file, code, compiled, hits);
            }
        }
        methods.push(coverage);
    }
    let text = |bytes: &[u8]| classfile::mutf8::display(bytes);
    ClassCoverage { name: text(file.name()), source: file.source_file().map(text), methods }
}

/// The methods of loaded classes with a body: file, method, how many ways its branches can go, and its
/// position in the file.
pub fn edges_by_method<'f>(
    vm: &Vm,
    files: &'f [Arc<ClassFile>],
) -> Vec<(&'f Arc<ClassFile>, MethodId, usize, usize)> {
    let mut by_name: FxHashMap<&[u8], Vec<ClassId>> = FxHashMap::default();
    for class in &vm.classes {
        by_name.entry(class.class.name.as_bytes()).or_default().push(class.class.id);
    }
    let mut methods = Vec::new();
    for file in files {
        let loaded = by_name.get(file.name()).map_or(&[][..], Vec::as_slice);
        for (slot, info) in file.methods().iter().enumerate() {
            let Some(code) = info.code.as_ref().filter(|_| !is_added_by_compiler(file, info))
            else {
                continue;
            };
            let branches = method::uncovered(file, info, code).branches;
            let n_edges = branches.iter().map(|branch| branch.edges.len()).sum();
            methods.extend(
                method_ids(vm, file, loaded, slot).take(1).map(|id| (file, id, n_edges, slot)),
            );
        }
    }
    methods
}

/// The edges that single branch events stand for, in one numbering for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identified {
    /// By event: the number of its edge; `None` where it is not counted.
    pub of: Vec<Option<u32>>,
    /// How many edges the classes have.
    pub total: usize,
}

/// Says which edge of these classes each event is, so that what several tests cover together can be
/// counted without measuring again.
pub fn identify(vm: &Vm, files: &[Arc<ClassFile>], events: &[(Place, u32)]) -> Identified {
    let mut by_method: FxHashMap<MethodId, Vec<usize>> = FxHashMap::default();
    for (idx, (place, _)) in events.iter().enumerate() {
        by_method.entry(place.method).or_default().push(idx);
    }
    let mut by_name: FxHashMap<&[u8], Vec<ClassId>> = FxHashMap::default();
    for class in &vm.classes {
        by_name.entry(class.class.name.as_bytes()).or_default().push(class.class.id);
    }
    let mut identified = Identified { of: vec![None; events.len()], total: 0 };
    for file in files {
        let loaded = by_name.get(file.name()).map_or(&[][..], Vec::as_slice);
        for (slot, info) in file.methods().iter().enumerate() {
            let Some(code) = &info.code else { continue };
            if is_added_by_compiler(file, info) {
                continue;
            }
            let nothing = method::uncovered(file, info, code);
            for id in method_ids(vm, file, loaded, slot) {
                let Some(of_method) = by_method.get(&id) else { continue };
                // Another machine may have run it, and this one never.
                let own;
                let compiled = match vm.methods.code(id) {
                    Some(compiled) => compiled,
                    None => match translate(vm.class(vm.method(id).class), vm.method(id)) {
                        Ok(translated) => {
                            own = translated;
                            &own
                        }
                        Err(_) => continue,
                    },
                };
                for &idx in of_method {
                    let probe = Probe::of_edges(std::iter::once(events[idx]));
                    let mut one = nothing.clone();
                    method::cover(&mut one, file, code, compiled, &probe.hits[id.idx()]);
                    let edges = one.branches.iter().flat_map(|branch| branch.edges.iter());
                    let at = edges.copied().position(|is_covered| is_covered);
                    identified.of[idx] =
                        at.and_then(|at| u32::try_from(identified.total + at).ok());
                }
            }
            identified.total += nothing.branches().total;
        }
    }
    identified
}

/// What the machine calls the method in this slot of a class file.
fn method_ids(
    vm: &Vm,
    file: &ClassFile,
    loaded: &[ClassId],
    slot: usize,
) -> impl Iterator<Item = MethodId> {
    // Another loader's class may have the name and other content.
    let is_same = |&&class: &&ClassId| {
        vm.class(class).file().is_some_and(|other| other.bytes()[..] == file.bytes()[..])
    };
    let id = move |&class: &ClassId| vm.class(class).methods.get(slot).map(|method| method.id);
    loaded.iter().filter(is_same).filter_map(id)
}

/// Bridges and accessors; the bodies of lambdas are the user's.
fn is_added_by_compiler(file: &ClassFile, method: &MethodInfo) -> bool {
    let name = file.constant_pool().utf8(method.name);
    method.access_flags & access::SYNTHETIC != 0 && !name.starts_with(b"lambda$")
}
