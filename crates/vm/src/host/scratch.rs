//! A temporary folder in memory, laid over the one of the host behind, so that programs which need a
//! place for files find an empty one and leave nothing on the disk.
//!
//! What the user granted goes to the host behind as ever. Only where that host denies something
//! below the temporary folder does this one answer; so whatever lies there really and was not granted
//! does not exist for the program. Rollbacks leave it alone; whoever tries something asks to keep it first.

mod tree;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::network::Network;
use super::program::{Process, Program, Started, Stream};
use super::{
    Asked, Change, Failure, FixedClock, Handle, Host, HostResult, Links, Metadata, OpenHow,
    Platform, Right, Space, errno,
};
use tree::{Inode, Place, Tree};

/// Handles from this number on are ours.
const FIRST_HANDLE: u32 = 1 << 31;
/// What the folder may hold.
const MOST_BYTES: u64 = 256 << 20;

/// What is in the folder, and what is open of it.
#[derive(Debug, Clone)]
struct Files {
    /// Shared with what is kept until it changes.
    tree: Arc<Tree>,
    open: BTreeMap<Handle, Inode>,
    next: u32,
    /// Whether anything was opened or changed.
    is_touched: bool,
}

impl Files {
    fn new(platform: &Platform) -> Files {
        Files {
            tree: Arc::new(Tree::new(platform.temporary_dir.as_bytes(), platform.ids)),
            open: BTreeMap::new(),
            next: FIRST_HANDLE,
            is_touched: false,
        }
    }
}

/// See the module text.
pub struct Scratch<H> {
    inner: H,
    files: Files,
    /// What `restore_files` comes back to, the last one last.
    kept: Vec<Files>,
    /// What was asked of the files in memory, and what the host behind denied before they answered.
    asked: Asked,
    answered: Asked,
}

impl<H: Host> Scratch<H> {
    /// Lays an empty temporary folder over that of a host.
    pub fn new(mut inner: H) -> Scratch<H> {
        let files = Files::new(&inner.platform());
        Scratch {
            inner,
            files,
            kept: Vec::new(),
            asked: Asked::default(),
            answered: Asked::default(),
        }
    }

    /// An absolute path without `.`; `..` stays, since links may stand before it.
    fn absolute(&mut self, path: &[u8]) -> Vec<u8> {
        if path.starts_with(b"/") {
            return path.to_vec();
        }
        let mut whole = self.inner.platform().user_dir.into_bytes();
        whole.push(b'/');
        whole.extend_from_slice(path);
        whole
    }

    /// Asks the tree first where it has something below its root at this path, else the host behind,
    /// and the tree again where that one denies what could be in the tree.
    fn answer<T>(
        &mut self,
        path: &[u8],
        links: Links,
        ours: impl Fn(&mut Tree, &Place) -> HostResult<T>,
        theirs: impl Fn(&mut H) -> HostResult<T>,
    ) -> HostResult<T> {
        let absolute = self.absolute(path);
        let place = self.files.tree.find(&absolute, links);
        if let Some(place) = &place
            && self.files.tree.owns(place)
        {
            self.asked.looks += 1;
            return ours(self.tree(), place);
        }
        let before = self.inner.asked();
        let answer = theirs(&mut self.inner);
        let (Err(Failure::Denied(_)), Some(place)) = (&answer, place) else { return answer };
        // Something in this folder was granted, so it is a real one and the denial stands.
        if let Some(folder) = &place.doubtful
            && self.inner.metadata(folder, Links::Follow).is_ok()
        {
            return answer;
        }
        let after = self.inner.asked();
        self.answered.looks += after.looks - before.looks;
        self.answered.denied += after.denied - before.denied;
        self.asked.looks += 1;
        ours(self.tree(), &place)
    }

    /// The files, to be changed.
    fn tree(&mut self) -> &mut Tree {
        Arc::make_mut(&mut self.files.tree)
    }

    fn our_file(&self, file: Handle) -> HostResult<Inode> {
        self.files.open.get(&file).copied().ok_or(Failure::Os(errno::EBADF))
    }

    fn is_ours(file: Handle) -> bool {
        file.0 >= FIRST_HANDLE
    }

    fn now(&mut self) {
        let now = self.inner.epoch_nanos();
        self.tree().now = now;
    }

