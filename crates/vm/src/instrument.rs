//! Java agents (`java.lang.instrument`): transformers of class files, and jars that agents bring along.
//!
//! The library's own `InstrumentationImpl` does the work; here is what it needs of the machine. The list
//! of agents and the boot loader's jars lie in the heap (`World`), so that rollback and collector see them.
//!
//! A class file on its way into the machine passes all transformers of all agents, first those that cannot
//! transform a class again and then those that can, as Java code: every one is a step, whose result is kept
//! until the definition that asked for it has come to its end, since it runs again after every upcall.

mod agent;

use std::sync::Arc;

use classfile::{ClassBytes, Jar};

use crate::frame::{Hook, Res, Trap, Upcall};
use crate::heap::ELEMENTS_OFFSET;
use crate::host::{HostResult, OpenHow};
use crate::link::package_of;
use crate::symbol::Symbol;
use crate::value::{ClassId, LoaderId, Ref, ThreadId};
use crate::vm::Vm;

pub use agent::AgentError;
pub(crate) use agent::{Start, can_retransform, path_position};

/// The library's class behind `Instrumentation`.
const IMPLEMENTATION: &str = "sun/instrument/InstrumentationImpl";
const TRANSFORM: &[u8] = b"(Ljava/lang/Module;Ljava/lang/ClassLoader;Ljava/lang/String;Ljava/lang/Class;Ljava/security/ProtectionDomain;[BZ)[B";

/// What a machine keeps about agents beside the heap: nothing that Java code can change.
#[derive(Debug, Default)]
pub(crate) struct Agents {
    /// Jars that were opened, by path.
    jars: Vec<(String, Option<Arc<Jar>>)>,
    /// Connections of `VirtualMachine` to the machine itself.
    pub(crate) connections: Vec<crate::native::Connection>,
}

/// What is transformed.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    /// A class on its way in.
    Load {
        /// Its loader.
        loader: LoaderId,
        /// Its name, where the definition gives one.
        name: Option<Vec<u8>>,
        /// Its class file as it was given.
        bytes: ClassBytes,
    },
    /// A class that is there, at a position in the list of classes to transform.
    Again(ClassId, usize),
}

impl PartialEq for Subject {
    fn eq(&self, other: &Subject) -> bool {
        match (self, other) {
            (Subject::Again(a, at), Subject::Again(b, other)) => (a, at) == (b, other),
            (
                Subject::Load { loader, name, bytes },
                Subject::Load { loader: other_loader, name: other_name, bytes: other_bytes },
            ) => loader == other_loader && name == other_name && bytes[..] == other_bytes[..],
            _ => false,
        }
    }
}

/// A class file on its way through the transformers.
#[derive(Debug)]
pub(crate) struct Passed {
    /// Behind those that cannot transform again, where the others changed it.
    pub(crate) original: Option<ClassBytes>,
    /// Behind all.
    pub(crate) bytes: ClassBytes,
}

/// One transformer manager's turn.
#[derive(Debug)]
pub(crate) struct Step {
    ticket: u64,
    thread: ThreadId,
    n_hooks: usize,
    subject: Subject,
    agent: u32,
    can_retransform: bool,
    is_done: bool,
    /// `None` where the class file stays as it was.
    result: Option<ClassBytes>,
}

/// The steps that definitions are waiting for.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    all: Vec<Step>,
    tickets: u64,
}

impl Steps {
    pub(crate) fn clear(&mut self) {
        self.all.clear();
    }
}

impl Vm {
    /// Passes a class file through the transformers of all agents.
    pub(crate) fn pass_transformers(
        &mut self,
        subject: &Subject,
        bytes: ClassBytes,
        domain: Ref,
    ) -> Res<Passed> {
        let (given, _) = self.stage(subject, bytes, domain, false)?;
        let (bytes, is_changed) = self.stage(subject, given.clone(), domain, true)?;
        Ok(Passed { original: is_changed.then_some(given), bytes })
    }

    /// Passes the class file of a class through those transformers that can transform again.
    pub(crate) fn pass_again(&mut self, class: ClassId, position: usize) -> Res<Passed> {
        let given = self.original_bytes(class);
        let subject = Subject::Again(class, position);
        let (bytes, is_changed) = self.stage(&subject, given.clone(), Ref::NULL, true)?;
        Ok(Passed { original: is_changed.then_some(given), bytes })
    }

