//! What each step of pruning does.

use super::{Focus, Freedom, Tied, prune, renamed, size};

fn focus() -> Focus {
    Focus { class: "shop.CartTest".to_owned(), method: "fails".to_owned(), parameters: None }
}

/// A test class with these members beside the failing test.
fn class(members: &str, body: &str) -> String {
    let body: String = body.lines().map(|line| format!("        {line}\n")).collect();
    format!(
        "package shop;\n\nimport org.junit.Test;\n\npublic class CartTest {{\n{members}    @Test\n    public void \
         fails() {{\n{body}    }}\n}}\n"
    )
}

/// The body of the failing test after pruning, without its indentation.
fn body(text: &str) -> String {
    let start = text.find("fails() {\n").expect("the test is there") + "fails() {\n".len();
    let end = text[start..].find("\n    }").map_or(start, |at| start + at);
    let lines = text[start..end].lines().map(|line| line.strip_prefix("        ").unwrap_or(line));
    lines.collect::<Vec<&str>>().join("\n")
}

/// Prunes as long as the source has all these words; checks what is left of the failing test.
#[track_caller]
fn check(source: &str, needed: &[&str], expected: &str) {
    let mut n_asked = 0;
    let mut still = |text: &str| {
        n_asked += 1;
        needed.iter().all(|word| text.contains(word))
    };
    let pruned = prune(source, &focus(), &Freedom::All, &mut still, 10_000).expect("it is read");
    assert_eq!(body(&pruned.text), expected, "{}", pruned.text);
    assert!(size(&pruned.text) <= size(source));
    assert!(n_asked < 400, "{n_asked}");
}

#[test]
fn statements_that_are_not_needed_go_with_their_comments() {
    let source = class(
        "",
        "Cart cart = new Cart(); // the cart\n// Not needed.\ncart.add(\"pear\");\nint n = 3;\n\
         cart.boom(cart);\ncart.clear();",
    );
    check(
        &source,
        &["Cart cart = new Cart()", "boom(cart)"],
        "Cart cart = new Cart(); // the cart\ncart.boom(cart);",
    );
}

#[test]
fn a_statement_among_others_on_its_line_goes_with_one_blank() {
    check(&class("", "a(); b(); boom(); c();"), &["a();", "boom("], "a(); boom();");
}

#[test]
fn other_members_and_classes_go_and_what_is_around_the_test_stays() {
    let members = "    private int unused = 0;\n    int[] sizes = {1, 2};\n\n    @Test\n    public void passes() {\n        \
                   new Cart();\n    }\n\n    static class Part {\n        void m() {}\n    }\n\n";
    let source = class(members, "boom();") + "\nclass Other {}\n";
    let mut still = |text: &str| text.contains("boom()") && text.contains("class CartTest");
    let pruned = prune(&source, &focus(), &Freedom::All, &mut still, 1000).expect("it is read");
    let expected = "package shop;\n\npublic class CartTest {\n    @Test\n    public void fails() {\n        boom();\n    \
                    }\n}\n";
    assert_eq!(pruned.text, expected);
    assert_eq!(pruned.n_statements, 1);
}

#[test]
fn imports_go_one_by_one() {
    let source = class("", "boom();")
        .replace("import org.junit.Test;", "import a.A;\nimport org.junit.Test;\nimport b.B;");
    let mut still =
        |text: &str| text.contains("import org.junit.Test;") && text.contains("boom();");
    let pruned = prune(&source, &focus(), &Freedom::All, &mut still, 1000).expect("it is read");
    assert!(
        !pruned.text.contains("import a") && !pruned.text.contains("import b"),
        "{}",
        pruned.text
    );
}

#[test]
fn blocks_loops_conditions_and_tries_give_way_to_what_is_in_them() {
    check(&class("", "for (int i = 0; i < 9; i++) {\n    boom(i);\n}"), &["boom("], "boom(i);");
    check(&class("", "if (a) boom(); else other();"), &["boom("], "boom();");
    check(
        &class(
            "",
            "try {\n    first();\n    boom();\n} catch (Exception e) {\n    log(e);\n} finally {\n    end();\n}",
        ),
        &["boom("],
        "boom();",
    );
    check(
        &class("", "do { boom(); } while (more());\nx: while (true) break x;"),
        &["boom("],
        "boom();",
    );
}

#[test]
fn statements_in_loops_and_lambdas_go() {
    let source = class(
        "",
        "run(() -> {\n    first();\n    boom();\n});\nwhile (true) {\n    tick();\n    stop();\n}",
    );
    check(
        &source,
        &["run(() -> {", "boom(", "while (true) {", "stop();"],
        "run(() -> {\n    boom();\n});\nwhile (true) {\n    stop();\n}",
    );
}

