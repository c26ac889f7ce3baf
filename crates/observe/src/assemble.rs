//! Writes small class files in memory, for the few classes a tool must put before Java code: listeners
//! and requests of JUnit whose work is done by natives in Rust, and stand-ins for interfaces.
//!
//! Only what such classes need: code without loops over the stack, branches to places where the stack
//! is empty and the locals are the arguments, handlers that find the exception alone. So every frame
//! of the `StackMapTable` (JVMS §4.7.4) has one of two forms, and depths are counted while writing.

use std::collections::BTreeMap;

use classfile::MethodDescriptor;
use vm::value::Kind;

/// Class files of Java 8 run on every JDK that is supported.
const MAJOR_VERSION: u16 = 52;

/// Longest string constant, in bytes (JVMS §4.4.7).
pub const LONGEST_TEXT: usize = 0xFFFF;

const ACC_PUBLIC: u16 = 0x0001;
const ACC_STATIC: u16 = 0x0008;
const ACC_FINAL: u16 = 0x0010;
const ACC_SUPER: u16 = 0x0020;
const ACC_NATIVE: u16 = 0x0100;

/// A class file that is being written.
#[derive(Debug)]
pub struct Assembler {
    name: String,
    pool: Pool,
    this_class: u16,
    super_class: u16,
    interfaces: Vec<u16>,
    fields: Vec<u8>,
    n_fields: u16,
    methods: Vec<u8>,
    n_methods: u16,
}

/// The body of a method that is being written.
#[derive(Debug)]
pub struct Code<'a> {
    pool: &'a mut Pool,
    bytes: Vec<u8>,
    depth: u16,
    max_stack: u16,
    max_locals: u16,
    labels: Vec<Option<u16>>,
    /// Where a branch's offset stands, where its instruction does, and its label.
    branches: Vec<(usize, usize, Label)>,
    handlers: Vec<[u16; 4]>,
    frames: BTreeMap<u16, Frame>,
}

/// A place in code, before or after it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label(usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// Nothing on the stack.
    Empty,
    /// One object of this class on the stack.
    One(u16),
}

/// Whether a method has a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receiver {
    /// An instance method.
    This,
    /// A static method.
    None,
}

impl Assembler {
    /// A public final class with this internal name, superclass and interfaces.
    pub fn new(name: &str, super_class: &str, interfaces: &[&str]) -> Assembler {
        let mut pool = Pool::default();
        let this_class = pool.class(name);
        let super_class = pool.class(super_class);
        let interfaces = interfaces.iter().map(|interface| pool.class(interface)).collect();
        Assembler {
            name: name.to_owned(),
            pool,
            this_class,
            super_class,
            interfaces,
            fields: Vec::new(),
            n_fields: 0,
            methods: Vec::new(),
            n_methods: 0,
        }
    }

    /// Internal name of the class.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds a public instance field.
    pub fn field(&mut self, name: &str, descriptor: &str) {
        let (name, descriptor) = (self.pool.utf8(name), self.pool.utf8(descriptor));
        put(&mut self.fields, &[ACC_PUBLIC, name, descriptor, 0]);
        self.n_fields += 1;
    }

    /// Adds a public native method.
    pub fn native(&mut self, name: &str, descriptor: &str, receiver: Receiver) {
        let access =
            ACC_PUBLIC | ACC_NATIVE | if receiver == Receiver::None { ACC_STATIC } else { 0 };
        let (name, descriptor) = (self.pool.utf8(name), self.pool.utf8(descriptor));
        put(&mut self.methods, &[access, name, descriptor, 0]);
        self.n_methods += 1;
    }

    /// Adds the public constructor without arguments; it calls the superclass's.
    pub fn constructor(&mut self, super_class: &str) {
        self.method("<init>", "()V", Receiver::This, |code| {
            code.load(0).invoke_special(super_class, "<init>", "()V").return_void();
        });
    }

