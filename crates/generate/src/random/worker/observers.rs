//! Which methods only look at objects: tried on kept objects, not guessed from their names.

use std::sync::Arc;

use observe::oracle;
use observe::state::canonical_heap::Root;
use observe::state::whole_state;
use suite::method::Method;
use vm::interp::Outcome;
use vm::mode::Plain;
use vm::value::Ref;

use super::super::catalogue::{Action, Catalogue, OpId, TypeId};
use super::super::pool::{ComponentId, Pool};
use super::super::ready::Done;
use super::Worker;

/// Objects on which a method is tried before it counts as an observer.
const OBSERVED: usize = 12;

impl Worker {
    /// Methods without parameters that say something of an object and were not seen to change anything on any
    /// object they were tried on; per class under test.
    pub(in crate::random) fn observers(
        &mut self,
        pool: &Pool,
        catalogue: &Catalogue,
    ) -> Vec<Vec<Arc<Method>>> {
        let mut observers = Vec::new();
        for target in &catalogue.targets {
            let mut own = Vec::new();
            for &op in &target.ops {
                let Action::Call(method) = &catalogue.op(op).action else { continue };
                if oracle::is_question(method) && self.is_pure(pool, op, catalogue.op(op).params[0])
                {
                    own.push(method.clone());
                }
            }
            observers.push(own);
        }
        observers
    }

    fn is_pure(&mut self, pool: &Pool, op: OpId, receiver: TypeId) -> bool {
        let values = pool.of_type(receiver);
        let step = values.len().div_ceil(OBSERVED).max(1);
        for &(component, value) in values.iter().step_by(step) {
            let mark = self.session.vm.mark();
            let is_same = self.preserves(pool, component, value, op);
            self.roll_back(mark);
            if is_same == Some(false) {
                return false;
            }
        }
        !values.is_empty()
    }

    /// Whether a call leaves its receiver and the world as they are; `None` where it does not return.
    fn preserves(
        &mut self,
        pool: &Pool,
        component: ComponentId,
        value: u16,
        op: OpId,
    ) -> Option<bool> {
        let word = *self.materialise(pool, component)?.get(usize::from(value))?;
        let roots = [Root::Object(Ref::from_slot(word))];
        self.heap.take_as_fixed(0);
        let before = whole_state::key(&mut self.heap, &self.session.vm, &roots);
        let inner = self.session.vm.mark();
        let Worker { session, ready, words, fuel, .. } = self;
        let done = ready[op.idx()].as_mut()?.run(session, &mut Plain, &[word], words, *fuel);
        let Done::Made(Outcome::Returned(_)) = done else { return None };
        let after = whole_state::key(&mut self.heap, &self.session.vm, &roots);
        let hashes = self.session.vm.has_hashed_since(&inner);
        Some(before == after && !hashes)
    }
}
