//! Scopes that become statements: bindings, allocations, declared buffers, assertions.
//!
//! A chain of such scopes becomes one sequence. A buffer over the memory of another one gets a data pointer of its own
//! and a declaration, where the older release only names the shared pointer.

use std::collections::{HashMap, HashSet};

use tvmscript_ir_core::{
    Array, DataType, Descend, Map, Mutator, Object, ObjectLike, PtrMap, Ref, RewriteError, Visitor, Walk,
    mutate, structural_equal, with_stack,
};
use tvmscript_prim::{Expr, PointerType, StringImm, Var, ops};
use tvmscript_tir::handles::without_handles;
use tvmscript_tir::{
    Allocate, AssertStmt, Block, BlockRealize, Buffer, BufferParts, DeclBuffer, LetStmt, PrimFunc, SeqStmt,
    StmtRef, flatten,
};
use tvmscript_tirx as tirx;
use tvmscript_tirx::tvm_0_27::calls::{handle_value, pointer_as};

use crate::Level;
use crate::finding::{Finding, codes};

/// Rewrites the bodies of functions, and statements outside functions.
pub(super) fn rewrite(node: Object, to: Level, findings: &mut Vec<Finding>) -> Result<Object, RewriteError> {
    let mut functions = Functions { to, findings, failed: None };
    let node = mutate(node, &mut functions)?;
    match functions.failed {
        Some(error) => Err(error),
        None => Ok(node),
    }
}

struct Functions<'f> {
    to: Level,
    findings: &'f mut Vec<Finding>,
    failed: Option<RewriteError>,
}

impl Mutator for Functions<'_> {
    fn enter(&mut self, node: &Object) -> Descend {
        let is_root = node.is::<PrimFunc>() || node.is::<tvmscript_tir::Stmt>();
        if !is_root {
            return Descend::Into;
        }
        let mut scopes = Scopes { findings: self.findings, memory: Memory::of(node, self.to), failed: None };
        let root = match node.downcast_ref::<PrimFunc>() {
            Some(function) => scopes.parameters(function).into_object(),
            None => node.clone(),
        };
        let new = mutate(root, &mut scopes);
        match (new, scopes.failed) {
            (Ok(new), None) => Descend::Replace(new),
            (Err(error), _) | (_, Some(error)) => {
                self.failed.get_or_insert(error);
                Descend::Keep
            }
        }
    }
}

/// The buffers of a function by the memory that they use.
struct Memory {
    to: Level,
    /// Buffers by the address of their data pointer, in the order of their first use.
    buffers: HashMap<usize, Vec<Ref<Buffer>>>,
    /// Addresses of buffers with a definition of their own, which the memory belongs to.
    owners: HashSet<usize>,
    /// Addresses of buffers that a statement declares.
    declared: HashSet<usize>,
    /// Buffers with a data pointer of their own, by the buffer that they replace.
    replaced: PtrMap<Object>,
}

impl Memory {
    fn of(root: &Object, to: Level) -> Memory {
        let mut memory = Memory {
            to,
            buffers: HashMap::new(),
            owners: HashSet::new(),
            declared: HashSet::new(),
            replaced: PtrMap::default(),
        };
        let _ = Visitor::new().pre_order(root, |node| {
            if let Some(buffer) = node.downcast_ref::<Buffer>() {
                memory.buffers.entry(buffer.data.object().address()).or_default().push(buffer.clone());
            } else if let Some(function) = node.as_node::<PrimFunc>() {
                memory.owners.extend(function.buffer_map.iter().map(|(_, buffer)| buffer.object().address()));
            } else if let Some(block) = node.as_node::<Block>() {
                let matched = block.match_buffers.iter().map(|matched| &matched.buffer);
                memory.owners.extend(block.alloc_buffers.iter().chain(matched).map(|b| b.object().address()));
            } else if let Some(declared) = node.as_node::<DeclBuffer>() {
                memory.declared.insert(declared.buffer.object().address());
            } else if let Some(allocated) = node.as_node::<tirx::AllocBuffer>() {
                memory.owners.insert(allocated.buffer.object().address());
            } else if let Some(declared) = node.as_node::<tirx::DeclBuffer>() {
                let known = if declared.data.is_some() { &mut memory.owners } else { &mut memory.declared };
                known.insert(declared.buffer.object().address());
            }
            Walk::Advance
        });
        memory
    }

    /// The statements that declare the buffers over a pointer without a statement of their own.
    fn declarations(&mut self, data: &Ref<Var>) -> Vec<StmtRef> {
        let buffers = self.buffers.get(&data.object().address()).cloned().unwrap_or_default();
        let mut made = Vec::new();
        for buffer in buffers {
            let address = buffer.object().address();
            if !self.owners.contains(&address) && !self.declared.contains(&address) {
                made.push(self.declare(&buffer));
            }
        }
        made
    }

