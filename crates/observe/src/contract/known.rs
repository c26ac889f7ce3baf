//! What contracts need of the class library: methods they call and types they ask for, looked up once.

use std::sync::Arc;

use suite::constant::Constant;
use suite::method::Method;
use vm::value::{ClassId, Ref};
use vm::vm::Vm;

use super::serial::Serial;
use crate::java::Problem;
use crate::session::{NotFound, Resolved, Session};

/// Methods and types of the class library, as one machine knows them.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub equals: Resolved,
    pub hash_code: Resolved,
    pub to_string: Resolved,
    pub get_class: Resolved,
    pub compare_to: Resolved,
    pub compare: Resolved,
    pub signum: Resolved,
    pub negate: Resolved,
    pub close: Resolved,
    pub close_closeable: Resolved,
    pub iterable_iterator: Resolved,
    pub has_next: Resolved,
    pub next: Resolved,
    pub size: Resolved,
    pub is_empty: Resolved,
    pub iterator: Resolved,
    pub to_array: Resolved,
    pub array_length: Resolved,
    pub contains: Resolved,
    pub add: Resolved,
    pub new_array_list: Resolved,
    pub new_hash_set: Resolved,
    pub new_hash_map: Resolved,
    pub map_size: Resolved,
    pub map_is_empty: Resolved,
    pub key_set: Resolved,
    pub values: Resolved,
    pub entry_set: Resolved,
    pub contains_key: Resolved,
    pub get: Resolved,
    pub put: Resolved,
    pub entry_key: Resolved,
    pub entry_value: Resolved,
    pub serial: Serial,
    /// The literal `""`; literals never move.
    pub empty_text: u64,
    pub types: Types,
}

/// Types of the class library.
#[derive(Debug, Clone, Copy)]
pub(super) struct Types {
    pub comparable: ClassId,
    pub comparator: ClassId,
    pub iterable: ClassId,
    pub iterator: ClassId,
    pub collection: ClassId,
    pub list: ClassId,
    pub set: ClassId,
    pub identity_map: ClassId,
    pub map: ClassId,
    pub entry: ClassId,
    pub cloneable: ClassId,
    pub auto_closeable: ClassId,
    pub closeable: ClassId,
    pub serializable: ClassId,
    pub enumeration: ClassId,
    pub unsupported: ClassId,
    pub concurrent_modification: ClassId,
    pub stack_overflow: ClassId,
    pub class_cast: ClassId,
    pub illegal_state: ClassId,
    pub out_of_memory: ClassId,
    pub linkage: ClassId,
}

impl Known {
    /// Looks everything up. Best done before any mark is opened: the classes then stay.
    pub(super) fn new(session: &mut Session) -> Result<Known, NotFound> {
        let mut virtual_ = |class: &str, name: &str, descriptor: &str| {
            find(session, class, name, descriptor, false)
        };
        const OBJECT: &str = "java/lang/Object";
        const ITERATOR: &str = "()Ljava/util/Iterator;";
        const QUESTION: &str = "(Ljava/lang/Object;)Z";
        const GIVES: &str = "()Ljava/lang/Object;";
        Ok(Known {
            equals: virtual_(OBJECT, "equals", QUESTION)?,
            hash_code: virtual_(OBJECT, "hashCode", "()I")?,
            to_string: virtual_(OBJECT, "toString", "()Ljava/lang/String;")?,
            get_class: virtual_(OBJECT, "getClass", "()Ljava/lang/Class;")?,
            compare_to: virtual_("java/lang/Comparable", "compareTo", "(Ljava/lang/Object;)I")?,
            compare: virtual_(
                "java/util/Comparator",
                "compare",
                "(Ljava/lang/Object;Ljava/lang/Object;)I",
            )?,
            close: virtual_("java/lang/AutoCloseable", "close", "()V")?,
            close_closeable: virtual_("java/io/Closeable", "close", "()V")?,
            iterable_iterator: virtual_("java/lang/Iterable", "iterator", ITERATOR)?,
            has_next: virtual_("java/util/Iterator", "hasNext", "()Z")?,
            next: virtual_("java/util/Iterator", "next", GIVES)?,
            size: virtual_("java/util/Collection", "size", "()I")?,
            is_empty: virtual_("java/util/Collection", "isEmpty", "()Z")?,
            iterator: virtual_("java/util/Collection", "iterator", ITERATOR)?,
            to_array: virtual_("java/util/Collection", "toArray", "()[Ljava/lang/Object;")?,
            contains: virtual_("java/util/Collection", "contains", QUESTION)?,
            add: virtual_("java/util/Collection", "add", QUESTION)?,
            new_array_list: virtual_("java/util/ArrayList", "<init>", "(Ljava/util/Collection;)V")?,
            new_hash_set: virtual_("java/util/HashSet", "<init>", "(Ljava/util/Collection;)V")?,
            new_hash_map: virtual_("java/util/HashMap", "<init>", "(Ljava/util/Map;)V")?,
            map_size: virtual_("java/util/Map", "size", "()I")?,
            map_is_empty: virtual_("java/util/Map", "isEmpty", "()Z")?,
            key_set: virtual_("java/util/Map", "keySet", "()Ljava/util/Set;")?,
            values: virtual_("java/util/Map", "values", "()Ljava/util/Collection;")?,
            entry_set: virtual_("java/util/Map", "entrySet", "()Ljava/util/Set;")?,
            contains_key: virtual_("java/util/Map", "containsKey", QUESTION)?,
            get: virtual_("java/util/Map", "get", "(Ljava/lang/Object;)Ljava/lang/Object;")?,
            put: virtual_(
                "java/util/Map",
                "put",
                "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
            )?,
            entry_key: virtual_("java/util/Map$Entry", "getKey", GIVES)?,
            entry_value: virtual_("java/util/Map$Entry", "getValue", GIVES)?,
            signum: find(session, "java/lang/Integer", "signum", "(I)I", true)?,
            negate: find(session, "java/lang/Math", "negateExact", "(I)I", true)?,
            array_length: find(
                session,
                "java/lang/reflect/Array",
                "getLength",
                "(Ljava/lang/Object;)I",
                true,
            )?,
            serial: Serial::new(session)?,
            empty_text: session.constant(&Constant::text(""))?,
            types: Types::new(session)?,
        })
    }

