//! Constants of a class's own code that its branches may turn on: numbers and texts that it compares with, then
//! others, but no text that only people read. And texts made after what the code looks for in texts: of the length that
//! it compares with, of digits where it reads numbers, with the letters that it compares with (`1+1`).

use std::collections::BTreeSet;

use classfile::instructions::{self, Flow, Instruction};
use classfile::{ClassFile, Constant as Entry};
use observe::session::Session;
use suite::constant::Constant;
use suite::types::Type;

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

/// Texts that are made after what a class looks for, at most.
const MOST_MADE: usize = 8;
/// What texts of a length are made of.
const ALPHABET: &str = "abcdefghijklmnopqrstuvwxyz";

/// Who looks for at least so many letters and short texts has a language of its own: then words are made of them, so
/// many at most, of so many at least and at most.
const LEAST_SYLLABLES: usize = 5;
const WORDS: usize = 32;
const WORD: (usize, usize) = (2, 7);
/// The longest of these texts.
const SYLLABLE: usize = 4;

/// What a class looks for in texts.
#[derive(Debug, Default)]
struct Sought {
    /// Lengths that it compares with.
    lengths: Vec<usize>,
    /// Letters that it compares with, or hands to what does.
    letters: Vec<u8>,
    digits: bool,
    /// Upper case.
    capitals: bool,
}

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
    let (mut found, sought) = read(session, class);
    found.sort_by_key(|&(used, _)| used);
    for (_, constant) in found {
        if let Some(of) = constant.natural_type().filter(|of| pool.of(of).len() < MOST) {
            pool.add(of, Argument::Constant(constant));
        }
    }
    for text in sought.texts().into_iter().take(MOST_MADE) {
        pool.add(Type::class("java/lang/String"), Argument::Constant(Constant::text(&text)));
    }
}

impl Sought {
    /// Texts that have what is looked for, the most telling first.
    fn texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for &length in &self.lengths {
            texts.push(self.plain().chars().cycle().take(length).collect());
        }
        if self.digits {
            texts.push("1".to_owned());
        }
        let around = if self.digits { '1' } else { 'a' };
        for &letter in &self.letters {
            let letter = char::from(letter);
            texts.push(match letter.is_ascii_alphanumeric() {
                true => letter.to_string(),
                false => format!("{around}{letter}{around}"),
            });
        }
        texts
    }

    /// Words of the letters that are looked for and of these texts.
    fn words(&self, mut syllables: BTreeSet<String>) -> Vec<Constant> {
        syllables.extend(self.letters.iter().map(|&letter| char::from(letter).to_string()));
        let is_plain = |it: &&String| it.bytes().all(|letter| letter.is_ascii_alphanumeric());
        if syllables.iter().filter(is_plain).count() < LEAST_SYLLABLES {
            return Vec::new();
        }
        syllables.extend(self.plain().chars().take(3).map(String::from));
        let syllables: Vec<String> = syllables.into_iter().collect();
        let mut state = 0_usize;
        // The constants of a generator of Knuth's; any that reaches all letters will do.
        let mut next = |n: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let mut words: Vec<Constant> = Vec::new();
        for _ in 0..WORDS.min(2 * syllables.len()) {
            let length = WORD.0 + next(WORD.1 - WORD.0 + 1);
            let word: String = (0..length).map(|_| &*syllables[next(syllables.len())]).collect();
            words.push(Constant::text(&word));
        }
        words
    }

    /// Letters of every sort that is looked for, over and over.
    fn plain(&self) -> String {
        let sorts = [('a', true), ('B', self.capitals), ('1', self.digits)];
        match self.capitals || self.digits {
            true => sorts.iter().filter(|sort| sort.1).map(|sort| sort.0).collect(),
            false => ALPHABET.to_owned(),
        }
    }

    fn length(&mut self, length: i32) {
        let length = usize::try_from(length).ok().filter(|length| (2..=LONGEST).contains(length));
        self.lengths.extend(length.filter(|length| !self.lengths.contains(length)));
    }

    fn letter(&mut self, constant: Constant) {
        if let Some(Constant::Char(unit)) = letter(&constant)
            && let Ok(letter) = u8::try_from(unit)
        {
            match letter {
                b'0' | b'9' => self.digits = true,
                b'A' | b'Z' => self.capitals = true,
                b'a' | b'z' => {}
                _ if !self.letters.contains(&letter) => self.letters.push(letter),
                _ => {}
            }
        }
    }
}

/// The constants of a class, few of each type.
pub(crate) fn of_class(session: &mut Session, class: &str) -> Vec<Constant> {
    let mut pool = Pool::default();
    collect(session, class, &mut pool);
    pool.constants()
}

/// Words of the letters and short texts that the class looks for, where it looks for many: no less likely to mean
/// something to it than one letter, and always the same.
pub(crate) fn words_of(session: &mut Session, class: &str) -> Vec<Constant> {
    let (found, sought) = read(session, class);
    let texts = found.iter().filter_map(|(_, constant)| match constant {
        Constant::Text(units) => String::from_utf16(units).ok(),
        _ => None,
    });
    let is_short = |text: &String| (1..=SYLLABLE).contains(&text.len());
    sought.words(texts.filter(is_short).collect())
}

