//! The virtual dispatch table: overriding (JVMS §5.4.5) and default methods (JVMS §5.4.3.3).
//!
//! The table of a class begins with its superclass's. A method replaces the slots of what it
//! overrides or gets a new one. Then every method that an interface adds and no class declares gets
//! a slot too, so that a call on a class type finds inherited defaults like any other method.

use rustc_hash::FxHashMap;

use super::Choice;
use super::build::Draft;
use crate::class::{Method, flags};
use crate::frame::Res;
use crate::symbol::Symbol;
use crate::value::{ClassId, MethodId};
use crate::vm::Vm;

/// Slots by name and descriptor. Package-private methods may share a name, so slots are chained.
#[derive(Default)]
struct Slots {
    heads: FxHashMap<(Symbol, Symbol), u32>,
    /// Per slot the next one with the same name, or `u32::MAX`.
    next: Vec<u32>,
}

impl Slots {
    #[expect(clippy::cast_possible_truncation, reason = "a table has at most one slot per method")]
    fn push(&mut self, name: Symbol, descriptor: Symbol) {
        let slot = self.next.len() as u32;
        self.next.push(self.heads.insert((name, descriptor), slot).unwrap_or(u32::MAX));
    }

    fn of(&self, name: Symbol, descriptor: Symbol) -> impl Iterator<Item = u32> {
        let first = self.heads.get(&(name, descriptor)).copied();
        std::iter::successors(first, |&slot| {
            Some(self.next[slot as usize]).filter(|&next| next != u32::MAX)
        })
    }
}

impl Vm {
    /// The dispatch table of a class, the draft with the slots of its methods filled in, and the
    /// methods made for conflicting defaults.
    pub(super) fn dispatch_table(
        &mut self,
        mut draft: Draft,
    ) -> Res<(Vec<MethodId>, Draft, Vec<Method>)> {
        let Some(sup) = draft.super_class else {
            let mut vtable = Vec::new();
            for method in draft.methods.iter_mut().filter(|method| is_virtual(method)) {
                method.vtable_index = u32::try_from(vtable.len()).ok();
                vtable.push(method.id);
            }
            return Ok((vtable, draft, Vec::new()));
        };
        if draft.is_interface {
            return Ok((Vec::new(), draft, Vec::new()));
        }
        let mut vtable = self.class(sup).vtable.to_vec();
        let new_interfaces: Vec<ClassId> = {
            let known = &self.class(sup).all_interfaces;
            let is_new = |interface: &&ClassId| known.binary_search(interface).is_err();
            draft.all_interfaces.iter().filter(is_new).copied().collect()
        };
        if new_interfaces.is_empty() && !draft.methods.iter().any(is_virtual) {
            return Ok((vtable, draft, Vec::new()));
        }
        let mut slots = Slots::default();
        for &id in &vtable {
            let method = self.method(id);
            slots.push(method.name, method.descriptor);
        }
        let mut methods = std::mem::take(&mut draft.methods);
        for method in methods.iter_mut().filter(|method| is_virtual(method)) {
            self.place(&draft, method, &mut vtable, &mut slots)?;
        }
        draft.methods = methods;
        let conflicts = self.place_defaults(&draft, &new_interfaces, &mut vtable, &mut slots);
        Ok((vtable, draft, conflicts))
    }

    fn place(
        &mut self,
        draft: &Draft,
        method: &mut Method,
        vtable: &mut Vec<MethodId>,
        slots: &mut Slots,
    ) -> Res<()> {
        let mut first = None;
        for slot in slots.of(method.name, method.descriptor) {
            let occupant = vtable[slot as usize];
            // Two methods of one class cannot have the same name and descriptor.
            if !self.overrides(draft, occupant) {
                continue;
            }
            let overridden = self.method(occupant);
            if overridden.flags & flags::FINAL != 0 {
                let message = format!(
                    "class {} overrides final method {}.{}{}",
                    draft.name.to_string().replace('/', "."),
                    self.external_name(overridden.class),
                    overridden.name,
                    overridden.descriptor
                );
                return Err(self.throw("java/lang/IncompatibleClassChangeError", &message));
            }
            vtable[slot as usize] = method.id;
            first = Some(first.map_or(slot, |first: u32| first.min(slot)));
        }
        if first.is_none() {
            first = u32::try_from(vtable.len()).ok();
            vtable.push(method.id);
            slots.push(method.name, method.descriptor);
        }
        method.vtable_index = first;
        Ok(())
    }

