//! How a call must be written so that the compiler takes it for exactly the method that is meant: casts,
//! explicit boxing, varargs, and the type of the result (JLS §15.12).

use std::collections::BTreeMap;
use std::sync::Arc;

use suite::constant::Constant;
use suite::java_type::{
    ClassType, JavaType, Substitution, TypeArg, TypeParameter, substitute, substitution,
};
use suite::method::{Dispatch, Method};
use suite::types::Type;

use super::facts::{ClassFacts, MethodFacts, Place};
use super::typing::{Fit, Hints, World, boxed, unboxed};

/// Something that is passed to a call.
#[derive(Debug, Clone)]
pub(crate) enum Operand {
    Constant(Constant),
    /// An expression of this type.
    Value(JavaType),
}

impl Operand {
    /// The type of the plainest way to write it: boxed constants without their box.
    pub(crate) fn plain_type(&self) -> JavaType {
        match self {
            Operand::Value(own) => own.clone(),
            Operand::Constant(Constant::Boxed(inner)) => {
                Operand::Constant((**inner).clone()).plain_type()
            }
            Operand::Constant(Constant::Class(of)) => JavaType::Class(ClassType {
                name: "java/lang/Class".into(),
                args: vec![TypeArg::Exact(boxed(&JavaType::of(of)))],
            }),
            Operand::Constant(constant) => {
                constant.natural_type().map_or(JavaType::Null, |own| JavaType::of(&own))
            }
        }
    }

    fn is_boxed(&self) -> bool {
        matches!(self, Operand::Constant(Constant::Boxed(_)))
    }
}

/// How an argument is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) cast: Option<JavaType>,
    /// The type that it is cast to before, where it cannot be cast at once.
    pub(crate) via: Option<JavaType>,
    /// Whether a boxed constant is written with its box: `Integer.valueOf(1)`.
    pub(crate) keeps_box: bool,
}

/// How a call is written.
#[derive(Debug, Clone)]
pub(crate) struct Resolved {
    /// The type to which the receiver, or the enclosing instance of a new inner object, is cast.
    pub(crate) receiver: Option<JavaType>,
    /// How each argument behind the receiver is written.
    pub(crate) args: Vec<Form>,
    /// Whether the elements of the last argument, an array, stand in its place.
    pub(crate) spreads: bool,
    /// The type of the expression.
    pub(crate) result: JavaType,
    /// Whether the compiler warns of an unchecked conversion.
    pub(crate) is_unchecked: bool,
    /// Positions of operands, receiver first, whose type arguments do not fit: other ones may.
    pub(crate) misfits: Vec<usize>,
    /// What is known of the method.
    pub(crate) facts: Option<Arc<MethodFacts>>,
    /// The class that declares it.
    pub(crate) declared_in: Arc<str>,
}

/// Whether the class is created within an instance of another one.
pub(crate) fn is_inner(facts: &ClassFacts) -> bool {
    matches!(facts.place, Place::Member { is_static: false, .. })
}