    /// A change with two paths must not cross from the tree to the disk.
    fn change_two(&mut self, from: &[u8], to: &[u8], change: Change<'_>) -> HostResult<()> {
        let (from_path, to_path) = (self.absolute(from), self.absolute(to));
        let from = self.files.tree.find(&from_path, Links::Keep);
        let to = self.files.tree.find(&to_path, Links::Keep);
        let Some(from) = from.filter(|place| self.files.tree.owns(place)) else {
            return self.inner.change(change);
        };
        let Some(to) = to else { return Err(Failure::Os(errno::EXDEV)) };
        self.asked.scratch += 1;
        match change {
            Change::Rename { .. } => self.tree().rename(&from, &to),
            _ => self.tree().hard_link(&from, &to),
        }
    }
}

impl<H: Host> Host for Scratch<H> {
    fn epoch_nanos(&mut self) -> i128 {
        self.inner.epoch_nanos()
    }

    fn nano_time(&mut self) -> Option<i64> {
        self.inner.nano_time()
    }

    fn fixed_clock(&self) -> FixedClock {
        self.inner.fixed_clock()
    }

    fn sleep(&mut self, nanos: i64) {
        self.inner.sleep(nanos);
    }

    fn platform(&mut self) -> Platform {
        self.inner.platform()
    }

    fn environment(&mut self) -> HostResult<Vec<(Vec<u8>, Vec<u8>)>> {
        self.inner.environment()
    }

    fn open(&mut self, path: &[u8], how: OpenHow) -> HostResult<Handle> {
        self.now();
        let links = if how.no_follow { Links::Keep } else { Links::Follow };
        enum Opened {
            Ours(Inode),
            Theirs(Handle),
        }
        let opened = self.answer(
            path,
            links,
            |tree, place| tree.open(place, how).map(Opened::Ours),
            |inner| inner.open(path, how).map(Opened::Theirs),
        )?;
        match opened {
            Opened::Theirs(handle) => Ok(handle),
            Opened::Ours(inode) => {
                let handle = Handle(self.files.next);
                self.files.next += 1;
                self.files.is_touched = true;
                self.asked.scratch += u64::from(how.write || how.create || how.truncate);
                self.tree().hold(inode);
                self.files.open.insert(handle, inode);
                Ok(handle)
            }
        }
    }

    fn close(&mut self, file: Handle) -> HostResult<()> {
        if !Self::is_ours(file) {
            return self.inner.close(file);
        }
        let inode = self.our_file(file)?;
        self.files.open.remove(&file);
        self.tree().release(inode);
        Ok(())
    }

    fn read(&mut self, file: Handle, at: Option<u64>, buffer: &mut [u8]) -> HostResult<usize> {
        if !Self::is_ours(file) {
            return self.inner.read(file, at, buffer);
        }
        let inode = self.our_file(file)?;
        self.tree().read(inode, at.unwrap_or(0), buffer)
    }

    fn write(&mut self, file: Handle, at: Option<u64>, bytes: &[u8]) -> HostResult<usize> {
        if !Self::is_ours(file) {
            return self.inner.write(file, at, bytes);
        }
        self.now();
        let inode = self.our_file(file)?;
        self.tree().write(inode, at, bytes)
    }

    fn available(&mut self, file: Handle) -> HostResult<u64> {
        if Self::is_ours(file) { Ok(0) } else { self.inner.available(file) }
    }

    fn set_size(&mut self, file: Handle, size: u64) -> HostResult<()> {
        if !Self::is_ours(file) {
            return self.inner.set_size(file, size);
        }
        self.now();
        let inode = self.our_file(file)?;
        self.tree().set_size(inode, size)
    }

    fn sync(&mut self, file: Handle) -> HostResult<()> {
        if Self::is_ours(file) { Ok(()) } else { self.inner.sync(file) }
    }

    fn is_terminal(&mut self, file: Handle) -> bool {
        !Self::is_ours(file) && self.inner.is_terminal(file)
    }

    fn handle_metadata(&mut self, file: Handle) -> HostResult<Metadata> {
        if !Self::is_ours(file) {
            return self.inner.handle_metadata(file);
        }
        let inode = self.our_file(file)?;
        Ok(self.files.tree.metadata(inode))
    }

    fn metadata(&mut self, path: &[u8], links: Links) -> HostResult<Metadata> {
        let ours =
            |tree: &mut Tree, place: &Place| tree.existing(place).map(|inode| tree.metadata(inode));
        self.answer(path, links, ours, |inner| inner.metadata(path, links))
    }

    fn access(&mut self, path: &[u8], mode: i32) -> HostResult<()> {
        let ours = |tree: &mut Tree, place: &Place| tree.access(place, mode);
        self.answer(path, Links::Follow, ours, |inner| inner.access(path, mode))
    }

    fn list(&mut self, path: &[u8]) -> HostResult<Vec<Vec<u8>>> {
        self.answer(path, Links::Follow, |tree, place| tree.list(place), |inner| inner.list(path))
    }

