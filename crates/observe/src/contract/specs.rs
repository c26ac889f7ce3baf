//! Preconditions and postconditions of methods, from a small text that the user writes:
//!
//! ```text
//! # What may be withdrawn, and what is left.
//! pre  com.acme.Account.withdraw(int) = com.acme.Specs.canWithdraw
//! post com.acme.Account.withdraw(int) = com.acme.Specs.afterWithdraw
//! ```
//!
//! The right side names a static boolean method that takes the receiver (if there is one) and the arguments;
//! behind a postcondition's arguments stands the result, if there is one. A call whose precondition does
//! not hold is illegal input: it is skipped, not reported.

use std::fmt;
use std::sync::Arc;

use suite::method::{Dispatch, Method};
use suite::sequence::{Arg, Operation, Statement, Var};
use suite::test::{Check, Expected, Subject};
use suite::types::{Type, signature};
use vm::interp::Outcome;
use vm::mode::Plain;
use vm::value::{ClassId, Value};
use vm::vm::Vm;

use super::user::class_of;
use super::{Severity, Violation};
use crate::session::{Resolved, Session};

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong and what to do.
    pub problem: String,
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for SpecError {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Before,
    After,
}

#[derive(Debug, Clone)]
struct Spec {
    line: usize,
    when: When,
    /// Class and method, or the class of a constructor, with dots.
    subject: String,
    parameters: Vec<String>,
    class: String,
    method: String,
    bound: Option<Condition>,
}

/// A static boolean method that judges a call.
#[derive(Debug, Clone)]
pub struct Condition {
    method: Resolved,
    /// `com.acme.Specs.canWithdraw`.
    name: Arc<str>,
    subject: Arc<Method>,
}

/// The conditions of a text.
#[derive(Debug, Clone, Default)]
pub struct Specs {
    all: Vec<Spec>,
}

impl Specs {
    /// Reads a text. What the names mean is found out by [`Specs::bind`].
    pub fn parse(text: &str) -> Result<Specs, SpecError> {
        let mut all = Vec::new();
        for (idx, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or_default().trim();
            if !content.is_empty() {
                let line = idx + 1;
                all.push(parse_line(content, line).map_err(|problem| SpecError { line, problem })?);
            }
        }
        Ok(Specs { all })
    }

    /// Whether there is no condition at all.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Looks up what the names mean on a machine; conditions say nothing before.
    pub fn bind(&mut self, session: &mut Session) -> Result<(), SpecError> {
        for spec in &mut self.all {
            let line = spec.line;
            let bound = bind(session, spec).map_err(|problem| SpecError { line, problem })?;
            spec.bound = Some(bound);
        }
        Ok(())
    }

    /// What must hold before a call of this method.
    pub fn pre_of(&self, method: &Method) -> impl Iterator<Item = &Condition> {
        self.of(When::Before, method)
    }

    /// What must hold after a call of this method that returned.
    pub fn post_of(&self, method: &Method) -> impl Iterator<Item = &Condition> {
        self.of(When::After, method)
    }

    fn of(&self, when: When, method: &Method) -> impl Iterator<Item = &Condition> {
        let of_when = self.all.iter().filter(move |spec| spec.when == when);
        let bound = of_when.filter_map(|spec| spec.bound.as_ref());
        bound.filter(|condition| {
            let subject = &condition.subject;
            subject.class == method.class
                && subject.name == method.name
                && subject.parameters == method.parameters
        })
    }
}

impl Condition {
    /// Whether a precondition lets a call happen: receiver and arguments as words. What throws or does
    /// not come to its end does not hold. Leaves the machine as it was.
    pub fn lets(&self, session: &mut Session, args: &[u64], fuel: u64) -> bool {
        self.holds(session, args, fuel) == Some(true)
    }

    /// Judges a call that returned: receiver, arguments and result, if there is one, as a test names them
    /// and as words. Leaves the machine as it was.
    pub fn judge(
        &self,
        session: &mut Session,
        args: &[(Arg, u64)],
        next: Var,
        fuel: u64,
    ) -> Option<Violation> {
        let words: Vec<u64> = args.iter().map(|(_, word)| *word).collect();
        if self.holds(session, &words, fuel) != Some(false) {
            return None;
        }
        let args = args.iter().map(|(arg, _)| arg.clone()).collect();
        let operation = Operation::Call(self.method.method.clone());
        let expected = Expected::Equals(suite::constant::Constant::Boolean(true));
        Some(Violation {
            contract: self.name.clone(),
            severity: Severity::Error,
            statements: vec![Statement { operation, args }],
            checks: vec![Check { after: next, subject: Subject::Result(next), expected }],
            must_throw: None,
            message: format!("{}: {} must hold after it, but gives false", self.subject, self.name),
            threw: None,
        })
    }

