//! Opcodes by name where the verifier names them, and the lengths of all instructions (JVMS §6.5).

pub(super) const ACONST_NULL: u8 = 0x01;
pub(super) const LDC: u8 = 0x12;
pub(super) const LDC_W: u8 = 0x13;
pub(super) const LDC2_W: u8 = 0x14;
pub(super) const ILOAD: u8 = 0x15;
pub(super) const LLOAD: u8 = 0x16;
pub(super) const DLOAD: u8 = 0x18;
pub(super) const ALOAD: u8 = 0x19;
pub(super) const ILOAD_0: u8 = 0x1a;
pub(super) const ALOAD_3: u8 = 0x2d;
pub(super) const ISTORE: u8 = 0x36;
pub(super) const LSTORE: u8 = 0x37;
pub(super) const DSTORE: u8 = 0x39;
pub(super) const ASTORE: u8 = 0x3a;
pub(super) const ISTORE_0: u8 = 0x3b;
pub(super) const ASTORE_3: u8 = 0x4e;
pub(super) const IINC: u8 = 0x84;
pub(super) const IFEQ: u8 = 0x99;
pub(super) const GOTO: u8 = 0xa7;
pub(super) const JSR: u8 = 0xa8;
pub(super) const RET: u8 = 0xa9;
pub(super) const TABLESWITCH: u8 = 0xaa;
pub(super) const LOOKUPSWITCH: u8 = 0xab;
pub(super) const IRETURN: u8 = 0xac;
pub(super) const RETURN: u8 = 0xb1;
pub(super) const GETSTATIC: u8 = 0xb2;
pub(super) const PUTSTATIC: u8 = 0xb3;
pub(super) const GETFIELD: u8 = 0xb4;
pub(super) const PUTFIELD: u8 = 0xb5;
pub(super) const INVOKEVIRTUAL: u8 = 0xb6;
pub(super) const INVOKESPECIAL: u8 = 0xb7;
pub(super) const INVOKESTATIC: u8 = 0xb8;
pub(super) const INVOKEINTERFACE: u8 = 0xb9;
pub(super) const INVOKEDYNAMIC: u8 = 0xba;
pub(super) const NEW: u8 = 0xbb;
pub(super) const NEWARRAY: u8 = 0xbc;
pub(super) const ANEWARRAY: u8 = 0xbd;
pub(super) const ARRAYLENGTH: u8 = 0xbe;
pub(super) const ATHROW: u8 = 0xbf;
pub(super) const CHECKCAST: u8 = 0xc0;
pub(super) const INSTANCEOF: u8 = 0xc1;
pub(super) const MONITORENTER: u8 = 0xc2;
pub(super) const MONITOREXIT: u8 = 0xc3;
pub(super) const WIDE: u8 = 0xc4;
pub(super) const MULTIANEWARRAY: u8 = 0xc5;
pub(super) const IFNULL: u8 = 0xc6;
pub(super) const IFNONNULL: u8 = 0xc7;
pub(super) const GOTO_W: u8 = 0xc8;
pub(super) const JSR_W: u8 = 0xc9;

/// The length of an instruction whose opcode alone tells it; `None` for the switches, `wide` and
/// what is no opcode.
pub(super) fn fixed_len(opcode: u8) -> Option<usize> {
    Some(match opcode {
        0x10 | LDC | ILOAD..=ALOAD | ISTORE..=ASTORE | RET | NEWARRAY => 2,
        0x11 | LDC_W | LDC2_W | IINC | IFEQ..=JSR | GETSTATIC..=INVOKESTATIC => 3,
        NEW | ANEWARRAY | CHECKCAST | INSTANCEOF | IFNULL | IFNONNULL => 3,
        MULTIANEWARRAY => 4,
        INVOKEINTERFACE | INVOKEDYNAMIC | GOTO_W | JSR_W => 5,
        TABLESWITCH | LOOKUPSWITCH | WIDE => return None,
        0x00..=JSR_W => 1,
        _ => return None,
    })
}
