//! Linking of `invokedynamic`, of `MethodHandle` and `VarHandle` call sites, and of the constants
//! behind them (JVMS §5.4.3.5, §5.4.3.6). The JDK's own Java code does the work; the machine calls
//! it and keeps what it gives.
//!
//! What is kept lies in the `sites` array of the class's mirror, so that rollback and collector
//! see it:
//!
//! ```text
//! sites[0]          Object[] by constant-pool index: resolved constants and, at the index of a
//!                   NameAndType, its MethodType; the array itself stands for a constant `null`
//! sites[site]       appendix of a linked call site, or null
//! sites[site + 1]   MemberName of its adapter, or the Class that the machine wrote for it
//!                   (`spin`), or the error that linkage failed with; null while it is not linked
//! ```
//!
//! A class whose code was replaced has one such part per class file, one behind the other; the numbers
//! of its sites begin where its part does.
//!
//! A constant that could not be made is an `Object[]` of the array of constants and the error.
//!
//! Everything here may need Java code to run first and is then repeated from its start; the parts
//! already there are found in the arrays.

mod constants;

use std::sync::Arc;

use classfile::{ClassFile, Constant};

use crate::code::bytecode::{self, Bytes};
use crate::frame::{Hook, Res, Trap, Upcall};
use crate::spin::Linked;
use crate::value::{ClassId, Kind, MethodId, Ref, Value};
use crate::vm::Vm;

/// What a call from `Hook::CallSite` was for: the high bits of its tag.
const TAG_SITE: u32 = 0;
const TAG_CONSTANT: u32 = 1 << 31;

impl Vm {
    /// The method that `invokeBasic` on a method handle runs: the entry of its lambda form, which
    /// the handle's constructor has prepared.
    #[inline]
    pub fn basic_target(&self, method_handle: Ref) -> MethodId {
        let form = self.heap.load_ref(method_handle, self.known.method_handle_form);
        let entry = self.heap.load_ref(form, self.known.lambda_form_vmentry);
        self.member_target(entry)
    }

    /// The method that a resolved `MemberName` names.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "holds a method id plus one")]
    pub fn member_target(&self, member_name: Ref) -> MethodId {
        let resolved = self.heap.load_ref(member_name, self.known.member_name_method);
        let target = self.heap.load_u64(resolved, self.known.resolved_method_vmtarget);
        MethodId(target as u32 - 1)
    }

    /// The number of a call site: the same for all that is made of the same instruction.
    #[expect(clippy::cast_possible_truncation, reason = "a class has less than four billion sites")]
    pub fn site_number(&mut self, method: MethodId, bci: u16) -> u32 {
        let (class, slot) = (self.method(method).class, self.method(method).slot);
        let sites = self.sites_in(class);
        let at = sites.binary_search(&(slot, bci)).expect("internal: every call site is known");
        self.sites_start(class) + at as u32 * 2 + 1
    }

    /// Where the part of the `sites` array begins that belongs to a class's code: behind the parts of
    /// code that was replaced, which may still run.
    fn sites_start(&self, class: ClassId) -> u32 {
        self.classes[class.idx()].versions.as_ref().map_or(0, |versions| versions.sites_start)
    }

    /// Makes room behind the `sites` of a class for those of another class file, without giving it to the
    /// class yet: the new array, and where the new part begins.
    pub(crate) fn grow_sites(&mut self, class: ClassId, file: &ClassFile) -> Res<(Ref, u32)> {
        let old = self.sites_of(class)?;
        let n_old = self.heap.array_length(old);
        let n_sites = u32::try_from(find_sites(file).len()).unwrap_or(u32::MAX);
        let grown =
            self.new_array(self.known.arrays[Kind::Ref as usize], n_old + n_sites * 2 + 1)?;
        for idx in 0..n_old {
            let kept = self.heap.element_ref(old, idx);
            self.heap.set_element_ref(grown, idx, kept);
        }
        Ok((grown, n_old))
    }

    fn sites_in(&mut self, class: ClassId) -> Arc<[(u16, u16)]> {
        if let Some(sites) = &self.classes[class.idx()].sites {
            return Arc::clone(sites);
        }
        let sites: Arc<[(u16, u16)]> = find_sites(&self.file_of(class)).into();
        self.classes[class.idx()].sites = Some(Arc::clone(&sites));
        sites
    }

