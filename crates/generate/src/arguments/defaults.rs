//! Default values of a type, where nobody gave better ones.
//!
//! As JCrasher's: small numbers around zero, empty and short strings, `null`, enum constants, and objects in
//! different states made by constructors and static factories up to a depth. `Object`, `Comparable` and type
//! variables without another bound get boxed numbers: they have a value, an order and a text, and a reader needs
//! no further class to understand the test. Collections hold what their type arguments say. What nobody makes is
//! stood in for.

mod builders;

use std::sync::Arc;

use observe::session::Session;
use rustc_hash::FxHashMap;
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence, Var};
use suite::stand_in::StandIn;
use suite::types::Type;
use vm::class::flags;
use vm::value::{ClassId, LoaderId};

use super::trial::Choice;
use super::{Argument, ArgumentList, Implementations, Plan, Pool, constants, implementations};
use crate::generics::{self, Wanted};
use crate::stand_ins;

pub(super) use builders::calls as calls_on_others;

/// Objects of one class that are built, at most.
const MOST_BUILT: usize = 3;
/// Times that makers are tried with other arguments, to get so many.
const MOST_VARIED: usize = 6;
/// Constants of one enum type that are used, at most.
const MOST_ENUM: usize = 4;

/// Where a value is being built: the machine, what stands in for abstract types, and the types that are being built
/// around it.
struct Building<'p> {
    session: &'p mut Session,
    all: &'p Implementations,
    outer: Vec<Wanted>,
    own_constants: bool,
    known: &'p mut Known,
}

/// What was found out before, so that it is not tried again: objects take other objects, in every combination.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Objects by what was being built around them, what they are, and how deep they may go.
    built: FxHashMap<(Vec<Wanted>, Wanted, usize), Vec<Argument>>,
    /// Constants of the code of classes.
    own: FxHashMap<Arc<str>, Arc<Pool>>,
}

/// The default values of a type; none where nothing can be made.
pub(super) fn of_type(
    session: &mut Session,
    wanted: &Wanted,
    plan: &Plan,
    known: &mut Known,
) -> Vec<Argument> {
    let constants = wanted_constants(session, wanted);
    let mut values: Vec<Argument> = constants.into_iter().map(Argument::Constant).collect();
    let mut building = Building {
        session,
        all: &plan.implementations,
        outer: Vec::new(),
        own_constants: plan.own_constants,
        known,
    };
    values.extend(building.built(wanted, plan.depth));
    if wanted.erasure.is_reference() {
        let null = Argument::Constant(Constant::Null);
        if !values.contains(&null) {
            values.push(null);
        }
    }
    values
}

/// Values of a type that can be written down in place.
pub(crate) fn constants(session: &mut Session, wanted: &Type) -> Vec<Constant> {
    match wanted {
        Type::Boolean => vec![Constant::Boolean(false), Constant::Boolean(true)],
        Type::Byte => [-1, 0, 1].map(Constant::Byte).to_vec(),
        Type::Short => [-1, 0, 1].map(Constant::Short).to_vec(),
        Type::Char => ["a", " "]
            .iter()
            .filter_map(|text| text.encode_utf16().next())
            .map(Constant::Char)
            .collect(),
        Type::Int => [-1, 0, 1].map(Constant::Int).to_vec(),
        Type::Long => [-1, 0, 1].map(Constant::Long).to_vec(),
        Type::Float => [-1.0, 0.0, 1.0_f32].map(|value| Constant::Float(value.to_bits())).to_vec(),
        Type::Double => {
            [-1.0, 0.0, 1.0_f64].map(|value| Constant::Double(value.to_bits())).to_vec()
        }
        Type::Void | Type::Array(_) => Vec::new(),
        Type::Class(name) => match &**name {
            "java/lang/String" | "java/lang/CharSequence" => {
                vec![Constant::text(""), Constant::text("a")]
            }
            "java/lang/Object"
            | "java/lang/Comparable"
            | "java/io/Serializable"
            | "java/lang/Number"
            | "java/lang/Integer" => boxes([-1, 0, 1].map(Constant::Int)),
            "java/lang/Long" => boxes([-1, 0, 1].map(Constant::Long)),
            "java/lang/Short" => boxes([-1, 0, 1].map(Constant::Short)),
            "java/lang/Byte" => boxes([-1, 0, 1].map(Constant::Byte)),
            "java/lang/Character" => boxes([u16::from(b'a'), u16::from(b' ')].map(Constant::Char)),
            "java/lang/Boolean" => boxes([false, true].map(Constant::Boolean)),
            "java/lang/Double" => {
                boxes([-1.0, 0.0, 1.0_f64].map(|value| Constant::Double(value.to_bits())))
            }
            "java/lang/Float" => {
                boxes([-1.0, 0.0, 1.0_f32].map(|value| Constant::Float(value.to_bits())))
            }
            "java/lang/Class" => vec![Constant::Class(Type::class("java/lang/Object"))],
            _ => enum_constants(session, name),
        },
    }
}

