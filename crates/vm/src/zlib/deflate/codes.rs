//! Prefix codes for compression: lengths from frequencies with zlib's choices among equals, and the
//! tables of RFC 1951.

/// Literals, end of block and length symbols.
pub(super) const N_LITERALS: usize = 286;
pub(super) const N_DISTANCES: usize = 30;
pub(super) const N_LENGTHS: usize = 19;
pub(super) const END_OF_BLOCK: usize = 256;

/// Extra bits of the length symbols 257 to 285.
pub(super) const LENGTH_EXTRA: [u8; 29] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
/// Extra bits of the distance symbols.
pub(super) const DISTANCE_EXTRA: [u8; 30] = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13,
    13,
];
/// Extra bits of the symbols that code lengths.
pub(super) const CODE_LENGTH_EXTRA: [u8; 19] =
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 7];

const MOST_BITS: usize = 15;

/// A code: its bits, lowest first on the wire, and how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) bits: u16,
    pub(super) length: u8,
}

/// The length symbol (less 257) of a match and the value of its extra bits: four symbols per
/// number of extra bits.
pub(super) fn length_symbol(length: usize) -> (usize, usize) {
    let value = length - 3;
    match value {
        0..8 => (value, 0),
        // 258 has a symbol of its own though the one before would reach it.
        255 => (28, 0),
        _ => {
            let n_extra = value.ilog2() as usize - 2;
            (4 * (n_extra + 1) + (value >> n_extra & 3), value & ((1 << n_extra) - 1))
        }
    }
}

/// The distance symbol and the value of its extra bits: two symbols per number of extra bits.
pub(super) fn distance_symbol(distance: usize) -> (usize, usize) {
    let value = distance - 1;
    if value < 4 {
        return (value, 0);
    }
    let n_extra = value.ilog2() as usize - 1;
    (2 * (n_extra + 1) + (value >> n_extra & 1), value & ((1 << n_extra) - 1))
}

/// The fixed codes of RFC 1951 §3.2.6: literals and distances.
pub(super) fn fixed_codes() -> (Vec<Code>, Vec<Code>) {
    let lengths = super::super::huffman::fixed_literal_lengths();
    let literals = assign(&lengths);
    let distances = assign(&[5; N_DISTANCES]);
    (literals, distances)
}

/// Codes in order of their lengths, RFC 1951 §3.2.2.
pub(super) fn assign(lengths: &[u8]) -> Vec<Code> {
    let mut counts = [0_u16; MOST_BITS + 1];
    for &length in lengths {
        counts[usize::from(length)] += 1;
    }
    counts[0] = 0;
    let mut next = [0_u16; MOST_BITS + 2];
    for bits in 1..=MOST_BITS {
        next[bits + 1] = (next[bits] + counts[bits]) << 1;
    }
    lengths
        .iter()
        .map(|&length| {
            if length == 0 {
                return Code::default();
            }
            let code = &mut next[usize::from(length)];
            let bits = code.reverse_bits() >> (16 - u16::from(length));
            *code = code.wrapping_add(1);
            Code { bits, length }
        })
        .collect()
}

/// A set of codes for a block.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    /// Code length of each symbol.
    pub(super) lengths: Vec<u8>,
    /// Last symbol with a code.
    pub(super) last: usize,
    /// Frequencies, with those that were added to have two codes.
    pub(super) counts: Vec<u16>,
}

/// The heap that finds the two rarest nodes: the smaller frequency first, then the flatter tree.
struct Heap<'a> {
    nodes: Vec<usize>,
    counts: &'a [u32],
    depths: &'a [u8],
}

impl Heap<'_> {
    fn precedes(&self, a: usize, b: usize) -> bool {
        (self.counts[a], self.depths[a]) <= (self.counts[b], self.depths[b])
    }

    /// Moves the node at a position (counted from one) down to its place.
    fn sift(&mut self, position: usize) {
        let len = self.nodes.len();
        let node = self.nodes[position - 1];
        let mut hole = position;
        loop {
            let mut child = hole * 2;
            if child > len {
                break;
            }
            if child < len && self.precedes(self.nodes[child], self.nodes[child - 1]) {
                child += 1;
            }
            if self.precedes(node, self.nodes[child - 1]) {
                break;
            }
            self.nodes[hole - 1] = self.nodes[child - 1];
            hole = child;
        }
        self.nodes[hole - 1] = node;
    }
}

