//! Branches, switches, handlers and the ends of methods.

use super::{Case, NEW, body, hi, lo, method, method_of_version};
use crate::assembler::Body;

/// A frame like the last one, so many bytes further.
fn same(offset_delta: u8) -> Vec<u8> {
    vec![offset_delta]
}

pub(super) fn cases() -> Vec<Case> {
    let illegal_target = "Illegal target of jump or branch";
    let mut cases = vec![
        method("no return", "Control flow falls through code end", "()V", |_| body(0, 0, &[0x00])),
        method("a branch at the end", "falls through code end", "()V", |_| Body {
            frames: vec![same(0)],
            ..body(1, 0, &[0x03, 0x99, 0xff, 0xff])
        }),
        method("a branch into an instruction", illegal_target, "()V", |_| {
            body(1, 0, &[0xa7, 0, 1, 0xb1])
        }),
        method("a branch before the code", illegal_target, "()V", |_| {
            body(1, 0, &[0xa7, 0xff, 0xff, 0xb1])
        }),
        method("a branch to the end of the code", illegal_target, "()V", |_| {
            body(1, 0, &[0xa7, 0, 4, 0xb1])
        }),
        method("goto_w far away", illegal_target, "()V", |_| {
            body(1, 0, &[0xc8, 0x7f, 0xff, 0xff, 0xff, 0xb1])
        }),
        method("an endless loop", None, "()V", |_| Body {
            frames: vec![same(0)],
            ..body(0, 0, &[0xa7, 0, 0])
        }),
        method("if_acmpeq of ints", "Bad type on operand stack", "()V", |_| Body {
            frames: vec![same(5)],
            ..body(2, 0, &[0x03, 0x03, 0xa5, 0, 3, 0xb1])
        }),
        method("ifnull of a new object", None, "()V", |class| {
            let idx = class.class("java/lang/String");
            Body {
                frames: vec![same(6)],
                ..body(1, 0, &[0xbb, hi(idx), lo(idx), 0xc6, 0, 3, 0xb1])
            }
        }),
    ];
    cases.extend(switches());
    cases.extend(handlers());
    cases
}

fn switches() -> Vec<Case> {
    // iconst_0; the switch at 1 with its operands at 4; return at `end`.
    let switch = |opcode: u8, operands: &[i32]| {
        let mut code = vec![0x03, opcode, 0, 0];
        operands.iter().for_each(|operand| code.extend(operand.to_be_bytes()));
        code.push(0xb1);
        code
    };
    let frame_at_the_end = |code: &[u8]| vec![same(code.len() as u8 - 1)];
    let mut cases = Vec::new();
    let mut add = |name, refused_for: Option<&'static str>, code: Vec<u8>| {
        cases.push(method(name, refused_for, "()V", |_| Body {
            frames: frame_at_the_end(&code),
            ..body(1, 0, &code)
        }));
    };
    add("tableswitch", None, switch(0xaa, &[23, 5, 6, 23, 23]));
    add("tableswitch from MIN to MIN", None, switch(0xaa, &[19, i32::MIN, i32::MIN, 19]));
    add("tableswitch with low above high", Some("low must be"), switch(0xaa, &[15, 1, 0]));
    add(
        "tableswitch with too many keys",
        Some("too many keys"),
        switch(0xaa, &[15, i32::MIN, i32::MAX]),
    );
    add("tableswitch with one key too many", Some("too many keys"), switch(0xaa, &[19, 0, 2, 19]));
    add("tableswitch to nowhere", Some("Illegal target"), switch(0xaa, &[19, 0, 0, 100]));
    add(
        "tableswitch to nowhere by default",
        Some("Illegal target"),
        switch(0xaa, &[-100, 0, 0, 19]),
    );
    add("lookupswitch", None, switch(0xab, &[27, 2, -1, 27, 4, 27]));
    add("lookupswitch without keys", None, switch(0xab, &[11, 0]));
    add(
        "lookupswitch with unsorted keys",
        Some("Bad lookupswitch"),
        switch(0xab, &[27, 2, 4, 27, -1, 27]),
    );
    add(
        "lookupswitch with equal keys",
        Some("Bad lookupswitch"),
        switch(0xab, &[27, 2, 4, 27, 4, 27]),
    );
    add("lookupswitch with less than no keys", Some("less than 0"), switch(0xab, &[11, -1]));
    add("lookupswitch with too many keys", Some("lookupswitch"), switch(0xab, &[11, i32::MAX]));
    add("truncated tableswitch", Some("tableswitch"), vec![0x03, 0xaa, 0, 0, 0, 0]);
    cases.push(method("tableswitch on a float", "Bad type on operand stack", "()V", |_| {
        let mut code = switch(0xaa, &[19, 0, 0, 19]);
        code[0] = 0x0b;
        Body { frames: frame_at_the_end(&code), ..body(1, 0, &code) }
    }));
    cases
}

