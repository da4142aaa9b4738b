//! The process-wide store of source names and interned spans.
//!
//! A source is open from [`SourceId::new`] until it is released as often as it was opened. Releasing it frees its name
//! and every interned span that refers to it, directly or through other spans.
//!
//! Ids and slots are reused in the order in which they became free. The handle of an interned span carries the
//! generation of its slot, so a stale one does not resolve to another span until its slot has been reused a million
//! times. Packed spans have 15 bits for the source
//! and no generation: a stale [`SourceId`] can name another source once 16,000 more sources have been opened.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, LazyLock, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::{GENERATION_BITS, REASON_BITS, SLOT_BITS, Span, SpanKind};
use crate::vectors::Arena;

/// Parts per stored chunk of a sequence.
///
/// A sequence is a list of full chunks followed by a shorter one, and each chunk refers to the one before it. Equal
/// sequences are therefore one slot, and a sequence that grows by a part at a time shares all full chunks: the store
/// grows by at most one chunk per step, not by a copy of all parts.
const CHUNK: usize = 16;

/// Longer reasons are cut.
const MAX_REASON_CHARS: usize = 200;

/// Ids below this limit fit into packed spans.
pub(super) const PACKED_SOURCES: u32 = 1 << 15;

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
    slots: Arena<SpanSlot>,
    /// Slots without a span, in the order in which they became free.
    free: VecDeque<u32>,
    interned: HashMap<Arc<Stored>, u32>,
    /// Reasons for merging; the first one is empty.
    reasons: Vec<Arc<str>>,
    reason_numbers: HashMap<Arc<str>, usize>,
}

/// An interned span.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Stored {
    /// Any kind but a sequence.
    Kind(SpanKind),
    /// A sequence: the chunks before, and the parts of the last chunk.
    Chunk { before: Option<Span>, parts: Box<[Span]> },
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
    kind: Option<Arc<Stored>>,
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

/// Interns a span that does not fit into a word and is not a sequence; unknown if it refers to no open source.
pub(super) fn intern(kind: SpanKind) -> Span {
    write().intern(Stored::Kind(kind))
}

/// Interns a sequence of at least two parts, none of them a sequence; unknown if it refers to no open source.
pub(super) fn intern_sequence(parts: &[Span], reason: &str) -> Span {
    let mut store = write();
    let mut sequence = None;
    for chunk in parts.chunks(CHUNK) {
        let span = store.intern(Stored::Chunk { before: sequence, parts: chunk.into() });
        if !span.is_known() {
            return span;
        }
        sequence = Some(span);
    }
    let reason = store.reason(reason);
    sequence.unwrap_or_default().with_reason(reason)
}

/// Resolves an interned span.
pub(super) fn resolve(span: Span) -> SpanKind {
    read().resolve(span).unwrap_or(SpanKind::Unknown)
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
        let [last_packed, last_other] = &mut self.last_ids;
        let last = if is_packed { last_packed } else { last_other };
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
            let slot = self.slots.at_mut(index);
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

    /// The number of a reason. Reasons are never freed; when all numbers are taken, a new reason is the empty one.
    fn reason(&mut self, text: &str) -> usize {
        if self.reasons.is_empty() {
            self.reasons.push("".into());
        }
        if text.is_empty() {
            return 0;
        }
        let text = match text.char_indices().nth(MAX_REASON_CHARS) {
            Some((end, _)) => &text[..end],
            None => text,
        };
        if let Some(&number) = self.reason_numbers.get(text) {
            return number;
        }
        let number = self.reasons.len();
        if number >= 1 << REASON_BITS {
            return 0;
        }
        let text: Arc<str> = text.into();
        self.reasons.push(text.clone());
        self.reason_numbers.insert(text, number);
        number
    }

    fn stored(&self, span: Span) -> Option<&Stored> {
        let (slot, generation) = span.slot()?;
        self.slots.get(slot).filter(|slot| slot.generation == generation)?.kind.as_deref()
    }

    fn resolve(&self, span: Span) -> Option<SpanKind> {
        let (mut at, reason) = match self.stored(span)? {
            Stored::Kind(kind) => return Some(kind.clone()),
            Stored::Chunk { .. } => (Some(span), self.reasons.get(span.reason()).cloned()),
        };
        let reason = reason.map(|reason| reason.to_string()).unwrap_or_default();
        let mut chunks = Vec::new();
        while let Some(Stored::Chunk { before, parts }) = at.and_then(|at| self.stored(at)) {
            chunks.push(parts);
            at = *before;
        }
        Some(SpanKind::Sequence { spans: chunks.into_iter().rev().flatten().copied().collect(), reason })
    }

    fn intern(&mut self, kind: Stored) -> Span {
        if let Some(&slot) = self.interned.get(&kind) {
            return Span::from_slot(slot, self.slots.at(slot).generation);
        }
        if !parts(&kind).any(|part| self.dependents_of(part).is_some()) {
            return Span::UNKNOWN;
        }
        let index = match self.free.pop_front() {
            Some(index) => index,
            None if self.slots.len() >= 1 << SLOT_BITS => return Span::UNKNOWN,
            None => self.slots.push(SpanSlot::default()),
        };
        for part in parts(&kind) {
            if let Some(dependents) = self.dependents_of(part) {
                dependents.insert(index);
            }
        }
        let kind = Arc::new(kind);
        self.interned.insert(kind.clone(), index);
        let slot = self.slots.at_mut(index);
        slot.kind = Some(kind);
        Span::from_slot(index, slot.generation)
    }

    /// The dependents of a part; nothing if the part was freed.
    fn dependents_of(&mut self, part: SpanRef) -> Option<&mut Dependents> {
        match part {
            SpanRef::Source(id) => self.sources.get_mut(&id).map(|source| &mut source.dependents),
            SpanRef::Span { slot, generation } => {
                let slot = self.slots.get_mut(slot).filter(|slot| slot.generation == generation)?;
                slot.kind.is_some().then_some(&mut slot.dependents)
            }
        }
    }
}

/// A direct reference of an interned span.
#[derive(Clone, Copy)]
enum SpanRef {
    Source(u32),
    Span { slot: u32, generation: u32 },
}

fn parts(kind: &Stored) -> impl Iterator<Item = SpanRef> {
    let (first, spans): (_, &[Span]) = match kind {
        Stored::Chunk { before, parts } => (before.as_ref().map(part), parts),
        Stored::Kind(kind) => match kind {
            SpanKind::Unknown | SpanKind::Sequence { .. } => (None, &[]),
            SpanKind::Range { source, .. }
            | SpanKind::Source { source }
            | SpanKind::LineColumn { source, .. } => (Some(SpanRef::Source(source.0)), &[]),
            SpanKind::CallSite { callee, caller } => (Some(part(callee)), std::slice::from_ref(caller)),
            SpanKind::Marked { of, .. } => (Some(part(of)), &[]),
        },
    };
    first.into_iter().chain(spans.iter().map(part))
}

fn part(span: &Span) -> SpanRef {
    match span.slot() {
        Some((slot, generation)) => SpanRef::Span { slot, generation },
        None => SpanRef::Source(span.packed_source().0),
    }
}
