//! An opened image, and machines made from it: they map the objects and get their own tables.

use std::fs::File;
use std::io;
use std::sync::Arc;

use classfile::JImage;
use memmap2::Mmap;
use rustc_hash::FxHashMap;

use super::class::ClassRow;
use super::format::{ImageError, take_apart};
use super::portable::{Portable, Reader};
use super::write::{LoaderRow, ModuleRow, Tables, ThreadRow};
use crate::boot::BootError;
use crate::boot::personal::StandIn;
use crate::class::{Class, ClassRt, MethodRt};
use crate::constraints::{Constraint, Constraints};
use crate::heap::Heap;
use crate::host::Host;
use crate::intrinsic::IntrinsicTable;
use crate::link::new_method;
use crate::module::DefinedModule;
use crate::native;
use crate::stack::{MethodTable, Reserved, memory_file};
use crate::symbol::{Symbol, Symbols};
use crate::thread::{Stacks, Thread, push_bottom};
use crate::travel::World;
use crate::value::Ref;
use crate::vm::{LoaderData, Options, Shared, Vm};
use crate::well_known::WellKnown;

/// An opened image.
#[derive(Debug)]
pub(super) struct Booted {
    shared: Shared,
    /// The image, and where in it the objects lie.
    file: File,
    objects_at: usize,
    objects_size: usize,
    /// What every machine's method table begins with.
    methods: File,
    n_methods: usize,
    classes: Vec<(Arc<Class>, ClassRow)>,
    loaders: Vec<LoaderRow>,
    modules: Vec<ModuleRow>,
    boot_unnamed: Ref,
    constraints: Vec<(Symbol, Vec<Constraint>)>,
    known: WellKnown,
    world: World,
    virtual_nanos: i64,
    threads: Vec<ThreadRow>,
    strings: Arc<FxHashMap<u64, Vec<Ref>>>,
    stand_ins: Vec<StandIn>,
    raw: Vec<u8>,
}

impl Booted {
    /// Opens an image that was kept under this key, for this JDK.
    pub(super) fn open(file: File, key: &str, library: &Arc<JImage>) -> Result<Booted, ImageError> {
        // SAFETY: stores replace files, they never change one, so the content stays as it is.
        #[expect(unsafe_code, reason = "mapping the file is the way to read it without a copy")]
        let image = unsafe { Mmap::map(&file) }.map_err(|_| ImageError::Damaged)?;
        let parts = take_apart(key, &image)?;
        let symbols = Arc::new(Symbols::default());
        let read = || {
            let mut reader = Reader::new(parts.tables, &symbols, library)?;
            let tables = Tables::read(&mut reader)?;
            let classes: Option<Vec<Class>> =
                tables.rows.iter().map(|_| Class::take(&mut reader)).collect();
            (reader.is_done()).then_some((tables, classes?))
        };
        let (tables, classes) = read().ok_or(ImageError::Damaged)?;
        let (objects_at, objects_size) = (parts.objects_at, parts.objects.len());
        let classes: Vec<Arc<Class>> = classes.into_iter().map(Arc::new).collect();
        let (methods, n_methods) = method_template(&classes).map_err(|_| ImageError::NoMemory)?;
        let mut strings: FxHashMap<u64, Vec<Ref>> = FxHashMap::default();
        for (hash, string) in tables.strings {
            strings.entry(hash).or_default().push(string);
        }
        Ok(Booted {
            shared: Shared {
                image: library.clone(),
                jdk: tables.jdk,
                symbols,
                natives: Arc::new(native::table()),
                intrinsics: Arc::new(IntrinsicTable::new(tables.jdk)),
            },
            file,
            objects_at,
            objects_size,
            methods,
            n_methods,
            classes: classes.into_iter().zip(tables.rows).collect(),
            loaders: tables.loaders,
            modules: tables.modules,
            boot_unnamed: tables.boot_unnamed,
            constraints: tables.constraints,
            known: WellKnown::from_words(&tables.known).ok_or(ImageError::Damaged)?,
            world: tables.world,
            virtual_nanos: tables.virtual_nanos,
            threads: tables.threads,
            strings: Arc::new(strings),
            stand_ins: tables.stand_ins,
            raw: tables.raw,
        })
    }

