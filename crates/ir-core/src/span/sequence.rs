//! Sequences of spans, and the mark `output`.

use std::collections::HashSet;

use super::{Span, SpanKind, SpanMark, store};

/// Longer sequences keep the first occurrence of each part only. Merging the same spans again and again, pass after
/// pass, would otherwise double the sequence each time.
const MAX_WITH_REPEATS: usize = 64;

impl Span {
    /// Several spans in order: the positions that a node was merged from.
    ///
    /// Nested sequences are flattened, unknown parts dropped, and equal neighbours become one part. A part that occurs
    /// again later stays, in sequences of up to 64 parts; a longer sequence keeps the first occurrence of each part. A
    /// sequence of one part is that part, and one without parts is unknown.
    ///
    /// Equality compares the parts in order and ignores the reason.
    ///
    /// ```
    /// use tvmscript_ir_core::{SourceId, Span, SpanKind};
    ///
    /// let [conv, bias, relu] = ["conv", "bias", "relu"].map(|name| SpanKind::Source { source: SourceId::new(name) });
    /// let (conv, bias, relu) = (Span::new(conv), Span::new(bias), Span::new(relu));
    /// let fused = Span::sequence([Span::sequence([conv, bias], "fuse"), relu], "fuse again");
    /// assert_eq!(fused, Span::sequence(vec![conv, bias, relu], "other reason"));
    /// assert_ne!(fused, Span::sequence([relu, conv, bias], "fuse"));
    /// assert_eq!(Span::sequence([conv, conv, Span::UNKNOWN], "fuse"), conv);
    /// ```
    pub fn sequence(spans: impl IntoIterator<Item = Span>, reason: &str) -> Span {
        let mut parts: Vec<Span> = Vec::new();
        for span in spans {
            match span.kind() {
                SpanKind::Sequence { spans, .. } => parts.extend(spans),
                SpanKind::Unknown => {}
                _ => parts.push(span),
            }
        }
        parts.dedup();
        if parts.len() > MAX_WITH_REPEATS {
            let mut seen = HashSet::with_capacity(parts.len());
            parts.retain(|part| seen.insert(*part));
        }
        match *parts {
            [] => Span::UNKNOWN,
            [only] => only,
            _ => store::intern_sequence(&parts, reason),
        }
    }

    /// The parts of a sequence; any other known span is its only part.
    pub fn parts(self) -> Vec<Span> {
        match self.kind() {
            SpanKind::Sequence { spans, .. } => spans,
            SpanKind::Unknown => Vec::new(),
            _ => vec![self],
        }
    }

    /// The number of parts that the span adds to a sequence.
    pub fn part_count(self) -> usize {
        match self.kind() {
            SpanKind::Sequence { spans, .. } => spans.len(),
            SpanKind::Unknown => 0,
            _ => 1,
        }
    }

    /// The single places that the span refers to, in order: the parts of a sequence, and for a call site the place in the
    /// helper before that of the call. A call site that is met again is left out, so that shared ones do not multiply.
    pub fn places(self) -> Vec<Span> {
        let (mut found, mut open, mut seen) = (Vec::new(), vec![self], HashSet::new());
        while let Some(at) = open.pop() {
            match at.kind() {
                SpanKind::Unknown => {}
                SpanKind::Sequence { spans, .. } => open.extend(spans.into_iter().rev()),
                SpanKind::Marked { of, .. } => open.push(of),
                SpanKind::CallSite { callee, caller } => {
                    if seen.insert(at) {
                        open.extend([caller, callee]);
                    }
                }
                _ => found.push(at),
            }
        }
        found
    }

    /// The name of the source that the span is as a whole, such as a layer of a model; `None` for other spans.
    pub fn source_name(self) -> Option<String> {
        match self.without_mark().kind() {
            SpanKind::Source { source } => Some(source.name()),
            _ => None,
        }
    }

    /// The span with a mark in place of any other: of the nodes that come from one source, one with the mark `output`
    /// computes its result. Marking a sequence marks each part; an unknown span stays unknown.
    ///
    /// ```
    /// use tvmscript_ir_core::span::SpanMark;
    /// use tvmscript_ir_core::{SourceId, Span, SpanKind};
    ///
    /// let layer = Span::new(SpanKind::Source { source: SourceId::new("resnet.conv1") });
    /// let output = layer.with_mark(SpanMark::Output);
    /// assert!(output.has_mark(SpanMark::Output) && !layer.has_mark(SpanMark::Output));
    /// assert_eq!(output.without_mark(), layer);
    /// ```
    #[must_use]
    pub fn with_mark(self, mark: SpanMark) -> Span {
        match self.kind() {
            SpanKind::Unknown => Span::UNKNOWN,
            SpanKind::Marked { mark: own, .. } if own == mark => self,
            SpanKind::Marked { of, .. } => of.with_mark(mark),
            SpanKind::Sequence { spans, reason } => {
                Span::sequence(spans.into_iter().map(|span| span.with_mark(mark)), &reason)
            }
            _ => store::intern(SpanKind::Marked { mark, of: self }),
        }
    }

    /// The span without any mark.
    #[must_use]
    pub fn without_mark(self) -> Span {
        match self.kind() {
            SpanKind::Marked { of, .. } => of,
            SpanKind::Sequence { spans, reason } => {
                Span::sequence(spans.into_iter().map(Span::without_mark), &reason)
            }
            _ => self,
        }
    }

    /// Returns `true` if the span, or a part of it, has the mark.
    pub fn has_mark(self, mark: SpanMark) -> bool {
        match self.kind() {
            SpanKind::Marked { mark: own, .. } => own == mark,
            SpanKind::Sequence { spans, .. } => spans.into_iter().any(|part| part.has_mark(mark)),
            _ => false,
        }
    }
}
