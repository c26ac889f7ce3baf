//! `NativeLibraries`, `NativeLibrary` and `RawNativeLibraries`: the machine has the JDK's libraries
//! built in and can load no other.

use crate::frame::Res;
use crate::native::{Args, NativeRow, nothing, zero};
use crate::vm::Vm;

const LIBRARIES: &str = "jdk/internal/loader/NativeLibraries";

pub(crate) const NATIVES: &[NativeRow] = &[
    (LIBRARIES, "findBuiltinLib", "(Ljava/lang/String;)Ljava/lang/String;", find_builtin_lib),
    (LIBRARIES, "load", "", load),
    (LIBRARIES, "unload", "", nothing),
    (LIBRARIES, "findEntry0", "", zero),
    ("jdk/internal/loader/NativeLibrary", "findEntry0", "(JLjava/lang/String;)J", zero),
    ("jdk/internal/loader/RawNativeLibraries", "load0", "", zero),
    ("jdk/internal/loader/RawNativeLibraries", "unload0", "", nothing),
];

/// Libraries of the JDK whose natives are written in this crate, or fail one by one.
const BUILT_IN: &[&str] = &[
    "attach",
    "awt",
    "awt_headless",
    "extnet",
    "fontmanager",
    "instrument",
    "j2gss",
    "j2pkcs11",
    "jaas",
    "java",
    "javajpeg",
    "jawt",
    "jimage",
    "jsound",
    "lcms",
    "management",
    "management_agent",
    "management_ext",
    "mlib_image",
    "net",
    "nio",
    "prefs",
    "rmi",
    "sctp",
    "splashscreen",
    "verify",
    "zip",
];

/// `libzip.so` gives `zip`; null for what is not built in.
fn find_builtin_lib(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let file = args.reference();
    if file.is_null() {
        return Err(vm.throw_plain("java/lang/NullPointerException"));
    }
    let file = vm.string_text(file);
    let name = file.strip_prefix("lib").and_then(|name| name.strip_suffix(".so"));
    match name {
        Some(name) if BUILT_IN.contains(&name) => Ok(vm.new_string(name)?.to_slot()),
        _ => Ok(0),
    }
}

/// Gives a built-in library a handle; refuses every other one.
fn load(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    const JNI_VERSION: u32 = 0x0001_0008;
    let library = args.reference();
    let _name = args.reference();
    let is_built_in = args.boolean();
    if !is_built_in {
        return Ok(0);
    }
    let class = vm.class_of(library);
    let handle = vm.field_offset(class, "handle", "J");
    let version = vm.field_offset(class, "jniVersion", "I");
    vm.heap.store_u64(library, handle, 1);
    vm.heap.store_u32(library, version, JNI_VERSION);
    Ok(1)
}
