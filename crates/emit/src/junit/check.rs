//! Checks and expected exceptions as assertions of the test framework.

use suite::constant::Constant;
use suite::java_type::{JavaType, OBJECT};
use suite::sequence::{Arg, Operation};
use suite::test::{Check, Expected, Subject};
use suite::types::Type;

use super::Framework;
use super::body::{Body, Expression, Inexpressible, cannot};
use super::literal::bare_literal;
use super::plan::{Role, nameable, resolve_statement};
use super::resolve::{Operand, resolve};
use super::typing::{boxed, unboxed};

/// How long a call may take that must come to its end.
pub(crate) const SECONDS_TO_END: u32 = 10;

impl Body<'_, '_> {
    /// Writes one check; the first one behind a statement may have to contain it.
    pub(crate) fn check(&mut self, check: &Check, is_first: bool) -> Result<(), Inexpressible> {
        let (actual, own) = match &check.subject {
            Subject::Result(var) => {
                let idx = var.idx();
                if self.plan.roles.get(idx) == Some(&Role::InCheck) && !is_first {
                    return cannot("a result is used that no statement gives");
                }
                (self.value(idx)?, self.plan.types[idx].clone())
            }
            Subject::Observer { receiver, method } => {
                let own = self.plan.types[receiver.idx()].clone();
                let call = resolve(self.world, method, &[Operand::Value(own)], &[], None);
                self.declare(method, &call, None);
                let receiver = Arg::Var(*receiver);
                let actual = self.call(method, &call, &[&receiver], &[])?;
                (actual, nameable(self.world, &call.result))
            }
        };
        match &check.expected {
            Expected::NotNull if !own.is_reference() => {
                // Nothing to check, but what is looked at must happen.
                if self.is_call(check) {
                    self.lines.push(format!("{};", actual.text));
                }
            }
            Expected::NotNull => self.assert("assertNotNull", &[actual.text]),
            Expected::Text(text) => {
                let expected = self.constant(text)?.text;
                let actual = actual.before_dot();
                self.assert("assertEquals", &[expected, format!("{actual}.toString()")]);
            }
            Expected::Same(other) => {
                let other = self.value(other.idx())?;
                let name = if own.is_reference() { "assertSame" } else { "assertEquals" };
                self.assert(name, &[other.text, actual.text]);
            }
            Expected::NotSame(other) => {
                let other = self.value(other.idx())?;
                if own.is_reference() {
                    self.assert("assertNotSame", &[other.text, actual.text]);
                } else {
                    let differ = format!("{} != {}", other.text, actual.text);
                    self.assert("assertTrue", &[differ]);
                }
            }
            Expected::EqualTo(other) => self.equal_to(other.idx(), &actual, &own)?,
            Expected::Equals(Constant::Null) => self.assert("assertNull", &[actual.text]),
            Expected::Equals(constant) if self.is_nameless(constant) => {
                self.assert("assertNotNull", &[actual.text]);
            }
            Expected::ArrayEquals(constants) if constants.iter().any(|it| self.is_nameless(it)) => {
                self.assert("assertNotNull", &[actual.text]);
            }
            Expected::Equals(constant) if own.is_reference() => {
                self.equal_reference(constant, &actual, &own)?;
            }
            Expected::Equals(constant) => self.equal_primitive(constant, &actual)?,
            Expected::ArrayEquals(constants) => self.equal_array(constants, &actual, &own)?,
        }
        Ok(())
    }

    /// Whether it is a constant whose type the test cannot name, such as a comparator of the JDK's own.
    fn is_nameless(&self, constant: &Constant) -> bool {
        matches!(constant, Constant::Enum { class, .. } if !self.world.can_name(class))
    }

    fn is_call(&self, check: &Check) -> bool {
        match &check.subject {
            Subject::Observer { .. } => true,
            Subject::Result(var) => self.plan.roles[var.idx()] == Role::InCheck,
        }
    }

