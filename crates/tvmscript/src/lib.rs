//! TVMScript outside TVM: reads, builds, prints and compares tensor-compiler IR in a Python-syntax text form.
//!
//! This crate is the facade of the workspace: it re-exports the names that users import, and builds one [`registry()`] of
//! all dialects. It contains no logic. Each layer is a separate crate, re-exported here as a module; a program that needs
//! one layer only, e.g. a printer for its own dialect, can depend on that crate instead.
//!
//! Parsing, printing, and an error:
//!
//! ```
//! # #[cfg(all(feature = "parse", feature = "print"))] {
//! use tvmscript::{ParseOptions, PrinterConfig, parse, print, registry};
//!
//! let text = r#"
//! from tvm.script import tir as T
//!
//! @T.prim_func
//! def add_one(A: T.Buffer(16)):
//!     for i in range(16):
//!         A[i] += 1
//! "#;
//! let parsed = parse("add_one.py", text, registry(), &ParseOptions::default());
//! assert!(parsed.errors.is_empty());
//! let printed = print(&parsed.scripts[0].node, registry(), &PrinterConfig::default())?;
//! assert!(printed.ends_with("A[i] = A[i] + T.float32(1.0)"));
//!
//! let wrong = text.replace("A[i] += 1", "B[i] += 1");
//! let parsed = parse("wrong.py", &wrong, registry(), &ParseOptions::default());
//! assert_eq!(parsed.errors[0].to_string(), "undefined name `B`");
//! let shown = tvmscript::render_errors(&parsed.errors, "wrong.py", &wrong, false);
//! assert!(shown.contains("wrong.py:7:9"), "{shown}");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A long-running process releases sources that it no longer needs, e.g. with `parsed.release_sources()`;
//! see [`SourceId`].
//!
//! Default features: `print` (nodes to text), `build` (script functions in Rust), `parse` (text to nodes, requires
//! `build`). Without `parse`, no Python parser is compiled. The optional feature `ruff` adds ruff's parser of Python, for
//! [`ParseOptions::python`] to select.
#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(feature = "build")]
pub mod builder;
pub mod prelude;

/// Tests the examples of the README.
#[cfg(all(doctest, feature = "parse", feature = "print"))]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Tests the examples of the tutorial on passes.
#[cfg(all(doctest, feature = "parse", feature = "print"))]
#[doc = include_str!("../../../docs/passes.md")]
struct PassesTutorial;

/// Tests the example of the page on builder programs.
#[cfg(all(doctest, feature = "parse", feature = "print"))]
#[doc = include_str!("../../../docs/builder-programs.md")]
struct BuilderProgramsPage;

/// Tests the examples of the page on schedules.
#[cfg(all(doctest, feature = "parse", feature = "print"))]
#[doc = include_str!("../../../docs/schedules.md")]
struct SchedulesPage;

/// Tests the examples of the page on diagnostics.
#[cfg(all(doctest, feature = "parse", feature = "print"))]
#[doc = include_str!("../../../docs/diagnostics.md")]
struct DiagnosticsPage;

pub use tvmscript_arith as arith;
pub use tvmscript_diagnostics as diagnostics;
#[cfg(feature = "files")]
pub use tvmscript_dialect_file as dialect_file;
pub use tvmscript_diff as diff;
#[cfg(feature = "print")]
pub use tvmscript_doc as doc;
#[cfg(feature = "print")]
pub use tvmscript_docsifier as docsifier;
#[cfg(feature = "parse")]
pub use tvmscript_dynamic as dynamic;
#[cfg(feature = "parse")]
pub use tvmscript_explain::expand;
#[cfg(all(feature = "parse", feature = "print"))]
pub use tvmscript_explain::explain;
#[cfg(feature = "models")]
pub use tvmscript_frontend as frontend;
pub use tvmscript_interpreter as interpreter;
pub use tvmscript_ir as ir;
pub use tvmscript_ir_core as ir_core;
#[cfg(feature = "build")]
pub use tvmscript_irbuilder as irbuilder;
pub use tvmscript_pass as pass;
pub use tvmscript_passes as passes;
pub use tvmscript_prim as prim;
#[cfg(feature = "parse")]
pub use tvmscript_python_syntax as python_syntax;
pub use tvmscript_relax as relax;
pub use tvmscript_releases as releases;
pub use tvmscript_schedule as schedule;
#[cfg(feature = "parse")]
pub use tvmscript_script_eval as script_eval;
#[cfg(feature = "parse")]
pub use tvmscript_script_parser as script_parser;
pub use tvmscript_si_builder as si_builder;
#[cfg(feature = "parse")]
pub use tvmscript_stubs as stubs;
pub use tvmscript_te as te;
pub use tvmscript_tir as tir;
pub use tvmscript_tirx as tirx;
pub use tvmscript_tvm_json as tvm_json;
pub use tvmscript_upgrade as upgrade;

