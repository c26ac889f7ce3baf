//! What each instruction reads, writes and leads to: the facts behind the collector's register
//! maps. The `match` has no catch-all, so a new instruction cannot be forgotten here.

use super::Op;

/// What a register operand holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A number.
    Number,
    /// A reference.
    Reference,
    /// Either: for `mov` as the other operand, for fields and results as the descriptor says.
    Either,
}

/// The part an operand plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// No register.
    Data,
    /// A register that is read.
    Reads(Holds),
    /// A register that is written.
    Writes(Holds),
    /// The first register of a call: arguments as the descriptor says, then the result.
    Call,
    /// The first of several registers with numbers.
    Numbers,
}

/// Where an instruction leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leads {
    /// To the next one.
    On,
    /// To the next one, or as far as the signed operand `c` says.
    Short,
    /// To the next one, or as far as the signed 32-bit operand says.
    Long,
    /// As far as the signed 32-bit operand says.
    Jump,
    /// Where the switch table says.
    Switch,
    /// Into a subroutine as far as the signed 32-bit operand says, then to the next one.
    Subroutine,
    /// Back from a subroutine.
    Back,
    /// Out of the method, or to a handler.
    Out,
}

/// What an instruction does to registers and control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    /// Part of operand `a`.
    pub a: Role,
    /// Part of operand `b`.
    pub b: Role,
    /// Part of operand `c`.
    pub c: Role,
    /// Where it leads.
    pub leads: Leads,
}

const fn effect(a: Role, b: Role, c: Role, leads: Leads) -> Effect {
    Effect { a, b, c, leads }
}

