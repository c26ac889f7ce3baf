//! What a random sequence can be made of: calls, arrays, literals, and the types that are wanted.
//!
//! Calls of the classes under test are the aim. Where they take objects of other classes, the ways to
//! make such objects (constructors, static factories, what fills a collection) come along as helpers.

mod literals;
mod makings;
mod taken_out;

use std::collections::VecDeque;
use std::sync::Arc;

use observe::session::Session;
use rustc_hash::{FxHashMap, FxHashSet};
use suite::constant::Constant;
use suite::method::Method;
use suite::stand_in::StandIn;
use suite::types::Type;

use crate::api::{self, Choice};
use crate::arguments::Implementations;
use crate::generics::{self, Usage, Wanted};

pub use literals::Literals;
pub(super) use makings::Making;

/// Position of a thing that can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct OpId(pub(super) u32);

/// Position of a type that is wanted somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TypeId(pub(super) u32);

/// Position of a literal.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct LiteralId(pub(super) u32);

impl OpId {
    pub(super) fn idx(self) -> usize {
        self.0 as usize
    }
}

impl TypeId {
    pub(super) fn idx(self) -> usize {
        self.0 as usize
    }
}

/// What a statement does.
#[derive(Debug, Clone)]
pub(super) enum Action {
    /// Calls a method.
    Call(Arc<Method>),
    /// Makes an array of this element type, of any length.
    Array(Type),
    /// Makes an object that stands in for an interface or abstract class.
    StandIn(Arc<StandIn>),
}

/// A thing that can be done.
#[derive(Debug, Clone)]
pub(super) struct Op {
    pub(super) action: Action,
    /// Types of the arguments, receiver first; one for all elements of an array.
    pub(super) params: Vec<TypeId>,
    pub(super) has_receiver: bool,
    /// Whether it is `equals(Object)`, and whether it compares objects in any way.
    pub(super) is_equals: bool,
    pub(super) compares: bool,
    /// Whether it stands in for something and may give `null`.
    pub(super) gives_null: bool,
    /// The class under test that it belongs to; helpers belong to none.
    pub(super) target: Option<u32>,
    /// What it gives.
    result: Wanted,
    /// The wanted types with type arguments that its result is of by declaration.
    pub(super) gives: Arc<[TypeId]>,
    /// Whether its receiver may then hold what its type arguments do not allow.
    pub(super) spoils: bool,
}

impl Op {
    /// Neither a call on an object nor one of a class under test.
    fn plain(action: Action, params: Vec<TypeId>, result: Wanted) -> Op {
        Op {
            action,
            params,
            result,
            gives: Arc::from([]),
            spoils: false,
            has_receiver: false,
            is_equals: false,
            compares: false,
            gives_null: false,
            target: None,
        }
    }

    /// What it gives by generic signatures, where that is more than the method itself says.
    pub(super) fn promised(&self) -> Option<&Type> {
        let own = match &self.action {
            Action::Call(method) => method.result(),
            Action::Array(_) | Action::StandIn(_) => return None,
        };
        (own.is_reference() && own != self.result.erasure).then_some(&self.result.erasure)
    }
}

/// A class under test.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) name: Arc<str>,
    pub(super) ops: Vec<OpId>,
}

/// Everything that sequences are made of.
#[derive(Debug, Default)]
pub(super) struct Catalogue {
    ops: Vec<Op>,
    op_ids: FxHashMap<(Arc<Method>, Vec<TypeId>, Wanted), OpId>,
    types: Vec<Wanted>,
    type_ids: FxHashMap<Wanted, TypeId>,
    /// By type: the same without type arguments.
    erased: Vec<TypeId>,
    /// By type: whether a call takes it.
    is_taken: Vec<bool>,
    /// Types that calls take and for which ways to make them are still to be found.
    waiting: VecDeque<TypeId>,
    literals: Vec<Constant>,
    literal_ids: FxHashMap<Constant, LiteralId>,
    /// By type: literals to choose from.
    choices: Vec<Vec<LiteralId>>,
    /// By type: objects that stand in for it.
    stand_ins: Vec<Vec<OpId>>,
    /// By type: how to make an array of it.
    arrays: Vec<Option<OpId>>,
    /// By type: calls that make an object of it.
    makings: Vec<Vec<Making>>,
    pub(super) targets: Vec<Target>,
    target_names: FxHashSet<Arc<str>>,
    pub(super) helpers: Vec<OpId>,
    /// Small numbers by which repeated calls differ, by type.
    counters: FxHashMap<TypeId, Vec<LiteralId>>,
    pub(super) null: LiteralId,
    /// Classes that cannot be tested, and why.
    pub(super) refused: Vec<(String, String)>,
}

