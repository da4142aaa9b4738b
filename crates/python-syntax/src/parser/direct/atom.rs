//! Names, literals, brackets, calls, attributes and subscripts.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::expr::ANY;
use super::lex::{begins_name, goes_on};
use super::{DirectParser, SpannedExpr};
use crate::ast::{Constant, DictItem, Expr, ExprId, Keyword, List};

/// Maximum number of keyword arguments that are checked for duplicates.
const MAX_KEYWORDS: usize = 32;

impl<'a> DirectParser<'a> {
    /// Parses an atom with its calls, attributes and subscripts.
    pub(super) fn primary(&mut self) -> Option<SpannedExpr> {
        let mut part = self.atom()?;
        loop {
            self.blanks();
            match self.peek(0) {
                b'.' => {
                    self.pos += 1;
                    let attr = self.identifier()?;
                    let attr = self.sink.name(attr);
                    let end = self.pos as u32;
                    part = self.node(Expr::Attribute { value: part.id, attr }, part.start, end);
                }
                b'(' => {
                    self.pos += 1;
                    let (args, keywords) = self.arguments()?;
                    let end = self.pos as u32;
                    part = self.node(Expr::Call { func: part.id, args, keywords }, part.start, end);
                }
                b'[' => {
                    self.pos += 1;
                    let index = self.index()?;
                    let end = self.pos as u32;
                    part = self.node(Expr::Subscript { value: part.id, index }, part.start, end);
                }
                _ => return Some(part),
            }
        }
    }

    #[inline]
    fn atom(&mut self) -> Option<SpannedExpr> {
        let start = self.pos as u32;
        let byte = self.peek(0);
        let expr = match byte {
            _ if begins_name(byte) => self.name()?,
            b'0'..=b'9' => self.number()?,
            b'.' if self.peek(1).is_ascii_digit() => self.number()?,
            b'.' if self.peek(1) == b'.' && self.peek(2) == b'.' => {
                self.pos += 3;
                Expr::Constant(Constant::Ellipsis)
            }
            b'"' | b'\'' => return self.strings(),
            b'(' => return self.parentheses(),
            b'[' => {
                self.pos += 1;
                self.open();
                Expr::List { elts: self.elements(b']')? }
            }
            b'{' => {
                self.pos += 1;
                self.open();
                self.braces()?
            }
            _ => return None,
        };
        Some(self.node(expr, start, self.pos as u32))
    }

    fn name(&mut self) -> Option<Expr> {
        let constant = match self.peek(0) {
            b'N' if self.eat_word(b"None") => Constant::None,
            b'T' if self.eat_word(b"True") => Constant::Bool(true),
            b'F' if self.eat_word(b"False") => Constant::Bool(false),
            _ => {
                let name = self.identifier()?;
                return Some(Expr::Name(self.sink.name(name)));
            }
        };
        (!matches!(self.peek(0), b'"' | b'\'')).then_some(Expr::Constant(constant))
    }

    /// Parses a decimal integer of at most 64 bits, or a float.
    fn number(&mut self) -> Option<Expr> {
        let start = self.pos;
        let mut is_float = false;
        let digits = |this: &mut Self| {
            while this.peek(0).is_ascii_digit() {
                this.pos += 1;
            }
        };
        digits(self);
        if self.peek(0) == b'.' {
            is_float = true;
            self.pos += 1;
            digits(self);
        }
        if matches!(self.peek(0), b'e' | b'E') {
            is_float = true;
            self.pos += 1;
            self.pos += usize::from(matches!(self.peek(0), b'+' | b'-'));
            if !self.peek(0).is_ascii_digit() {
                return None;
            }
            digits(self);
        }
        // `1if`, `1_0`, `0x1`, `1j`, `1.x`, `1..x`
        if goes_on(self.peek(0)) || self.peek(0) == b'.' {
            return None;
        }
        let text = self.text.get(start..self.pos)?;
        let is_octal = text.len() > 1 && text.starts_with('0');
        match is_float {
            true => text.parse().ok().map(|value| Expr::Constant(Constant::Float(value))),
            false if is_octal => None,
            false => text.parse().ok().map(|value| Expr::Constant(Constant::Int(value))),
        }
    }

    /// Parses adjacent strings, which are joined.
    fn strings(&mut self) -> Option<SpannedExpr> {
        let start = self.pos as u32;
        let first = self.string()?;
        let end = self.pos as u32;
        self.blanks();
        if !matches!(self.peek(0), b'"' | b'\'') {
            let text = self.sink.name(&first);
            return Some(self.node(Expr::Constant(Constant::Str(text)), start, end));
        }
        let mut joined = first.into_owned();
        let mut end = end;
        while matches!(self.peek(0), b'"' | b'\'') {
            joined.push_str(&self.string()?);
            end = self.pos as u32;
            self.blanks();
        }
        let text = self.sink.name(&joined);
        Some(self.node(Expr::Constant(Constant::Str(text)), start, end))
    }