    fn real_path(&mut self, path: &[u8]) -> HostResult<Vec<u8>> {
        let ours =
            |tree: &mut Tree, place: &Place| tree.existing(place).map(|_| place.path.clone());
        self.answer(path, Links::Follow, ours, |inner| inner.real_path(path))
    }

    fn read_link(&mut self, path: &[u8]) -> HostResult<Vec<u8>> {
        self.answer(
            path,
            Links::Keep,
            |tree, place| tree.read_link(place),
            |inner| inner.read_link(path),
        )
    }

    fn space(&mut self, path: &[u8]) -> HostResult<Space> {
        let ours = |tree: &mut Tree, place: &Place| {
            tree.existing(place)?;
            let free = MOST_BYTES - tree.n_bytes;
            Ok(Space { total: MOST_BYTES, free, usable: free })
        };
        self.answer(path, Links::Follow, ours, |inner| inner.space(path))
    }

    fn owner_name(&mut self, id: u32, is_group: bool) -> HostResult<Vec<u8>> {
        self.inner.owner_name(id, is_group)
    }

    fn owner_number(&mut self, name: &[u8], is_group: bool) -> HostResult<u32> {
        self.inner.owner_number(name, is_group)
    }

    fn change(&mut self, change: Change<'_>) -> HostResult<()> {
        self.now();
        self.files.is_touched = true;
        let (path, links) = match change {
            Change::Rename { from, to } => return self.change_two(from, to, change),
            Change::HardLink { existing, path } => return self.change_two(existing, path, change),
            Change::MakeDirectory { path, .. }
            | Change::RemoveDirectory { path }
            | Change::RemoveFile { path }
            | Change::SymbolicLink { path, .. } => (path, Links::Keep),
            Change::SetMode { path, .. }
            | Change::SetAttribute { path, .. }
            | Change::RemoveAttribute { path, .. } => (path, Links::Follow),
            Change::SetOwner { path, links, .. } | Change::SetTimes { path, links, .. } => {
                (path, links)
            }
        };
        let n_looks = self.asked.looks;
        let changed = self.answer(
            path,
            links,
            |tree, place| tree.change(place, change),
            |inner| inner.change(change),
        );
        self.asked.scratch += self.asked.looks - n_looks;
        changed
    }

    fn asked(&self) -> Asked {
        let behind = self.inner.asked();
        Asked {
            looks: behind.looks - self.answered.looks + self.asked.looks,
            denied: behind.denied - self.answered.denied,
            scratch: behind.scratch + self.asked.scratch,
        }
    }

    fn forget_files(&mut self) {
        if self.files.is_touched {
            self.files = Files::new(&self.inner.platform());
        }
    }

    fn keep_files(&mut self) {
        self.kept.push(self.files.clone());
    }

    fn restore_files(&mut self) {
        if let Some(files) = self.kept.pop() {
            self.files = files;
        }
    }

    fn start(&mut self, program: &Program) -> HostResult<Started> {
        // Other programs cannot see files in memory.
        let is_ours =
            |stream: &Stream| matches!(stream, Stream::File(file) if Self::is_ours(*file));
        if program.streams.iter().any(is_ours) {
            return Err(Failure::Os(errno::EINVAL));
        }
        self.inner.start(program)
    }

    fn ended(&mut self, process: u32) -> HostResult<Option<i32>> {
        self.inner.ended(process)
    }

    fn end(&mut self, process: u32, kill: bool) -> HostResult<()> {
        self.inner.end(process, kill)
    }

    fn processes(&mut self) -> Vec<Process> {
        self.inner.processes()
    }

    fn process(&mut self, id: u32) -> Option<Process> {
        self.inner.process(id)
    }

    fn attribute_names(&mut self, path: &[u8]) -> HostResult<Vec<Vec<u8>>> {
        let ours = |tree: &mut Tree, place: &Place| tree.attribute_names(place);
        self.answer(path, Links::Follow, ours, |inner| inner.attribute_names(path))
    }

    fn attribute(&mut self, path: &[u8], name: &[u8]) -> HostResult<Vec<u8>> {
        let ours = |tree: &mut Tree, place: &Place| tree.attribute(place, name);
        self.answer(path, Links::Follow, ours, |inner| inner.attribute(path, name))
    }

    fn watcher(&mut self) -> HostResult<Handle> {
        self.inner.watcher()
    }

    /// Files in memory cannot be watched.
    fn watch(&mut self, watcher: Handle, path: &[u8], mask: u32) -> HostResult<i32> {
        self.answer(
            path,
            Links::Follow,
            |_, _| Err(Failure::Os(errno::ENOSYS)),
            |inner| inner.watch(watcher, path, mask),
        )
    }

