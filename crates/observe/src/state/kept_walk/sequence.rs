//! The nodes of a tree in preorder, in chunks, so that whole subtrees move at the price of their chunks.
//!
//! Every node has a depth, a fingerprint of its own, and the number of levels that its references reach up.
//! The fingerprint of a sequence is a polynomial in those of its nodes, so chunks are folded one by one and
//! only those that have changed are read again. A chunk has an offset for the depths of its nodes: a subtree
//! that moves up or down costs an addition per chunk.

/// Nodes of a chunk at least before it is split further, and at most for small sequences.
const ROOM: usize = 64;
/// A prime: fingerprints are polynomials over its field.
const PRIME: u64 = (1 << 61) - 1;
/// Where the two polynomials are evaluated.
const BASES: [u64; 2] = [0x1a3c_5b79_d2e4_8f01, 0x0bd7_93ae_6c15_f24b];

/// The list of the whole tree.
pub(super) const MAIN: ListId = ListId(0);

/// Names a list of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListId(u32);

/// What a list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// The tree.
    Main,
    /// A subtree that is being made.
    Building,
    /// A subtree that was cut off and may find its place again.
    Loose,
}

/// A place between nodes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Behind {
    /// Right behind a node, before what is below it.
    Node(u32),
    /// Behind a node and all that is below it.
    Subtree(u32),
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    node: u32,
    /// Without the offset of the chunk.
    depth: i32,
}

#[derive(Debug, Default)]
struct Chunk {
    entries: Vec<Entry>,
    /// To be added to all depths.
    offset: i32,
    list: u32,
    /// Its place in the list.
    rank: u32,
    /// Whether what follows does not hold.
    is_stale: bool,
    least_depth: i32,
    /// The least depth that a reference of a node reaches up to.
    least_reach: i32,
    hash: [u64; 2],
    /// Nodes of the main list before this chunk, as of the last fold.
    n_before: u32,
}

#[derive(Debug)]
struct List {
    chunks: Vec<u32>,
    standing: Standing,
}

/// What is known of a node.
#[derive(Debug, Clone, Copy, Default)]
struct Own {
    chunk: u32,
    up: i32,
    hash: [u64; 2],
}

/// A place in a list: before this entry of the chunk with this rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    rank: usize,
    idx: usize,
}

/// Nodes in preorder.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    chunks: Vec<Chunk>,
    free_chunks: Vec<u32>,
    lists: Vec<List>,
    free_lists: Vec<u32>,
    /// By node.
    own: Vec<Own>,
    room: usize,
    /// Powers of the bases.
    powers: Vec<[u64; 2]>,
}

impl Sequence {
    /// Becomes a sequence of no nodes.
    pub(super) fn clear(&mut self) {
        self.chunks.clear();
        self.free_chunks.clear();
        self.lists.clear();
        self.free_lists.clear();
        self.own.clear();
        self.lists.push(List { chunks: Vec::new(), standing: Standing::Main });
        self.room = ROOM;
    }

    /// Makes chunks for a sequence that has so many nodes or some times as many.
    pub(super) fn expect(&mut self, n_nodes: usize) {
        self.room = (2 * n_nodes.isqrt()).max(ROOM);
    }

    pub(super) fn new_list(&mut self, standing: Standing) -> ListId {
        let list = List { chunks: Vec::new(), standing };
        match self.free_lists.pop() {
            Some(id) => {
                self.lists[id as usize] = list;
                ListId(id)
            }
            None => {
                self.lists.push(list);
                ListId(count(self.lists.len()) - 1)
            }
        }
    }

    /// Adds a node at the end of a list.
    pub(super) fn push(&mut self, list: ListId, node: u32, depth: i32) {
        let last = self.lists[list.0 as usize].chunks.last().copied();
        let id = match last {
            Some(id) if self.chunks[id as usize].entries.len() < self.room => id,
            _ => {
                let rank = count(self.lists[list.0 as usize].chunks.len());
                let id = self.new_chunk(list.0, rank, 0);
                self.lists[list.0 as usize].chunks.push(id);
                id
            }
        };
        let chunk = &mut self.chunks[id as usize];
        let depth = depth - chunk.offset;
        chunk.entries.push(Entry { node, depth });
        chunk.is_stale = true;
        let at = node as usize;
        if self.own.len() <= at {
            self.own.resize(at + 1, Own::default());
        }
        self.own[at] = Own { chunk: id, ..Own::default() };
    }

