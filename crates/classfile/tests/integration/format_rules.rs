//! One small hand-made class for each rule of format checking, with the verdict it must get; a
//! real JVM is asked about all of them too.

use std::path::Path;

use classfile::{ClassBytes, ClassFile, ClassFormatErrorKind};

use crate::assembler::{Assembler, Body, words};
use crate::jdk;
use crate::verdict::{self, Verdict};

struct Case {
    name: &'static str,
    class: Vec<u8>,
    /// Part of the reason it is refused for; `None` if it is right.
    refused_for: Option<&'static str>,
}

fn case(
    name: &'static str,
    refused_for: impl Into<Option<&'static str>>,
    major: u16,
    build: impl FnOnce(&mut Assembler),
) -> Case {
    let mut class = Assembler::new(major, "Case");
    build(&mut class);
    Case { name, class: class.finish(), refused_for: refused_for.into() }
}

/// A right class with bytes changed afterwards.
fn patched(
    name: &'static str,
    refused_for: impl Into<Option<&'static str>>,
    patch: impl FnOnce(&mut Vec<u8>),
) -> Case {
    let mut class = Assembler::new(52, "Case");
    class.method(9, "m", "()V", Some(nothing()));
    let mut class = class.finish();
    patch(&mut class);
    Case { name, class, refused_for: refused_for.into() }
}

fn nothing() -> Body {
    Body { code: vec![0xb1], max_locals: 4, ..Body::default() }
}

fn versions_and_ends() -> Vec<Case> {
    let version = |name, refused_for: Option<&'static str>, minor: u16, major: u16| {
        patched(name, refused_for, move |bytes| {
            bytes.splice(4..8, words(&[minor, major]));
        })
    };
    vec![
        patched("a right class", None, |_| {}),
        patched("wrong magic", "Incompatible magic value", |bytes| bytes[0] = 0),
        patched("nothing at all", "Truncated", Vec::clear),
        patched("a byte too few", "Truncated", |bytes| bytes.truncate(bytes.len() - 1)),
        patched("a byte too many", "Extra bytes at the end", |bytes| bytes.push(0)),
        patched("no constants", "Illegal constant pool size", |bytes| {
            bytes.splice(8..10, words(&[0]));
        }),
        version("version 44", Some("class file version 44.0"), 0, 44),
        version("version 45", None, 3, 45),
        version("version 69", None, 0, 69),
        version("version 70", Some("class file version 70.0"), 0, 70),
        version("version 55 with any minor version", None, 7, 55),
        version("version 56 with a minor version", Some("minor version"), 7, 56),
    ]
}

