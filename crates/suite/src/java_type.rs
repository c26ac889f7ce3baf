//! Java types with their type arguments, as source code needs them and signatures tell them (JVMS §4.7.9.1).
//!
//! A class type without arguments is either not generic or raw; only its class file tells which.
//! The arguments of an enclosing generic class are not kept: such an inner class is always written raw.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::types::Type;

/// Name of the root of all classes.
pub const OBJECT: &str = "java/lang/Object";

/// A type of an expression or variable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum JavaType {
    /// The type of `null`.
    Null,
    /// A primitive type, or `void` as a result.
    Primitive(Type),
    /// A class or interface.
    Class(ClassType),
    /// An array of this element type.
    Array(Box<JavaType>),
    /// A type variable.
    Variable(Arc<str>),
}

/// A class or interface with its type arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClassType {
    /// Internal name.
    pub name: Arc<str>,
    /// Type arguments; none where the class is not generic or the type is raw.
    pub args: Vec<TypeArg>,
}

/// A type argument.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TypeArg {
    /// `T`.
    Exact(JavaType),
    /// `? extends T`.
    Extends(JavaType),
    /// `? super T`.
    Super(JavaType),
    /// `?`.
    Any,
}

/// A type parameter of a class or method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeParameter {
    /// Its name.
    pub name: Arc<str>,
    /// Its bounds, class first; `Object` alone if none is written.
    pub bounds: Vec<JavaType>,
}

impl JavaType {
    /// The class type without arguments.
    pub fn class(name: &str) -> JavaType {
        JavaType::Class(ClassType { name: name.into(), args: Vec::new() })
    }

    /// `java.lang.Object`.
    pub fn object() -> JavaType {
        JavaType::class(OBJECT)
    }

    /// The type that a descriptor tells.
    pub fn of(erased: &Type) -> JavaType {
        match erased {
            Type::Class(name) => {
                JavaType::Class(ClassType { name: name.clone(), args: Vec::new() })
            }
            Type::Array(element) => JavaType::Array(Box::new(JavaType::of(element))),
            primitive => JavaType::Primitive(primitive.clone()),
        }
    }

    /// Whether it is a class, array or `null`.
    pub fn is_reference(&self) -> bool {
        !matches!(self, JavaType::Primitive(_))
    }

    /// The internal name, where it is a class.
    pub fn class_name(&self) -> Option<&Arc<str>> {
        match self {
            JavaType::Class(class) => Some(&class.name),
            _ => None,
        }
    }

    /// Whether type arguments occur in it.
    pub fn has_args(&self) -> bool {
        match self {
            JavaType::Class(class) => !class.args.is_empty(),
            JavaType::Array(element) => element.has_args(),
            _ => false,
        }
    }

    /// Whether one of these type variables occurs in it.
    pub fn mentions(&self, variables: &[TypeParameter]) -> bool {
        match self {
            JavaType::Null | JavaType::Primitive(_) => false,
            JavaType::Variable(name) => variables.iter().any(|variable| variable.name == *name),
            JavaType::Array(element) => element.mentions(variables),
            JavaType::Class(class) => class.args.iter().any(|arg| match arg {
                TypeArg::Exact(inner) | TypeArg::Extends(inner) | TypeArg::Super(inner) => {
                    inner.mentions(variables)
                }
                TypeArg::Any => false,
            }),
        }
    }

    /// Whether casts to it are checked at run time, so that they need no warning (JLS §4.7).
    pub fn is_reifiable(&self) -> bool {
        match self {
            JavaType::Null | JavaType::Primitive(_) => true,
            JavaType::Variable(_) => false,
            JavaType::Array(element) => element.is_reifiable(),
            JavaType::Class(class) => class.args.iter().all(|arg| *arg == TypeArg::Any),
        }
    }
}

/// What the generic signature of a class says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassSignature {
    /// Its type parameters.
    pub parameters: Vec<TypeParameter>,
    /// Superclass first, then the interfaces.
    pub supertypes: Vec<ClassType>,
}