#[test]
fn a_variable_that_is_used_once_gives_way_to_its_value() {
    let source = class("", "Cart cart = new Cart(7);\nint n = a + b;\ncart.boom(n).then(x * n2);");
    check(&source, &["new Cart(7", "boom(", "a + b"], "new Cart(7).boom(a + b);");
    // In another operation it needs parentheses.
    let source = class("", "int n = a + b;\nboom(2 * n);");
    check(&source, &["boom(2 *", "a + b"], "boom(2 * (a + b));");
}

#[test]
fn a_variable_that_is_used_twice_or_stands_for_much_keeps_its_name() {
    let twice = "Cart cart = new Cart();\ncart.boom(cart);";
    check(&class("", twice), &["cart.boom(cart)", "Cart cart = new Cart()"], twice);
    let long = "String text = \"abcdefghijklmnopqrstuvwxyzabcdefghijklmnop\" + \"x\";\nboom(text);";
    check(&class("", long), &["boom(", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop\" + \"x"], long);
}

#[test]
fn numbers_become_zero_or_one_or_as_small_as_they_can_be() {
    check(
        &class("", "long(1234L);\nhalf(2.75);"),
        &["long(", "L)", "half("],
        "long(0L);\nhalf(0.0);",
    );
    let source = class("", "boom(1234);");
    let mut big = |text: &str| {
        let number = text.split("boom(").nth(1).and_then(|rest| rest.split(')').next());
        number.and_then(|number| number.parse::<i32>().ok()).is_some_and(|number| number >= 100)
    };
    let pruned = prune(&source, &focus(), &Freedom::All, &mut big, 1000).expect("it is read");
    assert_eq!(body(&pruned.text), "boom(100);");
    check(&class("", "boom(-25);"), &["boom(-"], "boom(-1);");
    check(&class("", "boom(-25);"), &["boom("], "boom(0);");
}

#[test]
fn strings_get_shorter() {
    check(&class("", "boom(\"hello world\");"), &["boom(\"", "w"], "boom(\"w\");");
    check(&class("", "boom(\"a\\n\" + x);"), &["boom(\"", "+ x"], "boom(\"\" + x);");
}

#[test]
fn arguments_and_elements_get_fewer_and_plainer() {
    check(&class("", "boom(List.of(1, 2, 3, 44, 5));"), &["boom(", "44"], "boom(44);");
    check(
        &class("", "int[] a = {1, 2, 3, 44};\nboom(a, a);"),
        &["boom(a, a", "44", "{"],
        "int[] a = {44};\nboom(a, a);",
    );
    check(&class("", "boom(cart.total(x), y);"), &["boom(", ", y"], "boom(0, y);");
}

#[test]
fn a_call_is_taken_out_of_the_statement_around_it() {
    check(&class("", "assertEquals(0, cart.boom());"), &["cart.boom()"], "cart.boom();");
    check(
        &class("", "int n = cart.boom();\nuse(n, n);"),
        &["cart.boom()", "cart.boom();"],
        "cart.boom();",
    );
}

#[test]
fn what_other_tests_do_ties_nothing() {
    let members = "    static final int PRICE = 7;\n\n    @Test\n    public void passes() {\n        cart.add(PRICE);\n    }\n\n";
    let source = class(members, "assertEquals(7, cart.total());");
    let line = source.lines().position(|line| line.contains("assertEquals")).expect("there") + 1;
    let freedom = Freedom::AllBut(Tied::to_line(&source, &focus(), line).expect("it is read"));
    let mut still = |text: &str| text.contains("assertEquals(");
    let pruned = prune(&source, &focus(), &freedom, &mut still, 1000).expect("it is read");
    assert!(!pruned.text.contains("PRICE"), "{}", pruned.text);
}

#[test]
fn for_a_failed_assertion_only_what_has_nothing_to_do_with_it_goes() {
    let members = "    Cart other = new Cart();\n\n    @Nested\n    class WhenEmpty {\n        Cart cart;\n    }\n\n    @Before\n    public void setUp() {\n        other.open();\n    \
                   }\n\n    @Test\n    public void passes() {}\n\n";
    let source = class(
        members,
        "Cart cart = new Cart();\nList<String> names = new ArrayList<>();\nnames.add(\"x\");\ncart.add(5);\n\
         prepare();\nassertTrue(names.isEmpty());\nassertEquals(7, cart.total());\nnames.clear();",
    );
    let line = source.lines().position(|line| line.contains("assertEquals")).expect("there") + 1;
    let freedom = Freedom::AllBut(Tied::to_line(&source, &focus(), line).expect("it is read"));
    let mut still = |text: &str| text.contains("assertEquals(") && text.contains("cart");
    let pruned = prune(&source, &focus(), &freedom, &mut still, 1000).expect("it is read");
    assert_eq!(
        body(&pruned.text),
        "Cart cart = new Cart();\ncart.add(5);\nprepare();\nassertEquals(7, cart.total());",
        "literals stay, and what may do anything stays"
    );
    assert!(pruned.text.contains("setUp"), "what runs around a test may matter");
    assert!(!pruned.text.contains("passes"), "other tests do not");
    assert!(!pruned.text.contains("WhenEmpty"), "nor do classes of other tests");
}