    fn assert(&mut self, name: &str, args: &[String]) {
        match self.framework {
            Framework::JUnit5 => self.scope.static_import("org/junit/jupiter/api/Assertions", name),
            Framework::JUnit4 | Framework::JUnit4Before13 => {
                self.scope.static_import("org/junit/Assert", name);
            }
            Framework::JUnit3 => {}
        }
        self.lines.push(format!("{name}({});", args.join(", ")));
    }

    fn equal_primitive(
        &mut self,
        constant: &Constant,
        actual: &Expression,
    ) -> Result<(), Inexpressible> {
        let constant = match constant {
            Constant::Boxed(inner) => inner,
            other => other,
        };
        let actual = actual.text.clone();
        match constant {
            Constant::Boolean(true) => self.assert("assertTrue", &[actual]),
            Constant::Boolean(false) => self.assert("assertFalse", &[actual]),
            Constant::Float(_) | Constant::Double(_) => {
                let expected = self.constant(constant)?.text;
                match (self.framework, expected.as_str()) {
                    (Framework::JUnit5, _) => self.assert("assertEquals", &[expected, actual]),
                    // A difference of zero is no difference to these; `equals` tells them apart.
                    (_, "-0.0" | "-0.0f") => {
                        let expected = self.boxed_constant(constant)?.text;
                        let class = boxed(&Operand::Constant(constant.clone()).plain_type());
                        let class = self.scope.java_type(&class);
                        let actual = format!("{class}.valueOf({actual})");
                        self.assert("assertEquals", &[expected, actual]);
                    }
                    _ => {
                        let delta = self.delta(constant);
                        self.assert("assertEquals", &[expected, actual, delta]);
                    }
                }
            }
            _ => {
                // Small numbers widen to the `int` overload.
                let expected = match bare_literal(constant) {
                    Some(text) => self.with_box(constant, text),
                    None => self.constant(constant)?.text,
                };
                self.assert("assertEquals", &[expected, actual]);
            }
        }
        Ok(())
    }

    /// Compares with the result of another statement.
    fn equal_to(
        &mut self,
        other: usize,
        actual: &Expression,
        own: &JavaType,
    ) -> Result<(), Inexpressible> {
        let of_other = self.plan.types.get(other).cloned().unwrap_or_else(JavaType::object);
        let expected = self.value(other)?;
        let is_array = |of: &JavaType| matches!(of, JavaType::Array(_));
        let is_mixed = own.is_reference() != of_other.is_reference();
        if is_mixed || is_array(own) || is_array(&of_other) {
            // Only as objects can the two be compared without another overload being meant.
            let expected = self.cast(&JavaType::object(), &expected)?.text;
            let actual = self.cast(&JavaType::object(), actual)?.text;
            self.assert("assertEquals", &[expected, actual]);
            return Ok(());
        }
        let mut args = vec![expected.text, actual.text.clone()];
        if self.framework != Framework::JUnit5 {
            match (own, &of_other) {
                (JavaType::Primitive(Type::Double), _) | (_, JavaType::Primitive(Type::Double)) => {
                    args.push("0.0".to_owned());
                }
                (JavaType::Primitive(Type::Float), _) | (_, JavaType::Primitive(Type::Float)) => {
                    args.push("0.0f".to_owned());
                }
                _ => {}
            }
        }
        self.assert("assertEquals", &args);
        Ok(())
    }

    /// Writes the last statement of a test that is about its coming to an end. JUnit 4 watches the
    /// whole test, JUnit 3 cannot.
    pub(crate) fn ending(&mut self, idx: usize) -> Result<(), Inexpressible> {
        let text = self.expression(idx)?.text;
        match self.framework {
            Framework::JUnit5 => {
                let duration = self.scope.class("java/time/Duration");
                let limit = format!("{duration}.ofSeconds({SECONDS_TO_END})");
                self.assert("assertTimeoutPreemptively", &[limit, format!("() -> {text}")]);
            }
            Framework::JUnit4 | Framework::JUnit4Before13 => self.lines.push(format!("{text};")),
            Framework::JUnit3 => {
                self.lines.push("// This call does not come to an end.".to_owned());
                self.lines.push(format!("{text};"));
            }
        }
        Ok(())
    }

