//! Which natives of `java.base` are not written yet, against a list that must match exactly.
//! `BLESS=1` rewrites the lists.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

use classfile::{ClassFile, JImage, access, mutf8};

/// All natives of `java.base` as `class.method descriptor`, without the signature-polymorphic ones
/// (JVMS §2.9.3), which the interpreter runs itself.
fn natives(image: &JImage) -> Vec<(String, String, String)> {
    const POLYMORPHIC: [&str; 2] = ["java/lang/invoke/MethodHandle", "java/lang/invoke/VarHandle"];
    let mut natives = Vec::new();
    for resource in image.resources().filter(|r| r.module == "java.base" && r.extension == "class")
    {
        let class = ClassFile::parse(image.find("java.base", &resource.path()).unwrap()).unwrap();
        let name = mutf8::display(class.name());
        for method in class.methods().iter().filter(|m| m.access_flags & access::NATIVE != 0) {
            if POLYMORPHIC.contains(&name.as_str()) && method.access_flags & access::VARARGS != 0 {
                continue;
            }
            let text = |idx| mutf8::display(class.constant_pool().utf8(idx));
            natives.push((name.clone(), text(method.name), text(method.descriptor)));
        }
    }
    natives
}

#[test]
fn the_natives_that_are_missing_are_the_listed_ones() {
    let table = vm::native::table();
    let jdks = testkit::jdk::installed();
    assert_eq!(jdks.len(), 2, "needs JDK 17 and JDK 25");
    for jdk in jdks {
        let image = JImage::open(&jdk.home.join("lib/modules")).unwrap();
        let missing: BTreeSet<String> = natives(&image)
            .into_iter()
            .filter(|(class, name, descriptor)| table.find(class, name, descriptor).is_none())
            .map(|(class, name, descriptor)| format!("{class}.{name}{descriptor}\n"))
            .collect();
        let missing: String = missing.into_iter().collect();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let list = folder.join(format!("missing_natives_{}.txt", jdk.release));
        if env::var_os("BLESS").is_some() {
            fs::write(&list, &missing).unwrap();
        }
        let listed = fs::read_to_string(&list).unwrap_or_default();
        assert_eq!(missing, listed, "differs from {}", list.display());
    }
}
