//! Objects with a `finalize()` method: each gets a `java.lang.ref.Finalizer`, which the collector
//! treats as its last reference.
//!
//! `Finalizer.register` would do it in Java, at the end of `Object`'s constructor. The machine does
//! the same when the object is made: it links a new `Finalizer` into the library's list.

use crate::frame::{Res, Trap};
use crate::thread::State;
use crate::value::Ref;
use crate::vm::Vm;

const FINALIZER: &str = "java/lang/ref/Finalizer";
const LINK: &str = "Ljava/lang/ref/Finalizer;";
const QUEUE: &str = "Ljava/lang/ref/ReferenceQueue;";

impl Vm {
    /// Makes sure that `register_finalizer` can do its work at once; else the caller repeats.
    pub(crate) fn prepare_finalizer(&mut self) -> Res<()> {
        let class = self.boot_class(FINALIZER)?;
        self.ensure_initialised(class)?;
        let (mirror, offset) = self.static_slot(class, "lock", "Ljava/lang/Object;");
        let lock = self.heap.load_ref(mirror, offset);
        match lock.some().and_then(|lock| self.lock_owner(lock)) {
            // Somebody is in the middle of changing the list.
            Some(owner) if owner != self.thread().id => {
                self.block(State::Blocked(lock));
                Err(Trap::Blocked)
            }
            _ => Ok(()),
        }
    }

    /// Sees to it that `finalize()` is run when nobody refers to the object any more.
    pub(crate) fn register_finalizer(&mut self, object: Ref) -> Res<()> {
        let class = self.boot_class(FINALIZER)?;
        let finalizer = self.new_object(class)?;
        let (mirror, queue_offset) = self.static_slot(class, "queue", QUEUE);
        let queue = self.heap.load_ref(mirror, queue_offset);
        let (mirror, list_offset) = self.static_slot(class, "unfinalized", LINK);
        let first = self.heap.load_ref(mirror, list_offset);
        // `Finalizer` has a static field of the same name.
        let reference = self.boot_class("java/lang/ref/Reference")?;
        let referent_offset = self.field_offset(reference, "referent", "Ljava/lang/Object;");
        let own_queue_offset = self.field_offset(reference, "queue", QUEUE);
        self.heap.store_ref(finalizer, referent_offset, object);
        self.heap.store_ref(finalizer, own_queue_offset, queue);
        if !first.is_null() {
            self.set_field_ref(finalizer, "next", LINK, first);
            self.set_field_ref(first, "prev", LINK, finalizer);
        }
        self.heap.store_ref(mirror, list_offset, finalizer);
        Ok(())
    }
}