    fn holds(&self, session: &mut Session, args: &[u64], fuel: u64) -> Option<bool> {
        let mark = session.vm.mark();
        let outcome = session.call(&mut Plain, &self.method, args, fuel);
        session.vm.rollback(mark);
        match outcome {
            Outcome::Returned(Value::Int(said)) => Some(said != 0),
            Outcome::Returned(_) | Outcome::Threw(_) | Outcome::Stopped(_) => None,
        }
    }
}

fn parse_line(content: &str, line: usize) -> Result<Spec, String> {
    const FORM: &str = "write `pre com.acme.Account.withdraw(int) = com.acme.Specs.canWithdraw`";
    let (word, rest) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
    let when = match word {
        "pre" => When::Before,
        "post" => When::After,
        other => return Err(format!("`{other}` is neither `pre` nor `post`; {FORM}")),
    };
    let (subject, condition) =
        rest.split_once('=').ok_or_else(|| format!("there is no `=`; {FORM}"))?;
    let (subject, parameters) =
        subject.trim().strip_suffix(')').and_then(|subject| subject.split_once('(')).ok_or_else(
            || format!("`{}` has no parameters in parentheses; {FORM}", subject.trim()),
        )?;
    let condition = condition.trim();
    let (class, method) = condition
        .rsplit_once('.')
        .ok_or_else(|| format!("`{condition}` names no method of a class; {FORM}"))?;
    let is_name = |text: &str| {
        !text.is_empty()
            && text.split('.').all(|part| {
                let mut letters = part.chars();
                letters.next().is_some_and(|first| first.is_alphabetic() || "_$".contains(first))
                    && letters.all(|letter| letter.is_alphanumeric() || "_$".contains(letter))
            })
    };
    for name in [subject.trim(), condition] {
        if !is_name(name) {
            return Err(format!("`{name}` is no name of a method; {FORM}"));
        }
    }
    let parameters = match parameters.trim() {
        "" => Vec::new(),
        several => {
            several.split(',').map(|parameter| parameter.trim().replace("...", "[]")).collect()
        }
    };
    if let Some(bad) = parameters.iter().find(|name| !is_name(name.trim_end_matches("[]"))) {
        return Err(format!("`{bad}` is no type; write `int`, `String` or `java.util.List`"));
    }
    Ok(Spec {
        line,
        when,
        subject: subject.trim().to_owned(),
        parameters,
        class: class.to_owned(),
        method: method.to_owned(),
        bound: None,
    })
}

fn bind(session: &mut Session, spec: &Spec) -> Result<Condition, String> {
    let (class, subject) = subject(session, spec)?;
    let mut wanted = Vec::new();
    if subject.has_receiver() {
        wanted.push(Type::Class(session.vm.class(class).name.to_string().into()));
    }
    wanted.extend(subject.parameters.iter().cloned());
    if spec.when == When::After && subject.result() != Type::Void {
        wanted.push(subject.result());
    }
    let holder = class_of(session, &spec.class).map_err(|problem| problem.to_string())?;
    let own = session.vm.class(holder).clone();
    for method in own.methods.iter().filter(|method| method.is_static() && !method.is_private()) {
        if method.name.as_bytes() != spec.method.as_bytes() {
            continue;
        }
        let descriptor = method.descriptor.to_string();
        let Some((parameters, Type::Boolean)) = signature(&descriptor) else { continue };
        if parameters.len() != wanted.len() {
            continue;
        }
        let mut fits = true;
        for (parameter, value) in parameters.iter().zip(&wanted) {
            fits &= is_assignable(session, value, parameter);
        }
        if !fits {
            continue;
        }
        let named = Method::new(&own.name.to_string(), &spec.method, &descriptor, true);
        let named = named.ok_or_else(|| format!("{descriptor} is malformed"))?;
        let method = session.resolve(&Arc::new(named)).map_err(|problem| problem.to_string())?;
        let name = format!("{}.{}", spec.class, spec.method).into();
        return Ok(Condition { method, name, subject: Arc::new(subject) });
    }
    let parameters: Vec<String> = wanted.iter().map(Type::to_string).collect();
    Err(format!(
        "{} has no method `static boolean {}({})`; add it, or name another",
        spec.class,
        spec.method,
        parameters.join(", ")
    ))
}

