//! Makes constants plain: numbers towards 0 and 1, strings shorter and of letters `a`.

use suite::constant::Constant;
use suite::sequence::{Arg, Var};
use suite::types::Type;

use super::{Nulls, Search};

/// How many pieces a string is cut into at most, and how many of its characters are made plain singly.
const MOST_PIECES: usize = 32;

pub(super) fn pass(search: &mut Search<'_>) {
    for at in (0..search.best.next_var().0).map(Var) {
        for arg in 0..search.best.statements()[at.idx()].args.len() {
            while simplify(search, at, arg) {}
        }
    }
}

/// One step; whether there was one.
fn simplify(search: &mut Search<'_>, at: Var, arg: usize) -> bool {
    let statement = &search.best.statements()[at.idx()];
    let Arg::Constant(constant) = &statement.args[arg] else { return false };
    let is_receiver = arg == 0 && statement.method().is_some_and(|method| method.has_receiver());
    let mut candidates = simpler(constant);
    let is_reference = constant.natural_type().is_some_and(|own| own.is_reference());
    if is_reference && search.nulls == Nulls::Allowed && !is_receiver {
        candidates.push(Constant::Null);
    }
    candidates.into_iter().any(|candidate| {
        let mut args = search.best.statements()[at.idx()].args.clone();
        args[arg] = Arg::Constant(candidate);
        search.best.with_args(at, args).is_ok_and(|changed| search.offer(changed))
    })
}

/// The plainest constants of a type; none where a constant of it cannot be made from the name alone.
pub(super) fn plain(wanted: &Type) -> Vec<Constant> {
    let boxed = |constant| vec![Constant::Boxed(Box::new(constant))];
    match wanted {
        Type::Boolean => vec![Constant::Boolean(false), Constant::Boolean(true)],
        Type::Byte => vec![Constant::Byte(0), Constant::Byte(1)],
        Type::Char => vec![Constant::Char(b'a'.into())],
        Type::Short => vec![Constant::Short(0), Constant::Short(1)],
        Type::Int => vec![Constant::Int(0), Constant::Int(1)],
        Type::Long => vec![Constant::Long(0), Constant::Long(1)],
        Type::Float => vec![Constant::Float(0), Constant::Float(1.0_f32.to_bits())],
        Type::Double => vec![Constant::Double(0), Constant::Double(1.0_f64.to_bits())],
        Type::Class(name) => match &**name {
            "java/lang/String" | "java/lang/CharSequence" => {
                vec![Constant::text(""), Constant::text("a")]
            }
            "java/lang/Boolean" => boxed(Constant::Boolean(false)),
            "java/lang/Byte" => boxed(Constant::Byte(0)),
            "java/lang/Character" => boxed(Constant::Char(b'a'.into())),
            "java/lang/Short" => boxed(Constant::Short(0)),
            "java/lang/Integer" | "java/lang/Number" => boxed(Constant::Int(0)),
            "java/lang/Long" => boxed(Constant::Long(0)),
            "java/lang/Float" => boxed(Constant::Float(0)),
            "java/lang/Double" => boxed(Constant::Double(0)),
            "java/lang/Object" => vec![Constant::text("")],
            _ => Vec::new(),
        },
        Type::Void | Type::Array(_) => Vec::new(),
    }
}

/// Simpler constants of the same type, the simplest first.
fn simpler(constant: &Constant) -> Vec<Constant> {
    match constant {
        Constant::Null | Constant::Enum { .. } | Constant::Class(_) => Vec::new(),
        Constant::Boolean(_) => vec![Constant::Boolean(false)],
        Constant::Byte(n) => whole(i64::from(*n), |n| i8::try_from(n).ok().map(Constant::Byte)),
        Constant::Short(n) => whole(i64::from(*n), |n| i16::try_from(n).ok().map(Constant::Short)),
        Constant::Int(n) => whole(i64::from(*n), |n| i32::try_from(n).ok().map(Constant::Int)),
        Constant::Long(n) => whole(*n, |n| Some(Constant::Long(n))),
        Constant::Float(bits) => {
            let n = f64::from(f32::from_bits(*bits));
            #[expect(clippy::cast_possible_truncation, reason = "rounding is meant")]
            floating(n).into_iter().map(|n| Constant::Float((n as f32).to_bits())).collect()
        }
        Constant::Double(bits) => {
            let n = f64::from_bits(*bits);
            floating(n).into_iter().map(|n| Constant::Double(n.to_bits())).collect()
        }
        Constant::Char(_) => PLAIN_CHARS.iter().map(|&unit| Constant::Char(unit)).collect(),
        Constant::Text(units) => {
            texts(units).into_iter().map(|units| Constant::Text(units.into())).collect()
        }
        Constant::Boxed(inner) => {
            simpler(inner).into_iter().map(|it| Constant::Boxed(Box::new(it))).collect()
        }
    }
}

