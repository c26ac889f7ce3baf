//! The outside world as the machine sees it. Everything that is not computed comes through here:
//! clock, environment, standard streams, files. The machine itself touches nothing else.
//!
//! [`FixedHost`](fixed::FixedHost) is a world that never changes; [`Guard`](guard::Guard) stands
//! before a real one and lets through what the user granted. The real one lives in the command.

pub mod errno;
pub mod fixed;
pub mod guard;
pub mod network;
pub mod program;
pub mod scratch;

use network::Network;
use program::{Process, Program, Started};

/// An open file of a host. 0, 1 and 2 are the standard streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub u32);

impl Handle {
    /// Standard input.
    pub const STDIN: Handle = Handle(0);
    /// Standard output.
    pub const STDOUT: Handle = Handle(1);
    /// Standard error.
    pub const STDERR: Handle = Handle(2);
}

/// Why the host did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The operating system refused, with its error number (Linux numbering, see [`errno`]).
    Os(i32),
    /// The user did not grant it.
    Denied(Denial),
}

/// Something the program wanted and the user did not grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// What was tried: `reading /etc/passwd`.
    pub action: String,
    /// The option that grants it: `--allow-read=/etc/passwd`.
    pub option: String,
}

impl std::fmt::Display for Denial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is not allowed; {} grants it", self.action, self.option)
    }
}

/// How often a program asked for what lies outside its own world, whether it noticed the answer or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asked {
    /// Looks at what was not granted, or at the files that are kept in memory.
    pub looks: u64,
    /// Changes that were denied; programs and connections as well.
    pub denied: u64,
    /// Changes of the files that are kept in memory.
    pub scratch: u64,
}

impl Asked {
    /// Whether more was asked for than before.
    pub fn is_more_than(&self, before: Asked) -> bool {
        self.looks > before.looks || self.would_change_more_than(before)
    }

    /// Whether more was asked for than before that would have changed something outside.
    pub fn would_change_more_than(&self, before: Asked) -> bool {
        self.denied > before.denied || self.scratch > before.scratch
    }
}

/// What a question to the host gives.
pub type HostResult<T> = Result<T, Failure>;

/// How a file is opened, POSIX `open`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenHow {
    /// For reading.
    pub read: bool,
    /// For writing.
    pub write: bool,
    /// Every write goes to the end.
    pub append: bool,
    /// Make the file if it is not there.
    pub create: bool,
    /// With `create`: it must not be there.
    pub exclusive: bool,
    /// Empty the file.
    pub truncate: bool,
    /// Fail where the last part of the path is a symbolic link.
    pub no_follow: bool,
    /// Permission bits of a new file.
    pub mode: u32,
}

/// Whether a symbolic link at the end of a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Look at what the link points to.
    Follow,
    /// Look at the link itself.
    Keep,
}

/// What `stat` tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Metadata {
    /// Type and permission bits.
    pub mode: u32,
    /// Inode.
    pub inode: u64,
    /// Device that holds the file.
    pub device: u64,
    /// Device that a device file stands for.
    pub special_device: u64,
    /// Number of hard links.
    pub links: u64,
    /// Owner.
    pub user: u32,
    /// Group.
    pub group: u32,
    /// Size in bytes.
    pub size: u64,
    /// Last access, nanoseconds since the epoch.
    pub accessed: i128,
    /// Last change of the content.
    pub modified: i128,
    /// Last change of the metadata.
    pub changed: i128,
    /// Birth, where the file system knows it.
    pub created: Option<i128>,
}

impl Metadata {
    /// Mask of the type bits in `mode`.
    pub const TYPE: u32 = 0o170_000;
    /// Type bits of a regular file.
    pub const REGULAR: u32 = 0o100_000;
    /// Type bits of a folder.
    pub const DIRECTORY: u32 = 0o040_000;
    /// Type bits of a symbolic link.
    pub const LINK: u32 = 0o120_000;
    /// Type bits of a character device.
    pub const CHARACTER_DEVICE: u32 = 0o020_000;

