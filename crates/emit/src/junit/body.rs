//! The body of one test: statements in order, each followed by its checks.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use suite::constant::Constant;
use suite::java_type::{JavaType, TypeArg};
use suite::method::{Dispatch, Method};
use suite::sequence::{Arg, Operation};
use suite::test::Test;
use suite::types::Type;

use super::Framework;
use super::facts::Place;
use super::literal::{bare_literal, fits_class_file, literal};
use super::naming::{Variables, is_identifier};
use super::plan::{Plan, Role, plan, resolve_statement};
use super::resolve::{Form, Operand, Resolved, is_inner};
use super::scope::Scope;
use super::typing::{Fit, World};

/// Why a test cannot be written in Java.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inexpressible {
    /// What stands in the way.
    pub reason: String,
}

impl fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Inexpressible {}

pub(crate) fn cannot<T>(reason: impl Into<String>) -> Result<T, Inexpressible> {
    Err(Inexpressible { reason: reason.into() })
}

/// What a test method must declare to throw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Declares {
    Nothing,
    Exception,
    Throwable,
}

/// A piece of Java that gives a value.
#[derive(Debug, Clone)]
pub(crate) struct Expression {
    pub(crate) text: String,
    /// Whether a dot may follow it.
    pub(crate) is_primary: bool,
}

impl Expression {
    fn primary(text: String) -> Expression {
        Expression { text, is_primary: true }
    }

