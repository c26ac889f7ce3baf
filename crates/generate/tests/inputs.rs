//! Inputs that no constructor makes, and what generic signatures say that an input should be.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../observe/tests/machine/mod.rs"]
mod machine;

use std::sync::Arc;

use generate::arguments::{self, Argument, Given, Implementations, Plan, Pool};
use generate::generics::{self, Wanted};
use generate::stand_ins;
use observe::session::Session;
use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation};
use suite::stand_in::{Behaviour, StandIn};
use suite::types::Type;
use testkit::{jdk, root, suite as fixtures};

fn session() -> Session {
    let jdk = &jdk::installed()[0];
    let sources = root::repository().join("fixtures/generate/inputs");
    let classes = fixtures::compile(jdk, "generate/inputs", &sources, "").unwrap();
    Session::new(machine::boot(jdk, &classes.display().to_string()).0).unwrap()
}

/// `List<String>`, with simple names; a variable before its bound.
fn show(wanted: &Wanted) -> String {
    let name = wanted.erasure.to_string();
    let simple = name.rsplit(['.', '$']).next().unwrap().to_owned();
    let variable =
        wanted.variable.as_ref().map_or_else(String::new, |variable| format!("{variable}:"));
    let arguments: Vec<String> = wanted.arguments.iter().map(show).collect();
    let arguments =
        if arguments.is_empty() { String::new() } else { format!("<{}>", arguments.join(", ")) };
    format!("{variable}{simple}{arguments}")
}

#[test]
fn a_parameter_wants_what_its_generic_signature_says() {
    let mut session = session();
    let mut check = |class: &str, name: &str, descriptor: &str, expected: &[&str]| {
        let is_static = class == "java/util/Collections" || class == "java/lang/String";
        let method = Method::new(class, name, descriptor, is_static).unwrap();
        let mut seen: Vec<String> =
            generics::parameters(&mut session, &method).iter().map(show).collect();
        seen.push(show(&generics::result(&mut session, &method)));
        assert_eq!(seen, expected, "{class}.{name}");
    };
    const INPUTS: &str = "inputs/Inputs";
    check(
        INPUTS,
        "most",
        "(Ljava/util/Collection;[Ljava/lang/Comparable;)Ljava/lang/Comparable;",
        &[
            "Collection<C:Comparable<Comparable>>",
            "Comparable[]<C:Comparable<Comparable>>",
            "C:Comparable<Comparable>",
        ],
    );
    check(
        INPUTS,
        "order",
        "(Ljava/lang/Object;Ljava/util/Comparator;)V",
        &["C:Comparable<Comparable>", "Comparator<C:Comparable<Comparable>>", "void"],
    );
    check(
        INPUTS,
        "texts",
        "(Ljava/util/List;Ljava/util/Map;Ljava/util/List;Ljava/util/List;)V",
        &["List<String>", "Map<String, List<Integer>>", "List<Object>", "List", "void"],
    );
    check(
        INPUTS,
        "own",
        "(Ljava/lang/Number;[Ljava/lang/Number;Ljava/util/List;)V",
        &["T:Number", "Number[]<T:Number>", "List<T:Number>", "void"],
    );
    check(
        INPUTS,
        "constants",
        "(Ljava/lang/Class;Ljava/lang/Enum;)V",
        &["Class<E:Enum<Enum>>", "E:Enum<Enum>", "void"],
    );
    check(INPUTS, "names", "()Ljava/util/List;", &["List<String>"]);
    // A subclass may have fixed what a method of its superclass left open, or lost it.
    let add = "(Ljava/lang/Object;)Z";
    check("inputs/Inputs$Names", "add", add, &["String", "boolean"]);
    check(
        "inputs/Inputs$Names",
        "addAll",
        "(Ljava/util/Collection;)Z",
        &["Collection<String>", "boolean"],
    );
    let take = "(Ljava/lang/Object;Ljava/lang/Object;)V";
    check("inputs/Inputs$Pairs", "take", take, &["List<A:Object>", "A:Object", "void"]);
    check("inputs/Inputs$Raw", "take", take, &["T:Object", "A:Object", "void"]);
    check("inputs/Inputs$Inner", "<init>", "(Linputs/Inputs;)V", &["Inputs", "Inner"]);
    check(
        "java/util/Collections",
        "max",
        "(Ljava/util/Collection;)Ljava/lang/Object;",
        &["Collection<T:Comparable<Comparable>>", "T:Comparable<Comparable>"],
    );
    check(
        "java/lang/String",
        "join",
        "(Ljava/lang/CharSequence;Ljava/lang/Iterable;)Ljava/lang/String;",
        &["CharSequence", "Iterable<CharSequence>", "String"],
    );
    check("java/util/EnumMap", "containsKey", add, &["Object", "boolean"]);
    check("java/util/Missing", "add", add, &["Object", "boolean"]);
}