    /// The appendix of a linked call site.
    #[inline]
    pub fn site_appendix(&self, class: ClassId, site: u32) -> Ref {
        let sites = self.heap.load_ref(self.mirror(class), self.known.class_sites);
        self.heap.element_ref(sites, site)
    }

    /// Links an `invokedynamic` site: the adapter to call (static) and the appendix, its last
    /// argument, null for none.
    pub fn link_invokedynamic(&mut self, caller: ClassId, cp: u16, site: u32) -> Res<Linked> {
        if let Some(linked) = self.linked_site(caller, site)? {
            return Ok(linked);
        }
        let file = self.file_of(caller);
        if self.link_known_bootstrap(caller, &file, cp, site)?
            && let Some(linked) = self.linked_site(caller, site)?
        {
            return Ok(linked);
        }
        let Some(Constant::InvokeDynamic { bootstrap, name_and_type }) =
            file.constant_pool().get(cp)
        else {
            return Err(self
                .throw("java/lang/ClassFormatError", "invokedynamic without call site specifier"));
        };
        let name = file.constant_pool().name_and_type(name_and_type).0;
        let handle = self.bootstrap_handle(caller, &file, bootstrap)?;
        let method_type = self.method_type_at(caller, name_and_type)?;
        let arguments = self.bootstrap_arguments(caller, &file, bootstrap)?;
        let name = self.intern_mutf8(name)?;
        let appendix = self.new_ref_array(self.known.object, &[Ref::NULL])?;
        let mut args = vec![self.mirror(caller).to_slot()];
        if self.jdk < 19 {
            args.push(Value::Int(i32::from(cp)).to_slot());
        }
        args.extend([handle, name, method_type, arguments, appendix].map(Ref::to_slot));
        Err(self.call_natives("linkCallSite", args, caller, TAG_SITE | site, appendix)?)
    }

    /// Links the call sites of a class before their first run, where the machine knows the bootstrap
    /// method: lambdas, concatenations, methods of records. Nobody can tell, but by the classes loaded.
    /// What is linked under a mark is linked anew after every rollback; this is how to link it for good.
    #[expect(clippy::cast_possible_truncation, reason = "a class has less than four billion sites")]
    pub fn link_ahead(&mut self, class: ClassId) -> Res<()> {
        let file = self.file_of(class);
        for (at, &(slot, bci)) in self.sites_in(class).iter().enumerate() {
            let Some(code) = &file.methods()[usize::from(slot)].code else { continue };
            let bytes = Bytes(file.instructions(code));
            if bytes.u1(usize::from(bci)) != INVOKEDYNAMIC {
                continue;
            }
            let site = self.sites_start(class) + at as u32 * 2 + 1;
            let cp = bytes.u2(usize::from(bci) + 1);
            let sites = self.sites_of(class)?;
            if !self.heap.element_ref(sites, site + 1).is_null() {
                continue;
            }
            if self.link_known_bootstrap(class, &file, cp, site)? {
                self.linked_site(class, site)?;
            } else if self.is_held() && is_lambda(&file, cp) {
                // By the JDK's own code, whose results must not move before they are kept.
                self.link_invokedynamic(class, cp, site)?;
            }
        }
        Ok(())
    }

    /// Links a call of `MethodHandle.invoke`, `invokeExact` or a `VarHandle` access method.
    pub fn link_invokehandle(&mut self, caller: ClassId, cp: u16, site: u32) -> Res<Linked> {
        if let Some(linked) = self.linked_site(caller, site)? {
            return Ok(linked);
        }
        let file = self.file_of(caller);
        let Some(Constant::MethodRef { class, name_and_type }) = file.constant_pool().get(cp)
        else {
            return Err(
                self.throw("java/lang/IncompatibleClassChangeError", "not a method of a class")
            );
        };
        let holder = self.resolve_class(caller, class)?;
        let method_type = self.method_type_at(caller, name_and_type)?;
        let name = self.intern_mutf8(file.constant_pool().name_and_type(name_and_type).0)?;
        let appendix = self.new_ref_array(self.known.object, &[Ref::NULL])?;
        let args = vec![
            self.mirror(caller).to_slot(),
            Value::Int(REF_INVOKE_VIRTUAL).to_slot(),
            self.mirror(holder).to_slot(),
            name.to_slot(),
            method_type.to_slot(),
            appendix.to_slot(),
        ];
        Err(self.call_natives("linkMethod", args, caller, TAG_SITE | site, appendix)?)
    }

