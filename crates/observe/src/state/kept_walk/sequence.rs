//! The nodes of a tree in preorder, in chunks that hang in balanced trees, so that whole subtrees move at the price of
//! a few chunks, however large they are.
//!
//! Every node has a depth, a fingerprint of its own, and the number of levels that its references reach up.
//! The fingerprint of a sequence is a polynomial in those of its nodes, so it is put together from those of its
//! parts, and only parts that have changed are read again. What is to be added to the depths of a whole part stands at
//! its top.
//!
//! A list is a treap: chunks in order, none with a higher priority than the one it hangs from, and priorities are as
//! good as random. So no chunk is far from the top, and the methods that call themselves go no deeper than that.

use super::summary::{MOST_SUMMED, Summary};

/// Nodes of a chunk at most.
const ROOM: usize = MOST_SUMMED;
/// No chunk.
const NONE: u32 = u32::MAX;

/// The list of the whole tree.
pub(super) const MAIN: ListId = ListId(0);

/// Names a list.
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
    hash: [u64; 2],
    node: u32,
    /// Without the offset of the chunk.
    depth: i32,
    up: i32,
}

#[derive(Debug)]
struct Chunk {
    entries: Vec<Entry>,
    /// To be added to the depths of its own nodes.
    offset: i32,
    /// To be added to the depths of the nodes of all chunks below it.
    offset_below: i32,
    left: u32,
    right: u32,
    /// The chunk that it hangs from; `NONE` for the top of a list.
    above: u32,
    /// Of the top: which list it is.
    list: u32,
    priority: u32,
    /// Nodes of this chunk and those below it.
    n_nodes: u32,
    /// What is known of its own nodes, without the offset, unless they have changed.
    own: Summary,
    is_stale: bool,
    /// What is known of its nodes and those of all chunks below it, unless one has changed: then what is known of the
    /// chunks above does not hold either.
    all: Summary,
    is_all_stale: bool,
}

#[derive(Debug)]
struct List {
    top: u32,
    standing: Standing,
}

/// A place in a list: before this node of a chunk, or behind its last one.
#[derive(Debug, Clone, Copy)]
struct Place {
    chunk: u32,
    idx: usize,
}

/// Nodes in preorder.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    chunks: Vec<Chunk>,
    free_chunks: Vec<u32>,
    lists: Vec<List>,
    free_lists: Vec<u32>,
    /// The chunks that nodes are in.
    chunk_of: Vec<u32>,
    /// The last priority.
    priority: u32,
}

impl Sequence {
    /// Becomes a sequence of no nodes.
    pub(super) fn clear(&mut self) {
        self.chunks.clear();
        self.free_chunks.clear();
        self.lists.clear();
        self.free_lists.clear();
        self.chunk_of.clear();
        self.lists.push(List { top: NONE, standing: Standing::Main });
        self.priority = 1;
    }

    pub(super) fn new_list(&mut self, standing: Standing) -> ListId {
        let list = List { top: NONE, standing };
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
        let top = self.lists[list.0 as usize].top;
        let mut id = self.last(top);
        if id == NONE || self.chunk(id).entries.len() == ROOM {
            id = self.new_chunk(0);
            let top = self.merge(top, id);
            self.set_top(list, top);
        }
        let depth = depth - self.offset(id);
        self.chunk_mut(id).entries.push(Entry { hash: [0; 2], node, depth, up: 0 });
        self.n_nodes_changed(id);
        let at = node as usize;
        if self.chunk_of.len() <= at {
            self.chunk_of.resize(at + 1, NONE);
        }
        self.chunk_of[at] = id;
    }

    /// A node has this fingerprint from now on, and references that reach up so many levels.
    pub(super) fn set(&mut self, node: u32, hash: [u64; 2], up: i32) {
        let (id, idx) = self.find(node);
        let entry = &mut self.chunk_mut(id).entries[idx];
        (entry.hash, entry.up) = (hash, up);
        self.has_changed(id);
    }

