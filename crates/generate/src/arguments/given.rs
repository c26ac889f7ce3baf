//! Arguments that the user gave: `int=1,2,3` for a type, `push=1,2,3` for a method, `put=1,2,3;v` for a
//! method parameter by parameter.
//!
//! Values are written as in Java (`'a'`, `"text"`, `1.5`, `true`, `null`, `Colour.RED` as `RED`); a
//! string may stand without quotes. A name of a type means the type, any other name a method, for the
//! parameters of which all values that fit are taken.

use std::fmt;

use suite::constant::Constant;
use suite::method::Method;
use suite::types::Type;

use super::Argument;

/// What the user gave, read but not yet typed.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// A name, and its values in groups: one for all parameters, or one per parameter.
    entries: Vec<(String, Vec<Vec<String>>)>,
    values: Vec<(Key, Vec<Argument>)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    Type(Type),
    /// All parameters of this type of methods of this name.
    Method(String, Type),
    /// One parameter of methods with this name and so many parameters.
    Parameter(String, usize, usize, Type),
}

/// What is wrong with given arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenError(pub String);

impl fmt::Display for GivenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for GivenError {}

impl Given {
    /// Reads `int=1,2,3` and the like.
    pub fn parse(texts: &[String]) -> Result<Given, GivenError> {
        let mut given = Given::default();
        for text in texts {
            let Some((name, values)) = text.split_once('=') else {
                return Err(GivenError(format!("{text:?} is not of the form name=value,value")));
            };
            if name.is_empty() {
                return Err(GivenError(format!("{text:?} names no type and no method")));
            }
            let groups = split(values, ';');
            let groups = groups.iter().map(|group| split(group, ',')).collect();
            given.entries.push((name.to_owned(), groups));
        }
        Ok(given)
    }

    /// Finds out what each entry means for these methods. An entry that fits none is an error.
    pub fn settle(&mut self, methods: &[&Method]) -> Result<(), GivenError> {
        for (name, groups) in &self.entries {
            let texts = &groups[0];
            if let Some(of) = type_named(name) {
                let values = typed(texts, &of).filter(|_| groups.len() == 1);
                let values = values.ok_or_else(|| unfit(name, texts, &of))?;
                self.values.push((Key::Type(of), values));
                continue;
            }
            let mut named = methods.iter().filter(|method| method.word() == name).peekable();
            if named.peek().is_none() {
                let mut names: Vec<&str> = methods.iter().map(|method| method.word()).collect();
                names.sort_unstable();
                names.dedup();
                let reason =
                    format!("{name} is no type and no method; methods: {}", names.join(", "));
                return Err(GivenError(reason));
            }
            if groups.len() > 1 {
                let values = by_parameter(name, groups, named)?;
                self.values.extend(values);
                continue;
            }
            let parameters: Vec<Type> =
                named.flat_map(|method| method.parameters.iter().cloned()).collect();
            let mut fits = false;
            for of in &parameters {
                let key = Key::Method(name.clone(), of.clone());
                if let Some(values) = typed(texts, of) {
                    fits = true;
                    if !self.values.iter().any(|(known, _)| *known == key) {
                        self.values.push((key, values));
                    }
                }
            }
            if let (false, Some(of)) = (fits, parameters.first()) {
                return Err(unfit(name, texts, of));
            }
        }
        Ok(())
    }

    /// Whether values were given for a parameter of the method.
    pub(super) fn is_for(&self, method: &Method) -> bool {
        let mut parameters = method.parameters.iter().enumerate();
        parameters.any(|(position, of)| self.for_parameter(method, position, of).is_some())
    }

    /// The values given for a parameter.
    pub(super) fn for_parameter(
        &self,
        method: &Method,
        position: usize,
        of: &Type,
    ) -> Option<&[Argument]> {
        let name = method.word().to_owned();
        let by_parameter =
            Key::Parameter(name.clone(), method.parameters.len(), position, of.clone());
        let by_method = Key::Method(name, of.clone());
        let by_type = Key::Type(of.clone());
        [by_parameter, by_method, by_type].iter().find_map(|wanted| {
            self.values.iter().find(|(key, _)| key == wanted).map(|(_, values)| values.as_slice())
        })
    }
}

