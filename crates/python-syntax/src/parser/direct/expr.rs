//! Operators by binding strength.

use smallvec::SmallVec;

use super::lex::goes_on;
use super::{DirectParser, SpannedExpr};
use crate::ast::{BinOp, BoolOp, CmpOp, Comparison, Expr, ExprId, ParamKind, Parameter, UnaryOp};
use crate::prescan::is_keyword;

// Binding strengths, weakest first.
pub(super) const ANY: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
/// Weaker than all arithmetic; for loop targets, which end at `in`.
pub(super) const BIT_OR: u8 = 5;
const UNARY: u8 = 11;
const POWER: u8 = 12;

/// An operator after an operand.
enum Infix {
    Binary(BinOp, u8),
    Compare(CmpOp),
    Bool(BoolOp),
    If,
}

impl DirectParser<'_> {
    /// Adds a node whose range includes no enclosing parentheses.
    #[inline]
    pub(super) fn node(&mut self, expr: Expr, start: u32, end: u32) -> SpannedExpr {
        SpannedExpr { id: self.sink.expr(expr, start, end), start, end }
    }

    /// Parses an expression of operators of at least the given strength.
    pub(super) fn expr(&mut self, least: u8) -> Option<SpannedExpr> {
        self.levels = self.levels.checked_sub(1)?;
        let mut left = self.operand(least)?;
        while let Some((infix, len)) = self.infix() {
            match infix {
                Infix::Binary(op, level) => {
                    if level < least {
                        break;
                    }
                    self.pos += len;
                    let right = self.expr(if level == POWER { UNARY } else { level + 1 })?;
                    let expr = Expr::BinOp { left: left.id, op, right: right.id };
                    left = self.node(expr, left.start, right.end);
                }
                Infix::Compare(op) => {
                    if COMPARISON < least {
                        break;
                    }
                    self.pos += len;
                    left = self.comparison(left, op)?;
                }
                Infix::Bool(op) => {
                    if (if op == BoolOp::Or { OR } else { AND }) < least {
                        break;
                    }
                    left = self.bool_op(left, op)?;
                }
                Infix::If => {
                    if least > ANY {
                        break;
                    }
                    self.pos += len;
                    left = self.conditional(left)?;
                }
            }
        }
        self.levels += 1;
        Some(left)
    }

    fn operand(&mut self, least: u8) -> Option<SpannedExpr> {
        self.blanks();
        let op = match self.peek(0) {
            b'-' => UnaryOp::USub,
            b'+' => UnaryOp::UAdd,
            b'~' => UnaryOp::Invert,
            b'n' if self.word() == b"not" => UnaryOp::Not,
            b'l' if self.word() == b"lambda" => return self.lambda(least),
            _ => return self.primary(),
        };
        self.unary(op, least)
    }

    fn unary(&mut self, op: UnaryOp, least: u8) -> Option<SpannedExpr> {
        let (level, len) = if op == UnaryOp::Not { (NOT, 3) } else { (UNARY, 1) };
        if level < least {
            return None;
        }
        let start = self.pos as u32;
        self.pos += len;
        let operand = self.expr(level)?;
        Some(self.node(Expr::UnaryOp { op, operand: operand.id }, start, operand.end))
    }

    /// The operator after an operand, and its length.
    #[inline]
    fn infix(&mut self) -> Option<(Infix, usize)> {
        self.blanks();
        let next = self.peek(1);
        let binary = |op, level, len| Some((Infix::Binary(op, level), len));
        let compare = |op, len| Some((Infix::Compare(op), len));
        let (infix, len) = match (self.peek(0), next) {
            (b'+', _) => binary(BinOp::Add, 9, 1),
            (b'-', b'>') => None,
            (b'-', _) => binary(BinOp::Sub, 9, 1),
            (b'*', b'*') => binary(BinOp::Pow, POWER, 2),
            (b'*', _) => binary(BinOp::Mult, 10, 1),
            (b'/', b'/') => binary(BinOp::FloorDiv, 10, 2),
            (b'/', _) => binary(BinOp::Div, 10, 1),
            (b'%', _) => binary(BinOp::Mod, 10, 1),
            (b'@', _) => binary(BinOp::MatMult, 10, 1),
            (b'<', b'<') => binary(BinOp::LShift, 8, 2),
            (b'>', b'>') => binary(BinOp::RShift, 8, 2),
            (b'&', _) => binary(BinOp::BitAnd, 7, 1),
            (b'^', _) => binary(BinOp::BitXor, 6, 1),
            (b'|', _) => binary(BinOp::BitOr, BIT_OR, 1),
            (b'<', b'=') => compare(CmpOp::LtE, 2),
            (b'>', b'=') => compare(CmpOp::GtE, 2),
            (b'=', b'=') => compare(CmpOp::Eq, 2),
            (b'!', b'=') => compare(CmpOp::NotEq, 2),
            (b'<', _) => compare(CmpOp::Lt, 1),
            (b'>', _) => compare(CmpOp::Gt, 1),
            (b'a' | b'i' | b'n' | b'o', _) => self.word_operator(),
            _ => None,
        }?;
        // `+=` and the like are assignments; the lengths of comparisons include their `=`.
        if matches!(infix, Infix::Binary(..)) && self.peek(len) == b'=' {
            return None;
        }
        Some((infix, len))
    }

    fn word_operator(&self) -> Option<(Infix, usize)> {
        let word = self.word();
        let infix = match word {
            b"and" => Infix::Bool(BoolOp::And),
            b"or" => Infix::Bool(BoolOp::Or),
            b"if" => Infix::If,
            b"in" => Infix::Compare(CmpOp::In),
            b"is" => Infix::Compare(CmpOp::Is),
            b"not" => Infix::Compare(CmpOp::NotIn),
            _ => return None,
        };
        Some((infix, word.len()))
    }

    /// Parses the comparisons after `left`; the first operator is consumed, except the second word of `not in` and
    /// `is not`.
    fn comparison(&mut self, left: SpannedExpr, first: CmpOp) -> Option<SpannedExpr> {
        let mut rest: SmallVec<[Comparison; 4]> = SmallVec::new();
        let mut op = first;
        let mut end;
        loop {
            match op {
                CmpOp::NotIn if !self.eat_word(b"in") => return None,
                CmpOp::Is if self.eat_word(b"not") => op = CmpOp::IsNot,
                _ => {}
            }
            let right = self.expr(BIT_OR)?;
            rest.push(Comparison { op, right: right.id });
            end = right.end;
            match self.infix() {
                Some((Infix::Compare(next), len)) => {
                    self.pos += len;
                    op = next;
                }
                _ => break,
            }
        }
        let rest = self.sink.ast.list(&rest);
        Some(self.node(Expr::Compare { left: left.id, rest }, left.start, end))
    }

    fn bool_op(&mut self, left: SpannedExpr, op: BoolOp) -> Option<SpannedExpr> {
        let (word, level): (&[u8], u8) = if op == BoolOp::Or { (b"or", OR) } else { (b"and", AND) };
        let mut values: SmallVec<[ExprId; 8]> = SmallVec::new();
        values.push(left.id);
        let mut end = left.end;
        while self.eat_word(word) {
            let value = self.expr(level + 1)?;
            values.push(value.id);
            end = value.end;
        }
        let values = self.sink.ast.list(&values);
        Some(self.node(Expr::BoolOp { op, values }, left.start, end))
    }

    fn conditional(&mut self, body: SpannedExpr) -> Option<SpannedExpr> {
        let test = self.expr(OR)?;
        if !self.eat_word(b"else") {
            return None;
        }
        let orelse = self.expr(ANY)?;
        let expr = Expr::IfExp { test: test.id, body: body.id, orelse: orelse.id };
        Some(self.node(expr, body.start, orelse.end))
    }

    /// Parses a lambda with plain parameters.
    fn lambda(&mut self, least: u8) -> Option<SpannedExpr> {
        if least > ANY {
            return None;
        }
        let start = self.pos as u32;
        self.pos += b"lambda".len();
        let mut params: SmallVec<[Parameter; 4]> = SmallVec::new();
        while !self.eat(b':') {
            if !params.is_empty() {
                self.expect(b',')?;
            }
            let name = self.identifier()?;
            let (from, to) = ((self.pos - name.len()) as u32, self.pos as u32);
            let name = self.sink.name(name);
            let place = self.sink.place(from, to);
            params.push(Parameter { name, kind: ParamKind::Normal, annotation: None, default: None, place });
        }
        // `:=` does not end the parameters.
        if self.peek(0) == b'=' {
            return None;
        }
        let params = self.parameter_list(&params)?;
        let body = self.expr(ANY)?;
        Some(self.node(Expr::Lambda { params, body: body.id }, start, body.end))
    }

    /// Parses one expression, or a tuple without parentheses with elements of at least the given strength.
    pub(super) fn expr_list(&mut self, least: u8) -> Option<SpannedExpr> {
        let first = self.expr(least)?;
        if !self.eat(b',') {
            return Some(first);
        }
        let mark = self.sink.open_exprs();
        self.sink.push_expr(first.id);
        let mut end = self.pos as u32;
        while self.begins_expr() {
            let part = self.expr(least)?;
            self.sink.push_expr(part.id);
            end = part.end;
            if !self.eat(b',') {
                break;
            }
            end = self.pos as u32;
        }
        let elts = self.sink.close_exprs(mark);
        Some(self.node(Expr::Tuple { elts }, first.start, end))
    }

    /// Tests whether a token follows that can start an expression.
    fn begins_expr(&mut self) -> bool {
        self.blanks();
        match self.peek(0) {
            b'(' | b'[' | b'{' | b'"' | b'\'' | b'-' | b'+' | b'~' | b'.' => true,
            byte if goes_on(byte) => {
                let word = self.word();
                !is_keyword(word) || matches!(word, b"not" | b"lambda" | b"None" | b"True" | b"False")
            }
            _ => false,
        }
    }
}
