//! The suites of the golden tests, one per trait of Java that makes tests hard to spell.

use emit::junit::facts::Names;
use suite::constant::Constant;
use suite::sequence::Arg;
use suite::stand_in::Behaviour;
use suite::test::{Expected, Suite};
use suite::types::Type;

use crate::build::{Tests, boxed, double, int, null, text, var};

/// All suites by the name of their folder below `fixtures/emit`.
pub(crate) fn all(names: &dyn Names) -> Vec<(&'static str, Suite)> {
    vec![
        ("stack", stack(names)),
        ("failing", failing(names)),
        ("overloads", overloads(names)),
        ("nested", nested(names)),
        ("generic", generic(names)),
        ("library", library(names)),
        ("old", old(names)),
        ("clashes", clashes(names)),
        ("plain", plain(names)),
        ("stand_ins", stand_ins(names)),
    ]
}

fn stand_ins(names: &dyn Names) -> Suite {
    const FUNCTION: &str = "java/util/function/Function";
    let mut tests = Tests::of(names, "s/Users");
    tests.test(["exact", "", ""], |test| {
        let constant = Behaviour::Constant(Constant::Int(5));
        let function = test.stand_in(FUNCTION, constant);
        let exact = "(Ljava/util/function/Function;)Ljava/lang/String;";
        test.gives("s/Users.exact", exact, vec![var(function)], Constant::text("5"));
    });
    tests.test(["generic", "identity", ""], |test| {
        let function = test.stand_in(FUNCTION, Behaviour::Identity);
        let generic = "(Ljava/util/function/Function;Ljava/lang/Object;)Ljava/lang/Object;";
        let args = vec![var(function), text("x")];
        test.gives("s/Users.generic", generic, args, Constant::text("x"));
    });
    tests.test(["run", "", "throws"], |test| {
        let runnable = test.stand_in("java/lang/Runnable", Behaviour::Throws);
        test.call("s/Users.run", "(Ljava/lang/Runnable;)Ljava/lang/String;", vec![var(runnable)]);
        test.throws("java/lang/UnsupportedOperationException", Some(None));
    });
    tests.test(["change", "onString", ""], |test| {
        let users = test.call("s/Users", "()V", vec![]);
        test.call("s/Users.with", "(Ljava/lang/Object;)Ls/Users;", vec![var(users), text("a")]);
        let operator = test.stand_in("java/util/function/UnaryOperator", Behaviour::Identity);
        let change = "(Ljava/util/function/UnaryOperator;)Ls/Users;";
        let changed = test.call("s/Users.change", change, vec![var(users), var(operator)]);
        test.expect(changed, Expected::Same(users));
    });
    tests.test(["describe", "shape", ""], |test| {
        let shape = test.stand_in("s/Kinds$Shape", Behaviour::Default);
        let describe = "(Ls/Kinds$Shape;)Ljava/lang/String;";
        test.gives("s/Users.describe", describe, vec![var(shape)], Constant::text("/0.0/0"));
    });
    tests.test(["failing", "", ""], |test| {
        let failing = test.stand_in("s/Kinds$Failing", Behaviour::Throws);
        let args = vec![var(failing)];
        test.gives("s/Users.failing", "(Ls/Kinds$Failing;)I", args, Constant::Int(1));
    });
    tests.done()
}

