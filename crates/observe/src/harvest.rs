//! What existing tests do at the border of test code: every call that test code makes into other code, with
//! its arguments, and the objects that came out of such calls.
//!
//! An object that a test got from a call is known from then on by that call, whoever else holds it; so it
//! can be said later which calls built it ([`Harvest::way`]). Constants are kept as they are, arrays that
//! test code filled by their elements. What has another origin (made inside the code under test, a
//! lambda, a mock, an object of a test's own class) stays unknown, and whoever reads says so. Must not
//! know: what calls and objects are used for.

mod objects;
mod way;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use suite::constant::Constant;
use suite::method::Method;
use suite::types::Type;
use vm::class::{Shape, flags};
use vm::frame::Frame;
use vm::mode::Mode;
use vm::value::{ClassId, MethodId, Ref};
use vm::vm::Vm;

use crate::arguments::places;
use crate::coverage::Wanted;
use crate::oracle;
use crate::state::canonical_heap::{CanonicalHeap, Root};
use crate::state::fingerprint::Fingerprint;
use crate::state::mask::Mask;
use objects::Objects;
pub use way::Reach;

/// Calls that are kept, at most.
const MOST_CALLS: usize = 200_000;
/// Elements of an array that are kept, at most, and arrays inside arrays.
const MOST_ELEMENTS: u32 = 32;
const DEEPEST_ARRAY: usize = 3;

/// An object that a test got from a call, by order of appearance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// The position this stands for.
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// A value that a test gave or got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeenValue {
    /// It can be written down.
    Constant(Constant),
    /// An object that came from a call, in this state.
    Object(ObjectId, Fingerprint),
    /// An array that test code made.
    Array(Type, Vec<SeenValue>),
    /// Nobody saw where it came from.
    Unknown,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenEnd {
    /// It returned, and gave this object, if it gave one.
    Returned(Option<ObjectId>),
    /// It threw.
    Threw,
    /// It was under way when the run ended.
    Open,
}

/// A call from test code into other code.
#[derive(Debug, Clone)]
pub struct SeenCall {
    /// The method that ran, by the class that declares it.
    pub method: Arc<Method>,
    /// The receiver, with the internal name of its class; none for constructors and static methods.
    pub receiver: Option<(SeenValue, Arc<str>)>,
    /// One value per parameter, as it was before the call.
    pub arguments: Vec<SeenValue>,
    /// How it ended.
    pub end: SeenEnd,
    /// The objects among receiver and arguments whose state was another one afterwards.
    pub changed: Vec<ObjectId>,
    /// The state of the receiver, or of the object that a constructor or static method gave, afterwards.
    pub after: Option<Fingerprint>,
}

impl SeenCall {
    /// The objects among receiver and arguments.
    pub fn objects(&self) -> Vec<ObjectId> {
        let mut found = Vec::new();
        if let Some((value, _)) = &self.receiver {
            add_objects(value, &mut found);
        }
        self.arguments.iter().for_each(|value| add_objects(value, &mut found));
        found
    }

    /// Whether everything that it was called with is known.
    pub fn is_known(&self) -> bool {
        self.receiver.iter().all(|(value, _)| is_known(value))
            && self.arguments.iter().all(is_known)
    }
}

fn is_known(value: &SeenValue) -> bool {
    match value {
        SeenValue::Unknown => false,
        SeenValue::Array(_, elements) => elements.iter().all(is_known),
        SeenValue::Constant(_) | SeenValue::Object(..) => true,
    }
}

fn add_objects(value: &SeenValue, found: &mut Vec<ObjectId>) {
    match value {
        SeenValue::Object(id, _) if !found.contains(id) => found.push(*id),
        SeenValue::Array(_, elements) => {
            elements.iter().for_each(|element| add_objects(element, found));
        }
        _ => {}
    }
}

/// An object that came from a call.
#[derive(Debug, Clone)]
pub struct SeenObject {
    /// The call that gave it.
    pub maker: usize,
    /// Internal name of its class.
    pub class: Arc<str>,
    /// The calls with it as receiver or argument, in order.
    pub uses: Vec<usize>,
}

