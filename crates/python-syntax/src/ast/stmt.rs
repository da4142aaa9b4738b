//! Statements.

use std::num::NonZeroU32;

use super::{BinOp, ExprId, Keyword, List, Name, Parameter, Place};

/// A statement of one [`Ast`](super::Ast).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StmtId(pub(super) NonZeroU32);

impl StmtId {
    /// The dense index of this statement, from 1: tables by statement are plain arrays.
    pub fn index(self) -> usize {
        self.0.get() as usize
    }
}

macro_rules! statements {
    ($($(#[$doc:meta])* $kind:ident $(($payload:ty))?),* $(,)?) => {
        /// A statement: one struct per kind, so that a handler can be written against the kind's type.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Stmt {
            $($(#[$doc])* $kind $(($payload))?,)*
        }

        /// The kinds of [`Stmt`], for tables and messages.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum StmtKind {
            $($(#[$doc])* $kind,)*
        }

        impl StmtKind {
            /// All kinds.
            pub const ALL: &'static [StmtKind] = &[$(StmtKind::$kind),*];

            /// The name of the kind, as in Python's own tree.
            pub fn as_str(self) -> &'static str {
                match self { $(StmtKind::$kind => stringify!($kind)),* }
            }
        }

        impl Stmt {
            /// Which kind of statement it is.
            pub fn kind(&self) -> StmtKind {
                match self { $(Stmt::$kind { .. } => StmtKind::$kind),* }
            }
        }
    };
}

statements! {
    /// `def name(params) -> returns: body`.
    FunctionDef(FunctionDef),
    /// `class name(bases): body`.
    ClassDef(ClassDef),
    /// `return value`.
    Return(Return),
    /// `del targets`.
    Delete(Delete),
    /// `a = b = value`.
    Assign(Assign),
    /// `target op= value`.
    AugAssign(AugAssign),
    /// `target: annotation = value`.
    AnnAssign(AnnAssign),
    /// `for target in iter: body`.
    For(For),
    /// `while test: body`.
    While(While),
    /// `if .. elif .. else ..`.
    If(If),
    /// `with items: body`.
    With(With),
    /// `raise exc from cause`.
    Raise(Raise),
    /// `try .. except .. else .. finally ..`.
    Try(Try),
    /// `assert test, msg`.
    Assert(Assert),
    /// `import names`.
    Import(Import),
    /// `from module import names`.
    ImportFrom(ImportFrom),
    /// `global names`.
    Global(Global),
    /// `nonlocal names`.
    Nonlocal(Nonlocal),
    /// An expression on its own.
    Expr(ExprStmt),
    /// `pass`.
    Pass,
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `match subject: cases`.
    Match(Match),
    /// What Python allows and scripts do not.
    Unsupported(UnsupportedStmt),
    /// A logical line (with its block) that is not Python: a syntax error was reported for it. Names it may have
    /// bound are unknown; whoever reads it says nothing more.
    Invalid,
}

impl StmtKind {
    /// What the statement is called in a message.
    pub fn describe(self) -> &'static str {
        match self {
            StmtKind::FunctionDef => "`def`",
            StmtKind::ClassDef => "`class`",
            StmtKind::Return => "`return`",
            StmtKind::Delete => "`del`",
            StmtKind::Assign => "an assignment",
            StmtKind::AugAssign => "an augmented assignment",
            StmtKind::AnnAssign => "an annotated assignment",
            StmtKind::For => "`for`",
            StmtKind::While => "`while`",
            StmtKind::If => "`if`",
            StmtKind::With => "`with`",
            StmtKind::Raise => "`raise`",
            StmtKind::Try => "`try`",
            StmtKind::Assert => "`assert`",
            StmtKind::Import | StmtKind::ImportFrom => "`import`",
            StmtKind::Global => "`global`",
            StmtKind::Nonlocal => "`nonlocal`",
            StmtKind::Expr => "an expression by itself",
            StmtKind::Pass => "`pass`",
            StmtKind::Break => "`break`",
            StmtKind::Continue => "`continue`",
            StmtKind::Match => "`match`",
            StmtKind::Unsupported | StmtKind::Invalid => "this statement",
        }
    }
}

impl Stmt {
    /// Whether other statements stand inside.
    pub fn has_body(&self) -> bool {
        matches!(
            self,
            Stmt::FunctionDef(_)
                | Stmt::ClassDef(_)
                | Stmt::For(_)
                | Stmt::While(_)
                | Stmt::If(_)
                | Stmt::With(_)
                | Stmt::Try(_)
                | Stmt::Match(_)
                | Stmt::Unsupported(_)
        )
    }
}

/// A statement that scripts do not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnsupportedStmt {
    /// Its kind.
    pub kind: Unsupported,
    /// The statement without what scripts do not have: of `async def` the `def`. Others are kept without children.
    pub plain: Option<StmtId>,
}

impl UnsupportedStmt {
    /// A statement that is kept without children.
    pub fn opaque(kind: Unsupported) -> UnsupportedStmt {
        UnsupportedStmt { kind, plain: None }
    }
}

/// Kinds of statements that scripts do not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Unsupported {
    AsyncFunctionDef,
    AsyncFor,
    AsyncWith,
    TypeAlias,
    TryStar,
    /// A `def` or `class` with `[T]` behind its name.
    TypeParams,
}