/// Finds how to write a call. `class_args` are the type arguments of a new object; `elements` those of
/// the last argument where it is an array that is written in place.
pub(crate) fn resolve(
    world: &World<'_>,
    method: &Method,
    operands: &[Operand],
    class_args: &[TypeArg],
    elements: Option<&[Operand]>,
) -> Resolved {
    let has_outer = method.is_constructor()
        && world.class(&method.class).is_some_and(|facts| is_inner(&facts))
        && !operands.is_empty();
    let n_ahead = usize::from(method.has_receiver() || has_outer);
    let (ahead, passed) = operands.split_at(n_ahead.min(operands.len()));
    let mut owner = ClassType { name: method.class.clone(), args: class_args.to_vec() };
    let mut receiver = None;
    if let Some(first) = ahead.first() {
        let own = match first {
            Operand::Constant(Constant::Boxed(_)) => boxed(&first.plain_type()),
            other => other.plain_type(),
        };
        let wanted = if has_outer {
            method.parameters.first().map_or_else(JavaType::object, JavaType::of)
        } else {
            JavaType::class(&method.class)
        };
        let fits = world.fit(&own, &wanted) != Fit::No && own != JavaType::Null;
        match own {
            JavaType::Class(own) if fits && !has_outer => owner = own,
            _ if fits => {}
            _ => receiver = Some(wanted),
        }
    }
    let found = world.find_method(&owner, &method.name, &method.parameters);
    let (declaring, facts) = match found {
        Some((declaring, facts)) => (declaring, Some(facts)),
        None => (owner.clone(), None),
    };
    let mut signature = Signature::of(world, method, &declaring, facts.as_deref());
    if has_outer && !signature.formals.is_empty() {
        signature.formals.remove(0);
    }
    let mut call = Resolved {
        receiver,
        args: vec![Form::default(); passed.len()],
        spreads: false,
        result: JavaType::object(),
        is_unchecked: false,
        misfits: Vec::new(),
        facts,
        declared_in: declaring.name.clone(),
    };
    let (own, rivals) = rivals(world, method, &owner, n_ahead, has_outer);
    let mut formals = signature.formals.clone();
    let mut operands = passed.to_vec();
    if let Some(elements) = elements
        && rivals.is_empty()
        && call.facts.is_some()
        && spreads(method, elements, formals.last())
        && let (Some(JavaType::Array(element)), Some(_)) = (formals.pop(), operands.pop())
    {
        formals.extend(elements.iter().map(|_| (*element).clone()));
        operands.extend(elements.iter().cloned());
        call.spreads = true;
        call.args = vec![Form::default(); operands.len()];
    }
    let types: Vec<JavaType> = operands.iter().map(Operand::plain_type).collect();
    let mut inferred = signature.infer(world, &formals, &types);
    if inferred.is_none() {
        call.is_unchecked = true;
        // No cast helps where the receiver keeps a `T extends E` from being what is passed.
        if n_ahead == 1 && signature.has_bounds_of(world, &declaring) {
            call.misfits.push(0);
        }
    }
    for (idx, (own, formal)) in types.iter().zip(&formals).enumerate() {
        let erased = world.erase(formal, &signature.variables(world, &declaring));
        let wanted = match &inferred {
            Some(chosen) if !signature.is_raw => signature.parameter(formal, chosen),
            _ => Some(erased.clone()),
        };
        let form = &mut call.args[idx];
        if !call.spreads
            && method.is_varargs
            && idx + 1 == formals.len()
            && let (JavaType::Array(_) | JavaType::Null, Some(wanted)) = (own, &wanted)
            && own != wanted
            && world.fit(own, wanted) != Fit::No
        {
            call.is_unchecked |= !wanted.is_reifiable();
            form.cast = Some(if wanted.is_reifiable() { wanted.clone() } else { erased });
            continue;
        }
        let is_open = inferred.is_none() && formal.mentions(&signature.type_parameters);
        if is_open && *own != JavaType::Null && *own != erased {
            // The compiler finds no type arguments either, unless it forgets those of the argument.
            form.keeps_box = operands[idx].is_boxed();
            form.cast = Some(erased);
            continue;
        }
        let is_misfit = fit_argument(world, form, &mut call.is_unchecked, own, wanted, &erased);
        if is_misfit {
            if n_ahead == 1 && !call.misfits.contains(&0) {
                call.misfits.push(0);
            }
            if !call.spreads {
                call.misfits.push(idx + n_ahead);
            }
        }
    }
    if let Some(wanted) = forgetful_receiver(world, method, &owner, &call) {
        // Seen through a supertype that forgot its type arguments, the method takes anything.
        let mut operands = ahead.to_vec();
        operands[0] = Operand::Value(wanted.clone());
        operands.extend(passed.iter().cloned());
        let mut call = resolve(world, method, &operands, class_args, elements);
        call.receiver = Some(wanted);
        return call;
    }
    if !call.spreads {
        separate(world, &mut call, &operands, &own, &rivals);
    }
    if inferred.is_some() && call.args.iter().any(|form| form.cast.is_some()) {
        let written = |(own, form): (&JavaType, &Form)| form.cast.clone().unwrap_or(own.clone());
        let types: Vec<JavaType> = types.iter().zip(&call.args).map(written).collect();
        inferred = signature.infer(world, &formals, &types);
    }
    for (form, own) in call.args.iter_mut().zip(&types) {
        // A cast to the same type is warned of.
        if form.cast.as_ref() == Some(own) {
            form.cast = None;
        }
    }
    call.result = signature.result(world, method, &declaring, &owner, inferred, call.is_unchecked);
    if let Some(facts) = &call.facts {
        let forgets = |(formal, erased): (&JavaType, &Type)| *formal != JavaType::of(erased);
        call.is_unchecked |=
            signature.is_raw && facts.parameters.iter().zip(&facts.erased).any(forgets);
    }
    call
}

