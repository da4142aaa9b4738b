//! Words and forms of the dialect's text in a release.
//!
//! The nodes of this crate are those of TVM 0.23. Later releases keep most of them under other words, and replace some
//! statements by others, which the crate of that release adds. A registry of such a release is made with
//! [`dialect_of`](crate::dialect_of).

use std::panic::Location;

use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::{Object, Ref, Registry, Resolver, RewriteError, Slot};
#[cfg(feature = "build")]
use tvmscript_irbuilder::{BuildResult, ScriptValue};
use tvmscript_prim::BaseExpr;
#[cfg(feature = "build")]
use tvmscript_prim::{Expr, Var};

use crate::node::PrimFunc;
#[cfg(feature = "build")]
use crate::node::StmtRef;
use crate::op::Operator;

/// Words and forms of a release.
#[derive(Debug)]
pub struct TirSyntax {
    /// Script functions of this crate that the release lacks, or has with another meaning.
    pub without: &'static [&'static str],
    /// Tests for calls of other nodes than [`Call`](tvmscript_prim::Call): a statement that consists of one prints as the
    /// call alone.
    pub is_call: fn(&Object) -> bool,
    /// The operator of a callee, if it is none of this crate's.
    pub operator_of: fn(&Ref<BaseExpr>) -> Option<&'static Operator>,
    /// A function that a pass makes, in the statements and with the attributes of the release.
    pub made: fn(Ref<PrimFunc>) -> Result<Ref<PrimFunc>, RewriteError>,
    /// A function with scopes that a pass added, in the statements of the release.
    pub lowered: fn(Ref<PrimFunc>) -> Result<Ref<PrimFunc>, RewriteError>,
    /// Statements that end with their line, where TVM 0.23 has scopes.
    #[cfg(feature = "build")]
    pub flat: Option<Flat>,
    /// Printers and forms.
    #[cfg(feature = "print")]
    pub print: crate::print::forms::Forms,
    /// Handlers of statements.
    #[cfg(feature = "parse")]
    pub parse: crate::parse::handlers::Handlers,
}

/// Makes the statements of a release in which bindings and assertions open no scope.
#[cfg(feature = "build")]
#[derive(Debug, Clone, Copy)]
pub struct Flat {
    /// `v: T.int32 = value`
    pub bind: fn(Ref<Var>, Expr) -> BuildResult<StmtRef>,
    /// `assert condition, message`
    pub assert_: fn(Expr, ScriptValue) -> BuildResult<StmtRef>,
}

/// TVM 0.23.
pub static TVM_0_23: TirSyntax = TirSyntax {
    without: &[],
    is_call: |_| false,
    operator_of: |_| None,
    made: Ok,
    lowered: Ok,
    #[cfg(feature = "build")]
    flat: None,
    #[cfg(feature = "print")]
    print: crate::print::forms::TVM_0_23,
    #[cfg(feature = "parse")]
    parse: crate::parse::handlers::TVM_0_23,
};

/// The syntax of a registry.
#[derive(Debug, Default, Clone)]
pub(crate) struct SyntaxSlot(Option<(&'static TirSyntax, RegistrationSite)>);

impl SyntaxSlot {
    #[track_caller]
    pub(crate) fn set(&mut self, syntax: &'static TirSyntax) {
        self.0 = Some((syntax, Location::caller()));
    }
}

impl Slot for SyntaxSlot {
    fn merge(&mut self, other: SyntaxSlot, resolver: &mut Resolver) {
        if let Some((syntax, place)) = other.0
            && resolver.claim("the syntax of `tir`", place)
        {
            self.0 = Some((syntax, place));
        }
    }
}

impl TirSyntax {
    /// The syntax of a registry's dialect.
    pub fn of(registry: &Registry) -> &'static TirSyntax {
        registry.slot::<SyntaxSlot>().and_then(|slot| slot.0).map_or(&TVM_0_23, |(syntax, _)| syntax)
    }
}
