//! Runs the sequences of a campaign on a second version of the classes, or of the JDK, and says where the
//! two differ (section 3.3 of the paper).

use ::generate::random::{Campaign, Worthy};
use ::generate::states::tests::{Settled, settle};
use emit::junit::spell;
use observe::oracle::{self, End, Observation};
use observe::session::Session;
use suite::sequence::Var;
use suite::test::{Expected, Test};

use super::suites::draft;
use crate::machines::Machines;
use crate::options::GenerateOptions;
use crate::watch::{self, Progress};

/// Sequences that tell two versions apart and are shown for one call, at most.
const MOST_PER_CALL: usize = 3;

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
        machine.classpath.clone_from(class_path);
    }
    if let Some(jdk) = &random.against_jdk {
        machine.jdk = Some(jdk.clone());
    }
    Machines::new(&machine).map(Some)
}

/// Where the two versions differ.
pub(super) fn compare(
    campaign: &Campaign,
    here: &mut [Session],
    there: &mut [Session],
    fuel: u64,
    progress: &Progress,
) -> Vec<Difference> {
    let mut found: Vec<Difference> = Vec::new();
    for (idx, worthy) in campaign.worthy.iter().enumerate() {
        if watch::is_interrupted() {
            break;
        }
        progress.show(&format!("{idx} of {} sequences on both versions", campaign.worthy.len()));
        let Some(difference) = differ(campaign, worthy, here, there, fuel) else { continue };
        let alike = |known: &&Difference| known.method == difference.method;
        let n_known = found.iter().filter(alike).count();
        let is_same =
            |known: &Difference| alike(&known) && known.behaviours == difference.behaviours;
        if n_known < MOST_PER_CALL && !found.iter().any(is_same) {
            found.push(difference);
        }
    }
    found
}

fn differ(
    campaign: &Campaign,
    worthy: &Worthy,
    here: &mut [Session],
    there: &mut [Session],
    fuel: u64,
) -> Option<Difference> {
    let draft = draft(&worthy.sequence);
    let observers = &campaign.observers[worthy.class];
    let last = worthy.sequence.statements().last()?;
    let method = last.method().map_or_else(String::new, |method| method.to_string());
    let see = |worlds: &mut [Session]| -> Result<Option<Observation>, String> {
        let mut seen = Vec::new();
        for world in worlds {
            let run = oracle::observe(world, &draft.sequence, observers, draft.receiver, fuel);
            seen.push(run.map_err(|error| error.to_string())?);
        }
        Ok(oracle::agreed(&seen))
    };
    let ours = see(here).ok()??;
    let behaviours = match see(there) {
        Err(missing) => ("it can be called".to_owned(), missing),
        Ok(None) => return None,
        Ok(Some(theirs)) => difference(&ours, &theirs, observers)?,
    };
    let Ok(Settled::Test(mut test)) = settle(here, &draft, observers, fuel) else { return None };
    test.notes.push(format!("here {}; on the other version {}", behaviours.0, behaviours.1));
    Some(Difference { class: worthy.class, method, test: *test, behaviours })
}

/// The first thing that two runs show differently.
fn difference(
    ours: &Observation,
    theirs: &Observation,
    observers: &[std::sync::Arc<suite::method::Method>],
) -> Option<(String, String)> {
    let n_results = ours.results.len().min(theirs.results.len());
    for idx in 0..n_results {
        if let (Some(one), Some(other)) = (&ours.results[idx], &theirs.results[idx])
            && one != other
        {
            let which = format!("call {} gives ", idx + 1);
            return Some((format!("{which}{}", said(one)), format!("{which}{}", said(other))));
        }
    }
    if end(&ours.end) != end(&theirs.end) {
        let at = |seen: &Observation| match seen.end {
            None => "all calls return".to_owned(),
            Some(_) => format!("call {} {}", seen.results.len() + 1, end(&seen.end)),
        };
        return Some((at(ours), at(theirs)));
    }
    for (method, (one, other)) in observers.iter().zip(ours.observers.iter().zip(&theirs.observers))
    {
        if let (Some(one), Some(other)) = (one, other)
            && one != other
        {
            let which = format!("{}() gives ", method.name);
            return Some((format!("{which}{}", said(one)), format!("{which}{}", said(other))));
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
    }
}

fn said(expected: &Expected) -> String {
    match expected {
        Expected::Equals(constant) => spell(constant),
        Expected::ArrayEquals(elements) => {
            let elements: Vec<String> = elements.iter().map(spell).collect();
            format!("{{{}}}", elements.join(", "))
        }
        Expected::NotNull => "an object".to_owned(),
        Expected::Same(Var(at)) => format!("what call {} gave", at + 1),
        Expected::EqualTo(Var(at)) => format!("something equal to what call {} gave", at + 1),
        Expected::NotSame(Var(at)) => format!("another object than call {}", at + 1),
    }
}
