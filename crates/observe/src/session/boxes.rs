//! The boxes of small values: `valueOf` gives the same object for each of them every time (JLS §5.1.7), and so
//! does source code with a constant where an object is wanted.

use rustc_hash::FxHashMap;
use suite::constant::Constant;
use vm::heap::ELEMENTS_OFFSET;
use vm::value::{Kind, Ref};

use super::{NotFound, Session};

/// Where the boxes of some values lie: a static field, and the place in the array that it holds, if it does.
struct Place {
    class: &'static str,
    field: &'static str,
    descriptor: &'static str,
    element: Option<u32>,
}

/// Static fields of classes that are loaded for good: the mirror and the offset.
pub(super) type Known = FxHashMap<(&'static str, &'static str), (Ref, u32)>;

/// Where the box of a value lies that always has the same.
fn place(of: &Constant) -> Option<Place> {
    let cache = |class, descriptor, least: i64, value: i64| {
        let element = u32::try_from(value - least).ok().filter(|_| value <= 127)?;
        Some(Place { class, field: "cache", descriptor, element: Some(element) })
    };
    match *of {
        Constant::Boolean(value) => {
            let field = if value { "TRUE" } else { "FALSE" };
            let class = "java/lang/Boolean";
            Some(Place { class, field, descriptor: "Ljava/lang/Boolean;", element: None })
        }
        Constant::Byte(value) => {
            cache("java/lang/Byte$ByteCache", "[Ljava/lang/Byte;", -128, i64::from(value))
        }
        Constant::Char(value) => cache(
            "java/lang/Character$CharacterCache",
            "[Ljava/lang/Character;",
            0,
            i64::from(value),
        ),
        Constant::Short(value) => {
            cache("java/lang/Short$ShortCache", "[Ljava/lang/Short;", -128, i64::from(value))
        }
        Constant::Int(value) => {
            cache("java/lang/Integer$IntegerCache", "[Ljava/lang/Integer;", -128, i64::from(value))
        }
        Constant::Long(value) => {
            cache("java/lang/Long$LongCache", "[Ljava/lang/Long;", -128, value)
        }
        _ => None,
    }
}

impl Session {
    /// The box that every `valueOf` of this value gives; `None` where each gives another.
    pub(super) fn shared_box(&mut self, of: &Constant) -> Result<Option<Ref>, NotFound> {
        let Some(place) = place(of) else { return Ok(None) };
        let (mirror, offset) = match self.box_fields.get(&(place.class, place.field)) {
            Some(&known) => known,
            None => {
                let class = self.class(place.class)?;
                let known = self.vm.class(class);
                let field = known.field(place.field.as_bytes(), place.descriptor.as_bytes());
                let Some(field) = field.filter(|field| field.is_static()) else { return Ok(None) };
                let found = (self.vm.mirror(class), field.offset);
                // What is loaded under a mark may go with it.
                if self.vm.depth() == 0 {
                    self.box_fields.insert((place.class, place.field), found);
                }
                found
            }
        };
        let heap = &self.vm.heap;
        let held = heap.load_ref(mirror, offset);
        let found = match place.element {
            Some(idx) if !held.is_null() => {
                heap.load_ref(held, ELEMENTS_OFFSET + idx * Kind::Ref.size())
            }
            _ => held,
        };
        Ok(found.some())
    }
}