fn constants() -> Vec<Case> {
    let bad = "Invalid constant pool entry";
    let constant = |name, refused_for: Option<&'static str>, bytes: &[u8]| {
        case(name, refused_for, 52, |class| {
            class.constant(bytes.to_vec());
        })
    };
    let class_named = |name, refused_for: Option<&'static str>, class_name: &'static str| {
        case(name, refused_for, 52, |class| {
            class.class(class_name);
        })
    };
    let member = |name, refused_for: Option<&'static str>, tag, member, descriptor| {
        case(name, refused_for, 52, |class| {
            class.member(tag, "A", member, descriptor);
        })
    };
    let handle = |name, refused_for: Option<&'static str>, kind: u8, tag, member_name| {
        case(name, refused_for, 52, |class| {
            let descriptor = if tag == 9 { "I" } else { "()V" };
            let member = words(&[class.member(tag, "A", member_name, descriptor)]);
            class.constant(vec![15, kind, member[0], member[1]]);
        })
    };
    vec![
        constant("unknown tag", Some("Unknown constant tag 2"), &[2, 0, 0]),
        constant("a long as the last constant", None, &[5, 0, 0, 0, 0, 0, 0, 0, 0]),
        constant("zero byte in text", Some("Illegal UTF8"), &[1, 0, 1, 0]),
        constant("four-byte character", Some("Illegal UTF8"), &[1, 0, 4, 0xf0, 0x9f, 0x98, 0x80]),
        constant("overlong character", Some("Illegal UTF8"), &[1, 0, 2, 0xc1, 0x81]),
        constant("class without a name", Some(bad), &[7, 0, 0]),
        constant("class named by a class", Some(bad), &[7, 0, 2]),
        constant("string past the end", Some(bad), &[8, 0xff, 0xff]),
        constant("module in a class", Some("does not support"), &[19, 0, 1]),
        constant("method type that is none", Some(bad), &[16, 0, 1]),
        constant("dynamic constant in version 52", Some("does not support"), &[17, 0, 0, 0, 1]),
        case("method handle in version 50", "does not support", 50, |class| {
            class.constant(vec![16, 0, 1]);
        }),
        case("overlong character in version 47", None, 47, |class| {
            class.constant(vec![1, 0, 2, 0xc1, 0x81]);
        }),
        case("invokedynamic without bootstrap methods", "BootstrapMethods", 52, |class| {
            let name_and_type = words(&[class.name_and_type("m", "()V")]);
            class.constant([&[18, 0, 0], &name_and_type[..]].concat());
        }),
        class_named("an array class", None, "[[Ljava/lang/String;"),
        class_named("an array of void", Some("Illegal class name"), "[V"),
        class_named("a name with dots", Some("Illegal class name"), "java.lang.String"),
        class_named("a name with an empty part", Some("Illegal class name"), "a//b"),
        class_named("an empty name", Some("Illegal class name"), ""),
        class_named("a name no compiler gives", None, "a-b/<c> d"),
        member("a field", None, 9, "x", "I"),
        member("a field of void", Some("Illegal name"), 9, "x", "V"),
        member("a field with a method's descriptor", Some(bad), 9, "x", "()V"),
        member("a method with a field's descriptor", Some(bad), 10, "m", "I"),
        member("a method in angle brackets", Some("Illegal name"), 10, "<m>", "()V"),
        member("a constructor", None, 10, "<init>", "(I)V"),
        member("a constructor with a result", Some(bad), 10, "<init>", "()I"),
        member("a class initializer", Some(bad), 10, "<clinit>", "()V"),
        handle("getField", None, 1, 9, "x"),
        handle("getField of a method", Some(bad), 1, 10, "m"),
        handle("invokeVirtual", None, 5, 10, "m"),
        handle("invokeVirtual of a constructor", Some(bad), 5, 10, "<init>"),
        handle("invokeStatic of an interface method", None, 6, 11, "m"),
        handle("newInvokeSpecial", None, 8, 10, "<init>"),
        handle("newInvokeSpecial of a method", Some(bad), 8, 10, "m"),
        handle("invokeInterface of a class's method", Some(bad), 9, 10, "m"),
        handle("kind 0", Some(bad), 0, 9, "x"),
        handle("kind 10", Some(bad), 10, 9, "x"),
    ]
}