/// The type to which a receiver is cast whose class fixed the type arguments of the one that declares the
/// method, where they do not fit.
fn forgetful_receiver(
    world: &World<'_>,
    method: &Method,
    owner: &ClassType,
    call: &Resolved,
) -> Option<JavaType> {
    let is_fixed = !call.misfits.is_empty()
        && method.has_receiver()
        && owner.args.is_empty()
        && owner.name != method.class
        && world.is_generic(&method.class);
    is_fixed.then(|| JavaType::class(&method.class))
}

/// Decides how an argument is written; `true` where only its type arguments do not fit.
fn fit_argument(
    world: &World<'_>,
    form: &mut Form,
    is_unchecked: &mut bool,
    own: &JavaType,
    wanted: Option<JavaType>,
    erased: &JavaType,
) -> bool {
    let seen = if erased.is_reference() { boxed(own) } else { own.clone() };
    let fit = wanted.as_ref().map_or(Fit::No, |wanted| world.fit(&seen, wanted));
    match fit {
        Fit::Yes => false,
        Fit::Unchecked => {
            *is_unchecked = true;
            false
        }
        Fit::No if *own == JavaType::Null => false,
        Fit::No if world.fit(&seen, erased) != Fit::No => {
            *is_unchecked = true;
            form.cast = Some(erased.clone());
            true
        }
        Fit::No => {
            let target = match wanted {
                Some(wanted) if wanted.is_reifiable() => wanted,
                _ => erased.clone(),
            };
            if world.class_of(&target).is_some_and(|name| world.is_generic(name))
                && !target.has_args()
            {
                *is_unchecked = true;
            }
            form.cast = Some(target);
            false
        }
    }
}

/// Whether the elements of an array may stand for it: nothing that could be taken for the array itself,
/// and no array whose creation is warned of.
fn spreads(method: &Method, elements: &[Operand], formal: Option<&JavaType>) -> bool {
    let Some(JavaType::Array(element)) = formal else { return false };
    let is_plain = |operand: &Operand| {
        let own = operand.plain_type();
        !matches!(own, JavaType::Null | JavaType::Array(_)) && !own.has_args()
    };
    let is_misleading = match elements {
        [only] => !is_plain(only),
        _ => false,
    };
    let is_checked = match &**element {
        JavaType::Variable(_) => elements.iter().all(is_plain),
        other => other.is_reifiable(),
    };
    method.is_varargs && !is_misleading && is_checked
}

/// A method that the compiler might take instead: its parameter types as they are seen through the type of the
/// receiver.
#[derive(Debug, Clone)]
struct Rival {
    erased: Vec<JavaType>,
    /// With type arguments; those that stand for nothing in particular are variables.
    full: Vec<JavaType>,
    /// Those that the compiler chooses by the arguments.
    type_parameters: Vec<TypeParameter>,
}

