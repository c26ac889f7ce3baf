//! Makes stand-ins for interfaces and abstract classes on the machine: a class is assembled in memory that
//! implements every abstract method with what its behaviour answers.
//!
//! The class lives in the package of a user's type, so that it may see what the test will see; what stands
//! in for a type of the JDK lives with the user's classes. Its name differs between worlds, as the names
//! of lambdas and anonymous classes do between programs, so that it never gets into an oracle.

use std::sync::Arc;

use classfile::ClassBytes;
use suite::constant::Constant;
use suite::method::Method;
use suite::stand_in::{Answer, StandIn, default_value};
use suite::types::{Type, signature};
use vm::class::{self, flags};
use vm::link::DefineOptions;
use vm::value::ClassId;
use vm::vm::Vm;

use crate::assemble::{Assembler, Code, LONGEST_TEXT, Receiver};
use crate::session::{NotFound, Resolved, Session, kind_of};

const OBJECT: &str = "java/lang/Object";
const UNSUPPORTED: &str = "java/lang/UnsupportedOperationException";

impl Session {
    /// The constructor that makes this stand-in. Its class is defined when it is wanted first, and kept
    /// if no mark is open.
    pub fn stand_in(&mut self, stand_in: &Arc<StandIn>) -> Result<Resolved, NotFound> {
        if let Some(known) = self.stand_ins.get(stand_in) {
            return Ok(known.clone());
        }
        let of = self.load(&stand_in.of)?;
        let is_user = self.is_of_user(of);
        let name = name_in(self.vm.options.seed, stand_in, is_user);
        if self.vm.find_loaded_class(self.loader, name.as_bytes()).is_none() {
            let bytes = assemble(&self.vm, &name, stand_in, of)?;
            let (loader, bytes) = (self.loader, ClassBytes::from_vec(bytes));
            let options = DefineOptions::default();
            let defined = self.complete(|vm| vm.define_class(loader, bytes.clone(), &options));
            defined
                .map_err(|problem| NotFound::Class { name: stand_in.of.to_string(), problem })?;
        }
        let class = self.class(&name)?;
        let maker = self.vm.class(class).method(b"<init>", b"()V").map(|method| method.id);
        let method = Method::new(&name, "<init>", "()V", false);
        let (Some(id), Some(method)) = (maker, method) else {
            return Err(NotFound::Method(format!("{name}()")));
        };
        let resolved = Resolved { id, class, parameters: Arc::new([]), method: Arc::new(method) };
        // What is defined under a mark is gone after a rollback.
        if self.vm.depth() == 0 {
            self.stand_ins.insert(stand_in.clone(), resolved.clone());
        }
        Ok(resolved)
    }
}

/// The name of the class: the same on all machines of one world, whatever was asked for before.
fn name_in(seed: u64, stand_in: &StandIn, is_user: bool) -> String {
    let base = match stand_in.of.rsplit_once('/') {
        Some((_, simple)) if !is_user => simple,
        _ => &stand_in.of,
    };
    format!("{base}$$StandIn{:016x}", digest(&format!("{seed} {stand_in:?}")))
}

/// The abstract methods that a class must implement to have objects, those of subtypes before those of
/// their supertypes.
pub fn to_implement(vm: &Vm, of: ClassId) -> Vec<&class::Method> {
    let class = vm.class(of);
    let chain = class.supers.iter().rev().filter(|&&id| !vm.class(id).is_interface());
    let chain: Vec<ClassId> = chain.copied().collect();
    // Superinterfaces are linked before their subinterfaces, and so have smaller numbers.
    let interfaces: Vec<ClassId> = class.all_interfaces.iter().rev().copied().collect();
    let holders = chain.iter().chain(&interfaces);
    let mut found: Vec<&class::Method> = Vec::new();
    for method in holders.flat_map(|&holder| &vm.class(holder).methods) {
        let is_known = found
            .iter()
            .any(|known| known.name == method.name && known.descriptor == method.descriptor);
        if method.is_abstract() && !is_known && !is_implemented(vm, &chain, &interfaces, method) {
            found.push(method);
        }
    }
    found
}

/// Whether a call of the method finds a body, and compilers think so too (JVMS §5.4.6, JLS §8.4.8).
fn is_implemented(
    vm: &Vm,
    chain: &[ClassId],
    interfaces: &[ClassId],
    method: &class::Method,
) -> bool {
    let declared = |holder: &ClassId| {
        let own = vm.class(*holder).methods.iter();
        let mut own = own.filter(|one| {
            one.name == method.name
                && one.descriptor == method.descriptor
                && !one.is_static()
                && !one.is_private()
        });
        own.next()
    };
    let is_of_interface = vm.class(method.class).is_interface();
    if let Some(nearest) = chain.iter().find_map(declared) {
        // Only a public method answers a call through an interface.
        let is_seen = nearest.flags & flags::PUBLIC != 0 || !is_of_interface;
        return !nearest.is_abstract() && is_seen;
    }
    let candidates: Vec<&class::Method> = interfaces.iter().filter_map(declared).collect();
    let is_most_specific = |one: &&&class::Method| {
        candidates
            .iter()
            .all(|other| other.class == one.class || !vm.is_subtype(other.class, one.class))
    };
    let specific: Vec<_> = candidates.iter().filter(is_most_specific).collect();
    // Compilers want a body also where one of several is a default.
    matches!(specific.as_slice(), [only] if !only.is_abstract())
}

