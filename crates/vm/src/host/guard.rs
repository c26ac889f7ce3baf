//! Stands before another host and lets through what the user granted. Nothing is granted by
//! default but the standard streams and reading the JDK and the class path.
//!
//! Paths are judged by where they really lead: the longest part that exists is resolved by the
//! host behind, so a symbolic link inside a granted folder does not open the rest of the disk.

use super::network::Network;
use super::program::{Process, Program, Started};
use super::{
    Asked, Change, Denial, Failure, FixedClock, Handle, Host, HostResult, Links, Metadata, OpenHow,
    Platform, Right, Space, errno, fixed,
};

/// What the user granted.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Readable folders and files, absolute.
    pub read: Vec<Vec<u8>>,
    /// Writable folders and files, absolute; also readable.
    pub write: Vec<Vec<u8>>,
    /// The real environment, user and locale.
    pub environment: bool,
    /// The real clock.
    pub clock: bool,
    /// The clock that there is without that.
    pub fixed_clock: FixedClock,
    /// Sockets.
    pub network: bool,
    /// Other programs.
    pub run: bool,
    /// Everything.
    pub all: bool,
}

/// See the module text.
pub struct Guard<H> {
    inner: H,
    policy: Policy,
    asked: Asked,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Read,
    Write,
}

impl<H: Host> Guard<H> {
    /// Guards a host. Granted paths are resolved now, once.
    pub fn new(mut inner: H, mut policy: Policy) -> Guard<H> {
        for path in policy.read.iter_mut().chain(&mut policy.write) {
            *path = resolve(&mut inner, path, Links::Follow);
        }
        Guard { inner, policy, asked: Asked::default() }
    }

    /// Whether a path may be touched. The last part of a path is kept as it is where the
    /// operation works on a link itself.
    fn check(&mut self, path: &[u8], purpose: Purpose, links: Links) -> HostResult<()> {
        if self.policy.all {
            return Ok(());
        }
        let real = resolve(&mut self.inner, path, links);
        let covers = |granted: &Vec<u8>| is_within(&real, granted);
        let granted = match purpose {
            Purpose::Read => {
                self.policy.read.iter().any(covers) || self.policy.write.iter().any(covers)
            }
            Purpose::Write => self.policy.write.iter().any(covers),
        };
        if granted {
            return Ok(());
        }
        let shown = String::from_utf8_lossy(path);
        let (count, verb, option) = match purpose {
            Purpose::Read => (&mut self.asked.looks, "reading", "--allow-read"),
            Purpose::Write => (&mut self.asked.denied, "writing", "--allow-write"),
        };
        *count += 1;
        let denial =
            Denial { action: format!("{verb} {shown}"), option: format!("{option}={shown}") };
        Err(Failure::Denied(denial))
    }

    /// A folder above something granted may be looked at, but not listed: the JDK walks paths
    /// from the root to make them canonical.
    fn check_look(&mut self, path: &[u8], links: Links) -> HostResult<()> {
        if self.policy.all {
            return Ok(());
        }
        let real = resolve(&mut self.inner, path, links);
        let leads_to = |granted: &Vec<u8>| is_within(granted, &real);
        if self.policy.read.iter().any(leads_to) || self.policy.write.iter().any(leads_to) {
            return Ok(());
        }
        self.check(path, Purpose::Read, links)
    }
}

/// Whether `path` is `folder` or lies within it.
fn is_within(path: &[u8], folder: &[u8]) -> bool {
    match path.strip_prefix(folder) {
        Some(rest) => rest.is_empty() || rest[0] == b'/' || folder.ends_with(b"/"),
        None => false,
    }
}

