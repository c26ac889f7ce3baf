//! Boxes of primitive values: making them, opening them, widening what was inside.
//!
//! Reflection makes a new box each time, as HotSpot's own does; the caches of `valueOf` belong to
//! Java code.

use crate::frame::Res;
use crate::value::{ClassId, Kind, Ref, Value};
use crate::vm::Vm;

/// The kinds that have boxes, in the order of `WellKnown::boxes`.
const BOXED: [Kind; 8] = [
    Kind::Boolean,
    Kind::Byte,
    Kind::Char,
    Kind::Short,
    Kind::Int,
    Kind::Long,
    Kind::Float,
    Kind::Double,
];

impl Vm {
    /// The class of a primitive kind's boxes. Panics for references and `void`, which have none.
    pub fn box_class(&self, kind: Kind) -> ClassId {
        self.known.boxes[kind as usize]
    }

    /// A value as an object: a reference as it is, a primitive in a new box, `null` for `void`.
    pub fn box_value(&mut self, kind: Kind, word: u64) -> Res<Ref> {
        match kind {
            Kind::Ref => return Ok(Ref::from_slot(word)),
            Kind::Void => return Ok(Ref::NULL),
            _ => {}
        }
        let class = self.box_class(kind);
        let object = self.new_object(class)?;
        let offset = self.value_offset(class, kind);
        self.store_kind(object, offset, kind, word);
        Ok(object)
    }

    /// Kind and value in a box; `None` for any other object.
    pub fn unbox(&self, object: Ref) -> Option<(Kind, u64)> {
        let class = self.class_of(object);
        let position = self.known.boxes.iter().position(|&of| of == class)?;
        let kind = BOXED[position];
        let offset = self.value_offset(class, kind);
        Some((kind, self.load_kind(object, offset, kind)))
    }

    /// Reads a field or array element as a register word.
    #[expect(clippy::cast_possible_wrap, reason = "small kinds are sign-extended to int")]
    pub fn load_kind(&self, object: Ref, offset: u32, kind: Kind) -> u64 {
        match kind {
            Kind::Boolean => u64::from(self.heap.load_u8(object, offset)),
            Kind::Byte => Value::Int(i32::from(self.heap.load_u8(object, offset) as i8)).to_slot(),
            Kind::Char => u64::from(self.heap.load_u16(object, offset)),
            Kind::Short => {
                Value::Int(i32::from(self.heap.load_u16(object, offset) as i16)).to_slot()
            }
            Kind::Int | Kind::Float | Kind::Ref => u64::from(self.heap.load_u32(object, offset)),
            Kind::Long | Kind::Double => self.heap.load_u64(object, offset),
            Kind::Void => 0,
        }
    }

    /// Writes a register word into a field or array element.
    #[expect(clippy::cast_possible_truncation, reason = "the word holds a value of the kind")]
    pub fn store_kind(&mut self, object: Ref, offset: u32, kind: Kind, word: u64) {
        match kind {
            Kind::Boolean => self.heap.store_u8(object, offset, word as u8 & 1),
            Kind::Byte => self.heap.store_u8(object, offset, word as u8),
            Kind::Char | Kind::Short => self.heap.store_u16(object, offset, word as u16),
            Kind::Int | Kind::Float => self.heap.store_u32(object, offset, word as u32),
            Kind::Long | Kind::Double => self.heap.store_u64(object, offset, word),
            Kind::Ref => self.heap.store_ref(object, offset, Ref::from_slot(word)),
            Kind::Void => {}
        }
    }

    fn value_offset(&self, class: ClassId, kind: Kind) -> u32 {
        let descriptor = [kind.descriptor()];
        self.class(class)
            .field(b"value", &descriptor)
            .expect("internal: a box has its value")
            .offset
    }
}

/// A value of one primitive kind as another, by identity or widening (JLS §5.1.2); `None` where
/// that is not allowed.
#[expect(clippy::cast_precision_loss, reason = "widening to floating point rounds")]
pub fn widen(from: Kind, word: u64, to: Kind) -> Option<u64> {
    if from == to {
        return Some(word);
    }
    let value = match Value::from_slot(from, word) {
        Value::Int(v) => match (from, to) {
            (Kind::Boolean, _) => return None,
            (Kind::Byte, Kind::Short) => Value::Int(v),
            (_, Kind::Int) => Value::Int(v),
            (_, Kind::Long) => Value::Long(i64::from(v)),
            (_, Kind::Float) => Value::Float(v as f32),
            (_, Kind::Double) => Value::Double(f64::from(v)),
            _ => return None,
        },
        Value::Long(v) => match to {
            Kind::Float => Value::Float(v as f32),
            Kind::Double => Value::Double(v as f64),
            _ => return None,
        },
        Value::Float(v) => match to {
            Kind::Double => Value::Double(f64::from(v)),
            _ => return None,
        },
        Value::Double(_) | Value::Ref(_) | Value::Void => return None,
    };
    Some(value.to_slot())
}

#[cfg(test)]
mod tests {
    use super::widen;
    use crate::value::Kind::{self, Boolean, Byte, Char, Double, Float, Int, Long, Short};

    #[test]
    fn widening_is_allowed_exactly_where_the_language_allows_it() {
        let allowed: &[(Kind, &[Kind])] = &[
            (Boolean, &[Boolean]),
            (Byte, &[Byte, Short, Int, Long, Float, Double]),
            (Char, &[Char, Int, Long, Float, Double]),
            (Short, &[Short, Int, Long, Float, Double]),
            (Int, &[Int, Long, Float, Double]),
            (Long, &[Long, Float, Double]),
            (Float, &[Float, Double]),
            (Double, &[Double]),
        ];
        for (from, targets) in allowed {
            for to in [Boolean, Byte, Char, Short, Int, Long, Float, Double] {
                assert_eq!(widen(*from, 1, to).is_some(), targets.contains(&to), "{from:?} {to:?}");
            }
        }
    }

    #[test]
    fn a_negative_byte_stays_negative() {
        let word = u64::from((-3_i32).cast_unsigned());
        assert_eq!(widen(Byte, word, Long), Some((-3_i64).cast_unsigned()));
        assert_eq!(widen(Byte, word, Double), Some((-3.0_f64).to_bits()));
    }
}