    /// A node has this fingerprint from now on, and references that reach up so many levels.
    pub(super) fn set(&mut self, node: u32, hash: [u64; 2], up: i32) {
        let own = &mut self.own[node as usize];
        own.hash = hash;
        own.up = up;
        self.chunks[own.chunk as usize].is_stale = true;
    }

    /// Levels that the references of a node reach up.
    pub(super) fn up(&self, node: u32) -> i32 {
        self.own[node as usize].up
    }

    /// What the list is that a node is in.
    pub(super) fn standing(&self, node: u32) -> Standing {
        let chunk = &self.chunks[self.own[node as usize].chunk as usize];
        self.lists[chunk.list as usize].standing
    }

    pub(super) fn depth(&self, node: u32) -> i32 {
        let (id, idx) = self.find(node);
        let chunk = &self.chunks[id as usize];
        chunk.entries[idx].depth + chunk.offset
    }

    /// Takes a node and all below it out, into a list of their own.
    pub(super) fn cut(&mut self, node: u32, standing: Standing) -> ListId {
        let (id, idx) = self.find(node);
        let (list, rank) = (self.chunks[id as usize].list, self.chunks[id as usize].rank as usize);
        let end = self.end_of(node);
        // The later place first, so that the earlier one stays what it is.
        let last = self.split(list, end);
        let n_chunks = self.lists[list as usize].chunks.len();
        let first = self.split(list, Place { rank, idx });
        let last = last + (self.lists[list as usize].chunks.len() - n_chunks);
        let taken: Vec<u32> = self.lists[list as usize].chunks.drain(first..last).collect();
        self.rank(list, first);
        self.merge(list, first);
        let new = self.new_list(standing);
        self.lists[new.0 as usize].chunks = taken;
        self.rank(new.0, 0);
        new
    }

    /// Adds so much to the depths of all nodes of a list.
    pub(super) fn shift(&mut self, list: ListId, by: i32) {
        for idx in 0..self.lists[list.0 as usize].chunks.len() {
            let id = self.lists[list.0 as usize].chunks[idx];
            self.chunks[id as usize].offset += by;
        }
    }

    /// Puts a list at the end of another.
    pub(super) fn append(&mut self, to: ListId, list: ListId) {
        let at = self.lists[to.0 as usize].chunks.len();
        self.splice(to.0, at, list);
    }

    /// Puts a list into the main one.
    pub(super) fn insert(&mut self, behind: Behind, list: ListId) {
        let place = self.place(behind);
        let at = self.split(MAIN.0, place);
        self.splice(MAIN.0, at, list);
    }

    /// Whether a node of the main list comes before a place in it.
    pub(super) fn is_before(&mut self, node: u32, behind: Behind) -> bool {
        let place = self.place(behind);
        let (id, idx) = self.find(node);
        Place { rank: self.chunks[id as usize].rank as usize, idx } < place
    }

    /// Whether a node is another or below it; both are in the main list.
    pub(super) fn contains(&mut self, above: u32, node: u32) -> bool {
        self.order(above) <= self.order(node) && self.is_before(node, Behind::Subtree(above))
    }

    /// Tells nodes of one list apart by which comes first.
    pub(super) fn order(&self, node: u32) -> (u32, usize) {
        let (id, idx) = self.find(node);
        (self.chunks[id as usize].rank, idx)
    }

