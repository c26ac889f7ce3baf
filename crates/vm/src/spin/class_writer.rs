//! Writing class files (JVMS §4): a constant pool that shares equal entries, fields, methods, and
//! the few instructions that the machine's own classes need.
//!
//! The classes are trusted and not verified, so there are no stack maps.

use rustc_hash::FxHashMap;

use crate::value::Kind;

/// A class file being written.
#[derive(Debug, Default)]
pub(super) struct ClassWriter {
    pool: Vec<u8>,
    n_entries: u16,
    known: FxHashMap<Vec<u8>, u16>,
    fields: Vec<u8>,
    n_fields: u16,
    methods: Vec<u8>,
    n_methods: u16,
    bootstraps: Vec<u8>,
    n_bootstraps: u16,
}

impl ClassWriter {
    /// An entry of the constant pool: its number, shared with an equal one.
    fn entry(&mut self, bytes: Vec<u8>) -> u16 {
        if let Some(&idx) = self.known.get(&bytes) {
            return idx;
        }
        self.pool.extend_from_slice(&bytes);
        self.n_entries += 1;
        self.known.insert(bytes, self.n_entries);
        self.n_entries
    }

    /// A `Utf8`.
    pub(super) fn utf8(&mut self, text: &[u8]) -> u16 {
        let len = u16::try_from(text.len()).expect("internal: names fit");
        self.entry([&[1], &len.to_be_bytes()[..], text].concat())
    }

    fn with_one(&mut self, tag: u8, idx: u16) -> u16 {
        self.entry([&[tag], &idx.to_be_bytes()[..]].concat())
    }

    fn with_two(&mut self, tag: u8, one: u16, two: u16) -> u16 {
        self.entry([&[tag], &one.to_be_bytes()[..], &two.to_be_bytes()].concat())
    }

    /// A `Class`.
    pub(super) fn class(&mut self, name: &[u8]) -> u16 {
        let name = self.utf8(name);
        self.with_one(7, name)
    }

    /// A `String`.
    pub(super) fn string(&mut self, text: &[u8]) -> u16 {
        let text = self.utf8(text);
        self.with_one(8, text)
    }

    /// An `Integer`.
    pub(super) fn integer(&mut self, value: i32) -> u16 {
        self.entry([&[3], &value.to_be_bytes()[..]].concat())
    }

    fn name_and_type(&mut self, name: &[u8], descriptor: &[u8]) -> u16 {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        self.with_two(12, name, descriptor)
    }

    /// A `Fieldref`.
    pub(super) fn field_ref(&mut self, class: &[u8], name: &[u8], descriptor: &[u8]) -> u16 {
        let (class, member) = (self.class(class), self.name_and_type(name, descriptor));
        self.with_two(9, class, member)
    }

    /// A `Methodref`, or an `InterfaceMethodref`.
    pub(super) fn method_ref(&mut self, of_interface: bool, member: Member<'_>) -> u16 {
        let class = self.class(member.class);
        let name_and_type = self.name_and_type(member.name, member.descriptor);
        self.with_two(if of_interface { 11 } else { 10 }, class, name_and_type)
    }

    /// An `InvokeDynamic` with a static bootstrap method and its arguments.
    pub(super) fn invoke_dynamic(
        &mut self,
        bootstrap: Member<'_>,
        arguments: &[u16],
        name: &[u8],
        descriptor: &[u8],
    ) -> u16 {
        let method = self.method_ref(false, bootstrap);
        let handle = self.entry([&[15, 6], &method.to_be_bytes()[..]].concat());
        self.bootstraps.extend(handle.to_be_bytes());
        let n_arguments = u16::try_from(arguments.len()).expect("internal: few arguments");
        self.bootstraps.extend(n_arguments.to_be_bytes());
        for argument in arguments {
            self.bootstraps.extend(argument.to_be_bytes());
        }
        let position = self.n_bootstraps;
        self.n_bootstraps += 1;
        let name_and_type = self.name_and_type(name, descriptor);
        self.with_two(18, position, name_and_type)
    }