pub use tvmscript_diff::{Edit, EditOp, EditScript};
#[cfg(feature = "print")]
pub use tvmscript_docsifier::{DocsifyError, PrinterConfig, print};
pub use tvmscript_ir_core::json::{JsonError, JsonErrorKind};
pub use tvmscript_ir_core::{
    Descend, FieldError, Mismatch, MismatchKind, Mutator, Object, Ref, Registry, RegistryBuilder,
    RegistryErrors, Release, RewriteError, Session, SourceComments, SourceGuard, SourceId, SourceTexts, Span,
    SpanKind, SpanMark, Value, Visitor, Walk, copy_fresh, free_variables, mismatches, mutate,
    nodes_where_span, post_order_mutate, post_order_visit, pre_order_visit, pre_post_order_visit, ptr_map,
    structural_equal, structural_hash, substitute, try_post_order_mutate, visit_nodes,
};

mod json;

pub use json::{
    LoadedJson, from_json, from_tvm_json, load_json, to_json, to_json_of, to_tvm_json, to_tvm_json_of,
};
pub use tvmscript_diagnostics::{Diagnostic, Severity, render as render_errors};
#[cfg(feature = "print")]
pub use tvmscript_docsifier::{DiagnosticOptions, render_diagnostics};
#[cfg(feature = "parse")]
pub use tvmscript_script_parser::{ParseError, ParseOptions, Parsed, Script, parse_script as parse};

use std::sync::OnceLock;

/// The registry of all dialects of this workspace, built on first use.
///
/// To add your own dialect, start from [`registry_builder`].
pub fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY
        .get_or_init(|| registry_builder().build().expect("the dialects of this workspace do not conflict"))
}

/// A session with all dialects of this workspace and the default settings.
///
/// Its release, limits and the filling of spans are fields; options and loaders are made from it:
///
/// ```
/// # #[cfg(all(feature = "parse", feature = "print"))] {
/// use tvmscript::{ParseOptions, PrinterConfig, Session, parse, print, releases::tvm_0_27, session};
///
/// let newer = Session { release: Some(&tvm_0_27::RELEASE), ..session() };
/// let text = "@T.prim_func\ndef f():\n    T.evaluate(0)\n";
/// let parsed = parse("f.py", text, newer.registry, &ParseOptions::of(&newer));
/// let printed = print(&parsed.scripts[0].node, newer.registry, &PrinterConfig::of(&newer))?;
/// assert!(printed.starts_with("# from tvm.script import tirx as T"), "{printed}");
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn session() -> Session<'static> {
    Session::new(registry())
}

/// A registry builder with all dialects and releases of this workspace.
pub fn registry_builder() -> RegistryBuilder {
    RegistryBuilder::new()
        .with(prim::dialect())
        .with(ir::dialect())
        .with(tir::dialect())
        .with(relax::dialect())
        .with(passes::dialect())
        .with(te::dialect())
        .release(releases::tvm_0_27::overlay())
        .release(releases::tvm_0_26::overlay())
        .release(releases::tvm_0_25::overlay())
        .release(releases::tvm_0_24::overlay())
        .release(releases::tilelang_0_25::overlay())
        .release(releases::tirx_0_1::overlay())
}

/// Describes the differences of two nodes, in their text if the feature `print` is on; `None` if they are structurally
/// equal.
pub fn explain_difference(a: &Object, b: &Object) -> Option<String> {
    #[cfg(feature = "print")]
    return diff::render::explain(a, b, registry());
    #[cfg(not(feature = "print"))]
    return diff::explain(a, b);
}

/// Panics unless two nodes are structurally equal; the message is their structural difference ([`mod@diff`]).
///
/// The arguments are handles of any kind: [`Ref`], [`Object`], arrays and maps.
///
/// ```
/// use tvmscript::{assert_structural_eq, tir::Evaluate, prim::IntImm};
///
/// let of = |value| Evaluate::new(IntImm::int32(value));
/// assert_structural_eq!(of(1), of(1));
///
/// let panic = std::panic::catch_unwind(|| assert_structural_eq!(of(1), of(2))).unwrap_err();
/// # #[cfg(feature = "print")]
/// assert!(panic.downcast_ref::<String>().unwrap().ends_with("-T.evaluate(1)\n+T.evaluate(2)\n"));
/// ```
#[macro_export]
macro_rules! assert_structural_eq {
    ($a:expr, $b:expr $(,)?) => {{
        let (a, b) = (&$a, &$b);
        let (a, b) = ($crate::ir_core::ObjectLike::as_object(a), $crate::ir_core::ObjectLike::as_object(b));
        if let ::std::option::Option::Some(difference) = $crate::explain_difference(a, b) {
            ::std::panic!("not structurally equal:\n{difference}");
        }
    }};
}
