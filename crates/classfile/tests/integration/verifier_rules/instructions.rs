//! Operands and their types, one instruction at a time.

use super::{Case, body, hi, lo, method};
use crate::assembler::Assembler;

const BAD_OPERAND: &str = "Bad type on operand stack";
const BAD_LOCAL: &str = "Bad local variable type";
const ILLEGAL_CONSTANT: &str = "Illegal type at constant pool entry";

/// A method without parameters or result that needs no constants.
fn plain(
    name: &'static str,
    refused_for: impl Into<Option<&'static str>>,
    max_stack: u16,
    max_locals: u16,
    code: &[u8],
) -> Case {
    method(name, refused_for, "()V", |_| body(max_stack, max_locals, code))
}

/// A method with one constant, whose index `code` gets.
fn with_constant<const N: usize>(
    name: &'static str,
    refused_for: impl Into<Option<&'static str>>,
    descriptor: &str,
    constant: impl FnOnce(&mut Assembler) -> u16,
    code: impl FnOnce(u16) -> [u8; N],
) -> Case {
    method(name, refused_for, descriptor, |class| {
        let idx = constant(class);
        body(6, 6, &code(idx))
    })
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = stack_and_locals();
    cases.extend(constants_and_members());
    cases.extend(arrays_and_objects());
    cases
}

