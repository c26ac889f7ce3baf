//! What becomes of each statement of a test: a variable, a plain call, or part of another expression; and
//! the types of the variables.
//!
//! Type arguments are chosen per variable: those that its uses tell, else `Object`, else none at all. A use
//! that does not compile moves the variables it names one step down, and the test is looked at again.

use std::collections::BTreeMap;
use std::sync::Arc;

use suite::java_type::{ClassType, JavaType, TypeArg, TypeParameter, substitute, substitution};
use suite::method::Method;
use suite::sequence::{Arg, Operation, Statement, Var};
use suite::test::{Check, Expected, Subject, Test};
use suite::types::Type;

use super::resolve::{Operand, Resolved, resolve};
use super::stand_in;
use super::typing::{Fit, Hints, World, boxed};

/// What becomes of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A variable holds its result.
    Named,
    /// Its result is not used.
    Plain,
    /// It is written where its result is used, in another statement.
    InStatement,
    /// It is written in the first check behind it.
    InCheck,
    /// It does nothing that anybody sees.
    Left,
    /// It throws.
    Throws,
    /// It must come to its end, which is what the test is about.
    MustEnd,
}

/// A test, ready to be written.
pub(crate) struct Plan {
    pub(crate) roles: Vec<Role>,
    /// The static types of the results.
    pub(crate) types: Vec<JavaType>,
    /// The type arguments of new objects.
    pub(crate) class_args: Vec<Vec<TypeArg>>,
}

/// How many steps down the choice of type arguments can go.
const RAW: u8 = 2;

/// Plans a test.
pub(crate) fn plan(world: &World<'_>, test: &Test) -> Plan {
    let roles = roles(world, test);
    let mut steps = vec![0; test.sequence.len()];
    loop {
        let (plan, mut to_lower) = typed(world, test, &roles, &steps);
        // One step at a time, however many uses ask for it.
        to_lower.sort_unstable();
        to_lower.dedup();
        let mut has_lowered = false;
        for idx in to_lower {
            let can_be_lower = steps[idx] < RAW && plan.types[idx].has_args();
            if can_be_lower {
                steps[idx] += 1;
                has_lowered = true;
            }
        }
        if !has_lowered {
            return plan;
        }
    }
}

/// The call of a statement, as it will be written.
pub(crate) fn resolve_statement(
    world: &World<'_>,
    test: &Test,
    plan: &Plan,
    idx: usize,
) -> Option<Resolved> {
    let statements = test.sequence.statements();
    let statement = statements.get(idx)?;
    let method = statement.method()?;
    let operands = operands(&statement.args, &plan.types);
    let elements = match statement.args.last() {
        Some(Arg::Var(last)) if plan.roles[last.idx()] == Role::InStatement => {
            let array = &statements[last.idx()];
            matches!(array.operation, Operation::Array(_))
                .then(|| self::operands(&array.args, &plan.types))
        }
        _ => None,
    };
    let args = plan.class_args.get(idx).map_or(&[][..], |args| args);
    Some(resolve(world, method, &operands, args, elements.as_deref()))
}

/// Arguments with their static types.
pub(crate) fn operands(args: &[Arg], types: &[JavaType]) -> Vec<Operand> {
    let operand = |arg: &Arg| match arg {
        Arg::Constant(constant) => Operand::Constant(constant.clone()),
        Arg::Var(var) => {
            Operand::Value(types.get(var.idx()).cloned().unwrap_or_else(JavaType::object))
        }
    };
    args.iter().map(operand).collect()
}

