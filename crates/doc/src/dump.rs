//! A JSON dump of docs, for tests and debugging.
//!
//! The dump contains the tree itself: kinds, operators, names, literals, roles, comments, paths. Nothing is spelled in
//! a target language, so a test can check that no doc hides syntax in a string. It cannot be loaded.

use std::fmt::Write;

use crate::arena::DocArena;
use crate::error::PrintError;
use crate::expr::{Expr, ExprDoc};
use crate::stmt::{Doc, DocRef, Stmt, StmtDoc};
use crate::sym::Sym;

/// A work item of the dump.
enum WorkItem {
    Text(&'static str),
    Expr(ExprDoc),
    Stmt(StmtDoc),
    Exprs { next: u32, end: u32, first: bool },
    Stmts { next: u32, end: u32, first: bool },
    Entry(ExprDoc, ExprDoc),
    Keyword(Sym, ExprDoc),
}

impl DocArena {
    /// Writes a doc and its descendants as one line of JSON.
    ///
    /// # Errors
    /// [`PrintError::OutputBudget`] if the text exceeds `max_bytes`; [`PrintError::Doc`] if the arena is full.
    pub fn dump_json(&self, doc: impl Into<Doc>, max_bytes: usize) -> Result<String, PrintError> {
        self.check()?;
        let mut dump = Dump { docs: self, out: String::new(), steps: Vec::new() };
        match doc.into() {
            Doc::Expr(doc) => dump.steps.push(WorkItem::Expr(doc)),
            Doc::Slice(doc) => dump.steps.push(WorkItem::Expr(doc.0)),
            Doc::Stmt(doc) => dump.steps.push(WorkItem::Stmt(doc)),
            Doc::Block(docs) => {
                dump.out.push('[');
                dump.steps.push(stmts(self, docs));
            }
        }
        while let Some(step) = dump.steps.pop() {
            if dump.out.len() > max_bytes {
                return Err(PrintError::OutputBudget { max_bytes });
            }
            dump.step(step);
        }
        Ok(dump.out)
    }
}

struct Dump<'a> {
    docs: &'a DocArena,
    out: String,
    steps: Vec<WorkItem>,
}

