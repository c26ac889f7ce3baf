//! `jdk.internal.vm`: continuations. There are none: every virtual thread of JDK 25 has a green
//! thread of its own (`ThreadBuilders.BoundVirtualThread`), which costs here no more than a
//! continuation would.

use crate::native::{NativeRow, nothing, zero};

pub(crate) const NATIVES: &[NativeRow] = &[
    ("jdk/internal/vm/ContinuationSupport", "isSupported0", "()Z", zero),
    ("jdk/internal/vm/Continuation", "pin", "()V", nothing),
    ("jdk/internal/vm/Continuation", "unpin", "()V", nothing),
];