/// What the generic signature of a method says; declared exceptions are left to the class file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodSignature {
    /// Its own type parameters.
    pub type_parameters: Vec<TypeParameter>,
    /// Parameter types.
    pub parameters: Vec<JavaType>,
    /// Type of the result.
    pub returns: JavaType,
}

/// Deeper nesting of type arguments than any compiler writes.
const MAX_DEPTH: u32 = 64;

/// Parses the signature of a class; `None` where it is malformed.
pub fn class_signature(text: &str) -> Option<ClassSignature> {
    let mut parser = Parser { rest: text, depth: 0 };
    let parameters = parser.type_parameters()?;
    let mut supertypes = Vec::new();
    while !parser.rest.is_empty() {
        let JavaType::Class(supertype) = parser.reference()? else { return None };
        supertypes.push(supertype);
    }
    Some(ClassSignature { parameters, supertypes })
}

/// Parses the signature of a method; `None` where it is malformed.
pub fn method_signature(text: &str) -> Option<MethodSignature> {
    let mut parser = Parser { rest: text, depth: 0 };
    let type_parameters = parser.type_parameters()?;
    parser.take('(')?;
    let mut parameters = Vec::new();
    while !parser.rest.starts_with(')') {
        parameters.push(parser.any()?);
    }
    parser.take(')')?;
    let returns = parser.any()?;
    Some(MethodSignature { type_parameters, parameters, returns })
}

/// Type arguments by the name of the parameter.
pub type Substitution = BTreeMap<Arc<str>, TypeArg>;

/// Parameters with their arguments; empty for a raw type.
pub fn substitution(parameters: &[TypeParameter], args: &[TypeArg]) -> Substitution {
    let names = parameters.iter().map(|parameter| parameter.name.clone());
    names.zip(args.iter().cloned()).collect()
}

/// A type with type variables replaced: at its top by the upper bound of a wildcard, within by the wildcard.
pub fn substitute(of: &JavaType, with: &Substitution) -> JavaType {
    match of {
        JavaType::Variable(name) => match with.get(name) {
            None => of.clone(),
            Some(TypeArg::Exact(found) | TypeArg::Extends(found)) => found.clone(),
            Some(TypeArg::Super(_) | TypeArg::Any) => JavaType::object(),
        },
        JavaType::Array(element) => JavaType::Array(Box::new(substitute(element, with))),
        JavaType::Class(class) => {
            let args = class.args.iter().map(|arg| substitute_arg(arg, with)).collect();
            JavaType::Class(ClassType { name: class.name.clone(), args })
        }
        other => other.clone(),
    }
}

fn substitute_arg(arg: &TypeArg, with: &Substitution) -> TypeArg {
    match arg {
        TypeArg::Exact(JavaType::Variable(name)) => with.get(name).unwrap_or(arg).clone(),
        TypeArg::Exact(inner) => TypeArg::Exact(substitute(inner, with)),
        TypeArg::Extends(inner) => TypeArg::Extends(substitute(inner, with)),
        TypeArg::Super(JavaType::Variable(name)) => match with.get(name) {
            Some(TypeArg::Exact(found) | TypeArg::Super(found)) => TypeArg::Super(found.clone()),
            Some(TypeArg::Extends(_) | TypeArg::Any) => TypeArg::Any,
            None => arg.clone(),
        },
        TypeArg::Super(inner) => TypeArg::Super(substitute(inner, with)),
        TypeArg::Any => TypeArg::Any,
    }
}

struct Parser<'t> {
    rest: &'t str,
    depth: u32,
}

impl<'t> Parser<'t> {
    fn take(&mut self, wanted: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(wanted)?;
        Some(())
    }

