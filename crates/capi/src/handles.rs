//! The table of handles.
//!
//! A handle is a 64-bit number: the index of a slot (32 bits), the generation of its content (24 bits) and the kind of the
//! content (8 bits, never 0). Freeing raises the generation, so a freed handle does not match, and a slot whose generations are
//! used up is never used again: no handle is given out twice.
//!
//! Contents are shared (`Arc`): a call works on its own reference, so that another thread may free the handle meanwhile.
//! They are dropped outside the lock.

use std::sync::{Arc, PoisonError, RwLock};

use crate::callable::Callable;
use crate::compare::Differences;
use crate::diagnostics::Findings;
use crate::program::{Dialects, Part, Program};
use crate::status::{Outcome, Status};
use crate::text::OwnedText;

/// Bits of a generation.
const GENERATION_BITS: u32 = 24;
const LAST_GENERATION: u32 = (1 << GENERATION_BITS) - 1;

/// The content of a slot.
#[derive(Clone)]
pub(crate) enum Entry {
    Registry(Arc<Dialects>),
    Object(Part),
    Text(Arc<OwnedText>),
    Findings(Arc<Findings>),
    Program(Arc<Program>),
    Differences(Arc<Differences>),
    Function(Arc<Callable>),
}

/// A type whose values have handles.
pub(crate) trait Stored: Clone {
    /// The kind in the handle.
    const KIND: u8;
    fn into_entry(self) -> Entry;
    fn of_entry(entry: &Entry) -> Option<&Self>;
}

macro_rules! stored {
    ($($kind:literal $variant:ident $content:ty;)*) => {
        $(impl Stored for $content {
            const KIND: u8 = $kind;
            fn into_entry(self) -> Entry {
                Entry::$variant(self)
            }
            fn of_entry(entry: &Entry) -> Option<&Self> {
                match entry {
                    Entry::$variant(content) => Some(content),
                    _ => None,
                }
            }
        }
    )*
        /// All kinds.
        const KINDS: &[u8] = &[$($kind),*];
    };
}
stored! {
    0x51 Registry Arc<Dialects>;
    0x52 Object Part;
    0x53 Text Arc<OwnedText>;
    0x54 Findings Arc<Findings>;
    0x55 Program Arc<Program>;
    0x56 Differences Arc<Differences>;
    0x57 Function Arc<Callable>;
}

#[derive(Default)]
struct Slot {
    generation: u32,
    entry: Option<Entry>,
}

#[derive(Default)]
struct Table {
    slots: Vec<Slot>,
    /// Slots without content that may be used.
    free: Vec<u32>,
    /// Number of slots with content.
    used: usize,
}

static TABLE: RwLock<Table> = RwLock::new(Table { slots: Vec::new(), free: Vec::new(), used: 0 });

/// The parts of a handle.
struct Parts {
    slot: u32,
    generation: u32,
    kind: u8,
}

impl Parts {
    fn of(handle: u64) -> Parts {
        let generation = (handle >> 32) as u32 & LAST_GENERATION;
        Parts { slot: handle as u32, generation, kind: (handle >> 56) as u8 }
    }

    fn handle(&self) -> u64 {
        u64::from(self.slot) | u64::from(self.generation) << 32 | u64::from(self.kind) << 56
    }
}

/// Makes a handle for a value.
pub(crate) fn store<T: Stored>(value: T) -> Outcome<u64> {
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    let index = match table.free.pop() {
        Some(index) => index,
        None => {
            let index = u32::try_from(table.slots.len()).map_err(|_| Status::TooManyHandles)?;
            table.slots.push(Slot::default());
            index
        }
    };
    let slot = table.slots.get_mut(index as usize).ok_or(Status::InternalError)?;
    slot.entry = Some(value.into_entry());
    let handle = Parts { slot: index, generation: slot.generation, kind: T::KIND }.handle();
    table.used += 1;
    Ok(handle)
}

/// The content of a handle.
fn find<T: Stored>(table: &Table, handle: u64) -> Outcome<&T> {
    let Parts { slot, generation, kind } = Parts::of(handle);
    let slot =
        table.slots.get(slot as usize).filter(|_| KINDS.contains(&kind)).ok_or(Status::InvalidHandle)?;
    if generation < slot.generation {
        return Err(Status::FreedHandle);
    }
    let entry = slot.entry.as_ref().filter(|_| generation == slot.generation).ok_or(Status::InvalidHandle)?;
    match T::of_entry(entry) {
        Some(content) if kind == T::KIND => Ok(content),
        // A wrong kind in the handle itself was never given out.
        Some(_) => Err(Status::InvalidHandle),
        None => Err(Status::WrongKind),
    }
}

/// The value of a handle.
pub(crate) fn load<T: Stored>(handle: u64) -> Outcome<T> {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    find::<T>(&table, handle).cloned()
}

/// Frees a handle; does nothing for the null handle.
pub(crate) fn free<T: Stored>(handle: u64) -> Outcome {
    if handle == 0 {
        return Ok(());
    }
    let content = {
        let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
        find::<T>(&table, handle)?;
        let index = Parts::of(handle).slot;
        let slot = table.slots.get_mut(index as usize).ok_or(Status::InternalError)?;
        let content = slot.entry.take();
        slot.generation += 1;
        let is_usable = slot.generation < LAST_GENERATION;
        if is_usable {
            table.free.push(index);
        }
        table.used -= 1;
        content
    };
    drop(content);
    Ok(())
}

/// Number of handles that are not freed.
pub(crate) fn count() -> usize {
    TABLE.read().unwrap_or_else(PoisonError::into_inner).used
}
