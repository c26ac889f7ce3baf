//! Contracts of the user: static methods that take objects and say whether all is well with them. They are
//! named one by one, or found by an annotation called `Contract`, of whatever package, so that nobody needs
//! a jar of ours.

use std::fmt;
use std::sync::Arc;

use suite::method::Method;
use suite::types::{Type, signature};
use vm::class::flags;
use vm::value::ClassId;
use vm::vm::Vm;

use super::scene::{Judged, Scene, Value, Want};
use crate::session::{NotFound, Resolved, Session};

/// Most objects that a contract can be about.
const MOST_OBJECTS: usize = 3;

/// A contract of the user.
#[derive(Debug)]
pub(crate) struct UserContract {
    /// `com.acme.Rules.isSorted`.
    pub(crate) id: Arc<str>,
    method: Resolved,
    /// The classes of its parameters.
    classes: Vec<ClassId>,
}

/// Why something is not a contract.
#[derive(Debug, Clone, PartialEq)]
pub enum NotAContract {
    /// The class or method is not there.
    NotFound(NotFound),
    /// It is there and of another form.
    Form(String),
}

impl fmt::Display for NotAContract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAContract::NotFound(NotFound::Class { name, .. }) => {
                write!(f, "class {} cannot be loaded", name.replace('/', "."))
            }
            NotAContract::NotFound(problem) => problem.fmt(f),
            NotAContract::Form(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for NotAContract {}

impl From<NotFound> for NotAContract {
    fn from(problem: NotFound) -> NotAContract {
        NotAContract::NotFound(problem)
    }
}

impl UserContract {
    /// Whether it is about objects of these classes, in this order.
    pub(crate) fn takes(&self, vm: &Vm, classes: &[ClassId]) -> bool {
        let fits = |(&own, &wanted): (&ClassId, &ClassId)| vm.is_subtype(own, wanted);
        classes.len() == self.classes.len() && classes.iter().zip(&self.classes).all(fits)
    }

    pub(crate) fn judge(&self, scene: &mut Scene<'_>, objects: &[Value]) -> Judged {
        let holds = scene.demand_return(&self.method, objects)?;
        scene.demand(holds, Want::True)
    }

    pub(crate) fn is_same(&self, other: &UserContract) -> bool {
        self.method.id == other.method.id
    }
}

/// The static boolean methods with this full name.
pub(super) fn named(session: &mut Session, name: &str) -> Result<Vec<UserContract>, NotAContract> {
    let Some((class, method)) = name.trim().rsplit_once('.') else {
        let problem = format!("`{name}` names no method; write it as com.acme.Rules.isSorted");
        return Err(NotAContract::Form(problem));
    };
    let id = class_of(session, class)?;
    let found = of_class(session, id, &|own: &Candidate<'_>| own.name == method)?;
    if found.is_empty() {
        return Err(NotAContract::Form(format!(
            "{class} has no method `static boolean {method}(…)` with one to three objects as parameters"
        )));
    }
    Ok(found)
}

/// The methods of a class, by internal name, that are annotated.
pub(super) fn annotated(
    session: &mut Session,
    class: &str,
) -> Result<Vec<UserContract>, NotAContract> {
    // A class that cannot be loaded is told with the classes that cannot be tested.
    let Ok(id) = session.load(class) else { return Ok(Vec::new()) };
    if !session.vm.class(id).methods.iter().any(|method| is_annotated(&session.vm, id, method)) {
        return Ok(Vec::new());
    }
    let id = session.class(class)?;
    of_class(session, id, &|own: &Candidate<'_>| own.is_annotated)
}

/// A class by the name that people write: with dots, nested ones too.
pub(super) fn class_of(session: &mut Session, name: &str) -> Result<ClassId, NotFound> {
    let mut internal = name.replace('.', "/");
    let first = session.class(&internal);
    let mut found = first.clone();
    while found.is_err() {
        let Some(at) = internal.rfind('/') else { return first };
        internal.replace_range(at..=at, "$");
        found = session.class(&internal);
    }
    found
}

struct Candidate<'a> {
    name: &'a str,
    is_annotated: bool,
}

fn of_class(
    session: &mut Session,
    id: ClassId,
    is_wanted: &dyn Fn(&Candidate<'_>) -> bool,
) -> Result<Vec<UserContract>, NotAContract> {
    let class = session.vm.class(id).clone();
    let class_name = class.name.to_string();
    let mut found = Vec::new();
    for method in &class.methods {
        let name = method.name.to_string();
        let descriptor = method.descriptor.to_string();
        let candidate =
            Candidate { name: &name, is_annotated: is_annotated(&session.vm, id, method) };
        let Some((parameters, Type::Boolean)) = signature(&descriptor) else { continue };
        let is_public = method.flags & flags::PRIVATE == 0;
        let is_form = method.is_static()
            && is_public
            && (1..=MOST_OBJECTS).contains(&parameters.len())
            && parameters.iter().all(Type::is_reference);
        if !is_form || !is_wanted(&candidate) {
            continue;
        }
        let Some(named) = Method::new(&class_name, &name, &descriptor, true) else { continue };
        let method = session.resolve(&Arc::new(named))?;
        let classes = parameters.iter().map(|parameter| session.class_of_type(parameter));
        let classes = classes.collect::<Result<_, _>>()?;
        let id = format!("{}.{name}", class_name.replace('/', "."));
        found.push(UserContract { id: id.into(), method, classes });
    }
    Ok(found)
}

/// Whether a method carries an annotation with the simple name `Contract`.
fn is_annotated(vm: &Vm, class: ClassId, method: &vm::class::Method) -> bool {
    let Some(file) = vm.class(class).file() else { return false };
    let Some(info) = file.methods().get(usize::from(method.slot)) else { return false };
    let is_contract = |descriptor: &[u8]| {
        let name = descriptor.strip_suffix(b";").unwrap_or_default();
        name.rsplit(|&byte| matches!(byte, b'/' | b'$')).next() == Some(b"Contract")
            || name == b"LContract"
    };
    [info.annotations, info.invisible_annotations]
        .into_iter()
        .any(|span| file.annotation_types(span).into_iter().any(is_contract))
}
