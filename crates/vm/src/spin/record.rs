//! `ObjectMethods.bootstrap`: `toString`, `hashCode` and `equals` of records.

use classfile::Constant;

use crate::class::flags;
use crate::frame::Res;
use crate::spin::Site;
use crate::spin::class_writer::{ClassWriter, Code, Member, op};
use crate::spin::lambda::{boxes, kind_of};
use crate::value::Kind;
use crate::vm::Vm;

const CONCAT: &[u8] = super::CONCAT;
const STRING: &[u8] = b"Ljava/lang/String;";

/// A record's component: name and descriptor of its field.
type Component<'a> = (&'a [u8], &'a [u8]);

impl Vm {
    /// Links a method of a record, or declines.
    pub(super) fn link_record_method(&mut self, site: &Site<'_>) -> Res<bool> {
        let Some(components) = self.components(site) else { return Ok(false) };
        let record = site.file.name();
        let this = [b"L", record, b";"].concat();
        let n_words: u16 =
            components.iter().map(|(_, descriptor)| kind_of(descriptor).slots()).sum();
        if n_words > 200 {
            return Ok(false);
        }
        let mut class = ClassWriter::default();
        let code = match site.name {
            b"hashCode" if site.descriptor == [b"(", &this[..], b")I"].concat() => {
                hash_code(&mut class, record, &components)
            }
            b"equals" if site.descriptor == [b"(", &this[..], b"Ljava/lang/Object;)Z"].concat() => {
                equals(&mut class, record, &components)
            }
            b"toString" if site.descriptor == [b"(", &this[..], b")", STRING].concat() => {
                let simple_name = simple_name(site);
                // 17 turns components into strings first.
                let by_objects = self.jdk < 21;
                to_string(&mut class, record, &simple_name, &components, by_objects)
            }
            _ => return Ok(false),
        };
        class.method(flags::STATIC, site.name, site.descriptor, code);
        let name = [record, b"$$ObjectMethods"].concat();
        let spun = self.define_spun(site, || {
            class.finish(flags::FINAL | flags::SYNCHRONIZED | flags::SYNTHETIC, &name, &[])
        })?;
        self.keep_spun_site(site.caller, site.number, spun, crate::value::Ref::NULL)?;
        Ok(true)
    }

    /// The components that the static arguments name, if all is as a compiler writes it.
    fn components<'a>(&self, site: &Site<'a>) -> Option<Vec<Component<'a>>> {
        let pool = site.file.constant_pool();
        let [class, names, getters @ ..] = &site.bootstrap.arguments[..] else { return None };
        if self.class(site.caller).hidden || pool.try_class_name(*class)? != site.file.name() {
            return None;
        }
        let names: Vec<&[u8]> = match pool.try_string(*names)? {
            b"" => Vec::new(),
            names => names.split(|&byte| byte == b';').collect(),
        };
        let mut components = Vec::with_capacity(getters.len());
        for &getter in getters {
            let Some(Constant::MethodHandle { kind: 1, reference }) = pool.get(getter) else {
                return None;
            };
            let (class, name, descriptor) = pool.member_ref(reference);
            let field = self.class(site.caller).field(name, descriptor)?;
            if class != site.file.name() || field.is_static() {
                return None;
            }
            components.push((name, descriptor));
        }
        let same = names.len() == components.len()
            && names.iter().zip(&components).all(|(name, component)| *name == component.0);
        same.then_some(components)
    }
}

/// What `Class.getSimpleName` gives for the record.
fn simple_name(site: &Site<'_>) -> Vec<u8> {
    let pool = site.file.constant_pool();
    let inner = site
        .file
        .inner_classes()
        .into_iter()
        .find(|entry| pool.class_name(entry.inner) == site.file.name());
    match inner {
        Some(entry) => pool.utf8(entry.name).to_vec(),
        None => {
            let name = site.file.name();
            let start = name.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
            name[start..].to_vec()
        }
    }
}

fn get(
    class: &mut ClassWriter,
    code: &mut Code,
    record: &[u8],
    slot: u16,
    component: Component<'_>,
) {
    code.load(Kind::Ref, slot);
    code.op_idx(op::GETFIELD, class.field_ref(record, component.0, component.1));
}

fn call(class: &mut ClassWriter, code: &mut Code, holder: &[u8], name: &[u8], descriptor: &[u8]) {
    let member = Member { class: holder, name, descriptor };
    code.op_idx(op::INVOKESTATIC, class.method_ref(false, member));
}

