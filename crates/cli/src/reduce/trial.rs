//! Tries how a changed test class fails: compiled by the user's compiler, run on the machine, which is rolled
//! back afterwards.

use observe::junit::{self, Limits, Outcome, Plan};
use observe::last_call::LastCalls;
use vm::vm::Vm;

use super::compiler::Compiler;
use super::failure::{Cause, Owners};
use super::real::RealJvm;
use super::scope::Scope;
use crate::watch;

/// A machine and a compiler for changed test classes.
pub(super) struct Bench<'a> {
    pub(super) scope: &'a Scope,
    pub(super) vm: Vm,
    pub(super) compiler: Compiler,
    pub(super) fuel: u64,
    pub(super) real: RealJvm,
    /// How often the last run asked for a change outside that was not granted.
    pub(super) n_denied: u64,
}

/// A changed test class.
pub(super) struct Candidate {
    /// Binary name of its outermost class.
    pub(super) class: String,
    /// Internal name of the class it comes from.
    pub(super) original: String,
    /// Its source, below a folder of sources.
    pub(super) path: String,
    /// The test.
    pub(super) method: String,
}

/// The suite's classes and a changed one.
struct WithCandidate<'a> {
    scope: &'a Scope,
    class: &'a str,
}

impl Owners for WithCandidate<'_> {
    fn is_under_test(&self, class: &str) -> bool {
        !self.is_test(class) && self.scope.is_under_test(class)
    }

    fn is_test(&self, class: &str) -> bool {
        let is_own = class
            .strip_prefix(self.class)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['$', '/']));
        is_own || self.scope.is_test(class)
    }
}

impl Candidate {
    /// The cause of a failure of this class.
    pub(super) fn cause(
        &self,
        scope: &Scope,
        failure: &junit::Failure,
        call: Option<String>,
    ) -> Cause {
        Cause::of(failure, call, &WithCandidate { scope, class: &self.class })
    }

    /// A plan that runs it alone, by the JUnit that ran the class it comes from.
    pub(super) fn plan(&self, suite: &Plan) -> Plan {
        let name = self.class.replace('.', "/");
        let mut plan = Plan { platform: vec![], junit4: vec![], junit3: vec![], ..suite.clone() };
        if suite.platform.contains(&self.original) {
            plan.platform.push(name);
        } else if suite.junit4.contains(&self.original) {
            plan.junit4.push(name);
        } else {
            plan.junit3.push(name);
        }
        plan
    }
}

impl Bench<'_> {
    /// How a source fails: `Ok(Err)` says why it is no test, an empty list that it passes.
    pub(super) fn run(
        &mut self,
        candidate: &Candidate,
        text: &str,
    ) -> Result<Result<Vec<Cause>, String>, String> {
        if let Err(message) = self.compiler.compile(&candidate.path, text)? {
            return Ok(Err(format!("it does not compile: {message}")));
        }
        let n_classes = self.vm.classes.len();
        let denied_before = self.vm.host.asked().denied;
        let mark = self.vm.mark();
        let mut mode = LastCalls::new(self.scope.wanted());
        let hear = mode.hear();
        let plan = candidate.plan(&self.scope.plan);
        let limits = Limits { test_fuel: self.fuel, is_enough: watch::is_interrupted };
        let report = junit::run_limited(&mut self.vm, &mut mode, &plan, limits, hear);
        let libraries = junit::library_classes_since(&self.vm, n_classes);
        self.vm.rollback(mark);
        self.n_denied = self.vm.host.asked().denied - denied_before;
        // The next run need not load them again.
        junit::keep_loaded(&mut self.vm, &libraries).map_err(|error| error.to_string())?;
        let report = match report {
            Ok(report) => report,
            Err(error) => return Ok(Err(error.to_string())),
        };
        if report.stop.is_some() {
            return Ok(Err("it does not come to its end".to_owned()));
        }
        let calls = mode.finish();
        let mut causes = Vec::new();
        for node in report.tests() {
            let is_it = node.method.as_deref().is_some_and(|method| {
                method.split(['[', '(']).next().unwrap_or(method).trim() == candidate.method
            });
            let Outcome::Failed(failures) = &node.outcome else { continue };
            if let Some(failure) = failures.first().filter(|_| is_it) {
                let call = calls.get(&node.id).cloned();
                causes.push(candidate.cause(self.scope, failure, call));
            }
        }
        Ok(Ok(causes))
    }
}
