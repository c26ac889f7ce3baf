//! Objects that are not initialized yet, and the constructors that change that.

use super::{Case, NAME, NEW, body, case, hi, lo, method};
use crate::assembler::{Assembler, Body};

/// A constructor of a class with a field `x`; `build` gets the index of `Object.<init>`.
fn constructor(
    name: &'static str,
    refused_for: impl Into<Option<&'static str>>,
    build: impl FnOnce(&mut Assembler, [u8; 2]) -> Body,
) -> Case {
    let mut class = Assembler::new(NEW, NAME);
    class.field(0, "x", "I");
    let init = class.member(10, "java/lang/Object", "<init>", "()V");
    let body = build(&mut class, [hi(init), lo(init)]);
    class.method(0, "<init>", "()V", Some(body));
    case(name, refused_for, class)
}

/// Makes an `Object` or something else; `build` gets the indices of the class and constructor.
fn maker(
    name: &'static str,
    refused_for: impl Into<Option<&'static str>>,
    init_of: &str,
    build: impl FnOnce(u16, u16) -> Body,
) -> Case {
    method(name, refused_for, "()Ljava/lang/Object;", |class| {
        let made = class.class("java/lang/Thread");
        let init = class.member(10, init_of, "<init>", "()V");
        build(made, init)
    })
}

pub(super) fn cases() -> Vec<Case> {
    let must_call = "Constructor must call super() or this()";
    let bad_operand = "Bad type on operand stack";
    vec![
        constructor("super() and return", None, |_, [a, b]| body(1, 1, &[0x2a, 0xb7, a, b, 0xb1])),
        constructor("return without super()", must_call, |_, _| body(1, 1, &[0xb1])),
        constructor("return without super(), this overwritten", must_call, |_, _| {
            body(1, 1, &[0x01, 0x4b, 0xb1])
        }),
        constructor("super() twice", "Bad operand type when invoking <init>", |_, [a, b]| {
            body(1, 1, &[0x2a, 0xb7, a, b, 0x2a, 0xb7, a, b, 0xb1])
        }),
        constructor("constructor of a class further up", "Bad <init> method call", |class, _| {
            let init = class.member(10, "java/lang/Thread", "<init>", "()V");
            body(1, 1, &[0x2a, 0xb7, hi(init), lo(init), 0xb1])
        }),
        constructor("own field set before super()", None, |class, [a, b]| {
            let x = class.member(9, NAME, "x", "I");
            body(2, 1, &[0x2a, 0x03, 0xb5, hi(x), lo(x), 0x2a, 0xb7, a, b, 0xb1])
        }),
        constructor("unknown field set before super()", bad_operand, |class, [a, b]| {
            let y = class.member(9, NAME, "y", "I");
            body(2, 1, &[0x2a, 0x03, 0xb5, hi(y), lo(y), 0x2a, 0xb7, a, b, 0xb1])
        }),
        constructor("own field read before super()", bad_operand, |class, [a, b]| {
            let x = class.member(9, NAME, "x", "I");
            body(2, 1, &[0x2a, 0xb4, hi(x), lo(x), 0x57, 0x2a, 0xb7, a, b, 0xb1])
        }),
        constructor("this given away before super()", bad_operand, |class, [a, b]| {
            let given = class.member(10, "java/util/Objects", "hashCode", "(Ljava/lang/Object;)I");
            body(1, 1, &[0x2a, 0xb8, hi(given), lo(given), 0x57, 0x2a, 0xb7, a, b, 0xb1])
        }),
        constructor("super() on one of two ways", "stack", |_, [a, b]| Body {
            // iconst_0; ifeq to the return; aload_0; super(); return.
            frames: vec![vec![8]],
            ..body(1, 1, &[0x03, 0x99, 0, 7, 0x2a, 0xb7, a, b, 0xb1])
        }),
        constructor("return from a handler of super()", must_call, |class, [a, b]| {
            let throwable = class.class("java/lang/Throwable");
            // aload_0; super(); return; handler: return.
            Body {
                handlers: vec![[0, 4, 5, 0]],
                frames: vec![vec![64 + 5, 7, hi(throwable), lo(throwable)]],
                ..body(1, 1, &[0x2a, 0xb7, a, b, 0xb1, 0xb1])
            }
        }),
        constructor(
            "return from a handler of super() that forgets this",
            "Inconsistent",
            |class, [a, b]| {
                let throwable = class.class("java/lang/Throwable");
                Body {
                    handlers: vec![[0, 4, 5, 0]],
                    frames: vec![vec![255, 0, 5, 0, 0, 0, 1, 7, hi(throwable), lo(throwable)]],
                    ..body(1, 1, &[0x2a, 0xb7, a, b, 0xb1, 0xb1])
                }
            },
        ),
        constructor("throwing from a handler of super()", None, |class, [a, b]| {
            let throwable = class.class("java/lang/Throwable");
            Body {
                handlers: vec![[0, 4, 5, 0]],
                frames: vec![vec![64 + 5, 7, hi(throwable), lo(throwable)]],
                ..body(1, 1, &[0x2a, 0xb7, a, b, 0xb1, 0xbf])
            }
        })
        .differing("HotSpot wants the handler to fit the state after the call too"),
        maker("new, dup, <init>", None, "java/lang/Thread", |made, init| {
            body(2, 0, &[0xbb, hi(made), lo(made), 0x59, 0xb7, hi(init), lo(init), 0xb0])
        }),
        maker(
            "<init> of another class",
            "Call to wrong <init> method",
            "java/lang/Object",
            |made, init| {
                body(2, 0, &[0xbb, hi(made), lo(made), 0x59, 0xb7, hi(init), lo(init), 0xb0])
            },
        ),
        maker(
            "<init> of null",
            "Bad operand type when invoking <init>",
            "java/lang/Thread",
            |_, init| body(2, 0, &[0x01, 0x59, 0xb7, hi(init), lo(init), 0xb0]),
        ),
        maker("two new objects, one <init>", bad_operand, "java/lang/Thread", |made, init| {
            let (a, b, c, d) = (hi(made), lo(made), hi(init), lo(init));
            body(2, 0, &[0xbb, a, b, 0xbb, a, b, 0xb7, c, d, 0xb0])
        }),
        maker("a variable keeps what new made", None, "java/lang/Thread", |made, init| {
            let (a, b, c, d) = (hi(made), lo(made), hi(init), lo(init));
            body(1, 1, &[0xbb, a, b, 0x4b, 0x2a, 0xb7, c, d, 0x2a, 0xb0])
        }),
        protected_constructor(),
    ]
}

/// `ClassLoader`'s constructor is protected: it may be called by subclasses, but not for `new`.
fn protected_constructor() -> Case {
    let mut class = Assembler::new(NEW, NAME);
    class.extends("java/lang/ClassLoader");
    let made = class.class("java/lang/ClassLoader");
    let init = class.member(10, "java/lang/ClassLoader", "<init>", "()V");
    let code = [0xbb, hi(made), lo(made), 0xb7, hi(init), lo(init), 0xb1];
    class.method(9, "m", "()V", Some(body(1, 0, &code)));
    case("new of a superclass with a protected constructor", "protected <init>", class)
}
