//! Block completion: adds what a script leaves out when its function closes.
//!
//! [`complete`] wraps the body in the implicit root block if necessary, and finds the regions of blocks that do not
//! declare them. Such blocks have the annotation [`DETECT_ACCESS`], which is removed. A function that declares all
//! regions costs one walk over its statements and keeps its nodes.
//!
//! Upstream counterpart: `ScriptComplete`, `src/tir/ir/script/script_complete.cc`.

mod accesses;
mod regions;

use tvmscript_ir_core::mutate::{Descend, Mutator, mutate};
use tvmscript_ir_core::{Array, DataType, Map, Object, PtrMap, Ref, RewriteError, Span, Str, Value};
use tvmscript_prim::{IntImm, PrimExprExt, Var};

use crate::node::*;

pub use regions::{AccessRegions, block_access_regions};

/// Annotation of blocks whose regions are to be found: bit 0 for reads, bit 1 for writes.
pub const DETECT_ACCESS: &str = "tir.script_parsing_detect_access";

const DETECT_READS: i64 = 1;
const DETECT_WRITES: i64 = 2;

/// The cause of a failed completion.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompleteErrorKind {
    /// A buffer is used through its data pointer, which hides the accessed region.
    #[error("cannot infer the regions of block \"{block}\": `{buffer}` is used through its data pointer")]
    OpaqueAccess {
        /// The buffer's name.
        buffer: Str,
        /// The block's name.
        block: Str,
    },
    /// The value of a block axis is not a signed integer.
    #[error("the value of a block's axis must be a signed integer, not `{found}`")]
    AxisValue {
        /// Its type.
        found: DataType,
    },
    /// The expressions of a block are too large to search for regions.
    #[error("cannot infer the regions of block \"{block}\": it has more than {limit} expressions")]
    TooLarge {
        /// The block's name.
        block: Str,
        /// The maximum number of visited expressions.
        limit: u64,
    },
    /// The completed function violates an invariant of its nodes.
    #[error("the completed function is invalid: {0}")]
    Invalid(RewriteError),
}

/// An error with its span.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct CompleteError {
    /// The cause.
    pub kind: CompleteErrorKind,
    /// Span of the node; unknown if it has none.
    pub span: Span,
}

impl CompleteError {
    /// Suggests a fix.
    pub fn help(&self) -> Option<&'static str> {
        match self.kind {
            CompleteErrorKind::OpaqueAccess { .. } | CompleteErrorKind::TooLarge { .. } => {
                Some("declare them with `T.reads(..)` and `T.writes(..)`")
            }
            CompleteErrorKind::AxisValue { .. } | CompleteErrorKind::Invalid(_) => None,
        }
    }
}

/// A result with a [`CompleteError`].
pub type CompleteResult<T> = Result<T, CompleteError>;

/// Adds the root block and all regions to a function. `root_buffers` are the buffers allocated at its top level.
///
/// # Errors
/// [`CompleteErrorKind`].
///
/// # Source
/// `ScriptComplete`, `src/tir/ir/script/script_complete.cc`.
pub fn complete(mut function: PrimFunc, root_buffers: Vec<Ref<Buffer>>) -> CompleteResult<PrimFunc> {
    let facts = scan(&function.body)?;
    let mut visible: PtrMap<Ref<Buffer>> = PtrMap::default();
    if facts.detects {
        let buffers = function.buffer_map.iter().map(|(_, buffer)| buffer).chain(&root_buffers);
        visible.extend(buffers.map(|buffer| (buffer.data.object().clone(), buffer.clone())));
    }
    let needs_root = match function.body.as_node::<BlockRealize>() {
        _ if !root_buffers.is_empty() => true,
        Some(realize) => !realize.block.iter_vars.is_empty(),
        None => facts.has_realize,
    };
    if needs_root {
        function.body = root_block(function.body, root_buffers, function.span);
    }
    if facts.detects {
        function.body = find_regions(function.body, visible, 0)?;
    }
    Ok(function)
}

/// Adds all regions to statements outside of a function. The buffers of enclosing scopes are unknown.
///
/// # Errors
/// [`CompleteErrorKind`].
pub fn complete_fragment(body: StmtRef) -> CompleteResult<StmtRef> {
    match scan(&body)?.detects {
        // No block of a fragment stands for the function.
        true => find_regions(body, PtrMap::default(), 1),
        false => Ok(body),
    }
}

fn find_regions(body: StmtRef, visible: PtrMap<Ref<Buffer>>, depth: usize) -> CompleteResult<StmtRef> {
    let mut completer = Completer { visible, declared: Vec::new(), depth, error: None };
    let span = body.span();
    let body = mutate(body, &mut completer);
    match completer.error {
        Some(error) => Err(error),
        None => body.map_err(|error| CompleteError { kind: CompleteErrorKind::Invalid(error), span }),
    }
}

