//! Puts a mutant into its class: a class file that differs in one instruction of one method.
//!
//! Where the new code is longer than the instruction, what follows moves: jumps, switches, handlers,
//! line numbers, variables and the frames of the `StackMapTable` are rewritten (JVMS §4.7.3, §4.7.4).
//! Constants are never added, so everything else of the class stays as it is.

use classfile::instructions::{Flow, Instruction};
use classfile::{ClassFile, Code, ConstantPool};

use super::Mutant;
use super::body::Body;
use super::opcode::LOOKUPSWITCH;

/// A class file with a mutant in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutated {
    /// The bytes of the class file.
    pub class_file: Vec<u8>,
    /// Where instructions of the method were before, `(now, before)`, ascending.
    pub origins: Vec<(u16, u16)>,
}

impl Mutated {
    /// The bytecode index that an instruction of the mutated method had before.
    pub fn origin(&self, bci: u16) -> u16 {
        match self.origins.binary_search_by_key(&bci, |&(now, _)| now) {
            Ok(at) => self.origins[at].1,
            Err(0) => 0,
            Err(at) => self.origins[at - 1].1,
        }
    }
}

/// Bytes of a code attribute before its instructions: name, length, stack, locals, length of the code.
const HEAD: usize = 14;

/// The class file with the mutant in it; `None` where the method becomes too long for a class file, or
/// the mutant is none of this class.
pub fn apply(file: &ClassFile, mutant: &Mutant) -> Option<Mutated> {
    let info = file.methods().get(mutant.slot)?;
    let body = Body::new(file, info)?;
    let changed = body.at(mutant.bci)?;
    let moved = Moved::new(&body, changed, &mutant.code)?;
    let bytes: &[u8] = file.bytes();
    let at = body.code.code.start as usize;
    let content_len = u32::from_be_bytes(bytes.get(at - HEAD + 2..at - HEAD + 6)?.try_into().ok()?);
    let (start, end) = (at - HEAD + 6, at - HEAD + 6 + content_len as usize);
    let max_stack = body.code.max_stack.checked_add(mutant.extra_stack)?;

    let mut content = Vec::with_capacity(content_len as usize + 16);
    put_u16(&mut content, max_stack);
    put_u16(&mut content, body.code.max_locals);
    content.extend_from_slice(&u32::try_from(moved.code.len()).ok()?.to_be_bytes());
    content.extend_from_slice(&moved.code);
    handlers(&mut content, body.code, &moved);
    let tables_at = at + body.bytes.len() + 2 + 8 * body.code.exception_table.len();
    attributes(&mut content, file.constant_pool(), bytes.get(tables_at..end)?, &moved)?;

    let mut class_file = Vec::with_capacity(bytes.len() + 16);
    class_file.extend_from_slice(&bytes[..start - 4]);
    class_file.extend_from_slice(&u32::try_from(content.len()).ok()?.to_be_bytes());
    class_file.extend_from_slice(&content);
    class_file.extend_from_slice(bytes.get(end..)?);
    let origins = body.instructions.iter().map(|old| (moved.to[usize::from(old.pc)], old.pc));
    Some(Mutated { class_file, origins: origins.collect() })
}

/// The new instructions, and where every old one has gone.
struct Moved {
    code: Vec<u8>,
    /// By old bytecode index, the end included.
    to: Vec<u16>,
}

impl Moved {
    fn new(body: &Body<'_>, changed: usize, replacement: &[u8]) -> Option<Moved> {
        let mut to = vec![0; body.bytes.len() + 1];
        let mut at = 0;
        for (idx, old) in body.instructions.iter().enumerate() {
            to[usize::from(old.pc)] = u16::try_from(at).ok()?;
            at += match &old.flow {
                _ if idx == changed => replacement.len(),
                Flow::Switch(_) => {
                    let padding = |pc: usize| 3 - pc % 4;
                    body.bytes_of(idx).len() - padding(usize::from(old.pc)) + padding(at)
                }
                _ => body.bytes_of(idx).len(),
            };
        }
        to[body.bytes.len()] = u16::try_from(at).ok()?;
        let mut moved = Moved { code: Vec::with_capacity(at), to };
        for (idx, old) in body.instructions.iter().enumerate() {
            if idx == changed {
                moved.code.extend_from_slice(replacement);
            } else {
                moved.copy(body.bytes_of(idx), old)?;
            }
        }
        // A changed jump goes as far as before, so only what keeps its length may be one.
        let is_jump = !matches!(body.instructions[changed].flow, Flow::Next | Flow::End);
        let keeps_length = moved.code.len() == body.bytes.len();
        (!is_jump || keeps_length).then_some(moved)
    }

