//! Edits of one script, where the text of its program would hold values of the code around it.
//!
//! Only words and forms that differ between the releases change, so that everything else keeps its text. A form that
//! depends on a value is decided by what the script built, or by its text; otherwise it is reported.

use std::collections::HashMap;
use std::ops::Range;

use crate::{Step, codes};
use tvmscript_diagnostics::TextEdit;
use tvmscript_ir_core::diagnostic::ErrorCode;
use tvmscript_ir_core::release::NameChange;
use tvmscript_python_syntax::ast::{
    Assign, Ast, BinOp, Constant, Expr, ExprId, FunctionDef, Keyword, List, Stmt, StmtId, TextRange,
};
use tvmscript_python_syntax::walk::exprs_in;

use super::assigned::{Bound, Known};
use super::definitions::{Definition, Kind, blocks, own_roots};
use super::names::{Names, RELAX, TIR, in_tir};

/// A form that cannot be decided, or that loses something.
#[derive(Debug)]
pub(super) struct Undecided {
    pub(super) code: &'static ErrorCode,
    pub(super) range: Range<u32>,
    pub(super) message: String,
    pub(super) help: String,
    /// The script changes if losses are accepted.
    pub(super) is_loss: bool,
}

/// The edits of a definition, and its open questions.
#[derive(Debug, Default)]
pub(super) struct Edited {
    pub(super) edits: Vec<TextEdit>,
    pub(super) undecided: Vec<Undecided>,
    /// Names of modules that the script uses, and whose import changes.
    pub(super) modules: Vec<String>,
}

/// Statements that bind variables, by their first byte, if programs of the definition are known.
pub(super) type Bindings = [u32];

/// The edits of a definition.
pub(super) fn edit(
    ast: &Ast,
    text: &str,
    names: &Names,
    helpers: &HashMap<String, Known>,
    step: &Step,
    definition: &Definition,
    bindings: Option<&Bindings>,
) -> Edited {
    let mut editor = Editor {
        ast,
        text,
        names,
        step,
        bindings,
        bound: Bound::new(helpers),
        regions: Vec::new(),
        out: Edited::default(),
    };
    editor.definition(definition.stmt, definition.kind);
    editor.out.edits = merged(std::mem::take(&mut editor.out.edits));
    editor.out
}

/// The edits in order; an insertion next to a replacement is part of it.
fn merged(mut edits: Vec<TextEdit>) -> Vec<TextEdit> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut merged: Vec<TextEdit> = Vec::with_capacity(edits.len());
    for edit in edits {
        match merged.last_mut() {
            Some(last)
                if last.range.end == edit.range.start && (last.range.is_empty() || edit.range.is_empty()) =>
            {
                last.range.end = edit.range.end;
                last.replacement.push_str(&edit.replacement);
            }
            _ => merged.push(edit),
        }
    }
    merged
}

struct Editor<'a> {
    ast: &'a Ast,
    text: &'a str,
    names: &'a Names,
    step: &'a Step,
    bindings: Option<&'a Bindings>,
    bound: Bound<'a>,
    /// Expressions in which slices are regions, or places of a store.
    regions: Vec<TextRange>,
    out: Edited,
}