impl Tree {
    /// The best code lengths of at most `most_bits` for these frequencies. A set always has two
    /// codes at least.
    #[expect(clippy::cast_possible_truncation, reason = "small numbers: depths, lengths")]
    pub(super) fn new(counts: &[u16], most_bits: usize) -> Tree {
        let n = counts.len();
        let mut counts = counts.to_vec();
        let mut nodes: Vec<usize> = (0..n).filter(|&symbol| counts[symbol] != 0).collect();
        let mut last = nodes.last().copied();
        while nodes.len() < 2 {
            let symbol = match last {
                None => 0,
                Some(symbol) if symbol < 2 => symbol + 1,
                Some(_) => 0,
            };
            if last.is_none_or(|last| last < 2) {
                last = Some(symbol);
            }
            counts[symbol] = 1;
            nodes.push(symbol);
        }
        let last = last.unwrap_or(0);
        let mut sums: Vec<u32> = counts.iter().map(|&count| u32::from(count)).collect();
        sums.resize(2 * n + 1, 0);
        let mut depths = vec![0_u8; 2 * n + 1];
        let mut parents = vec![0_usize; 2 * n + 1];
        let order = join(&mut nodes, &mut sums, &mut depths, &mut parents, n);
        let mut lengths = vec![0_u8; 2 * n + 1];
        let mut per_length = [0_u16; MOST_BITS + 1];
        let mut overflow = 0_i32;
        for &node in &order[1..] {
            let mut length = usize::from(lengths[parents[node]]) + 1;
            if length > most_bits {
                length = most_bits;
                overflow += 1;
            }
            lengths[node] = length as u8;
            if node < n {
                per_length[length] += 1;
            }
        }
        if overflow > 0 {
            shorten(&order, &mut lengths, &mut per_length, overflow, most_bits, n);
        }
        lengths.truncate(n);
        for (length, &count) in lengths.iter_mut().zip(&counts) {
            if count == 0 {
                *length = 0;
            }
        }
        Tree { lengths, last, counts }
    }

    /// Bits that the symbols take with these codes, extra bits included.
    pub(super) fn cost(&self, lengths: &[u8], extra: &dyn Fn(usize) -> u8) -> usize {
        self.counts
            .iter()
            .enumerate()
            .map(|(symbol, &count)| {
                usize::from(count) * usize::from(lengths[symbol] + extra(symbol))
            })
            .sum()
    }
}

/// Joins the two rarest nodes until one is left; gives all nodes from the root down.
fn join(
    nodes: &mut Vec<usize>,
    sums: &mut [u32],
    depths: &mut [u8],
    parents: &mut [usize],
    n: usize,
) -> Vec<usize> {
    let mut taken = Vec::with_capacity(2 * nodes.len());
    let mut heap_nodes = std::mem::take(nodes);
    let sift = |heap_nodes: &mut Vec<usize>, sums: &[u32], depths: &[u8], position: usize| {
        let mut heap = Heap { nodes: std::mem::take(heap_nodes), counts: sums, depths };
        heap.sift(position);
        *heap_nodes = heap.nodes;
    };
    for position in (1..=heap_nodes.len() / 2).rev() {
        sift(&mut heap_nodes, sums, depths, position);
    }
    let mut node = n;
    loop {
        let rarest = heap_nodes[0];
        if let Some(moved) = heap_nodes.pop()
            && !heap_nodes.is_empty()
        {
            heap_nodes[0] = moved;
            sift(&mut heap_nodes, sums, depths, 1);
        }
        let second = heap_nodes[0];
        taken.extend([rarest, second]);
        sums[node] = sums[rarest] + sums[second];
        depths[node] = depths[rarest].max(depths[second]) + 1;
        parents[rarest] = node;
        parents[second] = node;
        heap_nodes[0] = node;
        node += 1;
        sift(&mut heap_nodes, sums, depths, 1);
        if heap_nodes.len() < 2 {
            break;
        }
    }
    taken.push(heap_nodes[0]);
    taken.reverse();
    taken
}

/// Makes codes that are too long fit by lengthening others, and deals the lengths out anew.
#[expect(clippy::cast_possible_truncation, reason = "lengths are at most 15")]
fn shorten(
    order: &[usize],
    lengths: &mut [u8],
    per_length: &mut [u16; MOST_BITS + 1],
    mut overflow: i32,
    most_bits: usize,
    n: usize,
) {
    while overflow > 0 {
        let mut bits = most_bits - 1;
        while per_length[bits] == 0 {
            bits -= 1;
        }
        per_length[bits] -= 1;
        per_length[bits + 1] += 2;
        per_length[most_bits] -= 1;
        overflow -= 2;
    }
    let mut leaves = order.iter().rev().copied().filter(|&node| node < n);
    for bits in (1..=most_bits).rev() {
        for _ in 0..per_length[bits] {
            if let Some(leaf) = leaves.next() {
                lengths[leaf] = bits as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_distances_split_as_the_tables_say() {
        assert_eq!(length_symbol(3), (0, 0));
        assert_eq!(length_symbol(12), (8, 1));
        assert_eq!(length_symbol(257), (27, 30));
        assert_eq!(length_symbol(258), (28, 0));
        assert_eq!(distance_symbol(1), (0, 0));
        assert_eq!(distance_symbol(6), (4, 1));
        assert_eq!(distance_symbol(32_768), (29, 8191));
    }

    #[test]
    fn a_tree_of_one_symbol_gets_a_second_code() {
        let mut counts = [0; N_DISTANCES];
        counts[7] = 5;
        let tree = Tree::new(&counts, 15);
        assert_eq!((tree.lengths[7], tree.lengths[0], tree.last), (1, 1, 7));
        let tree = Tree::new(&[0; N_DISTANCES], 15);
        assert_eq!((tree.lengths[0], tree.lengths[1], tree.last), (1, 1, 1));
    }
}
