//! What a test may call: constructors and methods of the classes under test.

use std::sync::Arc;

use observe::session::{NotFound, Session};
use suite::method::Method;
use suite::types::Type;
use vm::class::{self, flags};
use vm::value::ClassId;

/// Which members are offered.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Also members that only classes of the same package see.
    pub package_private: bool,
    /// Only these methods, by name (`put`) or by name and parameters (`put(Object,Object)`, simple
    /// names); all if empty. Constructors are named `new`; without such a name all are offered.
    pub methods: Vec<String>,
}

/// What a class under test offers.
#[derive(Debug, Clone)]
pub struct Api {
    /// Internal name.
    pub class: Arc<str>,
    /// Constructors, in the order of the class file; none for abstract classes.
    pub constructors: Vec<Arc<Method>>,
    /// Static methods, likewise.
    pub statics: Vec<Arc<Method>>,
    /// Instance methods: declared ones in the order of the class file, then inherited ones.
    pub methods: Vec<Arc<Method>>,
    /// Whether instances cannot be made directly.
    pub is_abstract: bool,
}

/// Reads what a class offers. Methods of `java.lang.Object` are offered where they are overridden.
pub fn of_class(session: &mut Session, name: &str, choice: &Choice) -> Result<Api, NotFound> {
    let id = session.class(name)?;
    let vm = &session.vm;
    let own = vm.class(id);
    let mut api = Api {
        class: name.into(),
        constructors: Vec::new(),
        statics: Vec::new(),
        methods: Vec::new(),
        is_abstract: own.flags & (flags::ABSTRACT | flags::INTERFACE) != 0,
    };
    let mut seen: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for holder in holders(session, id) {
        let class = session.vm.class(holder);
        let is_own = holder == id;
        let same_package = session.vm.same_package(holder, id);
        for method in &class.methods {
            let name_and_parameters = name_and_parameters(method);
            if is_bridge_to_other(class, method) {
                // Source code sees what it leads to, not what it overrides.
                seen.push(name_and_parameters);
                continue;
            }
            if !is_offered(method, is_own, same_package, choice) {
                continue;
            }
            if seen.contains(&name_and_parameters) {
                continue;
            }
            seen.push(name_and_parameters);
            let Some(named) = named(session, &api.class, method) else { continue };
            if method.is_constructor() {
                if !api.is_abstract && is_chosen(&named, choice) {
                    api.constructors.push(Arc::new(named));
                }
            } else if !is_chosen(&named, choice) {
                continue;
            } else if method.is_static() {
                api.statics.push(Arc::new(named));
            } else {
                api.methods.push(Arc::new(named));
            }
        }
    }
    Ok(api)
}

fn name_and_parameters(method: &class::Method) -> (Vec<u8>, Vec<u8>) {
    let descriptor = method.descriptor.as_bytes();
    let end = descriptor.iter().position(|&byte| byte == b')').unwrap_or(0);
    (method.name.as_bytes().to_vec(), descriptor[..end].to_vec())
}

/// Whether the compiler made a method to override a generic one by one with other parameter types, as
/// `compareTo(Object)` for `compareTo(Money)`.
fn is_bridge_to_other(class: &class::Class, method: &class::Method) -> bool {
    let n_parameters = |method: &class::Method| {
        suite::types::signature(&method.descriptor.to_string()).map(|(types, _)| types.len())
    };
    method.flags & flags::SYNTHETIC != 0
        && method.flags & flags::BRIDGE != 0
        && class.methods.iter().any(|other| {
            other.flags & flags::SYNTHETIC == 0
                && other.name == method.name
                && name_and_parameters(other) != name_and_parameters(method)
                && n_parameters(other) == n_parameters(method)
        })
}

fn is_chosen(method: &Method, choice: &Choice) -> bool {
    let simple = |parameter: &Type| {
        let name = parameter.to_string();
        name.rsplit(['.', '$']).next().unwrap_or_default().to_owned()
    };
    let parameters: Vec<String> = method.parameters.iter().map(simple).collect();
    let is_new = |name: &String| name.trim() == "new" || name.trim().starts_with("new(");
    let name = method.word();
    let with_parameters = format!("{name}({})", parameters.join(","));
    choice.methods.is_empty()
        || method.is_constructor() && !choice.methods.iter().any(is_new)
        || choice.methods.iter().any(|chosen| {
            let chosen: String = chosen.chars().filter(|letter| !letter.is_whitespace()).collect();
            chosen == name || chosen == with_parameters
        })
}

/// The class and everything it inherits from but Object, nearest first.
fn holders(session: &Session, id: ClassId) -> Vec<ClassId> {
    let class = session.vm.class(id);
    let mut holders: Vec<ClassId> = class.supers.iter().rev().copied().collect();
    holders.extend(class.all_interfaces.iter().filter(|&&interface| interface != id));
    if class.is_interface() && !holders.contains(&id) {
        holders.insert(0, id);
    }
    holders.retain(|&holder| holder != session.vm.known.object);
    holders
}

fn is_offered(method: &class::Method, is_own: bool, same_package: bool, choice: &Choice) -> bool {
    if method.flags & flags::SYNTHETIC != 0 || method.is_static_initialiser() || method.is_private()
    {
        return false;
    }
    if !is_own && (method.is_constructor() || method.is_static()) {
        return false;
    }
    method.flags & flags::PUBLIC != 0 || choice.package_private && same_package
}

/// The method as a test names it: through this class, which has or inherits it.
pub(crate) fn named(session: &Session, class: &Arc<str>, method: &class::Method) -> Option<Method> {
    let name = method.name.to_string();
    let descriptor = method.descriptor.to_string();
    let mut named = Method::new(class, &name, &descriptor, method.is_static())?;
    named.is_varargs = method.flags & flags::VARARGS != 0;
    let file = session.vm.class(method.class).file().cloned()?;
    let info = file.method(method.name.as_bytes(), method.descriptor.as_bytes())?;
    named.declares_exceptions = !info.exceptions.is_empty();
    Some(named)
}
