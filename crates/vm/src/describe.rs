//! Classes, methods and loaders in words, as HotSpot writes them into exception messages.
//!
//! Programs print these messages and tests compare them, so the wording is part of behaviour.

use classfile::{FieldType, MethodDescriptor, mutf8};

use crate::class::flags;
use crate::symbol::Symbol;
use crate::value::{ClassId, LoaderId, Ref};
use crate::vm::Vm;

impl Vm {
    /// A class's name as `Class.getName` gives it.
    pub fn external_name(&self, class: ClassId) -> String {
        self.class(class).external_name()
    }

    /// `class`, `abstract class` or `interface`.
    pub fn external_kind(&self, class: ClassId) -> &'static str {
        kind_text(self.class(class).flags)
    }

    /// A method as `void a.B.m(int, java.lang.String[])`; without a holder the class is left out.
    pub fn signature_text(
        &self,
        holder: Option<ClassId>,
        name: &[u8],
        descriptor: &[u8],
    ) -> String {
        let holder = holder.map(|holder| self.external_name(holder) + ".").unwrap_or_default();
        let name = mutf8::display(name);
        let Some(parsed) = MethodDescriptor::parse(descriptor) else {
            return format!("{holder}{name}{}", mutf8::display(descriptor));
        };
        let returns = parsed.return_type().map_or("void".into(), type_text);
        let params: Vec<String> = parsed.params().map(type_text).collect();
        format!("{returns} {holder}{name}({})", params.join(", "))
    }

    /// A loader's name and identity.
    pub fn loader_text(&self, loader: LoaderId) -> String {
        match self.loaders[loader.idx()].java.some() {
            Some(java) => self.loader_object_text(java),
            None => "'bootstrap'".into(),
        }
    }

    /// `, parent loader 'app'`; nothing for the loaders of the JDK itself.
    pub(crate) fn parent_loader_text(&self, loader: LoaderId) -> String {
        let Some(java) = self.loaders[loader.idx()].java.some() else { return String::new() };
        let class = self.class(self.class_of(java));
        if class.loader == LoaderId::BOOT
            && class.name.as_bytes().starts_with(b"jdk/internal/loader/ClassLoaders$")
        {
            return String::new();
        }
        let parent = self.heap.load_ref(java, self.known.class_loader_parent);
        let text =
            parent.some().map_or("'bootstrap'".into(), |parent| self.loader_object_text(parent));
        format!(", parent loader {text}")
    }

    /// `A is in unnamed module of loader 'app'`.
    pub fn module_and_loader_text(&self, class: ClassId) -> String {
        let (loader, package) = (self.class(class).loader, self.element_package(class));
        format!(
            "{} is in {}",
            self.external_name(class),
            self.place_text(class_place(loader, package))
        )
    }

    /// Both classes' modules in one phrase, or each in its own where they differ.
    pub fn both_modules_text(&self, a: ClassId, b: ClassId) -> String {
        let name = self.external_name(a);
        self.joint_module_text((&name, self.class(a).loader, self.element_package(a)), b)
    }

    /// The message of a `ClassCastException`.
    pub fn class_cast_message(&self, from: ClassId, to: ClassId) -> String {
        format!(
            "class {} cannot be cast to class {} ({})",
            self.external_name(from),
            self.external_name(to),
            self.both_modules_text(from, to)
        )
    }

    /// As `both_modules_text` where the first class is still being defined.
    pub(crate) fn joint_module_text(&self, a: (&str, LoaderId, Symbol), b: ClassId) -> String {
        let (name, loader, package) = a;
        let place = class_place(loader, package);
        let other = self.external_name(b);
        if self.module_of_place(place) == self.module_of(b) {
            return format!(
                "{name} and {other} are in {}",
                self.place_text(class_place(self.class(b).loader, self.element_package(b)))
            );
        }
        format!("{name} is in {}; {}", self.place_text(place), self.module_and_loader_text(b))
    }

    /// The name of a package's module; `unnamed module` where it has none.
    pub(crate) fn place_module_text(&self, loader: LoaderId, package: Symbol) -> String {
        let java = self.module_of_package(loader, package);
        let named =
            self.modules.defined.iter().find(|module| module.java == java && !java.is_null());
        named.map_or("unnamed module".into(), |module| module.name.to_string())
    }

    fn loader_object_text(&self, java: Ref) -> String {
        match self.heap.load_ref(java, self.known.class_loader_name_and_id).some() {
            Some(text) => self.string_text(text),
            None => self.external_name(self.class_of(java)),
        }
    }

    /// The package of a class, or of an array's elements; primitives count to `java.lang`.
    fn element_package(&self, class: ClassId) -> Symbol {
        let mut class = class;
        while let crate::class::Shape::Array { component, .. } = self.class(class).shape {
            class = component;
        }
        match self.class(class).shape {
            crate::class::Shape::Primitive(_) => self.symbols.intern(b"java/lang"),
            _ => self.class(class).package,
        }
    }

    /// Module and loader of a package: `unnamed module of loader 'app'`.
    pub(crate) fn package_text(&self, loader: LoaderId, package: Symbol) -> String {
        self.place_text(class_place(loader, package))
    }

    fn module_of_place(&self, place: Place) -> Ref {
        self.module_of_package(place.loader, place.package)
    }

    /// `module java.base of loader 'bootstrap'`.
    fn place_text(&self, place: Place) -> String {
        let java = self.module_of_place(place);
        let named =
            self.modules.defined.iter().find(|module| module.java == java && !java.is_null());
        let module = match named {
            Some(module) => format!("module {}", module.name),
            None if self.modules.defined.is_empty() && place.loader == LoaderId::BOOT => {
                "module java.base".into()
            }
            None => "unnamed module".into(),
        };
        format!("{module} of loader {}", self.loader_text(place.loader))
    }
}

/// Where a class lives: loader and package.
#[derive(Clone, Copy)]
struct Place {
    loader: LoaderId,
    package: Symbol,
}

fn class_place(loader: LoaderId, package: Symbol) -> Place {
    Place { loader, package }
}

/// `class`, `abstract class` or `interface`, by a class's flags.
pub(crate) fn kind_text(class_flags: u16) -> &'static str {
    if class_flags & flags::INTERFACE != 0 {
        "interface"
    } else if class_flags & flags::ABSTRACT != 0 {
        "abstract class"
    } else {
        "class"
    }
}

/// A field type as Java source spells it: `int`, `java.lang.String[]`.
pub fn type_text(field_type: FieldType<'_>) -> String {
    let primitive = match field_type {
        FieldType::Byte => "byte",
        FieldType::Char => "char",
        FieldType::Double => "double",
        FieldType::Float => "float",
        FieldType::Int => "int",
        FieldType::Long => "long",
        FieldType::Short => "short",
        FieldType::Boolean => "boolean",
        FieldType::Object(name) => return mutf8::display(name).replace('/', "."),
        FieldType::Array(_) => {
            return field_type.element().map_or_else(String::new, type_text) + "[]";
        }
    };
    primitive.into()
}
