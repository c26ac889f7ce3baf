//! A booted machine with Java classes compiled for one test, for tests that call methods from Rust.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use classfile::{ClassBytes, JImage};
use testkit::jdk::Jdk;
use vm::host::fixed::FixedHost;
use vm::link::DefineOptions;
use vm::value::{ClassId, LoaderId, MethodId};
use vm::vm::{Options, Vm};

/// Runs a check on a machine of each installed JDK in which these sources are loaded.
pub(crate) fn with_java(
    test: &str,
    source: &str,
    check: impl Fn(&mut Vm, &dyn Fn(&Vm, &str) -> ClassId),
) {
    for jdk in testkit::jdk::installed() {
        let folder = compiled(&jdk, test, source);
        let image = Arc::new(JImage::open(&jdk.home.join("lib/modules")).unwrap());
        let options = Options {
            java_home: jdk.home.display().to_string(),
            class_path: String::new(),
            properties: Vec::new(),
            heap_limit: 64 << 20,
            seed: 1,
            assertions: true,
        };
        let mut vm = Vm::boot(image, options, Box::new(FixedHost::default())).unwrap();
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "class"))
            .collect();
        files.sort();
        // Supertypes first: what does not link yet waits for another round.
        while !files.is_empty() {
            let n_files = files.len();
            files.retain(|file| {
                let bytes = ClassBytes::from_vec(std::fs::read(file).unwrap());
                let options = DefineOptions::default();
                vm.complete(|vm| vm.define_class(LoaderId::BOOT, bytes.clone(), &options)).is_err()
            });
            assert!(files.len() < n_files, "cannot be linked: {files:?}");
        }
        let class = |vm: &Vm, name: &str| {
            let symbol = vm.symbols.intern(name.as_bytes());
            vm.loaders[0].classes[&symbol]
        };
        check(&mut vm, &class);
    }
}

/// The folder of class files; tests that share a name share it.
fn compiled(jdk: &Jdk, test: &str, source: &str) -> PathBuf {
    static DONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let folder = testkit::root::target().join(format!("machine-tests/{test}-{}", jdk.release));
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    if done.contains(&folder) {
        return folder;
    }
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("Test.java");
    std::fs::write(&file, source).unwrap();
    let javac = Command::new(jdk.command("javac"))
        .args(["-g", "-nowarn", "-d"])
        .arg(&folder)
        .arg(&file)
        .output()
        .unwrap();
    assert!(javac.status.success(), "{}", String::from_utf8_lossy(&javac.stderr));
    done.insert(folder.clone());
    folder
}

/// A method by name and descriptor.
pub(crate) fn method(vm: &Vm, class: ClassId, name: &str, descriptor: &str) -> MethodId {
    vm.lookup_method(class, name.as_bytes(), descriptor.as_bytes()).unwrap()
}
