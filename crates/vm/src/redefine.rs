//! New code for a class that is there already: `Instrumentation.redefineClasses` and
//! `retransformClasses` (`instrument`).
//!
//! A class keeps its identifiers, fields, dispatch tables and mirror; its class file and the bodies of its
//! methods change. Call sites hold methods and not their code, so the next call of a method runs its new
//! body. Frames that run old code go on in a *version*: an entry of the class table of its own, with the
//! old class file and the old bodies, which shares the mirror. What such code resolves means the present
//! class.
//!
//! Invariant: code that was replaced lives as long as the machine, so undo entries may point into it.
//! A rollback puts the old bodies back and drops the version.
#![expect(
    unsafe_code,
    reason = "methods and frames are reached through raw pointers; see `stack.rs`"
)]

mod schema;

use std::sync::Arc;

use classfile::{ClassBytes, ClassFile};

use crate::boot::Unfinished;
use crate::class::{Class, ClassRt, Method, MethodRt, Versions};
use crate::code::{Code, Insn, Op};
use crate::frame::{Frame, Res};
use crate::link::new_method;
use crate::travel::Undo;
use crate::value::{ClassId, MethodId};
use crate::vm::Vm;

/// Code that was replaced and that no method has any more.
#[derive(Debug, Default)]
pub(crate) struct Retired {
    codes: Vec<*const Code>,
}

// SAFETY: owned by one machine and reached only through it.
unsafe impl Send for Retired {}

impl Drop for Retired {
    fn drop(&mut self) {
        for &code in &self.codes {
            // SAFETY: codes come from `Box::into_raw`; see the invariant of `MethodTable::truncate`.
            unsafe { drop(Box::from_raw(code.cast_mut())) }
        }
    }
}

/// What a redefinition replaced, for a rollback.
#[derive(Debug)]
pub struct Replaced {
    class: ClassId,
    old: Arc<Class>,
    /// The version that runs the old code, where some frame does.
    version: Option<ClassId>,
    methods: Vec<MethodRt>,
    sites: Option<Arc<[(u16, u16)]>>,
    versions: Option<Box<Versions>>,
}

// SAFETY: the pointers lead to what the machine owns.
unsafe impl Send for Replaced {}

/// One class of a redefinition, checked.
#[derive(Debug)]
pub(crate) struct Redefinition {
    /// The class.
    pub(crate) class: ClassId,
    /// Its new class file.
    pub(crate) file: Arc<ClassFile>,
    /// What transformers begin with from now on, unless that was settled before.
    pub(crate) original: Option<ClassBytes>,
    /// Whether what was settled before is forgotten.
    pub(crate) is_fresh: bool,
}

impl Vm {
    /// The class that a version of it stands for; every other class itself.
    #[inline]
    pub fn present_version(&self, class: ClassId) -> ClassId {
        self.class_of_mirror(self.mirror(class))
    }

    /// Whether the code of a class was replaced.
    pub(crate) fn is_redefined(&self, class: ClassId) -> bool {
        self.classes[class.idx()].versions.as_ref().is_some_and(|versions| versions.is_redefined)
    }

    /// The class file that transformers begin with.
    pub(crate) fn original_bytes(&self, class: ClassId) -> ClassBytes {
        let versions = self.classes[class.idx()].versions.as_ref();
        let original = versions.and_then(|versions| versions.original.clone());
        original.unwrap_or_else(|| self.class(class).class_file().bytes().clone())
    }

    /// Whether agents may give a class new code.
    pub(crate) fn is_modifiable(&self, class: ClassId) -> bool {
        let class = self.class(class);
        class.has_file() && !class.hidden && !class.is_spun
    }