/// As `constants`, for a type with type arguments: where there are any, also those of the arguments, since
/// `Comparable<Money>` is mostly a `Money` itself.
pub(crate) fn wanted_constants(session: &mut Session, wanted: &Wanted) -> Vec<Constant> {
    if let (true, [of]) = (wanted.erasure == Type::class("java/lang/Class"), &*wanted.arguments) {
        return vec![Constant::Class(some_enum(&of.erasure))];
    }
    let mut found = constants(session, &some_enum(&wanted.erasure));
    if !found.is_empty() && !wanted.arguments.is_empty() {
        for argument in &wanted.arguments {
            found.extend(constants(session, &argument.erasure));
        }
        found.retain(|constant| fits_arguments(session, constant, wanted));
    }
    found
}

/// For "any enum" one that all JDKs have: `Enum` itself has no constants.
fn some_enum(of: &Type) -> Type {
    let is_any = matches!(of, Type::Class(name) if **name == *"java/lang/Enum");
    if is_any { Type::class("java/lang/Thread$State") } else { of.clone() }
}

/// Whether the type arguments of a type, if it has any, are those of a constant.
pub(crate) fn fits_arguments(session: &mut Session, constant: &Constant, wanted: &Wanted) -> bool {
    if wanted.arguments.is_empty() || matches!(constant, Constant::Class(_)) {
        return true;
    }
    constant.natural_type().is_some_and(|own| generics::gives(session, &Wanted::plain(own), wanted))
}

fn boxes<const N: usize>(constants: [Constant; N]) -> Vec<Constant> {
    constants.map(|constant| Constant::Boxed(Box::new(constant))).to_vec()
}

fn enum_constants(session: &mut Session, name: &Arc<str>) -> Vec<Constant> {
    let Ok(id) = session.load(name) else { return Vec::new() };
    let class = session.vm.class(id);
    let constants = class.fields.iter().filter(|field| field.flags & flags::ENUM != 0);
    // Nobody can name what the JDK keeps to itself.
    if class.flags & flags::PUBLIC == 0 && class.loader == LoaderId::BOOT {
        return Vec::new();
    }
    let names = constants.take(MOST_ENUM).map(|field| field.name.to_string());
    names.map(|constant| Constant::Enum { class: name.clone(), name: constant.into() }).collect()
}

fn has_constants(name: &str) -> bool {
    matches!(
        name,
        "java/lang/String"
            | "java/lang/CharSequence"
            | "java/lang/Object"
            | "java/lang/Comparable"
            | "java/io/Serializable"
            | "java/lang/Number"
            | "java/lang/Integer"
            | "java/lang/Long"
            | "java/lang/Short"
            | "java/lang/Byte"
            | "java/lang/Character"
            | "java/lang/Boolean"
            | "java/lang/Double"
            | "java/lang/Float"
            | "java/lang/Class"
    )
}

