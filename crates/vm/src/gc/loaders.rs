//! Class loaders that nobody can reach any more, with their classes and all instances of those.
//!
//! In a collection of everything such a loader is no root: it is used if it, one of its classes or
//! an instance of one is found, or if a method of one runs. What is not used is gone as far as
//! references can tell. Its memory is kept: classes are not taken apart, so that everything that
//! knows them by number stays whole.

use rustc_hash::FxHashMap;

use super::cycle::Cycle;
use super::roots;
use super::shapes::Shapes;
use crate::value::{ClassId, LoaderId, Ref};
use crate::vm::Vm;

/// The loaders that may be gone.
#[derive(Debug)]
pub(super) struct Watch {
    /// By class number: one more than the position in `loaders`; 0 for classes that stay.
    of_class: Vec<u32>,
    /// By loader, likewise.
    of_loader: Vec<u32>,
    of_mirror: FxHashMap<Ref, u32>,
    loaders: Vec<Watched>,
}

#[derive(Debug)]
struct Watched {
    id: LoaderId,
    classes: Vec<ClassId>,
    is_met: bool,
    /// Whether it and its classes count as roots.
    is_taken: bool,
}

impl Watch {
    /// The loaders that Java code made itself; `None` where there are none.
    pub(super) fn of(vm: &Vm, cycle: &Cycle<'_>) -> Option<Watch> {
        let mut of_loader = vec![0u32; vm.loaders.len()];
        let mut loaders = Vec::new();
        for (idx, loader) in (0u32..).zip(&vm.loaders) {
            let id = LoaderId(idx);
            if loader.java.is_null() || !cycle.collects(loader.java) || is_built_in(vm, loader.java)
            {
                continue;
            }
            loaders.push(Watched { id, classes: Vec::new(), is_met: false, is_taken: false });
            of_loader[id.idx()] = u32::try_from(loaders.len()).ok()?;
        }
        if loaders.is_empty() {
            return None;
        }
        let (of_class, of_mirror) = (Vec::new(), FxHashMap::default());
        let mut watch = Watch { of_class, of_loader, of_mirror, loaders };
        for rt in &vm.classes {
            let position = watch.of_loader[rt.class.loader.idx()];
            watch.of_class.push(position);
            if position > 0 {
                watch.of_mirror.insert(rt.mirror, position);
                watch.loaders[position as usize - 1].classes.push(rt.class.id);
            }
        }
        Some(watch)
    }

    /// An object of this class was found.
    #[inline]
    pub(super) fn meet_class(&mut self, class_id: u32) {
        let position = self.of_class.get(class_id as usize).copied().unwrap_or(0);
        if position > 0 {
            self.loaders[position as usize - 1].is_met = true;
        }
    }

    /// An object that is not collected was found; it may be a mirror.
    #[inline]
    pub(super) fn meet_fixed(&mut self, object: Ref) {
        if let Some(&position) = self.of_mirror.get(&object) {
            self.loaders[position as usize - 1].is_met = true;
        }
    }

    /// Whether this is a mirror that nobody has found (yet).
    pub(super) fn is_gone(&self, object: Ref) -> bool {
        self.of_mirror
            .get(&object)
            .is_some_and(|&position| !self.loaders[position as usize - 1].is_taken)
    }

    /// Whether the roots of a loader wait until it is found.
    pub(super) fn is_watched(&self, loader: LoaderId) -> bool {
        self.of_loader.get(loader.idx()).is_some_and(|&position| position > 0)
    }

    /// Whether the roots of a class wait until its loader is found.
    pub(super) fn is_watched_class(&self, class: ClassId) -> bool {
        self.of_class.get(class.idx()).is_some_and(|&position| position > 0)
    }

    /// Positions of the loaders that are to be taken now: those in use, or all that are left.
    fn due(&self, all: bool, is_live: &dyn Fn(LoaderId) -> bool) -> Vec<usize> {
        let is_due = |watched: &Watched| all || watched.is_met || is_live(watched.id);
        let waiting = self.loaders.iter().enumerate().filter(|(_, watched)| !watched.is_taken);
        waiting.filter(|(_, watched)| is_due(watched)).map(|(position, _)| position).collect()
    }
}

fn is_built_in(vm: &Vm, loader: Ref) -> bool {
    let class = vm.class(vm.class_of(loader));
    class.loader == LoaderId::BOOT
        && class.name.as_bytes().starts_with(b"jdk/internal/loader/ClassLoaders$")
}

/// Takes the loaders that were found, with what is found through them.
pub(super) fn take_used(vm: &mut Vm, shapes: &Shapes, cycle: &mut Cycle<'_>) {
    for class in roots::running_classes(vm) {
        cycle.meet_class(class.0);
    }
    while take(vm, shapes, cycle, false) {
        cycle.drain();
    }
}

/// Takes the loaders that nobody found: references to them have been cleared.
pub(super) fn take_rest(vm: &mut Vm, shapes: &Shapes, cycle: &mut Cycle<'_>) {
    take(vm, shapes, cycle, true);
    cycle.drain();
}

fn take(vm: &mut Vm, shapes: &Shapes, cycle: &mut Cycle<'_>, all: bool) -> bool {
    let Some(mut watch) = cycle.take_watch() else { return false };
    let due = watch.due(all, &|id| cycle.is_live(vm.loaders[id.idx()].java));
    for &position in &due {
        watch.loaders[position].is_taken = true;
    }
    let classes: Vec<ClassId> =
        due.iter().flat_map(|&position| watch.loaders[position].classes.clone()).collect();
    let ids: Vec<LoaderId> = due.iter().map(|&position| watch.loaders[position].id).collect();
    cycle.set_watch(watch);
    for id in ids {
        cycle.root(roots::address(&mut vm.loaders[id.idx()].java));
    }
    for class in classes {
        roots::mirror_roots(vm, shapes, cycle, class);
    }
    !due.is_empty()
}
