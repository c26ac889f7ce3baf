//! `LambdaMetafactory.metafactory`: the class of a lambda expression or method reference.
//!
//! The class has a field per captured value, a private constructor and the one method of its
//! interface, which converts arguments, calls the implementation and converts the result, as the
//! JDK's own generator does (box, unbox, widen, cast).

use std::sync::Arc;

use classfile::Constant;

use crate::class::flags;
use crate::frame::Res;
use crate::reflection::members::descriptor_parts;
use crate::spin::Site;
use crate::spin::class_writer::{ClassWriter, Code, Member, op};
use crate::value::{ClassId, Kind, LoaderId};
use crate::vm::Vm;

/// Box classes and the names of their unboxing methods.
const BOXES: [(Kind, &[u8], &[u8]); 8] = [
    (Kind::Boolean, b"java/lang/Boolean", b"booleanValue"),
    (Kind::Byte, b"java/lang/Byte", b"byteValue"),
    (Kind::Char, b"java/lang/Character", b"charValue"),
    (Kind::Short, b"java/lang/Short", b"shortValue"),
    (Kind::Int, b"java/lang/Integer", b"intValue"),
    (Kind::Long, b"java/lang/Long", b"longValue"),
    (Kind::Float, b"java/lang/Float", b"floatValue"),
    (Kind::Double, b"java/lang/Double", b"doubleValue"),
];

/// Everything the class is written from; types are descriptors.
struct Lambda<'a> {
    class_name: Vec<u8>,
    interface: &'a [u8],
    method_name: &'a [u8],
    captured: Vec<&'a [u8]>,
    /// The interface's method, erased: parameters, then the result.
    erased: Vec<&'a [u8]>,
    erased_descriptor: &'a [u8],
    /// The same with its type arguments.
    actual: Vec<&'a [u8]>,
    implementation: Implementation<'a>,
}

/// The method behind the lambda.
struct Implementation<'a> {
    member: Member<'a>,
    call: u8,
    of_interface: bool,
    /// What it takes, receiver first.
    parameters: Vec<Vec<u8>>,
    result: Vec<u8>,
}

impl Vm {
    /// Links a lambda's site, or declines.
    pub(super) fn link_lambda(&mut self, site: &Site<'_>) -> Res<bool> {
        if self.class(site.caller).hidden {
            return Ok(false);
        }
        let pool = site.file.constant_pool();
        let [erased, handle, actual] = site.bootstrap.arguments[..] else { return Ok(false) };
        let Some(Constant::MethodHandle { kind, reference }) = pool.get(handle) else {
            return Ok(false);
        };
        let (Some(erased), Some(actual)) =
            (pool.try_method_type(erased), pool.try_method_type(actual))
        else {
            return Ok(false);
        };
        let loader = self.class(site.caller).loader;
        let member_descriptor = pool.member_ref(reference).2;
        for descriptor in [site.descriptor, erased, actual, member_descriptor] {
            self.load_types(loader, descriptor)?;
        }
        let mut captured = descriptor_parts(site.descriptor);
        let Some([b'L', interface @ .., b';']) = captured.pop() else { return Ok(false) };
        if !self.may_implement(site.caller, interface)? {
            return Ok(false);
        }
        let Some(implementation) = self.implementation(site, kind, reference)? else {
            return Ok(false);
        };
        let lambda = Lambda {
            class_name: class_name(self, site),
            interface,
            method_name: site.name,
            captured,
            erased: descriptor_parts(erased),
            erased_descriptor: erased,
            actual: descriptor_parts(actual),
            implementation,
        };
        if !self.fits(loader, &lambda)? {
            return Ok(false);
        }
        let class = self.define_spun(site, || lambda.write())?;
        // Without captured values there is one object, made now; it has no fields to set.
        let appendix = if lambda.captured.is_empty() {
            self.new_object(class)?
        } else {
            crate::value::Ref::NULL
        };
        self.keep_spun_site(site.caller, site.number, class, appendix)?;
        Ok(true)
    }

    /// Loads the classes in a method descriptor, as making a `MethodType` of it would.
    pub(super) fn load_types(&mut self, loader: LoaderId, descriptor: &[u8]) -> Res<()> {
        for part in descriptor_parts(descriptor) {
            if matches!(part.first(), Some(b'L' | b'[')) {
                self.class_of_descriptor(loader, part)?;
            }
        }
        Ok(())
    }

