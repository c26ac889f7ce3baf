//! What led to the objects of a run: an expression per object (figure 2 of Xie, Marinov and Notkin,
//! 2004), as fingerprints, and in text where somebody wants to read them.
//!
//! An object that a recorded call made or changed is known by that call. Of any other object, such as a
//! list that the test filled itself, no history is known: what is reachable from it stands for it, as a
//! primitive value stands for itself. Strings, boxed values and enum constants are always values.

use rustc_hash::FxHashMap;
use vm::handles::Followed;
use vm::value::Ref;
use vm::vm::Vm;

use crate::state::canonical_heap::{CanonicalHeap, Root};
use crate::state::fingerprint::Fingerprint;
use crate::state::listing::value_text;

/// The expression of an object or value: with all calls, and with those alone that changed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Expression {
    pub(super) whole: Fingerprint,
    pub(super) modifying: Fingerprint,
    /// Their texts, where texts are kept.
    pub(super) whole_text: TextId,
    pub(super) modifying_text: TextId,
}

#[derive(Debug)]
struct Known {
    followed: Followed,
    expression: Expression,
}

/// The objects whose history is known.
#[derive(Debug, Default)]
pub(super) struct History {
    known: FxHashMap<Ref, Known>,
    n_collections: u64,
    pub(super) texts: Option<Texts>,
}

impl History {
    pub(super) fn new(with_texts: bool) -> History {
        History { texts: with_texts.then(Texts::default), ..History::default() }
    }

    /// Follows the objects to where the collector has moved them.
    pub(super) fn sync(&mut self, vm: &mut Vm) {
        let n_collections = vm.gc.stats.n_collections();
        if self.n_collections == n_collections {
            return;
        }
        self.n_collections = n_collections;
        let old = std::mem::take(&mut self.known);
        self.known.reserve(old.len());
        #[expect(clippy::iter_over_hash_type, reason = "the order makes no difference to the map")]
        for (_, known) in old {
            match vm.handles.followed(known.followed).some() {
                Some(object) => {
                    self.known.insert(object, known);
                }
                None => vm.handles.unfollow(known.followed),
            }
        }
    }

    /// The expression of a value; `sync` comes first.
    pub(super) fn expression(
        &mut self,
        heap: &mut CanonicalHeap,
        vm: &Vm,
        root: Root,
    ) -> Expression {
        if let Root::Object(object) = root
            && let Some(known) = self.known.get(&object)
        {
            return known.expression;
        }
        let value = heap.fingerprint(vm, &[root]);
        let text = match &mut self.texts {
            Some(texts) => texts.add(Text::Value(value_text(vm, root))),
            None => TextId::NONE,
        };
        Expression { whole: value, modifying: value, whole_text: text, modifying_text: text }
    }

    /// An object has this expression from now on.
    pub(super) fn set(&mut self, vm: &mut Vm, object: Ref, expression: Expression) {
        match self.known.get_mut(&object) {
            Some(known) => known.expression = expression,
            None => {
                let followed = vm.handles.follow(object);
                self.known.insert(object, Known { followed, expression });
            }
        }
    }

    /// Whether the history of an object is known.
    pub(super) fn knows(&self, object: Ref) -> bool {
        self.known.contains_key(&object)
    }

    /// Lets go of all objects.
    pub(super) fn forget(&mut self, vm: &mut Vm) {
        #[expect(clippy::iter_over_hash_type, reason = "the order of releases makes no difference")]
        for (_, known) in std::mem::take(&mut self.known) {
            vm.handles.unfollow(known.followed);
        }
    }
}

/// Names a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextId(u32);

impl TextId {
    pub(super) const NONE: TextId = TextId(u32::MAX);
}

/// An expression in text, made of others.
#[derive(Debug)]
pub(super) enum Text {
    Value(String),
    /// `method(parts…)` and what follows it: `.state` or `.retval`.
    Call {
        method: u32,
        parts: Vec<TextId>,
        suffix: &'static str,
    },
}

/// All texts of a run.
#[derive(Debug, Default)]
pub(super) struct Texts {
    texts: Vec<Text>,
}

/// No expression is printed longer than this.
const MOST_CHARS: usize = 600;

impl Texts {
    #[expect(clippy::cast_possible_truncation, reason = "far fewer calls than 2^32")]
    pub(super) fn add(&mut self, text: Text) -> TextId {
        self.texts.push(text);
        TextId(self.texts.len() as u32 - 1)
    }

    /// Whether this is what a call left or gave.
    pub(super) fn is_call(&self, id: TextId) -> bool {
        matches!(self.texts.get(id.0 as usize), Some(Text::Call { .. }))
    }

    /// The calls on one object in order, without the object itself; a value or the result of another
    /// call stands for itself. `has_receiver` tells of a method whether its first part is the object.
    pub(super) fn calls(
        &self,
        id: TextId,
        name: &dyn Fn(u32) -> String,
        has_receiver: &dyn Fn(u32) -> bool,
    ) -> Vec<String> {
        let mut calls = Vec::new();
        let mut at = Some(id);
        while let Some(id) = at.take() {
            let Some(Text::Call { method, parts, suffix: ".state" }) =
                self.texts.get(id.0 as usize)
            else {
                calls.push(self.render(id, name));
                break;
            };
            let arguments = if has_receiver(*method) {
                at = parts.first().copied();
                &parts[parts.len().min(1)..]
            } else {
                &parts[..]
            };
            let arguments: Vec<String> =
                arguments.iter().map(|&part| self.render(part, name)).collect();
            calls.push(format!("{}({})", name(*method), arguments.join(", ")));
        }
        calls.reverse();
        calls
    }

    /// The text in full, cut where it gets too long. `name` tells the names of methods.
    pub(super) fn render(&self, id: TextId, name: &dyn Fn(u32) -> String) -> String {
        enum Step {
            Text(TextId),
            Word(&'static str),
        }
        let mut out = String::new();
        let mut todo = vec![Step::Text(id)];
        while let Some(step) = todo.pop() {
            if out.len() > MOST_CHARS {
                out.push('…');
                break;
            }
            let id = match step {
                Step::Word(word) => {
                    out.push_str(word);
                    continue;
                }
                Step::Text(id) => id,
            };
            match self.texts.get(id.0 as usize) {
                None => out.push('?'),
                Some(Text::Value(value)) => out.push_str(value),
                Some(Text::Call { method, parts, suffix }) => {
                    out.push_str(&name(*method));
                    out.push('(');
                    todo.push(Step::Word(suffix));
                    todo.push(Step::Word(")"));
                    for (idx, &part) in parts.iter().enumerate().rev() {
                        todo.push(Step::Text(part));
                        if idx > 0 {
                            todo.push(Step::Word(", "));
                        }
                    }
                }
            }
        }
        out
    }
}