/// The method that a condition is about: of the class, or inherited.
fn subject(session: &mut Session, spec: &Spec) -> Result<(ClassId, Method), String> {
    let as_constructor = class_of(session, &spec.subject).ok();
    let (class, name) = match as_constructor {
        Some(class) => (class, "<init>"),
        None => {
            let (class, name) = spec.subject.rsplit_once('.').ok_or_else(|| {
                format!("there is no class {}; write it with its package", spec.subject)
            })?;
            (class_of(session, class).map_err(|problem| problem.to_string())?, name)
        }
    };
    let vm = &session.vm;
    let of_class = vm.class(class);
    let holders =
        of_class.supers.iter().rev().chain(of_class.all_interfaces.iter()).chain([&class]);
    for &holder in holders {
        if name == "<init>" && holder != class {
            continue;
        }
        for method in &vm.class(holder).methods {
            if let Some(found) = named(vm, class, method, name, &spec.parameters) {
                return Ok((class, found));
            }
        }
    }
    Err(format!(
        "there is no {}({}); write the types of its parameters as it declares them",
        spec.subject,
        spec.parameters.join(", ")
    ))
}

fn named(
    vm: &Vm,
    class: ClassId,
    method: &vm::class::Method,
    name: &str,
    parameters: &[String],
) -> Option<Method> {
    if method.name.as_bytes() != name.as_bytes() {
        return None;
    }
    let descriptor = method.descriptor.to_string();
    let class = vm.class(class).name.to_string();
    let found = Method::new(&class, name, &descriptor, method.is_static())?;
    let is_same = |(of, written): (&Type, &String)| {
        let full = of.to_string().replace('$', ".");
        let written = written.replace('$', ".");
        full == written || full.ends_with(&format!(".{written}"))
    };
    let fits = found.parameters.len() == parameters.len()
        && found.parameters.iter().zip(parameters).all(is_same);
    (fits && (found.dispatch != Dispatch::Constructor || name == "<init>")).then_some(found)
}

fn is_assignable(session: &mut Session, value: &Type, parameter: &Type) -> bool {
    if value == parameter {
        return true;
    }
    if !value.is_reference() || !parameter.is_reference() {
        return false;
    }
    match (session.class_of_type(value), session.class_of_type(parameter)) {
        (Ok(value), Ok(parameter)) => session.vm.is_subtype(value, parameter),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::Specs;

    #[test]
    fn comments_and_empty_lines_say_nothing() {
        let text =
            "\n# all of it\n  pre a.B.c(int, String...) = a.S.ok # why\npost a.B() = a.S.made\n";
        let specs = Specs::parse(text).expect("well formed");
        assert_eq!(specs.all.len(), 2);
        assert_eq!(specs.all[0].line, 3);
        assert_eq!(specs.all[0].parameters, ["int", "String[]"]);
        assert_eq!((specs.all[1].subject.as_str(), specs.all[1].parameters.len()), ("a.B", 0));
    }

    #[test]
    fn what_is_malformed_is_named_with_its_line() {
        for (text, wanted) in [
            ("\nrequires a.B.c() = a.S.ok", "line 2: `requires` is neither `pre` nor `post`"),
            ("pre a.B.c()", "line 1: there is no `=`"),
            ("pre a.B.c = a.S.ok", "line 1: `a.B.c` has no parameters in parentheses"),
            ("pre a.B.c() = ok", "line 1: `ok` names no method of a class"),
            ("pre a.B.2() = a.S.ok", "line 1: `a.B.2` is no name of a method"),
            ("pre a.B.c(int x) = a.S.ok", "line 1: `int x` is no type"),
            ("pre", "line 1: there is no `=`"),
        ] {
            let error = Specs::parse(text).expect_err(text).to_string();
            assert!(error.starts_with(wanted), "{error}");
            assert!(error.contains("write `"), "{error}");
        }
    }
}
