//! Watches the unmutated suite: coverage as a whole, and which mutants each stretch of it reaches.
//!
//! A mutant is reached where its instruction may have run. Reached *lastingly* means: in a way that later
//! tests may feel without running the instruction themselves, because it was a static initialiser or
//! something done once for a whole class of tests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use classfile::ClassFile;
use classfile::instructions;
use vm::mode::{Mode, Place};
use vm::value::{ClassId, MethodId, Ref};
use vm::vm::Vm;

use super::Mutant;
use super::survey::Escaped;
use crate::coverage::method::spans;
use crate::coverage::{Probe, Wanted, is_set, set};

/// What a stretch of the suite reached, as positions in the list of mutants, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reached {
    pub(super) passing: Vec<usize>,
    pub(super) lasting: Vec<usize>,
}

/// Where the mutants are: by class, then by method slot, bytecode index and position in the list.
#[derive(Debug, Default)]
pub(super) struct Sites {
    files: BTreeMap<String, Arc<ClassFile>>,
    by_method: BTreeMap<(String, usize), Vec<(u16, usize)>>,
}

impl Sites {
    pub(super) fn new(files: &[Arc<ClassFile>], mutants: &[Mutant]) -> Sites {
        let name = |file: &ClassFile| classfile::mutf8::display(file.name());
        let mut sites = Sites::default();
        sites.files.extend(files.iter().map(|file| (name(file), Arc::clone(file))));
        for (idx, mutant) in mutants.iter().enumerate() {
            let key = (mutant.class.clone(), mutant.slot);
            sites.by_method.entry(key).or_default().push((mutant.bci, idx));
        }
        sites
    }
}

/// The observer.
pub(super) struct Watch {
    /// Coverage of everything so far.
    pub(super) probe: Probe,
    sites: Sites,
    rows: Vec<Row>,
    /// By method, as far as methods were met.
    known: Vec<Known>,
    /// Methods that ran since the last look.
    ran: Vec<MethodId>,
    /// Static initialisers under way.
    initialising: BTreeSet<MethodId>,
    /// Constructors of test classes under way.
    constructing: BTreeSet<MethodId>,
    /// Between tests rather than in one.
    is_between: bool,
    /// Methods of the classes under test.
    watched: BTreeSet<MethodId>,
    /// Class of what was thrown last.
    thrown: Option<ClassId>,
    /// Exceptions that left the classes under test.
    pub(super) escaped: BTreeSet<Escaped>,
}

/// Whether steps of a method are looked at.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It was not met yet: a step does not tell the class, so its steps are kept until the next look.
    #[default]
    New,
    /// It may matter.
    Loud,
    /// Nothing about it matters.
    Quiet,
}

/// What is special about a method.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Ordinary,
    /// A static initialiser.
    Initialises,
    /// The constructor of a class whose objects serve one test each.
    MakesTestObject,
}

#[derive(Default)]
struct Row {
    /// Positions that ran since the last look, passing and lasting.
    bits: [Vec<u64>; 2],
    mutants: Option<Vec<(std::ops::Range<usize>, usize)>>,
    is_ignored: bool,
    part: Part,
}

impl Watch {
    /// An observer of a machine on which the user's classes are loaded, test classes among them.
    pub(super) fn new(
        vm: &Vm,
        wanted: Wanted,
        user_classes: &[ClassId],
        is_test_class: &dyn Fn(&str) -> bool,
        sites: Sites,
    ) -> Watch {
        let mut rows: Vec<Row> = Vec::new();
        let mut watched = BTreeSet::new();
        for &class in user_classes {
            let class = vm.class(class);
            if wanted(&class.name.to_string()) {
                watched.extend(class.methods.iter().map(|method| method.id));
            }
            // JUnit 3 makes all its objects before the first test.
            let is_junit3 = class
                .supers
                .iter()
                .any(|&ancestor| vm.class(ancestor).name.as_bytes() == b"junit/framework/TestCase");
            let is_fresh = !is_junit3 && is_test_class(&class.name.to_string());
            for method in &class.methods {
                let part = if method.is_static_initialiser() {
                    Part::Initialises
                } else if method.is_constructor() && is_fresh {
                    Part::MakesTestObject
                } else {
                    continue;
                };
                if rows.len() <= method.id.idx() {
                    rows.resize_with(method.id.idx() + 1, Row::default);
                }
                rows[method.id.idx()].part = part;
            }
        }
        Watch {
            probe: Probe::new(wanted),
            sites,
            rows,
            known: Vec::new(),
            ran: Vec::new(),
            initialising: BTreeSet::new(),
            constructing: BTreeSet::new(),
            is_between: true,
            watched,
            thrown: None,
            escaped: BTreeSet::new(),
        }
    }

    /// What was reached since the last call. `goes_into_test`: what follows is a test itself.
    pub(super) fn look(&mut self, vm: &Vm, goes_into_test: bool) -> Reached {
        self.is_between = !goes_into_test;
        let mut reached = Reached::default();
        for method in std::mem::take(&mut self.ran) {
            let row = &mut self.rows[method.idx()];
            let mutants = row.mutants.get_or_insert_with(|| mutants_of(vm, &self.sites, method));
            // Its code is there, so nothing will change that.
            row.is_ignored = mutants.is_empty();
            self.meet(vm, method);
            let row = &mut self.rows[method.idx()];
            for (positions, idx) in row.mutants.iter().flatten() {
                for (bits, found) in
                    row.bits.iter().zip([&mut reached.passing, &mut reached.lasting])
                {
                    if positions.clone().any(|at| is_set(bits, at)) {
                        found.push(*idx);
                    }
                }
            }
            for bits in &mut row.bits {
                bits.clear();
            }
        }
        for found in [&mut reached.passing, &mut reached.lasting] {
            found.sort_unstable();
            found.dedup();
        }
        reached
    }
}

