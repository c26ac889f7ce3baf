//! The world that all sequences start from: classes initialised, strings and literals made, once and for all.

use std::collections::BTreeSet;
use std::sync::Arc;

use classfile::ClassFile;
use observe::session::Session;
use suite::constant::Constant;
use vm::value::LoaderId;

use super::super::MOST_MEMORY;
use super::super::catalogue::Catalogue;
use super::own_state::OwnState;
use super::{Met, Worker};

impl Worker {
    /// From here on the world is what it is now: all later work is rolled back to it.
    pub(in crate::random) fn settle(&mut self, catalogue: &Catalogue) {
        // Kept end states say where objects of the world are.
        self.session.vm.hold_still();
        self.session.vm.heap.limit_growth(usize::MAX);
        self.intern_texts();
        self.name_known_classes();
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
        // What is judged runs often, so its lambdas and concatenations are linked once and for all.
        for idx in self.n_classes..self.judged.len() {
            if self.judged[idx] {
                let class = self.session.vm.classes[idx].class.id;
                self.session.link_ahead(class);
            }
        }
        let vm = &mut self.session.vm;
        let is_own = |name: &str, is_jdk: bool| !is_jdk || catalogue.is_under_test(name);
        self.own_state = OwnState::find(vm, self.world_end, &is_own);
        vm.heap.limit_growth(MOST_MEMORY);
        self.shared_below = vm.heap.top;
        self.literals_below = vm.heap.literals_top;
        self.n_classes = vm.classes.len();
    }

    /// Loads the classes that are nested in those under test, whose branches count as well.
    pub(in crate::random) fn load_nested(&mut self, catalogue: &Catalogue) {
        let mut next = 0;
        while let Some(entry) = self.session.vm.classes.get(next) {
            next += 1;
            let file = entry.class.file();
            let file = file.filter(|_| catalogue.is_under_test(&entry.class.name.to_string()));
            let Some(file) = file.cloned() else { continue };
            for nested in file.inner_classes() {
                let Some(name) = file.constant_pool().try_class_name(nested.inner) else {
                    continue;
                };
                let name = String::from_utf8_lossy(name).into_owned();
                if catalogue.is_under_test(&name) {
                    // One that cannot be loaded says so again when it is used.
                    let _ = self.session.load(&name);
                }
            }
        }
    }

    /// Makes the strings of all code that is loaded, and the names of all classes, so that meeting one for the first
    /// time changes nothing.
    fn intern_texts(&mut self) {
        let loaded = self.n_classes..self.session.vm.classes.len();
        for idx in loaded {
            let vm = &self.session.vm;
            let name = vm.external_name(vm.classes[idx].class.id);
            let name = classfile::mutf8::encode_str(&name);
            let _ = self.session.complete(|vm| vm.intern_mutf8(&name));
        }
        let files: Vec<Arc<ClassFile>> = self
            .session
            .vm
            .classes
            .iter()
            .skip(self.n_classes)
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

    /// Lets the user's class loader find the classes of the JDK that are loaded and that the user's code names:
    /// otherwise each machine would ask the loader when the code first runs there, and sequences would cost more or
    /// less by who ran before.
    fn name_known_classes(&mut self) {
        let loader = self.session.loader();
        let vm = &self.session.vm;
        let of_user = vm.classes.iter().filter(|entry| entry.class.loader == loader);
        let files: Vec<Arc<ClassFile>> =
            of_user.filter_map(|entry| entry.class.file().cloned()).collect();
        let jdk: Vec<LoaderId> =
            (0..).map(LoaderId).take(vm.loaders.len()).filter(|id| vm.is_jdk_loader(*id)).collect();
        for file in files {
            let pool = file.constant_pool();
            for idx in 1..u16::try_from(pool.len()).unwrap_or(u16::MAX) {
                let Some(name) = pool.try_class_name(idx) else { continue };
                let name = String::from_utf8_lossy(name).into_owned();
                let name = name.trim_start_matches('[');
                let name =
                    name.strip_prefix('L').and_then(|it| it.strip_suffix(';')).unwrap_or(name);
                let vm = &mut self.session.vm;
                let mut is_loaded =
                    |by: LoaderId| vm.find_loaded_class(by, name.as_bytes()).is_some();
                if !is_loaded(loader) && jdk.iter().any(|by| is_loaded(*by)) {
                    // One that the loader does not give says so again when it is used.
                    let _ = self.session.load(name);
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

    /// Makes the literals that another machine made on its way since the world grew last.
    pub(in crate::random) fn take_literals(&mut self, other: &Worker) {
        for literal in other.session.vm.literals_from(other.literals_below) {
            // Without memory for it the code that needs it says so.
            let _ = self.session.complete(|vm| vm.intern_mutf8(&literal));
        }
    }

    /// Does for good what sequences did on their way, so that the next ones find it done.
    pub(in crate::random) fn learn(&mut self, met: &BTreeSet<Met>, catalogue: &Catalogue) {
        let session = &mut self.session;
        session.vm.heap.limit_growth(usize::MAX);
        // A class that cannot be loaded or initialised says so again when it is used.
        for one in met {
            match one {
                Met::Loaded(name) if name.starts_with('[') => {
                    let loader = session.loader();
                    let _ = session.complete(|vm| vm.class_of_descriptor(loader, name.as_bytes()));
                }
                Met::Loaded(name) => drop(session.load(name)),
                Met::Initialised(name) => drop(session.learn(name)),
                Met::Linked(name) => {
                    if let Ok(class) = session.load(name) {
                        session.link_ahead(class);
                    }
                }
            }
        }
        self.settle(catalogue);
    }

    /// What contracts did on their way.
    pub(in crate::random) fn take_met(&mut self) -> Vec<Met> {
        self.court.take_met()
    }

    /// Goes on with another machine, which is a copy of this one's after it has learnt more.
    pub(in crate::random) fn move_to(&mut self, session: Session) {
        self.session = session;
        self.watch.forget_positions();
    }

    /// Takes the world of another worker, of whose machine this one's is a copy: end states go from one to
    /// the other, so references must mean the same.
    pub(in crate::random) fn settle_like(&mut self, other: &Worker, catalogue: &Catalogue) {
        self.literals.clone_from(&other.literals);
        self.judged.clone_from(&other.judged);
        self.own_state.clone_from(&other.own_state);
        self.watch_methods(catalogue);
        self.session.vm.hold_still();
        self.session.vm.heap.limit_growth(MOST_MEMORY);
        self.shared_below = other.shared_below;
        self.literals_below = other.literals_below;
        self.n_classes = other.n_classes;
        // Looking names up may have made something behind what the machines have in common.
        let own = (self.session.vm.heap.top, self.session.vm.classes.len());
        let wanted = (self.shared_below, self.n_classes);
        let is_like = own.0 >= wanted.0 && own.1 == wanted.1;
        assert!(is_like, "internal: a copy of a machine is {own:?}, not {wanted:?}");
    }

    /// Watches the branches of the classes under test and of what is nested in them.
    fn watch_methods(&mut self, catalogue: &Catalogue) {
        let vm = &self.session.vm;
        let mut watched = Vec::new();
        for entry in vm.classes.iter().skip(self.n_classes) {
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
