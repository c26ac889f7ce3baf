//! The instruction set. Names are the JVM's mnemonics; a suffix says what was folded in:
//! `_imm` a small constant operand, `_u` not resolved yet (rewrites itself), `_q` resolved.
//!
//! Operand roles are given per group: `a` is the destination unless said otherwise.

/// One 8-byte unit. Some instructions are followed by one or two units of raw data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct Insn {
    /// Index of the handler, an [`Op`].
    pub op: u16,
    /// First operand.
    pub a: u16,
    /// Second operand.
    pub b: u16,
    /// Third operand.
    pub c: u16,
}

impl Insn {
    /// An instruction with three 16-bit operands.
    pub fn abc(op: Op, a: u16, b: u16, c: u16) -> Insn {
        Insn { op: op as u16, a, b, c }
    }

    /// An instruction with one 16-bit and one 32-bit operand.
    #[expect(clippy::cast_possible_truncation, reason = "split into halves")]
    pub fn a_imm(op: Op, a: u16, imm: u32) -> Insn {
        Insn { op: op as u16, a, b: imm as u16, c: (imm >> 16) as u16 }
    }

    /// The 32-bit operand in `b` and `c`.
    #[inline(always)]
    pub fn imm(self) -> u32 {
        u32::from(self.b) | u32::from(self.c) << 16
    }

    /// A unit of raw data.
    #[expect(clippy::cast_possible_truncation, reason = "split into quarters")]
    pub fn raw(word: u64) -> Insn {
        Insn {
            op: word as u16,
            a: (word >> 16) as u16,
            b: (word >> 32) as u16,
            c: (word >> 48) as u16,
        }
    }

    /// Reads a unit of raw data.
    #[inline(always)]
    pub fn word(self) -> u64 {
        u64::from(self.op)
            | u64::from(self.a) << 16
            | u64::from(self.b) << 32
            | u64::from(self.c) << 48
    }
}

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident $units:literal,)*) => {
        /// What an instruction does.
        #[expect(non_camel_case_types, reason = "mnemonics of the JVM specification")]
        #[expect(missing_docs, reason = "mnemonics of the JVM specification, described by group")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Op { $($(#[$doc])* $name,)* }

        impl Op {
            /// All operations in order of their numbers.
            pub const ALL: &[Op] = &[$(Op::$name,)*];

            /// Units that the instruction takes, data included.
            pub fn units(self) -> usize {
                match self { $(Op::$name => $units,)* }
            }
        }

        /// Calls a macro with the list of all operations.
        macro_rules! for_each_op { ($callback:ident) => { $callback! { $($name,)* } } }
    };
}