/// The types that follow from the steps, and the statements whose type arguments turned out not to fit.
fn typed(world: &World<'_>, test: &Test, roles: &[Role], steps: &[u8]) -> (Plan, Vec<usize>) {
    let mut plan = Plan { roles: roles.to_vec(), types: Vec::new(), class_args: Vec::new() };
    let mut to_lower = Vec::new();
    for (idx, statement) in test.sequence.statements().iter().enumerate() {
        if let Operation::StandIn(stand_in) = &statement.operation {
            let args = class_args(world, test, idx, &stand_in.of, steps[idx], &plan.types);
            let own = ClassType { name: stand_in.of.clone(), args };
            if !stand_in::fits(world, &own, &stand_in.behaviour) {
                to_lower.push(idx);
            }
            plan.types.push(JavaType::Class(own));
            plan.class_args.push(Vec::new());
            continue;
        }
        let Operation::Call(method) = &statement.operation else {
            plan.types.push(JavaType::of(&statement.result()));
            plan.class_args.push(Vec::new());
            continue;
        };
        let class_args = if method.is_constructor() {
            class_args(world, test, idx, &method.class, steps[idx], &plan.types)
        } else {
            Vec::new()
        };
        plan.class_args.push(class_args);
        let Some(call) = resolve_statement(world, test, &plan, idx) else { continue };
        for position in &call.misfits {
            if let Some(Arg::Var(var)) = statement.args.get(*position) {
                to_lower.push(var.idx());
            }
            // A new object has its own type arguments to change.
            if method.is_constructor() {
                to_lower.push(idx);
            }
        }
        let result = if steps[idx] == RAW { raw(call.result) } else { call.result };
        plan.types.push(nameable(world, &result));
    }
    for check in &test.checks {
        to_lower.extend(contradicted(world, test, check, &plan.types));
    }
    (plan, to_lower)
}

/// The receiver whose type arguments promise something else than a check expects.
fn contradicted(
    world: &World<'_>,
    test: &Test,
    check: &Check,
    types: &[JavaType],
) -> Option<usize> {
    let (Subject::Result(var), Expected::Equals(constant)) = (&check.subject, &check.expected)
    else {
        return None;
    };
    let own = boxed(&Operand::Constant(constant.clone()).plain_type());
    let seen = boxed(types.get(var.idx())?);
    if world.fit(&own, &seen) != Fit::No || world.fit(&seen, &own) != Fit::No {
        return None;
    }
    match test.sequence.statements().get(var.idx())?.args.first()? {
        Arg::Var(receiver) => Some(receiver.idx()),
        Arg::Constant(_) => None,
    }
}

/// The type arguments of a new object.
fn class_args(
    world: &World<'_>,
    test: &Test,
    idx: usize,
    class: &Arc<str>,
    step: u8,
    types: &[JavaType],
) -> Vec<TypeArg> {
    let Some(facts) = world.class(class) else { return Vec::new() };
    let parameters = &facts.type_parameters;
    if parameters.is_empty() || step == RAW || world.is_inner_of_generic(&facts) {
        return Vec::new();
    }
    let mut hints = BTreeMap::new();
    if step == 0 {
        let own =
            |parameter: &TypeParameter| TypeArg::Exact(JavaType::Variable(parameter.name.clone()));
        let itself = ClassType { name: class.clone(), args: parameters.iter().map(own).collect() };
        let statements = test.sequence.statements();
        let mut passed = Vec::new();
        for (at, statement) in statements.iter().enumerate().skip(idx) {
            collect_uses(world, &mut hints, &itself, parameters, idx, (at, statement), types);
            collect_results(world, &mut hints, &itself, parameters, idx, (at, statement), test);
            collect_passed(world, &mut passed, &itself, parameters, idx, statement, types);
        }
        let told: Vec<Arc<str>> = hints.keys().cloned().collect();
        for (name, wanted, is_exact) in passed {
            let own = hints.entry(name.clone()).or_default();
            // What is done with an object says more than where it goes; a stand-in only goes somewhere.
            let is_open = is_stand_in(&statements[idx]) || !told.contains(&name);
            let takes_all = |own: &Hints| {
                let fits = |one: &JavaType| world.fit(one, &wanted) == Fit::Yes;
                is_exact && own.exact.is_empty() && own.at_least.iter().all(fits)
            };
            if is_open || takes_all(own) {
                own.exact.push(wanted);
            }
        }
    } else {
        for parameter in parameters {
            let object = Hints { exact: vec![JavaType::object()], at_least: Vec::new() };
            hints.insert(parameter.name.clone(), object);
        }
    }
    let chosen =
        world.solve(parameters, &hints).or_else(|| world.solve(parameters, &BTreeMap::new()));
    let Some(chosen) = chosen else { return Vec::new() };
    parameters.iter().filter_map(|parameter| chosen.get(&parameter.name).cloned()).collect()
}