    fn may_implement(&mut self, caller: ClassId, interface: &[u8]) -> Res<bool> {
        let interface = self.load_class(self.class(caller).loader, interface)?;
        let class = self.class(interface);
        let sealed = class.file().is_some_and(|file| file.permitted_subclasses().is_some());
        Ok(class.is_interface() && !sealed && self.can_access_class(caller, interface))
    }

    /// The method behind a handle, if the lambda's class may call it directly.
    fn implementation<'a>(
        &mut self,
        site: &Site<'a>,
        kind: u8,
        reference: u16,
    ) -> Res<Option<Implementation<'a>>> {
        let pool = site.file.constant_pool();
        let (class_idx, of_interface) = match pool.get(reference) {
            Some(Constant::MethodRef { class, .. }) => (class, false),
            Some(Constant::InterfaceMethodRef { class, .. }) => (class, true),
            _ => return Ok(None),
        };
        let (class, name, descriptor) = pool.member_ref(reference);
        let holder = self.resolve_class(site.caller, class_idx)?;
        let linked = Arc::clone(self.class(holder));
        if linked.is_array() || linked.hidden || linked.is_interface() != of_interface {
            return Ok(None);
        }
        let Some(found) = self.lookup_method(holder, name, descriptor) else { return Ok(None) };
        let method = self.method(found);
        let (declared_in, member_flags) = (method.class, method.flags);
        let is_private = method.is_private();
        let is_foreign_protected =
            member_flags & flags::PROTECTED != 0 && !self.same_package(site.caller, declared_in);
        if method.signature_polymorphic
            || method.caller_sensitive
            || is_foreign_protected
            || method.is_static() != (kind == 6)
            || method.is_constructor() != (kind == 8)
            || !self.can_access(site.caller, declared_in, member_flags)?
        {
            return Ok(None);
        }
        let call = match kind {
            6 => op::INVOKESTATIC,
            5 | 7 | 9 if is_private && (kind != 7 || declared_in == site.caller) => {
                op::INVOKESPECIAL
            }
            5 => op::INVOKEVIRTUAL,
            9 => op::INVOKEINTERFACE,
            8 if linked.flags & (flags::ABSTRACT | flags::INTERFACE) == 0 => op::INVOKESPECIAL,
            _ => return Ok(None),
        };
        let mut parameters: Vec<Vec<u8>> =
            descriptor_parts(descriptor).into_iter().map(<[u8]>::to_vec).collect();
        let mut result = parameters.pop().unwrap_or_default();
        let holder_descriptor = [b"L", class, b";"].concat();
        if kind == 8 {
            result = holder_descriptor;
        } else if kind != 6 {
            parameters.insert(0, holder_descriptor);
        }
        let member = Member { class, name, descriptor };
        Ok(Some(Implementation { member, call, of_interface, parameters, result }))
    }

    /// Whether every value can be handed on the way the JDK's checks allow.
    fn fits(&mut self, loader: LoaderId, lambda: &Lambda<'_>) -> Res<bool> {
        let implementation = &lambda.implementation;
        let n_captured = lambda.captured.len();
        let n_parameters = lambda.erased.len() - 1;
        if lambda.actual.len() != lambda.erased.len()
            || implementation.parameters.len() != n_captured + n_parameters
        {
            return Ok(false);
        }
        let takes_receiver =
            implementation.member.name != b"<init>" && implementation.call != op::INVOKESTATIC;
        for (idx, captured) in lambda.captured.iter().enumerate() {
            let wanted = &implementation.parameters[idx];
            let same = *captured == wanted.as_slice();
            let fits =
                same || (idx == 0 && takes_receiver && self.is_below(loader, captured, wanted)?);
            if !fits {
                return Ok(false);
            }
        }
        for idx in 0..n_parameters {
            let (erased, actual) = (lambda.erased[idx], lambda.actual[idx]);
            let wanted = &implementation.parameters[n_captured + idx];
            if !self.is_instance_of_erased(loader, actual, erased)?
                || !self.converts(loader, actual, wanted)?
            {
                return Ok(false);
            }
        }
        let (erased, actual) = (lambda.erased[n_parameters], lambda.actual[n_parameters]);
        if erased == b"V" && actual == b"V" {
            return Ok(true);
        }
        Ok(self.is_instance_of_erased(loader, actual, erased)?
            && self.converts(loader, &implementation.result, actual)?)
    }

    /// Whether an actual type fits the erased one: the same primitive, or a reference below it.
    fn is_instance_of_erased(
        &mut self,
        loader: LoaderId,
        actual: &[u8],
        erased: &[u8],
    ) -> Res<bool> {
        Ok(actual == erased || self.is_below(loader, actual, erased)?)
    }

    /// Whether both are references and the first is a subtype of the second.
    fn is_below(&mut self, loader: LoaderId, sub: &[u8], sup: &[u8]) -> Res<bool> {
        if !is_reference(sub) || !is_reference(sup) {
            return Ok(false);
        }
        let sub = self.class_of_descriptor(loader, sub)?;
        let sup = self.class_of_descriptor(loader, sup)?;
        Ok(self.is_subtype(sub, sup))
    }

    /// Whether a value of one type becomes the other by identity, subtyping, widening, boxing or
    /// unboxing. Rarer ways are left to the JDK.
    fn converts(&mut self, loader: LoaderId, from: &[u8], to: &[u8]) -> Res<bool> {
        if from == to {
            return Ok(true);
        }
        Ok(match (is_reference(from), is_reference(to)) {
            (true, true) => self.is_below(loader, from, to)?,
            (false, false) => widens(kind_of(from), kind_of(to)),
            (false, true) => {
                kind_of(from) != Kind::Void
                    && (to == b"Ljava/lang/Object;"
                        || box_of(to).is_some_and(|kind| kind == kind_of(from)))
            }
            (true, false) => box_of(from).is_some_and(|kind| widens(kind, kind_of(to))),
        })
    }
}