/// What the tests of a run did.
#[derive(Debug, Clone, Default)]
pub struct Harvest {
    /// The calls, in the order in which they began.
    pub calls: Vec<SeenCall>,
    /// The objects, in the order in which they appeared.
    pub objects: Vec<SeenObject>,
    /// Whether there were more calls than are kept.
    pub is_cut: bool,
}

/// A call that has not come back.
struct OpenCall {
    frame: *mut Frame,
    thread: *mut Frame,
    call: usize,
    /// What a constructor makes.
    made: Option<vm::handles::Handle>,
}

/// What a method is to the border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Unknown,
    /// A method of test code.
    Test,
    /// A bridge that the compiler made: who calls it calls what it calls.
    Bridge,
    /// A test framework; what it does with objects is no part of building them.
    Framework,
    Other,
}

/// Watches a run.
pub struct Harvester {
    is_test: Wanted,
    heap: CanonicalHeap,
    objects: Objects,
    /// By method.
    sides: Vec<Side>,
    /// Frames of test code, and of bridges that it called, with their thread's first frame.
    test_frames: Vec<(*mut Frame, *mut Frame)>,
    open: Vec<OpenCall>,
    methods: FxHashMap<MethodId, Option<Arc<Method>>>,
    harvest: Harvest,
}

impl Harvester {
    /// A harvester for one run on one machine. `is_test` says by internal name which classes are test code.
    pub fn new(is_test: Wanted, mask: Mask) -> Harvester {
        Harvester {
            is_test,
            heap: CanonicalHeap::new(mask),
            objects: Objects::default(),
            sides: Vec::new(),
            test_frames: Vec::new(),
            open: Vec::new(),
            methods: FxHashMap::default(),
            harvest: Harvest::default(),
        }
    }

    /// What was seen. The run is over.
    pub fn finish(mut self, vm: &mut Vm) -> Harvest {
        for open in self.open.drain(..) {
            if let Some(made) = open.made {
                vm.handles.release(made);
            }
        }
        self.objects.forget(vm);
        let Harvest { calls, objects, .. } = &mut self.harvest;
        for (idx, call) in calls.iter().enumerate() {
            for object in call.objects() {
                objects[object.idx()].uses.push(idx);
            }
        }
        self.harvest
    }

    #[inline]
    fn side(&mut self, vm: &Vm, method: MethodId) -> Side {
        match self.sides.get(method.idx()) {
            Some(Side::Unknown) | None => self.look(vm, method),
            Some(side) => *side,
        }
    }

    #[cold]
    fn look(&mut self, vm: &Vm, id: MethodId) -> Side {
        if self.sides.len() <= id.idx() {
            self.sides.resize(id.idx() + 1, Side::Unknown);
        }
        let method = vm.method(id);
        let class = vm.class(method.class).name.to_string();
        let side = if (self.is_test)(&class) {
            Side::Test
        } else if is_framework(&class) {
            Side::Framework
        } else if method.flags & (flags::BRIDGE | flags::SYNTHETIC) != 0 && !method.is_static() {
            Side::Bridge
        } else {
            Side::Other
        };
        self.sides[id.idx()] = side;
        side
    }

    /// Forgets what was abandoned on a thread: frames at or above this one.
    fn forget_above(&mut self, vm: &mut Vm, thread: *mut Frame, frame: *mut Frame) {
        self.test_frames.retain(|&(known, of)| of != thread || known < frame);
        let mut idx = 0;
        while idx < self.open.len() {
            if self.open[idx].thread == thread && self.open[idx].frame >= frame {
                if let Some(made) = self.open.swap_remove(idx).made {
                    vm.handles.release(made);
                }
            } else {
                idx += 1;
            }
        }
    }

    fn method(&mut self, vm: &Vm, id: MethodId) -> Option<Arc<Method>> {
        if let Some(known) = self.methods.get(&id) {
            return known.clone();
        }
        let method = vm.method(id);
        let class = vm.class(method.class).name.to_string();
        let descriptor = method.descriptor.to_string();
        let made = Method::new(&class, &method.name.to_string(), &descriptor, method.is_static());
        let made = made.map(Arc::new);
        self.methods.insert(id, made.clone());
        made
    }

