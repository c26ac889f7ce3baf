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
    /// Injected into `java.lang.Class`: the class id.
    pub class_id_field: u32,
}