    fn delta(&self, constant: &Constant) -> String {
        if matches!(constant, Constant::Float(_)) { "0.0f" } else { "0.0" }.to_owned()
    }

    fn equal_reference(
        &mut self,
        constant: &Constant,
        actual: &Expression,
        own: &JavaType,
    ) -> Result<(), Inexpressible> {
        let primitive = match constant {
            Constant::Boxed(inner) => Some(&**inner),
            plain => plain.box_class().is_some().then_some(plain),
        };
        let natural = boxed(&Operand::Constant(constant.clone()).plain_type());
        if unboxed(own).is_some() && natural != *own {
            // Only as objects can the two be compared at all.
            let actual = self.cast(&JavaType::object(), actual)?.text;
            let expected = self.constant(constant)?.text;
            self.assert("assertEquals", &[expected, actual]);
            return Ok(());
        }
        let actual = actual.text.clone();
        let expected = match (primitive, unboxed(own)) {
            (Some(Constant::Boolean(value)), Some(Type::Boolean)) => {
                let name = if *value { "assertTrue" } else { "assertFalse" };
                self.assert(name, &[actual]);
                return Ok(());
            }
            // Between the overloads for numbers and objects, older frameworks cannot choose.
            (Some(inner), Some(_)) if self.framework != Framework::JUnit5 => {
                self.boxed_constant(inner)?
            }
            _ => self.constant(constant)?,
        };
        self.assert("assertEquals", &[expected.text, actual]);
        Ok(())
    }

    fn equal_array(
        &mut self,
        constants: &[Constant],
        actual: &Expression,
        own: &JavaType,
    ) -> Result<(), Inexpressible> {
        let element = match own {
            JavaType::Array(element) => (**element).clone(),
            _ => match constants.first() {
                None => {
                    let array = self.scope.class("java/lang/reflect/Array");
                    let length = format!("{array}.getLength({})", actual.text);
                    self.assert("assertEquals", &["0".to_owned(), length]);
                    return Ok(());
                }
                Some(constant) => match constant.natural_type() {
                    Some(found) if !found.is_reference() => JavaType::of(&found),
                    _ => JavaType::object(),
                },
            },
        };
        let actual = match own {
            JavaType::Array(_) => actual.clone(),
            _ => self.cast(&JavaType::Array(Box::new(element.clone())), actual)?,
        };
        let mut elements = Vec::new();
        for constant in constants {
            elements.push(match bare_literal(constant) {
                Some(text) if !element.is_reference() => self.with_box(constant, text),
                _ => self.constant(constant)?.text,
            });
        }
        let expected = self.expected_array(&element, &elements);
        let is_decimal = matches!(element, JavaType::Primitive(Type::Float | Type::Double));
        match self.framework {
            Framework::JUnit5 => self.assert("assertArrayEquals", &[expected, actual.text]),
            Framework::JUnit4 | Framework::JUnit4Before13 if !is_decimal => {
                self.assert("assertArrayEquals", &[expected, actual.text]);
            }
            _ => {
                let arrays = self.scope.class("java/util/Arrays");
                let condition = format!("{arrays}.equals({expected}, {})", actual.text);
                self.assert("assertTrue", &[condition]);
            }
        }
        Ok(())
    }

    /// An array to compare with: of the same elements, since that of a class nobody may name, or of a
    /// generic one, would not compile or be warned of.
    fn expected_array(&mut self, element: &JavaType, elements: &[String]) -> String {
        let is_plain = match self.world.class_of(element) {
            Some(name) => self.world.can_name(name) && !self.world.is_generic(name),
            None => true,
        };
        let object = JavaType::object();
        self.array_of(if is_plain { element } else { &object }, elements)
    }