ops! {
    // ---- control stubs, never made from bytecode ------------------------------------------
    /// Entry of a method that was not translated yet.
    compile 1,
    /// Entry of a native method.
    native 1,
    /// Entry of an abstract method.
    abstract_method 1,
    /// Return address of a call the machine itself made; acts on the frame's hook.
    hook 1,
    /// `nop`; also what is left of a folded instruction.
    nop 1,

    // ---- moves and constants: a <- b / imm --------------------------------------------------
    mov 1, const32 1, const64 2,
    // `a` <- constant `b` of the pool, resolving it; class id in the data unit.
    ldc_u 2, ldc_resolved 2,

    // ---- int arithmetic: a <- b op c ----------------------------------------------------------
    iadd 1, isub 1, imul 1, idiv 1, irem 1, ineg 1, ishl 1, ishr 1, iushr 1, iand 1, ior 1, ixor 1,
    iadd_imm 1, imul_imm 1, iand_imm 1, ior_imm 1, ixor_imm 1, ishl_imm 1, ishr_imm 1, iushr_imm 1,
    idiv_imm 1, irem_imm 1, isub_from_imm 1,
    // ---- long -------------------------------------------------------------------------------
    ladd 1, lsub 1, lmul 1, ldiv 1, lrem 1, lneg 1, lshl 1, lshr 1, lushr 1, land 1, lor 1, lxor 1,
    ladd_imm 1, lshl_imm 1, lshr_imm 1, lushr_imm 1, land_imm 1, lcmp 1,
    // ---- float and double ----------------------------------------------------------------------
    fadd 1, fsub 1, fmul 1, fdiv 1, frem 1, fneg 1, fcmpl 1, fcmpg 1,
    dadd 1, dsub 1, dmul 1, ddiv 1, drem 1, dneg 1, dcmpl 1, dcmpg 1,
    // ---- conversions: a <- b -----------------------------------------------------------------
    i2l 1, i2f 1, i2d 1, l2i 1, l2f 1, l2d 1, f2i 1, f2l 1, f2d 1, d2i 1, d2l 1, d2f 1,
    i2b 1, i2c 1, i2s 1,

    // ---- branches: compare a with b, jump by c (signed units from this instruction) -----------
    if_icmpeq 1, if_icmpne 1, if_icmplt 1, if_icmpge 1, if_icmpgt 1, if_icmple 1,
    // compare a with the signed constant in b
    if_icmpeq_imm 1, if_icmpne_imm 1, if_icmplt_imm 1, if_icmpge_imm 1, if_icmpgt_imm 1, if_icmple_imm 1,
    if_acmpeq 1, if_acmpne 1,
    if_lcmpeq 1, if_lcmpne 1, if_lcmplt 1, if_lcmpge 1, if_lcmpgt 1, if_lcmple 1,
    // compare a with null or zero, jump by imm
    ifnull 1, ifnonnull 1,
    goto_ 1, goto_back 1,
    // a: key; imm: index of the switch table
    tableswitch 1, lookupswitch 1,
    // jsr: a <- return address as a position; ret: jump to the position in a
    jsr 1, ret 1,

    // ---- arrays: load a <- b[c]; store b[c] <- a ---------------------------------------------
    baload 1, caload 1, saload 1, iaload 1, laload 1, aaload 1,
    bastore 1, castore 1, iastore 1, lastore 1, aastore 1,
    arraylength 1,
    // a <- new array of length b: primitive class id in the data unit
    newarray 2,
    // a <- new array of length b, constant c; _q: array class id in the data unit
    anewarray_u 2, anewarray_q 2,
    // a <- new array; b: first register of the lengths; c: constant; data: class id, dimensions
    multianewarray_u 2, multianewarray_q 2,

    // ---- fields: a value, b object, c offset; `_u`: c constant-pool index -----------------------
    getfield_u 1, putfield_u 1,
    getfield_i8 1, getfield_i16 1, getfield_u16 1, getfield_32 1, getfield_64 1, getfield_ref 1,
    putfield_8 1, putfield_16 1, putfield_32 1, putfield_64 1, putfield_ref 1,
    // a value, b object; data: byte offset (fields far from the start of huge objects)
    // statics: a value, imm constant-pool index; `_q`: imm granule of the slot
    getstatic_u 1, putstatic_u 1,
    getstatic_i8 1, getstatic_i16 1, getstatic_u16 1, getstatic_32 1, getstatic_64 1, getstatic_ref 1,
    putstatic_8 1, putstatic_16 1, putstatic_32 1, putstatic_64 1, putstatic_ref 1,

    // ---- objects ---------------------------------------------------------------------------
    // a <- new; imm: constant; `_q`: data class id | size << 32
    new_u 2, new_q 2,
    // a checked in place; c constant; `_q`: data class id
    checkcast_u 2, checkcast_q 2,
    // a <- b instanceof; c constant; `_q`: data class id
    instanceof_u 2, instanceof_q 2,
    monitorenter 1, monitorexit 1, athrow 1,

    // ---- calls: a first argument register and result; b constant-pool index; c kind -----------
    // data 1 and 2 as each handler says
    invokestatic_u 3, invokespecial_u 3, invokevirtual_u 3, invokeinterface_u 3, invokedynamic_u 3,
    invokestatic_q 3, invokespecial_q 3, invokevirtual_q 3, invokeinterface_q 3, invokedynamic_q 3,
    // signature-polymorphic calls (JVMS §2.9.3)
    invokehandle_q 3, invokebasic_q 3, linkto_q 3,
    // linked sites: data 1 site number plus one, mirror in the high half; data 2 adapter
    invokedynamic_constant_q 3, invokedynamic_static_q 3, invokedynamic_appendix_q 3,
    invokehandle_static_q 3, invokehandle_appendix_q 3,
    // a final method called virtually: null check, then direct
    invokefinal_q 3,
    // a VM-known method run without a frame: data 2 method
    intrinsic_q 3,
    // likewise, one that writes into arrays as its Java code does
    intrinsic_writes_q 3,
    // likewise, one that runs only where nobody watches calls or branches
    intrinsic_unseen_q 3,
    // dispatched: the cached target is run without a frame
    invokevirtual_intrinsic_q 3,
    // dispatched, with receivers of several classes: looks into the table behind the caches
    invokevirtual_table_q 3,
    // the target only gives a field of the receiver: dispatched, then direct
    invokevirtual_getter_i8_q 3, invokevirtual_getter_32_q 3, invokevirtual_getter_64_q 3,
    invokefinal_getter_i8_q 3, invokefinal_getter_32_q 3, invokefinal_getter_64_q 3,
    // a constructor that does nothing
    invokespecial_empty_q 3,
    // a linked site whose adapter is run without a frame
    invokehandle_intrinsic_q 3,

    // ---- returns: value in a ---------------------------------------------------------------
    return_value 1, return_void 1, return_value_locked 1, return_void_locked 1,
}