    /// Gives the nodes of a list, but the first, whose references reach above the first; `false` if there are
    /// more than `most`.
    pub(super) fn reach_out(&mut self, list: ListId, most: usize, found: &mut Vec<u32>) -> bool {
        let ids = std::mem::take(&mut self.lists[list.0 as usize].chunks);
        let mut least = None;
        let n_before = found.len();
        for &id in &ids {
            self.refresh(id);
            let chunk = &self.chunks[id as usize];
            let first = least.is_none();
            let top = *least.get_or_insert_with(|| {
                chunk.entries.first().map_or(0, |entry| entry.depth + chunk.offset)
            });
            if chunk.least_reach + chunk.offset >= top {
                continue;
            }
            for entry in chunk.entries.iter().skip(usize::from(first)) {
                let up = self.own[entry.node as usize].up;
                if entry.depth + chunk.offset - up < top {
                    found.push(entry.node);
                }
            }
            if found.len() - n_before > most {
                break;
            }
        }
        self.lists[list.0 as usize].chunks = ids;
        found.len() - n_before <= most
    }

    /// Gives the nodes of a list back and drops it.
    pub(super) fn drop_list(&mut self, list: ListId, dropped: &mut Vec<u32>) {
        for id in std::mem::take(&mut self.lists[list.0 as usize].chunks) {
            let chunk = &mut self.chunks[id as usize];
            dropped.extend(chunk.entries.drain(..).map(|entry| entry.node));
            self.free_chunks.push(id);
        }
        self.free_lists.push(list.0);
    }

    /// The fingerprint of the main list; afterwards `index` tells the numbers of its nodes.
    pub(super) fn fold(&mut self) -> [u64; 2] {
        let ids = std::mem::take(&mut self.lists[MAIN.0 as usize].chunks);
        let mut total = [0; 2];
        let mut n_before = 0;
        for &id in &ids {
            self.refresh(id);
            let chunk = &mut self.chunks[id as usize];
            let powers = self.powers[chunk.entries.len()];
            for lane in 0..2 {
                total[lane] = add(times(total[lane], powers[lane]), chunk.hash[lane]);
            }
            chunk.n_before = n_before;
            n_before += count(chunk.entries.len());
        }
        self.lists[MAIN.0 as usize].chunks = ids;
        total
    }

    /// The number of a node in the order of the main list, as of the last fold.
    pub(super) fn index(&self, node: u32) -> u32 {
        let (id, idx) = self.find(node);
        self.chunks[id as usize].n_before + count(idx)
    }

    fn place(&mut self, behind: Behind) -> Place {
        match behind {
            Behind::Subtree(node) => self.end_of(node),
            Behind::Node(node) => {
                let (id, idx) = self.find(node);
                Place { rank: self.chunks[id as usize].rank as usize, idx: idx + 1 }
            }
        }
    }

    fn new_chunk(&mut self, list: u32, rank: u32, offset: i32) -> u32 {
        let id = self.free_chunks.pop().unwrap_or_else(|| {
            self.chunks.push(Chunk::default());
            count(self.chunks.len()) - 1
        });
        let chunk = &mut self.chunks[id as usize];
        (chunk.list, chunk.rank, chunk.offset, chunk.is_stale) = (list, rank, offset, true);
        id
    }

    #[inline]
    fn find(&self, node: u32) -> (u32, usize) {
        let id = self.own[node as usize].chunk;
        let entries = &self.chunks[id as usize].entries;
        let idx = entries.iter().position(|entry| entry.node == node);
        (id, idx.unwrap_or_default())
    }

    /// The place behind everything below a node.
    fn end_of(&mut self, node: u32) -> Place {
        let (id, idx) = self.find(node);
        let chunk = &self.chunks[id as usize];
        let (list, rank) = (chunk.list as usize, chunk.rank as usize);
        let depth = chunk.entries[idx].depth;
        let behind = &chunk.entries[idx + 1..];
        if let Some(found) = behind.iter().position(|entry| entry.depth <= depth) {
            return Place { rank, idx: idx + 1 + found };
        }
        let depth = depth + chunk.offset;
        for rank in rank + 1..self.lists[list].chunks.len() {
            let id = self.lists[list].chunks[rank];
            self.refresh(id);
            let chunk = &self.chunks[id as usize];
            let depth = depth - chunk.offset;
            if chunk.least_depth <= depth {
                let found = chunk.entries.iter().position(|entry| entry.depth <= depth);
                return Place { rank, idx: found.unwrap_or_default() };
            }
        }
        Place { rank: self.lists[list].chunks.len(), idx: 0 }
    }

