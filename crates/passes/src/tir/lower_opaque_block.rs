//! Functions without blocks.

use tvmscript_arith::Analyzer;
use tvmscript_ir::IRModule;
use tvmscript_ir_core::{
    Array, DataType, Map, Object, ObjectLike, PtrMap, Ref, Span, Str, Value, shared::Visited,
    vectors::reverse_above,
};
use tvmscript_prim::{Expr, FloatImm, IntImm, PrimExpr, PrimExprExt, Range, StringImm, ops};
use tvmscript_tir::node::*;
use tvmscript_tir::syntax::TirSyntax;

use super::lower_init_block::conditional;
use super::rewrite::{self, Rewriter, Visits, edit, visit};
use crate::Result;
use tvmscript_pass::{PassError, pass};

pass! {
    /// Replaces blocks by their bodies, with allocations for their buffers, and thread-bound loops by `thread_extent`
    /// attributes.
    ///
    /// A loop of extent 1 becomes its body, and an annotation `pragma_*` an attribute. Other annotations of blocks are
    /// dropped, except `buffer_dim_align`, which moves to the allocation. Allocations are statements of the release. Requires that no block has axes, see
    /// `tir.ConvertBlocksToOpaque`. Allocations and conditionals have the span of the block.
    ///
    /// Upstream: `src/tir/transforms/lower_opaque_block.cc`.
    pub LowerOpaqueBlock = "tir.LowerOpaqueBlock" for PrimFunc in IRModule |function, context| {
        let alignments = alignments(&function.body);
        let mut lower = Lower { visits: Visits::default(), alignments, units: PtrMap::default() };
        let lowered = rewrite::body(function, context, &mut lower)?;
        match context.session().and_then(|session| session.dialects().ok()) {
            Some(release) => Ok((TirSyntax::of(release).lowered)(lowered)?),
            None => Ok(lowered),
        }
    }
}

struct Lower {
    /// Statements that may still be visited.
    visits: Visits,
    /// Alignments of dimensions by data pointer.
    alignments: PtrMap<Vec<Value>>,
    /// Start values of loops of extent 1.
    units: PtrMap<Object>,
}

/// An annotation for passes that becomes an attribute.
type Pragma = (Str, Expr);

/// Collects the alignments that blocks declare for their results. The index of the buffer is replaced by -1.
fn alignments(body: &StmtRef) -> PtrMap<Vec<Value>> {
    let mut found: PtrMap<Vec<Value>> = PtrMap::default();
    let (mut pending, mut visited) = (vec![body], Visited::default());
    while let Some(stmt) = pending.pop() {
        if !visited.is_first(stmt.object()) {
            continue;
        }
        let start = pending.len();
        stmt.kind().for_each_child(|child| pending.push(child));
        // The first child is popped first.
        reverse_above(&mut pending, start);
        let StmtKind::Block(block) = stmt.kind() else { continue };
        let annotation = block.annotations.get_str("buffer_dim_align").and_then(Value::as_object);
        for tuple in annotation.and_then(Array::<Value>::try_ref).into_iter().flat_map(|a| a.values()) {
            let Some(parts) = tuple.as_object().and_then(Array::<Value>::try_ref) else { continue };
            let mut parts: Vec<Value> = parts.values().iter().map(plain_int).collect();
            let Some(Value::Int(index)) = parts.first() else { continue };
            let region = usize::try_from(*index).ok().and_then(|index| block.writes.get(index));
            if let (Some(region), Some(first)) = (region, parts.first_mut()) {
                *first = Value::Int(-1);
                let tuple = Value::Node(Array::of_values(parts).into_object());
                found.entry(region.buffer.data.object().clone()).or_default().push(tuple);
            }
        }
    }
    found
}

/// A literal as an integer.
fn plain_int(value: &Value) -> Value {
    let literal = value.as_object().and_then(|object| object.as_node::<IntImm>());
    literal.map_or_else(|| value.clone(), |literal| Value::Int(literal.value))
}

/// Separates the annotations that become attributes, sorted by key, from the others.
fn split(annotations: &Map<Str, Value>) -> Result<(Vec<Pragma>, Map<Str, Value>)> {
    let (mut pragmas, mut others) = (Vec::new(), Vec::new());
    for (key, value) in annotations.iter() {
        if key.starts_with("pragma_") {
            pragmas.push((key.clone(), attribute_value(key, value)?));
        } else {
            others.push((key.clone(), value.clone()));
        }
    }
    pragmas.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
    Ok((pragmas, if others.len() == annotations.len() { annotations.clone() } else { Map::new(others) }))
}

/// The value of an annotation as that of an attribute.
fn attribute_value(key: &Str, value: &Value) -> Result<Expr> {
    let object = value.as_object();
    if let Some(expr) = object.and_then(|object| object.downcast_ref::<PrimExpr>()) {
        return Ok(expr.clone());
    }
    if let Some(text) = object.and_then(|object| Str::try_ref(object)) {
        return Ok(StringImm::new(text.clone()));
    }
    match *value {
        Value::Int(value) => Ok(match i32::try_from(value) {
            Ok(value) => IntImm::int32(value),
            Err(_) => IntImm::int64(value),
        }),
        Value::Bool(value) => Ok(IntImm::bool(value)),
        Value::Float(value) => Ok(FloatImm::try_new(DataType::float(32), value)?),
        _ => Err(PassError::unsupported(format!("the annotation `{key}` is neither a scalar nor a string"))),
    }
}

