//! An opened image, and machines made from it.

use std::fs::File;
use std::io;
use std::sync::Arc;

use classfile::JImage;
use memmap2::Mmap;
use rustc_hash::FxHashMap;

use super::ImageStore;
use super::class::ClassRow;
use super::format::{ImageError, take_apart};
use super::portable::{Portable, Reader};
use super::write::{LoaderRow, ModuleRow, Tables, ThreadRow};
use crate::boot::personal::StandIn;
use crate::boot::{BootError, failed, image_key};
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

/// A booted base that machines start from, each for little: see the text of `image`. It never
/// changes, so threads share it and make their machines from it at the same time.
///
/// ```no_run
/// # use std::{path::Path, sync::Arc, thread};
/// # use classfile::JImage;
/// # use vm::{boot::BootError, host::fixed::FixedHost, image::Base, vm::Options};
/// # fn run(options: Options, library: &Arc<JImage>) -> Result<(), BootError> {
/// let base = Base::boot(library, options, Box::new(FixedHost::new()))?;
/// thread::scope(|scope| {
///     for _ in 0..4 {
///         scope.spawn(|| {
///             let mut vm = base.machine(Box::new(FixedHost::new()))?;
///             vm.run_program("Main", &[]);
///             Ok::<(), BootError>(())
///         });
///     }
/// });
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Base {
    shared: Shared,
    options: Options,
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

impl Base {
    /// Boots the JDK behind `library`; the base lies in memory.
    pub fn boot(
        library: &Arc<JImage>,
        options: Options,
        host: Box<dyn Host>,
    ) -> Result<Base, BootError> {
        Base::boot_under("", library, options, host, &mut |_| {})
    }

    /// As `boot`, from an image if the store has one; else leaves one there for the next time.
    /// `origin` tells builds of this program and of the JDK apart.
    pub fn boot_with(
        library: &Arc<JImage>,
        options: Options,
        mut host: Box<dyn Host>,
        store: &dyn ImageStore,
        origin: &str,
    ) -> Result<Base, BootError> {
        let key = image_key(&options, &host.platform(), origin);
        if let Some(file) = store.open(&key)
            && let Ok(base) = Base::open(file, &key, library, options.clone())
        {
            return Ok(base);
        }
        Base::boot_under(&key, library, options, host, &mut |image| store.save(&key, image))
    }

    fn boot_under(
        key: &str,
        library: &Arc<JImage>,
        options: Options,
        host: Box<dyn Host>,
        keep: &mut dyn FnMut(&[u8]),
    ) -> Result<Base, BootError> {
        let mut vm = Vm::boot_impersonal(library.clone(), options.clone(), host)?;
        let Some(image) = vm.make_image(key) else {
            return Err(failed("boot", "threads stand in the middle of something"));
        };
        keep(&image);
        let opened = memory_file(&image).map_err(|_| ImageError::NoMemory);
        let opened = opened.and_then(|file| Base::open(file, key, library, options));
        opened.map_err(|error| failed("boot image", &error.to_string()))
    }

    /// The options that machines of this base have.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// A machine that is ready to load a program.
    pub fn machine(&self, host: Box<dyn Host>) -> Result<Vm, BootError> {
        self.machine_for(&self.options.class_path, host)
    }

    /// As `machine`, with another class path.
    pub fn machine_for(&self, class_path: &str, host: Box<dyn Host>) -> Result<Vm, BootError> {
        let options = Options { class_path: class_path.to_owned(), ..self.options.clone() };
        let mut vm = self.impersonal(options, host)?;
        vm.make_personal(&self.stand_ins)?;
        Ok(vm)
    }

    /// Opens an image that was kept under this key, for this JDK.
    pub(crate) fn open(
        file: File,
        key: &str,
        library: &Arc<JImage>,
        options: Options,
    ) -> Result<Base, ImageError> {
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
        Ok(Base {
            shared: Shared {
                image: library.clone(),
                jdk: tables.jdk,
                symbols,
                natives: Arc::new(native::table()),
                intrinsics: Arc::new(IntrinsicTable::new(tables.jdk)),
            },
            options,
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

    /// A machine as it was when the image was made, not yet personal.
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
fn method_template(classes: &[Arc<Class>]) -> io::Result<(File, usize)> {
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
    Ok((memory_file(bytes)?, methods.len()))
}
