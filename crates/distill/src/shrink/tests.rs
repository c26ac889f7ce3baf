//! What each pass does, and what holds for any sequence and any predicate.

use std::sync::Arc;

use suite::constant::Constant;
use suite::method::Method;
use suite::sequence::{Arg, Operation, Sequence, Statement, Var};
use suite::types::Type;

use super::{Limits, Nulls, shrink, shrink_within, simplicity};

fn call(name: &str, descriptor: &str) -> Operation {
    let method = Method::new("Bag", name, descriptor, name == "of").expect("well formed");
    Operation::Call(Arc::new(method))
}

/// The methods of the class that the sequences here are about.
fn operation(name: &str) -> Operation {
    call(
        name,
        match name {
            "new" => return call("<init>", "()V"),
            "push" => "(I)V",
            "size" => "()I",
            "copy" => "()LBag;",
            "label" => "(Ljava/lang/String;)V",
            "text" => "()Ljava/lang/String;",
            "ratio" => "(D)V",
            "same" => "(Ljava/lang/Object;)Z",
            "fill" => "([I)V",
            "of" => "(LBag;)LBag;",
            _ => "()V",
        },
    )
}

struct Builder(Sequence);

impl Builder {
    fn new() -> Builder {
        Builder(Sequence::empty())
    }

    fn call(&mut self, name: &str, args: Vec<Arg>) -> Var {
        self.0.push(operation(name), args).expect("fits")
    }

    fn ints(&mut self, elements: &[i32]) -> Var {
        let elements = elements.iter().map(|&n| int(n)).collect();
        self.0.push(Operation::Array(Type::Int), elements).expect("fits")
    }
}

fn int(n: i32) -> Arg {
    Arg::Constant(Constant::Int(n))
}

fn text(text: &str) -> Arg {
    Arg::Constant(Constant::text(text))
}

fn name(statement: &Statement) -> &str {
    statement.method().map_or("[]", |method| &method.name)
}

fn count(sequence: &Sequence, wanted: &str) -> usize {
    sequence.statements().iter().filter(|statement| name(statement) == wanted).count()
}

