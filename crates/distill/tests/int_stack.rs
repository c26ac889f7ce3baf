//! The smallest subject of Xie and Notkin (2005) as a model: a stack of ints, explored by hand, must give
//! the published row of table 1, number by number.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use distill::infer::select::{Ways, select};
use distill::infer::trace::{Execution, Given, Trace, Value};
use distill::infer::wording::Wording;
use distill::infer::{Inference, Kind, infer};
use suite::constant::Constant;
use suite::method::Method;

/// Breadth first over stacks, as the explorer does it.
fn explored(iterations: usize, values: &[i32]) -> Trace {
    let mut trace = Trace::default();
    let mut method = |name: &str, descriptor: &str| {
        let method = Method::new("IntStack", name, descriptor, false).unwrap();
        trace.method(&Arc::new(method))
    };
    let new = method("<init>", "()V");
    let push = method("push", "(I)V");
    let pop = method("pop", "()I");
    let is_empty = method("isEmpty", "()Z");
    let mut states: BTreeMap<Vec<i32>, u128> = BTreeMap::new();
    let mut frontier: Vec<Vec<i32>> = vec![Vec::new()];
    let mut state = |trace: &mut Trace, stack: &[i32]| {
        let next = states.len() as u128;
        let number = *states.entry(stack.to_vec()).or_insert(next);
        (trace.value(Value::Object(number)), number == next)
    };
    let list = trace.list(new, Vec::new());
    let exit = Some(state(&mut trace, &[]).0);
    trace.add(Execution { list, entry: None, exit, given: Given::Nothing });
    for _ in 0..iterations {
        let mut next = Vec::new();
        for stack in frontier {
            let entry = Some(state(&mut trace, &stack).0);
            for &value in values {
                let mut pushed = stack.clone();
                pushed.push(value);
                let (exit, is_new) = state(&mut trace, &pushed);
                if is_new {
                    next.push(pushed);
                }
                let argument = trace.value(Value::Constant(Constant::Int(value)));
                let list = trace.list(push, vec![argument]);
                trace.add(Execution { list, entry, exit: Some(exit), given: Given::Nothing });
            }
            let list = trace.list(pop, Vec::new());
            let mut popped = stack.clone();
            let given = match popped.pop() {
                Some(top) => Given::Value(trace.value(Value::Constant(Constant::Int(top)))),
                None => Given::Exception("java/lang/ArrayIndexOutOfBoundsException".into()),
            };
            let exit = Some(state(&mut trace, &popped).0);
            trace.add(Execution { list, entry, exit, given });
            let list = trace.list(is_empty, Vec::new());
            let said = trace.value(Value::Constant(Constant::Boolean(stack.is_empty())));
            trace.add(Execution { list, entry, exit: entry, given: Given::Value(said) });
        }
        frontier = next;
    }
    trace
}

fn printed(trace: &Trace, inference: &Inference, kind: Kind) -> Vec<String> {
    let ways = Ways::new(trace);
    let wording = Wording::new(trace, &ways);
    let of_kind = inference.printed().filter(|property| property.kind == kind);
    of_kind.map(|property| wording.notation(&property.abstraction)).collect()
}

#[test]
fn an_int_stack_gives_the_published_row() {
    let row = |iterations| {
        let trace = explored(iterations, &[-1, 0, 1]);
        let inference = infer(&trace, 0.8);
        let tests = select(&trace, &inference);
        [
            trace.executions().len(),
            inference.n_printed(Kind::Universal),
            inference.n_printed(Kind::ConditionalUniversal),
            inference.n_printed(Kind::Common),
            tests.iter().filter(|test| test.is_special_by_arguments(&inference)).count(),
            tests.iter().filter(|test| test.is_common()).count(),
            tests
                .iter()
                .filter(|test| test.is_special_by_arguments(&inference) && test.is_common())
                .count(),
        ]
    };
    assert_eq!(row(3), [66, 5, 0, 2, 2, 4, 2]);
    assert_eq!(row(4), [201, 5, 0, 5, 4, 6, 3]);
    assert_eq!(row(5), [606, 5, 0, 5, 4, 6, 3]);
}

#[test]
fn the_properties_of_an_int_stack_are_these() {
    let trace = explored(5, &[-1, 0, 1]);
    let inference = infer(&trace, 0.8);
    // The first, third and fourth are those of Henkel and Diwan (2003).
    let universal = [
        "pop(<init>().state).retval == Exception",
        "isEmpty(<init>().state).retval == true",
        "pop(push(S, i0_1).state).retval == i0_1",
        "pop(push(S, i0_1).state).state == S",
        "isEmpty(push(S, i0_1).state).retval == false",
    ];
    assert_eq!(printed(&trace, &inference, Kind::Universal), universal);
    let common = [
        "pop(S).state != S",
        "isEmpty(S).retval == false",
        "isEmpty(push(S, i0_1).state).retval == isEmpty(S).retval",
        "isEmpty(pop(S).state).retval == isEmpty(S).retval",
        "isEmpty(pop(S).state).retval == false",
    ];
    assert_eq!(printed(&trace, &inference, Kind::Common), common);
    let observers =
        ["pop(S).state != S [where !isEmpty(S)]", "pop(S).retval == Exception [where isEmpty(S)]"];
    assert_eq!(printed(&trace, &inference, Kind::ObserverConditional), observers);
}

#[test]
fn many_pairs_take_time_in_proportion() {
    let trace = explored(9, &[-1, 0, 1]);
    let start = Instant::now();
    let inference = infer(&trace, 0.8);
    assert_eq!((trace.executions().len(), inference.n_pairs), (49_206, 98_405));
    // A tenth of a second on an idle machine; every pair against every pair would take minutes.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