fn stack(names: &dyn Names) -> Suite {
    const NEW: &str = "p/IntStack";
    let mut tests = Tests::of(names, NEW);
    tests.test(["pop", "onEmptyStack", "throwsArrayIndexOutOfBounds"], |test| {
        let stack = test.call(NEW, "()V", vec![]);
        test.call("p/IntStack.pop", "()I", vec![var(stack)]);
        test.throws(
            "java/lang/ArrayIndexOutOfBoundsException",
            Some(Some("Index -1 out of bounds for length 3")),
        );
    });
    tests.test(["push", "onFullStack", "throws"], |test| {
        let stack = test.call(NEW, "()V", vec![]);
        for value in 1..=4 {
            test.call("p/IntStack.push", "(I)V", vec![var(stack), int(value)]);
        }
        test.throws("java/lang/ArrayIndexOutOfBoundsException", None);
    });
    tests.test(["push", "", ""], |test| {
        test.note("Grows by one.");
        test.note("Line one\nline \\u000a two, é");
        let stack = test.call(NEW, "()V", vec![]);
        test.call("p/IntStack.push", "(I)V", vec![var(stack), int(i32::MIN)]);
        test.observe(stack, "p/IntStack.size", "()I", Constant::Int(1));
        test.observe(stack, "p/IntStack.isEmpty", "()Z", Constant::Boolean(false));
        test.observe(
            stack,
            "p/IntStack.toString",
            "()Ljava/lang/String;",
            Constant::text("[-2147483648]"),
        );
    });
    tests.test(["equals", "", "returnsTrue"], |test| {
        let one = test.call(NEW, "()V", vec![]);
        test.gives("p/IntStack.isEmpty", "()Z", vec![var(one)], Constant::Boolean(true));
        let other = test.call("p/IntStack.copy", "()Lp/IntStack;", vec![var(one)]);
        test.expect(other, Expected::NotNull);
        test.gives(
            "p/IntStack.equals",
            "(Ljava/lang/Object;)Z",
            vec![var(one), var(other)],
            Constant::Boolean(true),
        );
        test.gives(
            "p/IntStack.equals",
            "(Ljava/lang/Object;)Z",
            vec![var(one), boxed(Constant::Int(1))],
            Constant::Boolean(false),
        );
        let fresh = test.call(NEW, "()V", vec![]);
        test.gives(
            "p/IntStack.equals",
            "(Ljava/lang/Object;)Z",
            vec![var(one), var(fresh)],
            Constant::Boolean(true),
        );
    });
    tests.test(["toArray", "", ""], |test| {
        let stack = test.call(NEW, "()V", vec![]);
        let empty = test.call("p/IntStack.toArray", "()[I", vec![var(stack)]);
        test.expect(empty, Expected::ArrayEquals(vec![]));
        test.call("p/IntStack.push", "(I)V", vec![var(stack), int(3)]);
        let full = test.call("p/IntStack.toArray", "()[I", vec![var(stack)]);
        test.expect(full, Expected::ArrayEquals(vec![Constant::Int(3)]));
        test.expect(full, Expected::Same(full));
    });
    tests.test(["copy", "", ""], |test| {
        let stack = test.call(NEW, "()V", vec![]);
        let copy = test.call("p/IntStack.copy", "()Lp/IntStack;", vec![var(stack)]);
        test.expect(copy, Expected::Text(Constant::text("[]")));
        test.expect(copy, Expected::NotSame(stack));
        test.expect(copy, Expected::EqualTo(stack));
        let size = test.call("p/IntStack.size", "()I", vec![var(stack)]);
        let again = test.call("p/IntStack.size", "()I", vec![var(copy)]);
        test.expect(again, Expected::EqualTo(size));
        let array = test.call("p/IntStack.toArray", "()[I", vec![var(stack)]);
        test.expect(array, Expected::EqualTo(array));
        let ratio = test.call("java/lang/Math.sqrt", "(D)D", vec![double(2.0)]);
        let same = test.call("java/lang/Math.sqrt", "(D)D", vec![double(2.0)]);
        test.expect(same, Expected::EqualTo(ratio));
        let number = test.call("java/lang/Integer.valueOf", "(I)Ljava/lang/Integer;", vec![int(0)]);
        test.expect(number, Expected::EqualTo(size));
        let one = test.call("java/lang/Math.abs", "(I)I", vec![int(-1)]);
        test.expect(one, Expected::NotSame(size));
    });
    tests.test(["push", "", "comesToItsEnd"], |test| {
        let stack = test.call(NEW, "()V", vec![]);
        test.call("p/IntStack.push", "(I)V", vec![var(stack), int(1)]);
        test.must_end();
    });
    tests.done()
}

