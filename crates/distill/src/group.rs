//! Puts findings that have one cause in all likelihood into one class, as REDUCE does (Pacheco, Lahiri,
//! Ernst and Ball, 2007, section 3.2): the same method, the same contract, and the same place where it
//! crashed. Deviation: the representative is the shortest, not one at random.
//!
//! Works on plain data. Must not know: how findings are made or shown.

use std::collections::BTreeMap;

/// How bad a finding is; the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// A contract that every class must keep is broken.
    Error,
    /// What is only advised is not kept.
    Warning,
}

/// A finding, as far as classes of findings need to know it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Found {
    /// What is broken: a contract, or the class of the exception.
    pub contract: String,
    /// How bad that is.
    pub severity: Severity,
    /// The method after whose call it is broken.
    pub method: String,
    /// Where it crashed, if it did.
    pub place: Option<String>,
    /// How long what shows it is, in statements.
    pub length: usize,
}

/// A class of findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Position of the shortest finding, the first among equals.
    pub representative: usize,
    /// Positions of all its findings, ascending.
    pub members: Vec<usize>,
}

/// The classes, those to look at first in front: errors before warnings, then what is found most often,
/// then what is shown in the fewest statements, then by name.
pub fn group(found: &[Found]) -> Vec<Group> {
    let mut classes: BTreeMap<(Severity, &str, &str, Option<&str>), Vec<usize>> = BTreeMap::new();
    for (idx, it) in found.iter().enumerate() {
        let key = (it.severity, &*it.method, &*it.contract, it.place.as_deref());
        classes.entry(key).or_default().push(idx);
    }
    let mut groups: Vec<Group> = classes
        .into_values()
        .filter_map(|members| {
            let shortest = members.iter().copied().min_by_key(|&idx| (found[idx].length, idx))?;
            Some(Group { representative: shortest, members })
        })
        .collect();
    // The sort is stable, so that names decide among equals.
    groups.sort_by_key(|group| {
        let shown = &found[group.representative];
        (shown.severity, std::cmp::Reverse(group.members.len()), shown.length)
    });
    groups
}

#[cfg(test)]
mod tests {
    use super::{Found, Group, Severity, group};

    fn found(method: &str, contract: &str, place: Option<&str>, length: usize) -> Found {
        Found {
            contract: contract.to_owned(),
            severity: Severity::Error,
            method: method.to_owned(),
            place: place.map(str::to_owned),
            length,
        }
    }

    #[test]
    fn one_class_per_method_contract_and_place() {
        let all = [
            found("f", "npe", Some("A.g:3"), 4),
            found("f", "npe", Some("A.g:3"), 2),
            found("f", "npe", Some("A.h:9"), 1),
            found("g", "npe", Some("A.g:3"), 1),
            found("f", "equals", None, 1),
            found("f", "npe", Some("A.g:3"), 2),
        ];
        let groups = group(&all);
        assert_eq!(groups[0], Group { representative: 1, members: vec![0, 1, 5] });
        let rest: Vec<usize> = groups[1..].iter().map(|group| group.representative).collect();
        assert_eq!(rest, [4, 2, 3], "as long and as frequent: by method, contract, place");
    }

    #[test]
    fn errors_come_before_warnings_however_frequent() {
        let warning = Found { severity: Severity::Warning, ..found("a", "compareTo", None, 1) };
        let all =
            [warning.clone(), warning, found("z", "npe", None, 9), found("y", "npe", None, 3)];
        let shown: Vec<usize> = group(&all).iter().map(|group| group.representative).collect();
        assert_eq!(shown, [3, 2, 0]);
        assert!(group(&[]).is_empty());
    }
}
