//! Statements and blocks.

use std::ops::Range;

use smallvec::SmallVec;

use super::expr::{ANY, BIT_OR};
use super::lex::begins_name;
use super::{DirectParser, SpannedExpr};
use crate::ast::{
    Alias, AnnAssign, Assert, Assign, AugAssign, BinOp, ClassDef, Clause, ExprId, ExprStmt, For, FunctionDef,
    If, Import, ImportFrom, List, Name, ParamKind, Parameter, Return, Stmt, StmtId, While, With, WithItem,
};
use crate::prescan::Head;

impl<'a> DirectParser<'a> {
    /// Parses the statements of the lines of one block.
    pub(super) fn statements(&mut self, lines: Range<usize>) -> Option<Vec<StmtId>> {
        let mut body = Vec::new();
        let mut line = lines.start;
        while line < lines.end {
            body.push(self.statement(&mut line, &lines)?);
        }
        Some(body)
    }

    /// Parses the block after a header; returns it with its end and moves `line` past it.
    fn block(&mut self, line: &mut usize, lines: &Range<usize>) -> Option<(List<StmtId>, u32)> {
        let header = self.lines.at(*line);
        if !header.opens_block {
            return None;
        }
        let first = *line + 1;
        let rest = self.lines.get(first..lines.end)?;
        // Linear: a line is visited once per enclosing block, and has at least one column of indentation for each.
        let len = rest.iter().take_while(|l| l.indent > header.indent).count();
        let mark = self.sink.open_stmts();
        let block = first..first + len;
        *line = first;
        let mut last = None;
        while *line < block.end {
            let id = self.statement(line, &block)?;
            self.sink.push_stmt(id);
            last = Some(id);
        }
        let end = self.end_of(last?);
        Some((self.sink.close_stmts(mark), end))
    }

    /// End of a statement in the piece.
    fn end_of(&self, stmt: StmtId) -> u32 {
        self.sink.ast.ast().range(stmt).end - self.sink.base
    }

    /// Parses the statement at a line and moves `line` past it. All lines of the block must have the same
    /// indentation.
    fn statement(&mut self, line: &mut usize, lines: &Range<usize>) -> Option<StmtId> {
        let at = self.lines.at(*line);
        if at.indent != self.lines.at(lines.start).indent {
            return None;
        }
        self.enter(*line)?;
        match at.head {
            Head::Other => {
                let stmt = self.simple(*line);
                *line += 1;
                stmt
            }
            Head::For => self.for_loop(line, lines),
            Head::With => self.with(line, lines),
            Head::If => self.if_chain(line, lines),
            Head::While => self.while_loop(line, lines),
            Head::Decorator | Head::Def | Head::Class => self.definition(line, lines),
            Head::Elif
            | Head::Else
            | Head::Try
            | Head::Except
            | Head::Finally
            | Head::Async
            | Head::MatchOrCase => None,
        }
    }

    /// Moves to the first token of a line. The foreign parser handles indentation other than by spaces.
    fn enter(&mut self, line: usize) -> Option<()> {
        let begin = (self.lines.at(line).begin - self.sink.base) as usize;
        let start = self.bounds(line).start;
        let is_plain = self.bytes.get(begin..start)?.iter().all(|b| *b == b' ');
        (self.pos, self.brackets) = (start, 0);
        is_plain.then_some(())
    }

    fn add(&mut self, stmt: Stmt, start: u32, end: u32) -> StmtId {
        self.sink.stmt(stmt, start, end)
    }

    /// Fails unless the line has been consumed.
    fn at_end(&mut self, line: usize) -> Option<()> {
        self.blanks();
        (self.pos == self.bounds(line).end && self.brackets == 0).then_some(())
    }

    /// Consumes the colon at the end of a header.
    fn colon(&mut self, line: usize) -> Option<()> {
        self.expect(b':')?;
        self.at_end(line)
    }

