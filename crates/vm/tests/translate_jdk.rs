//! Translates every method of the real JDK's java.base and checks what came out.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use classfile::JImage;
use vm::code::{Insn, Op, Switch, translate};
use vm::host::fixed::FixedHost;
use vm::native::NativeTable;
use vm::vm::{Options, Vm};

#[test]
fn every_method_of_java_base_translates_to_branches_that_hit_instructions() {
    for jdk in testkit::jdk::installed() {
        let image = Arc::new(JImage::open(&jdk.home.join("lib/modules")).unwrap());
        let options = Options {
            java_home: jdk.home.display().to_string(),
            class_path: String::new(),
            properties: Vec::new(),
            heap_limit: 64 << 20,
            seed: 1,
            assertions: false,
        };
        let host = Box::new(FixedHost::default());
        let mut vm = Vm::new(image, options, Arc::new(NativeTable::default()), host).unwrap();
        vm.load_well_known().unwrap();
        let image = Arc::clone(&vm.image);
        let (mut n_methods, mut n_units, mut n_bytes) = (0, 0, 0);
        for resource in image.resources() {
            if resource.module != "java.base"
                || resource.extension != "class"
                || resource.base == "module-info"
            {
                continue;
            }
            let path = resource.path();
            let id = vm
                .find_boot_class(path.strip_suffix(".class").unwrap().as_bytes())
                .unwrap()
                .unwrap();
            let class = vm.class(id).clone();
            for method in &class.methods {
                let Some(code) = &class.class_file().methods()[usize::from(method.slot)].code
                else {
                    continue;
                };
                let translated = translate(&class, method).unwrap_or_else(|e| {
                    panic!("{}.{}{}: {}", class.name, method.name, method.descriptor, e.0)
                });
                n_methods += 1;
                n_bytes += code.code.len;
                n_units += translated.insns.len();
                check_targets(
                    &translated,
                    &format!("{}.{}{}", class.name, method.name, method.descriptor),
                );
            }
        }
        assert!(
            50_000 < n_methods,
            "only {n_methods} methods: {n_units} units from {n_bytes} bytes"
        );
    }
}

fn check_targets(code: &vm::code::Code, name: &str) {
    let insns: Vec<Insn> = code.insns.iter().map(unsafe_read).collect();
    let mut starts = vec![false; insns.len() + 1];
    let mut at = 0;
    let mut ops = Vec::new();
    while at < insns.len() {
        starts[at] = true;
        let op = Op::ALL[usize::from(insns[at].op)];
        ops.push((at, op));
        at += op.units();
    }
    assert_eq!(at, insns.len(), "{name}: the last instruction is cut off");
    let hits = |at: usize, distance: i32| {
        let target = i64::try_from(at).unwrap() + i64::from(distance);
        let target = usize::try_from(target).unwrap_or(usize::MAX);
        assert!(starts.get(target) == Some(&true), "{name}: branch at {at} by {distance} misses");
    };
    for (at, op) in ops {
        let insn = insns[at];
        match op {
            Op::if_icmpeq
            | Op::if_icmpne
            | Op::if_icmplt
            | Op::if_icmpge
            | Op::if_icmpgt
            | Op::if_icmple
            | Op::if_icmpeq_imm
            | Op::if_icmpne_imm
            | Op::if_icmplt_imm
            | Op::if_icmpge_imm
            | Op::if_icmpgt_imm
            | Op::if_icmple_imm
            | Op::if_acmpeq
            | Op::if_acmpne
            | Op::if_lcmpeq
            | Op::if_lcmpne
            | Op::if_lcmplt
            | Op::if_lcmpge
            | Op::if_lcmpgt
            | Op::if_lcmple => hits(at, i32::from(insn.c.cast_signed())),
            Op::ifnull | Op::ifnonnull | Op::goto_ | Op::goto_back | Op::jsr => {
                hits(at, insn.imm().cast_signed())
            }
            Op::tableswitch | Op::lookupswitch => match &code.switches[insn.imm() as usize] {
                Switch::Table { targets, default, .. }
                | Switch::Lookup { targets, default, .. } => {
                    targets.iter().chain([default]).for_each(|&distance| hits(at, distance));
                }
            },
            _ => {}
        }
    }
    for handler in &code.handlers {
        assert!(starts[handler.target as usize], "{name}: handler inside an instruction");
    }
}

#[expect(unsafe_code, reason = "nobody runs the code while it is looked at")]
fn unsafe_read(cell: &std::cell::UnsafeCell<Insn>) -> Insn {
    // SAFETY: the code was just made and is not shared.
    unsafe { *cell.get() }
}