    /// Whether this is a folder.
    pub fn is_directory(&self) -> bool {
        self.mode & Self::TYPE == Self::DIRECTORY
    }

    /// Whether this is a regular file.
    pub fn is_regular(&self) -> bool {
        self.mode & Self::TYPE == Self::REGULAR
    }
}

/// A change of the file system. Paths are bytes as the operating system takes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'a> {
    /// `mkdir`.
    MakeDirectory {
        /// The new folder.
        path: &'a [u8],
        /// Its permission bits.
        mode: u32,
    },
    /// `rmdir`.
    RemoveDirectory {
        /// The folder.
        path: &'a [u8],
    },
    /// `unlink`.
    RemoveFile {
        /// The file.
        path: &'a [u8],
    },
    /// `rename`.
    Rename {
        /// Old path.
        from: &'a [u8],
        /// New path.
        to: &'a [u8],
    },
    /// `link`.
    HardLink {
        /// What is there already.
        existing: &'a [u8],
        /// The new name.
        path: &'a [u8],
    },
    /// `symlink`.
    SymbolicLink {
        /// What the link says.
        target: &'a [u8],
        /// The new link.
        path: &'a [u8],
    },
    /// `chmod`.
    SetMode {
        /// The file.
        path: &'a [u8],
        /// Permission bits.
        mode: u32,
    },
    /// `chown` or `lchown`; -1 keeps a part.
    SetOwner {
        /// The file.
        path: &'a [u8],
        /// Owner.
        user: i32,
        /// Group.
        group: i32,
        /// Whether a link is followed.
        links: Links,
    },
    /// `utimensat`; nanoseconds since the epoch.
    SetTimes {
        /// The file.
        path: &'a [u8],
        /// Last access; `None` keeps it.
        accessed: Option<i128>,
        /// Last modification; `None` keeps it.
        modified: Option<i128>,
        /// Whether a link is followed.
        links: Links,
    },
    /// `setxattr`.
    SetAttribute {
        /// The file.
        path: &'a [u8],
        /// Name with its prefix: `user.x`.
        name: &'a [u8],
        /// The bytes.
        value: &'a [u8],
    },
    /// `removexattr`.
    RemoveAttribute {
        /// The file.
        path: &'a [u8],
        /// Name with its prefix.
        name: &'a [u8],
    },
}

/// Room on a file system, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Space {
    /// Size.
    pub total: u64,
    /// Not in use.
    pub free: u64,
    /// Usable by this user.
    pub usable: u64,
}

/// What the system properties say about the computer and its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    /// `os.name`.
    pub os_name: String,
    /// `os.version`.
    pub os_version: String,
    /// `os.arch`.
    pub os_arch: String,
    /// `user.name`.
    pub user_name: String,
    /// `user.home`.
    pub user_home: String,
    /// `user.dir`, the working folder.
    pub user_dir: String,
    /// `java.io.tmpdir`.
    pub temporary_dir: String,
    /// Charset of the terminal and of file names.
    pub encoding: String,
    /// Language of the locale: `en`.
    pub language: String,
    /// Country of the locale: `US`; empty for none.
    pub country: String,
    /// Time zone id: `UTC`.
    pub time_zone: String,
    /// Numeric user and group id.
    pub ids: (u32, u32),
    /// Process id.
    pub process: u32,
}

impl Platform {
    /// The platform of the virtual world: the same on every computer.
    pub fn fixed() -> Platform {
        Platform {
            os_name: "Linux".to_owned(),
            os_version: "6.1".to_owned(),
            os_arch: "amd64".to_owned(),
            user_name: "user".to_owned(),
            user_home: "/home/user".to_owned(),
            user_dir: "/home/user".to_owned(),
            temporary_dir: "/tmp".to_owned(),
            encoding: "UTF-8".to_owned(),
            language: "en".to_owned(),
            country: "US".to_owned(),
            time_zone: "UTC".to_owned(),
            ids: (1000, 1000),
            process: 1,
        }
    }
}

