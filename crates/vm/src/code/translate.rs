//! Bytecode to register instructions.

use crate::class::{Class, Method};
use crate::code::Code;

/// Why code could not be translated; verified code never is.
#[derive(Debug)]
pub struct TranslateError(pub String);

/// Translates the code of a method.
pub fn translate(_class: &Class, _method: &Method) -> Result<Code, TranslateError> {
    Err(TranslateError("not written yet".into()))
}
