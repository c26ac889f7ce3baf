//! Every class of the real JDKs parses, and the run-time image finds what it lists.

use std::time::Instant;

use crate::hierarchy::ImageHierarchy;
use classfile::verifier::verify;
use classfile::{ClassBytes, ClassFile, mutf8};

use crate::jdk;

#[test]
fn every_class_of_java_base_parses_and_has_the_name_of_its_path() {
    for home in jdk::homes() {
        let image = jdk::image(&home);
        let classes = jdk::classes_of(&image, "java.base");
        assert!(5_000 < classes.len());
        // Touch the pages first, so that the time is that of parsing.
        let n_bytes: usize = classes.iter().map(|(_, bytes)| bytes.len()).sum();
        let touched: u64 =
            classes.iter().flat_map(|(_, bytes)| bytes.iter()).map(|&b| u64::from(b)).sum();
        assert!(0 < touched);
        let start = Instant::now();
        let parsed: Vec<ClassFile> = classes
            .iter()
            .map(|(path, bytes)| {
                ClassFile::parse(bytes.clone()).unwrap_or_else(|error| panic!("{path}: {error}"))
            })
            .collect();
        let elapsed = start.elapsed();
        let n_methods: usize = parsed.iter().map(|class| class.methods().len()).sum();
        eprintln!(
            "{}: parsed {} classes, {n_methods} methods, {n_bytes} bytes in {elapsed:?}",
            home.display(),
            parsed.len()
        );
        for ((path, _), class) in classes.iter().zip(&parsed) {
            assert_eq!(*path, format!("{}.class", mutf8::display(class.name())));
        }
    }
}

#[test]
fn find_class_gives_each_class_of_the_image_with_its_module() {
    for home in jdk::homes() {
        let image = jdk::image(&home);
        let mut names = Vec::new();
        for name in image.resources() {
            if name.extension == "class" && !name.parent.is_empty() && name.parent != "META-INF" {
                names.push((name.module, format!("{}/{}", name.parent, name.base)));
            }
        }
        let start = Instant::now();
        for (module, name) in &names {
            let (found, _) = image.find_class(name).unwrap_or_else(|| panic!("{name} of {module}"));
            assert_eq!(found, *module, "{name}");
        }
        let each = start.elapsed() / names.len() as u32;
        eprintln!("{}: found {} classes, {each:?} each", home.display(), names.len());
        assert!(image.find_class("java/lang/NoSuchClass").is_none());
        assert!(image.find_class("no/such/Package").is_none());
        assert!(image.find_class("Unnamed").is_none());
    }
}

#[test]
fn a_package_is_found_in_its_module_with_dots_or_slashes() {
    for home in jdk::homes() {
        let image = jdk::image(&home);
        assert_eq!(image.module_of_package("java.lang"), Some("java.base"));
        assert_eq!(image.module_of_package("java/util/logging"), Some("java.logging"));
        // Every module with a package below `java` has an empty one called so.
        assert!(image.module_of_package("java").is_some());
        assert_eq!(image.module_of_package("no.such.name"), None);
    }
}

#[test]
fn every_method_of_java_base_verifies() {
    for home in jdk::homes() {
        let image = jdk::image(&home);
        let mut hierarchy = ImageHierarchy::new(&image);
        let mut n_methods = 0;
        let start = Instant::now();
        let mut failures = Vec::new();
        for (path, bytes) in jdk::classes_of(&image, "java.base") {
            let class = ClassFile::parse(bytes).unwrap();
            for method in class.methods() {
                n_methods += 1;
                if let Err(failure) = verify(&class, method, &mut hierarchy) {
                    let name = mutf8::display(class.constant_pool().utf8(method.name));
                    let descriptor = mutf8::display(class.constant_pool().utf8(method.descriptor));
                    failures.push(format!("{path} {name}{descriptor}: {failure:?}"));
                }
            }
        }
        eprintln!("{}: verified {n_methods} methods in {:?}", home.display(), start.elapsed());
        assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    }
}

#[test]
fn classes_of_java_base_that_could_be_of_version_49_verify_by_inference() {
    for home in jdk::homes() {
        let image = jdk::image(&home);
        let mut hierarchy = ImageHierarchy::new(&image);
        let mut n_methods = 0;
        let start = Instant::now();
        for (path, bytes) in jdk::classes_of(&image, "java.base") {
            let mut bytes = bytes.to_vec();
            bytes[6..8].copy_from_slice(&[0, 49]);
            // Classes with method handles or newer interfaces cannot be that old.
            let Ok(class) = ClassFile::parse(ClassBytes::from_vec(bytes)) else { continue };
            for method in class.methods() {
                n_methods += 1;
                let failure = match verify(&class, method, &mut hierarchy) {
                    Ok(()) => continue,
                    Err(failure) => format!("{failure:?}"),
                };
                // Old classes could not call static methods of interfaces either.
                let name = mutf8::display(class.constant_pool().utf8(method.name));
                assert!(failure.contains("Illegal type at constant"), "{path} {name}: {failure}");
            }
        }
        eprintln!("{}: inferred {n_methods} methods in {:?}", home.display(), start.elapsed());
        assert!(20_000 < n_methods);
    }
}
