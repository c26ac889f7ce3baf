//! Five ways to say whether two states are the same, one file each, as in Xie, Marinov and Notkin
//! (2004): how a state is represented, and how two are compared.
//!
//! | technique | represents a state by | compares |
//! |---|---|---|
//! | `whole_seq` | all calls that led to it | for equality |
//! | `modifying_seq` | the calls that changed it | for equality |
//! | `whole_state` | everything reachable | for isomorphism |
//! | `monitor_equals` | what `equals` reads | for isomorphism |
//! | `pairwise_equals` | everything reachable | with `equals` |

pub mod canonical_heap;
pub mod fingerprint;
pub mod kept_walk;
pub mod listing;
pub mod mask;
pub mod modifying_seq;
pub mod monitor_equals;
pub mod pairwise_equals;
pub mod technique;
pub mod visited;
pub mod whole_seq;
pub mod whole_state;
