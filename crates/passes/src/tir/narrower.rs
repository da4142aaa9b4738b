//! Integers that count elements or iterations, with 32 bits.
//!
//! Upstream counterpart: `IndexDataTypeNormalizer`, `src/tir/ir/data_type_rewriter.cc`.

use tvmscript_ir_core::shared::Memo;
use tvmscript_ir_core::{Array, DataType, Map, ObjectLike, PtrMap, Ref, Str, Value, any_node, with_stack};
use tvmscript_prim::intrinsic::Intrinsic;
use tvmscript_prim::*;
use tvmscript_tir::node::*;

use super::force_narrow_index::check_elements;
use super::rewrite::{self, Rewriter, Same, Visits, array, changed, edit, expr_children, rebuild, visit};
use crate::Result;
use tvmscript_pass::PassError;

/// The type of narrowed integers.
const TARGET: DataType = DataType::INT32;

/// Rewrites one function.
#[derive(Default)]
pub(super) struct Narrower {
    /// Statements that may still be visited.
    visits: Visits,
    /// The current expression is an index, a dimension or a bound of a loop.
    is_index: bool,
    /// The current expression is a condition, whose comparisons of integers are those of indices.
    is_condition: bool,
    variables: PtrMap<Ref<Var>>,
    buffers: PtrMap<Ref<Buffer>>,
    axes: PtrMap<Ref<IterVar>>,
    /// Results for shared nodes of the current expression, by `is_index` and `is_condition`.
    memos: [Memo<Expr>; 4],
    depth: usize,
}

type PrimResult = std::result::Result<Expr, PrimError>;

fn is_narrowed(dtype: DataType) -> bool {
    dtype.is_int() && dtype.bits >= 32
}

/// A variable of another type with the same name and span.
fn with_dtype(visits: Visits, var: &Ref<Var>, dtype: DataType) -> Ref<Var> {
    let _span = visits.scope(var.span());
    let annotation = PrimType::new(dtype);
    changed(var, |var| (var.dtype, var.type_annotation) = (dtype, annotation))
}

impl Narrower {
    /// A rewriter that fills spans as the state of its walk says.
    pub(super) fn new(visits: Visits) -> Narrower {
        Narrower { visits, ..Narrower::default() }
    }

    /// Forgets all but the variables to replace.
    pub(super) fn start_over(&mut self) {
        let variables = std::mem::take(&mut self.variables);
        *self = Narrower { visits: self.visits, variables, ..Narrower::default() };
    }

