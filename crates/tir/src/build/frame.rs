//! Frames of the dialect: what is open while a function is built, and what each becomes when it closes.

use std::any::Any;

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::{Array, DataType, Map, Object, Ref, Span, Str, Value};
use tvmscript_irbuilder::{BuildError, BuildErrorKind, Builder, Frame, Result, ScriptValue};
use tvmscript_prim::{Expr, IntImm, Range, StringImm, Var};

use super::block::BlockFrame;
use super::function::PrimFuncFrame;
use super::loops::ForFrame;
use crate::node::*;

/// One open scope: the statements so far, and what it becomes.
#[derive(Debug)]
pub struct TirFrame {
    /// The statements so far.
    pub stmts: Vec<StmtRef>,
    /// What the frame becomes.
    pub kind: FrameKind,
    span: Span,
}

/// What a frame becomes when it closes.
#[derive(Debug)]
pub enum FrameKind {
    /// A function.
    PrimFunc(Box<PrimFuncFrame>),
    /// A block.
    Block(Box<BlockFrame>),
    /// The initialisation of the block around it.
    Init,
    /// One loop, or several nested ones.
    For(Box<ForFrame>),
    /// A loop as long as a condition holds.
    While {
        /// The condition.
        condition: Expr,
    },
    /// A conditional; its branches are frames of their own.
    If {
        /// The condition.
        condition: Expr,
        /// The first branch, once closed.
        then_case: Option<StmtRef>,
        /// The second branch, once closed.
        else_case: Option<StmtRef>,
    },
    /// The first branch of the conditional around it.
    Then,
    /// The second branch of the conditional around it.
    Else,
    /// A bound value.
    Let {
        /// The variable.
        var: Ref<Var>,
        /// Its value.
        value: Expr,
    },
    /// A note.
    Attr {
        /// What it speaks of.
        node: Value,
        /// What it says.
        key: Str,
        /// With which value.
        value: Expr,
    },
    /// A condition that must hold.
    Assert {
        /// The condition.
        condition: Expr,
        /// What is said when it does not.
        message: Expr,
    },
    /// Part of a buffer that is computed.
    Realize {
        /// Which part.
        region: Ref<BufferRegion>,
        /// Where it is stored, unless nothing says it.
        scope: Option<Str>,
        /// Whether it is allocated.
        condition: Expr,
    },
    /// A thread.
    LaunchThread {
        /// The thread's variable and domain.
        thread: Ref<IterVar>,
        /// What kind of thread.
        key: Str,
        /// How many threads.
        extent: Expr,
    },
    /// Memory.
    Allocate {
        /// The pointer.
        var: Ref<Var>,
        /// The element type.
        dtype: DataType,
        /// Elements per dimension.
        extents: Array<Expr>,
        /// Whether it is allocated.
        condition: Expr,
        /// Notes to passes.
        annotations: Map<Str, Value>,
    },
    /// Constant memory.
    AllocateConst {
        /// The pointer.
        var: Ref<Var>,
        /// The elements.
        data: Ref<TensorNode>,
        /// The element type.
        dtype: DataType,
        /// Elements per dimension.
        extents: Array<Expr>,
        /// Notes to passes.
        annotations: Map<Str, Value>,
    },
    /// A declared buffer.
    DeclBuffer {
        /// The buffer.
        buffer: Ref<Buffer>,
        /// Its memory is allocated with it.
        allocates: bool,
    },
}

impl TirFrame {
    /// A frame without statements.
    pub fn new(kind: FrameKind) -> TirFrame {
        TirFrame { stmts: Vec::new(), kind, span: Span::current() }
    }

    /// The variables of a loop.
    pub fn loop_vars(&self) -> Option<Vec<Ref<Var>>> {
        match &self.kind {
            FrameKind::For(loops) => Some(loops.vars().to_vec()),
            _ => None,
        }
    }

    /// Adds a statement to the innermost frame that takes statements; without one, it is the builder's result.
    ///
    /// # Errors
    /// When no builder is open.
    pub fn add(stmt: StmtRef) -> Result<()> {
        Builder::add_stmt(stmt.into())
    }
}