/// Where a path really leads: absolute, without `.`, `..` and links, as far as it exists.
fn resolve(host: &mut impl Host, path: &[u8], links: Links) -> Vec<u8> {
    let mut whole = Vec::new();
    if !path.starts_with(b"/") {
        whole.extend_from_slice(host.platform().user_dir.as_bytes());
        whole.push(b'/');
    }
    whole.extend_from_slice(path);
    let mut parts: Vec<&[u8]> = whole
        .split(|&byte| byte == b'/')
        .filter(|part| !part.is_empty() && *part != b".")
        .collect();
    let mut missing: Vec<&[u8]> = Vec::new();
    if links == Links::Keep && parts.last().is_some_and(|last| *last != b"..") {
        missing.extend(parts.pop());
    }
    let mut real = loop {
        let mut candidate = vec![b'/'];
        candidate.extend_from_slice(&parts.join(&b'/'));
        if let Ok(real) = host.real_path(&candidate) {
            break real;
        }
        match parts.pop() {
            Some(part) => missing.push(part),
            None => break vec![b'/'],
        }
    };
    for part in missing.into_iter().rev() {
        if part == b".." {
            let cut = real.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
            real.truncate(cut.max(1));
            continue;
        }
        if real.last() != Some(&b'/') {
            real.push(b'/');
        }
        real.extend_from_slice(part);
    }
    real
}

impl<H: Host> Host for Guard<H> {
    fn epoch_nanos(&mut self) -> i128 {
        if self.policy.clock || self.policy.all {
            self.inner.epoch_nanos()
        } else {
            self.policy.fixed_clock.epoch_nanos
        }
    }

    fn nano_time(&mut self) -> Option<i64> {
        if self.policy.clock || self.policy.all { self.inner.nano_time() } else { None }
    }

    fn fixed_clock(&self) -> FixedClock {
        self.policy.fixed_clock
    }

    fn sleep(&mut self, nanos: i64) {
        if self.policy.clock || self.policy.all {
            self.inner.sleep(nanos);
        }
    }

    fn platform(&mut self) -> Platform {
        let real = self.inner.platform();
        if self.policy.environment || self.policy.all {
            return real;
        }
        let fixed = Platform::fixed();
        // Who may see other processes may see the own one among them.
        let process = if self.policy.run { real.process } else { fixed.process };
        // The working folder gives relative paths their meaning, granted ones among them.
        Platform { user_dir: real.user_dir, process, ..fixed }
    }

    fn environment(&mut self) -> HostResult<Vec<(Vec<u8>, Vec<u8>)>> {
        if self.policy.environment || self.policy.all {
            self.inner.environment()
        } else {
            Ok(Vec::new())
        }
    }

    fn open(&mut self, path: &[u8], how: OpenHow) -> HostResult<Handle> {
        let writes = how.write || how.create || how.truncate || how.append;
        let links = if how.no_follow { Links::Keep } else { Links::Follow };
        self.check(path, if writes { Purpose::Write } else { Purpose::Read }, links)?;
        self.inner.open(path, how)
    }

    fn close(&mut self, file: Handle) -> HostResult<()> {
        self.inner.close(file)
    }

    fn read(&mut self, file: Handle, at: Option<u64>, buffer: &mut [u8]) -> HostResult<usize> {
        self.inner.read(file, at, buffer)
    }

    fn write(&mut self, file: Handle, at: Option<u64>, bytes: &[u8]) -> HostResult<usize> {
        self.inner.write(file, at, bytes)
    }

    fn available(&mut self, file: Handle) -> HostResult<u64> {
        self.inner.available(file)
    }

    fn set_size(&mut self, file: Handle, size: u64) -> HostResult<()> {
        self.inner.set_size(file, size)
    }

    fn sync(&mut self, file: Handle) -> HostResult<()> {
        self.inner.sync(file)
    }

    fn is_terminal(&mut self, file: Handle) -> bool {
        self.inner.is_terminal(file)
    }

    fn handle_metadata(&mut self, file: Handle) -> HostResult<Metadata> {
        self.inner.handle_metadata(file)
    }

    fn metadata(&mut self, path: &[u8], links: Links) -> HostResult<Metadata> {
        self.check_look(path, links)?;
        self.inner.metadata(path, links)
    }

    fn access(&mut self, path: &[u8], mode: i32) -> HostResult<()> {
        const WRITE: i32 = 2;
        self.check_look(path, Links::Follow)?;
        // What may only be read is not writable, as on a read-only disk. Asking whether it is changes nothing.
        let asked = self.asked;
        if mode & WRITE != 0 && self.check(path, Purpose::Write, Links::Follow).is_err() {
            self.asked = Asked { looks: asked.looks + 1, ..asked };
            return Err(Failure::Os(errno::EROFS));
        }
        self.inner.access(path, mode)
    }