    /// Adds a public method with a body.
    pub fn method(
        &mut self,
        name: &str,
        descriptor: &str,
        receiver: Receiver,
        body: impl FnOnce(&mut Code<'_>),
    ) {
        let access = ACC_PUBLIC | if receiver == Receiver::None { ACC_STATIC } else { 0 };
        let (n_args, _) = words_of(descriptor);
        let code_attribute = self.pool.utf8("Code");
        let (name, descriptor) = (self.pool.utf8(name), self.pool.utf8(descriptor));
        let mut code = Code {
            pool: &mut self.pool,
            bytes: Vec::new(),
            depth: 0,
            max_stack: 0,
            max_locals: n_args + u16::from(receiver == Receiver::This),
            labels: Vec::new(),
            branches: Vec::new(),
            handlers: Vec::new(),
            frames: BTreeMap::new(),
        };
        body(&mut code);
        let content = code.finish();
        put(&mut self.methods, &[access, name, descriptor, 1, code_attribute]);
        put_long(&mut self.methods, content.len());
        self.methods.extend(content);
        self.n_methods += 1;
    }

    /// The bytes of the class file.
    pub fn finish(self) -> Vec<u8> {
        let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE];
        put(&mut bytes, &[0, MAJOR_VERSION, self.pool.n_entries + 1]);
        bytes.extend(&self.pool.bytes);
        put(&mut bytes, &[ACC_PUBLIC | ACC_FINAL | ACC_SUPER, self.this_class, self.super_class]);
        put(&mut bytes, &[narrow(self.interfaces.len())]);
        put(&mut bytes, &self.interfaces);
        put(&mut bytes, &[self.n_fields]);
        bytes.extend(&self.fields);
        put(&mut bytes, &[self.n_methods]);
        bytes.extend(&self.methods);
        put(&mut bytes, &[0]);
        bytes
    }
}

