//! The world that all sequences start from grows: classes that sequences loaded and initialised on their
//! way, and lambdas that they linked, become part of it, so that the next ones find them there.

use std::collections::BTreeSet;

use super::catalogue::Catalogue;
use super::harvest::Harvest;
use super::worker::{Met, Worker};
use super::{Machines, Problem};

/// What is known of the world beyond its beginning.
#[derive(Debug, Default)]
pub(super) struct World {
    /// What was made part of it, or could not be.
    learnt: BTreeSet<Met>,
}

impl World {
    /// Makes what sequences met part of the world of all workers. What they met does not depend on who ran
    /// which, so neither does the world.
    pub(super) fn grow(
        &mut self,
        workers: &mut Vec<Worker>,
        harvest: &mut Harvest,
        catalogue: &Catalogue,
        machines: &dyn Machines,
    ) -> Result<(), Problem> {
        let mut met = std::mem::take(&mut harvest.met);
        for worker in workers.iter_mut() {
            met.extend(worker.take_met());
        }
        met.retain(|one| !self.learnt.contains(one));
        if met.is_empty() {
            return Ok(());
        }
        let Some((first, others)) = workers.split_first_mut() else { return Ok(()) };
        // Which machine made a literal depends on who ran which; which literals were made does not.
        for other in others.iter() {
            first.take_literals(other);
        }
        first.learn(&met, catalogue);
        harvest.pool.complete(|pool, id| first.end_of(pool, id));
        let copies = machines.like(first.session(), others.len())?;
        let n_copies = copies.len();
        for (worker, session) in others.iter_mut().zip(copies) {
            worker.move_to(session);
            worker.settle_like(first, catalogue);
        }
        // What cannot be copied works alone.
        workers.truncate(n_copies + 1);
        self.learnt.extend(met);
        Ok(())
    }
}