/// The name of the class, as the JDK would choose it; 17 counts its lambdas.
fn class_name(vm: &Vm, site: &Site<'_>) -> Vec<u8> {
    let name = site.file.name();
    if vm.jdk < 21 {
        return [name, b"$$Lambda$", vm.classes.len().to_string().as_bytes()].concat();
    }
    [name, b"$$Lambda"].concat()
}

impl Lambda<'_> {
    fn write(&self) -> Vec<u8> {
        let mut class = ClassWriter::default();
        let parameters: Vec<u8> = self.captured.concat();
        for (idx, captured) in self.captured.iter().enumerate() {
            class.field(flags::PRIVATE | flags::FINAL, &field_name(idx), captured);
        }
        let constructor = [b"(", parameters.as_slice(), b")V"].concat();
        let code = self.constructor(&mut class);
        class.method(flags::PRIVATE, b"<init>", &constructor, code);
        let code = self.method(&mut class);
        class.method(flags::PUBLIC, self.method_name, self.erased_descriptor, code);
        if !self.captured.is_empty() {
            let make = [b"(", parameters.as_slice(), b")Ljava/lang/Object;"].concat();
            let code = self.factory(&mut class);
            class.method(flags::STATIC | flags::PRIVATE, b"make", &make, code);
        }
        let class_flags = flags::FINAL | flags::SYNCHRONIZED | flags::SYNTHETIC;
        class.finish(class_flags, &self.class_name, &[self.interface])
    }

    fn constructor(&self, class: &mut ClassWriter) -> Code {
        let mut code = Code::new(3, 0);
        code.load(Kind::Ref, 0);
        let object = Member { class: b"java/lang/Object", name: b"<init>", descriptor: b"()V" };
        code.op_idx(op::INVOKESPECIAL, class.method_ref(false, object));
        let mut slot = 1;
        for (idx, captured) in self.captured.iter().enumerate() {
            let kind = kind_of(captured);
            code.load(Kind::Ref, 0);
            code.load(kind, slot);
            code.op_idx(
                op::PUTFIELD,
                class.field_ref(&self.class_name, &field_name(idx), captured),
            );
            slot += kind.slots();
        }
        code.op(op::RETURN);
        code.max_locals = slot;
        code
    }

    fn factory(&self, class: &mut ClassWriter) -> Code {
        let mut code = Code::new(4, 0);
        code.op_idx(op::NEW, class.class(&self.class_name));
        let mut slot = 0;
        for (idx, captured) in self.captured.iter().enumerate() {
            let kind = kind_of(captured);
            code.op(op::DUP);
            code.load(kind, slot);
            code.op_idx(
                op::PUTFIELD,
                class.field_ref(&self.class_name, &field_name(idx), captured),
            );
            slot += kind.slots();
        }
        code.op(op::ARETURN);
        code.max_locals = slot;
        code
    }

    fn method(&self, class: &mut ClassWriter) -> Code {
        let implementation = &self.implementation;
        let mut code = Code::default();
        if implementation.member.name == b"<init>" {
            code.op_idx(op::NEW, class.class(implementation.member.class));
            code.op(op::DUP);
        }
        let mut n_words = 4;
        for (idx, captured) in self.captured.iter().enumerate() {
            code.load(Kind::Ref, 0);
            code.op_idx(
                op::GETFIELD,
                class.field_ref(&self.class_name, &field_name(idx), captured),
            );
            n_words += kind_of(captured).slots();
        }
        let n_parameters = self.erased.len() - 1;
        let mut slot = 1;
        for idx in 0..n_parameters {
            let kind = kind_of(self.erased[idx]);
            code.load(kind, slot);
            let wanted = &implementation.parameters[self.captured.len() + idx];
            convert(class, &mut code, self.erased[idx], wanted, self.actual[idx]);
            slot += kind.slots();
            n_words += kind_of(wanted).slots().max(kind.slots());
        }
        let target = class.method_ref(implementation.of_interface, implementation.member);
        code.op_idx(implementation.call, target);
        let result = self.erased[n_parameters];
        convert(class, &mut code, &implementation.result, result, self.actual[n_parameters]);
        code.give(kind_of(result));
        code.max_locals = slot;
        code.max_stack = n_words + 2;
        code
    }
}

