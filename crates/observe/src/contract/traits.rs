//! What a class has that contracts speak of, found out once per class.

use std::sync::Arc;

use suite::method::Method;
use vm::class::{Class, flags};
use vm::value::{ClassId, MethodId};
use vm::vm::Vm;

use super::known::Known;
use super::rule::{Law, STANDARD};
use super::user::UserContract;
use super::{Contract, Rule};
use crate::session::{Resolved, kind_of};
use crate::state::monitor_equals::own_equals;

/// Methods without parameters that say whether an object is well formed.
const INVARIANTS: &[&str] = &["repOk", "checkRep", "invariant", "classInvariant"];

/// What contracts ask of a class.
#[derive(Debug)]
pub struct Traits {
    /// The class. Held, so that another one under the same identifier is told apart.
    pub class: Arc<Class>,
    /// Its identifier.
    pub id: ClassId,
    /// Whether `equals` is not the one of Object.
    pub own_equals: bool,
    /// Whether `hashCode` is not the one of Object.
    pub own_hash_code: bool,
    /// Whether `toString` is not the one of Object.
    pub own_to_string: bool,
    /// Which types of the class library it has.
    pub is: Is,
    /// Its public `clone`, where it is `Cloneable`.
    pub clone: Option<Resolved>,
    /// Its methods that say whether an object is well formed.
    pub invariants: Vec<Resolved>,
    /// Whether it has type parameters.
    pub is_generic: bool,
    /// The rules for one object that apply to it.
    pub(super) rules: Vec<Rule>,
    /// Whether any rule of pairs or triples may apply.
    pub(super) has_relations: bool,
}

/// Types of the class library that a class has.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each stands for one type")]
pub struct Is {
    pub comparable: bool,
    pub comparator: bool,
    pub iterable: bool,
    pub iterator: bool,
    pub collection: bool,
    pub list: bool,
    pub set: bool,
    pub map: bool,
    pub auto_closeable: bool,
    pub closeable: bool,
    pub serializable: bool,
    pub enumeration: bool,
}

impl Traits {
    /// Finds out what a class has.
    pub(super) fn of(vm: &Vm, known: &Known, users: &[Arc<UserContract>], id: ClassId) -> Traits {
        let class = vm.class(id).clone();
        let is = |of: ClassId| vm.is_subtype(id, of);
        let types = &known.types;
        let own = |name: &str, descriptor: &str| is_own(vm, id, name, descriptor).is_some();
        let is_plain = !class.is_array() && !class.hidden && !class.is_spun;
        let mut traits = Traits {
            id,
            own_equals: own("equals", "(Ljava/lang/Object;)Z"),
            own_hash_code: own("hashCode", "()I"),
            own_to_string: own("toString", "()Ljava/lang/String;"),
            is: Is {
                comparable: is(types.comparable),
                comparator: is(types.comparator),
                iterable: is(types.iterable),
                iterator: is(types.iterator),
                collection: is(types.collection),
                list: is(types.list),
                set: is(types.set),
                map: is(types.map),
                auto_closeable: is(types.auto_closeable),
                closeable: is(types.closeable),
                serializable: is(types.serializable),
                enumeration: is(types.enumeration),
            },
            clone: None,
            invariants: Vec::new(),
            is_generic: class.file().is_some_and(|file| {
                file.signature().is_some_and(|signature| signature.starts_with(b"<"))
            }),
            rules: Vec::new(),
            has_relations: false,
            class,
        };
        // What the machine wrote for a lambda, or a generator for a stub, is nobody's promise.
        if !is_plain {
            return traits;
        }
        // Documented to compare keys and values by identity, against what maps promise.
        if traits.class.name.as_bytes().starts_with(b"java/util/IdentityHashMap") {
            return traits;
        }
        if is(types.cloneable) {
            traits.clone = public_clone(vm, &traits);
        }
        let invariants = INVARIANTS.iter().filter_map(|name| {
            let method = is_own(vm, id, name, "()Z")?;
            let is_offered = vm.method(method).flags & (flags::STATIC | flags::PRIVATE) == 0;
            is_offered.then(|| own_method(vm, &traits, method)).flatten()
        });
        traits.invariants = invariants.collect();
        let applies = |contract: &&'static Contract| match contract.law {
            Law::Object { applies, .. } => applies(&traits),
            Law::Pair { .. } | Law::Triple { .. } | Law::Four { .. } => false,
        };
        let standard = STANDARD.iter().copied().filter(applies).map(Rule::Standard);
        let users = users.iter().filter(|user| user.takes(vm, &[id])).cloned().map(Rule::User);
        traits.rules = standard.chain(users).collect();
        traits.has_relations = traits.own_equals || traits.is.comparable || traits.is.comparator;
        traits
    }
}

/// Whether a class has another `equals` than the one of Object.
pub(super) fn has_own_equals(vm: &Vm, class: ClassId) -> bool {
    own_equals(vm, class).is_some()
}

/// A method of a class that is not inherited from Object.
fn is_own(vm: &Vm, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
    let method = vm.lookup_method(class, name.as_bytes(), descriptor.as_bytes())?;
    (vm.method(method).class != vm.known.object).then_some(method)
}

/// The `clone` that a caller without a cast calls; it may return the class itself, through a bridge.
fn public_clone(vm: &Vm, traits: &Traits) -> Option<Resolved> {
    let chain = traits.class.supers.iter().rev().filter(|&&id| id != vm.known.object);
    for &holder in chain {
        let methods = &vm.class(holder).methods;
        let found = methods.iter().find(|method| {
            method.name.as_bytes() == b"clone"
                && method.descriptor.as_bytes().starts_with(b"()")
                && method.flags & flags::BRIDGE == 0
        });
        if let Some(found) = found {
            let is_public = found.flags & flags::PUBLIC != 0 && found.flags & flags::STATIC == 0;
            return is_public.then(|| own_method(vm, traits, found.id)).flatten();
        }
    }
    None
}

/// A method as a test calls it: through the nearest public class that has it.
fn own_method(vm: &Vm, traits: &Traits, id: MethodId) -> Option<Resolved> {
    let method = vm.method(id);
    let is_public = |class: &Class| class.flags & flags::PUBLIC != 0;
    let through = if is_public(&traits.class) || !is_public(vm.class(method.class)) {
        traits.id
    } else {
        method.class
    };
    let name = vm.class(through).name.to_string();
    let named = Method::new(
        &name,
        &method.name.to_string(),
        &method.descriptor.to_string(),
        method.is_static(),
    )?;
    let parameters = named.parameters.iter().map(kind_of).collect();
    Some(Resolved { id, class: through, parameters, method: Arc::new(named) })
}