impl Watch {
    /// Forgets what was taken down under a mark that was rolled back since, when there were so many methods.
    pub(super) fn forget_trial(&mut self, n_methods: usize) {
        self.initialising.clear();
        self.constructing.clear();
        self.known.truncate(n_methods);
        self.rows.truncate(n_methods);
        self.probe.forget_from(n_methods);
    }

    /// Finds out whether a method matters; tells whether it does.
    fn meet(&mut self, vm: &Vm, method: MethodId) -> bool {
        if self.known.len() <= method.idx() {
            self.known.resize(method.idx() + 1, Known::New);
        }
        if self.known[method.idx()] == Known::New {
            let is_special =
                self.rows.get(method.idx()).is_some_and(|row| row.part != Part::Ordinary);
            let is_loud = is_special || self.probe.watches(vm, method);
            self.known[method.idx()] = if is_loud { Known::Loud } else { Known::Quiet };
        }
        self.known[method.idx()] == Known::Loud
    }

    /// An instruction runs in a method that may matter.
    #[inline(never)]
    fn take_step(&mut self, method: MethodId, position: u32) {
        if self.rows.len() <= method.idx() {
            self.rows.resize_with(method.idx() + 1, Row::default);
        }
        let row = &mut self.rows[method.idx()];
        // Calls that the machine makes are not told of, but they begin at the first position. Its
        // instruction may be interrupted and run again.
        if position == 0 && row.part != Part::Ordinary {
            match row.part {
                Part::MakesTestObject => self.constructing.insert(method),
                _ => self.initialising.insert(method),
            };
        }
        if row.is_ignored {
            self.probe.step(method, position);
            return;
        }
        if row.bits.iter().all(Vec::is_empty) {
            self.ran.push(method);
        }
        let is_lasting =
            !self.initialising.is_empty() || (self.is_between && self.constructing.is_empty());
        if set(&mut row.bits[usize::from(is_lasting)], position as usize) {
            self.probe.step(method, position);
        }
    }

    /// An exception leaves a method under test; if its caller is none, that counts.
    fn escape(&mut self, vm: &Vm, method: MethodId) {
        let caller = vm.walk().nth(1);
        let Some(thrown) = self.thrown else { return };
        if caller.is_some_and(|caller| self.watched.contains(&caller.method)) {
            return;
        }
        let (class, name) = (vm.method(method).class, vm.method(method).name);
        self.escaped.insert(Escaped {
            exception: vm.class(thrown).external_name(),
            class: vm.class(class).name.to_string(),
            method: name.to_string(),
            descriptor: vm.method(method).descriptor.to_string(),
        });
    }
}

/// The mutants of a method that ran, with the positions that stand for their instructions.
pub(super) fn mutants_of(
    vm: &Vm,
    sites: &Sites,
    method: MethodId,
) -> Vec<(std::ops::Range<usize>, usize)> {
    let class = vm.class(vm.method(method).class);
    let slot = usize::from(vm.method(method).slot);
    let Some(mutants) = sites.by_method.get(&(class.name.to_string(), slot)) else {
        return Vec::new();
    };
    let Some(compiled) = vm.methods.code(method) else { return Vec::new() };
    // Another loader's class may have the name and other content.
    let file = sites.files.get(&class.name.to_string());
    let file =
        file.filter(|file| class.file().is_some_and(|other| other.bytes()[..] == file.bytes()[..]));
    let Some((file, code)) =
        file.and_then(|file| Some((file, file.methods().get(slot)?.code.as_ref()?)))
    else {
        return Vec::new();
    };
    let instructions: Vec<_> = instructions::iter(file.instructions(code)).collect();
    let spans = spans(&instructions, code, compiled);
    let position = |bci: u16| {
        let at = instructions.binary_search_by_key(&bci, |instruction| instruction.pc).ok()?;
        spans.iter().find(|span| span.instructions.contains(&at)).map(|span| span.positions.clone())
    };
    let everywhere = 0..compiled.insns.len();
    let with_positions =
        mutants.iter().map(|&(bci, idx)| (position(bci).unwrap_or(everywhere.clone()), idx));
    with_positions.collect()
}

impl Mode for Watch {
    const STEPS: bool = true;
    const BRANCHES: bool = true;
    const CALLS: bool = true;
    const EXCEPTIONS: bool = true;

    #[inline]
    fn step(&mut self, method: MethodId, position: u32) {
        if self.known.get(method.idx()) != Some(&Known::Quiet) {
            self.take_step(method, position);
        }
    }

    fn wants_branches(&mut self, vm: &mut Vm, method: MethodId) -> bool {
        self.meet(vm, method) && self.probe.wants_branches(vm, method)
    }

    fn branch(&mut self, vm: &mut Vm, place: Place, edge: u32) {
        self.probe.branch(vm, place, edge);
    }

    #[inline]
    fn enter(&mut self, vm: &mut Vm, method: MethodId, _: &[u64]) {
        if self.known.get(method.idx()).is_none_or(|&known| known == Known::New) {
            self.meet(vm, method);
        }
    }

    fn thrown(&mut self, vm: &mut Vm, exception: Ref) {
        self.thrown = Some(vm.class_of(exception));
    }

    fn leave(&mut self, vm: &mut Vm, method: MethodId, result: Option<u64>) {
        if result.is_none() && self.watched.contains(&method) {
            self.escape(vm, method);
        }
        match self.rows.get(method.idx()).map(|row| row.part) {
            Some(Part::Initialises) => self.initialising.remove(&method),
            Some(Part::MakesTestObject) => self.constructing.remove(&method),
            Some(Part::Ordinary) | None => false,
        };
    }
}