    fn simple(&mut self, line: usize) -> Option<StmtId> {
        let bounds = self.bounds(line);
        let (start, end) = (bounds.start as u32, bounds.end as u32);
        let stmt = match self.peek(0) {
            b'p' if self.eat_word(b"pass") => Stmt::Pass,
            b'b' if self.eat_word(b"break") => Stmt::Break,
            b'c' if self.eat_word(b"continue") => Stmt::Continue,
            b'r' if self.eat_word(b"return") => {
                self.blanks();
                let is_bare = self.pos == bounds.end;
                let value = if is_bare { None } else { Some(self.expr_list(ANY)?.id) };
                Stmt::Return(Return { value })
            }
            b'a' if self.eat_word(b"assert") => {
                let test = self.expr(ANY)?.id;
                let msg = if self.eat(b',') { Some(self.expr(ANY)?.id) } else { None };
                Stmt::Assert(Assert { test, msg })
            }
            b'i' if self.eat_word(b"import") => Stmt::Import(Import { names: self.aliases(true)? }),
            b'f' if self.eat_word(b"from") => self.import_from()?,
            _ => self.expr_stmt()?,
        };
        self.at_end(line)?;
        Some(self.add(stmt, start, end))
    }

    /// Parses an expression or an assignment.
    fn expr_stmt(&mut self) -> Option<Stmt> {
        let first = self.expr_list(ANY)?;
        self.blanks();
        match (self.peek(0), self.peek(1)) {
            (b'=', _) => self.assign(first),
            (b':', _) => self.annotated(first),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^' | b'<' | b'>', _) => {
                self.augmented(first)
            }
            _ => Some(Stmt::Expr(ExprStmt { value: first.id })),
        }
    }

    fn assign(&mut self, first: SpannedExpr) -> Option<Stmt> {
        let mut targets: SmallVec<[ExprId; 2]> = SmallVec::new();
        let mut value = first.id;
        while self.eat(b'=') {
            targets.push(value);
            value = self.expr_list(ANY)?.id;
        }
        let targets = self.sink.ast.list(&targets);
        let valid = self.sink.check_targets(targets);
        Some(if valid { Stmt::Assign(Assign { targets, value }) } else { Stmt::Invalid })
    }

    fn annotated(&mut self, target: SpannedExpr) -> Option<Stmt> {
        let own = self.sink.ast.ast().range(target.id);
        let is_bare = own.start == target.start + self.sink.base;
        self.expect(b':')?;
        let annotation = self.expr(ANY)?.id;
        let value = if self.eat(b'=') { Some(self.expr_list(ANY)?.id) } else { None };
        if !is_bare || !self.sink.check_single_target(target.id) {
            return None;
        }
        Some(Stmt::AnnAssign(AnnAssign { target: target.id, annotation, value }))
    }

    fn augmented(&mut self, target: SpannedExpr) -> Option<Stmt> {
        let (op, len) = match (self.peek(0), self.peek(1)) {
            (b'*', b'*') => (BinOp::Pow, 2),
            (b'/', b'/') => (BinOp::FloorDiv, 2),
            (b'<', b'<') => (BinOp::LShift, 2),
            (b'>', b'>') => (BinOp::RShift, 2),
            (b'+', _) => (BinOp::Add, 1),
            (b'-', _) => (BinOp::Sub, 1),
            (b'*', _) => (BinOp::Mult, 1),
            (b'/', _) => (BinOp::Div, 1),
            (b'%', _) => (BinOp::Mod, 1),
            (b'@', _) => (BinOp::MatMult, 1),
            (b'&', _) => (BinOp::BitAnd, 1),
            (b'|', _) => (BinOp::BitOr, 1),
            (b'^', _) => (BinOp::BitXor, 1),
            _ => return None,
        };
        self.pos += len;
        if self.peek(0) != b'=' {
            return None;
        }
        self.pos += 1;
        let value = self.expr(ANY)?.id;
        if !self.sink.check_single_target(target.id) {
            return None;
        }
        Some(Stmt::AugAssign(AugAssign { target: target.id, op, value }))
    }

    /// Parses `a.b as c, d`.
    fn aliases(&mut self, dotted: bool) -> Option<List<Alias>> {
        let mut list: SmallVec<[Alias; 4]> = SmallVec::new();
        loop {
            self.blanks();
            let start = self.pos;
            let name = if dotted { self.dotted()? } else { self.identifier()? };
            let name = self.sink.name(name);
            let mut end = self.pos;
            let mut asname = None;
            if self.eat_word(b"as") {
                let text = self.identifier()?;
                asname = Some(self.sink.name(text));
                end = self.pos;
            }
            list.push(Alias { name, asname, place: self.sink.place(start as u32, end as u32) });
            if !self.eat(b',') {
                break;
            }
        }
        Some(self.sink.ast.list(&list))
    }

    /// Parses `a.b.c` without blanks.
    fn dotted(&mut self) -> Option<&'a str> {
        self.blanks();
        let start = self.pos;
        self.identifier()?;
        while self.peek(0) == b'.' && begins_name(self.peek(1)) {
            self.pos += 1;
            self.identifier()?;
        }
        self.text.get(start..self.pos)
    }

    fn import_from(&mut self) -> Option<Stmt> {
        let module = self.dotted()?;
        let module = self.sink.name(module);
        if !self.eat_word(b"import") {
            return None;
        }
        Some(Stmt::ImportFrom(ImportFrom { module: Some(module), names: self.aliases(false)?, level: 0 }))
    }

    /// Parses the block of an `else` on this line, if there is one.
    fn orelse(&mut self, line: &mut usize, lines: &Range<usize>, end: &mut u32) -> Option<List<StmtId>> {
        let is_else = *line < lines.end
            && self.lines.at(*line).head == Head::Else
            && self.lines.at(*line).indent == self.lines.at(lines.start).indent;
        if !is_else {
            return Some(List::EMPTY);
        }
        self.enter(*line)?;
        self.pos += b"else".len();
        self.colon(*line)?;
        let (body, last) = self.block(line, lines)?;
        *end = last;
        Some(body)
    }

    fn for_loop(&mut self, line: &mut usize, lines: &Range<usize>) -> Option<StmtId> {
        let start = self.pos as u32;
        self.pos += b"for".len();
        let target = self.expr_list(BIT_OR)?.id;
        if !self.eat_word(b"in") {
            return None;
        }
        let iter = self.expr_list(ANY)?.id;
        self.colon(*line)?;
        let valid = self.sink.check_target(target);
        let (body, mut end) = self.block(line, lines)?;
        let orelse = self.orelse(line, lines, &mut end)?;
        let stmt = if valid { Stmt::For(For { target, iter, body, orelse }) } else { Stmt::Invalid };
        Some(self.add(stmt, start, end))
    }

    fn while_loop(&mut self, line: &mut usize, lines: &Range<usize>) -> Option<StmtId> {
        let start = self.pos as u32;
        self.pos += b"while".len();
        let test = self.expr(ANY)?.id;
        self.colon(*line)?;
        let (body, mut end) = self.block(line, lines)?;
        let orelse = self.orelse(line, lines, &mut end)?;
        Some(self.add(Stmt::While(While { test, body, orelse }), start, end))
    }

    fn with(&mut self, line: &mut usize, lines: &Range<usize>) -> Option<StmtId> {
        let start = self.pos as u32;
        self.pos += b"with".len();
        self.blanks();
        // Parentheses may contain one expression or all items.
        if self.peek(0) == b'(' {
            return None;
        }
        let mut items: SmallVec<[WithItem; 2]> = SmallVec::new();
        let mut valid = true;
        loop {
            let context = self.expr(ANY)?.id;
            let mut target = None;
            if self.eat_word(b"as") {
                let part = self.expr(BIT_OR)?;
                valid &= self.sink.check_target(part.id);
                target = Some(part.id);
            }
            items.push(WithItem { context, target });
            if !self.eat(b',') {
                break;
            }
        }
        self.colon(*line)?;
        let items = self.sink.ast.list(&items);
        let (body, end) = self.block(line, lines)?;
        let stmt = if valid { Stmt::With(With { items, body }) } else { Stmt::Invalid };
        Some(self.add(stmt, start, end))
    }

    fn if_chain(&mut self, line: &mut usize, lines: &Range<usize>) -> Option<StmtId> {
        let start = self.pos as u32;
        let indent = self.lines.at(*line).indent;
        let mut clauses: SmallVec<[Clause; 2]> = SmallVec::new();
        let mut keyword = b"if".len();
        let mut end;
        loop {
            self.enter(*line)?;
            let from = self.pos;
            self.pos += keyword;
            let test = self.expr(ANY)?.id;
            self.colon(*line)?;
            let (body, last) = self.block(line, lines)?;
            end = last;
            let place = self.sink.place(from as u32, last);
            clauses.push(Clause { test, body, place });
            let is_elif = *line < lines.end
                && self.lines.at(*line).head == Head::Elif
                && self.lines.at(*line).indent == indent;
            if !is_elif {
                break;
            }
            keyword = b"elif".len();
        }
        let orelse = self.orelse(line, lines, &mut end)?;
        let clauses = self.sink.ast.list(&clauses);
        Some(self.add(Stmt::If(If { clauses, orelse }), start, end))
    }

    /// Parses a function or class with its decorators.
    fn definition(&mut self, line: &mut usize, lines: &Range<usize>) -> Option<StmtId> {
        let mut decorators: SmallVec<[ExprId; 2]> = SmallVec::new();
        while self.lines.at(*line).head == Head::Decorator {
            self.pos += 1;
            decorators.push(self.expr(ANY)?.id);
            self.at_end(*line)?;
            let indent = self.lines.at(*line).indent;
            *line += 1;
            if *line >= lines.end || self.lines.at(*line).indent != indent {
                return None;
            }
            self.enter(*line)?;
        }
        let decorators = self.sink.ast.list(&decorators);
        match self.lines.at(*line).head {
            Head::Def => self.function(decorators, line, lines),
            Head::Class => self.class(decorators, line, lines),
            _ => None,
        }
    }

    fn function(
        &mut self,
        decorators: List<ExprId>,
        line: &mut usize,
        lines: &Range<usize>,
    ) -> Option<StmtId> {
        let start = self.pos as u32;
        self.pos += b"def".len();
        let name = self.identifier()?;
        let name_place = self.sink.place((self.pos - name.len()) as u32, self.pos as u32);
        let name = self.sink.name(name);
        self.expect(b'(')?;
        self.open();
        let params = self.parameters()?;
        self.blanks();
        let returns = match (self.peek(0), self.peek(1)) {
            (b'-', b'>') => {
                self.pos += 2;
                Some(self.expr(ANY)?.id)
            }
            _ => None,
        };
        self.colon(*line)?;
        let (body, end) = self.block(line, lines)?;
        let type_params = List::default();
        let stmt = Stmt::FunctionDef(FunctionDef {
            name,
            name_place,
            type_params,
            params,
            decorators,
            returns,
            body,
        });
        Some(self.add(stmt, start, end))
    }

    /// Parses plain parameters after the parenthesis.
    fn parameters(&mut self) -> Option<List<Parameter>> {
        let mut list: Vec<Parameter> = Vec::new();
        while !self.close(b')') {
            let name = self.identifier()?;
            let start = (self.pos - name.len()) as u32;
            let mut end = self.pos as u32;
            let name = self.sink.name(name);
            let mut annotation = None;
            if self.eat(b':') {
                let part = self.expr(ANY)?;
                end = part.end;
                annotation = Some(part.id);
            }
            let default = if self.eat(b'=') { Some(self.expr(ANY)?.id) } else { None };
            if default.is_none() && list.last().is_some_and(|p| p.default.is_some()) {
                return None;
            }
            let place = self.sink.place(start, end);
            list.push(Parameter { name, kind: ParamKind::Normal, annotation, default, place });
            if self.comma_or_close(b')')? {
                break;
            }
        }
        self.parameter_list(&list)
    }

    /// Adds a list of parameters. Fails if two have the same name.
    pub(super) fn parameter_list(&mut self, list: &[Parameter]) -> Option<List<Parameter>> {
        let mut names: SmallVec<[Name; 16]> = list.iter().map(|p| p.name).collect();
        names.sort_unstable();
        if names.iter().zip(names.iter().skip(1)).any(|(a, b)| a == b) {
            return None;
        }
        Some(self.sink.ast.list(list))
    }

    fn class(&mut self, decorators: List<ExprId>, line: &mut usize, lines: &Range<usize>) -> Option<StmtId> {
        let start = self.pos as u32;
        self.pos += b"class".len();
        let name = self.identifier()?;
        let name_place = self.sink.place((self.pos - name.len()) as u32, self.pos as u32);
        let name = self.sink.name(name);
        let (bases, keywords) = if self.eat(b'(') { self.arguments()? } else { (List::EMPTY, List::EMPTY) };
        self.colon(*line)?;
        let (body, end) = self.block(line, lines)?;
        let stmt = Stmt::ClassDef(ClassDef { name, name_place, bases, keywords, decorators, body });
        Some(self.add(stmt, start, end))
    }
}