    /// A machine that is ready to load a program.
    pub(super) fn machine(&self, options: Options, host: Box<dyn Host>) -> Result<Vm, BootError> {
        let mut vm = self.impersonal(options, host)?;
        vm.make_personal(&self.stand_ins)?;
        Ok(vm)
    }

    /// A machine as it was when the image was made.
    fn impersonal(&self, options: Options, host: Box<dyn Host>) -> io::Result<Vm> {
        let mut heap = Heap::reserve(self.objects_size, options.heap_limit)?;
        heap.map_base(&self.file, self.objects_at)?;
        heap.raw_restore(&self.raw);
        let methods = MethodTable::of_template(&self.methods, self.n_methods)?;
        let mut vm = Vm::empty(self.shared.clone(), heap, methods, options, host);
        vm.classes = self.classes.iter().map(|(class, row)| class_rt(class, row)).collect();
        vm.loaders = self.loaders.iter().map(loader_data).collect();
        vm.modules.defined = self.modules.iter().map(defined_module).collect();
        vm.modules.boot_unnamed = self.boot_unnamed;
        vm.constraints = Constraints::from_rows(self.constraints.clone());
        vm.known = self.known.clone();
        vm.world = self.world;
        vm.virtual_nanos = self.virtual_nanos;
        vm.strings.base = self.strings.clone();
        for (idx, row) in self.threads.iter().enumerate() {
            vm.threads.push(thread(row, idx == 0)?);
        }
        vm.enter_thread(0);
        Ok(vm)
    }
}

fn class_rt(class: &Arc<Class>, row: &ClassRow) -> ClassRt {
    ClassRt {
        class: class.clone(),
        mirror: row.mirror,
        array_class: row.array_class,
        first_method: row.first_method,
        initialised_at: row.is_initialised.then_some(0),
        made_at: 0,
        selected: FxHashMap::default(),
        sites: None,
        versions: None,
    }
}

fn defined_module(row: &ModuleRow) -> DefinedModule {
    DefinedModule {
        java: row.java,
        name: row.name,
        is_open: row.is_open,
        reads: row.reads.clone(),
        exports: row.exports.iter().cloned().collect(),
    }
}

fn loader_data(row: &LoaderRow) -> LoaderData {
    LoaderData {
        java: row.java,
        classes: row.classes.iter().copied().collect(),
        packages: row.packages.iter().copied().collect(),
    }
}

fn thread(row: &ThreadRow, is_first: bool) -> io::Result<Thread> {
    let stacks = Stacks {
        registers: Reserved::new(row.n_registers as usize)?,
        frames: Reserved::new(row.n_frames as usize)?,
    };
    let mut thread = Thread::new(row.id, row.java, stacks);
    thread.current = row.current;
    thread.daemon = row.daemon;
    thread.housekeeper = row.housekeeper;
    if !is_first {
        push_bottom(&mut thread);
    }
    Ok(thread)
}

/// The method tables of all machines begin alike; gives that beginning and its length.
pub(super) fn method_template(classes: &[Arc<Class>]) -> io::Result<(File, usize)> {
    let methods: Vec<MethodRt> = classes
        .iter()
        .flat_map(|class| class.methods.iter().chain(&class.conflicts))
        .map(new_method)
        .collect();
    // SAFETY: the bytes of the entries, read as such; padding is copied, never looked at.
    #[expect(
        unsafe_code,
        reason = "entries hold addresses of this process and are mapped as they are"
    )]
    let bytes = unsafe {
        std::slice::from_raw_parts(methods.as_ptr().cast::<u8>(), size_of_val(methods.as_slice()))
    };
    Ok((memory_file(&[bytes])?, methods.len()))
}
