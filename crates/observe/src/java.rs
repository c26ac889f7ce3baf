//! Calls into Java from outside, with names instead of identifiers and handles instead of references,
//! which the collector would move.

use classfile::ClassBytes;
use vm::boot::Unfinished;
use vm::frame::{Res, Stop};
use vm::handles::Handle;
use vm::interp::Outcome;
use vm::link::DefineOptions;
use vm::mode::{Mode, Plain};
use vm::value::{ClassId, LoaderId, MethodId, Ref, Value};
use vm::vm::Vm;

/// Why something in Java did not come to its end.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// It threw; the exception with its causes and stack traces.
    Threw(String),
    /// The machine stopped.
    Stopped(Stop),
    /// A method is not there: another version of a library than is known.
    Missing(String),
    /// A class would change something outside when it is initialised.
    ChangesOutside,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::Threw(exception) => f.write_str(exception),
            Problem::Stopped(stop) => write!(f, "{stop:?}"),
            Problem::Missing(method) => write!(f, "there is no {method}"),
            Problem::ChangesOutside => {
                f.write_str("its initialisation touches files, programs or the network")
            }
        }
    }
}

impl std::error::Error for Problem {}

/// An argument of a call from outside.
#[derive(Debug, Clone, Copy)]
pub enum Arg<'a> {
    /// An object.
    Object(&'a Object),
    /// `null`.
    Null,
    /// An `int` or smaller.
    Int(i32),
}

/// An object that is held until the session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Object(usize);

/// Calls from outside, as code of the application's class loader sees classes.
pub struct Java<'v> {
    /// The machine.
    pub vm: &'v mut Vm,
    loader: LoaderId,
    held: Vec<Handle>,
}

