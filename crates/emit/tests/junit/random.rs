//! Suites that nobody thought of: random well-typed calls, to find what the compiler does not take.

use std::sync::Arc;

use emit::junit::facts::{Access, MethodFacts, Names, Place};
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence, Var};
use suite::stand_in::{Behaviour, StandIn};
use suite::test::{Check, Expected, Subject, Suite, Test, Throws, Title};
use suite::types::Type;

/// Numbers that look random and are the same in every run (Marsaglia 2003, xorshift).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % limit.max(1)
    }

    pub(crate) fn pick<'s, T>(&mut self, from: &'s [T]) -> &'s T {
        &from[self.below(from.len())]
    }

    fn bits(&mut self) -> u64 {
        let low = self.below(usize::MAX) as u64;
        low << 20 ^ self.below(usize::MAX) as u64
    }
}

/// A constant of exactly this primitive type or class, edge cases first.
pub(crate) fn constant(dice: &mut Dice, of: &Type) -> Option<Constant> {
    let bits = dice.bits();
    let is_edge = dice.below(2) == 0;
    Some(match of {
        Type::Boolean => Constant::Boolean(bits & 1 == 0),
        Type::Byte => Constant::Byte(if is_edge {
            *dice.pick(&[i8::MIN, -1, 0, 1, i8::MAX])
        } else {
            bits as i8
        }),
        Type::Char => Constant::Char(if is_edge {
            *dice.pick(&[0, 9, 10, 13, 34, 39, 65, 92, 0x7f, 0x85, 0x2028, 0xd800, 0xdfff, 0xffff])
        } else {
            bits as u16
        }),
        Type::Short => Constant::Short(if is_edge {
            *dice.pick(&[i16::MIN, -1, 0, 1, i16::MAX])
        } else {
            bits as i16
        }),
        Type::Int => Constant::Int(if is_edge {
            *dice.pick(&[i32::MIN, -1, 0, 1, i32::MAX])
        } else {
            bits as i32
        }),
        Type::Long => Constant::Long(if is_edge {
            *dice.pick(&[i64::MIN, -1, 0, 1, i64::MAX])
        } else {
            bits as i64
        }),
        Type::Float => Constant::Float(if is_edge {
            dice.pick(&[
                0.0,
                -0.0,
                f32::NAN,
                f32::INFINITY,
                f32::MIN,
                f32::MAX,
                1e-40,
                16_777_216.0,
            ])
            .to_bits()
        } else {
            bits as u32
        }),
        Type::Double => Constant::Double(if is_edge {
            dice.pick(&[0.0, -0.0, f64::NAN, f64::NEG_INFINITY, f64::MIN, 5e-324, 1e300, 0.1])
                .to_bits()
        } else {
            bits
        }),
        Type::Class(name) => match &**name {
            "java/lang/String" => {
                let length = dice.below(6);
                let units = (0..length).map(|_| match constant(dice, &Type::Char) {
                    Some(Constant::Char(unit)) => unit,
                    _ => 0,
                });
                Constant::Text(units.collect())
            }
            "java/lang/Class" => Constant::Class(dice.pick(&class_literals()).clone()),
            "p/Outer$Color" => {
                let name = *dice.pick(&["RED", "GREEN"]);
                Constant::Enum { class: "p/Outer$Color".into(), name: name.into() }
            }
            other => {
                let inner = boxed_by(other)?;
                Constant::Boxed(Box::new(constant(dice, &inner)?))
            }
        },
        Type::Array(_) | Type::Void => return None,
    })
}

fn class_literals() -> [Type; 4] {
    [
        Type::Int,
        Type::class("java/util/Map$Entry"),
        Type::Array(Box::new(Type::class("java/util/List"))),
        Type::Array(Box::new(Type::Array(Box::new(Type::Byte)))),
    ]
}

fn boxed_by(class: &str) -> Option<Type> {
    Some(match class {
        "java/lang/Boolean" => Type::Boolean,
        "java/lang/Byte" => Type::Byte,
        "java/lang/Character" => Type::Char,
        "java/lang/Short" => Type::Short,
        "java/lang/Integer" => Type::Int,
        "java/lang/Long" => Type::Long,
        "java/lang/Float" => Type::Float,
        "java/lang/Double" => Type::Double,
        _ => return None,
    })
}