impl Catalogue {
    /// Reads what the classes under test offer and need.
    pub(super) fn new(
        session: &mut Session,
        classes: &[String],
        choice: &Choice,
        literals: &Literals,
        implementations: &Implementations,
    ) -> Catalogue {
        let mut catalogue = Catalogue::default();
        catalogue.null = catalogue.intern(Constant::Null);
        for name in classes {
            match api::of_class(session, name, choice) {
                Ok(api) => {
                    let methods = api.constructors.iter().chain(&api.statics).chain(&api.methods);
                    let target = u32::try_from(catalogue.targets.len()).unwrap_or(u32::MAX);
                    let mut ops = Vec::new();
                    for method in methods {
                        let usage = usage(session, method);
                        ops.push(catalogue.add_call(method, usage, Some(target)));
                    }
                    catalogue.target_names.insert(name.as_str().into());
                    catalogue.targets.push(Target { name: name.as_str().into(), ops });
                }
                Err(reason) => catalogue.refused.push((name.clone(), reason.to_string())),
            }
        }
        catalogue.add_makings(session, implementations);
        catalogue.add_stand_ins(session);
        catalogue.add_literals(session, literals);
        catalogue.declare(session);
        catalogue
    }

    pub(super) fn op(&self, id: OpId) -> &Op {
        &self.ops[id.idx()]
    }

    pub(super) fn ops(&self) -> &[Op] {
        &self.ops
    }

    pub(super) fn types(&self) -> &[Wanted] {
        &self.types
    }

    /// A wanted type without type arguments.
    pub(super) fn wanted(&self, id: TypeId) -> &Type {
        &self.types[id.idx()].erasure
    }

    /// The same type without type arguments; itself if it has none.
    pub(super) fn erased(&self, id: TypeId) -> TypeId {
        self.erased[id.idx()]
    }

    pub(super) fn literal(&self, id: LiteralId) -> &Constant {
        &self.literals[id.0 as usize]
    }

    pub(super) fn literals(&self) -> &[Constant] {
        &self.literals
    }

    /// Literals of a type to choose from.
    pub(super) fn choices(&self, of: TypeId) -> &[LiteralId] {
        &self.choices[of.idx()]
    }

    /// Small numbers of a type in a row; none for other types.
    pub(super) fn counters(&self, of: TypeId) -> &[LiteralId] {
        self.counters.get(&of).map_or(&[], Vec::as_slice)
    }

    /// Ways to make objects that stand in for a type.
    pub(super) fn stand_ins(&self, of: TypeId) -> &[OpId] {
        &self.stand_ins[of.idx()]
    }

    /// Calls that make an object of a type.
    pub(super) fn makings(&self, of: TypeId) -> &[Making] {
        &self.makings[of.idx()]
    }

    /// How an array of this type is made, if it is one.
    pub(super) fn array(&self, of: TypeId) -> Option<OpId> {
        self.arrays[of.idx()]
    }

    /// Whether a class is under test or nested in one that is.
    pub(super) fn is_under_test(&self, name: &str) -> bool {
        let outer = name.split('$').next().unwrap_or_default();
        self.target_names.contains(name) || self.target_names.contains(outer)
    }

    /// Whether objects of a class are judged: those under test, and all that are not the JDK's.
    pub(super) fn is_judged(&self, name: &str, is_of_jdk: bool) -> bool {
        let is_ours = name.contains("$$StandIn");
        !is_ours && (!is_of_jdk || self.is_under_test(name))
    }

    #[expect(clippy::cast_possible_truncation, reason = "memory ends before")]
    fn intern(&mut self, constant: Constant) -> LiteralId {
        let next = LiteralId(self.literals.len() as u32);
        let id = *self.literal_ids.entry(constant.clone()).or_insert(next);
        if id == next {
            self.literals.push(constant);
        }
        id
    }

    /// The position of a type that a call takes.
    fn type_id(&mut self, of: &Wanted) -> TypeId {
        let id = self.known_type(of);
        if !std::mem::replace(&mut self.is_taken[id.idx()], true) {
            self.waiting.push_back(id);
        }
        id
    }

