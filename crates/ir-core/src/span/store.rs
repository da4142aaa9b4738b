//! The process-wide store of source names and interned spans.
//!
//! A source is open from [`SourceId::new`] until it is released as often as it was opened. Releasing it frees its name
//! and every interned span that refers to it, directly or through other spans.
//!
//! Ids and slots are reused in the order in which they became free. The handle of an interned span carries the
//! generation of its slot, so a stale one never resolves to another span. Packed spans have 15 bits for the source
//! and no generation: a stale [`SourceId`] can name another source once 16,000 more sources have been opened.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, LazyLock, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::{Span, SpanKind};

/// Ids below this limit fit into packed spans.
pub(super) const PACKED_SOURCES: u32 = 1 << 15;

/// Bits of a generation; the remaining bits of an interned span are its slot and the mark of interned spans.
pub(super) const GENERATION_BITS: u32 = 31;

/// A named source, such as a file or a model.
///
/// Spans refer to sources by id. The store keeps the name, not the text.
///
/// ```
/// use tvmscript_ir_core::{SourceId, Span, SpanKind};
///
/// let source = SourceId::new("kernel.py");
/// let span = Span::range(source, 4, 9);
/// assert_eq!(span.kind(), SpanKind::Range { source, start_bytes: 4, end_bytes: 9 });
///
/// // A long-running process releases the sources that it is done with.
/// source.release();
/// assert_eq!(span.kind(), SpanKind::Unknown);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceId(pub(super) u32);

impl SourceId {
    /// Opens the source with this name. While a source of this name is open, the result is its id.
    ///
    /// The source stays open until [`SourceId::release`] has been called once for each call of this function.
    pub fn new(name: &str) -> SourceId {
        write().open(name)
    }

    /// Returns the name, which is empty after the source was released.
    pub fn name(self) -> String {
        read().sources.get(&self.0).map(|source| source.name.to_string()).unwrap_or_default()
    }

    /// Undoes one [`SourceId::new`]. The last release frees the name and the interned spans of the source.
    ///
    /// Nodes may outlive the source: from then on their spans in it resolve as [`SpanKind::Unknown`], and so do
    /// sequences and call sites that it takes part in. Has no effect on a source that is not open.
    pub fn release(self) {
        write().release(self.0);
    }

    /// Releases the source when the returned guard is dropped.
    pub fn release_on_drop(self) -> SourceGuard {
        SourceGuard(self)
    }
}

/// Releases a source when dropped; see [`SourceId::release_on_drop`].
#[derive(Debug)]
#[must_use = "the source is released when this is dropped"]
pub struct SourceGuard(SourceId);

impl Drop for SourceGuard {
    fn drop(&mut self) {
        self.0.release();
    }
}

#[derive(Default)]
struct Store {
    sources: HashMap<u32, OpenSource>,
    ids: HashMap<Arc<str>, u32>,
    /// The last id given to a source that fits into packed spans, and to one that does not.
    last_ids: [u32; 2],
    slots: Vec<SpanSlot>,
    /// Slots without a span, in the order in which they became free.
    free: VecDeque<u32>,
    interned: HashMap<Arc<SpanKind>, u32>,
}

struct OpenSource {
    name: Arc<str>,
    /// Calls of [`SourceId::new`] less calls of [`SourceId::release`].
    opened: usize,
    dependents: Dependents,
}

#[derive(Default)]
struct SpanSlot {
    generation: u32,
    kind: Option<Arc<SpanKind>>,
    dependents: Dependents,
}

/// Slots of the interned spans that are freed together with a source or span, because they refer to it.
type Dependents = HashSet<u32>;

static STORE: LazyLock<RwLock<Store>> = LazyLock::new(RwLock::default);

fn read() -> RwLockReadGuard<'static, Store> {
    STORE.read().unwrap_or_else(|e| e.into_inner())
}

fn write() -> RwLockWriteGuard<'static, Store> {
    STORE.write().unwrap_or_else(|e| e.into_inner())
}

/// Returns `true` if the source is open.
pub(super) fn is_open(source: SourceId) -> bool {
    read().sources.contains_key(&source.0)
}

/// Returns slot and generation of a span that does not fit into a word; nothing if it refers to no open source.
pub(super) fn intern(kind: SpanKind) -> Option<(u32, u32)> {
    write().intern(kind)
}

/// Resolves an interned span.
pub(super) fn resolve(slot: u32, generation: u32) -> Option<SpanKind> {
    read().kind(slot, generation).cloned()
}

