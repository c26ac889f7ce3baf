//! `nonpareil generate` as a user sees it: files, summary, exit codes, and what it says where it cannot.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testkit::jdk::Jdk;
use testkit::{jdk, root, suite};

const JUPITER: &[&str] = &[
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-platform-engine",
    "junit-platform-commons",
    "junit-platform-launcher",
    "opentest4j",
    "apiguardian-api",
];

fn first_jdk() -> Jdk {
    jdk::installed().into_iter().next().unwrap()
}

fn classes(jdk: &Jdk, folder: &str) -> PathBuf {
    let sources = root::repository().join("fixtures").join(folder);
    suite::compile(jdk, folder, &sources, "").unwrap()
}

/// A folder that is empty.
fn folder(name: &str) -> PathBuf {
    let folder = root::target().join("generate-tests").join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Generates by states, where the options name no other strategy.
fn generate(jdk: &Jdk, fixture: &str, output: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
    command.arg("generate").arg("--jdk").arg(&jdk.home).arg("--classpath");
    command.arg(classes(jdk, fixture)).arg("--output").arg(output);
    if !options.contains(&"--strategy") {
        command.args(["--strategy", "states"]);
    }
    command.args(options).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn tests_of_a_stack_say_what_each_call_does() {
    let jdk = first_jdk();
    let output = folder("stack");
    let options = [
        "--class",
        "IntStack",
        "--methods",
        "push,pop,isEmpty",
        "--arguments",
        "push=3",
        "--iterations",
        "2",
    ];
    let done = generate(&jdk, "subjects/src", &output, &options);
    let (said, errors) = (text(&done.stdout), text(&done.stderr));
    assert_eq!((done.status.code(), errors.as_str()), (Some(0), ""), "{said}");
    assert!(said.contains("\n  iteration 1: 1 state tried, 3 calls, 1 threw, 1 left the state as it was, 1 new state\n"), "{said}");
    let source = fs::read_to_string(output.join("subjects/IntStackTest.java")).unwrap();
    let expected = r#"    @Test
    void pop_onNew_throwsArrayIndexOutOfBounds() {
        IntStack intStack = new IntStack();
        ArrayIndexOutOfBoundsException exception =
                assertThrows(ArrayIndexOutOfBoundsException.class, () -> intStack.pop());
        assertEquals("Index -1 out of bounds for length 10", exception.getMessage());
    }
"#;
    assert!(source.contains(expected), "{source}");
    let expected = r#"    @Test
    void pop_afterPush_returns3() {
        IntStack intStack = new IntStack();
        intStack.push(3);
        assertEquals(3, intStack.pop());
        assertTrue(intStack.isEmpty());
    }
"#;
    assert!(source.contains(expected), "{source}");
}

#[test]
fn tests_of_calls_that_do_something_new_notice_what_tests_of_all_calls_notice() {
    let jdk = first_jdk();
    let subject = classes(&jdk, "generate");
    let worth = |name: &str, options: &[&str]| {
        let output = folder(&format!("behaviours-{name}"));
        let options = [&["--class", "sample.Order", "--iterations", "2"], options].concat();
        let done = generate(&jdk, "generate", &output, &options);
        let said = text(&done.stdout);
        assert_eq!((done.status.code(), text(&done.stderr).as_str()), (Some(0), ""), "{said}");
        assert!(said.contains("all pass on the real JVM"), "{said}");
        let class_path = format!("{}:{}", subject.display(), suite::jars(JUPITER));
        let tests =
            suite::compile(&jdk, &format!("behaviours-{name}"), &output, &class_path).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
        command.arg("assess").arg("--jdk").arg(&jdk.home).args(["--classpath", &class_path]);
        command.args(["--class", "sample.Order", "--mutants", "--tests"]).arg(tests);
        let judged = text(&command.output().unwrap().stdout);
        let line = |start: &str| {
            let line = judged.lines().find(|line| line.starts_with(start));
            line.unwrap_or_else(|| panic!("{judged}")).to_owned()
        };
        let n_tests: usize =
            judged.split_once(" tests: ").unwrap_or_else(|| panic!("{judged}")).0.parse().unwrap();
        (n_tests, [line("all classes"), line("mutants:")], said)
    };
    let (n_all, all, said) = worth("all", &["--all"]);
    assert!(!said.contains("do only what others do"), "{said}");
    let (n_new, new, said) = worth("new", &[]);
    assert!(said.contains(" calls do only what others do, so no tests are for them"), "{said}");
    assert_eq!(all, new);
    assert!(n_new * 4 < n_all, "{n_new} of {n_all}");
}

/// The tests that are written for a class of which the tool is told nothing, and what it says.
fn unseen(class: &str, options: &[&str]) -> (String, String) {
    let output = folder(&format!("unseen-{class}"));
    let name = format!("unseen.{class}");
    let options = [&["--class", &*name], options].concat();
    let done = generate(&first_jdk(), "unseen", &output, &options);
    let said = text(&done.stdout);
    assert_eq!((done.status.code(), text(&done.stderr).as_str()), (Some(0), ""), "{said}");
    let source = fs::read_to_string(output.join(format!("unseen/{class}Test.java"))).unwrap();
    (source, said)
}

#[test]
fn a_builder_makes_the_objects_of_a_class_that_has_nothing_else_for_it() {
    let (source, said) = unseen("Parcel", &[]);
    assert!(said.contains("all pass on the real JVM"), "{said}");
    let expected = "
        Parcel.Builder builder = Parcel.builder();
        builder.to(\"a\");
        builder.with(\"a\", 1);
        Parcel parcel = builder.build();
        assertEquals(1, parcel.send());
        IllegalStateException exception =
";
    assert!(source.contains(expected), "{source}");
    assert!(source.contains("assertEquals(\"sent already\", exception.getMessage());"), "{source}");
}

#[test]
fn a_null_with_which_nothing_can_be_done_has_one_test_for_each_place_where_it_hurts() {
    let (source, _) = unseen("Pages", &["--no-verify"]);
    assert_eq!(source.matches("NullPointerException.class").count(), 3, "{source}");
    // All calls take the same way, with other numbers.
    assert_eq!(source.matches("Pages.count(").count(), 5, "{source}");
    let (source, _) = unseen("Relay", &["--no-verify"]);
    assert_eq!(source.matches("Relay.tally(").count(), 5, "{source}");
}

#[test]
fn a_null_is_cast_where_the_compiler_would_not_choose() {
    let (source, said) = unseen("Rates", &[]);
    assert!(!said.contains("disagreement"), "{said}");
    for call in [
        "Rates.count(-1, (Map) null)",
        "Rates.count(-1, (Properties) null)",
        "Rates.count(-1, new Properties())",
    ] {
        assert!(source.contains(call), "{call} in {source}");
    }
}

#[test]
fn what_runs_a_test_is_no_part_of_it() {
    let (source, said) = unseen("Trouble", &[]);
    assert!(!said.contains("disagreement"), "{said}");
    assert!(source.contains("assertNotNull(trouble.getStackTrace());"), "{source}");
}

#[test]
fn where_a_test_runs_is_no_part_of_it() {
    let jdk = first_jdk();
    let (output, jar) = (folder("place"), folder("place-jar").with_extension("jar"));
    // A class path without any folder, which that of tests always has.
    let mut packing = Command::new(jdk.command("jar"));
    packing.arg("cf").arg(&jar).arg("-C").arg(classes(&jdk, "unseen")).arg("unseen/Place.class");
    assert!(packing.status().unwrap().success());
    for strategy in ["states", "random"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
        command.arg("generate").arg("--jdk").arg(&jdk.home).arg("--classpath").arg(&jar);
        command.args(["--class", "unseen.Place", "--strategy", strategy]);
        command.args(["--max-sequences", "200", "--output"]).arg(&output);
        let done = command.output().unwrap();
        let said = text(&done.stdout) + &text(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{said}");
        assert!(!said.contains("disagreement"), "{said}");
        let source = fs::read_to_string(output.join("unseen/PlaceTest.java")).unwrap();
        assert!(source.contains("assertEquals(7, place.seven());"), "{source}");
    }
}

#[test]
fn nobody_waits_for_states_that_nobody_asked_for() {
    let (_, said) = unseen("Switches", &["--no-verify"]);
    let expected = " calls: not every state was tried (--iterations, --max-states or --time say how far to go)\n";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn tests_say_what_objects_say_otherwise_since_the_last_change() {
    let output = folder("since");
    let options = ["--class", "sample.Order", "--iterations", "3", "--arguments", "new=Ada"];
    let more = ["--arguments", "add=tea;5", "--no-verify"];
    let done = generate(&first_jdk(), "generate", &output, &[&options[..], &more].concat());
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let source = fs::read_to_string(output.join("sample/OrderTest.java")).unwrap();
    for part in [
        "        order.add(\"tea\", 5);\n        assertEquals(5, order.pay());\n        \
         assertEquals(Order.Status.PAID, order.status());\n",
        "        order.add(\"tea\", 5);\n        order.add(\"tea\", 5);\n        \
         assertEquals(\"Ada\", order.customer());\n    }\n",
    ] {
        assert!(source.contains(part), "{part} in {source}");
    }
}

#[test]
fn every_sort_of_parameter_and_result_is_written_for_every_junit() {
    for (jdk, junit) in jdk::installed().iter().zip(["5", "4"]).chain([(&first_jdk(), "3")]) {
        let output = folder(&format!("everything-{}-{junit}", jdk.release));
        let options = ["--class", "sample.Everything", "--iterations", "1", "--junit", junit];
        let done = generate(jdk, "generate", &output, &options);
        let said = text(&done.stdout);
        assert_eq!(text(&done.stderr), "");
        assert_eq!(done.status.code(), Some(0), "{said}");
        assert!(said.contains("all pass on the real JVM"), "{said}");
        assert!(!said.contains("disagreement"), "{said}");
        assert!(!said.contains("no test can be written"), "{said}");
        let source = fs::read_to_string(output.join("sample/EverythingTest.java")).unwrap();
        for part in ["Colour.GREEN", "Point(1, 1)", "sum(", "nowhere", "twice(", "bounds()"] {
            assert!(source.contains(part), "{part} in {source}");
        }
        // What is different in another place or from run to run is never asserted.
        for part in ["UTC", "(everything.unstable(", "Locale"] {
            assert!(!source.contains(part), "{part} in {source}");
        }
    }
}

#[test]
fn nothing_is_asserted_that_depends_on_the_clock_or_on_chance() {
    for (strategy, limit) in [("states", "--iterations"), ("random", "--max-sequences")] {
        let output = folder(&format!("chance-{strategy}"));
        let n = if strategy == "states" { "2" } else { "2000" };
        let options = ["--class", "sample.Draw", "--strategy", strategy, limit, n, "--no-verify"];
        let done = generate(&first_jdk(), "generate", &output, &options);
        let said = text(&done.stdout);
        assert_eq!((done.status.code(), text(&done.stderr).as_str()), (Some(0), ""), "{said}");
        let source = fs::read_to_string(output.join("sample/DrawTest.java")).unwrap();
        assert!(source.contains("assertEquals(3, draw.tickets());"), "{source}");
        for part in ["toss())", "oneOfTwo())", "isLate())", "age())", "not now", "perhaps()"] {
            assert!(!source.contains(part), "{part} in {source}");
        }
    }
}

#[test]
fn objects_that_calls_give_are_checked_by_what_they_say() {
    for (jdk, junit) in jdk::installed().iter().zip(["5", "4"]).chain([(&first_jdk(), "3")]) {
        let output = folder(&format!("says-{}-{junit}", jdk.release));
        let options = ["--class", "sample.Shelf", "--arguments", "add=b"];
        let more = ["--iterations", "3", "--junit", junit];
        let done = generate(jdk, "generate", &output, &[options, more].concat());
        let said = text(&done.stdout);
        assert_eq!((done.status.code(), text(&done.stderr).as_str()), (Some(0), ""), "{said}");
        assert!(said.contains("all pass on the real JVM"), "{said}");
        let source = fs::read_to_string(output.join("sample/ShelfTest.java")).unwrap();
        for part in [
            "assertEquals(\"[Atlas, b]\", shelf.view().toString());",
            "new String[] {\"Atlas\", \"b\"}",
            "assertEquals(\"Optional[Atlas]\", shelf.first().toString());",
            "assertEquals(\"19.90\", shelf.price().toString());",
            "assertNotNull(shelf.shy());",
            "assertNotNull(shelf.greedy());",
            "assertNotNull(shelf.now());",
            "assertNotNull(shelf.nobody());",
            "assertNotNull(shelf.typeOfTask());",
            "assertNotNull(shelf.all());",
        ] {
            assert!(source.contains(part), "{part} in {source}");
        }
    }
}

#[test]
fn an_interface_is_tested_and_given_through_what_implements_it() {
    let output = folder("interface");
    let options = ["--class", "sample.Meter", "--iterations", "1"];
    let done = generate(&first_jdk(), "generate", &output, &options);
    let said = text(&done.stdout);
    assert_eq!((done.status.code(), text(&done.stderr).as_str()), (Some(0), ""), "{said}");
    assert!(said.contains("all pass on the real JVM"), "{said}");
    assert!(!said.contains("no test can be written"), "{said}");
    let source = fs::read_to_string(output.join("sample/MeterTest.java")).unwrap();
    for part in [
        "        Doubling doubling = new Doubling();\n        doubling.add(1);\n        assertEquals(2, doubling.total());\n",
        "ArrayList<Integer> arrayList = new ArrayList<>();\n        arrayList.add(1);\n        assertEquals(1, Meter.sum(doubling, arrayList));",
        "Comparator.naturalOrder();\n        assertEquals(-1, Meter.compare(comparator));",
    ] {
        assert!(source.contains(part), "{part} in {source}");
    }
}

#[test]
fn arguments_and_states_come_from_existing_tests() {
    let jdk = first_jdk();
    let output = folder("from-tests");
    let jars = suite::jars(JUPITER);
    let shop = classes(&jdk, "collected/src").display().to_string();
    let sources = root::repository().join("fixtures/collected/test");
    let class_path = format!("{shop}:{jars}");
    let tests = suite::compile(&jdk, "collected/test", &sources, &class_path).unwrap();
    let tests = tests.display().to_string();
    let options = ["--test-classpath", &jars, "--from-tests", &tests, "--iterations", "1"];
    let done =
        generate(&jdk, "collected/src", &output, &[&options[..], &["--class", "Shop"]].concat());
    let said = text(&done.stdout);
    assert_eq!((done.status.code(), text(&done.stderr).as_str()), (Some(0), ""), "{said}");
    assert!(said.contains("from 8 tests: "), "{said}");
    assert!(said.contains("; 3 calls with an argument that cannot be built again\n"), "{said}");
    assert!(said.contains("all pass on the real JVM"), "{said}");
    let source = fs::read_to_string(output.join("orders/ShopTest.java")).unwrap();
    for part in ["shop.create(\"hat\", 9);", "price(7)", "Kind.FAST, String.class, 8L"] {
        assert!(source.contains(part), "{part} in {source}");
    }
    // Defaults are not asked for where tests gave something.
    assert!(!source.contains("Kind.SLOW"), "{source}");
    let options = [&options[..2], &["--from-tests", &shop, "--class", "Shop"]].concat();
    let done = generate(&jdk, "collected/src", &output, &options);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("no tests found in"), "{}", text(&done.stderr));
}

#[test]
fn classes_are_tried_together_with_objects_of_each_other() {
    let output = folder("together");
    let options =
        ["--class", "sample.Wallet", "--class", "sample.Till", "--together", "--iterations", "1"];
    let done = generate(&first_jdk(), "generate", &output, &options);
    let said = text(&done.stdout);
    assert_eq!((done.status.code(), text(&done.stderr).as_str()), (Some(0), ""), "{said}");
    assert!(said.starts_with("sample.Wallet, sample.Till\n"), "{said}");
    assert_eq!(said.matches("all pass on the real JVM").count(), 2, "{said}");
    let read = |name: &str| fs::read_to_string(output.join(name)).unwrap();
    let expected = r#"        Till till = new Till();
        Wallet wallet = new Wallet();
        wallet.put(1);
        till.take(wallet);
        assertEquals(1, till.total());
"#;
    assert!(read("sample/TillTest.java").contains(expected), "{}", read("sample/TillTest.java"));
    // Robbing a till pays only where somebody paid before.
    let expected = r#"        till.take(wallet2);
        wallet.rob(till);
        assertEquals(1, wallet.coins());
"#;
    let source = read("sample/WalletTest.java");
    assert!(source.contains(expected), "{source}");
    assert!(!source.contains("assertEquals(0, till.total())"), "{source}");
}

#[test]
fn the_same_bytes_come_out_for_any_number_of_threads() {
    let jdk = first_jdk();
    for (all, n_lines) in [(&[][..], 100), (&["--all", "--max-tests", "200"], 1000)] {
        let options = ["--class", "HashMap", "--iterations", "2", "--no-verify", "--jobs"];
        let sources = ["1", "2", "3"].map(|jobs| {
            let output = folder(&format!("jobs-{jobs}-{}", all.len()));
            let done =
                generate(&jdk, "subjects/src", &output, &[&options, &[jobs][..], all].concat());
            assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
            fs::read_to_string(output.join("subjects/HashMapTest.java")).unwrap()
        });
        assert!(sources[0].lines().count() > n_lines, "{}", sources[0].lines().count());
        assert_eq!(sources[0], sources[1]);
        assert_eq!(sources[0], sources[2]);
    }
}

#[test]
fn a_call_that_does_not_come_back_is_a_finding() {
    let jdk = first_jdk();
    let output = folder("endless");
    let options =
        ["--class", "Endless", "--methods", "loop", "--iterations", "1", "--fuel", "100000"];
    let done = generate(&jdk, "generate", &output, &options);
    let said = text(&done.stdout);
    assert_eq!(done.status.code(), Some(1), "{said}{}", text(&done.stderr));
    assert!(
        said.contains("  found: new Endless(); loop(-1) does not come back: an endless loop"),
        "{said}"
    );
    let source = fs::read_to_string(output.join("sample/EndlessTest.java")).unwrap();
    assert!(!source.contains("loop(-1)"), "{source}");
}

#[test]
fn the_summary_can_be_read_by_programs() {
    let jdk = first_jdk();
    let output = folder("json");
    let options = ["--class", "IntStack", "--iterations", "1", "--format", "json", "--no-verify"];
    let done = generate(&jdk, "subjects/src", &output, &options);
    let said = text(&done.stdout);
    assert!(said.contains("\"class\": \"subjects.IntStack\""), "{said}");
    assert!(said.contains("\"technique\": \"whole-state\""), "{said}");
    assert!(said.contains("\"disagreements\": []"), "{said}");
}

#[test]
fn a_test_that_a_person_wrote_is_never_replaced() {
    let jdk = first_jdk();
    let output = folder("replace");
    let own = output.join("subjects/IntStackTest.java");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(&own, "package subjects;\n").unwrap();
    let options = ["--class", "IntStack", "--iterations", "1", "--no-verify"];
    let done = generate(&jdk, "subjects/src", &output, &options);
    assert_eq!(done.status.code(), Some(2), "{}", text(&done.stdout));
    let said = text(&done.stderr);
    assert!(said.contains("is there already, and Nonpareil did not write it"), "{said}");
    assert_eq!(fs::read_to_string(&own).unwrap(), "package subjects;\n");
    // What Nonpareil wrote itself, it replaces, and takes away what is too much.
    fs::remove_file(&own).unwrap();
    let done = generate(&jdk, "subjects/src", &output, &options);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let first = fs::read_to_string(&own).unwrap();
    let second = output.join("subjects/IntStackTest2.java");
    fs::write(&second, &first).unwrap();
    let done = generate(&jdk, "subjects/src", &output, &options);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert_eq!(fs::read_to_string(&own).unwrap(), first);
    assert!(!second.exists());
}

/// Checks that bad input is an error with this text, and that nothing is written.
fn check_refused(name: &str, options: &[&str], part: &str) {
    let jdk = first_jdk();
    let output = folder(name);
    let done = generate(&jdk, "generate", &output, options);
    let errors = text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{errors}");
    assert!(errors.contains(part), "{errors}");
    assert!(!output.exists(), "something was written");
}

#[test]
fn classes_are_chosen_by_simple_names_patterns_and_packages() {
    let check = |options: &[&str], expected: &[&str]| {
        let output = folder("chosen");
        let more = ["--iterations", "1", "--no-verify"];
        let done = generate(&first_jdk(), "generate", &output, &[options, &more].concat());
        assert_eq!(text(&done.stderr), "", "{options:?}");
        let said = text(&done.stdout);
        let tried: Vec<&str> = said.lines().filter(|line| !line.starts_with(' ')).collect();
        assert_eq!(tried, expected, "{options:?}");
    };
    check(&["--class", "Wallet", "--class", "Till"], &["sample.Wallet", "sample.Till"]);
    // Meter is an interface: patterns take what a test could make.
    check(&["--class", "sample.*et*", "--class", "Till"], &["sample.Till", "sample.Wallet"]);
    check(&["--package", "near"], &["near.Near", "near.deep.Deep"]);
    check(&["--package", "near.*"], &["near.Near"]);
}

#[test]
fn a_class_whose_tests_do_not_compile_does_not_keep_others_from_theirs() {
    let output = folder("one-of-two");
    // No test may name a class that its module keeps to itself.
    let options = ["--class", "Till", "--class", "sun.net.www.HeaderParser", "--iterations", "1"];
    let done = generate(&first_jdk(), "generate", &output, &options);
    let (said, errors) = (text(&done.stdout), text(&done.stderr));
    assert!(
        errors.starts_with("sun.net.www.HeaderParser: the tests do not compile:\n"),
        "{errors}"
    );
    assert!(said.contains("sample/TillTest.java: "), "{said}");
    assert!(output.join("sample/TillTest.java").is_file());
    assert_eq!(done.status.code(), Some(0), "{said}");
}

#[test]
fn a_class_that_is_not_there_is_named_and_the_one_that_may_be_meant() {
    check_refused("missing", &["--class", "Nowhere"], "class Nowhere is not on the class path");
    let hint = "\nhint: did you mean sample.Till?\n";
    check_refused("misspelt", &["--class", "sample.Tlil"], hint);
    check_refused("misspelt", &["--class", "till"], hint);
    let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
    command.args(["generate", "--class", "Any", "--output", "none", "--classpath", "no.jar"]);
    let errors = text(&command.output().unwrap().stderr);
    let hint = "\nhint: no.jar does not exist; --classpath names folders and jars\n";
    assert!(errors.contains(hint), "{errors}");
}

#[test]
fn numbers_that_mean_nothing_are_refused() {
    for option in ["--jobs", "--fuel", "--max-states"] {
        check_refused("nothing", &["--class", "sample.Till", option, "0"], "invalid value '0'");
    }
}

#[test]
fn a_class_in_a_damaged_jar_is_not_said_to_be_missing() {
    let (jdk, output) = (first_jdk(), folder("damaged"));
    let jar = root::target().join("generate-tests/damaged.jar");
    fs::create_dir_all(jar.parent().unwrap()).unwrap();
    let classes = classes(&jdk, "generate");
    let mut command = Command::new(jdk.home.join("bin/jar"));
    command.arg("cf").arg(&jar).arg("-C").arg(&classes).arg("sample/Till.class");
    assert!(command.status().unwrap().success());
    let mut bytes = fs::read(&jar).unwrap();
    let name = b"sample/Till.class";
    let at = bytes.windows(name.len()).position(|part| part == name).unwrap() + name.len();
    bytes[at + 4..at + 40].fill(0xff);
    fs::write(&jar, bytes).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_nonpareil"));
    command.arg("generate").arg("--jdk").arg(&jdk.home).arg("--classpath").arg(&jar);
    let done = command.args(["--class", "sample.Till", "--output"]).arg(&output).output().unwrap();
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(!said.contains("is not on the class path"), "{said}");
    let entry = format!("error: entry sample/Till.class of {} cannot be", jar.display());
    assert!(said.starts_with(&entry), "{said}");
}

#[test]
fn a_class_that_nobody_can_make_is_refused() {
    check_refused(
        "hidden",
        &["--class", "sample.Hidden"],
        "sample.Hidden has no public constructor",
    );
    check_refused("abstract", &["--class", "sample.Shape"], "sample.Shape is abstract");
}

#[test]
fn arguments_and_methods_that_fit_nothing_are_refused() {
    check_refused("values", &["--class", "Endless", "--arguments", "loop=x"], "type int");
    check_refused(
        "methods",
        &["--class", "Endless", "--methods", "walk"],
        "has no walk that a test can call",
    );
    check_refused(
        "technique",
        &["--class", "Endless", "--technique", "guess"],
        "whole-seq, modifying-seq",
    );
}

#[test]
fn without_junit_the_check_cannot_be_made_and_says_how_to_go_on() {
    let jdk = first_jdk();
    let output = folder("no-junit");
    let options = ["--class", "Endless", "--test-classpath", "/nowhere/junit.jar"];
    let done = generate(&jdk, "generate", &output, &options);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("do not compile"), "{}", text(&done.stderr));
    assert!(!output.exists());
}

#[test]
fn redundancy_of_all_sequences_never_decreases_from_technique_to_technique() {
    let jdk = first_jdk();
    let output = folder("exhaustive");
    let options = [
        "--class",
        "IntStack",
        "--strategy",
        "exhaustive",
        "--length",
        "3",
        "--count",
        "--arguments",
        "int=-1,0,1",
        "--format",
        "json",
    ];
    let done = generate(&jdk, "subjects/src", &output, &options);
    let said = text(&done.stdout);
    let figures = |name: &str| -> Vec<usize> {
        let lines =
            said.lines().filter_map(|line| line.trim().strip_prefix(&format!("\"{name}\": ")));
        lines.map(|figure| figure.trim_end_matches(',').parse().unwrap()).collect()
    };
    // 8 argument lists, one of which throws on an empty stack.
    assert_eq!(figures("tests"), [481; 5], "{said}{}", text(&done.stderr));
    assert_eq!(figures("distinctExecutions"), [481, 129, 121, 105, 105]);
    assert_eq!(figures("coveredBranches"), figures("coveredBranchesKept"));
    assert_eq!(figures("exceptions"), figures("exceptionsKept"));
    assert!(figures("redundantTests").is_sorted(), "{said}");
    assert!(!output.exists(), "counting writes nothing");
}

#[test]
fn random_generation_writes_tests_that_pass_and_tests_that_show_what_is_broken() {
    let jdk = first_jdk();
    let run = |name: &str, jobs: &str| {
        let output = folder(name);
        let options = [
            "--strategy",
            "random",
            "--class",
            "bugs.Money",
            "--max-sequences",
            "20000",
            "--jobs",
            jobs,
        ];
        let done = generate(&jdk, "bugs/src", &output, &options);
        let (said, errors) = (text(&done.stdout), text(&done.stderr));
        assert_eq!((done.status.code(), errors.as_str()), (Some(1), ""), "{said}");
        assert!(said.contains("1. error equals-hash-code: Money"), "{said}");
        assert!(said.contains("tests, all pass on the real JVM"), "{said}");
        assert!(said.contains("1 test, it fails on the real JVM, as it must"), "{said}");
        assert!(!said.contains("disagreement"), "{said}");
        let read = |file: &str| fs::read_to_string(output.join("bugs").join(file)).unwrap();
        (read("MoneyTest.java"), read("MoneyErrorTest.java"))
    };
    let (passing, failing) = run("random-1", "1");
    assert!(failing.contains("void hashCode_breaksEqualsHashCode()"), "{failing}");
    assert!(run("random-2", "2") == (passing, failing), "two threads write other tests than one");
}

#[test]
fn only_what_never_ends_is_endless_and_neither_what_takes_long_nor_what_waits_for_its_caller() {
    let jdk = first_jdk();
    let output = folder("random-patience");
    let found = |options: &[&str]| {
        let options =
            [&["--strategy", "random", "--class", "Patience", "--fuel", "1000000"], options];
        let options = [options.concat(), vec!["--max-sequences", "300", "--count"]].concat();
        let done = generate(&jdk, "generate", &output, &options);
        let said = text(&done.stdout);
        assert_eq!(done.status.code(), Some(1), "{said}{}", text(&done.stderr));
        let mut found: Vec<String> = said
            .lines()
            .filter_map(|line| line.split_once("error ")?.1.split_once("()"))
            .map(|(method, _)| method.replace("sample.Patience.", ""))
            .collect();
        found.sort();
        found
    };
    assert_eq!(found(&[]), ["endless-loop: embrace", "endless-loop: spin"]);
    let all = ["endless-loop: embrace", "endless-loop: spin", "endless-wait: next"];
    assert_eq!(found(&["--endless-wait", "error"]), all);
}

#[test]
fn a_search_ends_in_time_for_its_findings_and_the_report_says_where_the_time_went() {
    let jdk = first_jdk();
    let output = folder("random-time");
    let options =
        ["--strategy", "random", "--package", "bugs", "--time", "4s", "--count", "--jobs", "1"];
    let done = generate(&jdk, "bugs/src", &output, &options);
    let said = text(&done.stdout) + &text(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    let line =
        said.lines().find(|line| line.ends_with(" s for writing and checking them")).expect(&said);
    let seconds: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [search, findings, ..] = seconds[..] else { panic!("{line}") };
    // How long findings take by the clock depends on what else runs on this computer.
    assert!(search <= 4.5 && 0.0 < findings, "{line}");
}

#[test]
fn memory_that_does_not_hold_is_refused_before_the_search_with_what_is_enough() {
    let output = folder("little-memory");
    let own = ["--class", "sample.Order", "--max-sequences", "100", "--count"];
    for strategy in ["random", "all"] {
        let run = |memory: &str| {
            let options = [&own[..], &["--strategy", strategy, "--memory", memory]].concat();
            let done = generate(&first_jdk(), "generate", &output, &options);
            (done.status.code(), text(&done.stderr))
        };
        let (code, said) = run("16m");
        assert_eq!(code, Some(2), "{said}");
        let enough = said.split_once("hint: --memory ").unwrap_or_else(|| panic!("{said}")).1;
        let enough = enough.split_once(" is enough for these classes\n");
        assert_eq!(run(enough.expect("the end").0), (Some(0), String::new()));
    }
}

#[test]
fn findings_that_take_much_are_seen_again_within_the_memory() {
    let output = folder("much-memory");
    let options = ["--class", "sample.Hoard", "--strategy", "random", "--max-sequences", "300"];
    let options = [&options[..], &["--memory", "128m", "--count"]].concat();
    let done = generate(&first_jdk(), "generate", &output, &options);
    let said = text(&done.stdout) + &text(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("oom-exception"), "{said}");
    assert!(!said.contains("were taken"), "{said}");
}

#[test]
fn random_tests_with_generic_arguments_and_builders_compile_without_a_warning() {
    let jdk = first_jdk();
    let output = folder("random-generic");
    let mut options = vec!["--strategy", "random", "--max-sequences", "1000", "--no-verify"];
    let subjects = ["Elements", "Letter", "Canvas"];
    let names = subjects.map(|subject| format!("inputs.{subject}"));
    options.extend(names.iter().flat_map(|name| ["--class", name]));
    let done = generate(&jdk, "generate/inputs", &output, &options);
    let said = text(&done.stdout) + &text(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{said}");
    assert!(!said.contains("not called"), "{said}");
    let mut javac = Command::new(jdk.command("javac"));
    javac.args(["-Xlint:all,-path", "-Werror", "-proc:none", "-J-XX:TieredStopAtLevel=1", "-cp"]);
    let jars = ["junit-jupiter-api", "junit-platform-commons", "opentest4j", "apiguardian-api"];
    let classes = classes(&jdk, "generate/inputs");
    javac.arg(format!("{}:{}", classes.display(), suite::jars(&jars)));
    javac.arg("-d").arg(output.join("classes"));
    javac.args(subjects.map(|subject| output.join(format!("inputs/{subject}Test.java"))));
    let compiled = javac.output().unwrap();
    assert!(compiled.status.success(), "{}", text(&compiled.stderr));
    let source = fs::read_to_string(output.join("inputs/ElementsTest.java")).unwrap();
    assert!(source.contains("ArrayList<List<String>> arrayList"), "{source}");
}

#[test]
fn two_versions_are_told_apart_by_the_shortest_calls_that_show_each_difference() {
    let jdk = first_jdk();
    let output = folder("random-versions");
    let other = classes(&jdk, "versions/new");
    let options = ["--strategy", "random", "--class", "versions.Till", "--max-sequences", "3000"];
    let against = ["--no-verify", "--against", other.to_str().unwrap()];
    let options: Vec<&str> = options.into_iter().chain(against).collect();
    let done = generate(&jdk, "versions/old", &output, &options);
    let said = text(&done.stdout) + &text(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{said}");
    let word = "versions.Till.word(boolean): here it gives \"FULL\"; there it gives \"FILLED\"\n";
    assert_eq!(said.matches(word).count(), 1, "{said}");
    let full = "versions.Till.put(int): here isFull() gives false; there isFull() gives true\n";
    assert_eq!(said.matches(full).count(), 1, "{said}");
    let source = fs::read_to_string(output.join("versions/TillVersionTest.java")).unwrap();
    for test in source.split("@Test").skip(1) {
        assert!(test.matches("till.put(").count() < 2, "one call is enough: {test}");
    }
}

#[test]
fn random_generation_says_what_is_wrong_with_its_options() {
    let jdk = first_jdk();
    let output = folder("random-wrong");
    let wrong = |options: &[&str]| {
        let all: Vec<&str> =
            ["--strategy", "random", "--count"].iter().chain(options).copied().collect();
        let done = generate(&jdk, "bugs/src", &output, &all);
        assert_eq!(done.status.code(), Some(2), "{}", text(&done.stdout));
        text(&done.stderr)
    };
    let said = wrong(&["--package", "no.such"]);
    assert!(
        said.contains("package no.such has no class on the class path and in the JDK"),
        "{said}"
    );
    let said = wrong(&["--class", "bugs.Money", "--no-contract", "nonsense"]);
    assert!(said.contains("there is no contract nonsense"), "{said}");
    assert_eq!(said.matches("equals-returns").count(), 1, "{said}");
    let said = wrong(&["--class", "bugs.Money", "--contracts", "no.such.Rules.hold"]);
    assert_eq!(said, "error: class no.such.Rules cannot be loaded\n");
    let said = wrong(&["--class", "bugs.Money", "--against", "no-such-folder"]);
    assert!(said.contains("--against no-such-folder: there is no such folder or jar"), "{said}");
    let said = wrong(&["--class", "bugs.Money", "--against-jdk", "no-such-folder"]);
    assert!(said.contains("--against-jdk no-such-folder"), "{said}");
    let said = wrong(&["--class", "bugs.Money", "--contracts", "bugs.Money.nothing"]);
    assert!(said.contains("bugs.Money"), "{said}");
    let said = wrong(&["--class", "bugs.Money", "--repeat", "2"]);
    assert!(said.contains("a probability lies between 0 and 1"), "{said}");
    let said = wrong(&["--class", "bugs.Money", "--literals", "no-such-file"]);
    assert!(said.contains("--literals no-such-file"), "{said}");
    assert!(!output.exists(), "nothing is written");
}
