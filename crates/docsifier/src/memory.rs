//! The memory of a finished print, kept for the next one of its thread.
//!
//! A large print fills tens of megabytes, and what it gives back the allocator may hand on to the system. To take it all
//! anew, page by page, is a tenth of the time of the next print.

use std::cell::Cell;

use tvmscript_doc::DocArena;
use tvmscript_ir_core::ptr_map::AddressMap;

use crate::docsifier::Definition;
use crate::names::Namer;

/// The largest docs that are kept, in bytes.
const MOST_BYTES: usize = 64 << 20;
/// Docs of no more bytes are always kept.
const SMALL_BYTES: usize = 256 << 10;
/// Larger docs are kept when the last print filled at least this part of their room: after one large print, small ones
/// give it back.
const LEAST_PART: usize = 8;

thread_local! {
    static KEPT: Cell<Option<Box<Memory>>> = const { Cell::new(None) };
}

/// What grows with the printed text.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) docs: DocArena,
    pub(crate) names: Namer,
    pub(crate) defined: AddressMap<Definition>,
}

impl Memory {
    /// Memory with nothing in it, for at most `max_docs` docs.
    pub(crate) fn take(max_docs: u32) -> Memory {
        // While the thread ends nothing is kept.
        let kept = KEPT.try_with(Cell::take).ok().flatten();
        let mut memory = kept.map_or_else(Memory::default, |memory| *memory);
        memory.docs.set_max_docs(max_docs);
        memory
    }

    /// Keeps the memory for the next print, if it is of a fitting size.
    pub(crate) fn keep(mut self) {
        let (used, room) = (self.docs.used_bytes(), self.docs.room_bytes());
        if room > MOST_BYTES || room > SMALL_BYTES && used < room / LEAST_PART {
            return;
        }
        self.docs.clear();
        self.names.clear();
        self.defined.clear();
        let _ = KEPT.try_with(|kept| kept.set(Some(Box::new(self))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(docs: usize) -> Memory {
        let mut memory = Memory::take(1 << 20);
        for i in 0..docs {
            memory.docs.int(i as i64);
        }
        memory
    }

    #[test]
    fn room_is_kept_while_prints_of_its_size_follow() {
        filled(100_000).keep();
        let again = filled(50_000);
        let room = again.docs.room_bytes();
        assert_eq!(again.docs.doc_count(), 50_000);
        assert!(room >= 100_000 * size_of::<u64>());
        again.keep();
        // A small print gives the room back.
        let small = filled(10);
        assert_eq!(small.docs.room_bytes(), room);
        small.keep();
        assert!(filled(10).docs.room_bytes() < SMALL_BYTES);
    }
}