    /// Levels that the references of a node reach up.
    pub(super) fn up(&self, node: u32) -> i32 {
        let (id, idx) = self.find(node);
        self.chunk(id).entries[idx].up
    }

    /// What the list is that a node is in.
    pub(super) fn standing(&self, node: u32) -> Standing {
        self.lists[self.list(node).0 as usize].standing
    }

    pub(super) fn depth(&self, node: u32) -> i32 {
        let (id, idx) = self.find(node);
        self.chunk(id).entries[idx].depth + self.offset(id)
    }

    /// Takes a node and all below it out, into a list of their own.
    pub(super) fn cut(&mut self, node: u32, standing: Standing) -> ListId {
        let (id, idx) = self.find(node);
        let end = self.end_of(node);
        let new = self.new_list(standing);
        let n_taken = end.idx.saturating_sub(idx);
        if end.chunk == id && n_taken < self.chunk(id).entries.len() {
            // A part of one chunk.
            let taken = self.new_chunk(self.offset(id));
            let entries = self.chunk_mut(id).entries.drain(idx..end.idx).collect();
            self.fill(taken, entries);
            self.n_nodes_changed(id);
            self.set_top(new, taken);
            return new;
        }
        let list = self.list(node);
        let first = self.index_of(Place { chunk: id, idx });
        let end = self.index_of(end);
        let (before, behind) = self.split(self.lists[list.0 as usize].top, end);
        let (before, taken) = self.split(before, first);
        let rest = self.join(before, behind);
        self.set_top(list, rest);
        self.set_top(new, taken);
        new
    }

    /// Adds so much to the depths of all nodes of a list.
    pub(super) fn shift(&mut self, list: ListId, by: i32) {
        let top = self.lists[list.0 as usize].top;
        self.deepen(top, by);
    }

    /// Puts a list at the end of another.
    pub(super) fn append(&mut self, to: ListId, list: ListId) {
        let both = self.join(self.lists[to.0 as usize].top, self.lists[list.0 as usize].top);
        self.set_top(to, both);
        self.free_lists.push(list.0);
    }

    /// Puts a list into the main one.
    pub(super) fn insert(&mut self, behind: Behind, list: ListId) {
        let place = self.place(behind);
        let new = self.lists[list.0 as usize].top;
        self.free_lists.push(list.0);
        let n_both = self.chunk(new).entries.len() + self.chunk(place.chunk).entries.len();
        if n_both <= ROOM && count(self.chunk(new).entries.len()) == self.n_nodes(new) {
            // All of it fits into the chunk.
            self.move_entries(new, place);
            self.n_nodes_changed(place.chunk);
            return;
        }
        let index = self.index_of(place);
        let (before, behind) = self.split(self.lists[MAIN.0 as usize].top, index);
        let both = self.join(before, new);
        let all = self.join(both, behind);
        self.set_top(MAIN, all);
    }

    /// Whether a node of the main list comes before a place in it.
    pub(super) fn is_before(&mut self, node: u32, behind: Behind) -> bool {
        let place = self.place(behind);
        self.index(node) < self.index_of(place)
    }

    /// Whether a node is another or below it; both are in the main list.
    pub(super) fn contains(&mut self, above: u32, node: u32) -> bool {
        self.index(above) <= self.index(node) && self.is_before(node, Behind::Subtree(above))
    }

    /// Gives the nodes of a list, but the first, whose references reach above the first; `false` if there are
    /// more than `most`.
    pub(super) fn reach_out(&mut self, list: ListId, most: usize, found: &mut Vec<u32>) -> bool {
        let top = self.lists[list.0 as usize].top;
        if top == NONE {
            return true;
        }
        let first = self.chunk(self.first(top)).entries[0].node;
        let depth = self.depth(first);
        let most = found.len() + most;
        self.refresh(top);
        self.reach_above(top, (first, depth), most, found)
    }

