//! Properties in words: in the notation of the paper, and as a sentence.

use super::abstraction::{Abstraction, Condition, Number, Plus, Term};
use super::select::Ways;
use super::template::{Aspect, Call, Relation};
use super::trace::{ListIdx, MethodIdx, Trace, Value, ValueId};
use super::{Kind, Property};
use suite::constant::Constant;
use suite::types::Type;

/// Puts properties of a trace into words.
#[derive(Debug)]
pub struct Wording<'t> {
    trace: &'t Trace,
    ways: &'t Ways,
}

impl<'t> Wording<'t> {
    /// Words for a trace.
    pub fn new(trace: &'t Trace, ways: &'t Ways) -> Wording<'t> {
        Wording { trace, ways }
    }

    /// The property in the notation of the paper.
    pub fn notation(&self, of: &Abstraction) -> String {
        let suffix = match of.aspect {
            Aspect::State => ".state",
            Aspect::Return => ".retval",
        };
        let relation = match of.relation() {
            Relation::Equal => "==",
            Relation::Differs => "!=",
        };
        let left = match of.second {
            None => self.apply(of, Call::First, Call::First, "S"),
            Some(_) => self.compose(of, [Call::Second; 2], [Call::First; 2]),
        };
        let right = match of.right {
            Term::Entry => "S".to_owned(),
            Term::Constant(value) => self.value(value),
            Term::Exception => "Exception".to_owned(),
            Term::Argument(call, idx) => self.argument(of, call, idx),
            Term::Apply(method, arguments) => {
                format!("{}{suffix}", self.apply(of, method, arguments, "S"))
            }
            Term::Compose(outer, inner) => format!("{}{suffix}", self.compose(of, outer, inner)),
        };
        let right = match of.plus {
            None => right,
            Some(Plus::Argument(call, idx)) => {
                format!("({right} + {})", self.argument(of, call, idx))
            }
            Some(Plus::Number(number)) => match signed(number) {
                (true, text) => format!("({right} - {text})"),
                (false, text) => format!("({right} + {text})"),
            },
        };
        let condition = match of.condition {
            None => String::new(),
            Some(Condition::SameArguments(i, j)) => {
                let (one, other) =
                    (self.argument(of, Call::First, i), self.argument(of, Call::Second, j));
                format!(" [where ({one} == {other})]")
            }
            Some(Condition::Observer(observer, says)) => {
                let not = if says { "" } else { "!" };
                format!(" [where {not}{}(S)]", self.trace.methods()[observer.idx()].name)
            }
        };
        format!("{left}{suffix} {relation} {right}{condition}")
    }

    /// The property as a sentence.
    pub fn sentence(&self, property: &Property) -> String {
        let of = &property.abstraction;
        let said = match of.aspect {
            Aspect::State => self.of_state(of),
            Aspect::Return => self.of_return(of),
        };
        let condition = match of.condition {
            None => String::new(),
            Some(Condition::SameArguments(i, j)) => {
                let (one, other) =
                    (self.argument(of, Call::First, i), self.argument(of, Call::Second, j));
                format!("where {one} equals {other}, ")
            }
            Some(Condition::Observer(observer, says)) => {
                format!("where {}() is {says}, ", self.trace.methods()[observer.idx()].name)
            }
        };
        let mostly = if property.kind == Kind::Common { "mostly, " } else { "" };
        let text = format!("{mostly}{condition}{said}.");
        // A sentence that begins with the name of a method keeps its spelling.
        if mostly.is_empty() && condition.is_empty() { text } else { capitalized(&text) }
    }

    fn of_state(&self, of: &Abstraction) -> String {
        let (f, g) = (self.call(of, Call::First, Call::First), self.second(of));
        let Some(g) = g else {
            return match (of.relation(), of.right) {
                (Relation::Differs, _) => format!("{f} changes the state"),
                (_, Term::Constant(value)) => format!("{f} leads to {}", self.state(value)),
                (_, Term::Exception) => format!("{f} throws an exception"),
                _ => format!("{f} leaves the state as it is"),
            };
        };
        match of.right {
            Term::Entry => format!("{g} undoes {f}"),
            Term::Constant(value) => format!("{g} after {f} leads to {}", self.state(value)),
            Term::Exception => format!("{g} after {f} throws an exception"),
            Term::Argument(call, idx) => {
                format!(
                    "{g} after {f} gives the object the state of {}",
                    self.argument(of, call, idx)
                )
            }
            Term::Apply(Call::First, Call::First) => format!("{g} changes nothing after {f}"),
            Term::Apply(Call::Second, Call::Second) => {
                format!("{g} leads to the same state with or without {f} before it")
            }
            Term::Apply(method, arguments) => {
                let alone = self.call(of, method, arguments);
                format!("{g} after {f} leads to the same state as {alone} alone")
            }
            Term::Compose([Call::First, Call::First], _) => {
                format!("{f} and {g} lead to the same state in either order")
            }
            Term::Compose(outer, inner) => {
                let (outer, inner) =
                    (self.call(of, outer[0], outer[1]), self.call(of, inner[0], inner[1]));
                format!("{g} after {f} leads to the same state as {outer} after {inner}")
            }
        }
    }

    fn of_return(&self, of: &Abstraction) -> String {
        let (f, g) = (self.call(of, Call::First, Call::First), self.second(of));
        let left = match g {
            None => f.clone(),
            Some(g) => format!("{g} after {f}"),
        };
        let right = match of.right {
            Term::Exception => return format!("{left} throws an exception"),
            Term::Constant(value) => self.value(value),
            Term::Entry => "the object as it was".to_owned(),
            Term::Argument(call, idx) => self.argument(of, call, idx),
            Term::Apply(Call::First, Call::First) => format!("what {f} returned"),
            Term::Apply(Call::Second, Call::Second) => {
                format!("what it returns without {f} before it")
            }
            Term::Apply(method, arguments) => {
                format!("what {} alone returns", self.call(of, method, arguments))
            }
            Term::Compose(outer, inner) => {
                let (outer, inner) =
                    (self.call(of, outer[0], outer[1]), self.call(of, inner[0], inner[1]));
                format!("what {outer} after {inner} returns")
            }
        };
        let plus = match of.plus {
            None => String::new(),
            Some(Plus::Argument(call, idx)) => format!(", plus {}", self.argument(of, call, idx)),
            Some(Plus::Number(number)) => match signed(number) {
                (true, text) => format!(", minus {text}"),
                (false, text) => format!(", plus {text}"),
            },
        };
        format!("{left} returns {right}{plus}")
    }

    fn second(&self, of: &Abstraction) -> Option<String> {
        of.second.map(|_| self.call(of, Call::Second, Call::Second))
    }

    /// `push(i0_1)`; constructors as `new IntStack()`.
    fn call(&self, of: &Abstraction, method: Call, arguments: Call) -> String {
        let called = &self.trace.methods()[self.method(of, method).idx()];
        let arguments = self.arguments(of, method, arguments).join(", ");
        if called.is_constructor() {
            format!("new {}({arguments})", simple(&called.class))
        } else {
            format!("{}({arguments})", called.name)
        }
    }

    fn apply(&self, of: &Abstraction, method: Call, arguments: Call, receiver: &str) -> String {
        let called = &self.trace.methods()[self.method(of, method).idx()];
        let receiver = called.has_receiver().then(|| receiver.to_owned());
        let arguments: Vec<String> =
            receiver.into_iter().chain(self.arguments(of, method, arguments)).collect();
        format!("{}({})", called.name, arguments.join(", "))
    }

    fn compose(&self, of: &Abstraction, outer: [Call; 2], inner: [Call; 2]) -> String {
        let inner = self.apply(of, inner[0], inner[1], "S");
        self.apply(of, outer[0], outer[1], &format!("{inner}.state"))
    }

    fn method(&self, of: &Abstraction, call: Call) -> MethodIdx {
        match call {
            Call::First => of.first,
            Call::Second => of.second.unwrap_or(of.first),
        }
    }

    fn arguments(&self, of: &Abstraction, method: Call, from: Call) -> Vec<String> {
        let n = self.trace.methods()[self.method(of, method).idx()].parameters.len();
        (0..n).map(|idx| self.argument(of, from, idx)).collect()
    }

    /// The first letter of the type and the position; which call's, if there are two.
    fn argument(&self, of: &Abstraction, call: Call, idx: usize) -> String {
        let method = &self.trace.methods()[self.method(of, call).idx()];
        let letter = match method.parameters.get(idx) {
            Some(Type::Array(_)) => "a".to_owned(),
            Some(Type::Class(name)) => {
                simple(name).chars().take(1).flat_map(char::to_lowercase).collect()
            }
            Some(other) => other.to_string().chars().take(1).collect(),
            None => "x".to_owned(),
        };
        match (of.second, call) {
            (None, _) => format!("{letter}{idx}"),
            (Some(_), Call::First) => format!("{letter}{idx}_1"),
            (Some(_), Call::Second) => format!("{letter}{idx}_2"),
        }
    }

    /// A value as Java writes it; an object by the calls that make one like it.
    pub fn value(&self, value: ValueId) -> String {
        match self.trace.meaning(value) {
            Value::Constant(constant) => literal(constant),
            Value::Object(_) => self.made(value).unwrap_or_else(|| "an object".to_owned()),
        }
    }

    fn state(&self, value: ValueId) -> String {
        match self.made(value) {
            Some(made) => format!("the state of {made}"),
            None => "one state".to_owned(),
        }
    }

    fn made(&self, value: ValueId) -> Option<String> {
        let way = self.ways.to(self.trace, Some(value))?;
        (!way.is_empty()).then(|| self.chain(&way))
    }

    /// Calls in a row: `new IntStack().push(1).pop()`, to be read, not compiled.
    pub fn chain(&self, calls: &[ListIdx]) -> String {
        let calls: Vec<String> = calls.iter().map(|list| self.list(*list)).collect();
        calls.join(".")
    }

    /// One call with its arguments.
    pub fn list(&self, list: ListIdx) -> String {
        let list = &self.trace.lists()[list.idx()];
        let method = &self.trace.methods()[list.method.idx()];
        let arguments: Vec<String> =
            list.arguments.iter().map(|value| self.value(*value)).collect();
        let arguments = arguments.join(", ");
        if method.is_constructor() {
            format!("new {}({arguments})", simple(&method.class))
        } else if method.has_receiver() {
            format!("{}({arguments})", method.name)
        } else {
            format!("{}.{}({arguments})", simple(&method.class), method.name)
        }
    }
}

