//! Constants of a class's own code that its branches may turn on: numbers and texts that it compares with, then
//! others, but no text that only people read.

use classfile::instructions::{self, Flow, Instruction};
use classfile::{ClassFile, Constant as Entry};
use observe::session::Session;
use suite::constant::Constant;

use super::{Argument, Pool};

/// Constants of one type that are taken from one class, at most.
const MOST: usize = 4;
/// Longest text that is taken, in bytes.
const LONGEST: usize = 40;

/// Marks in the texts by which compilers describe concatenations (`StringConcatFactory`); no code sees them.
const CONCATENATION: [u16; 2] = [1, 2];

/// `ldc`, `ldc_w`, `ldc2_w`: what is too large or too special for an instruction of its own.
const LARGE: std::ops::RangeInclusive<u8> = 18..=20;
/// Loads of locals onto the stack.
const LOADS: std::ops::RangeInclusive<u8> = 21..=45;
/// `iaload`.
const INT_OF_ARRAY: u8 = 46;
/// `lcmp` and those of `float` and `double`.
const COMPARES: std::ops::RangeInclusive<u8> = 148..=152;
/// Conditional branches that compare with zero.
const BRANCHES: std::ops::RangeInclusive<u8> = 153..=158;
/// Conditional branches that compare two `int`s.
const INT_BRANCHES: std::ops::RangeInclusive<u8> = 159..=164;
const INVOKE_DYNAMIC: u8 = 186;
const THROW: u8 = 191;

/// What a class does with a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    /// It compares with it.
    Compared,
    /// Something else.
    Other,
}

/// Adds the constants of a class, the most telling ones of each type; beside a number above which code goes another
/// way, the next one.
pub(super) fn collect(session: &mut Session, class: &str, pool: &mut Pool) {
    let Ok(id) = session.load(class) else { return };
    let Some(file) = session.vm.class(id).file().cloned() else { return };
    let mut found = Vec::new();
    for code in file.methods().iter().filter_map(|method| method.code.as_ref()) {
        let bytes = file.instructions(code);
        let body = Body { file: &file, bytes, all: instructions::iter(bytes).collect() };
        body.collect(&mut found);
    }
    found.sort_by_key(|&(used, _)| used);
    for (_, constant) in found {
        if let Some(of) = constant.natural_type().filter(|of| pool.of(of).len() < MOST) {
            pool.add(of, Argument::Constant(constant));
        }
    }
}

/// The constants of a class, few of each type.
pub(crate) fn of_class(session: &mut Session, class: &str) -> Vec<Constant> {
    let mut pool = Pool::default();
    collect(session, class, &mut pool);
    pool.constants()
}

/// A method's code.
struct Body<'a> {
    file: &'a ClassFile,
    bytes: &'a [u8],
    all: Vec<Instruction>,
}

