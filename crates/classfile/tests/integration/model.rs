//! What the model of a class tells: attributes, lines, variables, annotations.

use classfile::{ClassBytes, ClassFile, Constant, MethodInfo, mutf8};

use crate::assembler::{Assembler, words};
use crate::{jdk, verdict};

fn samples(name: &str) -> ClassFile {
    let folder = verdict::fresh_folder(&format!("model-{name}"));
    let classes = verdict::compile("Samples.java", &folder, &["-g", "-parameters"]);
    let classes = classes.into_iter().map(|bytes| ClassFile::parse(bytes.into()).unwrap());
    classes.into_iter().find(|class| class.name() == name.as_bytes()).unwrap()
}

fn method<'c>(class: &'c ClassFile, name: &str) -> &'c MethodInfo {
    let named = |method: &&MethodInfo| class.constant_pool().utf8(method.name) == name.as_bytes();
    class.methods().iter().find(named).unwrap()
}

fn texts(names: Vec<&[u8]>) -> Vec<String> {
    names.into_iter().map(mutf8::display).collect()
}

#[test]
fn a_class_tells_its_names_and_attributes() {
    let class = samples("Samples");
    assert_eq!(class.super_name(), Some(&b"java/lang/Thread"[..]));
    assert_eq!(
        texts(class.interfaces().collect()),
        ["java/lang/Comparable", "java/lang/Cloneable"]
    );
    assert_eq!(class.source_file(), Some(&b"Samples.java"[..]));
    let signature = mutf8::display(class.signature().unwrap());
    assert_eq!(
        signature,
        "Ljava/lang/Thread;Ljava/lang/Comparable<LSamples;>;Ljava/lang/Cloneable;"
    );
    assert!(class.nest_host().is_none());
    let members = texts(class.nest_members().unwrap());
    assert!(members.contains(&"Samples$Circle".to_owned()), "{members:?}");
    assert!(class.permitted_subclasses().is_none() && class.record_components().is_none());
    let pool = class.constant_pool();
    let inner = class.inner_classes();
    let colour = inner.iter().find(|inner| pool.utf8(inner.name) == b"Colour").unwrap();
    assert_eq!(pool.class_name(colour.inner), b"Samples$Colour");
    assert_eq!(pool.class_name(colour.outer), b"Samples");
    assert!(!class.bootstrap_methods().is_empty());
    for bootstrap in class.bootstrap_methods() {
        assert!(matches!(pool.get(bootstrap.method_ref), Some(Constant::MethodHandle { .. })));
    }
}

#[test]
fn a_record_tells_its_components_and_its_nest_host() {
    let class = samples("Samples$Circle");
    assert_eq!(class.nest_host(), Some(&b"Samples"[..]));
    let components = class.record_components().unwrap();
    assert_eq!(components.len(), 1);
    assert_eq!(class.constant_pool().utf8(components[0].name), b"radius");
    assert_eq!(class.constant_pool().utf8(components[0].descriptor), b"D");
}

#[test]
fn a_method_tells_lines_and_variables() {
    let class = samples("Samples");
    let loops = method(&class, "loops");
    let code = loops.code.as_ref().unwrap();
    let first = code.line_at(&class, 0).unwrap();
    let last = code.line_at(&class, code.code.len as u16 - 1).unwrap();
    assert!(first < last && last < first + 12, "{first} to {last}");
    assert_eq!(code.local_name_at(&class, 0, 0), Some(&b"this"[..]));
    assert_eq!(code.local_name_at(&class, 0, 1), Some(&b"n"[..]));
    assert_eq!(code.local_name_at(&class, 0, 2), None);
    assert_eq!(code.local_name_at(&class, 2, 2), Some(&b"sum"[..]));
    assert_eq!(code.local_name_at(&class, 2, 99), None);
    assert!(loops.method_parameters.is_some());
    let clone = method(&class, "clone");
    let thrown =
        clone.exceptions.iter().map(|&idx| class.constant_pool().class_name(idx)).collect();
    assert_eq!(texts(thrown), ["java/lang/CloneNotSupportedException"]);
}

#[test]
fn annotations_are_found_by_type() {
    let home = jdk::homes().pop().unwrap();
    let image = jdk::image(&home);
    let class = ClassFile::parse(image.find_class("java/lang/Class").unwrap().1).unwrap();
    const SENSITIVE: &[u8] = b"Ljdk/internal/reflect/CallerSensitive;";
    let for_name = class.method(b"forName", b"(Ljava/lang/String;)Ljava/lang/Class;").unwrap();
    assert!(class.has_annotation(for_name.annotations, SENSITIVE));
    assert!(!class.has_annotation(for_name.annotations, b"Ljava/lang/Deprecated;"));
    let name = class.method(b"getName", b"()Ljava/lang/String;").unwrap();
    assert!(!class.has_annotation(name.annotations, SENSITIVE));
    let thread = ClassFile::parse(image.find_class("java/lang/Thread").unwrap().1).unwrap();
    let stop =
        thread.method(b"suspend", b"()V").or_else(|| thread.method(b"stop", b"()V")).unwrap();
    // Behind an annotation with element values of its own.
    let types: Vec<_> = thread.annotation_types(stop.annotations).collect();
    assert!(types.contains(&&b"Ljava/lang/Deprecated;"[..]), "{types:?}");
}

#[test]
fn broken_annotations_have_no_types_and_do_no_harm() {
    let nested: Vec<u8> = std::iter::repeat_n([b'[', 0, 1], 30_000).flatten().collect();
    let mut deep = words(&[2, 1, 1, 1]);
    deep.extend(nested);
    let contents: [&[u8]; 5] = [&[], &[0], &[0xFF, 0xFF], &[0, 9, 0, 1, 0, 1], &deep];
    for content in contents {
        let mut class = Assembler::new(52, "Case");
        class.attribute("RuntimeVisibleAnnotations", content);
        let class = ClassFile::parse(ClassBytes::from_vec(class.finish())).unwrap();
        assert_eq!(class.raw_annotations(), Some(content));
        assert!(class.annotation_types(class.annotations()).count() <= 1);
        assert!(!class.has_annotation(class.annotations(), b"LX;"));
    }
}

#[test]
fn indices_from_anywhere_do_not_panic() {
    let class = samples("Samples");
    let pool = class.constant_pool();
    for idx in 0..=u16::MAX {
        pool.utf8(idx);
        pool.class_name(idx);
        pool.name_and_type(idx);
        pool.member_ref(idx);
        let _ = (pool.try_dynamic(idx), pool.try_string(idx), pool.try_method_type(idx));
    }
    assert_eq!(pool.get(0), Some(Constant::Unusable));
    assert_eq!(pool.get(u16::MAX), None);
}

#[test]
fn a_module_is_read_but_is_no_class() {
    let home = jdk::homes().pop().unwrap();
    let image = jdk::image(&home);
    let bytes = image.find("java.base", "module-info.class").unwrap();
    let module = ClassFile::parse(bytes).unwrap();
    assert!(module.is_module() && module.raw_module().is_some());
    assert_eq!((module.name(), module.super_name()), (&b"module-info"[..], None));
}
