//! `SwitchBootstraps.typeSwitch`: the case of a pattern `switch`. Labels are classes, strings and
//! integers; everything else (enum constants, primitive patterns) is left to the JDK.

use classfile::Constant;

use crate::class::flags;
use crate::frame::Res;
use crate::reflection::members::descriptor_parts;
use crate::spin::Site;
use crate::spin::class_writer::{Branch, ClassWriter, Code, Member, op};
use crate::value::{Kind, Ref};
use crate::vm::Vm;

/// Branches reach over at most this many labels.
const MOST_LABELS: usize = 400;

impl Vm {
    /// Links a type switch, or declines.
    pub(super) fn link_type_switch(&mut self, site: &Site<'_>) -> Res<bool> {
        let pool = site.file.constant_pool();
        let types = descriptor_parts(site.descriptor);
        let labels = &site.bootstrap.arguments;
        let [[b'L', ..], b"I", b"I"] = types[..] else { return Ok(false) };
        if self.class(site.caller).hidden || labels.len() > MOST_LABELS {
            return Ok(false);
        }
        let mut class = ClassWriter::default();
        let mut code = Code::new(3, 2);
        code.load(Kind::Ref, 0);
        let present = code.branch(op::IFNONNULL);
        code.op(op::ICONST_M1);
        code.op(op::IRETURN);
        code.land(present);
        for (idx, &label) in (0..).zip(labels.iter()) {
            let number = class.integer(idx);
            // Labels before the restart index do not count.
            code.load(Kind::Int, 1);
            code.op_idx(op::LDC_W, number);
            let mut misses = vec![code.branch(op::IF_ICMPGT)];
            match pool.get(label) {
                Some(Constant::Class { .. }) => {
                    self.resolve_class(site.caller, label)?;
                    code.load(Kind::Ref, 0);
                    code.op_idx(op::INSTANCEOF, class.class(pool.class_name(label)));
                    misses.push(code.branch(op::IFEQ));
                }
                Some(Constant::String { .. }) => {
                    code.op_idx(
                        op::LDC_W,
                        class.string(pool.try_string(label).unwrap_or_default()),
                    );
                    code.load(Kind::Ref, 0);
                    let member = Member {
                        class: b"java/lang/String",
                        name: b"equals",
                        descriptor: b"(Ljava/lang/Object;)Z",
                    };
                    code.op_idx(op::INVOKEVIRTUAL, class.method_ref(false, member));
                    misses.push(code.branch(op::IFEQ));
                }
                Some(Constant::Integer(value)) => {
                    integer_label(&mut class, &mut code, &mut misses, value);
                }
                _ => return Ok(false),
            }
            code.op_idx(op::LDC_W, number);
            code.op(op::IRETURN);
            for miss in misses {
                code.land(miss);
            }
        }
        let count = i32::try_from(labels.len()).unwrap_or(i32::MAX);
        code.op_idx(op::LDC_W, class.integer(count));
        code.op(op::IRETURN);
        let loader = self.class(site.caller).loader;
        self.load_types(loader, site.descriptor)?;
        class.method(flags::STATIC, b"typeSwitch", b"(Ljava/lang/Object;I)I", code);
        let name = [site.file.name(), b"$$TypeSwitch"].concat();
        let spun = self.define_spun(site, || {
            class.finish(flags::FINAL | flags::SYNCHRONIZED | flags::SYNTHETIC, &name, &[])
        })?;
        self.keep_spun_site(site.caller, site.number, spun, Ref::NULL)?;
        Ok(true)
    }
}

/// A number with that `int` value, or that character.
fn integer_label(class: &mut ClassWriter, code: &mut Code, misses: &mut Vec<Branch>, value: i32) {
    let value = class.integer(value);
    let unboxed = |class: &mut ClassWriter,
                   code: &mut Code,
                   holder: &[u8],
                   name: &[u8],
                   descriptor: &[u8]| {
        code.load(Kind::Ref, 0);
        code.op_idx(op::CHECKCAST, class.class(holder));
        let member = Member { class: holder, name, descriptor };
        code.op_idx(op::INVOKEVIRTUAL, class.method_ref(false, member));
    };
    code.load(Kind::Ref, 0);
    code.op_idx(op::INSTANCEOF, class.class(b"java/lang/Number"));
    let no_number = code.branch(op::IFEQ);
    unboxed(class, code, b"java/lang/Number", b"intValue", b"()I");
    code.op_idx(op::LDC_W, value);
    misses.push(code.branch(op::IF_ICMPNE));
    let hit = code.branch(op::GOTO);
    code.land(no_number);
    code.load(Kind::Ref, 0);
    code.op_idx(op::INSTANCEOF, class.class(b"java/lang/Character"));
    misses.push(code.branch(op::IFEQ));
    unboxed(class, code, b"java/lang/Character", b"charValue", b"()C");
    code.op_idx(op::LDC_W, value);
    misses.push(code.branch(op::IF_ICMPNE));
    code.land(hit);
}
