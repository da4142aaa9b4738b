//! The room of the type table's entries. All lie in one static array, so that a node names its type by a number of half a
//! word, and the way from the number to the entry is an addition.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::type_table::TypeInfo;

/// So many types fit in a process. What is not used takes addresses, but no memory.
const MOST_TYPES: usize = 1 << 14;

struct Entry(UnsafeCell<MaybeUninit<TypeInfo>>);

// SAFETY: an entry is written once, under the lock and before anybody has its number, and only read after that;
// `TypeInfo` is `Sync`.
unsafe impl Sync for Entry {}

static ENTRIES: [Entry; MOST_TYPES] = [const { Entry(UnsafeCell::new(MaybeUninit::uninit())) }; MOST_TYPES];
/// So many are written.
static COUNT: AtomicU32 = AtomicU32::new(0);
static WRITING: Mutex<()> = Mutex::new(());

/// Makes an entry, which is told its number. Nothing when it would leave room for fewer than `reserved` others.
pub(crate) fn append_entry(reserved: usize, make: impl FnOnce(u32) -> TypeInfo) -> Option<&'static TypeInfo> {
    let _lock = WRITING.lock().unwrap_or_else(|e| e.into_inner());
    let index = COUNT.load(Ordering::Relaxed);
    let room = ENTRIES[..MOST_TYPES - reserved].get(index as usize)?;
    // SAFETY: nobody has the number yet, and nobody else writes.
    let info = unsafe { (*room.0.get()).write(make(index)) };
    COUNT.store(index + 1, Ordering::Release);
    Some(info)
}

/// All entries so far, by their numbers.
pub(crate) fn entries() -> impl ExactSizeIterator<Item = &'static TypeInfo> {
    // SAFETY: those below the count are written.
    (0..COUNT.load(Ordering::Acquire)).map(|index| unsafe { entry(index) })
}

/// The entry with this number.
///
/// # Safety
/// The number must be that of an entry, as a node's is.
#[inline(always)]
pub(super) unsafe fn entry(index: u32) -> &'static TypeInfo {
    // SAFETY: by contract the number is below the count, so it is within the array, and the entry is written.
    unsafe { (*ENTRIES.get_unchecked(index as usize).0.get()).assume_init_ref() }
}