fn classes_and_members() -> Vec<Case> {
    let flags = |name, refused_for: Option<&'static str>, major, access_flags| {
        case(name, refused_for, major, |class| class.access_flags = access_flags)
    };
    let field = |name, refused_for: Option<&'static str>, access_flags| {
        case(name, refused_for, 52, |class| class.field(access_flags, "x", "I"))
    };
    let method = |name,
                  refused_for: Option<&'static str>,
                  access_flags,
                  method: &'static str,
                  code| {
        case(name, refused_for, 52, |class| {
            class.access_flags |= 0x0400;
            class.method(access_flags, method, "()V", if code { Some(nothing()) } else { None });
        })
    };
    let illegal = Some("Illegal");
    vec![
        flags("final and abstract", illegal, 52, 0x0430),
        flags("interface", None, 52, 0x0600),
        flags("interface that is not abstract", illegal, 52, 0x0200),
        flags("old interface that is not abstract", None, 49, 0x0200),
        flags("interface with super", illegal, 52, 0x0620),
        flags("annotation that is no interface", illegal, 52, 0x2020),
        flags("unknown flags", None, 52, 0x0020 | 0x0140),
        case("array as superclass", "Bad superclass name", 52, |class| class.extends("[I")),
        case("interface below another class", "java.lang.Object as superclass", 52, |class| {
            class.access_flags = 0x0600;
            class.extends("java/lang/Thread");
        }),
        case("interface twice", "Duplicate interface", 52, |class| {
            class.implements("java/lang/Runnable");
            class.implements("java/lang/Runnable");
        }),
        case("array as interface", "Bad interface name", 52, |class| class.implements("[I")),
        case("field twice", "Duplicate field", 52, |class| {
            class.field(0, "x", "I");
            class.field(0, "x", "I");
        }),
        case("fields of different types", None, 52, |class| {
            class.field(0, "x", "I");
            class.field(0, "x", "J");
        }),
        case("method twice", "Duplicate method", 52, |class| {
            class.method(9, "m", "()V", Some(nothing()));
            class.method(1, "m", "()V", Some(nothing()));
        }),
        field("public and private", illegal, 3),
        field("final and volatile", illegal, 0x50),
        case("field of an interface", "Illegal", 52, |class| {
            class.access_flags = 0x0600;
            class.field(1, "x", "I");
        }),
        case("field with a wrong name", "Illegal field name", 52, |class| {
            class.field(0, "a/b", "I")
        }),
        case("field with a wrong type", "illegal signature", 52, |class| class.field(0, "x", "X")),
        method("method without code", Some("Absent Code"), 1, "m", false),
        method("abstract method with code", Some("Code attribute in"), 0x401, "m", true),
        method("native method with code", Some("Code attribute in"), 0x101, "m", true),
        method("abstract and final", illegal, 0x411, "m", false),
        method("abstract and static", illegal, 0x409, "m", false),
        method("static constructor", illegal, 8, "<init>", true),
        method("class initializer that is not static", Some("not static"), 0, "<clinit>", true),
        method("class initializer with odd flags", None, 0x041f, "<clinit>", true),
        case("class initializer with arguments", "illegal signature", 52, |class| {
            class.method(8, "<clinit>", "(I)V", Some(nothing()));
        }),
        case("constructor with a result", "illegal signature", 52, |class| {
            class.method(1, "<init>", "()I", Some(nothing()));
        }),
        case("constructor of an interface", "Interface cannot have a constructor", 52, |class| {
            class.access_flags = 0x0600;
            class.method(1, "<init>", "()V", Some(nothing()));
        }),
        case("255 words of arguments", None, 52, |class| {
            let descriptor = format!("({}I)V", "J".repeat(127));
            class.method(9, "m", &descriptor, Some(Body { max_locals: 255, ..nothing() }));
        }),
        case("256 words of arguments", "Too many arguments", 52, |class| {
            let descriptor = format!("({}I)V", "J".repeat(127));
            class.method(1, "m", &descriptor, Some(Body { max_locals: 256, ..nothing() }));
        }),
        case("arguments that do not fit", "can't fit into locals", 52, |class| {
            class.method(9, "m", "(JJI)V", Some(nothing()));
        }),
        case("method without instructions", "Invalid method Code length 0", 52, |class| {
            class.method(9, "m", "()V", Some(Body::default()));
        }),
        case("method of 65,535 bytes", None, 52, |class| {
            class.method(9, "m", "()V", Some(long_body(65_535)));
        }),
        case("method of 65,536 bytes", "Invalid method Code length", 52, |class| {
            class.method(9, "m", "()V", Some(long_body(65_536)));
        }),
    ]
}

fn long_body(len: usize) -> Body {
    let mut code = vec![0; len];
    code[len - 1] = 0xb1;
    Body { code, ..nothing() }
}

