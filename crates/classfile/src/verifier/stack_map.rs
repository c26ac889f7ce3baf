//! Decoding of the `StackMapTable` (JVMS §4.7.4) into frames.

use super::Hierarchy;
use super::frame::{DeclaredFrame, trimmed};
use super::machine::{Machine, Outcome};
use super::opcodes::NEW;
use super::vtype::VType;
use crate::reader::Reader;
use crate::{ClassFormatError, Span};

/// The frames of a method in order of position.
pub(super) struct StackMap {
    frames: Vec<(usize, DeclaredFrame)>,
}

impl StackMap {
    /// The frame declared for a position.
    pub(super) fn at(&self, pc: usize) -> Option<&DeclaredFrame> {
        let idx = self.frames.binary_search_by_key(&pc, |&(at, _)| at).ok()?;
        Some(&self.frames[idx].1)
    }
}

/// Decodes the method's table; without one there are no frames.
pub(super) fn decode<H: Hierarchy>(machine: &mut Machine<'_, '_, H>) -> Outcome<StackMap, H> {
    let mut frames = Vec::new();
    let Some(span) = machine.method.body.stack_map else { return Ok(StackMap { frames }) };
    let bytes = machine.method.class.bytes();
    let mut decoder = Decoder {
        reader: Reader::over(bytes, Span { start: span.start, len: span.len }),
        // The locals before the first frame are those the method starts with.
        locals: trimmed(machine.frame.locals()).to_vec(),
        stack: Vec::new(),
    };
    let n_frames = decoder.u2(machine)?;
    let mut next_pc = 0;
    for _ in 0..n_frames {
        let offset_delta = decoder.frame(machine)?;
        let pc = next_pc + usize::from(offset_delta);
        if !machine.layout.is_start(pc) {
            return format_error(machine, "bad offset");
        }
        next_pc = pc + 1;
        let frame = DeclaredFrame::new(&decoder.locals, &decoder.stack);
        machine.reserve(frame.locals.len() + frame.stack.len())?;
        frames.push((pc, frame));
    }
    if !decoder.reader.is_at_end() {
        return format_error(machine, "wrong attribute size");
    }
    Ok(StackMap { frames })
}

struct Decoder<'b> {
    reader: Reader<'b>,
    locals: Vec<VType>,
    stack: Vec<VType>,
}

impl Decoder<'_> {
    /// Reads one frame as a change of the last; gives its offset.
    fn frame<H: Hierarchy>(&mut self, machine: &mut Machine<'_, '_, H>) -> Outcome<u16, H> {
        machine.spend(self.locals.len())?;
        let frame_type = self.u1(machine)?;
        self.stack.clear();
        match frame_type {
            0..=63 => Ok(u16::from(frame_type)),
            64..=127 => {
                self.stack_item(machine)?;
                Ok(u16::from(frame_type - 64))
            }
            128..=246 => format_error(machine, "reserved frame type"),
            247 => {
                let offset_delta = self.u2(machine)?;
                self.stack_item(machine)?;
                Ok(offset_delta)
            }
            248..=250 => {
                let offset_delta = self.u2(machine)?;
                for _ in frame_type..251 {
                    self.chop(machine)?;
                }
                Ok(offset_delta)
            }
            251 => self.u2(machine),
            252..=254 => {
                let offset_delta = self.u2(machine)?;
                for _ in 251..frame_type {
                    self.local(machine)?;
                }
                Ok(offset_delta)
            }
            255 => {
                let offset_delta = self.u2(machine)?;
                self.locals.clear();
                for _ in 0..self.u2(machine)? {
                    self.local(machine)?;
                }
                for _ in 0..self.u2(machine)? {
                    self.stack_item(machine)?;
                }
                Ok(offset_delta)
            }
        }
    }

    fn chop<H: Hierarchy>(&mut self, machine: &Machine<'_, '_, H>) -> Outcome<(), H> {
        match self.locals.pop() {
            Some(last) if last.is_high() => {
                self.locals.pop();
                Ok(())
            }
            Some(_) => Ok(()),
            None => format_error(machine, "bad chop frame"),
        }
    }

    fn local<H: Hierarchy>(&mut self, machine: &mut Machine<'_, '_, H>) -> Outcome<(), H> {
        let local = self.vtype(machine)?;
        self.locals.push(local);
        self.locals.extend(local.high());
        if machine.frame.max_locals() < self.locals.len() {
            return format_error(machine, "locals exceed max_locals");
        }
        Ok(())
    }

    fn stack_item<H: Hierarchy>(&mut self, machine: &mut Machine<'_, '_, H>) -> Outcome<(), H> {
        let item = self.vtype(machine)?;
        self.stack.push(item);
        self.stack.extend(item.high());
        if usize::from(machine.method.body.max_stack) < self.stack.len() {
            return format_error(machine, "stack exceeds max_stack");
        }
        Ok(())
    }

    fn vtype<H: Hierarchy>(&mut self, machine: &mut Machine<'_, '_, H>) -> Outcome<VType, H> {
        Ok(match self.u1(machine)? {
            0 => VType::Top,
            1 => VType::Int,
            2 => VType::Float,
            3 => VType::Double,
            4 => VType::Long,
            5 => VType::Null,
            6 => VType::UninitializedThis,
            7 => {
                let idx = self.u2(machine)?;
                match machine.method.pool.try_class_name(idx) {
                    Some(name) => VType::Object(machine.names.id(name)),
                    None => return format_error(machine, "bad class index"),
                }
            }
            8 => {
                let pc = self.u2(machine)?;
                let at = usize::from(pc);
                if !machine.layout.is_start(at) || machine.method.u1(at) != NEW {
                    return format_error(machine, "bad offset for Uninitialized");
                }
                VType::Uninitialized(pc)
            }
            _ => return format_error(machine, "bad verification type"),
        })
    }

    fn u1<H: Hierarchy>(&mut self, machine: &Machine<'_, '_, H>) -> Outcome<u8, H> {
        let read = self.reader.u1();
        complete(read, machine)
    }

    fn u2<H: Hierarchy>(&mut self, machine: &Machine<'_, '_, H>) -> Outcome<u16, H> {
        let read = self.reader.u2();
        complete(read, machine)
    }
}

fn complete<T, H: Hierarchy>(
    read: Result<T, ClassFormatError>,
    machine: &Machine<'_, '_, H>,
) -> Outcome<T, H> {
    match read {
        Ok(value) => Ok(value),
        Err(_) => format_error(machine, "table is truncated"),
    }
}

fn format_error<T, H: Hierarchy>(machine: &Machine<'_, '_, H>, reason: &str) -> Outcome<T, H> {
    machine.fail(format!("StackMapTable format error: {reason}"))
}
