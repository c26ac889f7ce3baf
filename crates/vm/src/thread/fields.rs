//! What the machine reads and writes in `java.lang.Thread` objects. JDK 17 keeps it all in the
//! object itself, JDK 25 in its `FieldHolder`.

use crate::frame::Res;
use crate::thread::State;
use crate::value::{ClassId, Ref};
use crate::vm::Vm;

/// Byte offsets of the fields, found once.
#[derive(Debug, Clone, Copy)]
pub struct ThreadFields {
    /// `java.lang.Thread`.
    pub class: ClassId,
    /// `jdk.internal.misc.InnocuousThread`, whose instances are the library's housekeepers.
    pub housekeeper: ClassId,
    name: u32,
    eetop: u32,
    interrupted: u32,
    /// Where the fields below are; `None`: in the thread itself.
    holder: Option<u32>,
    status: u32,
    daemon: u32,
    stack_size: u32,
    group: u32,
}

impl Vm {
    /// The offsets; loads classes, but runs no Java code.
    pub(crate) fn thread_fields(&mut self) -> Res<ThreadFields> {
        if let Some(fields) = self.scheduler.fields {
            return Ok(fields);
        }
        let class = self.boot_class("java/lang/Thread")?;
        let housekeeper = self.boot_class("jdk/internal/misc/InnocuousThread")?;
        let holder = self.lookup_field(class, b"holder", b"Ljava/lang/Thread$FieldHolder;");
        let place =
            if holder.is_some() { self.boot_class("java/lang/Thread$FieldHolder")? } else { class };
        let offset = |class, name: &str, descriptor: &str| {
            let field = self.lookup_field(class, name.as_bytes(), descriptor.as_bytes());
            field.unwrap_or_else(|| panic!("internal: java.lang.Thread has no field {name}")).offset
        };
        let fields = ThreadFields {
            class,
            housekeeper,
            name: offset(class, "name", "Ljava/lang/String;"),
            eetop: offset(class, "eetop", "J"),
            interrupted: offset(class, "interrupted", "Z"),
            holder: holder.map(|field| field.offset),
            status: offset(place, "threadStatus", "I"),
            daemon: offset(place, "daemon", "Z"),
            stack_size: offset(place, "stackSize", "J"),
            group: offset(place, "group", "Ljava/lang/ThreadGroup;"),
        };
        self.scheduler.fields = Some(fields);
        Ok(fields)
    }

    /// The object with status, daemon flag and stack size; null before the constructor made it.
    fn thread_holder(&self, fields: &ThreadFields, java: Ref) -> Ref {
        match fields.holder {
            Some(offset) => self.heap.load_ref(java, offset),
            None => java,
        }
    }

    /// `eetop`: number of the green thread plus one; zero where the thread is not alive.
    pub(crate) fn thread_eetop(&self, java: Ref) -> u64 {
        match self.scheduler.fields {
            Some(fields) if !java.is_null() => self.heap.load_u64(java, fields.eetop),
            _ => 0,
        }
    }

    /// Sets `eetop`.
    pub(crate) fn set_thread_eetop(&mut self, java: Ref, eetop: u64) -> Res<()> {
        let fields = self.thread_fields()?;
        self.heap.store_u64(java, fields.eetop, eetop);
        Ok(())
    }

    /// `Thread.interrupted` as a field.
    pub(crate) fn thread_interrupted(&self, java: Ref) -> bool {
        match self.scheduler.fields {
            Some(fields) if !java.is_null() => self.heap.load_u8(java, fields.interrupted) != 0,
            _ => false,
        }
    }

    /// Sets or clears the flag.
    pub(crate) fn set_thread_interrupted(&mut self, java: Ref, interrupted: bool) {
        if let Some(fields) = self.scheduler.fields.filter(|_| !java.is_null()) {
            self.heap.store_u8(java, fields.interrupted, u8::from(interrupted));
        }
    }

