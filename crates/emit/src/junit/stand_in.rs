//! Stand-ins as Java: a lambda where the compiler takes one, else an anonymous class that overrides every
//! abstract method (JLS §9.8, §15.27, §15.9.5).
//!
//! What each method answers was decided by [`Behaviour`] from erased types; here only types are found with
//! which the compiler takes that answer.

use std::sync::Arc;

use suite::constant::Constant;
use suite::java_type::{ClassType, JavaType, TypeArg, TypeParameter, substitute, substitution};
use suite::stand_in::{Answer, Behaviour, StandIn};
use suite::types::Type;

use super::body::{Body, Expression, Inexpressible, cannot};
use super::facts::{Access, ClassFacts, MethodFacts, package_of};
use super::naming::is_identifier;
use super::plan::can_write;
use super::resolve::{Operand, is_inner};
use super::typing::{Fit, World, boxed};

/// Longer lists of supertypes than programs have.
const MOST_HOLDERS: usize = 200;

/// An abstract method that a stand-in must implement.
#[derive(Debug, Clone)]
pub(crate) struct Needed {
    facts: Arc<MethodFacts>,
    declared_in: Arc<str>,
    /// Its types as seen through the type that is stood in for.
    parameters: Vec<JavaType>,
    returns: JavaType,
    /// Whether it must be written without type arguments.
    is_erased: bool,
    answer: Answer,
}

/// A method as seen through a type, while those that override each other are looked for.
struct Seen {
    facts: Arc<MethodFacts>,
    /// Position of its class among the holders.
    holder: usize,
    /// Parameter types that tell which methods override it.
    key: Vec<JavaType>,
}

/// The abstract methods behind a type; `None` where not all supertypes are known.
pub(crate) fn needed(
    world: &World<'_>,
    class: &ClassType,
    behaviour: &Behaviour,
) -> Option<Vec<Needed>> {
    let facts = world.class(&class.name)?;
    let own =
        |parameter: &TypeParameter| TypeArg::Exact(JavaType::Variable(parameter.name.clone()));
    let args = facts.type_parameters.iter().map(own).collect();
    let generic = holders(world, &ClassType { name: class.name.clone(), args })?;
    let written = holders(world, class)?;
    let mut seen: Vec<Seen> = Vec::new();
    for (idx, holder) in generic.iter().enumerate() {
        for method in &world.class(&holder.name)?.methods {
            if method.is_static
                || method.is_synthetic
                || method.access == Access::Private
                || method.name.starts_with('<')
            {
                continue;
            }
            let variables = [&method.type_parameters[..], &facts.type_parameters].concat();
            let key = |formal| world.erase(&through(world, holder, method, formal), &variables);
            let key = method.parameters.iter().map(key).collect();
            seen.push(Seen { facts: method.clone(), holder: idx, key });
        }
    }
    let mut found = Vec::new();
    for (idx, first) in seen.iter().enumerate() {
        let is_same =
            |other: &&Seen| other.facts.name == first.facts.name && other.key == first.key;
        if seen[..idx].iter().any(|other| is_same(&other)) {
            continue;
        }
        let group: Vec<&Seen> = seen[idx..].iter().filter(is_same).collect();
        if group.iter().any(|one| one.facts.is_abstract) && !is_implemented(world, &generic, &group)
        {
            found.push(as_written(world, &written, &group, behaviour)?);
        }
    }
    Some(found)
}

/// A type and all its supertypes, each before its own; `Object` at the end for interfaces.
fn holders(world: &World<'_>, class: &ClassType) -> Option<Vec<ClassType>> {
    let mut found = vec![class.clone()];
    let mut idx = 0;
    while idx < found.len() {
        if MOST_HOLDERS < found.len() {
            return None;
        }
        world.class(&found[idx].name)?;
        for supertype in world.supertypes(&found[idx].clone()) {
            if found.iter().all(|known| known.name != supertype.name) {
                found.push(supertype);
            }
        }
        idx += 1;
    }
    Some(found)
}

