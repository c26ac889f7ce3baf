//! Boots the real JDKs in a world that does not exist and travels in time with what lies outside
//! of the object heap.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::sync::Arc;

use classfile::JImage;
use testkit::jdk::Jdk;
use testkit::{compile, fixture, jdk, root};
use vm::host::fixed::{FixedHost, Output};
use vm::host::{Failure, OpenHow, errno};
use vm::launch::Ended;
use vm::vm::{Options, Vm};
use vm::zlib::inflate::{Inflater, Status};
use vm::zlib::streams::Stream;

/// A booted machine for each JDK, and where its output goes.
fn machines() -> Vec<(Vm, Output)> {
    let jdks = jdk::installed();
    assert_eq!(jdks.len(), 2, "needs JDK 17 and JDK 25");
    let boot = |jdk: Jdk| {
        let image = Arc::new(JImage::open(&jdk.home.join("lib/modules")).unwrap());
        let options = Options {
            java_home: "/jdk".to_owned(),
            class_path: "/classes".to_owned(),
            properties: Vec::new(),
            heap_limit: 256 << 20,
            seed: 1,
            assertions: false,
        };
        let mut host = FixedHost::new();
        let (class, settings) = (hello(&jdk), jdk.home.join("conf/security/java.security"));
        host.add_file("/classes/Hello.class", class);
        host.add_file("/jdk/conf/security/java.security", fs::read(settings).unwrap());
        let output = host.output();
        (Vm::boot(image, options, Box::new(host)).unwrap(), output)
    };
    jdks.into_iter().map(boot).collect()
}

/// The class file of `fixtures/vm/hello/Hello.java`.
fn hello(jdk: &Jdk) -> Vec<u8> {
    let fixtures = fixture::discover(&root::repository().join("fixtures/vm")).unwrap();
    let members: Vec<_> = fixtures.iter().filter(|fixture| fixture.group == "hello").collect();
    let cache = compile::cache(&root::target(), jdk).join("boot");
    fs::create_dir_all(&cache).unwrap();
    // Tests run at once; the first one compiles.
    let lock = fs::File::create(cache.join("lock")).unwrap();
    lock.lock().unwrap();
    fs::read(compile::group(&cache, jdk, &members).unwrap().join("Hello.class")).unwrap()
}

#[test]
fn a_program_runs_in_a_world_of_two_files() {
    for (mut vm, output) in machines() {
        let ended = vm.run_program("Hello", &[]);
        let errors = String::from_utf8_lossy(&output.stderr()).into_owned();
        assert_eq!(ended, Ended::Exit(0), "{errors}");
        assert_eq!(output.stdout(), b"Hello, world\n");
        assert_eq!(errors, "");
    }
}

#[test]
fn open_files_travel_in_time() {
    for (mut vm, _) in machines() {
        let how = OpenHow { read: true, ..OpenHow::default() };
        let kept = vm.open_file(b"/dev/urandom", how).unwrap();
        let mut first = [0; 8];
        let mark = vm.mark();
        assert_eq!(vm.read_file(kept, &mut first), Ok(8));
        let new = vm.open_file(b"/dev/null", how).unwrap();
        assert_ne!(new, kept);
        vm.close_file(kept).unwrap();
        vm.rollback(mark);
        assert_eq!(vm.file_metadata(new), Err(Failure::Os(errno::EBADF)));
        let mut again = [0; 8];
        assert_eq!(vm.read_file(kept, &mut again), Ok(8));
        assert_eq!(first, again);
    }
}

#[test]
fn compression_streams_and_raw_memory_travel_in_time() {
    // "hello", compressed with zlib.
    let packed = [0x78, 0x9c, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x06, 0x2c, 0x02, 0x15];
    for (mut vm, _) in machines() {
        let handle = vm.add_stream(Stream::Inflate(Inflater::new(false)));
        let inflate = |vm: &mut Vm, input: &[u8]| {
            let Some(Stream::Inflate(inflater)) = vm.stream(handle) else { panic!("no stream") };
            let mut output = [0; 10];
            let progress = inflater.inflate(input, &mut output);
            (String::from_utf8_lossy(&output[..progress.produced]).into_owned(), progress.status)
        };
        let start = inflate(&mut vm, &packed[..5]);
        let address = vm.heap.raw_allocate(16).unwrap();
        assert!(vm.heap.raw_store(address, b"before"));
        let mark = vm.mark();
        let rest = inflate(&mut vm, &packed[5..]);
        assert_eq!((start.0 + &rest.0, rest.1), ("hello".to_owned(), Status::Finished));
        vm.drop_stream(handle);
        assert!(vm.heap.raw_store(address, b"behind"));
        let newer = vm.heap.raw_allocate(16).unwrap();
        vm.heap.raw_free(address);
        vm.rollback(mark);
        assert_eq!(inflate(&mut vm, &packed[5..]), rest);
        assert_eq!(vm.heap.raw_bytes(address, 6), Some(&b"before"[..]));
        assert_eq!(vm.heap.raw_allocate(16), Some(newer));
    }
}