fn failing(names: &dyn Names) -> Suite {
    const NEW: &str = "p/Failing";
    let mut tests = Tests::of(names, NEW);
    tests.test(["Failing", "negative", "throwsIllegalArgument"], |test| {
        test.call(NEW, "(I)V", vec![int(-1)]);
        test.throws("java/lang/IllegalArgumentException", Some(Some("negative: -1")));
    });
    tests.test(["read", "", ""], |test| {
        let one = test.call(NEW, "()V", vec![]);
        test.call("p/Failing.read", "(Ljava/lang/String;)V", vec![var(one), text("x")]);
    });
    tests.test(["read", "", "comesToItsEnd"], |test| {
        let one = test.call(NEW, "()V", vec![]);
        test.call("p/Failing.read", "(Ljava/lang/String;)V", vec![var(one), text("x")]);
        test.must_end();
    });
    tests.test(["read", "null", "throwsFileNotFound"], |test| {
        let one = test.call(NEW, "()V", vec![]);
        test.call("p/Failing.read", "(Ljava/lang/String;)V", vec![var(one), null()]);
        test.throws("java/io/FileNotFoundException", Some(None));
    });
    for (value, title) in [(1, ""), (-1, "throwsThrowable")] {
        tests.test(["anything", "", title], |test| {
            let one = test.call(NEW, "()V", vec![]);
            let number = test.call("p/Failing.anything", "(I)I", vec![var(one), int(value)]);
            if value < 0 {
                test.throws("java/lang/Throwable", Some(Some("below")));
            } else {
                test.expect(number, Expected::Equals(Constant::Int(value)));
            }
        });
    }
    for (method, class, message) in [
        ("sneak", "java/io/IOException", Some(Some("hidden"))),
        ("assertion", "java/lang/AssertionError", Some(Some("no"))),
        ("own", "p/Failing$Own", Some(Some("own"))),
        ("overflow", "java/lang/StackOverflowError", None),
    ] {
        tests.test([method, "", "throws"], |test| {
            let one = test.call(NEW, "()V", vec![]);
            test.call(&format!("p/Failing.{method}"), "()V", vec![var(one)]);
            test.throws(class, message);
        });
    }
    tests.done()
}