    /// Parses and checks a new class file for a class. May need to load classes first.
    pub(crate) fn check_redefinition(
        &mut self,
        class: ClassId,
        bytes: &ClassBytes,
    ) -> Res<Arc<ClassFile>> {
        let linked = Arc::clone(self.class(class));
        if linked.class_file().bytes()[..] == bytes[..] {
            return Ok(Arc::clone(linked.class_file()));
        }
        if self.version_fault(&String::new, bytes).is_some() {
            return Err(self.throw_plain("java/lang/UnsupportedClassVersionError"));
        }
        let mut file = match ClassFile::parse(bytes.clone()) {
            Ok(file) => file,
            Err(error) => {
                let kind = match error.kind() {
                    classfile::ClassFormatErrorKind::UnsupportedClassVersion => {
                        "java/lang/UnsupportedClassVersionError"
                    }
                    classfile::ClassFormatErrorKind::ClassFormat => "java/lang/ClassFormatError",
                };
                return Err(self.throw_plain(kind));
            }
        };
        if file.name() != linked.class_file().name() {
            let message = "class names don't match";
            return Err(self.throw("java/lang/NoClassDefFoundError", message));
        }
        if let Some(message) = schema::difference(linked.class_file(), &mut file) {
            let message = format!("class redefinition failed: {message}");
            return Err(self.throw("java/lang/UnsupportedOperationException", &message));
        }
        // Not even classes of the JDK are trusted: this class file is somebody else's.
        for slot in 0..file.methods().len() {
            if self.verify_substitute(&linked, &file, slot)?.is_err() {
                return Err(self.throw_plain("java/lang/VerifyError"));
            }
        }
        Ok(Arc::new(file))
    }

    /// Gives a class new code from outside of Java code: the class file must differ in the bodies of methods
    /// alone, else this throws as `Instrumentation.redefineClasses` does.
    pub fn redefine_class(&mut self, class: ClassId, bytes: &ClassBytes) -> Result<(), Unfinished> {
        self.complete(|vm| {
            let file = vm.check_redefinition(class, bytes)?;
            let redefinition = Redefinition { class, file, original: None, is_fresh: true };
            vm.redefine_classes(vec![redefinition])
        })
    }

    /// Gives all these classes their new code, or none of them.
    pub(crate) fn redefine_classes(&mut self, all: Vec<Redefinition>) -> Res<()> {
        let mut grown = Vec::with_capacity(all.len());
        for redefinition in &all {
            grown.push(self.grow_sites(redefinition.class, &redefinition.file)?);
        }
        let count = self.field_offset(self.known.class, "classRedefinedCount", "I");
        for (Redefinition { class, file, original, is_fresh }, (sites, start)) in
            all.into_iter().zip(grown)
        {
            let mirror = self.mirror(class);
            let n = self.heap.load_u32(mirror, count);
            self.heap.store_u32(mirror, count, n.wrapping_add(1));
            let settled = self.classes[class.idx()].versions.as_ref().filter(|_| !is_fresh);
            let original = settled.and_then(|versions| versions.original.clone()).or(original);
            self.heap.store_ref(mirror, self.known.class_sites, sites);
            let versions = Versions { sites_start: start, original, is_redefined: true };
            let had_intrinsics = self.replace(class, file, versions);
            if had_intrinsics {
                self.forget_intrinsics(class);
            }
            if class == self.known.object {
                self.forget_empty_constructors();
            }
        }
        Ok(())
    }