    fn copy(&mut self, bytes: &[u8], old: &Instruction) -> Option<()> {
        let here = i32::from(self.to[usize::from(old.pc)]);
        let distance = |to: &[u16], target: u16| i32::from(to[usize::from(target)]) - here;
        match &old.flow {
            Flow::Branch(target) | Flow::Jump(target) if bytes.len() == 3 => {
                let distance = i16::try_from(distance(&self.to, *target)).ok()?;
                self.code.push(bytes[0]);
                self.code.extend_from_slice(&distance.to_be_bytes());
            }
            Flow::Branch(target) | Flow::Jump(target) => {
                let distance = distance(&self.to, *target);
                self.code.push(bytes[0]);
                self.code.extend_from_slice(&distance.to_be_bytes());
            }
            Flow::Switch(targets) => {
                let (default, cases) = targets.split_last()?;
                let padding = 3 - usize::from(old.pc) % 4;
                let fixed = &bytes[1 + padding + 4..];
                self.code.push(bytes[0]);
                while !self.code.len().is_multiple_of(4) {
                    self.code.push(0);
                }
                self.code.extend_from_slice(&distance(&self.to, *default).to_be_bytes());
                if bytes[0] == LOOKUPSWITCH {
                    self.code.extend_from_slice(&fixed[..4]);
                    for (pair, &case) in fixed[4..].chunks_exact(8).zip(cases) {
                        self.code.extend_from_slice(&pair[..4]);
                        self.code.extend_from_slice(&distance(&self.to, case).to_be_bytes());
                    }
                } else {
                    self.code.extend_from_slice(&fixed[..8]);
                    for &case in cases {
                        self.code.extend_from_slice(&distance(&self.to, case).to_be_bytes());
                    }
                }
            }
            Flow::Next | Flow::End => self.code.extend_from_slice(bytes),
        }
        Some(())
    }

    /// Where an old bytecode index is now; one behind the end, which only broken tables have, stays.
    fn now(&self, pc: u16) -> u16 {
        self.to.get(usize::from(pc)).copied().unwrap_or(pc)
    }
}

fn handlers(content: &mut Vec<u8>, code: &Code, moved: &Moved) {
    put_u16(content, u16::try_from(code.exception_table.len()).unwrap_or(u16::MAX));
    for handler in &code.exception_table {
        put_u16(content, moved.now(handler.start_pc));
        put_u16(content, moved.now(handler.end_pc));
        put_u16(content, moved.now(handler.handler_pc));
        put_u16(content, handler.catch_type);
    }
}

/// Copies the attributes of the code, rewritten; those that nobody needs for running are left out.
fn attributes(content: &mut Vec<u8>, pool: &ConstantPool, old: &[u8], moved: &Moved) -> Option<()> {
    let mut reader = Cursor { bytes: old };
    let n_attributes = reader.u16()?;
    let count_at = content.len();
    put_u16(content, 0);
    let mut n_kept: u16 = 0;
    for _ in 0..n_attributes {
        let name = reader.u16()?;
        let len = u32::from_be_bytes(reader.take(4)?.try_into().ok()?);
        let mut table = Cursor { bytes: reader.take(len as usize)? };
        let mut rewritten = Vec::with_capacity(len as usize + 8);
        let is_kept = match pool.try_utf8(name)? {
            b"LineNumberTable" => rows(&mut rewritten, &mut table, moved, 1, no_length)?,
            b"LocalVariableTable" | b"LocalVariableTypeTable" => {
                rows(&mut rewritten, &mut table, moved, 4, with_length)?
            }
            b"StackMapTable" => frames(&mut rewritten, &mut table, moved)?,
            _ => false,
        };
        if is_kept {
            n_kept += 1;
            put_u16(content, name);
            content.extend_from_slice(&u32::try_from(rewritten.len()).ok()?.to_be_bytes());
            content.extend_from_slice(&rewritten);
        }
    }
    content[count_at..count_at + 2].copy_from_slice(&n_kept.to_be_bytes());
    Some(())
}

