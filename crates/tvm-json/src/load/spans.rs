//! Spans of nodes.

use tvmscript_ir_core::json::{JsonError, JsonErrorKind};
use tvmscript_ir_core::span::{SourceId, Span, SpanKind};

use super::{Loader, Result};

impl Loader<'_, '_> {
    pub(super) fn span(&mut self) -> Result<Span> {
        let mut source = None;
        let (mut line, mut column, mut end_line, mut end_column) = (0u32, 0u32, 0u32, 0u32);
        self.scan.expect(b'{')?;
        let mut first = true;
        while self.scan.more(first, b'}')? {
            first = false;
            let start = self.scan.offset();
            let key = self.scan.key()?;
            let place = match &*key {
                "source_name" => {
                    source = self.text_by_index().map_err(|e| e.within(".source_name"))?;
                    continue;
                }
                "line" => &mut line,
                "column" => &mut column,
                "end_line" => &mut end_line,
                "end_column" => &mut end_column,
                _ => return Err(JsonError::at(JsonErrorKind::UnknownKey { key: key.into() }, start)),
            };
            let number = self.scan.int().map_err(|e| e.within(format_args!(".{key}")))?;
            // TVM's numbers are signed; negative ones are meaningless.
            *place = u32::try_from(number).unwrap_or(0);
        }
        let Some(source) = source else { return Ok(Span::UNKNOWN) };
        let source = *self.sources.entry(source).or_insert_with_key(|name| SourceId::new(name));
        if [line, column, end_line, end_column] == [0; 4] {
            return Ok(Span::new(SpanKind::Source { source }));
        }
        Ok(Span::new(SpanKind::LineColumn { source, line, column, end_line, end_column }))
    }

    pub(super) fn sequential_span(&mut self) -> Result<Span> {
        let mut parts = Vec::new();
        self.scan.expect(b'{')?;
        let mut first = true;
        while self.scan.more(first, b'}')? {
            first = false;
            let key = self.scan.key()?;
            if key == "spans" {
                let (index, _) = self.indexed().map_err(|e| e.within(".spans"))?;
                // Spans are kept beside their nodes, whose values are `None`.
                let known = self.span_arrays.get(&index);
                parts = known.cloned().unwrap_or_default();
                let count = parts.iter().map(|part| part.part_count()).fold(0usize, usize::saturating_add);
                self.counter.spans(count).map_err(|kind| self.scan.error(kind))?;
            } else {
                self.scan.skip_value()?;
            }
        }
        Ok(Span::sequence(parts, ""))
    }
}
