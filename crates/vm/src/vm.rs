//! One machine: all its state in one struct, hot fields first.
//!
//! Behaviour is spread over the modules that own it, each as an `impl Vm` block: `link`, `loader`,
//! `init`, `resolve` (classes), `string`, `throwable`, `thread`, `lock`, `travel` (marks), `interp`
//! (running), `native` (natives by Java package).

use std::any::Any;
use std::io;
use std::sync::Arc;

use classfile::{ClassFile, JImage};
use rustc_hash::FxHashMap;

use crate::class::{Class, ClassRt, Method};
use crate::clock::Chances;
use crate::constraints::Constraints;
use crate::files::Files;
use crate::frame::{Frame, Stop};
use crate::gc::Collector;
use crate::handles::Handles;
use crate::heap::Heap;
use crate::host::Host;
use crate::instrument::Agents;
use crate::interp::RunState;
use crate::intrinsic::IntrinsicTable;
use crate::link::Definitions;
use crate::module::Modules;
use crate::native::NativeTable;
use crate::redefine::Retired;
use crate::reflection::Layouts;
use crate::schedule::Scheduler;
use crate::spin::Spun;
use crate::stack::MethodTable;
use crate::string::InternTable;
use crate::substitute::Substitutes;
use crate::symbol::{Symbol, Symbols};
use crate::thread::Thread;
use crate::travel::numbers::TakenBack;
use crate::travel::{Marks, World};
use crate::value::{ClassId, MethodId, Ref};
use crate::well_known::WellKnown;
use crate::zlib::streams::Streams;

/// A machine. Not shared between OS threads, but may move between them.
#[repr(C)]
pub struct Vm {
    /// The top frame of the running thread.
    pub frame: *mut Frame,
    /// No frame may be pushed at or behind this address.
    pub frame_limit: *mut Frame,
    /// No register may lie at or behind this address.
    pub reg_limit: *mut u64,
    /// Bytecodes (roughly) left until the next look at `poll`; counted at calls and back branches.
    pub fuel: i64,
    /// Where the current mode's state is; typed by the handlers' `Mode`.
    pub mode: *mut (),
    /// The memory.
    pub heap: Heap,

    /// Classes by `ClassId`.
    pub classes: Vec<ClassRt>,
    /// Methods by `MethodId`; entries never move.
    pub methods: MethodTable,
    /// Other bodies for methods.
    pub substitutes: Substitutes,
    /// Code that was replaced.
    pub(crate) retired: Retired,
    /// Jars that agents put behind the boot loader's classes, and connections to the machine itself.
    pub(crate) agents: Agents,
    /// Class loaders by `LoaderId`.
    pub loaders: Vec<LoaderData>,
    /// Modules that Java code has defined.
    pub modules: Modules,
    /// Class definitions that wait for their superclasses.
    pub definitions: Definitions,
    /// What loaders must agree on.
    pub constraints: Constraints,
    /// Open marks and what to take back; see `travel`.
    pub marks: Marks,
    /// The rollbacks that took classes back.
    pub(crate) taken_back: TakenBack,
    /// Small state that marks save whole.
    pub world: World,
    /// State of the collector.
    pub gc: Collector,
    /// Objects that code outside the machine holds on to.
    pub handles: Handles,
    /// Names.
    pub symbols: Arc<Symbols>,
    /// Strings by content.
    pub strings: InternTable,
    /// Classes and field offsets the machine itself needs.
    pub known: WellKnown,
    /// Classes that the machine wrote for call sites; a cache.
    pub spun: Spun,
    /// Where fields of reflection objects lie, as far as asked for.
    pub layouts: Layouts,
    /// Native methods by name.
    pub natives: Arc<NativeTable>,
    /// JDK methods that the machine runs itself.
    pub intrinsics: Arc<IntrinsicTable>,
    /// Green threads, oldest first; ended ones stay until nobody needs them.
    pub threads: Vec<Thread>,
    /// The running thread's position in `threads`.
    pub current: usize,
    /// State of the dispatch loop.
    pub run: RunState,
    /// What choosing among threads and locking need.
    pub scheduler: Scheduler,
    /// What a `Hook::Resume` brought back to its native: `(state, result)`.
    pub resumed: Option<(u64, u64)>,
    /// Fuel of the whole call that is not yet in `fuel`.
    pub fuel_reserve: i64,
    /// Fuel that calls with a limit have used so far, whether or not they were rolled back.
    pub fuel_used: u64,
    /// Asked from time to time while code runs: whether that is enough. The machine then stops as if it were
    /// out of fuel.
    pub is_enough: Option<fn() -> bool>,
    /// A collection is due at the next safe point.
    pub gc_due: bool,
    /// Why the machine stopped.
    pub stop: Option<Stop>,
    /// The JDK's class library.
    pub image: Arc<JImage>,
    /// Feature version of the JDK: 17, 25.
    pub jdk: u16,
    /// Virtual nanoseconds that passed; see `clock`. Part of what a rollback takes back.
    pub virtual_nanos: i64,
    /// What differs from run to run was asked for so often.
    pub chances: Chances,
    /// Open files.
    pub files: Files,
    /// Open compression streams.
    pub streams: Streams,
    /// The outside world.
    pub host: Box<dyn Host>,
    /// How the machine was set up.
    pub options: Options,
    /// What a tool keeps with the machine for its own natives. Neither rolled back nor collected.
    pub attachment: Option<Box<dyn Any + Send>>,
}

// SAFETY: the pointers in a machine (positions in its stacks, code and methods) lead to memory that
// the machine owns, or to classes that live as long as it does; `mode` is only used while a call is
// under way. What machines share (`Shared`, linked classes) is immutable or behind a lock.
#[expect(unsafe_code, reason = "see above")]
unsafe impl Send for Vm {}