    /// Whether the thread was made a daemon.
    pub(crate) fn thread_daemon(&mut self, java: Ref) -> Res<bool> {
        let fields = self.thread_fields()?;
        let holder = self.thread_holder(&fields, java);
        Ok(!holder.is_null() && self.heap.load_u8(holder, fields.daemon) != 0)
    }

    /// The `stackSize` the thread was made with; zero where it was not given.
    pub(crate) fn thread_stack_size(&mut self, java: Ref) -> Res<usize> {
        let fields = self.thread_fields()?;
        let holder = self.thread_holder(&fields, java);
        if holder.is_null() {
            return Ok(0);
        }
        let size = self.heap.load_u64(holder, fields.stack_size).cast_signed();
        Ok(usize::try_from(size).unwrap_or(0))
    }

    /// The thread's group; null once it has ended.
    pub(crate) fn thread_group(&self, java: Ref) -> Ref {
        let Some(fields) = self.scheduler.fields.filter(|_| !java.is_null()) else {
            return Ref::NULL;
        };
        let holder = self.thread_holder(&fields, java);
        if holder.is_null() { Ref::NULL } else { self.heap.load_ref(holder, fields.group) }
    }

    /// Writes `threadStatus` for a state.
    pub(crate) fn set_thread_status(&mut self, java: Ref, state: State) {
        let Some(fields) = self.scheduler.fields.filter(|_| !java.is_null()) else { return };
        let holder = self.thread_holder(&fields, java);
        if !holder.is_null() {
            self.heap.store_u32(holder, fields.status, thread_status(state));
        }
    }

    /// The name of a thread for messages.
    pub(crate) fn thread_name(&self, java: Ref) -> String {
        let name = match self.scheduler.fields {
            Some(fields) if !java.is_null() => self.heap.load_ref(java, fields.name),
            _ => Ref::NULL,
        };
        if name.is_null() { "?".into() } else { self.string_text(name) }
    }
}

/// `threadStatus` as `jdk.internal.misc.VM.toThreadState` reads it: the bits of JVMTI's thread states.
pub(crate) fn thread_status(state: State) -> u32 {
    const ALIVE: u32 = 0x1;
    const TERMINATED: u32 = 0x2;
    const RUNNABLE: u32 = 0x4;
    const INDEFINITELY: u32 = 0x10;
    const WITH_TIMEOUT: u32 = 0x20;
    const SLEEPING: u32 = 0x40;
    const WAITING: u32 = 0x80;
    const IN_OBJECT_WAIT: u32 = 0x100;
    const PARKED: u32 = 0x200;
    const BLOCKED: u32 = 0x400;
    let timed = |until: Option<i64>| if until.is_some() { WITH_TIMEOUT } else { INDEFINITELY };
    match state {
        State::Runnable
        | State::Outside { .. }
        | State::Initialising(_)
        | State::AwaitingReferences
        | State::Ending => ALIVE | RUNNABLE,
        State::Blocked(_) => ALIVE | BLOCKED,
        State::Waiting { until, .. } => ALIVE | WAITING | IN_OBJECT_WAIT | timed(until),
        State::Parked { until } => ALIVE | WAITING | PARKED | timed(until),
        State::Sleeping { .. } => ALIVE | WAITING | SLEEPING | WITH_TIMEOUT,
        State::Ended => TERMINATED,
    }
}

#[cfg(test)]
mod tests {
    use super::thread_status;
    use crate::thread::State;
    use crate::value::Ref;

    #[test]
    fn thread_status_has_the_bits_that_the_library_reads() {
        let object = Ref(9);
        assert_eq!(thread_status(State::Runnable), 5);
        assert_eq!(thread_status(State::Blocked(object)), 0x401);
        assert_eq!(thread_status(State::Waiting { object, until: None }), 0x191);
        assert_eq!(thread_status(State::Waiting { object, until: Some(1) }), 0x1a1);
        assert_eq!(thread_status(State::Parked { until: None }), 0x291);
        assert_eq!(thread_status(State::Parked { until: Some(1) }), 0x2a1);
        assert_eq!(thread_status(State::Sleeping { until: Some(1) }), 0xe1);
        assert_eq!(thread_status(State::Ended), 2);
    }
}
