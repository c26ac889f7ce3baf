//! Writing the image of a machine that has just booted.

use super::class::ClassRow;
use super::format::assemble;
use super::portable::{Portable, Reader, Writer, portable};
use super::relocate::{Relocation, copy_objects};
use crate::boot::personal::{self, StandIn};
use crate::class::ClassRt;
use crate::constraints::Constraint;
use crate::frame::Hook;
use crate::module::{DefinedModule, Exports, ModuleKey};
use crate::symbol::Symbol;
use crate::thread::{State, Step, Thread};
use crate::travel::World;
use crate::value::{ClassId, LoaderId, Ref, ThreadId};
use crate::vm::{LoaderData, Vm};

/// The tables of an image, classes themselves not among them.
pub(super) struct Tables {
    pub(super) jdk: u16,
    pub(super) rows: Vec<ClassRow>,
    pub(super) loaders: Vec<LoaderRow>,
    pub(super) modules: Vec<ModuleRow>,
    pub(super) boot_unnamed: Ref,
    pub(super) constraints: Vec<(Symbol, Vec<Constraint>)>,
    pub(super) known: Vec<u32>,
    pub(super) world: World,
    pub(super) virtual_nanos: i64,
    pub(super) threads: Vec<ThreadRow>,
    pub(super) strings: Vec<(u64, Ref)>,
    pub(super) stand_ins: Vec<StandIn>,
    pub(super) raw: Vec<u8>,
}

portable!(Tables {
    jdk,
    rows,
    loaders,
    modules,
    boot_unnamed,
    constraints,
    known,
    world,
    virtual_nanos,
    threads,
    strings,
    stand_ins,
    raw,
});

/// A class loader.
#[derive(Debug)]
pub(super) struct LoaderRow {
    pub(super) java: Ref,
    pub(super) classes: Vec<(Symbol, ClassId)>,
    pub(super) packages: Vec<(Symbol, u32)>,
}

/// A named module.
#[derive(Debug)]
pub(super) struct ModuleRow {
    pub(super) java: Ref,
    pub(super) name: Symbol,
    pub(super) is_open: bool,
    pub(super) reads: Vec<ModuleKey>,
    pub(super) exports: Vec<(Symbol, Exports)>,
}

portable!(ModuleRow { java, name, is_open, reads, exports });
portable!(Exports { to_all, to_all_unnamed, to });

impl Portable for ModuleKey {
    fn put(&self, writer: &mut Writer<'_>) {
        match self {
            ModuleKey::Named(idx) => (false, *idx).put(writer),
            ModuleKey::Unnamed(loader) => (true, loader.0).put(writer),
        }
    }

    fn take(reader: &mut Reader<'_>) -> Option<ModuleKey> {
        let (is_unnamed, number) = Portable::take(reader)?;
        Some(if is_unnamed {
            ModuleKey::Unnamed(LoaderId(number))
        } else {
            ModuleKey::Named(number)
        })
    }
}

portable!(LoaderRow { java, classes, packages });

/// A thread that was started but had no turn yet, or the first one between two calls.
#[derive(Debug)]
pub(super) struct ThreadRow {
    pub(super) id: ThreadId,
    pub(super) java: Ref,
    pub(super) current: Ref,
    pub(super) daemon: bool,
    pub(super) housekeeper: bool,
    pub(super) n_registers: u32,
    pub(super) n_frames: u32,
}

portable!(ThreadRow { id, java, current, daemon, housekeeper, n_registers, n_frames });
portable!(World {
    pending,
    agents,
    boot_path,
    random,
    arrivals,
    hashes,
    threads,
    turns,
    idle_turns,
    caught,
    ignored
});
portable!(Constraint { loaders, class });
portable!(StandIn { at, value });

