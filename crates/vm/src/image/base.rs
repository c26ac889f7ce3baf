//! What machines start from, in any number of OS threads.

use std::sync::Arc;

use classfile::JImage;

use super::booted::Booted;
use super::frozen::{FreezeError, Frozen};
use super::{ImageError, ImageStore};
use crate::boot::{BootError, failed, image_key};
use crate::host::Host;
use crate::stack::memory_file;
use crate::vm::{Options, Vm};

/// A booted base that machines start from, each for little: see the text of `image`. It never
/// changes, so threads share it and make their machines from it at the same time.
///
/// A base is a booted JDK, or a machine with a program in it as it was when it was frozen.
///
/// ```no_run
/// # use std::{path::Path, sync::Arc, thread};
/// # use classfile::JImage;
/// # use vm::{boot::BootError, host::fixed::FixedHost, image::Base, vm::Options};
/// # fn run(options: Options, library: &Arc<JImage>) -> Result<(), BootError> {
/// let base = Base::boot(library, options, Box::new(FixedHost::new()))?;
/// thread::scope(|scope| {
///     for _ in 0..4 {
///         scope.spawn(|| {
///             let mut vm = base.machine(Box::new(FixedHost::new()))?;
///             vm.run_program("Main", &[]);
///             Ok::<(), BootError>(())
///         });
///     }
/// });
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Base {
    options: Options,
    start: Start,
}

#[derive(Debug)]
enum Start {
    Booted(Box<Booted>),
    Frozen(Box<Frozen>),
}

impl Base {
    /// Boots the JDK behind `library`; the base lies in memory.
    pub fn boot(
        library: &Arc<JImage>,
        options: Options,
        host: Box<dyn Host>,
    ) -> Result<Base, BootError> {
        Base::boot_under("", library, options, host, &mut |_| {})
    }

    /// As `boot`, from an image if the store has one; else leaves one there for the next time.
    /// `origin` tells builds of this program and of the JDK apart.
    pub fn boot_with(
        library: &Arc<JImage>,
        options: Options,
        mut host: Box<dyn Host>,
        store: &dyn ImageStore,
        origin: &str,
    ) -> Result<Base, BootError> {
        let key = image_key(&options, &host.platform(), origin);
        if let Some(base) = Base::kept(&key, library, &options, store) {
            return Ok(base);
        }
        Base::boot_under(&key, library, options, host, &mut |image| store.save(&key, image))
    }

    /// A base from the image that a store has under this key, if it is there and sound.
    pub(crate) fn kept(
        key: &str,
        library: &Arc<JImage>,
        options: &Options,
        store: &dyn ImageStore,
    ) -> Option<Base> {
        let booted = Booted::open(store.open(key)?, key, library).ok()?;
        Some(Base { options: options.clone(), start: Start::Booted(Box::new(booted)) })
    }

    fn boot_under(
        key: &str,
        library: &Arc<JImage>,
        options: Options,
        host: Box<dyn Host>,
        keep: &mut dyn FnMut(&[u8]),
    ) -> Result<Base, BootError> {
        let mut vm = Vm::boot_impersonal(library.clone(), options.clone(), host)?;
        let Some(image) = vm.make_image(key) else {
            return Err(failed("boot", "threads stand in the middle of something"));
        };
        keep(&image);
        let opened = memory_file(&[&image]).map_err(|_| ImageError::NoMemory);
        let opened = opened.and_then(|file| Booted::open(file, key, library));
        let booted = opened.map_err(|error| failed("boot image", &error.to_string()))?;
        Ok(Base { options, start: Start::Booted(Box::new(booted)) })
    }

    /// A base of machines that are what this one is now: its classes loaded and initialised, its
    /// objects made, its handles valid. The machine itself can go on. What the program left in the
    /// host is not part of it; files that are open for reading are opened again in the host of each
    /// machine.
    pub fn of(vm: &Vm) -> Result<Base, FreezeError> {
        let frozen = Frozen::of(vm)?;
        Ok(Base { options: vm.options.clone(), start: Start::Frozen(Box::new(frozen)) })
    }

    /// The options that machines of this base have.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// A machine that is ready to load a program, or to go on with its own.
    pub fn machine(&self, host: Box<dyn Host>) -> Result<Vm, BootError> {
        let options = self.options.clone();
        match &self.start {
            Start::Booted(booted) => booted.machine(options, host),
            Start::Frozen(frozen) => frozen.machine(options, host),
        }
    }

    /// As `machine`, with another class path. That of a frozen machine is settled.
    pub fn machine_for(&self, class_path: &str, host: Box<dyn Host>) -> Result<Vm, BootError> {
        let options = Options { class_path: class_path.to_owned(), ..self.options.clone() };
        match &self.start {
            Start::Booted(booted) => booted.machine(options, host),
            Start::Frozen(_) => Err(failed("class path", "a frozen machine has one already")),
        }
    }
}
