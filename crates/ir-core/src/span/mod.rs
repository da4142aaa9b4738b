//! Positions of nodes in sources: 8 bytes, `Copy`.
//!
//! A byte range is packed into the word. Every other kind, and a range too large to pack, is interned in a
//! process-wide store until one of its sources is released ([`SourceId::release`]). Lines and columns are computed
//! when a position is shown. Equality and hash of IR ignore spans.

mod store;

use std::cell::Cell;

pub use store::{SourceGuard, SourceId};

/// The position of a node in a source; see [`SpanKind`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span(u64);

const INTERNED: u64 = 1 << 63;
const LEN_BITS: u32 = 20;
const START_BITS: u32 = 28;

/// The kinds of [`Span`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SpanKind {
    /// No position, or one in a source that was released.
    Unknown,
    /// A byte range in a source.
    Range {
        /// The source.
        source: SourceId,
        /// First byte.
        start_bytes: u32,
        /// Byte after the last one.
        end_bytes: u32,
    },
    /// A named source without a range, such as a layer of a model.
    Source {
        /// The source.
        source: SourceId,
    },
    /// Lines and columns without byte offsets.
    LineColumn {
        /// The source.
        source: SourceId,
        /// First line, from 1.
        line: u32,
        /// First column.
        column: u32,
        /// Last line.
        end_line: u32,
        /// Last column.
        end_column: u32,
    },
    /// A position in a helper or macro, with the call that led there.
    CallSite {
        /// Position inside the helper.
        callee: Span,
        /// Position of the call.
        caller: Span,
    },
    /// Several spans in order.
    Sequence {
        /// The parts; none is a sequence or unknown.
        spans: Vec<Span>,
        /// The pass or rewrite that merged them.
        reason: String,
    },
}

thread_local! {
    static CURRENT: Cell<Span> = const { Cell::new(Span::UNKNOWN) };
}

impl Span {
    /// The unknown span.
    pub const UNKNOWN: Span = Span(0);

    /// A byte range in a source.
    #[inline]
    pub fn range(source: SourceId, start_bytes: u32, end_bytes: u32) -> Span {
        let len = u64::from(end_bytes.saturating_sub(start_bytes));
        if source.0 < store::PACKED_SOURCES && start_bytes < 1 << START_BITS && len < 1 << LEN_BITS {
            let head = u64::from(source.0) << (START_BITS + LEN_BITS);
            return Span(head | u64::from(start_bytes) << LEN_BITS | len);
        }
        Span::interned(SpanKind::Range { source, start_bytes, end_bytes })
    }

    /// A named source without a range, such as a layer of a model.
    pub fn source(source: SourceId) -> Span {
        Span::interned(SpanKind::Source { source })
    }

    /// A span of any kind. It is unknown if it refers to no open source.
    pub fn new(kind: SpanKind) -> Span {
        match kind {
            SpanKind::Unknown => Span::UNKNOWN,
            SpanKind::Range { source, start_bytes, end_bytes } => Span::range(source, start_bytes, end_bytes),
            SpanKind::Sequence { spans, reason } => Span::sequence(spans, &reason),
            other => Span::interned(other),
        }
    }

    /// Several spans in order. Nested sequences are flattened and unknown parts dropped.
    pub fn sequence(spans: impl IntoIterator<Item = Span>, reason: &str) -> Span {
        let mut flat = Vec::new();
        for span in spans {
            match span.kind() {
                SpanKind::Sequence { spans, .. } => flat.extend(spans),
                SpanKind::Unknown => {}
                _ => flat.push(span),
            }
        }
        Span::interned(SpanKind::Sequence { spans: flat, reason: reason.to_owned() })
    }

    fn interned(kind: SpanKind) -> Span {
        store::intern(kind).map_or(Span::UNKNOWN, |(slot, generation)| {
            Span(INTERNED | u64::from(generation) << u32::BITS | u64::from(slot))
        })
    }

    /// Slot and generation of an interned span.
    fn slot(self) -> Option<(u32, u32)> {
        let generation = (self.0 & !INTERNED) >> u32::BITS;
        (self.0 & INTERNED != 0).then_some((self.0 as u32, generation as u32))
    }

    /// The source of a span that is not interned.
    fn packed_source(self) -> SourceId {
        SourceId((self.0 >> (START_BITS + LEN_BITS)) as u32)
    }

    /// Resolves the span.
    pub fn kind(self) -> SpanKind {
        if let Some((slot, generation)) = self.slot() {
            return store::resolve(slot, generation).unwrap_or(SpanKind::Unknown);
        }
        let source = self.packed_source();
        if self == Span::UNKNOWN || !store::is_open(source) {
            return SpanKind::Unknown;
        }
        let start_bytes = (self.0 >> LEN_BITS) as u32 & ((1 << START_BITS) - 1);
        let len = self.0 as u32 & ((1 << LEN_BITS) - 1);
        SpanKind::Range { source, start_bytes, end_bytes: start_bytes + len }
    }

    /// The number of parts that the span adds to a sequence.
    pub fn part_count(self) -> usize {
        match self.kind() {
            SpanKind::Sequence { spans, .. } => spans.len(),
            SpanKind::Unknown => 0,
            _ => 1,
        }
    }

    /// Returns `true` unless this is [`Span::UNKNOWN`]. The source may have been released.
    pub fn is_known(self) -> bool {
        self != Span::UNKNOWN
    }

    /// The span that node constructors on this thread use. While a script is parsed, it is that of the statement or
    /// call being evaluated.
    #[inline]
    pub fn current() -> Span {
        CURRENT.get()
    }

    /// Sets [`Span::current`] and returns its previous value.
    #[inline]
    pub fn set_current(span: Span) -> Span {
        CURRENT.replace(span)
    }
}

impl Default for Span {
    fn default() -> Self {
        Span::UNKNOWN
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind().fmt(f)
    }
}