/// What the arguments of a call on a new object, or of its creation, tell of its type arguments.
fn collect_uses(
    world: &World<'_>,
    hints: &mut BTreeMap<Arc<str>, Hints>,
    itself: &ClassType,
    parameters: &[TypeParameter],
    idx: usize,
    (at, statement): (usize, &Statement),
    types: &[JavaType],
) {
    let Some(method) = statement.method() else { return };
    let is_receiver =
        method.has_receiver() && statement.args.first() == Some(&Arg::Var(var_at(idx)));
    if at != idx && !is_receiver {
        return;
    }
    let Some((declaring, facts)) = world.find_method(itself, &method.name, &method.parameters)
    else {
        return;
    };
    let of_class = world.class(&declaring.name);
    let of_class = of_class.as_ref().map_or(&[][..], |class| &class.type_parameters);
    let with = substitution(of_class, &declaring.args);
    let passed = statement.args.iter().skip(usize::from(is_receiver));
    for (arg, formal) in passed.zip(&facts.parameters) {
        if formal.mentions(&facts.type_parameters) {
            continue;
        }
        let own = match arg {
            Arg::Constant(constant) => Operand::Constant(constant.clone()).plain_type(),
            // Results behind the new object have no type yet.
            Arg::Var(var) => types.get(var.idx()).cloned().unwrap_or(JavaType::Null),
        };
        let is_known = match world.class_of(&own) {
            Some(name) => world.can_name(name),
            None => true,
        };
        if is_known {
            world.collect(hints, parameters, &substitute(formal, &with), &own);
        }
    }
}

/// What the parameters to which a new object is passed tell of its type arguments: which parameter, what it
/// should be, and whether nothing else will do.
fn collect_passed(
    world: &World<'_>,
    passed: &mut Vec<(Arc<str>, JavaType, bool)>,
    itself: &ClassType,
    parameters: &[TypeParameter],
    idx: usize,
    statement: &Statement,
    types: &[JavaType],
) {
    let Some(method) = statement.method() else { return };
    let raw = ClassType { name: method.class.clone(), args: Vec::new() };
    let n_ahead = usize::from(method.has_receiver());
    let owner = match (method.has_receiver(), statement.args.first()) {
        (true, Some(Arg::Var(receiver))) => match types.get(receiver.idx()) {
            Some(JavaType::Class(class)) => class.clone(),
            _ => raw,
        },
        _ => raw,
    };
    let Some((declaring, facts)) = world.find_method(&owner, &method.name, &method.parameters)
    else {
        return;
    };
    let of_class = world.class(&declaring.name);
    let of_class = of_class.as_ref().map_or(&[][..], |class| &class.type_parameters);
    let with = substitution(of_class, &declaring.args);
    let unknown: Vec<TypeParameter> =
        facts.type_parameters.iter().chain(of_class).cloned().collect();
    for (arg, formal) in statement.args.iter().skip(n_ahead).zip(&facts.parameters) {
        let JavaType::Class(formal) = substitute(formal, &with) else { continue };
        if *arg != Arg::Var(var_at(idx)) {
            continue;
        }
        let Some(seen) = world.as_super(itself, &formal.name) else { continue };
        for (own, arg) in seen.args.iter().zip(&formal.args) {
            let (
                TypeArg::Exact(JavaType::Variable(own)),
                TypeArg::Exact(wanted) | TypeArg::Extends(wanted) | TypeArg::Super(wanted),
            ) = (own, arg)
            else {
                continue;
            };
            let is_own = parameters.iter().any(|parameter| parameter.name == *own);
            if is_own && !wanted.mentions(&unknown) && can_write(world, wanted) {
                let is_exact = matches!(arg, TypeArg::Exact(_));
                passed.push((own.clone(), wanted.clone(), is_exact));
            }
        }
    }
}

fn is_stand_in(statement: &Statement) -> bool {
    matches!(statement.operation, Operation::StandIn(_))
}

