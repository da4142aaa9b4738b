//! Frames of the dialect: the scopes that are open while a function is built, and the statements that they become.

use tvmscript_ir_core::containers::TensorNode;
use tvmscript_ir_core::{Array, DataType, Map, Object, Ref, Span, Str, Value};
use tvmscript_irbuilder::{BuildError, BuildErrorKind, BuildResult, Builder, CallArgs, Frame, ScriptValue};
use tvmscript_prim::{Expr, IntImm, Range, StringImm, Var};

use super::block::BlockFrame;
use super::function::PrimFuncFrame;
use super::loops::ForFrame;
use crate::node::*;

/// An open scope.
#[derive(Debug)]
pub struct TirFrame {
    /// The statements so far.
    pub stmts: Vec<StmtRef>,
    /// Buffers that wait for a name, each with the index of the statement that computes it.
    pub(crate) unnamed: Vec<(Ref<Buffer>, usize)>,
    /// The construct that the frame becomes.
    pub kind: FrameKind,
    span: Span,
}

/// The construct that a frame becomes when it closes.
#[derive(Debug)]
pub enum FrameKind {
    /// A function.
    PrimFunc(Box<PrimFuncFrame>),
    /// A block.
    Block(Box<BlockFrame>),
    /// The initialization of the enclosing block.
    Init,
    /// One loop, or several nested ones.
    For(Box<ForFrame>),
    /// A `while` loop.
    While {
        /// The condition.
        condition: Expr,
    },
    /// A conditional; its branches are frames of their own.
    If {
        /// The condition.
        condition: Expr,
        /// The closed `then` branch.
        then_case: Option<StmtRef>,
        /// The closed `else` branch.
        else_case: Option<StmtRef>,
    },
    /// The `then` branch of the enclosing conditional.
    Then,
    /// The `else` branch of the enclosing conditional.
    Else,
    /// A binding.
    Let {
        /// The variable.
        var: Ref<Var>,
        /// Its value.
        value: Expr,
    },
    /// An attribute.
    Attr {
        /// Annotated object.
        node: Value,
        /// Attribute key, such as `pragma_unroll`.
        key: Str,
        /// Attribute value.
        value: Expr,
    },
    /// Attributes, outermost first: the object, the key and the value of each.
    Attrs(Vec<(Value, Str, Expr)>),
    /// An assertion.
    Assert {
        /// The condition.
        condition: Expr,
        /// Message on failure.
        message: Expr,
    },
    /// A realized region.
    Realize {
        /// The region.
        region: Ref<BufferRegion>,
        /// Storage scope, if given.
        scope: Option<Str>,
        /// Condition of the allocation.
        condition: Expr,
    },
    /// Threads.
    LaunchThread {
        /// The thread's variable and domain.
        thread: Ref<IterVar>,
        /// Attribute key of the launch.
        key: Str,
        /// Number of threads.
        extent: Expr,
    },
    /// An allocation.
    Allocate {
        /// The pointer.
        var: Ref<Var>,
        /// The element type.
        dtype: DataType,
        /// Elements per dimension.
        extents: Array<Expr>,
        /// Condition of the allocation.
        condition: Expr,
        /// Annotations for passes.
        annotations: Map<Str, Value>,
    },
    /// A constant allocation.
    AllocateConst {
        /// The pointer.
        var: Ref<Var>,
        /// The elements.
        data: Ref<TensorNode>,
        /// The element type.
        dtype: DataType,
        /// Elements per dimension.
        extents: Array<Expr>,
        /// Annotations for passes.
        annotations: Map<Str, Value>,
    },
    /// A declared buffer.
    DeclBuffer {
        /// The buffer.
        buffer: Ref<Buffer>,
        /// Also allocate the buffer's memory.
        allocates: bool,
    },
}

impl TirFrame {
    /// Creates a frame without statements.
    pub fn new(kind: FrameKind) -> TirFrame {
        TirFrame { stmts: Vec::new(), unnamed: Vec::new(), kind, span: Span::current() }
    }