/// Units that read well, the plainest first.
const PLAIN_CHARS: [u16; 4] = [b'a' as u16, b'A' as u16, b'0' as u16, b' ' as u16];

/// 0, 1, the same without the sign, then ever smaller steps towards 0.
fn whole(n: i64, make: impl Fn(i64) -> Option<Constant>) -> Vec<Constant> {
    let mut numbers = vec![0, 1];
    numbers.extend(n.checked_neg().filter(|it| *it > 0));
    let mut step = n / 2;
    while step != 0 {
        numbers.push(n - step);
        step /= 2;
    }
    numbers.into_iter().filter_map(make).collect()
}

fn floating(n: f64) -> Vec<f64> {
    let mut numbers = vec![0.0, 1.0];
    if n.is_finite() {
        numbers.extend([n.abs(), n.trunc(), (n / 2.0).trunc(), n - n.signum()]);
    }
    numbers
}

/// The empty string, halves, quarters, ... cut out, then single characters made plain.
fn texts(units: &[u16]) -> Vec<Vec<u16>> {
    let mut texts = Vec::new();
    let mut size = units.len();
    while size > 0 && size * MOST_PIECES >= units.len() {
        let mut end = units.len();
        while end > 0 {
            let start = end.saturating_sub(size);
            texts.push([&units[..start], &units[end..]].concat());
            end = start;
        }
        size /= 2;
    }
    texts.push(vec![PLAIN_CHARS[0]; units.len()]);
    for idx in 0..units.len().min(MOST_PIECES) {
        for unit in PLAIN_CHARS {
            let mut text = units.to_vec();
            text[idx] = unit;
            texts.push(text);
        }
    }
    texts
}

/// How plain a constant is: the smaller, the plainer; two constants of one type weigh differently unless
/// a reader would not care which one stands there.
pub(super) fn weight(constant: &Constant) -> u128 {
    match constant {
        Constant::Null => 0,
        Constant::Boolean(it) => u128::from(*it),
        Constant::Byte(n) => whole_weight(i64::from(*n)),
        Constant::Short(n) => whole_weight(i64::from(*n)),
        Constant::Int(n) => whole_weight(i64::from(*n)),
        Constant::Long(n) => whole_weight(*n),
        Constant::Float(bits) => floating_weight(f64::from(f32::from_bits(*bits))),
        Constant::Double(bits) => floating_weight(f64::from_bits(*bits)),
        Constant::Char(unit) => unit_weight(*unit),
        Constant::Text(units) => {
            units.iter().map(|unit| (1 << 24) + unit_weight(*unit)).sum::<u128>() + 1
        }
        Constant::Enum { .. } | Constant::Class(_) => 1,
        Constant::Boxed(inner) => weight(inner).saturating_add(1),
    }
}

fn whole_weight(n: i64) -> u128 {
    u128::from(n.unsigned_abs()) * 2 + u128::from(n < 0)
}

fn floating_weight(n: f64) -> u128 {
    const FRACTION: u128 = 1 << 70;
    const HUGE: u128 = 1 << 71;
    const NOT_FINITE: u128 = 1 << 72;
    if !n.is_finite() {
        return NOT_FINITE;
    }
    let sign = u128::from(n.is_sign_negative());
    if n.abs() >= 1e18 {
        return HUGE + u128::from(n.abs().to_bits()) * 2 + sign;
    }
    #[expect(clippy::cast_possible_truncation, reason = "below 10^18")]
    let whole = whole_weight(n.abs().trunc() as i64) + sign;
    if n.fract() == 0.0 { whole } else { FRACTION + whole }
}

fn unit_weight(unit: u16) -> u128 {
    let rank = PLAIN_CHARS.iter().position(|&plain| plain == unit);
    let other = || 8 + usize::from(unit) + if (32..127).contains(&unit) { 0 } else { 1 << 16 };
    rank.unwrap_or_else(other) as u128
}
