//! Verification of bytecode (JVMS §4.9, §4.10): what passes here may be run without checks.
//!
//! A method goes through two stages. `layout` walks the instructions one after the other and
//! checks all that needs no types: opcodes, operands, branch targets, handler ranges. Then types
//! are followed: by `check` along the `StackMapTable` for class files of version 50 and later,
//! by `infer` as a data-flow analysis for older ones, and for version 50 also where the first
//! way fails. Both run instructions on a `machine::Machine`, so there is one set of rules for
//! what an instruction does.
//!
//! As the specification has it, an interface type is treated like `Object`: a value of interface
//! type may be any object, and whoever invokes a method on it must look at its class. Resolution,
//! access checks and the runtime types of array stores are not the verifier's either.
//!
//! Work and memory are bounded: a method that would need absurdly much is refused.

use crate::class_file::{ClassFile, MethodInfo};

mod assign;
mod check;
mod effects;
mod frame;
mod handlers;
mod infer;
mod layout;
mod machine;
mod method;
mod opcodes;
mod stack_map;
mod vtype;

/// What the verifier must know of other classes; implemented by whoever loads them.
///
/// Names are internal names of classes and interfaces, never arrays. A question whose answer
/// needs a class that is not loaded yet may be answered by [`Hierarchy::Suspend`]: verification
/// stops, and is started again once the class is there.
pub trait Hierarchy {
    /// Why a question cannot be answered now.
    type Suspend;

    /// Whether a value of class `from` may be used where class `to` is wanted: `to` is an
    /// interface, or a superclass of `from`. Only asked of different names, `to` not being
    /// `java/lang/Object`.
    fn is_assignable(&mut self, from: &[u8], to: &[u8]) -> Result<bool, Self::Suspend>;

    /// The nearest superclass two different classes have in common; `java/lang/Object` if either
    /// is an interface. Only asked for class files older than version 51.
    ///
    /// The answer is a name, and it must mean the same class where the class being verified looks
    /// it up. Where class loaders disagree about a superclass's name, go further up.
    fn common_superclass(&mut self, a: &[u8], b: &[u8]) -> Result<Box<[u8]>, Self::Suspend>;

    /// Whether a member is a protected one of a superclass in another package, so that the object
    /// it is used on must be of the current class or below (JVMS §4.10.1.8): `member.class` is a
    /// proper superclass of `current`, and looking the member up from there finds a protected one
    /// whose declaring class is in another run-time package than `current`. A class that is no
    /// superclass of `current` need not be loaded to answer `false`.
    fn is_protected_elsewhere(
        &mut self,
        current: &[u8],
        member: MemberRef<'_>,
    ) -> Result<bool, Self::Suspend>;
}

/// A field or method as the constant pool names it.
#[derive(Clone, Copy, Debug)]
pub struct MemberRef<'a> {
    /// The class it is looked up in.
    pub class: &'a [u8],
    /// Its name.
    pub name: &'a [u8],
    /// Its descriptor; that of a method starts with a parenthesis.
    pub descriptor: &'a [u8],
}

/// Why a method was not found to be correct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyFailure<S> {
    /// The method is wrong: a `java.lang.VerifyError`.
    Invalid {
        /// What is wrong, in HotSpot's words where it has any.
        message: String,
        /// The instruction it was noticed at.
        bci: u16,
    },
    /// The [`Hierarchy`] could not answer.
    Suspend(S),
}

/// Verifies one method of a class; a method without code is always correct.
pub fn verify<H: Hierarchy>(
    class: &ClassFile,
    method: &MethodInfo,
    hierarchy: &mut H,
) -> Result<(), VerifyFailure<H::Suspend>> {
    let Some(code) = &method.code else { return Ok(()) };
    let method = method::Method::new(class, method, code);
    let layout = layout::check(&method)
        .map_err(|fault| VerifyFailure::Invalid { message: fault.message, bci: fault.bci })?;
    let mut machine = machine::Machine::new(&method, &layout, hierarchy);
    match class.major() {
        ..50 => infer::verify(&mut machine),
        // JVMS §4.10: for this version only, inference may be tried where type checking fails.
        50 => match check::verify(&mut machine) {
            Err(VerifyFailure::Invalid { .. }) => {
                let mut machine = machine::Machine::new(&method, &layout, hierarchy);
                infer::verify(&mut machine)
            }
            verdict => verdict,
        },
        51.. => check::verify(&mut machine),
    }
}
