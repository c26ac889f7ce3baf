//! What inference looks at: method executions as plain data, wherever they were measured.
//!
//! Values, arguments and states share one numbering, so that "the state is the argument" is a comparison
//! of two numbers.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use suite::constant::Constant;
use suite::method::Method;

/// A value or a state by its number; equal numbers are equal values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

impl ValueId {
    /// The position this stands for.
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// A method by its position in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodIdx(pub u32);

impl MethodIdx {
    /// The position this stands for.
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// An argument list by its position in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListIdx(pub u32);

impl ListIdx {
    /// The position this stands for.
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// A method execution by its position in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExecutionIdx(pub u32);

impl ExecutionIdx {
    /// The position this stands for.
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// Something that can be written down.
    Constant(Constant),
    /// An object, known by its state: a number that whoever measured it chose.
    Object(u128),
}

/// A method with the arguments of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// The method.
    pub method: MethodIdx,
    /// One value per parameter.
    pub arguments: Vec<ValueId>,
}

/// What a call gave back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// Nothing: `void`, or a constructor.
    Nothing,
    /// This value.
    Value(ValueId),
    /// An exception of this class (internal name).
    Exception(Arc<str>),
}

/// Definition 2 of the paper: method and arguments, entry state, exit state, result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// Method and arguments.
    pub list: ListIdx,
    /// The receiver's state before; `None` for what makes an object.
    pub entry: Option<ValueId>,
    /// The receiver's state afterwards, also where the call threw; `None` where nothing is known.
    pub exit: Option<ValueId>,
    /// What came back.
    pub given: Given,
}

impl Execution {
    /// Whether it ended by an exception.
    pub fn threw(&self) -> bool {
        matches!(self.given, Given::Exception(_))
    }
}

/// Method executions in the order in which they were met, and what their numbers mean.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    methods: Vec<Arc<Method>>,
    lists: Vec<List>,
    values: Vec<Value>,
    executions: Vec<Execution>,
    is_state: Vec<bool>,
    method_index: FxHashMap<Arc<Method>, MethodIdx>,
    list_index: FxHashMap<(MethodIdx, Vec<ValueId>), ListIdx>,
    value_index: FxHashMap<Value, ValueId>,
    execution_index: FxHashMap<(Option<ValueId>, ListIdx), ExecutionIdx>,
}

impl Trace {
    /// The number of a method, given to it here if it is new.
    #[expect(clippy::cast_possible_truncation, reason = "fewer than 2^32 methods")]
    pub fn method(&mut self, method: &Arc<Method>) -> MethodIdx {
        if let Some(&known) = self.method_index.get(method) {
            return known;
        }
        let idx = MethodIdx(self.methods.len() as u32);
        self.methods.push(method.clone());
        self.method_index.insert(method.clone(), idx);
        idx
    }

    /// The number of a value.
    #[expect(clippy::cast_possible_truncation, reason = "fewer than 2^32 values fit the memory")]
    pub fn value(&mut self, value: Value) -> ValueId {
        if let Some(&known) = self.value_index.get(&value) {
            return known;
        }
        let id = ValueId(self.values.len() as u32);
        self.values.push(value.clone());
        self.value_index.insert(value, id);
        id
    }

    /// The number of an argument list.
    #[expect(clippy::cast_possible_truncation, reason = "fewer than 2^32 lists fit the memory")]
    pub fn list(&mut self, method: MethodIdx, arguments: Vec<ValueId>) -> ListIdx {
        let key = (method, arguments);
        if let Some(&known) = self.list_index.get(&key) {
            return known;
        }
        let idx = ListIdx(self.lists.len() as u32);
        self.lists.push(List { method, arguments: key.1.clone() });
        self.list_index.insert(key, idx);
        idx
    }

    /// Adds a method execution; one that is there already is not counted again.
    #[expect(clippy::cast_possible_truncation, reason = "fewer than 2^32 calls fit the memory")]
    pub fn add(&mut self, execution: Execution) -> ExecutionIdx {
        let idx = ExecutionIdx(self.executions.len() as u32);
        let known = *self.execution_index.entry((execution.entry, execution.list)).or_insert(idx);
        if known == idx {
            for state in execution.entry.into_iter().chain(execution.exit) {
                if self.is_state.len() <= state.idx() {
                    self.is_state.resize(state.idx() + 1, false);
                }
                self.is_state[state.idx()] = true;
            }
            self.executions.push(execution);
        }
        known
    }

    /// All methods.
    pub fn methods(&self) -> &[Arc<Method>] {
        &self.methods
    }

    /// All argument lists.
    pub fn lists(&self) -> &[List] {
        &self.lists
    }

    /// All method executions in order.
    pub fn executions(&self) -> &[Execution] {
        &self.executions
    }

    /// The number of an object with this state, if it was met.
    pub fn find_object(&self, state: u128) -> Option<ValueId> {
        self.value_index.get(&Value::Object(state)).copied()
    }

    /// Whether a value is the state of an object that calls were made on or left.
    pub fn is_state(&self, value: ValueId) -> bool {
        self.is_state.get(value.idx()).copied().unwrap_or(false)
    }

    /// What a number means.
    pub fn meaning(&self, value: ValueId) -> &Value {
        &self.values[value.idx()]
    }

    /// Number of values.
    pub fn n_values(&self) -> usize {
        self.values.len()
    }

    /// One method execution.
    pub fn execution(&self, idx: ExecutionIdx) -> &Execution {
        &self.executions[idx.idx()]
    }

    /// The method of an execution.
    pub fn method_of(&self, idx: ExecutionIdx) -> MethodIdx {
        self.lists[self.execution(idx).list.idx()].method
    }

    /// The arguments of an execution.
    pub fn arguments_of(&self, idx: ExecutionIdx) -> &[ValueId] {
        &self.lists[self.execution(idx).list.idx()].arguments
    }

    /// The execution of a list on a state.
    #[inline]
    pub fn find(&self, entry: Option<ValueId>, list: ListIdx) -> Option<ExecutionIdx> {
        self.execution_index.get(&(entry, list)).copied()
    }

    /// The list of another method with the same arguments.
    pub fn same_arguments(&self, list: ListIdx, method: MethodIdx) -> Option<ListIdx> {
        let arguments = self.lists[list.idx()].arguments.clone();
        self.list_index.get(&(method, arguments)).copied()
    }
}
