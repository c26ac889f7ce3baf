//! Class loading: dictionaries per loader, the boot loader, `loadClass` of Java loaders.

use std::sync::Arc;

use classfile::FieldType;

use crate::frame::{Hook, Res, Trap, Upcall};
use crate::link::{DefineOptions, package_of};
use crate::symbol::Symbol;
use crate::travel::Undo;
use crate::value::{ClassId, Kind, LoaderId, Ref};
use crate::vm::{LoaderData, Vm};

/// What a class that cannot be found turns into.
#[derive(Clone, Copy, PartialEq)]
enum Missing {
    /// `NoClassDefFoundError`, as resolution wants it.
    NoClassDefFound,
    /// `ClassNotFoundException`, as `Class.forName` wants it.
    ClassNotFound,
}

impl Vm {
    /// The class with this internal name (`java/lang/String`) or array descriptor (`[I`,
    /// `[Ljava/lang/String;`) as seen by a loader. Throws `NoClassDefFoundError`.
    pub fn load_class(&mut self, loader: LoaderId, name: &[u8]) -> Res<ClassId> {
        self.load(loader, name, Missing::NoClassDefFound)
    }

    /// As `load_class`, but a missing class throws `ClassNotFoundException` (for `Class.forName`).
    pub fn load_class_for_name(&mut self, loader: LoaderId, name: &[u8]) -> Res<ClassId> {
        self.load(loader, name, Missing::ClassNotFound)
    }

    /// A class of the boot loader by internal name.
    pub fn boot_class(&mut self, name: &str) -> Res<ClassId> {
        self.load_class(LoaderId::BOOT, name.as_bytes())
    }

    /// A class of the boot loader, `None` where there is none (`findBootstrapClass`).
    pub fn find_boot_class(&mut self, name: &[u8]) -> Res<Option<ClassId>> {
        let symbol = self.symbols.intern(name);
        if let Some(&known) = self.loaders[LoaderId::BOOT.idx()].classes.get(&symbol) {
            return Ok(Some(known));
        }
        let package = self.symbols.intern(package_of(name));
        let Some(module) = self.boot_module_of_package(package) else {
            let Some((_, bytes)) = self.find_in_boot_path(symbol) else { return Ok(None) };
            let options =
                DefineOptions { expected_name: Some(name.to_vec()), ..DefineOptions::default() };
            return self.define_class(LoaderId::BOOT, bytes, &options).map(Some);
        };
        let (Ok(module), Ok(path)) =
            (std::str::from_utf8(module.as_bytes()), std::str::from_utf8(name))
        else {
            return Ok(None);
        };
        let Some(bytes) = self.image.find(module, &format!("{path}.class")) else {
            return Ok(None);
        };
        let options =
            DefineOptions { expected_name: Some(name.to_vec()), ..DefineOptions::default() };
        self.define_class(LoaderId::BOOT, bytes, &options).map(Some)
    }

    /// A class already recorded for this loader.
    pub fn find_loaded_class(&mut self, loader: LoaderId, name: &[u8]) -> Option<ClassId> {
        let symbol = self.symbols.intern(name);
        self.loaders[loader.idx()].classes.get(&symbol).copied()
    }

    /// The loader behind a `java.lang.ClassLoader`, registering it on first sight; null is the boot loader.
    #[expect(clippy::cast_possible_truncation, reason = "nobody makes four billion loaders")]
    pub fn loader_of(&mut self, java: Ref) -> LoaderId {
        if java.is_null() {
            return LoaderId::BOOT;
        }
        let offset = self.known.class_loader_loader_id;
        if let Some(id) = self.heap.load_u32(java, offset).checked_sub(1) {
            return LoaderId(id);
        }
        let id = LoaderId(self.loaders.len() as u32);
        let (classes, packages) = Default::default();
        self.loaders.push(LoaderData { java, classes, packages });
        self.heap.store_u32(java, offset, id.0 + 1);
        id
    }

    /// The class that a field descriptor names, as seen by a loader (primitives too).
    pub fn class_of_descriptor(&mut self, loader: LoaderId, descriptor: &[u8]) -> Res<ClassId> {
        match FieldType::parse(descriptor) {
            Some(FieldType::Object(name) | FieldType::Array(name)) => self.load_class(loader, name),
            Some(_) => {
                Ok(self.primitive_class(Kind::of_descriptor(descriptor).unwrap_or(Kind::Int)))
            }
            None if descriptor == b"V" => Ok(self.primitive_class(Kind::Void)),
            None => Err(self.missing_class(descriptor, Missing::NoClassDefFound)),
        }
    }

    /// Whether a loader is the boot loader or the platform loader: its classes may use the
    /// annotations that only the JDK may.
    pub fn is_jdk_loader(&self, loader: LoaderId) -> bool {
        let Some(java) = self.loaders[loader.idx()].java.some() else { return true };
        let class = self.class(self.class_of(java));
        class.loader == LoaderId::BOOT
            && class.name.as_bytes() == b"jdk/internal/loader/ClassLoaders$PlatformClassLoader"
    }

