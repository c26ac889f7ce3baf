//! Any number of machines with the user's classes, from one booted base; and the same classes in worlds
//! that differ in everything a test must not depend on.

use std::env;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use classfile::{ClassBytes, ClassFile, ClassPath};
use emit::junit::facts::ClassFiles;
use generate::random::Worlds;
use observe::session::{NotFound, Session};
use vm::host::FixedClock;
use vm::host::guard::{Guard, Policy};
use vm::host::scratch::Scratch;
use vm::image::Base;
use vm::vm::Options;

use crate::boot_image::{self, CacheFolder};
use crate::class_files::RELEASE;
use crate::class_path;
use crate::files::TemporaryFolder;
use crate::jdk::{self, Jdk};
use crate::options::MachineOptions;
use crate::os_host::OsHost;
use crate::run::policy;

/// What tests must not depend on, two more ways: hash seeds, the time and how it passes, time zone, language, the
/// user and the user's folders.
const OTHER_WORLDS: &[OtherWorld] = &[
    OtherWorld {
        seed: 0x5eed_0001,
        // A second and a half before the year 2000.
        clock: FixedClock { epoch_nanos: 946_684_798_500_000_000, look_nanos: 2_000_000 },
        properties: &[
            ("user.timezone", "Asia/Kolkata"),
            ("user.language", "tr"),
            ("user.country", "TR"),
            ("user.name", "ayse"),
            ("user.home", "/srv/ayse"),
            ("user.dir", "/srv/ayse/work"),
            // It must be there.
            ("java.io.tmpdir", "/tmp/."),
        ],
    },
    OtherWorld {
        seed: 0x5eed_0002,
        // More seconds than an int holds.
        clock: FixedClock { epoch_nanos: 2_200_000_000_123_456_789, look_nanos: 5_000_000 },
        properties: &[
            ("user.timezone", "America/St_Johns"),
            ("user.language", "ar"),
            ("user.country", "EG"),
            ("user.name", "omar"),
            ("user.home", "/srv/omar"),
            ("user.dir", "/srv/omar"),
            ("java.io.tmpdir", "/tmp/./."),
        ],
    },
];

struct OtherWorld {
    seed: u64,
    clock: FixedClock,
    properties: &'static [(&'static str, &'static str)],
}

/// Makes machines.
pub(crate) struct Machines {
    /// The JDK they run on.
    pub(crate) jdk: Jdk,
    /// The user's class path without wildcards.
    pub(crate) class_path: String,
    base: Base,
    options: Options,
    policy: Policy,
    is_cached: bool,
    working_dir: PathBuf,
    /// A folder without anything in it, once there are other worlds.
    empty: OnceLock<TemporaryFolder>,
}

impl Machines {
    /// Boots the base of machines with these options.
    pub(crate) fn new(options: &MachineOptions) -> Result<Machines, String> {
        let jdk = jdk::find(options.jdk.as_deref())?;
        let working_dir: PathBuf =
            env::current_dir().map_err(|error| format!("working folder: {error}"))?;
        let class_path = class_path::expand(&options.classpath, &working_dir);
        let policy = policy(options, &class_path, &jdk.folders(), &working_dir);
        let machine = Options {
            java_home: jdk.home.display().to_string(),
            class_path: class_path.clone(),
            properties: options.properties.clone(),
            heap_limit: options.memory,
            seed: options.seed,
            assertions: options.enable_assertions,
        };
        let is_cached = !options.fresh_boot;
        let base = boot(&jdk, machine.clone(), &policy, is_cached)?;
        let empty = OnceLock::new();
        let options = machine;
        Ok(Machines { jdk, class_path, base, options, policy, is_cached, working_dir, empty })
    }

    /// The classes of the user's class path, as files.
    pub(crate) fn classes(&self) -> Result<ClassPath, String> {
        ClassPath::parse(&self.class_path).map_err(|error| error.to_string())
    }