    /// Test code calls something else. Out of line: most calls are none of these.
    #[inline(never)]
    fn cross(&mut self, vm: &mut Vm, id: MethodId, args: &[u64], thread: *mut Frame) {
        if vm.method(id).is_static_initialiser() {
            return;
        }
        if self.harvest.calls.len() >= MOST_CALLS {
            self.harvest.is_cut = true;
            return;
        }
        let Some(method) = self.method(vm, id) else { return };
        self.objects.sync(vm);
        let word = |register: usize| args.get(register).copied().unwrap_or(0);
        let this = Ref::from_slot(word(0));
        let mut made = None;
        let mut receiver = None;
        if method.is_constructor() {
            // A superclass's constructor makes no object of its own.
            if this.is_null() || vm.class_of(this) != vm.method(id).class {
                return;
            }
            made = Some(vm.handles.hold(this));
        } else if method.has_receiver() {
            let class: Arc<str> = vm.class(vm.class_of(this)).name.to_string().into();
            receiver = Some((self.value(vm, &Type::class(&class), this.to_slot(), 0), class));
        }
        let mut registers = places(vm.method(id));
        if !vm.method(id).is_static() {
            registers.remove(0);
        }
        let mut arguments = Vec::with_capacity(registers.len());
        for (of, (register, _)) in method.parameters.iter().zip(registers) {
            arguments.push(self.value(vm, of, word(register), 0));
        }
        let call = self.harvest.calls.len();
        self.open.push(OpenCall { frame: vm.frame, thread, call, made });
        self.harvest.calls.push(SeenCall {
            method,
            receiver,
            arguments,
            end: SeenEnd::Open,
            changed: Vec::new(),
            after: None,
        });
        for object in self.harvest.calls[call].objects() {
            self.objects.note_use(object);
        }
    }

    /// A value as it is now; `sync` comes first.
    fn value(&mut self, vm: &Vm, of: &Type, word: u64, depth: usize) -> SeenValue {
        if let Some(constant) = oracle::constant(vm, of, word) {
            return SeenValue::Constant(constant);
        }
        let Some(object) = Ref::from_slot(word).some().filter(|_| of.is_reference()) else {
            return SeenValue::Unknown;
        };
        if let Some(id) = self.objects.find(object) {
            return SeenValue::Object(id, self.state(vm, object));
        }
        let class = vm.class(vm.class_of(object));
        if class.id == vm.known.class {
            let named = type_of(vm, vm.class_of_mirror(object));
            return named
                .map_or(SeenValue::Unknown, |named| SeenValue::Constant(Constant::Class(named)));
        }
        let Shape::Array { component, element } = class.shape else { return SeenValue::Unknown };
        let length = vm.heap.array_length(object);
        let Some(of) = type_of(vm, component) else { return SeenValue::Unknown };
        if length > MOST_ELEMENTS || depth == DEEPEST_ARRAY {
            return SeenValue::Unknown;
        }
        let elements = (0..length).map(|idx| {
            let word = oracle::element(vm, object, element, idx);
            self.value(vm, &of, word, depth + 1)
        });
        let elements = elements.collect();
        SeenValue::Array(of, elements)
    }

    fn state(&mut self, vm: &Vm, object: Ref) -> Fingerprint {
        self.heap.fingerprint(vm, &[Root::Object(object)])
    }

