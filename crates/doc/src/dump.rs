//! Docs as JSON, for tests and for people.
//!
//! The dump shows the tree as it is: kinds, operators, names, literals, roles, comments, paths. Nothing in it is spelled
//! in a target language, so a test can check that no doc hides syntax in a string. It is not a format to load from.

use std::fmt::Write;

use crate::arena::DocArena;
use crate::error::PrintError;
use crate::expr::{Expr, ExprDoc};
use crate::stmt::{Doc, DocRef, Stmt, StmtDoc};
use crate::sym::Sym;

/// What is still to be written.
enum Step {
    Text(&'static str),
    Expr(ExprDoc),
    Stmt(StmtDoc),
    Exprs { next: u32, end: u32, first: bool },
    Stmts { next: u32, end: u32, first: bool },
    Entry(ExprDoc, ExprDoc),
    Keyword(Sym, ExprDoc),
}

impl DocArena {
    /// Writes a doc and all below it as one line of JSON.
    ///
    /// # Errors
    /// [`PrintError::OutputBudget`] when the text would be longer than `max_bytes`; [`PrintError::Doc`] when the arena
    /// is full.
    pub fn dump_json(&self, doc: impl Into<Doc>, max_bytes: usize) -> Result<String, PrintError> {
        self.check()?;
        let mut dump = Dump { docs: self, out: String::new(), steps: Vec::new() };
        match doc.into() {
            Doc::Expr(doc) => dump.steps.push(Step::Expr(doc)),
            Doc::Slice(doc) => dump.steps.push(Step::Expr(doc.0)),
            Doc::Stmt(doc) => dump.steps.push(Step::Stmt(doc)),
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
    steps: Vec<Step>,
}

impl Dump<'_> {
    fn step(&mut self, step: Step) {
        match step {
            Step::Text(text) => self.out.push_str(text),
            Step::Expr(doc) => self.expr(doc),
            Step::Stmt(doc) => self.stmt(doc),
            Step::Exprs { next, end, first } => {
                if next == end {
                    return self.out.push(']');
                }
                if !first {
                    self.out.push(',');
                }
                self.steps.push(Step::Exprs { next: next + 1, end, first: false });
                self.expr(self.docs.item(next));
            }
            Step::Stmts { next, end, first } => {
                if next == end {
                    return self.out.push(']');
                }
                if !first {
                    self.out.push(',');
                }
                self.steps.push(Step::Stmts { next: next + 1, end, first: false });
                self.stmt(self.docs.stmt_item(next));
            }
            Step::Entry(key, value) => {
                self.out.push('[');
                self.later(vec![Step::Expr(key), Step::Text(","), Step::Expr(value), Step::Text("]")]);
            }
            Step::Keyword(name, value) => {
                self.out.push('[');
                push_json_string(&mut self.out, self.docs.text(name));
                self.out.push(',');
                self.later(vec![Step::Expr(value), Step::Text("]")]);
            }
        }
    }

    /// Leaves steps to be done in the order given.
    fn later(&mut self, steps: Vec<Step>) {
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
                fields = vec![Step::Text(",\"value\":"), Step::Expr(value)];
            }
            Expr::Index { value, indices } => {
                fields = vec![Step::Text(",\"value\":"), Step::Expr(value), Step::Text(",\"indices\":[")];
                fields.push(exprs(indices));
            }
            Expr::Slice { start, stop, step } => {
                for (name, part) in [(",\"start\":", start), (",\"stop\":", stop), (",\"step\":", step)] {
                    fields
                        .extend(part.map(|part| [Step::Text(name), Step::Expr(part)]).into_iter().flatten());
                }
            }
            Expr::Call(call) => {
                let call = self.docs.call_of(call);
                if let Some(function) = call.function {
                    let _ = write!(self.out, ",\"function\":{}", function.0);
                }
                fields = vec![Step::Text(",\"callee\":"), Step::Expr(call.callee), Step::Text(",\"args\":[")];
                fields.push(exprs(call.args));
                fields.push(Step::Text(",\"kwargs\":["));
                for (at, &(name, value)) in self.docs.kwargs(call.kwargs).iter().enumerate() {
                    fields.extend((at > 0).then_some(Step::Text(",")));
                    fields.push(Step::Keyword(name, value));
                }
                fields.push(Step::Text("]"));
            }
            Expr::Unary { op, operand } => {
                let _ = write!(self.out, ",\"op\":\"{}\"", op.name());
                fields = vec![Step::Text(",\"operand\":"), Step::Expr(operand)];
            }
            Expr::Binary { op, left, right } => {
                let _ = write!(self.out, ",\"op\":\"{}\"", op.name());
                fields = vec![Step::Text(",\"left\":"), Step::Expr(left)];
                fields.extend([Step::Text(",\"right\":"), Step::Expr(right)]);
            }
            Expr::Conditional { condition, then_value, else_value, is_chained: _ } => {
                fields = vec![Step::Text(",\"condition\":"), Step::Expr(condition)];
                fields.extend([Step::Text(",\"then\":"), Step::Expr(then_value)]);
                fields.extend([Step::Text(",\"else\":"), Step::Expr(else_value)]);
            }
            Expr::Lambda { args, body } => {
                fields =
                    vec![Step::Text(",\"args\":["), exprs(args), Step::Text(",\"body\":"), Step::Expr(body)];
            }
            Expr::Tuple(elements) | Expr::List(elements) => {
                fields = vec![Step::Text(",\"elements\":["), exprs(elements)];
            }
            Expr::Dict(entries) => {
                fields.push(Step::Text(",\"entries\":["));
                for (at, pair) in self.docs.items(entries).chunks_exact(2).enumerate() {
                    fields.extend((at > 0).then_some(Step::Text(",")));
                    fields.push(Step::Entry(pair[0], pair[1]));
                }
                fields.push(Step::Text("]"));
            }
            Expr::Quoted(inner) => fields = vec![Step::Text(",\"value\":"), Step::Expr(inner)],
        }
        fields.push(Step::Text("}"));
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
            fields.extend(doc.map(|doc| [Step::Text(name), Step::Expr(doc)]).into_iter().flatten());
        };
        let mut block = (Step::Text(""), Step::Text(""));
        match stmt {
            Stmt::Assign { lhs, rhs, annotation } => {
                field(",\"lhs\":", Some(lhs));
                field(",\"annotation\":", annotation);
                field(",\"rhs\":", rhs);
            }
            Stmt::If { predicate, then_branch, else_branch } => {
                field(",\"predicate\":", Some(predicate));
                fields.extend([Step::Text(",\"then\":["), stmts(self.docs, then_branch)]);
                block = (Step::Text(",\"else\":["), stmts(self.docs, else_branch));
            }
            Stmt::While { predicate, body } => {
                field(",\"predicate\":", Some(predicate));
                block = (Step::Text(",\"body\":["), stmts(self.docs, body));
            }
            Stmt::For { lhs, rhs, body } => {
                field(",\"lhs\":", Some(lhs));
                field(",\"rhs\":", Some(rhs));
                block = (Step::Text(",\"body\":["), stmts(self.docs, body));
            }
            Stmt::Scope { lhs, rhs, body } => {
                field(",\"lhs\":", lhs);
                field(",\"rhs\":", Some(rhs));
                block = (Step::Text(",\"body\":["), stmts(self.docs, body));
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
                fields.extend([Step::Text(",\"args\":["), stmts(self.docs, parts.args)]);
                fields.extend([Step::Text(",\"decorators\":["), exprs(parts.decorators)]);
                block = (Step::Text(",\"body\":["), stmts(self.docs, parts.body));
            }
            Stmt::Class { name, decorators, body } => {
                field(",\"name\":", Some(name));
                fields.extend([Step::Text(",\"decorators\":["), exprs(decorators)]);
                block = (Step::Text(",\"body\":["), stmts(self.docs, body));
            }
            Stmt::Comment | Stmt::DocString | Stmt::Break | Stmt::Continue => {}
        }
        fields.extend([block.0, block.1, Step::Text("}")]);
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

fn exprs(list: crate::expr::ExprList) -> Step {
    Step::Exprs { next: list.start, end: list.start + list.len, first: true }
}

fn stmts(docs: &DocArena, list: crate::stmt::StmtList) -> Step {
    let (next, end) = docs.stmt_run(list);
    Step::Stmts { next, end, first: true }
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
