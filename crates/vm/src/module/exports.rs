//! Which module reads which, and what it exports to whom: the machine's copy of what Java code
//! has told, for access checks between classes of different modules (JVMS §5.4.4).

use crate::class::flags;
use crate::symbol::Symbol;
use crate::travel::Undo;
use crate::value::{ClassId, LoaderId, Ref};
use crate::vm::Vm;

/// A module, named or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleKey {
    /// Position in `Modules::defined`.
    Named(u32),
    /// The unnamed module of a loader.
    Unnamed(LoaderId),
}

/// To whom a package is exported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exports {
    pub(crate) to_all: bool,
    pub(crate) to_all_unnamed: bool,
    pub(crate) to: Vec<ModuleKey>,
}

/// Whom a module exports a package to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportTo {
    /// Everyone.
    All,
    /// Every unnamed module.
    AllUnnamed,
    /// One module.
    One(ModuleKey),
}

/// Whether a class may name another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassAccess {
    /// It may.
    Allowed,
    /// Its module does not read the other's.
    NotReadable,
    /// The other's package is not exported to its module.
    NotExported,
    /// The other is not public and in another package.
    Refused,
}

impl Vm {
    /// The module behind a `java.lang.Module`.
    pub fn module_key(&mut self, java: Ref) -> ModuleKey {
        if let Some(idx) = self.modules.defined.iter().position(|module| module.java == java) {
            return ModuleKey::Named(u32::try_from(idx).unwrap_or(u32::MAX));
        }
        let loader = self.heap.load_ref(java, self.known.module_loader);
        ModuleKey::Unnamed(self.loader_of(loader))
    }

    /// The module of a loader's package.
    pub fn key_of_package(&self, loader: LoaderId, package: Symbol) -> ModuleKey {
        match self.loaders[loader.idx()].packages.get(&package) {
            Some(&idx) => ModuleKey::Named(idx),
            None => ModuleKey::Unnamed(loader),
        }
    }

    /// `Module.addReads0`.
    pub fn add_reads(&mut self, from: ModuleKey, to: ModuleKey) {
        let ModuleKey::Named(idx) = from else { return };
        let reads = &mut self.modules.defined[idx as usize].reads;
        if !reads.contains(&to) {
            reads.push(to);
            self.marks.remember(Undo::Reads(idx));
        }
    }

    /// Takes `add_reads` back.
    pub fn forget_reads(&mut self, idx: u32) {
        self.modules.defined[idx as usize].reads.pop();
    }

    /// `Module.addExports0` and its like.
    pub fn add_exports(&mut self, from: ModuleKey, package: Symbol, to: ExportTo) {
        let ModuleKey::Named(idx) = from else { return };
        let exports = &mut self.modules.defined[idx as usize].exports;
        let old = exports.get(&package).cloned();
        let entry = exports.entry(package).or_default();
        match to {
            ExportTo::All => entry.to_all = true,
            ExportTo::AllUnnamed => entry.to_all_unnamed = true,
            ExportTo::One(key) if !entry.to.contains(&key) => entry.to.push(key),
            ExportTo::One(_) => {}
        }
        self.marks.remember(Undo::Exported(idx, package, old));
    }

    /// Takes `add_exports` back.
    pub fn restore_exports(&mut self, idx: u32, package: Symbol, old: Option<Exports>) {
        let exports = &mut self.modules.defined[idx as usize].exports;
        match old {
            Some(old) => exports.insert(package, old),
            None => exports.remove(&package),
        };
    }

    /// Whether classes without a module may name the public classes of this class's package.
    pub fn is_exported(&self, class: ClassId) -> bool {
        let target = self.class(class);
        let ModuleKey::Named(idx) = self.key_of_package(target.loader, target.package) else {
            return true;
        };
        let module = &self.modules.defined[idx as usize];
        let exports = module.exports.get(&target.package);
        module.is_open || exports.is_some_and(|exports| exports.to_all || exports.to_all_unnamed)
    }

    /// Whether a class of a loader's package may name another class.
    pub(crate) fn class_access(&self, from: (LoaderId, Symbol), class: ClassId) -> ClassAccess {
        let target = self.class(class);
        if from == (target.loader, target.package) {
            return ClassAccess::Allowed;
        }
        if target.flags & flags::PUBLIC == 0 {
            return ClassAccess::Refused;
        }
        if self.modules.defined.is_empty() {
            return ClassAccess::Allowed;
        }
        let from = self.key_of_package(from.0, from.1);
        let to = self.key_of_package(target.loader, target.package);
        if from == to {
            return ClassAccess::Allowed;
        }
        if !self.reads(from, to) {
            return ClassAccess::NotReadable;
        }
        let ModuleKey::Named(idx) = to else { return ClassAccess::Allowed };
        let module = &self.modules.defined[idx as usize];
        let is_exported = module.exports.get(&target.package).is_some_and(|exports| {
            exports.to_all
                || exports.to.contains(&from)
                || (exports.to_all_unnamed && matches!(from, ModuleKey::Unnamed(_)))
        });
        if module.is_open || is_exported { ClassAccess::Allowed } else { ClassAccess::NotExported }
    }

    /// HotSpot's words for a class that another module keeps to itself; `from` is the class, by
    /// its external name and its place.
    pub(crate) fn module_access_message(
        &mut self,
        from: (&str, LoaderId, Symbol),
        class: ClassId,
        access: ClassAccess,
    ) -> String {
        let (name, loader, package) = from;
        let from = self.key_text(loader, package);
        let (to_loader, to_package) = (self.class(class).loader, self.class(class).package);
        let to = self.key_text(to_loader, to_package);
        let other = self.external_name(class);
        let reason = match access {
            ClassAccess::NotReadable => format!("{from} does not read {to}"),
            _ => {
                let package = to_package.to_string().replace('/', ".");
                format!("{to} does not export {package} to {from}")
            }
        };
        format!("class {name} (in {from}) cannot access class {other} (in {to}) because {reason}")
    }

    /// A module reads itself and `java.base`; an unnamed one reads all; a named one that reads
    /// some unnamed module is one of those that read them all.
    fn reads(&self, from: ModuleKey, to: ModuleKey) -> bool {
        let ModuleKey::Named(idx) = from else { return true };
        to == ModuleKey::Named(0)
            || matches!(to, ModuleKey::Unnamed(_))
            || self.modules.defined[idx as usize].reads.contains(&to)
    }

    fn key_text(&mut self, loader: LoaderId, package: Symbol) -> String {
        match self.key_of_package(loader, package) {
            ModuleKey::Named(idx) => format!("module {}", self.modules.defined[idx as usize].name),
            ModuleKey::Unnamed(_) => {
                let java = self.module_of_package(loader, package);
                let hash = if java.is_null() { 0 } else { self.identity_hash(java) };
                format!("unnamed module @0x{hash:x}")
            }
        }
    }
}
