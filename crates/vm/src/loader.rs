//! Class loading: dictionaries per loader, the boot loader, `loadClass` of Java loaders.

use crate::frame::Res;
use crate::value::{ClassId, LoaderId, Ref};
use crate::vm::Vm;

impl Vm {
    /// The class with this internal name (`java/lang/String`) or array descriptor (`[I`,
    /// `[Ljava/lang/String;`) as seen by a loader. Throws `NoClassDefFoundError`.
    pub fn load_class(&mut self, loader: LoaderId, name: &[u8]) -> Res<ClassId> {
        let _ = (loader, name);
        unreachable!("internal: not written yet")
    }

    /// As `load_class`, but a missing class throws `ClassNotFoundException` (for `Class.forName`).
    pub fn load_class_for_name(&mut self, loader: LoaderId, name: &[u8]) -> Res<ClassId> {
        let _ = (loader, name);
        unreachable!("internal: not written yet")
    }

    /// A class of the boot loader by internal name.
    pub fn boot_class(&mut self, name: &str) -> Res<ClassId> {
        self.load_class(LoaderId::BOOT, name.as_bytes())
    }

    /// A class of the boot loader, `None` where there is none (`findBootstrapClass`).
    pub fn find_boot_class(&mut self, name: &[u8]) -> Res<Option<ClassId>> {
        let _ = name;
        unreachable!("internal: not written yet")
    }

    /// A class already recorded for this loader.
    pub fn find_loaded_class(&mut self, loader: LoaderId, name: &[u8]) -> Option<ClassId> {
        let _ = (loader, name);
        unreachable!("internal: not written yet")
    }

    /// The loader behind a `java.lang.ClassLoader`, registering it on first sight; null is the boot loader.
    pub fn loader_of(&mut self, java: Ref) -> LoaderId {
        let _ = java;
        unreachable!("internal: not written yet")
    }

    /// The class that a field descriptor names, as seen by a loader (primitives too).
    pub fn class_of_descriptor(&mut self, loader: LoaderId, descriptor: &[u8]) -> Res<ClassId> {
        let _ = (loader, descriptor);
        unreachable!("internal: not written yet")
    }
}
