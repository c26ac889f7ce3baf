//! Random generation: planted faults are found, the same seed gives the same result for any number of
//! threads, and every rule of drawing has a subject of its own.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../observe/tests/machine/mod.rs"]
mod machine;
#[path = "random/worth.rs"]
mod worth;

use std::fs;
use std::sync::Arc;

use ::suite::sequence::Sequence;
use generate::api::Choice;
use generate::arguments::{Candidate, Implementations};
use generate::random::{
    Broken, Campaign, Choosing, Job, Judge, Literals, Machines, Merit, Offer, Rules, Settings,
    Worthy, search,
};
use generate::states::{Unwatched, Watch};
use observe::session::{NotFound, Session};
use observe::state::mask::Mask;
use observe::state::technique::Technique;
use testkit::jdk::Jdk;
use testkit::{jdk, root, suite};
use vm::image::Base;

/// Makes machines with one class path.
struct Workshop<'a> {
    jdk: &'a Jdk,
    class_path: String,
}

impl Workshop<'_> {
    fn of<'a>(jdk: &'a Jdk, fixture: &str) -> Workshop<'a> {
        let sources = root::repository().join("fixtures").join(fixture);
        let classes = suite::compile(jdk, fixture, &sources, "").unwrap();
        Workshop { jdk, class_path: classes.display().to_string() }
    }
}

impl Machines for Workshop<'_> {
    fn fresh(&self) -> Result<Session, NotFound> {
        Ok(Session::new(machine::boot(self.jdk, &self.class_path).0).unwrap())
    }

    fn like(&self, session: &Session, number: usize) -> Result<Vec<Session>, NotFound> {
        let base = Base::of(&session.vm).unwrap();
        let host = || machine::host(self.jdk, &self.class_path).0;
        Ok((0..number).map(|_| Session::new(base.machine(host()).unwrap()).unwrap()).collect())
    }
}

fn settings(most_sequences: u64, n_workers: usize) -> Settings {
    Settings {
        seed: 7,
        choosing: Choosing::Guided,
        feedback: true,
        repeat: 0.1,
        most_repeats: 100,
        longest: 100,
        nulls: 0.02,
        technique: Technique::WholeState,
        mask: Mask::standard(),
        fuel: 1_000_000,
        n_workers,
        most_sequences,
        memory: 256 << 20,
    }
}

fn job(classes: &[&str], settings: Settings) -> Job {
    Job {
        classes: classes.iter().map(|class| class.replace('.', "/")).collect(),
        choice: Choice { package_private: false, methods: Vec::new() },
        literals: Literals { given: Vec::new(), own: true },
        implementations: Arc::new(Implementations::none()),
        offer: Offer::All,
        rules: Rules::standard(),
        settings,
    }
}

/// What two campaigns must agree on.
fn summary(campaign: &Campaign) -> String {
    let findings: Vec<_> = campaign
        .findings
        .iter()
        .map(|shown| (&shown[0].broken.contract, &shown[0].sequence, shown[0].count))
        .collect();
    let counts = &campaign.counts;
    format!("{counts:?} {:?} {:?} {findings:?}", campaign.branches, campaign.worthy)
}

#[test]
fn the_same_seed_finds_the_same_with_one_thread_and_with_two() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "bugs/src");
    let classes = ["bugs.TagSet", "bugs.Histogram", "bugs.Scores"];
    let run = |n_workers| {
        let job = job(&classes, settings(4000, n_workers));
        summary(&search(&job, &workshop, &Unwatched).unwrap())
    };
    let one = run(1);
    let two = run(2);
    assert!(one == two, "two threads lead elsewhere than one");
    let other = Settings { seed: 8, ..settings(4000, 1) };
    assert!(one != summary(&search(&job(&classes, other), &workshop, &Unwatched).unwrap()));
}

/// Says that memory is short.
struct Cramped;

impl Watch for Cramped {
    fn is_enough(&self) -> bool {
        false
    }
    fn progress(&self, _: usize, _: usize) {}
    fn is_memory_short(&self) -> bool {
        true
    }
}

#[test]
fn where_memory_is_short_one_machine_goes_on_alone_and_finds_the_same() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "bugs/src");
    let job = job(&["bugs.TagSet", "bugs.Histogram", "bugs.Scores"], settings(4000, 2));
    let roomy = search(&job, &workshop, &Unwatched).unwrap();
    let cramped = search(&job, &workshop, &Cramped).unwrap();
    assert_eq!((roomy.n_workers, cramped.n_workers), (2, 1));
    assert!(summary(&roomy) == summary(&cramped), "one machine leads elsewhere than two");
}

