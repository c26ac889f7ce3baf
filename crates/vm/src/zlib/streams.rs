//! The open compression streams of a machine, by handle. A mark keeps a stream before it is first
//! used after the mark, and a rollback brings it back.

use crate::travel::Undo;
use crate::vm::Vm;

use super::deflate::Deflater;
use super::inflate::Inflater;

/// One stream.
#[expect(clippy::large_enum_variant, reason = "always behind a box of its own")]
#[derive(Debug, Clone)]
pub enum Stream {
    /// Decompression.
    Inflate(Inflater),
    /// Compression.
    Deflate(Deflater),
}

/// All streams. A handle is a position plus one, so that none is zero.
#[derive(Debug, Default)]
pub struct Streams {
    slots: Vec<Slot>,
}

#[derive(Debug, Default)]
struct Slot {
    stream: Option<Box<Stream>>,
    /// The mark that the stream was last kept for.
    kept_for: u64,
}

impl Streams {
    /// Whether no stream is open.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.iter().all(|slot| slot.stream.is_none())
    }

    /// The same streams in another machine, whose marks are its own.
    pub(crate) fn for_another(&self) -> Streams {
        let slot = |slot: &Slot| Slot { stream: slot.stream.clone(), kept_for: 0 };
        Streams { slots: self.slots.iter().map(slot).collect() }
    }

    fn position(handle: i64) -> Option<usize> {
        usize::try_from(handle).ok()?.checked_sub(1)
    }
}

impl Vm {
    /// Adds a stream; gives its handle.
    pub fn add_stream(&mut self, stream: Stream) -> i64 {
        let slots = &mut self.streams.slots;
        let position = slots.iter().position(|slot| slot.stream.is_none()).unwrap_or(slots.len());
        if position == slots.len() {
            slots.push(Slot::default());
        }
        self.keep_stream(position);
        self.streams.slots[position].stream = Some(Box::new(stream));
        i64::try_from(position).unwrap_or(i64::MAX) + 1
    }

    /// The stream behind a handle, about to be changed.
    pub fn stream(&mut self, handle: i64) -> Option<&mut Stream> {
        let position = Streams::position(handle)?;
        self.streams.slots.get(position)?.stream.as_ref()?;
        self.keep_stream(position);
        self.streams.slots[position].stream.as_deref_mut()
    }

    /// Drops a stream.
    pub fn drop_stream(&mut self, handle: i64) {
        if self.stream(handle).is_some()
            && let Some(position) = Streams::position(handle)
        {
            self.streams.slots[position].stream = None;
        }
    }

    fn keep_stream(&mut self, position: usize) {
        let youngest = self.marks.youngest();
        let slot = &mut self.streams.slots[position];
        if slot.kept_for != youngest {
            let undo =
                Undo::Stream { position, stream: slot.stream.clone(), kept_for: slot.kept_for };
            slot.kept_for = youngest;
            self.marks.remember(undo);
        }
    }

    /// Takes back a stream; called by a rollback.
    pub fn restore_stream(&mut self, position: usize, stream: Option<Box<Stream>>, kept_for: u64) {
        self.streams.slots[position] = Slot { stream, kept_for };
    }
}