fn overloads(names: &dyn Names) -> Suite {
    const NEW: &str = "p/Overloads";
    let mut tests = Tests::of(names, NEW);
    tests.test(["take", "", ""], |test| {
        let one = test.call(NEW, "()V", vec![]);
        let object = "Ljava/lang/Object;";
        let string = "Ljava/lang/String;";
        let integer = "Ljava/lang/Integer;";
        for (parameter, arg, name) in [
            (object, text("x"), "Object"),
            (object, null(), "Object"),
            (object, boxed(Constant::Int(-1)), "Object"),
            (object, boxed(Constant::Long(-1)), "Object"),
            (object, boxed(Constant::Char(65)), "Object"),
            (string, text("x"), "String"),
            (string, null(), "String"),
            (integer, boxed(Constant::Int(-1)), "Integer"),
            (integer, null(), "Integer"),
            ("I", int(1), "int"),
            ("C", Arg::Constant(Constant::Char(39)), "char"),
            ("J", Arg::Constant(Constant::Long(1)), "long"),
            ("D", Arg::Constant(Constant::Double(0)), "double"),
            ("[I", null(), "int[]"),
            ("[Ljava/lang/Object;", null(), "Object[]"),
        ] {
            let descriptor = format!("({parameter}){string}");
            test.gives("p/Overloads.take", &descriptor, vec![var(one), arg], Constant::text(name));
        }
        let array = test.array("I", vec![int(1), int(-2)]);
        test.gives(
            "p/Overloads.take",
            "([I)Ljava/lang/String;",
            vec![var(one), var(array)],
            Constant::text("int[]"),
        );
        let array = test.array("Ljava/lang/String;", vec![text("a"), null()]);
        test.gives(
            "p/Overloads.take",
            "(Ljava/lang/Object;)Ljava/lang/String;",
            vec![var(one), var(array)],
            Constant::text("Object"),
        );
        test.gives(
            "p/Overloads.remove",
            "(Ljava/lang/Object;)Ljava/lang/String;",
            vec![var(one), boxed(Constant::Int(1))],
            Constant::text("value"),
        );
        test.gives(
            "p/Overloads.remove",
            "(I)Ljava/lang/String;",
            vec![var(one), int(1)],
            Constant::text("index"),
        );
        test.gives(
            "p/Overloads.text",
            "(Ljava/lang/StringBuilder;)Ljava/lang/String;",
            vec![var(one), null()],
            Constant::text("StringBuilder"),
        );
        test.gives(
            "p/Overloads.pair",
            "(Ljava/lang/Object;Ljava/lang/String;)Ljava/lang/String;",
            vec![var(one), text("a"), text("b")],
            Constant::text("first"),
        );
    });
    tests.test(["join", "", ""], |test| {
        const JOIN: &str = "p/Overloads.join";
        const JOINED: &str = "([Ljava/lang/String;)Ljava/lang/String;";
        let none = test.array("Ljava/lang/String;", vec![]);
        test.gives(JOIN, JOINED, vec![var(none)], Constant::text(""));
        let two = test.array("Ljava/lang/String;", vec![text("a"), text("b")]);
        test.gives(JOIN, JOINED, vec![var(two)], Constant::text("a-b"));
        let two = test.array("Ljava/lang/String;", vec![text("a"), null()]);
        test.gives(JOIN, JOINED, vec![var(two)], Constant::text("a-null"));
        let more = test.array("I", vec![int(1), int(2)]);
        test.gives("p/Overloads.sum", "(I[I)I", vec![int(5), var(more)], Constant::Int(7));
        const ALL: &str = "p/Overloads.all";
        const OF_ALL: &str = "([Ljava/lang/Object;)Ljava/lang/String;";
        let mixed = test.array("Ljava/lang/Object;", vec![boxed(Constant::Int(1)), text("a")]);
        test.gives(ALL, OF_ALL, vec![var(mixed)], Constant::text("2"));
        let nothing = test.array("Ljava/lang/Object;", vec![null()]);
        test.gives(ALL, OF_ALL, vec![var(nothing)], Constant::text("1"));
        test.gives(ALL, OF_ALL, vec![null()], Constant::text("null"));
        let inner = test.array("Ljava/lang/String;", vec![text("x"), text("y")]);
        let outer = test.array("Ljava/lang/Object;", vec![var(inner)]);
        test.gives(ALL, OF_ALL, vec![var(outer)], Constant::text("1"));
        let one = test.array("I", vec![int(1)]);
        test.gives(
            "p/Overloads.some",
            "([I)Ljava/lang/String;",
            vec![var(one)],
            Constant::text("many"),
        );
        let list = test.call("java/util/ArrayList", "()V", vec![]);
        let lists = test.array("Ljava/util/List;", vec![var(list)]);
        test.gives("p/Overloads.lists", "([Ljava/util/List;)I", vec![var(lists)], Constant::Int(1));
    });
    tests.test(["fill", "", ""], |test| {
        const FILL: &str = "p/Overloads.fill";
        const MAKES: &str = "(Ljava/util/Map;Ljava/util/function/Supplier;)Ljava/lang/String;";
        const IS: &str = "(Ljava/util/Map;Ljava/lang/Object;)Ljava/lang/String;";
        let maker = test.stand_in("java/util/function/Supplier", Behaviour::Default);
        let map = test.call("java/util/HashMap", "()V", vec![]);
        let typed = test.call("java/util/HashMap", "()V", vec![]);
        let put = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
        test.call("java/util/HashMap.put", put, vec![var(typed), text("a"), text("b")]);
        for (map, makes) in [
            (var(map), [var(maker), null()]),
            (var(typed), [var(maker), null()]),
            (null(), [var(maker), null()]),
        ] {
            for maker in makes {
                let args = vec![map.clone(), maker.clone()];
                test.gives(FILL, MAKES, args.clone(), Constant::text("maker"));
                test.gives(FILL, IS, args, Constant::text("value"));
            }
        }
        test.gives(FILL, IS, vec![var(typed), text("x")], Constant::text("value"));
    });
    tests.test(["group", "", "throwsClassCast"], |test| {
        const GROUP: &str = "p/Overloads.group";
        const MAP: &str = "(Ljava/util/Map;Ljava/util/function/Function;)Ljava/lang/String;";
        test.call(GROUP, MAP, vec![text("x"), null()]);
        test.throws("java/lang/ClassCastException", None);
    });
    for (class, given) in [("java/util/HashMap", "()V"), ("java/lang/Object", "()V")] {
        tests.test(["array", "", "throwsClassCast"], |test| {
            let map = test.call(class, given, vec![]);
            test.call("p/Overloads.some", "([I)Ljava/lang/String;", vec![var(map)]);
            test.throws("java/lang/ClassCastException", None);
        });
    }
    tests.test(["take", "", "throwsClassCast"], |test| {
        let one = test.array("I", vec![int(1)]);
        test.call("p/Overloads.take", "(I)Ljava/lang/String;", vec![var(one), int(1)]);
        test.throws("java/lang/ClassCastException", None);
    });
    tests.test(["group", "", ""], |test| {
        const GROUP: &str = "p/Overloads.group";
        const MAP: &str = "(Ljava/util/Map;Ljava/util/function/Function;)Ljava/lang/String;";
        const MANY: &str = "(Lp/Overloads$Many;Ljava/util/function/Function;)Ljava/lang/String;";
        let key = test.stand_in("java/util/function/Function", Behaviour::Identity);
        let map = test.call("java/util/HashMap", "()V", vec![]);
        let many = test.stand_in("p/Overloads$Many", Behaviour::Default);
        for key in [var(key), null()] {
            for map in [var(map), var(many), null()] {
                test.gives(GROUP, MAP, vec![map, key.clone()], Constant::text("map"));
            }
            for many in [var(many), null()] {
                test.gives(GROUP, MANY, vec![many, key.clone()], Constant::text("many"));
            }
        }
    });
    tests.done()
}