fn field_name(idx: usize) -> Vec<u8> {
    format!("arg${}", idx + 1).into_bytes()
}

/// Emits the conversion of a value from `from` to `to`; `actual` is its type with type arguments.
fn convert(class: &mut ClassWriter, code: &mut Code, from: &[u8], to: &[u8], actual: &[u8]) {
    if from == to && from == actual || from == b"V" || to == b"V" {
        return;
    }
    if !is_reference(from) {
        if !is_reference(to) {
            widen(code, kind_of(from), kind_of(to));
            return;
        }
        let kind = box_of(to).unwrap_or(kind_of(from));
        widen(code, kind_of(from), kind);
        let (_, name, _) = boxes(kind);
        let descriptor = [b"(", &[kind.descriptor()][..], b")L", name, b";"].concat();
        let member = Member { class: name, name: b"valueOf", descriptor: &descriptor };
        code.op_idx(op::INVOKESTATIC, class.method_ref(false, member));
        cast(class, code, &[b"L", name, b";"].concat(), to);
        return;
    }
    let mut source = from;
    if is_reference(actual) {
        cast(class, code, from, actual);
        source = actual;
    }
    if is_reference(to) {
        cast(class, code, source, to);
        return;
    }
    // Only boxes get here, see `converts`.
    let kind = box_of(source).unwrap_or(kind_of(to));
    let (_, name, own_method) = boxes(kind);
    let through = if matches!(kind, Kind::Boolean | Kind::Char) { kind } else { kind_of(to) };
    let (_, _, method) = boxes(through);
    let method = if through == kind { own_method } else { method };
    let descriptor = [b"()", &[through.descriptor()][..]].concat();
    let member = Member { class: name, name: method, descriptor: &descriptor };
    code.op_idx(op::INVOKEVIRTUAL, class.method_ref(false, member));
    widen(code, through, kind_of(to));
}

fn cast(class: &mut ClassWriter, code: &mut Code, from: &[u8], to: &[u8]) {
    if from == to || to == b"Ljava/lang/Object;" {
        return;
    }
    let name = match to {
        [b'L', name @ .., b';'] => name,
        array => array,
    };
    code.op_idx(op::CHECKCAST, class.class(name));
}

fn widen(code: &mut Code, from: Kind, to: Kind) {
    match (from, to) {
        (Kind::Long, Kind::Float) => code.op(op::L2F),
        (Kind::Long, Kind::Double) => code.op(op::L2D),
        (Kind::Float, Kind::Double) => code.op(op::F2D),
        (Kind::Long | Kind::Float | Kind::Double, _) => {}
        (_, Kind::Long) => code.op(op::I2L),
        (_, Kind::Float) => code.op(op::I2F),
        (_, Kind::Double) => code.op(op::I2D),
        _ => {}
    }
}

fn widens(from: Kind, to: Kind) -> bool {
    crate::reflection::boxing::widen(from, 0, to).is_some()
}

fn is_reference(descriptor: &[u8]) -> bool {
    matches!(descriptor.first(), Some(b'L' | b'['))
}

pub(super) fn kind_of(descriptor: &[u8]) -> Kind {
    Kind::of_descriptor(descriptor).unwrap_or(Kind::Void)
}

/// The kind inside a box class, given its descriptor.
fn box_of(descriptor: &[u8]) -> Option<Kind> {
    let [b'L', name @ .., b';'] = descriptor else { return None };
    BOXES.iter().find(|(_, class, _)| *class == name).map(|(kind, _, _)| *kind)
}

pub(super) fn boxes(kind: Kind) -> (Kind, &'static [u8], &'static [u8]) {
    BOXES[kind as usize]
}