impl Dump<'_> {
    fn step(&mut self, step: WorkItem) {
        match step {
            WorkItem::Text(text) => self.out.push_str(text),
            WorkItem::Expr(doc) => self.expr(doc),
            WorkItem::Stmt(doc) => self.stmt(doc),
            WorkItem::Exprs { next, end, first } => {
                if next == end {
                    return self.out.push(']');
                }
                if !first {
                    self.out.push(',');
                }
                self.steps.push(WorkItem::Exprs { next: next + 1, end, first: false });
                self.expr(self.docs.item(next));
            }
            WorkItem::Stmts { next, end, first } => {
                if next == end {
                    return self.out.push(']');
                }
                if !first {
                    self.out.push(',');
                }
                self.steps.push(WorkItem::Stmts { next: next + 1, end, first: false });
                self.stmt(self.docs.stmt_item(next));
            }
            WorkItem::Entry(key, value) => {
                self.out.push('[');
                self.later(vec![
                    WorkItem::Expr(key),
                    WorkItem::Text(","),
                    WorkItem::Expr(value),
                    WorkItem::Text("]"),
                ]);
            }
            WorkItem::Keyword(name, value) => {
                self.out.push('[');
                push_json_string(&mut self.out, self.docs.text(name));
                self.out.push(',');
                self.later(vec![WorkItem::Expr(value), WorkItem::Text("]")]);
            }
        }
    }

    /// Schedules work items in the given order.
    fn later(&mut self, steps: Vec<WorkItem>) {
        self.steps.extend(steps.into_iter().rev());
    }

    fn expr(&mut self, doc: ExprDoc) {
        let expr = self.docs.expr(doc);
        self.out.push_str("{\"kind\":\"");
        self.out.push_str(expr.name());
        self.out.push('"');
        self.paths(doc.into());
        let mut fields = Vec::new();
        match expr {
            Expr::None => {}
            Expr::Bool(value) => self.value(&value.to_string()),
            Expr::Int(value) => self.value(&value.to_string()),
            Expr::Float(value) if value.is_finite() => self.value(&format!("{value:?}")),
            Expr::Float(value) => self.value(&format!("\"{value}\"")),
            Expr::Str(text) => self.string("value", text),
            Expr::Bytes(bytes) => self.value(&format!("{:?}", self.docs.byte_text(bytes))),
            Expr::Id(name) => self.string("name", name),
            Expr::Attr { value, name } => {
                self.string("name", name);
                fields = vec![WorkItem::Text(",\"value\":"), WorkItem::Expr(value)];
            }
            Expr::Index { value, indices } => {
                fields = vec![
                    WorkItem::Text(",\"value\":"),
                    WorkItem::Expr(value),
                    WorkItem::Text(",\"indices\":["),
                ];
                fields.push(exprs(indices));
            }
            Expr::Slice { start, stop, step } => {
                for (name, part) in [(",\"start\":", start), (",\"stop\":", stop), (",\"step\":", step)] {
                    fields.extend(
                        part.map(|part| [WorkItem::Text(name), WorkItem::Expr(part)]).into_iter().flatten(),
                    );
                }
            }
            Expr::Call(call) => {
                let call = self.docs.call_of(call);
                if let Some(function) = call.function {
                    let _ = write!(self.out, ",\"function\":{}", function.0);
                }
                fields = vec![
                    WorkItem::Text(",\"callee\":"),
                    WorkItem::Expr(call.callee),
                    WorkItem::Text(",\"args\":["),
                ];
                fields.push(exprs(call.args));
                fields.push(WorkItem::Text(",\"kwargs\":["));
                for (at, &(name, value)) in self.docs.kwargs(call.kwargs).iter().enumerate() {
                    fields.extend((at > 0).then_some(WorkItem::Text(",")));
                    fields.push(WorkItem::Keyword(name, value));
                }
                fields.push(WorkItem::Text("]"));
            }
            Expr::Unary { op, operand } => {
                let _ = write!(self.out, ",\"op\":\"{}\"", op.name());
                fields = vec![WorkItem::Text(",\"operand\":"), WorkItem::Expr(operand)];
            }
            Expr::Binary { op, left, right } => {
                let _ = write!(self.out, ",\"op\":\"{}\"", op.name());
                fields = vec![WorkItem::Text(",\"left\":"), WorkItem::Expr(left)];
                fields.extend([WorkItem::Text(",\"right\":"), WorkItem::Expr(right)]);
            }
            Expr::Conditional { condition, then_value, else_value, is_chained: _ } => {
                fields = vec![WorkItem::Text(",\"condition\":"), WorkItem::Expr(condition)];
                fields.extend([WorkItem::Text(",\"then\":"), WorkItem::Expr(then_value)]);
                fields.extend([WorkItem::Text(",\"else\":"), WorkItem::Expr(else_value)]);
            }
            Expr::Lambda { args, body } => {
                fields = vec![
                    WorkItem::Text(",\"args\":["),
                    exprs(args),
                    WorkItem::Text(",\"body\":"),
                    WorkItem::Expr(body),
                ];
            }
            Expr::Tuple(elements) | Expr::List(elements) => {
                fields = vec![WorkItem::Text(",\"elements\":["), exprs(elements)];
            }
            Expr::Dict(entries) => {
                fields.push(WorkItem::Text(",\"entries\":["));
                for (at, [key, value]) in self.docs.items(entries).as_chunks::<2>().0.iter().enumerate() {
                    fields.extend((at > 0).then_some(WorkItem::Text(",")));
                    fields.push(WorkItem::Entry(*key, *value));
                }
                fields.push(WorkItem::Text("]"));
            }
            Expr::Quoted(inner) => fields = vec![WorkItem::Text(",\"value\":"), WorkItem::Expr(inner)],
        }
        fields.push(WorkItem::Text("}"));
        self.later(fields);
    }

    fn stmt(&mut self, doc: StmtDoc) {
        let stmt = self.docs.stmt(doc);
        self.out.push_str("{\"kind\":\"");
        self.out.push_str(stmt.name());
        self.out.push('"');
        let role = self.docs.role_of(doc);
        if role != Default::default() {
            let _ = write!(self.out, ",\"role\":\"{}\"", role.name());
        }
        if let Some(comment) = self.docs.comment_sym(doc) {
            self.string("comment", comment);
        }
        self.paths(doc.into());
        let mut fields = Vec::new();
        let mut field = |name: &'static str, doc: Option<ExprDoc>| {
            fields.extend(doc.map(|doc| [WorkItem::Text(name), WorkItem::Expr(doc)]).into_iter().flatten());
        };
        let mut block = (WorkItem::Text(""), WorkItem::Text(""));
        match stmt {
            Stmt::Assign { lhs, rhs, annotation } => {
                field(",\"lhs\":", Some(lhs));
                field(",\"annotation\":", annotation);
                field(",\"rhs\":", rhs);
            }
            Stmt::If { predicate, then_branch, else_branch } => {
                field(",\"predicate\":", Some(predicate));
                fields.extend([WorkItem::Text(",\"then\":["), stmts(self.docs, then_branch)]);
                block = (WorkItem::Text(",\"else\":["), stmts(self.docs, else_branch));
            }
            Stmt::While { predicate, body } => {
                field(",\"predicate\":", Some(predicate));
                block = (WorkItem::Text(",\"body\":["), stmts(self.docs, body));
            }
            Stmt::For { lhs, rhs, body } => {
                field(",\"lhs\":", Some(lhs));
                field(",\"rhs\":", Some(rhs));
                block = (WorkItem::Text(",\"body\":["), stmts(self.docs, body));
            }
            Stmt::Scope { lhs, rhs, body } => {
                field(",\"lhs\":", lhs);
                field(",\"rhs\":", Some(rhs));
                block = (WorkItem::Text(",\"body\":["), stmts(self.docs, body));
            }
            Stmt::ExprStmt(expr) => field(",\"expr\":", Some(expr)),
            Stmt::Assert { test, message } => {
                field(",\"test\":", Some(test));
                field(",\"message\":", message);
            }
            Stmt::Return(value) => field(",\"value\":", Some(value)),
            Stmt::Function(function) => {
                let parts = self.docs.function_of(function);
                field(",\"name\":", Some(parts.name));
                field(",\"return_type\":", parts.return_type);
                fields.extend([WorkItem::Text(",\"args\":["), stmts(self.docs, parts.args)]);
                fields.extend([WorkItem::Text(",\"decorators\":["), exprs(parts.decorators)]);
                block = (WorkItem::Text(",\"body\":["), stmts(self.docs, parts.body));
            }
            Stmt::Class { name, decorators, body } => {
                field(",\"name\":", Some(name));
                fields.extend([WorkItem::Text(",\"decorators\":["), exprs(decorators)]);
                block = (WorkItem::Text(",\"body\":["), stmts(self.docs, body));
            }
            Stmt::Comment | Stmt::DocString | Stmt::Break | Stmt::Continue => {}
        }
        fields.extend([block.0, block.1, WorkItem::Text("}")]);
        self.later(fields);
    }

    fn value(&mut self, spelled: &str) {
        let _ = write!(self.out, ",\"value\":{spelled}");
    }

    fn string(&mut self, field: &str, text: Sym) {
        let _ = write!(self.out, ",\"{field}\":");
        push_json_string(&mut self.out, self.docs.text(text));
    }

    fn paths(&mut self, doc: DocRef) {
        let mut paths = self.docs.paths_of(doc).peekable();
        if paths.peek().is_none() {
            return;
        }
        self.out.push_str(",\"paths\":[");
        for (at, path) in paths.enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            push_json_string(&mut self.out, &self.docs.paths().to_path(path).to_string());
        }
        self.out.push(']');
    }
}