    /// Gives the nodes of a list back and drops it.
    pub(super) fn drop_list(&mut self, list: ListId, dropped: &mut Vec<u32>) {
        self.drop_chunks(self.lists[list.0 as usize].top, dropped);
        self.free_lists.push(list.0);
    }

    /// The fingerprint of the main list.
    pub(super) fn fold(&mut self) -> [u64; 2] {
        let top = self.lists[MAIN.0 as usize].top;
        self.refresh(top).hash
    }

    /// The number of a node in the order of its list.
    pub(super) fn index(&self, node: u32) -> u32 {
        let (chunk, idx) = self.find(node);
        self.index_of(Place { chunk, idx })
    }

    fn place(&mut self, behind: Behind) -> Place {
        match behind {
            Behind::Subtree(node) => self.end_of(node),
            Behind::Node(node) => {
                let (chunk, idx) = self.find(node);
                Place { chunk, idx: idx + 1 }
            }
        }
    }

    fn list(&self, node: u32) -> ListId {
        let mut id = self.chunk_of[node as usize];
        while self.chunk(id).above != NONE {
            id = self.chunk(id).above;
        }
        ListId(self.chunk(id).list)
    }

    fn set_top(&mut self, list: ListId, top: u32) {
        self.lists[list.0 as usize].top = top;
        if top != NONE {
            let chunk = self.chunk_mut(top);
            (chunk.above, chunk.list) = (NONE, list.0);
        }
    }

    /// How many nodes of the list come before a place.
    fn index_of(&self, place: Place) -> u32 {
        let mut id = place.chunk;
        let mut index = self.n_nodes(self.chunk(id).left) + count(place.idx);
        loop {
            let above = self.chunk(id).above;
            if above == NONE {
                return index;
            }
            if self.chunk(above).right == id {
                index += self.n_nodes(above) - self.n_nodes(id);
            }
            id = above;
        }
    }

    /// What is to be added to the depths of the nodes of a chunk.
    fn offset(&self, id: u32) -> i32 {
        let mut offset = self.chunk(id).offset;
        let mut above = self.chunk(id).above;
        while above != NONE {
            offset += self.chunk(above).offset_below;
            above = self.chunk(above).above;
        }
        offset
    }

    #[inline]
    fn find(&self, node: u32) -> (u32, usize) {
        let id = self.chunk_of[node as usize];
        let idx = self.chunk(id).entries.iter().position(|entry| entry.node == node);
        (id, idx.unwrap_or_default())
    }

    fn first(&self, mut id: u32) -> u32 {
        while id != NONE && self.chunk(id).left != NONE {
            id = self.chunk(id).left;
        }
        id
    }

    fn last(&self, mut id: u32) -> u32 {
        while id != NONE && self.chunk(id).right != NONE {
            id = self.chunk(id).right;
        }
        id
    }

    /// The place behind everything below a node.
    fn end_of(&mut self, node: u32) -> Place {
        let (mut id, idx) = self.find(node);
        let chunk = self.chunk(id);
        let depth = chunk.entries[idx].depth;
        let behind = &chunk.entries[idx + 1..];
        if let Some(found) = behind.iter().position(|entry| entry.depth <= depth) {
            return Place { chunk: id, idx: idx + 1 + found };
        }
        // As it is seen from the chunk, without what is to be added from above.
        let mut depth = depth + chunk.offset;
        let mut is_before_right = true;
        loop {
            let Chunk { right, above, offset_below, .. } = *self.chunk(id);
            if is_before_right && self.refresh(right).least_depth <= depth - offset_below {
                return self.first_up_to(right, depth - offset_below);
            }
            if above == NONE {
                let last = self.last(id);
                return Place { chunk: last, idx: self.chunk(last).entries.len() };
            }
            depth += self.chunk(above).offset_below;
            is_before_right = self.chunk(above).left == id;
            if is_before_right && let Some(idx) = self.own_up_to(above, depth) {
                return Place { chunk: above, idx };
            }
            id = above;
        }
    }

