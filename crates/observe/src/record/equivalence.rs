//! Which executions are the same under a technique, decided after the run: those that look at sequences
//! and at whole states from the keys taken during the run, those that need `equals` by putting the entry
//! states back, one after the other, each under a mark.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use vm::value::Ref;
use vm::vm::Vm;

use super::recording::Recording;
use super::states::StateId;
use super::{Execution, NOTHING, Techniques};
use crate::state::canonical_heap::Root;
use crate::state::fingerprint::{Fingerprint, Mixer, Sink};
use crate::state::kept_walk::KeptWalks;
use crate::state::monitor_equals::{MonitorEquals, Twin};
use crate::state::pairwise_equals::{Elsewhere, PairwiseEquals};
use crate::state::technique::Technique;

/// Executions by class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Classes {
    /// By execution: the number of its class, in the order in which classes were met.
    pub of: Vec<u32>,
    /// How many classes there are.
    pub n_classes: u32,
    /// Java classes without an `equals` that helps, whose states were compared as a whole.
    pub fallen_back: Vec<String>,
    /// Java classes with states that were compared as a whole because they are too large to run `equals` on.
    pub too_large: Vec<String>,
}

/// The parts of an entry state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    known: FxHashMap<Question, Fingerprint>,
    walks: KeptWalks,
    too_large: BTreeSet<String>,
}

/// A technique, the side that is asked for, a state and the number of receivers in it.
type Question = (Technique, Side, StateId, usize);

/// What stands for an execution under techniques: its method, its receiver or all of its entry state, its
/// arguments. Means the same on every machine, but for pairwise-equals.
type Key = (u64, Fingerprint, Fingerprint);

/// Keys of executions.
pub(super) struct Keys {
    /// By execution.
    pub(super) of: Vec<Key>,
    /// As [`Classes::fallen_back`].
    pub(super) fallen_back: Vec<String>,
    /// As [`Classes::too_large`].
    pub(super) too_large: BTreeSet<String>,
}

/// Executions with the same key are in one class.
pub(super) fn classes(keys: Vec<Keys>) -> Classes {
    let mut numbers: FxHashMap<Key, u32> = FxHashMap::default();
    let mut classes = Classes::default();
    let mut too_large = BTreeSet::new();
    for mut part in keys {
        for key in part.of {
            let number = *numbers.entry(key).or_insert(classes.n_classes);
            classes.n_classes += u32::from(number == classes.n_classes);
            classes.of.push(number);
        }
        classes.fallen_back.append(&mut part.fallen_back);
        too_large.append(&mut part.too_large);
    }
    classes.too_large = too_large.into_iter().collect();
    classes.fallen_back.sort();
    classes.fallen_back.dedup();
    classes
}

impl Recording {
    /// Which executions are the same under these techniques, which must be among those that were asked
    /// for when recording began. The machine is the one of the run; it is left as it was.
    pub fn classes(&mut self, vm: &mut Vm, techniques: Techniques) -> Classes {
        classes(vec![self.keys(vm, techniques)])
    }

    /// How many states calls left candidates in, if that was asked for.
    pub fn n_left_states(&mut self, vm: &mut Vm, technique: Technique) -> usize {
        let mut asked = Asked::default();
        let mut keys: FxHashSet<Fingerprint> = FxHashSet::default();
        for idx in 0..self.left.len() {
            let left = self.left[idx];
            keys.insert(match technique {
                Technique::WholeSeq => left.whole_seq,
                Technique::ModifyingSeq => left.modifying_seq,
                Technique::WholeState => left.whole,
                Technique::MonitorEquals | Technique::PairwiseEquals => {
                    if !left.state.is_kept() {
                        keys.insert(left.whole);
                        continue;
                    }
                    let question = (technique, Side::Both, left.state, 1);
                    self.ask(vm, &mut asked, question, left.whole)
                }
            });
        }
        keys.len()
    }

