//! The folders and files of a temporary folder in memory, with the errors that POSIX gives.

use std::collections::BTreeMap;

use super::MOST_BYTES;
use crate::host::{Change, Failure, HostResult, Links, Metadata, OpenHow, errno};

/// More links in one path than any honest one has.
const MOST_LINKS: u32 = 40;
/// Device number that no disk has.
const DEVICE: u64 = 0x6e70;

/// A folder, file or link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Inode(usize);

const ROOT: Inode = Inode(0);

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The folder that holds it, and the name there; `None` for the root.
    parent: Option<(Inode, Vec<u8>)>,
    /// What is there.
    inode: Option<Inode>,
    /// The path without links and dots.
    pub(super) path: Vec<u8>,
    error: Option<i32>,
    /// A folder directly below the root on the way that the tree does not have: the disk may.
    pub(super) doubtful: Option<Vec<u8>>,
}

#[derive(Debug, Clone)]
struct Entry {
    content: Content,
    mode: u32,
    owner: (u32, u32),
    links: u64,
    n_open: u32,
    accessed: i128,
    modified: i128,
    changed: i128,
    created: i128,
    /// Extended attributes.
    attributes: BTreeMap<Vec<u8>, Vec<u8>>,
}

#[derive(Debug, Clone)]
enum Content {
    Folder(BTreeMap<Vec<u8>, Inode>),
    File(Vec<u8>),
    Link(Vec<u8>),
}

/// The whole of it.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    /// Path of the root, without a slash at its end.
    mount: Vec<u8>,
    entries: Vec<Option<Entry>>,
    owner: (u32, u32),
    /// The time that changes are given.
    pub(super) now: i128,
    /// Bytes in files.
    pub(super) n_bytes: u64,
}

fn os<T>(number: i32) -> HostResult<T> {
    Err(Failure::Os(number))
}

impl Tree {
    pub(super) fn new(mount: &[u8], owner: (u32, u32)) -> Tree {
        let mount = mount.strip_suffix(b"/").unwrap_or(mount).to_vec();
        let mut tree = Tree { mount, entries: Vec::new(), owner, now: 0, n_bytes: 0 };
        tree.add(Content::Folder(BTreeMap::new()), 0o777);
        tree
    }

    /// Where an absolute path leads; `None` where that is outside the tree.
    pub(super) fn find(&self, path: &[u8], links: Links) -> Option<Place> {
        let mut todo: Vec<Vec<u8>> = split(path);
        todo.reverse();
        let mut n_links = 0;
        // Outside the tree only the names count; links there are the other host's.
        let mut done: Vec<Vec<u8>> = Vec::new();
        let mount = split(&self.mount);
        let mut current: Vec<Inode> = Vec::new();
        while let Some(name) = todo.pop() {
            if name == b".." {
                done.pop();
                current.pop();
                continue;
            }
            done.push(name.clone());
            if current.is_empty() {
                if done == mount {
                    current.push(ROOT);
                }
                continue;
            }
            let folder = *current.last()?;
            let place = |inode, error| {
                let (parent, path) = (Some((folder, name.clone())), join(&done));
                Some(Place { parent, inode, path, error, doubtful: None })
            };
            let Content::Folder(children) = &self.entry(folder).content else {
                return place(None, Some(errno::ENOTDIR));
            };
            let Some(&child) = children.get(&name) else {
                if todo.is_empty() {
                    return place(None, None);
                }
                let doubtful = (folder == ROOT).then(|| join(&done));
                return place(None, Some(errno::ENOENT)).map(|place| Place { doubtful, ..place });
            };
            match &self.entry(child).content {
                Content::Link(target) if !todo.is_empty() || links == Links::Follow => {
                    n_links += 1;
                    if n_links > MOST_LINKS {
                        return place(None, Some(errno::ELOOP));
                    }
                    done.pop();
                    if target.starts_with(b"/") {
                        done.clear();
                        current.clear();
                    }
                    todo.extend(split(target).into_iter().rev());
                }
                _ if todo.is_empty() => return place(Some(child), None),
                Content::File(_) => return place(None, Some(errno::ENOTDIR)),
                _ => current.push(child),
            }
        }
        let inode = *current.last()?;
        let parent =
            current.len().checked_sub(2).map(|at| (current[at], done[done.len() - 1].clone()));
        Some(Place { parent, inode: Some(inode), path: join(&done), error: None, doubtful: None })
    }

    /// Whether a place is certainly ours: something below the root, or a way that it blocks.
    pub(super) fn owns(&self, place: &Place) -> bool {
        place.inode.is_some_and(|inode| inode != ROOT)
            || (place.error.is_some() && place.doubtful.is_none())
    }

