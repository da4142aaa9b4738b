//! One definition per variable.

use tvmscript_ir::{BaseFunc, IRModule};
use tvmscript_ir_core::{Descend, Map, Mutator, Object, ObjectLike, PtrMap, PtrSet, Ref, Value, mutate};
use tvmscript_prim::{Expr, IntImm, Let, Var};
use tvmscript_tir::node::*;

use super::rewrite::{self, Rewriter, Same, Visits, any_part, array, changed, edit, expr_children, visit};
use crate::Result;
use tvmscript_pass::pass;

pass! {
    /// Gives each definition of a variable its own variable.
    ///
    /// A variable that is defined a second time, also in another function of the module, is replaced by a copy in the
    /// scope of that definition. The copy keeps the span of the variable.
    ///
    /// Unlike TVM's pass it does not take a dimension that two parameters share for two definitions.
    ///
    /// Upstream: `IRConvertSSA`, `src/tir/transforms/ir_utils.cc`.
    pub ConvertSSA = "tir.ConvertSSA" for IRModule |module, context| {
        let mut ssa = Ssa { visits: Visits::new(context.fills_spans()?), ..Ssa::default() };
        let mut functions = Vec::with_capacity(module.functions.len());
        for (var, function) in module.functions.iter() {
            let new = match function.downcast_ref::<PrimFunc>() {
                Some(function) => ssa.function(function)?.upcast(),
                None => function.clone(),
            };
            functions.push((var.clone(), new));
        }
        Ok(with_functions(module, functions))
    }
}

/// The module with other functions, or itself if they are the same.
fn with_functions(
    module: Ref<IRModule>,
    functions: Vec<(Ref<tvmscript_ir::GlobalVar>, Ref<BaseFunc>)>,
) -> Ref<IRModule> {
    let is_same = functions.iter().zip(module.functions.iter()).all(|(new, old)| new.1.ptr_eq(old.1));
    if is_same { module } else { changed(&module, |module| module.functions = Map::new(functions)) }
}

#[derive(Default)]
pub(super) struct Ssa {
    /// Statements that may still be visited.
    visits: Visits,
    defined: PtrSet,
    /// Replacements of variables, the innermost last.
    scopes: PtrMap<Vec<Ref<Var>>>,
    /// Replacements of thread variables up to the end of the function.
    threads: PtrMap<Ref<Var>>,
    /// Replacements of buffers, the innermost last.
    buffers: PtrMap<Vec<Ref<Buffer>>>,
    /// Number of replacements in scope.
    active: usize,
}

impl Ssa {
    fn function(&mut self, function: &Ref<PrimFunc>) -> Result<Ref<PrimFunc>> {
        self.visits = self.visits.renewed();
        let _span = self.visits.scope(function.span());
        let mut redefined = Vec::new();
        let mut define = |this: &mut Ssa, var: &Ref<Var>| {
            if !this.defined.insert(var.object().clone()) {
                this.open(var);
                redefined.push(var.clone());
            }
        };
        function.params.iter().for_each(|param| define(self, param));
        // Several buffers may use one variable in their layout, which is one definition.
        let mut own: PtrSet = function.params.iter().map(|param| param.object().clone()).collect();
        for (_, buffer) in function.buffer_map.iter() {
            let layout = buffer.shape.iter().chain(buffer.strides.iter()).chain([&buffer.elem_offset]);
            for var in layout.filter_map(|part| part.downcast_ref::<Var>()) {
                if own.insert(var.object().clone()) {
                    define(self, var);
                }
            }
        }
        for (_, buffer) in function.buffer_map.iter() {
            define(self, &buffer.data);
        }
        let params = array(&function.params, |param| Ok(self.var(param)))?;
        let mut buffers = Vec::with_capacity(function.buffer_map.len());
        let mut is_same = params.is_same(&function.params);
        for (param, buffer) in function.buffer_map.iter() {
            let new = (self.var(param), self.buffer(buffer)?);
            is_same &= new.0.ptr_eq(param) && new.1.ptr_eq(buffer);
            buffers.push(new);
        }
        let body = visit(self, &function.body);
        redefined.iter().rev().for_each(|var| self.close(var));
        self.threads.clear();
        let body = body?;
        if is_same && body.ptr_eq(&function.body) {
            return Ok(function.clone());
        }
        Ok(changed(function, |new| {
            (new.params, new.buffer_map, new.body) = (params, Map::new(buffers), body)
        }))
    }

    /// The variable that stands for `var` in the current scope.
    fn var(&self, var: &Ref<Var>) -> Ref<Var> {
        let scoped = self.scopes.get(var.object()).and_then(|scope| scope.last());
        scoped.or_else(|| self.threads.get(var.object())).unwrap_or(var).clone()
    }

    fn open(&mut self, var: &Ref<Var>) -> Ref<Var> {
        let new = changed(var, |_| ());
        self.scopes.entry(var.object().clone()).or_default().push(new.clone());
        self.active += 1;
        new
    }