/// The method as it is seen, and the others that the compiler might take instead.
fn rivals(
    world: &World<'_>,
    method: &Method,
    owner: &ClassType,
    n_ahead: usize,
    has_outer: bool,
) -> (Rival, Vec<Rival>) {
    let n_args = method.parameters.len();
    let erased: Vec<JavaType> = method.parameters.iter().map(JavaType::of).collect();
    let n_hidden = if has_outer { n_ahead } else { 0 };
    let mut known: Vec<Rival> = Vec::new();
    let mut own = None;
    for (declaring, facts) in world.methods(owner, &method.name) {
        if facts.is_synthetic || !world.can_call(&declaring.name, &facts) {
            continue;
        }
        let seen = seen_parameters(world, &declaring, &facts);
        if own.is_none() && facts.erased == method.parameters {
            own = Some(seen.clone());
        }
        let could_take = seen.erased.len() == n_args || facts.is_varargs || method.is_varargs;
        if could_take && !known.iter().any(|rival| rival.erased == seen.erased) {
            known.push(seen);
        }
    }
    let mut own =
        own.unwrap_or_else(|| Rival { full: erased.clone(), erased, type_parameters: Vec::new() });
    known.retain(|rival| rival.erased != own.erased);
    let hide = |parameters: &mut Vec<JavaType>| {
        parameters.drain(..n_hidden.min(parameters.len()));
    };
    for rival in known.iter_mut().chain([&mut own]) {
        hide(&mut rival.erased);
        hide(&mut rival.full);
    }
    (own, known)
}

/// The parameter types of a method, as a member of the type through which it is seen.
fn seen_parameters(world: &World<'_>, declaring: &ClassType, facts: &MethodFacts) -> Rival {
    let class = world.class(&declaring.name);
    let parameters = class.as_ref().map_or(&[][..], |class| &class.type_parameters);
    if declaring.args.is_empty() && !facts.is_static {
        let erased: Vec<JavaType> = facts.erased.iter().map(JavaType::of).collect();
        return Rival { full: erased.clone(), erased, type_parameters: Vec::new() };
    }
    let with = substitution(parameters, &declaring.args);
    let variables: Vec<_> = facts.type_parameters.iter().chain(parameters).cloned().collect();
    let full: Vec<JavaType> =
        facts.parameters.iter().map(|formal| substitute(formal, &with)).collect();
    Rival {
        erased: full.iter().map(|formal| world.erase(formal, &variables)).collect(),
        full,
        type_parameters: facts.type_parameters.clone(),
    }
}

/// Adds casts where the compiler would not choose this method by itself.
fn separate(
    world: &World<'_>,
    call: &mut Resolved,
    operands: &[Operand],
    own: &Rival,
    rivals: &[Rival],
) {
    let same_length: Vec<&Rival> =
        rivals.iter().filter(|rival| rival.erased.len() == own.erased.len()).collect();
    let is_clear = |call: &Resolved| {
        let types: Vec<JavaType> = operands
            .iter()
            .zip(&call.args)
            .map(|(operand, form)| match &form.cast {
                Some(cast) => cast.clone(),
                None if form.keeps_box => boxed(&operand.plain_type()),
                None => operand.plain_type(),
            })
            .collect();
        chooses(world, own, &same_length, &types)
    };
    if is_clear(call) {
        return;
    }
    let mut told = BTreeMap::new();
    for (operand, full) in operands.iter().zip(&own.full) {
        world.collect(&mut told, &own.type_parameters, full, &operand.plain_type());
    }
    let cast_nulls = |call: &mut Resolved| {
        let wanted = own.erased.iter().zip(&own.full);
        for ((operand, form), (erased, full)) in operands.iter().zip(&mut call.args).zip(wanted) {
            if form.cast.is_none() && operand.plain_type() == JavaType::Null {
                // Other arguments may tell what a type parameter is.
                let exact = match full {
                    JavaType::Variable(name) => told.get(name).and_then(|told| told.exact.first()),
                    _ => None,
                };
                form.cast = Some(exact.unwrap_or(erased).clone());
            }
        }
    };
    let mut without_boxes = call.clone();
    cast_nulls(&mut without_boxes);
    if is_clear(&without_boxes) && operands.iter().any(Operand::is_boxed) {
        *call = without_boxes;
        return;
    }
    for (operand, form) in operands.iter().zip(&mut call.args) {
        form.keeps_box = operand.is_boxed();
    }
    if is_clear(call) {
        return;
    }
    cast_nulls(call);
    if is_clear(call) {
        return;
    }
    for ((operand, form), own) in operands.iter().zip(&mut call.args).zip(&own.erased) {
        let plain = operand.plain_type();
        let plain = if form.keeps_box { boxed(&plain) } else { plain };
        if form.cast.is_none() && world.erase(&plain, &[]) != *own {
            // A supertype keeps the type arguments.
            let above = match (&plain, own) {
                (JavaType::Class(plain), JavaType::Class(own)) => world.as_super(plain, &own.name),
                _ => None,
            };
            form.cast = Some(above.map_or_else(|| own.clone(), JavaType::Class));
        }
    }
    if is_clear(call) {
        return;
    }
    if let Some(typed) = with_type_arguments(world, call, operands, own)
        && is_clear(&typed)
    {
        *call = typed;
    }
}

