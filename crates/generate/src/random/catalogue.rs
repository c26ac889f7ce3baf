//! What a random sequence can be made of: calls, arrays, literals, and the types that are wanted.
//!
//! Calls of the classes under test are the aim. Where they take objects of other classes, the ways to
//! make such objects (constructors, static factories, what fills a collection) come along as helpers.

use std::collections::VecDeque;
use std::sync::Arc;

use observe::session::Session;
use observe::stand_in::to_implement;
use rustc_hash::{FxHashMap, FxHashSet};
use suite::constant::Constant;
use suite::method::Method;
use suite::stand_in::StandIn;
use suite::types::Type;

use crate::api::{self, Choice};
use crate::arguments::{default_constants, own_constants};
use crate::stand_ins;

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
}

impl Op {
    /// Neither a call on an object nor one of a class under test.
    fn plain(action: Action, params: Vec<TypeId>) -> Op {
        Op {
            action,
            params,
            has_receiver: false,
            is_equals: false,
            compares: false,
            gives_null: false,
            target: None,
        }
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
    types: Vec<Type>,
    type_ids: FxHashMap<Type, TypeId>,
    literals: Vec<Constant>,
    literal_ids: FxHashMap<Constant, LiteralId>,
    /// By type: literals to choose from.
    choices: Vec<Vec<LiteralId>>,
    /// By type: objects that stand in for it.
    stand_ins: Vec<Vec<OpId>>,
    /// By type: how to make an array of it.
    arrays: Vec<Option<OpId>>,
    pub(super) targets: Vec<Target>,
    target_names: FxHashSet<Arc<str>>,
    pub(super) helpers: Vec<OpId>,
    /// Small numbers by which repeated calls differ, by type.
    counters: FxHashMap<TypeId, Vec<LiteralId>>,
    pub(super) null: LiteralId,
    /// Classes that cannot be tested, and why.
    pub(super) refused: Vec<(String, String)>,
}

/// Which literals are used beside the usual ones.
#[derive(Debug, Clone, Default)]
pub struct Literals {
    /// Given by the user or seen in tests, for all classes.
    pub given: Vec<Constant>,
    /// Whether constants of the classes' own code are used.
    pub own: bool,
}

/// The numbers by which repeated calls may differ go up to here.
const MOST_COUNTERS: i32 = 100;
/// Classes whose makers come along as helpers, at most.
const MOST_HELPERS: usize = 400;

/// Ways to make what the JDK's interfaces ask for, and what fills it.
const MAKERS: &[(&str, &str, &[&str])] = &[
    ("java/util/Collection", "java/util/ArrayList", &["add(Object)"]),
    ("java/lang/Iterable", "java/util/ArrayList", &["add(Object)"]),
    ("java/util/List", "java/util/ArrayList", &["add(Object)"]),
    ("java/util/AbstractList", "java/util/ArrayList", &["add(Object)"]),
    ("java/util/Set", "java/util/LinkedHashSet", &["add(Object)"]),
    ("java/util/SortedSet", "java/util/TreeSet", &["add(Object)"]),
    ("java/util/NavigableSet", "java/util/TreeSet", &["add(Object)"]),
    ("java/util/Map", "java/util/LinkedHashMap", &["put(Object,Object)"]),
    ("java/util/SortedMap", "java/util/TreeMap", &["put(Object,Object)"]),
    ("java/util/NavigableMap", "java/util/TreeMap", &["put(Object,Object)"]),
    ("java/util/Queue", "java/util/ArrayDeque", &["add(Object)"]),
    ("java/util/Deque", "java/util/ArrayDeque", &["add(Object)"]),
    ("java/util/Iterator", "java/util/ArrayList", &["add(Object)", "iterator()"]),
    ("java/util/ListIterator", "java/util/ArrayList", &["add(Object)", "listIterator()"]),
    ("java/util/Enumeration", "java/util/Vector", &["add(Object)", "elements()"]),
    ("java/util/stream/Stream", "java/util/ArrayList", &["add(Object)", "stream()"]),
];

impl Catalogue {
    /// Reads what the classes under test offer and need.
    pub(super) fn new(
        session: &mut Session,
        classes: &[String],
        choice: &Choice,
        literals: &Literals,
    ) -> Catalogue {
        let mut catalogue = Catalogue::default();
        catalogue.null = catalogue.intern(Constant::Null);
        for name in classes {
            match api::of_class(session, name, choice) {
                Ok(api) => {
                    let methods = api.constructors.iter().chain(&api.statics).chain(&api.methods);
                    let target = u32::try_from(catalogue.targets.len()).unwrap_or(u32::MAX);
                    let ops = methods.map(|method| catalogue.add_call(method, Some(target)));
                    let ops = ops.collect();
                    catalogue.target_names.insert(name.as_str().into());
                    catalogue.targets.push(Target { name: name.as_str().into(), ops });
                }
                Err(reason) => catalogue.refused.push((name.clone(), reason.to_string())),
            }
        }
        catalogue.add_helpers(session);
        catalogue.add_stand_ins(session);
        catalogue.add_literals(session, literals);
        catalogue
    }

