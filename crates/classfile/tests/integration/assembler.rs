//! A small assembler of class files, so that tests can write what no compiler would.

use std::collections::HashMap;

/// The unfinished class file.
pub(crate) struct Assembler {
    major: u16,
    pub(crate) access_flags: u16,
    this_class: u16,
    super_class: u16,
    interfaces: Vec<u16>,
    pool: Vec<u8>,
    n_constants: u16,
    known: HashMap<Vec<u8>, u16>,
    fields: Vec<Vec<u8>>,
    methods: Vec<Vec<u8>>,
    attributes: Vec<Vec<u8>>,
}

/// A method's body.
#[derive(Clone, Default)]
pub(crate) struct Body {
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    pub(crate) code: Vec<u8>,
    /// Start, end, handler and catch type of each.
    pub(crate) handlers: Vec<[u16; 4]>,
    /// The frames of the `StackMapTable`, each encoded.
    pub(crate) frames: Vec<Vec<u8>>,
}

impl Assembler {
    /// A public class below `Object`.
    pub(crate) fn new(major: u16, name: &str) -> Self {
        let mut assembler = Assembler {
            major,
            access_flags: 0x21,
            this_class: 0,
            super_class: 0,
            interfaces: Vec::new(),
            pool: Vec::new(),
            n_constants: 1,
            known: HashMap::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            attributes: Vec::new(),
        };
        assembler.this_class = assembler.class(name);
        assembler.super_class = assembler.class("java/lang/Object");
        assembler
    }

    pub(crate) fn extends(&mut self, name: &str) {
        self.super_class = self.class(name);
    }

    pub(crate) fn implements(&mut self, name: &str) {
        let interface = self.class(name);
        self.interfaces.push(interface);
    }

    /// Adds a constant given as its bytes, tag first, unless it is there already.
    pub(crate) fn constant(&mut self, bytes: Vec<u8>) -> u16 {
        if let Some(&idx) = self.known.get(&bytes) {
            return idx;
        }
        let idx = self.n_constants;
        self.n_constants += if matches!(bytes[0], 5 | 6) { 2 } else { 1 };
        self.pool.extend_from_slice(&bytes);
        self.known.insert(bytes, idx);
        idx
    }

    pub(crate) fn utf8(&mut self, text: &str) -> u16 {
        let mut bytes = vec![1];
        bytes.extend((text.len() as u16).to_be_bytes());
        bytes.extend(text.as_bytes());
        self.constant(bytes)
    }

    pub(crate) fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.constant(indices(7, &[name]))
    }

    pub(crate) fn integer(&mut self, value: i32) -> u16 {
        let mut bytes = vec![3];
        bytes.extend(value.to_be_bytes());
        self.constant(bytes)
    }

    pub(crate) fn long(&mut self, value: i64) -> u16 {
        let mut bytes = vec![5];
        bytes.extend(value.to_be_bytes());
        self.constant(bytes)
    }

    pub(crate) fn name_and_type(&mut self, name: &str, descriptor: &str) -> u16 {
        let name = self.utf8(name);
        let descriptor = self.utf8(descriptor);
        self.constant(indices(12, &[name, descriptor]))
    }

    /// A reference to a field (tag 9), method (10) or interface method (11).
    pub(crate) fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> u16 {
        let class = self.class(class);
        let name_and_type = self.name_and_type(name, descriptor);
        self.constant(indices(tag, &[class, name_and_type]))
    }

    pub(crate) fn field(&mut self, access_flags: u16, name: &str, descriptor: &str) {
        let name = self.utf8(name);
        let descriptor = self.utf8(descriptor);
        self.fields.push(words(&[access_flags, name, descriptor, 0]));
    }

    /// Adds a method; without a body it has no `Code`.
    pub(crate) fn method(
        &mut self,
        access_flags: u16,
        name: &str,
        descriptor: &str,
        body: Option<Body>,
    ) {
        let name = self.utf8(name);
        let descriptor = self.utf8(descriptor);
        let mut bytes = words(&[access_flags, name, descriptor, u16::from(body.is_some())]);
        if let Some(body) = body {
            let content = self.code(&body);
            bytes.extend(self.attribute_bytes("Code", &content));
        }
        self.methods.push(bytes);
    }

    /// Adds an attribute of the class.
    pub(crate) fn attribute(&mut self, name: &str, content: &[u8]) {
        let bytes = self.attribute_bytes(name, content);
        self.attributes.push(bytes);
    }

    pub(crate) fn attribute_bytes(&mut self, name: &str, content: &[u8]) -> Vec<u8> {
        let mut bytes = words(&[self.utf8(name)]);
        bytes.extend((content.len() as u32).to_be_bytes());
        bytes.extend(content);
        bytes
    }

    fn code(&mut self, body: &Body) -> Vec<u8> {
        let mut content = words(&[body.max_stack, body.max_locals]);
        content.extend((body.code.len() as u32).to_be_bytes());
        content.extend(&body.code);
        content.extend(words(&[body.handlers.len() as u16]));
        for handler in &body.handlers {
            content.extend(words(handler));
        }
        content.extend(words(&[u16::from(!body.frames.is_empty())]));
        if !body.frames.is_empty() {
            let mut table = words(&[body.frames.len() as u16]);
            body.frames.iter().for_each(|frame| table.extend(frame));
            content.extend(self.attribute_bytes("StackMapTable", &table));
        }
        content
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE];
        bytes.extend(words(&[0, self.major, self.n_constants]));
        bytes.extend(self.pool);
        bytes.extend(words(&[self.access_flags, self.this_class, self.super_class]));
        bytes.extend(words(&[self.interfaces.len() as u16]));
        bytes.extend(words(&self.interfaces));
        for table in [self.fields, self.methods, self.attributes] {
            bytes.extend(words(&[table.len() as u16]));
            table.iter().for_each(|entry| bytes.extend(entry));
        }
        bytes
    }
}

/// Big-endian words.
pub(crate) fn words(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

fn indices(tag: u8, values: &[u16]) -> Vec<u8> {
    let mut bytes = vec![tag];
    bytes.extend(words(values));
    bytes
}