#[test]
fn a_variable_between_ties_two_others() {
    let source = class(
        "",
        "Till till = new Till();\nCart cart = till.open();\ntill.close();\nassertEquals(7, cart.total());",
    );
    let freedom = Freedom::AllBut(Tied::to_line(&source, &focus(), 11).expect("it is read"));
    let mut still = |text: &str| text.contains("assertEquals(");
    let pruned = prune(&source, &focus(), &freedom, &mut still, 1000).expect("it is read");
    assert!(pruned.text.contains("till.close();"), "{}", pruned.text);
}

#[test]
fn where_the_test_itself_says_that_it_failed_everything_may_matter() {
    let body_of_test = "Cart cart = new Cart();\ncart.add(cart);\nnew Till().open();\ntry {\n    cart.pay();\n    fail();\n} catch (Broke e) {\n    \
                        // Expected.\n}";
    let source = class("", body_of_test);
    let line = source.lines().position(|line| line.contains("fail();")).expect("there") + 1;
    let freedom = Freedom::AllBut(Tied::to_line(&source, &focus(), line).expect("it is read"));
    let mut still = |text: &str| text.contains("fail()") && text.contains("catch");
    let pruned = prune(&source, &focus(), &freedom, &mut still, 1000).expect("it is read");
    assert_eq!(body(&pruned.text), body_of_test);
}

#[test]
fn what_decides_whether_a_tied_statement_runs_is_tied_too() {
    let source = class(
        "",
        "boolean on = false;\non = true;\nif (on) {\n    cart.add(1);\n}\nassertEquals(7, cart.total());",
    );
    let line = source.lines().position(|line| line.contains("assertEquals")).expect("there") + 1;
    let freedom = Freedom::AllBut(Tied::to_line(&source, &focus(), line).expect("it is read"));
    let mut still = |text: &str| text.contains("assertEquals(");
    let pruned = prune(&source, &focus(), &freedom, &mut still, 1000).expect("it is read");
    assert!(
        pruned.text.contains("on = true;") && pruned.text.contains("if (on)"),
        "{}",
        pruned.text
    );
}

#[test]
fn the_number_of_tries_is_a_limit_and_the_result_the_same_each_time() {
    let source = class("", "a();\nb();\nc();\nd();\nboom(12);");
    for most_tries in [0, 1, 5, 50] {
        let run = || {
            let mut n_asked = 0;
            let mut still = |text: &str| {
                n_asked += 1;
                text.contains("boom(")
            };
            let pruned = prune(&source, &focus(), &Freedom::All, &mut still, most_tries);
            assert!(n_asked <= most_tries);
            pruned
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn a_test_alone_is_without_all_other_tests() {
    let members = "    // The other one.\n    @Test\n    public void passes() {\n        fails(3);\n    }\n\n    void fails(int n) {\n    \
                   }\n\n    public void testOld() {\n    }\n\n";
    let source = class(members, "boom();");
    let text = super::alone(&source, &focus()).expect("it is read");
    assert!(
        !text.contains("passes") && !text.contains("testOld") && !text.contains("other one"),
        "{text}"
    );
    assert!(text.contains("void fails(int n)"), "{text}");
    // The namesake goes, and the test is not taken for it.
    let mut still = |text: &str| text.contains("boom()");
    let pruned = prune(&source, &focus(), &Freedom::All, &mut still, 1000).expect("it is read");
    assert!(!pruned.text.contains("int n"), "{}", pruned.text);
    assert_eq!(pruned.n_statements, 1);
}

#[test]
fn what_is_no_test_is_an_error() {
    let other = Focus { method: "missing".to_owned(), ..focus() };
    let result = prune(&class("", "a();"), &other, &Freedom::All, &mut |_| true, 10);
    assert!(result.is_err());
    assert!(prune("class {", &focus(), &Freedom::All, &mut |_| true, 10).is_err());
}

#[test]
fn text_blocks_and_odd_statements_are_left_whole() {
    let text = "String s = \"\"\"\n    {\n\n\n    boom(); \"\"\";\nuse(s, s);\nswitch (x) {\n    case 1 -> { a(); }\n    default -> b();\n}";
    check(&class("", text), &["\n\n\n    boom();", "use(s, s", "a();", "default -> b()"], text);
}

#[test]
fn a_class_is_renamed_wherever_its_name_stands() {
    let source = "class A { A a = new A(); String s = \"A\"; /* A */ int AA; }";
    assert_eq!(
        renamed(source, "A", "B").as_deref(),
        Ok("class B { B a = new B(); String s = \"A\"; /* A */ int AA; }")
    );
}
