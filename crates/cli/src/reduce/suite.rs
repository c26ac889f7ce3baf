//! Runs the suite, and tells which tests failed and why.

use observe::junit::{self, Limits, Node, Outcome, Report};
use observe::last_call::LastCalls;
use observe::record::silence_test;

use super::Failed;
use super::failure::Cause;
use super::scope::Scope;
use crate::options::{MachineOptions, ReduceOptions};
use crate::os_host::OsHost;
use crate::run::{boot, no_junit, reason};
use crate::watch;

/// By the id of a failed test the last call that it made.
type Calls = std::collections::BTreeMap<String, String>;

/// Runs the suite. Where a test stops the machine, everything starts again without it.
pub(super) fn run(
    options: &ReduceOptions,
    machine: &MachineOptions,
) -> Result<(Scope, Report, Calls), String> {
    let host = || OsHost::new().with_output_to_stderr();
    let mut vm = boot(machine, host())?;
    let scope = Scope::find(options, &machine.classpath, vm.jdk)?;
    // Tests that stopped a machine, with the last call they made.
    let mut stopped: Vec<(Node, Option<String>)> = Vec::new();
    loop {
        let mut mode = LastCalls::new(scope.wanted());
        let hear = mode.hear();
        let limits = Limits { test_fuel: options.fuel, is_enough: watch::is_interrupted };
        let mut report = junit::run_limited(&mut vm, &mut mode, &scope.plan, limits, hear)
            .map_err(|error| no_junit(&error))?;
        if watch::is_interrupted() {
            return Err("interrupted before the suite came to its end".to_owned());
        }
        let mut calls = mode.finish();
        let under_way = calls.remove("");
        let is_new = |node: &&Node| {
            node.is_test
                && matches!(node.outcome, Outcome::Stopped(_))
                && !stopped.iter().any(|(old, _)| is_same_method(old, node))
        };
        let new: Vec<Node> = report.nodes.iter().filter(is_new).cloned().collect();
        if let (Some(_), true) = (&report.stop, !new.is_empty()) {
            stopped.extend(new.into_iter().map(|node| (node, under_way.clone())));
            vm = boot(machine, host())?;
            for (node, _) in &stopped {
                if let (Some(class), Some(method)) = (&node.class, &node.method) {
                    silence_test(&mut vm, class, method, node.parameters.as_deref());
                }
            }
            continue;
        }
        for node in report.nodes.iter_mut().filter(|node| node.is_test) {
            if let Some((old, call)) = stopped.iter().find(|(old, _)| is_same_method(old, node)) {
                node.outcome = old.outcome.clone();
                calls.extend(call.clone().map(|call| (node.id.clone(), call)));
            }
        }
        return Ok((scope, report, calls));
    }
}

fn is_same_method(one: &Node, other: &Node) -> bool {
    let name = |node: &Node| (node.class.clone(), node.method.clone(), node.parameters.clone());
    name(one) == name(other)
}

/// The tests that failed, in order.
pub(super) fn failed_tests(
    options: &ReduceOptions,
    scope: &Scope,
    report: &Report,
    calls: &Calls,
) -> Result<Vec<Failed>, String> {
    let mut failed = Vec::new();
    for (idx, node) in report.nodes.iter().enumerate() {
        let call = calls.get(&node.id).cloned();
        let (cause, source) = match &node.outcome {
            Outcome::Failed(failures) => {
                let Some(failure) = failures.first() else { continue };
                let cause = Cause::of(failure, call, scope);
                let source = if node.is_test {
                    scope.source(&options.sources, node, cause.line.as_ref())?
                } else {
                    Err("it failed before or behind its tests".to_owned())
                };
                (cause, source)
            }
            Outcome::Stopped(stop) if node.is_test || !has_stopped_child(report, idx) => {
                let cause = Cause {
                    exception: reason(stop).lines().next().unwrap_or_default().to_owned(),
                    place: call.clone().unwrap_or_else(|| "the test itself".to_owned()),
                    call,
                    message: None,
                    is_crash: true,
                    line: None,
                };
                (cause, Err("it stops the machine".to_owned()))
            }
            _ => continue,
        };
        failed.push(Failed { name: name(report, idx, node), cause, source });
    }
    Ok(failed)
}

fn has_stopped_child(report: &Report, idx: usize) -> bool {
    report.children(Some(idx)).any(|it| matches!(report.nodes[it].outcome, Outcome::Stopped(_)))
}

/// `shop.CartTest.addsOne`, and what tells runs of one method apart.
fn name(report: &Report, idx: usize, node: &Node) -> String {
    let class = report.class_of(idx).unwrap_or("?");
    match &node.method {
        Some(method) if node.name.starts_with(method.as_str()) => format!("{class}.{method}"),
        Some(method) => format!("{class}.{method} {}", node.name),
        None if node.is_test => format!("{class} {}", node.name),
        None => class.to_owned(),
    }
}