    /// The first node of a chunk that is no deeper than this.
    fn own_up_to(&mut self, id: u32, depth: i32) -> Option<usize> {
        self.refresh_own(id);
        let chunk = self.chunk(id);
        let depth = depth - chunk.offset;
        if chunk.own.least_depth > depth {
            return None;
        }
        chunk.entries.iter().position(|entry| entry.depth <= depth)
    }

    /// The first node of a chunk and all below it that is no deeper than this; there is one, and nothing is stale.
    fn first_up_to(&mut self, mut id: u32, mut depth: i32) -> Place {
        loop {
            let Chunk { left, right, offset_below, .. } = *self.chunk(id);
            if left != NONE && self.chunk(left).all.least_depth <= depth - offset_below {
                id = left;
            } else if let Some(idx) = self.own_up_to(id, depth) {
                return Place { chunk: id, idx };
            } else {
                id = right;
            }
            depth -= offset_below;
        }
    }

    /// Gives the nodes whose references reach above a depth, but this one, of a chunk and all below it; `false` if
    /// there are more than `most` in all. Nothing is stale.
    fn reach_above(
        &self,
        id: u32,
        (but, depth): (u32, i32),
        most: usize,
        found: &mut Vec<u32>,
    ) -> bool {
        if id == NONE || self.chunk(id).all.least_reach >= depth {
            return true;
        }
        let chunk = self.chunk(id);
        let below = (but, depth - chunk.offset_below);
        if !self.reach_above(chunk.left, below, most, found) {
            return false;
        }
        if chunk.own.least_reach + chunk.offset < depth {
            let reaching = chunk
                .entries
                .iter()
                .filter(|entry| entry.node != but && entry.depth + chunk.offset - entry.up < depth);
            found.extend(reaching.map(|entry| entry.node));
        }
        found.len() <= most && self.reach_above(chunk.right, below, most, found)
    }

    fn drop_chunks(&mut self, id: u32, dropped: &mut Vec<u32>) {
        if id == NONE {
            return;
        }
        let Chunk { left, right, .. } = *self.chunk(id);
        self.drop_chunks(left, dropped);
        dropped.extend(self.chunk_mut(id).entries.drain(..).map(|entry| entry.node));
        self.free_chunks.push(id);
        self.drop_chunks(right, dropped);
    }

    /// Takes a treap apart: so many nodes, and the rest. Who calls it says what hangs where.
    fn split(&mut self, id: u32, n_nodes: u32) -> (u32, u32) {
        if n_nodes == 0 {
            return (NONE, id);
        }
        if n_nodes >= self.n_nodes(id) {
            return (id, NONE);
        }
        self.hand_down(id);
        let Chunk { left, right, .. } = *self.chunk(id);
        let n_left = self.n_nodes(left);
        if n_nodes <= n_left {
            let (before, behind) = self.split(left, n_nodes);
            self.hang(id, behind, right);
            return (before, id);
        }
        let n_own = count(self.chunk(id).entries.len());
        if n_nodes >= n_left + n_own {
            let (before, behind) = self.split(right, n_nodes - n_left - n_own);
            self.hang(id, left, before);
            return (id, behind);
        }
        let offset = self.chunk(id).offset;
        let chunk = self.chunk_mut(id);
        let rest = chunk.entries.split_off((n_nodes - n_left) as usize);
        chunk.is_stale = true;
        let new = self.new_chunk(offset);
        self.fill(new, rest);
        self.hang(id, left, NONE);
        (id, self.merge(new, right))
    }

