//! Starting agents: what the `instrument` library of a JDK does when an agent's jar is loaded.

use crate::boot::Unfinished;
use crate::frame::{Hook, Res, Trap, Upcall};
use crate::host::Handle;
use crate::instrument::IMPLEMENTATION;
use crate::interp::Outcome;
use crate::value::{ClassId, MethodId, Ref};
use crate::vm::Vm;

/// When an agent is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// Before `main`: `Premain-Class`.
    Before,
    /// While the program runs: `Agent-Class`.
    Attached,
    /// With the program that it is packed with: `Launcher-Agent-Class`.
    Launcher,
}

/// What the manifest of an agent's jar says.
#[derive(Debug)]
struct Manifest {
    class: String,
    boot_path: Vec<String>,
    can_redefine: bool,
    can_retransform: bool,
}

/// How starting an agent went wrong, as the library's attach code numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AgentFailure {
    /// No jar, or not an agent's.
    BadJar = 100,
    /// The agent threw.
    Failed = 102,
}

/// Bits of an agent's number, which the library takes for a pointer.
const CAN_REDEFINE: u64 = 1 << 32;
const CAN_RETRANSFORM: u64 = 1 << 33;
/// States of a native that starts an agent.
const MADE: u64 = 1;
const ON_CLASS_PATH: u64 = 2;
const STARTED: u64 = 3;
/// Set by `Hook::Attempt` where the call threw.
const THREW: u64 = 1 << 63;

/// Whether an agent with this number may transform classes again.
pub(crate) fn can_retransform(native_agent: u64) -> bool {
    native_agent & CAN_RETRANSFORM != 0
}

/// Where in the list of agents the path of an agent's jar is.
pub(crate) fn path_position(native_agent: u64) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the low half is the number")]
    let number = native_agent as u32;
    number.saturating_sub(1) * 2 + 1
}

impl Vm {
    /// Starts the agent in a jar, step by step: to be called by a native that runs again. `Ok(None)` where
    /// all went well.
    pub(crate) fn start_agent(
        &mut self,
        path: &str,
        options: Option<&str>,
        start: Start,
    ) -> Res<Option<AgentFailure>> {
        let resumed = self.resumed.take();
        if resumed.is_none() {
            self.forget_jar(path);
        }
        let Some(manifest) = self.agent_manifest(path, start) else {
            let text = match self.agent_jar(path) {
                Some(_) => format!("Failed to find Agent-Class manifest attribute from {path}\n"),
                None => format!("Error opening zip file or JAR manifest missing: {path}\n"),
            };
            self.complain(&text);
            return Ok(Some(AgentFailure::BadJar));
        };
        match resumed {
            None => {
                let (implementation, constructor) = self.new_agent(path, &manifest)?;
                for jar in &manifest.boot_path {
                    let jar = self.new_string(jar)?;
                    self.append_to_boot_path(jar)?;
                }
                let args = self.constructor_arguments(implementation, &manifest, start);
                Err(attempt(constructor, args, MADE))
            }
            Some((state, exception)) if state & THREW != 0 => {
                let exception = self.describe_throwable(Ref::from_slot(exception));
                self.complain(&format!(
                    "Exception in thread \"Attach Listener\" {exception}\nAgent failed to start!\n"
                ));
                Ok(Some(AgentFailure::Failed))
            }
            Some((MADE, _)) if start == Start::Attached => {
                Err(self.append_to_class_path(path, Hook::Attempt { state: ON_CLASS_PATH })?)
            }
            Some((MADE | ON_CLASS_PATH, _)) => {
                let (method, args) = self.agent_call(&manifest, options, start)?;
                Err(attempt(method, args, STARTED))
            }
            Some(_) => Ok(None),
        }
    }

    /// Says on standard error why an agent could not be started, as the `instrument` library does.
    fn complain(&mut self, text: &str) {
        // Nobody hears that nobody listens.
        let _ = self.host.write(Handle::STDERR, None, text.as_bytes());
    }

    /// Starts an agent before the program does; its jar is on the class path already.
    pub fn start_agent_before(
        &mut self,
        path: &str,
        options: Option<&str>,
    ) -> Result<(), AgentError> {
        let Some(manifest) = self.agent_manifest(path, Start::Before) else {
            return Err(AgentError::BadJar);
        };
        let (implementation, constructor) =
            self.complete(|vm| vm.new_agent(path, &manifest)).map_err(AgentError::from)?;
        for jar in &manifest.boot_path {
            let appended = self.complete(|vm| {
                let jar = vm.new_string(jar)?;
                vm.append_to_boot_path(jar)
            });
            appended.map_err(AgentError::from)?;
        }
        let args = self.constructor_arguments(implementation, &manifest, Start::Before);
        self.call_of_agent(constructor, &args)?;
        let (method, args) = self
            .complete(|vm| vm.agent_call(&manifest, options, Start::Before))
            .map_err(AgentError::from)?;
        self.call_of_agent(method, &args)
    }

    fn call_of_agent(&mut self, method: MethodId, args: &[u64]) -> Result<(), AgentError> {
        match self.call_plain(method, args) {
            Outcome::Returned(_) => Ok(()),
            Outcome::Threw(exception) => Err(AgentError::Unfinished(Unfinished::Threw(exception))),
            Outcome::Stopped(stop) => Err(AgentError::Unfinished(Unfinished::Stopped(stop))),
        }
    }