/// Settings that do not change while a machine lives.
#[derive(Debug, Clone)]
pub struct Options {
    /// The JDK's folder.
    pub java_home: String,
    /// Value of `java.class.path`.
    pub class_path: String,
    /// Extra system properties.
    pub properties: Vec<(String, String)>,
    /// Limit of the main heap region in bytes.
    pub heap_limit: usize,
    /// Seed of identity hashes, hash salts and random devices.
    pub seed: u64,
    /// Whether `assert` is on in classes outside the JDK.
    pub assertions: bool,
}

/// What machines of one JDK share.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    pub(crate) image: Arc<JImage>,
    pub(crate) jdk: u16,
    pub(crate) symbols: Arc<Symbols>,
    pub(crate) natives: Arc<NativeTable>,
    pub(crate) intrinsics: Arc<IntrinsicTable>,
}

/// What the machine knows about one class loader.
#[derive(Debug, Clone)]
pub struct LoaderData {
    /// The `java.lang.ClassLoader`; null for the boot loader. A root of the collector.
    pub java: Ref,
    /// Classes by name for which this loader is an initiating loader.
    pub classes: FxHashMap<Symbol, ClassId>,
    /// Packages of named modules, as positions in `Modules::defined`.
    pub packages: FxHashMap<Symbol, u32>,
}

impl Vm {
    /// A machine without classes and threads. `load_well_known` is the next step, then boot.
    /// The region for objects is reserved here, so this fails where address space is short; an
    /// image without `java.lang.Object` is no JDK's and is refused.
    pub fn new(
        image: Arc<JImage>,
        options: Options,
        natives: Arc<NativeTable>,
        host: Box<dyn Host>,
    ) -> io::Result<Vm> {
        let object = image
            .find("java.base", "java/lang/Object.class")
            .and_then(|bytes| ClassFile::parse(bytes).ok())
            .ok_or_else(|| {
                let path = image.path().display();
                io::Error::new(io::ErrorKind::InvalidData, format!("no java.lang.Object in {path}"))
            })?;
        // Class files of a JDK carry its own version: 61 is 17.
        let jdk = object.major().saturating_sub(44);
        let heap = Heap::reserve(0, options.heap_limit)?;
        let methods = MethodTable::new()?;
        let intrinsics = Arc::new(IntrinsicTable::new(jdk));
        let shared = Shared { image, jdk, symbols: Arc::default(), natives, intrinsics };
        Ok(Vm::empty(shared, heap, methods, options, host))
    }

    /// A machine without classes and threads.
    pub(crate) fn empty(
        shared: Shared,
        heap: Heap,
        methods: MethodTable,
        options: Options,
        host: Box<dyn Host>,
    ) -> Vm {
        let boot_loader = LoaderData {
            java: Ref::NULL,
            classes: FxHashMap::default(),
            packages: FxHashMap::default(),
        };
        let Shared { image, jdk, symbols, natives, intrinsics } = shared;
        Vm {
            frame: std::ptr::null_mut(),
            frame_limit: std::ptr::null_mut(),
            reg_limit: std::ptr::null_mut(),
            fuel: i64::MAX,
            mode: std::ptr::null_mut(),
            heap,
            classes: Vec::new(),
            methods,
            substitutes: Substitutes::default(),
            retired: Retired::default(),
            agents: Agents::default(),
            loaders: vec![boot_loader],
            modules: Modules::default(),
            definitions: Definitions::default(),
            constraints: Constraints::default(),
            marks: Marks::default(),
            taken_back: TakenBack::default(),
            world: World::default(),
            gc: Collector::default(),
            handles: Handles::default(),
            symbols,
            strings: InternTable::default(),
            known: WellKnown::default(),
            spun: Spun::default(),
            layouts: Layouts::default(),
            natives,
            intrinsics,
            threads: Vec::new(),
            current: 0,
            run: RunState::default(),
            scheduler: Scheduler::default(),
            resumed: None,
            fuel_reserve: 0,
            fuel_used: 0,
            is_enough: None,
            gc_due: false,
            stop: None,
            image,
            jdk,
            virtual_nanos: 0,
            chances: Chances::default(),
            files: Files::default(),
            streams: Streams::default(),
            host,
            options,
            attachment: None,
        }
    }

    /// What this machine shares with others of its JDK.
    pub(crate) fn shared(&self) -> Shared {
        Shared {
            image: self.image.clone(),
            jdk: self.jdk,
            symbols: self.symbols.clone(),
            natives: self.natives.clone(),
            intrinsics: self.intrinsics.clone(),
        }
    }

    /// The linked class.
    #[inline(always)]
    pub fn class(&self, id: ClassId) -> &Arc<Class> {
        &self.classes[id.idx()].class
    }

    /// The class of an object.
    #[inline(always)]
    pub fn class_of(&self, object: Ref) -> ClassId {
        ClassId(self.heap.class_id(object))
    }

    /// The `java.lang.Class` object of a class.
    #[inline(always)]
    pub fn mirror(&self, id: ClassId) -> Ref {
        self.classes[id.idx()].mirror
    }

    /// The class behind a `java.lang.Class` object.
    #[inline(always)]
    pub fn class_of_mirror(&self, mirror: Ref) -> ClassId {
        ClassId(self.heap.load_u32(mirror, self.known.class_id_field))
    }

    /// The linked method.
    #[inline(always)]
    pub fn method(&self, id: MethodId) -> &Method {
        self.methods.method(id)
    }

    /// The running thread.
    #[inline(always)]
    pub fn thread(&mut self) -> &mut Thread {
        &mut self.threads[self.current]
    }

    /// Number of open marks.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.marks.depth()
    }
}