    fn list(&mut self, path: &[u8]) -> HostResult<Vec<Vec<u8>>> {
        self.check(path, Purpose::Read, Links::Follow)?;
        self.inner.list(path)
    }

    fn real_path(&mut self, path: &[u8]) -> HostResult<Vec<u8>> {
        self.check_look(path, Links::Follow)?;
        self.inner.real_path(path)
    }

    fn read_link(&mut self, path: &[u8]) -> HostResult<Vec<u8>> {
        self.check_look(path, Links::Keep)?;
        self.inner.read_link(path)
    }

    fn space(&mut self, path: &[u8]) -> HostResult<Space> {
        self.check(path, Purpose::Read, Links::Follow)?;
        self.inner.space(path)
    }

    fn owner_name(&mut self, id: u32, is_group: bool) -> HostResult<Vec<u8>> {
        self.inner.owner_name(id, is_group)
    }

    fn owner_number(&mut self, name: &[u8], is_group: bool) -> HostResult<u32> {
        self.inner.owner_number(name, is_group)
    }

    fn change(&mut self, change: Change<'_>) -> HostResult<()> {
        match change {
            Change::MakeDirectory { path, .. }
            | Change::RemoveDirectory { path }
            | Change::RemoveFile { path } => self.check(path, Purpose::Write, Links::Keep)?,
            Change::SetMode { path, .. }
            | Change::SetAttribute { path, .. }
            | Change::RemoveAttribute { path, .. } => {
                self.check(path, Purpose::Write, Links::Follow)?;
            }
            Change::SetOwner { path, links, .. } | Change::SetTimes { path, links, .. } => {
                self.check(path, Purpose::Write, links)?;
            }
            Change::Rename { from, to } => {
                self.check(from, Purpose::Write, Links::Keep)?;
                self.check(to, Purpose::Write, Links::Keep)?;
            }
            Change::HardLink { existing, path } => {
                self.check(existing, Purpose::Write, Links::Keep)?;
                self.check(path, Purpose::Write, Links::Keep)?;
            }
            Change::SymbolicLink { path, .. } => self.check(path, Purpose::Write, Links::Keep)?,
        }
        self.inner.change(change)
    }

    fn start(&mut self, program: &Program) -> HostResult<Started> {
        self.ask(Right::Run)?;
        self.inner.start(program)
    }

    fn ended(&mut self, process: u32) -> HostResult<Option<i32>> {
        self.inner.ended(process)
    }

    fn end(&mut self, process: u32, kill: bool) -> HostResult<()> {
        self.inner.end(process, kill)
    }

    fn processes(&mut self) -> Vec<Process> {
        if self.policy.run || self.policy.all {
            return self.inner.processes();
        }
        let real = self.inner.platform().process;
        let real = if self.policy.clock { self.inner.process(real) } else { None };
        let platform = self.platform();
        let epoch_nanos = self.policy.fixed_clock.epoch_nanos;
        let fixed = i64::try_from(epoch_nanos / 1_000_000).unwrap_or(0);
        vec![Process {
            id: platform.process,
            parent: None,
            started: real.map_or(fixed, |real| real.started),
            cpu_nanos: None,
            user: platform.ids.0,
            command: None,
            arguments: None,
        }]
    }

    fn process(&mut self, id: u32) -> Option<Process> {
        if self.policy.run || self.policy.all {
            return self.inner.process(id);
        }
        self.processes().into_iter().find(|process| process.id == id)
    }

    fn attribute_names(&mut self, path: &[u8]) -> HostResult<Vec<Vec<u8>>> {
        self.check(path, Purpose::Read, Links::Follow)?;
        self.inner.attribute_names(path)
    }

    fn attribute(&mut self, path: &[u8], name: &[u8]) -> HostResult<Vec<u8>> {
        self.check(path, Purpose::Read, Links::Follow)?;
        self.inner.attribute(path, name)
    }

    fn must_wait(&mut self, file: Handle) -> bool {
        self.inner.must_wait(file)
    }

    fn watcher(&mut self) -> HostResult<Handle> {
        self.inner.watcher()
    }

