//! Sources, what is done to them, and what must come out.

use super::{Action, Because, Edit, Framework, Rewritten, rewrite};

/// An edit of a method of class `A`, or of another class where the name has a dot.
fn edit(action: Action, name: &str) -> Edit {
    let (class, method) = name.rsplit_once('.').unwrap_or(("A", name));
    Edit {
        class: class.to_owned(),
        method: method.to_owned(),
        parameters: None,
        framework: None,
        action,
        reason: "redundant, covered by n".to_owned(),
    }
}

fn apply(source: &str, action: Action, names: &[&str]) -> Rewritten {
    let edits: Vec<Edit> = names.iter().map(|name| edit(action, name)).collect();
    rewrite(source, &edits).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

#[track_caller]
fn check(source: &str, action: Action, names: &[&str], expected: &str) {
    assert_eq!(apply(source, action, names).text, expected);
}

#[track_caller]
fn check_error(source: &str, edits: &[Edit], expected: &str) {
    assert_eq!(rewrite(source, edits).expect_err(source).to_string(), expected);
}

/// Three tests with comments, as people write them.
const THREE: &str = "\
import org.junit.jupiter.api.Test;

class A {
    private int x; // of x

    /**
     * Of a.
     */
    @Test
    void a() {
        x();
    }

    // of b
    @Test
    @Tag(\"}\")
    void b() {

        String s = \"\"\"
  }
\"\"\";
    } // end of b

    @Test
    void c() { }
}
";

#[test]
fn nothing_to_do_changes_nothing() {
    check(THREE, Action::Delete, &[], THREE);
}

#[test]
fn delete_takes_comments_and_one_empty_line_along() {
    let without_b = THREE.replace(
        "    // of b\n    @Test\n    @Tag(\"}\")\n    void b() {\n\n        String s = \"\"\"\n  }\n\"\"\";\n    } // end of b\n\n",
        "",
    );
    check(THREE, Action::Delete, &["b"], &without_b);
    let without_c = THREE.replace("\n    @Test\n    void c() { }\n", "");
    check(THREE, Action::Delete, &["c"], &without_c);
    let empty = "import org.junit.jupiter.api.Test;\n\nclass A {\n    private int x; // of x\n}\n";
    check(THREE, Action::Delete, &["c", "a", "b"], empty);
}

#[test]
fn delete_of_the_first_member_takes_the_empty_line_behind() {
    let source = "class A {\n    @Test void a() {}\n\n    @Test void b() {}\n}\n";
    check(source, Action::Delete, &["a"], "class A {\n    @Test void b() {}\n}\n");
    check(source, Action::Delete, &["b"], "class A {\n    @Test void a() {}\n}\n");
    check(source, Action::Delete, &["a", "b"], "class A {\n}\n");
}

#[test]
fn delete_keeps_the_empty_line_between_what_is_left() {
    let source = "class A {\n  int x;\n  @Test void a() {}\n\n  int y;\n}\n";
    check(source, Action::Delete, &["a"], "class A {\n  int x;\n\n  int y;\n}\n");
    let source = "class A {\n  int x;\n\n  @Test void a() {}\n  int y;\n}\n";
    check(source, Action::Delete, &["a"], "class A {\n  int x;\n\n  int y;\n}\n");
}

#[test]
fn delete_works_where_several_declarations_share_a_line() {
    let source = "class A { @Test void a() {} @Test void b() {} int x; @Test void c() {} }";
    check(source, Action::Delete, &["a"], "class A { @Test void b() {} int x; @Test void c() {} }");
    check(source, Action::Delete, &["b"], "class A { @Test void a() {} int x; @Test void c() {} }");
    check(source, Action::Delete, &["a", "b", "c"], "class A { int x; }");
    let source = "class A { int x; @Test void a() {\n  }\n  int y; @Test void b() {\n  } int z;\n}";
    check(source, Action::Delete, &["a", "b"], "class A { int x;\n  int y; int z;\n}");
}

#[test]
fn line_ends_tabs_byte_order_mark_and_a_missing_last_line_end_stay() {
    let source = "\u{feff}class A {\r\n\tint x;\t\r\n\r\n\t@Test\r\n\tvoid a() {\r\n\t}\r\n\r\n\tint y;\r\n}";
    check(source, Action::Delete, &["a"], "\u{feff}class A {\r\n\tint x;\t\r\n\r\n\tint y;\r\n}");
    check(
        source,
        Action::Comment,
        &["a"],
        "\u{feff}class A {\r\n\tint x;\t\r\n\r\n\t// nonpareil: redundant, covered by n\r\n\t// @Test\r\n\t// void a() {\r\n\t// }\r\n\r\n\tint y;\r\n}",
    );
}

#[test]
fn comment_keeps_every_line_behind_slashes() {
    let expected = THREE.replace(
        "    // of b\n    @Test\n    @Tag(\"}\")\n    void b() {\n\n        String s = \"\"\"\n  }\n\"\"\";\n    } // end of b\n",
        "    // nonpareil: redundant, covered by n\n    // // of b\n    // @Test\n    // @Tag(\"}\")\n    // void b() {\n    //\n    //     String s = \"\"\"\n//   }\n// \"\"\";\n    // } // end of b\n",
    );
    check(THREE, Action::Comment, &["b"], &expected);
}

#[test]
fn comment_breaks_lines_that_are_shared() {
    check(
        "class A { @Test void a() {} @Test void b() {} }\n",
        Action::Comment,
        &["a", "b"],
        "class A { \n// nonpareil: redundant, covered by n\n// @Test void a() {}\n \n// nonpareil: redundant, covered by n\n// @Test void b() {}\n }\n",
    );
    check(
        "class A {\n  @Test void a() {} int x;\n}\n",
        Action::Comment,
        &["a"],
        "class A {\n  // nonpareil: redundant, covered by n\n  // @Test void a() {}\n   int x;\n}\n",
    );
}

#[test]
fn comment_goes_on_behind_an_escaped_line_end() {
    check(
        "class A {\n  @Test void a() { /* \\u000a */ }\n}\n",
        Action::Comment,
        &["a"],
        "class A {\n  // nonpareil: redundant, covered by n\n  // @Test void a() { /* \\u000a//  */ }\n}\n",
    );
}

#[test]
fn disable_adds_the_annotation_of_the_right_junit() {
    let body = "class A {\n    /** Of a. */\n    @Test\n    void a() {}\n}\n";
    for (import, annotation) in [
        ("import org.junit.jupiter.api.Test;\n", "@org.junit.jupiter.api.Disabled"),
        ("import org.junit.jupiter.api.*;\n", "@org.junit.jupiter.api.Disabled"),
        ("import org.junit.Test;\n", "@org.junit.Ignore"),
        ("import org.junit.*;\n", "@org.junit.Ignore"),
        (
            "import org.junit.*;\nimport org.junit.jupiter.api.Test;\n",
            "@org.junit.jupiter.api.Disabled",
        ),
        (
            "import my.Test;\nimport static org.junit.jupiter.api.Assertions.*;\n",
            "@org.junit.jupiter.api.Disabled",
        ),
    ] {
        let expected = body.replace(
            "    @Test",
            &format!("    {annotation}(\"nonpareil: redundant, covered by n\")\n    @Test"),
        );
        check(&format!("{import}{body}"), Action::Disable, &["a"], &format!("{import}{expected}"));
    }
}

#[test]
fn disable_stays_on_a_shared_line() {
    check(
        "class A { @org.junit.Test public void a() {} }",
        Action::Disable,
        &["a"],
        "class A { @org.junit.Ignore(\"nonpareil: redundant, covered by n\") @org.junit.Test public void a() {} }",
    );
}

#[test]
fn disable_renames_tests_of_junit_3() {
    let source = "class A extends TestCase {\n  public void testA() {}\n  public void disabledTestA() {}\n  { } public void testB() {}\n}\n";
    check(
        source,
        Action::Disable,
        &["testA", "testB"],
        "class A extends TestCase {\n  // nonpareil: redundant, covered by n\n  public void disabledTestA_() {}\n  public void disabledTestA() {}\n  { } /* nonpareil: redundant, covered by n */ public void disabledTestB() {}\n}\n",
    );
}

#[test]
fn disable_says_so_where_it_cannot_tell_the_junit() {
    let source = "import org.junit.Rule;\nimport org.junit.jupiter.api.Tag;\nclass A {\n @Mine void a() {}\n}";
    let edits = [edit(Action::Disable, "a")];
    check_error(source, &edits, "line 4: it cannot be told which JUnit runs A.a");
    let told = Edit { framework: Some(Framework::JUnit4), ..edits[0].clone() };
    let text = rewrite(source, &[told]).expect("it is told").text;
    assert!(text.contains(
        " @org.junit.Ignore(\"nonpareil: redundant, covered by n\")\n @Mine void a() {}"
    ));
}

#[test]
fn reasons_are_harmless_wherever_they_stand() {
    let source = "import org.junit.Test;\nclass A {\n  @Test void a() {} // é\n}\n";
    let with = |action, reason: &str| {
        let edit = Edit { reason: reason.to_owned(), ..edit(action, "a") };
        rewrite(source, &[edit]).expect("rewrites").text
    };
    let disabled = with(Action::Disable, "\"x\" \\u0022 é ö 😀\n*/");
    assert!(
        disabled.contains(r#"("nonpareil: \"x\" \\u0022 é \u00f6 \ud83d\ude00 */")"#),
        "{disabled}"
    );
    let commented = with(Action::Comment, "a\nb \\u000a ö");
    assert!(commented.contains("  // nonpareil: a b \\\\u000a \\u00f6\n"), "{commented}");
}

#[test]
fn nested_classes_are_found_by_binary_name() {
    let source = "package p;\nclass A {\n  @Test void m() {}\n  @Nested class B {\n    @Test void m() {}\n    @Nested class C {\n      @Test void m() {}\n    }\n  }\n}\n";
    let expected = source
        .replace("    @Nested class C {\n      @Test void m() {}\n", "    @Nested class C {\n");
    check(source, Action::Delete, &["p.A$B$C.m"], &expected);
    check(source, Action::Delete, &["p/A$B$C.m"], &expected);
}

#[test]
fn overloads_are_told_apart_by_erased_types() {
    let source = "class A<T> {\n void m() {}\n void m(int x) {}\n void m(java.util.Map.Entry<T, int[]>... x) {}\n <U> void m(U[] x) {}\n void m(String x) {}\n void m(T x) {}\n}";
    for (parameters, line) in [
        (&[][..], "void m() {}"),
        (&["int"], "void m(int x) {}"),
        (&["java.util.Map$Entry[]"], "void m(java.util.Map.Entry<T, int[]>... x) {}"),
        (&["java.lang.Object[]"], "<U> void m(U[] x) {}"),
        (&["java.lang.String"], "void m(String x) {}"),
        (&["java.lang.Object"], "void m(T x) {}"),
    ] {
        let parameters = Some(parameters.iter().map(|it| (*it).to_owned()).collect());
        let edit = Edit { parameters, ..edit(Action::Delete, "m") };
        let text = rewrite(source, &[edit]).expect("finds it").text;
        assert_eq!(text, source.replace(&format!(" {line}\n"), ""));
    }
}

#[test]
fn what_is_not_found_is_an_error_with_lines() {
    let source =
        "package p;\nclass A {\n  void m(int x) {}\n\n  void m(long x) {}\n}\nclass B {}\n";
    check_error(
        source,
        &[edit(Action::Delete, "p.C.m")],
        "the source does not match the class files: it does not declare p.C, only p.A, p.B",
    );
    check_error(
        "",
        &[edit(Action::Delete, "p.C.m")],
        "the source does not match the class files: it declares no class, p.C is expected",
    );
    check_error(
        source,
        &[edit(Action::Delete, "p.B.m")],
        "the source does not match the class files: p.B in line 7 has no method m",
    );
    check_error(
        source,
        &[Edit { parameters: Some(vec!["short".to_owned()]), ..edit(Action::Delete, "p.A.m") }],
        "the source does not match the class files: p.A in line 2 has no method m(short), only (int) in line 3, (long) in line 5",
    );
    check_error(
        source,
        &[edit(Action::Delete, "p.A.m")],
        "p.A has several methods m, in lines 3, 5",
    );
    check_error(
        "class A { void m() {} }",
        &[edit(Action::Delete, "m"), edit(Action::Comment, "m")],
        "A.m in line 1 is named twice",
    );
    check_error("class A {\n\n  void m() {", &[], "line 3: a bracket is not closed");
}

#[track_caller]
fn check_kept(source: &str, action: Action, names: &[&str], expected: &[(usize, usize, Because)]) {
    let rewritten = apply(source, action, names);
    let kept: Vec<_> =
        rewritten.kept.iter().map(|kept| (kept.edit, kept.line, kept.because)).collect();
    assert_eq!(kept, expected);
    if expected.len() == names.len() {
        assert_eq!(rewritten.text, source);
    }
}

#[test]
fn a_test_that_other_code_calls_stays() {
    let called = [(0, 2, Because::IsCalled { line: 3 })];
    for call in [
        "m();",
        "this.m();",
        "A.this.m();",
        "new A(1).m();",
        "run(this::m);",
        "return m();",
        "x = a > m();",
    ] {
        let source = format!("class A {{\n @Test void m() {{}}\n void n() {{ {call} }}\n}}");
        check_kept(&source, Action::Delete, &["m"], &called);
        check_kept(&source, Action::Comment, &["m"], &called);
    }
}

#[test]
fn what_only_looks_like_a_call_does_not_keep_a_test() {
    for other in [
        "stack.m();",
        "new m();",
        "m(1);",
        "/* m() */",
        "\"m()\";",
        "int m = 1;",
        "Stack::m;",
        "new Object() { void m() { } };",
        "@m() int x;",
    ] {
        let source = format!(
            "class A {{\n @Test void m() {{ m(); }}\n void n() {{ {other} }}\n}} class B {{ void o() {{ m(); }} }}"
        );
        check_kept(&source, Action::Delete, &["m"], &[]);
    }
}

#[test]
fn calls_from_tests_that_go_do_not_count_but_from_those_that_stay_do() {
    let source =
        "class A {\n @Test void a() { b(); }\n @Test void b() { c(); }\n @Test void c() {}\n}";
    check_kept(source, Action::Delete, &["a", "b", "c"], &[]);
    check_kept(
        source,
        Action::Delete,
        &["c", "b"],
        &[(0, 4, Because::IsCalled { line: 3 }), (1, 3, Because::IsCalled { line: 2 })],
    );
}

#[test]
fn an_overriding_test_stays_where_it_would_be_missing() {
    let source =
        "import org.junit.Test;\nclass A extends B {\n @Override @Test public void m() {}\n}";
    check_kept(source, Action::Delete, &["m"], &[(0, 3, Because::Overrides)]);
    check_kept(source, Action::Comment, &["m"], &[(0, 3, Because::Overrides)]);
    check_kept(source, Action::Disable, &["m"], &[]);
}

#[test]
fn an_overridden_test_stays_where_the_mark_would_be_wrong() {
    let source = "class A extends TestCase {\n public void testM() {}\n}\nclass B extends A {\n @Override public void testM() {}\n}";
    for action in [Action::Delete, Action::Comment, Action::Disable] {
        check_kept(source, action, &["testM"], &[(0, 2, Because::IsOverridden { line: 5 })]);
    }
}

#[test]
fn a_disabled_test_is_not_disabled_twice() {
    let source = "import org.junit.*;\nclass A {\n @Ignore @Test public void m() {}\n}";
    check_kept(source, Action::Disable, &["m"], &[(0, 3, Because::IsDisabled)]);
}

#[test]
fn a_test_of_junit_3_that_a_string_names_stays() {
    let source = "class A extends junit.framework.TestCase {\n public void testM() {}\n static Test suite() {\n  return new A(\"testM\");\n }\n}";
    for action in [Action::Delete, Action::Comment, Action::Disable] {
        check_kept(source, action, &["testM"], &[(0, 2, Because::IsNamed { line: 4 })]);
    }
}

#[track_caller]
fn check_emptied(source: &str, names: &[&str], expected: &[&str]) {
    for action in [Action::Delete, Action::Comment] {
        assert_eq!(apply(source, action, names).emptied, expected);
    }
}

#[test]
fn classes_without_tests_are_named() {
    let source = "import org.junit.jupiter.api.*;\nclass A { @Test void a() {} void x() {} @Nested class B { @RepeatedTest(2) void b() {} } } class C { @Test void c() {} }";
    check_emptied(source, &["a"], &[]);
    check_emptied(source, &["A$B.b"], &["A$B"]);
    check_emptied(source, &["a", "A$B.b"], &["A", "A$B"]);
    check_emptied(source, &["C.c"], &["C"]);
    check_emptied(source, &[], &[]);
    let source = "class A extends TestCase { public void testA() {} public void testB() {} void testC() {} }";
    check_emptied(source, &["testA"], &[]);
    check_emptied(source, &["testA", "testB"], &["A"]);
    let source = "class A { @Mine void a() {} @Mine void b() {} @Yours void c() {} }";
    check_emptied(source, &["a"], &[]);
    check_emptied(source, &["a", "b"], &["A"]);
    let source = "import org.junit.*; class A { @Test void a() {} @Test @Ignore void b() {} }";
    check_emptied(source, &["a"], &["A"]);
}