/// Classes whose constants stand where any object is wanted.
const PLAIN: &[&str] = &[
    "java/lang/String",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Character",
    "java/lang/Double",
    "java/lang/Byte",
    "java/lang/Class",
];

/// Tests of `p.Kinds`, each of whose methods gives back what it gets.
pub(crate) fn echoes(names: &dyn Names, dice: &mut Dice, n_tests: usize) -> Suite {
    let facts = names.class("p/Kinds").unwrap();
    let methods: Vec<&Arc<MethodFacts>> =
        facts.methods.iter().filter(|method| method.erased.len() == 1).collect();
    let mut tests = Vec::new();
    for _ in 0..n_tests {
        let mut sequence = Sequence::empty();
        let mut checks = Vec::new();
        let kinds = sequence.push(new("p/Kinds", "()V"), vec![]).unwrap();
        for _ in 0..3 {
            let method = *dice.pick(&methods);
            let parameter = method.erased[0].clone();
            let Some((arg, expected)) = echoed(&mut sequence, dice, &parameter) else { continue };
            let call = Method {
                class: "p/Kinds".into(),
                name: method.name.clone(),
                parameters: method.erased.clone(),
                returns: parameter,
                dispatch: suite::method::Dispatch::Instance,
                is_varargs: false,
                declares_exceptions: false,
            };
            let after =
                sequence.push(Operation::Call(Arc::new(call)), vec![Arg::Var(kinds), arg]).unwrap();
            checks.push(Check { after, subject: Subject::Result(after), expected });
        }
        let title = Title { method: "echo".to_owned(), ..Title::default() };
        tests.push(Test {
            sequence,
            checks,
            throws: None,
            must_end: false,
            notes: Vec::new(),
            title,
        });
    }
    Suite { class: "p/Kinds".into(), tests }
}

/// An argument of a type, and what it is when it comes back.
fn echoed(sequence: &mut Sequence, dice: &mut Dice, of: &Type) -> Option<(Arg, Expected)> {
    if let Type::Array(element) = of {
        let mut constants = Vec::new();
        for _ in 0..dice.below(4) {
            constants.push(match &**element {
                Type::Class(name) if &**name == "java/lang/Object" => any(dice)?,
                other => constant(dice, other)?,
            });
        }
        let args = constants.iter().cloned().map(Arg::Constant).collect();
        let array = sequence.push(Operation::Array((**element).clone()), args).unwrap();
        return Some((Arg::Var(array), Expected::ArrayEquals(constants)));
    }
    let value = match of {
        Type::Class(_) if dice.below(6) == 0 => Constant::Null,
        Type::Class(name) if &**name == "java/lang/Object" => any(dice)?,
        Type::Class(name) if &**name == "java/lang/Number" => {
            constant(dice, &Type::class("java/lang/Short"))?
        }
        other => constant(dice, other)?,
    };
    Some((Arg::Constant(value.clone()), Expected::Equals(value)))
}

fn any(dice: &mut Dice) -> Option<Constant> {
    let class = *dice.pick(PLAIN);
    constant(dice, &Type::class(class))
}

fn new(class: &str, descriptor: &str) -> Operation {
    Operation::Call(Arc::new(Method::new(class, "<init>", descriptor, false).unwrap()))
}

