//! Reads the JSON that the tool prints.

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The value of a text; the error says where it ends to be JSON.
    pub(crate) fn parse(text: &str) -> Result<Json, String> {
        let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
        let value = reader.value()?;
        reader.blanks();
        if reader.at < text.len() {
            return Err(reader.unexpected());
        }
        Ok(value)
    }

    /// A member of an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        let Json::Object(members) = self else { return None };
        members.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// The number behind names, one inside the other: `branches.covered`.
    pub(crate) fn number(&self, path: &str) -> Result<f64, String> {
        let found = path.split('.').try_fold(self, |value, name| value.get(name));
        match found {
            Some(Json::Number(number)) => Ok(*number),
            _ => Err(format!("no number {path} in what the tool says")),
        }
    }

    /// The text of a member; empty where there is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Json::Text(text)) => text,
            _ => "",
        }
    }

    /// The elements of a member; none where it is no list.
    pub(crate) fn list(&self, name: &str) -> &[Json] {
        match self.get(name) {
            Some(Json::List(elements)) => elements,
            _ => &[],
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn unexpected(&self) -> String {
        format!("no JSON from byte {} on", self.at)
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        Err(self.unexpected())
    }

    fn value(&mut self) -> Result<Json, String> {
        self.blanks();
        match self.peek() {
            Some(b'{') => {
                let mut members = Vec::new();
                self.items(b'}', &mut |reader| {
                    let name = reader.string()?;
                    reader.blanks();
                    reader.expect(":")?;
                    members.push((name, reader.value()?));
                    Ok(())
                })?;
                Ok(Json::Object(members))
            }
            Some(b'[') => {
                let mut elements = Vec::new();
                self.items(b']', &mut |reader| {
                    elements.push(reader.value()?);
                    Ok(())
                })?;
                Ok(Json::List(elements))
            }
            Some(b'"') => self.string().map(Json::Text),
            Some(b'n') => self.expect("null").map(|()| Json::Null),
            Some(b't') => self.expect("true").map(|()| Json::Bool(true)),
            Some(b'f') => self.expect("false").map(|()| Json::Bool(false)),
            _ => self.figure(),
        }
    }

    /// What stands between brackets, with commas between.
    fn items(
        &mut self,
        end: u8,
        item: &mut dyn FnMut(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        self.at += 1;
        self.blanks();
        if self.peek() == Some(end) {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.blanks();
            item(self)?;
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == end => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(self.unexpected()),
            }
        }
    }

    fn figure(&mut self) -> Result<Json, String> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        {
            self.at += 1;
        }
        let figure = String::from_utf8_lossy(&self.bytes[start..self.at]);
        figure.parse().map(Json::Number).map_err(|_| self.unexpected())
    }

    fn string(&mut self) -> Result<String, String> {
        self.expect("\"")?;
        let mut text = Vec::new();
        loop {
            let byte = self.peek().ok_or_else(|| self.unexpected())?;
            self.at += 1;
            match byte {
                b'"' => return Ok(String::from_utf8_lossy(&text).into_owned()),
                b'\\' => {
                    let escaped = self.escaped()?;
                    text.extend(escaped.encode_utf8(&mut [0; 4]).bytes());
                }
                byte => text.push(byte),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        let byte = self.peek().ok_or_else(|| self.unexpected())?;
        self.at += 1;
        Ok(match byte {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let digits =
                    self.bytes.get(self.at..self.at + 4).ok_or_else(|| self.unexpected())?;
                self.at += 4;
                let digits = String::from_utf8_lossy(digits);
                let code = u32::from_str_radix(&digits, 16).map_err(|_| self.unexpected())?;
                // Half a pair says nothing alone; tables show a mark instead.
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            other => char::from(other),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn parse_reads_what_is_nested_and_escaped() {
        let text = r#"{"a": {"b": -1.5e1}, "c": [1, "x\"\u0041\n", null, true, []], "d": {}}"#;
        let json = Json::parse(text).expect("JSON");
        assert_eq!(json.number("a.b"), Ok(-15.0));
        assert_eq!(json.list("c")[1], Json::Text("x\"A\n".to_owned()));
        assert_eq!(json.list("c").len(), 5);
        assert_eq!(json.get("d"), Some(&Json::Object(Vec::new())));
    }

    #[test]
    fn parse_refuses_what_is_cut_off_or_goes_on() {
        for text in ["", "{", "[1", "[1,]", "\"a", "1 2", "{\"a\" 1}", "nul"] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
    }
}