fn stack_and_locals() -> Vec<Case> {
    vec![
        plain("empty method", None, 0, 0, &[0xb1]),
        plain("iadd on an empty stack", "Operand stack underflow", 2, 0, &[0x60, 0x57, 0xb1]),
        plain("iadd of int and float", BAD_OPERAND, 2, 0, &[0x03, 0x0b, 0x60, 0x57, 0xb1]),
        plain("push past max_stack", "Operand stack overflow", 1, 0, &[0x03, 0x03, 0x58, 0xb1]),
        plain("long past max_stack", "Operand stack overflow", 1, 0, &[0x09, 0x58, 0xb1]),
        plain("iload of an unset variable", BAD_LOCAL, 1, 1, &[0x1a, 0x57, 0xb1]),
        plain("fload of an int", BAD_LOCAL, 1, 1, &[0x03, 0x3b, 0x22, 0x57, 0xb1]),
        plain(
            "lload of an overwritten long",
            BAD_LOCAL,
            2,
            2,
            &[0x09, 0x3f, 0x03, 0x3c, 0x1e, 0x58, 0xb1],
        ),
        plain("iload of half a long", BAD_LOCAL, 2, 2, &[0x09, 0x3f, 0x1b, 0x57, 0xb1]),
        plain(
            "iload past max_locals",
            "Local variable table overflow",
            1,
            1,
            &[0x15, 1, 0x57, 0xb1],
        ),
        plain("lstore past max_locals", "Local variable table overflow", 2, 1, &[0x09, 0x3f, 0xb1]),
        plain(
            "the last variable there can be",
            None,
            1,
            65_535,
            &[0x03, 0xc4, 0x36, 0xff, 0xfe, 0xb1],
        ),
        plain(
            "a variable past the last there can be",
            "Local variable table overflow",
            1,
            65_535,
            &[0x03, 0xc4, 0x36, 0xff, 0xff, 0xb1],
        ),
        plain(
            "a long past the last there can be",
            "Local variable table overflow",
            2,
            65_535,
            &[0x09, 0xc4, 0x37, 0xff, 0xfe, 0xb1],
        ),
        plain("iinc of a float", BAD_LOCAL, 1, 1, &[0x0b, 0x43, 0x84, 0, 1, 0xb1]),
        plain("aload of an int", BAD_LOCAL, 1, 1, &[0x03, 0x3b, 0x2a, 0x57, 0xb1]),
        plain("pop of half a long", BAD_OPERAND, 2, 0, &[0x09, 0x57, 0x57, 0xb1]),
        plain("dup of half a long", BAD_OPERAND, 3, 0, &[0x09, 0x59, 0x57, 0x58, 0xb1]),
        plain("swap of a long", BAD_OPERAND, 3, 0, &[0x09, 0x03, 0x5f, 0xb1]),
        plain("pop2 across a long", BAD_OPERAND, 3, 0, &[0x09, 0x03, 0x58, 0x57, 0xb1]),
        plain("dup_x1 over a long", BAD_OPERAND, 4, 0, &[0x09, 0x03, 0x5a, 0xb1]),
        plain("dup_x2 over a long", None, 4, 0, &[0x09, 0x03, 0x5b, 0x57, 0x58, 0x57, 0xb1]),
        plain("dup2 of a long", None, 4, 0, &[0x09, 0x5c, 0x61, 0x58, 0xb1]),
        plain("dup2_x1 of a long", None, 5, 0, &[0x03, 0x09, 0x5d, 0x58, 0x57, 0x58, 0xb1]),
        plain("dup2_x2 of longs", None, 6, 0, &[0x09, 0x09, 0x5e, 0x61, 0x61, 0x58, 0xb1]),
        plain("ladd across two longs", BAD_OPERAND, 5, 0, &[0x03, 0x09, 0x09, 0x57, 0x61, 0xb1]),
        plain("lshl by a long", BAD_OPERAND, 4, 0, &[0x09, 0x09, 0x79, 0x58, 0xb1]),
        plain("i2l of a float", BAD_OPERAND, 2, 0, &[0x0b, 0x85, 0x58, 0xb1]),
        plain("d2f and f2i", None, 2, 0, &[0x0e, 0x90, 0x8b, 0x57, 0xb1]),
        plain("return of a value from void", "does not expect", 1, 0, &[0x03, 0xac]),
        plain("reserved opcode", "Bad instruction", 0, 0, &[0xca, 0xb1]),
        plain("truncated bipush", "Bad instruction", 1, 0, &[0x10]),
        plain("wide of nop", "Bad wide instruction", 0, 0, &[0xc4, 0x00, 0, 0, 0xb1]),
        plain("truncated wide", "Bad", 1, 1, &[0xc4, 0x84, 0, 0]),
        method("return without the value", "expects a return value", "()I", |_| {
            body(0, 0, &[0xb1])
        }),
        method("freturn from int", "Wrong return type", "()I", |_| body(1, 0, &[0x0b, 0xae])),
        method("ireturn of a boolean", None, "(Z)B", |_| body(1, 1, &[0x1a, 0xac])),
        method("areturn of an int", BAD_OPERAND, "()Ljava/lang/String;", |_| {
            body(1, 0, &[0x03, 0xb0])
        }),
        method("areturn of null", None, "()Ljava/lang/String;", |_| body(1, 0, &[0x01, 0xb0])),
        method(
            "areturn of another class",
            BAD_OPERAND,
            "(Ljava/lang/Thread;)Ljava/lang/String;",
            |_| body(1, 1, &[0x2a, 0xb0]),
        ),
        method("areturn of a subclass", None, "(Ljava/lang/Integer;)Ljava/lang/Number;", |_| {
            body(1, 1, &[0x2a, 0xb0])
        }),
        method(
            "areturn of anything as an interface",
            None,
            "(Ljava/lang/Thread;)Ljava/util/List;",
            |_| body(1, 1, &[0x2a, 0xb0]),
        ),
    ]
}