    /// Lets a chunk begin at a place, and gives its rank.
    fn split(&mut self, list: u32, place: Place) -> usize {
        let Some(&id) = self.lists[list as usize].chunks.get(place.rank) else { return place.rank };
        let chunk = &mut self.chunks[id as usize];
        if place.idx == 0 {
            return place.rank;
        }
        if place.idx >= chunk.entries.len() {
            return place.rank + 1;
        }
        chunk.is_stale = true;
        let offset = chunk.offset;
        let rest = chunk.entries.split_off(place.idx);
        let rank = place.rank + 1;
        let new = self.new_chunk(list, 0, offset);
        for entry in &rest {
            self.own[entry.node as usize].chunk = new;
        }
        self.chunks[new as usize].entries = rest;
        self.lists[list as usize].chunks.insert(rank, new);
        self.rank(list, rank);
        rank
    }

    fn splice(&mut self, to: u32, at: usize, list: ListId) {
        let taken = std::mem::take(&mut self.lists[list.0 as usize].chunks);
        self.free_lists.push(list.0);
        let n_taken = taken.len();
        for &id in &taken {
            self.chunks[id as usize].list = to;
        }
        self.lists[to as usize].chunks.splice(at..at, taken);
        self.rank(to, at);
        self.merge(to, at + n_taken);
        self.merge(to, at);
    }

    /// Makes ranks true from one on.
    fn rank(&mut self, list: u32, from: usize) {
        for (rank, &id) in self.lists[list as usize].chunks.iter().enumerate().skip(from) {
            let chunk = &mut self.chunks[id as usize];
            chunk.rank = count(rank);
            chunk.list = list;
        }
    }

    /// Makes one chunk of the one with this rank and the one before, if they are small.
    fn merge(&mut self, list: u32, rank: usize) {
        let chunks = &self.lists[list as usize].chunks;
        let (Some(before), Some(&id)) = (rank.checked_sub(1), chunks.get(rank)) else { return };
        let before = chunks[before];
        let lens = [before, id].map(|id| self.chunks[id as usize].entries.len());
        if lens[0] + lens[1] > self.room / 2 {
            return;
        }
        let chunk = &mut self.chunks[id as usize];
        let entries = std::mem::take(&mut chunk.entries);
        let by = chunk.offset - self.chunks[before as usize].offset;
        for entry in &entries {
            self.own[entry.node as usize].chunk = before;
        }
        let chunk = &mut self.chunks[before as usize];
        chunk.is_stale = true;
        let moved = entries.iter().map(|entry| Entry { depth: entry.depth + by, ..*entry });
        chunk.entries.extend(moved);
        self.free_chunks.push(id);
        self.lists[list as usize].chunks.remove(rank);
        self.rank(list, rank);
    }

    /// Brings what is known of a chunk up to date.
    fn refresh(&mut self, id: u32) {
        let chunk = &mut self.chunks[id as usize];
        if !chunk.is_stale {
            return;
        }
        chunk.is_stale = false;
        let mut hash = [0; 2];
        let (mut least_depth, mut least_reach) = (i32::MAX, i32::MAX);
        for entry in &chunk.entries {
            let own = &self.own[entry.node as usize];
            for lane in 0..2 {
                hash[lane] = add(times(hash[lane], BASES[lane]), own.hash[lane]);
            }
            least_depth = least_depth.min(entry.depth);
            least_reach = least_reach.min(entry.depth - own.up);
        }
        (chunk.hash, chunk.least_depth, chunk.least_reach) = (hash, least_depth, least_reach);
        let n_entries = chunk.entries.len();
        while self.powers.len() <= n_entries {
            let next = match self.powers.last() {
                Some(last) => [times(last[0], BASES[0]), times(last[1], BASES[1])],
                None => [1; 2],
            };
            self.powers.push(next);
        }
    }
}

