//! `jdk.internal.misc.PreviewFeatures` and `ScopedMemoryAccess`: answers that never change.

use crate::native::{NativeRow, one, zero};

pub(crate) const NATIVES: &[NativeRow] = &[
    ("jdk/internal/misc/PreviewFeatures", "isPreviewEnabled", "()Z", zero),
    // Green threads switch between instructions; nobody is inside an access when a scope closes.
    ("jdk/internal/misc/ScopedMemoryAccess", "closeScope0", "", one),
];
