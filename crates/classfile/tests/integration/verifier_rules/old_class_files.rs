//! Class files without stack maps: inference, and the subroutines of `jsr` and `ret`.

use super::{Case, OLD, body, hi, lo, method, method_of_version};
use crate::assembler::Body;

fn old(
    name: &'static str,
    refused_for: impl Into<Option<&'static str>>,
    descriptor: &str,
    max_stack: u16,
    max_locals: u16,
    code: &[u8],
) -> Case {
    method_of_version(OLD, name, refused_for, descriptor, |_| body(max_stack, max_locals, code))
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = joins();
    cases.extend(subroutines());
    cases
}

fn joins() -> Vec<Case> {
    // iload_0; ifeq to `else`; iconst_0; istore_1; goto end; else: fconst_0; fstore_1; end: ...
    let int_or_float = |end: &[u8]| {
        let mut code = vec![0x1a, 0x99, 0, 8, 0x03, 0x3c, 0xa7, 0, 5, 0x0b, 0x44];
        code.extend(end);
        code
    };
    // iload_0; ifeq to `else`; aload_1; goto end; else: aload_2; end: areturn.
    const EITHER: &[u8] = &[0x1a, 0x99, 0, 7, 0x2b, 0xa7, 0, 4, 0x2c, 0xb0];
    let either = |name, refused_for: Option<&'static str>, descriptor: &str| {
        old(name, refused_for, descriptor, 1, 3, EITHER)
    };
    let bad = Some("Bad type on operand stack");
    vec![
        old("int or float, unused", None, "(I)V", 1, 2, &int_or_float(&[0xb1])),
        old("int or float, used", "Bad local", "(I)V", 1, 2, &int_or_float(&[0x1b, 0x57, 0xb1])),
        either("two numbers", None, "(ILjava/lang/Integer;Ljava/lang/Long;)Ljava/lang/Number;"),
        either(
            "two numbers as one of them",
            bad,
            "(ILjava/lang/Integer;Ljava/lang/Long;)Ljava/lang/Long;",
        ),
        either(
            "two lists as a list",
            None,
            "(ILjava/util/ArrayList;Ljava/util/Vector;)Ljava/util/List;",
        ),
        either(
            "two lists as what they extend",
            None,
            "(ILjava/util/ArrayList;Ljava/util/Vector;)Ljava/util/AbstractList;",
        ),
        either("an array and a string", bad, "(I[ILjava/lang/String;)Ljava/lang/String;"),
        either(
            "two arrays as an array",
            None,
            "(I[Ljava/lang/Integer;[Ljava/lang/Long;)[Ljava/lang/Number;",
        ),
        either("arrays of different depth", None, "(I[[I[Ljava/lang/String;)[Ljava/lang/Object;"),
        either("arrays of different primitive types", bad, "(I[I[J)[Ljava/lang/Object;"),
        either("arrays of arrays of primitive types", None, "(I[[I[[J)[Ljava/lang/Object;"),
        old(
            "stacks of different heights",
            "Inconsistent stack height",
            "(I)V",
            2,
            1,
            &[0x1a, 0x99, 0, 4, 0x03, 0xb1],
        ),
        old(
            "stacks of different types",
            "Mismatched stack types",
            "(I)V",
            1,
            1,
            &[0x1a, 0x99, 0, 7, 0x03, 0xa7, 0, 4, 0x0b, 0x57, 0xb1],
        ),
        old("dead code is not looked at", None, "()V", 1, 0, &[0xb1, 0x57, 0x57]),
        old(
            "a loop that grows its stack",
            "Inconsistent stack height",
            "()V",
            5,
            0,
            &[0x03, 0xa7, 0xff, 0xff],
        ),
        old("falling off the end", "falls through code end", "()V", 1, 0, &[0x00]),
        method_of_version(OLD, "a handler that loses a variable", "Bad local", "()V", |_| Body {
            // iconst_0; istore_0; return; handler: pop; iload_0; pop; return.
            handlers: vec![[0, 2, 3, 0]],
            ..body(1, 1, &[0x03, 0x3b, 0xb1, 0x57, 0x1a, 0x57, 0xb1])
        }),
        method_of_version(OLD, "a handler that keeps a variable", None, "()V", |_| Body {
            handlers: vec![[2, 3, 3, 0]],
            ..body(1, 1, &[0x03, 0x3b, 0xb1, 0x57, 0x1a, 0x57, 0xb1])
        }),
        method_of_version(OLD, "a handler where no stack is", "overflow", "()V", |_| Body {
            handlers: vec![[0, 1, 1, 0]],
            ..body(0, 0, &[0x00, 0xb1])
        }),
    ]
}