    /// Runs `f` for an index.
    fn as_index<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let before = std::mem::replace(&mut self.is_index, true);
        let result = f(self);
        self.is_index = before;
        result
    }

    fn index(&mut self, e: &Expr) -> Result<Expr> {
        self.as_index(|this| this.expr(e))
    }

    fn condition(&mut self, e: &Expr) -> Result<Expr> {
        let before = std::mem::replace(&mut self.is_condition, true);
        let result = self.expr(e);
        self.is_condition = before;
        result
    }

    fn indices(&mut self, items: &Array<Expr>) -> Result<Array<Expr>> {
        array(items, |e| self.index(e))
    }

    /// The variable that stands for an index variable.
    pub(super) fn variable(&mut self, var: &Ref<Var>) -> Result<Ref<Var>> {
        let new = self.index(var.upcast_ref())?;
        new.downcast::<Var>().map_err(|_| PassError::unsupported("a variable must stay a variable"))
    }

    /// Rewrites the layout of a buffer at its declaration.
    pub(super) fn buffer(&mut self, buffer: &Ref<Buffer>) -> Result<Ref<Buffer>> {
        let _span = self.visits.scope(buffer.span());
        let (shape, strides) = (self.indices(&buffer.shape)?, self.indices(&buffer.strides)?);
        let elem_offset = self.index(&buffer.elem_offset)?;
        let is_same = shape.is_same(&buffer.shape)
            && strides.is_same(&buffer.strides)
            && elem_offset.is_same(&buffer.elem_offset);
        if is_same {
            return Ok(buffer.clone());
        }
        let new =
            changed(buffer, |new| (new.shape, new.strides, new.elem_offset) = (shape, strides, elem_offset));
        self.buffers.insert(buffer.object().clone(), new.clone());
        Ok(new)
    }

    /// The buffer that stands for a used one. A buffer without a declaration is rewritten at its first use if a
    /// variable of its layout is replaced; TVM keeps the old variable there.
    fn used(&mut self, buffer: &Ref<Buffer>) -> Result<Ref<Buffer>> {
        if let Some(known) = self.buffers.get(buffer.object()) {
            return Ok(known.clone());
        }
        let is_replaced = any_node(buffer, |node| self.variables.contains_key(node));
        let new = if is_replaced { self.buffer(buffer)? } else { buffer.clone() };
        self.buffers.insert(buffer.object().clone(), new.clone());
        Ok(new)
    }

    fn region(&mut self, region: &Ref<BufferRegion>) -> Result<Ref<BufferRegion>> {
        let new = rewrite::region(region, |e| self.index(e))?;
        let buffer = self.used(&region.buffer)?;
        Ok(if buffer.is_same(&region.buffer) { new } else { changed(&new, |new| new.buffer = buffer) })
    }

    fn iter_var(&mut self, axis: &Ref<IterVar>) -> Result<Ref<IterVar>> {
        let var = self.variable(&axis.var)?;
        let dtype = var.dtype;
        let dom = match &axis.dom {
            Some(dom) => Some(rewrite::range(dom, |e| self.index(e).and_then(|e| Ok(ops::cast(dtype, e)?)))?),
            None => None,
        };
        let is_same = var.is_same(&axis.var) && dom.is_same(&axis.dom);
        Ok(if is_same { axis.clone() } else { changed(axis, |axis| (axis.var, axis.dom) = (var, dom)) })
    }

    /// Replaces buffers in an annotation.
    fn annotation(&self, value: &Value) -> Value {
        let Some(object) = value.as_object() else { return value.clone() };
        if let Some(buffer) = object.downcast_ref::<Buffer>() {
            return Value::Node(self.buffers.get(buffer.object()).unwrap_or(buffer).clone().into_object());
        }
        let Some(items) = Array::<Value>::try_ref(object) else { return value.clone() };
        let new: Vec<Value> = items.values().iter().map(|item| self.annotation(item)).collect();
        let is_same = new.iter().zip(items.values()).all(|(a, b)| match (a.as_object(), b.as_object()) {
            (Some(a), Some(b)) => a.ptr_eq(b),
            _ => true,
        });
        if is_same { value.clone() } else { Value::Node(Array::of_values(new).into_object()) }
    }

    fn annotations(&self, annotations: &Map<Str, Value>) -> Map<Str, Value> {
        if annotations.is_empty() {
            return annotations.clone();
        }
        Map::new(annotations.iter().map(|(key, value)| (key.clone(), self.annotation(value))))
    }

    fn block(&mut self, stmt: &StmtRef, block: &Block) -> Result<StmtRef> {
        let alloc_buffers = array(&block.alloc_buffers, |buffer| self.buffer(buffer))?;
        alloc_buffers.iter().try_for_each(check_elements)?;
        let match_buffers = array(&block.match_buffers, |matched| {
            let (buffer, source) = (self.buffer(&matched.buffer)?, self.region(&matched.source)?);
            let is_same = buffer.is_same(&matched.buffer) && source.is_same(&matched.source);
            Ok(if is_same {
                matched.clone()
            } else {
                changed(matched, |m| (m.buffer, m.source) = (buffer, source))
            })
        })?;
        let reads = array(&block.reads, |region| self.region(region))?;
        let writes = array(&block.writes, |region| self.region(region))?;
        let iter_vars = array(&block.iter_vars, |axis| self.iter_var(axis))?;
        let init = block.init.as_ref().map(|init| visit(self, init)).transpose()?;
        let annotations = self.annotations(&block.annotations);
        let body = visit(self, &block.body)?;
        Ok(edit::<Block>(stmt, |new| {
            (new.alloc_buffers, new.match_buffers) = (alloc_buffers, match_buffers);
            (new.reads, new.writes, new.iter_vars) = (reads, writes, iter_vars);
            (new.init, new.annotations, new.body) = (init, annotations, body);
        }))
    }

    fn for_loop(&mut self, stmt: &StmtRef, s: &For) -> Result<StmtRef> {
        let loop_var = self.variable(&s.loop_var)?;
        let dtype = loop_var.dtype;
        let (min, extent) = (self.index(&s.min)?, self.index(&s.extent)?);
        let step = s.step.as_ref().map(|step| self.index(step)).transpose()?;
        let body = visit(self, &s.body)?;
        let (min, extent) = (ops::cast(dtype, min)?, ops::cast(dtype, extent)?);
        let step = step.map(|step| ops::cast(dtype, step)).transpose()?;
        let thread_binding = s.thread_binding.as_ref().map(|thread| match thread.var.dtype == dtype {
            true => thread.clone(),
            false => {
                let var = with_dtype(self.visits, &thread.var, dtype);
                changed(thread, |thread| thread.var = var)
            }
        });
        Ok(rebuild!(stmt: For = s {
            loop_var: loop_var, min: min, extent: extent, step: step, body: body,
            thread_binding: if loop_var.is_same(&s.loop_var) { s.thread_binding.clone() } else { thread_binding },
        }))
    }

    fn thread(&mut self, stmt: &StmtRef, s: &AttrStmt, axis: &Ref<IterVar>) -> Result<StmtRef> {
        self.as_index(|this| {
            let (value, body) = (this.expr(&s.value)?, visit(this, &s.body)?);
            let var = this.variable(&axis.var)?;
            let dtype = var.dtype;
            let node = match this.axes.get(axis.object()) {
                Some(known) => known.clone(),
                None => {
                    let dom = axis
                        .dom
                        .as_ref()
                        .map(|dom| rewrite::range(dom, |e| Ok(ops::cast(dtype, e.clone())?)));
                    let dom = dom.transpose()?;
                    let is_same = var.is_same(&axis.var) && dom.is_same(&axis.dom);
                    let new =
                        if is_same { axis.clone() } else { changed(axis, |a| (a.var, a.dom) = (var, dom)) };
                    this.axes.insert(axis.object().clone(), new.clone());
                    new
                }
            };
            let value = ops::cast(dtype, value)?;
            if node.is_same(axis) && value.is_same(&s.value) && body.is_same(&s.body) {
                return Ok(stmt.clone());
            }
            let node = Value::Node(node.into_object());
            Ok(edit::<AttrStmt>(stmt, |new| (new.node, new.value, new.body) = (node, value, body)))
        })
    }

    /// The variable and value of a binding around `body`. A variable that the body uses as an index is narrowed with its
    /// value, which may need a cast: an element of a buffer keeps its type.
    fn bind<T>(
        &mut self,
        var: &Ref<Var>,
        value: &Expr,
        body: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(Ref<Var>, Expr, T)> {
        let new_value = self.expr(value)?;
        let new_var = self.define(var, &new_value);
        let body = body(self)?;
        Ok(match self.variables.get(var.object()).cloned() {
            Some(narrow) => {
                let value = ops::cast(narrow.dtype, self.index(value)?)?;
                (narrow, value, body)
            }
            None => (new_var, new_value, body),
        })
    }

    /// The variable of a binding, with the type of its value.
    fn define(&mut self, var: &Ref<Var>, value: &Expr) -> Ref<Var> {
        if value.dtype() == var.dtype || (value.dtype().is_handle() && var.dtype.is_handle()) {
            return var.clone();
        }
        let new = with_dtype(self.visits, var, value.dtype());
        self.variables.insert(var.object().clone(), new.clone());
        new
    }

    fn binary(&mut self, e: &Expr, a: &Expr, b: &Expr, make: fn(Expr, Expr) -> PrimResult) -> Result<Expr> {
        let (new_a, new_b) = (self.expr(a)?, self.expr(b)?);
        let is_same = new_a.is_same(a) && new_b.is_same(b) && new_a.dtype() == new_b.dtype();
        Ok(if is_same { e.clone() } else { make(new_a, new_b)? })
    }

    /// A comparison. Its operands are indices if it is a condition and they are integers.
    fn comparison(
        &mut self,
        e: &Expr,
        a: &Expr,
        b: &Expr,
        make: fn(Expr, Expr) -> PrimResult,
    ) -> Result<Expr> {
        let is_index = self.is_condition && a.dtype().is_int() && b.dtype().is_int();
        let before = std::mem::replace(&mut self.is_index, is_index);
        let new = self.binary(e, a, b, make);
        self.is_index = before;
        new
    }

    fn visit_expr(&mut self, e: &Expr) -> Result<Expr> {
        match e.kind() {
            ExprKind::IntImm(literal) if literal.dtype == DataType::INT64 => {
                Ok(IntImm::try_new(TARGET, literal.value)?)
            }
            ExprKind::Var(_) => {
                let Some(var) = e.downcast_ref::<Var>() else { return Ok(e.clone()) };
                let narrows = self.is_index && is_narrowed(var.dtype) && var.dtype != TARGET;
                if narrows && !self.variables.contains_key(var.object()) {
                    self.variables.insert(var.object().clone(), with_dtype(self.visits, var, TARGET));
                }
                Ok(self.variables.get(var.object()).map_or_else(|| e.clone(), |var| var.clone().upcast()))
            }
            ExprKind::Cast(cast) if self.is_index && is_narrowed(cast.dtype) => {
                let value = self.expr(&cast.value)?;
                Ok(if value.dtype() == TARGET { value } else { Cast::try_new(TARGET, value)? })
            }
            ExprKind::Add(x) => self.binary(e, &x.a, &x.b, ops::add),
            ExprKind::Sub(x) => self.binary(e, &x.a, &x.b, ops::sub),
            ExprKind::Mul(x) => self.binary(e, &x.a, &x.b, ops::mul),
            ExprKind::Div(x) => self.binary(e, &x.a, &x.b, ops::div),
            ExprKind::Mod(x) => self.binary(e, &x.a, &x.b, ops::truncmod),
            ExprKind::FloorDiv(x) => self.binary(e, &x.a, &x.b, ops::floordiv),
            ExprKind::FloorMod(x) => self.binary(e, &x.a, &x.b, ops::floormod),
            ExprKind::Min(x) => self.binary(e, &x.a, &x.b, ops::min),
            ExprKind::Max(x) => self.binary(e, &x.a, &x.b, ops::max),
            ExprKind::EQ(x) => self.comparison(e, &x.a, &x.b, ops::eq),
            ExprKind::NE(x) => self.comparison(e, &x.a, &x.b, ops::ne),
            ExprKind::LT(x) => self.comparison(e, &x.a, &x.b, ops::lt),
            ExprKind::LE(x) => self.comparison(e, &x.a, &x.b, ops::le),
            ExprKind::GT(x) => self.comparison(e, &x.a, &x.b, ops::gt),
            ExprKind::GE(x) => self.comparison(e, &x.a, &x.b, ops::ge),
            ExprKind::Select(select) => {
                let condition = self.condition(&select.condition)?;
                let (a, b) = (self.expr(&select.true_value)?, self.expr(&select.false_value)?);
                let is_same = condition.is_same(&select.condition)
                    && a.is_same(&select.true_value)
                    && b.is_same(&select.false_value);
                if is_same {
                    return Ok(e.clone());
                }
                let (a, b) = same_bits(a, b)?;
                Ok(Select::try_new(condition, a, b)?)
            }
            ExprKind::Ramp(ramp) => {
                let (base, stride) = (self.expr(&ramp.base)?, self.expr(&ramp.stride)?);
                if base.is_same(&ramp.base) && stride.is_same(&ramp.stride) {
                    return Ok(e.clone());
                }
                let (base, stride) = same_bits(base, stride)?;
                Ok(Ramp::try_new(base, stride, &ramp.lanes)?)
            }
            ExprKind::Broadcast(old) => {
                let value = self.expr(&old.value)?;
                Ok(if value.is_same(&old.value) { e.clone() } else { Broadcast::try_new(value, &old.lanes)? })
            }
            ExprKind::Let(binding) => {
                let (var, value, body) =
                    self.bind(&binding.var, &binding.value, |this| this.expr(&binding.body))?;
                let is_same = value.is_same(&binding.value) && body.is_same(&binding.body);
                Ok(if is_same { e.clone() } else { Let::try_new(var, value, body)? })
            }
            ExprKind::Call(call) => self.call(e, call),
            _ => match e.downcast_ref::<BufferLoad>() {
                Some(load) => {
                    let (buffer, indices) = (self.used(&load.buffer)?, self.indices(&load.indices)?);
                    let is_same = buffer.is_same(&load.buffer) && indices.is_same(&load.indices);
                    Ok(match is_same {
                        true => e.clone(),
                        false => changed(load, |new| (new.buffer, new.indices) = (buffer, indices)).upcast(),
                    })
                }
                None => expr_children(e, |child| self.expr(child)),
            },
        }
    }

    fn call(&mut self, e: &Expr, call: &Call) -> Result<Expr> {
        let intrinsic = Intrinsic::of(call);
        if let (Some(Intrinsic::IfThenElse), [Some(condition), Some(a), Some(b)]) =
            (intrinsic, [0, 1, 2].map(|index| call.args.get(index)))
        {
            let (condition, a, b) = (self.condition(condition)?, self.expr(a)?, self.expr(b)?);
            return Ok(ops::if_then_else(condition, a, b)?);
        }
        let new = expr_children(e, |child| self.expr(child))?;
        let args = new.as_node::<Call>().map(|call| call.args.clone()).unwrap_or_default();
        let make = match intrinsic {
            Some(Intrinsic::ShiftRight) => ops::shift_right,
            Some(Intrinsic::ShiftLeft) => ops::shift_left,
            Some(Intrinsic::BitwiseAnd) => ops::bitwise_and,
            Some(Intrinsic::BitwiseOr) => ops::bitwise_or,
            Some(Intrinsic::BitwiseXor) => ops::bitwise_xor,
            Some(Intrinsic::CountLeadingZeros) => {
                let bits = |args: &Array<Expr>| args.first().map_or(0, |arg| i64::from(arg.dtype().bits));
                let (before, after) = (bits(&call.args), bits(&args));
                let less = ops::sub(new.clone(), IntImm::try_new(new.dtype(), after)?)?;
                return Ok(ops::add(less, IntImm::try_new(new.dtype(), before)?)?);
            }
            _ => return Ok(new),
        };
        match [0, 1].map(|index| args.get(index).cloned()) {
            [Some(a), Some(b)] => Ok(make(a, b)?),
            _ => Ok(new),
        }
    }
}

