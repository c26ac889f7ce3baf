//! A [`Hierarchy`] over given class files and a JDK's image, for verifying real methods.

use std::collections::HashMap;
use std::rc::Rc;

use classfile::verifier::{Hierarchy, MemberRef};
use classfile::{ClassFile, JImage, access};

const OBJECT: &[u8] = b"java/lang/Object";

/// Answers from class files it reads when asked; a class that is nowhere ends verification.
pub(crate) struct ImageHierarchy<'i> {
    image: &'i JImage,
    classes: HashMap<Vec<u8>, Option<Rc<ClassFile>>>,
    /// The class being verified, if it has a class loader of its own: it shares its package with
    /// no other class, and no other class knows it.
    pub(crate) alone: Option<Rc<ClassFile>>,
}

/// The class that was asked for and is nowhere.
#[derive(Debug, PartialEq)]
pub(crate) struct Missing(pub(crate) String);

impl<'i> ImageHierarchy<'i> {
    pub(crate) fn new(image: &'i JImage) -> Self {
        ImageHierarchy { image, classes: HashMap::new(), alone: None }
    }

    /// Adds a class that is not in the image.
    pub(crate) fn add(&mut self, class: Rc<ClassFile>) {
        self.classes.insert(class.name().to_vec(), Some(class));
    }

    /// A class as the one being verified sees it.
    fn class(&mut self, name: &[u8]) -> Result<Rc<ClassFile>, Missing> {
        match &self.alone {
            Some(alone) if alone.name() == name => Ok(alone.clone()),
            _ => self.shared_class(name),
        }
    }

    /// A class as all others see it.
    fn shared_class(&mut self, name: &[u8]) -> Result<Rc<ClassFile>, Missing> {
        if !self.classes.contains_key(name) {
            let found = self.image.find_class(name);
            let parsed = found.and_then(|(_, bytes)| ClassFile::parse(bytes).ok()).map(Rc::new);
            self.classes.insert(name.to_vec(), parsed);
        }
        let missing = || Missing(String::from_utf8_lossy(name).into_owned());
        self.classes[name].clone().ok_or_else(missing)
    }

    /// The class and its superclasses, nearest first.
    fn ancestors(&mut self, name: &[u8]) -> Result<Vec<Rc<ClassFile>>, Missing> {
        let mut ancestors = vec![self.class(name)?];
        while let Some(above) = ancestors.last().unwrap().super_name().map(<[u8]>::to_vec) {
            ancestors.push(self.shared_class(&above)?);
        }
        Ok(ancestors)
    }
}

fn is_interface(class: &ClassFile) -> bool {
    class.access_flags() & access::INTERFACE != 0
}

fn package(name: &[u8]) -> &[u8] {
    name.iter().rposition(|&byte| byte == b'/').map_or(b"", |slash| &name[..slash])
}

impl Hierarchy for ImageHierarchy<'_> {
    type Suspend = Missing;

    fn is_assignable(&mut self, from: &[u8], to: &[u8]) -> Result<bool, Missing> {
        assert!(from != to && to != OBJECT, "needs no question");
        assert!(from[0] != b'[' && to[0] != b'[', "arrays are the verifier's");
        let wanted = self.class(to)?;
        Ok(is_interface(&wanted)
            || self.ancestors(from)?.iter().any(|class| Rc::ptr_eq(class, &wanted)))
    }

    fn common_superclass(&mut self, a: &[u8], b: &[u8]) -> Result<Box<[u8]>, Missing> {
        let a = self.ancestors(a)?;
        let b = self.ancestors(b)?;
        if is_interface(&a[0]) || is_interface(&b[0]) {
            return Ok(OBJECT.into());
        }
        for above in a.iter().filter(|above| b.iter().any(|other| Rc::ptr_eq(other, above))) {
            if Rc::ptr_eq(&self.class(above.name())?, above) {
                return Ok(above.name().into());
            }
        }
        Ok(OBJECT.into())
    }

    fn is_protected_elsewhere(
        &mut self,
        current: &[u8],
        member: MemberRef<'_>,
    ) -> Result<bool, Missing> {
        let above = self.ancestors(current)?;
        let Some(from) = above.iter().skip(1).position(|class| class.name() == member.class) else {
            return Ok(false);
        };
        for class in &above[from + 1..] {
            let pool = class.constant_pool();
            let is_it = |name, descriptor| {
                pool.utf8(name) == member.name && pool.utf8(descriptor) == member.descriptor
            };
            let flags = if member.descriptor.starts_with(b"(") {
                class.methods().iter().find(|m| is_it(m.name, m.descriptor)).map(|m| m.access_flags)
            } else {
                class.fields().iter().find(|f| is_it(f.name, f.descriptor)).map(|f| f.access_flags)
            };
            if let Some(flags) = flags {
                let elsewhere = self.alone.is_some() || package(class.name()) != package(current);
                return Ok(flags & access::PROTECTED != 0 && elsewhere);
            }
        }
        Ok(false)
    }
}