fn constants_and_members() -> Vec<Case> {
    let long = |class: &mut Assembler| class.long(1);
    let integer = |class: &mut Assembler| class.integer(1);
    let value_of = |class: &mut Assembler| {
        class.member(10, "java/lang/String", "valueOf", "(I)Ljava/lang/String;")
    };
    let run = |class: &mut Assembler| class.member(11, "java/lang/Runnable", "run", "()V");
    let clone = |class: &mut Assembler| {
        class.member(10, "java/lang/Object", "clone", "()Ljava/lang/Object;")
    };
    vec![
        with_constant("ldc of a long", ILLEGAL_CONSTANT, "()V", long, |idx| {
            [0x12, lo(idx), 0x57, 0xb1]
        }),
        with_constant("ldc2_w of an int", ILLEGAL_CONSTANT, "()V", integer, |idx| {
            [0x14, hi(idx), lo(idx), 0x58, 0xb1]
        }),
        with_constant("ldc2_w of a long", None, "()V", long, |idx| {
            [0x14, hi(idx), lo(idx), 0x58, 0xb1]
        }),
        with_constant("ldc of the second half of a long", ILLEGAL_CONSTANT, "()V", long, |idx| {
            [0x12, lo(idx) + 1, 0x57, 0xb1]
        }),
        with_constant(
            "ldc of a class",
            None,
            "()V",
            |class| class.class("[I"),
            |idx| [0x12, lo(idx), 0x57, 0xb1],
        ),
        with_constant("ldc past the constant pool", ILLEGAL_CONSTANT, "()V", long, |_| {
            [0x13, 0xff, 0xff, 0x57, 0xb1]
        }),
        with_constant("getstatic of a method", ILLEGAL_CONSTANT, "()V", value_of, |idx| {
            [0xb2, hi(idx), lo(idx), 0x57, 0xb1]
        }),
        with_constant("invokestatic with an int", None, "()V", value_of, |idx| {
            [0x03, 0xb8, hi(idx), lo(idx), 0x57, 0xb1]
        }),
        with_constant("invokestatic with a float", BAD_OPERAND, "()V", value_of, |idx| {
            [0x0b, 0xb8, hi(idx), lo(idx), 0x57, 0xb1]
        }),
        with_constant(
            "invokevirtual of an interface method",
            ILLEGAL_CONSTANT,
            "()V",
            run,
            |idx| [0x01, 0xb6, hi(idx), lo(idx), 0xb1],
        ),
        with_constant("invokeinterface on any object", None, "(Ljava/lang/String;)V", run, |idx| {
            [0x2a, 0xb9, hi(idx), lo(idx), 1, 0, 0xb1]
        }),
        with_constant("invokeinterface on an array", BAD_OPERAND, "([I)V", run, |idx| {
            [0x2a, 0xb9, hi(idx), lo(idx), 1, 0, 0xb1]
        }),
        with_constant("invokeinterface on an int", BAD_OPERAND, "(I)V", run, |idx| {
            [0x1a, 0xb9, hi(idx), lo(idx), 1, 0, 0xb1]
        }),
        with_constant(
            "invokeinterface with a wrong count",
            "Inconsistent args count",
            "()V",
            run,
            |idx| [0x01, 0xb9, hi(idx), lo(idx), 2, 0, 0xb1],
        ),
        with_constant("invokeinterface with a fourth operand", "must be zero", "()V", run, |idx| {
            [0x01, 0xb9, hi(idx), lo(idx), 1, 1, 0xb1]
        }),
        with_constant(
            "invokevirtual of a constructor",
            "Illegal call to internal method",
            "()V",
            |class| class.member(10, "java/lang/Object", "<init>", "()V"),
            |idx| [0x01, 0xb6, hi(idx), lo(idx), 0xb1],
        ),
        with_constant(
            "a call of a class initializer",
            "does not fit",
            "()V",
            |class| class.member(10, "java/lang/Thread", "<clinit>", "()V"),
            |idx| [0xb8, hi(idx), lo(idx), 0xb1],
        ),
        with_constant(
            "protected clone of another object",
            "Bad access to protected data in invokevirtual",
            "(Ljava/lang/Object;)V",
            clone,
            |idx| [0x2a, 0xb6, hi(idx), lo(idx), 0x57, 0xb1],
        ),
        with_constant("protected clone of an array", None, "([[I)V", clone, |idx| {
            [0x2a, 0xb6, hi(idx), lo(idx), 0x57, 0xb1]
        }),
        with_constant("protected clone of the own class", None, "(LCase;)V", clone, |idx| {
            [0x2a, 0xb6, hi(idx), lo(idx), 0x57, 0xb1]
        }),
        with_constant(
            "invokespecial of an unrelated class",
            "current class isn't assignable",
            "(LCase;)V",
            |class| class.member(10, "java/lang/Thread", "run", "()V"),
            |idx| [0x2a, 0xb7, hi(idx), lo(idx), 0xb1],
        ),
        with_constant(
            "invokespecial of the superclass",
            None,
            "(LCase;)V",
            |class| class.member(10, "java/lang/Object", "hashCode", "()I"),
            |idx| [0x2a, 0xb7, hi(idx), lo(idx), 0x57, 0xb1],
        ),
        with_constant(
            "invokespecial of the superclass on another object",
            BAD_OPERAND,
            "(Ljava/lang/Thread;)V",
            |class| class.member(10, "java/lang/Object", "hashCode", "()I"),
            |idx| [0x2a, 0xb7, hi(idx), lo(idx), 0x57, 0xb1],
        ),
        with_constant(
            "invokespecial of an indirect superinterface",
            "indirect superinterface",
            "(LCase;)V",
            |class| {
                class.implements("java/util/List");
                class.member(11, "java/util/Collection", "clear", "()V")
            },
            |idx| [0x2a, 0xb7, hi(idx), lo(idx), 0xb1],
        ),
        with_constant(
            "getfield on an object of another class",
            BAD_OPERAND,
            "(Ljava/lang/String;)V",
            |class| class.member(9, "java/awt/Point", "x", "I"),
            |idx| [0x2a, 0xb4, hi(idx), lo(idx), 0x57, 0xb1],
        ),
        with_constant(
            "putfield of a value of another type",
            BAD_OPERAND,
            "(LCase;)V",
            |class| class.member(9, "Case", "x", "J"),
            |idx| [0x2a, 0x03, 0xb5, hi(idx), lo(idx), 0xb1],
        ),
    ]
}