    /// The classes that tests may name: those of the user's class path, and the JDK's.
    pub(crate) fn class_files<'a>(
        &'a self,
        class_path: &'a ClassPath,
    ) -> ClassFiles<impl Fn(&str) -> Option<(ClassBytes, bool)> + 'a> {
        let image = &self.jdk.image;
        ClassFiles::new(move |name| match class_path.find(&format!("{name}.class"), RELEASE) {
            Some(Ok(bytes)) => Some((bytes, false)),
            _ => image.find_class(name.as_bytes()).map(|(_, bytes)| (bytes, true)),
        })
    }

    /// The class file of a class of the user's class path or of the JDK.
    pub(crate) fn file_of(&self, class_path: &ClassPath, class: &str) -> Option<Arc<ClassFile>> {
        let bytes = match class_path.find(&format!("{class}.class"), RELEASE) {
            Some(Ok(bytes)) => bytes,
            _ => self.jdk.image.find_class(class.as_bytes())?.1,
        };
        ClassFile::parse(bytes).ok().map(Arc::new)
    }

    /// The class files of a class and of those nested in it.
    pub(crate) fn files_of(&self, class_path: &ClassPath, class: &str) -> Vec<Arc<ClassFile>> {
        let mut names = vec![class.to_owned()];
        let mut files = Vec::new();
        let mut next = 0;
        while let Some(name) = names.get(next) {
            next += 1;
            let Some(file) = self.file_of(class_path, name) else { continue };
            for entry in file.inner_classes() {
                let inner = file.constant_pool().try_class_name(entry.inner);
                let inner = inner.map(classfile::mutf8::display).unwrap_or_default();
                let is_nested = inner.strip_prefix(class).is_some_and(|rest| rest.starts_with('$'));
                if is_nested && !names.contains(&inner) {
                    names.push(inner);
                }
            }
            files.push(file);
        }
        files
    }

    /// A machine.
    pub(crate) fn session(&self) -> Result<Session, NotFound> {
        session(&self.base, &self.policy)
    }

    /// Machines that are what this one is now.
    fn copies(&self, session: &Session, number: usize) -> Result<Vec<Session>, NotFound> {
        if number == 0 {
            return Ok(Vec::new());
        }
        let Ok(base) = Base::of(&session.vm) else {
            // What cannot be copied works alone.
            return Ok(Vec::new());
        };
        let copy = |_| crate::machines::session(&base, &self.policy);
        (0..number).map(copy).collect()
    }

    /// A machine in each of several worlds, the usual one first.
    pub(crate) fn worlds(&self) -> Result<Vec<Session>, String> {
        let worlds = self.several()?;
        let machine = |world| worlds.machine(world).map_err(|error| error.to_string());
        (0..worlds.number()).map(machine).collect()
    }

    /// Several worlds, the usual one first.
    pub(crate) fn several(&self) -> Result<Several<'_>, String> {
        let mut others = Vec::new();
        if self.empty.get().is_none() {
            let _ = self.empty.set(TemporaryFolder::new()?);
        }
        let empty = self.empty.get().map(|folder| folder.path.display().to_string());
        let empty = empty.unwrap_or_default();
        for world in OTHER_WORLDS {
            let mut options = self.options.clone();
            options.seed ^= world.seed;
            // There the working folder is another.
            options.class_path = class_path::absolute(&self.class_path, &self.working_dir);
            // Tests lie in a folder of the class path, where a jar alone has no resource called "".
            options.class_path = format!("{}:{empty}", options.class_path);
            let own = world.properties.iter();
            let own = own.map(|&(name, value)| (name.to_owned(), value.to_owned()));
            // What the user sets stays.
            options.properties = own.chain(options.properties).collect();
            let mut policy = Policy { fixed_clock: world.clock, ..self.policy.clone() };
            policy.read.push(empty.clone().into_bytes());
            let base = boot(&self.jdk, options, &policy, self.is_cached)?;
            others.push((base, policy));
        }
        Ok(Several { usual: self, others })
    }
}

/// The usual world and others that differ in everything a test must not depend on.
pub(crate) struct Several<'a> {
    usual: &'a Machines,
    others: Vec<(Base, Policy)>,
}

impl Worlds for Several<'_> {
    fn number(&self) -> usize {
        1 + self.others.len()
    }

    fn machine(&self, world: usize) -> Result<Session, NotFound> {
        match world.checked_sub(1).and_then(|other| self.others.get(other)) {
            Some((base, policy)) => session(base, policy),
            None => self.usual.session(),
        }
    }
}

impl generate::random::Machines for Machines {
    fn fresh(&self) -> Result<Session, NotFound> {
        self.session()
    }

    fn like(&self, session: &Session, number: usize) -> Result<Vec<Session>, NotFound> {
        self.copies(session, number)
    }
}

fn boot(jdk: &Jdk, options: Options, policy: &Policy, is_cached: bool) -> Result<Base, String> {
    let host = Box::new(Scratch::new(Guard::new(quiet_host(), policy.clone())));
    let cache = if is_cached { CacheFolder::of_user() } else { None };
    let booted = match cache {
        Some(cache) => {
            let origin = boot_image::origin(jdk);
            Base::boot_with(&jdk.image, options, host, &cache, &origin)
        }
        None => Base::boot(&jdk.image, options, host),
    };
    booted.map_err(|error| error.to_string())
}

fn session(base: &Base, policy: &Policy) -> Result<Session, NotFound> {
    let host = Box::new(Scratch::new(Guard::new(quiet_host(), policy.clone())));
    let vm = base.machine(host).map_err(|error| NotFound::Machine(error.to_string()))?;
    Session::new(vm).map_err(|problem| NotFound::Machine(problem.to_string()))
}

/// What code under test prints goes nowhere.
fn quiet_host() -> OsHost {
    OsHost::new().without_streams()
}
