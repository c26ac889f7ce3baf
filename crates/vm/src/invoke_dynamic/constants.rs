//! Constants that Java code makes: method handles, method types, dynamically computed ones; and
//! the static arguments of bootstrap methods.

use classfile::{ClassFile, Constant};

use crate::frame::Res;
use crate::invoke_dynamic::TAG_CONSTANT;
use crate::value::{ClassId, Kind, Ref, Value};
use crate::vm::Vm;

impl Vm {
    /// The value behind an `ldc` of a `MethodHandle`, `MethodType` or `Dynamic` constant as a
    /// register word; a dynamic constant may be primitive.
    pub fn resolve_loadable_constant(&mut self, class: ClassId, cp: u16) -> Res<u64> {
        let file = self.file_of(class);
        let object = self.constant_object(class, &file, cp)?;
        if let Some((_, _, descriptor)) = file.constant_pool().try_dynamic(cp)
            && let Some(kind) = Kind::of_descriptor(descriptor)
            && kind != Kind::Ref
        {
            let unboxed = if object.is_null() { None } else { self.unbox(object) };
            return match unboxed {
                Some((found, word)) if found == kind => Ok(word),
                _ => {
                    Err(self
                        .throw("java/lang/ClassCastException", "dynamic constant of another type"))
                }
            };
        }
        Ok(object.to_slot())
    }

    /// A loadable constant as an object; primitives are boxed.
    fn constant_object(&mut self, class: ClassId, file: &ClassFile, cp: u16) -> Res<Ref> {
        match file.constant_pool().get(cp) {
            Some(Constant::Integer(value)) => self.new_box(Kind::Int, Value::Int(value)),
            Some(Constant::Float(bits)) => {
                self.new_box(Kind::Float, Value::Float(f32::from_bits(bits)))
            }
            Some(Constant::Long(value)) => self.new_box(Kind::Long, Value::Long(value)),
            Some(Constant::Double(bits)) => {
                self.new_box(Kind::Double, Value::Double(f64::from_bits(bits)))
            }
            Some(Constant::String { .. } | Constant::Class { .. }) => {
                self.resolve_string_or_class(class, cp)
            }
            Some(Constant::MethodType { .. }) => {
                let descriptor = file.constant_pool().try_method_type(cp).unwrap_or_default();
                self.method_type_constant(class, cp, descriptor)
            }
            Some(Constant::MethodHandle { kind, reference }) => {
                self.method_handle_constant(class, file, cp, kind, reference)
            }
            Some(Constant::Dynamic { bootstrap, name_and_type }) => {
                self.dynamic_constant(class, file, cp, bootstrap, name_and_type)
            }
            _ => Err(self.throw("java/lang/ClassFormatError", "constant cannot be loaded")),
        }
    }

    fn new_box(&mut self, kind: Kind, value: Value) -> Res<Ref> {
        let class = self.box_class(kind);
        self.ensure_initialised(class)?;
        self.box_value(kind, value.to_slot())
    }

    /// The `MethodType` of a `NameAndType` entry.
    pub(super) fn method_type_at(&mut self, class: ClassId, name_and_type: u16) -> Res<Ref> {
        let file = self.file_of(class);
        let descriptor = file.constant_pool().name_and_type(name_and_type).1;
        self.method_type_constant(class, name_and_type, descriptor)
    }

    /// The `MethodType` of a descriptor, kept at a constant-pool index.
    fn method_type_constant(&mut self, class: ClassId, cp: u16, descriptor: &[u8]) -> Res<Ref> {
        if let Some(known) = self.known_constant(class, cp)? {
            return Ok(known);
        }
        let loader = self.class(class).loader;
        let (parameters, result) = self.types_of(loader, descriptor)?;
        let args = vec![result.to_slot(), parameters.to_slot()];
        Err(self.call_natives("findMethodHandleType", args, class, constant_tag(cp), Ref::NULL)?)
    }