#[test]
fn names_that_one_machine_made_mean_the_same_on_another() {
    // Names of methods are made when somebody asks for them, here in another order on each machine, and stay where
    // they are whatever is rolled back.
    let one = summary(&try_inputs(&["inputs.Whereabouts"], &[], 1));
    let two = summary(&try_inputs(&["inputs.Whereabouts"], &[], 2));
    assert!(one == two, "two threads lead elsewhere than one");
}

#[test]
fn only_what_is_asked_for_is_offered_as_tests() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "bugs/src");
    let offered = |offer| {
        let job = Job { offer, ..job(&["bugs.TagSet"], settings(1500, 1)) };
        search(&job, &workshop, &Unwatched).unwrap().worthy
    };
    assert!(offered(Offer::Nothing).is_empty());
    let (few, all) = (offered(Offer::Few), offered(Offer::All));
    assert!(few.len() < all.len() && few.iter().all(|worthy| !worthy.is_spare));
    let not_spare = all.iter().filter(|worthy| !worthy.is_spare);
    let sequences = |worthy: &[Worthy]| -> Vec<Sequence> {
        worthy.iter().map(|one| one.sequence.clone()).collect()
    };
    assert_eq!(sequences(&few), sequences(&not_spare.cloned().collect::<Vec<_>>()));
}

#[test]
fn planted_faults_are_found_and_show_again_from_the_beginning() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "bugs/src");
    let list = fs::read_to_string(root::repository().join("fixtures/bugs/faults.txt")).unwrap();
    let mut missed = Vec::new();
    let mut n_faults = 0;
    for line in list.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let (class, contracts) = (words.next().unwrap(), words.next().unwrap());
        let classes: Vec<&str> = [class].into_iter().chain(words).collect();
        let job = job(&classes, settings(3000, 1));
        let campaign = search(&job, &workshop, &Unwatched).unwrap();
        let session = workshop.fresh().unwrap();
        let mut judge =
            Judge::new(session, &job.rules, job.settings.fuel, campaign.judged()).unwrap();
        let is_shown = campaign.findings.iter().flatten().any(|finding| {
            contracts.split('|').any(|contract| *finding.broken.contract == *contract)
                && judge
                    .judge(&finding.sequence)
                    .unwrap()
                    .iter()
                    .any(|broken| broken.is_like(&finding.broken))
        });
        n_faults += 1;
        if !is_shown {
            missed.push(class.to_owned());
        }
    }
    assert!(n_faults >= 40, "{n_faults}");
    assert!(missed.len() <= n_faults / 10, "of {n_faults} faults these are missed: {missed:?}");
}

#[test]
fn repeated_calls_reach_what_single_ones_do_not() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "bugs/src");
    let count = |repeat: f64| {
        let settings = Settings { repeat, ..settings(3000, 1) };
        let campaign = search(&job(&["bugs.RingBuffer"], settings), &workshop, &Unwatched).unwrap();
        campaign.worthy.iter().map(|worthy| worthy.sequence.len()).max().unwrap_or(0)
    };
    assert!(count(0.5) > count(0.0), "repetition makes longer sequences");
}

#[test]
fn what_throws_is_worth_a_test_once_and_is_not_built_on() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "subjects/src");
    let job = job(&["subjects.IntStack"], settings(3000, 1));
    let campaign = search(&job, &workshop, &Unwatched).unwrap();
    assert!(campaign.counts.illegal > 0, "pop on an empty stack throws");
    let by_exception =
        campaign.worthy.iter().filter(|worthy| worthy.merit == Merit::Exception).count();
    assert!(by_exception <= campaign.calls.len(), "{by_exception} tests for exceptions alone");
    assert_eq!(campaign.branches.0, campaign.branches.1, "all branches of a stack are taken");
    // The stack of the paper has an `equals` and no `hashCode`.
    let contracts: Vec<&str> =
        campaign.findings.iter().map(|shown| &*shown[0].broken.contract).collect();
    assert_eq!(contracts, ["equals-hash-code"]);
}

#[test]
fn all_techniques_get_along_with_classes_that_sequences_load() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "subjects/src");
    for technique in Technique::ALL {
        let settings = Settings { technique, ..settings(600, 1) };
        let job = job(&["java.util.PriorityQueue", "java.util.ArrayDeque"], settings);
        let campaign = search(&job, &workshop, &Unwatched).unwrap();
        assert!(campaign.counts.kept > 50, "{technique}: {:?}", campaign.counts);
    }
}