impl Frame for TirFrame {
    fn name(&self) -> &'static str {
        match &self.kind {
            FrameKind::PrimFunc(_) => "T.prim_func",
            FrameKind::Block(_) => "T.block",
            FrameKind::Init => "T.init",
            FrameKind::For(frame) => frame.name,
            FrameKind::While { .. } => "T.While",
            FrameKind::If { .. } => "T.If",
            FrameKind::Then => "T.Then",
            FrameKind::Else => "T.Else",
            FrameKind::Let { .. } => "T.LetStmt",
            FrameKind::Attr { .. } => "T.attr",
            FrameKind::Assert { .. } => "T.Assert",
            FrameKind::Realize { .. } => "T.realize",
            FrameKind::LaunchThread { .. } => "T.launch_thread",
            FrameKind::Allocate { .. } => "T.allocate",
            FrameKind::AllocateConst { .. } => "T.allocate_const",
            FrameKind::DeclBuffer { .. } => "T.decl_buffer",
        }
    }

    fn enter(&mut self) -> Result<ScriptValue> {
        Ok(match &self.kind {
            FrameKind::For(frame) => frame.value(),
            FrameKind::Let { var, .. }
            | FrameKind::Allocate { var, .. }
            | FrameKind::AllocateConst { var, .. } => var.clone().into(),
            FrameKind::DeclBuffer { buffer, .. } => buffer.clone().into(),
            FrameKind::LaunchThread { thread, .. } => thread.var.clone().into(),
            FrameKind::Init => {
                super::block::check_init()?;
                ScriptValue::None
            }
            FrameKind::Then | FrameKind::Else => {
                super::stmt::check_branch(matches!(self.kind, FrameKind::Else))?;
                ScriptValue::None
            }
            _ => ScriptValue::None,
        })
    }

    fn close(self: Box<Self>) -> Result<()> {
        let TirFrame { stmts, kind, span } = *self;
        let outer = Span::set_current(span);
        let result = close(kind, stmts);
        Span::set_current(outer);
        result
    }

    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        stmt.downcast::<Stmt>().map(|stmt| self.stmts.push(stmt)).err()
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn close(kind: FrameKind, stmts: Vec<StmtRef>) -> Result<()> {
    let kind = match kind {
        FrameKind::PrimFunc(frame) => return frame.close(stmts),
        kind => kind,
    };
    // A trailing `T.evaluate(0)` is kept: TVM drops it, and its own text then reads back as other IR.
    let body = flatten(stmts, true);
    let stmt = match kind {
        FrameKind::PrimFunc(_) => return Ok(()),
        FrameKind::Block(frame) => frame.close(body)?,
        FrameKind::Init => return super::block::set_init(body),
        FrameKind::For(frame) => frame.close(body)?,
        FrameKind::While { condition } => Ref::new(While { span: Span::current(), condition, body }).upcast(),
        FrameKind::If { condition, then_case, else_case } => {
            super::stmt::close_if(condition, then_case, else_case)?
        }
        FrameKind::Then => return super::stmt::set_branch(false, body),
        FrameKind::Else => return super::stmt::set_branch(true, body),
        FrameKind::Let { var, value } => LetStmt::try_new(var, value, body)?,
        FrameKind::Attr { node, key, value } => attr(node, key, value, body),
        FrameKind::Assert { condition, message } => AssertStmt::try_new(condition, message, body)?,
        FrameKind::Realize { region, scope, condition } => {
            let buffer = region.buffer.clone();
            let bounds = region.region.clone();
            let span = Span::current();
            let inner = BufferRealize { span, buffer: buffer.clone(), bounds, condition, body };
            let inner = Ref::new(inner).upcast();
            match scope {
                Some(scope) => attr(buffer.into(), "realize_scope".into(), StringImm::new(scope), inner),
                None => inner,
            }
        }
        FrameKind::LaunchThread { thread, key, extent } => attr(thread.into(), key, extent, body),
        FrameKind::Allocate { var, dtype, extents, condition, annotations } => {
            Allocate::try_new(var, dtype, extents, condition, body, annotations)?
        }
        FrameKind::AllocateConst { var, data, dtype, extents, annotations } => Ref::new(AllocateConst {
            span: Span::current(),
            buffer_var: var,
            data: Some(data),
            irmod_storage_idx: None,
            dtype,
            extents,
            body,
            annotations,
        })
        .upcast(),
        FrameKind::DeclBuffer { buffer, allocates } => {
            let declared =
                Ref::new(DeclBuffer { span: Span::current(), buffer: buffer.clone(), body }).upcast();
            match allocates {
                false => declared,
                true => Allocate::try_new(
                    buffer.data.clone(),
                    buffer.dtype,
                    buffer.shape.clone(),
                    IntImm::bool(true),
                    declared,
                    Map::default(),
                )?,
            }
        }
    };
    TirFrame::add(stmt)
}

fn attr(node: Value, attr_key: Str, value: Expr, body: StmtRef) -> StmtRef {
    Ref::new(AttrStmt { span: Span::current(), node, attr_key, value, body }).upcast()
}

/// Sets what a scope may have once.
pub(crate) fn set_once<T>(slot: &mut Option<T>, value: T, what: &str) -> Result<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(BuildErrorKind::Repeated { what: what.to_owned() }.into()),
    }
}

/// The error of a function called outside the frame it belongs to.
pub(crate) fn wrong_frame(function: &str, expected: &'static str) -> BuildError {
    let found = match Builder::top_name() {
        Some(name) => format!("the innermost scope is `{name}`"),
        None => "no scope is open".to_owned(),
    };
    BuildErrorKind::WrongFrame { function: function.to_owned(), expected, found }.into()
}

/// The domain of the loop variable, if an open loop defines it.
pub(crate) fn loop_domain(var: &Ref<Var>) -> Result<Option<Ref<Range>>> {
    Builder::find(|frame: &mut TirFrame| match &frame.kind {
        FrameKind::For(loops) => loops.domain_of(var),
        _ => None,
    })
}