/// 31 times what is there plus the hash of each component, from 0 on.
fn hash_code(class: &mut ClassWriter, record: &[u8], components: &[Component<'_>]) -> Code {
    let mut code = Code::new(5, 1);
    code.op(op::ICONST_0);
    for &component in components {
        code.op_idx(op::LDC_W, class.integer(31));
        code.op(op::IMUL);
        get(class, &mut code, record, 0, component);
        match kind_of(component.1) {
            Kind::Ref => {
                call(class, &mut code, b"java/util/Objects", b"hashCode", b"(Ljava/lang/Object;)I")
            }
            kind => {
                let descriptor = [b"(", &[kind.descriptor()][..], b")I"].concat();
                call(class, &mut code, boxes(kind).1, b"hashCode", &descriptor);
            }
        }
        code.op(op::IADD);
    }
    code.op(op::IRETURN);
    code
}

fn equals(class: &mut ClassWriter, record: &[u8], components: &[Component<'_>]) -> Code {
    let mut code = Code::new(6, 3);
    code.load(Kind::Ref, 0);
    code.load(Kind::Ref, 1);
    let other = code.branch(op::IF_ACMPNE);
    code.op(op::ICONST_1);
    code.op(op::IRETURN);
    code.land(other);
    let mut unequal = Vec::new();
    code.load(Kind::Ref, 1);
    code.op_idx(op::INSTANCEOF, class.class(record));
    unequal.push(code.branch(op::IFEQ));
    code.load(Kind::Ref, 1);
    code.op_idx(op::CHECKCAST, class.class(record));
    code.store_ref(2);
    for &component in components {
        get(class, &mut code, record, 0, component);
        get(class, &mut code, record, 2, component);
        let kind = kind_of(component.1);
        unequal.push(match kind {
            Kind::Ref => {
                let descriptor = b"(Ljava/lang/Object;Ljava/lang/Object;)Z";
                call(class, &mut code, b"java/util/Objects", b"equals", descriptor);
                code.branch(op::IFEQ)
            }
            Kind::Float | Kind::Double => {
                let kind = [kind.descriptor(); 2];
                let descriptor = [b"(", &kind[..], b")I"].concat();
                call(class, &mut code, boxes(kind_of(component.1)).1, b"compare", &descriptor);
                code.branch(op::IFNE)
            }
            Kind::Long => {
                code.op(op::LCMP);
                code.branch(op::IFNE)
            }
            _ => code.branch(op::IF_ICMPNE),
        });
    }
    code.op(op::ICONST_1);
    code.op(op::IRETURN);
    for branch in unequal {
        code.land(branch);
    }
    code.op(op::ICONST_0);
    code.op(op::IRETURN);
    code
}

/// `Name[a=1, b=x]`, by a concatenation of its own.
fn to_string(
    class: &mut ClassWriter,
    record: &[u8],
    simple_name: &[u8],
    components: &[Component<'_>],
    by_objects: bool,
) -> Code {
    let mut code = Code::new(204, 1);
    let mut recipe = [simple_name, b"["].concat();
    let mut types = Vec::new();
    for (idx, &component) in components.iter().enumerate() {
        if idx > 0 {
            recipe.extend(b", ");
        }
        recipe.extend(component.0);
        recipe.extend(b"=\x01");
        get(class, &mut code, record, 0, component);
        // The types may be known to the record's loader alone; their kinds are enough.
        let shown: &[u8] = match component.1 {
            [b'L' | b'[', ..] if component.1 != STRING => b"Ljava/lang/Object;",
            descriptor => descriptor,
        };
        if by_objects && kind_of(shown) == Kind::Ref {
            let descriptor = b"(Ljava/lang/Object;)Ljava/lang/String;";
            call(class, &mut code, b"java/util/Objects", b"toString", descriptor);
            types.extend(STRING);
        } else {
            types.extend(shown);
        }
    }
    recipe.push(b']');
    if components.is_empty() {
        code.op_idx(op::LDC_W, class.string(&recipe));
    } else {
        let recipe = class.string(&recipe);
        let bootstrap = Member {
            class: b"java/lang/invoke/StringConcatFactory",
            name: b"makeConcatWithConstants",
            descriptor: CONCAT,
        };
        let descriptor = [b"(", types.as_slice(), b")", STRING].concat();
        let site =
            class.invoke_dynamic(bootstrap, &[recipe], b"makeConcatWithConstants", &descriptor);
        code.op_idx(op::INVOKEDYNAMIC, site);
    }
    code.op(op::ARETURN);
    code
}
