//! From the calls of an explorer to what inference reads.

use distill::infer::trace::{Execution, Given, ListIdx, Trace, Value, ValueId};
use generate::arguments::ArgumentList;
use generate::states::recorded::{Described, GivenBack, Recorded};
use generate::states::table::StateId;
use generate::states::{Exploration, Job};

/// A trace, and what its argument lists were made of.
#[derive(Default, Clone)]
pub(super) struct Traced {
    pub(super) trace: Trace,
    lists: Vec<ArgumentList>,
}

impl Traced {
    /// The argument list behind a number.
    pub(super) fn list(&self, list: ListIdx) -> &ArgumentList {
        &self.lists[list.idx()]
    }

    /// Adds the calls of an exploration.
    pub(super) fn add(&mut self, job: &Job, exploration: &Exploration, recorded: &Recorded) {
        let lists: Vec<&ArgumentList> = job.makers.iter().chain(&job.lists).collect();
        let mut known: Vec<Option<ListIdx>> = Vec::with_capacity(lists.len());
        for (place, (list, arguments)) in lists.iter().zip(&recorded.arguments).enumerate() {
            // What a builder does says nothing of how the object behaves that it makes.
            let is_of_other = place < job.makers.len() && list.method.has_receiver();
            let Some(arguments) = arguments.as_ref().filter(|_| !is_of_other) else {
                known.push(None);
                continue;
            };
            let method = self.trace.method(&list.method);
            let arguments = arguments.iter().map(|one| self.value(one)).collect();
            let idx = self.trace.list(method, arguments);
            if idx.idx() == self.lists.len() {
                self.lists.push((*list).clone());
            }
            known.push(Some(idx));
        }
        for call in &recorded.calls {
            let Some(list) = known[call.list.idx()] else { continue };
            let method = &lists[call.list.idx()].method;
            let is_maker = method.is_constructor() || call.exit.is_some();
            if !method.has_receiver() && !is_maker {
                continue;
            }
            let entry = (call.state != StateId::WORLD)
                .then(|| self.value(&Described::State(exploration.table.key(call.state))));
            let exit = call.exit.map(|exit| self.value(&Described::State(exit)));
            let given = match &call.given {
                GivenBack::Nothing => Given::Nothing,
                GivenBack::Value(value) => Given::Value(self.value(value)),
                GivenBack::Exception(class) => Given::Exception(class.clone()),
            };
            self.trace.add(Execution { list, entry, exit, given });
        }
    }

    fn value(&mut self, described: &Described) -> ValueId {
        self.trace.value(match described {
            Described::Constant(constant) => Value::Constant(constant.clone()),
            Described::State(state) => Value::Object(state.0),
        })
    }
}