/// A type in the signature of a method, as seen through the type that declares it.
fn through(
    world: &World<'_>,
    declaring: &ClassType,
    method: &MethodFacts,
    of: &JavaType,
) -> JavaType {
    let class = world.class(&declaring.name);
    let of_class = class.as_ref().map_or(&[][..], |class| &class.type_parameters);
    if declaring.args.is_empty() && world.is_generic(&declaring.name) {
        return world.erase(of, &[&method.type_parameters[..], of_class].concat());
    }
    let mut with = substitution(of_class, &declaring.args);
    for own in &method.type_parameters {
        with.remove(&own.name);
    }
    substitute(of, &with)
}

/// Whether one of the methods that override each other has a body that objects would run.
fn is_implemented(world: &World<'_>, holders: &[ClassType], group: &[&Seen]) -> bool {
    let is_interface =
        |one: &Seen| world.class(&holders[one.holder].name).is_some_and(|class| class.is_interface);
    let is_from_interface = group.iter().any(|one| is_interface(one));
    if let Some(nearest) = group.iter().find(|one| !is_interface(one)) {
        let is_seen = nearest.facts.access == Access::Public || !is_from_interface;
        return !nearest.facts.is_abstract && is_seen;
    }
    let name = |one: &Seen| holders[one.holder].name.clone();
    let is_most_specific = |one: &&&Seen| {
        group
            .iter()
            .all(|other| other.holder == one.holder || !world.is_subclass(&name(other), &name(one)))
    };
    let specific: Vec<&&Seen> = group.iter().filter(is_most_specific).collect();
    matches!(specific.as_slice(), [only] if !only.facts.is_abstract)
}

/// The method of a group that must be overridden, with its types as the test writes them.
fn as_written(
    world: &World<'_>,
    holders: &[ClassType],
    group: &[&Seen],
    behaviour: &Behaviour,
) -> Option<Needed> {
    let returns = |one: &Seen| through(world, &holders[one.holder], &one.facts, &one.facts.returns);
    let is_exact = |one: &&&Seen| {
        let own = returns(one);
        group.iter().all(|other| world.fit(&own, &returns(other)) != Fit::No)
    };
    let chosen =
        group.iter().filter(|one| one.facts.is_abstract).find(is_exact).or(group.first())?;
    let holder = &holders[chosen.holder];
    let facts = &chosen.facts;
    let class = world.class(&holder.name)?;
    let of_class = [&facts.type_parameters[..], &class.type_parameters].concat();
    let erased = erased_type(&world.erase(&facts.returns, &of_class))?;
    let see = |of: &JavaType| through(world, holder, facts, of);
    let mut found = Needed {
        parameters: facts.parameters.iter().map(see).collect(),
        returns: see(&facts.returns),
        is_erased: !facts.type_parameters.is_empty(),
        answer: behaviour.answer(&facts.name, &facts.erased, &erased),
        declared_in: holder.name.clone(),
        facts: facts.clone(),
    };
    let is_writable = |of: &JavaType| {
        let is_whole = match world.class_of(of).and_then(|name| world.class(name)) {
            Some(facts) => !world.is_inner_of_generic(&facts),
            None => true,
        };
        is_whole && can_write(world, of)
    };
    let are_writable = found.parameters.iter().chain([&found.returns]).all(is_writable);
    if found.is_erased || !are_writable {
        let erase = |of: &JavaType| world.erase(of, &facts.type_parameters);
        found.parameters = found.parameters.iter().map(erase).collect();
        found.returns = erase(&found.returns);
        found.is_erased = true;
    }
    Some(found)
}

