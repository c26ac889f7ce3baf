//! Constants as a person would write them.

use std::fmt::Write;

use suite::constant::Constant;

const BACKSLASH: u16 = 0x5c;

/// A primitive or string constant as an expression of exactly its type; `None` for constants that need
/// the names of classes.
pub(crate) fn literal(constant: &Constant) -> Option<String> {
    Some(match constant {
        Constant::Null => "null".to_owned(),
        Constant::Boolean(value) => value.to_string(),
        Constant::Byte(i8::MIN) => "Byte.MIN_VALUE".to_owned(),
        Constant::Byte(i8::MAX) => "Byte.MAX_VALUE".to_owned(),
        Constant::Byte(value) => format!("(byte) {value}"),
        Constant::Short(i16::MIN) => "Short.MIN_VALUE".to_owned(),
        Constant::Short(i16::MAX) => "Short.MAX_VALUE".to_owned(),
        Constant::Short(value) => format!("(short) {value}"),
        Constant::Char(unit) => {
            let mut text = "'".to_owned();
            write_unit(&mut text, *unit, '\'');
            text.push('\'');
            text
        }
        Constant::Int(i32::MIN) => "Integer.MIN_VALUE".to_owned(),
        Constant::Int(i32::MAX) => "Integer.MAX_VALUE".to_owned(),
        Constant::Int(value) => value.to_string(),
        Constant::Long(i64::MIN) => "Long.MIN_VALUE".to_owned(),
        Constant::Long(i64::MAX) => "Long.MAX_VALUE".to_owned(),
        Constant::Long(value) => format!("{value}L"),
        Constant::Float(bits) => float(*bits),
        Constant::Double(bits) => double(*bits),
        Constant::Text(units) => {
            let mut text = "\"".to_owned();
            let mut before = 0;
            for &unit in units.iter() {
                if unit == BACKSLASH && (0xd800..0xdc00).contains(&before) {
                    // Compilers look ahead of a high surrogate, and some then miscount backslashes.
                    text.push_str("\\134");
                } else {
                    write_unit(&mut text, unit, '"');
                }
                before = unit;
            }
            text.push('"');
            text
        }
        Constant::Enum { .. } | Constant::Class(_) | Constant::Boxed(_) => return None,
    })
}

/// A constant within an array of its own type or an assignment, where no cast is needed.
pub(crate) fn bare_literal(constant: &Constant) -> Option<String> {
    match constant {
        Constant::Byte(value) if !matches!(*value, i8::MIN | i8::MAX) => Some(value.to_string()),
        Constant::Short(value) if !matches!(*value, i16::MIN | i16::MAX) => Some(value.to_string()),
        other => literal(other),
    }
}

/// Whether the compiler can keep the string in a class file (JVMS §4.4.7).
pub(crate) fn fits_class_file(units: &[u16]) -> bool {
    let length = |unit: &u16| match unit {
        1..=0x7f => 1,
        0 | 0x80..=0x7ff => 2,
        _ => 3,
    };
    units.iter().map(length).sum::<usize>() <= 65_535
}

/// Only ASCII is written, so that the source means the same in every encoding.
fn write_unit(text: &mut String, unit: u16, quote: char) {
    match char::from_u32(u32::from(unit)) {
        Some('\t') => text.push_str("\\t"),
        Some('\n') => text.push_str("\\n"),
        Some('\r') => text.push_str("\\r"),
        Some('\u{8}') => text.push_str("\\b"),
        Some('\u{c}') => text.push_str("\\f"),
        Some('\\') => text.push_str("\\\\"),
        Some(found) if found == quote => {
            text.push('\\');
            text.push(quote);
        }
        Some(found @ ' '..='~') => text.push(found),
        _ => {
            let _ = write!(text, "\\u{unit:04x}");
        }
    }
}

fn float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    match value {
        _ if bits == 0x7fc0_0000 => "Float.NaN".to_owned(),
        _ if value.is_nan() => format!("Float.intBitsToFloat(0x{bits:08x})"),
        f32::INFINITY => "Float.POSITIVE_INFINITY".to_owned(),
        f32::NEG_INFINITY => "Float.NEGATIVE_INFINITY".to_owned(),
        f32::MAX => "Float.MAX_VALUE".to_owned(),
        _ if bits == 1 => "Float.MIN_VALUE".to_owned(),
        _ => format!("{value:?}f"),
    }
}

fn double(bits: u64) -> String {
    let value = f64::from_bits(bits);
    match value {
        _ if bits == 0x7ff8_0000_0000_0000 => "Double.NaN".to_owned(),
        _ if value.is_nan() => format!("Double.longBitsToDouble(0x{bits:016x}L)"),
        f64::INFINITY => "Double.POSITIVE_INFINITY".to_owned(),
        f64::NEG_INFINITY => "Double.NEGATIVE_INFINITY".to_owned(),
        f64::MAX => "Double.MAX_VALUE".to_owned(),
        _ if bits == 1 => "Double.MIN_VALUE".to_owned(),
        _ => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::literal;
    use suite::constant::Constant;

    fn check(constant: Constant, expected: &str) {
        assert_eq!(literal(&constant).as_deref(), Some(expected));
    }

    #[test]
    fn numbers_are_written_as_people_do() {
        check(Constant::Int(-1), "-1");
        check(Constant::Int(i32::MIN), "Integer.MIN_VALUE");
        check(Constant::Long(1), "1L");
        check(Constant::Byte(-3), "(byte) -3");
        check(Constant::Short(i16::MAX), "Short.MAX_VALUE");
        check(Constant::Float(0.5f32.to_bits()), "0.5f");
        check(Constant::Float(1e20f32.to_bits()), "1e20f");
        check(Constant::Double((-0.0f64).to_bits()), "-0.0");
        check(Constant::Double(f64::NAN.to_bits()), "Double.NaN");
        check(
            Constant::Double(0x7ff8_0000_0000_0001),
            "Double.longBitsToDouble(0x7ff8000000000001L)",
        );
        check(Constant::Double(f64::NEG_INFINITY.to_bits()), "Double.NEGATIVE_INFINITY");
        check(Constant::Double(100.0f64.to_bits()), "100.0");
    }

    #[test]
    fn text_is_ascii_with_escapes() {
        check(Constant::text("tab\t\"q\" \\ 'x'"), "\"tab\\t\\\"q\\\" \\\\ 'x'\"");
        check(Constant::text("é\u{1F600}"), "\"\\u00e9\\ud83d\\ude00\"");
        check(Constant::Text([0xd800].into()), "\"\\ud800\"");
        check(Constant::Text([0xd800, 0x5c, 0x11f].into()), "\"\\ud800\\134\\u011f\"");
        check(Constant::Char(u16::from(b'\'')), "'\\''");
        check(Constant::Char(u16::from(b'"')), "'\"'");
        check(Constant::Char(0), "'\\u0000'");
        check(Constant::Char(0x2028), "'\\u2028'");
    }
}