    /// The text, in parentheses if a dot could not follow it otherwise.
    pub(crate) fn before_dot(&self) -> String {
        if self.is_primary { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// One test while it is written.
pub(crate) struct Body<'b, 'w> {
    pub(crate) scope: &'b mut Scope<'w>,
    pub(crate) world: &'w World<'w>,
    pub(crate) framework: Framework,
    pub(crate) test: &'b Test,
    pub(crate) plan: Plan,
    pub(crate) variables: Variables,
    /// The variable of each statement that has one.
    names: Vec<String>,
    pub(crate) lines: Vec<String>,
    pub(crate) declares: Declares,
}

/// The lines of a test's body, and what it must declare.
pub(crate) fn body<'b, 'w>(
    scope: &'b mut Scope<'w>,
    framework: Framework,
    taken: &BTreeSet<String>,
    test: &'b Test,
) -> Result<(Vec<String>, Declares), Inexpressible> {
    let world = scope.world;
    let mut body = Body {
        plan: plan(world, test),
        variables: Variables::new(taken),
        names: vec![String::new(); test.sequence.len()],
        lines: Vec::new(),
        declares: Declares::Nothing,
        scope,
        world,
        framework,
        test,
    };
    for idx in 0..test.sequence.len() {
        body.statement(idx)?;
        let mut is_first = true;
        for check in test.checks.iter().filter(|check| check.after.idx() == idx) {
            body.check(check, is_first)?;
            is_first = false;
        }
    }
    let lines = body.lines.iter().flat_map(|text| text.split('\n')).map(str::to_owned).collect();
    Ok((lines, body.declares))
}

impl Body<'_, '_> {
    fn statement(&mut self, idx: usize) -> Result<(), Inexpressible> {
        match self.plan.roles[idx] {
            Role::InStatement | Role::InCheck | Role::Left => {}
            Role::Plain => {
                let text = self.expression(idx)?.text;
                self.lines.push(format!("{text};"));
            }
            Role::Named => {
                let text = self.expression(idx)?.text;
                let own = self.plan.types[idx].clone();
                let name = self.variables.name(&own);
                let own = self.scope.java_type(&own);
                self.lines.push(format!("{own} {name} = {text};"));
                self.names[idx] = name;
            }
            Role::Throws => self.throwing(idx)?,
            Role::MustEnd => self.ending(idx)?,
        }
        Ok(())
    }

    /// The value that a statement gives, where it is used.
    pub(crate) fn value(&mut self, idx: usize) -> Result<Expression, Inexpressible> {
        match self.plan.roles.get(idx) {
            Some(Role::InStatement | Role::InCheck) => self.expression(idx),
            Some(Role::Named) => Ok(Expression::primary(self.names[idx].clone())),
            _ => cannot("a result is used that no statement gives"),
        }
    }

    /// What a statement does, as an expression.
    pub(crate) fn expression(&mut self, idx: usize) -> Result<Expression, Inexpressible> {
        let test = self.test;
        let statement = &test.sequence.statements()[idx];
        match &statement.operation {
            Operation::Array(element) => self.array(element, &statement.args),
            Operation::StandIn(stand_in) => {
                let own = self.plan.types[idx].clone();
                self.stand_in(stand_in, &own)
            }
            Operation::Call(method) => {
                let Some(call) = resolve_statement(self.world, test, &self.plan, idx) else {
                    return cannot("a call without a method");
                };
                let is_lambda = match self.plan.roles[idx] {
                    Role::Throws => true,
                    Role::MustEnd => self.framework == Framework::JUnit5,
                    _ => false,
                };
                if !is_lambda {
                    self.declare(method, &call, None);
                }
                let mut args: Vec<&Arg> = statement.args.iter().collect();
                if call.spreads
                    && let Some(Arg::Var(last)) = args.pop()
                {
                    args.extend(&test.sequence.statements()[last.idx()].args);
                }
                let class_args = self.plan.class_args[idx].clone();
                self.call(method, &call, &args, &class_args)
            }
        }
    }

    /// A call with its receiver and arguments.
    pub(crate) fn call(
        &mut self,
        method: &Arc<Method>,
        call: &Resolved,
        args: &[&Arg],
        class_args: &[TypeArg],
    ) -> Result<Expression, Inexpressible> {
        if let Some(facts) = &call.facts {
            if !self.world.can_call(&call.declared_in, facts) {
                return cannot(format!("{method} cannot be called from the test's package"));
            }
            self.scope.warn_of(facts.deprecation);
        }
        if call.is_unchecked {
            self.scope.warn("unchecked");
        }
        let n_ahead = args.len() - call.args.len();
        let mut ahead = None;
        if let [first, ..] = &args[..n_ahead] {
            let form = Form { cast: call.receiver.clone(), via: None, keeps_box: true };
            ahead = Some(self.argument(first, &form)?.before_dot());
        }
        let mut passed = Vec::new();
        for (arg, form) in args[n_ahead..].iter().zip(&call.args) {
            passed.push(self.argument(arg, form)?.text);
        }
        let passed = passed.join(", ");
        if method.dispatch != Dispatch::Constructor && !is_identifier(&method.name) {
            return cannot(format!("`{}` is no name in Java", method.name));
        }
        let class = self.world.class(&method.class);
        if method.is_constructor() && class.is_some_and(|facts| facts.is_abstract) {
            return cannot(format!("{method} cannot be instantiated"));
        }
        let name = &method.name;
        Ok(Expression::primary(match (method.dispatch, ahead) {
            (Dispatch::Constructor, None) => {
                let class = self.nameable_class(&method.class)?;
                if class_args.is_empty() && self.world.is_generic(&method.class) {
                    self.scope.warn("rawtypes");
                }
                let diamond = if class_args.is_empty() { "" } else { "<>" };
                format!("new {class}{diamond}({passed})")
            }
            (Dispatch::Constructor, Some(outer)) => {
                self.nameable_class(&method.class)?;
                let facts = self.world.class(&method.class).filter(|facts| is_inner(facts));
                let Some(Place::Member { name, .. }) = facts.map(|facts| facts.place.clone())
                else {
                    return cannot(format!("{} is no inner class", method.class));
                };
                let diamond = if class_args.is_empty() { "" } else { "<>" };
                format!("{outer}.new {name}{diamond}({passed})")
            }
            (Dispatch::Instance, Some(receiver)) => format!("{receiver}.{name}({passed})"),
            (Dispatch::Static, _) | (Dispatch::Instance, None) => {
                format!("{}.{name}({passed})", self.nameable_class(&method.class)?)
            }
        }))
    }

    /// An argument in a form that a call wants.
    fn argument(&mut self, arg: &Arg, form: &Form) -> Result<Expression, Inexpressible> {
        let plain = match arg {
            Arg::Var(var) => self.value(var.idx())?,
            Arg::Constant(Constant::Boxed(inner)) if form.keeps_box => {
                self.boxed_constant(inner)?
            }
            Arg::Constant(constant) => self.constant(constant)?,
        };
        let Some(cast) = &form.cast else { return Ok(plain) };
        let own = match arg {
            Arg::Var(var) => self.plan.types[var.idx()].clone(),
            Arg::Constant(constant) => Operand::Constant(constant.clone()).plain_type(),
        };
        // The test is about what happens where it is not of this type.
        let is_refused = form.via.is_none() && self.world.refuses_cast(&own, cast);
        let plain = match &form.via {
            Some(via) => self.cast(via, &plain)?,
            None if is_refused => self.cast(&JavaType::object(), &plain)?,
            None => plain,
        };
        self.cast(cast, &plain)
    }

    /// An expression cast to a type.
    pub(crate) fn cast(
        &mut self,
        to: &JavaType,
        of: &Expression,
    ) -> Result<Expression, Inexpressible> {
        if let Some(name) = self.world.class_of(to)
            && !self.world.can_name(name)
        {
            return cannot(format!(
                "{} cannot be named in the test's package",
                name.replace('/', ".")
            ));
        }
        let to = self.scope.java_type(to);
        let of = if of.text.starts_with('-') { format!("({})", of.text) } else { of.text.clone() };
        Ok(Expression { text: format!("({to}) {of}"), is_primary: false })
    }

    /// A constant as an expression; boxed ones without their box.
    pub(crate) fn constant(&mut self, constant: &Constant) -> Result<Expression, Inexpressible> {
        match constant {
            Constant::Boxed(inner) => self.constant(inner),
            Constant::Enum { class, name } => {
                if !is_identifier(name) {
                    return cannot(format!("`{name}` is no name in Java"));
                }
                Ok(Expression::primary(format!("{}.{name}", self.nameable_class(class)?)))
            }
            Constant::Class(of) => Ok(Expression::primary(format!("{}.class", self.erased(of)?))),
            Constant::Text(units) if !fits_class_file(units) => {
                cannot("a string is longer than a class file can hold")
            }
            plain => {
                let text = self.with_box(constant, literal(plain).unwrap_or_default());
                let is_primary = !text.starts_with(['(', '-']);
                Ok(Expression { text, is_primary })
            }
        }
    }

    /// A boxed constant with its box: `Integer.valueOf(1)`.
    pub(crate) fn boxed_constant(&mut self, inner: &Constant) -> Result<Expression, Inexpressible> {
        let Some(class) = inner.box_class() else { return self.constant(inner) };
        let inner = self.constant(inner)?.text;
        Ok(Expression::primary(format!("{}.valueOf({inner})", self.scope.class(class))))
    }

    /// Literals such as `Integer.MIN_VALUE` use the name of their box, which may need its package.
    pub(crate) fn with_box(&mut self, constant: &Constant, text: String) -> String {
        match (constant.box_class(), text.split_once('.')) {
            (Some(class), Some((name, member))) if class.ends_with(name) => {
                format!("{}.{member}", self.scope.class(class))
            }
            _ => text,
        }
    }

    /// A class as the file writes it.
    pub(crate) fn nameable_class(&mut self, name: &str) -> Result<String, Inexpressible> {
        if !self.world.can_name(name) {
            return cannot(format!(
                "{} cannot be named in the test's package",
                name.replace('/', ".")
            ));
        }
        if !name.split(['/', '$']).all(|part| part.is_empty() || is_part(part)) {
            return cannot(format!("`{name}` is no name in Java"));
        }
        Ok(self.scope.class(name))
    }

    /// An erased type as the file writes it, where no warning is due.
    pub(crate) fn erased(&mut self, of: &Type) -> Result<String, Inexpressible> {
        match of {
            Type::Class(name) => self.nameable_class(name),
            Type::Array(element) => Ok(format!("{}[]", self.erased(element)?)),
            primitive => Ok(primitive.to_string()),
        }
    }

    fn array(&mut self, element: &Type, args: &[Arg]) -> Result<Expression, Inexpressible> {
        let wanted = JavaType::of(element);
        if let Some(name) = self.world.class_of(&wanted) {
            self.nameable_class(&name.clone())?;
        }
        let mut elements = Vec::new();
        for arg in args {
            elements.push(match arg {
                Arg::Constant(constant) => match bare_literal(constant) {
                    Some(text) if !element.is_reference() => self.with_box(constant, text),
                    _ => self.constant(constant)?.text,
                },
                Arg::Var(var) => {
                    let value = self.value(var.idx())?;
                    let own = self.plan.types[var.idx()].clone();
                    if self.world.fit(&own, &wanted) == Fit::No {
                        self.cast(&wanted, &value)?.text
                    } else {
                        value.text
                    }
                }
            });
        }
        Ok(Expression { text: self.array_of(&wanted, &elements), is_primary: false })
    }

    /// A new array of these elements.
    pub(crate) fn array_of(&mut self, element: &JavaType, elements: &[String]) -> String {
        if !elements.is_empty() {
            let element = self.scope.java_type(element);
            return format!("new {element}[] {{{}}}", elements.join(", "));
        }
        let mut innermost = element;
        let mut behind = String::new();
        while let JavaType::Array(next) = innermost {
            behind.push_str("[]");
            innermost = next;
        }
        format!("new {}[0]{behind}", self.scope.java_type(innermost))
    }

    /// Notes what a call makes the test declare, except for what is caught around it.
    pub(crate) fn declare(&mut self, method: &Method, call: &Resolved, caught: Option<&str>) {
        match &call.facts {
            Some(facts) => self.declare_exceptions(&facts.exceptions, caught),
            None if method.declares_exceptions => {
                self.declares = self.declares.max(Declares::Exception);
            }
            None => {}
        }
    }

    /// As `declare`, for these exceptions.
    pub(crate) fn declare_exceptions(&mut self, exceptions: &[Arc<str>], caught: Option<&str>) {
        let of = |name: &str| {
            let is = |class: &str| self.world.is_subclass(name, class);
            if is("java/lang/RuntimeException") || is("java/lang/Error") || caught.is_some_and(&is)
            {
                Declares::Nothing
            } else if is("java/lang/Exception") {
                Declares::Exception
            } else {
                Declares::Throwable
            }
        };
        let needs = exceptions.iter().map(|name| of(name)).max();
        self.declares = self.declares.max(needs.unwrap_or(Declares::Nothing));
    }
}

fn is_part(text: &str) -> bool {
    // The parts behind `$` of nested classes may begin with a digit only where nobody can name them.
    is_identifier(text)
}