impl Editor<'_> {
    fn replace(&mut self, range: TextRange, replacement: impl Into<String>) {
        self.out.edits.push(TextEdit { range: range.into(), replacement: replacement.into() });
    }

    fn insert(&mut self, at: u32, text: impl Into<String>) {
        self.replace(TextRange::at(at), text);
    }

    fn text(&self, range: TextRange) -> &str {
        self.text.get(range.to_usize()).unwrap_or_default()
    }

    fn undecided(&mut self, range: TextRange, message: impl Into<String>, help: impl Into<String>) {
        self.out.undecided.push(Undecided {
            code: &codes::CAPTURED,
            range: range.into(),
            message: message.into(),
            help: help.into(),
            is_loss: false,
        });
    }

    fn loss(&mut self, code: &'static ErrorCode, range: TextRange, message: impl Into<String>, help: &str) {
        let (message, help, range) = (message.into(), help.to_owned(), range.into());
        self.out.undecided.push(Undecided { code, range, message, help, is_loss: true });
    }

    fn definition(&mut self, id: StmtId, kind: Kind) {
        match *self.ast.stmt(id) {
            Stmt::FunctionDef(def) => self.function(def, id, kind),
            Stmt::ClassDef(class) => {
                self.own(id);
                self.ast.stmts(class.body).iter().for_each(|stmt| self.plain(*stmt));
            }
            _ => {}
        }
    }

    fn function(&mut self, def: FunctionDef, id: StmtId, kind: Kind) {
        self.own(id);
        if kind == Kind::Tir {
            for decorator in self.ast.exprs(def.decorators) {
                if Kind::of_decorator(self.ast, *decorator, self.names) == Some(Kind::Tir) {
                    self.schedulable(*decorator);
                }
            }
        }
        if !matches!(kind, Kind::Tir | Kind::TirMacro) {
            self.ast.stmts(def.body).iter().for_each(|stmt| self.plain(*stmt));
            return;
        }
        let outer = self.bound.clone();
        for param in self.ast.list(def.params) {
            let Some(annotation) = param.annotation else { continue };
            let is_buffer =
                self.names.callee(self.ast, annotation).is_some_and(|path| path.ends_with(".Buffer"));
            let known = if is_buffer { Known::Buffer } else { Known::Expr };
            self.bound.insert(self.ast.name(param.name), known);
        }
        self.ast.stmts(def.body).iter().for_each(|stmt| self.tir(*stmt));
        self.bound = outer;
    }

    /// `@T.prim_func` with `s_tir=True`: its buffers have no layouts, and its blocks are completed.
    fn schedulable(&mut self, decorator: ExprId) {
        let range = self.ast.range(decorator);
        let Expr::Call { args, keywords, .. } = *self.ast.expr(decorator) else {
            return self.insert(range.end, "(s_tir=True)");
        };
        let is_flag = |keyword: &Keyword| keyword.arg.is_some_and(|arg| self.ast.name(arg) == "s_tir");
        if self.ast.list(keywords).iter().any(is_flag) {
            return;
        }
        let Some(at) = self.text(range).rfind(')').and_then(|at| u32::try_from(at).ok()) else { return };
        let is_first = args.is_empty() && keywords.is_empty();
        let has_comma = self.text(TextRange::new(range.start, range.start + at)).trim_end().ends_with(',');
        let flag = if is_first || has_comma { "s_tir=True" } else { ", s_tir=True" };
        self.insert(range.start + at, flag);
    }

    /// A statement whose form does not change.
    fn plain(&mut self, id: StmtId) {
        if let Stmt::FunctionDef(def) = *self.ast.stmt(id)
            && let Some(kind) = Kind::of(self.ast, def.decorators, self.names)
        {
            return self.definition(id, kind);
        }
        self.own(id);
        match *self.ast.stmt(id) {
            Stmt::FunctionDef(def) => self.ast.stmts(def.body).iter().for_each(|stmt| self.plain(*stmt)),
            Stmt::ClassDef(class) => self.ast.stmts(class.body).iter().for_each(|stmt| self.plain(*stmt)),
            _ => blocks(self.ast, id).into_iter().for_each(|stmt| self.plain(stmt)),
        }
    }

    /// A statement of a TIR function.
    fn tir(&mut self, id: StmtId) {
        match *self.ast.stmt(id) {
            Stmt::Assign(assign) => self.assign(id, assign),
            Stmt::AnnAssign(assign) => {
                self.own(id);
                let name = self.name(assign.target).map(str::to_owned);
                match assign.value {
                    Some(_) => self.bound_type(assign.annotation),
                    None => self.undecided(
                        self.ast.range(id),
                        "a variable without a value is one in memory in the release",
                        "bind the variable to a value",
                    ),
                }
                if let Some(name) = name {
                    self.bound.insert(&name, Known::Expr);
                }
            }
            Stmt::AugAssign(assign) => {
                self.own(id);
                if self.name(assign.target).is_some() {
                    self.undecided(
                        self.ast.range(id),
                        "an assignment to a variable changes memory in the release",
                        "bind a new variable, `y: T.let = x + 1`",
                    );
                }
            }
            Stmt::For(each) => {
                self.own(id);
                for target in exprs_in(self.ast, each.target) {
                    if let Some(name) = self.name(target).map(str::to_owned) {
                        self.bound.insert(&name, Known::Expr);
                    }
                }
                blocks(self.ast, id).into_iter().for_each(|stmt| self.tir(stmt));
            }
            Stmt::With(with) => {
                self.own(id);
                for item in self.ast.list(with.items) {
                    let path = self.names.callee(self.ast, item.context);
                    let name = path.as_deref().and_then(in_tir);
                    if matches!(name, Some("decl_buffer")) {
                        self.undecided(
                            self.ast.range(item.context),
                            "`T.decl_buffer` opens no scope in the release",
                            "write `B = T.decl_buffer(..)`, with the body moved out",
                        );
                    }
                    if let Some(target) = item.target.and_then(|target| self.name(target)).map(str::to_owned)
                    {
                        self.bound.insert(&target, Known::Expr);
                    }
                }
                blocks(self.ast, id).into_iter().for_each(|stmt| self.tir(stmt));
            }
            Stmt::Expr(stmt) if self.returns(id, stmt.value) => {}
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => self.plain(id),
            _ => {
                self.own(id);
                blocks(self.ast, id).into_iter().for_each(|stmt| self.tir(stmt));
            }
        }
    }

    /// `T.let[T.int32]` for the annotations `T.int32` and `T.int32()` of a variable.
    fn bound_type(&mut self, annotation: ExprId) {
        let range = self.ast.range(annotation);
        let t = self.names.tir().to_owned();
        self.insert(range.start, format!("{t}.let["));
        match *self.ast.expr(annotation) {
            Expr::Call { func, args, keywords }
                if args.is_empty()
                    && keywords.is_empty()
                    && !self.text(self.ast.range(func)).ends_with("handle") =>
            {
                self.replace(TextRange::new(self.ast.range(func).end, range.end), "]");
            }
            _ => self.insert(range.end, "]"),
        }
    }

    /// `T.ret(e)` as a statement, also in `T.evaluate`.
    fn returns(&mut self, id: StmtId, value: ExprId) -> bool {
        let argument = |call: ExprId, function: &str| match *self.ast.expr(call) {
            Expr::Call { args, keywords, .. } if keywords.is_empty() => {
                let path = self.names.callee(self.ast, call)?;
                (in_tir(&path) == Some(function)).then_some(self.ast.exprs(args)).and_then(
                    |args| match args {
                        [one] => Some(*one),
                        _ => None,
                    },
                )
            }
            _ => None,
        };
        let call = argument(value, "evaluate").unwrap_or(value);
        let Some(result) = argument(call, "ret") else { return false };
        let (stmt, result_range) = (self.ast.range(id), self.ast.range(result));
        self.replace(TextRange::new(stmt.start, result_range.start), "return ");
        self.replace(TextRange::new(result_range.end, stmt.end), "");
        self.exprs(result);
        true
    }

    fn name(&self, id: ExprId) -> Option<&str> {
        match self.ast.expr(id) {
            Expr::Name(name) => Some(self.ast.name(*name)),
            _ => None,
        }
    }

    fn assign(&mut self, id: StmtId, Assign { targets, value }: Assign) {
        let range = self.ast.range(id);
        for target in self.ast.exprs(targets) {
            // Slices of a store are places.
            self.regions.push(self.ast.range(*target));
        }
        self.declared_view(value);
        self.own(id);
        let is_binding =
            self.bindings.is_some_and(|all| all.iter().any(|at| (range.start..range.end).contains(at)));
        let [target] = self.ast.exprs(targets) else {
            if is_binding || self.bindings.is_none() {
                self.undecided(range, "several targets of one value", "bind each in a statement of its own");
            }
            return;
        };
        if let Expr::Tuple { elts } | Expr::List { elts } = *self.ast.expr(*target) {
            self.unpack(range, elts, value, is_binding);
            return;
        }
        let Some(name) = self.name(*target).map(str::to_owned) else { return };
        let known = self.bound.of_value(self.ast, value, self.names);
        let known = match (is_binding, known, self.bindings) {
            (true, ..) | (_, Some(Known::Expr), _) => Known::Expr,
            (_, Some(known), _) => known,
            (_, None, Some(_)) => Known::Other,
            (_, None, None) => {
                self.undecided(
                    range,
                    format!("it depends on the value if `{name}` is a variable"),
                    format!("write `{name}: T.let = ..` for an expression, and leave it for a buffer"),
                );
                return;
            }
        };
        if known == Known::Expr {
            let t = self.names.tir().to_owned();
            self.insert(self.ast.range(*target).end, format!(": {t}.let"));
        }
        self.bound.insert(&name, known);
    }

    /// `a, b = ..`
    fn unpack(&mut self, range: TextRange, targets: List<ExprId>, value: ExprId, is_binding: bool) {
        let values: Vec<ExprId> = match *self.ast.expr(value) {
            Expr::Tuple { elts } | Expr::List { elts } => self.ast.exprs(elts).to_vec(),
            _ => vec![value],
        };
        let of_value: Vec<_> =
            values.iter().map(|value| self.bound.of_value(self.ast, *value, self.names)).collect();
        let is_named = of_value.iter().all(|known| matches!(known, Some(Known::Other | Known::Buffer)));
        let is_known = is_named || self.bindings.is_some() && !of_value.contains(&Some(Known::Expr));
        if is_binding || !is_known {
            self.undecided(
                range,
                "several variables are bound at once",
                "bind each in a statement of its own, `a: T.let = ..`",
            );
        }
        let axes = self.names.callee(self.ast, value);
        let is_axis = axes.is_some_and(|path| in_tir(&path).is_some_and(|name| name.starts_with("axis.")));
        for target in self.ast.exprs(targets) {
            if let Some(name) = self.name(*target).map(str::to_owned) {
                self.bound.insert(&name, if is_axis { Known::Expr } else { Known::Other });
            }
        }
    }

    /// `B = T.Buffer(.., data=A.data)`
    fn declared_view(&mut self, value: ExprId) {
        let Expr::Call { func, keywords, .. } = *self.ast.expr(value) else { return };
        if self.names.path(self.ast, func).as_deref().and_then(in_tir) != Some("Buffer") {
            return;
        }
        let is_data = |keyword: &Keyword| keyword.arg.is_some_and(|arg| self.ast.name(arg) == "data");
        if self.ast.list(keywords).iter().any(is_data) {
            match self.ast.expr(func) {
                Expr::Attribute { .. } => self.replace(self.ast.attr_range(func), "decl_buffer"),
                _ => self.undecided(
                    self.ast.range(func),
                    "a view of memory is `T.decl_buffer`",
                    "write `T.decl_buffer`",
                ),
            }
        }
    }

    /// The expressions of a statement, without those of statements in it.
    fn own(&mut self, id: StmtId) {
        own_roots(self.ast, id).into_iter().for_each(|root| self.exprs(root));
    }

    fn exprs(&mut self, root: ExprId) {
        let all = exprs_in(self.ast, root);
        for id in &all {
            if let Expr::Call { func, args, keywords } = *self.ast.expr(*id)
                && self.takes_regions(func)
            {
                let values = self.ast.list(keywords).iter().map(|keyword| keyword.value);
                let values: Vec<ExprId> = self.ast.exprs(args).iter().copied().chain(values).collect();
                self.regions.extend(values.into_iter().map(|value| self.ast.range(value)));
            }
        }
        all.into_iter().for_each(|id| self.expr(id));
        self.regions.clear();
    }

    /// Returns `true` for functions of regions, and for functions of the code around the script.
    fn takes_regions(&self, function: ExprId) -> bool {
        let path = self.names.path(self.ast, function);
        match path.as_deref().and_then(in_tir) {
            Some(name) => matches!(name, "match_buffer" | "reads" | "realize" | "writes"),
            None => true,
        }
    }

    fn expr(&mut self, id: ExprId) {
        match *self.ast.expr(id) {
            Expr::Attribute { value, attr } => {
                let Some(base) = self.names.path(self.ast, value) else { return };
                let path = format!("{base}.{}", self.ast.name(attr));
                self.word(id, self.ast.attr_range(id), &path);
            }
            Expr::Name(name) => {
                let Some(path) = self.names.get(self.ast.name(name)).map(str::to_owned) else { return };
                if self.step.module(&path).is_some() {
                    self.out.modules.push(self.ast.name(name).to_owned());
                } else {
                    self.imported(id, &path);
                }
            }
            Expr::Call { args, keywords, .. } => self.call(id, args, keywords),
            Expr::Dict { items } => {
                for item in self.ast.list(items) {
                    item.key.into_iter().for_each(|key| self.key(key));
                }
            }
            Expr::Subscript { value, index } => self.load(id, value, index),
            _ => {}
        }
    }

    /// A name after a dot.
    fn word(&mut self, id: ExprId, range: TextRange, path: &str) {
        if let Some(new) = self.step.module(path) {
            return self.replace(range, new);
        }
        match self.step.change(path) {
            // An edit of the call around it removes the name, or changes it.
            _ if self
                .out
                .edits
                .iter()
                .any(|edit| edit.range.start <= range.start && range.end <= edit.range.end) => {}
            Some(NameChange::Renamed(new) | NameChange::Replaced(new)) => self.replace(range, new),
            Some(NameChange::Removed(next)) => self.gone(id, next),
            None => {}
        }
    }

    /// A function that the file imports by name.
    fn imported(&mut self, id: ExprId, path: &str) {
        match self.step.change(path) {
            Some(NameChange::Renamed(new) | NameChange::Replaced(new)) => self.undecided(
                self.ast.range(id),
                format!("this is `{new}` in the release"),
                "use the name with its namespace, such as `T.block`",
            ),
            Some(NameChange::Removed(next)) => self.gone(id, next),
            None => {}
        }
    }

    fn gone(&mut self, id: ExprId, next: &str) {
        let name = self.text(self.ast.range(id)).to_owned();
        let help = match next.is_empty() {
            true => "write it for the release by hand".to_owned(),
            false => format!("the closest form is {next}"),
        };
        self.undecided(self.ast.range(id), format!("the release has no `{name}`"), help);
    }

    fn call(&mut self, id: ExprId, args: List<ExprId>, keywords: List<Keyword>) {
        let path = self.names.callee(self.ast, id).unwrap_or_default();
        let arg = |index: usize| self.ast.exprs(args).get(index).copied();
        if let Some(name) = in_tir(&path) {
            match name {
                "attr" => arg(1).into_iter().for_each(|key| self.key(key)),
                "call_intrin" => arg(1).into_iter().for_each(|name| self.operator(name)),
                "call_llvm_intrin" | "call_llvm_pure_intrin" => {
                    let number = arg(1).filter(|arg| {
                        let is_literal = matches!(self.ast.expr(*arg), Expr::Constant(Constant::Int(_)));
                        is_literal
                            || self.names.callee(self.ast, *arg).is_some_and(|path| path.starts_with(TIR))
                    });
                    if let Some(number) = number {
                        self.loss(
                            &codes::LLVM_NUMBER,
                            self.ast.range(number),
                            "the number of this intrinsic depends on the version of LLVM",
                            "write the intrinsic by name, such as `\"llvm.fabs\"`",
                        );
                    }
                }
                "SizeVar" => self.loss(
                    &codes::SIZE_VARIABLE,
                    self.ast.range(id),
                    "it is lost that this variable is not negative",
                    "write `T.assume(n >= 0)` where it matters",
                ),
                "StringImm" => {
                    if let (Some(value), true) = (arg(0), keywords.is_empty()) {
                        let (call, inner) = (self.ast.range(id), self.ast.range(value));
                        self.replace(TextRange::new(call.start, inner.start), "");
                        self.replace(TextRange::new(inner.end, call.end), "");
                    }
                }
                _ => {}
            }
        }
        let is_relax = path.starts_with(RELAX);
        for keyword in self.ast.list(keywords) {
            let Some(name) = keyword.arg.map(|arg| self.ast.name(arg).to_owned()) else { continue };
            let place = self.ast.range(keyword.place);
            match name.as_str() {
                "is_size_var" => {
                    self.remove_argument(place);
                    self.loss(
                        &codes::SIZE_VARIABLE,
                        self.ast.range(id),
                        "it is lost that this variable is not negative",
                        "write `T.assume(n >= 0)` where it matters",
                    );
                }
                "axis_separators" | "buffer_type" if path.starts_with(TIR) => {
                    self.remove_argument(place);
                    let value = self.text(self.ast.range(keyword.value));
                    if !matches!(value, "[]" | "()" | "None" | "\"\"" | "''" | "\"default\"") {
                        self.loss(
                            &codes::BUFFER_KIND,
                            place,
                            format!("the release has no buffers with `{name}`"),
                            "flatten or broadcast the buffer in the older release",
                        );
                    }
                }
                "predicate" if !path.starts_with("tvm.") => self.undecided(
                    place,
                    "masked accesses are operators in the release",
                    "write `T.masked_load(\"float32x4\", A, i, mask)` or `T.masked_store(A, value, i, mask)`",
                ),
                "tir_vars" if is_relax => self.undecided(
                    place,
                    "symbolic values are among the arguments in the release",
                    "write them at the end of the tuple of arguments, and in front of the results of the function",
                ),
                "value" if path == "tvm.script.relax.Prim" => self.undecided(
                    place,
                    "the types of scalars state no values in the release",
                    "write the type, `R.Prim(\"int64\")`",
                ),
                _ => {
                    let new = self.step.keyword("relax", &name);
                    let Some(new) = new.filter(|_| is_relax) else { continue };
                    let end = u32::try_from(name.len()).unwrap_or(0);
                    self.replace(TextRange::new(place.start, place.start + end), new);
                    let is_sequence =
                        matches!(self.ast.expr(keyword.value), Expr::Tuple { .. } | Expr::List { .. } | Expr::Name(_));
                    if name == "sinfo_args" && !is_sequence {
                        let value = self.ast.range(keyword.value);
                        self.insert(value.start, "(");
                        self.insert(value.end, ",)");
                    }
                }
            }
        }
    }

    /// Removes an argument with a comma.
    fn remove_argument(&mut self, place: TextRange) {
        let before = self.text.get(..place.start as usize).unwrap_or_default();
        let kept = before.trim_end();
        if kept.ends_with(',') {
            let start = u32::try_from(kept.len() - 1).unwrap_or(place.start);
            return self.replace(TextRange::new(start, place.end), "");
        }
        let after = self.text.get(place.end as usize..).unwrap_or_default();
        let rest = after.trim_start().strip_prefix(',').map_or(after, str::trim_start);
        let end = place.end + u32::try_from(after.len() - rest.len()).unwrap_or(0);
        self.replace(TextRange::new(place.start, end), "");
    }

    /// A key of attributes.
    fn key(&mut self, id: ExprId) {
        self.prefix(id, |key| self.step.key(key));
    }

    /// The name of an operator.
    fn operator(&mut self, id: ExprId) {
        let Expr::Constant(Constant::Str(name)) = *self.ast.expr(id) else { return };
        let name = self.ast.name(name);
        if !name.starts_with("tir.") {
            return;
        }
        match self.step.operator_key(name) {
            Some(new) => self.prefix(id, |_| Some(new.clone())),
            None => self.gone(id, ""),
        }
    }

    /// Replaces the value of a string.
    fn prefix(&mut self, id: ExprId, new: impl Fn(&str) -> Option<String>) {
        let Expr::Constant(Constant::Str(value)) = *self.ast.expr(id) else { return };
        let value = self.ast.name(value);
        let Some(new) = new(value) else { return };
        let range = self.ast.range(id);
        let literal = self.text(range);
        match literal.find(value).filter(|_| literal.matches(value).count() == 1) {
            Some(at) => {
                let start = range.start + u32::try_from(at).unwrap_or(0);
                let end = start + u32::try_from(value.len()).unwrap_or(0);
                self.replace(TextRange::new(start, end), new);
            }
            None => {
                self.undecided(range, format!("this is `{new}` in the release"), "write it as one string")
            }
        }
    }

    /// `A[0:4]`, which is a vector only if it is loaded.
    fn load(&mut self, id: ExprId, value: ExprId, index: ExprId) {
        let is_buffer = self.name(value).is_some_and(|name| self.bound.is_buffer(name));
        let range = self.ast.range(id);
        let is_region =
            self.regions.iter().any(|region| region.start <= range.start && range.end <= region.end);
        if !is_buffer || is_region {
            return;
        }
        let slices = match *self.ast.expr(index) {
            Expr::Tuple { elts } => self.ast.exprs(elts).to_vec(),
            _ => vec![index],
        };
        for slice in slices {
            let Expr::Slice { lower, upper, step } = *self.ast.expr(slice) else { continue };
            let int = |id: ExprId| match *self.ast.expr(id) {
                Expr::Constant(Constant::Int(value)) => Some(value),
                _ => None,
            };
            let text = |id: ExprId| self.text(self.ast.range(id));
            // The first element and the number of elements.
            let vector = match (lower, upper, step) {
                (lower, Some(upper), None) if lower.is_none_or(|lower| int(lower) == Some(0)) => {
                    Some(("0".to_owned(), text(upper).to_owned()))
                }
                (Some(lower), Some(upper), None) => match (int(lower), int(upper), *self.ast.expr(upper)) {
                    (Some(from), Some(to), _) if to > from => {
                        Some((from.to_string(), (to - from).to_string()))
                    }
                    (_, _, Expr::BinOp { left, op: BinOp::Add, right }) if text(left) == text(lower) => {
                        Some((text(lower).to_owned(), text(right).to_owned()))
                    }
                    _ => None,
                },
                _ => None,
            };
            match vector {
                Some((first, lanes)) => {
                    let t = self.names.tir().to_owned();
                    let ramp = format!("{t}.Ramp({first}, 1, {lanes})");
                    // One element is not a vector.
                    let index = match lanes.parse::<u32>() {
                        Ok(1) => first,
                        Ok(_) => ramp,
                        Err(_) => format!("{ramp} if {lanes} > 1 else {first}"),
                    };
                    self.replace(self.ast.range(slice), index);
                }
                None => self.undecided(
                    self.ast.range(slice),
                    "a loaded vector has an index with lanes in the release",
                    "write `T.Ramp(start, 1, lanes)` in place of the slice",
                ),
            }
        }
    }
}