    /// Keeps what a linkage call gave; the interrupted instruction then runs again.
    pub fn call_site_returned(
        &mut self,
        class: ClassId,
        tag: u32,
        root: Ref,
        result: u64,
    ) -> Res<()> {
        let result = Ref::from_slot(result);
        if tag & TAG_CONSTANT != 0 {
            let constants = self.constants_of(class)?;
            let kept = if result.is_null() { constants } else { result };
            self.heap.set_element_ref(constants, tag & !TAG_CONSTANT, kept);
            return Ok(());
        }
        let appendix = self.heap.element_ref(root, 0);
        let sites = self.sites_of(class)?;
        // Another thread may have been quicker; its site then stays.
        if self.heap.element_ref(sites, tag + 1).is_null() {
            self.heap.set_element_ref(sites, tag, appendix);
            self.heap.set_element_ref(sites, tag + 1, result);
        }
        Ok(())
    }

    /// What is thrown where linkage threw: errors as they are, anything else in a
    /// `BootstrapMethodError`. Later attempts fail likewise (JVMS §5.4.3), so it is kept.
    pub fn call_site_failed(&mut self, class: ClassId, tag: u32, exception: Ref) -> Ref {
        let wrapped = self.wrap_in_bootstrap_error(exception);
        match wrapped.and_then(|error| self.keep_failure(class, tag, error)) {
            Ok(error) | Err(Trap::Throw(error)) => error,
            Err(_) => exception,
        }
    }

    fn keep_failure(&mut self, class: ClassId, tag: u32, error: Ref) -> Res<Ref> {
        let linkage_error = self.boot_class("java/lang/LinkageError")?;
        if !self.instance_of(error, linkage_error) {
            return Ok(error);
        }
        if tag & TAG_CONSTANT != 0 {
            let constants = self.constants_of(class)?;
            let kept = self.new_ref_array(self.known.object, &[constants, error])?;
            self.heap.set_element_ref(constants, tag & !TAG_CONSTANT, kept);
        } else {
            let sites = self.sites_of(class)?;
            if self.heap.element_ref(sites, tag + 1).is_null() {
                self.heap.set_element_ref(sites, tag + 1, error);
            }
        }
        Ok(error)
    }

    /// Throws what an earlier attempt failed with: a new error with the same message and cause.
    fn fail_again(&mut self, error: Ref) -> Trap {
        let message = self.heap.load_ref(error, self.known.throwable_detail_message).some();
        let message = message.map(|message| self.string_text(message));
        let cause = self.heap.load_ref(error, self.known.throwable_cause);
        let cause = if cause == error { Ref::NULL } else { cause };
        match self.new_throwable(self.class_of(error), message.as_deref(), cause) {
            Ok(again) => Trap::Throw(again),
            Err(trap) => trap,
        }
    }

    fn wrap_in_bootstrap_error(&mut self, exception: Ref) -> Res<Ref> {
        if self.instance_of(exception, self.known.error) {
            return Ok(exception);
        }
        let class = self.boot_class("java/lang/BootstrapMethodError")?;
        self.new_throwable(class, None, exception)
    }

    /// What a site does, if it is linked.
    fn linked_site(&mut self, class: ClassId, site: u32) -> Res<Option<Linked>> {
        let sites = self.sites_of(class)?;
        let Some(linked_to) = self.heap.element_ref(sites, site + 1).some() else {
            return Ok(None);
        };
        let appendix = self.heap.element_ref(sites, site);
        let kind = self.class_of(linked_to);
        if kind == self.known.class {
            let spun = self.class_of_mirror(linked_to);
            self.ensure_initialised(spun)?;
            return Ok(Some(self.spun_site(spun, appendix)));
        }
        if kind != self.known.member_name {
            return Err(self.fail_again(linked_to));
        }
        let adapter = self.member_target(linked_to);
        let holder = self.method(adapter).class;
        self.ensure_initialised(holder)?;
        Ok(Some(Linked::Call { adapter, appendix }))
    }

