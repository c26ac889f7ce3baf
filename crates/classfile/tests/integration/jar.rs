//! Jars as the JDK's own tool writes them, and some written by hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use classfile::{ClassBytes, Jar};

use crate::{jdk, verdict};

/// Makes a jar in a folder with the JDK's tool.
pub(crate) fn make(folder: &Path, name: &str, arguments: &[&str]) -> PathBuf {
    let jar = folder.join(name);
    let home = jdk::homes().into_iter().next().unwrap();
    let made = Command::new(home.join("bin/jar"))
        .arg("--create")
        .arg("--file")
        .arg(&jar)
        .args(arguments)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    jar
}

fn text(jar: &Jar, name: &str) -> String {
    String::from_utf8(jar.find(name).unwrap().unwrap().to_vec()).unwrap()
}

fn open(bytes: Vec<u8>) -> Result<Jar, String> {
    Jar::from_bytes(Path::new("hand-made.jar"), ClassBytes::from_vec(bytes))
        .map_err(|error| error.to_string())
}

/// Long enough to be worth deflating.
fn long_text() -> String {
    "all work and no play ".repeat(500)
}

#[test]
fn stored_and_deflated_entries_are_read() {
    let folder = verdict::fresh_folder("jar-methods");
    fs::write(folder.join("long.txt"), long_text()).unwrap();
    for (name, option) in [("deflated.jar", None), ("stored.jar", Some("--no-compress"))] {
        let mut arguments: Vec<&str> = option.into_iter().collect();
        arguments.extend(["-C", folder.to_str().unwrap(), "long.txt"]);
        let jar = Jar::open(&make(&folder, name, &arguments)).unwrap();
        assert_eq!(text(&jar, "long.txt"), long_text());
        assert!(jar.find("short.txt").is_none());
        assert_eq!(jar.manifest_attribute("manifest-version"), Some("1.0"));
    }
}

#[test]
fn a_multi_release_jar_gives_the_newest_version_a_release_may_see() {
    let root = verdict::fresh_folder("jar-releases");
    for (folder, content) in [("base", "8"), ("v9", "9"), ("v17", "17")] {
        fs::create_dir(root.join(folder)).unwrap();
        fs::write(root.join(folder).join("x.txt"), content).unwrap();
    }
    let at = |folder: &str| root.join(folder).to_str().unwrap().to_owned();
    let (base, v9, v17) = (at("base"), at("v9"), at("v17"));
    let versions =
        ["-C", &base, ".", "--release", "9", "-C", &v9, ".", "--release", "17", "-C", &v17, "."];
    let jar = Jar::open(&make(&root, "releases.jar", &versions)).unwrap();
    assert!(jar.is_multi_release());
    let seen = |release| {
        let found = jar.find_for_release("x.txt", release).unwrap().unwrap();
        String::from_utf8(found.to_vec()).unwrap()
    };
    let expected = [(8, "8"), (9, "9"), (16, "9"), (17, "17"), (25, "17")];
    for (release, version) in expected {
        assert_eq!(seen(release), version, "release {release}");
    }
    assert!(jar.find_for_release("y.txt", 17).is_none());
}

/// One entry of a zip file written by hand.
#[derive(Clone)]
struct Entry {
    name: &'static str,
    flags: u16,
    method: u16,
    crc: u32,
    stored: Vec<u8>,
    len: u32,
    /// The extra field of the directory.
    extra: Vec<u8>,
    /// What the directory says instead of the stored length.
    stored_len: Option<u32>,
}

/// "hello", stored.
fn hello() -> Entry {
    Entry {
        name: "hello",
        flags: 0,
        method: 0,
        crc: 0x3610_A686,
        stored: b"hello".to_vec(),
        len: 5,
        extra: Vec::new(),
        stored_len: None,
    }
}

fn zip(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    for entry in entries {
        let offset = bytes.len() as u32;
        let stored_len = entry.stored_len.unwrap_or(entry.stored.len() as u32);
        let mut shared = Vec::new();
        for half in [20, entry.flags, entry.method, 0, 0] {
            shared.extend(half.to_le_bytes());
        }
        for word in [entry.crc, stored_len, entry.len] {
            shared.extend(word.to_le_bytes());
        }
        shared.extend((entry.name.len() as u16).to_le_bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&shared);
        bytes.extend([0, 0]);
        bytes.extend(entry.name.as_bytes());
        bytes.extend(&entry.stored);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&shared);
        directory.extend((entry.extra.len() as u16).to_le_bytes());
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(entry.name.as_bytes());
        directory.extend(&entry.extra);
    }
    let offset = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    for half in [entries.len() as u16; 2] {
        bytes.extend(half.to_le_bytes());
    }
    for word in [directory.len() as u32, offset] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend([0, 0]);
    bytes
}