/// Casts two values to the wider of their types.
fn same_bits(a: Expr, b: Expr) -> Result<(Expr, Expr)> {
    let dtype = DataType { bits: a.dtype().bits.max(b.dtype().bits), ..a.dtype() };
    Ok((ops::cast(dtype, a)?, ops::cast(dtype, b)?))
}

impl Rewriter for Narrower {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        match stmt.kind() {
            StmtKind::Allocate(s) => {
                let (extents, condition) = (self.indices(&s.extents)?, self.index(&s.condition)?);
                let body = visit(self, &s.body)?;
                Ok(rebuild!(stmt: Allocate = s { extents: extents, condition: condition, body: body }))
            }
            StmtKind::AttrStmt(s) => match s.launched_thread() {
                Some(axis) => self.thread(stmt, s, axis),
                None => rewrite::children(self, stmt),
            },
            StmtKind::DeclBuffer(s) => {
                let buffer = self.buffer(&s.buffer)?;
                Ok(rebuild!(stmt: DeclBuffer = s { body: visit(self, &s.body)?, buffer: buffer }))
            }
            StmtKind::BlockRealize(s) => {
                let predicate = self.condition(&s.predicate)?;
                let iter_values = self.indices(&s.iter_values)?;
                let block = rewrite::block(self, &s.block)?;
                let dtypes = block.iter_vars.iter().map(|axis| axis.var.dtype);
                let values =
                    iter_values.iter().zip(dtypes).map(|(value, dtype)| ops::cast(dtype, value.clone()));
                let iter_values = Array::new(values.collect::<std::result::Result<Vec<_>, _>>()?);
                Ok(edit::<BlockRealize>(stmt, |new| {
                    (new.predicate, new.iter_values, new.block) = (predicate, iter_values, block);
                }))
            }
            StmtKind::Block(s) => self.block(stmt, s),
            StmtKind::BufferStore(s) => {
                let (buffer, value) = (self.used(&s.buffer)?, self.expr(&s.value)?);
                let value = match value.dtype() != buffer.dtype && value.dtype().is_scalar() {
                    true => ops::cast(buffer.dtype, value)?,
                    false => value,
                };
                let indices = self.indices(&s.indices)?;
                Ok(rebuild!(stmt: BufferStore = s { buffer: buffer, value: value, indices: indices }))
            }
            StmtKind::IfThenElse(s) => Ok(rebuild!(stmt: IfThenElse = s {
                condition: self.condition(&s.condition)?,
                then_case: visit(self, &s.then_case)?,
                else_case: s.else_case.as_ref().map(|stmt| visit(self, stmt)).transpose()?,
            })),
            StmtKind::For(s) => self.for_loop(stmt, s),
            StmtKind::LetStmt(s) => {
                let (var, value, body) = self.bind(&s.var, &s.value, |this| visit(this, &s.body))?;
                Ok(rebuild!(stmt: LetStmt = s { var: var, value: value, body: body }))
            }
            _ => rewrite::children(self, stmt),
        }
    }

    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        let mode = usize::from(self.is_index) + 2 * usize::from(self.is_condition);
        let known = self.memos.get(mode).and_then(|memo| memo.get(expr.object()));
        if let (Some(known), true) = (known, self.depth > 0) {
            return Ok(known);
        }
        if self.depth == 0 {
            self.memos = Default::default();
        }
        self.depth += 1;
        let visits = self.visits;
        let new = with_stack(|| {
            let _span = visits.scope(expr.span());
            self.visit_expr(expr)
        });
        self.depth -= 1;
        let new = new?;
        if let Some(memo) = self.memos.get_mut(mode) {
            memo.insert(expr.object(), &new);
        }
        Ok(new)
    }
}