fn nested(names: &dyn Names) -> Suite {
    const NEW: &str = "p/Outer";
    let mut tests = Tests::of(names, NEW);
    tests.test(["nested", "", ""], |test| {
        let nested = test.call("p/Outer$Nested", "(I)V", vec![int(5)]);
        test.gives("p/Outer$Nested.getValue", "()I", vec![var(nested)], Constant::Int(5));
        let deep = test.call("p/Outer$Nested$Deep", "()V", vec![]);
        test.observe(
            deep,
            "p/Outer$Nested$Deep.name",
            "()Ljava/lang/String;",
            Constant::text("deep"),
        );
        let guarded = test.call("p/Outer$Guarded", "()V", vec![]);
        test.gives("p/Outer$Guarded.secret", "()I", vec![var(guarded)], Constant::Int(42));
        let shape = test.call("p/Outer$Shape.of", "()Lp/Outer$Shape;", vec![]);
        test.gives(
            "p/Outer$Shape.name",
            "()Ljava/lang/String;",
            vec![var(shape)],
            Constant::text("shape"),
        );
    });
    tests.test(["inner", "", ""], |test| {
        let outer = test.call(NEW, "()V", vec![]);
        let inner = test.call("p/Outer$Inner", "(Lp/Outer;I)V", vec![var(outer), int(2)]);
        test.gives("p/Outer$Inner.sum", "()I", vec![var(inner)], Constant::Int(3));
        let hidden = test.call("p/Outer.hidden", "()Lp/Outer$Hidden;", vec![var(outer)]);
        test.gives("p/Outer$Hidden.plain", "()I", vec![var(hidden)], Constant::Int(3));
    });
    tests.test(["inner", "ofNothing", "throwsNullPointer"], |test| {
        test.call("p/Outer$Inner", "(Lp/Outer;I)V", vec![null(), int(2)]);
        test.throws("java/lang/NullPointerException", Some(None));
    });
    tests.test(["color", "", ""], |test| {
        let red = Constant::Enum { class: "p/Outer$Color".into(), name: "RED".into() };
        let color = test.call(
            "p/Outer$Color.valueOf",
            "(Ljava/lang/String;)Lp/Outer$Color;",
            vec![text("RED")],
        );
        test.expect(color, Expected::Equals(red.clone()));
        test.gives(
            "p/Outer$Color.label",
            "()Ljava/lang/String;",
            vec![Arg::Constant(red.clone())],
            Constant::text("RED"),
        );
        let kinds = test.call("p/Kinds", "()V", vec![]);
        test.gives(
            "p/Kinds.ofEnum",
            "(Lp/Outer$Color;)Lp/Outer$Color;",
            vec![var(kinds), Arg::Constant(red.clone())],
            red,
        );
        let class = Constant::Class(Type::class("p/Outer$Color"));
        test.gives(
            "p/Kinds.ofClass",
            "(Ljava/lang/Class;)Ljava/lang/Class;",
            vec![var(kinds), Arg::Constant(class.clone())],
            class,
        );
    });
    tests.test(["runnable", "", "throwsIllegalState"], |test| {
        let runnable = test.call("p/Outer.runnable", "()Ljava/lang/Runnable;", vec![]);
        test.call("java/lang/Runnable.run", "()V", vec![var(runnable)]);
        test.throws("java/lang/IllegalStateException", Some(Some("private")));
    });
    tests.done()
}

