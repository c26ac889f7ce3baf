//! The names of the five techniques.

use std::fmt;

/// How a state is represented and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Technique {
    /// All calls that led to the state.
    WholeSeq,
    /// The calls that changed the state.
    ModifyingSeq,
    /// Everything reachable.
    WholeState,
    /// What `equals` reads.
    MonitorEquals,
    /// Whatever `equals` says.
    PairwiseEquals,
}

impl Technique {
    /// All five, from the finest to the coarsest.
    pub const ALL: [Technique; 5] = [
        Technique::WholeSeq,
        Technique::ModifyingSeq,
        Technique::WholeState,
        Technique::MonitorEquals,
        Technique::PairwiseEquals,
    ];

    /// The name that users write.
    pub fn name(self) -> &'static str {
        match self {
            Technique::WholeSeq => "whole-seq",
            Technique::ModifyingSeq => "modifying-seq",
            Technique::WholeState => "whole-state",
            Technique::MonitorEquals => "monitor-equals",
            Technique::PairwiseEquals => "pairwise-equals",
        }
    }

    /// The technique with this name.
    pub fn of_name(name: &str) -> Option<Technique> {
        Technique::ALL.into_iter().find(|technique| technique.name() == name)
    }
}

impl fmt::Display for Technique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