/// One method per instruction, named by mnemonic where that is a word.
impl Code<'_> {
    /// `aload`.
    pub fn load(&mut self, local: u8) -> &mut Self {
        self.op(&[0x19, local], 1)
    }

    /// `iload`.
    pub fn load_int(&mut self, local: u8) -> &mut Self {
        self.op(&[0x15, local], 1)
    }

    /// The load instruction for values of a kind.
    pub fn load_kind(&mut self, kind: Kind, local: u8) -> &mut Self {
        let opcode = match kind {
            Kind::Long => 0x16,
            Kind::Float => 0x17,
            Kind::Double => 0x18,
            Kind::Ref => 0x19,
            _ => 0x15,
        };
        self.op(&[opcode, local], words(kind))
    }

    /// `astore`. The local is forgotten at the next label.
    pub fn store(&mut self, local: u8) -> &mut Self {
        self.max_locals = self.max_locals.max(u16::from(local) + 1);
        self.op(&[0x3A, local], -1)
    }

    /// `aconst_null`.
    pub fn null(&mut self) -> &mut Self {
        self.op(&[0x01], 1)
    }

    /// `bipush`.
    pub fn int(&mut self, value: i8) -> &mut Self {
        self.op(&[0x10, value.cast_unsigned()], 1)
    }

    /// `ldc_w` of an `int`, and of everything that is one on the stack.
    pub fn int_constant(&mut self, value: i32) -> &mut Self {
        let idx = self.pool.number(3, &value.to_be_bytes());
        self.indexed(0x13, idx, 1)
    }

    /// `ldc_w` of a `float` by its bits.
    pub fn float_constant(&mut self, bits: u32) -> &mut Self {
        let idx = self.pool.number(4, &bits.to_be_bytes());
        self.indexed(0x13, idx, 1)
    }

    /// `ldc2_w` of a `long`.
    pub fn long_constant(&mut self, value: i64) -> &mut Self {
        let idx = self.pool.number(5, &value.to_be_bytes());
        self.indexed(0x14, idx, 2)
    }

    /// `ldc2_w` of a `double` by its bits.
    pub fn double_constant(&mut self, bits: u64) -> &mut Self {
        let idx = self.pool.number(6, &bits.to_be_bytes());
        self.indexed(0x14, idx, 2)
    }

    /// `ldc_w` of a string in UTF-16, at most [`LONGEST_TEXT`] bytes when encoded.
    pub fn text(&mut self, units: &[u16]) -> &mut Self {
        let text = self.pool.utf8_units(units.iter().copied());
        let idx = self.pool.tagged(8, &[text]);
        self.indexed(0x13, idx, 1)
    }

    /// `ldc_w` of a string.
    pub fn string(&mut self, text: &str) -> &mut Self {
        let idx = self.pool.string(text);
        self.indexed(0x13, idx, 1)
    }

    /// `ldc_w` of a class.
    pub fn class(&mut self, name: &str) -> &mut Self {
        let idx = self.pool.class(name);
        self.indexed(0x13, idx, 1)
    }

    /// `new` and `dup`.
    pub fn new_dup(&mut self, class: &str) -> &mut Self {
        let idx = self.pool.class(class);
        self.indexed(0xBB, idx, 1).op(&[0x59], 1)
    }

    /// `newarray` or `anewarray`, of as many elements as is on the stack; `class` is that of references.
    pub fn new_array(&mut self, kind: Kind, class: &str) -> &mut Self {
        let tag = match kind {
            Kind::Boolean => 4,
            Kind::Char => 5,
            Kind::Float => 6,
            Kind::Double => 7,
            Kind::Byte => 8,
            Kind::Short => 9,
            Kind::Int => 10,
            Kind::Long => 11,
            Kind::Ref | Kind::Void => {
                let idx = self.pool.class(class);
                return self.indexed(0xBD, idx, 0);
            }
        };
        self.op(&[0xBC, tag], 0)
    }

    /// `swap`.
    pub fn swap(&mut self) -> &mut Self {
        self.op(&[0x5F], 0)
    }

    /// `pop`.
    pub fn pop(&mut self) -> &mut Self {
        self.op(&[0x57], -1)
    }

    /// `getstatic`.
    pub fn get_static(&mut self, class: &str, name: &str, descriptor: &str) -> &mut Self {
        let idx = self.pool.member(9, class, name, descriptor);
        self.indexed(0xB2, idx, call_effect(&format!("(){descriptor}")))
    }

    /// `getfield`.
    pub fn get_field(&mut self, class: &str, name: &str, descriptor: &str) -> &mut Self {
        let idx = self.pool.member(9, class, name, descriptor);
        self.indexed(0xB4, idx, 0)
    }

    /// `checkcast`.
    pub fn cast(&mut self, class: &str) -> &mut Self {
        let idx = self.pool.class(class);
        self.indexed(0xC0, idx, 0)
    }

    /// `instanceof`.
    pub fn instance_of(&mut self, class: &str) -> &mut Self {
        let idx = self.pool.class(class);
        self.indexed(0xC1, idx, 0)
    }

    /// `invokevirtual`.
    pub fn invoke_virtual(&mut self, class: &str, name: &str, descriptor: &str) -> &mut Self {
        let idx = self.pool.member(10, class, name, descriptor);
        let effect = call_effect(descriptor) - 1;
        self.indexed(0xB6, idx, effect)
    }

    /// `invokespecial`.
    pub fn invoke_special(&mut self, class: &str, name: &str, descriptor: &str) -> &mut Self {
        let idx = self.pool.member(10, class, name, descriptor);
        let effect = call_effect(descriptor) - 1;
        self.indexed(0xB7, idx, effect)
    }

    /// `invokestatic` of a class's method.
    pub fn invoke_static(&mut self, class: &str, name: &str, descriptor: &str) -> &mut Self {
        let idx = self.pool.member(10, class, name, descriptor);
        self.indexed(0xB8, idx, call_effect(descriptor))
    }

    /// `invokeinterface`.
    pub fn invoke_interface(&mut self, class: &str, name: &str, descriptor: &str) -> &mut Self {
        let idx = self.pool.member(11, class, name, descriptor);
        let (n_args, _) = words_of(descriptor);
        let count = n_args.to_be_bytes()[1] + 1;
        let effect = call_effect(descriptor) - 1;
        self.indexed(0xB9, idx, effect).op(&[count, 0], 0)
    }

    /// A label that is placed later.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Places a label; the stack is empty here and the locals are the arguments.
    pub fn place(&mut self, label: Label) -> &mut Self {
        let here = narrow(self.bytes.len());
        self.labels[label.0] = Some(here);
        self.frames.insert(here, Frame::Empty);
        self.depth = 0;
        self
    }

    /// `ifeq`.
    pub fn if_zero(&mut self, to: Label) -> &mut Self {
        self.branch(0x99, to, -1)
    }

    /// `ifnull`.
    pub fn if_null(&mut self, to: Label) -> &mut Self {
        self.branch(0xC6, to, -1)
    }

    /// `if_acmpne`.
    pub fn if_not_same(&mut self, to: Label) -> &mut Self {
        self.branch(0xA6, to, -2)
    }

    /// `goto`.
    pub fn go_to(&mut self, to: Label) -> &mut Self {
        self.branch(0xA7, to, 0)
    }

    /// `return`.
    pub fn return_void(&mut self) -> &mut Self {
        self.op(&[0xB1], 0)
    }

    /// `areturn`.
    pub fn return_object(&mut self) -> &mut Self {
        self.op(&[0xB0], -1)
    }

    /// `ireturn`.
    pub fn return_int(&mut self) -> &mut Self {
        self.op(&[0xAC], -1)
    }

    /// The return instruction for values of a kind.
    pub fn return_kind(&mut self, kind: Kind) -> &mut Self {
        let opcode = match kind {
            Kind::Void => 0xB1,
            Kind::Long => 0xAD,
            Kind::Float => 0xAE,
            Kind::Double => 0xAF,
            Kind::Ref => 0xB0,
            _ => 0xAC,
        };
        self.op(&[opcode], -words(kind))
    }

    /// `athrow`.
    pub fn throw(&mut self) -> &mut Self {
        self.op(&[0xBF], -1)
    }

    /// What `body` writes is protected; here begins the handler of all that is thrown in it, with the
    /// exception on the stack. `body` must not fall out of its end.
    pub fn catch_all(&mut self, body: impl FnOnce(&mut Self)) -> &mut Self {
        let start = narrow(self.bytes.len());
        body(self);
        let end = narrow(self.bytes.len());
        let throwable = self.pool.class("java/lang/Throwable");
        self.handlers.push([start, end, end, 0]);
        self.frames.insert(end, Frame::One(throwable));
        self.depth = 1;
        self.max_stack = self.max_stack.max(1);
        self
    }

    fn op(&mut self, bytes: &[u8], effect: i16) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self.depth =
            self.depth.checked_add_signed(effect).expect("internal: assembled code pops too much");
        self.max_stack = self.max_stack.max(self.depth);
        self
    }

    fn indexed(&mut self, opcode: u8, idx: u16, effect: i16) -> &mut Self {
        let [high, low] = idx.to_be_bytes();
        self.op(&[opcode, high, low], effect)
    }

    fn branch(&mut self, opcode: u8, to: Label, effect: i16) -> &mut Self {
        let at = self.bytes.len();
        self.branches.push((at + 1, at, to));
        self.op(&[opcode, 0, 0], effect)
    }

    /// The content of the `Code` attribute.
    fn finish(mut self) -> Vec<u8> {
        for &(at, instruction, label) in &self.branches {
            let target = self.labels[label.0].expect("internal: label without a place");
            let offset = i32::from(target) - i32::from(narrow(instruction));
            let offset = i16::try_from(offset).expect("internal: assembled code is small");
            self.bytes[at..at + 2].copy_from_slice(&offset.to_be_bytes());
        }
        let mut content = Vec::new();
        put(&mut content, &[self.max_stack, self.max_locals]);
        put_long(&mut content, self.bytes.len());
        content.extend(&self.bytes);
        put(&mut content, &[narrow(self.handlers.len())]);
        for handler in &self.handlers {
            put(&mut content, handler);
        }
        if self.frames.is_empty() {
            put(&mut content, &[0]);
            return content;
        }
        let mut table = Vec::new();
        put(&mut table, &[narrow(self.frames.len())]);
        let mut expected = 0;
        for (&place, &frame) in &self.frames {
            let delta = (place - expected).to_be_bytes();
            match frame {
                // same_frame_extended
                Frame::Empty => table.extend([251, delta[0], delta[1]]),
                // same_locals_1_stack_item_frame_extended, Object_variable_info
                Frame::One(class) => {
                    let [high, low] = class.to_be_bytes();
                    table.extend([247, delta[0], delta[1], 7, high, low]);
                }
            }
            expected = place + 1;
        }
        let name = self.pool.utf8("StackMapTable");
        put(&mut content, &[1, name]);
        put_long(&mut content, table.len());
        content.extend(table);
        content
    }
}