/// Folds the fingerprints of nodes in preorder: what `Sequence::fold` gives.
pub(super) fn fold(hashes: &[[u64; 2]]) -> [u64; 2] {
    let next = |total: [u64; 2], hash: &[u64; 2]| {
        [add(times(total[0], BASES[0]), hash[0]), add(times(total[1], BASES[1]), hash[1])]
    };
    hashes.iter().fold([0; 2], next)
}

/// The fingerprint of a node as elements of the field.
#[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
pub(super) fn lanes(fingerprint: u128) -> [u64; 2] {
    [reduce((fingerprint >> 64) as u64), reduce(fingerprint as u64)]
}

#[inline]
fn reduce(word: u64) -> u64 {
    let word = (word & PRIME) + (word >> 61);
    if word >= PRIME { word - PRIME } else { word }
}

#[inline]
fn add(a: u64, b: u64) -> u64 {
    reduce(a + b)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "both parts fit")]
fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    reduce((product as u64 & PRIME) + (product >> 61) as u64)
}

#[expect(clippy::cast_possible_truncation, reason = "far fewer nodes and chunks than 2^32")]
fn count(n: usize) -> u32 {
    n as u32
}

#[cfg(test)]
mod tests {
    use super::{Behind, MAIN, Sequence, Standing, fold};

    /// The nodes of the main list in order, with depths.
    fn listed(sequence: &Sequence) -> Vec<(u32, i32)> {
        let ids = &sequence.lists[0].chunks;
        let chunks = ids.iter().map(|&id| &sequence.chunks[id as usize]);
        let entries = chunks.flat_map(|chunk| {
            chunk.entries.iter().map(move |entry| (entry.node, entry.depth + chunk.offset))
        });
        entries.collect()
    }

    #[test]
    fn subtrees_move_as_in_a_plain_list() {
        let mut sequence = Sequence::default();
        sequence.clear();
        let mut plain: Vec<(u32, i32)> = (0..400).map(|node| (node, 1)).collect();
        plain[0].1 = 0;
        for &(node, depth) in &plain {
            sequence.push(MAIN, node, depth);
            sequence.set(node, [u64::from(node) + 7, u64::from(node) * 3 + 1], 0);
        }
        let mut seed = 1_u32;
        let mut random = move |bound: usize| {
            seed = seed.wrapping_mul(0x915f_77f5).wrapping_add(0x6b43_a9b5);
            (seed >> 8) as usize % bound
        };
        for round in 0..2000 {
            // A subtree goes below another node.
            let at = 1 + random(plain.len() - 1);
            let depth = plain[at].1;
            let behind = plain[at + 1..].iter().position(|&(_, other)| other <= depth);
            let end = behind.map_or(plain.len(), |found| at + 1 + found);
            let subtree: Vec<_> = plain.drain(at..end).collect();
            let to = random(plain.len());
            let (target, target_depth) = plain[to];
            let behind = plain[to + 1..].iter().position(|&(_, other)| other <= target_depth);
            let end = behind.map_or(plain.len(), |found| to + 1 + found);
            let (place, behind) = if random(2) == 0 {
                (to + 1, Behind::Node(target))
            } else {
                (end, Behind::Subtree(target))
            };
            let by = target_depth + 1 - depth;
            let list = sequence.cut(subtree[0].0, Standing::Loose);
            assert_eq!(sequence.standing(subtree[0].0), Standing::Loose);
            sequence.shift(list, by);
            sequence.insert(behind, list);
            plain.splice(place..place, subtree.iter().map(|&(node, depth)| (node, depth + by)));
            assert_eq!(listed(&sequence), plain, "round {round}");
            let hashes: Vec<_> = plain
                .iter()
                .map(|&(node, _)| [u64::from(node) + 7, u64::from(node) * 3 + 1])
                .collect();
            assert_eq!(sequence.fold(), fold(&hashes));
            let probe = random(plain.len());
            assert_eq!(sequence.index(plain[probe].0) as usize, probe);
            assert_eq!(sequence.depth(plain[probe].0), plain[probe].1);
        }
        assert!(sequence.lists[0].chunks.len() < 60);
    }
}