    /// Whether classes on their way in are shown to transformers now: there are agents, and this thread is
    /// not in the middle of a transformation.
    pub(crate) fn transforms_classes(&self) -> bool {
        !self.world.agents.is_null()
            && !self.threads[self.current]
                .hooks
                .iter()
                .any(|hook| matches!(hook, Hook::Transformed { .. }))
    }

    /// One pass through all agents; whether any of them gave another class file.
    fn stage(
        &mut self,
        subject: &Subject,
        bytes: ClassBytes,
        domain: Ref,
        can_retransform: bool,
    ) -> Res<(ClassBytes, bool)> {
        let (mut bytes, mut is_changed) = (bytes, false);
        let Some(agents) = self.world.agents.some() else { return Ok((bytes, false)) };
        let manager = if can_retransform {
            "mRetransfomableTransformerManager"
        } else {
            "mTransformerManager"
        };
        let thread = self.threads[self.current].id;
        let n_hooks = self.threads[self.current].hooks.len();
        for agent in 0..self.heap.array_length(agents) / 2 {
            let implementation = self.heap.element_ref(agents, agent * 2);
            let class = self.class_of(implementation);
            let offset = self.field_offset(class, manager, "Lsun/instrument/TransformerManager;");
            let Some(manager) = self.heap.load_ref(implementation, offset).some() else { continue };
            if !self.has_transformers(manager) {
                continue;
            }
            let known = self.definitions.steps.all.iter().find(|step| {
                step.is_done
                    && step.thread == thread
                    && step.n_hooks == n_hooks
                    && step.agent == agent
                    && step.can_retransform == can_retransform
                    && step.subject == *subject
            });
            if let Some(step) = known {
                if let Some(result) = &step.result {
                    bytes = result.clone();
                    is_changed = true;
                }
                continue;
            }
            let args = self.transform_arguments(implementation, subject, &bytes, domain)?;
            let Some(method) = self.class(class).method(b"transform", TRANSFORM) else {
                return Err(self.throw("java/lang/NoSuchMethodError", "transform"));
            };
            let method = method.id;
            let steps = &mut self.definitions.steps;
            steps.tickets += 1;
            let ticket = steps.tickets;
            steps.all.push(Step {
                ticket,
                thread,
                n_hooks,
                subject: subject.clone(),
                agent,
                can_retransform,
                is_done: false,
                result: None,
            });
            let mut words: Vec<u64> = args.iter().map(|arg| arg.to_slot()).collect();
            words.push(u64::from(can_retransform));
            let hook = Hook::Transformed { ticket };
            return Err(Trap::Upcall(Box::new(Upcall { method, args: words, hook })));
        }
        Ok((bytes, is_changed))
    }

    fn has_transformers(&self, manager: Ref) -> bool {
        const LIST: &str = "[Lsun/instrument/TransformerManager$TransformerInfo;";
        let offset = self.field_offset(self.class_of(manager), "mTransformerList", LIST);
        let list = self.heap.load_ref(manager, offset);
        list.some().is_some_and(|list| self.heap.array_length(list) > 0)
    }

    fn transform_arguments(
        &mut self,
        implementation: Ref,
        subject: &Subject,
        bytes: &ClassBytes,
        domain: Ref,
    ) -> Res<[Ref; 7]> {
        let (module, loader, name, class, domain) = match subject {
            Subject::Load { loader, name, .. } => {
                let package = self.symbols.intern(package_of(name.as_deref().unwrap_or_default()));
                let module = match name {
                    Some(_) => self.module_of_package(*loader, package),
                    None => Ref::NULL,
                };
                (module, self.loaders[loader.idx()].java, name.clone(), Ref::NULL, domain)
            }
            Subject::Again(class, _) => {
                let linked = Arc::clone(self.class(*class));
                let mirror = self.mirror(*class);
                let domain = self.heap.load_ref(mirror, self.known.class_protection_domain);
                let java = self.loaders[linked.loader.idx()].java;
                let name = Some(linked.name.as_bytes().to_vec());
                (self.module_of(*class), java, name, mirror, domain)
            }
        };
        let name = match name {
            Some(name) => self.new_string_mutf8(&name)?,
            None => Ref::NULL,
        };
        let array = self.new_byte_array(bytes)?;
        Ok([implementation, module, loader, name, class, domain, array])
    }

