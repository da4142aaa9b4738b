//! Conversion of f-strings. Adjacent constants are joined, as Python joins them.

use super::adapter::{Converter, bounds, conversion};
use super::py;
use crate::ast::{Constant, Conversion, Expr, ExprId, List};

impl Converter<'_> {
    #[inline(never)]
    pub(super) fn f_string(&mut self, mut value: py::FStringValue, start: u32) -> List<ExprId> {
        let mark = self.sink.open_exprs();
        let mut text = String::new();
        let mut at = (start, start);
        for part in value.iter_mut() {
            match part {
                py::FStringPart::Literal(literal) => {
                    self.f_string_literal(&literal.value, bounds(literal), &mut text, &mut at)
                }
                py::FStringPart::FString(part) => self.elements(&mut part.elements, &mut text, &mut at),
            }
        }
        self.flush(&mut text, at);
        self.sink.close_exprs(mark)
    }

    fn elements(
        &mut self,
        elements: &mut py::InterpolatedStringElements,
        text: &mut String,
        at: &mut (u32, u32),
    ) {
        for element in elements.iter_mut() {
            match element {
                py::InterpolatedStringElement::Literal(literal) => {
                    self.f_string_literal(&literal.value, bounds(literal), text, at);
                }
                py::InterpolatedStringElement::Interpolation(part) => self.interpolation(part, text, at),
            }
        }
    }

    fn f_string_literal(&mut self, value: &str, bounds: (u32, u32), text: &mut String, at: &mut (u32, u32)) {
        if text.is_empty() {
            at.0 = bounds.0;
        }
        at.1 = bounds.1;
        let source = self.sink.text.get(bounds.0 as usize..bounds.1 as usize).unwrap_or_default();
        if source.contains('\r') {
            text.push_str(&value.replace("\r\n", "\n"));
        } else {
            text.push_str(value);
        }
    }

    fn flush(&mut self, text: &mut String, at: (u32, u32)) {
        if !text.is_empty() {
            let name = self.sink.name(text);
            let id = self.sink.expr(Expr::Constant(Constant::Str(name)), at.0, at.1);
            self.sink.push_expr(id);
            text.clear();
        }
    }

    fn interpolation(&mut self, part: &mut py::InterpolatedElement, text: &mut String, at: &mut (u32, u32)) {
        let (start, end) = bounds(&*part);
        if let Some(debug) = &part.debug_text {
            // `{x = }`: the source of the expression is part of the string.
            let (from, to) = bounds(&*part.expression);
            let source = self.sink.text.get(from as usize..to as usize).unwrap_or_default();
            let shown = format!("{}{source}{}", debug.leading, debug.trailing);
            self.f_string_literal(&shown, (start, end), text, at);
        }
        self.flush(text, *at);
        let empty = py::Expr::NoneLiteral(py::ExprNoneLiteral::default());
        let value = self.expr(std::mem::replace(&mut *part.expression, empty));
        let spec = part.format_spec.as_mut().map(|spec| {
            let (start, end) = bounds(&**spec);
            let mark = self.sink.open_exprs();
            let (mut text, mut at) = (String::new(), (start, start));
            self.elements(&mut spec.elements, &mut text, &mut at);
            self.flush(&mut text, at);
            let values = self.sink.close_exprs(mark);
            self.sink.expr(Expr::JoinedStr { values }, start, end)
        });
        // `{x = }` converts with `repr` by default.
        let default = (part.debug_text.is_some() && spec.is_none()).then_some(Conversion::Repr);
        let conversion = conversion(part.conversion).or(default);
        let id = self.sink.expr(Expr::FormattedValue { value, conversion, spec }, start, end);
        self.sink.push_expr(id);
    }
}