/// Tests that call anything public of these classes with anything that fits. What they do when they run
/// is not known, only that they must compile.
pub(crate) fn calls(
    names: &dyn Names,
    dice: &mut Dice,
    classes: &[&str],
    n_tests: usize,
    n_calls: usize,
) -> Suite {
    let mut methods = Vec::new();
    for class in classes {
        let facts = names.class(class).unwrap_or_else(|| panic!("{class} does not exist"));
        for method in &facts.methods {
            let is_new = &*method.name == "<init>";
            let is_abstract_new = is_new && facts.is_abstract;
            if method.access == Access::Public
                && !method.is_synthetic
                && !is_abstract_new
                && &*method.name != "<clinit>"
            {
                methods.push((*class, method.clone()));
            }
        }
    }
    let mut tests = Vec::new();
    while tests.len() < n_tests {
        let mut sequence = Sequence::empty();
        let mut checks = Vec::new();
        for _ in 0..n_calls * 4 {
            if sequence.len() >= n_calls {
                break;
            }
            let (class, facts) = dice.pick(&methods).clone();
            step(names, dice, &mut sequence, class, &facts);
            if !sequence.is_empty() && dice.below(3) == 0 {
                check(names, dice, &sequence, &mut checks);
            }
        }
        let throws = (dice.below(3) == 0 && ends_with_call(&sequence)).then(|| Throws {
            class: "java/lang/IllegalArgumentException".into(),
            message: Some(Some("why".to_owned())),
        });
        if throws.is_some() {
            let last = Var(sequence.next_var().0 - 1);
            checks.retain(|check: &Check| check.subject != Subject::Result(last));
        }
        let title = Title { method: "calls".to_owned(), ..Title::default() };
        tests.push(Test { sequence, checks, throws, must_end: false, notes: Vec::new(), title });
    }
    Suite { class: classes[0].into(), tests }
}

fn ends_with_call(sequence: &Sequence) -> bool {
    sequence.statements().last().is_some_and(|last| last.method().is_some())
}

fn step(
    names: &dyn Names,
    dice: &mut Dice,
    sequence: &mut Sequence,
    class: &str,
    facts: &MethodFacts,
) {
    let mut method = Method::new(class, &facts.name, "()V", facts.is_static).expect("well formed");
    method.parameters = facts.erased.clone();
    method.returns = erased_result(names, class, facts);
    method.is_varargs = facts.is_varargs;
    let mut draft = sequence.clone();
    let mut args = Vec::new();
    let is_new = method.is_constructor();
    let is_inner = is_new
        && names
            .class(class)
            .is_some_and(|facts| matches!(facts.place, Place::Member { is_static: false, .. }));
    if method.has_receiver() {
        let Some(receiver) = variable(names, dice, &draft, &Type::class(class)) else { return };
        args.push(receiver);
    }
    for (idx, parameter) in facts.erased.iter().enumerate() {
        if idx == 0 && is_inner {
            let Some(outer) = variable(names, dice, &draft, parameter) else { return };
            args.push(outer);
            continue;
        }
        let Some(arg) = argument(names, dice, &mut draft, parameter) else { return };
        args.push(arg);
    }
    if draft.push(Operation::Call(Arc::new(method)), args).is_ok() {
        *sequence = draft;
    }
}

fn erased_result(names: &dyn Names, class: &str, facts: &MethodFacts) -> Type {
    // Facts keep the generic result; what it erases to follows from the bounds of its variables.
    use suite::java_type::JavaType;
    fn erase(of: &JavaType, bounds: &[suite::java_type::TypeParameter]) -> Type {
        match of {
            JavaType::Primitive(primitive) => primitive.clone(),
            JavaType::Class(class) => Type::Class(class.name.clone()),
            JavaType::Array(element) => Type::Array(Box::new(erase(element, bounds))),
            JavaType::Variable(name) => bounds.iter().find(|one| one.name == *name).map_or_else(
                || Type::class("java/lang/Object"),
                |one| erase(&one.bounds[0], bounds),
            ),
            JavaType::Null => Type::class("java/lang/Object"),
        }
    }
    let of_class = names.class(class).unwrap().type_parameters.clone();
    let bounds: Vec<_> = facts.type_parameters.iter().cloned().chain(of_class).collect();
    erase(&facts.returns, &bounds)
}

/// What is stood in for, beside everything in `java.util.function`.
const STAND_INS: &[&str] = &[
    "java/lang/AutoCloseable",
    "java/lang/Iterable",
    "java/lang/Runnable",
    "java/util/AbstractCollection",
    "java/util/Collection",
    "java/util/Comparator",
    "java/util/Enumeration",
    "java/util/Iterator",
    "java/util/Map",
    "java/util/Map$Entry",
    "java/util/RandomAccess",
    "java/util/stream/Collector",
];

