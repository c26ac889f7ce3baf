//! The shape of a handler.

/// Defines a handler: `handler!(name, |i, pc, fp, vm, heap, t| { … })`. `i` is the instruction.
macro_rules! handler {
    ($(#[$doc:meta])* $name:ident, |$i:ident, $pc:ident, $fp:ident, $vm:ident, $heap:ident, $t:ident| $body:block) => {
        $(#[$doc])*
        pub(super) unsafe fn $name<M: $crate::mode::Mode>(
            $pc: *const $crate::code::Insn,
            $fp: *mut u64,
            $vm: *mut $crate::vm::Vm,
            $heap: *mut u8,
            $t: *const $crate::interp::Table,
        ) -> $crate::interp::Exit {
            // All handlers share one signature; few use all of it.
            let _ = ($pc, $fp, $vm, $heap, $t);
            // SAFETY: verified code, translated by us: registers, offsets and targets are in range.
            unsafe {
                let $i = *$pc;
                let _ = $i;
                if M::STEPS {
                    $crate::interp::step_probe::<M>($vm, $pc);
                }
                $body
            }
        }
    };
}

/// Ends a handler: go on at an instruction of the same frame.
macro_rules! go {
    ($pc:expr, $fp:expr, $vm:expr, $heap:expr, $t:expr) => {
        return $crate::interp::dispatch($pc, $fp, $vm, $heap, $t)
    };
}

/// Ends a handler: go on where a slow path says.
macro_rules! follow {
    ($flow:expr, $vm:expr, $heap:expr, $t:expr) => {{
        let flow: $crate::interp::Flow = $flow;
        if flow.pc.is_null() {
            return flow.exit_code();
        }
        return $crate::interp::dispatch(flow.pc, flow.fp, $vm, $heap, $t);
    }};
}

/// Reads a register as `u32`.
macro_rules! r32 {
    ($fp:expr, $r:expr) => {
        $fp.add($r as usize).cast::<u32>().read()
    };
}

/// Reads a register as `i32`.
macro_rules! ri32 {
    ($fp:expr, $r:expr) => {
        $fp.add($r as usize).cast::<i32>().read()
    };
}

/// Reads a register as `u64`.
macro_rules! r64 {
    ($fp:expr, $r:expr) => {
        $fp.add($r as usize).read()
    };
}

/// Reads a register as `i64`.
macro_rules! ri64 {
    ($fp:expr, $r:expr) => {
        $fp.add($r as usize).cast::<i64>().read()
    };
}

/// Writes a register.
macro_rules! set {
    ($fp:expr, $r:expr, $value:expr) => {
        $fp.add($r as usize).write($value)
    };
}

/// Tells the shadow domain of a computation.
macro_rules! shadow {
    ($M:ident, $vm:expr, $op:ident, $fp:expr, $a:expr, $b:expr, $c:expr) => {
        if $M::SHADOW {
            $crate::interp::mode::<$M>($vm).shadow_compute(
                $crate::code::Op::$op,
                $fp.add($a as usize),
                $fp.add($b as usize),
                $fp.add($c as usize),
            );
        }
    };
}

/// Tells the shadow domain of a computation on one register (the other operand is a constant).
macro_rules! shadow1 {
    ($M:ident, $vm:expr, $op:ident, $fp:expr, $a:expr, $b:expr) => {
        if $M::SHADOW {
            $crate::interp::mode::<$M>($vm).shadow_compute(
                $crate::code::Op::$op,
                $fp.add($a as usize),
                $fp.add($b as usize),
                std::ptr::null(),
            );
        }
    };
}
