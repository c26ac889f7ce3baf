//! Subtyping, members and inference over [`Names`], as far as emitted code needs them (JLS §4.10, §5.3, §18).
//!
//! Inference is a cautious subset: where it finds no type arguments that certainly compile, the caller
//! falls back to raw types, which always do.

use std::collections::BTreeMap;
use std::sync::Arc;

use suite::java_type::{
    ClassType, JavaType, OBJECT, Substitution, TypeArg, TypeParameter, substitute, substitution,
};
use suite::types::Type;

use super::facts::{Access, ClassFacts, Deprecation, MethodFacts, Names, Place, package_of};

/// Longer chains of supertypes than programs have; a cycle in broken classes ends here.
const MAX_CHAIN: usize = 200;

/// How well an expression fits where a type is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// Not without a cast.
    No,
    /// By a conversion from a raw type, with a warning.
    Unchecked,
    /// As it is.
    Yes,
}

/// The classes, seen from the package in which the test lives.
pub(crate) struct World<'n> {
    pub(crate) names: &'n dyn Names,
    /// With slashes.
    pub(crate) package: String,
}

impl World<'_> {
    pub(crate) fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        self.names.class(name)
    }

    /// Whether the test can name the class.
    pub(crate) fn can_name(&self, name: &str) -> bool {
        let mut name: Arc<str> = name.into();
        for _ in 0..MAX_CHAIN {
            // Of a class nobody knows, the best is hoped for; the compiler has the last word.
            let Some(facts) = self.class(&name) else { return true };
            let is_seen = match facts.access {
                Access::Public => true,
                Access::Protected | Access::Package => package_of(&name) == self.package,
                Access::Private => false,
            };
            if !is_seen || facts.is_preview {
                return false;
            }
            match &facts.place {
                // What has no package cannot be imported.
                Place::TopLevel => return !package_of(&name).is_empty() || self.package.is_empty(),
                Place::Local => return false,
                Place::Member { outer, .. } => name = outer.clone(),
            }
        }
        false
    }

    /// Whether the test can call a member that is declared in this class.
    pub(crate) fn can_call(&self, declared_in: &str, method: &MethodFacts) -> bool {
        match method.access {
            Access::Public => true,
            Access::Protected | Access::Package => package_of(declared_in) == self.package,
            Access::Private => false,
        }
    }

    /// Whether the class, as it is written, needs type arguments not to be raw: its own, or those of
    /// the class it is an inner class of.
    pub(crate) fn is_generic(&self, name: &str) -> bool {
        self.class(name).is_some_and(|facts| {
            !facts.type_parameters.is_empty() || self.is_inner_of_generic(&facts)
        })
    }

    /// Whether an enclosing class has type parameters that its inner class shares.
    pub(crate) fn is_inner_of_generic(&self, facts: &ClassFacts) -> bool {
        match &facts.place {
            Place::Member { outer, is_static: false, .. } => self.is_generic(outer),
            _ => false,
        }
    }

    /// Whether a class is warned of.
    pub(crate) fn deprecation(&self, name: &str) -> Deprecation {
        self.class(name).map_or(Deprecation::None, |facts| facts.deprecation)
    }

    /// The direct supertypes of a class type, its arguments put in; all raw if it is raw.
    pub(crate) fn supertypes(&self, class: &ClassType) -> Vec<ClassType> {
        match self.class(&class.name) {
            Some(facts) => self.supertypes_of(&facts, class),
            None => Vec::new(),
        }
    }

    fn supertypes_of(&self, facts: &ClassFacts, class: &ClassType) -> Vec<ClassType> {
        let is_generic = !facts.type_parameters.is_empty() || self.is_inner_of_generic(facts);
        let is_raw = class.args.is_empty() && is_generic;
        if !is_generic && class.args.is_empty() {
            return facts.supertypes.clone();
        }
        let substitution = substitution(&facts.type_parameters, &class.args);
        let put_in = |supertype: &ClassType| {
            if is_raw {
                return ClassType { name: supertype.name.clone(), args: Vec::new() };
            }
            match substitute(&JavaType::Class(supertype.clone()), &substitution) {
                JavaType::Class(class) => class,
                _ => supertype.clone(),
            }
        };
        facts.supertypes.iter().map(put_in).collect()
    }

    /// The class type itself or its supertype of this name.
    pub(crate) fn as_super(&self, class: &ClassType, name: &str) -> Option<ClassType> {
        if *class.name == *name {
            return Some(class.clone());
        }
        if name == OBJECT {
            return Some(ClassType { name: OBJECT.into(), args: Vec::new() });
        }
        let mut waiting = vec![class.clone()];
        let mut n_seen = 0;
        while let Some(next) = waiting.pop() {
            n_seen += 1;
            if MAX_CHAIN < n_seen {
                return None;
            }
            for supertype in self.supertypes(&next) {
                if *supertype.name == *name {
                    return Some(supertype);
                }
                waiting.push(supertype);
            }
        }
        None
    }

    /// Whether a class is another or one of its subclasses, by name alone.
    pub(crate) fn is_subclass(&self, name: &str, of: &str) -> bool {
        let class = ClassType { name: name.into(), args: Vec::new() };
        self.as_super(&class, of).is_some()
    }

    /// Whether an expression may stand where a type is wanted, without boxing.
    pub(crate) fn fit(&self, own: &JavaType, wanted: &JavaType) -> Fit {
        match (own, wanted) {
            _ if own == wanted => Fit::Yes,
            (JavaType::Null, wanted) => yes_if(wanted.is_reference()),
            (JavaType::Primitive(own), JavaType::Primitive(wanted)) => yes_if(widens(own, wanted)),
            (JavaType::Array(_), JavaType::Class(class)) => {
                let of_arrays = [OBJECT, "java/lang/Cloneable", "java/io/Serializable"];
                yes_if(of_arrays.contains(&&*class.name))
            }
            (JavaType::Array(own), JavaType::Array(wanted)) => {
                if own.is_reference() && wanted.is_reference() {
                    self.fit(own, wanted)
                } else {
                    Fit::No
                }
            }
            (JavaType::Class(own), JavaType::Class(wanted)) => {
                let Some(seen) = self.as_super(own, &wanted.name) else { return Fit::No };
                if wanted.args.is_empty() {
                    Fit::Yes
                } else if seen.args.is_empty() {
                    Fit::Unchecked
                } else {
                    let contains = |(own, wanted): (&TypeArg, &TypeArg)| self.contains(own, wanted);
                    yes_if(
                        seen.args.len() == wanted.args.len()
                            && seen.args.iter().zip(&wanted.args).all(contains),
                    )
                }
            }
            _ => Fit::No,
        }
    }

    /// Whether the compiler refuses a cast, since nothing is of both types (JLS §5.5).
    pub(crate) fn refuses_cast(&self, own: &JavaType, to: &JavaType) -> bool {
        match (own, to) {
            (JavaType::Array(own), JavaType::Array(to)) => {
                if own.is_reference() && to.is_reference() {
                    self.refuses_cast(own, to)
                } else {
                    own != to
                }
            }
            (JavaType::Array(_), JavaType::Class(_)) => self.fit(own, to) == Fit::No,
            (JavaType::Class(_), JavaType::Array(_)) => self.fit(to, own) == Fit::No,
            (JavaType::Class(own), JavaType::Class(to)) => {
                let is_related =
                    self.is_subclass(&own.name, &to.name) || self.is_subclass(&to.name, &own.name);
                let (Some(own), Some(to)) = (self.class(&own.name), self.class(&to.name)) else {
                    return false;
                };
                let could_meet =
                    own.is_interface && !to.is_final || to.is_interface && !own.is_final;
                !is_related && !could_meet
            }
            _ => false,
        }
    }

    /// Whether a type argument is among those that another one allows (JLS §4.5.1).
    fn contains(&self, own: &TypeArg, wanted: &TypeArg) -> bool {
        match (own, wanted) {
            _ if own == wanted => true,
            (_, TypeArg::Any) => true,
            (TypeArg::Exact(own) | TypeArg::Extends(own), TypeArg::Extends(wanted)) => {
                self.fit(own, wanted) == Fit::Yes
            }
            (TypeArg::Any, TypeArg::Extends(wanted)) => *wanted == JavaType::object(),
            (TypeArg::Exact(own) | TypeArg::Super(own), TypeArg::Super(wanted)) => {
                self.fit(wanted, own) == Fit::Yes
            }
            _ => false,
        }
    }

    /// The method that a call through this class means, and the class type that declares it.
    pub(crate) fn find_method(
        &self,
        class: &ClassType,
        name: &str,
        erased: &[Type],
    ) -> Option<(ClassType, Arc<MethodFacts>)> {
        let mut made_by_compiler = None;
        let found = self.each_method(class, name, &mut |declaring, method| {
            if method.erased != erased {
                return None;
            }
            if method.is_synthetic {
                made_by_compiler.get_or_insert_with(|| (declaring.clone(), method.clone()));
                return None;
            }
            Some((declaring.clone(), method.clone()))
        });
        found.or(made_by_compiler)
    }

    /// All methods of a name that a class has or inherits, nearest first, with the type declaring each.
    pub(crate) fn methods(
        &self,
        class: &ClassType,
        name: &str,
    ) -> Vec<(ClassType, Arc<MethodFacts>)> {
        let mut found = Vec::new();
        self.each_method(class, name, &mut |declaring, method| -> Option<()> {
            found.push((declaring.clone(), method.clone()));
            None
        });
        found
    }

    /// The first that a closure makes something of, among all methods of a name that a class has or inherits,
    /// nearest first.
    fn each_method<T>(
        &self,
        class: &ClassType,
        name: &str,
        look: &mut dyn FnMut(&ClassType, &Arc<MethodFacts>) -> Option<T>,
    ) -> Option<T> {
        let mut waiting = vec![class.clone()];
        let mut idx = 0;
        while idx < waiting.len() && idx < MAX_CHAIN {
            let facts = self.class(&waiting[idx].name);
            idx += 1;
            let Some(facts) = facts else { continue };
            for method in facts.methods.iter().filter(|method| *method.name == *name) {
                if let Some(found) = look(&waiting[idx - 1], method) {
                    return Some(found);
                }
            }
            if name == "<init>" {
                break;
            }
            for supertype in self.supertypes_of(&facts, &waiting[idx - 1]) {
                if waiting.iter().all(|known| known.name != supertype.name) {
                    waiting.push(supertype);
                }
            }
            if facts.is_interface && waiting.iter().all(|known| *known.name != *OBJECT) {
                waiting.push(ClassType { name: OBJECT.into(), args: Vec::new() });
            }
        }
        None
    }

    /// What a type is once the compiler forgot its type arguments.
    pub(crate) fn erase(&self, of: &JavaType, variables: &[TypeParameter]) -> JavaType {
        match of {
            JavaType::Class(class) => JavaType::class(&class.name),
            JavaType::Array(element) => JavaType::Array(Box::new(self.erase(element, variables))),
            JavaType::Variable(name) => {
                let found = variables.iter().find(|variable| variable.name == *name);
                match found.and_then(|variable| variable.bounds.first()) {
                    Some(JavaType::Variable(other)) if other == name => JavaType::object(),
                    Some(bound) => self.erase(bound, variables),
                    None => JavaType::object(),
                }
            }
            other => other.clone(),
        }
    }

    /// Whether type arguments keep within the bounds of their parameters.
    pub(crate) fn within_bounds(
        &self,
        parameters: &[TypeParameter],
        chosen: &Substitution,
    ) -> bool {
        parameters.iter().all(|parameter| {
            let Some(TypeArg::Exact(own)) = chosen.get(&parameter.name) else { return false };
            parameter
                .bounds
                .iter()
                .all(|bound| self.fit(own, &substitute(bound, chosen)) == Fit::Yes)
        })
    }

    /// Type arguments for parameters, from what was found by [`World::collect`]. `None` where none
    /// certainly fits.
    pub(crate) fn solve(
        &self,
        parameters: &[TypeParameter],
        hints: &BTreeMap<Arc<str>, Hints>,
    ) -> Option<Substitution> {
        let mut chosen = Substitution::new();
        for parameter in parameters {
            let own = hints.get(&parameter.name);
            let exact = own.map_or(&[][..], |hints| &hints.exact);
            let least = own.map_or(&[][..], |hints| &hints.at_least);
            let bound = parameter.bounds.first().cloned().unwrap_or_else(JavaType::object);
            let best = match (exact.first(), least.first()) {
                (Some(first), _) => first.clone(),
                (None, Some(first)) => {
                    let above = least
                        .iter()
                        .find(|one| least.iter().all(|other| self.fit(other, one) == Fit::Yes));
                    above.cloned().unwrap_or_else(|| match least.len() {
                        1 => first.clone(),
                        _ => bound,
                    })
                }
                (None, None) => bound,
            };
            if best.mentions(parameters) {
                return None;
            }
            chosen.insert(parameter.name.clone(), TypeArg::Exact(best));
        }
        self.within_bounds(parameters, &chosen).then_some(chosen)
    }

    /// Compares a formal type with that of an argument and notes what type variables must then be.
    /// `false` where no choice would do.
    pub(crate) fn collect(
        &self,
        hints: &mut BTreeMap<Arc<str>, Hints>,
        variables: &[TypeParameter],
        formal: &JavaType,
        actual: &JavaType,
    ) -> bool {
        match (formal, actual) {
            (_, JavaType::Null) => true,
            (JavaType::Variable(name), _)
                if variables.iter().any(|variable| variable.name == *name) =>
            {
                let boxed = boxed(actual);
                let own = &mut hints.entry(name.clone()).or_default().at_least;
                if !own.contains(&boxed) {
                    own.push(boxed);
                }
                true
            }
            (JavaType::Array(formal), JavaType::Array(actual)) => {
                if !formal.is_reference() || !actual.is_reference() {
                    return formal == actual;
                }
                self.collect(hints, variables, formal, actual)
            }
            (JavaType::Class(formal), JavaType::Class(actual)) => {
                let Some(seen) = self.as_super(actual, &formal.name) else { return false };
                for (formal, actual) in formal.args.iter().zip(&seen.args) {
                    if !self.collect_arg(hints, variables, formal, actual) {
                        return false;
                    }
                }
                true
            }
            _ => true,
        }
    }

    fn collect_arg(
        &self,
        hints: &mut BTreeMap<Arc<str>, Hints>,
        variables: &[TypeParameter],
        formal: &TypeArg,
        actual: &TypeArg,
    ) -> bool {
        match (formal, actual) {
            (TypeArg::Exact(JavaType::Variable(name)), TypeArg::Exact(actual))
                if variables.iter().any(|variable| variable.name == *name) =>
            {
                hints.entry(name.clone()).or_default().exact.push(actual.clone());
                true
            }
            (TypeArg::Exact(formal), TypeArg::Exact(actual)) => {
                !formal.mentions(variables) || self.collect(hints, variables, formal, actual)
            }
            (TypeArg::Extends(formal), TypeArg::Exact(actual) | TypeArg::Extends(actual)) => {
                self.collect(hints, variables, formal, actual)
            }
            // What a wildcard stands for has no name.
            (TypeArg::Exact(formal), _) => !formal.mentions(variables),
            _ => true,
        }
    }
}

