//! Copies of rooted heaps outside the machine, and back.
//!
//! A snapshot holds what is reachable from some roots, so that it can be put into the heap again after
//! a rollback, or a second time beside the original. What the caller calls shared is not copied but
//! referred to: it must still be where it was when the snapshot is put back.

use vm::class::Shape;
use vm::frame::Res;
use vm::heap::{ELEMENTS_OFFSET, FIELDS_OFFSET, LENGTH_OFFSET};
use vm::value::{ClassId, Kind, Ref};
use vm::vm::Vm;

use crate::state::visited::Visited;

/// A copy of a rooted heap. Names classes and shared objects as one machine knows them.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    nodes: Vec<Node>,
    /// The fields or elements of all nodes, one behind the other.
    bytes: Vec<u8>,
    edges: Vec<Edge>,
    roots: Vec<Target>,
    /// What is referred to and not copied.
    shared: Vec<Ref>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    class: ClassId,
    /// Length, for arrays.
    length: u32,
    /// Where its bytes start.
    start: u32,
    len: u32,
}

#[derive(Debug, Clone, Copy)]
struct Edge {
    from: u32,
    offset: u32,
    to: Target,
}

#[derive(Debug, Clone, Copy)]
enum Target {
    Null,
    Node(u32),
    /// A position in `shared`.
    Shared(u32),
}

impl Snapshot {
    /// Copies what is reachable from the roots. Class objects are always shared.
    #[expect(clippy::cast_possible_truncation, reason = "heaps are below 16 GB")]
    pub fn take(vm: &Vm, roots: &[Ref], is_shared: &dyn Fn(Ref) -> bool) -> Snapshot {
        let mut snapshot = Snapshot::default();
        let mut visited = Visited::default();
        let mut waiting: Vec<Ref> = Vec::new();
        let mut shared = Vec::new();
        let mut target = |object: Ref, waiting: &mut Vec<Ref>| {
            if object.is_null() {
                return Target::Null;
            }
            if vm.class_of(object) == vm.known.class || is_shared(object) {
                shared.push(object);
                return Target::Shared(shared.len() as u32 - 1);
            }
            match visited.visit(object) {
                Some(number) => Target::Node(number),
                None => {
                    waiting.push(object);
                    Target::Node(waiting.len() as u32 - 1)
                }
            }
        };
        for &root in roots {
            let root = target(root, &mut waiting);
            snapshot.roots.push(root);
        }
        let mut next = 0;
        while let Some(&object) = waiting.get(next) {
            let id = vm.class_of(object);
            let class = vm.class(id);
            let mut node =
                Node { class: id, length: 0, start: snapshot.bytes.len() as u32, len: 0 };
            let first = if let Shape::Array { element, .. } = class.shape {
                node.length = vm.heap.array_length(object);
                node.len = node.length * element.size();
                if element == Kind::Ref {
                    for idx in 0..node.length {
                        let to = target(vm.heap.element_ref(object, idx), &mut waiting);
                        let offset = ELEMENTS_OFFSET + idx * 4;
                        snapshot.edges.push(Edge { from: next as u32, offset, to });
                    }
                }
                ELEMENTS_OFFSET
            } else {
                node.len = class.instance_size - FIELDS_OFFSET;
                for &offset in &class.ref_offsets {
                    let to = target(vm.heap.load_ref(object, offset), &mut waiting);
                    snapshot.edges.push(Edge { from: next as u32, offset, to });
                }
                FIELDS_OFFSET
            };
            snapshot.bytes.extend_from_slice(vm.heap.bytes(object, first, node.len as usize));
            snapshot.nodes.push(node);
            next += 1;
        }
        snapshot.shared = shared;
        snapshot
    }

    /// What the copy refers to, so that whoever keeps it can follow the objects when they move.
    pub fn shared_mut(&mut self) -> &mut [Ref] {
        &mut self.shared
    }

    /// Number of objects copied.
    pub fn n_objects(&self) -> usize {
        self.nodes.len()
    }

    /// Memory that the copy takes, about.
    pub fn n_bytes(&self) -> usize {
        size_of::<Snapshot>()
            + self.nodes.len() * size_of::<Node>()
            + self.bytes.len()
            + self.edges.len() * size_of::<Edge>()
            + self.roots.len() * size_of::<Target>()
            + self.shared.len() * size_of::<Ref>()
    }

    /// By root, of the first 64: a set of the roots, one bit each, with which it has copied objects in
    /// common, itself included if it has any.
    pub fn sharing(&self) -> Vec<u64> {
        let mut reached: Vec<u64> = vec![0; self.nodes.len()];
        for (bit, root) in self.roots.iter().enumerate().take(64) {
            if let Target::Node(idx) = root {
                reached[*idx as usize] |= 1 << bit;
            }
        }
        // Edges lie in the order of their nodes, which are in the order of first visit; what points back
        // needs another turn.
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for edge in &self.edges {
                let from = reached[edge.from as usize];
                if let Target::Node(to) = edge.to
                    && reached[to as usize] | from != reached[to as usize]
                {
                    reached[to as usize] |= from;
                    has_changed = true;
                }
            }
        }
        let shared = |bit: usize| {
            let own = reached.iter().filter(|set| **set >> bit & 1 == 1);
            own.fold(0, |all, set| all | set)
        };
        (0..self.roots.len().min(64)).map(shared).collect()
    }

    /// Puts the copy into the heap; gives the roots.
    pub fn put(&self, vm: &mut Vm) -> Res<Vec<Ref>> {
        let mut made = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let bytes = &self.bytes[node.start as usize..(node.start + node.len) as usize];
            let object = if vm.class(node.class).is_array() {
                let array = vm.new_array(node.class, node.length)?;
                debug_assert_eq!(vm.heap.load_u32(array, LENGTH_OFFSET), node.length);
                vm.heap.store_bytes(array, ELEMENTS_OFFSET, bytes);
                array
            } else {
                let object = vm.new_object(node.class)?;
                vm.heap.store_bytes(object, FIELDS_OFFSET, bytes);
                object
            };
            made.push(object);
        }
        let place = |target: Target| match target {
            Target::Null => Ref::NULL,
            Target::Node(idx) => made[idx as usize],
            Target::Shared(idx) => self.shared[idx as usize],
        };
        for edge in &self.edges {
            vm.heap.store_ref(made[edge.from as usize], edge.offset, place(edge.to));
        }
        Ok(self.roots.iter().map(|&root| place(root)).collect())
    }
}
