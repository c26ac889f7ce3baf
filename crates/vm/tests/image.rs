//! Machines that start from a booted base: they behave as one that booted itself, alone and side
//! by side.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::RefCell;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::sync::Arc;

use classfile::JImage;
use vm::host::fixed::{FixedHost, Output};
use vm::image::{Base, ImageStore};
use vm::launch::Ended;
use vm::vm::{Options, Vm};

fn options(home: &str, class_path: &str) -> Options {
    Options {
        java_home: home.to_owned(),
        class_path: class_path.to_owned(),
        properties: Vec::new(),
        heap_limit: 256 << 20,
        seed: 1,
        assertions: true,
    }
}

fn each_jdk(check: impl Fn(&str, Arc<JImage>)) {
    for jdk in testkit::jdk::installed() {
        let image = Arc::new(JImage::open(&jdk.home.join("lib/modules")).unwrap());
        check(&jdk.home.display().to_string(), image);
    }
}

/// Runs a program of the JDK itself that prints a lot about the machine.
fn settings(vm: &mut Vm) -> Ended {
    vm.run_program("sun.launcher.LauncherHelper", &[])
}

fn host() -> (Box<FixedHost>, Output) {
    let host = FixedHost::new();
    let output = host.output();
    (Box::new(host), output)
}

/// Everything that the system properties say, in order.
fn properties(vm: &mut Vm) -> String {
    let system = vm.complete(|vm| vm.boot_class("java/lang/System")).unwrap();
    let get = vm.lookup_method(system, b"getProperties", b"()Ljava/util/Properties;").unwrap();
    let vm::interp::Outcome::Returned(properties) = vm.call_plain(get, &[]) else {
        panic!("threw")
    };
    let map = vm.complete(|vm| vm.boot_class("java/util/TreeMap")).unwrap();
    vm.complete(|vm| vm.ensure_initialised(map)).unwrap();
    let tree = vm.complete(|vm| vm.new_object(map)).unwrap();
    let constructor = vm.lookup_method(map, b"<init>", b"(Ljava/util/Map;)V").unwrap();
    let outcome = vm.call_plain(constructor, &[tree.to_slot(), properties.to_slot()]);
    assert!(matches!(outcome, vm::interp::Outcome::Returned(_)), "{outcome:?}");
    let text = vm.lookup_method(map, b"toString", b"()Ljava/lang/String;").unwrap();
    let outcome = vm.call_plain(text, &[tree.to_slot()]);
    let vm::interp::Outcome::Returned(vm::value::Value::Ref(text)) = outcome else {
        panic!("{outcome:?}")
    };
    vm.string_text(text)
}

#[test]
fn a_machine_from_a_base_has_the_properties_of_one_that_booted_itself() {
    each_jdk(|home, image| {
        let base = Base::boot(&image, options(home, "/somewhere/else"), host().0).unwrap();
        for class_path in ["/a.jar:/b", ""] {
            let mut from_base = base.machine_for(class_path, host().0).unwrap();
            let mut scratch = Vm::boot(image.clone(), options(home, class_path), host().0).unwrap();
            let found = properties(&mut from_base);
            assert_eq!(found, properties(&mut scratch));
            assert!(found.contains(&format!("java.class.path={class_path},")), "{found}");
            assert!(found.contains("user.dir=/home/user,"), "{found}");
            assert!(!found.contains("nonpareil/"), "{found}");
        }
    });
}

#[test]
fn machines_of_one_base_run_side_by_side_and_collect_on_their_own() {
    each_jdk(|home, image| {
        let base = Arc::new(Base::boot(&image, options(home, ""), host().0).unwrap());
        let workers: Vec<_> = (0..4)
            .map(|_| {
                let base = base.clone();
                std::thread::spawn(move || {
                    let (host, output) = host();
                    let mut vm = base.machine(host).unwrap();
                    vm.heap.nursery = 64 << 10;
                    vm.collect_outside();
                    let first = properties(&mut vm);
                    for _ in 0..3 {
                        vm.collect_outside();
                        assert_eq!(properties(&mut vm), first);
                    }
                    let ended = settings(&mut vm);
                    (first, format!("{ended:?}"), output.stdout(), output.stderr())
                })
            })
            .collect();
        let results: Vec<_> = workers.into_iter().map(|worker| worker.join().unwrap()).collect();
        assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{results:?}");
    });
}

/// A store in memory that can damage what it keeps.
#[derive(Default)]
struct MemoryStore {
    kept: RefCell<Option<(String, Vec<u8>)>>,
    n_saved: RefCell<u32>,
}

impl ImageStore for MemoryStore {
    fn open(&self, _: &str) -> Option<File> {
        let kept = self.kept.borrow();
        let (_, image) = kept.as_ref()?;
        let path = testkit::root::target().join(format!("image-test-{}", std::process::id()));
        let mut file =
            File::options().create(true).truncate(true).read(true).write(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        file.write_all(image).unwrap();
        file.rewind().unwrap();
        let mut check = Vec::new();
        file.read_to_end(&mut check).unwrap();
        assert_eq!(check.len(), image.len());
        Some(file)
    }

    fn save(&self, key: &str, image: &[u8]) {
        *self.n_saved.borrow_mut() += 1;
        *self.kept.borrow_mut() = Some((key.to_owned(), image.to_vec()));
    }
}

#[test]
fn boot_with_makes_an_image_once_and_again_when_it_is_stale_or_damaged() {
    each_jdk(|home, image| {
        let store = MemoryStore::default();
        let boot = |options: Options| {
            let mut vm = Vm::boot_with(image.clone(), options, host().0, &store, "build").unwrap();
            properties(&mut vm)
        };
        let first = boot(options(home, "/x"));
        assert_eq!(*store.n_saved.borrow(), 1);
        assert_eq!(boot(options(home, "/x")), first);
        boot(options(home, "/y"));
        let base = Base::boot_with(&image, options(home, "/x"), host().0, &store, "build").unwrap();
        assert_eq!(properties(&mut base.machine(host().0).unwrap()), first);
        assert_eq!(*store.n_saved.borrow(), 1);
        boot(Options { seed: 2, ..options(home, "/x") });
        assert_eq!(*store.n_saved.borrow(), 2);
        // The image of another seed lies in the store.
        assert_eq!(boot(options(home, "/x")), first);
        assert_eq!(*store.n_saved.borrow(), 3);
        for at in [0, 100, 5000, 100_000] {
            store.kept.borrow_mut().as_mut().unwrap().1[at] ^= 1;
            assert_eq!(boot(options(home, "/x")), first);
        }
        assert_eq!(*store.n_saved.borrow(), 7);
        store.kept.borrow_mut().as_mut().unwrap().1.truncate(1000);
        assert_eq!(boot(options(home, "/x")), first);
        assert_eq!(*store.n_saved.borrow(), 8);
        *store.kept.borrow_mut() = None;
        let base = Base::boot_with(&image, options(home, "/x"), host().0, &store, "build").unwrap();
        assert_eq!(properties(&mut base.machine(host().0).unwrap()), first);
        assert_eq!(*store.n_saved.borrow(), 9);
        assert_eq!(boot(options(home, "/x")), first);
        assert_eq!(*store.n_saved.borrow(), 9);
    });
}
