//! Where fields lie: in instances behind the superclass's fields, in mirrors for static ones.
//!
//! Also the table of fields that the machine adds to classes of the JDK for its own use. They are
//! ordinary fields for heap, collector and rollback; reflection leaves out what is `injected`.

use crate::heap::FIELDS_OFFSET;
use crate::value::Kind;

/// Bytes between two static fields in a mirror.
pub const STATIC_SLOT: u32 = 8;

/// Fields that the machine adds: class, then name and descriptor of each. A name that the class
/// file declares itself (later JDKs do for some) is not added again.
const INJECTED: &[(&str, &[(&str, &str)])] = &[
    (
        "java/lang/Class",
        &[
            ("classId", "I"),
            ("initState", "I"),
            // The thread that initialises, its id plus one.
            ("initThread", "I"),
            // The class on whose behalf this superclass is being initialised, its id plus one.
            ("initBehalf", "I"),
            // Number of hooks on the initialising thread's stack when it began.
            ("initDepth", "I"),
            // What initialisation failed with.
            ("initError", "Ljava/lang/Throwable;"),
            // Resolved constants and call sites.
            ("sites", "[Ljava/lang/Object;"),
            ("protectionDomain", "Ljava/security/ProtectionDomain;"),
            ("signers", "[Ljava/lang/Object;"),
        ],
    ),
    // Loader id plus one; zero before the machine has met the loader.
    ("java/lang/ClassLoader", &[("loaderId", "I")]),
    ("java/lang/invoke/MemberName", &[("vmindex", "J")]),
    (
        "java/lang/invoke/ResolvedMethodName",
        &[("vmtarget", "J"), ("vmholder", "Ljava/lang/Class;")],
    ),
];

/// The fields that the machine adds to a class.
pub fn injected_fields(class: &[u8]) -> &'static [(&'static str, &'static str)] {
    if !class.starts_with(b"java/lang/") {
        return &[];
    }
    INJECTED.iter().find(|(name, _)| name.as_bytes() == class).map_or(&[], |(_, fields)| fields)
}

/// What the layout needs to know of a field.
#[derive(Debug, Clone, Copy)]
pub struct FieldShape {
    /// Kind of its values.
    pub kind: Kind,
    /// Whether it lies in the mirror.
    pub is_static: bool,
}

/// Where the fields of one class lie.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// Byte offsets, in the order the fields were given.
    pub offsets: Vec<u32>,
    /// First byte behind the last instance field.
    pub fields_end: u32,
    /// Bytes of static fields behind the mirror's own.
    pub statics_size: u32,
}

/// Lays out fields: instance fields by size, biggest first, from `super_end` on, filling what
/// alignment leaves free; static fields in eight-byte slots from `mirror_size` on.
pub fn lay_out(fields: &[FieldShape], super_end: u32, mirror_size: u32) -> Layout {
    let mut offsets = vec![0; fields.len()];
    let mut statics_size = 0;
    let mut end = super_end.max(FIELDS_OFFSET);
    let mut gaps: Vec<(u32, u32)> = Vec::new();
    for size in [8, 4, 2, 1] {
        for (field, offset) in fields.iter().zip(&mut offsets) {
            if field.is_static || field.kind.size() != size {
                continue;
            }
            *offset = take_gap(&mut gaps, size).unwrap_or_else(|| {
                let start = end.next_multiple_of(size);
                if end < start {
                    gaps.push((end, start));
                }
                end = start + size;
                start
            });
        }
    }
    for (field, offset) in fields.iter().zip(&mut offsets) {
        if field.is_static {
            *offset = mirror_size + statics_size;
            statics_size += STATIC_SLOT;
        }
    }
    Layout { offsets, fields_end: end, statics_size }
}

/// Takes an aligned piece out of the first gap with room for it.
fn take_gap(gaps: &mut Vec<(u32, u32)>, size: u32) -> Option<u32> {
    let fits = |&(start, end): &(u32, u32)| start.next_multiple_of(size) + size <= end;
    let idx = gaps.iter().position(fits)?;
    let (start, end) = gaps.remove(idx);
    let at = start.next_multiple_of(size);
    if at + size < end {
        gaps.insert(idx, (at + size, end));
    }
    if start < at {
        gaps.insert(idx, (start, at));
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::{FieldShape, lay_out};
    use crate::value::Kind;

    fn offsets(kinds: &[Kind], super_end: u32) -> (Vec<u32>, u32) {
        let fields: Vec<_> =
            kinds.iter().map(|&kind| FieldShape { kind, is_static: false }).collect();
        let layout = lay_out(&fields, super_end, 64);
        (layout.offsets, layout.fields_end)
    }

    #[test]
    fn big_fields_come_first_and_all_are_aligned() {
        let (offsets, end) = offsets(&[Kind::Byte, Kind::Long, Kind::Char, Kind::Int], 8);
        assert_eq!((offsets, end), (vec![22, 8, 20, 16], 23));
    }

    #[test]
    fn the_gap_behind_the_superclass_is_filled() {
        let (offsets, end) = offsets(&[Kind::Long, Kind::Byte, Kind::Char, Kind::Ref], 9);
        assert_eq!((offsets, end), (vec![16, 9, 10, 12], 24));
    }

    #[test]
    fn static_fields_take_a_slot_each_behind_the_mirror() {
        let fields = [Kind::Byte, Kind::Double, Kind::Ref];
        let fields = fields.map(|kind| FieldShape { kind, is_static: true });
        let layout = lay_out(&fields, 8, 64);
        assert_eq!((layout.offsets, layout.statics_size), (vec![64, 72, 80], 24));
        assert_eq!(layout.fields_end, 8);
    }
}