    /// Writes the last statement of a test that ends with an exception.
    pub(crate) fn throwing(&mut self, idx: usize) -> Result<(), Inexpressible> {
        let test = self.test;
        let statement = &test.sequence.statements()[idx];
        let (Operation::Call(method), Some(throws)) = (&statement.operation, &test.throws) else {
            return cannot("only a call can throw");
        };
        let text = self.expression(idx)?.text;
        let thrown = match nameable(self.world, &JavaType::class(&throws.class)) {
            JavaType::Class(class) if *class.name != *OBJECT => class.name,
            _ => "java/lang/Throwable".into(),
        };
        let class = self.scope.class(&thrown);
        let lambda = format!("() -> {text}");
        if matches!(self.framework, Framework::JUnit5 | Framework::JUnit4) {
            let literal = format!("{class}.class");
            self.assert("assertThrows", &[literal, lambda]);
            if let Some(message) = &throws.message {
                let Some(assertion) = self.lines.pop() else { return Ok(()) };
                let name = self.variables.unique("exception");
                self.lines.push(format!("{class} {name} = {assertion}"));
                self.message(message.as_deref(), &name)?;
            }
            return Ok(());
        }
        let Some(call) = resolve_statement(self.world, test, &self.plan, idx) else {
            return cannot("only a call can throw");
        };
        let declared: Vec<_> = call.facts.iter().flat_map(|facts| &facts.exceptions).collect();
        let is = |class: &str| self.world.is_subclass(&thrown, class);
        let is_unchecked = is("java/lang/RuntimeException") || is("java/lang/Error");
        let is_root = matches!(&*thrown, "java/lang/Exception" | "java/lang/Throwable");
        let is_declared = declared.iter().any(|declared| {
            self.world.is_subclass(declared, &thrown) || self.world.is_subclass(&thrown, declared)
        });
        let can_catch = is_unchecked || is_root || is_declared;
        let caught = if can_catch { thrown.to_string() } else { "java/lang/Exception".to_owned() };
        self.declare(method, &call, Some(&caught));
        let name = self.variables.unique("expected");
        let catch = self.scope.class(&caught);
        // `fail` must not be caught by what it guards.
        let fails_inside = !["java/lang/AssertionError", "junit/framework/AssertionFailedError"]
            .iter()
            .any(|failure| self.world.is_subclass(failure, &caught));
        let mut behind = String::new();
        if fails_inside {
            self.lines.push("try {".to_owned());
            self.lines.push(format!("    {text};"));
            let at = self.lines.len();
            self.assert("fail", &[format!("\"expected {class}\"")]);
            self.indent_from(at);
            self.lines.push(format!("}} catch ({catch} {name}) {{"));
        } else {
            let throwable = self.scope.class("java/lang/Throwable");
            let thrown = self.variables.unique("thrown");
            self.lines.push(format!("{throwable} {thrown} = null;"));
            self.lines.push("try {".to_owned());
            self.lines.push(format!("    {text};"));
            self.lines.push(format!("}} catch ({catch} {name}) {{"));
            self.lines.push(format!("    {thrown} = {name};"));
            behind = thrown;
        }
        let at = self.lines.len();
        if !can_catch {
            self.assert("assertTrue", &[format!("{name} instanceof {class}")]);
        }
        match &throws.message {
            Some(message) => self.message(message.as_deref(), &name)?,
            None if can_catch && behind.is_empty() => {
                self.lines.push("// As expected.".to_owned());
            }
            None => {}
        }
        self.indent_from(at);
        self.lines.push("}".to_owned());
        if !behind.is_empty() {
            self.assert("assertNotNull", &[behind]);
        }
        Ok(())
    }

    fn indent_from(&mut self, at: usize) {
        for line in &mut self.lines[at..] {
            *line = format!("    {line}");
        }
    }

    fn message(&mut self, message: Option<&str>, exception: &str) -> Result<(), Inexpressible> {
        let actual = format!("{exception}.getMessage()");
        match message {
            None => self.assert("assertNull", &[actual]),
            Some(text) => {
                let expected = self.constant(&Constant::text(text))?.text;
                self.assert("assertEquals", &[expected, actual]);
            }
        }
        Ok(())
    }
}
