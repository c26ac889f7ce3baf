//! The world that all sequences start from: classes initialised, strings and literals made, once and for all.

use std::collections::BTreeSet;
use std::sync::Arc;

use classfile::ClassFile;
use suite::constant::Constant;

use super::super::Settings;
use super::super::catalogue::{Catalogue, OpId};
use super::super::edges::EdgeWatch;
use super::super::extend::Extension;
use super::super::guide::{Choosing, Guide};
use super::super::harvest::Harvest;
use super::super::rng::Rng;
use super::Worker;
use crate::states::Watch;

/// Sequences that warm a machine up, about.
const WARM_UP: usize = 4000;
/// The share of the time that this may take.
const WARM_UP_SHARE: f64 = 0.2;

impl Worker {
    /// From here on the world is what it is now: all later work is rolled back to it.
    pub(in crate::random) fn settle(&mut self, catalogue: &Catalogue) {
        self.intern_texts();
        self.make_literals(catalogue);
        let vm = &mut self.session.vm;
        let hash = vm.lookup_method(vm.known.string, b"hashCode", b"()I");
        for (constant, &word) in catalogue.literals().iter().zip(&self.literals) {
            // A string remembers its hash once it was asked; that must not look like a change later.
            if let (Constant::Text(_), Some(hash)) = (constant, hash) {
                let _ = vm.call_plain(hash, &[word]);
            }
        }
        // Whatever ran may have moved them.
        self.make_literals(catalogue);
        self.watch_methods(catalogue);
        let vm = &self.session.vm;
        let is_judged = |entry: &vm::class::ClassRt| {
            catalogue.is_judged(&entry.class.name.to_string(), vm.is_jdk_loader(entry.class.loader))
        };
        self.judged = vm.classes.iter().map(is_judged).collect();
        self.shared_below = self.session.vm.heap.top;
        self.n_classes = self.session.vm.classes.len();
    }

    /// Makes the strings of all code that is loaded, so that meeting one for the first time changes nothing.
    fn intern_texts(&mut self) {
        let files: Vec<Arc<ClassFile>> = self
            .session
            .vm
            .classes
            .iter()
            .filter_map(|entry| entry.class.file().cloned())
            .collect();
        for file in files {
            let pool = file.constant_pool();
            for idx in 1..u16::try_from(pool.len()).unwrap_or(u16::MAX) {
                if let (Some(classfile::Constant::String { .. }), Some(text)) =
                    (pool.get(idx), pool.try_string(idx))
                {
                    // Without memory for it the code that needs it says so.
                    let _ = self.session.complete(|vm| vm.intern_mutf8(text));
                }
            }
        }
    }

    fn make_literals(&mut self, catalogue: &Catalogue) {
        self.literals.clear();
        for constant in catalogue.literals() {
            let word = self.session.constant(constant).unwrap_or(0);
            self.literals.push(word);
        }
    }

    /// Tries everything for a while to see which classes are initialised on the way, so that they can be
    /// initialised for good and not again for every sequence. Leaves the machine as it was.
    pub(in crate::random) fn explore_classes(
        &mut self,
        catalogue: &Catalogue,
        settings: &Settings,
        pass: usize,
        watch: &dyn Watch,
    ) -> Vec<String> {
        let guide = Guide::new(catalogue, Choosing::Uniform);
        let mut harvest = Harvest::new(catalogue, guide, true, usize::MAX);
        self.met = Some(BTreeSet::new());
        let n_ops = catalogue.ops().len();
        let n_sequences = (WARM_UP / n_ops.max(1)).clamp(1, 12) * n_ops;
        for nth in 0..n_sequences {
            if watch.is_spent(WARM_UP_SHARE) {
                break;
            }
            let rng = Rng::of(settings.seed ^ 0x3a7e, (pass * n_sequences + nth) as u64);
            let extension = Extension::new(rng, &harvest.pool, catalogue, &harvest.guide, settings);
            let op = OpId(u32::try_from(nth % n_ops).unwrap_or(0));
            if let Some(recipe) = extension.with(op) {
                let tried = self.run(&harvest.pool, recipe);
                harvest.take(tried);
            }
        }
        self.met.take().unwrap_or_default().into_iter().collect()
    }

    /// Initialises classes for good.
    pub(in crate::random) fn initialise(&mut self, names: &[String], catalogue: &Catalogue) {
        for name in names {
            // A class that cannot be initialised says so again when it is used.
            let _ = self.session.class(name);
        }
        self.court.settle(&mut self.session);
        self.settle(catalogue);
    }

    /// Takes the world of another worker, of whose machine this one's is a copy: end states go from one to
    /// the other, so references must mean the same.
    pub(in crate::random) fn settle_like(&mut self, other: &Worker, catalogue: &Catalogue) {
        self.literals.clone_from(&other.literals);
        self.judged.clone_from(&other.judged);
        self.watch_methods(catalogue);
        self.shared_below = other.shared_below;
        self.n_classes = other.n_classes;
        // Looking names up may have made something behind what the machines have in common.
        let own = (self.session.vm.heap.top, self.session.vm.classes.len());
        let wanted = (self.shared_below, self.n_classes);
        let is_like = own.0 >= wanted.0 && own.1 == wanted.1;
        assert!(is_like, "internal: a copy of a machine is {own:?}, not {wanted:?}");
    }

    /// Watches the branches of the classes under test and of what is nested in them.
    fn watch_methods(&mut self, catalogue: &Catalogue) {
        self.watch = EdgeWatch::default();
        let vm = &self.session.vm;
        let mut watched = Vec::new();
        for entry in &vm.classes {
            if catalogue.is_under_test(&entry.class.name.to_string()) {
                for method in &entry.class.methods {
                    let file = entry.class.file();
                    let code = file.and_then(|file| {
                        let (name, of) = (method.name.as_bytes(), method.descriptor.as_bytes());
                        let code = file.method(name, of)?.code.as_ref()?;
                        Some(file.instructions(code).len())
                    });
                    watched.extend(code.map(|n_bytes| (method.id, n_bytes)));
                }
            }
        }
        for (method, n_bytes) in watched {
            self.watch.watch(method, n_bytes);
        }
    }
}