    #[expect(clippy::cast_possible_truncation, reason = "memory ends before")]
    fn known_type(&mut self, of: &Wanted) -> TypeId {
        if let Some(&id) = self.type_ids.get(of) {
            return id;
        }
        let id = TypeId(self.types.len() as u32);
        self.types.push(of.clone());
        self.type_ids.insert(of.clone(), id);
        self.choices.push(Vec::new());
        self.arrays.push(None);
        self.stand_ins.push(Vec::new());
        self.makings.push(Vec::new());
        self.erased.push(id);
        self.is_taken.push(false);
        let argument_ids: Vec<TypeId> = of.arguments.iter().map(|one| self.type_id(one)).collect();
        if let Type::Array(element) = &of.erasure {
            let params = match argument_ids.as_slice() {
                [element] => vec![*element],
                _ => vec![self.type_id(&Wanted::plain((**element).clone()))],
            };
            let action = Action::Array((**element).clone());
            let op = self.add(Op::plain(action, params, of.clone()));
            self.arrays[id.idx()] = Some(op);
        }
        if !of.arguments.is_empty() {
            self.erased[id.idx()] = self.known_type(&Wanted::plain(of.erasure.clone()));
        }
        id
    }

    #[expect(clippy::cast_possible_truncation, reason = "memory ends before")]
    fn add(&mut self, op: Op) -> OpId {
        self.ops.push(op);
        OpId(self.ops.len() as u32 - 1)
    }

    /// Adds a call unless it is there with the same types of arguments and result.
    fn add_call(&mut self, method: &Arc<Method>, usage: Usage, target: Option<u32>) -> OpId {
        let params: Vec<TypeId> = usage.arguments.iter().map(|of| self.type_id(of)).collect();
        self.add_call_on(method, params, usage.result, target)
    }

    /// As `add_call`; nobody need make what it takes.
    fn add_call_on(
        &mut self,
        method: &Arc<Method>,
        params: Vec<TypeId>,
        result: Wanted,
        target: Option<u32>,
    ) -> OpId {
        let key = (method.clone(), params.clone(), result.clone());
        if let Some(&known) = self.op_ids.get(&key) {
            return known;
        }
        let compares = matches!(&*method.name, "equals" | "compareTo" | "compare");
        let is_equals = &*method.name == "equals" && method.parameters.len() == 1;
        let op = Op::plain(Action::Call(method.clone()), params, result);
        let has_receiver = method.has_receiver();
        let id = self.add(Op { has_receiver, is_equals, compares, target, ..op });
        self.op_ids.insert(key, id);
        id
    }

    /// Finds out which results have which type arguments, and which calls may belie them.
    fn declare(&mut self, session: &mut Session) {
        let wanted: Vec<(TypeId, Wanted)> =
            (0..).map(TypeId).zip(self.types.iter().cloned()).collect();
        let with_arguments: Vec<&(TypeId, Wanted)> =
            wanted.iter().filter(|(_, of)| !of.arguments.is_empty()).collect();
        for idx in 0..self.ops.len() {
            let result = self.ops[idx].result.clone();
            if !result.arguments.is_empty() {
                let gives =
                    with_arguments.iter().filter(|(_, of)| generics::gives(session, &result, of));
                self.ops[idx].gives = gives.map(|(id, _)| *id).collect();
            }
            let op = &self.ops[idx];
            let (true, Action::Call(method)) = (op.has_receiver, &op.action) else { continue };
            let is_raw = op.params.first().is_some_and(|&own| self.erased[own.idx()] == own);
            let takes_objects = method.parameters.iter().any(Type::is_reference);
            if is_raw && takes_objects {
                let class = method.class.clone();
                self.ops[idx].spoils = !generics::type_parameters(session, &class).is_empty();
            }
        }
    }
}

/// What a call of a class under test takes and gives, whatever the type arguments of its receiver are.
fn usage(session: &mut Session, method: &Method) -> Usage {
    let receiver = method.has_receiver().then(|| Wanted::plain(Type::Class(method.class.clone())));
    let parameters = generics::parameters(session, method).into_iter().map(generics::settled);
    let arguments = receiver.into_iter().chain(parameters).collect();
    Usage { arguments, result: generics::settled(generics::result(session, method)) }
}