    /// Everything up to one of these characters, which stays.
    fn until(&mut self, ends: &[char]) -> Option<&'t str> {
        let at = self.rest.find(ends)?;
        let (found, rest) = self.rest.split_at(at);
        self.rest = rest;
        Some(found)
    }

    fn type_parameters(&mut self) -> Option<Vec<TypeParameter>> {
        let mut parameters = Vec::new();
        if self.take('<').is_none() {
            return Some(parameters);
        }
        while self.take('>').is_none() {
            let name = self.until(&[':'])?.into();
            let mut bounds = Vec::new();
            while self.take(':').is_some() {
                // The class bound may be empty where an interface bound follows.
                if !self.rest.starts_with(':') {
                    bounds.push(self.reference()?);
                }
            }
            if bounds.is_empty() {
                bounds.push(JavaType::object());
            }
            parameters.push(TypeParameter { name, bounds });
        }
        Some(parameters)
    }

    fn any(&mut self) -> Option<JavaType> {
        let first = self.rest.get(..1)?;
        match Type::of_descriptor(first) {
            Some(primitive) => {
                self.rest = self.rest.get(1..)?;
                Some(JavaType::Primitive(primitive))
            }
            None => self.reference(),
        }
    }

    fn reference(&mut self) -> Option<JavaType> {
        self.depth += 1;
        if MAX_DEPTH < self.depth {
            return None;
        }
        let found = if self.take('[').is_some() {
            JavaType::Array(Box::new(self.any()?))
        } else if self.take('T').is_some() {
            let name = self.until(&[';'])?.into();
            self.take(';')?;
            JavaType::Variable(name)
        } else {
            self.take('L')?;
            self.class()?
        };
        self.depth -= 1;
        Some(found)
    }

    fn class(&mut self) -> Option<JavaType> {
        let mut name = self.until(&['<', ';', '.'])?.to_owned();
        let mut args = self.type_args()?;
        while self.take('.').is_some() {
            name.push('$');
            name.push_str(self.until(&['<', ';', '.'])?);
            // Arguments of the enclosing class are not kept, so that those of the inner one are
            // worth nothing either.
            self.type_args()?;
            args.clear();
        }
        self.take(';')?;
        Some(JavaType::Class(ClassType { name: name.into(), args }))
    }

    fn type_args(&mut self) -> Option<Vec<TypeArg>> {
        let mut args = Vec::new();
        if self.take('<').is_none() {
            return Some(args);
        }
        while self.take('>').is_none() {
            args.push(if self.take('*').is_some() {
                TypeArg::Any
            } else if self.take('+').is_some() {
                TypeArg::Extends(self.reference()?)
            } else if self.take('-').is_some() {
                TypeArg::Super(self.reference()?)
            } else {
                TypeArg::Exact(self.reference()?)
            });
        }
        Some(args)
    }
}

#[cfg(test)]
mod tests {
    use super::{ClassType, JavaType, TypeArg, class_signature, method_signature};

    #[test]
    fn the_signature_of_a_class_gives_parameters_and_supertypes() {
        let found = class_signature(
            "<K:Ljava/lang/Object;V::Ljava/lang/Comparable<-TV;>;>Lp/Base<[I>;Lp/I<*>;",
        )
        .expect("well formed");
        let names: Vec<&str> = found.parameters.iter().map(|one| &*one.name).collect();
        assert_eq!(names, ["K", "V"]);
        let comparable = ClassType {
            name: "java/lang/Comparable".into(),
            args: vec![TypeArg::Super(JavaType::Variable("V".into()))],
        };
        assert_eq!(found.parameters[1].bounds, [JavaType::Class(comparable)]);
        assert_eq!(found.supertypes.len(), 2);
        assert_eq!(found.supertypes[1].args, [TypeArg::Any]);
    }

    #[test]
    fn the_signature_of_a_method_gives_its_types() {
        let found = method_signature("<T:Ljava/lang/Object;>(ITT;[TT;)Lp/Outer<TT;>.Inner;^Lp/X;")
            .expect("well formed");
        assert_eq!(found.type_parameters.len(), 1);
        assert_eq!(found.parameters.len(), 3);
        assert_eq!(found.returns, JavaType::class("p/Outer$Inner"));
    }

    #[test]
    fn what_is_no_signature_gives_nothing() {
        let deep = "Lp/A<".repeat(100);
        for text in ["<T", "L", "(", "(Lp/A<;)V", "(Q)V", "[", "T", &deep] {
            assert_eq!(method_signature(text), None, "{text}");
            assert_eq!(class_signature(text), None, "{text}");
        }
    }
}