impl Store {
    fn open(&mut self, name: &str) -> SourceId {
        if let Some(&id) = self.ids.get(name) {
            if let Some(source) = self.sources.get_mut(&id) {
                source.opened += 1;
            }
            return SourceId(id);
        }
        let id = self.unused_id();
        let name: Arc<str> = name.into();
        self.ids.insert(name.clone(), id);
        self.sources.insert(id, OpenSource { name, opened: 1, dependents: HashSet::new() });
        SourceId(id)
    }

    /// Takes the ids in turn, so that one is reused as late as possible.
    fn unused_id(&mut self) -> u32 {
        let is_packed = self.sources.len() < PACKED_SOURCES as usize / 2;
        let (first, limit) = if is_packed { (1, PACKED_SOURCES) } else { (PACKED_SOURCES, u32::MAX) };
        let last = &mut self.last_ids[usize::from(!is_packed)];
        loop {
            *last = if *last + 1 < limit { (*last + 1).max(first) } else { first };
            if !self.sources.contains_key(last) {
                return *last;
            }
        }
    }

    fn release(&mut self, id: u32) {
        let Some(source) = self.sources.get_mut(&id) else { return };
        source.opened -= 1;
        if source.opened > 0 {
            return;
        }
        let Some(source) = self.sources.remove(&id) else { return };
        self.ids.remove(&source.name);
        let mut worklist: Vec<u32> = source.dependents.into_iter().collect();
        while let Some(index) = worklist.pop() {
            let slot = &mut self.slots[index as usize];
            let Some(kind) = slot.kind.take() else { continue };
            worklist.extend(slot.dependents.drain());
            slot.generation = (slot.generation + 1) & ((1 << GENERATION_BITS) - 1);
            self.free.push_back(index);
            self.interned.remove(&kind);
            for part in parts(&kind) {
                if let Some(dependents) = self.dependents_of(part) {
                    dependents.remove(&index);
                }
            }
        }
    }

    fn kind(&self, slot: u32, generation: u32) -> Option<&SpanKind> {
        self.slots.get(slot as usize).filter(|slot| slot.generation == generation)?.kind.as_deref()
    }

    fn intern(&mut self, kind: SpanKind) -> Option<(u32, u32)> {
        if let Some(&slot) = self.interned.get(&kind) {
            return Some((slot, self.slots[slot as usize].generation));
        }
        if !parts(&kind).any(|part| self.dependents_of(part).is_some()) {
            return None;
        }
        let index = self.free.pop_front().unwrap_or_else(|| {
            self.slots.push(SpanSlot::default());
            self.slots.len() as u32 - 1
        });
        for part in parts(&kind) {
            if let Some(dependents) = self.dependents_of(part) {
                dependents.insert(index);
            }
        }
        let kind = Arc::new(kind);
        self.interned.insert(kind.clone(), index);
        let slot = &mut self.slots[index as usize];
        slot.kind = Some(kind);
        Some((index, slot.generation))
    }

    /// The dependents of a part; nothing if the part was freed.
    fn dependents_of(&mut self, part: Part) -> Option<&mut Dependents> {
        match part {
            Part::Source(id) => self.sources.get_mut(&id).map(|source| &mut source.dependents),
            Part::Span { slot, generation } => {
                let slot = self.slots.get_mut(slot as usize).filter(|slot| slot.generation == generation)?;
                slot.kind.is_some().then_some(&mut slot.dependents)
            }
        }
    }
}

/// A direct reference of an interned span.
#[derive(Clone, Copy)]
enum Part {
    Source(u32),
    Span { slot: u32, generation: u32 },
}

fn parts(kind: &SpanKind) -> impl Iterator<Item = Part> {
    let (first, spans): (_, &[Span]) = match kind {
        SpanKind::Unknown => (None, &[]),
        SpanKind::Range { source, .. }
        | SpanKind::Source { source }
        | SpanKind::LineColumn { source, .. } => (Some(Part::Source(source.0)), &[]),
        SpanKind::CallSite { callee, caller } => (Some(part(callee)), std::slice::from_ref(caller)),
        SpanKind::Sequence { spans, .. } => (None, spans),
    };
    first.into_iter().chain(spans.iter().map(part))
}

fn part(span: &Span) -> Part {
    match span.slot() {
        Some((slot, generation)) => Part::Span { slot, generation },
        None => Part::Source(span.packed_source().0),
    }
}
