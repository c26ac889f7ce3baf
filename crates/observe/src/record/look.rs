//! Executions for people: the calls that led to them, their entry states by field paths, and why two of them
//! are the same or not.

use vm::vm::Vm;

use super::recording::Recording;
use super::{Execution, Techniques};
use crate::state::canonical_heap::{Root, Whole};
use crate::state::listing::{self, Difference, Entry, common, first_difference};
use crate::state::monitor_equals::MonitorEquals;
use crate::state::technique::Technique;

/// How states are written: figure 2 of Xie, Marinov and Notkin (2004).
pub const GRAMMAR: &str = "exp ::= prim | invoc.state | invoc.retval; invoc ::= method(exp, ...)";

/// An execution, in every way that a technique looks at it. Means the same on every machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// As an expression with all calls, and with those alone that changed something.
    pub texts: [String; 2],
    calls: Vec<Entry>,
    changing_calls: Vec<Entry>,
    whole: Vec<Entry>,
    /// What `equals` reads.
    read: Vec<Entry>,
}

impl Look {
    /// The expression that a technique goes by, or comes nearest to what it goes by.
    pub fn text(&self, technique: Technique) -> &str {
        &self.texts[usize::from(technique != Technique::WholeSeq)]
    }

    /// The entry state as the technique sees it, at most so many edges; `None` for techniques that look at
    /// calls, which the expression says.
    pub fn state(&self, technique: Technique, most: usize) -> Option<String> {
        if matches!(technique, Technique::WholeSeq | Technique::ModifyingSeq) {
            return None;
        }
        let entries = self.entries(technique);
        if entries.is_empty() {
            return None;
        }
        let mut parts: Vec<String> = Vec::new();
        let mut at = 0;
        while at < entries.len() && parts.len() < most {
            let n_alike = run_of_elements(&entries[at..]);
            let Entry { path, content, .. } = &entries[at];
            parts.push(match entries[at + n_alike - 1].path.rsplit_once('[') {
                Some((_, last)) if n_alike > 2 => {
                    let range = format!("{}..{last}", path.trim_end_matches(']'));
                    format!("{range} = {content}")
                }
                _ => format!("{path} = {content}"),
            });
            at += if n_alike > 2 { n_alike } else { 1 };
        }
        if at < entries.len() {
            parts.push(format!("and {} more", entries.len() - at));
        }
        Some(parts.join(", "))
    }

    fn entries(&self, technique: Technique) -> &[Entry] {
        match technique {
            Technique::WholeSeq => &self.calls,
            Technique::ModifyingSeq => &self.changing_calls,
            Technique::WholeState | Technique::PairwiseEquals => &self.whole,
            Technique::MonitorEquals => &self.read,
        }
    }

    /// How far two executions of a method agree: the more, the nearer they are.
    pub fn nearness(&self, other: &Look, techniques: Techniques) -> usize {
        let of = |technique: Technique| common(self.entries(technique), other.entries(technique));
        of(techniques.receiver)
    }

    /// Why this execution and another one of the same method are not the same.
    pub fn unlike(&self, other: &Look, techniques: Techniques) -> String {
        let found = if techniques.receiver == techniques.arguments {
            self.differ(other, techniques.receiver, None)
        } else {
            self.differ(other, techniques.receiver, Some(true))
                .or_else(|| self.differ(other, techniques.arguments, Some(false)))
        };
        // What looks alike as text, such as lists that no recorded call made, differs in what it holds.
        let found = found
            .or_else(|| Some(first_difference(&self.whole, &other.whole, "nothing")?.to_string()));
        found.unwrap_or_else(|| "no difference that can be shown".to_owned())
    }

    fn differ(&self, other: &Look, technique: Technique, part: Option<bool>) -> Option<String> {
        let missing = match technique {
            Technique::MonitorEquals => "not read by equals",
            Technique::WholeSeq | Technique::ModifyingSeq => "no call",
            Technique::WholeState | Technique::PairwiseEquals => "nothing",
        };
        let chosen = |look: &Look| -> Vec<Entry> {
            let entries = look.entries(technique).iter();
            entries.filter(|it| part.is_none_or(|part| it.is_receiver == part)).cloned().collect()
        };
        let found = first_difference(&chosen(self), &chosen(other), missing)?;
        Some(match technique {
            Technique::PairwiseEquals => format!("{found}, and equals says they differ"),
            _ => found.to_string(),
        })
    }