fn handlers() -> Vec<Case> {
    // nop; return; handler: pop; return.
    let code = [0x00, 0xb1, 0x57, 0xb1];
    let caught = |idx: u16| vec![64 + 2, 7, hi(idx), lo(idx)];
    let with_catch = |name, refused_for: Option<&'static str>, class_name: &'static str| {
        method(name, refused_for, "()V", move |class| {
            let idx = class.class(class_name);
            Body { handlers: vec![[0, 1, 2, idx]], frames: vec![caught(idx)], ..body(1, 0, &code) }
        })
    };
    let ranges = |name, refused_for: &'static str, code: &'static [u8], range: [u16; 4]| {
        method_of_version(NEW, name, refused_for, "()V", move |_| Body {
            handlers: vec![range],
            ..body(2, 0, code)
        })
    };
    const BIPUSH: &[u8] = &[0x10, 0, 0x57, 0xb1];
    vec![
        with_catch("a handler", None, "java/lang/RuntimeException"),
        with_catch(
            "a handler for strings",
            Some("not a subclass of Throwable"),
            "java/lang/String",
        ),
        method("a handler for anything", None, "()V", |class| {
            let idx = class.class("java/lang/Throwable");
            Body { handlers: vec![[0, 1, 2, 0]], frames: vec![caught(idx)], ..body(1, 0, &code) }
        }),
        method(
            "a handler that wants another class",
            "Inconsistent stackmap frames",
            "()V",
            |class| {
                let idx = class.class("java/lang/Error");
                Body {
                    handlers: vec![[0, 1, 2, 0]],
                    frames: vec![caught(idx)],
                    ..body(1, 0, &code)
                }
            },
        ),
        method("a handler without a frame", "Expecting a stackmap frame", "()V", |_| Body {
            handlers: vec![[0, 1, 2, 0]],
            ..body(1, 0, &code)
        }),
        method(
            "a handler that wants a variable set too late",
            "Inconsistent stackmap",
            "()V",
            |class| {
                let idx = class.class("java/lang/Throwable");
                let mut frame = vec![255, 0, 3, 0, 1, 1, 0, 1, 7];
                frame.extend([hi(idx), lo(idx)]);
                // iconst_0; istore_0; return; handler: pop; return.
                let code = [0x03, 0x3b, 0xb1, 0x57, 0xb1];
                Body { handlers: vec![[0, 2, 3, 0]], frames: vec![frame], ..body(1, 1, &code) }
            },
        ),
        ranges(
            "a handler range from within an instruction",
            "Illegal exception table range",
            BIPUSH,
            [1, 2, 0, 0],
        ),
        ranges(
            "a handler range into an instruction",
            "Illegal exception table range",
            BIPUSH,
            [0, 1, 0, 0],
        ),
        ranges(
            "a handler within an instruction",
            "Illegal exception table handler",
            BIPUSH,
            [0, 2, 1, 0],
        ),
        ranges("an empty handler range", "Invalid exception range", BIPUSH, [2, 2, 0, 0]),
        ranges("a handler range past the code", "Invalid exception range", BIPUSH, [0, 5, 0, 0]),
    ]
}
