//! `nonpareil run` as a user sees it: output, exit codes, and what the program may reach.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use testkit::jdk::Jdk;
use testkit::{compile, fixture, jdk, root};

/// The compiled programs of `fixtures/cli/run` for a JDK.
fn classes(jdk: &Jdk) -> PathBuf {
    let fixtures = fixture::discover(&root::repository().join("fixtures/cli")).unwrap();
    let members: Vec<_> = fixtures.iter().filter(|fixture| fixture.group == "run").collect();
    let cache = compile::cache(&root::target(), jdk).join("cli");
    fs::create_dir_all(&cache).unwrap();
    // Tests run at once; the first one compiles.
    let lock = fs::File::create(cache.join("lock")).unwrap();
    lock.lock().unwrap();
    compile::group(&cache, jdk, &members).unwrap()
}

fn command(jdk: &Jdk, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
    command
        .arg("run")
        .arg("--jdk")
        .arg(&jdk.home)
        .arg("--classpath")
        .arg(classes(jdk))
        .args(options);
    command
}

/// Runs `Outside` on every JDK and checks each run.
fn check(options: &[&str], args: &[&str], check: impl Fn(&Output)) {
    let jdks = jdk::installed();
    assert_eq!(jdks.len(), 2, "needs JDK 17 and JDK 25");
    for jdk in &jdks {
        check(&command(jdk, options).arg("Outside").args(args).output().unwrap());
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Checks that the program ended with an exception that names this option.
fn check_denied(args: &[&str], option: &str) {
    check(&[], args, |output| {
        assert_eq!(output.status.code(), Some(1), "{}", stdout(output));
        let text = stderr(output);
        assert!(text.contains("java.lang.SecurityException"), "{text}");
        assert!(text.contains(&format!("{option} grants it")), "{text}");
    });
}

/// Checks what the program prints.
fn check_prints(options: &[&str], args: &[&str], expected: &str) {
    check(options, args, |output| {
        assert_eq!(stdout(output), expected, "{}", stderr(output));
        assert_eq!(output.status.code(), Some(0));
    });
}

/// A new folder with a file `greeting` in it.
fn folder(name: &str) -> PathBuf {
    let folder = root::target().join("cli-tests").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("greeting"), "hello").unwrap();
    folder
}

#[test]
fn what_the_program_prints_and_its_arguments_pass_through() {
    check_prints(&[], &["--seed", "-x", "--help"], "Hello 3\n");
}

#[test]
fn an_agent_is_started_before_the_program() {
    let folder = folder("agent");
    let (manifest, jar) = (folder.join("manifest"), folder.join("agent.jar"));
    let lines = "Premain-Class: Premain\nCan-Retransform-Classes: true\n";
    fs::write(&manifest, lines).unwrap();
    let tool = jdk::installed()[0].command("jar");
    let made = Command::new(tool).arg("cfm").args([&jar, &manifest]).status().unwrap();
    assert!(made.success());
    let agent = format!("{}=a=b", jar.display());
    check_prints(&["--javaagent", &agent], &["x"], "agent with a=b, true\nHello 1\n");
    let missing = folder.join("none.jar").display().to_string();
    check(&["--javaagent", &missing], &[], |output| {
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(output).contains("none.jar is no Java agent"), "{}", stderr(output));
    });
}

#[test]
fn the_exit_code_of_the_program_is_the_exit_code() {
    check(&[], &["exit"], |output| assert_eq!(output.status.code(), Some(3)));
}

#[test]
fn an_uncaught_exception_is_reported_and_gives_code_one() {
    check(&[], &["throw"], |output| {
        assert_eq!(output.status.code(), Some(1));
        let expected = "Exception in thread \"main\" java.lang.IllegalStateException: boom\n\tat Outside.main(";
        assert!(stderr(output).starts_with(expected), "{}", stderr(output));
    });
}

#[test]
fn a_main_class_that_is_not_there_is_told_as_java_tells_it() {
    for jdk in jdk::installed() {
        let output = command(&jdk, &[]).arg("no.such.Main").output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let text = stderr(&output);
        assert!(
            text.starts_with("Error: Could not find or load main class no.such.Main\n"),
            "{text}"
        );
    }
}