fn simple(class: &str) -> &str {
    class.rsplit(['/', '$']).next().unwrap_or(class)
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// Whether a number is below zero, and its size.
fn signed(number: Number) -> (bool, String) {
    match number {
        Number::Whole(value) => (value < 0, value.unsigned_abs().to_string()),
        Number::Real(bits) => {
            let value = f64::from_bits(bits);
            (value < 0.0, value.abs().to_string())
        }
    }
}

/// A constant as Java writes it.
pub fn literal(constant: &Constant) -> String {
    match constant {
        Constant::Null => "null".to_owned(),
        Constant::Boolean(value) => value.to_string(),
        Constant::Byte(value) => value.to_string(),
        Constant::Char(value) => match char::from_u32(u32::from(*value)) {
            Some(letter) => format!("'{}'", letter.escape_default()),
            None => format!("'\\u{value:04x}'"),
        },
        Constant::Short(value) => value.to_string(),
        Constant::Int(value) => value.to_string(),
        Constant::Long(value) => format!("{value}L"),
        Constant::Float(bits) => format!("{:?}f", f32::from_bits(*bits)),
        Constant::Double(bits) => format!("{:?}", f64::from_bits(*bits)),
        Constant::Text(units) => {
            format!("\"{}\"", String::from_utf16_lossy(units).escape_default())
        }
        Constant::Enum { class, name } => format!("{}.{name}", simple(class)),
        Constant::Class(of) => format!("{of}.class"),
        Constant::Boxed(inner) => literal(inner),
    }
}
