//! A booted machine that may read a class path on the disk, and nothing else.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::Arc;

use classfile::JImage;
use testkit::jdk::Jdk;
use vm::host::fixed::{FixedHost, Output};
use vm::host::guard::{Guard, Policy};
use vm::host::scratch::Scratch;
use vm::host::{
    Change, Failure, Handle, Host, HostResult, Links, Metadata, OpenHow, Platform, Right, Space,
    errno,
};
use vm::vm::{Options, Vm};

/// A machine with this class path, and what programs write on it.
pub(crate) fn boot(jdk: &Jdk, class_path: &str) -> (Vm, Output) {
    let image = Arc::new(JImage::open(&jdk.home.join("lib/modules")).unwrap());
    let options = Options {
        java_home: jdk.home.display().to_string(),
        class_path: class_path.to_owned(),
        properties: Vec::new(),
        heap_limit: 512 << 20,
        seed: 1,
        assertions: true,
    };
    let (host, output) = host(jdk, class_path);
    (Vm::boot(image, options, host).unwrap(), output)
}

/// What a machine with this class path may reach, and what programs write there.
pub(crate) fn host(jdk: &Jdk, class_path: &str) -> (Box<dyn Host>, Output) {
    let fixed = FixedHost::new();
    let output = fixed.output();
    let disk = Disk { fixed, files: BTreeMap::new() };
    let mut read = vec![jdk.home.as_os_str().as_bytes().to_vec(), b"/etc/java-17-openjdk".to_vec()];
    read.extend(class_path.split(':').map(|entry| entry.as_bytes().to_vec()));
    let host = Scratch::new(Guard::new(disk, Policy { read, ..Policy::default() }));
    (Box::new(host), output)
}

/// The files of this computer, to be read; everything else is fixed.
struct Disk {
    fixed: FixedHost,
    files: BTreeMap<Handle, File>,
}

fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

fn failure(error: std::io::Error) -> Failure {
    Failure::Os(if error.kind() == ErrorKind::NotFound { errno::ENOENT } else { errno::EACCES })
}

fn metadata_of(from: &fs::Metadata) -> Metadata {
    let nanos = i128::from(from.mtime()) * 1_000_000_000;
    Metadata {
        mode: from.mode(),
        inode: from.ino(),
        device: from.dev(),
        links: from.nlink(),
        size: from.size(),
        modified: nanos,
        accessed: nanos,
        changed: nanos,
        ..Metadata::default()
    }
}

impl Host for Disk {
    fn epoch_nanos(&mut self) -> i128 {
        self.fixed.epoch_nanos()
    }
    fn nano_time(&mut self) -> Option<i64> {
        None
    }
    fn sleep(&mut self, _: i64) {}
    fn platform(&mut self) -> Platform {
        self.fixed.platform()
    }
    fn environment(&mut self) -> HostResult<Vec<(Vec<u8>, Vec<u8>)>> {
        self.fixed.environment()
    }
    fn open(&mut self, name: &[u8], how: OpenHow) -> HostResult<Handle> {
        if how.write || how.create {
            return self.fixed.open(name, how);
        }
        let file = File::open(path(name)).map_err(failure)?;
        let number = self.files.keys().last().map_or(Handle::STDERR.0 + 1, |last| last.0 + 1);
        self.files.insert(Handle(number), file);
        Ok(Handle(number))
    }
    fn close(&mut self, file: Handle) -> HostResult<()> {
        self.files.remove(&file);
        Ok(())
    }
    fn read(&mut self, file: Handle, at: Option<u64>, buffer: &mut [u8]) -> HostResult<usize> {
        match self.files.get(&file) {
            Some(open) => open.read_at(buffer, at.unwrap_or(0)).map_err(failure),
            None => self.fixed.read(file, at, buffer),
        }
    }
    fn write(&mut self, file: Handle, at: Option<u64>, bytes: &[u8]) -> HostResult<usize> {
        self.fixed.write(file, at, bytes)
    }
    fn available(&mut self, file: Handle) -> HostResult<u64> {
        self.fixed.available(file)
    }
    fn set_size(&mut self, file: Handle, size: u64) -> HostResult<()> {
        self.fixed.set_size(file, size)
    }
    fn sync(&mut self, file: Handle) -> HostResult<()> {
        self.fixed.sync(file)
    }
    fn is_terminal(&mut self, _: Handle) -> bool {
        false
    }
    fn handle_metadata(&mut self, file: Handle) -> HostResult<Metadata> {
        match self.files.get(&file) {
            Some(open) => open.metadata().map(|found| metadata_of(&found)).map_err(failure),
            None => self.fixed.handle_metadata(file),
        }
    }
    fn metadata(&mut self, name: &[u8], links: Links) -> HostResult<Metadata> {
        let found = match links {
            Links::Follow => fs::metadata(path(name)),
            Links::Keep => fs::symlink_metadata(path(name)),
        };
        found.map(|found| metadata_of(&found)).map_err(failure)
    }
    fn access(&mut self, name: &[u8], _: i32) -> HostResult<()> {
        fs::metadata(path(name)).map(|_| ()).map_err(failure)
    }
    fn list(&mut self, name: &[u8]) -> HostResult<Vec<Vec<u8>>> {
        let entries = fs::read_dir(path(name)).map_err(failure)?;
        let mut names: Vec<Vec<u8>> =
            entries.flatten().map(|entry| entry.file_name().into_vec()).collect();
        names.sort();
        Ok(names)
    }
    fn real_path(&mut self, name: &[u8]) -> HostResult<Vec<u8>> {
        fs::canonicalize(path(name)).map(|real| real.into_os_string().into_vec()).map_err(failure)
    }
    fn read_link(&mut self, name: &[u8]) -> HostResult<Vec<u8>> {
        fs::read_link(path(name)).map(|target| target.into_os_string().into_vec()).map_err(failure)
    }
    fn space(&mut self, name: &[u8]) -> HostResult<Space> {
        self.fixed.space(name)
    }
    fn owner_name(&mut self, id: u32, is_group: bool) -> HostResult<Vec<u8>> {
        self.fixed.owner_name(id, is_group)
    }
    fn owner_number(&mut self, name: &[u8], is_group: bool) -> HostResult<u32> {
        self.fixed.owner_number(name, is_group)
    }
    fn change(&mut self, change: Change<'_>) -> HostResult<()> {
        self.fixed.change(change)
    }
    fn ask(&mut self, right: Right) -> HostResult<()> {
        self.fixed.ask(right)
    }
}