/// One statement a line: `1 push 0 #3`; `#` stands before constants.
fn shown(sequence: &Sequence) -> String {
    let lines = sequence.statements().iter().enumerate().map(|(idx, statement)| {
        let args = statement.args.iter().map(|arg| match arg {
            Arg::Var(var) => format!(" {}", var.0),
            Arg::Constant(Constant::Int(n)) => format!(" #{n}"),
            Arg::Constant(Constant::Text(units)) => {
                format!(" #{:?}", String::from_utf16_lossy(units))
            }
            Arg::Constant(other) => format!(" #{other:?}"),
        });
        format!("{idx} {}{}", name(statement), args.collect::<String>())
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// Shrinks with a focus on the last statement; gives the result and how often was asked.
fn check(
    sequence: &Sequence,
    nulls: Nulls,
    mut still: impl FnMut(&Sequence) -> bool,
) -> (String, usize) {
    let mut n_asked = 0;
    let last = Var(sequence.next_var().0 - 1);
    let result = shrink_within(
        sequence,
        last,
        &mut |candidate| {
            n_asked += 1;
            still(candidate)
        },
        Limits { most_tries: 10_000, nulls },
    );
    (shown(&result), n_asked)
}

#[test]
fn what_has_nothing_to_do_with_the_focus_goes_at_once() {
    let mut made = Builder::new();
    let bag = made.call("new", vec![]);
    for n in 0..50 {
        let other = made.call("new", vec![]);
        made.call("push", vec![Arg::Var(other), int(n)]);
    }
    made.call("size", vec![Arg::Var(bag)]);
    let (result, n_asked) = check(&made.0, Nulls::Never, |_| true);
    assert_eq!(result, "0 <init>\n1 size 0");
    assert!(n_asked <= 3, "{n_asked}");
}

#[test]
fn one_needed_call_among_a_hundred_is_found_in_few_tries() {
    let mut made = Builder::new();
    let bag = made.call("new", vec![]);
    for n in 0..100 {
        let what = if n == 37 { "seal" } else { "clear" };
        made.call(what, vec![Arg::Var(bag)]);
    }
    made.call("size", vec![Arg::Var(bag)]);
    let (result, n_asked) = check(&made.0, Nulls::Never, |it| count(it, "seal") == 1);
    assert_eq!(result, "0 <init>\n1 seal 0\n2 size 0");
    assert!(n_asked <= 30, "{n_asked}");
}

#[test]
fn as_many_repetitions_stay_as_are_needed() {
    let mut made = Builder::new();
    let bag = made.call("new", vec![]);
    for _ in 0..64 {
        made.call("push", vec![Arg::Var(bag), int(5)]);
    }
    made.call("size", vec![Arg::Var(bag)]);
    let (result, n_asked) = check(&made.0, Nulls::Never, |it| count(it, "push") >= 7);
    assert_eq!(result.matches("push 0 #0").count(), 7);
    assert_eq!(result.lines().count(), 9);
    assert!(n_asked <= 150, "{n_asked}");
}

#[test]
fn repeated_calls_become_one() {
    let mut made = Builder::new();
    let bag = made.call("new", vec![]);
    for _ in 0..40 {
        made.call("push", vec![Arg::Var(bag), int(0)]);
        made.call("clear", vec![Arg::Var(bag)]);
    }
    made.call("size", vec![Arg::Var(bag)]);
    let needs_both = |it: &Sequence| count(it, "push") > 0 && count(it, "clear") > 0;
    let (result, n_asked) = check(&made.0, Nulls::Never, needs_both);
    assert_eq!(result, "0 <init>\n1 push 0 #0\n2 clear 0\n3 size 0");
    assert!(n_asked <= 10, "{n_asked}");
}

#[test]
fn an_argument_becomes_a_constant_and_its_producer_goes() {
    let mut made = Builder::new();
    let bag = made.call("new", vec![]);
    let size = made.call("size", vec![Arg::Var(bag)]);
    made.call("push", vec![Arg::Var(bag), Arg::Var(size)]);
    let (result, _) = check(&made.0, Nulls::Never, |_| true);
    assert_eq!(result, "0 <init>\n1 push 0 #0");
}

#[test]
fn copies_give_way_to_what_they_are_copies_of() {
    let mut made = Builder::new();
    let bag = made.call("new", vec![]);
    let copy = made.call("copy", vec![Arg::Var(bag)]);
    let wrapped = made.call("of", vec![Arg::Var(copy)]);
    made.call("push", vec![Arg::Var(wrapped), int(1)]);
    made.call("size", vec![Arg::Var(wrapped)]);
    let (result, _) = check(&made.0, Nulls::Never, |it| count(it, "push") == 1);
    assert_eq!(result, "0 <init>\n1 push 0 #0\n2 size 0");
}

#[test]
fn what_is_made_twice_is_made_once_where_that_is_enough() {
    let mut made = Builder::new();
    let one = made.call("new", vec![]);
    let two = made.call("new", vec![]);
    made.call("same", vec![Arg::Var(one), Arg::Var(two)]);
    let takes_a_bag = |it: &Sequence| {
        let last = it.statements().last().expect("the focus");
        matches!(last.args[1], Arg::Var(_))
    };
    let (result, _) = check(&made.0, Nulls::Never, takes_a_bag);
    assert_eq!(result, "0 <init>\n1 same 0 0");
    let takes_two_bags = |it: &Sequence| {
        let last = it.statements().last().expect("the focus");
        takes_a_bag(it) && last.args[0] != last.args[1]
    };
    let (result, _) = check(&made.0, Nulls::Never, takes_two_bags);
    assert_eq!(result, "0 <init>\n1 <init>\n2 same 0 1", "aliasing is another finding");
}

#[test]
fn null_comes_in_only_where_it_is_allowed() {
    let mut made = Builder::new();
    let bag = made.call("new", vec![]);
    let other = made.call("copy", vec![Arg::Var(bag)]);
    let third = made.call("of", vec![Arg::Var(other)]);
    made.call("of", vec![Arg::Var(third)]);
    let (result, _) = check(&made.0, Nulls::Never, |_| true);
    assert_eq!(result, "0 <init>\n1 of 0");
    let (result, _) = check(&made.0, Nulls::Allowed, |_| true);
    assert_eq!(result, "0 of #Null");
    // By default it depends on what the sequence passes already.
    let by_default = shrink(&made.0, Var(3), &mut |_| true, 100);
    assert_eq!(shown(&by_default), "0 <init>\n1 of 0");
}

#[test]
fn a_receiver_never_becomes_null() {
    let mut made = Builder::new();
    let bag = made.call("new", vec![]);
    made.call("size", vec![Arg::Var(bag)]);
    let (result, _) = check(&made.0, Nulls::Allowed, |_| true);
    assert_eq!(result, "0 <init>\n1 size 0");
}

#[test]
fn numbers_go_towards_zero_and_one() {
    for (from, least, expected) in
        [(1_000_000, 0, 0), (77_777, 1, 1), (4_096, 100, 100), (-9, 3, 3)]
    {
        let mut made = Builder::new();
        let bag = made.call("new", vec![]);
        made.call("push", vec![Arg::Var(bag), int(from)]);
        let big = |it: &Sequence| match it.statements().last().expect("the focus").args[1] {
            Arg::Constant(Constant::Int(n)) => n.abs() >= least,
            _ => false,
        };
        let (result, n_asked) = check(&made.0, Nulls::Never, big);
        assert_eq!(result, format!("0 <init>\n1 push 0 #{expected}"));
        assert!(n_asked <= 60, "{n_asked}");
    }
}

#[test]
fn fractions_become_whole() {
    let mut made = Builder::new();
    let bag = made.call("new", vec![]);
    let ratio = Arg::Constant(Constant::Double((-12.75_f64).to_bits()));
    made.call("ratio", vec![Arg::Var(bag), ratio]);
    let big = |it: &Sequence| match it.statements().last().expect("the focus").args[1] {
        Arg::Constant(Constant::Double(bits)) => f64::from_bits(bits).abs() >= 3.0,
        _ => false,
    };
    let (result, _) = check(&made.0, Nulls::Never, big);
    assert_eq!(result, format!("0 <init>\n1 ratio 0 #Double({})", 3.0_f64.to_bits()));
}

#[test]
fn strings_get_shorter_and_plainer() {
    let mut made = Builder::new();
    let bag = made.call("new", vec![]);
    made.call("label", vec![Arg::Var(bag), text("hello, wide world of strings")]);
    let has_w = |it: &Sequence| match &it.statements().last().expect("the focus").args[1] {
        Arg::Constant(Constant::Text(units)) => units.len() > 1 && units.contains(&u16::from(b'w')),
        _ => false,
    };
    let (result, n_asked) = check(&made.0, Nulls::Never, has_w);
    assert!(
        ["0 <init>\n1 label 0 #\"wa\"", "0 <init>\n1 label 0 #\"aw\""].contains(&&*result),
        "{result}"
    );
    assert!(n_asked <= 60, "{n_asked}");
}

#[test]
fn arrays_lose_the_elements_that_do_not_matter() {
    let mut made = Builder::new();
    let bag = made.call("new", vec![]);
    let array = made.ints(&[1, 2, 3, 99, 4, 5, 6, 7]);
    made.call("fill", vec![Arg::Var(bag), Arg::Var(array)]);
    let has_99 =
        |it: &Sequence| it.statements().iter().any(|statement| statement.args.contains(&int(99)));
    let (result, _) = check(&made.0, Nulls::Never, has_99);
    assert_eq!(result, "0 <init>\n1 [] #99\n2 fill 0 1");
}

#[test]
fn what_comes_behind_the_focus_is_dropped() {
    let mut made = Builder::new();
    let bag = made.call("new", vec![]);
    let focus = made.call("size", vec![Arg::Var(bag)]);
    made.call("clear", vec![Arg::Var(bag)]);
    let result = shrink(&made.0, focus, &mut |_| true, 10);
    assert_eq!(shown(&result), "0 <init>\n1 size 0");
    let kept = shrink(&made.0, focus, &mut |it| count(it, "clear") > 0, 10);
    assert_eq!(kept, made.0, "it matters, so nothing is touched");
    assert_eq!(shrink(&made.0, Var(9), &mut |_| true, 10), made.0, "there is no such statement");
}

/// Numbers that look random and are the same each time (xorshift, Marsaglia 2003).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn var(&mut self, sequence: &Sequence, class: &Type) -> Option<Var> {
        let fitting: Vec<Var> = (0..sequence.next_var().0)
            .map(Var)
            .filter(|var| sequence.statements()[var.idx()].result() == *class)
            .collect();
        (!fitting.is_empty()).then(|| fitting[self.below(fitting.len())])
    }

    fn sequence(&mut self) -> Sequence {
        let names = ["new", "push", "size", "copy", "label", "text", "ratio", "same", "fill", "of"];
        let mut sequence = Sequence::empty();
        let length = 1 + self.below(25);
        while sequence.len() < length {
            if self.below(8) == 0 {
                let elements =
                    (0..self.below(5)).map(|n| int(i32::try_from(n).expect("small"))).collect();
                sequence.push(Operation::Array(Type::Int), elements).expect("fits");
                continue;
            }
            let operation = operation(names[self.below(names.len())]);
            let Operation::Call(method) = &operation else { unreachable!("all are calls") };
            let args: Option<Vec<Arg>> = method
                .arguments()
                .iter()
                .map(|wanted| {
                    let own = if *wanted == Type::class("java/lang/Object") {
                        Type::class("Bag")
                    } else {
                        wanted.clone()
                    };
                    let variable = self.var(&sequence, &own).map(Arg::Var);
                    let number = self.below(1000);
                    let constant = match own {
                        Type::Int => Some(int(i32::try_from(number).expect("small") - 500)),
                        Type::Double => {
                            let n = f64::from(u16::try_from(number).expect("small")) / 8.0;
                            Some(Arg::Constant(Constant::Double(n.to_bits())))
                        }
                        Type::Class(_) if own == Type::class("java/lang/String") => {
                            Some(text(&"xyzzy"[..number % 6]))
                        }
                        _ => None,
                    };
                    if self.below(2) == 0 { variable.or(constant) } else { constant.or(variable) }
                })
                .collect();
            if let Some(args) = args {
                sequence.push(operation, args).expect("fits");
            }
        }
        sequence
    }
}

/// Built again statement by statement: fails where something does not fit.
fn rebuilt(sequence: &Sequence) -> Sequence {
    let mut again = Sequence::empty();
    for statement in sequence.statements() {
        again.push(statement.operation.clone(), statement.args.clone()).expect("well typed");
    }
    again
}

#[test]
fn any_sequence_shrinks_to_one_that_is_well_typed_not_longer_and_still_shows_it() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    for round in 0..400 {
        let sequence = dice.sequence();
        let last = Var(sequence.next_var().0 - 1);
        let focus_operation = sequence.statements()[last.idx()].operation.clone();
        // A property of the original, of a random kind.
        let kind = round % 4;
        let probe = sequence.statements()[dice.below(sequence.len())].operation.clone();
        let n_probes = |it: &Sequence| {
            it.statements().iter().filter(|statement| statement.operation == probe).count()
        };
        let wanted = n_probes(&sequence);
        let holds = |it: &Sequence| match kind {
            0 => n_probes(it) >= wanted.min(2),
            1 => n_probes(it) >= 1 && it.len() % 2 == sequence.len() % 2,
            2 => n_probes(it) >= 1 && simplicity(it).1 >= 3.min(simplicity(&sequence).1),
            _ => n_probes(it) >= 1,
        };
        let mut n_asked = 0;
        let mut run = |most_tries: usize| {
            let mut asked = 0;
            let result = shrink(
                &sequence,
                last,
                &mut |it| {
                    asked += 1;
                    assert_eq!(rebuilt(it), *it);
                    assert_eq!(
                        it.statements().last().expect("the focus").operation,
                        focus_operation
                    );
                    holds(it)
                },
                most_tries,
            );
            assert!(asked <= most_tries, "{asked} of {most_tries}");
            n_asked = asked;
            result
        };
        let hurried = run(7);
        assert!(holds(&hurried) && simplicity(&hurried) <= simplicity(&sequence));
        let result = run(5_000);
        assert_eq!(result, run(5_000), "the same each time");
        assert!(holds(&result), "round {round}");
        assert!(result.len() <= sequence.len());
        assert!(n_asked <= 40 * sequence.len() + 200, "{n_asked} for {}", sequence.len());
        for idx in 0..result.len() - 1 {
            let removed: Vec<bool> = (0..=idx).map(|at| at == idx).collect();
            let (smaller, became) = result.without(&removed);
            let focus_stays = matches!(became.last(), Some(Some(_)));
            assert!(
                !focus_stays || !holds(&smaller),
                "round {round}: {idx} of\n{}",
                shown(&result)
            );
        }
        assert_eq!(
            shrink(&result, Var(result.next_var().0 - 1), &mut |it| holds(it), 5_000),
            result
        );
    }
}