    /// Whether a method of the drafted class overrides an inherited one of the same name and
    /// descriptor. Overriding is transitive: who overrides the slot's occupant overrides all
    /// that the occupant overrode.
    fn overrides(&self, draft: &Draft, inherited: MethodId) -> bool {
        let inherited = self.method(inherited);
        if inherited.flags & (flags::PUBLIC | flags::PROTECTED) != 0 {
            return true;
        }
        let class = self.class(inherited.class);
        class.loader == draft.loader && class.package == draft.package
    }

    fn place_defaults(
        &self,
        draft: &Draft,
        new_interfaces: &[ClassId],
        vtable: &mut Vec<MethodId>,
        slots: &mut Slots,
    ) -> Vec<Method> {
        let mut conflicts = Vec::new();
        let own_ids = draft.first_method.0..;
        let n_own = u32::try_from(draft.methods.len()).unwrap_or(u32::MAX);
        for &interface in new_interfaces {
            for method in self.class(interface).methods.iter().filter(|method| is_virtual(method)) {
                // Own methods and conflicts have the youngest ids and are not in the table yet.
                let from_interface = |slot: u32| {
                    let id = vtable[slot as usize];
                    if own_ids.contains(&id.0) {
                        return n_own <= id.0 - draft.first_method.0;
                    }
                    let occupant = self.method(id);
                    self.class(occupant.class).is_interface() || occupant.slot == u16::MAX
                };
                let known: Vec<u32> = slots.of(method.name, method.descriptor).collect();
                if !known.iter().all(|&slot| from_interface(slot)) {
                    continue;
                }
                let choice =
                    self.maximally_specific(&draft.all_interfaces, method.name, method.descriptor);
                let chosen = match choice {
                    Choice::None => continue,
                    Choice::Abstract(id) | Choice::Default(id) => id,
                    Choice::Conflict(_) => {
                        let same = |made: &&Method| {
                            made.name == method.name && made.descriptor == method.descriptor
                        };
                        conflicts.iter().find(same).map(|made: &Method| made.id).unwrap_or_else(
                            || {
                                let n_conflicts = u32::try_from(conflicts.len()).unwrap_or(0);
                                let id = MethodId(draft.first_method.0 + n_own + n_conflicts);
                                conflicts.push(conflict(draft.id, id, method));
                                id
                            },
                        )
                    }
                };
                if known.is_empty() {
                    vtable.push(chosen);
                    slots.push(method.name, method.descriptor);
                }
                for slot in known {
                    vtable[slot as usize] = chosen;
                }
            }
        }
        conflicts
    }
}

fn conflict(class: ClassId, id: MethodId, like: &Method) -> Method {
    Method {
        id,
        class,
        slot: u16::MAX,
        flags: flags::PUBLIC | flags::ABSTRACT | flags::SYNTHETIC,
        name: like.name,
        descriptor: like.descriptor,
        arg_slots: like.arg_slots,
        returns: like.returns,
        vtable_index: None,
        max_locals: 0,
        max_stack: 0,
        caller_sensitive: false,
        hidden: false,
        signature_polymorphic: false,
    }
}

/// Whether a method takes part in dynamic dispatch.
pub(super) fn is_virtual(method: &Method) -> bool {
    method.flags & (flags::STATIC | flags::PRIVATE) == 0
        && !method.is_constructor()
        && !method.is_static_initialiser()
}