/// The effect of an operation.
pub const fn effect_of(op: Op) -> Effect {
    use Holds::{Either, Number, Reference};
    use Leads::{Back, Jump, Long, On, Out, Short, Subroutine, Switch};
    use Role::{Call, Data, Numbers, Reads, Writes};

    match op {
        Op::compile | Op::native | Op::abstract_method | Op::hook => effect(Data, Data, Data, Out),
        Op::nop => effect(Data, Data, Data, On),

        Op::mov => effect(Writes(Either), Reads(Either), Data, On),
        Op::const32 | Op::const64 | Op::ldc_u | Op::ldc_resolved => {
            effect(Writes(Either), Data, Data, On)
        }

        Op::iadd
        | Op::isub
        | Op::imul
        | Op::idiv
        | Op::irem
        | Op::ishl
        | Op::ishr
        | Op::iushr
        | Op::iand
        | Op::ior
        | Op::ixor
        | Op::ladd
        | Op::lsub
        | Op::lmul
        | Op::ldiv
        | Op::lrem
        | Op::lshl
        | Op::lshr
        | Op::lushr
        | Op::land
        | Op::lor
        | Op::lxor
        | Op::lcmp
        | Op::fadd
        | Op::fsub
        | Op::fmul
        | Op::fdiv
        | Op::frem
        | Op::fcmpl
        | Op::fcmpg
        | Op::dadd
        | Op::dsub
        | Op::dmul
        | Op::ddiv
        | Op::drem
        | Op::dcmpl
        | Op::dcmpg => effect(Writes(Number), Reads(Number), Reads(Number), On),

        Op::ineg
        | Op::lneg
        | Op::fneg
        | Op::dneg
        | Op::iadd_imm
        | Op::imul_imm
        | Op::iand_imm
        | Op::ior_imm
        | Op::ixor_imm
        | Op::ishl_imm
        | Op::ishr_imm
        | Op::iushr_imm
        | Op::idiv_imm
        | Op::irem_imm
        | Op::isub_from_imm
        | Op::ladd_imm
        | Op::lshl_imm
        | Op::lshr_imm
        | Op::lushr_imm
        | Op::land_imm
        | Op::i2l
        | Op::i2f
        | Op::i2d
        | Op::l2i
        | Op::l2f
        | Op::l2d
        | Op::f2i
        | Op::f2l
        | Op::f2d
        | Op::d2i
        | Op::d2l
        | Op::d2f
        | Op::i2b
        | Op::i2c
        | Op::i2s => effect(Writes(Number), Reads(Number), Data, On),

        Op::if_icmpeq
        | Op::if_icmpne
        | Op::if_icmplt
        | Op::if_icmpge
        | Op::if_icmpgt
        | Op::if_icmple
        | Op::if_lcmpeq
        | Op::if_lcmpne
        | Op::if_lcmplt
        | Op::if_lcmpge
        | Op::if_lcmpgt
        | Op::if_lcmple => effect(Reads(Number), Reads(Number), Data, Short),
        Op::if_icmpeq_imm
        | Op::if_icmpne_imm
        | Op::if_icmplt_imm
        | Op::if_icmpge_imm
        | Op::if_icmpgt_imm
        | Op::if_icmple_imm => effect(Reads(Number), Data, Data, Short),
        Op::if_acmpeq | Op::if_acmpne => effect(Reads(Reference), Reads(Reference), Data, Short),
        Op::ifnull | Op::ifnonnull => effect(Reads(Reference), Data, Data, Long),
        Op::goto_ | Op::goto_back => effect(Data, Data, Data, Jump),
        Op::tableswitch | Op::lookupswitch => effect(Reads(Number), Data, Data, Switch),
        Op::jsr => effect(Writes(Number), Data, Data, Subroutine),
        Op::ret => effect(Reads(Number), Data, Data, Back),

        Op::baload | Op::caload | Op::saload | Op::iaload | Op::laload => {
            effect(Writes(Number), Reads(Reference), Reads(Number), On)
        }
        Op::aaload => effect(Writes(Reference), Reads(Reference), Reads(Number), On),
        Op::bastore | Op::castore | Op::iastore | Op::lastore => {
            effect(Reads(Number), Reads(Reference), Reads(Number), On)
        }
        Op::aastore => effect(Reads(Reference), Reads(Reference), Reads(Number), On),
        Op::arraylength => effect(Writes(Number), Reads(Reference), Data, On),
        Op::newarray | Op::anewarray_u | Op::anewarray_q => {
            effect(Writes(Reference), Reads(Number), Data, On)
        }
        Op::multianewarray_u | Op::multianewarray_q => effect(Writes(Reference), Numbers, Data, On),

        Op::getfield_u => effect(Writes(Either), Reads(Reference), Data, On),
        Op::getfield_ref => effect(Writes(Reference), Reads(Reference), Data, On),
        Op::getfield_i8
        | Op::getfield_i16
        | Op::getfield_u16
        | Op::getfield_32
        | Op::getfield_64 => effect(Writes(Number), Reads(Reference), Data, On),
        Op::putfield_u => effect(Reads(Either), Reads(Reference), Data, On),
        Op::putfield_8 | Op::putfield_16 | Op::putfield_32 | Op::putfield_64 => {
            effect(Reads(Number), Reads(Reference), Data, On)
        }
        Op::putfield_ref => effect(Reads(Reference), Reads(Reference), Data, On),
        Op::getstatic_u => effect(Writes(Either), Data, Data, On),
        Op::getstatic_ref => effect(Writes(Reference), Data, Data, On),
        Op::getstatic_i8
        | Op::getstatic_i16
        | Op::getstatic_u16
        | Op::getstatic_32
        | Op::getstatic_64 => effect(Writes(Number), Data, Data, On),
        Op::putstatic_u => effect(Reads(Either), Data, Data, On),
        Op::putstatic_8 | Op::putstatic_16 | Op::putstatic_32 | Op::putstatic_64 => {
            effect(Reads(Number), Data, Data, On)
        }
        Op::putstatic_ref => effect(Reads(Reference), Data, Data, On),

        Op::new_u | Op::new_q => effect(Writes(Reference), Data, Data, On),
        Op::checkcast_u | Op::checkcast_q => effect(Reads(Reference), Data, Data, On),
        Op::instanceof_u | Op::instanceof_q => effect(Writes(Number), Reads(Reference), Data, On),
        Op::monitorenter | Op::monitorexit => effect(Reads(Reference), Data, Data, On),
        Op::athrow => effect(Reads(Reference), Data, Data, Out),

        Op::invokestatic_u
        | Op::invokespecial_u
        | Op::invokevirtual_u
        | Op::invokeinterface_u
        | Op::invokedynamic_u
        | Op::invokestatic_q
        | Op::invokespecial_q
        | Op::invokevirtual_q
        | Op::invokeinterface_q
        | Op::invokedynamic_q
        | Op::invokehandle_q
        | Op::invokebasic_q
        | Op::linkto_q
        | Op::invokedynamic_constant_q
        | Op::invokedynamic_static_q
        | Op::invokedynamic_appendix_q
        | Op::invokehandle_static_q
        | Op::invokehandle_appendix_q
        | Op::invokefinal_q
        | Op::intrinsic_q
        | Op::intrinsic_writes_q
        | Op::intrinsic_unseen_q
        | Op::invokevirtual_intrinsic_q
        | Op::invokevirtual_table_q
        | Op::invokevirtual_getter_i8_q
        | Op::invokevirtual_getter_32_q
        | Op::invokevirtual_getter_64_q
        | Op::invokefinal_getter_i8_q
        | Op::invokefinal_getter_32_q
        | Op::invokefinal_getter_64_q
        | Op::invokespecial_empty_q
        | Op::invokehandle_intrinsic_q => effect(Call, Data, Data, On),

        Op::return_value | Op::return_value_locked => effect(Reads(Either), Data, Data, Out),
        Op::return_void | Op::return_void_locked => effect(Data, Data, Data, Out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_has_an_effect_that_fits_its_operands() {
        for &op in Op::ALL {
            let effect = effect_of(op);
            // A branch distance is no register.
            match effect.leads {
                Leads::Short => assert_eq!(effect.c, Role::Data, "{op:?}"),
                Leads::Long | Leads::Jump | Leads::Switch | Leads::Subroutine => {
                    assert_eq!((effect.b, effect.c), (Role::Data, Role::Data), "{op:?}");
                }
                Leads::On | Leads::Back | Leads::Out => {}
            }
            // Only `a` is ever written.
            assert!(!matches!(effect.b, Role::Writes(_) | Role::Call), "{op:?}");
            assert!(!matches!(effect.c, Role::Writes(_) | Role::Call), "{op:?}");
            let is_call = format!("{op:?}").starts_with("invoke")
                || format!("{op:?}").starts_with("intrinsic")
                || op == Op::linkto_q;
            assert_eq!(is_call, effect.a == Role::Call, "{op:?}");
            // The collector finds the call before a return address.
            assert_eq!(is_call, op.units() == 3, "{op:?}");
        }
    }
}