fn behaviour(of: &Behaviour) -> String {
    match of {
        Behaviour::Constant(Constant::Boxed(inner)) => format!("boxed {inner:?}"),
        Behaviour::Constant(Constant::Enum { name, .. }) => name.to_string(),
        Behaviour::Constant(Constant::Text(units)) => String::from_utf16(units).unwrap(),
        Behaviour::Constant(constant) => format!("{constant:?}"),
        other => format!("{other:?}"),
    }
}

fn behaviours(found: Vec<StandIn>) -> Vec<String> {
    found.iter().map(|stand_in| behaviour(&stand_in.behaviour)).collect()
}

#[test]
fn functional_interfaces_get_constants_identity_and_exceptions_where_they_fit() {
    let mut session = session();
    let mut check = |of: &str, expected: &[&str]| {
        let found = stand_ins::for_type(&mut session, &Type::class(of));
        assert_eq!(behaviours(found), expected, "{of}");
    };
    check("java/util/function/Function", &["boxed Int(1)", "Identity", "Default", "Throws"]);
    check("java/util/function/BinaryOperator", &["boxed Int(1)", "Identity", "Default", "Throws"]);
    check("java/util/function/Supplier", &["boxed Int(1)", "Default", "Throws"]);
    check("java/util/function/Predicate", &["Boolean(true)", "Default", "Throws"]);
    check("java/util/function/LongUnaryOperator", &["Long(1)", "Identity", "Default", "Throws"]);
    check("java/util/function/IntToLongFunction", &["Long(1)", "Default", "Throws"]);
    check("java/util/function/Consumer", &["Default", "Throws"]);
    check("java/lang/Runnable", &["Default", "Throws"]);
    // An order must keep its laws.
    check("java/util/Comparator", &["Default", "Throws"]);
    check("java/lang/Comparable", &["Default", "Throws"]);
    check("inputs/Inputs$Bounded", &["boxed Int(1)", "Identity", "Default", "Throws"]);
    check("inputs/Inputs$Pick", &["RED", "Default", "Throws"]);
    check("inputs/Inputs$Same", &["boxed Int(1)", "Identity", "Default", "Throws"]);
    check("inputs/Inputs$Package", &["Int(1)", "Default", "Throws"]);
    check("inputs/Inputs$Protected", &["Int(1)", "Default", "Throws"]);
}

#[test]
fn other_interfaces_and_abstract_classes_get_defaults_and_exceptions() {
    let mut session = session();
    let mut check = |of: &str, expected: &[&str]| {
        let found = stand_ins::for_type(&mut session, &Type::class(of));
        assert_eq!(behaviours(found), expected, "{of}");
    };
    check("java/util/Iterator", &["Default", "Throws"]);
    check("java/util/List", &["Default", "Throws"]);
    check("java/util/AbstractList", &["Default", "Throws"]);
    check("inputs/Inputs$Marker", &["Default"]);
    check("inputs/Inputs$Makeable", &["Default", "Throws"]);
}

#[test]
fn what_a_test_cannot_extend_is_not_stood_in_for() {
    let mut session = session();
    for of in [
        "inputs/Inputs$Sealed",
        "inputs/Inputs$Private",
        "inputs/Inputs$Inner",
        "inputs/Inputs$Unmakeable",
        "inputs/Inputs$Given",
        "inputs/Inputs$Note",
        "inputs/Inputs$Colour",
        "inputs/Inputs",
        "inputs/Missing",
        "java/lang/String",
        "java/lang/Enum",
        "java/lang/Record",
        "java/lang/Override",
        "java/sql/ResultSet",
        "jdk/internal/misc/Signal$Handler",
        "sun/security/util/Cache",
        "java/util/HashMap$HashIterator",
    ] {
        assert_eq!(stand_ins::for_type(&mut session, &Type::class(of)), [], "{of}");
    }
    let array = Type::Array(Box::new(Type::class("java/lang/Runnable")));
    assert_eq!(stand_ins::for_type(&mut session, &array), []);
    assert_eq!(stand_ins::for_type(&mut session, &Type::Int), []);
}