fn arrays_and_objects() -> Vec<Case> {
    let string = |class: &mut Assembler| class.class("java/lang/String");
    let matrix = |class: &mut Assembler| class.class("[[I");
    vec![
        method("arraylength of an object", BAD_OPERAND, "(Ljava/lang/String;)V", |_| {
            body(1, 1, &[0x2a, 0xbe, 0x57, 0xb1])
        }),
        method("arraylength of null", None, "()V", |_| body(1, 0, &[0x01, 0xbe, 0x57, 0xb1])),
        method("baload of booleans", None, "([Z)I", |_| body(2, 1, &[0x2a, 0x03, 0x33, 0xac])),
        method("iaload of booleans", BAD_OPERAND, "([Z)I", |_| {
            body(2, 1, &[0x2a, 0x03, 0x2e, 0xac])
        }),
        method("caload of shorts", BAD_OPERAND, "([S)I", |_| body(2, 1, &[0x2a, 0x03, 0x34, 0xac])),
        method("iaload of null", None, "()I", |_| body(2, 0, &[0x01, 0x03, 0x2e, 0xac])),
        method("iaload of a matrix", BAD_OPERAND, "([[I)I", |_| {
            body(2, 1, &[0x2a, 0x03, 0x2e, 0xac])
        }),
        method("aaload of a matrix", None, "([[I)[I", |_| body(2, 1, &[0x2a, 0x03, 0x32, 0xb0])),
        method("aaload of ints", BAD_OPERAND, "([I)[I", |_| body(2, 1, &[0x2a, 0x03, 0x32, 0xb0])),
        method(
            "aaload of an array of another class",
            BAD_OPERAND,
            "([Ljava/lang/String;)[I",
            |_| body(2, 1, &[0x2a, 0x03, 0x32, 0xb0]),
        ),
        method("aastore of anything", None, "([Ljava/lang/String;Ljava/lang/Thread;)V", |_| {
            body(3, 2, &[0x2a, 0x03, 0x2b, 0x53, 0xb1])
        }),
        method("aastore of an int", BAD_OPERAND, "([Ljava/lang/String;)V", |_| {
            body(3, 1, &[0x2a, 0x03, 0x03, 0x53, 0xb1])
        }),
        method("ints as objects", BAD_OPERAND, "([I)[Ljava/lang/Object;", |_| {
            body(1, 1, &[0x2a, 0xb0])
        }),
        method("a matrix as objects", None, "([[I)[Ljava/lang/Object;", |_| {
            body(1, 1, &[0x2a, 0xb0])
        }),
        method("strings as objects", None, "([[Ljava/lang/String;)[[Ljava/lang/Object;", |_| {
            body(1, 1, &[0x2a, 0xb0])
        }),
        method(
            "objects as strings",
            BAD_OPERAND,
            "([Ljava/lang/Object;)[Ljava/lang/String;",
            |_| body(1, 1, &[0x2a, 0xb0]),
        ),
        method("an array as Cloneable", None, "([I)Ljava/lang/Cloneable;", |_| {
            body(1, 1, &[0x2a, 0xb0])
        }),
        method("an array as another interface", BAD_OPERAND, "([I)Ljava/lang/Runnable;", |_| {
            body(1, 1, &[0x2a, 0xb0])
        }),
        method("arrays as an array of Cloneable", None, "([[I)[Ljava/lang/Cloneable;", |_| {
            body(1, 1, &[0x2a, 0xb0])
        }),
        method("arrays as an array of Runnable", BAD_OPERAND, "([[I)[Ljava/lang/Runnable;", |_| {
            body(1, 1, &[0x2a, 0xb0])
        }),
        method(
            "objects as an array of an interface",
            None,
            "([Ljava/lang/Object;)[Ljava/util/List;",
            |_| body(1, 1, &[0x2a, 0xb0]),
        ),
        method("newarray of nothing", "Illegal newarray", "()V", |_| {
            body(1, 0, &[0x03, 0xbc, 3, 0x57, 0xb1])
        }),
        method("newarray of long", None, "()[J", |_| body(1, 0, &[0x03, 0xbc, 11, 0xb0])),
        with_constant("anewarray", None, "()[Ljava/lang/String;", string, |idx| {
            [0x03, 0xbd, hi(idx), lo(idx), 0xb0]
        }),
        with_constant("anewarray of arrays", None, "()[[[I", matrix, |idx| {
            [0x03, 0xbd, hi(idx), lo(idx), 0xb0]
        }),
        with_constant(
            "anewarray past 255 dimensions",
            "Illegal anewarray",
            "()V",
            |class| class.class(&format!("{}I", "[".repeat(255))),
            |idx| [0x03, 0xbd, hi(idx), lo(idx), 0x57, 0xb1],
        ),
        with_constant(
            "multianewarray without dimensions",
            "Illegal dimension",
            "()V",
            matrix,
            |idx| [0xc5, hi(idx), lo(idx), 0, 0x57, 0xb1],
        ),
        with_constant(
            "multianewarray of too many dimensions",
            "Illegal dimension",
            "()V",
            matrix,
            |idx| [0x03, 0x59, 0x59, 0xc5, hi(idx), lo(idx), 3, 0x57, 0xb1],
        ),
        with_constant("multianewarray", None, "()[[I", matrix, |idx| {
            [0x03, 0x04, 0xc5, hi(idx), lo(idx), 2, 0xb0]
        }),
        with_constant("new of an array", "Illegal new instruction", "()V", matrix, |idx| {
            [0xbb, hi(idx), lo(idx), 0x57, 0xb1]
        }),
        with_constant("new that is dropped", None, "()V", string, |idx| {
            [0xbb, hi(idx), lo(idx), 0x57, 0xb1]
        }),
        with_constant(
            "areturn of a new object",
            BAD_OPERAND,
            "()Ljava/lang/String;",
            string,
            |idx| [0xbb, hi(idx), lo(idx), 0xb0],
        ),
        with_constant("checkcast of a new object", BAD_OPERAND, "()V", string, |idx| {
            [0xbb, hi(idx), lo(idx), 0xc0, hi(idx), lo(idx), 0x57, 0xb1]
        }),
        with_constant(
            "checkcast gives its class",
            None,
            "(Ljava/lang/Object;)Ljava/lang/String;",
            string,
            |idx| [0x2a, 0xc0, hi(idx), lo(idx), 0xb0],
        ),
        with_constant("instanceof of an int", BAD_OPERAND, "(I)V", string, |idx| {
            [0x1a, 0xc1, hi(idx), lo(idx), 0x57, 0xb1]
        }),
        with_constant("monitorenter of a new object", None, "()V", string, |idx| {
            [0xbb, hi(idx), lo(idx), 0xc2, 0xb1]
        }),
        method("monitorenter of an int", BAD_OPERAND, "()V", |_| body(1, 0, &[0x03, 0xc2, 0xb1])),
        method("athrow of a string", BAD_OPERAND, "(Ljava/lang/String;)V", |_| {
            body(1, 1, &[0x2a, 0xbf])
        }),
        method("athrow of null", None, "()V", |_| body(1, 0, &[0x01, 0xbf])),
    ]
}
