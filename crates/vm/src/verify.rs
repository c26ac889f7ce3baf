//! Verification at link time, with the loader's classes as the verifier's world.
//!
//! Classes of the boot loader and the platform loader are trusted, as they come from the JDK's own
//! image. Questions about other classes load them through the class's loader, which may need Java
//! code first; verification then goes on with the method it stopped in.

use std::sync::Arc;

use classfile::verifier::{Hierarchy, MemberRef, VerifyFailure, verify};
use classfile::{ClassFile, mutf8};

use crate::class::{Class, flags};
use crate::frame::{Res, Trap};
use crate::value::ClassId;
use crate::vm::Vm;

impl Vm {
    /// Verifies a class before its initialisation; may need to load classes first.
    pub(crate) fn verify_class(&mut self, id: ClassId) -> Res<()> {
        let class = Arc::clone(self.class(id));
        let Some(file) = class.file() else { return Ok(()) };
        let is_trusted = || self.is_jdk_loader(class.loader) && self.is_own_file(&class, file);
        if class.is_spun || self.is_magic_accessor(id) || is_trusted() {
            return Ok(());
        }
        // While a class is not initialised, this word counts its verified methods.
        let counter = self.known.class_init_depth;
        let n_verified = self.heap.load_u32(self.mirror(id), counter);
        for (slot, method) in (0u32..).zip(file.methods()).skip(n_verified as usize) {
            match verify(file, method, &mut LoaderView { vm: self, class: &class }) {
                Ok(()) => {}
                Err(VerifyFailure::Suspend(trap)) => {
                    let mirror = self.mirror(id);
                    self.heap.store_u32(mirror, counter, slot);
                    return Err(trap);
                }
                Err(VerifyFailure::Invalid { message, bci }) => {
                    let pool = file.constant_pool();
                    let text = format!(
                        "{message}\nException Details:\n  Location:\n    {}.{}{} @{bci}\n",
                        mutf8::display(file.name()),
                        mutf8::display(pool.utf8(method.name)),
                        mutf8::display(pool.utf8(method.descriptor)),
                    );
                    return Err(self.throw("java/lang/VerifyError", &text));
                }
            }
        }
        self.constrain_overriding(id)
    }

    /// Whether the class file of a class of the JDK's loaders is the JDK's own: it lies in the image, or
    /// the library wrote it for itself.
    fn is_own_file(&self, class: &Class, file: &ClassFile) -> bool {
        let image = self.image.map().as_ptr_range();
        class.hidden || image.contains(&file.bytes().as_ptr())
    }

    /// Whether a class was made by the reflection of JDK 17, which writes code that breaks the
    /// rules on purpose and may touch everything.
    pub(crate) fn is_magic_accessor(&self, id: ClassId) -> bool {
        self.jdk < 22
            && self.class(id).supers.iter().any(|&ancestor| {
                self.class(ancestor).name.as_bytes() == b"jdk/internal/reflect/MagicAccessorImpl"
            })
    }
}

impl Vm {
    /// Verifies one method as it stands in another class file that takes the place of its class's.
    pub(crate) fn verify_substitute(
        &mut self,
        class: &Arc<Class>,
        file: &ClassFile,
        slot: usize,
    ) -> Res<Result<(), String>> {
        match verify(file, &file.methods()[slot], &mut LoaderView { vm: self, class }) {
            Ok(()) => Ok(Ok(())),
            Err(VerifyFailure::Suspend(trap)) => Err(trap),
            Err(VerifyFailure::Invalid { message, bci }) => Ok(Err(format!("{message} @{bci}"))),
        }
    }
}

/// The classes that a class's own loader sees.
struct LoaderView<'a> {
    vm: &'a mut Vm,
    class: &'a Class,
}

impl LoaderView<'_> {
    fn load(&mut self, name: &[u8]) -> Res<ClassId> {
        // A hidden class cannot be found by name.
        if name == self.class.class_file().name() {
            return Ok(self.class.id);
        }
        self.vm.load_class(self.class.loader, name)
    }
}

impl Hierarchy for LoaderView<'_> {
    type Suspend = Trap;

    fn is_assignable(&mut self, from: &[u8], to: &[u8]) -> Res<bool> {
        let to = self.load(to)?;
        if self.vm.class(to).is_interface() {
            return Ok(true);
        }
        let from = self.load(from)?;
        Ok(self.vm.is_subtype(from, to))
    }

    fn common_superclass(&mut self, a: &[u8], b: &[u8]) -> Res<Box<[u8]>> {
        let (a, b) = (self.load(a)?, self.load(b)?);
        let (a, b) = (self.vm.class(a), self.vm.class(b));
        if a.is_interface() || b.is_interface() {
            return Ok(b"java/lang/Object".as_slice().into());
        }
        let shared: Vec<ClassId> =
            a.supers.iter().zip(&b.supers).take_while(|(a, b)| a == b).map(|(&id, _)| id).collect();
        // The name must mean this very class to the verified class's loader, or the answer would
        // confuse two classes of one name; `Object` means the same to all.
        for &ancestor in shared.iter().skip(1).rev() {
            let name = self.vm.class(ancestor).name;
            if self.load(name.as_bytes())? == ancestor {
                return Ok(name.as_bytes().into());
            }
        }
        Ok(b"java/lang/Object".as_slice().into())
    }

    fn is_protected_elsewhere(&mut self, current: &[u8], member: MemberRef<'_>) -> Res<bool> {
        debug_assert_eq!(current, self.class.class_file().name());
        let is_named =
            |&&ancestor: &&ClassId| self.vm.class(ancestor).name.as_bytes() == member.class;
        let proper = &self.class.supers[..self.class.depth()];
        let Some(&holder) = proper.iter().find(is_named) else { return Ok(false) };
        let found = if member.descriptor.first() == Some(&b'(') {
            let method = self.vm.lookup_method(holder, member.name, member.descriptor);
            method.map(|id| (self.vm.method(id).class, self.vm.method(id).flags))
        } else {
            let field = self.vm.lookup_field(holder, member.name, member.descriptor);
            field.map(|field| (field.class, field.flags))
        };
        Ok(found.is_some_and(|(declarer, member_flags)| {
            member_flags & flags::PROTECTED != 0 && !self.vm.same_package(declarer, self.class.id)
        }))
    }
}