fn generic(names: &dyn Names) -> Suite {
    const NEW: &str = "p/Pair";
    const MADE: &str = "(Ljava/lang/Object;Ljava/lang/Comparable;)V";
    let mut tests = Tests::of(names, NEW);
    let one = || boxed(Constant::Int(1));
    tests.test(["firstAs", "", ""], |test| {
        const FIRST_AS: &str = "p/Pair.firstAs";
        const AS: &str = "(Ljava/lang/Class;Ljava/lang/Object;)Ljava/lang/Object;";
        let class = |name: &str| Arg::Constant(Constant::Class(Type::class(name)));
        // What a pair of texts gives is no number.
        let pair = test.call(NEW, MADE, vec![text("a"), one()]);
        let first = Constant::text("a");
        test.gives("p/Pair.getFirst", "()Ljava/lang/Object;", vec![var(pair)], first.clone());
        let args = vec![var(pair), class("java/lang/Integer"), boxed(Constant::Int(-1))];
        test.gives(FIRST_AS, AS, args, Constant::Boxed(Box::new(Constant::Int(-1))));
        let args = vec![var(pair), class("java/lang/Object"), boxed(Constant::Int(-1))];
        test.gives(FIRST_AS, AS, args, first);
    });
    tests.test(["getFirst", "", ""], |test| {
        let pair = test.call(NEW, MADE, vec![text("a"), one()]);
        test.gives("p/Pair.getFirst", "()Ljava/lang/Object;", vec![var(pair)], Constant::text("a"));
        // Of two methods that take `null`, the one that takes what the pair holds.
        test.gives(
            "p/Pair.firstOr",
            "(Ljava/lang/Object;)Ljava/lang/Object;",
            vec![var(pair), null()],
            Constant::text("a"),
        );
        test.gives(
            "p/Pair.getSecond",
            "()Ljava/lang/Comparable;",
            vec![var(pair)],
            Constant::Boxed(Box::new(Constant::Int(1))),
        );
        test.gives(
            "p/Pair.isBelow",
            "(Ljava/lang/Comparable;)Z",
            vec![var(pair), boxed(Constant::Int(2))],
            Constant::Boolean(true),
        );
        let other = test.call(
            "p/Pair.withFirst",
            "(Ljava/lang/Object;)Lp/Pair;",
            vec![var(pair), boxed(Constant::Double(0.5f64.to_bits()))],
        );
        test.observe(
            other,
            "p/Pair.getFirst",
            "()Ljava/lang/Object;",
            Constant::Boxed(Box::new(Constant::Double(0.5f64.to_bits()))),
        );
        let firsts = test.call("p/Pair.firsts", "()Ljava/util/List;", vec![var(pair)]);
        test.call("java/util/List.add", "(Ljava/lang/Object;)Z", vec![var(firsts), text("b")]);
        test.gives("java/util/List.size", "()I", vec![var(firsts)], Constant::Int(2));
        let view = test.call("p/Pair.view", "()Lp/Pair$View;", vec![var(pair)]);
        test.gives("p/Pair$View.get", "()Ljava/lang/Object;", vec![var(view)], Constant::text("a"));
    });
    tests.test(["isBelow", "otherType", "throwsClassCast"], |test| {
        let pair = test.call(NEW, MADE, vec![text("a"), one()]);
        test.call("p/Pair.isBelow", "(Ljava/lang/Comparable;)Z", vec![var(pair), text("x")]);
        test.throws("java/lang/ClassCastException", None);
    });
    tests.test(["getFirst", "null", "returnsNull"], |test| {
        let pair = test.call(NEW, MADE, vec![null(), null()]);
        test.gives("p/Pair.getFirst", "()Ljava/lang/Object;", vec![var(pair)], Constant::Null);
    });
    tests.test(["max", "", ""], |test| {
        const ADD: &str = "(Ljava/lang/Object;)Z";
        let list = test.call("java/util/ArrayList", "()V", vec![]);
        test.call("java/util/ArrayList.add", ADD, vec![var(list), one()]);
        test.call("java/util/ArrayList.add", ADD, vec![var(list), boxed(Constant::Int(7))]);
        test.gives(
            "p/Pair.max",
            "(Ljava/util/Collection;)Ljava/lang/Comparable;",
            vec![var(list)],
            Constant::Boxed(Box::new(Constant::Int(7))),
        );
        test.gives("p/Pair.count", "(Ljava/util/List;)I", vec![var(list)], Constant::Int(2));
        test.gives(
            "p/Pair.larger",
            "(Ljava/lang/Comparable;Ljava/lang/Comparable;)Ljava/lang/Comparable;",
            vec![one(), boxed(Constant::Int(-2))],
            Constant::Boxed(Box::new(Constant::Int(1))),
        );
        let got =
            test.call("java/util/ArrayList.get", "(I)Ljava/lang/Object;", vec![var(list), int(1)]);
        test.gives(
            "java/lang/Integer.compareTo",
            "(Ljava/lang/Integer;)I",
            vec![var(got), boxed(Constant::Int(3))],
            Constant::Int(1),
        );
    });
    tests.test(["max", "ofMixed", "throwsClassCast"], |test| {
        const ADD: &str = "(Ljava/lang/Object;)Z";
        let list = test.call("java/util/ArrayList", "()V", vec![]);
        test.call("java/util/ArrayList.add", ADD, vec![var(list), one()]);
        test.call("java/util/ArrayList.add", ADD, vec![var(list), text("x")]);
        test.call("p/Pair.max", "(Ljava/util/Collection;)Ljava/lang/Comparable;", vec![var(list)]);
        test.throws("java/lang/ClassCastException", None);
    });
    tests.test(["larger", "ofMixed", "throwsClassCast"], |test| {
        test.call(
            "p/Pair.larger",
            "(Ljava/lang/Comparable;Ljava/lang/Comparable;)Ljava/lang/Comparable;",
            vec![one(), text("x")],
        );
        test.throws("java/lang/ClassCastException", None);
    });
    tests.test(["listOf", "", ""], |test| {
        let values = test.array("Ljava/lang/Object;", vec![text("a"), text("b")]);
        let list =
            test.call("p/Pair.listOf", "([Ljava/lang/Object;)Ljava/util/List;", vec![var(values)]);
        test.gives(
            "java/util/List.get",
            "(I)Ljava/lang/Object;",
            vec![var(list), int(0)],
            Constant::text("a"),
        );
        test.gives("p/Pair.count", "(Ljava/util/List;)I", vec![var(list)], Constant::Int(2));
        test.call("java/util/Collections.sort", "(Ljava/util/List;)V", vec![var(list)]);
    });
    tests.done()
}