/// A clock that only virtual time moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedClock {
    /// When time began.
    pub epoch_nanos: i128,
    /// What asking for the time costs.
    pub look_nanos: i64,
}

impl Default for FixedClock {
    fn default() -> FixedClock {
        FixedClock { epoch_nanos: fixed::FIXED_EPOCH_NANOS, look_nanos: 1_000 }
    }
}

/// The outside world. All paths are absolute or relative to [`Platform::user_dir`].
pub trait Host: Send {
    /// Wall clock: nanoseconds since the epoch, or, with virtual time, when time began.
    fn epoch_nanos(&mut self) -> i128;

    /// A monotonic clock in nanoseconds, or `None` for purely virtual time.
    fn nano_time(&mut self) -> Option<i64>;

    /// The clock that there is while time is virtual.
    fn fixed_clock(&self) -> FixedClock {
        FixedClock::default()
    }

    /// Lets real time pass; only asked of hosts with a real clock.
    fn sleep(&mut self, nanos: i64);

    /// Computer and user.
    fn platform(&mut self) -> Platform;

    /// Environment variables, in a fixed order.
    fn environment(&mut self) -> HostResult<Vec<(Vec<u8>, Vec<u8>)>>;

    /// Opens a file.
    fn open(&mut self, path: &[u8], how: OpenHow) -> HostResult<Handle>;

    /// Closes a file.
    fn close(&mut self, file: Handle) -> HostResult<()>;

    /// Reads at a position, or, for streams, what comes next. Zero bytes mean the end.
    fn read(&mut self, file: Handle, at: Option<u64>, buffer: &mut [u8]) -> HostResult<usize>;

    /// Writes at a position, or, for streams and appending files, at the end. May write less.
    fn write(&mut self, file: Handle, at: Option<u64>, bytes: &[u8]) -> HostResult<usize>;

    /// Bytes a stream can give without waiting.
    fn available(&mut self, file: Handle) -> HostResult<u64>;

    /// Cuts or extends a file.
    fn set_size(&mut self, file: Handle, size: u64) -> HostResult<()>;

    /// Brings a file to its medium.
    fn sync(&mut self, file: Handle) -> HostResult<()>;

    /// Whether a stream is a terminal.
    fn is_terminal(&mut self, file: Handle) -> bool;

    /// `fstat`.
    fn handle_metadata(&mut self, file: Handle) -> HostResult<Metadata>;

    /// `stat` or `lstat`.
    fn metadata(&mut self, path: &[u8], links: Links) -> HostResult<Metadata>;

    /// `access`: 4 read, 2 write, 1 execute, 0 existence.
    fn access(&mut self, path: &[u8], mode: i32) -> HostResult<()>;

    /// Names in a folder, sorted, without `.` and `..`.
    fn list(&mut self, path: &[u8]) -> HostResult<Vec<Vec<u8>>>;

    /// `realpath`.
    fn real_path(&mut self, path: &[u8]) -> HostResult<Vec<u8>>;

    /// `readlink`.
    fn read_link(&mut self, path: &[u8]) -> HostResult<Vec<u8>>;

    /// Room on the file system of a path.
    fn space(&mut self, path: &[u8]) -> HostResult<Space>;

    /// Name of a user or group, by number.
    fn owner_name(&mut self, id: u32, is_group: bool) -> HostResult<Vec<u8>>;

    /// Number of a user or group, by name; `ENOENT` where there is none.
    fn owner_number(&mut self, name: &[u8], is_group: bool) -> HostResult<u32>;