fn exprs(list: crate::expr::ExprList) -> WorkItem {
    WorkItem::Exprs { next: list.start, end: list.start + list.len, first: true }
}

fn stmts(docs: &DocArena, list: crate::stmt::StmtList) -> WorkItem {
    let (next, end) = docs.stmt_run(list);
    WorkItem::Stmts { next, end, first: true }
}

fn push_json_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0'..='\x1f' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use crate::{BinaryOp, DocArena, PathId, PathStep, PrintError};

    #[test]
    fn a_dump_shows_kinds_roles_and_paths() {
        let mut docs = DocArena::new();
        let (a, one) = (docs.id("a"), docs.int(1));
        let sum = docs.binary(BinaryOp::Add, a, one);
        let path = docs.child_path(PathId::ROOT, PathStep::Field("value"));
        docs.add_path(sum, path);
        let stmt = docs.bind(a, sum);
        docs.set_comment(stmt, Some("say \"hi\""));
        assert_eq!(
            docs.dump_json(stmt, 1000).unwrap(),
            "{\"kind\":\"assign\",\"role\":\"bind_value\",\"comment\":\"say \\\"hi\\\"\",\
             \"lhs\":{\"kind\":\"id\",\"name\":\"a\"},\
             \"rhs\":{\"kind\":\"binary\",\"paths\":[\"<root>.value\"],\"op\":\"Add\",\
             \"left\":{\"kind\":\"id\",\"name\":\"a\"},\"right\":{\"kind\":\"int\",\"value\":1}}}"
        );
        assert_eq!(docs.dump_json(stmt, 10), Err(PrintError::OutputBudget { max_bytes: 10 }));
    }
}
