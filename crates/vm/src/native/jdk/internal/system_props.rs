//! `jdk.internal.util.SystemProps$Raw`: what system properties start from.

use classfile::Constant;

use crate::boot::personal::stand_in_of;
use crate::frame::Res;
use crate::native::{Args, NativeRow};
use crate::value::{ClassId, Ref};
use crate::vm::Vm;

const RAW: &str = "jdk/internal/util/SystemProps$Raw";

pub(crate) const NATIVES: &[NativeRow] = &[
    (RAW, "vmProperties", "()[Ljava/lang/String;", vm_properties),
    (RAW, "platformProperties", "()[Ljava/lang/String;", platform_properties),
];

/// Keys and values by turns, ended by a null key.
fn vm_properties(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let options = vm.options.clone();
    let version = vm.jdk.to_string();
    let class_path = stand_in_of(vm, "java.class.path");
    let libraries = format!("{}/lib", options.java_home);
    let mut pairs: Vec<(&str, &str)> = vec![
        ("java.home", &options.java_home),
        ("java.vm.specification.name", "Java Virtual Machine Specification"),
        ("java.vm.specification.vendor", "Oracle Corporation"),
        ("java.vm.specification.version", &version),
        // Libraries that make objects without constructors, or look at memory, go by this name.
        ("java.vm.name", "OpenJDK 64-Bit Server VM"),
        ("java.vm.vendor", "Nonpareil"),
        ("java.vm.version", env!("CARGO_PKG_VERSION")),
        ("java.vm.info", "interpreted mode"),
        ("java.class.path", &class_path),
        ("java.library.path", &libraries),
        ("sun.boot.library.path", &libraries),
        ("jdk.debug", "release"),
        // To attach to oneself is to talk to this machine, which needs no permission.
        ("jdk.attach.allowAttachSelf", "true"),
    ];
    pairs.extend(options.properties.iter().map(|(key, value)| (key.as_str(), value.as_str())));
    let mut strings = Vec::with_capacity(pairs.len() * 2 + 2);
    for (key, value) in pairs {
        strings.push(vm.new_string(key)?);
        strings.push(vm.new_string(value)?);
    }
    strings.extend([Ref::NULL, Ref::NULL]);
    let string = vm.known.string;
    Ok(vm.new_ref_array(string, &strings)?.to_slot())
}

/// Values by position; the class says which position is which, and that differs between JDKs.
fn platform_properties(vm: &mut Vm, _: Args<'_>) -> Res<u64> {
    let platform = vm.host.platform();
    let [temporary_dir, user_dir, user_home, user_name] =
        ["java.io.tmpdir", "user.dir", "user.home", "user.name"].map(|name| stand_in_of(vm, name));
    let country = Some(platform.country.as_str()).filter(|country| !country.is_empty());
    let values: [(&str, Option<&str>); 18] = [
        ("_display_language_NDX", Some(&platform.language)),
        ("_display_country_NDX", country),
        ("_file_encoding_NDX", Some(&platform.encoding)),
        ("_native_encoding_NDX", Some(&platform.encoding)),
        ("_file_separator_NDX", Some("/")),
        ("_path_separator_NDX", Some(":")),
        ("_line_separator_NDX", Some("\n")),
        ("_java_io_tmpdir_NDX", Some(&temporary_dir)),
        ("_os_arch_NDX", Some(&platform.os_arch)),
        ("_os_name_NDX", Some(&platform.os_name)),
        ("_os_version_NDX", Some(&platform.os_version)),
        ("_sun_arch_data_model_NDX", Some("64")),
        ("_sun_cpu_endian_NDX", Some("little")),
        ("_sun_io_unicode_encoding_NDX", Some("UnicodeLittle")),
        ("_sun_jnu_encoding_NDX", Some(&platform.encoding)),
        ("_user_dir_NDX", Some(&user_dir)),
        ("_user_home_NDX", Some(&user_home)),
        ("_user_name_NDX", Some(&user_name)),
    ];
    let raw = vm.boot_class(RAW)?;
    let length = constant(vm, raw, "FIXED_LENGTH").unwrap_or(0);
    let mut strings = vec![Ref::NULL; length];
    for (slot, value) in values {
        if let Some(value) = value
            && let Some(idx) = constant(vm, raw, slot)
            && idx < length
        {
            strings[idx] = vm.new_string(value)?;
        }
    }
    let string = vm.known.string;
    Ok(vm.new_ref_array(string, &strings)?.to_slot())
}

/// The value of a constant of the class.
fn constant(vm: &Vm, class: ClassId, name: &str) -> Option<usize> {
    let file = vm.class(class).class_file();
    let pool = file.constant_pool();
    let field = file.fields().iter().find(|field| pool.utf8(field.name) == name.as_bytes())?;
    match pool.get(field.constant_value)? {
        Constant::Integer(value) => usize::try_from(value).ok(),
        _ => None,
    }
}