    /// Whether call sites may run methods of the class without their code.
    fn replace(&mut self, class: ClassId, file: Arc<ClassFile>, versions: Versions) -> bool {
        let old = Arc::clone(self.class(class));
        let running = self.frames_of(class);
        let version = (!running.is_empty()).then(|| self.add_version(class));
        let new = Arc::new(old.version(class, methods_in(&old, &file), file));
        let mut methods = Vec::with_capacity(new.methods.len());
        let mut had_intrinsics = false;
        for (slot, method) in (0u32..).zip(new.methods.iter().chain(&new.conflicts)) {
            let rt: *mut MethodRt = self.methods.rt(method.id);
            // SAFETY: entries of the method table never move; the class that owns `method` is put into
            // the class table below.
            let before = unsafe { *rt };
            methods.push(before);
            if method.is_native() || method.is_abstract() {
                // SAFETY: as above.
                unsafe { (*rt).method = method };
                continue;
            }
            had_intrinsics |= before.intrinsic.is_some();
            // SAFETY: as above.
            unsafe { *rt = new_method(method) };
            match version {
                Some(version) => {
                    let first = self.classes[version.idx()].first_method;
                    let old_rt: *mut MethodRt = self.methods.rt(MethodId(first.0 + slot));
                    // SAFETY: as above; the version has the same methods.
                    unsafe {
                        (*old_rt).entry = before.entry;
                        (*old_rt).code = before.code;
                        (*old_rt).n_regs = before.n_regs;
                    }
                }
                None if !before.code.is_null() => self.retired.codes.push(before.code),
                None => {}
            }
        }
        if let Some(version) = version {
            self.move_frames(&running, class, version);
        }
        let rt = &mut self.classes[class.idx()];
        rt.class = new;
        let sites = rt.sites.take();
        let versions = rt.versions.replace(Box::new(versions));
        let replaced = Replaced { class, old, version, methods, sites, versions };
        self.marks.remember(Undo::Redefined(Box::new(replaced)));
        had_intrinsics
    }

    /// Puts back what a redefinition replaced.
    pub(crate) fn take_back_redefinition(&mut self, replaced: Replaced) {
        let Replaced { class, old, version, methods, sites, versions } = replaced;
        for (slot, (method, before)) in
            (0u32..).zip(old.methods.iter().chain(&old.conflicts).zip(methods))
        {
            let rt: *mut MethodRt = self.methods.rt(method.id);
            let mut back = before;
            // SAFETY: entries of the method table never move; `old` is put back into the class table.
            unsafe {
                if let Some(version) = version {
                    let first = self.classes[version.idx()].first_method;
                    if !method.is_native() && !method.is_abstract() {
                        // The old body may have been translated since.
                        let old_rt: *mut MethodRt = self.methods.rt(MethodId(first.0 + slot));
                        back.entry = (*old_rt).entry;
                        back.code = (*old_rt).code;
                        (*old_rt).code = std::ptr::null();
                    }
                }
                self.retired.codes.retain(|&code| code != back.code);
                if (*rt).code != back.code && !(*rt).code.is_null() {
                    self.retired.codes.push((*rt).code);
                }
                back.native = (*rt).native;
                *rt = back;
            }
        }
        if let Some(version) = version {
            let running = self.frames_of(version);
            self.move_frames(&running, version, class);
        }
        let rt = &mut self.classes[class.idx()];
        rt.class = old;
        rt.sites = sites;
        rt.versions = versions;
    }

    /// Adds the version of a class that goes on with its present code; its methods have no code yet.
    fn add_version(&mut self, class: ClassId) -> ClassId {
        let old = Arc::clone(self.class(class));
        let id = self.next_class_id();
        let first_method = self.methods.next_id();
        let methods = (0u32..).zip(&old.methods).map(|(slot, method)| Method {
            id: MethodId(first_method.0 + slot),
            class: id,
            ..method.clone()
        });
        let mut version = old.version(id, methods.collect(), Arc::clone(old.class_file()));
        version.conflicts = Box::default();
        version.statics_size = 0;
        version.static_ref_offsets = Box::default();
        if version.nest_host.is_none() && old.class_file().nest_host().is_none() {
            version.nest_host = Some(class);
        }
        let version = Arc::new(version);
        for method in &version.methods {
            self.methods.push(new_method(method));
        }
        let made_at = self.depth();
        let rt = &self.classes[class.idx()];
        let rt = ClassRt {
            class: version,
            mirror: rt.mirror,
            array_class: rt.array_class,
            first_method,
            initialised_at: rt.initialised_at,
            made_at,
            selected: rt.selected.clone(),
            sites: rt.sites.clone(),
            versions: rt.versions.clone(),
        };
        self.classes.push(rt);
        id
    }

