//! `nonpareil run`: a main class on the machine, with the program's own exit code.

use std::env;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use classfile::ClassPath;
use vm::boot::Unfinished;
use vm::frame::Stop;
use vm::host::guard::{Guard, Policy};
use vm::host::scratch::Scratch;
use vm::instrument::AgentError;
use vm::launch::Ended;
use vm::vm::Vm;

use crate::boot_image::{self, CacheFolder};
use crate::class_files::RELEASE;
use crate::options::{MachineOptions, RunOptions};
use crate::os_host::OsHost;
use crate::{class_files, class_path, jdk, junit, say};

/// Runs the program; an `Err` is a usage or input error.
pub(crate) fn run(options: &RunOptions) -> Result<ExitCode, String> {
    outlive_quit();
    if options.junit {
        return junit::run(options);
    }
    let machine = with_agents(options);
    let mut vm = boot(&machine, OsHost::new())?;
    if let Some(code) = start_agents(&mut vm, &options.javaagent)? {
        return Ok(code);
    }
    let ended = vm.run_program(&options.main().replace('/', "."), options.arguments());
    let main = options.main().replace('.', "/");
    let is_main = |class: &vm::class::ClassRt| class.class.name.as_bytes() == main.as_bytes();
    if matches!(ended, Ended::Exit(1)) && !vm.classes.iter().any(is_main) {
        why_not_found(&machine.classpath, &main)?;
    }
    Ok(match ended {
        Ended::Exit(code) => exit_code(code),
        Ended::Stopped(stop) => {
            say(&format!("nonpareil: {}", reason(&stop)));
            ExitCode::FAILURE
        }
    })
}

/// What is wrong with the class path, where the main class was not found or could not be read.
fn why_not_found(class_path: &str, main: &str) -> Result<(), String> {
    let working_dir = env::current_dir().map_err(|error| format!("working folder: {error}"))?;
    let expanded = class_path::expand(class_path, &working_dir);
    let parsed = ClassPath::parse(&expanded).map_err(|error| error.to_string())?;
    class_files::read(&parsed, RELEASE, main)?;
    let missing: Vec<String> =
        parsed.missing().iter().map(|path| path.display().to_string()).collect();
    match missing.as_slice() {
        [] => Ok(()),
        missing => Err(format!(
            "not on this computer, but on the class path: {}\nhint: --classpath names the folders and jars of the program",
            missing.join(", ")
        )),
    }
}

/// The machine's options with the jars of agents at the end of the class path, as `java` has it.
pub(crate) fn with_agents(options: &RunOptions) -> MachineOptions {
    let mut machine = options.machine.clone();
    for agent in &options.javaagent {
        machine.classpath.push(':');
        machine.classpath.push_str(agent.split_once('=').map_or(agent.as_str(), |(jar, _)| jar));
    }
    machine
}

/// Starts the agents that were asked for; the exit code where one of them ended the program.
pub(crate) fn start_agents(vm: &mut Vm, agents: &[String]) -> Result<Option<ExitCode>, String> {
    for agent in agents {
        let (jar, options) = match agent.split_once('=') {
            Some((jar, options)) => (jar, Some(options)),
            None => (agent.as_str(), None),
        };
        match vm.start_agent_before(jar, options) {
            Ok(()) => {}
            Err(AgentError::BadJar) => {
                return Err(format!(
                    "{jar} is no Java agent\nhint: its manifest must name a Premain-Class"
                ));
            }
            Err(AgentError::Unfinished(Unfinished::Stopped(Stop::Exit(code)))) => {
                return Ok(Some(exit_code(code)));
            }
            Err(AgentError::Unfinished(Unfinished::Stopped(stop))) => {
                say(&format!("nonpareil: {}", reason(&stop)));
                return Ok(Some(ExitCode::FAILURE));
            }
            Err(AgentError::Unfinished(Unfinished::Threw(exception))) => {
                say(&format!(
                    "nonpareil: the agent {jar} failed: {}",
                    vm.describe_throwable(exception)
                ));
                return Ok(Some(ExitCode::FAILURE));
            }
        }
    }
    Ok(None)
}

