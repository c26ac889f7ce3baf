//! A run is stopped after every single step: what is there is the old output or the new one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use emit::junit::MARK;

use super::steps::{Step, perform};
use super::{Output, Place, Replaces, below, complete, exchanging, moving, write};
use crate::files::TemporaryFolder;

/// All files by relative path, but not what is staged.
fn content(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut files = Vec::new();
    below(folder, Path::new(""), &mut files).expect("readable");
    let is_shown = |path: &PathBuf| !path.to_string_lossy().starts_with(".nonpareil");
    let text = |path: &PathBuf| fs::read_to_string(folder.join(path)).expect("a text");
    files.into_iter().filter(is_shown).map(|path| (path.clone(), text(&path))).collect()
}

fn ours(text: &str) -> String {
    format!("{MARK}\n{text}")
}

/// An old output of two packages; `A` is replaced, `Old` goes, `Kept` stays.
fn old(folder: &Path, has_others: bool) {
    fs::create_dir_all(folder.join("p/q")).expect("made");
    let mut files = vec![
        ("p/A.java", ours("old a")),
        ("p/q/Old.java", ours("old")),
        ("p/q/Kept.java", ours("kept")),
    ];
    if has_others {
        files.push(("p/Mine.java", "of the user".to_owned()));
    }
    for (path, text) in files {
        fs::write(folder.join(path), text).expect("written");
    }
}

fn output() -> Output {
    Output {
        files: vec![
            ("p/A.java".into(), ours("new a").into_bytes()),
            ("r/B.java".into(), ours("new b").into_bytes()),
        ],
        gone: vec!["p/q/Old.java".into(), "p/q/Never.java".into()],
        replaces: Replaces::Ours,
    }
}

/// What is left where a run is killed after each of its steps; `finish` is what the next run does first.
fn kill_everywhere(has_others: bool, is_there: bool, steps: &dyn Fn(&Place) -> Vec<Step>) {
    let mut n_steps = usize::MAX;
    let mut n_done = 0;
    let mut was_new = false;
    while n_done <= n_steps {
        let temporary = TemporaryFolder::new().expect("a folder");
        let folder = temporary.path.join("out");
        if is_there {
            old(&folder, has_others);
        }
        let before = if is_there { content(&folder) } else { BTreeMap::new() };
        let place = Place::of(&folder).expect("a place");
        let steps = steps(&place);
        n_steps = steps.len();
        for step in &steps[..n_done] {
            perform(step).unwrap_or_else(|error| panic!("{step:?}: {error}"));
        }
        let is_valid = folder.join(super::VALID).exists();
        let seen = if folder.exists() { content(&folder) } else { BTreeMap::new() };
        // The next run: completes, and then finds the old or the new.
        super::recover(&folder).expect("recovered");
        let after = if folder.exists() { content(&folder) } else { BTreeMap::new() };
        let is_new = after.contains_key(Path::new("r/B.java"));
        if is_new {
            assert_eq!(after.get(Path::new("p/A.java")), Some(&ours("new a")), "{n_done}");
            assert!(!after.contains_key(Path::new("p/q/Old.java")), "{n_done}: {after:?}");
            assert_eq!(after.contains_key(Path::new("p/q/Kept.java")), is_there, "{n_done}");
            assert_eq!(after.contains_key(Path::new("p/Mine.java")), has_others, "{n_done}");
            assert!(!folder.join(super::VALID).exists() && !folder.join(super::STAGED).exists());
        } else {
            assert_eq!(after, before, "{n_done}");
        }
        if !is_valid {
            assert_eq!(seen, after, "{n_done}: nothing was left to complete");
        }
        assert!(is_new || !was_new, "{n_done}: the new one went again");
        was_new = is_new;
        n_done += 1;
    }
    assert!(was_new, "all steps make the new one");
}

#[test]
fn a_kill_while_a_folder_of_ours_is_replaced_leaves_the_old_one_or_the_new_one() {
    kill_everywhere(false, true, &|place| {
        let steps = exchanging(place, &output()).expect("readable").expect("all ours");
        assert_eq!(steps.iter().filter(|step| matches!(step, Step::Exchange(..))).count(), 1);
        steps
    });
}

#[test]
fn a_kill_while_a_new_folder_is_made_leaves_none_or_all_of_it() {
    kill_everywhere(false, false, &|place| {
        exchanging(place, &output()).expect("readable").expect("nobody's")
    });
}

#[test]
fn a_kill_while_a_folder_with_files_of_others_is_replaced_leaves_the_old_one_or_the_new_one() {
    kill_everywhere(true, true, &|place| {
        let steps = exchanging(place, &output()).expect("readable").expect("files alone");
        assert_eq!(steps.iter().filter(|step| matches!(step, Step::Exchange(..))).count(), 1);
        assert!(!steps.iter().any(|step| matches!(step, Step::Rename(..))));
        steps
    });
}

#[test]
fn a_kill_while_files_come_beside_those_of_others_is_made_good_by_the_next_run() {
    kill_everywhere(true, true, &|place| moving(&place.folder, &output()));
}