impl Building<'_> {
    /// Objects made by calls.
    fn built(&mut self, wanted: &Wanted, depth: usize) -> Vec<Argument> {
        if depth == 0 || self.outer.contains(wanted) {
            return Vec::new();
        }
        let key = (self.outer.clone(), wanted.clone(), depth);
        if let Some(values) = self.known.built.get(&key) {
            return values.clone();
        }
        self.outer.push(wanted.clone());
        let values = match &wanted.erasure {
            Type::Array(_) => self.arrays(wanted, depth),
            Type::Class(name) if !has_constants(name) => self.objects(wanted, depth),
            _ => Vec::new(),
        };
        self.outer.pop();
        self.known.built.insert(key, values.clone());
        values
    }

    /// An empty array, and one with the first value of its element type.
    fn arrays(&mut self, wanted: &Wanted, depth: usize) -> Vec<Argument> {
        let Type::Array(element) = &wanted.erasure else { return Vec::new() };
        let content = match wanted.arguments.first() {
            Some(content) => content.clone(),
            None => Wanted::plain((**element).clone()),
        };
        let mut values = Vec::new();
        let firsts: Vec<Option<Argument>> = vec![None, self.first(&content, depth - 1)];
        for (idx, content) in firsts.into_iter().enumerate() {
            let mut sequence = Sequence::empty();
            let args = match content {
                Some(value) => vec![place(&mut sequence, &value)],
                None if idx == 0 => Vec::new(),
                None => continue,
            };
            if let Ok(var) = sequence.push(Operation::Array((**element).clone()), args) {
                values.push(Argument::Built(Arc::new(sequence), var));
            }
        }
        values
    }

    /// One value of a type, the simplest.
    fn first(&mut self, wanted: &Wanted, depth: usize) -> Option<Argument> {
        self.nth_of(wanted, depth, (0, 0), &Pool::default())
    }

    /// One value of a type, the simplest but for so many, those of a class's own code last; from the beginning
    /// again where there are no more, shifted by the position of the parameter so that other values meet.
    fn nth_of(
        &mut self,
        wanted: &Wanted,
        depth: usize,
        (n, position): (usize, usize),
        own: &Pool,
    ) -> Option<Argument> {
        // Small and positive reads best inside other arguments.
        let plain = wanted_constants(self.session, wanted).into_iter().rev();
        let mut values: Vec<Argument> = plain.map(Argument::Constant).collect();
        for value in own.of(&super::read_as(&wanted.erasure)) {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        if values.is_empty() {
            values = self.built(wanted, depth);
        }
        if values.is_empty() && wanted.erasure.is_reference() {
            values.push(Argument::Constant(Constant::Null));
        }
        let round = n.checked_div(values.len())?;
        let n = (n + position * round) % values.len();
        Some(values.swap_remove(n))
    }

    /// Objects made by public constructors, or else by static factories of the class itself: those that take
    /// constants first, shortest parameter list first, and then with other arguments; of abstract types objects of what implements them
    /// before those, and where there is nothing else objects that stand in for them.
    fn objects(&mut self, wanted: &Wanted, depth: usize) -> Vec<Argument> {
        let Type::Class(name) = &wanted.erasure else { return Vec::new() };
        let Ok(id) = self.session.class(name) else { return Vec::new() };
        let class = self.session.vm.class(id);
        let is_abstract = class.flags & (flags::ABSTRACT | flags::INTERFACE) != 0;
        let mut makers = makers(self.session, name, id);
        makers.sort_by_cached_key(|method| {
            let is_plain = |of: &Type| !constants(self.session, of).is_empty();
            let is_nested = !method.parameters.iter().all(is_plain);
            (!method.is_constructor(), is_nested, method.parameters.len())
        });
        let mut choice = Choice::default();
        if is_abstract {
            let mut values = self.well_known(wanted, depth);
            let all = self.all;
            for implementation in all.of(name) {
                let Some(own) = implementing(self.session, &implementation, wanted) else {
                    continue;
                };
                values.extend(self.built(&own, depth).into_iter().next());
            }
            self.offer(&mut choice, values);
        }
        for n in 0..MOST_VARIED {
            for maker in &makers {
                if choice.len() < MOST_BUILT {
                    let value = self.made(maker, wanted, depth, n);
                    self.offer(&mut choice, value);
                }
            }
        }
        if choice.len() == 0 && !is_abstract {
            let calls = self.of_others(wanted, depth);
            self.offer(&mut choice, calls.iter().filter_map(ArgumentList::made));
        }
        if choice.len() == 0 {
            let stand_ins = stand_ins::for_wanted(self.session, wanted);
            self.offer(&mut choice, stand_ins.into_iter().filter_map(standing_in));
        }
        choice.taken()
    }

    fn offer(&mut self, choice: &mut Choice, values: impl IntoIterator<Item = Argument>) {
        for value in values {
            if choice.len() < MOST_BUILT {
                choice.offer(self.session, value);
            }
        }
    }

    /// What a constructor or factory makes of the values of its parameters with this number.
    fn made(
        &mut self,
        maker: &Method,
        wanted: &Wanted,
        depth: usize,
        n: usize,
    ) -> Option<Argument> {
        if 0 < n && maker.parameters.is_empty() {
            return None;
        }
        let usage = generics::to_give(self.session, maker, wanted)?;
        let own = self.own_of(&maker.class);
        let mut arguments = Vec::new();
        for (position, parameter) in usage.arguments.iter().enumerate() {
            arguments.push(self.nth_of(parameter, depth - 1, (n, position), &own)?);
        }
        then(&arguments, maker.clone())
    }

    /// The constants of a class's own code, with which its constructors may want to be called.
    fn own_of(&mut self, class: &Arc<str>) -> Arc<Pool> {
        if !self.own_constants {
            return Arc::default();
        }
        if let Some(pool) = self.known.own.get(class) {
            return pool.clone();
        }
        let mut pool = Pool::default();
        let is_of_jdk = self
            .session
            .load(class)
            .is_ok_and(|id| self.session.vm.is_jdk_loader(self.session.vm.class(id).loader));
        if !is_of_jdk {
            constants::collect(self.session, class, &mut pool);
        }
        let pool = Arc::new(pool);
        self.known.own.insert(class.clone(), pool.clone());
        pool
    }

    /// Objects that stand in for a well-known type of the JDK: empty and with one element or entry, where they
    /// hold something.
    fn well_known(&mut self, wanted: &Wanted, depth: usize) -> Vec<Argument> {
        let Type::Class(name) = &wanted.erasure else { return Vec::new() };
        let Some(calls) = implementations::calls(name) else { return Vec::new() };
        let Some(usage) =
            generics::to_give(self.session, calls.last.as_ref().unwrap_or(&calls.maker), wanted)
        else {
            return Vec::new();
        };
        let mut values = Vec::new();
        if let (Some(last), Some(from)) = (calls.last, usage.arguments.first()) {
            let filled = self.well_known(from, depth).pop();
            values.extend(filled.and_then(|filled| then(&[filled], last)));
            return values;
        }
        let arguments = self.inner(&usage.arguments, depth);
        let Some(object) = then(&arguments, calls.maker) else { return values };
        values.push(object.clone());
        if let Some(filler) = calls.filler {
            let (parameters, _) = generics::through(self.session, &usage.result, &filler);
            let parameters: Vec<Wanted> = parameters.into_iter().map(generics::settled).collect();
            let arguments = self.inner(&parameters, depth);
            // Better empty than with nothing in it.
            if !arguments.contains(&Argument::Constant(Constant::Null)) {
                values.extend(filled(&object, &arguments, filler));
            }
        }
        values
    }

    /// One value for each parameter; of arrays one that is not empty.
    fn inner(&mut self, parameters: &[Wanted], depth: usize) -> Vec<Argument> {
        let mut values = Vec::new();
        for parameter in parameters {
            values.extend(match parameter.erasure {
                Type::Array(_) => self.arrays(parameter, depth).pop(),
                _ => self.first(parameter, depth),
            });
        }
        values
    }
}