#[test]
fn type_arguments_choose_among_constants_and_identities() {
    let mut session = session();
    let lengths = "(Ljava/util/function/Function;Ljava/util/function/Supplier;)I";
    let method = Method::new("inputs/Inputs", "lengths", lengths, false).unwrap();
    let wanted = generics::parameters(&mut session, &method);
    let function = stand_ins::for_wanted(&mut session, &wanted[0]);
    assert_eq!(behaviours(function.clone()), ["boxed Int(1)", "Default", "Throws"]);
    let supplier = stand_ins::for_wanted(&mut session, &wanted[1]);
    assert_eq!(behaviours(supplier), ["RED", "Default", "Throws"]);
    let mut nulls = Vec::new();
    for stand_in in &function {
        nulls.push(stand_ins::gives_null(&mut session, stand_in));
    }
    assert_eq!(nulls, [false, true, false]);
}

/// The statements of a sequence, by their names and constants.
fn show_statements(sequence: &suite::sequence::Sequence) -> Vec<String> {
    let show = |arg: &Arg| match arg {
        Arg::Constant(Constant::Text(units)) => String::from_utf16(units).unwrap(),
        Arg::Constant(Constant::Boxed(inner)) => format!("{inner:?}"),
        Arg::Constant(Constant::Enum { name, .. }) => name.to_string(),
        Arg::Constant(constant) => format!("{constant:?}"),
        Arg::Var(var) => format!("#{}", var.0),
    };
    let statement = |statement: &suite::sequence::Statement| {
        let name = match &statement.operation {
            Operation::Call(method) => format!("{}.{}", method.class, method.name),
            Operation::StandIn(stand_in) => behaviour(&stand_in.behaviour),
            Operation::Array(element) => format!("{element}[]"),
        };
        let args: Vec<String> = statement.args.iter().map(show).collect();
        format!("{}({})", name.rsplit('/').next().unwrap(), args.join(", "))
    };
    sequence.statements().iter().map(statement).collect()
}

/// The default values of the first parameter of a static method, each as the statements that make it, by their
/// names and constants; of constants none.
fn built(session: &mut Session, class: &str, name: &str, descriptor: &str) -> Vec<Vec<String>> {
    let plan = Plan {
        given: Given::default(),
        depth: 2,
        most_per_method: 50,
        own_constants: false,
        always_defaults: false,
        implementations: Arc::new(Implementations::none()),
    };
    let method = Arc::new(Method::new(class, name, descriptor, true).unwrap());
    let (lists, missing) = arguments::lists(session, &[method], &Pool::default(), &plan);
    assert_eq!(missing, [], "{name}");
    let mut built = Vec::new();
    for list in &lists {
        if let Argument::Built(sequence, _) = &list.arguments[0] {
            let statements = show_statements(sequence);
            if !built.contains(&statements) {
                built.push(statements);
            }
        }
    }
    built
}

const TURNS: &str = "inputs/Turns";
const SEEKS: &str = "inputs/Seeks";

/// What the constants of the class's own code add to the default values of a method's one parameter.
fn own(session: &mut Session, class: &str, name: &str, descriptor: &str) -> Vec<String> {
    let method = Arc::new(Method::new(class, name, descriptor, name != "isAfter").unwrap());
    let mut values = |own_constants| -> Vec<String> {
        let plan = Plan {
            given: Given::default(),
            depth: 2,
            most_per_method: 50,
            own_constants,
            always_defaults: false,
            implementations: Arc::new(Implementations::none()),
        };
        let (lists, _) =
            arguments::lists(session, std::slice::from_ref(&method), &Pool::default(), &plan);
        let constant = |list: &arguments::ArgumentList| match &list.arguments[0] {
            Argument::Constant(Constant::Text(units)) => String::from_utf16(units).unwrap(),
            Argument::Constant(Constant::Char(unit)) => {
                char::from_u32((*unit).into()).unwrap().into()
            }
            Argument::Constant(Constant::Double(bits)) => f64::from_bits(*bits).to_string(),
            Argument::Constant(Constant::Int(number)) => number.to_string(),
            Argument::Constant(Constant::Long(number)) => number.to_string(),
            Argument::Constant(Constant::Null) => "null".to_owned(),
            Argument::Built(sequence, _) => show_statements(sequence).join("; "),
            other => format!("{other:?}"),
        };
        lists.iter().map(constant).collect()
    };
    let without = values(false);
    values(true).into_iter().filter(|value| !without.contains(value)).collect()
}