    fn watch(&mut self, watcher: Handle, path: &[u8], mask: u32) -> HostResult<i32> {
        self.check(path, Purpose::Read, Links::Follow)?;
        self.inner.watch(watcher, path, mask)
    }

    fn unwatch(&mut self, watcher: Handle, number: i32) -> HostResult<()> {
        self.inner.unwatch(watcher, number)
    }

    fn network(&mut self) -> HostResult<&mut dyn Network> {
        self.ask(Right::Network)?;
        self.inner.network()
    }

    fn has_ipv6(&mut self) -> bool {
        !(self.policy.network || self.policy.all) || self.inner.has_ipv6()
    }

    fn may_write(&mut self, path: &[u8]) -> HostResult<()> {
        self.check(path, Purpose::Write, Links::Keep)
    }

    fn ask(&mut self, right: Right) -> HostResult<()> {
        let granted = match right {
            Right::Network => self.policy.network,
            Right::Run => self.policy.run,
        };
        if granted || self.policy.all {
            return Ok(());
        }
        self.asked.denied += 1;
        Err(Failure::Denied(fixed::denial(right)))
    }

    fn asked(&self) -> Asked {
        self.asked
    }
}

#[cfg(test)]
mod tests {
    use super::fixed::FixedHost;
    use super::*;

    fn guarded(read: &[&str]) -> Guard<FixedHost> {
        let mut host = FixedHost::new();
        for path in ["/granted/file", "/granted/sub/file", "/grantedfile", "/secret/file"] {
            host.add_file(path, b"content".to_vec());
        }
        let read = read.iter().map(|path| path.as_bytes().to_vec()).collect();
        Guard::new(host, Policy { read, ..Policy::default() })
    }

    fn can_read(guard: &mut Guard<FixedHost>, path: &str) -> bool {
        guard.open(path.as_bytes(), OpenHow { read: true, ..OpenHow::default() }).is_ok()
    }

    #[test]
    fn what_is_granted_is_readable_and_its_neighbours_are_not() {
        let mut guard = guarded(&["/granted"]);
        assert!(can_read(&mut guard, "/granted/file"));
        assert!(can_read(&mut guard, "/granted/sub/../file"));
        assert!(can_read(&mut guard, "//granted/./sub/file"));
        assert!(!can_read(&mut guard, "/grantedfile"));
        assert!(!can_read(&mut guard, "/granted/../secret/file"));
        assert!(!can_read(&mut guard, "/granted/none/../../secret/file"));
    }

    #[test]
    fn a_granted_file_does_not_grant_its_folder() {
        let mut guard = guarded(&["/granted/file"]);
        assert!(can_read(&mut guard, "/granted/file"));
        assert!(!can_read(&mut guard, "/granted/sub/file"));
        assert!(guard.list(b"/granted").is_err());
        // The way to it may be looked at.
        assert!(guard.metadata(b"/granted", Links::Follow).is_ok());
        assert!(guard.metadata(b"/secret", Links::Follow).is_err());
    }

    #[test]
    fn what_was_denied_is_counted_and_what_was_granted_is_not() {
        let mut guard = guarded(&["/granted"]);
        assert!(can_read(&mut guard, "/granted/file"));
        assert!(guard.metadata(b"/", Links::Follow).is_ok());
        assert_eq!(guard.asked(), Asked::default());
        assert!(guard.metadata(b"/secret/file", Links::Follow).is_err());
        assert_eq!(guard.access(b"/granted/file", 2), Err(Failure::Os(errno::EROFS)));
        assert_eq!(guard.asked(), Asked { looks: 2, denied: 0, scratch: 0 });
        assert!(guard.change(Change::RemoveFile { path: b"/granted/file" }).is_err());
        assert!(guard.ask(Right::Run).is_err());
        assert_eq!(guard.asked(), Asked { looks: 2, denied: 2, scratch: 0 });
    }

    #[test]
    fn a_denial_names_the_option_that_grants_it() {
        let failure = guarded(&[]).change(Change::RemoveFile { path: b"/granted/file" });
        let Err(Failure::Denied(denial)) = failure else { panic!("{failure:?}") };
        assert_eq!(
            denial.to_string(),
            "writing /granted/file is not allowed; --allow-write=/granted/file grants it"
        );
    }
}
