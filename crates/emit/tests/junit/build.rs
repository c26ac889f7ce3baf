//! Suites put together by hand: each step names a method by its class-file form.

use std::sync::Arc;

use classfile::{ClassBytes, JImage};
use emit::junit::facts::{Access, ClassFiles, MethodFacts, Names, Place};
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence, Var};
use suite::stand_in::{Behaviour, StandIn};
use suite::test::{Check, Expected, Subject, Suite, Test, Throws, Title};
use suite::types::Type;
use testkit::jdk::Jdk;
use testkit::root;

/// The classes of a JDK and the compiled subjects.
pub(crate) fn names(jdk: &Jdk) -> (impl Names + use<>, std::path::PathBuf) {
    let sources = root::repository().join("fixtures/emit/subjects");
    let subjects = testkit::suite::compile(jdk, "emit/subjects", &sources, "").unwrap();
    let image = JImage::open(&jdk.home.join("lib/modules")).unwrap();
    let folder = subjects.clone();
    let find = move |name: &str| {
        if let Ok(bytes) = std::fs::read(folder.join(format!("{name}.class"))) {
            return Some((ClassBytes::from(bytes), false));
        }
        image.find_class(name).map(|(_, bytes)| (bytes, true))
    };
    (ClassFiles::new(find), subjects)
}

/// The public classes of a package of the JDK, nested ones too.
pub(crate) fn package(jdk: &Jdk, names: &dyn Names, package: &str) -> Vec<String> {
    let image = JImage::open(&jdk.home.join("lib/modules")).unwrap();
    let mut found: Vec<String> = image
        .resources()
        .filter(|resource| resource.parent == package && resource.extension == "class")
        .map(|resource| format!("{package}/{}", resource.base))
        .filter(|name| is_public(names, name))
        .collect();
    found.sort();
    found
}

fn is_public(names: &dyn Names, name: &str) -> bool {
    names.class(name).is_some_and(|facts| {
        facts.access == Access::Public
            && match &facts.place {
                Place::TopLevel => true,
                Place::Member { outer, .. } => is_public(names, outer),
                Place::Local => false,
            }
    })
}

/// A test while it is put together.
pub(crate) struct Steps<'n> {
    names: &'n dyn Names,
    sequence: Sequence,
    checks: Vec<Check>,
    throws: Option<Throws>,
    must_end: bool,
    notes: Vec<String>,
}

impl<'n> Steps<'n> {
    pub(crate) fn new(names: &'n dyn Names) -> Steps<'n> {
        let sequence = Sequence::empty();
        Steps {
            names,
            sequence,
            checks: Vec::new(),
            throws: None,
            must_end: false,
            notes: Vec::new(),
        }
    }

    /// The method `p/Class.name` with this descriptor, its flags as the class file has them.
    fn method(&self, path: &str, descriptor: &str) -> Arc<Method> {
        let (class, name) = path.rsplit_once('.').unwrap_or((path, "<init>"));
        let facts = find(self.names, class, name, descriptor)
            .unwrap_or_else(|| panic!("{path}{descriptor} does not exist"));
        let mut method = Method::new(class, name, descriptor, facts.is_static).unwrap();
        method.is_varargs = facts.is_varargs;
        method.declares_exceptions = !facts.exceptions.is_empty();
        Arc::new(method)
    }

    pub(crate) fn call(&mut self, path: &str, descriptor: &str, args: Vec<Arg>) -> Var {
        let method = self.method(path, descriptor);
        self.sequence.push(Operation::Call(method), args).unwrap()
    }

    pub(crate) fn stand_in(&mut self, of: &str, behaviour: Behaviour) -> Var {
        let made = StandIn { of: of.into(), behaviour };
        self.sequence.push(Operation::StandIn(Arc::new(made)), vec![]).unwrap()
    }

    pub(crate) fn array(&mut self, element: &str, args: Vec<Arg>) -> Var {
        let element = Type::of_descriptor(element).unwrap();
        self.sequence.push(Operation::Array(element), args).unwrap()
    }

    /// A call whose result must be this.
    pub(crate) fn gives(&mut self, path: &str, descriptor: &str, args: Vec<Arg>, value: Constant) {
        let var = self.call(path, descriptor, args);
        self.expect(var, Expected::Equals(value));
    }

    pub(crate) fn expect(&mut self, var: Var, expected: Expected) {
        let after = self.last();
        self.checks.push(Check { after, subject: Subject::Result(var), expected });
    }

    pub(crate) fn observe(&mut self, receiver: Var, path: &str, descriptor: &str, value: Constant) {
        let after = self.last();
        let subject = Subject::Observer { receiver, method: self.method(path, descriptor) };
        self.checks.push(Check { after, subject, expected: Expected::Equals(value) });
    }

    pub(crate) fn throws(&mut self, class: &str, message: Option<Option<&str>>) {
        let message = message.map(|message| message.map(str::to_owned));
        self.throws = Some(Throws { class: class.into(), message });
    }

    pub(crate) fn must_end(&mut self) {
        self.must_end = true;
    }

    pub(crate) fn note(&mut self, note: &str) {
        self.notes.push(note.to_owned());
    }

    fn last(&self) -> Var {
        Var(self.sequence.next_var().0 - 1)
    }

    fn end(self, title: [&str; 3]) -> Test {
        let [method, state, outcome] = title.map(str::to_owned);
        Test {
            sequence: self.sequence,
            checks: self.checks,
            throws: self.throws,
            must_end: self.must_end,
            notes: self.notes,
            title: Title { method, state, outcome },
        }
    }
}

fn find(names: &dyn Names, class: &str, name: &str, descriptor: &str) -> Option<Arc<MethodFacts>> {
    let (erased, _) = suite::types::signature(descriptor)?;
    let facts = names.class(class)?;
    let own = facts.methods.iter().find(|one| *one.name == *name && one.erased == erased);
    own.cloned().or_else(|| {
        facts.supertypes.iter().find_map(|above| find(names, &above.name, name, descriptor))
    })
}

/// A suite while it is put together.
pub(crate) struct Tests<'n> {
    names: &'n dyn Names,
    suite: Suite,
}

impl<'n> Tests<'n> {
    pub(crate) fn of(names: &'n dyn Names, class: &str) -> Tests<'n> {
        Tests { names, suite: Suite { class: class.into(), tests: Vec::new() } }
    }

    pub(crate) fn test(&mut self, title: [&str; 3], steps: impl FnOnce(&mut Steps<'n>)) {
        let mut test = Steps::new(self.names);
        steps(&mut test);
        self.suite.tests.push(test.end(title));
    }

    pub(crate) fn done(self) -> Suite {
        self.suite
    }
}

pub(crate) fn int(value: i32) -> Arg {
    Arg::Constant(Constant::Int(value))
}

pub(crate) fn double(value: f64) -> Arg {
    Arg::Constant(Constant::Double(value.to_bits()))
}

pub(crate) fn text(value: &str) -> Arg {
    Arg::Constant(Constant::text(value))
}

pub(crate) fn null() -> Arg {
    Arg::Constant(Constant::Null)
}

pub(crate) fn boxed(value: Constant) -> Arg {
    Arg::Constant(Constant::Boxed(Box::new(value)))
}

pub(crate) fn var(of: Var) -> Arg {
    Arg::Var(of)
}