    /// Makes one treap of two. Who calls it says where it hangs.
    fn merge(&mut self, before: u32, behind: u32) -> u32 {
        if before == NONE {
            return behind;
        }
        if behind == NONE {
            return before;
        }
        if self.chunk(before).priority > self.chunk(behind).priority {
            self.hand_down(before);
            let Chunk { left, right, .. } = *self.chunk(before);
            let right = self.merge(right, behind);
            self.hang(before, left, right);
            before
        } else {
            self.hand_down(behind);
            let Chunk { left, right, .. } = *self.chunk(behind);
            let left = self.merge(before, left);
            self.hang(behind, left, right);
            behind
        }
    }

    /// Makes one treap of two, and one chunk of those that meet there if they are small.
    fn join(&mut self, before: u32, behind: u32) -> u32 {
        for top in [before, behind] {
            if top != NONE {
                self.chunk_mut(top).above = NONE;
            }
        }
        let (last, first) = (self.last(before), self.first(behind));
        if last == NONE || first == NONE {
            return self.merge(before, behind);
        }
        let n_first = self.chunk(first).entries.len();
        if self.chunk(last).entries.len() + n_first > ROOM / 2 {
            return self.merge(before, behind);
        }
        let place = Place { chunk: last, idx: self.chunk(last).entries.len() };
        let offset = self.offset(first);
        let (_, behind) = self.split(behind, count(n_first));
        self.chunk_mut(first).offset = offset;
        self.move_entries(first, place);
        self.n_nodes_changed(last);
        self.merge(before, behind)
    }

    /// Puts the nodes of a chunk that hangs nowhere into another.
    fn move_entries(&mut self, from: u32, to: Place) {
        let by = self.chunk(from).offset - self.offset(to.chunk);
        let mut moved = std::mem::take(&mut self.chunk_mut(from).entries);
        self.free_chunks.push(from);
        for entry in &mut moved {
            entry.depth += by;
            self.chunk_of[entry.node as usize] = to.chunk;
        }
        self.chunk_mut(to.chunk).entries.splice(to.idx..to.idx, moved);
    }

    /// Gives nodes to a chunk that has none.
    fn fill(&mut self, id: u32, entries: Vec<Entry>) {
        for entry in &entries {
            self.chunk_of[entry.node as usize] = id;
        }
        self.chunk_mut(id).entries = entries;
        self.hang(id, NONE, NONE);
    }

    fn new_chunk(&mut self, offset: i32) -> u32 {
        // Xorshift: all numbers but 0 in an order that looks random.
        self.priority ^= self.priority << 13;
        self.priority ^= self.priority >> 17;
        self.priority ^= self.priority << 5;
        let chunk = Chunk {
            entries: Vec::new(),
            offset,
            offset_below: 0,
            left: NONE,
            right: NONE,
            above: NONE,
            list: 0,
            priority: self.priority,
            n_nodes: 0,
            own: Summary::EMPTY,
            is_stale: true,
            all: Summary::EMPTY,
            is_all_stale: true,
        };
        match self.free_chunks.pop() {
            Some(id) => {
                *self.chunk_mut(id) = chunk;
                id
            }
            None => {
                self.chunks.push(chunk);
                count(self.chunks.len()) - 1
            }
        }
    }

    /// Hangs these below a chunk.
    fn hang(&mut self, id: u32, left: u32, right: u32) {
        let mut n_nodes = count(self.chunk(id).entries.len());
        for below in [left, right] {
            if below != NONE {
                n_nodes += self.n_nodes(below);
                self.chunk_mut(below).above = id;
            }
        }
        let chunk = self.chunk_mut(id);
        (chunk.left, chunk.right, chunk.n_nodes) = (left, right, n_nodes);
        chunk.is_all_stale = true;
    }

    /// Adds to the depths of a chunk and all below it.
    fn deepen(&mut self, id: u32, by: i32) {
        if id != NONE {
            let chunk = self.chunk_mut(id);
            chunk.offset += by;
            chunk.offset_below += by;
            chunk.all = chunk.all.deeper(by);
        }
    }