impl Unsupported {
    /// The name of the kind, as in Python's own tree.
    pub fn as_str(self) -> &'static str {
        match self {
            Unsupported::AsyncFunctionDef => "AsyncFunctionDef",
            Unsupported::AsyncFor => "AsyncFor",
            Unsupported::AsyncWith => "AsyncWith",
            Unsupported::TypeAlias => "TypeAlias",
            Unsupported::TryStar => "TryStar",
            Unsupported::TypeParams => "TypeVar",
        }
    }

    /// What the statement is called in a message.
    pub fn describe(self) -> &'static str {
        match self {
            Unsupported::AsyncFunctionDef => "`async def`",
            Unsupported::AsyncFor => "`async for`",
            Unsupported::AsyncWith => "`async with`",
            Unsupported::TypeAlias => "`type`",
            Unsupported::TryStar => "`except*`",
            Unsupported::TypeParams => "a definition with type parameters",
        }
    }
}

/// `@decorators def name(params) -> returns: body`. Its range starts at `def`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct FunctionDef {
    pub name: Name,
    pub name_place: Place,
    pub params: List<Parameter>,
    pub decorators: List<ExprId>,
    pub returns: Option<ExprId>,
    pub body: List<StmtId>,
}

/// `@decorators class name(bases, keywords): body`. Its range starts at `class`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct ClassDef {
    pub name: Name,
    pub name_place: Place,
    pub bases: List<ExprId>,
    pub keywords: List<Keyword>,
    pub decorators: List<ExprId>,
    pub body: List<StmtId>,
}

/// `return value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Return {
    pub value: Option<ExprId>,
}

/// `del targets`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Delete {
    pub targets: List<ExprId>,
}

/// `a = b = value`: one target or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Assign {
    pub targets: List<ExprId>,
    pub value: ExprId,
}

/// `target op= value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct AugAssign {
    pub target: ExprId,
    pub op: BinOp,
    pub value: ExprId,
}

/// `target: annotation = value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct AnnAssign {
    pub target: ExprId,
    pub annotation: ExprId,
    pub value: Option<ExprId>,
}

/// `for target in iter: body else: orelse`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct For {
    pub target: ExprId,
    pub iter: ExprId,
    pub body: List<StmtId>,
    pub orelse: List<StmtId>,
}

/// `while test: body else: orelse`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct While {
    pub test: ExprId,
    pub body: List<StmtId>,
    pub orelse: List<StmtId>,
}

/// `if` and its `elif`s as one flat list (never empty), then `else`.
///
/// An `else:` that holds nothing but an `if` is kept as written: an `orelse` of one [`Stmt::If`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct If {
    pub clauses: List<Clause>,
    pub orelse: List<StmtId>,
}

/// `if test: body` or `elif test: body`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clause {
    /// The condition.
    pub test: ExprId,
    /// What runs if it holds.
    pub body: List<StmtId>,
    /// From `if` or `elif` to the end of the body.
    pub place: Place,
}

/// `match subject: cases`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Match {
    pub subject: ExprId,
    pub cases: List<MatchCase>,
}

/// `case pattern if guard: body`. Of the pattern only the names that it binds are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchCase {
    /// Names that the pattern binds.
    pub names: List<Name>,
    /// Whether every subject matches.
    pub is_irrefutable: bool,
    /// The condition behind the pattern.
    pub guard: Option<ExprId>,
    /// What runs if the pattern matches and the guard holds.
    pub body: List<StmtId>,
}

/// `with items: body`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct With {
    pub items: List<WithItem>,
    pub body: List<StmtId>,
}

/// `context as target` of a `with`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct WithItem {
    pub context: ExprId,
    pub target: Option<ExprId>,
}

/// `raise exc from cause`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Raise {
    pub exc: Option<ExprId>,
    pub cause: Option<ExprId>,
}

/// `try: body`, handlers, `else: orelse`, `finally: finalbody`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Try {
    pub body: List<StmtId>,
    pub handlers: List<ExceptHandler>,
    pub orelse: List<StmtId>,
    pub finalbody: List<StmtId>,
}

/// `except exc as name: body`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct ExceptHandler {
    pub exc: Option<ExprId>,
    pub name: Option<Name>,
    pub body: List<StmtId>,
    pub place: Place,
}

/// `assert test, msg`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Assert {
    pub test: ExprId,
    pub msg: Option<ExprId>,
}

/// `import names`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Import {
    pub names: List<Alias>,
}

/// `from ..module import names`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportFrom {
    /// The dotted name behind the dots, if any.
    pub module: Option<Name>,
    /// What is imported; `*` is a name.
    pub names: List<Alias>,
    /// Number of leading dots.
    pub level: u32,
}

/// `name as asname` of an import; the name may be dotted or `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Alias {
    pub name: Name,
    pub asname: Option<Name>,
    pub place: Place,
}

/// `global names`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Global {
    pub names: List<Name>,
}

/// `nonlocal names`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Nonlocal {
    pub names: List<Name>,
}

/// An expression as a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct ExprStmt {
    pub value: ExprId,
}
