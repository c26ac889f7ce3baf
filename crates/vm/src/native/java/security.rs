//! `java.security.AccessController` of JDK 17: everything is privileged, the sandbox is the host.

use crate::native::{NativeRow, nothing, zero};

const CONTROLLER: &str = "java/security/AccessController";

pub(crate) const NATIVES: &[NativeRow] = &[
    (CONTROLLER, "getStackAccessControlContext", "()Ljava/security/AccessControlContext;", zero),
    (CONTROLLER, "getInheritedAccessControlContext", "()Ljava/security/AccessControlContext;", zero),
    (CONTROLLER, "ensureMaterializedForStackWalk", "(Ljava/lang/Object;)V", nothing),
];
