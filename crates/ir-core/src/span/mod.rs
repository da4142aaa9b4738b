//! Positions of nodes in sources: 8 bytes, `Copy`.
//!
//! A byte range is packed into the word. Every other kind, and a range too large to pack, is interned in a
//! process-wide store until one of its sources is released ([`SourceId::release`]). Lines and columns are computed
//! when a position is shown ([`SourceTexts`]). Equality and hash of IR ignore spans.
//!
//! Equality of spans compares sequences part by part and ignores the reason for merging; [`SpanKind`] compares it too.

mod comments;
mod current;
mod query;
mod sequence;
mod store;
mod text;
mod texts;

use std::hash::{Hash, Hasher};

pub use comments::{CommentedStmt, SourceComments};
pub use current::{CurrentSpan, OpenCall};
pub use query::nodes_where_span;
pub use store::{SourceGuard, SourceId};
pub use text::MarkerReader;
pub use texts::SourceTexts;

/// The position of a node in a source; see [`SpanKind`].
#[derive(Clone, Copy)]
pub struct Span(u64);

// A packed range: 0, source, first byte, length.
const LEN_BITS: u32 = 20;
const START_BITS: u32 = 28;
// An interned span: 1, reason for merging, generation of the slot, slot.
const INTERNED: u64 = 1 << 63;
const REASON_BITS: u32 = 14;
const GENERATION_BITS: u32 = 20;
const SLOT_BITS: u32 = 29;
const REASON_SHIFT: u32 = SLOT_BITS + GENERATION_BITS;
const REASON: u64 = ((1 << REASON_BITS) - 1) << REASON_SHIFT;

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
        /// At least two parts; none is a sequence or unknown.
        spans: Vec<Span>,
        /// The pass or rewrite that merged them.
        reason: String,
    },
    /// A position with a mark.
    Marked {
        /// The mark.
        mark: SpanMark,
        /// The position; neither a sequence nor marked.
        of: Span,
    },
}

/// A role among the nodes that come from one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpanMark {
    /// An input of the model.
    Input,
    /// A weight of the model.
    Parameter,
    /// The node that computes the result of the source.
    Output,
}

impl SpanMark {
    /// All marks.
    pub const ALL: [SpanMark; 3] = [SpanMark::Input, SpanMark::Parameter, SpanMark::Output];

    /// The name in markers, after `!`.
    pub fn name(self) -> &'static str {
        match self {
            SpanMark::Input => "input",
            SpanMark::Parameter => "parameter",
            SpanMark::Output => "output",
        }
    }
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
        store::intern(SpanKind::Range { source, start_bytes, end_bytes })
    }

    /// A named source without a range, such as a layer of a model.
    pub fn source(source: SourceId) -> Span {
        store::intern(SpanKind::Source { source })
    }

    /// A span of any kind. It is unknown if it refers to no open source.
    pub fn new(kind: SpanKind) -> Span {
        match kind {
            SpanKind::Unknown => Span::UNKNOWN,
            SpanKind::Range { source, start_bytes, end_bytes } => Span::range(source, start_bytes, end_bytes),
            SpanKind::Sequence { spans, reason } => Span::sequence(spans, &reason),
            SpanKind::Marked { mark, of } => of.with_mark(mark),
            other => store::intern(other),
        }
    }

    /// A call site: `callee` inside a helper, and the call of the helper. A call site at an unknown position is the other
    /// position alone.
    pub fn call_site(callee: Span, caller: Span) -> Span {
        match (callee.is_known(), caller.is_known()) {
            (true, true) => store::intern(SpanKind::CallSite { callee, caller }),
            (true, false) => callee,
            _ => caller,
        }
    }

    fn from_slot(slot: u32, generation: u32) -> Span {
        Span(INTERNED | u64::from(generation) << SLOT_BITS | u64::from(slot))
    }

    /// Slot and generation of an interned span.
    fn slot(self) -> Option<(u32, u32)> {
        let mask = |bits: u32| (1 << bits) - 1;
        let slot = self.0 & mask(SLOT_BITS);
        let generation = self.0 >> SLOT_BITS & mask(GENERATION_BITS);
        (self.0 & INTERNED != 0).then_some((slot as u32, generation as u32))
    }

    /// The number of the reason of a sequence.
    fn reason(self) -> usize {
        ((self.0 & REASON) >> REASON_SHIFT) as usize
    }

    fn with_reason(self, reason: usize) -> Span {
        if self.slot().is_none() { self } else { Span(self.0 & !REASON | (reason as u64) << REASON_SHIFT) }
    }

    /// The word that equality and hash use: all but the reason.
    fn identity(self) -> u64 {
        if self.0 & INTERNED == 0 { self.0 } else { self.0 & !REASON }
    }

    /// The word itself, which differs between sequences with different reasons.
    pub(crate) fn word(self) -> u64 {
        self.0
    }

    /// The source of a span that is not interned.
    fn packed_source(self) -> SourceId {
        SourceId((self.0 >> (START_BITS + LEN_BITS)) as u32)
    }

    /// Resolves the span.
    pub fn kind(self) -> SpanKind {
        if self.slot().is_some() {
            return store::resolve(self);
        }
        let source = self.packed_source();
        if self == Span::UNKNOWN || !store::is_open(source) {
            return SpanKind::Unknown;
        }
        let start_bytes = (self.0 >> LEN_BITS) as u32 & ((1 << START_BITS) - 1);
        let len = self.0 as u32 & ((1 << LEN_BITS) - 1);
        SpanKind::Range { source, start_bytes, end_bytes: start_bytes + len }
    }

    /// Returns `true` unless this is [`Span::UNKNOWN`]. The source may have been released.
    pub fn is_known(self) -> bool {
        self != Span::UNKNOWN
    }
}

impl PartialEq for Span {
    fn eq(&self, other: &Span) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Span {}

impl Hash for Span {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
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
