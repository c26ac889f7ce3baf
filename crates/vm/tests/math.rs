//! Compares the functions of `vm::math` with every JDK found, bit by bit, on pseudo-random and special arguments.
//!
//! `math/MathBits.java` is compiled once and prints what Java answers; both sides draw the same arguments.
//! `MATH_SAMPLES` sets the number of samples per function for longer runs.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use testkit::jdk::{Jdk, RELEASES, installed};
use vm::math::{arithmetic, convert, hotspot, strict};

/// A function under test, in the shape that takes doubles and answers one.
#[derive(Clone, Copy)]
enum Function {
    Unary(fn(f64) -> f64),
    Binary(fn(f64, f64) -> f64),
}

use Function::{Binary, Unary};

const STRICT: &[(&str, Function)] = &[
    ("strict.sin", Unary(strict::sin)),
    ("strict.cos", Unary(strict::cos)),
    ("strict.tan", Unary(strict::tan)),
    ("strict.asin", Unary(strict::asin)),
    ("strict.acos", Unary(strict::acos)),
    ("strict.atan", Unary(strict::atan)),
    ("strict.atan2", Binary(strict::atan2)),
    ("strict.exp", Unary(strict::exp)),
    ("strict.expm1", Unary(strict::expm1)),
    ("strict.log", Unary(strict::log)),
    ("strict.log10", Unary(strict::log10)),
    ("strict.log1p", Unary(strict::log1p)),
    ("strict.sqrt", Unary(strict::sqrt)),
    ("strict.cbrt", Unary(strict::cbrt)),
    ("strict.hypot", Binary(strict::hypot)),
    ("strict.pow", Binary(strict::pow)),
    ("strict.sinh", Unary(strict::sinh)),
    ("strict.cosh", Unary(strict::cosh)),
    ("strict.tanh", Unary(strict::tanh)),
    ("strict.IEEEremainder", Binary(strict::ieee_remainder)),
];

const EXACT: &[(&str, Function)] = &[
    ("d2i", Unary(|x| f64::from(convert::d2i(x)))),
    ("d2l", Unary(|x| convert::d2l(x) as f64)),
    ("f2i", Unary(|x| f64::from(convert::f2i(x as f32)))),
    ("f2l", Unary(|x| convert::f2l(x as f32) as f64)),
    ("drem", Binary(convert::drem)),
    ("frem", Binary(|x, y| f64::from(convert::frem(x as f32, y as f32)))),
    ("dmin", Binary(convert::dmin)),
    ("dmax", Binary(convert::dmax)),
    ("fmin", Binary(|x, y| f64::from(convert::fmin(x as f32, y as f32)))),
    ("fmax", Binary(|x, y| f64::from(convert::fmax(x as f32, y as f32)))),
    ("fma", Binary(|x, y| arithmetic::fma(x, y, -(x * y)))),
    (
        "fma_f32",
        Binary(|x, y| f64::from(arithmetic::fma_f32(x as f32, y as f32, -(x as f32 * y as f32)))),
    ),
    ("floor", Unary(arithmetic::floor)),
    ("ceil", Unary(arithmetic::ceil)),
    ("rint", Unary(arithmetic::rint)),
    ("signum", Unary(arithmetic::signum)),
    ("round", Unary(|x| arithmetic::round(x) as f64)),
    ("round_f32", Unary(|x| f64::from(arithmetic::round_f32(x as f32)))),
];

/// The stubs every HotSpot since JDK 9 has on x86-64.
const HOTSPOT: &[(&str, Function)] = &[
    ("sin", Unary(hotspot::sin)),
    ("cos", Unary(hotspot::cos)),
    ("tan", Unary(hotspot::tan)),
    ("exp", Unary(hotspot::exp)),
    ("log", Unary(hotspot::log)),
    ("log10", Unary(hotspot::log10)),
    ("pow", Binary(hotspot::pow)),
];

/// The stubs that came with JDK 24 and 25; before, `Math` delegates to `StrictMath`.
const HOTSPOT_25: &[(&str, Function)] =
    &[("tanh", Unary(hotspot::tanh)), ("cbrt", Unary(hotspot::cbrt))];

#[test]
fn strict_functions_answer_the_same_bits_as_strict_math() {
    for jdk in jdks() {
        check(&jdk, STRICT, 0);
    }
}

#[test]
fn conversions_and_remainders_answer_the_same_bits_as_java() {
    for jdk in jdks() {
        check(&jdk, EXACT, 0);
    }
}

#[test]
fn hotspot_functions_answer_the_same_bits_as_math_in_all_but_one_of_ten_thousand_cases() {
    for jdk in jdks() {
        check(&jdk, HOTSPOT, 100);
        if jdk.release >= 25 {
            check(&jdk, HOTSPOT_25, 100);
        }
    }
}