fn root_block(body: StmtRef, alloc_buffers: Vec<Ref<Buffer>>, span: Span) -> StmtRef {
    let block = Ref::new(Block {
        span,
        iter_vars: Array::default(),
        reads: Array::default(),
        writes: Array::default(),
        name_hint: "root".into(),
        alloc_buffers: Array::new(alloc_buffers),
        match_buffers: Array::default(),
        annotations: Map::default(),
        init: None,
        body,
    });
    let predicate = IntImm::bool(true);
    Ref::new(BlockRealize { span, iter_values: Array::default(), predicate, block }).upcast()
}

/// Facts from one walk over the statements.
struct Facts {
    /// There is a block with realize.
    has_realize: bool,
    /// There is a block whose regions are to be found.
    detects: bool,
}

fn scan(body: &StmtRef) -> CompleteResult<Facts> {
    let mut facts = Facts { has_realize: false, detects: false };
    let mut stack = vec![body];
    while let Some(stmt) = stack.pop() {
        let kind = stmt.kind();
        match kind {
            StmtKind::BlockRealize(realize) => {
                facts.has_realize = true;
                check_axis_values(realize)?;
            }
            StmtKind::Block(block) => facts.detects |= detect_mask(block) != 0,
            _ => {}
        }
        kind.for_each_child(|child| stack.push(child));
    }
    Ok(facts)
}

fn check_axis_values(realize: &BlockRealize) -> CompleteResult<()> {
    match realize.iter_values.iter().find(|value| !value.dtype().is_int()) {
        None => Ok(()),
        Some(value) => {
            // The span of a variable is that of its definition.
            let is_var = value.as_node::<Var>().is_some();
            let span = if value.span().is_known() && !is_var { value.span() } else { realize.span };
            Err(CompleteError { kind: CompleteErrorKind::AxisValue { found: value.dtype() }, span })
        }
    }
}

fn detect_mask(block: &Block) -> i64 {
    if block.annotations.is_empty() {
        return 0;
    }
    match block.annotations.get_str(DETECT_ACCESS) {
        Some(Value::Int(mask)) => *mask,
        Some(Value::Node(node)) => node.as_node::<IntImm>().map_or(0, |imm| imm.value),
        _ => 0,
    }
}

/// Completes blocks from the inside out.
struct Completer {
    /// Visible buffers by data pointer.
    visible: PtrMap<Ref<Buffer>>,
    /// For each open declaration of a buffer, whether it made the buffer visible.
    declared: Vec<bool>,
    /// Number of open blocks.
    depth: usize,
    error: Option<CompleteError>,
}

impl Completer {
    fn show(&mut self, buffer: &Ref<Buffer>) {
        self.visible.insert(buffer.data.object().clone(), buffer.clone());
    }

    fn hide(&mut self, buffer: &Buffer) {
        self.visible.remove(buffer.data.object());
    }

    fn leave_block(&mut self, mut block: Ref<Block>) -> Ref<Block> {
        self.depth = self.depth.saturating_sub(1);
        block.alloc_buffers.iter().for_each(|buffer| self.hide(buffer));
        block.match_buffers.iter().for_each(|matched| self.hide(&matched.buffer));
        let mask = detect_mask(&block);
        if mask == 0 || self.error.is_some() {
            return block;
        }
        let found = match block_access_regions(&block, &self.visible) {
            Ok(found) => found,
            Err(error) => {
                self.error = Some(error);
                return block;
            }
        };
        if let Some((buffer, span)) = found.opaque {
            let kind =
                CompleteErrorKind::OpaqueAccess { buffer: buffer.name.get(), block: block.name_hint.clone() };
            self.error = Some(CompleteError { kind, span });
            return block;
        }
        let node = block.make_mut();
        // The outermost block stands for the function, whose regions are those of its parameters.
        if self.depth > 0 {
            if mask & DETECT_READS != 0 {
                node.reads = Array::new(found.reads);
            }
            if mask & DETECT_WRITES != 0 {
                node.writes = Array::new(found.writes);
            }
        }
        let kept = node.annotations.iter().filter(|(key, _)| key.as_str() != DETECT_ACCESS);
        node.annotations = Map::new(kept.map(|(k, v)| (k.clone(), v.clone())).collect::<Vec<_>>());
        block
    }
}

impl Mutator for Completer {
    fn enter(&mut self, node: &Object) -> Descend {
        if self.error.is_some() {
            return Descend::Keep;
        }
        if let Some(block) = node.as_node::<Block>() {
            self.depth += 1;
            block.alloc_buffers.iter().for_each(|buffer| self.show(buffer));
            block.match_buffers.iter().for_each(|matched| self.show(&matched.buffer));
        } else if let Some(declaration) = node.as_node::<DeclBuffer>() {
            let is_new = !self.visible.contains_key(declaration.buffer.data.object());
            self.declared.push(is_new);
            if is_new {
                self.show(&declaration.buffer);
            }
        } else if !node.is::<Stmt>() {
            return Descend::Keep;
        }
        Descend::Into
    }

    fn leave(&mut self, node: Object) -> Object {
        if let Some(declaration) = node.as_node::<DeclBuffer>() {
            if self.declared.pop() == Some(true) {
                self.hide(&declaration.buffer);
            }
            return node;
        }
        match node.downcast::<Block>() {
            Ok(block) => self.leave_block(block).into(),
            Err(node) => node,
        }
    }
}