    /// Declares a buffer over its data pointer, under a pointer of its own.
    fn declare(&mut self, buffer: &Ref<Buffer>) -> StmtRef {
        if self.to <= Level::Flagged {
            let declared = tirx::DeclBuffer { span: buffer.span, buffer: buffer.clone(), data: None };
            return Ref::new(declared).upcast();
        }
        let new = match self.replaced.get(buffer.object()).and_then(|new| new.downcast_ref::<Buffer>()) {
            Some(new) => new.clone(),
            None => {
                let data =
                    Var::with_type(buffer.name.get(), Buffer::pointer_type(buffer.dtype, &buffer.scope()));
                let new = Ref::new(Buffer { data, ..Buffer::clone(buffer) });
                self.replaced.insert(buffer.object().clone(), new.object().clone());
                new
            }
        };
        let data = Some(buffer.data.clone().upcast());
        Ref::new(tirx::DeclBuffer { span: buffer.span, buffer: new, data }).upcast()
    }
}

/// Rewrites the statements of one function.
struct Scopes<'f> {
    findings: &'f mut Vec<Finding>,
    memory: Memory,
    failed: Option<RewriteError>,
}

/// A statement of a chain that opens a scope for the rest of it.
enum Head {
    Flat(StmtRef),
    Allocate(Ref<Allocate>),
    Declare(Ref<DeclBuffer>),
}

impl Mutator for Scopes<'_> {
    fn enter(&mut self, node: &Object) -> Descend {
        if let Some(new) = self.memory.replaced.get(node) {
            return Descend::Replace(new.clone());
        }
        if let Some(shared) = node.as_node::<tirx::DeclBuffer>().filter(|declared| declared.data.is_none())
            && self.memory.to > Level::Flagged
        {
            let declared = self.memory.declare(&shared.buffer);
            return Descend::Replace(self.part(declared).into_object());
        }
        let is_scope = node.is::<LetStmt>()
            || node.is::<AssertStmt>()
            || node.is::<Allocate>()
            || node.is::<DeclBuffer>();
        match node.downcast_ref::<tvmscript_tir::Stmt>().filter(|_| is_scope) {
            Some(stmt) => Descend::Replace(with_stack(|| self.chain(stmt)).into_object()),
            None => Descend::Into,
        }
    }
}

impl Scopes<'_> {
    /// The function with declarations of the buffers over the memory of its parameters.
    fn parameters(&mut self, function: &Ref<PrimFunc>) -> Ref<PrimFunc> {
        let mut made = Vec::new();
        for param in function.params.iter() {
            made.extend(self.memory.declarations(param));
        }
        for (_, buffer) in function.buffer_map.iter() {
            made.extend(self.memory.declarations(&buffer.data));
        }
        let keeps_handles = self.memory.to < Level::Current || function.buffer_map.is_empty();
        if made.is_empty() && keeps_handles {
            return function.clone();
        }
        let mut function = function.clone();
        let changed = function.make_mut();
        changed.body = with_first(made, &changed.body);
        if !keeps_handles {
            self.failed = without_handles(changed, handle_value).err();
        }
        function
    }

    /// A chain of scopes as a sequence.
    fn chain(&mut self, stmt: &StmtRef) -> StmtRef {
        let mut heads: Vec<Head> = Vec::new();
        let mut rest = stmt.clone();
        loop {
            let (head, body) = if let Some(bound) = rest.as_node::<LetStmt>() {
                let LetStmt { span, var, value, body } = bound;
                let value = match var.type_annotation.is::<PointerType>() {
                    true => pointer_as(value.clone(), &var.type_annotation),
                    false => value.clone(),
                };
                let bind = tirx::Bind { span: *span, var: var.clone(), value };
                heads.push(Head::Flat(Ref::new(bind).upcast()));
                for stmt in self.memory.declarations(var) {
                    heads.push(Head::Flat(stmt));
                }
                (None, body.clone())
            } else if let Some(asserted) = rest.as_node::<AssertStmt>() {
                (Some(Head::Flat(assertion(asserted))), asserted.body.clone())
            } else if let Some(allocated) = rest.downcast_ref::<Allocate>() {
                (Some(Head::Allocate(allocated.clone())), allocated.body.clone())
            } else if let Some(declared) = rest.downcast_ref::<DeclBuffer>() {
                (Some(Head::Declare(declared.clone())), declared.body.clone())
            } else if let Some(seq) = rest.as_node::<SeqStmt>() {
                let mut stmts: Vec<StmtRef> = seq.seq.iter().cloned().collect();
                let Some(last) = stmts.pop() else { break };
                heads.extend(stmts.into_iter().map(Head::Flat));
                (None, last)
            } else {
                break;
            };
            heads.extend(head);
            rest = body;
        }
        let mut made: Vec<StmtRef> = Vec::with_capacity(heads.len() + 1);
        let mut merged: HashSet<usize> = HashSet::new();
        for head in heads {
            match head {
                Head::Flat(stmt) => made.push(stmt),
                Head::Allocate(allocated) => self.allocate(&allocated, &mut merged, &mut made),
                Head::Declare(declared) => {
                    if !merged.contains(&declared.buffer.object().address()) {
                        made.push(self.memory.declare(&declared.buffer));
                    }
                }
            }
        }
        made.push(rest);
        let stmts = made.into_iter().map(|stmt| self.part(stmt)).collect();
        flatten(stmts, false)
    }

    fn part(&mut self, stmt: StmtRef) -> StmtRef {
        // A declaration holds the buffer that replaces the old one, whose parts are those of the old tree.
        match mutate(stmt.clone(), self) {
            Ok(new) => new,
            Err(error) => {
                self.failed.get_or_insert(error);
                stmt
            }
        }
    }

    /// An allocation with the buffer that owns its memory, and declarations of the others.
    fn allocate(&mut self, stmt: &Ref<Allocate>, merged: &mut HashSet<usize>, made: &mut Vec<StmtRef>) {
        let Allocate { span, buffer_var, dtype, extents, condition, body: _, annotations } = &**stmt;
        if !ops::is_one(condition) {
            self.findings.push(Finding::loss(
                &codes::CONDITION,
                format!("the allocation of `{}` has a condition", buffer_var.name.get()),
                "allocate under `if`",
                stmt,
            ));
        }
        let buffers = self.memory.buffers.get(&buffer_var.object().address()).cloned().unwrap_or_default();
        let whole = buffers.iter().find(|buffer| is_whole(buffer, *dtype, extents)).cloned();
        // The pointer of an allocation is one that buffers accept.
        let Some(owner) = whole.or_else(|| whole_buffer(buffer_var, *dtype, extents)) else { return };
        merged.insert(owner.object().address());
        self.memory.owners.insert(owner.object().address());
        let annotations: Map<_, _> = annotations.clone();
        made.push(Ref::new(tirx::AllocBuffer { span: *span, buffer: owner, annotations }).upcast());
        made.extend(self.memory.declarations(buffer_var));
    }
}