/// The pseudo-random source of `MathBits.java`.
struct Source {
    state: u64,
}

const SPECIAL: [f64; 43] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    1.5,
    0.25,
    10.0,
    100.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::from_bits(1),
    -f64::from_bits(1),
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    f64::MAX,
    -f64::MAX,
    std::f64::consts::PI,
    -std::f64::consts::PI,
    std::f64::consts::FRAC_PI_2,
    -std::f64::consts::FRAC_PI_2,
    std::f64::consts::FRAC_PI_4,
    std::f64::consts::E,
    709.782712893384,
    -745.1332191019411,
    710.4758600739439,
    4503599627370496.0,
    9007199254740992.0,
    -4503599627370497.0,
    f64::from_bits(1),
    f64::from_bits(0x7fe0_0000_0000_0000),
    f64::from_bits(0x3e10_0000_0000_0000),
    1.0 + f64::EPSILON,
    1.0 - f64::EPSILON / 2.0,
    2147483647.0,
    -2147483648.0,
    9223372036854775807.0,
];

impl Source {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = self.state;
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (f64::EPSILON / 2.0)
    }

    fn argument(&mut self) -> f64 {
        match (self.next() >> 1) % 11 {
            0 => f64::from_bits(self.next()),
            1 => (self.next() >> 53) as f64 - 1024.0,
            2 => ((self.next() >> 50) as f64 - 8192.0) / 10.0,
            3 => self.unit() * 20.0 - 10.0,
            4 => self.unit() * 1e6,
            5 => with_exponent(self.next()),
            6 => with_exponent(self.next() & 0xffff_ffff_0000_0000),
            7 => self.unit() * 1600.0 - 800.0,
            8 => 1.0 + (self.unit() - 0.5) / (1_u64 << (self.next() >> 59)) as f64,
            9 => ((self.next() >> 48) as f64 - 32768.0) * (std::f64::consts::PI / 32.0),
            _ => SPECIAL[(self.next() >> 1) as usize % SPECIAL.len()],
        }
    }
}

fn with_exponent(bits: u64) -> f64 {
    let exponent = 959 + ((bits >> 52) & 127);
    f64::from_bits(bits & 0x800f_ffff_ffff_ffff | exponent << 52)
}

/// One JDK of each release we support that is installed; at least one must be.
fn jdks() -> Vec<Jdk> {
    let jdks = installed();
    assert!(!jdks.is_empty(), "a JDK of one of the releases {RELEASES:?} is needed");
    jdks
}

/// Fails when more than `per_million` results of a function differ from Java's.
fn check(jdk: &Jdk, functions: &[(&str, Function)], per_million: usize) {
    let samples: usize =
        std::env::var("MATH_SAMPLES").map_or(40_000, |count| count.parse().unwrap());
    let classes = compile(jdk);
    let mut java = Command::new(jdk.command("java"))
        .args(["-Xshare:auto", "-cp"])
        .arg(&classes)
        .args(["MathBits", &samples.to_string()])
        .args(functions.iter().map(|(name, _)| *name))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answers = BufReader::with_capacity(1 << 16, java.stdout.take().unwrap());
    let mut report = String::new();
    for (name, function) in functions {
        let mut source = Source { state: 42 };
        let mut different = 0;
        let mut first = None;
        for _ in 0..samples {
            let x = source.argument();
            let (y, ours) = match function {
                Unary(f) => (f64::NAN, f(x)),
                Binary(f) => {
                    let y = source.argument();
                    (y, f(x, y))
                }
            };
            let mut bytes = [0; 8];
            answers.read_exact(&mut bytes).unwrap();
            let java = f64::from_bits(u64::from_be_bytes(bytes));
            if ours.to_bits() != java.to_bits() && !(ours.is_nan() && java.is_nan()) {
                different += 1;
                first.get_or_insert((x, y, ours, java));
            }
        }
        if different * 1_000_000 > per_million * samples {
            let release = jdk.release;
            writeln!(report, "JDK {release}, {name}: {different} of {samples} differ, first (x, y, ours, Java) {first:?}")
                .unwrap();
        }
    }
    assert!(java.wait().unwrap().success());
    assert!(report.is_empty(), "\n{report}");
}

/// Compiles `MathBits.java` into the build folder, into a folder of its own for each thread.
fn compile(jdk: &Jdk) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/math/MathBits.java");
    let thread = format!("{:?}", std::thread::current().id());
    let id: String = thread.chars().filter(char::is_ascii_digit).collect();
    let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("math-{}-{id}", jdk.release));
    let status =
        Command::new(jdk.command("javac")).arg("-d").arg(&classes).arg(&source).status().unwrap();
    assert!(status.success(), "javac failed on {}", source.display());
    classes
}