    /// The frames in the middle of a class's own code, with the positions of their threads.
    fn frames_of(&self, class: ClassId) -> Vec<(usize, *mut Frame)> {
        let mut found = Vec::new();
        for thread in 0..self.threads.len() {
            for activation in self.walk_thread(thread) {
                let method = self.method(activation.method);
                if method.class == class && !method.is_native() {
                    found.push((thread, activation.frame));
                }
            }
        }
        found
    }

    fn move_frames(&mut self, frames: &[(usize, *mut Frame)], from: ClassId, to: ClassId) {
        let from = self.classes[from.idx()].first_method;
        let to = self.classes[to.idx()].first_method;
        for &(thread, frame) in frames {
            if thread != self.current {
                self.save_thread(thread);
            }
            // SAFETY: the frame is one of a thread's, and runs a method of the first class; the second one
            // has the same methods.
            unsafe {
                let method = (*(*(*frame).method).method).id;
                (*frame).method = self.methods.rt(MethodId(method.0 - from.0 + to.0));
            }
        }
    }

    /// Constructors that only call that of `Object` may do something by now.
    fn forget_empty_constructors(&mut self) {
        for idx in 0..self.methods.len() {
            let id = MethodId(u32::try_from(idx).unwrap_or(u32::MAX));
            // SAFETY: entries of the method table never move.
            unsafe { (*self.methods.rt(id)).is_empty = false };
        }
    }

    /// Takes back call sites that run methods of a class without running their code.
    fn forget_intrinsics(&mut self, class: ClassId) {
        for idx in 0..self.methods.len() {
            let id = MethodId(u32::try_from(idx).unwrap_or(u32::MAX));
            let Some(code) = self.methods.code(id) else { continue };
            let owner = self.class(self.method(id).class);
            let slot = usize::from(self.method(id).slot);
            forget_intrinsics_in(code, owner, slot, class);
        }
    }
}

/// The methods of a class as another class file has them, which was checked to have the same.
fn methods_in(old: &Class, file: &ClassFile) -> Vec<Method> {
    let bodies = file.methods().iter().map(|info| info.code.as_ref());
    old.methods
        .iter()
        .zip(bodies)
        .map(|(method, code)| Method {
            max_locals: code.map_or(0, |code| code.max_locals),
            max_stack: code.map_or(0, |code| code.max_stack),
            ..method.clone()
        })
        .collect()
}

/// Makes the sites of one method resolve again that run methods of a class without their code.
fn forget_intrinsics_in(code: &Code, owner: &Class, slot: usize, class: ClassId) {
    let Some(body) = owner.class_file().methods().get(slot).and_then(|info| info.code.as_ref())
    else {
        return;
    };
    let bytes = owner.class_file().instructions(body);
    let mut position = 0;
    while let Some(cell) = code.insns.get(position) {
        // SAFETY: nobody else looks at the code now; data units are stepped over.
        unsafe {
            let insn: *mut Insn = cell.get();
            let Some(&op) = Op::ALL.get(usize::from((*insn).op)) else { return };
            if matches!(op, Op::intrinsic_q | Op::intrinsic_writes_q | Op::intrinsic_unseen_q)
                && let Some(target) = code.insns.get(position + 2)
            {
                let rt = Insn::word(*target.get()) as *const MethodRt;
                let bci = code.bci_at(u32::try_from(position).unwrap_or(u32::MAX));
                let call = match bytes.get(usize::from(bci)) {
                    Some(182) => Op::invokevirtual_u,
                    Some(183) => Op::invokespecial_u,
                    _ => Op::invokestatic_u,
                };
                if (*(*rt).method).class == class {
                    *insn = Insn::abc(call, (*insn).a, (*insn).b, (*insn).c);
                }
            }
            position += op.units();
        }
    }
}