/// What the checks of a result tell of the type arguments of the object that gave it.
fn collect_results(
    world: &World<'_>,
    hints: &mut BTreeMap<Arc<str>, Hints>,
    itself: &ClassType,
    parameters: &[TypeParameter],
    idx: usize,
    (at, statement): (usize, &Statement),
    test: &Test,
) {
    let Some(method) = statement.method() else { return };
    if !method.has_receiver() || statement.args.first() != Some(&Arg::Var(var_at(idx))) {
        return;
    }
    let Some((declaring, facts)) = world.find_method(itself, &method.name, &method.parameters)
    else {
        return;
    };
    let of_class = world.class(&declaring.name);
    let of_class = of_class.as_ref().map_or(&[][..], |class| &class.type_parameters);
    let returns = substitute(&facts.returns, &substitution(of_class, &declaring.args));
    for check in &test.checks {
        if let (Subject::Result(var), Expected::Equals(constant)) =
            (&check.subject, &check.expected)
            && var.idx() == at
        {
            let own = Operand::Constant(constant.clone()).plain_type();
            world.collect(hints, parameters, &returns, &own);
        }
    }
}

/// A type that the test can write: itself, or the nearest supertype whose name it may use.
pub(crate) fn nameable(world: &World<'_>, of: &JavaType) -> JavaType {
    match of {
        JavaType::Class(class) if world.can_name(&class.name) => {
            let can_name = |arg: &TypeArg| match arg {
                TypeArg::Exact(inner) | TypeArg::Extends(inner) | TypeArg::Super(inner) => {
                    can_write(world, inner)
                }
                TypeArg::Any => true,
            };
            let arg = |arg: &TypeArg| if can_name(arg) { arg.clone() } else { TypeArg::Any };
            let args = class.args.iter().map(arg).collect();
            JavaType::Class(ClassType { name: class.name.clone(), args })
        }
        JavaType::Class(class) => {
            let Some(facts) = world.class(&class.name) else { return JavaType::object() };
            let mut above = facts.supertypes.iter().filter_map(|supertype| {
                let seen = world.as_super(class, &supertype.name)?;
                let found = nameable(world, &JavaType::Class(seen));
                (found != JavaType::object()).then_some(found)
            });
            above.next().unwrap_or_else(JavaType::object)
        }
        JavaType::Array(element) => match nameable(world, element) {
            found if element.is_reference() => JavaType::Array(Box::new(found)),
            _ => of.clone(),
        },
        other => other.clone(),
    }
}

/// Whether the test may use every name in a type. Does not look at supertypes, in which the type itself may
/// occur again.
pub(crate) fn can_write(world: &World<'_>, of: &JavaType) -> bool {
    match of {
        JavaType::Class(class) => {
            world.can_name(&class.name)
                && class.args.iter().all(|arg| match arg {
                    TypeArg::Exact(inner) | TypeArg::Extends(inner) | TypeArg::Super(inner) => {
                        can_write(world, inner)
                    }
                    TypeArg::Any => true,
                })
        }
        JavaType::Array(element) => can_write(world, element),
        JavaType::Null | JavaType::Primitive(_) | JavaType::Variable(_) => true,
    }
}

fn raw(of: JavaType) -> JavaType {
    match of {
        JavaType::Class(class) => JavaType::Class(ClassType { name: class.name, args: Vec::new() }),
        JavaType::Array(element) => JavaType::Array(Box::new(raw(*element))),
        other => other,
    }
}

fn roles(world: &World<'_>, test: &Test) -> Vec<Role> {
    let statements = test.sequence.statements();
    let mut n_uses = vec![0usize; statements.len()];
    let mut count = |var: Var| {
        if let Some(n) = n_uses.get_mut(var.idx()) {
            *n += 1;
        }
    };
    for statement in statements {
        statement.uses().for_each(&mut count);
    }
    for check in &test.checks {
        match &check.subject {
            Subject::Result(var) => count(*var),
            Subject::Observer { receiver, .. } => count(*receiver),
        }
        if let Expected::Same(var) | Expected::NotSame(var) | Expected::EqualTo(var) =
            &check.expected
        {
            count(*var);
        }
    }
    let last = statements.len().wrapping_sub(1);
    let role = |(idx, statement): (usize, &Statement)| {
        let is_array = matches!(statement.operation, Operation::Array(_));
        let first_check = test.checks.iter().find(|check| check.after.idx() == idx);
        match n_uses[idx] {
            _ if idx == last && test.throws.is_some() => Role::Throws,
            0 if idx == last && test.must_end && !is_array => Role::MustEnd,
            0 if is_array => Role::Left,
            n if is_stand_in(statement) => match &statement.operation {
                Operation::StandIn(made) if n == 0 && stand_in::runs_code(world, made) => {
                    Role::Plain
                }
                _ if n == 0 => Role::Left,
                _ => Role::Named,
            },
            0 => Role::Plain,
            1 if first_check.is_some_and(|check| check.subject == Subject::Result(var_at(idx)))
                && !depends_on_use(world, statement) =>
            {
                Role::InCheck
            }
            _ => Role::Named,
        }
    };
    let mut roles: Vec<Role> = statements.iter().enumerate().map(role).collect();
    for idx in 0..statements.len() {
        move_in(world, test, &mut roles, &n_uses, idx);
    }
    roles
}

