//! From an empty machine to one that can run a program: the steps that a JVM takes before `main`.
//!
//! The order is the one the class library relies on: nothing may touch `Unsafe` before its constants
//! are set, and the constructor of the main thread asks for the current thread. Everything that can
//! be Java code is: `System.initPhase1` to `3` do the rest.

pub(crate) mod personal;

use std::sync::Arc;
use std::{fmt, io};

use classfile::JImage;

use crate::frame::{Hook, Res, Stop, Trap, Upcall};
use crate::host::{Host, Platform};
use crate::image::{Base, ImageStore};
use crate::interp::Outcome;
use crate::native;
use crate::thread::Thread;
use crate::value::{ClassId, MethodId, Ref, Value};
use crate::vm::{Options, Vm};

/// Why a machine could not be made ready.
#[derive(Debug)]
pub enum BootError {
    /// No address space, or no JDK.
    Io(io::Error),
    /// Java code of the class library failed.
    Failed {
        /// What was being done.
        step: String,
        /// The exception or the reason.
        reason: String,
    },
}

impl fmt::Display for BootError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BootError::Io(error) => write!(f, "cannot set up the machine: {error}"),
            BootError::Failed { step, reason } => write!(f, "boot failed in {step}: {reason}"),
        }
    }
}

impl std::error::Error for BootError {}

impl From<io::Error> for BootError {
    fn from(error: io::Error) -> BootError {
        BootError::Io(error)
    }
}

/// How something that may need Java code ended from outside of Java code.
#[derive(Debug)]
pub enum Unfinished {
    /// It threw.
    Threw(Ref),
    /// The machine stopped.
    Stopped(Stop),
}

/// Classes that the machine throws or calls itself; initialised while nothing can go wrong.
const INITIALISED_EARLY: &[&str] = &[
    "java/lang/OutOfMemoryError",
    "java/lang/NullPointerException",
    "java/lang/ClassCastException",
    "java/lang/ArrayStoreException",
    "java/lang/ArithmeticException",
    "java/lang/ArrayIndexOutOfBoundsException",
    "java/lang/StackOverflowError",
    "java/lang/IllegalMonitorStateException",
    "java/lang/IllegalArgumentException",
    "java/lang/InternalError",
    "java/lang/invoke/MethodHandle",
    "java/lang/invoke/ResolvedMethodName",
    "java/lang/invoke/MemberName",
    "java/lang/invoke/MethodHandleNatives",
];

/// All that a boot image depends on. Class path, working folder and user are not among it.
pub(crate) fn image_key(options: &Options, platform: &Platform, origin: &str) -> String {
    let Options { java_home, class_path: _, properties, heap_limit: _, seed, assertions: _ } =
        options;
    let Platform {
        os_name,
        os_version,
        os_arch,
        user_name: _,
        user_home: _,
        user_dir: _,
        temporary_dir: _,
        encoding,
        language,
        country,
        time_zone,
        ids,
        process: _,
    } = platform;
    format!(
        "{origin:?} {java_home:?} {properties:?} {seed} {os_name:?} {os_version:?} \
         {os_arch:?} {encoding:?} {language:?} {country:?} {time_zone:?} {ids:?}"
    )
}

impl Vm {
    /// A machine that has booted the JDK in `image` and is ready to load a program.
    pub fn boot(
        image: Arc<JImage>,
        options: Options,
        host: Box<dyn Host>,
    ) -> Result<Vm, BootError> {
        let mut vm = Vm::boot_impersonal(image, options, host)?;
        let stand_ins = vm.find_stand_ins();
        vm.make_personal(&stand_ins)?;
        Ok(vm)
    }

    /// As `boot`, from an image if the store has one; else leaves one there for the next time.
    /// `origin` tells builds of this program and of the JDK apart. For several machines, see
    /// [`Base::boot_with`].
    pub fn boot_with(
        image: Arc<JImage>,
        options: Options,
        host: Box<dyn Host>,
        store: &dyn ImageStore,
        origin: &str,
    ) -> Result<Vm, BootError> {
        let mut host = host;
        let key = image_key(&options, &host.platform(), origin);
        if let Some(base) = Base::kept(&key, &image, &options, store) {
            return base.machine(host);
        }
        let mut vm = Vm::boot_impersonal(image, options, host)?;
        if let Some(image) = vm.make_image(&key) {
            store.save(&key, &image);
        }
        let stand_ins = vm.find_stand_ins();
        vm.make_personal(&stand_ins)?;
        Ok(vm)
    }