/// The constant pool; equal constants are one.
#[derive(Debug, Default)]
struct Pool {
    bytes: Vec<u8>,
    n_entries: u16,
    known: BTreeMap<Vec<u8>, u16>,
}

impl Pool {
    fn add(&mut self, entry: Vec<u8>) -> u16 {
        if let Some(&known) = self.known.get(&entry) {
            return known;
        }
        self.bytes.extend(&entry);
        self.n_entries += 1;
        self.known.insert(entry, self.n_entries);
        self.n_entries
    }

    /// A number; those of eight bytes take two places (JVMS §4.4.5).
    fn number(&mut self, tag: u8, bytes: &[u8]) -> u16 {
        let mut entry = vec![tag];
        entry.extend(bytes);
        let n_before = self.n_entries;
        let idx = self.add(entry);
        if n_before < self.n_entries && bytes.len() == 8 {
            self.n_entries += 1;
        }
        idx
    }

    fn utf8(&mut self, text: &str) -> u16 {
        self.utf8_units(text.encode_utf16())
    }

    fn utf8_units(&mut self, units: impl Iterator<Item = u16>) -> u16 {
        let text = classfile::mutf8::encode(units);
        let mut entry = vec![1];
        put(&mut entry, &[narrow(text.len())]);
        entry.extend(text);
        self.add(entry)
    }

