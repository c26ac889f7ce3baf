//! Sources and the declarations that must be found in them.

use super::{SourceMap, locate};

fn map(source: &str) -> SourceMap {
    locate(source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// Compares `class.method(parameters)` of all methods, in order of classes.
#[track_caller]
fn check(source: &str, expected: &[&str]) {
    let map = map(source);
    let mut shown = Vec::new();
    for class in &map.classes {
        for method in &class.methods {
            shown.push(format!("{}.{}({})", class.name, method.name, method.parameters.join(", ")));
        }
    }
    assert_eq!(shown, expected);
}

/// Compares the text of the only method called `m` with its comments.
#[track_caller]
fn check_full(source: &str, expected: &str) {
    let map = map(source);
    let method =
        map.classes.iter().flat_map(|class| &class.methods).find(|method| method.name == "m");
    assert_eq!(&source[method.expect("there is an m").full.clone()], expected);
}

#[test]
fn methods_are_found_with_their_parameter_types() {
    check(
        "package a.b; class C { int x = 1, y[] = {2}; void m() {} <T extends List<? super T>> T n(final T t, \
         @A(\"),\") Map<String, int[]> m, int @B [] v[], java.lang.String... w) throws E { } C() { this(1); } }",
        &[
            "a.b.C.m()",
            "a.b.C.n(T, Map<String,int[]>, int[][], java.lang.String...)",
            "a.b.C.<init>()",
        ],
    );
}

#[test]
fn nested_classes_of_all_kinds_have_binary_names() {
    check(
        "class A { class B { void b() {} static class C { void c() {} } } interface I { int i(); default void j() {} } \
         enum E { X(1) { void no() {} }, Y { }; void e() {} } record R<T>(int a, T b) { R { } void r() {} } \
         @interface N { int[] value() default {1, 2}; String s() default \"}\"; } void a() {} } \
         sealed interface S permits Q {} non-sealed class Q implements S { void q() {} }",
        &[
            "A.a()",
            "A$B.b()",
            "A$B$C.c()",
            "A$I.i()",
            "A$I.j()",
            "A$E.e()",
            "A$R.<init>()",
            "A$R.r()",
            "A$N.value()",
            "A$N.s()",
            "Q.q()",
        ],
    );
}

#[test]
fn bodies_and_initialisers_are_skipped() {
    check(
        "class A { Runnable r = () -> { class L { void no() {} } new Object() { void no() {} }; }; static { if (x) {} } { } \
         int f = switch (g) { case 1 -> { yield 2; } default -> 3; }; \
         void m() { class L { void no() {} } var o = new Object() { void no() { } }; String s = \"\"\"\n } \"\"\"; } void n() {} }",
        &["A.m()", "A.n()"],
    );
}

#[test]
fn words_that_are_keywords_in_some_places_only_are_names_elsewhere() {
    check(
        "class A { int record; A record(int sealed) { return null; } void open() {} int module() { return 1; } \
         int non, permits; record P(int x) {} void yield() {} Object sealed; }",
        &["A.record(int)", "A.open()", "A.module()", "A.yield()"],
    );
}

#[test]
fn a_method_may_be_called_like_its_class() {
    check(
        "class A extends @X(1) b.C<D> { A() {} void A() {} <T> A(T t) {} }",
        &["A.<init>()", "A.A()", "A.<init>(T)"],
    );
    let map = map("class A extends @X(1) b.C<D> {}");
    assert_eq!(map.classes[0].superclass.as_deref(), Some("b.C"));
}

#[test]
fn imports_are_listed_as_written() {
    let map = map("import a.B; import static c.D.*; import module java.base; import e . F ;");
    assert_eq!(map.imports, ["a.B", "static c.D.*", "module java.base", "e.F"]);
}

#[test]
fn annotations_with_nested_parentheses_are_skipped() {
    let source = "class A { @Test @X(value = \")\", n = @Y({@Z(1), @Z(2)})) @org.junit.Ignore public static final void m() {} }";
    let map = map(source);
    let method = &map.classes[0].methods[0];
    assert_eq!(method.annotations, ["Test", "X", "org.junit.Ignore"]);
    assert_eq!(method.modifiers, ["public", "static", "final"]);
    assert!(method.is_void);
    assert!(source[method.span.clone()].starts_with("@Test"));
}

#[test]
fn a_source_without_class_and_a_module_are_fine() {
    check(
        "import java.util.*; void main() { } int x = 1; class B { void b() {} }",
        &[".main()", "B.b()"],
    );
    check("@Deprecated open module a.b { requires c; exports d to e, f; }", &[]);
    check("", &[]);
    check("@A package p; ;", &[]);
}

#[test]
fn a_receiver_is_no_parameter() {
    check(
        "class A { void m(@B A this, int x) {} class I { I(A A.this) {} } }",
        &["A.m(int)", "A$I.<init>()"],
    );
}

#[test]
fn escaped_names_are_those_they_stand_for() {
    check("class \\u0041 { void \\u006d() \\u007b \\u007d void n() {} }", &["A.m()", "A.n()"]);
}

#[test]
fn comments_above_belong_to_the_method_unless_an_empty_line_stands_between() {
    check_full(
        "class A {\n  // a\n\n  // b\n  /* c */\n  void m() {}\n}",
        "// b\n  /* c */\n  void m() {}",
    );
    check_full("class A {\n  /** a */\n\n  @T void m() {}\n}", "/** a */\n\n  @T void m() {}");
    check_full("class A {\n  @T\n  // in\n  void m() {}\n}", "@T\n  // in\n  void m() {}");
}

#[test]
fn comments_of_other_code_do_not_belong_to_the_method() {
    check_full("class A { // of A\n  void m() {}\n}", "void m() {}");
    check_full("class A {\n  int x; // of x\n  void m() {}\n}", "void m() {}");
    check_full("class A {\n  void m() {}\n  // next\n  void n() {}\n}", "void m() {}");
    check_full("class A {\n  void m() {} /* n */ void n() {}\n}", "void m() {}");
    check_full("class A { int x; /* m */ void m() {} }", "/* m */ void m() {}");
}

#[test]
fn comments_behind_on_the_last_line_belong_to_the_method() {
    check_full(
        "class A {\n  void m() {\n  } /* a */ // b\n  // c\n}",
        "void m() {\n  } /* a */ // b",
    );
    check_full("class A {\n  void m() {} /* a\n */ \n}", "void m() {}");
}

#[test]
fn lines_are_those_of_the_compiler() {
    let map = map("class A {\r\n  @T\r\n  void m()\r\n  {\r\n  }\r\n  void n() { }\r\n}");
    let methods = &map.classes[0].methods;
    assert_eq!((methods[0].line, methods[0].body_lines.clone()), (3, Some(4..6)));
    assert_eq!((methods[1].line, methods[1].body_lines.clone()), (6, Some(6..7)));
    assert_eq!(
        map.method_at(5).map(|(class, method)| (&*class.name, &*method.name)),
        Some(("A", "m"))
    );
    assert!(map.method_at(3).is_none());
}

#[test]
fn broken_sources_are_errors_with_their_lines() {
    for (source, expected) in [
        ("class A {\n void m() {\n", "line 2: a bracket is not closed"),
        ("class A {\n void m() {}\n", "line 1: a brace is not closed"),
        ("class A {\n}\n}", "line 3: a bracket that closes nothing"),
        ("class A {\n void m() { ( }\n}", "line 2: a bracket that closes nothing"),
        ("class A {\n \"\n}", "line 2: a string does not end"),
        ("class A {\n (int x) {}\n}", "line 2: a parenthesis without a name before it"),
        ("class A<T {\n}", "line 1: an angle bracket is not closed"),
        ("class A", "line 1: the source ends within a declaration"),
        ("class A {\n int x", "line 2: the source ends within a declaration"),
        ("class", "line 1: the source ends within a declaration"),
        ("class A { @ }", "line 1: a name is expected"),
    ] {
        assert_eq!(locate(source).expect_err(source).to_string(), expected, "{source}");
    }
}

#[test]
fn no_prefix_of_a_source_panics_or_hangs() {
    let source = "package a; import b.C; @X({1}) class A<T> extends B { enum E { P(1) {}, Q; } record R(int a) { R {} } \
                  @T(\"x\") <U> void m(int... a) throws E { \"\"\"\n\"\"\"; } /** d */ int x = 'c'; // e\n}";
    for (end, _) in source.char_indices() {
        let _ = locate(&source[..end]);
        let _ = locate(&source[end..]);
    }
}
