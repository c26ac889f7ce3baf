//! The part of Java's syntax (JLS §6 to §9, §19) that declarations need: everything between matching
//! brackets is skipped, except bodies of classes.

use super::{ClassDecl, MethodDecl, OutlineError};
use crate::lex::{self, Kind, Token};

/// What a source declares.
pub(super) struct Unit {
    pub(super) classes: Vec<ClassDecl>,
    pub(super) imports: Vec<String>,
}

const MODIFIERS: &[&str] = &[
    "public",
    "protected",
    "private",
    "static",
    "abstract",
    "final",
    "native",
    "synchronized",
    "transient",
    "volatile",
    "strictfp",
    "default",
    "sealed",
    "non",
];

/// Reads a whole source.
pub(super) fn unit(
    source: &str,
    tokens: &[Token],
    line_of: &dyn Fn(usize) -> usize,
) -> Result<Unit, OutlineError> {
    let code: Vec<Token> =
        tokens.iter().copied().filter(|token| !token.kind.is_comment()).collect();
    let mut parser = Parser {
        source,
        code,
        at: 0,
        line_of,
        package: String::new(),
        unit: Unit { classes: Vec::new(), imports: Vec::new() },
    };
    parser.top_level()?;
    Ok(parser.unit)
}

struct Parser<'a> {
    source: &'a str,
    code: Vec<Token>,
    at: usize,
    line_of: &'a dyn Fn(usize) -> usize,
    package: String,
    unit: Unit,
}

/// What stands before a declaration.
#[derive(Default)]
struct Head {
    start: usize,
    modifiers: Vec<String>,
    annotations: Vec<String>,
}

/// A method up to its parameters.
struct Signature {
    name: String,
    token: Token,
    parameters: Vec<String>,
    type_variables: Vec<String>,
    is_void: bool,
}

