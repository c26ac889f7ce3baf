//! Which module a package belongs to, as Java code has told by `Module.defineModule0`.
//!
//! The machine needs a class's module for the mirror's field, for messages and access checks
//! (`exports.rs`), and to know which packages the boot loader may take from the JDK's image. Before `java.base` is defined, mirrors have no module; they get it then.

mod exports;

use rustc_hash::FxHashMap;

use crate::class::Shape;
use crate::symbol::Symbol;
use crate::travel::Undo;
use crate::value::{ClassId, LoaderId, Ref};
use crate::vm::Vm;

pub use exports::{ClassAccess, ExportTo, Exports, ModuleKey};

/// The modules of one machine.
#[derive(Debug, Default, Clone)]
pub struct Modules {
    /// Named modules in order of definition; `LoaderData::packages` points here.
    pub defined: Vec<DefinedModule>,
    /// The unnamed module of the boot loader; null until Java code sets it. A root of the collector.
    pub boot_unnamed: Ref,
}

/// One named module.
#[derive(Debug, Clone)]
pub struct DefinedModule {
    /// The `java.lang.Module`. A root of the collector.
    pub java: Ref,
    /// Its name.
    pub name: Symbol,
    /// Whether all its packages are exported to everyone.
    pub is_open: bool,
    /// The modules that it reads, besides `java.base`.
    pub reads: Vec<ModuleKey>,
    /// The packages that it exports.
    pub exports: FxHashMap<Symbol, Exports>,
}

impl Vm {
    /// Registers a named module and its packages (internal form) for a loader, and gives it to
    /// the classes of those packages that are there already.
    #[expect(clippy::cast_possible_truncation, reason = "nobody defines four billion modules")]
    pub fn define_module(
        &mut self,
        loader: LoaderId,
        java: Ref,
        name: Symbol,
        is_open: bool,
        packages: &[Symbol],
    ) {
        let idx = self.modules.defined.len() as u32;
        let (reads, exports) = Default::default();
        self.modules.defined.push(DefinedModule { java, name, is_open, reads, exports });
        let known = &mut self.loaders[loader.idx()].packages;
        for &package in packages {
            known.entry(package).or_insert(idx);
        }
        self.marks.remember(Undo::ModuleDefined(loader));
        self.give_modules_to_mirrors(loader);
    }

    /// Takes `define_module` back; the mirrors are undone by the trail.
    pub fn undefine_module(&mut self, loader: LoaderId) {
        self.modules.defined.pop();
        let n_modules = self.modules.defined.len();
        self.loaders[loader.idx()].packages.retain(|_, &mut idx| (idx as usize) < n_modules);
    }

    /// Sets the unnamed module of the boot loader.
    pub fn set_boot_unnamed_module(&mut self, java: Ref) {
        self.modules.boot_unnamed = java;
        self.give_modules_to_mirrors(LoaderId::BOOT);
    }

    /// The module of a loader's package: named, or the loader's unnamed one; null while the module
    /// system is not up.
    pub fn module_of_package(&self, loader: LoaderId, package: Symbol) -> Ref {
        let data = &self.loaders[loader.idx()];
        if let Some(&idx) = data.packages.get(&package) {
            return self.modules.defined[idx as usize].java;
        }
        match data.java.some() {
            Some(java) => self.heap.load_ref(java, self.known.class_loader_unnamed_module),
            None if self.modules.defined.is_empty() => Ref::NULL,
            None => self.modules.boot_unnamed,
        }
    }

    /// The module of a class; an array has its element's, primitives are in `java.base`.
    pub fn module_of(&self, class: ClassId) -> Ref {
        let mut class = class;
        while let Shape::Array { component, .. } = self.class(class).shape {
            class = component;
        }
        match self.class(class).shape {
            Shape::Primitive(_) => self.modules.defined.first().map_or(Ref::NULL, |base| base.java),
            _ => self.module_of_package(self.class(class).loader, self.class(class).package),
        }
    }

    /// The name of a class's module; `None` for an unnamed one.
    pub fn module_name_of(&self, class: ClassId) -> Option<Symbol> {
        let java = self.module_of(class);
        self.modules.defined.iter().find(|module| module.java == java).map(|module| module.name)
    }

    /// Whether the boot loader may take this package from the image, and from which module.
    pub(crate) fn boot_module_of_package(&self, package: Symbol) -> Option<Symbol> {
        if self.modules.defined.is_empty() {
            return Some(self.symbols.intern(b"java.base"));
        }
        let &idx = self.loaders[LoaderId::BOOT.idx()].packages.get(&package)?;
        Some(self.modules.defined[idx as usize].name)
    }

    #[expect(clippy::cast_possible_truncation, reason = "class ids are 32 bits wide")]
    fn give_modules_to_mirrors(&mut self, loader: LoaderId) {
        for idx in 0..self.classes.len() {
            let id = ClassId(idx as u32);
            let mirror = self.mirror(id);
            if self.class(id).loader != loader || mirror.is_null() {
                continue;
            }
            if self.heap.load_ref(mirror, self.known.class_module).is_null() {
                let module = self.module_of(id);
                self.heap.store_ref(mirror, self.known.class_module, module);
            }
        }
    }
}