    /// What is at a place.
    pub(super) fn existing(&self, place: &Place) -> HostResult<Inode> {
        if let Some(error) = place.error {
            return os(error);
        }
        place.inode.ok_or(Failure::Os(errno::ENOENT))
    }

    pub(super) fn open(&mut self, place: &Place, how: OpenHow) -> HostResult<Inode> {
        if place.error.is_none() && place.inode.is_none() && how.create {
            return self.create(place, Content::File(Vec::new()), how.mode);
        }
        let inode = self.existing(place)?;
        if how.create && how.exclusive {
            return os(errno::EEXIST);
        }
        let wanted = u32::from(how.read) * 4 + u32::from(how.write) * 2;
        match &self.entry(inode).content {
            Content::Link(_) => return os(errno::ELOOP),
            Content::Folder(_) if how.write => return os(errno::EISDIR),
            _ => {}
        }
        self.check_mode(inode, wanted)?;
        if how.truncate && how.write {
            self.set_size(inode, 0)?;
        }
        Ok(inode)
    }

    pub(super) fn hold(&mut self, inode: Inode) {
        self.entry_mut(inode).n_open += 1;
    }

    pub(super) fn release(&mut self, inode: Inode) {
        self.entry_mut(inode).n_open -= 1;
        self.drop_unused(inode);
    }