    /// Remembers that a site is linked to one of the machine's classes.
    pub(crate) fn keep_spun_site(
        &mut self,
        class: ClassId,
        site: u32,
        spun: ClassId,
        appendix: Ref,
    ) -> Res<()> {
        let sites = self.sites_of(class)?;
        self.heap.set_element_ref(sites, site, appendix);
        self.heap.set_element_ref(sites, site + 1, self.mirror(spun));
        Ok(())
    }

    fn file_of(&self, class: ClassId) -> Arc<ClassFile> {
        Arc::clone(self.class(class).class_file())
    }

    /// The trap that calls a static method of `MethodHandleNatives` by its name.
    fn call_natives(
        &mut self,
        name: &str,
        args: Vec<u64>,
        class: ClassId,
        tag: u32,
        root: Ref,
    ) -> Res<Trap> {
        let natives = self.known.method_handle_natives;
        self.ensure_initialised(natives)?;
        let method = self
            .class(natives)
            .methods
            .iter()
            .find(|method| method.name.as_bytes() == name.as_bytes())
            .expect("internal: the JDK has the linkage methods")
            .id;
        Ok(Trap::Upcall(Box::new(Upcall {
            method,
            args,
            hook: Hook::CallSite { class, tag, root },
        })))
    }

    /// The `sites` array of a class, made on first use with room for all sites that its code has:
    /// what lies in the heap must not depend on what was rolled back.
    fn sites_of(&mut self, class: ClassId) -> Res<Ref> {
        let mirror = self.mirror(class);
        let sites = self.heap.load_ref(mirror, self.known.class_sites);
        if !sites.is_null() {
            return Ok(sites);
        }
        let n_sites = u32::try_from(self.sites_in(class).len()).unwrap_or(u32::MAX);
        let sites = self.new_array(self.known.arrays[Kind::Ref as usize], n_sites * 2 + 1)?;
        self.heap.store_ref(mirror, self.known.class_sites, sites);
        Ok(sites)
    }
}

/// The `invokedynamic` instructions and calls through handles in the code of a class, in order.
fn find_sites(file: &ClassFile) -> Vec<(u16, u16)> {
    let pool = file.constant_pool();
    // A subclass named in place of the handle's own class is a call through it all the same.
    let is_handle_call = |cp: u16| pool.member_ref(cp).0.starts_with(b"java/lang/invoke/");
    let mut sites = Vec::new();
    for (slot, method) in (0u16..).zip(file.methods()) {
        let Some(code) = &method.code else { continue };
        let bytes = Bytes(file.instructions(code));
        let mut at = 0;
        while at < bytes.0.len() {
            let is_site = match bytes.u1(at) {
                INVOKEDYNAMIC => true,
                INVOKEVIRTUAL => is_handle_call(bytes.u2(at + 1)),
                _ => false,
            };
            if is_site && let Ok(bci) = u16::try_from(at) {
                sites.push((slot, bci));
            }
            at += bytecode::length(bytes, at).max(1);
        }
    }
    sites
}

const INVOKEVIRTUAL: u8 = 182;
const INVOKEDYNAMIC: u8 = 186;
/// `REF_invokeVirtual` of JVMS table 5.4.3.5-A.
const REF_INVOKE_VIRTUAL: i32 = 5;

/// Whether a call site is a lambda, of whichever kind.
fn is_lambda(file: &ClassFile, cp: u16) -> bool {
    let pool = file.constant_pool();
    let Some((bootstrap, _, _)) = pool.try_dynamic(cp) else { return false };
    let Some(bootstrap) = file.bootstrap_methods().get(usize::from(bootstrap)) else {
        return false;
    };
    match pool.get(bootstrap.method_ref) {
        Some(Constant::MethodHandle { kind: 6, reference }) => {
            pool.member_ref(reference).0 == b"java/lang/invoke/LambdaMetafactory"
        }
        _ => false,
    }
}