fn attributes() -> Vec<Case> {
    let attribute =
        |name, refused_for: Option<&'static str>, attribute: &'static str, indices: &[u16]| {
            case(name, refused_for, 61, |class| class.attribute(attribute, &words(indices)))
        };
    // The first constants of a class are its own name and class, then those of `Object`.
    const NAME: u16 = 1;
    const THIS: u16 = 2;
    const OBJECT: u16 = 4;
    vec![
        attribute("source file", None, "SourceFile", &[NAME]),
        attribute("source file that is no text", Some("SourceFile"), "SourceFile", &[THIS]),
        attribute("source file too long", Some("Wrong size"), "SourceFile", &[NAME, NAME]),
        attribute("unknown attribute", None, "Something", &[77, 77]),
        attribute("nest host", None, "NestHost", &[OBJECT]),
        attribute("nest host that is no class", Some("Nest-host"), "NestHost", &[NAME]),
        attribute("nest members", None, "NestMembers", &[1, OBJECT]),
        attribute("nest members too short", Some("length"), "NestMembers", &[2, OBJECT]),
        attribute("inner class", None, "InnerClasses", &[1, THIS, OBJECT, NAME, 1]),
        attribute(
            "inner class of itself",
            Some("both outer and inner"),
            "InnerClasses",
            &[1, THIS, THIS, NAME, 1],
        ),
        attribute(
            "inner class that is text",
            Some("inner_class_info"),
            "InnerClasses",
            &[1, NAME, 0, 0, 0],
        ),
        attribute("enclosing method", None, "EnclosingMethod", &[OBJECT, 0]),
        attribute(
            "enclosing method that is a class",
            Some("EnclosingMethod"),
            "EnclosingMethod",
            &[OBJECT, THIS],
        ),
        attribute(
            "bootstrap method that is a class",
            Some("bootstrap_method"),
            "BootstrapMethods",
            &[1, THIS, 0],
        ),
        attribute("record without components", None, "Record", &[0]),
        attribute("record component without a type", Some("Record"), "Record", &[1, NAME, NAME, 0]),
        case("source file twice", "Multiple SourceFile attributes", 52, |class| {
            class.attribute("SourceFile", &words(&[NAME]));
            class.attribute("SourceFile", &words(&[NAME]));
        }),
        case("nest host and members", "Conflicting", 55, |class| {
            class.attribute("NestHost", &words(&[OBJECT]));
            class.attribute("NestMembers", &words(&[1, OBJECT]));
        }),
        case("nest members of a class too old to have them", None, 54, |class| {
            class.attribute("NestMembers", &words(&[9, 9]));
        }),
    ]
}

fn all_cases() -> Vec<Case> {
    [versions_and_ends(), constants(), classes_and_members(), attributes()]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn each_hand_made_class_file_gets_its_verdict() {
    let mut wrong = Vec::new();
    for case in all_cases() {
        let parsed = ClassFile::parse(ClassBytes::from_vec(case.class));
        let is_right = match (&parsed, case.refused_for) {
            (Ok(_), None) => true,
            (Err(error), Some(part)) => error.to_string().contains(part),
            _ => false,
        };
        if !is_right {
            wrong.push(format!("{}: {parsed:?} instead of {:?}", case.name, case.refused_for));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn hotspot_agrees_about_the_hand_made_class_files() {
    let home = jdk::homes().pop().unwrap();
    let cases = all_cases();
    let files: Vec<Vec<u8>> = cases.iter().map(|case| case.class.clone()).collect();
    let verdicts = verdict::of_hotspot(&home, Path::new("."), "hand-made-files", &files);
    let mut wrong = Vec::new();
    for (case, verdict) in cases.iter().zip(verdicts) {
        // What is wrong only with other classes is found out after format checking.
        let is_refused = matches!(verdict, Verdict::Malformed(_));
        if is_refused != case.refused_for.is_some() {
            wrong.push(format!("{}: {verdict:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_unknown_version_is_told_apart_from_a_broken_class() {
    let kind = |bytes: Vec<u8>| ClassFile::parse(ClassBytes::from_vec(bytes)).unwrap_err().kind();
    let class = |major| Assembler::new(major, "Case").finish();
    assert_eq!(kind(class(70)), ClassFormatErrorKind::UnsupportedClassVersion);
    assert_eq!(kind(vec![1, 2, 3, 4]), ClassFormatErrorKind::ClassFormat);
}

#[test]
fn every_prefix_of_a_class_file_is_refused() {
    let folder = verdict::fresh_folder("prefixes");
    let classes = verdict::compile("Samples.java", &folder, &["-g"]);
    for class in classes {
        for len in 0..class.len() {
            assert!(ClassFile::parse(ClassBytes::from_vec(class[..len].to_vec())).is_err());
        }
    }
}