    fn close(&mut self, var: &Ref<Var>) {
        self.active -= 1;
        let Some(closed) = self.scopes.get_mut(var.object()).and_then(Vec::pop) else { return };
        for buffers in self.buffers.values_mut() {
            if buffers.last().is_some_and(|buffer| buffer.data.ptr_eq(&closed)) {
                buffers.pop();
            }
        }
    }

    /// Runs `f` in the scope of a definition; with a new variable if it is a repeated one.
    fn define<T>(&mut self, var: &Ref<Var>, f: impl FnOnce(&mut Self, Ref<Var>) -> Result<T>) -> Result<T> {
        if self.defined.insert(var.object().clone()) {
            return f(self, var.clone());
        }
        let new = self.open(var);
        let result = f(self, new);
        self.close(var);
        result
    }

    fn buffer(&mut self, buffer: &Ref<Buffer>) -> Result<Ref<Buffer>> {
        if self.active == 0 && self.threads.is_empty() {
            return Ok(buffer.clone());
        }
        let data = self.var(&buffer.data);
        let elem_offset = self.expr(&buffer.elem_offset)?;
        let shape = array(&buffer.shape, |e| self.expr(e))?;
        let strides = array(&buffer.strides, |e| self.expr(e))?;
        let is_same = data.is_same(&buffer.data)
            && elem_offset.is_same(&buffer.elem_offset)
            && shape.is_same(&buffer.shape)
            && strides.is_same(&buffer.strides);
        if is_same {
            return Ok(buffer.clone());
        }
        let known = self.buffers.entry(buffer.object().clone()).or_default();
        if let Some(known) = known.last().filter(|known| known.data.ptr_eq(&data)) {
            return Ok(known.clone());
        }
        let new = changed(buffer, |new| {
            (new.data, new.elem_offset, new.shape, new.strides) = (data, elem_offset, shape, strides);
        });
        known.push(new.clone());
        Ok(new)
    }

    fn region(&mut self, region: &Ref<BufferRegion>) -> Result<Ref<BufferRegion>> {
        let buffer = self.buffer(&region.buffer)?;
        let is_same = buffer.ptr_eq(&region.buffer);
        Ok(if is_same { region.clone() } else { changed(region, |region| region.buffer = buffer) })
    }

    /// Rewrites the node of an attribute with a thread, which is defined up to the end of the function.
    fn thread(&mut self, stmt: &StmtRef, attr: &AttrStmt, axis: &Ref<IterVar>) -> Result<StmtRef> {
        let dom = axis.dom.as_ref().map(|dom| rewrite::range(dom, |e| self.expr(e))).transpose()?;
        let is_known =
            self.threads.contains_key(axis.var.object()) || self.defined.contains(axis.var.object());
        let var = match self.threads.get(axis.var.object()) {
            Some(var) => var.clone(),
            None if is_known => {
                let new = changed(&axis.var, |_| ());
                self.threads.insert(axis.var.object().clone(), new.clone());
                new
            }
            None => axis.var.clone(),
        };
        let is_same = dom.is_same(&axis.dom) && var.is_same(&axis.var);
        let node = match is_same {
            true => attr.node.clone(),
            false => Value::Node(changed(axis, |axis| (axis.dom, axis.var) = (dom, var)).into_object()),
        };
        let (value, body) = (self.expr(&attr.value)?, visit(self, &attr.body)?);
        if !is_known && self.defined.insert(axis.var.object().clone()) {
            self.threads.insert(axis.var.object().clone(), axis.var.clone());
        }
        if is_same && value.is_same(&attr.value) && body.is_same(&attr.body) {
            return Ok(stmt.clone());
        }
        Ok(edit::<AttrStmt>(stmt, |attr| (attr.node, attr.value, attr.body) = (node, value, body)))
    }

    /// Rewrites an expression that contains definitions.
    fn scoped_expr(&mut self, expr: &Expr) -> Result<Expr> {
        tvmscript_ir_core::with_stack(|| {
            if let Some(var) = expr.downcast_ref::<Var>() {
                return Ok(self.var(var).upcast());
            }
            if let Some(binding) = expr.downcast_ref::<Let>() {
                let value = self.scoped_expr(&binding.value)?;
                return self.define(&binding.var, |this, var| {
                    let body = this.scoped_expr(&binding.body)?;
                    let is_same = var.is_same(&binding.var)
                        && value.is_same(&binding.value)
                        && body.is_same(&binding.body);
                    if is_same {
                        return Ok(expr.clone());
                    }
                    Ok(changed(binding, |new| (new.var, new.value, new.body) = (var, value, body)).upcast())
                });
            }
            let new = expr_children(expr, |child| self.scoped_expr(child))?;
            let Some(load) = new.downcast_ref::<BufferLoad>() else { return Ok(new) };
            let buffer = self.buffer(&load.buffer)?;
            let is_same = buffer.is_same(&load.buffer);
            Ok(if is_same { new } else { changed(load, |load| load.buffer = buffer).upcast() })
        })
    }
}