impl Parser<'_> {
    fn top_level(&mut self) -> Result<(), OutlineError> {
        let mut implicit = None;
        while self.at < self.code.len() {
            if self.eat(';') {
                continue;
            }
            let head = self.head()?;
            if self.is_word(0, "package") && self.is_name(1) {
                self.at += 1;
                self.package = self.until_semicolon()?;
            } else if self.is_word(0, "import") && self.is_name(1) {
                self.at += 1;
                let import = self.until_semicolon()?;
                self.unit.imports.push(import);
            } else if self.starts_module() {
                while !self.is(0, '{') {
                    self.advance()?;
                }
                self.skip_brackets()?;
            } else if self.starts_type() {
                self.type_declaration(head, None)?;
            } else {
                // Methods and fields outside of a class (JLS §8.1.8).
                let class = *implicit.get_or_insert_with(|| {
                    self.unit.classes.push(ClassDecl {
                        name: String::new(),
                        outer: None,
                        type_variables: Vec::new(),
                        superclass: None,
                        inherits: false,
                        annotations: Vec::new(),
                        methods: Vec::new(),
                        span: 0..self.source.len(),
                        line: 1,
                    });
                    self.unit.classes.len() - 1
                });
                self.member(head, class, "")?;
            }
        }
        Ok(())
    }

    fn starts_module(&self) -> bool {
        let first = usize::from(self.is_word(0, "open"));
        self.is_word(first, "module") && self.is_name(first + 1) && !self.is(first + 2, '(')
    }

    /// Annotations and modifiers.
    fn head(&mut self) -> Result<Head, OutlineError> {
        let mut head = Head { start: self.here(), ..Head::default() };
        loop {
            if self.is(0, '@') && !self.is_word(1, "interface") {
                let name = self.annotation()?;
                head.annotations.push(name);
            } else if let Some(word) = self.word(0).filter(|word| self.is_modifier(word)) {
                self.at += 1;
                if word == "non" {
                    self.at += 2;
                    head.modifiers.push("non-sealed".to_owned());
                } else {
                    head.modifiers.push(word);
                }
            } else {
                return Ok(head);
            }
        }
    }

    /// Words such as `sealed` and `non` are modifiers in some places only.
    fn is_modifier(&self, word: &str) -> bool {
        match word {
            "non" => self.is(1, '-') && self.is_word(2, "sealed"),
            "sealed" => self.word(1).is_some_and(|next| {
                matches!(next.as_str(), "class" | "interface") || MODIFIERS.contains(&next.as_str())
            }),
            _ => MODIFIERS.contains(&word),
        }
    }

    /// `@name` with its arguments; returns the name.
    fn annotation(&mut self) -> Result<String, OutlineError> {
        self.at += 1;
        let name = self.qualified_name()?;
        if self.is(0, '(') {
            self.skip_brackets()?;
        }
        Ok(name)
    }

    /// Words with dots between them. An annotation may stand in front.
    fn qualified_name(&mut self) -> Result<String, OutlineError> {
        while self.is(0, '@') {
            self.annotation()?;
        }
        let mut name = self.expect_word("a name")?;
        while self.is(0, '.') && self.word(1).is_some() {
            self.at += 1;
            name.push('.');
            name.push_str(&self.expect_word("a name")?);
        }
        Ok(name)
    }

    fn starts_type(&self) -> bool {
        if self.is(0, '@') {
            return true;
        }
        match self.word(0).as_deref() {
            Some("class" | "interface" | "enum") => self.word(1).is_some(),
            Some("record") => self.word(1).is_some() && (self.is(2, '(') || self.is(2, '<')),
            _ => false,
        }
    }

    /// A class from its keyword to its closing brace.
    fn type_declaration(&mut self, head: Head, outer: Option<usize>) -> Result<(), OutlineError> {
        self.eat('@');
        let keyword = self.expect_word("a class")?;
        let name_at = self.here();
        let simple = self.expect_word("the name of a class")?;
        let name = match outer {
            Some(outer) => format!("{}${simple}", self.unit.classes[outer].name),
            None if self.package.is_empty() => simple.clone(),
            None => format!("{}.{simple}", self.package),
        };
        let type_variables = self.type_parameters()?;
        let mut superclass = None;
        let mut inherits = false;
        while !self.is(0, '{') {
            inherits |= self.is_word(0, "extends") || self.is_word(0, "implements");
            if self.is_word(0, "extends") && keyword == "class" {
                self.at += 1;
                superclass = Some(self.qualified_name()?);
            } else if self.is(0, '(') {
                self.skip_brackets()?;
            } else {
                self.advance()?;
            }
        }
        let class = self.unit.classes.len();
        self.unit.classes.push(ClassDecl {
            name,
            outer,
            type_variables,
            superclass,
            inherits,
            annotations: head.annotations,
            methods: Vec::new(),
            span: head.start..head.start,
            line: (self.line_of)(name_at),
        });
        let open = self.here();
        self.at += 1;
        if keyword == "enum" {
            self.enum_constants()?;
        }
        loop {
            if self.at == self.code.len() {
                return Err(self.error(open, "a brace is not closed"));
            }
            if self.eat('}') {
                break;
            }
            if self.eat(';') {
                continue;
            }
            let head = self.head()?;
            if self.starts_type() {
                self.type_declaration(head, Some(class))?;
            } else {
                self.member(head, class, &simple)?;
            }
        }
        self.unit.classes[class].span.end = self.end_of_last();
        Ok(())
    }

    /// Everything up to the members: constants with arguments and bodies.
    fn enum_constants(&mut self) -> Result<(), OutlineError> {
        while !self.is(0, ';') && !self.is(0, '}') {
            if self.is(0, '(') || self.is(0, '{') || self.is(0, '[') {
                self.skip_brackets()?;
            } else {
                self.advance()?;
            }
        }
        Ok(())
    }

    /// A field, method, constructor or initialiser, of which the head is read.
    fn member(&mut self, head: Head, class: usize, simple: &str) -> Result<(), OutlineError> {
        if self.is(0, '{') {
            return self.skip_brackets();
        }
        let type_variables = self.type_parameters()?;
        let first = self.at;
        let mut last_word: Option<(String, Token)> = None;
        let mut is_void = false;
        loop {
            if self.is(0, '(') {
                let Some((word, token)) = last_word else {
                    return Err(self.error(self.here(), "a parenthesis without a name before it"));
                };
                // Without a type before it, the name is that of a constructor.
                let is_constructor = self.at == first + 1;
                let name = if is_constructor { "<init>".to_owned() } else { word };
                let parameters = self.parameters()?;
                let signature = Signature { name, token, parameters, type_variables, is_void };
                return self.method(head, class, signature);
            }
            if self.is(0, '{') {
                // The short constructor of a record has no parameters.
                let Some((_, token)) = last_word.filter(|(word, _)| word == simple) else {
                    return Err(self.error(self.here(), "a brace where none is expected"));
                };
                let (name, parameters) = ("<init>".to_owned(), Vec::new());
                let signature = Signature { name, token, parameters, type_variables, is_void };
                return self.method(head, class, signature);
            }
            if self.is(0, '=') || self.is(0, ';') || self.is(0, ',') {
                self.until_semicolon()?;
                return Ok(());
            }
            if self.is(0, '@') {
                self.annotation()?;
            } else if self.is(0, '<') {
                self.type_parameters()?;
            } else {
                if let Some(word) = self.word(0) {
                    is_void |= word == "void";
                    last_word = Some((word, self.code[self.at]));
                }
                self.advance()?;
            }
        }
    }

    /// What follows the parameters: thrown exceptions and the body.
    fn method(
        &mut self,
        head: Head,
        class: usize,
        signature: Signature,
    ) -> Result<(), OutlineError> {
        let mut body_lines = None;
        loop {
            if self.is(0, '{') {
                let first = (self.line_of)(self.here());
                self.skip_brackets()?;
                body_lines = Some(first..(self.line_of)(self.end_of_last() - 1) + 1);
                break;
            }
            if self.is_word(0, "default") || self.is(0, ';') {
                // The default of an annotation's element may hold braces.
                self.until_semicolon()?;
                break;
            }
            if self.is(0, '@') {
                self.annotation()?;
            } else {
                self.advance()?;
            }
        }
        let span = head.start..self.end_of_last();
        self.unit.classes[class].methods.push(MethodDecl {
            name: signature.name,
            parameters: signature.parameters,
            type_variables: signature.type_variables,
            modifiers: head.modifiers,
            annotations: head.annotations,
            is_void: signature.is_void,
            full: span.clone(),
            span,
            name_span: signature.token.range(),
            line: (self.line_of)(signature.token.start),
            body_lines,
        });
        Ok(())
    }

    /// The types between the parentheses.
    fn parameters(&mut self) -> Result<Vec<String>, OutlineError> {
        let open = self.at;
        self.skip_brackets()?;
        let after = self.at;
        self.at = open + 1;
        let mut parameters = Vec::new();
        while self.at < after - 1 {
            let parameter = self.parameter(after - 1)?;
            parameters.extend(parameter);
            self.eat(',');
        }
        self.at = after;
        Ok(parameters)
    }

    /// One type; none for the receiver, which is written as a parameter called `this`.
    fn parameter(&mut self, close: usize) -> Result<Option<String>, OutlineError> {
        let mut pieces: Vec<String> = Vec::new();
        let mut name = 0;
        let mut depth = 0_usize;
        while self.at < close && (depth > 0 || !self.is(0, ',')) {
            if self.is(0, '@') {
                self.annotation()?;
                continue;
            }
            if self.is(0, '<') {
                depth += 1;
            } else if self.is(0, '>') {
                depth = depth.saturating_sub(1);
            }
            let piece = lex::plain(&self.source[self.code[self.at].range()]);
            self.at += 1;
            if piece == "final" {
                continue;
            }
            if depth == 0 && piece.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
            {
                name = pieces.len();
            }
            // Words need a space between them: `? extends T`.
            let spaced = piece == "extends" || piece == "super";
            pieces.push(if spaced { format!(" {piece} ") } else { piece });
        }
        if name < pieces.len() {
            let is_receiver = pieces.remove(name) == "this";
            if is_receiver {
                return Ok(None);
            }
        }
        Ok(Some(pieces.concat()))
    }

    /// `<…>`, if it is there: the names directly inside.
    fn type_parameters(&mut self) -> Result<Vec<String>, OutlineError> {
        let mut names = Vec::new();
        if !self.is(0, '<') {
            return Ok(names);
        }
        let open = self.here();
        let mut depth = 0_usize;
        let mut expects_name = true;
        loop {
            if self.is(0, '<') {
                depth += 1;
            } else if self.is(0, '>') {
                depth -= 1;
            } else if self.is(0, '@') {
                self.annotation()?;
                continue;
            } else if self.is(0, ',') {
                expects_name = depth == 1;
            } else if let Some(word) = self.word(0)
                && depth == 1
                && expects_name
            {
                names.push(word);
                expects_name = false;
            }
            if self.at == self.code.len() {
                return Err(self.error(open, "an angle bracket is not closed"));
            }
            self.at += 1;
            if depth == 0 {
                return Ok(names);
            }
        }
    }

    /// Goes behind the bracket that matches this one.
    fn skip_brackets(&mut self) -> Result<(), OutlineError> {
        let open = self.here();
        let mut expected = Vec::new();
        loop {
            let Some(token) = self.code.get(self.at) else {
                return Err(self.error(open, "a bracket is not closed"));
            };
            let at = token.start;
            self.at += 1;
            match token.kind {
                Kind::Symbol('(') => expected.push(')'),
                Kind::Symbol('[') => expected.push(']'),
                Kind::Symbol('{') => expected.push('}'),
                Kind::Symbol(close @ (')' | ']' | '}')) if expected.pop() != Some(close) => {
                    return Err(self.error(at, "a bracket that closes nothing"));
                }
                _ => {}
            }
            if expected.is_empty() {
                return Ok(());
            }
        }
    }

    /// Goes behind the next semicolon outside of brackets; returns what stands before it.
    fn until_semicolon(&mut self) -> Result<String, OutlineError> {
        let mut text = String::new();
        while !self.is(0, ';') {
            if self.is(0, '(') || self.is(0, '{') || self.is(0, '[') {
                self.skip_brackets()?;
                continue;
            }
            if self.at < self.code.len() {
                text.push_str(&lex::plain(&self.source[self.code[self.at].range()]));
                if self.is_word(0, "static") || self.is_word(0, "module") {
                    text.push(' ');
                }
            }
            self.advance()?;
        }
        self.at += 1;
        Ok(text)
    }

    fn word(&self, ahead: usize) -> Option<String> {
        let token = self.code.get(self.at + ahead).filter(|token| token.kind == Kind::Word)?;
        Some(lex::plain(&self.source[token.range()]))
    }

    fn is_word(&self, ahead: usize, word: &str) -> bool {
        self.word(ahead).is_some_and(|it| it == word)
    }

    fn is_name(&self, ahead: usize) -> bool {
        self.word(ahead).is_some()
    }

    fn is(&self, ahead: usize, symbol: char) -> bool {
        self.code.get(self.at + ahead).is_some_and(|token| token.kind == Kind::Symbol(symbol))
    }

    fn eat(&mut self, symbol: char) -> bool {
        let found = self.is(0, symbol);
        self.at += usize::from(found);
        found
    }

    fn expect_word(&mut self, what: &str) -> Result<String, OutlineError> {
        let Some(word) = self.word(0) else {
            return Err(self.error(self.here(), &format!("{what} is expected")));
        };
        self.at += 1;
        Ok(word)
    }

    fn advance(&mut self) -> Result<(), OutlineError> {
        if self.at == self.code.len() {
            return Err(self.error(self.source.len(), "the source ends within a declaration"));
        }
        if self.is(0, '}') || self.is(0, ')') || self.is(0, ']') && !self.is_dimension() {
            return Err(self.error(self.here(), "a bracket that closes nothing"));
        }
        self.at += 1;
        Ok(())
    }

    /// Whether the bracket here is the second half of `[]`.
    fn is_dimension(&self) -> bool {
        self.at > 0 && self.code[self.at - 1].kind == Kind::Symbol('[')
    }

    /// The byte of the token here.
    fn here(&self) -> usize {
        self.code.get(self.at).map_or(self.source.len(), |token| token.start)
    }

    fn end_of_last(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |last| self.code[last].end)
    }

    fn error(&self, at: usize, what: &str) -> OutlineError {
        OutlineError { line: (self.line_of)(at), what: what.to_owned() }
    }
}
