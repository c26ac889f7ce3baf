//! What a compiler adds by itself: code that no source shows, where a mutant would tell nobody anything.
//! Recognised by the shapes that `javac` writes; what is not recognised is taken for the user's.

use classfile::instructions::Flow;
use classfile::{ClassFile, Constant, access};

use super::body::{Body, Number};
use super::opcode::{
    ALOAD_0, ANEWARRAY, ARRAYLENGTH, DUP, GETFIELD, GETSTATIC, GOTO, IFNULL, IINC, INVOKEDYNAMIC,
    INVOKEVIRTUAL, LOOKUPSWITCH, NEWARRAY, PUTSTATIC,
};

/// Whether a class as a whole is the compiler's: tables of `switch` over enums and the like.
pub(super) fn is_whole_class(file: &ClassFile) -> bool {
    file.access_flags() & access::SYNTHETIC != 0 || file.is_module()
}

/// Whether a method as a whole is the compiler's.
pub(super) fn is_whole_method(body: &Body<'_>) -> bool {
    let pool = body.file.constant_pool();
    let (name, descriptor) = (pool.utf8(body.info.name), pool.utf8(body.info.descriptor));
    let is_lambda = name.starts_with(b"lambda$");
    let flags = body.info.access_flags;
    if flags & (access::SYNTHETIC | access::BRIDGE) != 0 && !is_lambda {
        return true;
    }
    is_enum_method(body.file, name, descriptor) || is_record_method(body, name, descriptor)
}

fn is_enum_method(file: &ClassFile, name: &[u8], descriptor: &[u8]) -> bool {
    file.access_flags() & access::ENUM != 0
        && match name {
            b"$values" => true,
            b"values" => descriptor.starts_with(b"()["),
            b"valueOf" => descriptor.starts_with(b"(Ljava/lang/String;)L"),
            _ => false,
        }
}

/// An accessor that only reads its field; `equals`, `hashCode` and `toString` that leave everything to
/// `ObjectMethods`.
fn is_record_method(body: &Body<'_>, name: &[u8], descriptor: &[u8]) -> bool {
    let Some(components) = body.file.record_components() else { return false };
    let pool = body.file.constant_pool();
    let is_component = components.iter().any(|component| {
        pool.utf8(component.name) == name
            && descriptor.strip_prefix(b"()") == Some(pool.utf8(component.descriptor))
    });
    let reads_field = body.instructions.len() == 3
        && body.opcode(0) == ALOAD_0
        && body.opcode(1) == GETFIELD
        && body.member(1).is_some_and(|(_, field, _)| field == name);
    let asks_library = (0..body.instructions.len()).any(|idx| {
        bootstrap_name(body, idx)
            .is_some_and(|(class, _)| class == b"java/lang/runtime/ObjectMethods")
    });
    (is_component && reads_field) || asks_library
}

/// Class and name of the bootstrap method behind an `invokedynamic`.
fn bootstrap_name<'a>(body: &Body<'a>, idx: usize) -> Option<(&'a [u8], &'a [u8])> {
    if body.opcode(idx) != INVOKEDYNAMIC {
        return None;
    }
    let pool = body.file.constant_pool();
    let (bootstrap, _, _) = pool.try_dynamic(body.index(idx))?;
    let method = body.file.bootstrap_methods().get(usize::from(bootstrap))?;
    let Some(Constant::MethodHandle { reference, .. }) = pool.get(method.method_ref) else {
        return None;
    };
    let (class, name, _) = pool.try_member_ref(reference)?;
    Some((class, name))
}

/// By instruction: whether it is the compiler's.
pub(super) fn instructions(body: &Body<'_>) -> Vec<bool> {
    let mut marks = vec![false; body.instructions.len()];
    enum_constants(&mut marks, body);
    for idx in 0..body.instructions.len() {
        assertion(&mut marks, body, idx);
        array_initialiser(&mut marks, body, idx);
        truth_as_number(&mut marks, body, idx);
        switch_over_strings(&mut marks, body, idx);
        switch_over_types(&mut marks, body, idx);
        loop_over_array(&mut marks, body, idx);
        resource(&mut marks, body, idx);
    }
    marks
}

/// The constants of an enum are made before `$VALUES` is set.
fn enum_constants(marks: &mut [bool], body: &Body<'_>) {
    let pool = body.file.constant_pool();
    if body.file.access_flags() & access::ENUM == 0 || pool.utf8(body.info.name) != b"<clinit>" {
        return;
    }
    let is_values = |&idx: &usize| {
        body.opcode(idx) == PUTSTATIC
            && body.member(idx).is_some_and(|(_, name, _)| name == b"$VALUES")
    };
    if let Some(end) = (0..marks.len()).find(is_values) {
        marks[..=end].fill(true);
    }
}

/// Everything that runs only where assertions are on, and the asking for it.
fn assertion(marks: &mut [bool], body: &Body<'_>, idx: usize) {
    let is_switch = body.member(idx).is_some_and(|(_, name, _)| name == b"$assertionsDisabled");
    if !is_switch {
        return;
    }
    match body.opcode(idx) {
        GETSTATIC => {
            let Some(jump) = body.instructions.get(idx + 1) else { return };
            if let Flow::Branch(target) = jump.flow
                && let Some(end) = body.at(target)
                && idx < end
            {
                marks[idx..end].fill(true);
            }
        }
        // ldc, desiredAssertionStatus, ifne, iconst_1, goto, iconst_0, putstatic
        PUTSTATIC => marks[idx.saturating_sub(6)..=idx].fill(true),
        _ => {}
    }
}

