//! The states of a stack of unique ints, explored breadth first by hand: what exploring costs where
//! nothing is interpreted. Same rounds, same table, same number of threads as `nonpareil generate`.

use std::thread;

const CAPACITY: usize = 16;
const ROUND: usize = 40_000;
const FREE: u32 = u32::MAX;

/// The stack.
#[derive(Clone, Copy)]
struct Stack {
    store: [i32; CAPACITY],
    size: usize,
}

impl Stack {
    /// Puts a value on top unless it is there.
    fn push(&mut self, value: i32) {
        if !self.store[..self.size].contains(&value) {
            self.store[self.size] = value;
            self.size += 1;
        }
    }

    fn key(&self) -> u128 {
        let mut first = 0x9e37_79b9_7f4a_7c15_u64;
        let mut second = 0xd6e8_feb8_6659_fd93_u64;
        let mut mix = |word: u64| {
            first = (first ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            first ^= first >> 29;
            second = second.rotate_left(23).wrapping_add(word).wrapping_mul(0xd6e8_feb8_6659_fd93);
            second ^= second >> 32;
        };
        mix(self.size as u64);
        for &value in &self.store {
            mix(u64::from(value.unsigned_abs()));
        }
        u128::from(first) << 64 | u128::from(second)
    }
}

/// Keys and how they were reached.
struct Table {
    keys: Vec<u128>,
    links: Vec<(u32, u32)>,
    index: Vec<u32>,
}

impl Table {
    fn slot(&self, key: u128) -> usize {
        let mask = self.index.len() - 1;
        let mut slot = key as usize & mask;
        loop {
            let entry = self.index[slot];
            if entry == FREE || self.keys[entry as usize] == key {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn find(&self, key: u128) -> bool {
        self.index[self.slot(key)] != FREE
    }

    fn add(&mut self, key: u128, link: (u32, u32)) {
        if self.keys.len() * 3 >= self.index.len() * 2 {
            self.index = vec![FREE; self.index.len() * 2];
            for id in 0..self.keys.len() {
                let slot = self.slot(self.keys[id]);
                self.index[slot] = u32::try_from(id).unwrap_or(FREE);
            }
        }
        let slot = self.slot(key);
        if self.index[slot] == FREE {
            self.index[slot] = u32::try_from(self.keys.len()).unwrap_or(FREE);
            self.keys.push(key);
            self.links.push(link);
        }
    }

    /// Makes a state again by repeating its pushes.
    fn stack(&self, state: u32) -> Stack {
        let mut pushes = [0; CAPACITY];
        let mut n_pushes = 0;
        let mut at = state;
        while at != 0 {
            let (parent, value) = self.links[at as usize];
            pushes[n_pushes] = value;
            n_pushes += 1;
            at = parent;
        }
        let mut stack = Stack { store: [0; CAPACITY], size: 0 };
        for &value in pushes[..n_pushes].iter().rev() {
            stack.push(i32::try_from(value).unwrap_or(0));
        }
        stack
    }
}

/// The number of states that pushing 1 to `n` reaches; every state is tried with every value.
pub(super) fn explore(n: u32, n_threads: usize) -> usize {
    let empty = Stack { store: [0; CAPACITY], size: 0 };
    let mut table = Table { keys: Vec::new(), links: Vec::new(), index: vec![FREE; 64] };
    table.add(empty.key(), (0, 0));
    let mut frontier = 0..1;
    while !frontier.is_empty() {
        let next = table.keys.len();
        let mut start = frontier.start;
        while start < frontier.end {
            let end = frontier.end.min(start + ROUND);
            let part = (end - start).div_ceil(n_threads);
            let known = &table;
            let found: Vec<Vec<(u128, u32, u32)>> = thread::scope(|scope| {
                let threads: Vec<_> = (0..n_threads)
                    .map(|idx| {
                        let from = (start + idx * part).min(end);
                        let to = (from + part).min(end);
                        scope.spawn(move || expand(known, from..to, n))
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
            });
            for (key, parent, value) in found.into_iter().flatten() {
                table.add(key, (parent, value));
            }
            start = end;
        }
        frontier = next..table.keys.len();
    }
    table.keys.len()
}

fn expand(table: &Table, states: std::ops::Range<usize>, n: u32) -> Vec<(u128, u32, u32)> {
    let mut found = Vec::new();
    for state in states {
        let state = u32::try_from(state).unwrap_or(FREE);
        let stack = table.stack(state);
        let before = table.keys[state as usize];
        for value in 1..=n {
            let mut pushed = stack;
            pushed.push(i32::try_from(value).unwrap_or(0));
            let key = pushed.key();
            if key != before && !table.find(key) {
                found.push((key, state, value));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_hand_written_exploration_finds_all_partial_permutations() {
        assert_eq!([1, 2, 3, 6].map(|n| super::explore(n, 2)), [2, 5, 16, 1957]);
    }
}