    pub(crate) fn boot_impersonal(
        image: Arc<JImage>,
        options: Options,
        host: Box<dyn Host>,
    ) -> Result<Vm, BootError> {
        let mut vm = Vm::new(image, options, Arc::new(native::table()), host)?;
        vm.threads.push(Thread::first()?);
        vm.enter_thread(0);
        // Nothing is collected while booting: the steps below hold on to objects.
        vm.heap.end = vm.heap.hard_end;
        // No other thread gets a turn in the middle of anything while booting.
        vm.scheduler.patient = true;
        let loaded = vm.complete(Vm::load_well_known);
        vm.check("loading the first classes", loaded)?;
        for class in
            ["java/lang/String", "java/lang/System", "java/lang/Class", "java/lang/ThreadGroup"]
        {
            vm.boot_initialise(class)?;
        }
        vm.make_main_thread()?;
        vm.boot_initialise("java/lang/Module")?;
        vm.set_unsafe_constants()?;
        vm.boot_initialise("java/lang/reflect/Method")?;
        vm.boot_initialise("java/lang/ref/Finalizer")?;
        vm.boot_call("java/lang/System", "initPhase1", "()V", &[])?;
        for class in INITIALISED_EARLY {
            vm.boot_initialise(class)?;
        }
        // Both arguments: report failures on standard error, with stack traces.
        match vm.boot_call("java/lang/System", "initPhase2", "(ZZ)I", &[1, 1])? {
            Value::Int(0) => {}
            _ => return Err(failed("System.initPhase2", "the module system did not start")),
        }
        vm.boot_call("java/lang/System", "initPhase3", "()V", &[])?;
        vm.scheduler.patient = false;
        vm.collect_outside();
        Ok(vm)
    }

    /// Thread groups and the main thread, whose constructor already needs it to be current.
    fn make_main_thread(&mut self) -> Result<(), BootError> {
        const GROUP: &str = "java/lang/ThreadGroup";
        let system = self.boot_new(GROUP, "()V", |_, _| Ok(()), &[])?;
        let name = self.boot_string("main")?;
        let args = [system.to_slot(), name.to_slot()];
        let main = self.boot_new(
            GROUP,
            "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V",
            |_, _| Ok(()),
            &args,
        )?;
        self.boot_initialise("java/lang/Thread")?;
        let name = self.boot_string("main")?;
        let args = [main.to_slot(), name.to_slot()];
        let descriptor = "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V";
        self.boot_new(
            "java/lang/Thread",
            descriptor,
            |vm, thread| vm.attach_first_thread(thread),
            &args,
        )?;
        self.first_thread_made();
        Ok(())
    }

    /// What the class library knows of the machine's memory before it first uses it.
    fn set_unsafe_constants(&mut self) -> Result<(), BootError> {
        const CONSTANTS: &str = "jdk/internal/misc/UnsafeConstants";
        self.boot_initialise(CONSTANTS)?;
        let class = self.complete(|vm| vm.boot_class(CONSTANTS));
        let class = self.check(CONSTANTS, class)?;
        for (name, value) in
            [("ADDRESS_SIZE0", 8), ("PAGE_SIZE", 4096), ("DATA_CACHE_LINE_FLUSH_SIZE", 0)]
        {
            let (mirror, offset) = self.static_slot(class, name, "I");
            self.heap.store_u32(mirror, offset, value);
        }
        for (name, value) in [("BIG_ENDIAN", 0), ("UNALIGNED_ACCESS", 1)] {
            let (mirror, offset) = self.static_slot(class, name, "Z");
            self.heap.store_u8(mirror, offset, value);
        }
        Ok(())
    }

    fn boot_initialise(&mut self, name: &str) -> Result<ClassId, BootError> {
        let class = self.complete(|vm| {
            let class = vm.boot_class(name)?;
            vm.ensure_initialised(class)?;
            Ok(class)
        });
        self.check(name, class)
    }

    fn boot_string(&mut self, text: &str) -> Result<Ref, BootError> {
        let string = self.complete(|vm| vm.new_string(text));
        self.check("making a string", string)
    }

