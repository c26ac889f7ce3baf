//! `StringConcatFactory.makeConcatWithConstants`: one adapter for all sites whose arguments have
//! the same kinds; what lies between the arguments is the site's appendix.
//!
//! The appendix is an `Object[]`: first a `byte[]` with one byte per piece (an argument's kind, or
//! `L` for a literal), then the literals in order. Objects, floats and doubles are made strings by
//! the JDK's own methods, in order; the rest is one native.

use std::sync::Arc;

use classfile::{ClassBytes, ClassFile};

use crate::class::{Class, flags};
use crate::frame::Res;
use crate::heap::ELEMENTS_OFFSET;
use crate::link::DefineOptions;
use crate::native::Args;
use crate::reflection::members::descriptor_parts;
use crate::spin::Site;
use crate::spin::class_writer::{ClassWriter, Code, Member, op};
use crate::spin::lambda::kind_of;
use crate::value::{ClassId, Kind, LoaderId, Ref};
use crate::vm::Vm;

/// More words of arguments than the JDK allows.
const TOO_MANY: u16 = 200;

const HELPER: &[u8] = b"java/lang/StringConcatHelper";
const CLASS_NAME: &[u8] = b"java/lang/String$$StringConcat";
const STRING: &[u8] = b"Ljava/lang/String;";
const APPENDIX: &[u8] = b"[Ljava/lang/Object;";
/// The native in the adapter's class.
pub(crate) const JOIN: &[u8] = b"join";

/// A piece of the result.
enum Piece {
    Argument,
    Literal(Vec<u16>),
}

impl Vm {
    /// Links a concatenation, or declines.
    pub(super) fn link_concat(&mut self, site: &Site<'_>) -> Res<bool> {
        let pool = site.file.constant_pool();
        let mut types = descriptor_parts(site.descriptor);
        if types.pop() != Some(STRING) {
            return Ok(false);
        }
        let n_words: u16 = types.iter().map(|descriptor| kind_of(descriptor).slots()).sum();
        let Some((&recipe, constants)) = site.bootstrap.arguments.split_first() else {
            return Ok(false);
        };
        let Some(recipe) = pool.try_string(recipe) else { return Ok(false) };
        let mut texts = Vec::with_capacity(constants.len());
        for &constant in constants {
            let Some(text) = pool.try_string(constant) else { return Ok(false) };
            texts.push(text);
        }
        let Some(pieces) = pieces_of(recipe, &texts) else { return Ok(false) };
        let n_arguments = pieces.iter().filter(|piece| matches!(piece, Piece::Argument)).count();
        if n_words > TOO_MANY || n_arguments != types.len() {
            return Ok(false);
        }
        let loader = self.class(site.caller).loader;
        self.load_types(loader, site.descriptor)?;
        let shape: Vec<u8> = types.iter().map(|descriptor| shape_of(descriptor)).collect();
        let class = self.concat_class(&shape)?;
        let appendix = self.concat_appendix(&shape, &pieces)?;
        self.keep_spun_site(site.caller, site.number, class, appendix)?;
        Ok(true)
    }

    fn concat_appendix(&mut self, shape: &[u8], pieces: &[Piece]) -> Res<Ref> {
        let mut plan = Vec::with_capacity(pieces.len());
        let mut parts = vec![Ref::NULL];
        let mut kinds = shape.iter();
        for piece in pieces {
            match piece {
                // Objects and such are strings by then.
                Piece::Argument => plan.push(match kinds.next() {
                    Some(b'O' | b'F' | b'D') | None => b'S',
                    Some(&kind) => kind,
                }),
                Piece::Literal(units) => {
                    plan.push(b'L');
                    parts.push(self.new_string_utf16(units)?);
                }
            }
        }
        parts[0] = self.new_byte_array(&plan)?;
        self.new_ref_array(self.known.object, &parts)
    }

    /// The adapter's class for arguments of these kinds.
    fn concat_class(&mut self, shape: &[u8]) -> Res<ClassId> {
        let known = self.spun.concats.get(shape).cloned();
        if let Some(known) = &known
            && self.classes.get(known.id.idx()).is_some_and(|rt| Arc::ptr_eq(&rt.class, known))
        {
            return Ok(known.id);
        }
        let file = match known.as_ref().and_then(|known| known.file().cloned()) {
            Some(file) => file,
            None => {
                let bytes = ClassBytes::from_vec(write_class(shape));
                let file =
                    ClassFile::parse(bytes).expect("internal: the machine writes sound classes");
                Arc::new(file)
            }
        };
        let helper = self.load_class(LoaderId::BOOT, HELPER)?;
        let options =
            DefineOptions { hidden_for: Some(helper), is_spun: true, ..DefineOptions::default() };
        let class = self.define_parsed(LoaderId::BOOT, file, &options)?;
        let linked: Arc<Class> = Arc::clone(self.class(class));
        self.spun.concats.insert(shape.to_vec(), linked);
        Ok(class)
    }
}

/// `I` for what prints as an `int`, `S` for strings, `O` for other objects, else the descriptor.
fn shape_of(descriptor: &[u8]) -> u8 {
    match descriptor {
        b"B" | b"S" | b"I" => b'I',
        STRING => b'S',
        [b'L' | b'[', ..] => b'O',
        _ => descriptor.first().copied().unwrap_or(b'O'),
    }
}

/// Takes a recipe apart: 1 stands for an argument, 2 for the next constant.
fn pieces_of(recipe: &[u8], constants: &[&[u8]]) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut literal: Vec<u16> = Vec::new();
    let mut constants = constants.iter();
    for unit in classfile::mutf8::decode(recipe) {
        match unit {
            1 => {
                if !literal.is_empty() {
                    pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                }
                pieces.push(Piece::Argument);
            }
            2 => literal.extend(classfile::mutf8::decode(constants.next()?)),
            unit => literal.push(unit),
        }
    }
    if !literal.is_empty() {
        pieces.push(Piece::Literal(literal));
    }
    constants.next().is_none().then_some(pieces)
}