    /// Adds a field.
    pub(super) fn field(&mut self, flags: u16, name: &[u8], descriptor: &[u8]) {
        let parts = [flags, self.utf8(name), self.utf8(descriptor), 0];
        self.fields.extend(parts.map(u16::to_be_bytes).concat());
        self.n_fields += 1;
    }

    /// Adds a method.
    pub(super) fn method(&mut self, flags: u16, name: &[u8], descriptor: &[u8], code: Code) {
        let parts = [flags, self.utf8(name), self.utf8(descriptor), 1, self.utf8(b"Code")];
        self.methods.extend(parts.map(u16::to_be_bytes).concat());
        let len = u32::try_from(code.bytes.len()).expect("internal: short code");
        self.methods.extend((len + 12).to_be_bytes());
        self.methods.extend(code.max_stack.to_be_bytes());
        self.methods.extend(code.max_locals.to_be_bytes());
        self.methods.extend(len.to_be_bytes());
        self.methods.extend(code.bytes);
        // Neither handlers nor attributes.
        self.methods.extend([0; 4]);
        self.n_methods += 1;
    }

    /// Adds a native method.
    pub(super) fn native_method(&mut self, flags: u16, name: &[u8], descriptor: &[u8]) {
        let parts = [flags, self.utf8(name), self.utf8(descriptor), 0];
        self.methods.extend(parts.map(u16::to_be_bytes).concat());
        self.n_methods += 1;
    }

    /// The whole class file.
    pub(super) fn finish(mut self, flags: u16, name: &[u8], interfaces: &[&[u8]]) -> Vec<u8> {
        let this_class = self.class(name);
        let super_class = self.class(b"java/lang/Object");
        let interfaces: Vec<u16> = interfaces.iter().map(|name| self.class(name)).collect();
        let attribute = self.utf8(b"BootstrapMethods");
        let mut bytes = 0xCAFE_BABE_u32.to_be_bytes().to_vec();
        // With this version any method of a class may write its final fields.
        bytes.extend([0, 0, 0, 52]);
        bytes.extend((self.n_entries + 1).to_be_bytes());
        bytes.extend(self.pool);
        let n_interfaces = u16::try_from(interfaces.len()).expect("internal: few interfaces");
        for part in [flags, this_class, super_class, n_interfaces].into_iter().chain(interfaces) {
            bytes.extend(part.to_be_bytes());
        }
        bytes.extend(self.n_fields.to_be_bytes());
        bytes.extend(self.fields);
        bytes.extend(self.n_methods.to_be_bytes());
        bytes.extend(self.methods);
        if self.n_bootstraps == 0 {
            bytes.extend([0, 0]);
        } else {
            bytes.extend([0, 1]);
            bytes.extend(attribute.to_be_bytes());
            let len = u32::try_from(self.bootstraps.len() + 2).expect("internal: short table");
            bytes.extend(len.to_be_bytes());
            bytes.extend(self.n_bootstraps.to_be_bytes());
            bytes.extend(self.bootstraps);
        }
        bytes
    }
}

/// A member of a class by name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'a> {
    pub(super) class: &'a [u8],
    pub(super) name: &'a [u8],
    pub(super) descriptor: &'a [u8],
}

/// Instructions of one method.
#[derive(Debug, Default)]
pub(super) struct Code {
    bytes: Vec<u8>,
    pub(super) max_stack: u16,
    pub(super) max_locals: u16,
}