    /// Why this execution and another one of the same method are the same.
    pub fn alike(&self, other: &Look, techniques: Techniques) -> String {
        let differ = |get: fn(&Look) -> &Vec<Entry>, missing: &str| -> Option<Difference> {
            first_difference(get(self), get(other), missing)
        };
        let calls = differ(|look| &look.calls, "no call");
        let state = differ(|look| &look.whole, "nothing");
        match (techniques.receiver, state, calls) {
            (_, None, None) => "the same calls, the same state".to_owned(),
            (Technique::WholeSeq, Some(_), None) => "the same calls".to_owned(),
            (Technique::ModifyingSeq, _, Some(calls)) => {
                format!("the same but for calls that change nothing ({calls})")
            }
            (Technique::MonitorEquals, Some(state), _) => {
                format!("the same in all that equals reads ({state}, which it does not read)")
            }
            (Technique::PairwiseEquals, Some(state), _) => {
                format!("equals says they are the same ({state})")
            }
            (_, None, Some(calls)) => format!("the same state after other calls ({calls})"),
            (_, Some(state), _) => format!("the same to this technique ({state})"),
        }
    }
}

/// How many entries from the first on are elements of one array in a row and hold the same value.
fn run_of_elements(entries: &[Entry]) -> usize {
    let array = |entry: &Entry| {
        let (array, idx) = entry.path.strip_suffix(']')?.rsplit_once('[')?;
        Some((array.to_owned(), idx.parse::<usize>().ok()?))
    };
    let Some((of, first)) = array(&entries[0]) else { return 1 };
    let is_next = |(at, entry): &(usize, &Entry)| {
        entry.content == entries[0].content && array(entry) == Some((of.clone(), first + at))
    };
    entries.iter().enumerate().take_while(is_next).count()
}

impl Recording {
    /// An execution for people; only where texts were asked for when recording began. The machine is the
    /// one of the run; it is left as it was.
    pub fn look(&mut self, vm: &mut Vm, execution: u32) -> Option<Look> {
        let texts = [self.text(execution, true)?, self.text(execution, false)?];
        let executed = *self.executions.get(execution as usize)?;
        let world = vm.heap.top;
        let mark = vm.mark();
        let (mut whole, mut read) = (Vec::new(), Vec::new());
        if let Some(roots) = self.states.put(vm, executed.state) {
            let roots = self.named(&executed, &roots);
            whole = listing::list(&mut self.heap, vm, &roots, &Whole);
            read = MonitorEquals::default().list(&mut self.heap, vm, &roots, world);
        }
        vm.rollback(mark);
        let [calls, changing_calls] = [0, 1].map(|which| self.calls(&executed, execution, which));
        Some(Look { texts, calls, changing_calls, whole, read })
    }

    /// Parts of an entry state with their names.
    fn named(&self, executed: &Execution, roots: &[Root]) -> Vec<(String, bool, Root)> {
        let has_receiver = self.methods[executed.method as usize].has_receiver;
        let name = |(at, &root): (usize, &Root)| {
            let (name, is_receiver) = part_name(at, has_receiver);
            (name, is_receiver, root)
        };
        roots.iter().enumerate().map(name).collect()
    }

    /// What led to the parts of an entry state, call by call.
    fn calls(&self, executed: &Execution, execution: u32, which: usize) -> Vec<Entry> {
        let (Some(texts), Some(parts)) = (&self.texts, self.parts.get(execution as usize)) else {
            return Vec::new();
        };
        let name = |method: u32| self.methods[method as usize].short_name.clone();
        let has_receiver = |method: u32| self.methods[method as usize].has_receiver;
        let mut entries = Vec::new();
        for (at, &part) in parts[which].iter().enumerate() {
            let (part_name, is_receiver) = part_name(at, has_receiver(executed.method));
            let calls = texts.calls(part, &name, &has_receiver);
            let is_value = calls.len() == 1 && !texts.is_call(part);
            for (number, content) in calls.into_iter().enumerate() {
                let path = if is_value {
                    part_name.clone()
                } else {
                    format!("call {} of {part_name}", number + 1)
                };
                entries.push(Entry { is_receiver, path, content, class: None });
            }
        }
        entries
    }
}

/// The name of a part of an entry state, and whether it is the receiver.
fn part_name(at: usize, has_receiver: bool) -> (String, bool) {
    match (at, has_receiver) {
        (0, true) => ("this".to_owned(), true),
        (at, true) => (format!("argument {at}"), false),
        (at, false) => (format!("argument {}", at + 1), false),
    }
}