/// A generic call with its arguments cast to types that name type arguments: with `(Map<String, String>) (Map) map`
/// and a `Supplier<String>`, the compiler no longer thinks of a `V` that is a supplier.
fn with_type_arguments(
    world: &World<'_>,
    call: &Resolved,
    operands: &[Operand],
    own: &Rival,
) -> Option<Resolved> {
    let mut hints: BTreeMap<Arc<str>, Hints> = BTreeMap::new();
    for parameter in &own.type_parameters {
        // Whatever is no supertype of anything else.
        let exact = vec![JavaType::class("java/lang/String")];
        hints.insert(parameter.name.clone(), Hints { exact, at_least: Vec::new() });
    }
    for (operand, full) in operands.iter().zip(&own.full) {
        if let JavaType::Variable(name) = full
            && let Some(hints) = hints.get_mut(name)
            && operand.plain_type() != JavaType::Null
        {
            hints.exact = vec![boxed(&operand.plain_type())];
        }
    }
    let chosen = world.solve(&own.type_parameters, &hints)?;
    let mut typed = call.clone();
    typed.is_unchecked = true;
    for ((operand, form), (full, erased)) in
        operands.iter().zip(&mut typed.args).zip(own.full.iter().zip(&own.erased))
    {
        if !full.has_args() || !full.mentions(&own.type_parameters) {
            continue;
        }
        let plain = operand.plain_type();
        let is_raw = plain == JavaType::Null || plain == *erased;
        form.via = (!is_raw).then(|| erased.clone());
        form.cast = Some(substitute(full, &chosen));
    }
    Some(typed)
}

/// Whether the compiler finds no type arguments with which a method takes these arguments, since they want
/// different ones for the same type parameter.
fn is_at_odds(world: &World<'_>, rival: &Rival, types: &[JavaType]) -> bool {
    let mut hints = BTreeMap::new();
    for (formal, own) in rival.full.iter().zip(types) {
        world.collect(&mut hints, &rival.type_parameters, formal, own);
    }
    hints.values().any(|hints: &Hints| {
        let Some(exact) = hints.exact.first() else { return false };
        hints.exact.iter().any(|other| other != exact)
            || hints.at_least.iter().any(|own| match own {
                JavaType::Variable(_) => own != exact && *exact != JavaType::object(),
                _ => world.fit(own, exact) == Fit::No,
            })
    })
}

/// A method whose type parameters have names that no other method's have.
fn renamed(of: &Rival) -> Rival {
    let other = |name: &Arc<str>| -> Arc<str> { format!("{name}'").into() };
    let with: Substitution = of
        .type_parameters
        .iter()
        .map(|parameter| {
            let variable = JavaType::Variable(other(&parameter.name));
            (parameter.name.clone(), TypeArg::Exact(variable))
        })
        .collect();
    let rename = |types: &[JavaType]| types.iter().map(|of| substitute(of, &with)).collect();
    let parameter =
        |of: &TypeParameter| TypeParameter { name: other(&of.name), bounds: rename(&of.bounds) };
    Rival {
        erased: of.erased.clone(),
        full: rename(&of.full),
        type_parameters: of.type_parameters.iter().map(parameter).collect(),
    }
}

