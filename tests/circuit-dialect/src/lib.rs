//! A dialect of logic circuits, written against the documentation of the generic crates alone.
//!
//! A circuit has wires, gates that drive them, and scopes with a clock, which hold registers:
//!
//! ```python
//! @C.circuit
//! def half_adder(a: C.Wire, b: C.Wire):
//!     s = C.xor(a, b)
//!     with C.clocked("clk"):
//!         r = C.register(s)
//!     C.output(s, r)
//! ```
//!
//! Each wire has one driver, which precedes all uses. The scope of a clock does not end the names in it.

pub mod build;
pub mod node;
mod parse;
mod print;

use tvmscript_docsifier::DocsifyDialect as _;
use tvmscript_ir_core::Dialect;
use tvmscript_ir_core::release::{Examples, PythonNames, Release, Renames, Syntax};
use tvmscript_irbuilder::BuildDialect as _;
use tvmscript_python_syntax::ast;
use tvmscript_script_parser::{DecoratorRule, Member, ParseDialect as _, PythonModule, defaults};

use crate::node::{Circuit, Clocked, Gate, Register, Stmt, Wire};

/// The text of circuits: `# from netlist import circuit as C`.
pub static RELEASE: Release = Release {
    name: "netlist",
    version: "1.0",
    syntax: Syntax {
        option_label: "netlist",
        python: PythonNames { script_module: "netlist", package: "netlist", ..PythonNames::NONE },
        examples: Examples { scope: Some("C.clocked(\"clk\")"), function: Some("C.circuit"), class: None },
        ..Syntax::PLAIN
    },
    renames: Renames::NONE,
};

/// Lets scripts import the namespace: `from netlist import circuit as C`.
const MODULES: &[PythonModule] =
    &[PythonModule::new(&["netlist"]).members(&[("circuit", Member::Namespace)])];

/// The dialect.
pub fn dialect() -> Dialect {
    Dialect::new(node::DIALECT)
        .of_release(&RELEASE)
        .alias("C")
        .namespace(&["C"])
        .python_modules(MODULES)
        .functions(build::FUNCTIONS)
        .decorator("circuit", DecoratorRule::Function { define: parse::circuit, declare: None })
        .parse::<ast::Assign>(defaults::assign)
        .parse::<ast::ExprStmt>(defaults::expression::<Stmt>)
        .parse::<ast::With>(defaults::with)
        .fragments(defaults::fragment)
        .node::<Stmt>()
        .node::<Wire>()
        .docsify(print::wire)
        .variable()
        .node::<Gate>()
        .docsify(print::gate)
        .node::<Register>()
        .docsify(print::register)
        .node::<Clocked>()
        .docsify(print::clocked)
        .node::<Circuit>()
        .docsify(print::circuit)
        .finish()
}