impl Vm {
    /// The image of this machine, under a key; `None` where it has done more than boot. Call it
    /// before the machine is made personal.
    pub(crate) fn make_image(&mut self, key: &str) -> Option<Vec<u8>> {
        let is_fresh = self.depth() == 0
            && self.stop.is_none()
            && self.files.is_fresh()
            && self.streams.is_empty()
            && self.current == 0;
        if !is_fresh {
            return None;
        }
        let threads = self.threads.iter().enumerate().map(|(idx, t)| thread_row(t, idx == 0));
        let threads = threads.collect::<Option<_>>()?;
        let relocation = Relocation::of(self);
        let mut stand_ins = Vec::new();
        let objects = copy_objects(self, &relocation, &mut |vm, slot| {
            stand_ins.extend(personal::stand_in(vm, slot.at, slot.target));
        });
        let tables = Tables {
            jdk: self.jdk,
            rows: self.classes.iter().map(class_row).collect(),
            loaders: self.loaders.iter().map(loader_row).collect(),
            modules: self.modules.defined.iter().map(module_row).collect(),
            boot_unnamed: self.modules.boot_unnamed,
            constraints: self.constraints.to_rows(),
            known: self.known.to_words(),
            world: self.world,
            virtual_nanos: self.virtual_nanos,
            threads,
            strings: self.interned_strings(),
            stand_ins,
            raw: self.heap.raw_all().to_vec(),
        };
        let library = self.image.clone();
        let mut writer = Writer::new(&relocation, &library);
        tables.put(&mut writer);
        for rt in &self.classes {
            rt.class.put(&mut writer);
        }
        Some(assemble(key, &writer.finish(), &objects))
    }

    fn interned_strings(&self) -> Vec<(u64, Ref)> {
        let own = self.strings.by_hash.iter().chain(self.strings.base.iter());
        let mut strings: Vec<(u64, Ref)> =
            own.flat_map(|(&hash, all)| all.iter().map(move |&string| (hash, string))).collect();
        strings.sort_unstable_by_key(|&(hash, string)| (hash, string.0));
        strings
    }
}

fn class_row(rt: &ClassRt) -> ClassRow {
    let ClassRt {
        class: _,
        mirror,
        array_class,
        first_method,
        initialised_at,
        made_at: _,
        selected: _,
        sites: _,
        versions: _,
    } = rt;
    ClassRow {
        mirror: *mirror,
        array_class: *array_class,
        first_method: *first_method,
        is_initialised: initialised_at.is_some(),
    }
}

fn module_row(module: &DefinedModule) -> ModuleRow {
    let DefinedModule { java, name, is_open, reads, exports } = module;
    let mut exports: Vec<_> = exports.iter().map(|(&name, to)| (name, to.clone())).collect();
    exports.sort_by_key(|(name, _)| name.as_bytes());
    ModuleRow { java: *java, name: *name, is_open: *is_open, reads: reads.clone(), exports }
}

fn loader_row(loader: &LoaderData) -> LoaderRow {
    let LoaderData { java, classes, packages } = loader;
    let mut classes: Vec<_> = classes.iter().map(|(&name, &class)| (name, class)).collect();
    let mut packages: Vec<_> = packages.iter().map(|(&name, &module)| (name, module)).collect();
    classes.sort_by_key(|(name, _)| name.as_bytes());
    packages.sort_by_key(|(name, _)| name.as_bytes());
    LoaderRow { java: *java, classes, packages }
}

/// The row of a thread; `None` where it is in the middle of something.
fn thread_row(thread: &Thread, is_running: bool) -> Option<ThreadRow> {
    let Thread {
        id,
        java,
        current,
        scoped_values,
        state,
        registers,
        frames,
        frame,
        hooks,
        permit,
        woken,
        saved_lock_count: _,
        patience: _,
        allocated: _,
        since: _,
        daemon,
        housekeeper,
        suspended,
        stopped_by,
        step,
        saved_for: _,
    } = thread;
    let stands = if is_running {
        hooks.is_empty()
    } else {
        matches!(hooks[..], [Hook::Entry]) && *frame == frames.start()
    };
    let is_plain = stands
        && *state == State::Runnable
        && !*permit
        && woken.is_none()
        && scoped_values.is_null()
        && !*suspended
        && stopped_by.is_null()
        && *step == Step::Run;
    is_plain.then(|| ThreadRow {
        id: *id,
        java: *java,
        current: *current,
        daemon: *daemon,
        housekeeper: *housekeeper,
        n_registers: u32::try_from(registers.capacity()).unwrap_or(u32::MAX),
        n_frames: u32::try_from(frames.capacity()).unwrap_or(u32::MAX),
    })
}

impl Tables {
    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Tables> {
        Tables::take(reader)
    }
}