/// Replaces variables and buffers in an expression without definitions.
struct Rename<'s> {
    ssa: &'s mut Ssa,
    failed: Option<tvmscript_pass::PassError>,
}

impl Mutator for Rename<'_> {
    fn enter(&mut self, node: &Object) -> Descend {
        if let Some(var) = node.downcast_ref::<Var>() {
            return Descend::Replace(self.ssa.var(var).into_object());
        }
        let Some(buffer) = node.downcast_ref::<Buffer>() else { return Descend::Into };
        match self.ssa.buffer(buffer) {
            Ok(new) => Descend::Replace(new.into_object()),
            Err(error) => {
                self.failed = Some(error);
                Descend::Keep
            }
        }
    }
}

impl Rewriter for Ssa {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        match stmt.kind() {
            StmtKind::LetStmt(s) => {
                let value = self.expr(&s.value)?;
                self.define(&s.var, |this, var| {
                    let body = visit(this, &s.body)?;
                    Ok(rewrite::rebuild!(stmt: LetStmt = s { var: var, value: value, body: body }))
                })
            }
            StmtKind::For(s) => self.define(&s.loop_var, |this, loop_var| {
                let new = rewrite::children(this, stmt)?;
                let is_same = loop_var.is_same(&s.loop_var);
                Ok(if is_same { new } else { edit::<For>(&new, |new| new.loop_var = loop_var) })
            }),
            StmtKind::Allocate(s) => self.define(&s.buffer_var, |this, buffer_var| {
                let new = rewrite::children(this, stmt)?;
                let is_same = buffer_var.is_same(&s.buffer_var);
                Ok(if is_same { new } else { edit::<Allocate>(&new, |new| new.buffer_var = buffer_var) })
            }),
            StmtKind::Block(s) => {
                let mut redefined = Vec::new();
                for axis in s.iter_vars.iter() {
                    if !self.defined.insert(axis.var.object().clone()) {
                        self.open(&axis.var);
                        redefined.push(axis.var.clone());
                    }
                }
                let new = self.block(stmt, s);
                redefined.iter().rev().for_each(|var| self.close(var));
                new
            }
            StmtKind::AttrStmt(s) => {
                let node = s.node.as_object();
                if let Some(axis) = node.and_then(|node| node.downcast_ref::<IterVar>()) {
                    return self.thread(stmt, s, axis);
                }
                let new = rewrite::children(self, stmt)?;
                let var = node.and_then(|node| node.downcast_ref::<Var>());
                let scope = var.and_then(|var| self.scopes.get(var.object())?.last());
                Ok(match scope {
                    Some(var) => edit::<AttrStmt>(&new, |new| new.node = Value::Node(var.object().clone())),
                    None => new,
                })
            }
            StmtKind::BufferStore(s) => {
                let (new, buffer) = (rewrite::children(self, stmt)?, self.buffer(&s.buffer)?);
                let is_same = buffer.is_same(&s.buffer);
                Ok(if is_same { new } else { edit::<BufferStore>(&new, |new| new.buffer = buffer) })
            }
            StmtKind::DeclBuffer(s) => {
                let (new, buffer) = (rewrite::children(self, stmt)?, self.buffer(&s.buffer)?);
                let is_same = buffer.is_same(&s.buffer);
                Ok(if is_same { new } else { edit::<DeclBuffer>(&new, |new| new.buffer = buffer) })
            }
            _ => rewrite::children(self, stmt),
        }
    }

    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        if expr.is::<IntImm>() {
            return Ok(expr.clone());
        }
        if any_part(expr, |node| node.is::<Let>()) {
            return self.scoped_expr(expr);
        }
        if self.active == 0 && self.threads.is_empty() {
            return Ok(expr.clone());
        }
        let mut rename = Rename { ssa: self, failed: None };
        let new = mutate(expr.clone(), &mut rename);
        match rename.failed {
            Some(error) => Err(error),
            None => Ok(new?),
        }
    }
}

impl Ssa {
    fn block(&mut self, stmt: &StmtRef, block: &Block) -> Result<StmtRef> {
        let iter_vars = array(&block.iter_vars, |axis| {
            let var = self.var(&axis.var);
            Ok(if var.is_same(&axis.var) { axis.clone() } else { changed(axis, |axis| axis.var = var) })
        })?;
        let new = rewrite::rebuild!(stmt: Block = block {
            iter_vars: iter_vars,
            reads: array(&block.reads, |region| self.region(region))?,
            writes: array(&block.writes, |region| self.region(region))?,
            alloc_buffers: array(&block.alloc_buffers, |buffer| self.buffer(buffer))?,
            match_buffers: array(&block.match_buffers, |matched| {
                let (buffer, source) = (self.buffer(&matched.buffer)?, self.region(&matched.source)?);
                let is_same = buffer.is_same(&matched.buffer) && source.is_same(&matched.source);
                Ok(match is_same {
                    true => matched.clone(),
                    false => changed(matched, |new| (new.buffer, new.source) = (buffer, source)),
                })
            })?,
        });
        rewrite::children(self, &new)
    }
}
