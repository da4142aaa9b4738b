//! The walk of the checks, with access paths on request.
//!
//! It uses a worklist that also holds the ends of scopes. Shared expressions and buffers are visited once, until a
//! definition ends.
//!
//! Upstream counterpart: `TIRVisitorWithPath`, `src/tir/ir/tir_visitor_with_path.cc`.

use tvmscript_ir_core::fresh::definitions_of;
use tvmscript_ir_core::view::{FieldSlot, for_each_node_below_rev};
use tvmscript_ir_core::{
    Array, Object, ObjectLike, PathId, PathStep, PathTable, PtrMap, Ref, Span, Str, Value, field,
};
use tvmscript_prim::{Expr, ExprKind, ExprView, Let, PrimExpr, Range, Var};

use super::scope::Scopes;
use super::{ERRORS_PER_VARIABLE, Label, MAX_ERRORS, VarUse, WellFormedError, WellFormedErrorKind};
use crate::node::*;

/// Maximum number of repeated visits of shared nodes per statement. Only bindings in shared expressions cause them.
const REVISIT_LIMIT: u64 = 1 << 20;

/// The position of a work item.
#[derive(Clone, Copy)]
pub(super) struct Position {
    /// Access path.
    pub(super) path: PathId,
    /// Span of the innermost enclosing node that has one.
    pub(super) span: Span,
    /// Enclosing loops matter here: not in the domain of an axis.
    pub(super) checks_loops: bool,
    /// In the regions of a block, which repeat the accesses of its body.
    pub(super) in_region: bool,
}