    /// Lets the chunks that hang from one hold on their own what is to be added to their depths.
    fn hand_down(&mut self, id: u32) {
        let chunk = self.chunk_mut(id);
        let by = std::mem::take(&mut chunk.offset_below);
        if by != 0 {
            let (left, right) = (chunk.left, chunk.right);
            self.deepen(left, by);
            self.deepen(right, by);
        }
    }

    /// A chunk has more or fewer nodes than before.
    fn n_nodes_changed(&mut self, id: u32) {
        self.has_changed(id);
        let mut at = id;
        while at != NONE {
            let Chunk { left, right, above, .. } = *self.chunk(at);
            let n_below = self.n_nodes(left) + self.n_nodes(right);
            let chunk = self.chunk_mut(at);
            chunk.n_nodes = count(chunk.entries.len()) + n_below;
            at = above;
        }
    }

    fn has_changed(&mut self, id: u32) {
        self.chunk_mut(id).is_stale = true;
        let mut at = id;
        while at != NONE && !self.chunk(at).is_all_stale {
            self.chunk_mut(at).is_all_stale = true;
            at = self.chunk(at).above;
        }
    }

    /// Brings what is known of a chunk and all below it up to date.
    fn refresh(&mut self, id: u32) -> Summary {
        if id == NONE {
            return Summary::EMPTY;
        }
        if self.chunk(id).is_all_stale {
            let Chunk { left, right, offset, offset_below, .. } = *self.chunk(id);
            self.refresh_own(id);
            let mut all = self.chunk(id).own.deeper(offset);
            if left != NONE {
                all = self.refresh(left).deeper(offset_below).then(&all);
            }
            if right != NONE {
                all = all.then(&self.refresh(right).deeper(offset_below));
            }
            let chunk = self.chunk_mut(id);
            (chunk.all, chunk.is_all_stale) = (all, false);
        }
        self.chunk(id).all
    }

    /// Brings what is known of the nodes of a chunk up to date.
    fn refresh_own(&mut self, id: u32) {
        let chunk = &mut self.chunks[id as usize];
        if !std::mem::take(&mut chunk.is_stale) {
            return;
        }
        let mut own = Summary::of(chunk.entries.iter().map(|entry| entry.hash));
        for entry in &chunk.entries {
            own.least_depth = own.least_depth.min(entry.depth);
            own.least_reach = own.least_reach.min(entry.depth - entry.up);
        }
        chunk.own = own;
    }

    #[inline]
    fn n_nodes(&self, id: u32) -> u32 {
        if id == NONE { 0 } else { self.chunk(id).n_nodes }
    }

    #[inline]
    fn chunk(&self, id: u32) -> &Chunk {
        &self.chunks[id as usize]
    }

    #[inline]
    fn chunk_mut(&mut self, id: u32) -> &mut Chunk {
        &mut self.chunks[id as usize]
    }
}

#[expect(clippy::cast_possible_truncation, reason = "far fewer nodes and chunks than 2^32")]
fn count(n: usize) -> u32 {
    n as u32
}

#[cfg(test)]
mod tests {
    use super::super::summary::fold;
    use super::{Behind, MAIN, NONE, Sequence, Standing};

    /// The nodes of the main list in order, with depths.
    fn listed(sequence: &Sequence) -> Vec<(u32, i32)> {
        let mut entries = Vec::new();
        list_below(sequence, sequence.lists[0].top, 0, &mut entries);
        entries
    }

    fn list_below(sequence: &Sequence, id: u32, offset: i32, entries: &mut Vec<(u32, i32)>) {
        if id == NONE {
            return;
        }
        let chunk = &sequence.chunks[id as usize];
        list_below(sequence, chunk.left, offset + chunk.offset_below, entries);
        let own = chunk.entries.iter();
        entries.extend(own.map(|entry| (entry.node, entry.depth + chunk.offset + offset)));
        list_below(sequence, chunk.right, offset + chunk.offset_below, entries);
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
        assert!(sequence.chunks.len() - sequence.free_chunks.len() < 60);
    }
}