fn library(names: &dyn Names) -> Suite {
    const NEW: &str = "java/util/TreeMap";
    const PUT: &str = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
    let mut tests = Tests::of(names, NEW);
    let key = || boxed(Constant::Int(1));
    // What a class makes of itself reads well where it is used.
    tests.test(["isBefore", "", ""], |test| {
        const DAY: &str = "java/time/LocalDate.ofEpochDay";
        const MAKES: &str = "(J)Ljava/time/LocalDate;";
        let day = test.call(DAY, MAKES, vec![Arg::Constant(Constant::Long(1))]);
        let next = test.call(DAY, MAKES, vec![Arg::Constant(Constant::Long(2))]);
        test.gives(
            "java/time/LocalDate.isBefore",
            "(Ljava/time/chrono/ChronoLocalDate;)Z",
            vec![var(day), var(next)],
            Constant::Boolean(true),
        );
    });
    tests.test(["put", "", ""], |test| {
        let map = test.call(NEW, "()V", vec![]);
        test.gives("java/util/TreeMap.put", PUT, vec![var(map), key(), text("x")], Constant::Null);
        test.observe(map, "java/util/TreeMap.size", "()I", Constant::Int(1));
        let entry =
            test.call("java/util/TreeMap.firstEntry", "()Ljava/util/Map$Entry;", vec![var(map)]);
        test.gives(
            "java/util/Map$Entry.getKey",
            "()Ljava/lang/Object;",
            vec![var(entry)],
            Constant::Boxed(Box::new(Constant::Int(1))),
        );
        test.gives(
            "java/util/Map$Entry.getValue",
            "()Ljava/lang/Object;",
            vec![var(entry)],
            Constant::text("x"),
        );
        test.call(
            "java/util/Map$Entry.setValue",
            "(Ljava/lang/Object;)Ljava/lang/Object;",
            vec![var(entry), text("y")],
        );
        test.throws("java/lang/UnsupportedOperationException", Some(None));
    });
    tests.test(["putAll", "", ""], |test| {
        let map = test.call(NEW, "()V", vec![]);
        test.gives(
            "java/util/TreeMap.remove",
            "(Ljava/lang/Object;)Ljava/lang/Object;",
            vec![var(map), key()],
            Constant::Null,
        );
        test.gives("java/util/TreeMap.put", PUT, vec![var(map), key(), key()], Constant::Null);
        let empty = test.call("java/util/Map.of", "()Ljava/util/Map;", vec![]);
        test.call("java/util/TreeMap.putAll", "(Ljava/util/Map;)V", vec![var(map), var(empty)]);
        let itself = test.call(
            "java/util/function/Function.identity",
            "()Ljava/util/function/Function;",
            vec![],
        );
        test.gives(
            "java/util/TreeMap.computeIfAbsent",
            "(Ljava/lang/Object;Ljava/util/function/Function;)Ljava/lang/Object;",
            vec![var(map), boxed(Constant::Int(2)), var(itself)],
            Constant::Boxed(Box::new(Constant::Int(2))),
        );
    });
    tests.test(["put", "mixedKeys", "throwsClassCast"], |test| {
        let map = test.call(NEW, "()V", vec![]);
        test.call("java/util/TreeMap.put", PUT, vec![var(map), key(), text("x")]);
        test.call("java/util/TreeMap.put", PUT, vec![var(map), text("k"), text("x")]);
        test.throws("java/lang/ClassCastException", None);
    });
    tests.test(["keySet", "", ""], |test| {
        let map = test.call(NEW, "()V", vec![]);
        test.call("java/util/TreeMap.put", PUT, vec![var(map), text("k"), key()]);
        let keys = test.call("java/util/TreeMap.keySet", "()Ljava/util/Set;", vec![var(map)]);
        let iterator =
            test.call("java/util/Set.iterator", "()Ljava/util/Iterator;", vec![var(keys)]);
        test.gives(
            "java/util/Iterator.next",
            "()Ljava/lang/Object;",
            vec![var(iterator)],
            Constant::text("k"),
        );
        let copy = test.call(NEW, "(Ljava/util/Map;)V", vec![var(map)]);
        test.gives(
            "java/util/AbstractMap.equals",
            "(Ljava/lang/Object;)Z",
            vec![var(copy), var(map)],
            Constant::Boolean(true),
        );
        test.call("java/util/TreeMap.putAll", "(Ljava/util/Map;)V", vec![var(copy), var(map)]);
        let nobody =
            test.call("java/util/TreeMap.comparator", "()Ljava/util/Comparator;", vec![var(map)]);
        test.expect(nobody, Expected::Equals(Constant::Null));
    });
    tests.done()
}

