//! Storage of the type table: one static array, so that a node can refer to its type by a 4-byte index.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::type_table::TypeInfo;

/// Maximum number of types in a process. Unused entries take address space, but no memory.
pub(super) const MAX_TYPES: usize = 1 << 14;

struct Entry(UnsafeCell<MaybeUninit<TypeInfo>>);

// SAFETY: an entry is written once, under the lock and before its index is handed out, and only read afterwards;
// `TypeInfo` is `Sync`.
unsafe impl Sync for Entry {}

static ENTRIES: [Entry; MAX_TYPES] = [const { Entry(UnsafeCell::new(MaybeUninit::uninit())) }; MAX_TYPES];
/// Number of initialized entries.
static COUNT: AtomicU32 = AtomicU32::new(0);
static WRITING: Mutex<()> = Mutex::new(());

/// Appends the entry that `make` returns for its index. Returns `None` if fewer than `reserved` free entries would
/// remain.
pub(crate) fn append_entry(reserved: usize, make: impl FnOnce(u32) -> TypeInfo) -> Option<&'static TypeInfo> {
    let _lock = WRITING.lock().unwrap_or_else(|e| e.into_inner());
    let index = COUNT.load(Ordering::Relaxed);
    let slot = ENTRIES.get(..MAX_TYPES.checked_sub(reserved)?)?.get(index as usize)?;
    // SAFETY: the lock excludes other writers, and readers do not have the index yet.
    let info = unsafe { (*slot.0.get()).write(make(index)) };
    COUNT.store(index + 1, Ordering::Release);
    Some(info)
}

/// Returns the entries registered so far, in the order of their indices.
pub(crate) fn entries() -> impl ExactSizeIterator<Item = &'static TypeInfo> {
    // SAFETY: entries below the count are initialized.
    (0..COUNT.load(Ordering::Acquire)).map(|index| unsafe { entry(index) })
}

/// Returns an entry.
///
/// # Safety
/// `index` must be the index of an initialized entry.
#[inline(always)]
pub(super) unsafe fn entry(index: u32) -> &'static TypeInfo {
    // SAFETY: by contract the index is in bounds and the entry is initialized.
    unsafe { (*ENTRIES.get_unchecked(index as usize).0.get()).assume_init_ref() }
}