/// A statement below attributes, the first one outermost.
fn with_attributes(body: StmtRef, node: &Value, pragmas: Vec<Pragma>) -> StmtRef {
    pragmas.into_iter().rev().fold(body, |body, (attr_key, value)| {
        let span = Span::current();
        Ref::new(AttrStmt { span, node: node.clone(), attr_key, value, body }).upcast()
    })
}

/// The extents to allocate, with the padding that strides ask for.
fn allocated_extents(buffer: &Buffer) -> Result<Array<Expr>> {
    if buffer.strides.is_empty() {
        return Ok(buffer.shape.clone());
    }
    let strides: Vec<&Expr> = buffer.strides.iter().collect();
    let mut extents: Vec<Expr> = buffer.shape.iter().take(1).cloned().collect();
    for pair in strides.windows(2) {
        let [outer, inner] = *pair else { continue };
        let rest = ops::floormod(outer.clone(), inner.clone())?;
        let zero = IntImm::try_new(rest.dtype(), 0)?;
        if !Analyzer::new().can_prove_equal(&rest, &zero) {
            let name = buffer.name.get();
            return Err(PassError::unsupported(format!(
                "a stride of `{name}` is not a multiple of the next"
            )));
        }
        extents.push(ops::truncdiv(outer.clone(), inner.clone())?);
    }
    Ok(Array::new(extents))
}

impl Lower {
    fn realize(&mut self, realize: &BlockRealize) -> Result<StmtRef> {
        if !realize.iter_values.is_empty() {
            let name = &realize.block.name_hint;
            return Err(PassError::unsupported(format!("the block \"{name}\" has axes")));
        }
        let block = rewrite::block(self, &realize.block)?;
        let predicate = self.expr(&realize.predicate)?;
        let mut body = self.visits.absorb(block.body.clone(), realize.span);
        if !ops::is_one(&predicate) {
            body = conditional(predicate, body, None);
        }
        for buffer in block.alloc_buffers.iter().rev() {
            body = self.allocate(buffer, body)?;
        }
        let zero = Value::Node(IntImm::int32(0).into_object());
        Ok(with_attributes(body, &zero, split(&block.annotations)?.0))
    }

    /// Allocates and declares a buffer around a statement.
    fn allocate(&self, buffer: &Ref<Buffer>, body: StmtRef) -> Result<StmtRef> {
        let span = Span::current();
        let body = Ref::new(DeclBuffer { span, buffer: buffer.clone(), body }).upcast();
        let annotations = match self.alignments.get(buffer.data.object()) {
            Some(tuples) => {
                let tuples = Array::of_values(tuples.iter().cloned());
                Map::new([(Str::new("buffer_dim_align"), Value::Node(tuples.into_object()))])
            }
            None => Map::default(),
        };
        let (extents, always) = (allocated_extents(buffer)?, IntImm::bool(true));
        Allocate::try_new(buffer.data.clone(), buffer.dtype, extents, always, body, annotations)
            .map_err(|error| PassError::unsupported(error.to_string()))
    }

    fn for_loop(&mut self, stmt: &StmtRef, s: &For) -> Result<StmtRef> {
        let (min, extent) = (self.expr(&s.min)?, self.expr(&s.extent)?);
        let is_unit = ops::is_one(&extent) && s.annotations.is_empty();
        if is_unit {
            let value = ops::cast(s.loop_var.dtype, min.clone())?;
            self.units.insert(s.loop_var.object().clone(), value.into_object());
        }
        let body = visit(self, &s.body)?;
        let (pragmas, annotations) = split(&s.annotations)?;
        let new = match &s.thread_binding {
            Some(thread) if s.kind == ForKind::ThreadBinding => launch(s, thread, min, extent, body),
            _ if is_unit => return Ok(self.visits.absorb(body, s.span)),
            _ => edit::<For>(stmt, |s| {
                (s.min, s.extent, s.body, s.annotations) = (min, extent, body, annotations);
                s.thread_binding = None;
            }),
        };
        Ok(with_attributes(new, &Value::Node(s.loop_var.object().clone()), pragmas))
    }
}

/// The attribute that binds a variable to a thread.
fn launch(s: &For, thread: &IterVar, min: Expr, extent: Expr, body: StmtRef) -> StmtRef {
    let tag = thread.thread_tag.clone();
    let is_virtual = matches!(tag.as_str(), "vthread" | "vthread.x" | "vthread.y" | "vthread.z");
    let key = if is_virtual { "virtual_thread" } else { "thread_extent" };
    let axis = Ref::new(IterVar {
        dom: Some(Range::from_min_extent(min, extent.clone())),
        var: s.loop_var.clone(),
        iter_type: IterType::ThreadIndex,
        thread_tag: tag,
    });
    let (span, node) = (Span::current(), Value::Node(axis.into_object()));
    Ref::new(AttrStmt { span, node, attr_key: Str::new(key), value: extent, body }).upcast()
}

impl Rewriter for Lower {
    fn visits(&mut self) -> &mut Visits {
        &mut self.visits
    }

    fn stmt(&mut self, stmt: &StmtRef) -> Result<StmtRef> {
        match stmt.kind() {
            StmtKind::BlockRealize(realize) => self.realize(realize),
            StmtKind::For(s) => self.for_loop(stmt, s),
            _ => rewrite::children(self, stmt),
        }
    }

    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        rewrite::replaced(expr, &self.units)
    }
}