/// Whether the compiler chooses a method with these parameters for these arguments.
fn chooses(world: &World<'_>, own: &Rival, rivals: &[&Rival], types: &[JavaType]) -> bool {
    let strict = |parameters: &[JavaType]| {
        types.iter().zip(parameters).all(|(own, wanted)| world.fit(own, wanted) != Fit::No)
    };
    let loose = |parameters: &[JavaType]| {
        types.iter().zip(parameters).all(|(own, wanted)| {
            world.fit(own, wanted) != Fit::No
                || world.fit(&boxed(own), wanted) != Fit::No
                || unboxed(own)
                    .is_some_and(|own| world.fit(&JavaType::Primitive(own), wanted) != Fit::No)
        })
    };
    let takes = |rival: &Rival| {
        types.iter().zip(&rival.full).all(|(own, wanted)| !contradicts(world, own, wanted))
            && !is_at_odds(world, rival, types)
    };
    let rivals: Vec<&Rival> = rivals.iter().copied().filter(|rival| takes(rival)).collect();
    let is_beaten = |rival: &Rival| {
        let fits = |(own, (erased, full)): (&JavaType, (&JavaType, &JavaType))| {
            world.fit(own, erased) != Fit::No && !contradicts(world, own, full)
        };
        own.erased.iter().zip(rival.erased.iter().zip(&rival.full)).all(fits)
            && !is_at_odds(world, &renamed(rival), &own.full)
    };
    if strict(&own.erased) {
        rivals.iter().filter(|rival| strict(&rival.erased)).all(|rival| is_beaten(rival))
    } else {
        !rivals.iter().any(|rival| strict(&rival.erased))
            && rivals.iter().filter(|rival| loose(&rival.erased)).all(|rival| is_beaten(rival))
    }
}

/// Whether a class fixes type arguments of its supertype to others: `Properties` is a `Map`, but no
/// `Map<String, V>`.
fn contradicts(world: &World<'_>, own: &JavaType, above: &JavaType) -> bool {
    let (JavaType::Class(own), JavaType::Class(above)) = (own, above) else { return false };
    let Some(seen) = world.as_super(own, &above.name) else { return false };
    seen.args.iter().zip(&above.args).any(|(seen, wanted)| match (seen, wanted) {
        (
            TypeArg::Exact(seen @ JavaType::Class(_)),
            TypeArg::Exact(wanted @ JavaType::Class(_)),
        ) => world.class_of(seen) != world.class_of(wanted),
        _ => false,
    })
}

/// The types of a method as seen through the type it is called on.
struct Signature {
    formals: Vec<JavaType>,
    returns: JavaType,
    type_parameters: Vec<TypeParameter>,
    of_class: Substitution,
    /// Whether type arguments were forgotten with those of the receiver.
    is_raw: bool,
}

impl Signature {
    fn of(
        world: &World<'_>,
        method: &Method,
        declaring: &ClassType,
        facts: Option<&MethodFacts>,
    ) -> Signature {
        let erased = Signature {
            formals: method.parameters.iter().map(JavaType::of).collect(),
            returns: JavaType::of(&method.returns),
            type_parameters: Vec::new(),
            of_class: Substitution::new(),
            is_raw: true,
        };
        let Some(facts) = facts else { return erased };
        let class = world.class(&declaring.name);
        let parameters = class.as_ref().map_or(&[][..], |class| &class.type_parameters);
        let forgets = declaring.args.is_empty() && world.is_generic(&declaring.name);
        if forgets && method.dispatch != Dispatch::Static {
            return erased;
        }
        let mut of_class = substitution(parameters, &declaring.args);
        for own in &facts.type_parameters {
            of_class.remove(&own.name);
        }
        Signature {
            formals: facts.parameters.clone(),
            returns: facts.returns.clone(),
            type_parameters: facts.type_parameters.clone(),
            of_class,
            is_raw: false,
        }
    }

    /// All type variables that may occur in it.
    fn variables(&self, world: &World<'_>, declaring: &ClassType) -> Vec<TypeParameter> {
        let class = world.class(&declaring.name);
        let of_class = class.as_ref().map_or(&[][..], |class| &class.type_parameters);
        self.type_parameters.iter().chain(of_class).cloned().collect()
    }