#[test]
fn kept_sequences_take_less_than_a_kilobyte_each() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "subjects/src");
    let job = job(&["subjects.BinarySearchTree"], settings(6000, 1));
    let campaign = search(&job, &workshop, &Unwatched).unwrap();
    let (number, bytes) = campaign.kept;
    assert!(number > 100 && bytes / number < 1024, "{bytes} bytes for {number} sequences");
}

/// A campaign without `null`s over subjects of inputs, with these classes on the class path beside them.
fn try_inputs(
    classes: &[&str],
    others: &[(&'static str, &'static str)],
    n_workers: usize,
) -> Campaign {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "generate/inputs");
    let others = others.to_vec();
    let candidates = move || {
        let candidate = |&(name, supertype): &(&str, &str)| Candidate {
            name: name.into(),
            supertypes: vec![supertype.into()],
            is_usable: true,
            entry: 0,
        };
        others.iter().map(candidate).collect()
    };
    let implementations = Arc::new(Implementations::new(Box::new(candidates)));
    let settings = Settings { nulls: 0.0, ..settings(3000, n_workers) };
    let job = Job { implementations, ..job(classes, settings) };
    let campaign = search(&job, &workshop, &Unwatched).unwrap();
    assert!(campaign.refused.is_empty(), "{:?}", campaign.refused);
    assert!(campaign.branches.1 > 0, "there are branches to take");
    campaign
}

#[test]
fn elements_of_collections_and_arrays_are_what_generic_signatures_say() {
    let campaign = try_inputs(&["inputs.Elements"], &[], 1);
    for call in &campaign.calls {
        assert!(call.ended.0 > 0, "{} never returns: {:?}", call.method, call.reason);
        assert_eq!(call.ended.1, 0, "{} throws", call.method);
    }
    assert_eq!(campaign.branches.0, campaign.branches.1, "all branches are taken");
    let with_two = try_inputs(&["inputs.Elements"], &[], 2);
    assert!(summary(&campaign) == summary(&with_two), "two threads lead elsewhere than one");
}

#[test]
fn what_only_a_builder_makes_is_made_by_the_builder_and_calls_that_change_it() {
    let campaign = try_inputs(&["inputs.Letter"], &[], 1);
    let uncalled: Vec<_> = campaign.calls.iter().filter(|call| call.reason.is_some()).collect();
    assert!(uncalled.is_empty(), "{uncalled:?}");
    assert_eq!(campaign.branches.0, campaign.branches.1, "all branches are taken");
}

#[test]
fn what_only_collections_and_the_like_hold_is_taken_out_of_them() {
    const THINGS: [&str; 9] =
        ["Spoon", "Fork", "Knife", "Plate", "Label", "Cup", "Bowl", "Glass", "Key"];
    let things = THINGS.map(|name| format!("inputs.Drawers${name}"));
    let mut classes = vec!["inputs.Drawers"];
    classes.extend(things.iter().map(String::as_str));
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "generate/inputs");
    let campaign = search(&job(&classes, settings(5000, 1)), &workshop, &Unwatched).unwrap();
    let of_things = campaign.calls.iter().filter(|call| &*call.method.name == "size");
    let uncalled: Vec<_> = of_things.clone().filter(|call| call.reason.is_some()).collect();
    assert_eq!(of_things.count(), THINGS.len());
    let [only] = &uncalled[..] else { panic!("{uncalled:?}") };
    assert_eq!(&*only.method.class, "inputs/Drawers$Key");
    let unshown = THINGS[..8].iter().filter(|name| {
        let class = format!("inputs/Drawers${name}");
        let is_of = |one: &Worthy| {
            let mut statements = one.sequence.statements().iter();
            statements.any(|it| it.method().is_some_and(|of| *of.class == *class))
        };
        !campaign.worthy.iter().any(is_of)
    });
    let unshown: Vec<_> = unshown.collect();
    assert!(unshown.is_empty(), "{unshown:?} have no test");
}

#[test]
fn what_is_taken_out_is_used_as_what_it_is_and_not_as_what_it_should_be() {
    let campaign = try_inputs(&["inputs.Mixed"], &[], 1);
    let length = campaign.calls.iter().find(|call| &*call.method.name == "length").unwrap();
    assert_eq!(length.ended.0, 0, "it was given what is no chain");
}

#[test]
fn interfaces_and_abstract_classes_are_made_by_what_the_class_path_has() {
    let known = [
        ("inputs/Canvas$Rectangle", "inputs/Canvas$Shape"),
        ("inputs/Canvas$Grey", "inputs/Canvas$Colour"),
    ];
    let (with, without) =
        (try_inputs(&["inputs.Canvas"], &known, 1), try_inputs(&["inputs.Canvas"], &[], 1));
    assert_eq!(with.branches.0, with.branches.1, "real shapes and colours take all branches");
    assert!(without.branches.0 < without.branches.1, "stand-ins alone do not");
}