    fn tagged(&mut self, tag: u8, indices: &[u16]) -> u16 {
        let mut entry = vec![tag];
        put(&mut entry, indices);
        self.add(entry)
    }

    fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.tagged(7, &[name])
    }

    fn string(&mut self, text: &str) -> u16 {
        let text = self.utf8(text);
        self.tagged(8, &[text])
    }

    fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> u16 {
        let class = self.class(class);
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let name_and_type = self.tagged(12, &[name, descriptor]);
        self.tagged(tag, &[class, name_and_type])
    }
}

/// Words that a value of a kind takes on the stack.
fn words(kind: Kind) -> i16 {
    match kind {
        Kind::Void => 0,
        Kind::Long | Kind::Double => 2,
        _ => 1,
    }
}

/// Words of the arguments and of the result.
fn words_of(descriptor: &str) -> (u16, u16) {
    let parsed = MethodDescriptor::parse(descriptor.as_bytes())
        .expect("internal: assembled call has a broken descriptor");
    (narrow(parsed.arg_slots()), parsed.return_type().map_or(0, |result| narrow(result.slots())))
}

/// How a call changes the depth of the stack, without a receiver.
fn call_effect(descriptor: &str) -> i16 {
    let (n_args, result) = words_of(descriptor);
    result.cast_signed() - n_args.cast_signed()
}

fn put(bytes: &mut Vec<u8>, halves: &[u16]) {
    for half in halves {
        bytes.extend(half.to_be_bytes());
    }
}

fn put_long(bytes: &mut Vec<u8>, length: usize) {
    let length = u32::try_from(length).expect("internal: assembled class files are small");
    bytes.extend(length.to_be_bytes());
}

fn narrow(length: usize) -> u16 {
    u16::try_from(length).expect("internal: assembled class files are small")
}
