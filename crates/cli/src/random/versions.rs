//! Runs the sequences of a campaign on a second version of the classes, or of the JDK, and says where the
//! two differ (section 3.3 of the paper).

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use ::generate::random::Campaign;
use ::generate::states::tests::{Settled, settle};
use distill::shrink::{shrink, without_end};
use emit::junit::spell;
use observe::oracle::{self, End, Observation, Run};
use observe::session::{NotFound, Session};
use suite::method::Method;
use suite::sequence::{Sequence, Var};
use suite::test::{Expected, Test};

use super::suites::draft;
use crate::counted::counted;
use crate::machines::Machines;
use crate::options::GenerateOptions;
use crate::watch::{self, Progress};

/// Sequences that tell two versions apart and are shown for one call, at most.
const MOST_PER_CALL: usize = 3;
/// Runs that shrinking one of them may take.
const MOST_TRIES: usize = 200;

/// What two versions do differently.
pub(super) struct Difference {
    /// Position of the class under test.
    pub(super) class: usize,
    /// What is called last.
    pub(super) method: String,
    /// A test that passes on this version.
    pub(super) test: Test,
    /// What happens here, and on the other version.
    pub(super) behaviours: (String, String),
}

/// The other version that was asked for; `None` if none was.
pub(super) fn other(options: &GenerateOptions) -> Result<Option<Machines>, String> {
    let random = &options.random;
    if random.against.is_none() && random.against_jdk.is_none() {
        return Ok(None);
    }
    let mut machine = super::machine_options(options);
    if let Some(class_path) = &random.against {
        if !class_path.split(':').any(|entry| Path::new(entry.trim_end_matches('*')).exists()) {
            return Err(format!(
                "--against {class_path}: there is no such folder or jar\nhint: name the class path of the other version"
            ));
        }
        machine.classpath.clone_from(class_path);
    }
    if let Some(jdk) = &random.against_jdk {
        machine.jdk = Some(jdk.clone());
    }
    Machines::new(&machine).map(Some).map_err(|error| match &random.against_jdk {
        Some(_) => error.replacen("--jdk", "--against-jdk", 1),
        None => error,
    })
}

/// Where the two versions differ: for each way to differ the shortest calls that show it. `is_raw` says which
/// sequences Java can only write with raw types.
pub(super) fn compare(
    campaign: &Campaign,
    (here, there): (&mut [Session], &mut [Session]),
    fuel: u64,
    is_raw: &dyn Fn(&Sequence) -> bool,
    progress: &Progress,
) -> Vec<Difference> {
    let mut found: Vec<Difference> = Vec::new();
    let mut met: BTreeSet<(Arc<Method>, Seen)> = BTreeSet::new();
    for (idx, worthy) in campaign.worthy.iter().enumerate() {
        if watch::is_interrupted() {
            break;
        }
        progress.show(&format!(
            "{idx} of {} on both versions",
            counted(campaign.worthy.len(), "sequence")
        ));
        let Some(method) = last_method(&worthy.sequence).cloned() else { continue };
        let mut both = Both {
            here: &mut *here,
            there: &mut *there,
            observers: &campaign.observers[worthy.class],
            fuel,
        };
        let Some(seen) = both.seen(&worthy.sequence) else { continue };
        let n_alike = met.iter().filter(|(by, one)| *by == method && one.what == seen.what).count();
        if n_alike >= MOST_PER_CALL || !met.insert((method, seen.clone())) {
            continue;
        }
        let shorter = both.shrunk(&worthy.sequence, &seen, is_raw);
        let difference = both.difference(&shorter, worthy.class);
        let difference = difference.or_else(|| both.difference(&worthy.sequence, worthy.class));
        let is_new = |one: &Difference| {
            !found
                .iter()
                .any(|known| known.method == one.method && known.behaviours == one.behaviours)
        };
        found.extend(difference.filter(is_new));
    }
    found
}

/// Something that two versions do differently.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    /// What it is about.
    what: String,
    /// What happens here, and on the other version.
    behaviours: (String, String),
}

/// Machines with both versions, in all worlds.
struct Both<'a> {
    here: &'a mut [Session],
    there: &'a mut [Session],
    observers: &'a [Arc<Method>],
    fuel: u64,
}

