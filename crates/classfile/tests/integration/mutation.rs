//! Damaged class files, jars and images never make a reader panic, hang or run out of memory, and
//! what a real JVM refuses is refused here too.

use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use classfile::{ClassBytes, ClassFile, JImage, Jar};

use crate::hierarchy::ImageHierarchy;
use crate::jdk;
use crate::verdict::{self, Verdict};

/// A small generator of numbers (xorshift), the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 11) as usize % limit
    }
}

/// Damages bytes in one of several ways; `places` are ranges of special interest.
fn mutate(random: &mut Random, bytes: &mut Vec<u8>, donor: &[u8], places: &[(usize, usize)]) {
    if bytes.is_empty() {
        return;
    }
    let place = |random: &mut Random, len: usize| match random.below(4) {
        0 => random.below(len),
        _ if places.is_empty() => random.below(len),
        _ => {
            let (start, end) = places[random.below(places.len())];
            (start + random.below((end - start).max(1))).min(len - 1)
        }
    };
    for _ in 0..1 + random.below(6) / 4 {
        let at = place(random, bytes.len());
        match random.below(10) {
            0..=2 => bytes[at] ^= 1 << random.below(8),
            3..=4 => bytes[at] = random.next() as u8,
            5 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5)],
            6 => {
                let from = place(random, bytes.len());
                bytes[at] = bytes[from];
            }
            7 => {
                let len = (1 + random.below(8)).min(bytes.len() - at);
                let from = random.below(donor.len() - len.min(donor.len() - 1));
                bytes[at..at + len].copy_from_slice(&donor[from..from + len]);
            }
            8 => {
                let len = (1 + random.below(4)).min(bytes.len() - at);
                let from = place(random, bytes.len() - len + 1).min(bytes.len() - len);
                bytes.copy_within(from..from + len, at);
            }
            _ => match random.below(8) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes.insert(at, random.next() as u8),
                2 => drop(bytes.remove(at)),
                _ => bytes[at] = bytes[at].wrapping_add(random.below(3) as u8).wrapping_sub(1),
            },
        }
        if bytes.is_empty() {
            return;
        }
    }
}

/// Where instructions and frames lie.
fn code_ranges(bytes: &[u8]) -> Vec<(usize, usize)> {
    let class = ClassFile::parse(ClassBytes::from_vec(bytes.to_vec())).unwrap();
    let mut ranges = Vec::new();
    for code in class.methods().iter().filter_map(|method| method.code.as_ref()) {
        for span in std::iter::once(code.code).chain(code.stack_map) {
            ranges.push((span.start as usize, (span.start + span.len) as usize));
        }
    }
    ranges
}

#[test]
fn thirty_thousand_damaged_classes_are_parsed_and_verified_without_a_panic() {
    let home = jdk::homes().pop().unwrap();
    let image = jdk::image(&home);
    let classes = jdk::classes_of(&image, "java.base");
    let mut hierarchy = ImageHierarchy::new(&image);
    let mut random = Random::new(1);
    let mut counts = [0; 4];
    let mut slowest = (std::time::Duration::ZERO, String::new());
    let mut n_mutants = 0;
    while n_mutants < 30_000 {
        let (path, bytes) = &classes[random.below(classes.len())];
        if 12_000 < bytes.len() {
            continue;
        }
        let places = code_ranges(bytes);
        let donor = &classes[random.below(classes.len())].1;
        for _ in 0..8 {
            let mut mutant = bytes.to_vec();
            // Some as old class files, for the inference.
            if random.below(4) == 0 {
                mutant[6..8].copy_from_slice(&[0, 45 + random.below(6) as u8]);
            }
            mutate(&mut random, &mut mutant, donor, &places);
            let start = Instant::now();
            let verdict = verdict::ours(&mut hierarchy, &mutant);
            slowest = slowest.max((start.elapsed(), path.clone()));
            counts[match verdict {
                Verdict::Accepted => 0,
                Verdict::Malformed(_) => 1,
                Verdict::Invalid(_) => 2,
                Verdict::Unknown(_) => 3,
            }] += 1;
            n_mutants += 1;
        }
    }
    eprintln!("accepted, malformed, invalid, unknown: {counts:?}; slowest {slowest:?}");
    assert!(counts.iter().take(3).all(|&count| 1_000 < count), "{counts:?}");
}

#[test]
fn damaged_images_are_read_without_a_panic() {
    let home = jdk::homes().pop().unwrap();
    let whole = jdk::image(&home);
    // A damaged index of the whole image would need the whole image copied each time, so the
    // index is copied once and the damage undone after each try.
    let table_len = u32::from_le_bytes(whole.map()[16..20].try_into().unwrap()) as usize;
    let index_len = 28
        + table_len * 8
        + u32::from_le_bytes(whole.map()[20..24].try_into().unwrap()) as usize
        + u32::from_le_bytes(whole.map()[24..28].try_into().unwrap()) as usize;
    let mut bytes = whole.map()[..index_len + 4096].to_vec();
    let mut random = Random::new(2);
    for _ in 0..300 {
        let mut undo = Vec::new();
        for _ in 0..random.below(400) + 1 {
            let at =
                if random.below(50) == 0 { random.below(28) } else { random.below(bytes.len()) };
            undo.push((at, bytes[at]));
            bytes[at] = random.next() as u8;
        }
        let copy = ClassBytes::from_vec(bytes.clone());
        if let Ok(image) = JImage::from_bytes(Path::new("damaged"), copy) {
            for name in ["java/lang/Object", "java/util/HashMap$Node", "sun/misc/Unsafe", "a/b/C"] {
                image.find_class(name);
            }
            for name in image.resources().take(200) {
                let _ = image.try_find(name.module, &name.path());
            }
        }
        for (at, byte) in undo.into_iter().rev() {
            bytes[at] = byte;
        }
    }
}