/// Mnemonics of JVMS §6.5 that stand alone or before a constant-pool index.
pub(super) mod op {
    pub(in crate::spin) const ICONST_M1: u8 = 2;
    pub(in crate::spin) const ICONST_0: u8 = 3;
    pub(in crate::spin) const ICONST_1: u8 = 4;
    pub(in crate::spin) const LDC_W: u8 = 19;
    pub(in crate::spin) const DUP: u8 = 89;
    pub(in crate::spin) const IADD: u8 = 96;
    pub(in crate::spin) const IMUL: u8 = 104;
    pub(in crate::spin) const I2L: u8 = 133;
    pub(in crate::spin) const I2F: u8 = 134;
    pub(in crate::spin) const I2D: u8 = 135;
    pub(in crate::spin) const L2F: u8 = 137;
    pub(in crate::spin) const L2D: u8 = 138;
    pub(in crate::spin) const F2D: u8 = 141;
    pub(in crate::spin) const LCMP: u8 = 148;
    pub(in crate::spin) const IFEQ: u8 = 153;
    pub(in crate::spin) const IFNE: u8 = 154;
    pub(in crate::spin) const IF_ICMPNE: u8 = 160;
    pub(in crate::spin) const IF_ICMPGT: u8 = 163;
    pub(in crate::spin) const IF_ACMPNE: u8 = 166;
    pub(in crate::spin) const GOTO: u8 = 167;
    pub(in crate::spin) const IRETURN: u8 = 172;
    pub(in crate::spin) const ARETURN: u8 = 176;
    pub(in crate::spin) const RETURN: u8 = 177;
    pub(in crate::spin) const GETFIELD: u8 = 180;
    pub(in crate::spin) const PUTFIELD: u8 = 181;
    pub(in crate::spin) const INVOKEVIRTUAL: u8 = 182;
    pub(in crate::spin) const INVOKESPECIAL: u8 = 183;
    pub(in crate::spin) const INVOKESTATIC: u8 = 184;
    pub(in crate::spin) const INVOKEINTERFACE: u8 = 185;
    pub(in crate::spin) const INVOKEDYNAMIC: u8 = 186;
    pub(in crate::spin) const NEW: u8 = 187;
    pub(in crate::spin) const CHECKCAST: u8 = 192;
    pub(in crate::spin) const INSTANCEOF: u8 = 193;
    pub(in crate::spin) const IFNONNULL: u8 = 199;
}

impl Code {
    /// No instructions yet.
    pub(super) fn new(max_stack: u16, max_locals: u16) -> Code {
        Code { bytes: Vec::new(), max_stack, max_locals }
    }

    /// An instruction without operands.
    pub(super) fn op(&mut self, op: u8) {
        self.bytes.push(op);
    }

    /// An instruction with a constant-pool index.
    pub(super) fn op_idx(&mut self, op: u8, idx: u16) {
        self.bytes.push(op);
        self.bytes.extend(idx.to_be_bytes());
        match op {
            // The count of words is not looked at.
            op::INVOKEINTERFACE => self.bytes.extend([1, 0]),
            op::INVOKEDYNAMIC => self.bytes.extend([0, 0]),
            _ => {}
        }
    }

    /// Loads a local variable.
    pub(super) fn load(&mut self, kind: Kind, slot: u16) {
        let op = match kind {
            Kind::Long => 22,
            Kind::Float => 23,
            Kind::Double => 24,
            Kind::Ref => 25,
            _ => 21,
        };
        // Wide, since the slot may have two bytes.
        self.bytes.extend([196, op]);
        self.bytes.extend(slot.to_be_bytes());
    }

    /// Stores a reference in a local variable.
    pub(super) fn store_ref(&mut self, slot: u8) {
        self.bytes.extend([58, slot]);
    }

    /// Returns a value, or nothing.
    pub(super) fn give(&mut self, kind: Kind) {
        self.op(match kind {
            Kind::Long => 173,
            Kind::Float => 174,
            Kind::Double => 175,
            Kind::Ref => op::ARETURN,
            Kind::Void => op::RETURN,
            _ => op::IRETURN,
        });
    }

    /// A branch whose target is not known yet; `land` gives it.
    pub(super) fn branch(&mut self, op: u8) -> Branch {
        let at = self.bytes.len();
        self.bytes.extend([op, 0, 0]);
        Branch(at)
    }

    /// Lets a branch go to the next instruction.
    pub(super) fn land(&mut self, branch: Branch) {
        let distance = i16::try_from(self.bytes.len() - branch.0).expect("internal: short code");
        self.bytes[branch.0 + 1..branch.0 + 3].copy_from_slice(&distance.to_be_bytes());
    }
}

/// A branch that waits for its target.
#[derive(Debug)]
pub(super) struct Branch(usize);
