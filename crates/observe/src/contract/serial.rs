//! The calls that write an object into bytes and read it again.
//!
//! `ObjectInputStream` looks classes up with the loader of the youngest caller outside the JDK. A call that
//! the machine makes has no such caller, so a class of one method, assembled in memory, stands in for it.

use classfile::ClassBytes;
use vm::link::DefineOptions;

use super::known::find;
use crate::assemble::{Assembler, Receiver};
use crate::session::{NotFound, Resolved, Session};

const READER: &str = "nonpareil/contract/Reader";
const INPUT: &str = "java/io/ObjectInputStream";
const READ: &str = "(Ljava/io/ObjectInputStream;)Ljava/lang/Object;";

/// The calls, in the order in which they are made.
#[derive(Debug, Clone)]
pub(super) struct Serial {
    pub(super) new_bytes: Resolved,
    pub(super) new_output: Resolved,
    pub(super) write: Resolved,
    pub(super) flush: Resolved,
    pub(super) to_byte_array: Resolved,
    pub(super) new_input_bytes: Resolved,
    pub(super) new_input: Resolved,
    /// `readObject`, as a test calls it.
    pub(super) read: Resolved,
    /// `readObject`, as it is called here.
    pub(super) read_here: Resolved,
}

impl Serial {
    pub(super) fn new(session: &mut Session) -> Result<Serial, NotFound> {
        const BYTES: &str = "java/io/ByteArrayOutputStream";
        const OUTPUT: &str = "java/io/ObjectOutputStream";
        const BACK: &str = "java/io/ByteArrayInputStream";
        define_reader(session)?;
        let mut found = |class, name, descriptor| find(session, class, name, descriptor, false);
        Ok(Serial {
            new_bytes: found(BYTES, "<init>", "()V")?,
            new_output: found(OUTPUT, "<init>", "(Ljava/io/OutputStream;)V")?,
            write: found(OUTPUT, "writeObject", "(Ljava/lang/Object;)V")?,
            flush: found(OUTPUT, "flush", "()V")?,
            to_byte_array: found(BYTES, "toByteArray", "()[B")?,
            new_input_bytes: found(BACK, "<init>", "([B)V")?,
            new_input: found(INPUT, "<init>", "(Ljava/io/InputStream;)V")?,
            read: found(INPUT, "readObject", "()Ljava/lang/Object;")?,
            read_here: find(session, READER, "read", READ, true)?,
        })
    }
}

/// Puts the class that reads before the application's loader, unless it is there.
fn define_reader(session: &mut Session) -> Result<(), NotFound> {
    let loader = session.loader();
    if session.vm.find_loaded_class(loader, READER.as_bytes()).is_some() {
        return Ok(());
    }
    let mut assembler = Assembler::new(READER, "java/lang/Object", &[]);
    assembler.method("read", READ, Receiver::None, |code| {
        code.load(0).invoke_virtual(INPUT, "readObject", "()Ljava/lang/Object;").return_object();
    });
    let bytes = ClassBytes::from_vec(assembler.finish());
    let defined =
        session.complete(|vm| vm.define_class(loader, bytes.clone(), &DefineOptions::default()));
    defined.map(drop).map_err(|problem| NotFound::Class { name: READER.to_owned(), problem })
}