/// Whether the compiler takes the type of a call from where its result goes (JLS §15.12, poly expressions).
fn depends_on_use(world: &World<'_>, statement: &Statement) -> bool {
    let Some(method) = statement.method() else { return false };
    let class = ClassType { name: method.class.clone(), args: Vec::new() };
    world
        .find_method(&class, &method.name, &method.parameters)
        .is_some_and(|(_, facts)| facts.returns.mentions(&facts.type_parameters))
}

/// Moves into a statement what it alone uses, as long as everything happens in the same order.
fn move_in(world: &World<'_>, test: &Test, roles: &mut [Role], n_uses: &[usize], idx: usize) {
    let statements = test.sequence.statements();
    let statement = &statements[idx];
    let n_ahead = match &statement.operation {
        Operation::Call(method) if method.has_receiver() => 1,
        Operation::Call(method)
            if method.is_constructor()
                && world
                    .class(&method.class)
                    .is_some_and(|facts| super::resolve::is_inner(&facts)) =>
        {
            1
        }
        _ => 0,
    };
    // The statement that runs directly before what is written so far.
    let mut before = idx.checked_sub(1);
    let mut passed: Vec<&Arg> = statement.args.iter().skip(n_ahead).collect();
    passed.reverse();
    for arg in passed {
        let Arg::Var(var) = arg else { continue };
        let at = var.idx();
        let is_only_here = n_uses[at] == 1 && roles[at] == Role::Named && !is_checked(test, at);
        if !is_only_here {
            continue;
        }
        match &statements[at].operation {
            // An array of values that are there already can be made at any time.
            Operation::Array(_) if is_still(statements, roles, at) => roles[at] = Role::InStatement,
            operation
                if !matches!(roles[idx], Role::Throws | Role::MustEnd)
                    && is_maker(world, operation) =>
            {
                while before.is_some_and(|before| {
                    before != at && matches!(roles[before], Role::InStatement | Role::Left)
                }) {
                    before = before.and_then(|before| before.checked_sub(1));
                }
                if before == Some(at) {
                    roles[at] = Role::InStatement;
                    before = at.checked_sub(1);
                }
            }
            _ => {}
        }
    }
}

/// Whether an expression reads well within another one, and has the same type there.
fn is_maker(world: &World<'_>, operation: &Operation) -> bool {
    match operation {
        Operation::Call(method) if world.is_generic(&method.class) => false,
        Operation::Call(method) => method.is_constructor() || is_factory(world, method),
        Operation::Array(_) => true,
        // The compiler would take its type from where it stands.
        Operation::StandIn(_) => false,
    }
}

/// Whether a method makes an object of its own class, whatever the types around it: `LocalDate.ofEpochDay`.
fn is_factory(world: &World<'_>, method: &Method) -> bool {
    let class = ClassType { name: method.class.clone(), args: Vec::new() };
    !method.has_receiver()
        && method.result() == Type::class(&method.class)
        && world
            .find_method(&class, &method.name, &method.parameters)
            .is_some_and(|(_, facts)| facts.type_parameters.is_empty())
}

/// Whether an array is made of constants and variables alone.
fn is_still(statements: &[Statement], roles: &[Role], at: usize) -> bool {
    statements[at].uses().all(|var| roles[var.idx()] != Role::InStatement)
}

fn is_checked(test: &Test, at: usize) -> bool {
    test.checks.iter().any(|check| check.after.idx() == at)
}

#[expect(clippy::cast_possible_truncation, reason = "sequences are short")]
fn var_at(idx: usize) -> Var {
    Var(idx as u32)
}
