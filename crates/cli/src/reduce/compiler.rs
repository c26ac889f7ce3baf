//! The user's own compiler, kept running: one source after the other, without starting anew.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::files;

/// Compiles the source that each line of its input names into the folder behind the tab.
const PROGRAM: &str = r#"
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;

public final class NonpareilCompiler {
    public static void main(String[] arguments) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            System.out.println("none");
            return;
        }
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        List<Path> classPath = new ArrayList<>();
        for (String entry : arguments[0].split(File.pathSeparator)) {
            classPath.add(Path.of(entry));
        }
        files.setLocationFromPaths(StandardLocation.CLASS_PATH, classPath);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split("\t");
            String[] error = {""};
            boolean compiled;
            try {
                files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(Path.of(parts[1])));
                DiagnosticListener<JavaFileObject> listener = message -> {
                    if (message.getKind() == Diagnostic.Kind.ERROR && error[0].isEmpty()) {
                        error[0] = "line " + message.getLineNumber() + ": " + message.getMessage(Locale.ROOT);
                    }
                };
                List<String> options = List.of("-g", "-nowarn", "-proc:none", "-parameters", "-Xlint:none");
                compiled = compiler.getTask(Writer.nullWriter(), files, listener, options, null,
                    files.getJavaFileObjects(Path.of(parts[0]))).call();
            } catch (RuntimeException | IOException failure) {
                compiled = false;
                error[0] = failure.toString();
            }
            System.out.println(compiled ? "yes" : "no " + error[0].replace('\n', ' ').replace('\r', ' '));
        }
    }
}
"#;

/// A compiler that runs.
pub(super) struct Compiler {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: PathBuf,
    /// Where class files are written; holds those of the last source alone.
    pub(super) classes: PathBuf,
}

impl Compiler {
    /// Starts the compiler of a JDK; all it writes goes below `folder`.
    pub(super) fn start(home: &Path, class_path: &str, folder: &Path) -> Result<Compiler, String> {
        let program = folder.join("NonpareilCompiler.java");
        files::write(&program, PROGRAM)?;
        let classes = folder.join("classes");
        fs::create_dir_all(&classes).map_err(|error| format!("{}: {error}", classes.display()))?;
        let java = home.join("bin/java");
        let failed = |error: String| {
            format!(
                "{}: {error}\nhint: tests are pruned with the JDK's compiler; --no-shrink leaves that out",
                java.display()
            )
        };
        let mut command = Command::new(&java);
        command.args(["-XX:TieredStopAtLevel=1", "-Xshare:auto"]).arg(&program).arg(class_path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Ctrl-C is for us alone.
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("cannot be spoken to".to_owned()));
        };
        let output = BufReader::new(output);
        let mut compiler = Compiler { child, input, output, folder: folder.to_owned(), classes };
        match compiler.answer().as_deref() {
            Ok("ready") => Ok(compiler),
            Ok(_) => Err(failed("there is no compiler in this JDK".to_owned())),
            Err(error) => Err(failed(error.clone())),
        }
    }

    /// Compiles a source alone; what does not compile comes back as `Ok(Err)` with the first message.
    pub(super) fn compile(&mut self, name: &str, text: &str) -> Result<Result<(), String>, String> {
        let source = self.folder.join("source").join(name);
        files::write(&source, text)?;
        let failed = |error: std::io::Error| format!("{}: {error}", self.classes.display());
        fs::remove_dir_all(&self.classes).map_err(failed)?;
        fs::create_dir_all(&self.classes).map_err(failed)?;
        writeln!(self.input, "{}\t{}", source.display(), self.classes.display())
            .and_then(|()| self.input.flush())
            .map_err(|error| format!("the compiler has gone: {error}"))?;
        let answer = self.answer()?;
        Ok(match answer.strip_prefix("no ") {
            Some(message) => Err(message.to_owned()),
            None => Ok(()),
        })
    }

    fn answer(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err("the compiler has gone".to_owned()),
            Ok(_) => Ok(line.trim_end().to_owned()),
            Err(error) => Err(format!("the compiler cannot be read: {error}")),
        }
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