/// What the code of a class does with constants, and what it looks for in texts; nothing of a class that cannot be
/// loaded.
fn read(session: &mut Session, class: &str) -> (Vec<(Use, Constant)>, Sought) {
    let (mut found, mut sought) = (Vec::new(), Sought::default());
    let file = session.load(class).ok().and_then(|id| session.vm.class(id).file().cloned());
    for (file, method) in
        file.iter().flat_map(|file| file.methods().iter().map(move |it| (file, it)))
    {
        let Some(code) = &method.code else { continue };
        let bytes = file.instructions(code);
        let body = Body { file, bytes, all: instructions::iter(bytes).collect() };
        body.collect(&mut found);
        body.seek(takes_letters(file.constant_pool().utf8(method.descriptor)), &mut sought);
    }
    (found, sought)
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

    /// What the code looks for in texts; `knows_letters` says that it is given some one by one.
    fn seek(&self, knows_letters: bool, sought: &mut Sought) {
        let pool = self.file.constant_pool();
        let called = |idx: usize| {
            self.all.get(idx).and_then(|instruction| instruction.called(self.bytes, pool))
        };
        // Elsewhere a number is no letter.
        let knows_letters = knows_letters
            || (0..self.all.len()).filter_map(called).any(|(_, name, of)| {
                of.ends_with(b")C") || matches!(name, b"toCharArray" | b"codePointAt" | b"chars")
            });
        for (idx, instruction) in self.all.iter().enumerate() {
            if let Flow::Switch(_) = instruction.flow {
                let before = idx.checked_sub(1).and_then(called);
                if let Some((_, b"charAt", b"(I)C")) = before {
                    for case in instruction.cases(self.bytes) {
                        sought.letter(Constant::Int(case));
                    }
                }
                continue;
            }
            match called(idx) {
                Some((b"java/lang/Character", b"isDigit" | b"getNumericValue" | b"digit", _)) => {
                    sought.digits = true;
                }
                Some((b"java/lang/Character", b"isUpperCase", _)) => sought.capitals = true,
                Some((_, name, descriptor))
                    if reads_number(name) && descriptor.starts_with(b"(Ljava/lang/String;") =>
                {
                    sought.digits = true;
                }
                Some((
                    b"java/math/BigDecimal" | b"java/math/BigInteger",
                    b"<init>",
                    descriptor,
                )) if descriptor.starts_with(b"(Ljava/lang/String;") => {
                    sought.digits = true;
                }
                _ => {}
            }
            let number = match instruction.pushed(self.bytes, pool) {
                Some(Entry::Integer(number)) => number,
                Some(Entry::String { utf8 }) if is_search(called(idx + 1)) => {
                    // A text of one letter is looked for like a letter.
                    if let Some(&[letter]) = pool.try_utf8(utf8) {
                        sought.letter(Constant::Int(letter.into()));
                    }
                    continue;
                }
                _ => continue,
            };
            let is_handed_on = is_search(called(idx + 1))
                || called(idx + 1).is_some_and(|(_, name, of)| {
                    takes_letters(of)
                        && !matches!(name, b"append" | b"print" | b"write" | b"replace")
                });
            let turns = self.comparison(idx);
            if let (
                Some((b"java/lang/String" | b"java/lang/CharSequence", b"length", _)),
                Some(above),
            ) = (idx.checked_sub(1).and_then(called), turns)
            {
                sought.length(number);
                if above {
                    sought.length(number.saturating_add(1));
                }
            } else if turns.is_some() && knows_letters || is_handed_on {
                sought.letter(Constant::Int(number));
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

/// Whether a method's last parameter is a letter.
fn takes_letters(descriptor: &[u8]) -> bool {
    descriptor.split(|&byte| byte == b')').next().is_some_and(|of| of.ends_with(b"C"))
}

/// Whether a call looks for something in a text.
fn is_search(call: Option<(&[u8], &[u8], &[u8])>) -> bool {
    matches!(
        call,
        Some((b"java/lang/String", b"indexOf" | b"lastIndexOf" | b"split" | b"contains", _))
    )
}

/// Whether a method of this name makes a number of a text.
fn reads_number(name: &[u8]) -> bool {
    let names: [&[u8]; 5] = [b"parseInt", b"parseLong", b"parseDouble", b"parseFloat", b"valueOf"];
    names.contains(&name)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use suite::constant::Constant;

    use super::Sought;

    fn words(letters: &[u8], texts: &[&str]) -> Vec<String> {
        let sought = Sought { letters: letters.to_vec(), capitals: true, ..Sought::default() };
        let texts: BTreeSet<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let text = |word: Constant| match word {
            Constant::Text(units) => String::from_utf16_lossy(&units),
            other => panic!("{other:?}"),
        };
        sought.words(texts).into_iter().map(text).collect()
    }

    #[test]
    fn words_have_the_letters_and_short_texts_that_a_class_looks_for() {
        let made = words(b"KNGW", &["SCH", "TH", "DG"]);
        assert!(made.len() > 10, "{made:?}");
        assert!(made.iter().any(|word| word.contains("SCH") && word.len() > 3), "{made:?}");
        let of_letters = |word: &String| word.chars().all(|letter| "KNGWSCHTDaB".contains(letter));
        assert!(made.iter().all(of_letters), "{made:?}");
        assert_eq!(made, words(b"KNGW", &["SCH", "TH", "DG"]), "the same every time");
    }

    #[test]
    fn a_class_that_looks_for_little_gets_no_words() {
        assert!(words(b",;\t\"'|", &["null"]).is_empty());
    }
}