    /// The keys of all executions.
    pub(super) fn keys(&mut self, vm: &mut Vm, techniques: Techniques) -> Keys {
        let mut asked = Asked::default();
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
            let method = self.methods[execution.method as usize].key;
            of.push((method, receiver, arguments));
        }
        let mut fallen_back = asked.monitor.fallen_back;
        if techniques.receiver == Technique::MonitorEquals {
            fallen_back.extend(self.states.without_equals(vm));
        }
        let mut fallen_back: Vec<String> =
            fallen_back.iter().map(|&class| vm.external_name(class)).collect();
        fallen_back.sort();
        Keys { of, fallen_back, too_large: asked.too_large }
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
                if !execution.state.is_kept() {
                    if execution.state == StateId::NONE {
                        let class = &self.methods[execution.method as usize].class;
                        asked.too_large.insert(class.clone());
                    }
                    return match side {
                        Side::Both => execution.joint,
                        Side::Receiver | Side::Arguments => pair(&execution.whole),
                    };
                }
                if let Some(values) = execution.values {
                    let receiver = match side {
                        Side::Arguments => NOTHING,
                        Side::Both | Side::Receiver => {
                            let question = (technique, Side::Both, execution.state, 1);
                            self.ask(vm, asked, question, execution.joint)
                        }
                    };
                    return pair(&[receiver, values]);
                }
                let has_receiver = self.methods[execution.method as usize].has_receiver;
                let question = (technique, side, execution.state, usize::from(has_receiver));
                self.ask(vm, asked, question, execution.joint)
            }
        }
    }

    /// The key of a state under a technique that runs `equals`; `otherwise` where there is no room to.
    fn ask(
        &mut self,
        vm: &mut Vm,
        asked: &mut Asked,
        question: Question,
        otherwise: Fingerprint,
    ) -> Fingerprint {
        let (technique, side, state, n_receivers) = question;
        if let Some(&key) = asked.known.get(&question) {
            return key;
        }
        let world = vm.heap.top;
        let mark = vm.mark();
        let key = match self.states.put(vm, state) {
            Some(roots) => {
                let part = match side {
                    Side::Both => &roots[..],
                    Side::Receiver => &roots[..n_receivers],
                    Side::Arguments => &roots[n_receivers..],
                };
                let whole = self.states.key_of_one(state);
                if technique == Technique::MonitorEquals {
                    let Recording { heap, states, .. } = self;
                    let mut again = |vm: &mut Vm| match states.put(vm, state)?.first()? {
                        Root::Object(object) => Some(*object),
                        Root::Primitive(..) => None,
                    };
                    let twin: Option<Twin<'_>> = match whole {
                        Some(_) => Some(&mut again),
                        None => None,
                    };
                    asked.monitor.key_with(heap, vm, part, world, twin)
                } else {
                    let whole = whole.map(|whole| (whole, state));
                    self.pairwise(vm, asked, part, world, whole)
                }
            }
            // There is no room to ask, so the state stands for itself.
            None => otherwise,
        };
        vm.rollback(mark);
        asked.known.insert(question, key);
        key
    }

    /// The classes of all objects of a state, and its primitive values. `whole` is the key of everything
    /// behind the only root, where there is only one, and the state.
    fn pairwise(
        &mut self,
        vm: &mut Vm,
        asked: &mut Asked,
        roots: &[Root],
        world: usize,
        whole: Option<(Fingerprint, StateId)>,
    ) -> Fingerprint {
        let Recording { heap, states, .. } = self;
        let mut put = |vm: &mut Vm, state: u32| match states.put(vm, StateId(state))?.first()? {
            Root::Object(object) => Some(*object),
            Root::Primitive(..) => None,
        };
        let is_shared = |object: Ref| object.byte_offset() < world;
        let mut mixer = Mixer::new(7);
        for &root in roots {
            // The same making as that of the keys taken during the run.
            let alone = || asked.walks.fingerprints(heap, vm, &[root]).0;
            let key = whole.map_or_else(alone, |(key, _)| key);
            match root {
                Root::Object(object) if !object.is_null() => {
                    let number = whole.map(|(_, state)| state.0);
                    let elsewhere = Some(Elsewhere { number, put: &mut put });
                    let pairwise = &mut asked.pairwise;
                    let class = pairwise.class_of_kept(vm, object, key, &is_shared, elsewhere);
                    mixer.word(u64::from(class));
                }
                _ => mixer.fingerprint(key),
            }
        }
        mixer.finish()
    }
}