impl Both<'_> {
    /// What the two versions do differently.
    fn seen(&mut self, sequence: &Sequence) -> Option<Seen> {
        let ours = observed(self.here, sequence, self.observers, self.fuel).ok()??;
        match observed(self.there, sequence, self.observers, self.fuel) {
            Err(missing) => Some(Seen {
                what: missing.clone(),
                behaviours: ("it can be called".to_owned(), missing),
            }),
            Ok(theirs) => difference(sequence, &ours, &theirs?, self.observers),
        }
    }

    /// The sequence without what is not needed to show such a difference, in the first world.
    fn shrunk(
        &mut self,
        sequence: &Sequence,
        wanted: &Seen,
        is_raw: &dyn Fn(&Sequence) -> bool,
    ) -> Sequence {
        let class = |one: &Sequence| last_method(one).map(|method| method.class.clone());
        let (own, may_be_raw) = (class(sequence), is_raw(sequence));
        let (n_here, n_there) = (self.here.len().min(1), self.there.len().min(1));
        let mut first = Both {
            here: &mut self.here[..n_here],
            there: &mut self.there[..n_there],
            observers: self.observers,
            fuel: self.fuel,
        };
        let mut still = |shorter: &Sequence| {
            class(shorter) == own
                && first.seen(shorter).is_some_and(|seen| seen.what == wanted.what)
                && (may_be_raw || !is_raw(shorter))
        };
        let shorter = without_end(sequence, &mut still);
        let focus = Var(shorter.next_var().0.saturating_sub(1));
        shrink(&shorter, focus, &mut still, MOST_TRIES)
    }

    /// A test that shows on this version what is different.
    fn difference(&mut self, sequence: &Sequence, class: usize) -> Option<Difference> {
        let Seen { behaviours, .. } = self.seen(sequence)?;
        let method = last_method(sequence)?.to_string();
        let settled = settle(self.here, &draft(sequence), self.observers, self.fuel);
        let Ok(Settled::Test(mut test)) = settled else { return None };
        test.notes.push(format!("here {}; on the other version {}", behaviours.0, behaviours.1));
        Some(Difference { class, method, test: *test, behaviours })
    }
}

fn last_method(sequence: &Sequence) -> Option<&Arc<Method>> {
    sequence.statements().last()?.method()
}

/// What a sequence does in all of these worlds; an `Err` says what is missing there.
fn observed(
    worlds: &mut [Session],
    sequence: &Sequence,
    observers: &[Arc<Method>],
    fuel: u64,
) -> Result<Option<Observation>, String> {
    let receiver = draft(sequence).receiver;
    let run = Run { sequence, observers, receiver, change: None, fuel };
    let mut seen = Vec::new();
    for (idx, world) in worlds.iter_mut().enumerate() {
        let run = run.observe_in(idx, world);
        // Where exactly the class loader gave up says nothing.
        let missing =
            |error: NotFound| error.to_string().lines().next().unwrap_or_default().to_owned();
        seen.push(run.map_err(missing)?);
    }
    Ok(oracle::agreed(&seen))
}

/// The first thing that two runs show differently.
fn difference(
    sequence: &Sequence,
    ours: &Observation,
    theirs: &Observation,
    observers: &[Arc<Method>],
) -> Option<Seen> {
    let name = |idx: usize| {
        let method = sequence.statements().get(idx).and_then(|statement| statement.method());
        method.map_or_else(String::new, |method| method.to_string())
    };
    let which = |idx: usize| match idx + 1 == sequence.len() {
        true => "it".to_owned(),
        false => format!("call {}", idx + 1),
    };
    let n_results = ours.results.len().min(theirs.results.len());
    for idx in 0..n_results {
        if let (Some(one), Some(other)) = (&ours.results[idx], &theirs.results[idx])
            && one != other
        {
            let gives = |it: &Expected| format!("{} gives {}", which(idx), said(it));
            return Some(Seen { what: name(idx), behaviours: (gives(one), gives(other)) });
        }
    }
    if end(&ours.end) != end(&theirs.end) {
        let last = |seen: &Observation| match seen.end {
            None => sequence.len() - 1,
            Some(_) => seen.results.len(),
        };
        // Where one ends early, the other is asked about the same call.
        let at = last(ours).min(last(theirs));
        let does = |seen: &Observation| match last(seen) == at {
            true => format!("{} {}", which(at), end(&seen.end)),
            false => format!("{} returns", which(at)),
        };
        let what = format!("end of {}", name(at));
        return Some(Seen { what, behaviours: (does(ours), does(theirs)) });
    }
    for (method, (one, other)) in observers.iter().zip(ours.observers.iter().zip(&theirs.observers))
    {
        if let (Some(one), Some(other)) = (one, other)
            && one != other
        {
            let gives = |it: &Expected| format!("{}() gives {}", method.name, said(it));
            return Some(Seen {
                what: format!("{method} afterwards"),
                behaviours: (gives(one), gives(other)),
            });
        }
    }
    None
}

fn end(end: &Option<End>) -> String {
    match end {
        None => "returns".to_owned(),
        Some(End::Threw { class, message }) => match message {
            Some(Some(message)) => format!("throws {} ({message})", class.replace('/', ".")),
            _ => format!("throws {}", class.replace('/', ".")),
        },
        Some(End::Stopped(_)) => "does not come to an end".to_owned(),
        Some(End::ByChance) => "ends by chance".to_owned(),
    }
}

fn said(expected: &Expected) -> String {
    match expected {
        Expected::Equals(constant) => spell(constant),
        Expected::ArrayEquals(elements) => {
            let elements: Vec<String> = elements.iter().map(spell).collect();
            format!("{{{}}}", elements.join(", "))
        }
        Expected::Text(text) => format!("an object that says {}", spell(text)),
        Expected::NotNull => "an object".to_owned(),
        Expected::Same(Var(at)) => format!("what call {} gave", at + 1),
        Expected::EqualTo(Var(at)) => format!("something equal to what call {} gave", at + 1),
        Expected::NotSame(Var(at)) => format!("another object than call {}", at + 1),
    }
}
