//! Images as `jlink` compresses them hold the same resources as the JDK's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use classfile::{ClassBytes, JImage};

use crate::jdk;

/// A fresh image of `java.base` alone.
fn link(home: &Path, name: &str, option: &str) -> PathBuf {
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if output.exists() {
        fs::remove_dir_all(&output).unwrap();
    }
    let linked = Command::new(home.join("bin/jlink"))
        .args(["--add-modules", "java.base", "--output"])
        .arg(&output)
        .arg(option)
        .output()
        .unwrap();
    assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stdout));
    output.join("lib/modules")
}

fn home_with_modules_to_link() -> PathBuf {
    let home = jdk::homes().into_iter().find(|home| home.join("jmods").is_dir());
    home.expect("a JDK with a jmods folder")
}

#[test]
fn compressed_images_give_the_same_classes_as_the_plain_one() {
    let home = home_with_modules_to_link();
    let plain = jdk::image(&home);
    let classes = jdk::classes_of(&plain, "java.base");
    for (name, option) in [("compact-cp", "--compress=1"), ("zip", "--compress=2")] {
        let compressed = JImage::open(&link(&home, name, option)).unwrap();
        let mut n_same = 0;
        for (path, bytes) in &classes {
            let found = compressed.try_find("java.base", path).unwrap();
            // The linker makes or rewrites a few classes for each image.
            n_same += usize::from(found.is_some_and(|found| *found == **bytes));
        }
        assert!(classes.len() - n_same < 40, "{name}: {n_same} of {}", classes.len());
    }
}

fn check_refused(bytes: Vec<u8>, reason: &str) {
    let refused = JImage::from_bytes(Path::new("hostile"), ClassBytes::from_vec(bytes));
    let error = refused.unwrap_err().to_string();
    assert!(error.contains(reason) && error.contains("hostile"), "{error}");
}

fn header(words: [u32; 7]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn what_is_no_image_is_refused_with_a_reason() {
    const MAGIC: u32 = 0xCAFE_DADA;
    check_refused(Vec::new(), "too short");
    check_refused(header([0x1234, 0, 0, 0, 0, 0, 0]), "not a run-time image");
    check_refused(header([MAGIC.swap_bytes(), 0, 0, 0, 0, 0, 0]), "other byte order");
    check_refused(header([MAGIC, 2 << 16, 0, 0, 0, 0, 0]), "version 2.0");
    check_refused(header([MAGIC, 1 << 16, 0, 0, 0, 0, 0]), "too short for its index");
    check_refused(header([MAGIC, 1 << 16, 0, 0, u32::MAX, u32::MAX, u32::MAX]), "too short");
}

#[test]
fn an_image_whose_table_points_nowhere_finds_nothing() {
    for redirect in [i32::MIN, -1, -2, 0, 1, i32::MAX] {
        let mut bytes = header([0xCAFE_DADA, 1 << 16, 0, 1, 1, 8, 8]);
        bytes.extend(redirect.to_le_bytes());
        bytes.extend(u32::MAX.to_le_bytes());
        bytes.extend([0xFF; 16]);
        let image = JImage::from_bytes(Path::new("hostile"), ClassBytes::from_vec(bytes)).unwrap();
        assert!(image.find("java.base", "java/lang/Object.class").is_none());
        assert!(image.find_class("java/lang/Object").is_none());
        assert_eq!(image.resources().count(), 0);
    }
}
