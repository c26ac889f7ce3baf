//! Where blocks begin and how deep the operand stack is there.

use classfile::{ClassFile, Code};

use crate::code::bytecode::{Bytes, effect, length};

/// Per bytecode index: stack depth in words (-1: unreachable) and whether a branch leads there.
pub(super) struct Depths {
    pub(super) depth: Vec<i32>,
    pub(super) leader: Vec<bool>,
}

/// Follows all paths through the code. `None` for malformed code.
pub(super) fn stack_depths(file: &ClassFile, code: &Code, bytes: Bytes<'_>) -> Option<Depths> {
    let n = bytes.0.len();
    let mut depths = Depths { depth: vec![-1; n], leader: vec![false; n] };
    let mut work = vec![(0_usize, 0_i32)];
    for entry in &code.exception_table {
        depths.leader.get_mut(usize::from(entry.handler_pc)).map(|l| *l = true)?;
        work.push((usize::from(entry.handler_pc), 1));
        // Protected ranges begin and end between blocks, so that no value is in flight there.
        depths.leader[usize::from(entry.start_pc)] = true;
        if let Some(end) = depths.leader.get_mut(usize::from(entry.end_pc)) {
            *end = true;
        }
    }
    while let Some((start, depth)) = work.pop() {
        let (mut at, mut depth) = (start, depth);
        while *depths.depth.get(at)? < 0 {
            depths.depth[at] = depth;
            let (popped, pushed) = effect(file, bytes, at)?;
            depth -= i32::from(popped);
            if depth < 0 {
                return None;
            }
            depth += i32::from(pushed);
            let jumps_with_address = matches!(bytes.u1(at), 168 | 201);
            for target in targets(bytes, at) {
                *depths.leader.get_mut(target)? = true;
                work.push((target, depth));
            }
            let next = at + length(bytes, at);
            if jumps_with_address {
                // The subroutine comes back with the address taken off.
                *depths.leader.get_mut(next)? = true;
                work.push((next, depth - 1));
                break;
            }
            if !falls_through(bytes, at) || next == at {
                break;
            }
            at = next;
        }
    }
    Some(depths)
}

/// Whether control can go on behind the instruction.
pub(super) fn falls_through(bytes: Bytes<'_>, at: usize) -> bool {
    match bytes.u1(at) {
        167..=177 | 191 | 200 | 201 => false,
        196 => bytes.u1(at + 1) != 169,
        _ => true,
    }
}

fn targets(bytes: Bytes<'_>, at: usize) -> Vec<usize> {
    let to = |distance: i32| {
        usize::try_from(i64::try_from(at).unwrap_or(0) + i64::from(distance)).unwrap_or(usize::MAX)
    };
    match bytes.u1(at) {
        153..=168 | 198 | 199 => vec![to(i32::from(bytes.i2(at + 1)))],
        200 | 201 => vec![to(bytes.i4(at + 1))],
        170 => {
            let base = (at + 4) & !3;
            let n = i64::from(bytes.i4(base + 8)) - i64::from(bytes.i4(base + 4)) + 1;
            let mut all = vec![to(bytes.i4(base))];
            all.extend(
                (0..usize::try_from(n).unwrap_or(0)).map(|i| to(bytes.i4(base + 12 + 4 * i))),
            );
            all
        }
        171 => {
            let base = (at + 4) & !3;
            let n = usize::try_from(bytes.i4(base + 4)).unwrap_or(0);
            let mut all = vec![to(bytes.i4(base))];
            all.extend((0..n).map(|i| to(bytes.i4(base + 12 + 8 * i))));
            all
        }
        _ => Vec::new(),
    }
}
