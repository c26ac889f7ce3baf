//! The small words of the machine: references, identifiers and typed values.
//!
//! Everything here is `Copy` and knows nothing of the heap it points into.

/// A reference into the object heap: the index of an 8-byte granule. Zero is `null`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Ref(pub u32);

impl Ref {
    /// Java's `null`.
    pub const NULL: Ref = Ref(0);

    /// Whether this is Java's `null`.
    #[inline(always)]
    pub fn is_null(self) -> bool {
        self.0 == 0
    }

    /// `None` for `null`.
    #[inline(always)]
    pub fn some(self) -> Option<Ref> {
        if self.0 == 0 { None } else { Some(self) }
    }

    /// Byte distance from the base of the heap.
    #[inline(always)]
    pub fn byte_offset(self) -> usize {
        (self.0 as usize) << 3
    }

    /// The register form of this reference.
    #[inline(always)]
    pub fn to_slot(self) -> u64 {
        u64::from(self.0)
    }

    /// Reads a reference out of a register.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a reference fills the low half of a slot")]
    pub fn from_slot(slot: u64) -> Ref {
        Ref(slot as u32)
    }
}

impl std::fmt::Debug for Ref {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_null() { f.write_str("null") } else { write!(f, "@{:x}", self.0) }
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The position this identifier stands for.
            #[inline(always)]
            pub fn idx(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A class known to one machine: instance class, interface, array class or primitive.
    ClassId
}
id! {
    /// A method known to one machine, across all classes.
    MethodId
}
id! {
    /// A defining class loader; `LoaderId::BOOT` is the boot loader.
    LoaderId
}
id! {
    /// A green thread of one machine. Never reused while the machine lives.
    ThreadId
}

impl LoaderId {
    /// The loader of `java.base` and the other boot modules, `null` in Java.
    pub const BOOT: LoaderId = LoaderId(0);
}

/// The kinds of values the JVM computes with, plus the small ones that only fields and arrays have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// `boolean`, one byte in memory.
    Boolean,
    /// `byte`.
    Byte,
    /// `char`.
    Char,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// Any reference.
    Ref,
    /// No value, only as a return kind.
    Void,
}

impl Kind {
    /// The kind that a descriptor starts with; `None` where it is no descriptor.
    pub fn of_descriptor(descriptor: &[u8]) -> Option<Kind> {
        Some(match descriptor.first()? {
            b'Z' => Kind::Boolean,
            b'B' => Kind::Byte,
            b'C' => Kind::Char,
            b'S' => Kind::Short,
            b'I' => Kind::Int,
            b'J' => Kind::Long,
            b'F' => Kind::Float,
            b'D' => Kind::Double,
            b'L' | b'[' => Kind::Ref,
            b'V' => Kind::Void,
            _ => return None,
        })
    }

    /// Bytes a field or an array element of this kind takes.
    pub fn size(self) -> u32 {
        match self {
            Kind::Boolean | Kind::Byte => 1,
            Kind::Char | Kind::Short => 2,
            Kind::Int | Kind::Float | Kind::Ref => 4,
            Kind::Long | Kind::Double => 8,
            Kind::Void => 0,
        }
    }

    /// Registers (words of the JVM specification) that an argument of this kind takes.
    pub fn slots(self) -> u16 {
        match self {
            Kind::Long | Kind::Double => 2,
            Kind::Void => 0,
            _ => 1,
        }
    }

    /// The descriptor character; `L` for references.
    pub fn descriptor(self) -> u8 {
        match self {
            Kind::Boolean => b'Z',
            Kind::Byte => b'B',
            Kind::Char => b'C',
            Kind::Short => b'S',
            Kind::Int => b'I',
            Kind::Long => b'J',
            Kind::Float => b'F',
            Kind::Double => b'D',
            Kind::Ref => b'L',
            Kind::Void => b'V',
        }
    }

    /// The name of the primitive type as Java spells it.
    pub fn primitive_name(self) -> &'static str {
        match self {
            Kind::Boolean => "boolean",
            Kind::Byte => "byte",
            Kind::Char => "char",
            Kind::Short => "short",
            Kind::Int => "int",
            Kind::Long => "long",
            Kind::Float => "float",
            Kind::Double => "double",
            Kind::Ref => "reference",
            Kind::Void => "void",
        }
    }
}

/// A typed value as it crosses the border between Rust and Java code.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// `boolean`, `byte`, `char`, `short` and `int`.
    Int(i32),
    /// `long`.
    Long(i64),
    /// `float`.
    Float(f32),
    /// `double`.
    Double(f64),
    /// Any reference.
    Ref(Ref),
    /// What a `void` method gives.
    Void,
}

#[expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "slots are reinterpreted, never converted"
)]
impl Value {
    /// The register form: 32-bit values fill the low half, the high half is zero.
    #[inline]
    pub fn to_slot(self) -> u64 {
        match self {
            Value::Int(v) => u64::from(v as u32),
            Value::Long(v) => v as u64,
            Value::Float(v) => u64::from(v.to_bits()),
            Value::Double(v) => v.to_bits(),
            Value::Ref(v) => v.to_slot(),
            Value::Void => 0,
        }
    }

    /// Reads a register as a value of the given kind. Small kinds are already sign- or
    /// zero-extended to `int` there.
    #[inline]
    pub fn from_slot(kind: Kind, slot: u64) -> Value {
        match kind {
            Kind::Boolean | Kind::Byte | Kind::Char | Kind::Short | Kind::Int => {
                Value::Int(slot as u32 as i32)
            }
            Kind::Long => Value::Long(slot as i64),
            Kind::Float => Value::Float(f32::from_bits(slot as u32)),
            Kind::Double => Value::Double(f64::from_bits(slot)),
            Kind::Ref => Value::Ref(Ref::from_slot(slot)),
            Kind::Void => Value::Void,
        }
    }
}