/// The statement with others in front; inside the root block if it has one.
fn with_first(mut first: Vec<StmtRef>, body: &StmtRef) -> StmtRef {
    if let Some(realize) = body.downcast_ref::<BlockRealize>() {
        let mut realize = realize.clone();
        let block = &mut realize.make_mut().block;
        let inner = &mut block.make_mut().body;
        first.push(inner.clone());
        *inner = flatten(first, true);
        return realize.upcast();
    }
    first.push(body.clone());
    flatten(first, true)
}

/// Returns `true` if a buffer is all of an allocation.
fn is_whole(buffer: &Buffer, dtype: DataType, extents: &Array<Expr>) -> bool {
    let same = |a: &Expr, b: &Expr| match (ops::int_value(a), ops::int_value(b)) {
        (Some(a), Some(b)) => a == b,
        _ => structural_equal(a.as_object(), b.as_object()),
    };
    let size = |extents: &Array<Expr>| {
        extents.iter().try_fold(1_i64, |size, extent| size.checked_mul(ops::int_value(extent)?))
    };
    let is_same_shape = buffer.shape.len() == extents.len()
        && buffer.shape.iter().zip(extents.iter()).all(|(a, b)| same(a, b));
    let is_same_size = || match (size(&buffer.shape), size(extents)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    };
    buffer.dtype == dtype
        && buffer.strides.is_empty()
        && ops::is_zero(&buffer.elem_offset)
        && (is_same_shape || is_same_size())
}

/// A buffer that is all of an allocation.
fn whole_buffer(data: &Ref<Var>, dtype: DataType, extents: &Array<Expr>) -> Option<Ref<Buffer>> {
    let name = data.name.get();
    let parts = BufferParts::compact(name.as_str(), dtype, extents.iter().cloned());
    Buffer::try_new(BufferParts { data: data.clone(), ..parts }).ok()
}

/// An assertion with the kind of error that the release raises for a plain message.
fn assertion(asserted: &AssertStmt) -> StmtRef {
    let AssertStmt { span, condition, message, body: _ } = asserted;
    let text =
        |value: &str| Ref::new(StringImm { span: *span, dtype: DataType::HANDLE, value: value.into() });
    let message = match message.downcast_ref::<StringImm>() {
        Some(message) => message.clone(),
        None => text(""),
    };
    let message_parts = Array::new([message]);
    let error_kind = text("RuntimeError");
    Ref::new(tirx::AssertStmt { span: *span, condition: condition.clone(), error_kind, message_parts })
        .upcast()
}