    /// Changes the file system.
    fn change(&mut self, change: Change<'_>) -> HostResult<()>;

    /// Starts another program. A host without programs denies it.
    fn start(&mut self, _: &Program) -> HostResult<Started> {
        Err(Failure::Denied(fixed::denial(Right::Run)))
    }

    /// How a program ended that was started here: its exit code, or 128 and the signal that killed it;
    /// `None` while it runs. `ECHILD` for any other process.
    fn ended(&mut self, _process: u32) -> HostResult<Option<i32>> {
        Err(Failure::Os(errno::ECHILD))
    }

    /// Asks a program that was started here to end, or kills it.
    fn end(&mut self, _process: u32, _kill: bool) -> HostResult<()> {
        Err(Failure::Os(errno::ECHILD))
    }

    /// The processes that can be seen, by id; the own one is always there.
    fn processes(&mut self) -> Vec<Process> {
        let platform = self.platform();
        vec![Process {
            id: platform.process,
            parent: None,
            started: i64::try_from(fixed::FIXED_EPOCH_NANOS / 1_000_000).unwrap_or(0),
            cpu_nanos: None,
            user: platform.ids.0,
            command: None,
            arguments: None,
        }]
    }

    /// One of them.
    fn process(&mut self, id: u32) -> Option<Process> {
        self.processes().into_iter().find(|process| process.id == id)
    }

    /// Whether reading from a stream has to wait for another program; lets a moment pass where it does.
    fn must_wait(&mut self, _file: Handle) -> bool {
        false
    }

    /// The names of a file's extended attributes.
    fn attribute_names(&mut self, _path: &[u8]) -> HostResult<Vec<Vec<u8>>> {
        Err(Failure::Os(errno::ENOTSUP))
    }

    /// The value of an extended attribute; `ENODATA` where there is none of that name.
    fn attribute(&mut self, _path: &[u8], _name: &[u8]) -> HostResult<Vec<u8>> {
        Err(Failure::Os(errno::ENOTSUP))
    }

    /// A new list of watched folders: a stream of events as `inotify` writes them, where reading never
    /// waits. A host that cannot watch says `ENOSYS`.
    fn watcher(&mut self) -> HostResult<Handle> {
        Err(Failure::Os(errno::ENOSYS))
    }

    /// Watches a path for the events of a mask, or changes the mask; gives the number of the watch.
    fn watch(&mut self, _watcher: Handle, _path: &[u8], _mask: u32) -> HostResult<i32> {
        Err(Failure::Os(errno::ENOSYS))
    }

    /// Ends a watch.
    fn unwatch(&mut self, _watcher: Handle, _number: i32) -> HostResult<()> {
        Err(Failure::Os(errno::ENOSYS))
    }

    /// The network. A host without one denies it.
    fn network(&mut self) -> HostResult<&mut dyn Network> {
        Err(Failure::Denied(fixed::denial(Right::Network)))
    }

    /// Whether version 6 of the Internet protocol is there; it is on nearly every computer.
    fn has_ipv6(&mut self) -> bool {
        true
    }

    /// Asks for the right to make or use a path in ways that no other question covers.
    fn may_write(&mut self, _path: &[u8]) -> HostResult<()> {
        Ok(())
    }

    /// How often the program asked for what lies outside; a host that denies nothing need not count.
    fn asked(&self) -> Asked {
        Asked::default()
    }

    /// Forgets the files that it keeps in memory, if it does: they are what they were at the start.
    fn forget_files(&mut self) {}

    /// Keeps the files in memory as they are, if there are any: `restore_files` comes back to them. A change that
    /// comes between costs a copy, everything else costs nothing. May be nested.
    fn keep_files(&mut self) {}

    /// The files in memory are what they were when they were kept last.
    fn restore_files(&mut self) {}

    /// Asks for a right that no other question covers.
    fn ask(&mut self, right: Right) -> HostResult<()>;
}

/// Rights that are asked for as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// Sockets and name look-ups.
    Network,
    /// Other programs.
    Run,
}
