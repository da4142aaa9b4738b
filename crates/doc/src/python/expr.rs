//! Printing expressions: parentheses, brackets, literals.

use crate::element::{Element, Sink};
use crate::expr::{CallId, Expr, ExprDoc, ExprList};
use crate::operation::{BinaryOp, UnaryOp};
use crate::sym::Sym;

use super::level::{self, Level};
use super::literal;
use super::printer::{Close, Printer, WorkItem};

impl<S: Sink> Printer<'_, S> {
    /// Prints the leading part of an expression and pushes the rest on the stack.
    pub(super) fn expr(&mut self, doc: ExprDoc) {
        let docs = self.docs;
        let mut doc = doc;
        let mut in_chain = false;
        loop {
            self.mark(doc);
            let expr = docs.expr_ref(doc);
            match *expr {
                Expr::None
                | Expr::Bool(_)
                | Expr::Int(_)
                | Expr::Float(_)
                | Expr::Str(_)
                | Expr::Bytes(_)
                | Expr::Id(_) => return self.leaf(expr),
                Expr::Attr { value, name } => {
                    if let Expr::Id(base) = *docs.expr_ref(value)
                        && !S::MARKS
                    {
                        self.text(docs.text(base));
                        return self.attr_name(name);
                    }
                    self.stack.push(WorkItem::Attr(name));
                    self.open_base(value, true);
                    doc = value;
                }
                Expr::Index { value, indices } => {
                    if let Expr::Id(base) = *docs.expr_ref(value)
                        && !S::MARKS
                    {
                        self.text(docs.text(base));
                        match self.indices(indices) {
                            Some(item) => doc = item,
                            None => return,
                        }
                        in_chain = false;
                        continue;
                    }
                    self.stack.push(WorkItem::Index(indices));
                    self.open_base(value, false);
                    doc = value;
                }
                Expr::Call(call) => {
                    let callee = self.docs.call_of(call).callee;
                    self.stack.push(WorkItem::Arguments(call));
                    self.open_base(callee, false);
                    doc = callee;
                }
                Expr::Slice { start, stop, step } => {
                    self.stack.push(WorkItem::SliceStop { stop, step });
                    match start {
                        Some(start) => doc = start,
                        None => return,
                    }
                }
                Expr::Unary { op, operand } => {
                    self.token(match op {
                        UnaryOp::USub => "-",
                        UnaryOp::Invert => "~",
                        UnaryOp::Not => "not ",
                    });
                    self.open_if(level::of(self.docs.expr_ref(operand)) < level::of_unary(op));
                    doc = operand;
                }
                Expr::Binary { op, left, right } => {
                    let left_expr = docs.expr_ref(left);
                    let wrapped = self.wraps_left(op, left_expr);
                    if !S::MARKS && !S::BREAKS && !wrapped && is_leaf(left_expr) {
                        self.leaf(left_expr);
                        self.token(level::token(op));
                        self.open_if(self.wraps_right(op, right));
                        doc = right;
                        continue;
                    }
                    let begins_group = self.may_break_operators() && !in_chain;
                    if begins_group {
                        self.sink.put(Element::GroupBegin);
                    }
                    self.stack.push(WorkItem::Operand { op, right, ends_group: begins_group });
                    self.open_if(wrapped);
                    in_chain = !wrapped && level::of(left_expr) == level::of_binary(op);
                    doc = left;
                    continue;
                }
                Expr::Conditional { condition, then_value, else_value, is_chained } => {
                    if self.may_break_operators() {
                        self.sink.put(Element::GroupBegin);
                        self.stack.push(WorkItem::EndGroup);
                    }
                    self.stack.push(WorkItem::Condition { condition, else_value, is_chained });
                    // A conditional as the first operand would parse as the last operand's.
                    let least = if self.strict { level::CONDITIONAL + 1 } else { level::CONDITIONAL };
                    self.open_if(level::of(self.docs.expr_ref(then_value)) < least);
                    doc = then_value;
                }
                Expr::Lambda { args, body } => {
                    self.token("lambda ");
                    self.stack.push(WorkItem::Body(body));
                    match self.items(args.start, args.start + args.len, Close::Nothing) {
                        Some(item) => doc = item,
                        None => return,
                    }
                }
                Expr::Tuple(elements) => {
                    if elements.is_empty() {
                        return self.token("()");
                    }
                    self.open("(");
                    let close = if elements.len == 1 { Close::Single } else { Close::Paren };
                    match self.items(elements.start, elements.start + elements.len, close) {
                        Some(item) => doc = item,
                        None => return,
                    }
                }
                Expr::List(elements) => {
                    if elements.is_empty() {
                        return self.token("[]");
                    }
                    self.open("[");
                    match self.items(elements.start, elements.start + elements.len, Close::Bracket) {
                        Some(item) => doc = item,
                        None => return,
                    }
                }
                Expr::Dict(entries) => {
                    if entries.is_empty() {
                        return self.token("{}");
                    }
                    self.open("{");
                    self.stack
                        .push(WorkItem::Entry { next: entries.start, end: entries.start + entries.len });
                    doc = self.docs.item(entries.start);
                }
                Expr::Quoted(inner) => {
                    self.text("\"");
                    self.quotes += 1;
                    self.stack.push(WorkItem::CloseQuote);
                    // Through the stack, where the budget is checked: nested quotes double with each level.
                    return self.stack.push(WorkItem::Expr(inner));
                }
            }
            in_chain = false;
        }
    }

    // --- parentheses -----------------------------------------------------------------------------------------

    #[inline]
    fn open_if(&mut self, wrapped: bool) {
        if wrapped {
            self.open("(");
            self.stack.push(WorkItem::CloseParen);
        }
    }

    /// Opens a parenthesis before the operand of `.`, `[` or `(` if necessary.
    #[inline]
    fn open_base(&mut self, base: ExprDoc, before_dot: bool) {
        let expr = self.docs.expr_ref(base);
        // `-1 .x` negates `1 .x`, and `1.x` is a malformed float.
        let misread = self.strict && (is_negative(expr) || before_dot && matches!(expr, Expr::Int(_)));
        self.open_if(misread || level::of(expr) < level::ATOM);
    }

    /// Returns `true` if the left operand of `op` needs parentheses.
    #[inline]
    fn wraps_left(&self, op: BinaryOp, left: &Expr) -> bool {
        let own = level::of_binary(op);
        let least: Level = match own {
            level::POWER => own + 1,
            // Python chains `a == b == c`.
            level::COMPARISON if self.strict && !self.comparisons_nest => own + 1,
            _ => own,
        };
        level::of(left) < least || own == level::POWER && self.strict && is_negative(left)
    }

    /// Returns `true` if the right operand of `op` needs parentheses.
    #[inline]
    fn wraps_right(&self, op: BinaryOp, right: ExprDoc) -> bool {
        let own = level::of_binary(op);
        let least = if own == level::POWER { level::UNARY } else { own + 1 };
        level::of(self.docs.expr_ref(right)) < least
    }

    // --- operands --------------------------------------------------------------------------------------------

    #[inline]
    pub(super) fn right_operand(&mut self, op: BinaryOp, right: ExprDoc, ends_group: bool) {
        let token = level::token(op);
        if self.may_break_operators() {
            self.sink.put(Element::SoftLine(" "));
            self.sink.put(Element::Text(&token[1..]));
        } else {
            self.token(token);
        }
        if ends_group {
            self.stack.push(WorkItem::EndGroup);
        }
        self.open_if(self.wraps_right(op, right));
        self.expr(right);
    }

    pub(super) fn condition(&mut self, condition: ExprDoc, else_value: ExprDoc, is_chained: bool) {
        self.word(" if ");
        self.stack.push(WorkItem::Else { else_value, is_chained });
        self.open_if(level::of(self.docs.expr_ref(condition)) <= level::CONDITIONAL);
        self.expr(condition);
    }

    pub(super) fn else_value(&mut self, else_value: ExprDoc, is_chained: bool) {
        self.word(" else ");
        let is_wrapped = match *self.docs.expr_ref(else_value) {
            Expr::Conditional { .. } => !is_chained,
            ref expr => level::of(expr) <= level::CONDITIONAL,
        };
        self.open_if(is_wrapped);
        self.expr(else_value);
    }

    /// Writes a keyword between operands, with a possible line break before it.
    fn word(&mut self, word: &'static str) {
        if self.may_break_operators() {
            self.sink.put(Element::SoftLine(" "));
            self.sink.put(Element::Text(&word[1..]));
        } else {
            self.token(word);
        }
    }

    #[inline]
    pub(super) fn attr_name(&mut self, name: Sym) {
        self.token(".");
        self.text(self.docs.text(name));
    }

    /// Prints an index up to the first element that is not a leaf; returns that element.
    #[inline]
    fn indices(&mut self, indices: ExprList) -> Option<ExprDoc> {
        if indices.is_empty() {
            self.token("[()]");
            return None;
        }
        self.open("[");
        self.items(indices.start, indices.start + indices.len, Close::Bracket)
    }

    /// Prints an index after its base.
    pub(super) fn index(&mut self, indices: ExprList) {
        if let Some(item) = self.indices(indices) {
            self.expr(item);
        }
    }

    pub(super) fn slice_stop(&mut self, stop: Option<ExprDoc>, step: Option<ExprDoc>) {
        self.token(":");
        if step.is_some() {
            self.stack.push(WorkItem::SliceStep(step));
        }
        if let Some(stop) = stop {
            self.expr(stop);
        }
    }

    pub(super) fn slice_step(&mut self, step: Option<ExprDoc>) {
        self.token(":");
        if let Some(step) = step {
            self.expr(step);
        }
    }

    // --- lists -----------------------------------------------------------------------------------------------

    /// Prints a list of elements and its closing token.
    #[inline]
    pub(super) fn run(&mut self, start: u32, end: u32, close: Close) {
        if let Some(item) = self.items(start, end, close) {
            self.expr(item);
        }
    }

    /// Prints the leaves from `next` on. At the first other element pushes the rest on the stack and returns the
    /// element, to be printed next; at the end prints the closing token.
    #[inline]
    fn items(&mut self, mut next: u32, end: u32, close: Close) -> Option<ExprDoc> {
        while next < end {
            let docs = self.docs;
            let item = docs.item(next);
            next += 1;
            let expr = docs.expr_ref(item);
            if S::MARKS || !is_leaf(expr) {
                self.stack.push(WorkItem::Items { next, end, close });
                return Some(item);
            }
            self.leaf(expr);
            if next < end {
                self.comma();
            }
        }
        match close {
            Close::Nothing => {}
            Close::Paren => self.close(")"),
            Close::Single => {
                self.token(",");
                self.close(")");
            }
            Close::Comma => self.token(","),
            Close::Bracket => self.close("]"),
        }
        None
    }

    /// Continues a list after an element.
    #[inline]
    pub(super) fn more_items(&mut self, next: u32, end: u32, close: Close) {
        if next < end {
            self.comma();
        }
        self.run(next, end, close);
    }

    /// Prints the value of a dict entry after its key, which is at `next`.
    pub(super) fn entry_value(&mut self, next: u32, end: u32) {
        self.token(": ");
        self.stack.push(WorkItem::Entries { next: next + 2, end });
        self.expr(self.docs.item(next + 1));
    }

    /// Continues a dict after an entry.
    pub(super) fn more_entries(&mut self, next: u32, end: u32) {
        if next == end {
            return self.close("}");
        }
        self.comma();
        self.stack.push(WorkItem::Entry { next, end });
        self.expr(self.docs.item(next));
    }

    #[inline]
    pub(super) fn arguments(&mut self, call: CallId) {
        let parts = *self.docs.call_of(call);
        if parts.args.is_empty() && parts.kwargs.is_empty() {
            return self.token("()");
        }
        self.open("(");
        let mut close = Close::Paren;
        if !parts.kwargs.is_empty() {
            self.stack.push(WorkItem::Keywords { call, next: 0 });
            close = Close::Nothing;
        }
        self.run(parts.args.start, parts.args.start + parts.args.len, close);
    }

    pub(super) fn keywords(&mut self, call: CallId, next: u32) {
        let docs = self.docs;
        let parts = docs.call_of(call);
        let Some(&(name, value)) = docs.kwargs(parts.kwargs).get(next as usize) else {
            return self.close(")");
        };
        if next > 0 || !parts.args.is_empty() {
            self.comma();
        }
        self.text(docs.text(name));
        self.token("=");
        self.stack.push(WorkItem::Keywords { call, next: next + 1 });
        self.expr(value);
    }

    // --- leaves ----------------------------------------------------------------------------------------------

    #[inline]
    fn leaf(&mut self, expr: &Expr) {
        let docs = self.docs;
        match *expr {
            Expr::Id(name) => self.text(docs.text(name)),
            Expr::Int(value) => self.text(literal::spell_int(&mut [0; 20], value)),
            Expr::Float(value) => self.spelled(|out| literal::push_float(out, value)),
            Expr::None => self.token("None"),
            Expr::Bool(true) => self.token("True"),
            Expr::Bool(false) => self.token("False"),
            Expr::Str(text) => self.string(docs.text(text)),
            Expr::Bytes(bytes) => self.spelled(|out| {
                out.push_str("b\"");
                docs.byte_text(bytes).iter().for_each(|&byte| literal::push_escaped_byte(out, byte));
                out.push('"');
            }),
            Expr::Attr { .. }
            | Expr::Index { .. }
            | Expr::Slice { .. }
            | Expr::Call(_)
            | Expr::Unary { .. }
            | Expr::Binary { .. }
            | Expr::Conditional { .. }
            | Expr::Lambda { .. }
            | Expr::Tuple(_)
            | Expr::List(_)
            | Expr::Dict(_)
            | Expr::Quoted(_) => debug_assert!(false, "not a leaf: {expr:?}"),
        }
    }

    /// Writes a literal that `spell` appends to an empty string.
    #[inline]
    fn spelled(&mut self, spell: impl FnOnce(&mut String)) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        spell(&mut scratch);
        self.text(&scratch);
        self.scratch = scratch;
    }

    fn string(&mut self, text: &str) {
        if literal::is_plain(text) {
            self.text("\"");
            self.text(text);
            self.text("\"");
        } else {
            let style = self.strings;
            self.spelled(|out| {
                out.push('"');
                literal::push_escaped(out, text, style);
                out.push('"');
            });
        }
    }

    /// Writes text, escaped once per enclosing string literal.
    #[inline]
    pub(super) fn text(&mut self, text: &str) {
        if self.quotes == 0 {
            self.sink.put(Element::Text(text));
        } else {
            self.quoted_text(text);
        }
    }

    #[cold]
    fn quoted_text(&mut self, text: &str) {
        let mut text = text.to_owned();
        for _ in 0..self.quotes {
            // Text that one pass leaves unchanged is unchanged by all further passes; other text may double.
            if literal::is_plain(&text) || text.len() > self.max_bytes {
                break;
            }
            let mut escaped = String::with_capacity(text.len() + 2);
            literal::push_escaped(&mut escaped, &text, self.strings);
            text = escaped;
        }
        self.sink.put(Element::Text(&text));
    }

    pub(super) fn close_quote(&mut self) {
        self.quotes -= 1;
        self.text("\"");
    }
}

#[inline]
fn is_leaf(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::None
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Str(_)
            | Expr::Bytes(_)
            | Expr::Id(_)
    )
}

/// Returns `true` for a literal printed with a leading minus sign.
fn is_negative(expr: &Expr) -> bool {
    if let Expr::Int(value) = *expr {
        return value < 0;
    }
    matches!(expr, Expr::Float(value) if value.is_finite() && value.is_sign_negative())
}
