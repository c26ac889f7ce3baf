//! From what a campaign broke to what a person reads: seen again in every world, shrunk, ranked.

use ::generate::random::{Broken, Campaign, Finding, Job, Judge};
use distill::group::{self, Found};
use distill::shrink::{shrink, without_end};
use observe::contract::Severity;
use suite::sequence::{Sequence, Var};

use crate::machines::Machines;
use crate::watch::{self, Progress};

/// Runs that shrinking one finding may take.
const MOST_TRIES: usize = 400;

/// What is left of the findings.
pub(super) struct Settled {
    /// Ranked: those to look at first in front.
    pub(super) findings: Vec<Finding>,
    /// How many did not show again from the beginning, or not in every world.
    pub(super) n_unstable: usize,
    /// By finding: whether its calls ask for files, programs or the network, so that it can have no test.
    pub(super) is_outside: Vec<bool>,
}

/// Sees every finding again from the beginning in all worlds, and shrinks it. `is_raw` says which sequences
/// Java can only write with raw types.
pub(super) fn settle(
    campaign: &Campaign,
    job: &Job,
    machines: &Machines,
    is_raw: &dyn Fn(&Sequence) -> bool,
    progress: &Progress,
) -> Result<Settled, String> {
    let mut settled = Settled { findings: Vec::new(), n_unstable: 0, is_outside: Vec::new() };
    if campaign.findings.is_empty() {
        return Ok(settled);
    }
    let mut judges = Vec::new();
    for world in machines.worlds()? {
        judges.push(Judge::new(world, &job.rules, job.settings.fuel, campaign.judged())?);
    }
    let n_causes = campaign.findings.len();
    for (idx, shown) in campaign.findings.iter().enumerate() {
        if watch::is_interrupted() {
            break;
        }
        progress.show(&format!("{idx} of {n_causes} findings seen again"));
        match shown.iter().find_map(|finding| confirm(&mut judges, is_raw, finding)) {
            // Shrinking may have led two to the same place.
            Some(finding) if settled.findings.iter().any(|known| same(known, &finding)) => {}
            Some(finding) => settled.findings.push(finding),
            None => settled.n_unstable += 1,
        }
    }
    let found: Vec<Found> = settled
        .findings
        .iter()
        .map(|finding| Found {
            contract: finding.broken.contract.to_string(),
            severity: match finding.broken.severity {
                Severity::Error => group::Severity::Error,
                Severity::Warning => group::Severity::Warning,
            },
            method: finding.broken.method.clone(),
            place: finding.broken.place.clone(),
            length: finding.sequence.len(),
        })
        .collect();
    settled.findings = group::group(&found)
        .into_iter()
        .map(|group| settled.findings[group.representative].clone())
        .collect();
    for finding in &settled.findings {
        let is_outside = |judge: &mut Judge| judge.is_outside(&finding.sequence).unwrap_or(true);
        settled.is_outside.push(judges.iter_mut().any(is_outside));
    }
    Ok(settled)
}

fn same(one: &Finding, other: &Finding) -> bool {
    one.broken.is_like(&other.broken)
}

/// Shrinks a finding on the first machine; it must then show on all.
fn confirm(
    judges: &mut [Judge],
    is_raw: &dyn Fn(&Sequence) -> bool,
    finding: &Finding,
) -> Option<Finding> {
    let (first, others) = judges.split_first_mut()?;
    let wanted = &finding.broken;
    let show = |judge: &mut Judge, sequence: &Sequence| -> Option<Broken> {
        judge.judge_again(sequence, wanted).ok()?
    };
    show(first, &finding.sequence)?;
    let may_be_raw = is_raw(&finding.sequence);
    let mut still =
        |sequence: &Sequence| show(first, sequence).is_some() && (may_be_raw || !is_raw(sequence));
    let mut sequence = finding.sequence.clone();
    loop {
        // Laws of objects need not show right behind the last call.
        sequence = without_end(&sequence, &mut still);
        let focus = Var(sequence.next_var().0.checked_sub(1)?);
        let shrunk = shrink(&sequence, focus, &mut still, MOST_TRIES);
        if shrunk == sequence {
            break;
        }
        sequence = shrunk;
    }
    let broken = show(first, &sequence)?;
    let is_everywhere = others.iter_mut().all(|other| show(other, &sequence).is_some());
    is_everywhere.then_some(Finding { broken, sequence, count: finding.count })
}
