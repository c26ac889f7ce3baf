//! Runs a program from its `main` method to its end, as the `java` command does: the library's own
//! launcher finds and checks the main class, uncaught exceptions are reported by the thread, and the
//! program ends when its last thread that is no daemon has, after its shutdown hooks.

use crate::boot::Unfinished;
use crate::frame::Stop;
use crate::interp::Outcome;
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

/// Internal: leave the program early.
type Step<T> = Result<T, Ended>;

impl Vm {
    /// Runs the main class (binary name) with these arguments.
    pub fn run_program(&mut self, main: &str, args: &[String]) -> Ended {
        match self.run_main(main, args).and_then(|code| self.shut_down(code)) {
            Ok(code) => Ended::Exit(code),
            Err(Ended::Stopped(Stop::Exit(code))) => Ended::Exit(code),
            Err(ended) => ended,
        }
    }

    /// The main thread's part; gives the exit code that is left if nobody calls `System.exit`.
    fn run_main(&mut self, main: &str, args: &[String]) -> Step<i32> {
        let outcome = self.call_main(main, args);
        match outcome {
            Ok(()) => Ok(0),
            Err(Unfinished::Stopped(stop)) => Err(Ended::Stopped(stop)),
            Err(Unfinished::Threw(exception)) => {
                self.report_uncaught(exception)?;
                Ok(1)
            }
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
        let Some(constructor) = self.class(class).method(b"<init>", b"()V").map(|method| method.id) else {
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

    /// A method of the current thread's object, called on it.
    fn call_on_thread(&mut self, java: Ref, name: &str, descriptor: &str, args: &[u64]) -> Step<()> {
        let method = match self.complete(|vm| vm.thread_method(java, name, descriptor)) {
            Ok(method) => method,
            Err(Unfinished::Stopped(stop)) => return Err(Ended::Stopped(stop)),
            Err(Unfinished::Threw(_)) => return Ok(()),
        };
        let mut words = vec![java.to_slot()];
        words.extend_from_slice(args);
        match self.call_plain(method, &words) {
            Outcome::Stopped(stop) => Err(Ended::Stopped(stop)),
            Outcome::Returned(_) | Outcome::Threw(_) => Ok(()),
        }
    }

    fn report_uncaught(&mut self, exception: Ref) -> Step<()> {
        let java = self.thread().java;
        let args = [exception.to_slot()];
        self.call_on_thread(java, "dispatchUncaughtException", "(Ljava/lang/Throwable;)V", &args)
    }

    /// Waits for the other threads, then runs the shutdown hooks.
    fn shut_down(&mut self, code: i32) -> Step<i32> {
        let own = self.thread().id;
        loop {
            let waited_for = self.threads.iter().find(|thread| {
                thread.id != own && thread.is_alive() && !thread.daemon && !thread.java.is_null()
            });
            let Some(java) = waited_for.map(|thread| thread.java) else { break };
            self.call_on_thread(java, "join", "()V", &[])?;
        }
        let shutdown = self.complete(|vm| {
            let class = vm.boot_class("java/lang/Shutdown")?;
            vm.ensure_initialised(class)?;
            Ok(class)
        });
        let ran = shutdown.and_then(|class| self.call_static(class, "shutdown", "()V", &[]));
        match ran {
            Err(Unfinished::Stopped(stop)) => Err(Ended::Stopped(stop)),
            Ok(_) | Err(Unfinished::Threw(_)) => Ok(code),
        }
    }
}