fn old(names: &dyn Names) -> Suite {
    let mut tests = Tests::of(names, "p/Old");
    tests.test(["record", "", ""], |test| {
        let old = test.call("p/Old", "()V", vec![]);
        test.gives("p/Old.number", "()I", vec![var(old)], Constant::Int(1));
        test.gives("p/Old.yield", "()I", vec![var(old)], Constant::Int(2));
        test.gives("p/Old.record", "(I)I", vec![var(old), int(4)], Constant::Int(4));
    });
    tests.done()
}

fn clashes(names: &dyn Names) -> Suite {
    let mut tests = Tests::of(names, "q/Test");
    tests.test(["name", "", ""], |test| {
        let one = test.call("q/Test", "()V", vec![]);
        test.gives("q/Test.name", "()Ljava/lang/String;", vec![var(one)], Constant::text("test"));
        let number = test.call("q/Integer", "()V", vec![]);
        test.gives("q/Integer.value", "()I", vec![var(number)], Constant::Int(7));
        let list = test.call("java/util/ArrayList", "()V", vec![]);
        test.call(
            "q/Test.list",
            "(Ljava/util/List;Ljava/lang/Integer;)Ljava/lang/Object;",
            vec![var(one), var(list), boxed(Constant::Int(i32::MAX))],
        );
        let awt = test.call("q/Test.awt", "()Ljava/awt/List;", vec![var(one)]);
        test.expect(awt, Expected::Equals(Constant::Null));
        let awt = test.call("q/Test.awt", "()Ljava/awt/List;", vec![var(one)]);
        test.expect(awt, Expected::Same(awt));
        let view = test.call(
            "java/util/Collections.unmodifiableList",
            "(Ljava/util/List;)Ljava/util/List;",
            vec![var(list)],
        );
        test.gives("java/util/List.size", "()I", vec![var(view)], Constant::Int(0));
        test.gives("java/util/List.size", "()I", vec![var(view)], Constant::Int(0));
    });
    tests.test(["fail", "", ""], |test| {
        let one = test.call("q/Test", "()V", vec![]);
        test.expect(one, Expected::NotNull);
    });
    tests.done()
}

fn plain(names: &dyn Names) -> Suite {
    let mut tests = Tests::of(names, "Plain");
    tests.test(["twice", "", ""], |test| {
        let plain = test.call("Plain", "()V", vec![]);
        test.gives("Plain.twice", "(I)I", vec![var(plain), int(4)], Constant::Int(8));
        let constant = Constant::Enum { class: "Plain$Test".into(), name: "ONE".into() };
        test.gives("Plain.test", "()LPlain$Test;", vec![var(plain)], constant);
        let other = test.call("Test", "()V", vec![]);
        test.gives("Test.one", "()I", vec![var(other)], Constant::Int(1));
    });
    tests.done()
}
