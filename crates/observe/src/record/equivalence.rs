//! Which executions are the same under a technique, decided after the run: those that look at sequences
//! and at whole states from the keys taken during the run, those that need `equals` by putting the entry
//! states back, one after the other, each under a mark.

use rustc_hash::FxHashMap;
use vm::value::Ref;
use vm::vm::Vm;

use super::recording::Recording;
use super::states::StateId;
use super::{Execution, NOTHING, Techniques};
use crate::state::canonical_heap::Root;
use crate::state::fingerprint::{Fingerprint, Mixer, Sink};
use crate::state::monitor_equals::MonitorEquals;
use crate::state::pairwise_equals::PairwiseEquals;
use crate::state::technique::Technique;

/// Executions by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    /// By execution: the number of its class, in the order in which classes were met.
    pub of: Vec<u32>,
    /// How many classes there are.
    pub n_classes: u32,
    /// Java classes without an `equals` that helps, whose states were compared as a whole.
    pub fallen_back: Vec<String>,
}

/// The parts of an entry state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Both,
    Receiver,
    Arguments,
}

/// What running `equals` has told so far.
#[derive(Default)]
struct Asked {
    monitor: MonitorEquals,
    pairwise: PairwiseEquals,
    /// By state and number of receivers in it.
    known: FxHashMap<(Technique, u8, StateId, usize), Fingerprint>,
}

impl Recording {
    /// Which executions are the same under these techniques, which must be among those that were asked
    /// for when recording began. The machine is the one of the run; it is left as it was.
    pub fn classes(&mut self, vm: &mut Vm, techniques: Techniques) -> Classes {
        let mut asked = Asked::default();
        let mut numbers: FxHashMap<(u32, Fingerprint, Fingerprint), u32> = FxHashMap::default();
        let mut of = Vec::with_capacity(self.executions.len());
        for idx in 0..self.executions.len() {
            let execution = self.executions[idx];
            let (receiver, arguments) = if techniques.is_mixed() {
                (
                    self.key(vm, &mut asked, &execution, techniques.receiver, Side::Receiver),
                    self.key(vm, &mut asked, &execution, techniques.arguments, Side::Arguments),
                )
            } else {
                let technique = techniques.receiver;
                (self.key(vm, &mut asked, &execution, technique, Side::Both), NOTHING)
            };
            #[expect(clippy::cast_possible_truncation, reason = "far fewer classes than 2^32")]
            let next = numbers.len() as u32;
            of.push(*numbers.entry((execution.method, receiver, arguments)).or_insert(next));
        }
        let mut fallen_back: Vec<String> =
            asked.monitor.fallen_back.iter().map(|&class| vm.external_name(class)).collect();
        fallen_back.sort();
        #[expect(clippy::cast_possible_truncation, reason = "far fewer classes than 2^32")]
        Classes { of, n_classes: numbers.len() as u32, fallen_back }
    }

    fn key(
        &mut self,
        vm: &mut Vm,
        asked: &mut Asked,
        execution: &Execution,
        technique: Technique,
        side: Side,
    ) -> Fingerprint {
        let pair = |parts: &[Fingerprint; 2]| match side {
            Side::Receiver => parts[0],
            Side::Arguments => parts[1],
            Side::Both => {
                let mut mixer = Mixer::new(6);
                mixer.fingerprint(parts[0]);
                mixer.fingerprint(parts[1]);
                mixer.finish()
            }
        };
        match technique {
            Technique::WholeSeq => pair(&execution.whole_seq),
            Technique::ModifyingSeq => pair(&execution.modifying_seq),
            Technique::WholeState if side == Side::Both => execution.joint,
            Technique::WholeState => pair(&execution.whole),
            Technique::MonitorEquals | Technique::PairwiseEquals => {
                self.ask(vm, asked, execution, technique, side)
            }
        }
    }

    /// The key of a state under a technique that runs `equals`.
    fn ask(
        &mut self,
        vm: &mut Vm,
        asked: &mut Asked,
        execution: &Execution,
        technique: Technique,
        side: Side,
    ) -> Fingerprint {
        let has_receiver = self.methods[execution.method as usize].has_receiver;
        let n_receivers = usize::from(has_receiver);
        let question = (technique, side as u8, execution.state, n_receivers);
        if let Some(&key) = asked.known.get(&question) {
            return key;
        }
        let world = vm.heap.top;
        let mark = vm.mark();
        let key = match self.states.put(vm, execution.state) {
            Some(roots) => {
                let part = match side {
                    Side::Both => &roots[..],
                    Side::Receiver => &roots[..n_receivers],
                    Side::Arguments => &roots[n_receivers..],
                };
                if technique == Technique::MonitorEquals {
                    asked.monitor.key(&mut self.heap, vm, part, world)
                } else {
                    self.pairwise(vm, asked, part, world)
                }
            }
            // There is no room to ask, so the state stands for itself.
            None => execution.joint,
        };
        vm.rollback(mark);
        asked.known.insert(question, key);
        key
    }

    /// The classes of all objects of a state, and its primitive values.
    fn pairwise(
        &mut self,
        vm: &mut Vm,
        asked: &mut Asked,
        roots: &[Root],
        world: usize,
    ) -> Fingerprint {
        let is_shared = |object: Ref| object.byte_offset() < world;
        let mut mixer = Mixer::new(7);
        for &root in roots {
            let whole = self.heap.fingerprint(vm, &[root]);
            match root {
                Root::Object(object) if !object.is_null() => {
                    let class = asked.pairwise.class_of(vm, object, whole, &is_shared);
                    mixer.word(u64::from(class));
                }
                _ => mixer.fingerprint(whole),
            }
        }
        mixer.finish()
    }
}