fn argument(names: &dyn Names, dice: &mut Dice, sequence: &mut Sequence, of: &Type) -> Option<Arg> {
    if !of.is_reference() {
        return constant(dice, of).map(Arg::Constant);
    }
    if dice.below(3) > 0
        && let Some(found) = variable(names, dice, sequence, of)
    {
        return Some(found);
    }
    if dice.below(8) == 0 {
        return Some(Arg::Constant(Constant::Null));
    }
    match of {
        Type::Array(element) => {
            let mut args = Vec::new();
            for _ in 0..dice.below(3) {
                args.push(argument(names, dice, sequence, element)?);
            }
            sequence.push(Operation::Array((**element).clone()), args).ok().map(Arg::Var)
        }
        Type::Class(name)
            if name.starts_with("java/util/function/") || STAND_INS.contains(&&**name) =>
        {
            let behaviour = match dice.below(4) {
                0 => Behaviour::Default,
                1 => Behaviour::Constant(any(dice)?),
                2 => Behaviour::Identity,
                _ => Behaviour::Throws,
            };
            let stand_in = StandIn { of: name.clone(), behaviour };
            sequence.push(Operation::StandIn(Arc::new(stand_in)), vec![]).ok().map(Arg::Var)
        }
        Type::Class(name) => {
            let fitting: Vec<&str> =
                PLAIN.iter().copied().filter(|class| is_subclass(names, class, name)).collect();
            if fitting.is_empty() {
                return constant(dice, of).map(Arg::Constant);
            }
            let class = *dice.pick(&fitting);
            constant(dice, &Type::class(class)).map(Arg::Constant)
        }
        _ => None,
    }
}

fn variable(names: &dyn Names, dice: &mut Dice, sequence: &Sequence, of: &Type) -> Option<Arg> {
    let fits = |own: &Type| match (own, of) {
        (Type::Class(own), Type::Class(wanted)) => is_subclass(names, own, wanted),
        (Type::Array(_), Type::Class(wanted)) => &**wanted == "java/lang/Object",
        _ => own == of,
    };
    let vars: Vec<Var> = (0u32..)
        .zip(sequence.statements())
        .filter(|(_, statement)| fits(&statement.result()))
        .map(|(idx, _)| Var(idx))
        .collect();
    (!vars.is_empty()).then(|| Arg::Var(*dice.pick(&vars)))
}

fn is_subclass(names: &dyn Names, own: &str, wanted: &str) -> bool {
    own == wanted
        || wanted == "java/lang/Object"
        || names.class(own).is_some_and(|facts| {
            facts.supertypes.iter().any(|above| is_subclass(names, &above.name, wanted))
        })
}

/// Adds a check of the last statement that could be true.
fn check(names: &dyn Names, dice: &mut Dice, sequence: &Sequence, checks: &mut Vec<Check>) {
    let after = Var(sequence.next_var().0 - 1);
    let result = sequence.statements()[after.idx()].result();
    let expected = match &result {
        Type::Void => return,
        Type::Class(name) if dice.below(2) == 0 => {
            let fitting: Vec<&str> =
                PLAIN.iter().copied().filter(|class| is_subclass(names, class, name)).collect();
            if fitting.is_empty() {
                Expected::NotNull
            } else {
                let class = *dice.pick(&fitting);
                Expected::Equals(constant(dice, &Type::class(class)).unwrap())
            }
        }
        Type::Class(_) | Type::Array(_) if dice.below(2) == 0 => Expected::Equals(Constant::Null),
        Type::Class(_) if dice.below(2) == 0 => Expected::Text(Constant::text("[\"]")),
        Type::Class(_) => Expected::NotNull,
        Type::Array(element) => match constant(dice, element) {
            Some(value) => Expected::ArrayEquals(vec![value]),
            None => Expected::ArrayEquals(vec![]),
        },
        primitive => Expected::Equals(constant(dice, primitive).unwrap()),
    };
    checks.push(Check { after, subject: Subject::Result(after), expected });
}