    fn agent_manifest(&mut self, path: &str, start: Start) -> Option<Manifest> {
        let jar = self.agent_jar(path)?;
        let class = jar.manifest_attribute(match start {
            Start::Before => "Premain-Class",
            Start::Attached => "Agent-Class",
            Start::Launcher => "Launcher-Agent-Class",
        })?;
        let is_true = |name| {
            jar.manifest_attribute(name)
                .is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
        };
        let folder = path.rfind('/').map_or("", |slash| &path[..=slash]);
        let boot_path = jar.manifest_attribute("Boot-Class-Path").unwrap_or_default();
        let boot_path = boot_path.split_whitespace().map(|entry| {
            if entry.starts_with('/') { entry.to_owned() } else { format!("{folder}{entry}") }
        });
        Some(Manifest {
            class: class.trim().to_owned(),
            boot_path: boot_path.collect(),
            can_redefine: is_true("Can-Redefine-Classes"),
            can_retransform: is_true("Can-Retransform-Classes"),
        })
    }

    /// Makes the library's object for a new agent and puts it on the list; gives its constructor, too.
    fn new_agent(&mut self, path: &str, _: &Manifest) -> Res<(Ref, MethodId)> {
        let class = self.boot_class(IMPLEMENTATION)?;
        self.ensure_initialised(class)?;
        let constructors: [&[u8]; 2] = [b"(JZZ)V", b"(JZZZ)V"];
        let found = constructors
            .iter()
            .find_map(|descriptor| self.class(class).method(b"<init>", descriptor))
            .map(|method| method.id);
        let Some(constructor) = found else {
            return Err(self.throw("java/lang/NoSuchMethodError", IMPLEMENTATION));
        };
        let path = self.new_string(path)?;
        let implementation = self.new_object(class)?;
        self.world.agents = self.longer_list(self.world.agents, &[implementation, path])?;
        Ok((implementation, constructor))
    }

    fn constructor_arguments(&self, agent: Ref, manifest: &Manifest, start: Start) -> Vec<u64> {
        let number = u64::from(self.heap.array_length(self.world.agents) / 2)
            | if manifest.can_redefine { CAN_REDEFINE } else { 0 }
            | if manifest.can_retransform { CAN_RETRANSFORM } else { 0 };
        // No prefixes for native methods.
        let mut args = vec![agent.to_slot(), number, 0, u64::from(manifest.can_redefine), 0];
        if self.jdk >= 21 {
            args.push(u64::from(start == Start::Attached));
        }
        args
    }

    /// The call of the agent's own method, by the object made last.
    fn agent_call(
        &mut self,
        manifest: &Manifest,
        options: Option<&str>,
        start: Start,
    ) -> Res<(MethodId, Vec<u64>)> {
        let agents = self.world.agents;
        let agent = self.heap.element_ref(agents, self.heap.array_length(agents) - 2);
        let class: ClassId = self.class_of(agent);
        let name: &[u8] = match start {
            Start::Before => b"loadClassAndCallPremain",
            Start::Attached | Start::Launcher => b"loadClassAndCallAgentmain",
        };
        let found = self.class(class).method(name, b"(Ljava/lang/String;Ljava/lang/String;)V");
        let Some(method) = found.map(|method| method.id) else {
            return Err(self.throw("java/lang/NoSuchMethodError", IMPLEMENTATION));
        };
        let class_name = self.new_string(&manifest.class)?;
        let options = match options {
            Some(options) => self.new_string(options)?,
            None => Ref::NULL,
        };
        Ok((method, vec![agent.to_slot(), class_name.to_slot(), options.to_slot()]))
    }

    /// The call that puts a jar on the class path of the application class loader.
    pub(crate) fn append_to_class_path(&mut self, path: &str, hook: Hook) -> Res<Trap> {
        const LOADERS: &str = "jdk/internal/loader/ClassLoaders";
        let path = self.new_string(path)?;
        let loaders = self.boot_class(LOADERS)?;
        self.ensure_initialised(loaders)?;
        let descriptor = "Ljdk/internal/loader/ClassLoaders$AppClassLoader;";
        let (mirror, offset) = self.static_slot(loaders, "APP_LOADER", descriptor);
        let loader = self.heap.load_ref(mirror, offset);
        let class = self.class_of(loader);
        let name = b"appendToClassPathForInstrumentation";
        let Some(method) = self.lookup_method(class, name, b"(Ljava/lang/String;)V") else {
            return Ok(self.throw("java/lang/NoSuchMethodError", LOADERS));
        };
        let args = vec![loader.to_slot(), path.to_slot()];
        Ok(Trap::Upcall(Box::new(Upcall { method, args, hook })))
    }
}

fn attempt(method: MethodId, args: Vec<u64>, state: u64) -> Trap {
    Trap::Upcall(Box::new(Upcall { method, args, hook: Hook::Attempt { state } }))
}

/// Why an agent could not be started before the program.
#[derive(Debug)]
pub enum AgentError {
    /// There is no such jar, or its manifest names no `Premain-Class`.
    BadJar,
    /// It threw, or the machine stopped.
    Unfinished(Unfinished),
}

impl From<Unfinished> for AgentError {
    fn from(unfinished: Unfinished) -> AgentError {
        AgentError::Unfinished(unfinished)
    }
}