/// `{1, 2, 3}`: its length, and the positions of its elements.
fn array_initialiser(marks: &mut [bool], body: &Body<'_>, idx: usize) {
    if body.number(idx).is_none() {
        return;
    }
    let is_length =
        matches!(body.opcode(idx + 1), NEWARRAY | ANEWARRAY) && body.opcode(idx + 2) == DUP;
    let is_position = idx > 0 && body.opcode(idx - 1) == DUP;
    marks[idx] |= is_length || is_position;
}

/// `a < b` as a value: a jump over `iconst_1` to `iconst_0`, or the other way round.
fn truth_as_number(marks: &mut [bool], body: &Body<'_>, idx: usize) {
    let (Some(Number::Int(first)), true) = (body.number(idx), idx + 3 < marks.len()) else {
        return;
    };
    let Some(Number::Int(second)) = body.number(idx + 2) else { return };
    let ends_behind = body.instructions[idx + 1].flow == Flow::Jump(body.instructions[idx + 3].pc);
    if body.opcode(idx + 1) == GOTO && ends_behind && first + second == 1 && first * second == 0 {
        marks[idx] = true;
        marks[idx + 2] = true;
    }
}

/// `switch` over strings runs over the number of the case, which is computed first.
fn switch_over_strings(marks: &mut [bool], body: &Body<'_>, idx: usize) {
    let is_start = body.number(idx) == Some(Number::Int(-1))
        && body.opcode(idx + 4) == LOOKUPSWITCH
        && body.opcode(idx + 3) == INVOKEVIRTUAL
        && body
            .member(idx + 3)
            .is_some_and(|(class, name, _)| class == b"java/lang/String" && name == b"hashCode");
    if let (true, Some(local)) = (is_start, body.int_stored(idx + 1)) {
        numbers_for(marks, body, local);
    }
}

/// `switch` over types keeps where to go on looking.
fn switch_over_types(marks: &mut [bool], body: &Body<'_>, idx: usize) {
    let is_switch = bootstrap_name(body, idx)
        .is_some_and(|(class, _)| class == b"java/lang/runtime/SwitchBootstraps");
    if let (true, Some(local)) =
        (is_switch, idx.checked_sub(1).and_then(|before| body.int_loaded(before)))
    {
        numbers_for(marks, body, local);
    }
}

/// Marks numbers that are stored to a local of the compiler, and conditions right before them.
fn numbers_for(marks: &mut [bool], body: &Body<'_>, local: u16) {
    for idx in 0..marks.len() {
        if body.number(idx).is_some() && body.int_stored(idx + 1) == Some(local) {
            marks[idx] = true;
            if let Some(before) = body.before(idx)
                && matches!(body.instructions[before].flow, Flow::Branch(_))
            {
                marks[before] = true;
            }
        }
    }
}

/// `for (T element : array)`: `arraylength, istore n, iconst_0, istore i, iload i, iload n, if_icmpge`.
fn loop_over_array(marks: &mut [bool], body: &Body<'_>, idx: usize) {
    if body.opcode(idx) != ARRAYLENGTH || idx + 6 >= marks.len() {
        return;
    }
    let (Some(length), Some(counter)) = (body.int_stored(idx + 1), body.int_stored(idx + 3)) else {
        return;
    };
    let is_loop = body.number(idx + 2) == Some(Number::Int(0))
        && body.int_loaded(idx + 4) == Some(counter)
        && body.int_loaded(idx + 5) == Some(length)
        && matches!(body.instructions[idx + 6].flow, Flow::Branch(_));
    if !is_loop {
        return;
    }
    marks[idx + 2] = true;
    marks[idx + 6] = true;
    let top = body.instructions[idx + 4].pc;
    for (at, mark) in marks.iter_mut().enumerate().skip(idx + 7) {
        let counts = body.opcode(at) == IINC
            && body.bytes_of(at).get(1).copied().map(u16::from) == Some(counter);
        if counts && body.instructions.get(at + 1).is_some_and(|next| next.flow == Flow::Jump(top))
        {
            *mark = true;
        }
    }
}

/// The end of `try (resource)` after an exception: `[aload r, ifnull,] aload r, close(), goto, astore,
/// aload, aload, addSuppressed()`.
fn resource(marks: &mut [bool], body: &Body<'_>, idx: usize) {
    let is_end = body.member(idx).is_some_and(|(class, name, _)| {
        class == b"java/lang/Throwable" && name == b"addSuppressed"
    });
    if !is_end || idx < 6 || body.opcode(idx - 4) != GOTO {
        return;
    }
    marks[idx] = true;
    if body.member(idx - 5).is_some_and(|(_, name, _)| name == b"close") {
        marks[idx - 5] = true;
        if idx >= 7 && body.opcode(idx - 7) == IFNULL {
            marks[idx - 7] = true;
        }
    }
}
