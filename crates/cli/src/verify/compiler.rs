//! The JDK's compiler. The first time it is run as `javac`; from then on as a program that stays, since one that
//! is warm compiles several times faster than one that starts anew.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::files::{self, TemporaryFolder};

/// Source of the program that stays: each line that it reads names a file of options, one per line; it says how
/// compiling ended and how many bytes of messages follow.
const SOURCE: &str = r##"
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.List;

public final class NonpareilCompiler {
    public static void main(String[] arguments) throws IOException {
        javax.tools.JavaCompiler compiler = javax.tools.ToolProvider.getSystemJavaCompiler();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            List<String> options = Files.readAllLines(Path.of(line));
            ByteArrayOutputStream messages = new ByteArrayOutputStream();
            int status = compiler.run(null, messages, messages, options.toArray(new String[0]));
            System.out.println(status + " " + messages.size());
            messages.writeTo(System.out);
            System.out.flush();
        }
    }
}
"##;

/// How `javac` ends where there is nothing wrong, and where there is something wrong with the sources. What
/// else it says is about itself.
const FINE: i32 = 0;
const WRONG: i32 = 1;

/// Options of a JVM that runs for seconds only.
const HASTE: [&str; 3] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"];

/// Compiles, again and again.
#[derive(Default)]
pub(crate) struct Compiler {
    state: Mutex<State>,
}

#[derive(Default)]
enum State {
    /// Nothing was compiled yet.
    #[default]
    New,
    /// Something was.
    Warm,
    /// The program runs.
    Staying(Staying),
    /// It does not work here.
    Alone,
}

impl Compiler {
    /// Compiles with these options; the messages where something is wrong with the sources.
    pub(super) fn compile(
        &self,
        home: &Path,
        options: &[String],
        folder: &Path,
    ) -> Result<Option<String>, String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Warm = *state {
            *state = Staying::start(home).map_or(State::Alone, State::Staying);
        }
        if let State::Staying(staying) = &mut *state {
            match staying.compile(options, folder) {
                Some((FINE, _)) => return Ok(None),
                Some((WRONG, messages)) => return Ok(Some(messages)),
                // It may have no memory left.
                _ => *state = State::Alone,
            }
        }
        let javac = home.join("bin/javac");
        // It ends before it would gain by compiling itself well.
        let quick = HASTE.map(|option| format!("-J{option}"));
        let output = Command::new(&javac).args(quick).args(options).output().map_err(|error| {
            format!("{}: {error}\nhint: tests are checked with the JDK's compiler; --no-verify leaves that out", javac.display())
        })?;
        if let State::New = *state {
            *state = State::Warm;
        }
        let messages = || String::from_utf8_lossy(&output.stderr).into_owned();
        Ok((!output.status.success()).then(messages))
    }
}

/// The program that stays, until it is dropped.
struct Staying {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    _folder: TemporaryFolder,
}

impl Staying {
    fn start(home: &Path) -> Option<Staying> {
        let folder = TemporaryFolder::new().ok()?;
        let source = folder.path.join("NonpareilCompiler.java");
        files::write(&source, SOURCE).ok()?;
        let mut java = Command::new(home.join("bin/java"));
        java.args(HASTE).arg("-Xmx512m");
        java.arg("-cp").arg(&folder.path).arg(&source);
        // Paths in options are absolute but for those of the class path.
        java.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = java.spawn().ok()?;
        let (to, from) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        Some(Staying { child, to, from, _folder: folder })
    }

    /// How compiling ended, and the messages; `None` where the program is gone.
    fn compile(&mut self, options: &[String], folder: &Path) -> Option<(i32, String)> {
        let list = folder.join("options.txt");
        files::write(&list, &options.join("\n")).ok()?;
        writeln!(self.to, "{}", list.display()).ok()?;
        let mut head = String::new();
        self.from.read_line(&mut head).ok()?;
        let (status, size) = head.trim().split_once(' ')?;
        let mut messages = vec![0; size.parse().ok()?];
        self.from.read_exact(&mut messages).ok()?;
        Some((status.parse().ok()?, String::from_utf8_lossy(&messages).into_owned()))
    }
}

impl Drop for Staying {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
