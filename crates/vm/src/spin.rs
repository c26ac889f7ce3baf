//! Call sites of the five bootstrap methods that compilers emit, linked by the machine itself: it
//! writes the hidden class that the JDK's own code would have written, at a small part of the cost.
//! Whatever is unusual is declined, and the JDK's Java code links it as before.
//!
//! Java code must not be able to tell: same classes, names, members, exceptions, stack traces.
//! What a class of ours has beside is the static adapter that the call site enters.

mod class_writer;
mod concat;
mod lambda;
mod record;
mod type_switch;

use std::sync::Arc;

use classfile::{BootstrapMethod, ClassBytes, ClassFile, Constant};
use rustc_hash::FxHashMap;

use crate::class::{Class, Method};
use crate::frame::Res;
use crate::link::DefineOptions;
use crate::value::{ClassId, MethodId, Ref};
use crate::vm::Vm;

/// System property that leaves all linkage to the JDK's code when it is `jdk`.
const LINKAGE_PROPERTY: &str = "nonpareil.linkage";

const METAFACTORY: &[u8] = b"(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;Ljava/lang/invoke/MethodType;Ljava/lang/invoke/MethodHandle;Ljava/lang/invoke/MethodType;)Ljava/lang/invoke/CallSite;";
const CONCAT: &[u8] = b"(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/invoke/CallSite;";
const OBJECT_METHODS: &[u8] = b"(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/TypeDescriptor;Ljava/lang/Class;Ljava/lang/String;[Ljava/lang/invoke/MethodHandle;)Ljava/lang/Object;";
const SWITCH: &[u8] = b"(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;[Ljava/lang/Object;)Ljava/lang/invoke/CallSite;";

/// What a linked call site does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linked {
    /// Calls a static method, with the appendix (null for none) behind the arguments.
    Call {
        /// The method.
        adapter: MethodId,
        /// Its last argument.
        appendix: Ref,
    },
    /// Gives an object, always the same.
    Constant(Ref),
}

/// Classes written so far, as a cache: nothing here changes what a program sees. Keyed by the
/// identity of the class file that has the site, which is kept, and the site's constant.
#[derive(Debug, Default, Clone)]
pub struct Spun {
    files: FxHashMap<(usize, u16), (Arc<ClassFile>, Arc<ClassFile>)>,
    /// Adapters for string concatenation by the kinds of the arguments.
    concats: FxHashMap<Vec<u8>, Arc<Class>>,
}

/// One call site to link.
struct Site<'a> {
    caller: ClassId,
    file: &'a Arc<ClassFile>,
    cp: u16,
    number: u32,
    bootstrap: &'a BootstrapMethod,
    name: &'a [u8],
    descriptor: &'a [u8],
}

impl Vm {
    /// Links a site if its bootstrap method is one of the known; whether it was.
    pub(crate) fn link_known_bootstrap(
        &mut self,
        caller: ClassId,
        file: &Arc<ClassFile>,
        cp: u16,
        number: u32,
    ) -> Res<bool> {
        let pool = file.constant_pool();
        let Some((bootstrap, name, descriptor)) = pool.try_dynamic(cp) else { return Ok(false) };
        let Some(bootstrap) = file.bootstrap_methods().get(usize::from(bootstrap)) else {
            return Ok(false);
        };
        let Some(Constant::MethodHandle { kind: 6, reference }) = pool.get(bootstrap.method_ref)
        else {
            return Ok(false);
        };
        let site = Site { caller, file, cp, number, bootstrap, name, descriptor };
        if self.jdk >= 24 {
            // The JDK's own linkage would have initialised this class, and others of its package
            // only work behind it.
            let class = self.boot_class("java/lang/constant/ConstantDescs")?;
            self.ensure_initialised(class)?;
        }
        match pool.member_ref(reference) {
            (b"java/lang/invoke/LambdaMetafactory", b"metafactory", METAFACTORY)
                if self.links_itself() =>
            {
                self.link_lambda(&site)
            }
            (b"java/lang/invoke/StringConcatFactory", b"makeConcatWithConstants", CONCAT)
                if self.links_itself() =>
            {
                self.link_concat(&site)
            }
            (b"java/lang/runtime/ObjectMethods", b"bootstrap", OBJECT_METHODS)
                if self.links_itself() =>
            {
                self.link_record_method(&site)
            }
            (b"java/lang/runtime/SwitchBootstraps", b"typeSwitch", SWITCH)
                if self.links_itself() =>
            {
                self.link_type_switch(&site)
            }
            _ => Ok(false),
        }
    }

    fn links_itself(&self) -> bool {
        !self
            .options
            .properties
            .iter()
            .any(|(name, value)| name == LINKAGE_PROPERTY && value == "jdk")
    }

    /// What a site does that is linked to one of the machine's classes: the class's one static
    /// method is the adapter; without one, the appendix is the constant.
    pub(crate) fn spun_site(&self, class: ClassId, appendix: Ref) -> Linked {
        match self.class(class).methods.iter().find(|method| is_adapter(method)) {
            Some(adapter) => Linked::Call { adapter: adapter.id, appendix },
            None => Linked::Constant(appendix),
        }
    }

    /// Defines a class for a site: hidden, nest mate of the caller. `write` makes its bytes unless
    /// the same site of the same class file was linked before.
    fn define_spun(&mut self, site: &Site<'_>, write: impl FnOnce() -> Vec<u8>) -> Res<ClassId> {
        let key = (Arc::as_ptr(site.file) as usize, site.cp);
        let file = match self.spun.files.get(&key) {
            Some((_, file)) => Arc::clone(file),
            None => {
                let bytes = ClassBytes::from_vec(write());
                let file =
                    ClassFile::parse(bytes).expect("internal: the machine writes sound classes");
                let file = Arc::new(file);
                self.spun.files.insert(key, (Arc::clone(site.file), Arc::clone(&file)));
                file
            }
        };
        let protection_domain =
            self.heap.load_ref(self.mirror(site.caller), self.known.class_protection_domain);
        let options = DefineOptions {
            protection_domain,
            hidden_for: Some(site.caller),
            nest_mate: true,
            is_spun: true,
            ..DefineOptions::default()
        };
        let loader = self.class(site.caller).loader;
        self.define_parsed(loader, file, &options)
    }
}

/// The native of the machine's classes: there is only one.
pub(crate) fn native_of_spun() -> crate::native::NativeFn {
    concat::join
}

/// Whether a method of one of the machine's classes is its adapter, which Java code must not see.
pub(crate) fn is_adapter(method: &Method) -> bool {
    method.is_static()
}
