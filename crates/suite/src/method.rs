//! A method as a test names it.

use std::fmt;
use std::sync::Arc;

use crate::types::{Type, signature};

/// What a call is made on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dispatch {
    /// `new C(…)`: no receiver, gives the object.
    Constructor,
    /// `C.m(…)`: no receiver.
    Static,
    /// `x.m(…)`: the receiver is the first argument.
    Instance,
}

/// A method, by the class through which it is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Method {
    /// Internal name of the class.
    pub class: Arc<str>,
    /// Name; `<init>` for constructors.
    pub name: Arc<str>,
    /// Parameter types, without the receiver.
    pub parameters: Vec<Type>,
    /// Type of the result as the descriptor tells it; `void` for constructors.
    pub returns: Type,
    /// Constructor, static or instance.
    pub dispatch: Dispatch,
    /// Whether the last parameter takes any number of arguments.
    pub is_varargs: bool,
    /// Whether it declares checked exceptions, so that a caller must too.
    pub declares_exceptions: bool,
}

impl Method {
    /// A method by the parts of its class-file form; `None` where the descriptor is malformed.
    pub fn new(class: &str, name: &str, descriptor: &str, is_static: bool) -> Option<Method> {
        let (parameters, returns) = signature(descriptor)?;
        let dispatch = match (name, is_static) {
            ("<init>", _) => Dispatch::Constructor,
            (_, true) => Dispatch::Static,
            (_, false) => Dispatch::Instance,
        };
        Some(Method {
            class: class.into(),
            name: name.into(),
            parameters,
            returns,
            dispatch,
            is_varargs: false,
            declares_exceptions: false,
        })
    }

    /// The descriptor.
    pub fn descriptor(&self) -> String {
        let parameters: String = self.parameters.iter().map(Type::descriptor).collect();
        format!("({parameters}){}", self.returns.descriptor())
    }

    /// Whether the first argument of a call is the receiver.
    pub fn has_receiver(&self) -> bool {
        self.dispatch == Dispatch::Instance
    }

    /// The word that people write to call it: its name, or `new`.
    pub fn word(&self) -> &str {
        if self.is_constructor() { "new" } else { &self.name }
    }

    /// Whether it makes an object.
    pub fn is_constructor(&self) -> bool {
        self.dispatch == Dispatch::Constructor
    }

    /// The type of what a call gives: the class itself for constructors.
    pub fn result(&self) -> Type {
        if self.is_constructor() { Type::Class(self.class.clone()) } else { self.returns.clone() }
    }

    /// The types that the arguments of a call must have, receiver first.
    pub fn arguments(&self) -> Vec<Type> {
        let receiver = self.has_receiver().then(|| Type::Class(self.class.clone()));
        receiver.into_iter().chain(self.parameters.iter().cloned()).collect()
    }
}

/// As people name it: `java.util.List.add(int, java.lang.Object)`.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = self.class.replace('/', ".");
        let parameters: Vec<String> = self.parameters.iter().map(Type::to_string).collect();
        let parameters = parameters.join(", ");
        if self.is_constructor() {
            write!(f, "{class}({parameters})")
        } else {
            write!(f, "{class}.{}({parameters})", self.name)
        }
    }
}