/// The values of each parameter, for every method that has as many parameters as there are groups.
fn by_parameter<'m>(
    name: &str,
    groups: &[Vec<String>],
    named: impl Iterator<Item = &'m &'m Method>,
) -> Result<Vec<(Key, Vec<Argument>)>, GivenError> {
    let mut found = Vec::new();
    let mut unfit_type = None;
    for method in named.filter(|method| method.parameters.len() == groups.len()) {
        let typed: Option<Vec<Vec<Argument>>> =
            groups.iter().zip(&method.parameters).map(|(texts, of)| typed(texts, of)).collect();
        let Some(typed) = typed else {
            unfit_type = method.parameters.first().cloned();
            continue;
        };
        for (position, (values, of)) in typed.into_iter().zip(&method.parameters).enumerate() {
            let key = Key::Parameter(name.to_owned(), groups.len(), position, of.clone());
            found.push((key, values));
        }
    }
    match (found.is_empty(), unfit_type) {
        (false, _) => Ok(found),
        (true, Some(of)) => Err(unfit(name, &groups[0], &of)),
        (true, None) => {
            Err(GivenError(format!("no method {name} has {} parameters", groups.len())))
        }
    }
}

fn unfit(name: &str, texts: &[String], of: &Type) -> GivenError {
    GivenError(format!("{name}={}: not all of these are values of type {of}", texts.join(",")))
}

