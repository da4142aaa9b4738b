//! Spans: where in a source a node comes from. 8 bytes, `Copy`.
//!
//! Plain places (a byte range in a named source) are packed into the word; everything else is an index into one
//! append-only interning table. Line and column appear only in rendering. Equality and hash of IR ignore spans.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::RwLock;

/// A node's place. Kinds: see [`SpanKind`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span(u64);

const INTERNED: u64 = 1 << 63;
const LEN_BITS: u32 = 20;
const START_BITS: u32 = 28;
const SOURCE_BITS: u32 = 15;

/// A named source; the number of its name in the process-wide table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceId(u32);

/// What a span says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SpanKind {
    /// Nothing is known.
    Unknown,
    /// A byte range in a source.
    Range {
        /// The source.
        source: SourceId,
        /// The first byte.
        start_bytes: u32,
        /// The byte after the last.
        end_bytes: u32,
    },
    /// A named source without a range: a model's layer.
    Source {
        /// The source.
        source: SourceId,
    },
    /// Lines and columns only.
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
    /// A helper's or macro's place, seen from where it was called.
    CallSite {
        /// Where in the helper.
        callee: Span,
        /// Where it was called.
        caller: Span,
    },
    /// Several spans in order, and why they were put together.
    Sequence {
        /// The parts; never sequences themselves.
        spans: Vec<Span>,
        /// Which pass or rewrite.
        reason: String,
    },
}

#[derive(Default)]
struct Tables {
    sources: Vec<String>,
    source_ids: HashMap<String, u32>,
    spans: Vec<SpanKind>,
    span_ids: HashMap<SpanKind, u32>,
}

static TABLES: RwLock<Option<Tables>> = RwLock::new(None);

fn write<R>(f: impl FnOnce(&mut Tables) -> R) -> R {
    let mut guard = TABLES.write().unwrap_or_else(|e| e.into_inner());
    f(guard.get_or_insert_with(Tables::default))
}

impl SourceId {
    /// The source with this name; the same name gives the same id.
    pub fn new(name: &str) -> SourceId {
        write(|t| {
            if let Some(&id) = t.source_ids.get(name) {
                return SourceId(id);
            }
            t.sources.push(name.to_owned());
            let id = t.sources.len() as u32;
            t.source_ids.insert(name.to_owned(), id);
            SourceId(id)
        })
    }

    /// The name.
    pub fn name(self) -> String {
        let guard = TABLES.read().unwrap_or_else(|e| e.into_inner());
        let name = guard.as_ref().and_then(|t| t.sources.get((self.0 as usize).wrapping_sub(1)));
        name.cloned().unwrap_or_default()
    }
}

thread_local! {
    static CURRENT: Cell<Span> = const { Cell::new(Span::UNKNOWN) };
}

impl Span {
    /// Nothing is known.
    pub const UNKNOWN: Span = Span(0);

    /// A byte range in a source.
    #[inline]
    pub fn range(source: SourceId, start_bytes: u32, end_bytes: u32) -> Span {
        let len = u64::from(end_bytes.saturating_sub(start_bytes));
        if source.0 < 1 << SOURCE_BITS && start_bytes < 1 << START_BITS && len < 1 << LEN_BITS {
            let head = u64::from(source.0) << (START_BITS + LEN_BITS);
            return Span(head | u64::from(start_bytes) << LEN_BITS | len);
        }
        Span::interned(SpanKind::Range { source, start_bytes, end_bytes })
    }

    /// A span of any kind.
    pub fn new(kind: SpanKind) -> Span {
        match kind {
            SpanKind::Unknown => Span::UNKNOWN,
            SpanKind::Range { source, start_bytes, end_bytes } => Span::range(source, start_bytes, end_bytes),
            other => Span::interned(other),
        }
    }

    /// Several spans in order; nested sequences are flattened, the reason is kept.
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
        write(|t| {
            if let Some(&id) = t.span_ids.get(&kind) {
                return Span(INTERNED | u64::from(id));
            }
            let id = t.spans.len() as u32;
            t.spans.push(kind.clone());
            t.span_ids.insert(kind, id);
            Span(INTERNED | u64::from(id))
        })
    }

    /// What the span says.
    pub fn kind(self) -> SpanKind {
        if self.0 == 0 {
            return SpanKind::Unknown;
        }
        if self.0 & INTERNED == 0 {
            let start_bytes = (self.0 >> LEN_BITS) as u32 & ((1 << START_BITS) - 1);
            let len = self.0 as u32 & ((1 << LEN_BITS) - 1);
            let source = SourceId((self.0 >> (START_BITS + LEN_BITS)) as u32);
            return SpanKind::Range { source, start_bytes, end_bytes: start_bytes + len };
        }
        let guard = TABLES.read().unwrap_or_else(|e| e.into_inner());
        let kind = guard.as_ref().and_then(|t| t.spans.get((self.0 & !INTERNED) as usize));
        kind.cloned().unwrap_or(SpanKind::Unknown)
    }

    /// Number of parts that the span adds to a sequence.
    pub fn part_count(self) -> usize {
        match self.kind() {
            SpanKind::Sequence { spans, .. } => spans.len(),
            SpanKind::Unknown => 0,
            _ => 1,
        }
    }

    /// Whether anything is known.
    pub fn is_known(self) -> bool {
        self.0 != 0
    }

    /// The span that node constructors give to what they make on this thread.
    #[inline]
    pub fn current() -> Span {
        CURRENT.get()
    }

    /// Sets the span for nodes made from now on, and gives the one before.
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