#[test]
fn a_folder_with_a_link_is_not_exchanged() {
    let temporary = TemporaryFolder::new().expect("a folder");
    let folder = temporary.path.join("out");
    old(&folder, true);
    std::os::unix::fs::symlink("A.java", folder.join("p/Link.java")).expect("linked");
    let place = Place::of(&folder).expect("a place");
    assert!(exchanging(&place, &output()).expect("readable").is_none());
    write(&folder, &output()).expect("written");
    assert_eq!(content(&folder).get(Path::new("p/Link.java")), Some(&ours("new a")));
}

#[test]
fn what_others_write_while_a_folder_is_exchanged_stays_wherever_the_run_is_killed() {
    let temporary = TemporaryFolder::new().expect("a folder");
    for kind in 0..3 {
        let folder = temporary.path.join(format!("out{kind}"));
        old(&folder, true);
        let place = Place::of(&folder).expect("a place");
        let steps = exchanging(&place, &output()).expect("readable").expect("files alone");
        let switch = steps.iter().position(|step| matches!(step, Step::Exchange(..)));
        let switch = switch.expect("one");
        steps[..switch].iter().for_each(|step| perform(step).expect("done"));
        // A new file, and one that takes the place of another, as editors do it.
        fs::write(folder.join("p/q/Late.java"), "late").expect("written");
        fs::write(folder.join("p/Mine.java.tmp"), "changed").expect("written");
        fs::rename(folder.join("p/Mine.java.tmp"), folder.join("p/Mine.java")).expect("moved");
        match kind {
            0 => steps[switch..].iter().for_each(|step| perform(step).expect("done")),
            // Killed before and behind the exchange; the next run writes, or looks first.
            1 => write(&folder, &output()).expect("written"),
            _ => {
                perform(&steps[switch]).expect("done");
                super::recover(&folder).expect("recovered");
            }
        }
        let after = content(&folder);
        let text = |path: &str| after.get(Path::new(path)).map(String::as_str);
        assert_eq!((text("p/q/Late.java"), text("p/Mine.java")), (Some("late"), Some("changed")));
        assert_eq!(text("p/A.java"), Some(&*ours("new a")));
        assert_eq!((text("p/q/Old.java"), after.len()), (None, 5), "{after:?}");
        assert!(!place.beside().exists() && !folder.join(super::FRESH).exists());
    }
}

#[test]
fn a_file_that_somebody_changed_after_the_kill_stays() {
    let temporary = TemporaryFolder::new().expect("a folder");
    let folder = temporary.path.join("out");
    old(&folder, true);
    let steps = moving(&folder, &output());
    let switch = steps.iter().position(|step| matches!(step, Step::Rename(..))).expect("one");
    for step in &steps[..=switch] {
        perform(step).expect("done");
    }
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    fs::write(folder.join("p/A.java"), "mine now").expect("written");
    let file = fs::File::options().append(true).open(folder.join("p/A.java")).expect("there");
    file.set_modified(later).expect("set");
    complete(&folder).expect("completed");
    let after = content(&folder);
    assert_eq!(after.get(Path::new("p/A.java")).map(String::as_str), Some("mine now"));
    assert_eq!(after.get(Path::new("r/B.java")), Some(&ours("new b")));
}

#[test]
fn a_file_of_somebody_else_is_not_replaced() {
    let temporary = TemporaryFolder::new().expect("a folder");
    let folder = temporary.path.join("out");
    fs::create_dir_all(folder.join("r")).expect("made");
    fs::write(folder.join("r/B.java"), "mine").expect("written");
    let before = content(&folder);
    let refused = write(&folder, &output()).expect_err("refused");
    assert!(refused.contains("r/B.java is there already"), "{refused}");
    assert_eq!(content(&folder), before);
    write(&folder, &Output { replaces: Replaces::All, ..output() }).expect("written");
    assert_eq!(content(&folder).len(), 2);
}

#[test]
fn writing_twice_leaves_nothing_but_the_files() {
    let temporary = TemporaryFolder::new().expect("a folder");
    let folder = temporary.path.join("above/out");
    for _ in 0..2 {
        write(&folder, &output()).expect("written");
        let above = fs::read_dir(temporary.path.join("above")).expect("there").count();
        assert_eq!((content(&folder).len(), above), (2, 1));
        assert_eq!(fs::read_dir(&folder).expect("there").count(), 2, "p and r alone");
    }
}

#[test]
fn a_file_where_a_folder_is_needed_is_named_and_nothing_is_written() {
    for replaces in [Replaces::Ours, Replaces::All] {
        let temporary = TemporaryFolder::new().expect("a folder");
        let folder = temporary.path.join("out");
        old(&folder, true);
        fs::write(folder.join("r"), "of the user").expect("written");
        let before = content(&folder);
        let said = write(&folder, &Output { replaces, ..output() }).expect_err("no folder");
        let expected = format!(
            "{} is a file, not a folder; nothing was written\nhint: move it, or name another folder",
            folder.join("r").display()
        );
        assert_eq!(said, expected);
        assert_eq!(content(&folder), before);
        assert_eq!(fs::read_dir(&folder).expect("there").count(), 2);
        assert_eq!(fs::read_dir(&temporary.path).expect("there").count(), 1);
    }
}