fn subroutines() -> Vec<Case> {
    // 0: jsr 4; 3: return; 4: astore_0; 5: ret 0.
    const SIMPLE: &[u8] = &[0xa8, 0, 4, 0xb1, 0x4b, 0xa9, 0];
    // 0: iconst_0; 1: istore_1; 2: jsr 13; 5: iload_1; 6: fstore_1 of a float; 8: jsr 13; ...
    let twice: &[u8] = &[
        0x03, 0x3c, // int in variable 1
        0xa8, 0, 12, // 2: jsr 14
        0x1b, 0x57, // iload_1; pop
        0x0b, 0x44, // float in variable 1
        0xa8, 0, 5, // 9: jsr 14
        0x23, 0xae, // fload_1; freturn
        0x4b, 0xa9, 0, // 14: astore_0; ret 0
    ];
    vec![
        old("a subroutine", None, "()V", 1, 1, SIMPLE),
        method("a subroutine in a new class file", "Bad instruction: a8", "()V", |_| {
            body(1, 1, SIMPLE)
        }),
        old("a subroutine entered with different types", None, "()F", 1, 2, twice),
        old("ret by an int", "Bad local variable type", "()V", 1, 1, &[0x03, 0x3b, 0xa9, 0]),
        old("ret by nothing", "Bad local variable type", "()V", 1, 1, &[0xa9, 0]),
        old(
            "aload of a return address",
            "Bad local variable type",
            "()V",
            1,
            1,
            &[0xa8, 0, 3, 0x4b, 0x2a, 0x57, 0xb1],
        ),
        old(
            "areturn of a return address",
            "Bad type",
            "()Ljava/lang/Object;",
            1,
            1,
            &[0xa8, 0, 3, 0xb0],
        ),
        old(
            "ret to the end of the code",
            "falls through code end",
            "()V",
            1,
            1,
            &[0xa7, 0, 6, 0x4b, 0xa9, 0, 0xa8, 0xff, 0xfd],
        ),
        old(
            "ret twice by the same address",
            "Bad local variable type",
            "()V",
            1,
            1,
            &[0xa8, 0, 5, 0xa9, 0, 0x4b, 0xa9, 0],
        ),
        old("a subroutine left by a return", None, "()V", 1, 1, &[0xa8, 0, 3, 0x4b, 0xb1]),
        old("a return address dropped", None, "()V", 1, 1, &[0xa8, 0, 3, 0x57, 0xb1]),
        old(
            "a subroutine that is also fallen into",
            "Inconsistent stack height",
            "()V",
            1,
            1,
            &[0x00, 0xa8, 0, 3, 0x4b, 0xa7, 0xff, 0xff],
        ),
        nested(),
        method_of_version(50, "version 50 falls back to inference", None, "()V", |_| {
            body(1, 1, SIMPLE)
        }),
        method_of_version(50, "version 50 is refused by both", "Bad type", "()V", |_| {
            body(1, 1, &[0x03, 0x99, 0, 3, 0x0b, 0x99, 0, 3, 0xb1])
        }),
        finally_with_a_monitor(),
    ]
}

/// A subroutine that calls another.
fn nested() -> Case {
    let code = [
        0xa8, 0, 4,    // 0: jsr 4
        0xb1, // 3: return
        0x4b, // 4: astore_0
        0xa8, 0, 5, // 5: jsr 10
        0xa9, 0,    // 8: ret 0
        0x4c, // 10: astore_1
        0xa9, 1, // 11: ret 1
    ];
    old("a subroutine in a subroutine", None, "()V", 1, 2, &code)
}

/// What old compilers made of `synchronized (this) { … }`.
fn finally_with_a_monitor() -> Case {
    method_of_version(
        OLD,
        "synchronized with a subroutine",
        None,
        "(Ljava/lang/Object;)I",
        |class| {
            let hash = class.member(10, "java/lang/Object", "hashCode", "()I");
            let code = [
                0x2a,
                0x4c, // 0: aload_0; astore_1
                0x2b,
                0xc2, // 2: aload_1; monitorenter
                0x2a,
                0xb6,
                hi(hash),
                lo(hash), // 4: aload_0; hashCode
                0x3d,     // 8: istore_2
                0xa8,
                0,
                13, // 9: jsr 22
                0x1c,
                0xac, // 12: iload_2; ireturn
                0x4e, // 14: handler: astore_3
                0xa8,
                0,
                7, // 15: jsr 22
                0x2d,
                0xbf, // 18: aload_3; athrow
                0x00,
                0x00, // 20
                0x3a,
                4, // 22: astore 4
                0x2b,
                0xc3, // 24: aload_1; monitorexit
                0xa9,
                4, // 26: ret 4
            ];
            Body { handlers: vec![[4, 14, 14, 0]], ..body(1, 5, &code) }
        },
    )
}