/// Does not end at a quit signal: to a JVM it is a question, and tools that attach to one, as
/// mocking libraries do to their own, ask it. Programs that are started from here get no share of
/// this.
fn outlive_quit() {
    extern "C" fn heard(_: libc::c_int) {}
    let handler: extern "C" fn(libc::c_int) = heard;
    // SAFETY: the handler does nothing.
    #[expect(unsafe_code, reason = "the standard library handles no signals")]
    unsafe {
        libc::signal(libc::SIGQUIT, handler as libc::sighandler_t);
    }
}

/// A machine that has booted.
pub(crate) fn boot(options: &MachineOptions, host: OsHost) -> Result<Vm, String> {
    let jdk = jdk::find(options.jdk.as_deref())?;
    let working_dir = env::current_dir().map_err(|error| format!("working folder: {error}"))?;
    let class_path = class_path::expand(&options.classpath, &working_dir);
    let policy = policy(options, &class_path, &jdk.folders(), &working_dir);
    let host = Scratch::new(Guard::new(host, policy));
    let mut properties = options.properties.clone();
    properties.extend(options.modules.properties());
    let machine = vm::vm::Options {
        java_home: jdk.home.display().to_string(),
        class_path,
        properties,
        heap_limit: options.memory,
        seed: options.seed,
        assertions: options.enable_assertions,
    };
    let cache = if options.fresh_boot { None } else { CacheFolder::of_user() };
    let booted = match cache {
        Some(cache) => {
            let origin = boot_image::origin(&jdk);
            Vm::boot_with(jdk.image, machine, Box::new(host), &cache, &origin)
        }
        None => Vm::boot(jdk.image, machine, Box::new(host)),
    };
    booted.map_err(|error| error.to_string())
}

/// What the program may reach.
pub(crate) fn policy(
    options: &MachineOptions,
    class_path: &str,
    jdk: &[PathBuf],
    working_dir: &Path,
) -> Policy {
    let bytes = |path: &Path| working_dir.join(path).as_os_str().as_bytes().to_vec();
    let grants = &options.grants;
    let mut read: Vec<Vec<u8>> = grants.allow_read.iter().map(|path| bytes(path)).collect();
    read.extend(jdk.iter().map(|folder| bytes(folder)));
    read.extend(class_path::reachable(class_path, working_dir).iter().map(|path| bytes(path)));
    Policy {
        read,
        write: grants.allow_write.iter().map(|path| bytes(path)).collect(),
        environment: grants.allow_env,
        clock: grants.allow_clock,
        network: grants.allow_net,
        run: grants.allow_run,
        all: grants.allow_all,
        ..Policy::default()
    }
}

/// The low byte, as every operating system passes it on.
fn exit_code(code: i32) -> ExitCode {
    let [low, ..] = code.to_le_bytes();
    ExitCode::from(low)
}

/// Why the machine stopped, for people.
pub(crate) fn reason(stop: &Stop) -> String {
    match stop {
        Stop::Exit(code) => format!("ended with code {code}"),
        Stop::OutOfFuel => "out of fuel".to_owned(),
        Stop::OutOfMemory => "out of memory; --memory gives more".to_owned(),
        Stop::Deadlocked(deadlock) => {
            let waiting = deadlock.waiting.join("\n  ");
            format!("deadlock, no thread can ever run again\n  {waiting}")
        }
        Stop::Unsupported(what) => format!("not supported: {what}"),
    }
}

/// Why a suite could not be run, with what to do where the memory ended before or between tests.
pub(crate) fn no_junit(error: &impl std::fmt::Display) -> String {
    let said = error.to_string();
    match said.lines().next() {
        Some(first) if first.contains("java.lang.OutOfMemoryError") => {
            let place = said.lines().find(|line| line.starts_with("  at ")).unwrap_or_default();
            format!("{first}\n{place}\nhint: --memory gives more")
        }
        _ => said,
    }
}