    /// Whether type arguments of the receiver are bounds of the method's own.
    fn has_bounds_of(&self, world: &World<'_>, declaring: &ClassType) -> bool {
        let class = world.class(&declaring.name);
        let of_class = class.as_ref().map_or(&[][..], |class| &class.type_parameters);
        let mut bounds = self.type_parameters.iter().flat_map(|parameter| &parameter.bounds);
        bounds.any(|bound| bound.mentions(of_class))
    }

    /// The method's own type arguments; `None` where the compiler would find none, or ones we do not
    /// foresee.
    fn infer(
        &self,
        world: &World<'_>,
        formals: &[JavaType],
        types: &[JavaType],
    ) -> Option<Substitution> {
        let mut hints = BTreeMap::new();
        for (formal, own) in formals.iter().zip(types) {
            let formal = substitute(formal, &self.of_class);
            if !world.collect(&mut hints, &self.type_parameters, &formal, own)
                && formal.mentions(&self.type_parameters)
            {
                return None;
            }
        }
        let bounded: Vec<_> = self
            .type_parameters
            .iter()
            .map(|parameter| TypeParameter {
                name: parameter.name.clone(),
                bounds: parameter
                    .bounds
                    .iter()
                    .map(|bound| substitute(bound, &self.of_class))
                    .collect(),
            })
            .collect();
        let chosen = world.solve(&bounded, &hints)?;
        let fits = |(formal, own): (&JavaType, &JavaType)| {
            *own == JavaType::Null
                || !formal.mentions(&self.type_parameters)
                || self
                    .parameter(formal, &chosen)
                    .is_some_and(|wanted| world.fit(&boxed(own), &wanted) != Fit::No)
        };
        formals.iter().zip(types).all(fits).then_some(chosen)
    }

    /// The type that an argument must have; `None` where nothing but `null` would do.
    fn parameter(&self, formal: &JavaType, chosen: &Substitution) -> Option<JavaType> {
        if let JavaType::Variable(name) = formal
            && let Some(TypeArg::Super(lower)) = self.of_class.get(name)
        {
            return Some(lower.clone());
        }
        let mut exact = chosen.clone();
        for (name, arg) in &self.of_class {
            if let TypeArg::Exact(_) = arg {
                exact.entry(name.clone()).or_insert_with(|| arg.clone());
            }
        }
        let put_in = substitute(formal, &exact);
        let is_captured = self.of_class.iter().any(|(name, arg)| {
            let variable = TypeParameter { name: name.clone(), bounds: Vec::new() };
            !matches!(arg, TypeArg::Exact(_))
                && !chosen.contains_key(name)
                && formal.mentions(&[variable])
        });
        (!is_captured).then_some(put_in)
    }

    fn result(
        &self,
        world: &World<'_>,
        method: &Method,
        declaring: &ClassType,
        owner: &ClassType,
        inferred: Option<Substitution>,
        is_unchecked: bool,
    ) -> JavaType {
        if method.is_constructor() {
            return JavaType::Class(owner.clone());
        }
        let variables = self.variables(world, declaring);
        let erased = JavaType::of(&method.returns);
        let (Some(inferred), false, false) = (inferred, is_unchecked, self.is_raw) else {
            // A subclass may promise more than the descriptor that was asked for.
            let own = world.erase(&self.returns, &variables);
            return if world.fit(&own, &erased) == Fit::Yes { own } else { erased };
        };
        let mut with = self.of_class.clone();
        with.extend(inferred);
        let found = substitute(&self.returns, &with);
        if found.mentions(&variables) { world.erase(&found, &variables) } else { found }
    }
}

impl World<'_> {
    /// The class whose name a type is written with; arrays with that of their elements.
    pub(crate) fn class_of<'t>(&self, of: &'t JavaType) -> Option<&'t Arc<str>> {
        match of {
            JavaType::Class(class) => Some(&class.name),
            JavaType::Array(element) => self.class_of(element),
            _ => None,
        }
    }
}