    /// Records that a loader is an initiating loader of a class.
    pub(crate) fn record_class(&mut self, loader: LoaderId, name: Symbol, class: ClassId) {
        if self.loaders[loader.idx()].classes.insert(name, class).is_none() {
            self.marks.remember(Undo::Recorded(loader, name));
        }
        self.note_loaded(loader, name, class);
    }

    /// `loadClass` returned; called by the interpreter for `Hook::LoadedClass`.
    pub fn class_loaded(
        &mut self,
        loader: LoaderId,
        name: Symbol,
        asked: Symbol,
        keep_exception: bool,
        result: Ref,
    ) -> Res<()> {
        let missing =
            if keep_exception { Missing::ClassNotFound } else { Missing::NoClassDefFound };
        if result.is_null() {
            return Err(self.missing_class(asked.as_bytes(), missing));
        }
        let class = self.class_of_mirror(result);
        if self.class(class).name != name {
            return Err(self.missing_class(asked.as_bytes(), missing));
        }
        match self.loaders[loader.idx()].classes.get(&name) {
            Some(&known) if known == class => return Ok(()),
            Some(_) => {
                let file = Arc::clone(self.class(class).class_file());
                return Err(self.duplicate_definition(loader, &file));
            }
            None => {}
        }
        if let Some(other) = self.constrained_class(loader, name).filter(|&other| other != class) {
            let kind = self.external_kind(class);
            return Err(self.constraint_broken(loader, name, kind, other));
        }
        self.record_class(loader, name, class);
        Ok(())
    }

    /// `loadClass` threw; gives what is thrown instead (JVMS §5.3).
    pub fn class_load_failed(
        &mut self,
        asked: Symbol,
        keep_exception: bool,
        exception: Ref,
    ) -> Ref {
        if keep_exception || !self.instance_of(exception, self.known.class_not_found_exception) {
            return exception;
        }
        let class = self.known.no_class_def_found_error;
        match self.new_throwable(class, Some(&asked.to_string()), exception) {
            Ok(error) => error,
            Err(Trap::Throw(other)) => other,
            Err(_) => exception,
        }
    }

    fn load(&mut self, loader: LoaderId, name: &[u8], missing: Missing) -> Res<ClassId> {
        if name.first() == Some(&b'[') {
            return self.load_array(loader, name, missing);
        }
        self.load_named(loader, name, name, missing)
    }

    /// Loads a class that is no array; `asked` is what errors speak of.
    fn load_named(
        &mut self,
        loader: LoaderId,
        name: &[u8],
        asked: &[u8],
        missing: Missing,
    ) -> Res<ClassId> {
        let symbol = self.symbols.intern(name);
        if let Some(&known) = self.loaders[loader.idx()].classes.get(&symbol) {
            return Ok(known);
        }
        let java = self.loaders[loader.idx()].java;
        if java.is_null() {
            return match self.find_boot_class(name)? {
                Some(class) => Ok(class),
                None => Err(self.missing_class(asked, missing)),
            };
        }
        let dotted: Vec<u8> =
            name.iter().map(|&byte| if byte == b'/' { b'.' } else { byte }).collect();
        let text = self.new_string_mutf8(&dotted)?;
        let declared = self
            .lookup_method(
                self.known.class_loader,
                b"loadClass",
                b"(Ljava/lang/String;)Ljava/lang/Class;",
            )
            .expect("internal: java.lang.ClassLoader without loadClass");
        let method = self.select_method(self.class_of(java), declared)?;
        let keep_exception = missing == Missing::ClassNotFound;
        let asked = self.symbols.intern(asked);
        Err(Trap::Upcall(Box::new(Upcall {
            method,
            args: vec![java.to_slot(), text.to_slot()],
            hook: Hook::LoadedClass { loader, name: symbol, asked, keep_exception },
        })))
    }

    fn load_array(&mut self, loader: LoaderId, name: &[u8], missing: Missing) -> Res<ClassId> {
        let Some(FieldType::Array(_)) = FieldType::parse(name) else {
            return Err(self.missing_class(name, missing));
        };
        let n_dimensions = name.iter().take_while(|&&byte| byte == b'[').count();
        let element = &name[n_dimensions..];
        let mut class = match FieldType::parse(element) {
            Some(FieldType::Object(element)) => self.load_named(loader, element, name, missing)?,
            _ => self.primitive_class(Kind::of_descriptor(element).unwrap_or(Kind::Int)),
        };
        for _ in 0..n_dimensions {
            class = self.array_class(class)?;
        }
        Ok(class)
    }

    fn missing_class(&mut self, name: &[u8], missing: Missing) -> Trap {
        let name = classfile::mutf8::display(name);
        match missing {
            Missing::NoClassDefFound => self.throw("java/lang/NoClassDefFoundError", &name),
            // With slashes, as HotSpot has it; a Java loader throws its own, with dots.
            Missing::ClassNotFound => self.throw("java/lang/ClassNotFoundException", &name),
        }
    }
}