#[test]
fn damaged_jars_are_read_without_a_panic() {
    let folder = verdict::fresh_folder("damaged-jars");
    verdict::compile("Samples.java", &folder, &[]);
    let jar = crate::jar::make(&folder, "samples.jar", &["-C", folder.to_str().unwrap(), "."]);
    let original = std::fs::read(jar).unwrap();
    let mut random = Random::new(3);
    let (mut n_opened, mut n_read) = (0, 0);
    for _ in 0..20_000 {
        let mut mutant = original.clone();
        // The directory at the end is where it gets interesting.
        let end = original.len();
        mutate(&mut random, &mut mutant, &original, &[(end.saturating_sub(900), end), (0, 60)]);
        let Ok(jar) = Jar::from_bytes(Path::new("damaged"), ClassBytes::from_vec(mutant)) else {
            continue;
        };
        n_opened += 1;
        let mut names: Vec<&str> = jar.entry_names().collect();
        names.sort_unstable();
        n_read += names.iter().filter(|name| matches!(jar.find(name), Some(Ok(_)))).count();
    }
    assert!(1_000 < n_opened && 1_000 < n_read);
}

/// The verdicts must agree, unless one side could not judge.
fn check_agreement(name: &str, mutants: &[Vec<u8>], ours: &[Verdict], theirs: &[Verdict]) {
    let mut disagreements = Vec::new();
    for (idx, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let unknown = |verdict: &Verdict| matches!(verdict, Verdict::Unknown(_));
        if unknown(ours) || unknown(theirs) || ours.is_refused() == theirs.is_refused() {
            continue;
        }
        disagreements.push(format!("{name} {idx:06}: ours {ours:?}, theirs {theirs:?}"));
    }
    let n_refused = theirs.iter().filter(|verdict| verdict.is_refused()).count();
    eprintln!("{name}: {} mutants, {n_refused} refused by HotSpot", mutants.len());
    assert!(disagreements.is_empty(), "{}\n{}", disagreements.len(), disagreements.join("\n"));
}

/// Damages the classes given, as class files of version `major` if given, and asks both sides.
fn compare_mutants(name: &str, classes: &[Vec<u8>], class_path: &Path, plan: &Plan) {
    let home = jdk::homes().pop().unwrap();
    let image = jdk::image(&home);
    let mut hierarchy = ImageHierarchy::new(&image);
    for bytes in classes {
        hierarchy.add(Rc::new(ClassFile::parse(ClassBytes::from_vec(bytes.clone())).unwrap()));
    }
    let mut random = Random::new(plan.seed);
    let mut mutants = Vec::new();
    for _ in 0..plan.n_mutants {
        let bytes = &classes[random.below(classes.len())];
        let places = code_ranges(bytes);
        let donor = &classes[random.below(classes.len())];
        let mut mutant = bytes.clone();
        if let Some(major) = plan.major {
            mutant[6..8].copy_from_slice(&major.to_be_bytes());
        }
        mutate(&mut random, &mut mutant, donor, &places);
        mutants.push(mutant);
    }
    let ours: Vec<Verdict> =
        mutants.iter().map(|mutant| verdict::ours(&mut hierarchy, mutant)).collect();
    let theirs = verdict::of_hotspot(&home, class_path, name, &mutants);
    check_agreement(name, &mutants, &ours, &theirs);
}

struct Plan {
    major: Option<u16>,
    n_mutants: usize,
    seed: u64,
}

#[test]
fn hotspot_agrees_about_damaged_classes_with_stack_maps() {
    let folder = verdict::fresh_folder("new-classes");
    let classes = verdict::compile("Samples.java", &folder, &["-g"]);
    let plan = Plan { major: None, n_mutants: 6_000, seed: 4 };
    compare_mutants("new-mutants", &classes, &folder, &plan);
}

#[test]
fn hotspot_agrees_about_damaged_classes_of_version_49() {
    let folder = verdict::fresh_folder("old-classes");
    let classes = verdict::compile("OldSamples.java", &folder, &["-g", "--release", "8"]);
    let plan = Plan { major: Some(49), n_mutants: 4_000, seed: 5 };
    compare_mutants("old-mutants", &classes, &folder, &plan);
}

#[test]
fn hotspot_agrees_about_damaged_classes_of_the_compiler() {
    let home = jdk::homes().pop().unwrap();
    let image = jdk::image(&home);
    let classes: Vec<Vec<u8>> = jdk::classes_of(&image, "jdk.compiler")
        .into_iter()
        .filter(|(path, bytes)| path.starts_with("com/sun/tools/javac/") && bytes.len() < 20_000)
        .map(|(_, bytes)| bytes.to_vec())
        .collect();
    let plan = Plan { major: None, n_mutants: 4_000, seed: 6 };
    compare_mutants("compiler-mutants", &classes, Path::new("."), &plan);
}