    fn boot_method(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<MethodId, BootError> {
        let found = self.complete(|vm| {
            let class = vm.boot_class(class)?;
            Ok(vm
                .class(class)
                .method(name.as_bytes(), descriptor.as_bytes())
                .map(|method| method.id))
        });
        let step = format!("{class}.{name}{descriptor}");
        match self.check(&step, found)? {
            Some(method) => Ok(method),
            None => Err(failed(&step, "no such method in this JDK")),
        }
    }

    /// Calls a static method of the class library.
    fn boot_call(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        args: &[u64],
    ) -> Result<Value, BootError> {
        let method = self.boot_method(class, name, descriptor)?;
        let outcome = self.call_plain(method, args);
        let result = match outcome {
            Outcome::Returned(value) => Ok(value),
            Outcome::Threw(exception) => Err(Unfinished::Threw(exception)),
            Outcome::Stopped(stop) => Err(Unfinished::Stopped(stop)),
        };
        self.check(&format!("{class}.{name}"), result)
    }

    /// Makes an object: `before` sees it before its constructor runs.
    fn boot_new(
        &mut self,
        class: &str,
        descriptor: &str,
        before: impl Fn(&mut Vm, Ref) -> Res<()>,
        args: &[u64],
    ) -> Result<Ref, BootError> {
        let constructor = self.boot_method(class, "<init>", descriptor)?;
        let made = self.complete(|vm| {
            let object = vm.new_object(vm.method(constructor).class)?;
            before(vm, object)?;
            Ok(object)
        });
        let object = self.check(class, made)?;
        let mut words = vec![object.to_slot()];
        words.extend_from_slice(args);
        let result = match self.call_plain(constructor, &words) {
            Outcome::Returned(_) => Ok(object),
            Outcome::Threw(exception) => Err(Unfinished::Threw(exception)),
            Outcome::Stopped(stop) => Err(Unfinished::Stopped(stop)),
        };
        self.check(class, result)
    }

    fn check<T>(&mut self, step: &str, result: Result<T, Unfinished>) -> Result<T, BootError> {
        result.map_err(|unfinished| match unfinished {
            Unfinished::Threw(exception) => failed(step, &self.describe_throwable(exception)),
            Unfinished::Stopped(stop) => failed(step, &format!("{stop:?}")),
        })
    }

    /// Does something from outside of Java code that may need Java code to run first, such as
    /// loading or initialising a class, and repeats it until it is done.
    pub fn complete<T>(
        &mut self,
        mut work: impl FnMut(&mut Vm) -> Res<T>,
    ) -> Result<T, Unfinished> {
        loop {
            match work(self) {
                Ok(value) => return Ok(value),
                Err(Trap::Throw(exception)) => return Err(Unfinished::Threw(exception)),
                Err(Trap::Stop(stop)) => return Err(Unfinished::Stopped(*stop)),
                Err(Trap::Blocked) => {
                    let reason = "waiting for another thread outside of Java code".to_owned();
                    return Err(Unfinished::Stopped(Stop::Unsupported(reason)));
                }
                Err(Trap::Upcall(upcall)) => self.complete_upcall(*upcall)?,
                Err(Trap::Collect(what)) => {
                    if let Err(trap) = self.collect_and_retry(what) {
                        return Err(match trap {
                            Trap::Throw(exception) => Unfinished::Threw(exception),
                            _ => Unfinished::Stopped(Stop::OutOfMemory),
                        });
                    }
                }
            }
        }
    }

    fn complete_upcall(&mut self, upcall: Upcall) -> Result<(), Unfinished> {
        let Upcall { method, args, hook } = upcall;
        match self.call_plain(method, &args) {
            Outcome::Returned(value) => {
                let done = match hook {
                    Hook::ClassInit(class) => {
                        self.class_init_returned(class);
                        Ok(())
                    }
                    Hook::LoadedClass { loader, name, asked, keep_exception } => self.class_loaded(
                        loader,
                        name,
                        asked,
                        keep_exception,
                        Ref::from_slot(value.to_slot()),
                    ),
                    Hook::CallSite { class, tag, root } => {
                        self.call_site_returned(class, tag, root, value.to_slot())
                    }
                    Hook::Transformed { ticket } => {
                        self.transformed(ticket, Ref::from_slot(value.to_slot()));
                        Ok(())
                    }
                    _ => Ok(()),
                };
                match done {
                    Ok(()) => Ok(()),
                    Err(Trap::Throw(exception)) => Err(Unfinished::Threw(exception)),
                    Err(trap) => {
                        let reason = format!("a class that was loaded needs more: {trap:?}");
                        Err(Unfinished::Stopped(Stop::Unsupported(reason)))
                    }
                }
            }
            Outcome::Threw(exception) => Err(Unfinished::Threw(match hook {
                Hook::ClassInit(class) => self.class_init_threw(class, exception),
                Hook::LoadedClass { asked, keep_exception, .. } => {
                    self.class_load_failed(asked, keep_exception, exception)
                }
                _ => exception,
            })),
            Outcome::Stopped(stop) => Err(Unfinished::Stopped(stop)),
        }
    }

    /// An exception with its causes and stack traces, made without running Java code.
    pub fn describe_throwable(&self, exception: Ref) -> String {
        let mut text = String::new();
        let mut seen = vec![Ref::NULL];
        let mut current = exception;
        while !seen.contains(&current) {
            seen.push(current);
            if !text.is_empty() {
                text.push_str("\ncaused by ");
            }
            text.push_str(&self.class(self.class_of(current)).external_name());
            let message = self.heap.load_ref(current, self.known.throwable_detail_message);
            if !message.is_null() {
                text.push_str(": ");
                text.push_str(&self.string_text(message));
            }
            for row in self.backtrace_rows(current) {
                let method = self.method(row.method);
                let class = self.class(method.class).external_name();
                let file = row.file.as_deref().unwrap_or("?");
                text.push_str(&format!("\n  at {class}.{} ({file}:{})", method.name, row.line));
            }
            current = self.heap.load_ref(current, self.known.throwable_cause);
        }
        text
    }
}

pub(crate) fn failed(step: &str, reason: &str) -> BootError {
    BootError::Failed { step: step.to_owned(), reason: reason.to_owned() }
}
