//! Explorations for a few methods only, to find what a broad one did not: wide ones, with arguments that
//! nobody gave, and deep ones, with one argument list per method and as many calls in a row as the budget
//! allows.

use std::sync::Arc;

use suite::constant::Constant;
use suite::method::Method;
use suite::types::Type;

use super::Job;
use crate::arguments::{Argument, ArgumentList};

/// Argument lists per method in a wide search, at most.
const MOST_LISTS: usize = 24;

/// The methods with more arguments, as far as the whole job went; about so many calls at most.
pub fn wide(job: &Job, methods: &[Arc<Method>], calls: usize) -> Job {
    let mut lists: Vec<ArgumentList> = Vec::new();
    for method in methods {
        let own: Vec<&ArgumentList> =
            job.lists.iter().filter(|list| list.method == *method).collect();
        let mut some: Vec<ArgumentList> = own.iter().map(|list| (*list).clone()).collect();
        for position in 0..method.parameters.len() {
            for value in beyond(&method.parameters[position]) {
                let value = Argument::Constant(value);
                for list in &own {
                    let mut varied = (*list).clone();
                    varied.arguments[position] = value.clone();
                    if !some.contains(&varied) {
                        some.push(varied);
                        break;
                    }
                }
            }
        }
        some.truncate(MOST_LISTS.max(own.len()));
        lists.append(&mut some);
    }
    with_budget(job, lists, calls, job.iterations)
}

/// One argument list per method, and calls in a row without end; about so many calls at most.
pub fn deep(job: &Job, methods: &[Arc<Method>], calls: usize) -> Job {
    let last_of =
        |method: &Arc<Method>| job.lists.iter().rev().find(|list| list.method == *method).cloned();
    let lists = methods.iter().filter_map(last_of).collect();
    with_budget(job, lists, calls, None)
}

fn with_budget(job: &Job, lists: Vec<ArgumentList>, calls: usize, iterations: Option<u32>) -> Job {
    let most_states = (calls / lists.len().max(1)).max(1);
    Job { lists, most_states, iterations, n_workers: 1, keep_calls: false, ..job.clone() }
}

/// Values beyond the usual ones: a little further, and as far as it goes.
fn beyond(of: &Type) -> Vec<Constant> {
    let ints = [2, 3, 7, i32::MAX, i32::MIN];
    match of {
        Type::Byte => vec![Constant::Byte(2), Constant::Byte(i8::MAX), Constant::Byte(i8::MIN)],
        Type::Short => vec![Constant::Short(2), Constant::Short(i16::MAX)],
        Type::Char => vec![Constant::Char(u16::from(b'b')), Constant::Char(0)],
        Type::Int => ints.map(Constant::Int).to_vec(),
        Type::Long => vec![Constant::Long(2), Constant::Long(i64::MAX), Constant::Long(i64::MIN)],
        Type::Float => [2.5, f32::NAN, f32::INFINITY, -0.0]
            .map(|value| Constant::Float(value.to_bits()))
            .to_vec(),
        Type::Double => [2.5, f64::NAN, f64::INFINITY, -0.0]
            .map(|value| Constant::Double(value.to_bits()))
            .to_vec(),
        Type::Class(name) => match &**name {
            "java/lang/Object" | "java/lang/Comparable" | "java/lang/Integer" => {
                let boxed = |value: i32| Constant::Boxed(Box::new(Constant::Int(value)));
                let mut values: Vec<Constant> = ints.map(boxed).to_vec();
                values.push(Constant::Null);
                if &**name != "java/lang/Integer" {
                    values.push(Constant::text("b"));
                }
                values
            }
            "java/lang/String" | "java/lang/CharSequence" => {
                vec![Constant::text("b"), Constant::text("aa"), Constant::text(" "), Constant::Null]
            }
            _ => vec![Constant::Null],
        },
        Type::Boolean | Type::Void | Type::Array(_) => Vec::new(),
    }
}