/// A class with the type arguments by which it implements what is wanted.
fn implementing(session: &mut Session, class: &Arc<str>, wanted: &Wanted) -> Option<Wanted> {
    let own = Wanted::plain(Type::Class(class.clone()));
    let id = session.class(class).ok()?;
    match makers(session, class, id).first() {
        Some(maker) if !wanted.arguments.is_empty() => {
            generics::to_give(session, maker, wanted).map(|usage| usage.result)
        }
        _ => Some(own),
    }
}

/// What a call gives with these arguments.
fn then(arguments: &[Argument], method: Method) -> Option<Argument> {
    let mut sequence = Sequence::empty();
    let args = arguments.iter().map(|argument| place(&mut sequence, argument)).collect();
    let var = sequence.push(Operation::Call(Arc::new(method)), args).ok()?;
    Some(Argument::Built(Arc::new(sequence), var))
}

/// An object that stands in for an interface or abstract class.
fn standing_in(stand_in: StandIn) -> Option<Argument> {
    let mut sequence = Sequence::empty();
    let var = sequence.push(Operation::StandIn(Arc::new(stand_in)), Vec::new()).ok()?;
    Some(Argument::Built(Arc::new(sequence), var))
}

/// An object after a call on it.
fn filled(object: &Argument, arguments: &[Argument], method: Method) -> Option<Argument> {
    let Argument::Built(making, object) = object else { return None };
    let mut sequence = (**making).clone();
    let mut args = vec![Arg::Var(*object)];
    args.extend(arguments.iter().map(|argument| place(&mut sequence, argument)));
    sequence.push(Operation::Call(Arc::new(method)), args).ok()?;
    Some(Argument::Built(Arc::new(sequence), *object))
}

fn makers(session: &Session, name: &Arc<str>, id: ClassId) -> Vec<Method> {
    let class = session.vm.class(id);
    if class.flags & flags::PUBLIC == 0 {
        return Vec::new();
    }
    let is_concrete = class.flags & (flags::ABSTRACT | flags::INTERFACE) == 0;
    let result = format!(")L{name};");
    let offered = class.methods.iter().filter(|method| {
        let is_factory = method.is_static() && method.descriptor.to_string().ends_with(&result);
        method.flags & flags::PUBLIC != 0
            && method.flags & flags::SYNTHETIC == 0
            && (method.is_constructor() && is_concrete || is_factory)
    });
    offered
        .filter_map(|method| {
            let descriptor = method.descriptor.to_string();
            Method::new(name, &method.name.to_string(), &descriptor, method.is_static())
        })
        .collect()
}

/// Puts an argument into a sequence.
pub(crate) fn place(sequence: &mut Sequence, argument: &Argument) -> Arg {
    match argument {
        Argument::Constant(constant) => Arg::Constant(constant.clone()),
        Argument::Built(inner, var) => {
            let moved: Var = sequence.append(inner, *var);
            Arg::Var(moved)
        }
    }
}
