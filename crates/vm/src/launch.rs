//! Runs a program from its `main` method to its end, as the `java` command does: the library's own
//! launcher finds and checks the main class, uncaught exceptions are reported by the thread, and the
//! program ends when its last thread that is no daemon has (`thread/program.rs`).

use crate::boot::Unfinished;
use crate::frame::Stop;
use crate::interp::Outcome;
use crate::mode::Plain;
use crate::value::{ClassId, MethodId, Ref, Value};
use crate::vm::Vm;

/// How a program ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// With this exit code.
    Exit(i32),
    /// The machine stopped it.
    Stopped(Stop),
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Ended {
        match stop {
            Stop::Exit(code) => Ended::Exit(code),
            stop => Ended::Stopped(stop),
        }
    }
}

impl Vm {
    /// Runs the main class (binary name) with these arguments.
    pub fn run_program(&mut self, main: &str, args: &[String]) -> Ended {
        let thrown = match self.call_main(main, args) {
            Ok(()) => None,
            Err(Unfinished::Threw(exception)) => Some(exception),
            Err(Unfinished::Stopped(stop)) => return Ended::from(stop),
        };
        match self.end_program(&mut Plain, thrown) {
            Ok(()) => Ended::Exit(i32::from(thrown.is_some())),
            Err(stop) => Ended::from(stop),
        }
    }

    fn call_main(&mut self, main: &str, args: &[String]) -> Result<(), Unfinished> {
        const CLASS_MODE: u64 = 1;
        let helper = self.complete(|vm| {
            let class = vm.boot_class("sun/launcher/LauncherHelper")?;
            vm.ensure_initialised(class)?;
            Ok(class)
        })?;
        let name = self.complete(|vm| vm.new_string(main))?;
        let mirror = self.call_static(
            helper,
            "checkAndLoadMain",
            "(ZILjava/lang/String;)Ljava/lang/Class;",
            &[1, CLASS_MODE, name.to_slot()],
        )?;
        let class = self.class_of_mirror(Ref::from_slot(mirror.to_slot()));
        self.complete(|vm| vm.ensure_initialised(class))?;
        // JDK 25 also takes instance methods and methods without arguments.
        let is_static = self.launcher_flag(helper, "isStaticMain").unwrap_or(true);
        let no_args = self.launcher_flag(helper, "noArgMain").unwrap_or(false);
        let mut words = Vec::new();
        if !is_static {
            words.push(self.new_instance(class)?.to_slot());
        }
        let descriptor: &[u8] = if no_args { b"()V" } else { b"([Ljava/lang/String;)V" };
        if !no_args {
            words.push(self.new_arguments(args)?.to_slot());
        }
        let Some(method) = self.lookup_method(class, b"main", descriptor) else {
            return Err(self.missing_method("main"));
        };
        self.call_to_end(method, &words)?;
        Ok(())
    }

    fn launcher_flag(&self, helper: ClassId, name: &str) -> Option<bool> {
        let field = self.class(helper).field(name.as_bytes(), b"Z")?;
        Some(self.heap.load_u8(self.mirror(helper), field.offset) != 0)
    }

    fn new_instance(&mut self, class: ClassId) -> Result<Ref, Unfinished> {
        let Some(constructor) = self.class(class).method(b"<init>", b"()V").map(|method| method.id)
        else {
            return Err(self.missing_method("<init>"));
        };
        let object = self.complete(|vm| vm.new_object(class))?;
        self.call_to_end(constructor, &[object.to_slot()])?;
        Ok(object)
    }

    fn new_arguments(&mut self, args: &[String]) -> Result<Ref, Unfinished> {
        self.complete(|vm| {
            let mut strings = Vec::with_capacity(args.len());
            for arg in args {
                strings.push(vm.new_string(arg)?);
            }
            let string = vm.known.string;
            vm.new_ref_array(string, &strings)
        })
    }

    fn missing_method(&mut self, name: &str) -> Unfinished {
        match self.throw("java/lang/NoSuchMethodError", name) {
            crate::frame::Trap::Throw(error) => Unfinished::Threw(error),
            trap => Unfinished::Stopped(Stop::Unsupported(format!("{trap:?}"))),
        }
    }

    /// Calls a static method of an initialised class.
    fn call_static(
        &mut self,
        class: ClassId,
        name: &str,
        descriptor: &str,
        args: &[u64],
    ) -> Result<Value, Unfinished> {
        match self.lookup_method(class, name.as_bytes(), descriptor.as_bytes()) {
            Some(method) => self.call_to_end(method, args),
            None => Err(self.missing_method(name)),
        }
    }

    fn call_to_end(&mut self, method: MethodId, args: &[u64]) -> Result<Value, Unfinished> {
        match self.call_plain(method, args) {
            Outcome::Returned(value) => Ok(value),
            Outcome::Threw(exception) => Err(Unfinished::Threw(exception)),
            Outcome::Stopped(stop) => Err(Unfinished::Stopped(stop)),
        }
    }
}