/// The entry opens, but cannot be read for a reason.
fn check_unreadable(entry: Entry, reason: &str) {
    let name = entry.name;
    let jar = open(zip(&[entry])).unwrap();
    let error = jar.find(name).unwrap().unwrap_err().to_string();
    assert!(error.contains(reason) && error.contains("hand-made.jar"), "{error}");
}

#[test]
fn a_jar_may_have_bytes_before_it_and_a_comment_behind_it() {
    let plain = zip(&[hello()]);
    assert_eq!(text(&open(plain.clone()).unwrap(), "hello"), "hello");
    let mut wrapped = b"#!/bin/sh\nexec java -jar $0\n".to_vec();
    wrapped.extend(&plain);
    // The comment even looks like an end record.
    let comment = b"PK\x05\x06 and more than twenty-two bytes";
    let len = wrapped.len();
    wrapped[len - 2..].copy_from_slice(&(comment.len() as u16).to_le_bytes());
    wrapped.extend(comment);
    assert_eq!(text(&open(wrapped).unwrap(), "hello"), "hello");
}

#[test]
fn sizes_may_stand_in_the_zip64_extra_field() {
    let mut extra = vec![1, 0, 16, 0];
    extra.extend(5_u64.to_le_bytes());
    extra.extend(5_u64.to_le_bytes());
    let entry = Entry { len: u32::MAX, stored_len: Some(u32::MAX), extra, ..hello() };
    assert_eq!(text(&open(zip(&[entry])).unwrap(), "hello"), "hello");
}

#[test]
fn a_zip64_end_record_is_used_instead_of_the_plain_one() {
    let mut bytes = zip(&[hello()]);
    let end = bytes.split_off(bytes.len() - 22);
    let word = |at: usize| u64::from(u32::from_le_bytes(end[at..at + 4].try_into().unwrap()));
    let at = bytes.len() as u64;
    bytes.extend(b"PK\x06\x06");
    bytes.extend(44_u64.to_le_bytes());
    bytes.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for value in [1, 1, word(12), word(16)] {
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend(b"PK\x06\x07\0\0\0\0");
    bytes.extend(at.to_le_bytes());
    bytes.extend([1, 0, 0, 0]);
    bytes.extend(&end[..12]);
    bytes.extend([0xFF; 8]);
    bytes.extend([0, 0]);
    assert_eq!(text(&open(bytes).unwrap(), "hello"), "hello");
}

#[test]
fn of_two_entries_with_one_name_the_last_is_found() {
    let jar =
        open(zip(&[hello(), Entry { crc: 0x4D19_E2CE, stored: b"world".to_vec(), ..hello() }]));
    let error = jar.unwrap().find("hello").unwrap().unwrap_err().to_string();
    // The checksum is wrong on purpose: it shows which one was read.
    assert!(error.contains("wrong checksum"), "{error}");
}

#[test]
fn entries_that_lie_about_themselves_are_refused() {
    check_unreadable(Entry { crc: 1, ..hello() }, "wrong checksum");
    check_unreadable(Entry { flags: 1, ..hello() }, "encrypted");
    check_unreadable(Entry { method: 12, ..hello() }, "unsupported method 12");
    check_unreadable(Entry { len: 6, ..hello() }, "length it declares");
    check_unreadable(Entry { method: 8, ..hello() }, "inflated");
    check_unreadable(Entry { stored_len: Some(4_000), len: 4_000, ..hello() }, "damaged header");
    // A few stored bytes cannot become so many, and are not given memory for them.
    check_unreadable(Entry { method: 8, len: 500_000_000, ..hello() }, "length it declares");
    check_unreadable(Entry { method: 8, len: u32::MAX, ..hello() }, "too large");
}

#[test]
fn what_is_no_jar_is_refused() {
    let refused = |bytes: Vec<u8>, reason: &str| {
        let error = open(bytes).unwrap_err();
        assert!(error.contains(reason), "{error}");
    };
    refused(Vec::new(), "no zip end record");
    refused(vec![0; 100], "no zip end record");
    let mut lying = zip(&[hello()]);
    let at = lying.len() - 10;
    lying[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(lying, "end record is damaged");
    let mut broken = zip(&[hello()]);
    let at = broken.len() - 22 - 46 - 5;
    broken[at] = 0;
    refused(broken, "central directory is damaged");
    assert!(Jar::open(Path::new("/no/such.jar")).unwrap_err().to_string().contains("/no/such.jar"));
}