    /// A transformer manager came back with a `byte[]` or null.
    pub(crate) fn transformed(&mut self, ticket: u64, result: Ref) {
        let bytes = result.some().map(|array| {
            let len = self.heap.array_length(array) as usize;
            ClassBytes::from_vec(self.heap.bytes(array, ELEMENTS_OFFSET, len).to_vec())
        });
        if let Some(step) = self.definitions.steps.all.iter_mut().find(|step| step.ticket == ticket)
        {
            step.is_done = true;
            step.result = bytes;
        }
    }

    /// Forgets the steps of a definition that has come to its end.
    pub(crate) fn end_transforms(&mut self, is_of: impl Fn(&Subject) -> bool) {
        let steps = &mut self.definitions.steps.all;
        if !steps.is_empty() {
            let thread = &self.threads[self.current];
            let (id, n_hooks) = (thread.id, thread.hooks.len());
            steps.retain(|step| {
                step.thread != id || step.n_hooks != n_hooks || !is_of(&step.subject)
            });
        }
    }

    /// Forgets the steps of what an exception interrupts, as it leaves an upcall.
    #[inline]
    pub(crate) fn abandon_transforms(&mut self) {
        let steps = &mut self.definitions.steps.all;
        if !steps.is_empty() {
            let thread = &self.threads[self.current];
            let (id, n_hooks) = (thread.id, thread.hooks.len());
            steps.retain(|step| step.thread != id || step.n_hooks < n_hooks);
        }
    }

    /// A jar that an agent brings along; `None` where there is none.
    pub(crate) fn agent_jar(&mut self, path: &str) -> Option<Arc<Jar>> {
        if let Some((_, jar)) = self.agents.jars.iter().find(|(known, _)| known == path) {
            return jar.clone();
        }
        let bytes = self.read_whole(path.as_bytes()).ok()?;
        let jar = Jar::from_bytes(std::path::Path::new(path), ClassBytes::from_vec(bytes)).ok();
        let jar = jar.map(Arc::new);
        self.agents.jars.push((path.to_owned(), jar.clone()));
        jar
    }

    /// Forgets the content of a jar: there may be another one by now.
    fn forget_jar(&mut self, path: &str) {
        self.agents.jars.retain(|(known, _)| known != path);
    }

    fn read_whole(&mut self, path: &[u8]) -> HostResult<Vec<u8>> {
        let file = self.host.open(path, OpenHow { read: true, ..OpenHow::default() })?;
        let mut bytes = Vec::new();
        let mut buffer = vec![0; 1 << 16];
        let read = loop {
            match self.host.read(file, Some(bytes.len() as u64), &mut buffer) {
                Ok(0) => break Ok(bytes),
                Ok(n) => bytes.extend_from_slice(&buffer[..n]),
                Err(failure) => break Err(failure),
            }
        };
        self.host.close(file)?;
        read
    }

    /// A class file in the jars behind the boot loader's own classes.
    pub(crate) fn find_in_boot_path(&mut self, name: Symbol) -> Option<(String, ClassBytes)> {
        let jars = self.world.boot_path.some()?;
        let resource = format!("{name}.class");
        for idx in 0..self.heap.array_length(jars) {
            let path = self.string_text(self.heap.element_ref(jars, idx));
            let found =
                self.agent_jar(&path).and_then(|jar| jar.find_for_release(&resource, self.jdk));
            if let Some(Ok(bytes)) = found {
                return Some((path, bytes));
            }
        }
        None
    }

    /// Puts a jar behind the boot loader's own classes.
    pub(crate) fn append_to_boot_path(&mut self, path: Ref) -> Res<()> {
        let text = self.string_text(path);
        self.forget_jar(&text);
        self.world.boot_path = self.longer_list(self.world.boot_path, &[path])?;
        Ok(())
    }

    /// An `Object[]` with more behind it.
    fn longer_list(&mut self, list: Ref, more: &[Ref]) -> Res<Ref> {
        let mut elements = Vec::new();
        if let Some(list) = list.some() {
            elements.extend(
                (0..self.heap.array_length(list)).map(|idx| self.heap.element_ref(list, idx)),
            );
        }
        elements.extend_from_slice(more);
        self.new_ref_array(self.known.object, &elements)
    }
}