#[test]
fn arguments_are_constants_on_which_branches_turn_and_no_texts_that_only_people_read() {
    let mut session = session();
    // 251 goes another way than 250, and so does 19 than 18.
    assert_eq!(own(&mut session, TURNS, "numbers", "(I)I"), ["250", "251", "18", "19"]);
    assert_eq!(own(&mut session, TURNS, "cases", "(J)Ljava/lang/String;"), ["40"]);
    assert_eq!(own(&mut session, TURNS, "weights", "(D)D"), ["2.5", "77.5"]);
    assert_eq!(own(&mut session, TURNS, "letters", "(C)Z"), ["x"]);
    let texts = "(Ljava/lang/String;)Ljava/lang/String;";
    assert_eq!(own(&mut session, TURNS, "texts", texts), ["more:", "red", "green", "forty", "x"]);
}

#[test]
fn texts_have_the_length_the_digits_and_the_letters_that_code_looks_for() {
    let mut session = session();
    let found = own(&mut session, SEEKS, "sum", "(Ljava/lang/String;)I");
    assert_eq!(found, ["a1a", "1", "1+1"]);
    let found = own(&mut session, SEEKS, "isAfter", "(Linputs/Seeks;)Z");
    assert_eq!(found, ["Seeks.<init>(a1a)", "Seeks.<init>(1+1)"]);
}

#[test]
fn defaults_are_what_can_be_made_each_in_a_state_of_its_own_and_not_by_the_clock() {
    let mut session = session();
    let mut check = |name: &str, descriptor: &str, expected: &[&str]| {
        let made = built(&mut session, "inputs/Arguments", name, descriptor);
        let made: Vec<String> = made.iter().map(|statements| statements.join("; ")).collect();
        assert_eq!(made, expected, "{name}");
    };
    let dates = [
        "LocalDate.ofEpochDay(Long(1))",
        "LocalDate.ofYearDay(Int(1), Int(1))",
        "LocalDate.of(Int(1), APRIL, Int(1))",
    ];
    check("day", "(Ljava/time/LocalDate;)I", &dates);
    let picky = ["Arguments$Picky.<init>(Int(1))", "Arguments$Picky.<init>(Int(0))"];
    check("isSmall", "(Linputs/Arguments$Picky;)Z", &picky);
    check("time", "(Linputs/Arguments$Hour;)J", &["Arguments$Hour.now()"]);
    let rules = ["Boolean(true)()", "Default()", "Throws()"];
    check("ask", "(Linputs/Arguments$Rule;)Z", &rules);
    let functions = ["Int(1)()", "Default()", "Throws()"];
    check("measure", "(Ljava/util/function/ToIntFunction;)I", &functions);
}

#[test]
fn default_collections_hold_what_their_type_arguments_say() {
    let mut session = session();
    let mut check = |name: &str, descriptor: &str, expected: &[&str]| {
        let made = built(&mut session, "inputs/Elements", name, descriptor);
        assert!(made.iter().any(|statements| *statements == expected), "{name}: {made:?}");
    };
    let one_word = ["ArrayList.<init>()", "ArrayList.add(#0, a)"];
    check("letters", "(Ljava/util/List;)I", &one_word);
    let one_amount = ["HashMap.<init>()", "HashMap.put(#0, a, Int(1))"];
    check("total", "(Ljava/util/Map;)I", &one_amount);
    let text = ["ArrayList.<init>()", "ArrayList.<init>()", "ArrayList.add(#0, #1)"];
    check("lines", "(Ljava/util/List;)I", &text);
    let of_an_order = ["ArrayList.<init>()", "ArrayList.add(#0, Int(1))"];
    let greatest = "(Ljava/util/Collection;Ljava/lang/Comparable;)Ljava/lang/Comparable;";
    check("greatest", greatest, &of_an_order);
    let pair = ["ArrayList.<init>()", "Elements$Pair.<init>(a, #0)"];
    check("longest", "(Linputs/Elements$Pair;)I", &pair);
}
