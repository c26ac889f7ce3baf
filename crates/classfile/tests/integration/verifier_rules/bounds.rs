//! Methods that would take a verifier without limits hours, or all memory.

use std::time::{Duration, Instant};

use super::{NAME, NEW, OLD, hi, lo};
use crate::assembler::{Assembler, Body};
use crate::hierarchy::ImageHierarchy;
use crate::jdk;
use crate::verdict::{self, Verdict};

/// Judges the method that `build` makes; it must not take long.
fn judge(major: u16, build: impl FnOnce(&mut Assembler) -> Body) -> Verdict {
    let home = jdk::homes().pop().unwrap();
    let image = jdk::image(&home);
    let mut class = Assembler::new(major, NAME);
    let body = build(&mut class);
    class.method(9, "m", "()V", Some(body));
    let class = class.finish();
    let start = Instant::now();
    let verdict = verdict::ours(&mut ImageHierarchy::new(&image), &class);
    let elapsed = start.elapsed();
    eprintln!("{verdict:?} after {elapsed:?}");
    assert!(elapsed < Duration::from_secs(20));
    verdict
}

fn is_too_complex(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Invalid(reason) if reason.contains("too complex"))
}

#[test]
fn frames_with_ever_more_variables_do_not_fill_the_memory() {
    let mut code = vec![0; 65_535];
    code[65_534] = 0xb1;
    let frames = (0..21_000).map(|_| vec![254, 0, 0, 1, 1, 1]).collect();
    let body = Body { max_locals: 65_535, code, frames, ..Body::default() };
    assert!(is_too_complex(&judge(NEW, |_| body)));
}

/// Many stores, each covered by all handlers, which lead to the end.
fn handlers_everywhere(class: &mut Assembler) -> Body {
    let mut code: Vec<u8> = (0..32_000).flat_map(|_| [0x03, 0x3b]).collect();
    code.extend([0xb1, 0x57, 0xb1]);
    let throwable = class.class("java/lang/Throwable");
    let frame = vec![247, hi(64_001), lo(64_001), 7, hi(throwable), lo(throwable)];
    let handlers = vec![[0, 64_000, 64_001, 0]; 65_535];
    Body { max_stack: 1, max_locals: 65_535, code, handlers, frames: vec![frame] }
}

#[test]
fn handlers_everywhere_are_not_looked_at_forever() {
    assert!(is_too_complex(&judge(NEW, handlers_everywhere)));
    assert!(is_too_complex(&judge(OLD, handlers_everywhere)));
}

#[test]
fn subroutines_that_call_the_next_one_twice_are_not_followed_forever() {
    let code = |n_levels: u16| {
        let mut code = vec![0xa8, 0, 4, 0xb1];
        for level in 0..n_levels {
            // astore; jsr to the next level; again; ret. All are wide, and 14 bytes together.
            code.extend([0xc4, 0x3a, hi(level), lo(level)]);
            code.extend([0xa8, 0, 10, 0xa8, 0, 7]);
            code.extend([0xc4, 0xa9, hi(level), lo(level)]);
        }
        code.extend([0xc4, 0x3a, 0, 250, 0xc4, 0xa9, 0, 250]);
        code
    };
    let body = |code| Body { max_stack: 2, max_locals: 300, code, ..Body::default() };
    assert_eq!(judge(OLD, |_| body(code(5))), Verdict::Accepted);
    assert!(is_too_complex(&judge(OLD, |_| body(code(200)))));
}

#[test]
fn a_method_with_as_many_variables_and_branches_as_fit_is_judged() {
    let mut code: Vec<u8> = (0..16_000).flat_map(|_| [0x03, 0x99, 0, 3]).collect();
    code.push(0xb1);
    let body = Body { max_stack: 1, max_locals: 65_535, code, ..Body::default() };
    assert_eq!(judge(OLD, |_| body), Verdict::Accepted);
}

/// What compilers make of `finally` blocks in `finally` blocks: thousands of handlers, each of
/// which covers little, and joins where one variable far from the first is set.
fn nested_finally(class: &mut Assembler) -> Body {
    const N_BLOCKS: u16 = 4_600;
    const LAST: u16 = 4_096;
    let throwable = class.class("java/lang/Throwable");
    let thrown = [7, hi(throwable), lo(throwable)];
    let full_frame = |offset: u8, locals: &[u8], n_locals: u16, stack: &[u8]| {
        let mut frame = vec![255, 0, offset, hi(n_locals), lo(n_locals)];
        frame.extend(locals);
        frame.extend([0, u8::from(!stack.is_empty())]);
        frame.extend(stack);
        frame
    };
    let far = [[1].as_slice(), &vec![0; usize::from(LAST) - 1], &thrown].concat();
    let mut body = Body { max_stack: 1, max_locals: LAST + 1, ..Body::default() };
    body.code = vec![0x03, 0x3b];
    for n in 0..N_BLOCKS {
        let start = 2 + 14 * n;
        // A variable is set under the handler; then the next block.
        body.code.extend([0x03, 0x3b, 0xa7, 0, 12]);
        // The handler sets the far variable, and branches.
        body.code.extend([0xc4, 0x3a, hi(LAST), lo(LAST), 0x03, 0x99, 0, 3, 0]);
        body.handlers.push([start, start + 2, start + 5, 0]);
        let offset = if n == 0 { 7 } else { 4 };
        body.frames.push(full_frame(offset, &[1], 1, &thrown));
        body.frames.push(full_frame(7, &far, LAST + 1, &[]));
        body.frames.push(full_frame(0, &[1], 1, &[]));
    }
    body.code.push(0xb1);
    body
}

#[test]
fn thousands_of_handlers_that_cover_little_each_are_judged() {
    assert_eq!(judge(NEW, nested_finally), Verdict::Accepted);
}
