//! Which mutants are noticed by tests that are still calls and checks: before anything is written as Java, so that
//! tests can be chosen by what they notice.
//!
//! Each test runs once to see which mutants it reaches; then each mutant is put in place under a mark, the tests that
//! reach it run, and all of it is taken back. A mutant in a static initialiser is reached by no test, since classes
//! are initialised before.

use std::sync::Arc;

use classfile::ClassFile;
use suite::test::Test;
use vm::mode::Mode;
use vm::substitute::Substitute;
use vm::value::MethodId;
use vm::vm::Vm;

use super::watch::{Sites, mutants_of};
use super::{Mutant, ready};
use crate::coverage::{is_set, set};
use crate::oracle::confirm::Asked;
use crate::session::{NotFound, Session};

/// What starting and taking back a run costs, in bytecodes.
const OF_A_RUN: u64 = 500;

/// How much is tried.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytecodes that one call of an unmutated test may take.
    pub fuel: u64,
    /// A mutated call may take so many times the bytecodes of the whole test…
    pub fuel_factor: u64,
    /// … and so many more, before it counts as endless.
    pub fuel_extra: u64,
    /// Tests that are tried with one mutant, those that come first.
    pub most_tests: usize,
    /// Bytecodes that all trials take, about. Mutants for which nothing is left are noticed by nobody.
    pub most_cost: u64,
}

/// By test: which mutants it notices, by their positions, ascending. Of the tests all must hold on this machine; one
/// that does not notices nothing. The machine is left with the classes of the tests initialised.
pub fn noticed(
    session: &mut Session,
    files: &[Arc<ClassFile>],
    mutants: &[Mutant],
    tests: &[Test],
    limits: Limits,
) -> Result<Vec<Vec<u32>>, NotFound> {
    let all: Vec<Asked> = tests.iter().map(Asked::of).collect();
    for file in files {
        // A class that cannot be initialised is reached by no test.
        let _ = session.class(&classfile::mutf8::display(file.name()));
    }
    let mut reach = Reach::new(Sites::new(files, mutants));
    let mut reached_by: Vec<Vec<usize>> = vec![Vec::new(); mutants.len()];
    let mut fuel_of = vec![0; tests.len()];
    for (idx, (test, asked)) in tests.iter().zip(&all).enumerate() {
        let seen = asked.run(test, limits.fuel).observe(session)?;
        if asked.confirms(test, &seen) {
            let (reached, fuel) = reach.of(session, test, asked, limits.fuel)?;
            fuel_of[idx] = (fuel * limits.fuel_factor + limits.fuel_extra).min(limits.fuel);
            for mutant in reached {
                reached_by[mutant].push(idx);
            }
        }
    }
    let mut noticed: Vec<Vec<u32>> = vec![Vec::new(); tests.len()];
    let mut spent = 0;
    for (number, (mutant, reaching)) in (0..).zip(mutants.iter().zip(&reached_by)) {
        if reaching.is_empty() || spent > limits.most_cost {
            continue;
        }
        let Some(file) = files.iter().find(|file| is_in(mutant, file)) else { continue };
        let Ok(class) = session.load(&mutant.class) else { continue };
        // What is no valid code is noticed by nobody.
        let Ok(substitute) = ready(&mut session.vm, class, file, mutant) else { continue };
        let before = session.vm.fuel_used;
        for &idx in reaching.iter().take(limits.most_tests) {
            if is_noticed(session, substitute, &tests[idx], &all[idx], fuel_of[idx])? {
                noticed[idx].push(number);
            }
            spent += OF_A_RUN;
        }
        spent += session.vm.fuel_used - before;
    }
    Ok(noticed)
}

fn is_in(mutant: &Mutant, file: &ClassFile) -> bool {
    classfile::mutf8::display(file.name()) == mutant.class
}

/// Whether a test does not hold where a mutant is in place.
fn is_noticed(
    session: &mut Session,
    substitute: Substitute,
    test: &Test,
    asked: &Asked,
    fuel: u64,
) -> Result<bool, NotFound> {
    let mark = session.vm.mark();
    let seen = match session.vm.substitute(substitute) {
        true => asked.run(test, fuel).observe(session).map(Some),
        false => Ok(None),
    };
    session.vm.rollback(mark);
    Ok(seen?.is_some_and(|seen| !asked.confirms(test, &seen)))
}

/// Takes down which mutants a run reaches.
struct Reach {
    sites: Sites,
    rows: Vec<Row>,
    /// Methods that ran since the last look.
    ran: Vec<MethodId>,
}

/// What is known of a method.
#[derive(Default)]
struct Row {
    /// Positions of its code that ran since the last look.
    bits: Vec<u64>,
    /// Its mutants, with the positions that stand for their instructions; none before it was looked at.
    mutants: Option<Vec<(std::ops::Range<usize>, usize)>>,
}

impl Reach {
    fn new(sites: Sites) -> Reach {
        Reach { sites, rows: Vec::new(), ran: Vec::new() }
    }

    /// The mutants that a test reaches, ascending, and the bytecodes that it takes.
    fn of(
        &mut self,
        session: &mut Session,
        test: &Test,
        asked: &Asked,
        fuel: u64,
    ) -> Result<(Vec<usize>, u64), NotFound> {
        let n_methods = session.vm.methods.len();
        let before = session.vm.fuel_used;
        let mark = session.vm.mark();
        let ran = asked.run(test, fuel).follow(self, session);
        let used = session.vm.fuel_used - before;
        let reached = self.look(&session.vm);
        session.vm.rollback(mark);
        session.vm.host.forget_files();
        // Methods of classes that are gone have no numbers.
        self.rows.truncate(n_methods);
        ran.map(|()| (reached, used))
    }

    fn look(&mut self, vm: &Vm) -> Vec<usize> {
        let mut reached = Vec::new();
        let n_methods = vm.methods.len();
        // What was loaded and taken back on the way is none of the classes under test.
        for method in std::mem::take(&mut self.ran).into_iter().filter(|it| it.idx() < n_methods) {
            let row = &mut self.rows[method.idx()];
            let mutants = row.mutants.get_or_insert_with(|| mutants_of(vm, &self.sites, method));
            for (positions, mutant) in mutants {
                if positions.clone().any(|at| is_set(&row.bits, at)) {
                    reached.push(*mutant);
                }
            }
            row.bits.clear();
        }
        reached.sort_unstable();
        reached.dedup();
        reached
    }
}

impl Mode for Reach {
    const STEPS: bool = true;

    #[inline]
    fn step(&mut self, method: MethodId, position: u32) {
        if self.rows.len() <= method.idx() {
            self.rows.resize_with(method.idx() + 1, Row::default);
        }
        let row = &mut self.rows[method.idx()];
        if row.mutants.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
        if row.bits.is_empty() {
            self.ran.push(method);
        }
        set(&mut row.bits, position as usize);
    }
}