    pub(super) fn op(&self, id: OpId) -> &Op {
        &self.ops[id.idx()]
    }

    pub(super) fn ops(&self) -> &[Op] {
        &self.ops
    }

    pub(super) fn types(&self) -> &[Type] {
        &self.types
    }

    pub(super) fn wanted(&self, id: TypeId) -> &Type {
        &self.types[id.idx()]
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

    #[expect(clippy::cast_possible_truncation, reason = "memory ends before")]
    fn type_id(&mut self, of: &Type) -> TypeId {
        if let Some(&id) = self.type_ids.get(of) {
            return id;
        }
        let id = TypeId(self.types.len() as u32);
        self.types.push(of.clone());
        self.type_ids.insert(of.clone(), id);
        self.choices.push(Vec::new());
        self.arrays.push(None);
        self.stand_ins.push(Vec::new());
        if let Type::Array(element) = of {
            let params = vec![self.type_id(element)];
            let action = Action::Array((**element).clone());
            let op = self.add(Op::plain(action, params));
            self.arrays[id.idx()] = Some(op);
        }
        id
    }

    #[expect(clippy::cast_possible_truncation, reason = "memory ends before")]
    fn add(&mut self, op: Op) -> OpId {
        self.ops.push(op);
        OpId(self.ops.len() as u32 - 1)
    }

    fn add_call(&mut self, method: &Arc<Method>, target: Option<u32>) -> OpId {
        let params = method.arguments().iter().map(|of| self.type_id(of)).collect();
        let compares = matches!(&*method.name, "equals" | "compareTo" | "compare");
        let is_equals = &*method.name == "equals" && method.parameters.len() == 1;
        let op = Op::plain(Action::Call(method.clone()), params);
        self.add(Op { has_receiver: method.has_receiver(), is_equals, compares, target, ..op })
    }

    /// Adds ways to make objects that the calls so far take and none of the classes under test makes.
    fn add_helpers(&mut self, session: &mut Session) {
        let mut seen: FxHashSet<Arc<str>> = FxHashSet::default();
        seen.extend(self.targets.iter().map(|target| target.name.clone()));
        let mut next = 0;
        let mut waiting: VecDeque<Type> = VecDeque::new();
        while seen.len() < MOST_HELPERS + self.targets.len() {
            while next < self.types.len() {
                waiting.push_back(self.types[next].clone());
                next += 1;
            }
            let Some(wanted) = waiting.pop_front() else { break };
            let Type::Class(name) = &wanted else { continue };
            if let Some((_, maker, fillers)) =
                MAKERS.iter().find(|(interface, _, _)| **interface == **name)
            {
                let mut names: Vec<String> =
                    fillers.iter().map(|&filler| filler.to_owned()).collect();
                names.push("new()".to_owned());
                self.add_helper_class(session, maker, names, &mut seen);
            } else if !seen.contains(name) && default_constants(session, &wanted).is_empty() {
                let name = name.clone();
                self.add_makers(session, &name, &mut seen);
            }
        }
    }

    /// Chosen members of a class as helpers.
    fn add_helper_class(
        &mut self,
        session: &mut Session,
        class: &str,
        methods: Vec<String>,
        seen: &mut FxHashSet<Arc<str>>,
    ) {
        if !seen.insert(format!("{class} {}", methods.join(" ")).into()) {
            return;
        }
        let choice = Choice { package_private: false, methods };
        let Ok(api) = api::of_class(session, class, &choice) else { return };
        for method in api.constructors.iter().chain(&api.methods) {
            let op = self.add_call(method, None);
            if !self.helpers.contains(&op) {
                self.helpers.push(op);
            }
        }
    }

    /// Constructors and static factories of a class as helpers.
    fn add_makers(
        &mut self,
        session: &mut Session,
        class: &Arc<str>,
        seen: &mut FxHashSet<Arc<str>>,
    ) {
        seen.insert(class.clone());
        let choice = Choice { package_private: false, methods: Vec::new() };
        let is_public = |session: &mut Session| {
            let id = session.load(class).ok()?;
            Some(session.vm.class(id).flags & vm::class::flags::PUBLIC != 0)
        };
        if is_public(session) != Some(true) {
            return;
        }
        let Ok(api) = api::of_class(session, class, &choice) else { return };
        let own = Type::Class(class.clone());
        let factories = api.statics.iter().filter(|method| method.result() == own);
        for method in api.constructors.iter().chain(factories) {
            let op = self.add_call(method, None);
            self.helpers.push(op);
        }
    }

    fn add_stand_ins(&mut self, session: &mut Session) {
        for idx in 0..self.types.len() {
            let wanted = self.types[idx].clone();
            let has_constants = !default_constants(session, &wanted).is_empty();
            if has_constants || !may_be_stood_in_for(session, &wanted) {
                continue;
            }
            for stand_in in stand_ins::for_type(session, &wanted) {
                let gives_null = stand_ins::gives_null(session, &stand_in);
                let op = Op::plain(Action::StandIn(Arc::new(stand_in)), Vec::new());
                let op = self.add(Op { gives_null, ..op });
                self.stand_ins[idx].push(op);
            }
        }
    }

    fn add_literals(&mut self, session: &mut Session, literals: &Literals) {
        let mut given: Vec<Constant> = literals.given.clone();
        if literals.own {
            for target in &self.targets {
                given.extend(own_constants(session, &target.name));
            }
        }
        for idx in 0..self.types.len() {
            let wanted = self.types[idx].clone();
            let mut constants = default_constants(session, &wanted);
            constants.extend(given.iter().filter_map(|constant| fitting(constant, &wanted)));
            for constant in constants {
                if constant == Constant::Null {
                    continue;
                }
                let id = self.intern(constant);
                if !self.choices[idx].contains(&id) {
                    self.choices[idx].push(id);
                }
            }
            let counters: Vec<Constant> = (0..=MOST_COUNTERS)
                .filter_map(|number| fitting(&Constant::Int(number), &wanted))
                .collect();
            let counters: Vec<LiteralId> =
                counters.into_iter().map(|constant| self.intern(constant)).collect();
            if !counters.is_empty() {
                let id = self.type_ids[&wanted];
                self.counters.insert(id, counters);
            }
        }
    }
}

/// Stand-ins keep few of the promises of the JDK's own interfaces, which have real implementations; only
/// those with a single method promise nothing.
fn may_be_stood_in_for(session: &mut Session, wanted: &Type) -> bool {
    let Type::Class(name) = wanted else { return false };
    let Ok(id) = session.load(name) else { return false };
    let vm = &session.vm;
    !vm.is_jdk_loader(vm.class(id).loader) || to_implement(vm, id).len() == 1
}

/// A constant as a literal of a type, if it can be one.
fn fitting(constant: &Constant, wanted: &Type) -> Option<Constant> {
    if constant.natural_type().as_ref() == Some(wanted) {
        return Some(constant.clone());
    }
    let Constant::Int(number) = *constant else {
        let is_text = matches!(constant, Constant::Text(_));
        let takes_text = matches!(wanted, Type::Class(name)
            if matches!(&**name, "java/lang/CharSequence" | "java/lang/Object" | "java/lang/Comparable"));
        return (is_text && takes_text).then(|| constant.clone());
    };
    Some(match wanted {
        Type::Long => Constant::Long(i64::from(number)),
        Type::Short => Constant::Short(i16::try_from(number).ok()?),
        Type::Byte => Constant::Byte(i8::try_from(number).ok()?),
        Type::Double => Constant::Double(f64::from(number).to_bits()),
        Type::Class(name)
            if matches!(
                &**name,
                "java/lang/Object"
                    | "java/lang/Comparable"
                    | "java/lang/Integer"
                    | "java/lang/Number"
            ) =>
        {
            Constant::Boxed(Box::new(Constant::Int(number)))
        }
        _ => return None,
    })
}