    /// Parses a string without a prefix and with common escapes.
    fn string(&mut self) -> Option<Cow<'a, str>> {
        let quote = self.peek(0);
        let is_triple = self.peek(1) == quote && self.peek(2) == quote;
        self.pos += if is_triple { 3 } else { 1 };
        let mut start = self.pos;
        let mut decoded: Option<String> = None;
        loop {
            match self.peek(0) {
                byte if byte == quote && (!is_triple || self.peek(1) == quote && self.peek(2) == quote) => {
                    break;
                }
                b'\\' => {
                    let part = self.text.get(start..self.pos)?;
                    let decoded = decoded.get_or_insert_default();
                    decoded.push_str(part);
                    decoded.push(match self.peek(1) {
                        b'n' => '\n',
                        b't' => '\t',
                        b'r' => '\r',
                        b'\\' => '\\',
                        b'\'' => '\'',
                        b'"' => '"',
                        _ => return None,
                    });
                    self.pos += 1;
                    start = self.pos + 1;
                }
                b'\n' if is_triple => {}
                b'\n' | b'\r' | 0 => return None,
                _ => {}
            }
            self.pos += 1;
        }
        let part = self.text.get(start..self.pos)?;
        self.pos += if is_triple { 3 } else { 1 };
        Some(match decoded {
            None => Cow::Borrowed(part),
            Some(decoded) => Cow::Owned(decoded + part),
        })
    }

    /// `()`, `(a)`, `(a, b)`
    fn parentheses(&mut self) -> Option<SpannedExpr> {
        let start = self.pos as u32;
        self.pos += 1;
        self.open();
        if self.close(b')') {
            return Some(self.node(Expr::Tuple { elts: List::EMPTY }, start, self.pos as u32));
        }
        let (first, is_starred) = self.element()?;
        if !is_starred && self.close(b')') {
            return Some(SpannedExpr { id: first.id, start, end: self.pos as u32 });
        }
        self.expect(b',')?;
        let mark = self.sink.open_exprs();
        self.sink.push_expr(first.id);
        let elts = self.more_elements(b')', mark)?;
        Some(self.node(Expr::Tuple { elts }, start, self.pos as u32))
    }

    /// Parses elements up to the closing bracket.
    fn elements(&mut self, close: u8) -> Option<List<ExprId>> {
        let mark = self.sink.open_exprs();
        self.more_elements(close, mark)
    }

    fn more_elements(&mut self, close: u8, mark: usize) -> Option<List<ExprId>> {
        while !self.close(close) {
            let (element, _) = self.element()?;
            self.sink.push_expr(element.id);
            if self.comma_or_close(close)? {
                break;
            }
        }
        Some(self.sink.close_exprs(mark))
    }

    /// `a` or `*a`
    fn element(&mut self) -> Option<(SpannedExpr, bool)> {
        self.blanks();
        if self.peek(0) != b'*' {
            return Some((self.expr(ANY)?, false));
        }
        Some((self.starred()?, true))
    }

    fn starred(&mut self) -> Option<SpannedExpr> {
        let start = self.pos as u32;
        self.pos += 1;
        let value = self.expr(super::expr::BIT_OR)?;
        Some(self.node(Expr::Starred { value: value.id }, start, value.end))
    }

    /// Parses a dict or set after its bracket.
    fn braces(&mut self) -> Option<Expr> {
        let mut items: SmallVec<[DictItem; 4]> = SmallVec::new();
        let mut elements: Option<usize> = None;
        while !self.close(b'}') {
            let is_first = items.is_empty() && elements.is_none();
            self.blanks();
            if self.peek(0) == b'*' && self.peek(1) == b'*' && elements.is_none() {
                self.pos += 2;
                let value = self.expr(super::expr::BIT_OR)?.id;
                items.push(DictItem { key: None, value });
            } else {
                let (key, is_starred) = self.element()?;
                let is_item = !is_starred && elements.is_none() && self.eat(b':');
                if is_item {
                    let value = self.expr(ANY)?.id;
                    items.push(DictItem { key: Some(key.id), value });
                } else if is_first || elements.is_some() {
                    elements.get_or_insert_with(|| self.sink.open_exprs());
                    self.sink.push_expr(key.id);
                } else {
                    return None;
                }
            }
            if self.comma_or_close(b'}')? {
                break;
            }
        }
        Some(match elements {
            Some(mark) => Expr::Set { elts: self.sink.close_exprs(mark) },
            None => Expr::Dict { items: self.sink.ast.list(&items) },
        })
    }

    /// Parses the arguments of a call or the bases of a class after the bracket.
    pub(super) fn arguments(&mut self) -> Option<(List<ExprId>, List<Keyword>)> {
        self.open();
        let mark = self.sink.open_exprs();
        let mut keywords: SmallVec<[Keyword; 4]> = SmallVec::new();
        while !self.close(b')') {
            self.blanks();
            match (self.peek(0), self.peek(1)) {
                (b'*', b'*') => {
                    let start = self.pos as u32;
                    self.pos += 2;
                    let value = self.expr(ANY)?;
                    let place = self.sink.place(start, value.end);
                    keywords.push(Keyword { arg: None, value: value.id, place });
                }
                (byte, _) if begins_name(byte) && self.is_keyword_argument() => {
                    let keyword = self.keyword()?;
                    if keywords.len() >= MAX_KEYWORDS || keywords.iter().any(|k| k.arg == keyword.arg) {
                        return None;
                    }
                    keywords.push(keyword);
                }
                (byte, _) => {
                    // The foreign parser decides which positional arguments may follow keywords.
                    if !keywords.is_empty() {
                        return None;
                    }
                    let argument = if byte == b'*' { self.starred_argument()? } else { self.expr(ANY)? };
                    self.sink.push_expr(argument.id);
                }
            }
            if self.comma_or_close(b')')? {
                break;
            }
        }
        let args = self.sink.close_exprs(mark);
        let keywords = if keywords.is_empty() { List::EMPTY } else { self.sink.ast.list(&keywords) };
        Some((args, keywords))
    }

    fn starred_argument(&mut self) -> Option<SpannedExpr> {
        let start = self.pos as u32;
        self.pos += 1;
        let value = self.expr(ANY)?;
        Some(self.node(Expr::Starred { value: value.id }, start, value.end))
    }

    /// Tests whether `name =` follows.
    fn is_keyword_argument(&mut self) -> bool {
        let start = self.pos;
        self.pos += self.word().len();
        while self.dotted_keywords && self.peek(0) == b'.' && begins_name(self.peek(1)) {
            self.pos += 1;
            self.pos += self.word().len();
        }
        self.blanks();
        let found = self.peek(0) == b'=' && self.peek(1) != b'=';
        self.pos = start;
        found
    }

    fn keyword(&mut self) -> Option<Keyword> {
        let start = self.pos as u32;
        let mut name = self.identifier()?;
        while self.peek(0) == b'.' {
            self.pos += 1;
            self.identifier()?;
            name = self.text.get(start as usize..self.pos)?;
        }
        let arg = Some(self.sink.name(name));
        self.expect(b'=')?;
        let value = self.expr(ANY)?;
        let place = self.sink.place(start, value.end);
        Some(Keyword { arg, value: value.id, place })
    }

    /// Parses the content of `[..]` after the bracket.
    fn index(&mut self) -> Option<ExprId> {
        self.open();
        let first = self.slice()?;
        if self.close(b']') {
            return Some(first.id);
        }
        self.expect(b',')?;
        let mark = self.sink.open_exprs();
        self.sink.push_expr(first.id);
        let mut end = self.pos as u32;
        while !self.close(b']') {
            let part = self.slice()?;
            self.sink.push_expr(part.id);
            end = part.end;
            if self.comma_or_close(b']')? {
                break;
            }
            end = self.pos as u32;
        }
        let elts = self.sink.close_exprs(mark);
        Some(self.node(Expr::Tuple { elts }, first.start, end).id)
    }

    /// Parses `a`, `a:b`, `a:b:c`, and slices with omitted parts.
    fn slice(&mut self) -> Option<SpannedExpr> {
        self.blanks();
        let start = self.pos as u32;
        let lower = if self.peek(0) == b':' { None } else { Some(self.expr(ANY)?) };
        if self.peek(0) == b':' && self.peek(1) == b'=' {
            return None;
        }
        if !self.eat(b':') {
            return lower;
        }
        let mut end = self.pos as u32;
        let upper = self.bound(&mut end)?;
        let mut step = None;
        if self.eat(b':') {
            end = self.pos as u32;
            step = self.bound(&mut end)?;
        }
        let expr = Expr::Slice { lower: lower.map(|part| part.id), upper, step };
        Some(self.node(expr, lower.map_or(start, |part| part.start), end))
    }

    /// Parses an optional part of a slice and moves `end` past it.
    fn bound(&mut self, end: &mut u32) -> Option<Option<ExprId>> {
        self.blanks();
        if matches!(self.peek(0), b':' | b',' | b']') {
            return Some(None);
        }
        let part = self.expr(ANY)?;
        *end = part.end;
        Some(Some(part.id))
    }
}
