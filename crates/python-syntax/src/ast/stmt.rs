//! Statements.

use std::num::NonZeroU32;

use super::{BinOp, ExprId, Keyword, List, Name, Parameter, Pattern, PieceRange};

/// Id of a statement of one [`Ast`](super::Ast).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StmtId(pub(super) NonZeroU32);

impl StmtId {
    /// Dense index, from 1, for arrays indexed by statement.
    pub fn index(self) -> usize {
        self.0.get() as usize
    }
}

macro_rules! statements {
    ($($(#[$doc:meta])* $kind:ident $(($payload:ty))?),* $(,)?) => {
        /// A statement. Each kind has its own struct, so that handlers can be written for one kind.
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

            /// Name of the kind in Python's own tree.
            pub fn as_str(self) -> &'static str {
                match self { $(StmtKind::$kind => stringify!($kind)),* }
            }
        }

        impl Stmt {
            /// The kind of the statement.
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
    /// A statement of Python that scripts cannot contain.
    Unsupported(UnsupportedStmt),
    /// A logical line, with its block, for which a syntax error was reported. The names that it may bind are unknown.
    Invalid,
}

impl StmtKind {
    /// Description for messages.
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
    /// Returns `true` if the statement contains other statements.
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

/// A statement that scripts cannot contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct UnsupportedStmt {
    pub kind: Unsupported,
    /// The statement without `async` or `*`, e.g. the `def` of an `async def`. Other kinds have no children.
    pub plain: Option<StmtId>,
}

impl UnsupportedStmt {
    /// A statement without children.
    pub fn opaque(kind: Unsupported) -> UnsupportedStmt {
        UnsupportedStmt { kind, plain: None }
    }
}

/// Kinds of statements that scripts cannot contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Unsupported {
    AsyncFunctionDef,
    AsyncFor,
    AsyncWith,
    TypeAlias,
    TryStar,
    /// A `class` with type parameters, or a `def` with others than plain names.
    TypeParams,
}

impl Unsupported {
    /// Name of the kind in Python's own tree.
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

    /// Description for messages.
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

/// `if test: body` or `elif test: body`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct Clause {
    pub test: ExprId,
    pub body: List<StmtId>,
    /// Range from `if` or `elif` to the end of the body.
    pub place: PieceRange,
}

/// `case pattern if guard: body`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub struct MatchCase {
    /// The pattern and its parts, in prefix order.
    pub pattern: List<Pattern>,
    /// Names that the pattern binds.
    pub names: List<Name>,
    /// `true` if the pattern matches every subject.
    pub is_irrefutable: bool,
    pub guard: Option<ExprId>,
    pub body: List<StmtId>,
}

/// `from ..module import names`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportFrom {
    /// Dotted name after the leading dots.
    pub module: Option<Name>,
    /// Imported names; `*` is a name.
    pub names: List<Alias>,
    /// Number of leading dots.
    pub level: u32,
}

/// Defines the structs of statements and their parts.
macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $ty:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the fields are those of Python's own tree")]
        pub struct $name { $(pub $field: $ty),* }
    )*};
}

parts! {
    /// `@decorators def name[type_params](params) -> returns: body`. Its range starts at `def`. The
    /// annotation of a type parameter is its bound; it has neither default nor star.
    FunctionDef {
        name: Name,
        name_place: PieceRange,
        type_params: List<Parameter>,
        params: List<Parameter>,
        decorators: List<ExprId>,
        returns: Option<ExprId>,
        body: List<StmtId>,
    }

    /// `@decorators class name(bases, keywords): body`. Its range starts at `class`.
    ClassDef {
        name: Name,
        name_place: PieceRange,
        bases: List<ExprId>,
        keywords: List<Keyword>,
        decorators: List<ExprId>,
        body: List<StmtId>,
    }

    /// `return value`.
    Return { value: Option<ExprId> }

    /// `del targets`.
    Delete { targets: List<ExprId> }

    /// `a = b = value`: one target or more.
    Assign { targets: List<ExprId>, value: ExprId }

    /// `target op= value`.
    AugAssign { target: ExprId, op: BinOp, value: ExprId }

    /// `target: annotation = value`.
    AnnAssign { target: ExprId, annotation: ExprId, value: Option<ExprId> }

    /// `for target in iter: body else: orelse`.
    For { target: ExprId, iter: ExprId, body: List<StmtId>, orelse: List<StmtId> }

    /// `while test: body else: orelse`.
    While { test: ExprId, body: List<StmtId>, orelse: List<StmtId> }

    /// `if` and its `elif` clauses as one flat, non-empty list, then `else`.
    ///
    /// An `else:` that contains only an `if` is kept: `orelse` is then one [`Stmt::If`].
    If { clauses: List<Clause>, orelse: List<StmtId> }

    /// `match subject: cases`.
    Match { subject: ExprId, cases: List<MatchCase> }

    /// `with items: body`.
    With { items: List<WithItem>, body: List<StmtId> }

    /// `context as target` of a `with`.
    WithItem { context: ExprId, target: Option<ExprId> }

    /// `raise exc from cause`.
    Raise { exc: Option<ExprId>, cause: Option<ExprId> }

    /// `try: body`, handlers, `else: orelse`, `finally: finalbody`.
    Try { body: List<StmtId>, handlers: List<ExceptHandler>, orelse: List<StmtId>, finalbody: List<StmtId> }

    /// `except exc as name: body`.
    ExceptHandler { exc: Option<ExprId>, name: Option<Name>, body: List<StmtId>, place: PieceRange }

    /// `assert test, msg`.
    Assert { test: ExprId, msg: Option<ExprId> }

    /// `import names`.
    Import { names: List<Alias> }

    /// `name as asname` of an import; the name may be dotted or `*`.
    Alias { name: Name, asname: Option<Name>, place: PieceRange }

    /// `global names`.
    Global { names: List<Name> }

    /// `nonlocal names`.
    Nonlocal { names: List<Name> }

    /// An expression as a statement.
    ExprStmt { value: ExprId }
}