type FirstOther = fn(u16, u16, &Moved) -> u16;

fn no_length(_: u16, value: u16, _: &Moved) -> u16 {
    value
}

fn with_length(start: u16, length: u16, moved: &Moved) -> u16 {
    moved.now(start.saturating_add(length)) - moved.now(start)
}

/// A table of rows that begin with a bytecode index, with `n_others` words behind it.
fn rows(
    to: &mut Vec<u8>,
    from: &mut Cursor<'_>,
    moved: &Moved,
    n_others: usize,
    first_other: FirstOther,
) -> Option<bool> {
    let n_rows = from.u16()?;
    put_u16(to, n_rows);
    for _ in 0..n_rows {
        let start = from.u16()?;
        put_u16(to, moved.now(start));
        let value = from.u16()?;
        put_u16(to, first_other(start, value, moved));
        to.extend_from_slice(from.take(2 * (n_others - 1))?);
    }
    Some(true)
}

/// The frames of a `StackMapTable`: each says how far it is behind the one before it.
fn frames(to: &mut Vec<u8>, from: &mut Cursor<'_>, moved: &Moved) -> Option<bool> {
    let n_frames = from.u16()?;
    put_u16(to, n_frames);
    // Where the frame before was, and is; before the first one.
    let mut last: Option<(u16, u16)> = None;
    for _ in 0..n_frames {
        let [kind] = *from.take(1)? else { return None };
        let delta = match kind {
            0..=63 => u16::from(kind),
            64..=127 => u16::from(kind - 64),
            _ => from.u16()?,
        };
        let old = last.map_or(delta, |(before, _)| before.wrapping_add(delta).wrapping_add(1));
        let new = moved.now(old);
        let delta = last.map_or(new, |(_, before)| new.wrapping_sub(before).wrapping_sub(1));
        last = Some((old, new));
        let short = u8::try_from(delta).ok().filter(|&delta| delta < 64);
        match (kind, short) {
            (0..=63 | 251, Some(delta)) => to.push(delta),
            (0..=63 | 251, None) => put_kind(to, 251, delta),
            (64..=127 | 247, Some(delta)) => to.push(64 + delta),
            (64..=127 | 247, None) => put_kind(to, 247, delta),
            (248..=250 | 252..=255, _) => put_kind(to, kind, delta),
            (128..=246, _) => return None,
        }
        let n_types = match kind {
            64..=127 | 247 => 1,
            252..=254 => u16::from(kind - 251),
            255 => {
                let n_locals = from.u16()?;
                put_u16(to, n_locals);
                types(to, from, moved, n_locals)?;
                let n_stack = from.u16()?;
                put_u16(to, n_stack);
                n_stack
            }
            _ => 0,
        };
        types(to, from, moved, n_types)?;
    }
    Some(true)
}

/// Types of a frame; one that is not initialised names the `new` that made it.
fn types(to: &mut Vec<u8>, from: &mut Cursor<'_>, moved: &Moved, n_types: u16) -> Option<()> {
    for _ in 0..n_types {
        let [tag] = *from.take(1)? else { return None };
        to.push(tag);
        match tag {
            7 => put_u16(to, from.u16()?),
            8 => put_u16(to, moved.now(from.u16()?)),
            _ => {}
        }
    }
    Some(())
}

fn put_kind(to: &mut Vec<u8>, kind: u8, delta: u16) {
    to.push(kind);
    put_u16(to, delta);
}

fn put_u16(to: &mut Vec<u8>, value: u16) {
    to.extend_from_slice(&value.to_be_bytes());
}

struct Cursor<'a> {
    bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }
}