    fn method_handle_constant(
        &mut self,
        class: ClassId,
        file: &ClassFile,
        cp: u16,
        kind: u8,
        reference: u16,
    ) -> Res<Ref> {
        if let Some(known) = self.known_constant(class, cp)? {
            return Ok(known);
        }
        let pool = file.constant_pool();
        let Some(
            Constant::FieldRef { class: holder, name_and_type }
            | Constant::MethodRef { class: holder, name_and_type }
            | Constant::InterfaceMethodRef { class: holder, name_and_type },
        ) = pool.get(reference)
        else {
            return Err(self.throw("java/lang/ClassFormatError", "method handle without a member"));
        };
        let (name, descriptor) = pool.name_and_type(name_and_type);
        let holder = self.resolve_class(class, holder)?;
        let member_type = if descriptor.first() == Some(&b'(') {
            self.method_type_at(class, name_and_type)?
        } else {
            let loader = self.class(class).loader;
            let field_type = self.class_of_descriptor(loader, descriptor)?;
            self.mirror(field_type)
        };
        let name = self.intern_mutf8(name)?;
        let args = vec![
            self.mirror(class).to_slot(),
            u64::from(kind),
            self.mirror(holder).to_slot(),
            name.to_slot(),
            member_type.to_slot(),
        ];
        Err(self.call_natives(
            "linkMethodHandleConstant",
            args,
            class,
            constant_tag(cp),
            Ref::NULL,
        )?)
    }

    fn dynamic_constant(
        &mut self,
        class: ClassId,
        file: &ClassFile,
        cp: u16,
        bootstrap: u16,
        name_and_type: u16,
    ) -> Res<Ref> {
        if let Some(known) = self.known_constant(class, cp)? {
            return Ok(known);
        }
        let (name, descriptor) = file.constant_pool().name_and_type(name_and_type);
        let handle = self.bootstrap_handle(class, file, bootstrap)?;
        let loader = self.class(class).loader;
        let constant_type = self.class_of_descriptor(loader, descriptor)?;
        let arguments = self.bootstrap_arguments(class, file, bootstrap)?;
        let name = self.intern_mutf8(name)?;
        let mut args = vec![self.mirror(class).to_slot()];
        if self.jdk < 19 {
            args.push(Value::Int(i32::from(cp)).to_slot());
        }
        args.extend([handle, name, self.mirror(constant_type), arguments].map(Ref::to_slot));
        Err(self.call_natives("linkDynamicConstant", args, class, constant_tag(cp), Ref::NULL)?)
    }

    /// The handle of a bootstrap method.
    pub(super) fn bootstrap_handle(
        &mut self,
        class: ClassId,
        file: &ClassFile,
        bootstrap: u16,
    ) -> Res<Ref> {
        match file.bootstrap_methods().get(usize::from(bootstrap)) {
            Some(method) => self.constant_object(class, file, method.method_ref),
            None => Err(self.throw("java/lang/ClassFormatError", "no such bootstrap method")),
        }
    }

    /// The static arguments as the JDK takes them: null for none, one as it is, else an `Object[]`.
    pub(super) fn bootstrap_arguments(
        &mut self,
        class: ClassId,
        file: &ClassFile,
        bootstrap: u16,
    ) -> Res<Ref> {
        let Some(method) = file.bootstrap_methods().get(usize::from(bootstrap)) else {
            return Ok(Ref::NULL);
        };
        let mut arguments = Vec::with_capacity(method.arguments.len());
        for &argument in &method.arguments {
            arguments.push(self.constant_object(class, file, argument)?);
        }
        match arguments[..] {
            [] => Ok(Ref::NULL),
            // An array would be taken for the list of arguments.
            [only] if only.is_null() || !self.class(self.class_of(only)).is_array() => Ok(only),
            _ => self.new_ref_array(self.known.object, &arguments),
        }
    }

    /// A constant that Java code has made already.
    fn known_constant(&mut self, class: ClassId, cp: u16) -> Res<Option<Ref>> {
        let constants = self.constants_of(class)?;
        let Some(found) = self.heap.element_ref(constants, u32::from(cp)).some() else {
            return Ok(None);
        };
        if found == constants {
            return Ok(Some(Ref::NULL));
        }
        // Java code cannot have the array of constants, so this is the mark of a failure.
        if self.class_of(found) == self.known.arrays[Kind::Ref as usize]
            && self.heap.array_length(found) == 2
            && self.heap.element_ref(found, 0) == constants
        {
            return Err(self.fail_again(self.heap.element_ref(found, 1)));
        }
        Ok(Some(found))
    }

    /// The array of resolved constants of a class.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a constant pool has at most 65,535 entries"
    )]
    pub(super) fn constants_of(&mut self, class: ClassId) -> Res<Ref> {
        let sites = self.sites_of(class)?;
        let start = self.sites_start(class);
        let constants = self.heap.element_ref(sites, start);
        if !constants.is_null() {
            return Ok(constants);
        }
        let len = self.class(class).class_file().constant_pool().len() as u32;
        let constants = self.new_array(self.known.arrays[Kind::Ref as usize], len)?;
        self.heap.set_element_ref(sites, start, constants);
        Ok(constants)
    }
}

fn constant_tag(cp: u16) -> u32 {
    TAG_CONSTANT | u32::from(cp)
}