    /// Whether an exception says nothing against a contract: the operation is not offered, the object
    /// was changed under an iteration, memory or classes are missing, or what can be closed is closed.
    pub(super) fn is_excused(&self, vm: &Vm, exception: Ref, receiver: Option<Ref>) -> bool {
        let types = &self.types;
        if exception.is_null() {
            return true;
        }
        let is = |class: ClassId| vm.instance_of(exception, class);
        let can_be_closed = || {
            let receiver = receiver.and_then(Ref::some);
            receiver.is_some_and(|receiver| vm.instance_of(receiver, types.auto_closeable))
        };
        is(types.unsupported)
            || is(types.concurrent_modification)
            || is(types.out_of_memory)
            || is(types.linkage)
            || is(types.illegal_state) && can_be_closed()
    }

    /// Whether an exception may come from what a collection holds: it contains itself, or what cannot be
    /// compared, for which the documentation promises nothing.
    pub(super) fn may_be_of_content(&self, vm: &Vm, exception: Ref) -> bool {
        let is = |class: ClassId| vm.instance_of(exception, class);
        !exception.is_null() && (is(self.types.stack_overflow) || is(self.types.class_cast))
    }
}

impl Types {
    fn new(session: &mut Session) -> Result<Types, NotFound> {
        let mut class = |name: &str| session.class(name);
        Ok(Types {
            comparable: class("java/lang/Comparable")?,
            comparator: class("java/util/Comparator")?,
            iterable: class("java/lang/Iterable")?,
            iterator: class("java/util/Iterator")?,
            collection: class("java/util/Collection")?,
            list: class("java/util/List")?,
            set: class("java/util/Set")?,
            identity_map: class("java/util/IdentityHashMap")?,
            map: class("java/util/Map")?,
            entry: class("java/util/Map$Entry")?,
            cloneable: class("java/lang/Cloneable")?,
            auto_closeable: class("java/lang/AutoCloseable")?,
            closeable: class("java/io/Closeable")?,
            serializable: class("java/io/Serializable")?,
            enumeration: class("java/lang/Enum")?,
            unsupported: class("java/lang/UnsupportedOperationException")?,
            concurrent_modification: class("java/util/ConcurrentModificationException")?,
            stack_overflow: class("java/lang/StackOverflowError")?,
            class_cast: class("java/lang/ClassCastException")?,
            illegal_state: class("java/lang/IllegalStateException")?,
            out_of_memory: class("java/lang/OutOfMemoryError")?,
            linkage: class("java/lang/LinkageError")?,
        })
    }
}

/// A method by the parts of its class-file form.
pub(super) fn find(
    session: &mut Session,
    class: &str,
    name: &str,
    descriptor: &str,
    is_static: bool,
) -> Result<Resolved, NotFound> {
    let missing = || NotFound::Class {
        name: class.to_owned(),
        problem: Problem::Missing(format!("{name}{descriptor}")),
    };
    let method = Method::new(class, name, descriptor, is_static).ok_or_else(missing)?;
    session.resolve(&Arc::new(method))
}