/// The descriptor of an argument of a shape.
fn shape_descriptor(shape: u8) -> &'static [u8] {
    match shape {
        b'I' => b"I",
        b'J' => b"J",
        b'C' => b"C",
        b'Z' => b"Z",
        b'F' => b"F",
        b'D' => b"D",
        b'S' => STRING,
        _ => b"Ljava/lang/Object;",
    }
}

fn write_class(shape: &[u8]) -> Vec<u8> {
    let mut class = ClassWriter::default();
    let joined: Vec<&[u8]> = shape
        .iter()
        .map(
            |kind| {
                if matches!(kind, b'O' | b'F' | b'D') { STRING } else { shape_descriptor(*kind) }
            },
        )
        .collect();
    let join = [b"(", joined.concat().as_slice(), APPENDIX, b")", STRING].concat();
    if shape.iter().any(|kind| matches!(kind, b'O' | b'F' | b'D')) {
        let taken: Vec<&[u8]> = shape.iter().map(|kind| shape_descriptor(*kind)).collect();
        let descriptor = [b"(", taken.concat().as_slice(), APPENDIX, b")", STRING].concat();
        let code = adapter(&mut class, shape, &join);
        class.method(flags::STATIC, b"concat", &descriptor, code);
    }
    class.native_method(flags::STATIC | flags::NATIVE, JOIN, &join);
    class.finish(flags::FINAL | flags::SYNCHRONIZED | flags::SYNTHETIC, CLASS_NAME, &[])
}

fn adapter(class: &mut ClassWriter, shape: &[u8], join: &[u8]) -> Code {
    let mut code = Code::default();
    let mut slot = 0;
    let mut n_words = 4;
    for &shape in shape {
        let descriptor = shape_descriptor(shape);
        let kind = kind_of(descriptor);
        code.load(kind, slot);
        if matches!(shape, b'O' | b'F' | b'D') {
            let (holder, name): (&[u8], &[u8]) = if shape == b'O' {
                (HELPER, b"stringOf")
            } else {
                (b"java/lang/String", b"valueOf")
            };
            let descriptor = [b"(", descriptor, b")", STRING].concat();
            let member = Member { class: holder, name, descriptor: &descriptor };
            code.op_idx(op::INVOKESTATIC, class.method_ref(false, member));
        }
        slot += kind.slots();
        n_words += kind.slots();
    }
    code.load(Kind::Ref, slot);
    let member = Member { class: CLASS_NAME, name: JOIN, descriptor: join };
    code.op_idx(op::INVOKESTATIC, class.method_ref(false, member));
    code.op(op::ARETURN);
    code.max_locals = slot + 1;
    code.max_stack = n_words;
    code
}

/// The native behind all adapters: the appendix is the last argument.
pub(crate) fn join(vm: &mut Vm, mut args: Args<'_>) -> Res<u64> {
    let appendix = args.last_reference();
    let plan = vm.heap.element_ref(appendix, 0);
    let n_pieces = vm.heap.array_length(plan);
    let mut text = Text::default();
    let mut literal = 0;
    for idx in 0..n_pieces {
        match vm.heap.load_u8(plan, ELEMENTS_OFFSET + idx) {
            b'I' => text.push_ascii(args.int().to_string().as_bytes()),
            b'J' => text.push_ascii(args.long().to_string().as_bytes()),
            b'Z' => text.push_ascii(if args.boolean() { b"true" } else { b"false" }),
            #[expect(clippy::cast_possible_truncation, reason = "a char fills 16 bits")]
            b'C' => text.push_unit(args.int().cast_unsigned() as u16),
            b'L' => {
                literal += 1;
                let literal = vm.heap.element_ref(appendix, literal);
                text.push_string(vm, literal);
            }
            _ => match args.reference().some() {
                Some(string) => text.push_string(vm, string),
                None => text.push_ascii(b"null"),
            },
        }
    }
    text.finish(vm)
}

/// Text in the making: Latin-1 as long as it can be.
#[derive(Default)]
struct Text {
    latin1: Vec<u8>,
    utf16: Option<Vec<u16>>,
}

impl Text {
    fn push_ascii(&mut self, bytes: &[u8]) {
        match &mut self.utf16 {
            Some(units) => units.extend(bytes.iter().map(|&byte| u16::from(byte))),
            None => self.latin1.extend_from_slice(bytes),
        }
    }

    fn push_unit(&mut self, unit: u16) {
        match u8::try_from(unit) {
            Ok(byte) => self.push_ascii(&[byte]),
            Err(_) => self.widen().push(unit),
        }
    }

    fn push_string(&mut self, vm: &Vm, string: Ref) {
        let value = vm.heap.load_ref(string, vm.known.string_value);
        let len = vm.heap.array_length(value) as usize;
        let bytes = vm.heap.bytes(value, ELEMENTS_OFFSET, len);
        if vm.heap.load_u8(string, vm.known.string_coder) == 0 {
            self.push_ascii(bytes);
        } else {
            let units = bytes.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]]));
            self.widen().extend(units);
        }
    }

    fn widen(&mut self) -> &mut Vec<u16> {
        let latin1 = &mut self.latin1;
        self.utf16
            .get_or_insert_with(|| std::mem::take(latin1).into_iter().map(u16::from).collect())
    }

    fn finish(self, vm: &mut Vm) -> Res<u64> {
        Ok(match self.utf16 {
            Some(units) => vm.new_string_utf16(&units)?,
            None => vm.new_string_latin1(&self.latin1)?,
        }
        .to_slot())
    }
}