/// The bytes of the class that stands in.
fn assemble(vm: &Vm, name: &str, stand_in: &StandIn, of: ClassId) -> Result<Vec<u8>, NotFound> {
    let is_interface = vm.class(of).is_interface();
    if !is_interface && vm.class(of).method(b"<init>", b"()V").is_none() {
        return Err(NotFound::Method(format!("{}()", stand_in.of.replace('/', "."))));
    }
    let super_class = if is_interface { OBJECT } else { &stand_in.of };
    let interfaces: &[&str] = if is_interface { &[&stand_in.of] } else { &[] };
    let mut class = Assembler::new(name, super_class, interfaces);
    class.constructor(super_class);
    // What the nearest method of a name and parameters answers, its less exact versions answer too.
    let mut answers: Vec<(String, Vec<Type>, Answer)> = Vec::new();
    for method in to_implement(vm, of) {
        let (name, descriptor) = (method.name.to_string(), method.descriptor.to_string());
        let Some((parameters, returns)) = signature(&descriptor) else {
            return Err(NotFound::Method(format!("{name}{descriptor}")));
        };
        let known = answers.iter().find(|known| known.0 == name && known.1 == parameters);
        let answer = match known {
            Some((_, _, answer)) => answer.clone(),
            None => {
                let answer = stand_in.behaviour.answer(&name, &parameters, &returns);
                answers.push((name.clone(), parameters.clone(), answer.clone()));
                answer
            }
        };
        if let Answer::Constant(Constant::Text(units)) = &answer
            && LONGEST_TEXT < classfile::mutf8::encode(units.iter().copied()).len()
        {
            return Err(NotFound::Constant(
                "a string is longer than a class file can hold".to_owned(),
            ));
        }
        class.method(&name, &descriptor, Receiver::This, |code| {
            body(code, &answer, &parameters, &returns);
        });
    }
    Ok(class.finish())
}

fn body(code: &mut Code<'_>, answer: &Answer, parameters: &[Type], returns: &Type) {
    match answer {
        Answer::Nothing => {}
        Answer::Constant(constant) => push(code, constant),
        Answer::Empty(factory) => {
            code.invoke_static(&factory.class, &factory.name, &factory.descriptor());
        }
        Answer::EmptyArray(element) => {
            let class = match element {
                Type::Class(name) => name.to_string(),
                other => other.descriptor(),
            };
            code.int(0).new_array(kind_of(element), &class);
        }
        Answer::Parameter(position) => {
            let ahead = parameters[..*position].iter().map(|own| kind_of(own).slots());
            let local = 1 + ahead.sum::<u16>();
            let local = u8::try_from(local).expect("internal: a method has at most 255 words");
            code.load_kind(kind_of(&parameters[*position]), local);
        }
        Answer::IsSame => {
            let other = code.label();
            code.load(0).load(1).if_not_same(other).int(1).return_int();
            code.place(other).int(0);
        }
        Answer::Throws => {
            code.new_dup(UNSUPPORTED).invoke_special(UNSUPPORTED, "<init>", "()V").throw();
            return;
        }
    }
    code.return_kind(kind_of(returns));
}

fn push(code: &mut Code<'_>, constant: &Constant) {
    match constant {
        Constant::Null => code.null(),
        Constant::Boolean(value) => code.int_constant(i32::from(*value)),
        Constant::Byte(value) => code.int_constant(i32::from(*value)),
        Constant::Char(value) => code.int_constant(i32::from(*value)),
        Constant::Short(value) => code.int_constant(i32::from(*value)),
        Constant::Int(value) => code.int_constant(*value),
        Constant::Long(value) => code.long_constant(*value),
        Constant::Float(bits) => code.float_constant(*bits),
        Constant::Double(bits) => code.double_constant(*bits),
        Constant::Text(units) => code.text(units),
        Constant::Enum { class, name } => code.get_static(class, name, &format!("L{class};")),
        Constant::Class(Type::Class(name)) => code.class(name),
        Constant::Class(array @ Type::Array(_)) => code.class(&array.descriptor()),
        Constant::Class(primitive) => {
            let zero = default_value(primitive);
            let owner = zero.box_class().unwrap_or("java/lang/Void");
            code.get_static(owner, "TYPE", "Ljava/lang/Class;")
        }
        Constant::Boxed(inner) => {
            push(code, inner);
            let (Some(class), Some(own)) = (inner.box_class(), inner.natural_type()) else {
                return;
            };
            code.invoke_static(class, "valueOf", &format!("({})L{class};", own.descriptor()))
        }
    };
}

/// FNV-1a, 64 bits: a number for a text, the same in every run.
fn digest(text: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}
