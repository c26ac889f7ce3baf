//! Which calls reach a candidate object: calls of methods that a class under test declares, and calls
//! of methods that it inherits from outside, made on one of its instances. Methods of
//! `java.lang.Object` count only where a class under test overrides them.

use rustc_hash::FxHashSet;
use vm::value::{ClassId, MethodId, Ref};
use vm::vm::Vm;

use crate::coverage::Wanted;

/// What is known of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Unknown,
    /// Never reaches a candidate.
    Outside,
    /// Declared outside, by a superclass or interface of a class under test.
    Inherited,
    /// Declared by a class under test.
    Own,
}

/// Tells calls apart.
pub(super) struct Candidates {
    wanted: Wanted,
    /// By method.
    methods: Vec<Status>,
    /// By class: whether it is under test.
    classes: Vec<bool>,
    /// Superclasses and interfaces of classes under test.
    supers: FxHashSet<ClassId>,
}

impl Candidates {
    pub(super) fn new(wanted: Wanted) -> Candidates {
        Candidates {
            wanted,
            methods: Vec::new(),
            classes: Vec::new(),
            supers: FxHashSet::default(),
        }
    }

    /// Whether a call reaches a candidate.
    #[inline]
    pub(super) fn reaches(&mut self, vm: &Vm, method: MethodId, args: &[u64]) -> bool {
        let status = match self.methods.get(method.idx()) {
            Some(Status::Unknown) | None => self.look(vm, method),
            Some(status) => *status,
        };
        match status {
            Status::Outside | Status::Unknown => false,
            Status::Own => true,
            Status::Inherited => {
                let receiver = Ref::from_slot(args.first().copied().unwrap_or(0));
                !receiver.is_null() && self.is_candidate(vm, vm.class_of(receiver))
            }
        }
    }

    /// Whether a class is under test.
    pub(super) fn is_candidate(&mut self, vm: &Vm, class: ClassId) -> bool {
        self.extend(vm);
        self.classes.get(class.idx()).copied().unwrap_or(false)
    }

    #[cold]
    fn look(&mut self, vm: &Vm, id: MethodId) -> Status {
        self.extend(vm);
        let method = vm.method(id);
        let status = if self.is_candidate(vm, method.class) {
            Status::Own
        } else if !method.is_static()
            && method.name.as_bytes() != b"<init>"
            && self.supers.contains(&method.class)
        {
            Status::Inherited
        } else {
            Status::Outside
        };
        if self.methods.len() <= id.idx() {
            self.methods.resize(id.idx() + 1, Status::Unknown);
        }
        self.methods[id.idx()] = status;
        status
    }

    /// Takes in the classes that were loaded since.
    fn extend(&mut self, vm: &Vm) {
        if self.classes.len() == vm.classes.len() {
            return;
        }
        let mut has_grown = false;
        for class in &vm.classes[self.classes.len()..] {
            let class = &class.class;
            let is_candidate = !class.is_array() && (self.wanted)(&class.name.to_string());
            self.classes.push(is_candidate);
            if is_candidate {
                let above = class.supers.iter().chain(&class.all_interfaces);
                for &above in above.filter(|&&above| above != vm.known.object && above != class.id)
                {
                    has_grown |= self.supers.insert(above);
                }
            }
        }
        if has_grown {
            for status in &mut self.methods {
                if *status == Status::Outside {
                    *status = Status::Unknown;
                }
            }
        }
    }
}