impl Needed {
    /// Whether the compiler takes the answer for the result.
    fn fits(&self, world: &World<'_>) -> bool {
        match &self.answer {
            Answer::Nothing | Answer::IsSame | Answer::Throws => true,
            Answer::Constant(Constant::Null) => self.returns.is_reference(),
            Answer::Constant(constant) => {
                let own = Operand::Constant(constant.clone()).plain_type();
                let own = if self.returns.is_reference() { boxed(&own) } else { own };
                world.fit(&own, &self.returns) == Fit::Yes
            }
            // The compiler takes its type arguments from where it is given.
            Answer::Empty(factory) => match &self.returns {
                JavaType::Class(wanted) => factory
                    .returns
                    .class_name()
                    .is_some_and(|made| world.is_subclass(made, &wanted.name)),
                _ => false,
            },
            Answer::EmptyArray(element) => {
                self.returns == JavaType::Array(Box::new(JavaType::of(element)))
            }
            Answer::Parameter(position) => {
                let own = self.parameters.get(*position);
                own.is_some_and(|own| world.fit(own, &self.returns) == Fit::Yes)
            }
        }
    }
}

/// Whether every answer of a stand-in fits its method where it has this type.
pub(crate) fn fits(world: &World<'_>, class: &ClassType, behaviour: &Behaviour) -> bool {
    needed(world, class, behaviour)
        .is_none_or(|needed| needed.iter().all(|method| method.fits(world)))
}

/// Whether making one runs code of the user.
pub(crate) fn runs_code(world: &World<'_>, stand_in: &StandIn) -> bool {
    world.class(&stand_in.of).is_none_or(|facts| !facts.is_interface)
}

fn erased_type(of: &JavaType) -> Option<Type> {
    match of {
        JavaType::Primitive(primitive) => Some(primitive.clone()),
        JavaType::Class(class) => Some(Type::Class(class.name.clone())),
        JavaType::Array(element) => Some(Type::Array(Box::new(erased_type(element)?))),
        JavaType::Null | JavaType::Variable(_) => None,
    }
}

impl Body<'_, '_> {
    /// A stand-in of this type; of several lines, perhaps.
    pub(crate) fn stand_in(
        &mut self,
        stand_in: &StandIn,
        own: &JavaType,
    ) -> Result<Expression, Inexpressible> {
        self.nameable_class(&stand_in.of)?;
        let (JavaType::Class(class), Some(facts)) = (own, self.world.class(&stand_in.of)) else {
            return cannot(format!("{} is not known", stand_in.of.replace('/', ".")));
        };
        let Some(needed) = needed(self.world, class, &stand_in.behaviour) else {
            return cannot(format!("not all supertypes of {} are known", facts.name));
        };
        if let Some(misfit) = needed.iter().find(|method| !method.fits(self.world)) {
            let name = &misfit.facts.name;
            return cannot(format!("{name} of {} cannot give that", facts.name));
        }
        match needed.as_slice() {
            [only] if facts.is_interface && only.facts.type_parameters.is_empty() => {
                self.lambda(only)
            }
            _ => self.anonymous(&facts, own, &needed),
        }
    }

    fn lambda(&mut self, method: &Needed) -> Result<Expression, Inexpressible> {
        // Its parameters may not have the name of a variable.
        let mut variables = self.variables.clone();
        let n_parameters = method.parameters.len();
        let names: Vec<String> = match n_parameters {
            1 => vec![variables.unique("x")],
            _ => ('a'..='z')
                .cycle()
                .take(n_parameters)
                .map(|it| variables.unique(&it.to_string()))
                .collect(),
        };
        let parameters = match names.as_slice() {
            [only] => only.clone(),
            several => format!("({})", several.join(", ")),
        };
        let text = match &method.answer {
            Answer::Nothing => format!("{parameters} -> {{}}"),
            Answer::Throws => format!("{parameters} -> {{\n    {}\n}}", self.throw()),
            answer => format!("{parameters} -> {}", self.answer(answer, &names)?),
        };
        Ok(Expression { text, is_primary: false })
    }

    fn anonymous(
        &mut self,
        facts: &ClassFacts,
        own: &JavaType,
        needed: &[Needed],
    ) -> Result<Expression, Inexpressible> {
        if is_inner(facts) {
            return cannot(format!("{} needs an enclosing object", facts.name));
        }
        if !facts.is_interface {
            self.super_constructor(facts)?;
        }
        if self.world.is_subclass(&facts.name, "java/io/Serializable") {
            // Nobody writes one of these to a file.
            self.scope.warn("serial");
        }
        let mut text = format!("new {}() {{", self.scope.java_type(own));
        for (idx, method) in needed.iter().enumerate() {
            text.push_str(if idx == 0 { "\n" } else { "\n\n" });
            text.push_str(&self.overriding(method)?);
        }
        text.push_str(if needed.is_empty() { "}" } else { "\n}" });
        Ok(Expression { text, is_primary: false })
    }

