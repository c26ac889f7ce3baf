//! A machine that has run, as the start of others. Its heap is mapped as it is, its tables are
//! copied; code is translated anew, since instructions hold addresses of one machine. Call sites keep
//! what they were linked to, because that lies in the heap.

use std::fmt;
use std::fs::File;
use std::io;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::booted::method_template;
use super::frozen_thread::FrozenThread;
use crate::boot::{BootError, failed};
use crate::class::{Class, ClassRt};
use crate::constraints::Constraints;
use crate::files::FileTable;
use crate::handles::Handles;
use crate::heap::Heap;
use crate::heap::copy::HeapCopy;
use crate::host::Host;
use crate::module::Modules;
use crate::reflection::Layouts;
use crate::spin::Spun;
use crate::stack::MethodTable;
use crate::string::InternTable;
use crate::travel::World;
use crate::value::Ref;
use crate::vm::{LoaderData, Options, Shared, Vm};
use crate::well_known::WellKnown;
use crate::zlib::streams::Streams;

/// Why a machine cannot be frozen.
#[derive(Debug)]
pub enum FreezeError {
    /// A mark is open.
    MarkOpen,
    /// The machine has stopped for good.
    Stopped,
    /// A file is open for writing; its path.
    Writing(String),
    /// The operating system refused memory.
    NoMemory(io::Error),
}

impl fmt::Display for FreezeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FreezeError::MarkOpen => f.write_str("a machine with an open mark cannot be frozen"),
            FreezeError::Stopped => f.write_str("a machine that has stopped cannot be frozen"),
            FreezeError::Writing(path) => write!(f, "the program is writing to {path}"),
            FreezeError::NoMemory(error) => write!(f, "no memory for a frozen machine: {error}"),
        }
    }
}

impl std::error::Error for FreezeError {}

impl From<io::Error> for FreezeError {
    fn from(error: io::Error) -> FreezeError {
        FreezeError::NoMemory(error)
    }
}

/// See the module text.
#[derive(Debug)]
pub(super) struct Frozen {
    shared: Shared,
    heap: HeapCopy,
    methods: File,
    n_methods: usize,
    classes: Vec<ClassRt>,
    loaders: Vec<LoaderData>,
    modules: Modules,
    constraints: Constraints,
    world: World,
    handles: Handles,
    strings: InternTable,
    known: WellKnown,
    spun: Spun,
    layouts: Layouts,
    threads: Vec<FrozenThread>,
    current: usize,
    virtual_nanos: i64,
    files: FileTable,
    streams: Streams,
}

impl Frozen {
    pub(super) fn of(vm: &Vm) -> Result<Frozen, FreezeError> {
        vm.assert_outside();
        if vm.depth() > 0 {
            return Err(FreezeError::MarkOpen);
        }
        if vm.stop.is_some() {
            return Err(FreezeError::Stopped);
        }
        if let Some(path) = vm.files.table.written_path() {
            return Err(FreezeError::Writing(path));
        }
        let classes: Vec<Arc<Class>> = vm.classes.iter().map(|rt| rt.class.clone()).collect();
        let (methods, n_methods) = method_template(&classes)?;
        assert!(n_methods == vm.methods.len(), "internal: methods without a class");
        Ok(Frozen {
            shared: vm.shared(),
            heap: vm.heap.copy_parts()?,
            methods,
            n_methods,
            classes: vm.classes.clone(),
            loaders: vm.loaders.clone(),
            modules: vm.modules.clone(),
            constraints: vm.constraints.clone(),
            world: vm.world,
            handles: vm.handles.clone(),
            strings: settled(&vm.strings, &vm.heap),
            known: vm.known.clone(),
            spun: vm.spun.clone(),
            layouts: vm.layouts.clone(),
            threads: (0..vm.threads.len()).map(|idx| FrozenThread::of(vm, idx)).collect(),
            current: vm.current,
            virtual_nanos: vm.virtual_nanos,
            files: vm.files.table.clone(),
            streams: vm.streams.for_another(),
        })
    }

    /// A machine that goes on where this one was.
    pub(super) fn machine(
        &self,
        options: Options,
        mut host: Box<dyn Host>,
    ) -> Result<Vm, BootError> {
        let reopened = self.files.reopened(&mut *host);
        let files = reopened.map_err(|path| failed("opening again", &path))?;
        let heap = Heap::of_copy(&self.heap, options.heap_limit)?;
        let methods = MethodTable::of_template(&self.methods, self.n_methods)?;
        let mut vm = Vm::empty(self.shared.clone(), heap, methods, options, host);
        vm.files = files;
        vm.classes = self.classes.clone();
        vm.loaders = self.loaders.clone();
        vm.modules = self.modules.clone();
        vm.constraints = self.constraints.clone();
        vm.world = self.world;
        vm.handles = self.handles.clone();
        vm.strings = self.strings.clone();
        vm.known = self.known.clone();
        vm.spun = self.spun.clone();
        vm.layouts = self.layouts.clone();
        vm.virtual_nanos = self.virtual_nanos;
        vm.streams = self.streams.for_another();
        // Looks up classes that are there, and runs no Java code.
        let fields = vm.complete(Vm::thread_fields);
        fields.map_err(|_| failed("java.lang.Thread", "not as it was"))?;
        for thread in &self.threads {
            let thread = thread.thaw(&mut vm)?;
            vm.threads.push(thread);
        }
        vm.enter_thread(self.current);
        Ok(vm)
    }
}

/// The interned strings, those that never move in the part that machines share.
fn settled(strings: &InternTable, heap: &Heap) -> InternTable {
    let mut base: FxHashMap<u64, Vec<Ref>> = FxHashMap::clone(&strings.base);
    let mut by_hash: FxHashMap<u64, Vec<Ref>> = FxHashMap::default();
    let mut own: Vec<(&u64, &Vec<Ref>)> = strings.by_hash.iter().collect();
    own.sort_unstable();
    for (&hash, strings) in own {
        for &string in strings {
            let table = if heap.is_fixed(string) { &mut base } else { &mut by_hash };
            table.entry(hash).or_default().push(string);
        }
    }
    InternTable { by_hash, base: Arc::new(base), movable: strings.movable.clone() }
}