    fn unwatch(&mut self, watcher: Handle, number: i32) -> HostResult<()> {
        self.inner.unwatch(watcher, number)
    }

    fn network(&mut self) -> HostResult<&mut dyn Network> {
        self.inner.network()
    }

    fn has_ipv6(&mut self) -> bool {
        self.inner.has_ipv6()
    }

    fn may_write(&mut self, path: &[u8]) -> HostResult<()> {
        self.inner.may_write(path)
    }

    fn must_wait(&mut self, file: Handle) -> bool {
        !Self::is_ours(file) && self.inner.must_wait(file)
    }

    fn ask(&mut self, right: Right) -> HostResult<()> {
        self.inner.ask(right)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::host::Denial;
    use crate::host::fixed::FixedHost;
    use crate::host::guard::{Guard, Policy};

    fn host() -> Scratch<Guard<FixedHost>> {
        Scratch::new(Guard::new(FixedHost::new(), Policy::default()))
    }

    const CREATE: OpenHow = OpenHow {
        read: true,
        write: true,
        append: false,
        create: true,
        exclusive: true,
        truncate: false,
        no_follow: false,
        mode: 0o644,
    };

    #[test]
    fn a_file_keeps_its_attributes_until_it_is_gone() {
        let mut host = host();
        let path: &[u8] = b"/tmp/f";
        let file = host.open(path, CREATE).unwrap();
        host.close(file).unwrap();
        let set = |name, value| Change::SetAttribute { path, name, value };
        host.change(set(b"user.a", b"one")).unwrap();
        host.change(set(b"user.a", b"three")).unwrap();
        host.change(set(b"user.b", b"")).unwrap();
        assert_eq!(host.attribute_names(path).unwrap(), [b"user.a", b"user.b"]);
        assert_eq!(host.attribute(path, b"user.a").unwrap(), b"three");
        assert_eq!(host.change(set(b"system.a", b"")), Err(Failure::Os(errno::ENOTSUP)));
        let remove = Change::RemoveAttribute { path, name: b"user.b" };
        host.change(remove).unwrap();
        assert_eq!(host.change(remove), Err(Failure::Os(errno::ENODATA)));
        assert_eq!(host.attribute(path, b"user.b"), Err(Failure::Os(errno::ENODATA)));
        assert_eq!(host.space(path).unwrap().free, MOST_BYTES - 5);
        host.change(Change::RemoveFile { path }).unwrap();
        assert_eq!(host.space(b"/tmp").unwrap().free, MOST_BYTES);
    }

    #[test]
    fn a_file_keeps_what_was_written() {
        let mut host = host();
        host.change(Change::MakeDirectory { path: b"/tmp/a", mode: 0o700 }).unwrap();
        let file = host.open(b"/tmp/a/f", CREATE).unwrap();
        assert_eq!(host.write(file, Some(2), b"xyz"), Ok(3));
        assert_eq!(host.metadata(b"/tmp/a/../a/./f", Links::Follow).unwrap().size, 5);
        let mut buffer = [9; 8];
        assert_eq!(host.read(file, Some(1), &mut buffer), Ok(4));
        assert_eq!(&buffer[..4], b"\0xyz");
        assert_eq!(host.list(b"/tmp"), Ok(vec![b"a".to_vec()]));
        let exists = host.open(b"/tmp/a/f", CREATE);
        assert_eq!(exists, Err(Failure::Os(errno::EEXIST)));
    }

    #[test]
    fn files_that_were_kept_come_back_as_they_were_with_what_was_open() {
        let mut host = host();
        let file = host.open(b"/tmp/f", CREATE).unwrap();
        assert_eq!(host.write(file, None, b"xyz"), Ok(3));
        host.keep_files();
        assert_eq!(host.write(file, Some(0), b"abcd"), Ok(4));
        let other = host.open(b"/tmp/g", CREATE).unwrap();
        host.close(file).unwrap();
        host.keep_files();
        host.close(other).unwrap();
        host.restore_files();
        assert_eq!(host.write(other, Some(0), b"1"), Ok(1));
        host.restore_files();
        assert_eq!(host.list(b"/tmp"), Ok(vec![b"f".to_vec()]));
        let mut buffer = [9; 8];
        assert_eq!(host.read(file, Some(0), &mut buffer), Ok(3));
        assert_eq!(&buffer[..3], b"xyz");
        assert_eq!(host.open(b"/tmp/g", CREATE), Ok(other));
    }

    #[test]
    fn what_is_forgotten_is_gone_and_can_be_made_again() {
        let mut host = host();
        let file = host.open(b"/tmp/f", CREATE).unwrap();
        assert_eq!(host.write(file, None, b"xyz"), Ok(3));
        host.forget_files();
        assert_eq!(host.list(b"/tmp"), Ok(vec![]));
        assert_eq!(host.open(b"/tmp/f", CREATE), Ok(file));
        assert_eq!(host.metadata(b"/tmp/f", Links::Follow).unwrap().size, 0);
    }

    #[test]
    fn files_in_memory_and_denials_are_told_apart_where_they_are_counted() {
        let mut host = host();
        assert_eq!(host.asked(), Asked::default());
        assert!(host.metadata(b"/tmp/nothing", Links::Follow).is_err());
        assert_eq!(host.asked(), Asked { looks: 1, denied: 0, scratch: 0 });
        host.open(b"/tmp/f", CREATE).unwrap();
        host.change(Change::RemoveFile { path: b"/tmp/f" }).unwrap();
        assert_eq!(host.asked(), Asked { looks: 3, denied: 0, scratch: 2 });
        assert!(host.change(Change::RemoveFile { path: b"/etc/f" }).is_err());
        assert_eq!(host.asked(), Asked { looks: 3, denied: 1, scratch: 2 });
    }

    #[test]
    fn what_is_not_in_the_temporary_folder_stays_denied() {
        let mut host = host();
        assert!(matches!(host.open(b"/etc/f", CREATE), Err(Failure::Denied(Denial { .. }))));
        let missing = host.metadata(b"/tmp/nothing", Links::Follow);
        assert_eq!(missing, Err(Failure::Os(errno::ENOENT)));
        assert_eq!(host.open(b"/tmp/nothing/f", CREATE), Err(Failure::Os(errno::ENOENT)));
    }

    #[test]
    fn links_are_followed_and_a_removed_file_lives_while_it_is_open() {
        let mut host = host();
        let file = host.open(b"/tmp/f", CREATE).unwrap();
        host.write(file, Some(0), b"content").unwrap();
        host.change(Change::SymbolicLink { target: b"f", path: b"/tmp/l" }).unwrap();
        assert_eq!(host.real_path(b"/tmp/l"), Ok(b"/tmp/f".to_vec()));
        assert_eq!(host.read_link(b"/tmp/l"), Ok(b"f".to_vec()));
        host.change(Change::HardLink { existing: b"/tmp/f", path: b"/tmp/g" }).unwrap();
        assert_eq!(host.handle_metadata(file).unwrap().links, 2);
        host.change(Change::RemoveFile { path: b"/tmp/f" }).unwrap();
        host.change(Change::RemoveFile { path: b"/tmp/g" }).unwrap();
        assert_eq!(host.handle_metadata(file).unwrap().size, 7);
        assert_eq!(host.metadata(b"/tmp/l", Links::Follow), Err(Failure::Os(errno::ENOENT)));
        host.close(file).unwrap();
        assert_eq!(host.space(b"/tmp").unwrap().free, MOST_BYTES);
    }

    #[test]
    fn a_folder_is_renamed_with_what_is_in_it_but_not_into_itself() {
        let mut host = host();
        host.change(Change::MakeDirectory { path: b"/tmp/a", mode: 0o755 }).unwrap();
        host.open(b"/tmp/a/f", CREATE).unwrap();
        let into_itself = host.change(Change::Rename { from: b"/tmp/a", to: b"/tmp/a/b" });
        assert_eq!(into_itself, Err(Failure::Os(errno::EINVAL)));
        host.change(Change::Rename { from: b"/tmp/a", to: b"/tmp/b" }).unwrap();
        assert_eq!(host.list(b"/tmp/b"), Ok(vec![b"f".to_vec()]));
        let not_empty = host.change(Change::RemoveDirectory { path: b"/tmp/b" });
        assert_eq!(not_empty, Err(Failure::Os(errno::ENOTEMPTY)));
    }

    #[test]
    fn permissions_are_those_of_the_owner() {
        let mut host = host();
        host.open(b"/tmp/f", CREATE).unwrap();
        host.change(Change::SetMode { path: b"/tmp/f", mode: 0o400 }).unwrap();
        assert_eq!(host.access(b"/tmp/f", 4), Ok(()));
        assert_eq!(host.access(b"/tmp/f", 2), Err(Failure::Os(errno::EACCES)));
        let write = OpenHow { write: true, ..OpenHow::default() };
        assert_eq!(host.open(b"/tmp/f", write), Err(Failure::Os(errno::EACCES)));
    }
}