/// An element of the worklist; the last one is next.
enum WorkItem<'a> {
    Stmt(&'a StmtRef, Position),
    Expr(&'a Expr, Position),
    Range(&'a Range, Position),
    /// A use or declaration of a buffer: its parts must be defined.
    Buffer(&'a Ref<Buffer>, Position),
    Define(&'a Ref<Var>, Position),
    /// An axis: its domain, then its variable.
    DefineAxis(&'a IterVar, Position),
    /// Thread variables may be defined again in the function.
    AllowRepeats(&'a Ref<Var>),
    /// A matched buffer defines those of its variables that have no definition yet.
    DefineParts(&'a Ref<Buffer>, Position),
    DefineIfUndefined(&'a Ref<Var>, Position),
    Enter,
    Leave,
    EndLoop(&'a Ref<Var>),
    EnterBlock(&'a Block),
    LeaveBlock,
}

/// A check of several functions.
pub(super) struct Checker<'a> {
    pub(super) functions: &'a [(Option<Str>, &'a PrimFunc)],
    /// Index of the current function.
    pub(super) function: usize,
    /// Access paths; `None` if only the existence of errors matters.
    pub(super) paths: Option<PathTable>,
    pub(super) errors: Vec<WellFormedError>,
    /// Number of errors per variable, and the index of the last one in `errors`.
    pub(super) per_variable: PtrMap<(usize, usize)>,
    /// Errors in regions, with the number of errors before them. They count only if the variable has no other error,
    /// because completed regions repeat the errors of the body.
    pub(super) in_regions: Vec<(Object, usize, WellFormedError)>,
    pub(super) scopes: Scopes,
    /// Number of blocks with axes around each open loop, by loop variable.
    pub(super) loops: PtrMap<usize>,
    pub(super) blocks: Vec<&'a Block>,
    /// Epoch of the last visit of shared nodes: in general, where enclosing loops do not matter, and in regions.
    visited: [PtrMap<u64>; 3],
    /// Repeated visits of shared nodes in this statement.
    revisits: u64,
}

impl<'a> Checker<'a> {
    pub(super) fn new(functions: &'a [(Option<Str>, &'a PrimFunc)], with_paths: bool) -> Self {
        Checker {
            functions,
            function: 0,
            paths: with_paths.then(PathTable::new),
            errors: Vec::new(),
            per_variable: PtrMap::default(),
            in_regions: Vec::new(),
            scopes: Scopes::default(),
            loops: PtrMap::default(),
            blocks: Vec::new(),
            visited: Default::default(),
            revisits: 0,
        }
    }

    /// The name of a function in its module.
    pub(super) fn function_name(&self, index: usize) -> Option<&Str> {
        self.functions.get(index)?.0.as_ref()
    }

    /// Returns all errors; without access paths, only the first one.
    pub(super) fn run(mut self) -> Vec<WellFormedError> {
        for (index, (_, function)) in self.functions.iter().enumerate() {
            self.function = index;
            self.function(function);
            if self.is_done() {
                break;
            }
        }
        for (count, last) in self.per_variable.values() {
            if *count > ERRORS_PER_VARIABLE
                && let Some(error) = self.errors.get_mut(*last)
            {
                let text = format!("{} more errors of this variable", count - ERRORS_PER_VARIABLE);
                error.notes.push(Label::new(Span::UNKNOWN, text));
            }
        }
        for (var, index, error) in std::mem::take(&mut self.in_regions).into_iter().rev() {
            if !self.per_variable.contains_key(&var) {
                self.errors.insert(index, error);
            }
        }
        self.errors.truncate(MAX_ERRORS);
        if let Some(error) = self.errors.get_mut(MAX_ERRORS - 1) {
            let text = format!("the check stops after {MAX_ERRORS} errors");
            error.notes.push(Label::new(Span::UNKNOWN, text));
        }
        self.errors
    }

    fn is_done(&self) -> bool {
        let limit = if self.paths.is_some() { MAX_ERRORS } else { 1 };
        self.errors.len() >= limit || self.revisits > REVISIT_LIMIT
    }

    fn function(&mut self, function: &'a PrimFunc) {
        let root = Position { path: PathId::ROOT, span: function.span, checks_loops: true, in_region: false };
        let mut worklist =
            vec![WorkItem::Leave, WorkItem::Stmt(&function.body, self.field(root, field!(PrimFunc, body)))];
        let buffers: Vec<(&'a Ref<Buffer>, Position)> = {
            let map_at = self.field(root, field!(PrimFunc, buffer_map));
            let found = function.params.iter().filter_map(|param| {
                let key = Value::from(param.clone());
                let buffer = function.buffer_map.get(&key)?;
                Some((buffer, key))
            });
            found.map(|(buffer, key)| (buffer, self.step(map_at, || PathStep::Key(key)))).collect()
        };
        worklist.extend(buffers.iter().rev().map(|(buffer, at)| WorkItem::Buffer(buffer, *at)));
        worklist.extend(buffers.iter().rev().map(|(buffer, at)| WorkItem::DefineParts(buffer, *at)));
        let params_at = self.field(root, field!(PrimFunc, params));
        for (index, param) in function.params.iter().enumerate().rev() {
            worklist.push(WorkItem::Define(param, self.item(params_at, index)));
        }
        worklist.push(WorkItem::Enter);
        while let Some(item) = worklist.pop() {
            self.visit(item, &mut worklist);
            if self.is_done() {
                break;
            }
        }
        self.scopes.end_function();
        self.loops.clear();
        self.blocks.clear();
    }

    fn visit(&mut self, item: WorkItem<'a>, worklist: &mut Vec<WorkItem<'a>>) {
        match item {
            WorkItem::Stmt(stmt, at) => self.stmt(stmt, at, worklist),
            WorkItem::Expr(expr, at) => self.expr(expr, at, worklist),
            WorkItem::Range(range, at) => {
                let at = self.around(at, range.span);
                self.exprs(worklist, at, [("min", &range.min), ("extent", &range.extent)]);
            }
            WorkItem::Buffer(buffer, at) => self.buffer(buffer, at, worklist),
            WorkItem::Define(var, at) => self.define(var, at),
            WorkItem::DefineAxis(axis, at) => {
                // The domain is visited before the variable is defined.
                if axis.iter_type == IterType::ThreadIndex {
                    worklist.push(WorkItem::AllowRepeats(&axis.var));
                }
                let var_at = self.field(at, field!(IterVar, var));
                worklist.push(WorkItem::Define(&axis.var, var_at));
                if let Some(dom) = &axis.dom {
                    let at = self.field(at, field!(IterVar, dom));
                    worklist.push(WorkItem::Range(dom, Position { checks_loops: false, ..at }));
                }
            }
            WorkItem::AllowRepeats(var) => self.scopes.allow_repeats(var),
            WorkItem::DefineParts(buffer, at) => self.define_parts(buffer, at),
            WorkItem::DefineIfUndefined(var, at) => self.define_if_undefined(var, at),
            WorkItem::Enter => self.scopes.enter(),
            WorkItem::Leave => self.scopes.leave(),
            WorkItem::EndLoop(var) => {
                self.loops.remove(var.object());
            }
            WorkItem::EnterBlock(block) => {
                // Variables of enclosing loops are out of reach from here on.
                self.scopes.epoch += 1;
                self.blocks.push(block);
            }
            WorkItem::LeaveBlock => {
                self.scopes.epoch += 1;
                self.blocks.pop();
            }
        }
    }

    fn stmt(&mut self, stmt: &'a StmtRef, at: Position, worklist: &mut Vec<WorkItem<'a>>) {
        let at = self.around(at, stmt.span());
        self.revisits = 0;
        match stmt.kind() {
            StmtKind::BufferStore(s) => {
                self.mask(worklist, at, s.predicate.as_ref());
                self.list(worklist, at, "indices", &s.indices);
                worklist.push(WorkItem::Buffer(&s.buffer, self.field(at, field!(BufferStore, buffer))));
                self.exprs(worklist, at, [("value", &s.value)]);
            }
            StmtKind::LetStmt(s) => {
                self.body(worklist, at, &s.body, |this| {
                    [WorkItem::Define(&s.var, this.field(at, field!(LetStmt, var)))]
                });
                self.exprs(worklist, at, [("value", &s.value)]);
            }
            StmtKind::AttrStmt(s) => self.attr(s, at, worklist),
            StmtKind::BufferRealize(s) => {
                let buffer_at = self.field(at, field!(BufferRealize, buffer));
                self.body(worklist, at, &s.body, |this| {
                    let data_at = this.field(buffer_at, field!(Buffer, data));
                    [
                        WorkItem::Buffer(&s.buffer, buffer_at),
                        WorkItem::DefineIfUndefined(&s.buffer.data, data_at),
                    ]
                });
                let bounds_at = self.field(at, field!(BufferRealize, bounds));
                self.ranges(worklist, bounds_at, &s.bounds);
                self.exprs(worklist, at, [("condition", &s.condition)]);
            }
            StmtKind::Allocate(s) => {
                self.body(worklist, at, &s.body, |this| {
                    [WorkItem::Define(&s.buffer_var, this.field(at, field!(Allocate, buffer_var)))]
                });
                self.list(worklist, at, "extents", &s.extents);
                self.exprs(worklist, at, [("condition", &s.condition)]);
            }
            StmtKind::AllocateConst(s) => {
                self.body(worklist, at, &s.body, |this| {
                    [WorkItem::Define(&s.buffer_var, this.field(at, field!(AllocateConst, buffer_var)))]
                });
                self.list(worklist, at, "extents", &s.extents);
            }
            StmtKind::DeclBuffer(s) => {
                worklist.push(WorkItem::Stmt(&s.body, self.field(at, field!(DeclBuffer, body))));
                worklist.push(WorkItem::Buffer(&s.buffer, self.field(at, field!(DeclBuffer, buffer))));
            }
            StmtKind::For(s) => {
                self.loops.insert(s.loop_var.object().clone(), self.blocks.len());
                worklist.push(WorkItem::EndLoop(&s.loop_var));
                self.body(worklist, at, &s.body, |this| {
                    [WorkItem::Define(&s.loop_var, this.field(at, field!(For, loop_var)))]
                });
                if let Some(step) = &s.step {
                    self.exprs(worklist, at, [("step", step)]);
                }
                self.exprs(worklist, at, [("min", &s.min), ("extent", &s.extent)]);
            }
            StmtKind::Block(s) => self.block(s, at, worklist),
            StmtKind::SeqStmt(_)
            | StmtKind::Evaluate(_)
            | StmtKind::AssertStmt(_)
            | StmtKind::IfThenElse(_)
            | StmtKind::While(_)
            | StmtKind::BlockRealize(_) => self.fields(worklist, at, stmt.object()),
            // What a statement of another dialect defines holds until the end of the enclosing scope.
            StmtKind::Other(_) => {
                for defined in definitions_of(stmt.object()) {
                    if let Some(var) = defined.downcast_ref::<Var>() {
                        self.define(var, at);
                    }
                }
                self.fields(worklist, at, stmt.object());
            }
        }
    }

    fn block(&mut self, block: &'a Block, at: Position, worklist: &mut Vec<WorkItem<'a>>) {
        worklist.push(WorkItem::Leave);
        let has_axes = !block.iter_vars.is_empty();
        if has_axes {
            worklist.push(WorkItem::LeaveBlock);
        }
        worklist.push(WorkItem::Stmt(&block.body, self.field(at, field!(Block, body))));
        if let Some(init) = &block.init {
            worklist.push(WorkItem::Stmt(init, self.field(at, field!(Block, init))));
        }
        let matched_at = self.field(at, field!(Block, match_buffers));
        for (index, matched) in block.match_buffers.iter().enumerate().rev() {
            let at = self.item(matched_at, index);
            worklist.push(WorkItem::DefineParts(
                &matched.buffer,
                self.field(at, field!(MatchBufferRegion, buffer)),
            ));
        }
        for (index, matched) in block.match_buffers.iter().enumerate().rev() {
            let at = self.item(matched_at, index);
            let source_at = self.field(at, field!(MatchBufferRegion, source));
            self.region(worklist, source_at, &matched.source);
        }
        let alloc_at = self.field(at, field!(Block, alloc_buffers));
        for (index, buffer) in block.alloc_buffers.iter().enumerate().rev() {
            let at = self.item(alloc_at, index);
            worklist.push(WorkItem::Buffer(buffer, at));
            worklist.push(WorkItem::Define(&buffer.data, self.field(at, field!(Buffer, data))));
        }
        for (name, regions) in [("writes", &block.writes), ("reads", &block.reads)] {
            let list_at = Position { in_region: true, ..self.field(at, name) };
            for (index, region) in regions.iter().enumerate().rev() {
                let at = self.item(list_at, index);
                self.region(worklist, at, region);
            }
        }
        if has_axes {
            worklist.push(WorkItem::EnterBlock(block));
        }
        let axes_at = self.field(at, field!(Block, iter_vars));
        for (index, axis) in block.iter_vars.iter().enumerate().rev() {
            worklist.push(WorkItem::DefineAxis(axis, self.item(axes_at, index)));
        }
        worklist.push(WorkItem::Enter);
    }

    fn attr(&mut self, attr: &'a AttrStmt, at: Position, worklist: &mut Vec<WorkItem<'a>>) {
        let node_at = self.field(at, field!(AttrStmt, node));
        let node = attr.node.as_object();
        let view = node.and_then(Array::<Value>::try_ref);
        match (attr.attr_key.as_str(), attr.launched_thread(), view) {
            (_, Some(axis), _) => {
                self.body(worklist, at, &attr.body, |_| [WorkItem::DefineAxis(axis, node_at)]);
            }
            ("buffer_bind_scope", _, Some(pair)) => {
                let buffer = |index: usize| pair.values().get(index)?.as_object()?.downcast_ref::<Buffer>();
                let (view, source) = (buffer(0), buffer(1));
                self.body(worklist, at, &attr.body, |this| {
                    let view = view.map(|view| WorkItem::DefineParts(view, this.item(node_at, 0)));
                    let source = source.map(|source| WorkItem::Buffer(source, this.item(node_at, 1)));
                    view.into_iter().chain(source)
                });
            }
            _ => {
                worklist.push(WorkItem::Stmt(&attr.body, self.field(at, field!(AttrStmt, body))));
                if let Some(expr) = node.and_then(|node| node.downcast_ref::<PrimExpr>()) {
                    worklist.push(WorkItem::Expr(expr, node_at));
                }
            }
        }
        self.exprs(worklist, at, [("value", &attr.value)]);
    }

    fn expr(&mut self, expr: &'a Expr, at: Position, worklist: &mut Vec<WorkItem<'a>>) {
        match expr.kind() {
            ExprKind::IntImm(_) | ExprKind::FloatImm(_) | ExprKind::StringImm(_) => return,
            ExprKind::Var(_) => {
                if let Some(var) = expr.downcast_ref::<Var>() {
                    self.use_var(var, at, VarUse::Value);
                }
                return;
            }
            _ => {}
        }
        if !expr.object().is_unique() && self.is_visited(expr.object(), at) {
            return;
        }
        let at = self.around(at, expr.span());
        if let ExprKind::Let(e) = expr.kind() {
            worklist.push(WorkItem::Leave);
            self.exprs(worklist, at, [("body", &e.body)]);
            worklist.push(WorkItem::Define(&e.var, self.field(at, field!(Let, var))));
            worklist.push(WorkItem::Enter);
            self.exprs(worklist, at, [("value", &e.value)]);
        } else if let Some(load) = expr.as_node::<BufferLoad>() {
            self.mask(worklist, at, load.predicate.as_ref());
            self.list(worklist, at, "indices", &load.indices);
            worklist.push(WorkItem::Buffer(&load.buffer, self.field(at, field!(BufferLoad, buffer))));
        } else {
            self.fields(worklist, at, expr.object());
        }
    }

    /// Pushes the expressions and statements in the fields of a node, in field order.
    fn fields(&mut self, worklist: &mut Vec<WorkItem<'a>>, at: Position, node: &'a Object) {
        for_each_node_below_rev(node, |FieldSlot { field, index }, child| {
            let at = self.field(at, field);
            let at = index.map_or(at, |index| self.item(at, index));
            if let Some(expr) = child.downcast_ref::<PrimExpr>() {
                worklist.push(WorkItem::Expr(expr, at));
            } else if let Some(stmt) = child.downcast_ref::<Stmt>() {
                worklist.push(WorkItem::Stmt(stmt, at));
            } else if let Some(axis) = child.as_node::<IterVar>() {
                worklist.push(WorkItem::Expr(axis.var.upcast_ref(), self.field(at, field!(IterVar, var))));
                if let Some(dom) = &axis.dom {
                    worklist.push(WorkItem::Range(dom, self.field(at, field!(IterVar, dom))));
                }
            }
        });
    }

    /// Returns `true` if a shared node was visited since a definition last ended.
    fn is_visited(&mut self, object: &Object, at: Position) -> bool {
        let epoch = self.scopes.epoch + 1;
        let [outside, in_loops, in_region] = &mut self.visited;
        let visited = match at {
            Position { in_region: true, .. } => in_region,
            Position { checks_loops: true, .. } => in_loops,
            _ => outside,
        };
        match visited.insert(object.clone(), epoch) {
            Some(before) if before == epoch => true,
            Some(_) => {
                self.revisits += 1;
                if self.revisits > REVISIT_LIMIT {
                    self.report(WellFormedErrorKind::TooLarge { limit: REVISIT_LIMIT }, at, Vec::new());
                }
                false
            }
            None => false,
        }
    }

    fn buffer(&mut self, buffer: &'a Ref<Buffer>, at: Position, worklist: &mut Vec<WorkItem<'a>>) {
        if self.is_visited(buffer.object(), at) {
            return;
        }
        let name = || buffer.name.get();
        let data_at = self.field(at, field!(Buffer, data));
        self.use_var(&buffer.data, data_at, VarUse::Data { buffer: name() });
        for (field, exprs) in [("shape", &buffer.shape), ("strides", &buffer.strides)] {
            let list_at = self.field(at, field);
            for (index, expr) in exprs.iter().enumerate() {
                let at = self.item(list_at, index);
                self.layout(expr, at, buffer, worklist);
            }
        }
        let offset_at = self.field(at, field!(Buffer, elem_offset));
        self.layout(&buffer.elem_offset, offset_at, buffer, worklist);
    }

    fn layout(&mut self, expr: &'a Expr, at: Position, buffer: &Buffer, worklist: &mut Vec<WorkItem<'a>>) {
        match expr.downcast_ref::<Var>() {
            Some(var) => self.use_var(var, at, VarUse::Layout { buffer: buffer.name.get() }),
            None => worklist.push(WorkItem::Expr(expr, at)),
        }
    }

    // Access paths and lists of work items.

    fn step(&mut self, at: Position, step: impl FnOnce() -> PathStep) -> Position {
        match &mut self.paths {
            Some(paths) => Position { path: paths.child(at.path, step()), ..at },
            None => at,
        }
    }

    pub(super) fn field(&mut self, at: Position, name: &'static str) -> Position {
        self.step(at, || PathStep::Field(name))
    }

    pub(super) fn item(&mut self, at: Position, index: usize) -> Position {
        self.step(at, || PathStep::Index(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    fn around(&self, at: Position, span: Span) -> Position {
        if span.is_known() { Position { span, ..at } } else { at }
    }

    fn exprs<const N: usize>(
        &mut self,
        worklist: &mut Vec<WorkItem<'a>>,
        at: Position,
        exprs: [(&'static str, &'a Expr); N],
    ) {
        for (name, expr) in exprs.into_iter().rev() {
            worklist.push(WorkItem::Expr(expr, self.field(at, name)));
        }
    }

    fn mask(&mut self, worklist: &mut Vec<WorkItem<'a>>, at: Position, mask: Option<&'a Expr>) {
        if let Some(mask) = mask {
            self.exprs(worklist, at, [("predicate", mask)]);
        }
    }

    fn list(
        &mut self,
        worklist: &mut Vec<WorkItem<'a>>,
        at: Position,
        name: &'static str,
        exprs: &'a Array<Expr>,
    ) {
        let at = self.field(at, name);
        for (index, expr) in exprs.iter().enumerate().rev() {
            worklist.push(WorkItem::Expr(expr, self.item(at, index)));
        }
    }

    fn ranges(&mut self, worklist: &mut Vec<WorkItem<'a>>, at: Position, ranges: &'a Array<Ref<Range>>) {
        for (index, range) in ranges.iter().enumerate().rev() {
            worklist.push(WorkItem::Range(range, self.item(at, index)));
        }
    }

    fn region(&mut self, worklist: &mut Vec<WorkItem<'a>>, at: Position, region: &'a BufferRegion) {
        let list_at = self.field(at, field!(BufferRegion, region));
        self.ranges(worklist, list_at, &region.region);
        worklist.push(WorkItem::Buffer(&region.buffer, self.field(at, field!(BufferRegion, buffer))));
    }

    /// Pushes the body in a scope of its own, with the items of `before` in reverse order before it.
    fn body<I: IntoIterator<Item = WorkItem<'a>>>(
        &mut self,
        worklist: &mut Vec<WorkItem<'a>>,
        at: Position,
        body: &'a StmtRef,
        before: impl FnOnce(&mut Self) -> I,
    ) {
        worklist.extend([WorkItem::Leave, WorkItem::Stmt(body, self.field(at, "body"))]);
        worklist.extend(before(self));
        worklist.push(WorkItem::Enter);
    }
}