impl<'v> Java<'v> {
    /// A session on a machine that has booted. Everything in it is plain: no observer.
    pub fn new(vm: &'v mut Vm) -> Result<Java<'v>, Problem> {
        let mut java = Java { vm, loader: LoaderId::BOOT, held: Vec::new() };
        let loader = java.call_static(
            "java/lang/ClassLoader",
            "getSystemClassLoader",
            "()Ljava/lang/ClassLoader;",
            &[],
        )?;
        java.loader = java.vm.loader_of(loader);
        Ok(java)
    }

    /// The application's class loader.
    pub fn loader(&self) -> LoaderId {
        self.loader
    }

    /// A class by internal name, initialised.
    pub fn class(&mut self, name: &str) -> Result<ClassId, Problem> {
        let class = self.load(name)?;
        self.complete(|vm| vm.ensure_initialised(class))?;
        Ok(class)
    }

    /// A class by internal name, not initialised.
    pub fn load(&mut self, name: &str) -> Result<ClassId, Problem> {
        let loader = self.loader;
        self.complete(|vm| vm.load_class(loader, name.as_bytes()))
    }

    /// Defines a class for the application's loader, as if it were on the class path.
    pub fn define(&mut self, bytes: Vec<u8>) -> Result<ClassId, Problem> {
        let loader = self.loader;
        let bytes = ClassBytes::from_vec(bytes);
        self.complete(|vm| vm.define_class(loader, bytes.clone(), &DefineOptions::default()))
    }

    /// The class already defined for the application's loader under this name.
    pub fn defined(&mut self, name: &str) -> Option<ClassId> {
        self.vm.find_loaded_class(self.loader, name.as_bytes())
    }

    /// Holds an object for the rest of the session.
    pub fn hold(&mut self, object: Ref) -> Object {
        self.held.push(self.vm.handles.hold(object));
        Object(self.held.len() - 1)
    }

    /// Where a held object is now.
    pub fn get(&self, object: &Object) -> Ref {
        self.vm.handles.get(&self.held[object.0])
    }

    /// A new string.
    pub fn string(&mut self, text: &str) -> Result<Object, Problem> {
        let string = self.complete(|vm| vm.new_string(text))?;
        Ok(self.hold(string))
    }

    /// The `java.lang.Class` of a class.
    pub fn mirror(&mut self, class: ClassId) -> Object {
        let mirror = self.vm.mirror(class);
        self.hold(mirror)
    }

    /// A new array of objects.
    pub fn array(&mut self, component: &str, elements: &[Object]) -> Result<Object, Problem> {
        let component = self.load(component)?;
        let handles = elements;
        let held = &self.held;
        let array = complete(self.vm, |vm| {
            let refs: Vec<Ref> =
                handles.iter().map(|element| vm.handles.get(&held[element.0])).collect();
            vm.new_ref_array(component, &refs)
        })?;
        Ok(self.hold(array))
    }

    /// A new object, made by the constructor with this descriptor.
    pub fn construct(
        &mut self,
        class: &str,
        descriptor: &str,
        args: &[Arg<'_>],
    ) -> Result<Object, Problem> {
        let id = self.class(class)?;
        let constructor =
            self.vm.class(id).method(b"<init>", descriptor.as_bytes()).map(|method| method.id);
        let constructor = constructor.ok_or_else(|| missing(class, "<init>", descriptor))?;
        let object = self.complete(|vm| vm.new_object(id))?;
        let object = self.hold(object);
        let words = self.words(Some(&object), args);
        self.run(&mut Plain, constructor, &words, None)?;
        Ok(object)
    }

    /// Calls a static method; gives the reference it returns, null for others.
    pub fn call_static(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        args: &[Arg<'_>],
    ) -> Result<Ref, Problem> {
        let id = self.class(class)?;
        let method = self.find(id, class, name, descriptor)?;
        let words = self.words(None, args);
        self.run(&mut Plain, method, &words, None).map(reference)
    }

    /// As `call_static`, and holds the result.
    pub fn get_static(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        args: &[Arg<'_>],
    ) -> Result<Object, Problem> {
        let result = self.call_static(class, name, descriptor, args)?;
        Ok(self.hold(result))
    }

    /// Calls an instance method that `class` declares or inherits, dispatched on the receiver.
    pub fn call(
        &mut self,
        receiver: &Object,
        class: &str,
        name: &str,
        descriptor: &str,
        args: &[Arg<'_>],
    ) -> Result<Value, Problem> {
        self.call_in(&mut Plain, receiver, class, name, descriptor, args, None)
    }

    /// As `call`; holds the object that is returned.
    pub fn call_object(
        &mut self,
        receiver: &Object,
        class: &str,
        name: &str,
        descriptor: &str,
        args: &[Arg<'_>],
    ) -> Result<Object, Problem> {
        let result = self.call(receiver, class, name, descriptor, args)?;
        Ok(self.hold(reference(result)))
    }

    /// As `call`, under an observer and with a limit on the bytecodes executed.
    #[expect(
        clippy::too_many_arguments,
        reason = "a call is named by its parts, as in a constant pool"
    )]
    pub fn call_in<M: Mode>(
        &mut self,
        mode: &mut M,
        receiver: &Object,
        class: &str,
        name: &str,
        descriptor: &str,
        args: &[Arg<'_>],
        fuel: Option<u64>,
    ) -> Result<Value, Problem> {
        let id = self.class(class)?;
        let declared = self.find(id, class, name, descriptor)?;
        let receiver_class = self.vm.class_of(self.get(receiver));
        let method = self.complete(|vm| vm.select_method(receiver_class, declared))?;
        let words = self.words(Some(receiver), args);
        self.run(mode, method, &words, fuel)
    }

    /// The text of a held string; `None` for `null`.
    pub fn text(&self, string: &Object) -> Option<String> {
        self.get(string).some().map(|string| self.vm.string_text(string))
    }

    /// Does something that may need Java code to run first.
    pub fn complete<T>(&mut self, work: impl Fn(&mut Vm) -> Res<T>) -> Result<T, Problem> {
        complete(self.vm, work)
    }

    fn find(
        &self,
        id: ClassId,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<MethodId, Problem> {
        let method = self.vm.lookup_method(id, name.as_bytes(), descriptor.as_bytes());
        method.ok_or_else(|| missing(class, name, descriptor))
    }

    fn words(&self, receiver: Option<&Object>, args: &[Arg<'_>]) -> Vec<u64> {
        let mut words: Vec<u64> =
            receiver.iter().map(|receiver| self.get(receiver).to_slot()).collect();
        words.extend(args.iter().map(|arg| match arg {
            Arg::Object(object) => self.get(object).to_slot(),
            Arg::Null => 0,
            Arg::Int(value) => Value::Int(*value).to_slot(),
        }));
        words
    }

    fn run<M: Mode>(
        &mut self,
        mode: &mut M,
        method: MethodId,
        words: &[u64],
        fuel: Option<u64>,
    ) -> Result<Value, Problem> {
        match self.vm.call(mode, method, words, fuel) {
            Outcome::Returned(value) => Ok(value),
            Outcome::Threw(exception) => Err(Problem::Threw(self.vm.describe_throwable(exception))),
            Outcome::Stopped(stop) => Err(Problem::Stopped(stop)),
        }
    }
}

impl Drop for Java<'_> {
    fn drop(&mut self) {
        for handle in self.held.drain(..) {
            self.vm.handles.release(handle);
        }
    }
}

fn complete<T>(vm: &mut Vm, work: impl Fn(&mut Vm) -> Res<T>) -> Result<T, Problem> {
    vm.complete(work).map_err(|unfinished| match unfinished {
        Unfinished::Threw(exception) => Problem::Threw(vm.describe_throwable(exception)),
        Unfinished::Stopped(stop) => Problem::Stopped(stop),
    })
}

fn reference(value: Value) -> Ref {
    match value {
        Value::Ref(reference) => reference,
        _ => Ref::NULL,
    }
}

fn missing(class: &str, name: &str, descriptor: &str) -> Problem {
    Problem::Missing(format!("{}.{name}{descriptor}", class.replace('/', ".")))
}