#[test]
fn a_package_of_the_jdk_is_opened_on_demand() {
    check(&[], &["private"], |output| {
        let text = stderr(output);
        assert!(text.contains("java.lang.reflect.InaccessibleObjectException"), "{text}");
    });
    check_prints(&["--add-opens", "java.base/java.lang=ALL-UNNAMED"], &["private"], "4\n");
}

#[test]
fn a_module_that_is_not_there_by_default_is_added_on_demand() {
    check_prints(&[], &["module", "jdk.incubator.vector"], "false\n");
    check(&["--add-modules=jdk.incubator.vector"], &["module", "jdk.incubator.vector"], |output| {
        assert_eq!(stdout(output), "true\n", "{}", stderr(output));
    });
}

#[test]
fn a_package_to_open_without_its_module_is_an_input_error() {
    check(&["--add-opens", "java.lang=ALL-UNNAMED"], &[], |output| {
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(output).contains("write MODULE/PACKAGE=TARGET"), "{}", stderr(output));
    });
}

#[test]
fn more_memory_than_references_reach_is_an_input_error() {
    check(&["--memory", "14g"], &[], |output| {
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(output).contains("between 4m and 13g is possible"), "{}", stderr(output));
    });
}

#[test]
fn a_folder_that_is_no_jdk_is_an_input_error_with_a_hint() {
    let output = Command::new(env!("CARGO_BIN_EXE_nonpareil"))
        .args(["run", "--jdk", "/", "Outside"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("hint: "), "{}", stderr(&output));
}

#[test]
fn a_wrong_option_is_a_usage_error() {
    let output = Command::new(env!("CARGO_BIN_EXE_nonpareil"))
        .args(["run", "--nope", "Outside"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--nope"), "{}", stderr(&output));
}

#[test]
fn files_are_out_of_reach_unless_granted() {
    let folder = folder("files");
    let file = folder.join("greeting").display().to_string();
    let new = folder.join("new").display().to_string();
    check_denied(&["read", &file], &format!("--allow-read={file}"));
    check_denied(&["exists", &file], &format!("--allow-read={file}"));
    check_denied(&["write", &new], &format!("--allow-write={new}"));
    let folder = folder.display().to_string();
    check_denied(&["list", &folder], &format!("--allow-read={folder}"));
    check_prints(&[&format!("--allow-read={folder}")], &["read", &file], "hello\n");
    check_prints(&[&format!("--allow-read={file}")], &["read", &file], "hello\n");
    check_prints(&[&format!("--allow-read={folder}")], &["list", &folder], "greeting\n");
    check_prints(&[&format!("--allow-write={folder}")], &["write", &new], "");
    assert_eq!(fs::read_to_string(&new).unwrap(), "written");
}

#[test]
fn a_link_in_a_granted_folder_does_not_lead_out_of_it() {
    let folder = folder("links");
    let secret = folder.join("greeting");
    let granted = folder.join("granted");
    fs::create_dir(&granted).unwrap();
    std::os::unix::fs::symlink(&secret, granted.join("link")).unwrap();
    let allow = format!("--allow-read={}", granted.display());
    for path in [granted.join("link"), granted.join("../greeting")] {
        check(&[&allow], &["read", &path.display().to_string()], |output| {
            assert_eq!(output.status.code(), Some(1), "{}", stdout(output));
            assert!(stderr(output).contains("SecurityException"), "{}", stderr(output));
        });
    }
}

#[test]
fn programs_and_the_network_are_out_of_reach_unless_granted() {
    check_denied(&["process"], "--allow-run");
    check_denied(&["socket"], "--allow-net");
    check_denied(&["name", "example.com"], "--allow-net");
    check_prints(&[], &["name", "localhost"], "localhost/127.0.0.1\n");
}

#[test]
fn other_programs_run_as_java_runs_them() {
    for jdk in jdk::installed() {
        let mut java = Command::new(jdk.command("java"));
        let expected = java.arg("-cp").arg(classes(&jdk)).arg("Programs").output().unwrap();
        assert_eq!(expected.status.code(), Some(0), "{}", stderr(&expected));
        for options in [&["--allow-run"], &["--allow-all"]] {
            let output = command(&jdk, options).arg("Programs").output().unwrap();
            assert_eq!(stdout(&output), stdout(&expected), "{}", stderr(&output));
            assert_eq!(output.status.code(), Some(0));
        }
    }
}

#[test]
fn a_quit_signal_does_not_end_the_program() {
    for jdk in jdk::installed() {
        let output = command(&jdk, &["--allow-run"]).arg("QuitSignal").output().unwrap();
        assert_eq!(stdout(&output), "alive\n", "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn the_environment_is_empty_unless_granted() {
    // The name that belongs to the user's number, whatever the environment says.
    let own_name = stdout(&Command::new("id").arg("-un").output().unwrap());
    for jdk in jdk::installed() {
        let run = |options: &[&str]| {
            let mut command = command(&jdk, options);
            command
                .args(["Outside", "environment"])
                .env("NONPAREIL_TEST", "seen")
                .env("USER", "somebody");
            stdout(&command.output().unwrap())
        };
        assert_eq!(run(&[]), "null user\n");
        assert_eq!(run(&["--allow-env"]), format!("seen {own_name}"));
    }
}

#[test]
fn time_zone_and_locale_are_fixed() {
    check_prints(&[], &["now"], "2024-01-01T00:00\n");
    check_prints(&[], &["zone"], "UTC en_US\n");
    check(&["--allow-clock"], &["now"], |output| {
        assert!(!stdout(output).starts_with("2024-01-01"))
    });
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_one_another() {
    for jdk in jdk::installed() {
        let run = |seed: &str| {
            stdout(&command(&jdk, &["--seed", seed]).args(["Outside", "random"]).output().unwrap())
        };
        let first = run("1");
        assert_eq!(first.split_whitespace().count(), 4, "{first}");
        assert_eq!(first, run("1"));
        let other = run("2");
        for (one, two) in first.split_whitespace().zip(other.split_whitespace()).take(3) {
            assert_ne!(one, two);
        }
    }
}

#[test]
fn assertions_are_off_unless_switched_on() {
    check_prints(&[], &["assert"], "asserted\n");
    check(&["--enable-assertions"], &["assert"], |output| {
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(output).contains("java.lang.AssertionError: too few"), "{}", stderr(output));
    });
}

#[test]
fn properties_reach_the_program() {
    check_prints(&["-Dmy.name=my value"], &["property", "my.name"], "my value\n");
    check_prints(&["--property", "my.name=x=y"], &["property", "my.name"], "x=y\n");
}

#[test]
fn the_memory_limit_holds() {
    check_prints(&["--memory", "64m"], &["memory"], "full\n");
}

#[test]
fn a_deadlock_ends_the_program_with_an_explanation() {
    check(&[], &["deadlock"], |output| {
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(output).contains("deadlock"), "{}", stderr(output));
        assert!(stderr(output).contains("thread \"main\""), "{}", stderr(output));
    });
}

#[test]
fn a_native_library_of_the_program_cannot_be_loaded() {
    check(&[], &["load"], |output| {
        assert_eq!(output.status.code(), Some(1));
        let expected = "java.lang.UnsatisfiedLinkError: no nosuchlibrary in java.library.path";
        assert!(stderr(output).contains(expected), "{}", stderr(output));
    });
}

#[test]
fn wild_memory_accesses_end_in_errors_and_never_in_a_crash() {
    for jdk in jdk::installed() {
        let output = command(&jdk, &[]).arg("Wild").output().unwrap();
        let (out, err) = (stdout(&output), stderr(&output));
        assert_eq!(output.status.code(), Some(0), "{out}{err}");
        assert!(out.starts_with("field: 5\nreference: text\nstatic: 7 static\n"), "{out}");
        assert!(
            out.contains("number as reference: refused\nreference as number: refused\n"),
            "{out}"
        );
        assert!(out.contains("\narray: 20 3\npast array: refused\n"), "{out}");
        assert!(out.contains("\nblock: 217020518514230019 3\n"), "{out}");
        assert!(out.ends_with(" refused, true\n"), "{out}{err}");
    }
}