#[test]
fn what_a_sequence_passed_before_is_passed_again() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "generate/inputs");
    let branches = |choosing| {
        let settings = Settings { choosing, ..settings(3000, 1) };
        search(&job(&["inputs.Vault"], settings), &workshop, &Unwatched).unwrap().branches
    };
    let (taken, all) = branches(Choosing::Guided);
    assert_eq!(taken, all, "the numbers that lock it also open it");
    let (taken, all) = branches(Choosing::Uniform);
    assert!(taken < all, "nobody guesses two numbers");
}

const SEEN: &str = "inputs.Ledger.seen(int, java.util.function.UnaryOperator)";

#[test]
fn a_function_of_the_test_that_cannot_take_null_is_no_fault_of_the_class_that_gives_it_null() {
    let others = [("inputs/Ledger$Doubling", "java/util/function/UnaryOperator")];
    let campaign = try_inputs(&["inputs.Ledger"], &others, 1);
    let ways = |name: &str| {
        let mut calls = campaign.calls.iter().filter(|call| &*call.method.name == name);
        calls.next().unwrap().ended
    };
    for name in ["change", "raise", "seen"] {
        assert!(ways(name).1 > 0, "{name} never throws");
    }
    let place = |broken: &Broken| broken.place.clone().unwrap_or_default();
    let shown = campaign.findings.iter().map(|shown| &shown[0].broken);
    let mut blamed: Vec<_> = shown.map(|broken| (broken.method.as_str(), place(broken))).collect();
    blamed.sort();
    let [(own, lambda), (among_themselves, doubling)] = &blamed[..] else {
        panic!("two are to blame: {blamed:?}")
    };
    assert_eq!((*own, *among_themselves), ("inputs.Ledger.increment(int)", SEEN));
    assert!(lambda.starts_with("inputs.Ledger.lambda$increment"), "{lambda}");
    assert_eq!(doubling, "inputs.Ledger$Doubling.apply");

    // What is found is judged again from the beginning, by the same rule.
    let jdk = jdk::installed().into_iter().next().unwrap();
    let session = Workshop::of(&jdk, "generate/inputs").fresh().unwrap();
    let mut judge = Judge::new(session, &Rules::standard(), 1_000_000, campaign.judged()).unwrap();
    let mut verdict = |broken_off: &Sequence| judge.judge(broken_off).unwrap().len();
    let thrown = campaign.worthy.iter().filter(|worthy| worthy.merit == Merit::Exception);
    let mut n_thrown = 0;
    for worthy in thrown {
        n_thrown += 1;
        assert_eq!(verdict(&worthy.sequence), 0, "{:?}", worthy.sequence);
    }
    assert!(n_thrown > 0, "that a function cannot take null is worth a test");
    for shown in &campaign.findings {
        assert_eq!(verdict(&shown[0].sequence), 1);
    }
}

#[test]
fn no_class_starves_and_memory_is_kept_to_in_a_small_campaign_over_many_classes() {
    let jdk = jdk::installed().into_iter().next().unwrap();
    let workshop = Workshop::of(&jdk, "bugs/src");
    let list = fs::read_to_string(root::repository().join("fixtures/bugs/faults.txt")).unwrap();
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let classes: Vec<&str> = lines
        .step_by(3)
        .flat_map(|line| line.split_whitespace())
        .filter(|word| word.starts_with("bugs.") && !word.contains('$'))
        .chain(["bugs.Nobody"])
        .collect();
    let memory = 40_000;
    let settings = Settings { memory, ..settings(6 * classes.len() as u64, 1) };
    let campaign = search(&job(&classes, settings), &workshop, &Unwatched).unwrap();
    for class in &campaign.classes {
        let mut own = campaign.calls.iter().filter(|call| call.method.class == *class);
        assert!(own.any(|call| call.reason.is_none()), "{class} was never called");
    }
    let refused: Vec<&str> = campaign.refused.iter().map(|(class, _)| class.as_str()).collect();
    assert_eq!(refused, ["bugs/Nobody"], "what cannot be loaded is listed");
    // The last one may go beyond.
    assert!(campaign.remembered < memory + 4000, "{}", campaign.remembered);
    assert!(campaign.remembered > memory / 2, "the limit is what ends it: {}", campaign.remembered);
}
