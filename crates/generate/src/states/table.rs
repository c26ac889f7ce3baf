//! The states met so far: key and way of getting there, 32 bytes or so each.
//!
//! An open-addressed index over a list in order of discovery. Looking up is for many threads at once,
//! adding is for one.

use observe::state::fingerprint::Fingerprint;

/// A state by order of discovery; `WORLD` is the one before any object is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

impl StateId {
    /// No object yet.
    pub const WORLD: StateId = StateId(0);

    /// The position this stands for.
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// An argument list by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListId(pub u32);

impl ListId {
    /// The position this stands for.
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// How a state was reached first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// From this state.
    pub parent: StateId,
    /// By this call.
    pub list: ListId,
}

const FREE: u32 = u32::MAX;

/// All states met so far.
#[derive(Debug)]
pub struct StateTable {
    keys: Vec<Fingerprint>,
    links: Vec<Link>,
    index: Vec<u32>,
}

impl Default for StateTable {
    fn default() -> StateTable {
        let world = Link { parent: StateId::WORLD, list: ListId(0) };
        let mut table = StateTable { keys: Vec::new(), links: Vec::new(), index: vec![FREE; 64] };
        table.add(Fingerprint(0), world);
        table
    }
}

impl StateTable {
    /// Number of states, the world included.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether nothing was reached but the world.
    pub fn is_empty(&self) -> bool {
        self.keys.len() <= 1
    }

    /// The state with this key.
    #[inline]
    pub fn find(&self, key: Fingerprint) -> Option<StateId> {
        let entry = self.index[self.slot(key)];
        (entry != FREE).then_some(StateId(entry))
    }

    /// The state with this key, added if it is new; and whether it is.
    #[expect(clippy::cast_possible_truncation, reason = "fewer than 2^32 states fit the memory")]
    pub fn add(&mut self, key: Fingerprint, link: Link) -> (StateId, bool) {
        if self.keys.len() * 3 >= self.index.len() * 2 {
            self.grow();
        }
        let slot = self.slot(key);
        if self.index[slot] != FREE {
            return (StateId(self.index[slot]), false);
        }
        let id = self.keys.len() as u32;
        self.index[slot] = id;
        self.keys.push(key);
        self.links.push(link);
        (StateId(id), true)
    }

    /// The key of a state.
    pub fn key(&self, state: StateId) -> Fingerprint {
        self.keys[state.idx()]
    }

    /// How a state was reached first.
    pub fn link(&self, state: StateId) -> Link {
        self.links[state.idx()]
    }

    /// The way from the world to a state: the states on it, in order, without the world.
    pub fn path(&self, state: StateId, path: &mut Vec<StateId>) {
        path.clear();
        let mut at = state;
        while at != StateId::WORLD {
            path.push(at);
            at = self.link(at).parent;
        }
        path.reverse();
    }

    #[inline]
    fn slot(&self, key: Fingerprint) -> usize {
        let mask = self.index.len() - 1;
        let mut slot = key.0 as usize & mask;
        loop {
            let entry = self.index[slot];
            if entry == FREE || self.keys[entry as usize] == key {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "fewer than 2^32 states fit the memory")]
    fn grow(&mut self) {
        self.index = vec![FREE; self.index.len() * 2];
        for id in 0..self.keys.len() {
            let slot = self.slot(self.keys[id]);
            self.index[slot] = id as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use observe::state::fingerprint::Fingerprint;

    use super::{Link, ListId, StateId, StateTable};

    #[test]
    fn states_are_numbered_by_discovery_and_found_again() {
        let mut table = StateTable::default();
        let link = Link { parent: StateId::WORLD, list: ListId(0) };
        for number in 1..5000_u32 {
            let key = Fingerprint(u128::from(number) << 70 | u128::from(number % 7));
            assert_eq!(table.add(key, link), (StateId(number), true));
            assert_eq!(table.add(key, link), (StateId(number), false));
        }
        assert_eq!(table.len(), 5000);
        for number in 1..5000_u32 {
            let key = Fingerprint(u128::from(number) << 70 | u128::from(number % 7));
            assert_eq!(table.find(key), Some(StateId(number)));
        }
        assert_eq!(table.find(Fingerprint(5)), None);
    }
}
