//! A mutant made ready: the body that its method has while it is in place.

use classfile::{ClassBytes, ClassFile};
use vm::substitute::{NoSubstitute, Substitute};
use vm::value::ClassId;
use vm::vm::Vm;

use super::{Mutant, apply};

/// The body with which the method of a loaded class, made from this file, is the mutant; or why there is none.
pub fn ready(
    vm: &mut Vm,
    class: ClassId,
    file: &ClassFile,
    mutant: &Mutant,
) -> Result<Substitute, String> {
    let mutated = apply(file, mutant).ok_or("its method is too long")?;
    let parsed = ClassFile::parse(ClassBytes::from_vec(mutated.class_file.clone()))
        .map_err(|error| error.to_string())?;
    let method = vm.class(class).methods.get(mutant.slot).map(|method| method.id);
    let method = method.ok_or("its class has no such method")?;
    let prepared = vm.prepare_substitute(method, &parsed, &|bci| mutated.origin(bci));
    prepared.map_err(|refused| match refused {
        NoSubstitute::Invalid(reason) => reason,
        NoSubstitute::Unfinished(unfinished) => format!("{unfinished:?}"),
    })
}