/// Splits outside of quotes.
fn split(values: &str, at: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    let mut escaped = false;
    for letter in values.chars() {
        match (letter, quote) {
            (_, None) if letter == at => {
                parts.push(String::new());
                continue;
            }
            ('"' | '\'', None) => quote = Some(letter),
            (_, Some(open)) if letter == open && !escaped => quote = None,
            _ => {}
        }
        escaped = letter == '\\' && !escaped;
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts
}

fn type_named(name: &str) -> Option<Type> {
    let (base, dimensions) = match name.find('[') {
        Some(at) => (&name[..at], name[at..].matches("[]").count()),
        None => (name, 0),
    };
    let mut found = match base {
        "boolean" => Type::Boolean,
        "byte" => Type::Byte,
        "char" => Type::Char,
        "short" => Type::Short,
        "int" => Type::Int,
        "long" => Type::Long,
        "float" => Type::Float,
        "double" => Type::Double,
        "String" => Type::class("java/lang/String"),
        "Object" => Type::class("java/lang/Object"),
        _ if base.contains('.') => Type::class(&base.replace('.', "/")),
        _ => return None,
    };
    for _ in 0..dimensions {
        found = Type::Array(Box::new(found));
    }
    Some(found)
}

fn typed(texts: &[String], of: &Type) -> Option<Vec<Argument>> {
    texts.iter().map(|text| constant(text.trim(), of).map(Argument::Constant)).collect()
}

/// Reads a constant of a type.
/// A literal as Java writes it, of the type that Java gives it.
pub fn literal(text: &str) -> Option<Constant> {
    let is_quoted =
        |quote: char| text.len() > 1 && text.starts_with(quote) && text.ends_with(quote);
    let of = match text {
        _ if is_quoted('"') => Type::class("java/lang/String"),
        _ if is_quoted('\'') => Type::Char,
        "true" | "false" => Type::Boolean,
        _ if text.parse::<i32>().is_ok() => Type::Int,
        _ if text.ends_with(['L', 'l']) => Type::Long,
        _ if text.ends_with(['f', 'F']) => Type::Float,
        _ if text.starts_with(|letter: char| letter.is_ascii_digit() || "+-.".contains(letter)) => {
            Type::Double
        }
        _ => return None,
    };
    constant(text, &of)
}

fn constant(text: &str, of: &Type) -> Option<Constant> {
    Some(match of {
        Type::Boolean => Constant::Boolean(text.parse().ok()?),
        Type::Byte => Constant::Byte(text.parse().ok()?),
        Type::Short => Constant::Short(text.parse().ok()?),
        Type::Int => Constant::Int(text.parse().ok()?),
        Type::Long => Constant::Long(text.trim_end_matches(['L', 'l']).parse().ok()?),
        Type::Float => {
            let value: f32 = text.trim_end_matches(['F', 'f']).parse().ok()?;
            Constant::Float(value.to_bits())
        }
        Type::Double => {
            let value: f64 = text.trim_end_matches(['D', 'd']).parse().ok()?;
            Constant::Double(value.to_bits())
        }
        Type::Char => {
            let inner = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
            let mut units = unescape(inner.unwrap_or(text)).encode_utf16().collect::<Vec<u16>>();
            let unit = units.pop()?;
            if !units.is_empty() {
                return None;
            }
            Constant::Char(unit)
        }
        Type::Void | Type::Array(_) => {
            if text != "null" || *of == Type::Void {
                return None;
            }
            Constant::Null
        }
        Type::Class(_) if text == "null" => Constant::Null,
        Type::Class(name) => match &**name {
            "java/lang/String" | "java/lang/CharSequence" => quoted(text),
            "java/lang/Integer" => boxed(text, &Type::Int)?,
            "java/lang/Long" => boxed(text, &Type::Long)?,
            "java/lang/Short" => boxed(text, &Type::Short)?,
            "java/lang/Byte" => boxed(text, &Type::Byte)?,
            "java/lang/Double" => boxed(text, &Type::Double)?,
            "java/lang/Float" => boxed(text, &Type::Float)?,
            "java/lang/Boolean" => boxed(text, &Type::Boolean)?,
            "java/lang/Character" => boxed(text, &Type::Char)?,
            "java/lang/Object"
            | "java/lang/Comparable"
            | "java/io/Serializable"
            | "java/lang/Number" => {
                let numeric = boxed(text, &Type::Int)
                    .or_else(|| boxed(text, &Type::Long).filter(|_| text.ends_with(['L', 'l'])))
                    .or_else(|| boxed(text, &Type::Double))
                    .or_else(|| boxed(text, &Type::Boolean));
                match numeric {
                    Some(found) => found,
                    None if &**name == "java/lang/Number" => return None,
                    None => quoted(text),
                }
            }
            _ => {
                let name_of_constant = text.rsplit('.').next()?;
                let is_identifier = name_of_constant
                    .chars()
                    .all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$');
                if !is_identifier || name_of_constant.is_empty() {
                    return None;
                }
                Constant::Enum { class: name.clone(), name: name_of_constant.into() }
            }
        },
    })
}

fn boxed(text: &str, of: &Type) -> Option<Constant> {
    constant(text, of).map(|inner| Constant::Boxed(Box::new(inner)))
}

fn quoted(text: &str) -> Constant {
    match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => Constant::text(&unescape(inner)),
        None => Constant::text(text),
    }
}

fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('0') => plain.push('\0'),
            Some('u') => {
                let digits: String = letters.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                plain.push(code.unwrap_or('\u{fffd}'));
            }
            Some(other) => plain.push(other),
            None => plain.push('\\'),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use suite::constant::Constant;
    use suite::method::Method;
    use suite::types::Type;

    use super::{Given, constant, literal};
    use crate::arguments::Argument;

    fn push() -> Method {
        Method::new("IntStack", "push", "(I)V", false).expect("well formed")
    }

    #[test]
    fn values_are_given_for_a_type_or_for_a_method() {
        for text in ["int=1,2", "push=1,2"] {
            let mut given = Given::parse(&[text.to_owned()]).expect("well formed");
            given.settle(&[&push()]).expect("fits");
            let values = given.for_parameter(&push(), 0, &Type::Int).expect("given");
            let wanted = [1, 2].map(|value| Argument::Constant(Constant::Int(value)));
            assert_eq!(values, wanted);
        }
    }

    #[test]
    fn values_are_given_for_constructors_by_new() {
        let mut given = Given::parse(&["new=1,2".to_owned()]).expect("well formed");
        let made = Method::new("Bag", "<init>", "(I)V", false).expect("well formed");
        given.settle(&[&made]).expect("fits");
        assert_eq!(given.for_parameter(&made, 0, &Type::Int).map(<[_]>::len), Some(2));
        let mut given = Given::parse(&["make=1".to_owned()]).expect("well formed");
        let error = given.settle(&[&made]).expect_err("there is no such method");
        assert_eq!(error.to_string(), "make is no type and no method; methods: new");
    }

    #[test]
    fn values_are_given_parameter_by_parameter() {
        let mut given = Given::parse(&["put=1,2;v".to_owned()]).expect("well formed");
        let put = Method::new("M", "put", "(ILjava/lang/String;)V", false).expect("well formed");
        given.settle(&[&put]).expect("fits");
        let text = Type::class("java/lang/String");
        assert_eq!(given.for_parameter(&put, 0, &Type::Int).map(<[_]>::len), Some(2));
        assert_eq!(given.for_parameter(&put, 1, &text).map(<[_]>::len), Some(1));
        let mut given = Given::parse(&["put=1;2;3".to_owned()]).expect("well formed");
        assert!(given.settle(&[&put]).is_err());
    }

    #[test]
    fn what_fits_nothing_is_an_error_that_says_so() {
        for (text, part) in [
            ("int", "not of the form"),
            ("=1", "names no type"),
            ("pull=1", "methods: push"),
            ("int=1,x", "type int"),
            ("push=x", "type int"),
        ] {
            let settled =
                Given::parse(&[text.to_owned()]).and_then(|mut given| given.settle(&[&push()]));
            let error = settled.expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn constants_are_read_as_java_writes_them() {
        let text = Type::class("java/lang/String");
        assert_eq!(constant("\"a,\\n\"", &text), Some(Constant::text("a,\n")));
        assert_eq!(constant("plain", &text), Some(Constant::text("plain")));
        assert_eq!(constant("null", &text), Some(Constant::Null));
        assert_eq!(constant("'x'", &Type::Char), Some(Constant::Char(u16::from(b'x'))));
        assert_eq!(constant("5L", &Type::Long), Some(Constant::Long(5)));
        assert_eq!(constant("300", &Type::Byte), None);
        let object = Type::class("java/lang/Object");
        assert_eq!(constant("1", &object), Some(Constant::Boxed(Box::new(Constant::Int(1)))));
    }

    #[test]
    fn a_literal_has_the_type_that_java_gives_it() {
        assert_eq!(literal("42"), Some(Constant::Int(42)));
        assert_eq!(literal("-7L"), Some(Constant::Long(-7)));
        assert_eq!(literal("1.5f"), Some(Constant::Float(1.5_f32.to_bits())));
        assert_eq!(literal("1e3"), Some(Constant::Double(1000.0_f64.to_bits())));
        assert_eq!(literal("'\\n'"), Some(Constant::Char(10)));
        assert_eq!(literal("\"42\""), Some(Constant::text("42")));
        assert_eq!(literal("true"), Some(Constant::Boolean(true)));
        for text in ["", "word", "\"open", "1.2.3", "99999999999"] {
            assert_ne!(
                literal(text).map(|one| one.natural_type()),
                Some(Some(Type::Int)),
                "{text}"
            );
        }
        assert_eq!(literal("word"), None);
    }

    #[test]
    fn commas_inside_quotes_do_not_split() {
        let mut given = Given::parse(&["say=\"a,b\",','".to_owned()]).expect("well formed");
        let say = Method::new("C", "say", "(Ljava/lang/String;)V", false).expect("well formed");
        given.settle(&[&say]).expect("fits");
        let values = given.for_parameter(&say, 0, &Type::class("java/lang/String")).expect("given");
        assert_eq!(values.len(), 2);
    }
}