    /// A call of test code came back.
    #[inline(never)]
    fn come_back(&mut self, vm: &mut Vm, at: usize, result: Option<u64>) {
        let OpenCall { call, made, .. } = self.open.swap_remove(at);
        let made = made.map(|made| vm.handles.release(made));
        self.objects.sync(vm);
        let method = self.harvest.calls[call].method.clone();
        let mut before = Vec::new();
        if let Some((value, _)) = &self.harvest.calls[call].receiver {
            add_states(value, &mut before);
        }
        self.harvest.calls[call].arguments.iter().for_each(|value| add_states(value, &mut before));
        for (id, state) in before {
            let Some(object) = self.objects.get(vm, id) else { continue };
            if self.state(vm, object) != state && !self.harvest.calls[call].changed.contains(&id) {
                self.harvest.calls[call].changed.push(id);
            }
        }
        let given = match (made, result) {
            (Some(made), Some(_)) => Some(made),
            (None, Some(word)) if method.returns.is_reference() => Ref::from_slot(word).some(),
            _ => None,
        };
        let given = given.and_then(|object| self.objects_result(vm, call, object));
        self.harvest.calls[call].end = match result {
            Some(_) => SeenEnd::Returned(given),
            None => SeenEnd::Threw,
        };
        let subject = match &self.harvest.calls[call].receiver {
            Some((SeenValue::Object(id, _), _)) => Some(*id),
            Some(_) => None,
            None => given,
        };
        let subject = subject.and_then(|id| self.objects.get(vm, id));
        self.harvest.calls[call].after = subject.map(|object| self.state(vm, object));
    }

    /// The object that a call gave, known from now on.
    fn objects_result(&mut self, vm: &mut Vm, call: usize, object: Ref) -> Option<ObjectId> {
        if let Some(known) = self.objects.find(object) {
            return Some(known);
        }
        let class = vm.class(vm.class_of(object)).clone();
        if class.hidden || class.is_spun || self.heap.is_value(vm, object) {
            return None;
        }
        let id = self.objects.add(vm, object)?;
        let class = class.name.to_string().into();
        self.harvest.objects.push(SeenObject { maker: call, class, uses: Vec::new() });
        Some(id)
    }
}

fn add_states(value: &SeenValue, found: &mut Vec<(ObjectId, Fingerprint)>) {
    match value {
        SeenValue::Object(id, state) => found.push((*id, *state)),
        SeenValue::Array(_, elements) => {
            elements.iter().for_each(|element| add_states(element, found));
        }
        _ => {}
    }
}

/// The type that a class stands for; `None` where no source code can name it.
fn type_of(vm: &Vm, class: ClassId) -> Option<Type> {
    let class = vm.class(class);
    if class.hidden {
        return None;
    }
    let name = class.name.to_string();
    match class.shape {
        Shape::Instance => Some(Type::class(&name)),
        Shape::Array { .. } => Type::of_descriptor(&name),
        Shape::Primitive(kind) => oracle::type_of_kind(kind),
    }
}

/// Whether a class belongs to a test framework.
fn is_framework(name: &str) -> bool {
    [
        "org/junit/",
        "junit/",
        "org/opentest4j/",
        "org/hamcrest/",
        "org/mockito/",
        "org/assertj/",
        "org/easymock/",
        "org/powermock/",
        "org/testng/",
        "com/google/common/truth/",
        "net/bytebuddy/",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
}

impl Mode for Harvester {
    const CALLS: bool = true;

    #[inline]
    fn enter(&mut self, vm: &mut Vm, method: MethodId, args: &[u64]) {
        let side = self.side(vm, method);
        if self.test_frames.is_empty() && side != Side::Test {
            return;
        }
        let frame = vm.frame;
        let caller = frame.wrapping_sub(1);
        let is_called_by_test = self.test_frames.iter().any(|&(known, _)| known == caller);
        if side != Side::Test && !is_called_by_test {
            return;
        }
        let thread = vm.threads[vm.current].frames.start();
        self.forget_above(vm, thread, frame);
        match side {
            Side::Test | Side::Bridge => self.test_frames.push((frame, thread)),
            Side::Other => self.cross(vm, method, args, thread),
            Side::Framework | Side::Unknown => {}
        }
    }

    #[inline]
    fn leave(&mut self, vm: &mut Vm, _: MethodId, result: Option<u64>) {
        let frame = vm.frame;
        if let Some(at) = self.open.iter().position(|open| open.frame == frame) {
            self.come_back(vm, at, result);
        }
        if let Some(at) = self.test_frames.iter().position(|&(known, _)| known == frame) {
            self.test_frames.swap_remove(at);
        }
    }
}
