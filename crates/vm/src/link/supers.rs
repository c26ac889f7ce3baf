//! Superclasses and superinterfaces of a class that is being defined: loading and checking them.

use std::sync::Arc;

use classfile::ClassFile;

use super::package_of;
use crate::class::flags;
use crate::frame::Res;
use crate::module::ClassAccess;
use crate::symbol::Symbol;
use crate::value::{ClassId, LoaderId};
use crate::vm::Vm;

/// A class that is being defined, as its superclasses see it.
struct Subclass<'a> {
    loader: LoaderId,
    name: Symbol,
    is_public: bool,
    this: &'a str,
}

impl Vm {
    /// Loads the superinterfaces and then the superclass, in the order of HotSpot.
    pub(super) fn load_supers(
        &mut self,
        loader: LoaderId,
        file: &ClassFile,
    ) -> Res<(Option<ClassId>, Vec<ClassId>)> {
        let mut interfaces = Vec::with_capacity(file.interfaces().len());
        for name in file.interfaces() {
            interfaces.push(self.load_super(loader, file, name)?);
        }
        let super_class = match file.super_name() {
            Some(name) => Some(self.load_super(loader, file, name)?),
            None => None,
        };
        Ok((super_class, interfaces))
    }

    fn load_super(&mut self, loader: LoaderId, file: &ClassFile, name: &[u8]) -> Res<ClassId> {
        if name == file.name() {
            let name = classfile::mutf8::display(name);
            return Err(self.throw("java/lang/ClassCircularityError", &name));
        }
        self.load_class(loader, name)
    }

    /// JVMS §5.3.5, steps 3 and 4: what superclass and superinterfaces must be.
    pub(super) fn check_supers(
        &mut self,
        loader: LoaderId,
        name: Symbol,
        file: &ClassFile,
        super_class: Option<ClassId>,
        interfaces: &[ClassId],
    ) -> Res<()> {
        let this = classfile::mutf8::display(file.name()).replace('/', ".");
        let is_public = file.access_flags() & flags::PUBLIC != 0;
        let subject = Subclass { loader, name, is_public, this: &this };
        if let Some(super_class) = super_class {
            self.check_super_class(&subject, super_class)?;
        }
        let is_interface = file.access_flags() & flags::INTERFACE != 0;
        for &interface in interfaces {
            let class = Arc::clone(self.class(interface));
            let text = self.external_name(interface);
            if !class.is_interface() {
                let message = format!(
                    "class {this} can not implement {text}, because it is not an interface ({})",
                    self.module_and_loader_text(interface)
                );
                return Err(self.throw("java/lang/IncompatibleClassChangeError", &message));
            }
            if !self.is_permitted(&subject, interface) {
                let verb = if is_interface { "extend" } else { "implement" };
                let message =
                    self.sealed_message(&subject, interface, &format!("{verb} sealed interface"));
                return Err(self.throw("java/lang/IncompatibleClassChangeError", &message));
            }
            self.check_access(&subject, interface, "superinterface")?;
        }
        Ok(())
    }

    fn check_super_class(&mut self, subject: &Subclass<'_>, super_class: ClassId) -> Res<()> {
        let this = subject.this;
        let class = Arc::clone(self.class(super_class));
        let text = self.external_name(super_class);
        let complaint = if class.is_interface() {
            Some(format!("class {this} has interface {text} as super class"))
        } else if class.flags & flags::FINAL != 0 {
            Some(format!("class {this} cannot inherit from final class {text}"))
        } else if !self.is_permitted(subject, super_class) {
            Some(self.sealed_message(subject, super_class, "inherit from sealed class"))
        } else {
            None
        };
        if let Some(message) = complaint {
            return Err(self.throw("java/lang/IncompatibleClassChangeError", &message));
        }
        self.check_access(subject, super_class, "superclass")
    }

    /// Whether a sealed class lets this subclass in (JVMS §4.7.31); true for all other classes.
    fn is_permitted(&self, subject: &Subclass<'_>, sealed: ClassId) -> bool {
        let class = self.class(sealed);
        let Some(permitted) = class.file().and_then(|file| file.permitted_subclasses()) else {
            return true;
        };
        let package = self.symbols.intern(package_of(subject.name.as_bytes()));
        let same_package = subject.loader == class.loader && package == class.package;
        let same_module = self.module_of_package(subject.loader, package) == self.module_of(sealed);
        same_module
            && (same_package || subject.is_public)
            && permitted.contains(&subject.name.as_bytes())
    }

    /// Why a sealed class keeps a subclass out; later JDKs say which check failed.
    fn sealed_message(&self, subject: &Subclass<'_>, sealed: ClassId, verb: &str) -> String {
        let this = subject.this;
        let text = self.external_name(sealed);
        if self.jdk < 21 {
            return format!("class {this} cannot {verb} {text}");
        }
        let class = self.class(sealed);
        let package = self.symbols.intern(package_of(subject.name.as_bytes()));
        let (own_loader, loader) =
            (self.loader_text(subject.loader), self.loader_text(class.loader));
        if self.module_of_package(subject.loader, package) != self.module_of(sealed) {
            let own_module = self.place_module_text(subject.loader, package);
            let module = self.place_module_text(class.loader, class.package);
            return format!(
                "Failed same module check: subclass {this} is in module '{own_module}' with loader {own_loader}, \
                 and sealed class {text} is in module '{module}' with loader {loader}"
            );
        }
        if !subject.is_public && (subject.loader != class.loader || package != class.package) {
            return format!(
                "Failed same package check: non-public subclass {this} is in package '{package}' with classloader \
                 {own_loader}, and sealed class {text} is in package '{}' with classloader {loader}",
                class.package
            );
        }
        format!(
            "Failed listed permitted subclass check: class {this} is not a permitted subclass of {text}"
        )
    }

    /// Complains where the subclass may not name the superclass or superinterface (JVMS §5.4.4).
    fn check_access(&mut self, subject: &Subclass<'_>, other: ClassId, role: &str) -> Res<()> {
        if self.is_magic_accessor(other) {
            return Ok(());
        }
        let package = self.symbols.intern(package_of(subject.name.as_bytes()));
        let place = (subject.this, subject.loader, package);
        let is_abstract = role == "superclass" && self.class(other).flags & flags::ABSTRACT != 0;
        let message = match self.class_access((subject.loader, package), other) {
            ClassAccess::Allowed => return Ok(()),
            ClassAccess::Refused => format!(
                "class {} cannot access its {}{role} {} ({})",
                subject.this,
                if is_abstract { "abstract " } else { "" },
                self.external_name(other),
                self.joint_module_text(place, other)
            ),
            access => {
                let check = if role == "superclass" { "superclass access" } else { role };
                format!(
                    "{check} check failed: {}",
                    self.module_access_message(place, other, access)
                )
            }
        };
        Err(self.throw("java/lang/IllegalAccessError", &message))
    }
}
