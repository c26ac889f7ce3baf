//! The `StackMapTable`: frames where they must be, and frames that lie.

use super::{Case, body, hi, lo, method};
use crate::assembler::Body;

pub(super) fn cases() -> Vec<Case> {
    // iconst_0; istore_0; iload_0; ifeq to the end; return; end: return.
    const CODE: &[u8] = &[0x03, 0x3b, 0x1a, 0x99, 0, 4, 0xb1, 0xb1];
    let framed = |name, refused_for: Option<&'static str>, frames: Vec<Vec<u8>>| {
        method(name, refused_for, "()V", move |_| Body { frames, ..body(1, 2, CODE) })
    };
    let format = Some("StackMapTable format error");
    vec![
        framed("same frame", None, vec![vec![7]]),
        framed("same frame, extended", None, vec![vec![251, 0, 7]]),
        framed("append of what is there", None, vec![vec![252, 0, 7, 1]]),
        framed("full frame", None, vec![vec![255, 0, 7, 0, 1, 1, 0, 0]]),
        framed("no frame", Some("Expecting a stackmap frame at branch target 7"), vec![]),
        framed("a frame after a return is missing", Some("Expecting"), vec![vec![6]]),
        framed(
            "append of another type",
            Some("Inconsistent stackmap frames"),
            vec![vec![252, 0, 7, 2]],
        ),
        framed("append of more than is there", Some("Inconsistent"), vec![vec![253, 0, 7, 1, 1]]),
        framed("a stack that is not there", Some("Inconsistent"), vec![vec![64 + 7, 1]]),
        framed("a frame where control falls through", None, vec![vec![252, 0, 2, 1], vec![4]]),
        framed(
            "a frame control cannot fall into",
            Some("Instruction type does not match stack map"),
            vec![vec![252, 0, 2, 2], vec![4]],
        ),
        framed("frame within an instruction", format, vec![vec![5], vec![1]]),
        framed("frame past the code", format, vec![vec![8]]),
        framed("reserved frame type", format, vec![vec![128, 0, 7]]),
        framed("reserved verification type", format, vec![vec![252, 0, 7, 9]]),
        framed("chop of nothing", format, vec![vec![250, 0, 7]]),
        framed("more variables than there are", format, vec![vec![254, 0, 7, 1, 1, 1]]),
        framed("a long at the last variable", format, vec![vec![253, 0, 7, 1, 4]]),
        framed("more stack than there is", format, vec![vec![255, 0, 7, 0, 0, 0, 2, 1, 1]]),
        framed("class that is no class", format, vec![vec![252, 0, 7, 7, 0, 1]]),
        framed("uninitialized without new", format, vec![vec![252, 0, 7, 8, 0, 0]]),
        framed("truncated frame", format, vec![vec![255, 0, 7, 0, 1]]),
        framed("bytes behind the frames", format, vec![vec![7, 0]]),
        method("dead code of a wrong kind", "Operand stack underflow", "()V", |_| Body {
            frames: vec![vec![1]],
            ..body(1, 0, &[0xb1, 0x57, 0xb1])
        }),
        method("dead code without a frame", "Expecting a stack map frame", "()V", |_| {
            body(1, 0, &[0xb1, 0xb1])
        }),
        method("a loop whose variable changes its type", "Bad local variable type", "()V", |_| {
            Body {
                // iconst_0; istore_0; loop: iload_0; pop; fconst_0; fstore_0; goto loop.
                frames: vec![vec![252, 0, 2, 0]],
                ..body(1, 1, &[0x03, 0x3b, 0x1a, 0x57, 0x0b, 0x43, 0xa7, 0xff, 0xfc])
            }
        }),
        method("objects made in a loop", None, "()V", |class| {
            let made = class.class("java/lang/Object");
            let init = class.member(10, "java/lang/Object", "<init>", "()V");
            // loop: new; astore_0; aload_0; <init>; goto loop, where the variable is forgotten.
            let mut code = vec![0xbb, hi(made), lo(made), 0x4b, 0x2a, 0xb7, hi(init), lo(init)];
            code.extend([0xa7, 0xff, 0xf8]);
            Body { frames: vec![vec![0]], ..body(1, 1, &code) }
        }),
        method(
            "an object kept across the new that made it",
            "Uninitialized object",
            "()V",
            |class| {
                let made = class.class("java/lang/Object");
                // return; dead: (the object that the next instruction makes is there already) new;
                // pop2; return.
                let code = [0xb1, 0xbb, hi(made), lo(made), 0x58, 0xb1];
                Body { frames: vec![vec![64 + 1, 8, 0, 1]], ..body(2, 1, &code) }
            },
        )
        .differing(
            "JVMS §4.10.1.9 forbids it, HotSpot does not look, and it can only be dead code",
        ),
    ]
}