    /// The variables of a loop frame.
    pub fn loop_vars(&self) -> Option<Vec<Ref<Var>>> {
        match &self.kind {
            FrameKind::For(loops) => Some(loops.vars().to_vec()),
            _ => None,
        }
    }

    /// Adds a statement to the innermost frame that takes statements; without one, it becomes the builder's result.
    ///
    /// # Errors
    /// If no builder is open.
    pub fn add(stmt: StmtRef) -> BuildResult<()> {
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
            FrameKind::Attr { .. } | FrameKind::Attrs(_) => "T.attr",
            FrameKind::Assert { .. } => "T.Assert",
            FrameKind::Realize { .. } => "T.realize",
            FrameKind::LaunchThread { .. } => "T.launch_thread",
            FrameKind::Allocate { .. } => "T.allocate",
            FrameKind::AllocateConst { .. } => "T.allocate_const",
            FrameKind::DeclBuffer { .. } => "T.decl_buffer",
        }
    }

    fn enter(&mut self) -> BuildResult<ScriptValue> {
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

    fn arguments(&self) -> CallArgs {
        let positional: Vec<ScriptValue> = match &self.kind {
            FrameKind::While { condition } | FrameKind::If { condition, .. } => {
                vec![condition.clone().into()]
            }
            FrameKind::PrimFunc(function) => function.arguments(),
            FrameKind::Let { var, value } => {
                let mut args = CallArgs::positional([value.clone().into()]);
                args.keywords.push(("var".into(), var.clone().into()));
                return args;
            }
            FrameKind::Assert { condition, message } => {
                let message = match message.as_node::<StringImm>() {
                    Some(text) => ScriptValue::Str(text.value.clone()),
                    None => message.clone().into(),
                };
                vec![condition.clone().into(), message]
            }
            _ => Vec::new(),
        };
        CallArgs::positional(positional)
    }

    fn close(self: Box<Self>) -> BuildResult<()> {
        let TirFrame { stmts, kind, span, .. } = *self;
        let outer = Span::set_current(span);
        let result = close(kind, stmts);
        Span::set_current(outer);
        result
    }

    fn take_stmt(&mut self, stmt: Object) -> Option<Object> {
        stmt.downcast::<Stmt>().map(|stmt| self.stmts.push(stmt)).err()
    }
}

fn close(kind: FrameKind, stmts: Vec<StmtRef>) -> BuildResult<()> {
    let kind = match kind {
        FrameKind::PrimFunc(frame) => return frame.close(stmts),
        kind => kind,
    };
    // A trailing `T.evaluate(0)` is kept. TVM drops it, so that its own text parses to different IR.
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
        FrameKind::Attrs(entries) => {
            entries.into_iter().rev().fold(body, |body, (node, key, value)| attr(node, key, value, body))
        }
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

/// Sets a property that may be set once per scope.
pub(crate) fn set_once<T>(slot: &mut Option<T>, value: T, what: &str) -> BuildResult<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(BuildErrorKind::Repeated { what: what.to_owned() }.into()),
    }
}

/// The error for a function called outside the frame that it requires.
pub(crate) fn wrong_frame(function: &str, expected: &'static str) -> BuildError {
    let found = match Builder::top_name() {
        Some(name) => format!("the innermost scope is `{}`", in_release(name)),
        None => "no scope is open".to_owned(),
    };
    let (function, expected) = (in_release(function), in_release(expected).into());
    BuildErrorKind::WrongFrame { function, expected, found }.into()
}

/// A part of a message with the names that the release has for functions of TIR, such as `T.block`.
fn in_release(text: &str) -> String {
    let renames = &Builder::release().renames;
    let mut parts = text.split("T.");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        shown.extend(["T.", renames.function_name("tir", name), rest]);
    }
    shown
}

/// The domain of a loop variable, if an open loop defines it.
pub(crate) fn loop_domain(var: &Ref<Var>) -> BuildResult<Option<Ref<Range>>> {
    Builder::find(|frame: &mut TirFrame| match &frame.kind {
        FrameKind::For(loops) => loops.domain_of(var),
        _ => None,
    })
}