/// What type arguments must be.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hints {
    /// Exactly these.
    pub(crate) exact: Vec<JavaType>,
    /// These or supertypes of them.
    pub(crate) at_least: Vec<JavaType>,
}

/// The class of the objects that box a primitive type; references stay.
pub(crate) fn boxed(of: &JavaType) -> JavaType {
    let JavaType::Primitive(primitive) = of else { return of.clone() };
    JavaType::class(match primitive {
        Type::Boolean => "java/lang/Boolean",
        Type::Byte => "java/lang/Byte",
        Type::Char => "java/lang/Character",
        Type::Short => "java/lang/Short",
        Type::Int => "java/lang/Integer",
        Type::Long => "java/lang/Long",
        Type::Float => "java/lang/Float",
        Type::Double => "java/lang/Double",
        Type::Void | Type::Class(_) | Type::Array(_) => "java/lang/Void",
    })
}

/// The primitive type that a class boxes.
pub(crate) fn unboxed(of: &JavaType) -> Option<Type> {
    Some(match &**of.class_name()? {
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

/// Whether a primitive value becomes another type without a cast (JLS §5.1.2).
pub(crate) fn widens(own: &Type, wanted: &Type) -> bool {
    let rank = |of: &Type| match of {
        Type::Byte => Some(0),
        Type::Short => Some(1),
        Type::Char => Some(1),
        Type::Int => Some(2),
        Type::Long => Some(3),
        Type::Float => Some(4),
        Type::Double => Some(5),
        _ => None,
    };
    own == wanted
        || *wanted != Type::Char
            && match (rank(own), rank(wanted)) {
                (Some(own), Some(wanted)) => own < wanted,
                _ => false,
            }
}

fn yes_if(condition: bool) -> Fit {
    if condition { Fit::Yes } else { Fit::No }
}