impl Body<'_> {
    fn collect(&self, found: &mut Vec<(Use, Constant)>) {
        let pool = self.file.constant_pool();
        let mut turns_on_text = false;
        for (idx, instruction) in self.all.iter().enumerate() {
            if let Flow::Switch(_) = instruction.flow {
                // A switch of texts is one of their hashes, then one of numbers that compilers make up.
                let is_made_up = std::mem::replace(&mut turns_on_text, self.is_hash(idx));
                if !is_made_up && !turns_on_text && !self.is_enum(idx) {
                    let cases = instruction.cases(self.bytes).into_iter().take(MOST);
                    let cases = cases.map(Constant::Int);
                    found.extend(cases.flat_map(compared));
                }
                continue;
            }
            let Some(pushed) = instruction.pushed(self.bytes, pool) else { continue };
            let is_large = LARGE.contains(&instruction.opcode);
            let (constant, next) = match pushed {
                Entry::Integer(value) => {
                    (Constant::Int(value), value.checked_add(1).map(Constant::Int))
                }
                Entry::Long(value) => {
                    (Constant::Long(value), value.checked_add(1).map(Constant::Long))
                }
                Entry::Float(bits) => {
                    let next = f32::from_bits(bits) + 1.0;
                    (Constant::Float(bits), Some(Constant::Float(next.to_bits())))
                }
                Entry::Double(bits) => {
                    let next = f64::from_bits(bits) + 1.0;
                    (Constant::Double(bits), Some(Constant::Double(next.to_bits())))
                }
                Entry::String { utf8 } => {
                    if let Some(used) = self.use_of_text(idx) {
                        let text = pool.try_utf8(utf8).filter(|text| text.len() <= LONGEST);
                        found.extend(text.and_then(text_of).map(|text| (used, text)));
                    }
                    continue;
                }
                _ => continue,
            };
            match self.comparison(idx) {
                Some(turns_above) => {
                    found.extend(compared(constant));
                    found.extend(next.filter(|_| turns_above).map(|next| (Use::Compared, next)));
                }
                None if is_large => found.push((Use::Other, constant)),
                None => {}
            }
        }
    }

    /// Whether the switch is on the hash of a text.
    fn is_hash(&self, idx: usize) -> bool {
        let before = idx.checked_sub(1).and_then(|before| self.all.get(before));
        let called = before.and_then(|call| call.called(self.bytes, self.file.constant_pool()));
        called.is_some_and(|(class, name, _)| (class, name) == (b"java/lang/String", b"hashCode"))
    }

    /// Whether the switch is on the place of an `enum`'s constant, or on which pattern matches.
    fn is_enum(&self, idx: usize) -> bool {
        let before = idx.checked_sub(1).map_or(0, |before| self.opcode(before));
        [INT_OF_ARRAY, INVOKE_DYNAMIC].contains(&before)
    }

    fn opcode(&self, idx: usize) -> u8 {
        self.all.get(idx).map_or(0, |instruction| instruction.opcode)
    }

    /// Whether a number is compared with another, and if so, whether the number itself and all that is less take one
    /// way, and all that is more the other.
    fn comparison(&self, idx: usize) -> Option<bool> {
        // In `7 < n` something stands between the number and the comparison.
        let is_left = LOADS.contains(&self.opcode(idx + 1));
        let at = idx + 1 + usize::from(is_left);
        let branch = match self.opcode(at) {
            opcode if INT_BRANCHES.contains(&opcode) => opcode - INT_BRANCHES.start(),
            opcode if COMPARES.contains(&opcode) && BRANCHES.contains(&self.opcode(at + 1)) => {
                self.opcode(at + 1) - BRANCHES.start()
            }
            _ => return None,
        };
        // In order: eq, ne, lt, ge, gt, le.
        Some(if is_left { matches!(branch, 2 | 3) } else { matches!(branch, 4 | 5) })
    }

    /// What becomes of a text; `None` where people read it: in an exception, or as a part of a longer text.
    fn use_of_text(&self, idx: usize) -> Option<Use> {
        let behind = &self.all[idx + 1..];
        let end = behind.iter().find(|instruction| instruction.flow != Flow::Next);
        if end.is_some_and(|end| end.opcode == THROW) {
            return None;
        }
        let pool = self.file.constant_pool();
        let call = behind.iter().find_map(|instruction| instruction.called(self.bytes, pool));
        match call {
            Some((b"java/lang/StringBuilder" | b"java/lang/StringBuffer", b"append", _)) => None,
            Some((b"java/lang/String", name, _)) if name != b"format" => Some(Use::Compared),
            _ => Some(Use::Other),
        }
    }
}

fn text_of(bytes: &[u8]) -> Option<Constant> {
    let units: Vec<u16> = classfile::mutf8::decode(bytes).collect();
    let is_plain = !units.iter().any(|unit| CONCATENATION.contains(unit));
    is_plain.then(|| Constant::Text(units.into()))
}

/// A number that is compared, and the letter that it may stand for.
fn compared(number: Constant) -> impl Iterator<Item = (Use, Constant)> {
    let letter = letter(&number);
    letter.into_iter().chain([number]).map(|constant| (Use::Compared, constant))
}

/// The letter that a number stands for where letters are compared.
fn letter(constant: &Constant) -> Option<Constant> {
    match *constant {
        Constant::Int(number @ 0x20..=0x7e) => u16::try_from(number).ok().map(Constant::Char),
        _ => None,
    }
}