    /// Notes what calling the superclass's constructor needs.
    fn super_constructor(&mut self, facts: &ClassFacts) -> Result<(), Inexpressible> {
        let is_plain =
            |method: &&Arc<MethodFacts>| *method.name == *"<init>" && method.erased.is_empty();
        let is_seen = |method: &&Arc<MethodFacts>| match method.access {
            Access::Public | Access::Protected => true,
            Access::Package => package_of(&facts.name) == self.world.package,
            Access::Private => false,
        };
        let Some(constructor) = facts.methods.iter().filter(is_plain).find(is_seen) else {
            let name = facts.name.replace('/', ".");
            return cannot(format!("{name} has no constructor without arguments"));
        };
        self.scope.warn_of(constructor.deprecation);
        self.declare_exceptions(&constructor.exceptions, None);
        Ok(())
    }

    /// A method of an anonymous class.
    fn overriding(&mut self, method: &Needed) -> Result<String, Inexpressible> {
        let (facts, world) = (&method.facts, self.world);
        let is_seen = match facts.access {
            Access::Public | Access::Protected => true,
            Access::Package => package_of(&method.declared_in) == world.package,
            Access::Private => false,
        };
        let types = method.parameters.iter().chain([&method.returns]);
        let unnameable =
            types.filter_map(|of| world.class_of(of)).find(|name| !world.can_name(name));
        if !is_seen || unnameable.is_some() || !is_identifier(&facts.name) {
            return cannot(format!(
                "{} of {} cannot be implemented in the test's package",
                facts.name,
                method.declared_in.replace('/', ".")
            ));
        }
        self.scope.warn_of(facts.deprecation);
        if method.is_erased {
            self.scope.warn("unchecked");
        }
        let access = match facts.access {
            Access::Public => "public ",
            Access::Protected => "protected ",
            Access::Package | Access::Private => "",
        };
        let returns = self.scope.java_type(&method.returns);
        let mut variables = self.variables.clone();
        let (mut names, mut parameters) = (Vec::new(), Vec::new());
        for (idx, own) in method.parameters.iter().enumerate() {
            let name = variables.name(own);
            let is_last = idx + 1 == method.parameters.len();
            parameters.push(match own {
                JavaType::Array(element) if facts.is_varargs && is_last => {
                    format!("{}... {name}", self.scope.java_type(element))
                }
                _ => format!("{} {name}", self.scope.java_type(own)),
            });
            names.push(name);
        }
        let does = match &method.answer {
            Answer::Nothing => String::new(),
            Answer::Throws => format!("        {}\n", self.throw()),
            answer => format!("        return {};\n", self.answer(answer, &names)?),
        };
        let head = format!("{access}{returns} {}({})", facts.name, parameters.join(", "));
        Ok(format!("    @{}\n    {head} {{\n{does}    }}", self.scope.class("java/lang/Override")))
    }

    fn throw(&mut self) -> String {
        format!("throw new {}();", self.scope.class("java/lang/UnsupportedOperationException"))
    }

    /// The expression that a method gives.
    fn answer(&mut self, answer: &Answer, names: &[String]) -> Result<String, Inexpressible> {
        Ok(match answer {
            Answer::Constant(constant) => self.constant(constant)?.text,
            Answer::Empty(factory) => {
                format!("{}.{}()", self.scope.class(&factory.class), factory.name)
            }
            Answer::EmptyArray(element) => self.array_of(&JavaType::of(element), &[]),
            Answer::Parameter(position) => names[*position].clone(),
            Answer::IsSame => format!("this == {}", names[0]),
            Answer::Nothing | Answer::Throws => return cannot("a method that gives nothing"),
        })
    }
}
