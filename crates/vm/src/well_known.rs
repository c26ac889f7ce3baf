//! Classes, methods and field offsets that the machine itself uses, found once at boot.

use crate::value::ClassId;

/// See the module text. Offsets are byte offsets inside instances.
#[derive(Debug, Clone)]
pub struct WellKnown {
    /// `java.lang.Object`.
    pub object: ClassId,
    /// `java.lang.String`.
    pub string: ClassId,
    /// `java.lang.Class`.
    pub class: ClassId,
    /// Arrays of primitives by `Kind`; the place of `Kind::Ref` is `Object[]`.
    pub arrays: [ClassId; 9],
    /// Injected into `java.lang.Class`: the class id.
    pub class_id_field: u32,
}