    pub(super) fn read(&mut self, inode: Inode, at: u64, buffer: &mut [u8]) -> HostResult<usize> {
        let Content::File(bytes) = &self.entry(inode).content else { return os(errno::EISDIR) };
        let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    pub(super) fn write(
        &mut self,
        inode: Inode,
        at: Option<u64>,
        bytes: &[u8],
    ) -> HostResult<usize> {
        let Content::File(content) = &self.entry(inode).content else { return os(errno::EISDIR) };
        let at = at.unwrap_or(content.len() as u64);
        let end = at.saturating_add(bytes.len() as u64);
        if end > content.len() as u64 {
            self.set_size(inode, end)?;
        }
        let now = self.now;
        let entry = self.entry_mut(inode);
        (entry.modified, entry.changed) = (now, now);
        if let Content::File(content) = &mut entry.content
            && let Ok(at) = usize::try_from(at)
        {
            content[at..at + bytes.len()].copy_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    pub(super) fn set_size(&mut self, inode: Inode, size: u64) -> HostResult<()> {
        let Content::File(content) = &self.entry(inode).content else { return os(errno::EINVAL) };
        let others = self.n_bytes - content.len() as u64;
        if size > MOST_BYTES - others {
            return os(errno::ENOSPC);
        }
        self.n_bytes = others + size;
        let now = self.now;
        let entry = self.entry_mut(inode);
        (entry.modified, entry.changed) = (now, now);
        if let (Content::File(content), Ok(size)) = (&mut entry.content, usize::try_from(size)) {
            content.resize(size, 0);
        }
        Ok(())
    }

    pub(super) fn metadata(&self, inode: Inode) -> Metadata {
        let entry = self.entry(inode);
        let (kind, size) = match &entry.content {
            Content::Folder(_) => (Metadata::DIRECTORY, 4096),
            Content::File(bytes) => (Metadata::REGULAR, bytes.len() as u64),
            Content::Link(target) => (Metadata::LINK, target.len() as u64),
        };
        Metadata {
            mode: kind | entry.mode,
            inode: inode.0 as u64 + 2,
            device: DEVICE,
            special_device: 0,
            links: entry.links,
            user: entry.owner.0,
            group: entry.owner.1,
            size,
            accessed: entry.accessed,
            modified: entry.modified,
            changed: entry.changed,
            created: Some(entry.created),
        }
    }

    pub(super) fn access(&self, place: &Place, mode: i32) -> HostResult<()> {
        let inode = self.existing(place)?;
        self.check_mode(inode, mode.cast_unsigned() & 7)
    }

    pub(super) fn list(&self, place: &Place) -> HostResult<Vec<Vec<u8>>> {
        let inode = self.existing(place)?;
        self.check_mode(inode, 4)?;
        match &self.entry(inode).content {
            Content::Folder(children) => Ok(children.keys().cloned().collect()),
            _ => os(errno::ENOTDIR),
        }
    }

    pub(super) fn read_link(&self, place: &Place) -> HostResult<Vec<u8>> {
        let inode = self.existing(place)?;
        match &self.entry(inode).content {
            Content::Link(target) => Ok(target.clone()),
            _ => os(errno::EINVAL),
        }
    }

    pub(super) fn attribute_names(&self, place: &Place) -> HostResult<Vec<Vec<u8>>> {
        let inode = self.existing(place)?;
        Ok(self.entry(inode).attributes.keys().cloned().collect())
    }

    pub(super) fn attribute(&self, place: &Place, name: &[u8]) -> HostResult<Vec<u8>> {
        let inode = self.existing(place)?;
        let value = self.entry(inode).attributes.get(name);
        value.cloned().ok_or(Failure::Os(errno::ENODATA))
    }

    /// All changes of one path.
    pub(super) fn change(&mut self, place: &Place, change: Change<'_>) -> HostResult<()> {
        match change {
            Change::MakeDirectory { mode, .. } => {
                self.create(place, Content::Folder(BTreeMap::new()), mode).map(|_| ())
            }
            Change::SymbolicLink { target, .. } => {
                self.create(place, Content::Link(target.to_vec()), 0o777).map(|_| ())
            }
            Change::RemoveDirectory { .. } => {
                let inode = self.existing(place)?;
                match &self.entry(inode).content {
                    Content::Folder(children) if children.is_empty() => self.remove(place, inode),
                    Content::Folder(_) => os(errno::ENOTEMPTY),
                    _ => os(errno::ENOTDIR),
                }
            }
            Change::RemoveFile { .. } => {
                let inode = self.existing(place)?;
                match &self.entry(inode).content {
                    Content::Folder(_) => os(errno::EISDIR),
                    _ => self.remove(place, inode),
                }
            }
            Change::SetMode { mode, .. } => {
                let inode = self.existing(place)?;
                self.touch(inode).mode = mode & 0o7777;
                Ok(())
            }
            Change::SetOwner { user, group, .. } => {
                let inode = self.existing(place)?;
                let owner = self.entry(inode).owner;
                let same =
                    |wanted: i32, is: u32| u32::try_from(wanted).is_ok_and(|wanted| wanted != is);
                // Only a superuser gives files away.
                if same(user, owner.0) || same(group, owner.1) { os(errno::EPERM) } else { Ok(()) }
            }
            Change::SetTimes { accessed, modified, .. } => {
                let inode = self.existing(place)?;
                let entry = self.touch(inode);
                entry.accessed = accessed.unwrap_or(entry.accessed);
                entry.modified = modified.unwrap_or(entry.modified);
                Ok(())
            }
            Change::SetAttribute { name, value, .. } => {
                let inode = self.existing(place)?;
                // Other kinds are for the system and its superuser.
                if !name.starts_with(b"user.") {
                    return os(errno::ENOTSUP);
                }
                let old = self.entry(inode).attributes.get(name).map_or(0, Vec::len) as u64;
                let others = self.n_bytes - old;
                if value.len() as u64 > MOST_BYTES - others {
                    return os(errno::ENOSPC);
                }
                self.n_bytes = others + value.len() as u64;
                self.touch(inode).attributes.insert(name.to_vec(), value.to_vec());
                Ok(())
            }
            Change::RemoveAttribute { name, .. } => {
                let inode = self.existing(place)?;
                match self.touch(inode).attributes.remove(name) {
                    Some(value) => self.n_bytes -= value.len() as u64,
                    None => return os(errno::ENODATA),
                }
                Ok(())
            }
            Change::Rename { .. } | Change::HardLink { .. } => os(errno::EINVAL),
        }
    }

    pub(super) fn rename(&mut self, from: &Place, to: &Place) -> HostResult<()> {
        let inode = self.existing(from)?;
        if let Some(error) = to.error {
            return os(error);
        }
        if to.inode == Some(inode) {
            return Ok(());
        }
        let is_folder = matches!(self.entry(inode).content, Content::Folder(_));
        let mut below = from.path.clone();
        below.push(b'/');
        if is_folder && to.path.starts_with(&below) {
            return os(errno::EINVAL);
        }
        if let Some(old) = to.inode {
            match (&self.entry(old).content, is_folder) {
                (Content::Folder(children), true) if !children.is_empty() => {
                    return os(errno::ENOTEMPTY);
                }
                (Content::Folder(_), true) => {}
                (Content::Folder(_), false) => return os(errno::EISDIR),
                (_, true) => return os(errno::ENOTDIR),
                (_, false) => {}
            }
            self.remove(to, old)?;
        }
        let ((Some((old_folder, old_name)), Some((folder, name))), now) =
            ((&from.parent, &to.parent), self.now)
        else {
            return os(errno::EACCES);
        };
        self.children_mut(*old_folder)?.remove(old_name);
        self.children_mut(*folder)?.insert(name.clone(), inode);
        self.entry_mut(inode).changed = now;
        Ok(())
    }

    pub(super) fn hard_link(&mut self, existing: &Place, to: &Place) -> HostResult<()> {
        let inode = self.existing(existing)?;
        if matches!(self.entry(inode).content, Content::Folder(_)) {
            return os(errno::EPERM);
        }
        let Some((folder, name)) = self.free_slot(to)? else { return os(errno::EEXIST) };
        self.children_mut(folder)?.insert(name, inode);
        self.touch(inode).links += 1;
        Ok(())
    }

    fn create(&mut self, place: &Place, content: Content, mode: u32) -> HostResult<Inode> {
        let Some((folder, name)) = self.free_slot(place)? else { return os(errno::EEXIST) };
        let is_folder = matches!(content, Content::Folder(_));
        // The usual mask of a user.
        let inode = self.add(content, mode & 0o7777 & !0o022);
        let now = self.now;
        self.children_mut(folder)?.insert(name, inode);
        let folder = self.entry_mut(folder);
        (folder.modified, folder.changed) = (now, now);
        folder.links += u64::from(is_folder);
        Ok(inode)
    }

    /// The folder and name of a place where nothing is; `None` where something is.
    fn free_slot(&self, place: &Place) -> HostResult<Option<(Inode, Vec<u8>)>> {
        if let Some(error) = place.error {
            return os(error);
        }
        let (None, Some((folder, name))) = (place.inode, &place.parent) else { return Ok(None) };
        self.check_mode(*folder, 3)?;
        Ok(Some((*folder, name.clone())))
    }

    fn remove(&mut self, place: &Place, inode: Inode) -> HostResult<()> {
        let Some((folder, name)) = &place.parent else { return os(errno::EACCES) };
        self.check_mode(*folder, 3)?;
        let is_folder = matches!(self.entry(inode).content, Content::Folder(_));
        let now = self.now;
        self.children_mut(*folder)?.remove(name);
        let holder = self.entry_mut(*folder);
        (holder.modified, holder.changed) = (now, now);
        holder.links -= u64::from(is_folder);
        let entry = self.touch(inode);
        entry.links = if is_folder { 0 } else { entry.links - 1 };
        self.drop_unused(inode);
        Ok(())
    }

    fn drop_unused(&mut self, inode: Inode) {
        let entry = self.entry(inode);
        if entry.links > 0 || entry.n_open > 0 {
            return;
        }
        let in_attributes: usize = entry.attributes.values().map(Vec::len).sum();
        let in_content = if let Content::File(bytes) = &entry.content { bytes.len() } else { 0 };
        self.n_bytes -= (in_attributes + in_content) as u64;
        self.entries[inode.0] = None;
    }

    fn check_mode(&self, inode: Inode, wanted: u32) -> HostResult<()> {
        let entry = self.entry(inode);
        if entry.mode >> 6 & wanted == wanted { Ok(()) } else { os(errno::EACCES) }
    }

    fn add(&mut self, content: Content, mode: u32) -> Inode {
        let links = if matches!(content, Content::Folder(_)) { 2 } else { 1 };
        let (owner, now) = (self.owner, self.now);
        let entry = Entry {
            content,
            mode,
            owner,
            links,
            n_open: 0,
            accessed: now,
            modified: now,
            changed: now,
            created: now,
            attributes: BTreeMap::new(),
        };
        self.entries.push(Some(entry));
        Inode(self.entries.len() - 1)
    }

    fn touch(&mut self, inode: Inode) -> &mut Entry {
        let now = self.now;
        let entry = self.entry_mut(inode);
        entry.changed = now;
        entry
    }

    fn entry(&self, inode: Inode) -> &Entry {
        self.entries[inode.0].as_ref().expect("internal: a place in memory names what is gone")
    }

    fn entry_mut(&mut self, inode: Inode) -> &mut Entry {
        self.entries[inode.0].as_mut().expect("internal: a place in memory names what is gone")
    }

    fn children_mut(&mut self, folder: Inode) -> HostResult<&mut BTreeMap<Vec<u8>, Inode>> {
        match &mut self.entry_mut(folder).content {
            Content::Folder(children) => Ok(children),
            _ => os(errno::ENOTDIR),
        }
    }
}

fn join(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut path = Vec::new();
    for part in parts {
        path.push(b'/');
        path.extend_from_slice(part);
    }
    path
}

/// The parts of a path without empty ones and dots.
fn split(path: &[u8]) -> Vec<Vec<u8>> {
    let parts = path.split(|&byte| byte == b'/');
    parts.filter(|part| !part.is_empty() && *part != b".").map(<[u8]>::to_vec).collect()
}
