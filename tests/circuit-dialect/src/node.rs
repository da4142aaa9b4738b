//! The nodes of circuits.

use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Array, Class, NameCell, Node, Ref, Span, Str, poison_node};

/// Name of the dialect and of its dispatch token.
pub const DIALECT: &str = "circuit";

/// The kinds of gates: name in scripts and number of inputs.
pub const GATES: &[(&str, usize)] = &[("inv", 1), ("mux", 3), ("nand", 2), ("nor", 2), ("xor", 2)];

/// A statement of a circuit.
#[derive(Class)]
#[class(key = "circuit.Stmt")]
pub struct Stmt(());

/// A wire of one bit. Identity is the node; the name is a hint.
#[derive(Debug, Clone, Node)]
#[node(key = "circuit.Wire", eq = free_var)]
pub struct Wire {
    /// Name hint, which equality ignores.
    pub name: NameCell,
    /// Source position.
    pub span: Span,
}

impl Wire {
    /// Makes a wire at the current source position.
    pub fn new(name: &str) -> Ref<Wire> {
        Ref::new(Wire { name: Str::new(name).into(), span: Span::current() })
    }
}

poison_node! {
    Wire => Wire::new("");
}

/// A gate without state. Equality binds wires in the order of the fields, so the inputs precede the output.
#[derive(Debug, Clone, Node)]
#[node(key = "circuit.Gate", parent = Stmt, check = Gate::check)]
pub struct Gate {
    /// Kind, an entry of [`GATES`].
    pub kind: Str,
    /// Inputs in the order of the kind's parameters.
    pub inputs: Array<Ref<Wire>>,
    /// The driven wire.
    #[node(def)]
    pub output: Ref<Wire>,
    /// Source position.
    pub span: Span,
}

impl Gate {
    /// Checks that the kind exists and has as many inputs.
    pub fn check(&self) -> Checked {
        let Some((_, arity)) = GATES.iter().find(|(kind, _)| self.kind == *kind) else {
            return Err(Invalid::at("kind", format!("there is no gate `{}`", self.kind)));
        };
        if self.inputs.len() != *arity {
            let reason = format!("`{}` has {arity} inputs, not {}", self.kind, self.inputs.len());
            return Err(Invalid::at("inputs", reason));
        }
        Ok(())
    }
}

/// A register: its output is its input at the last tick of the clock around it.
#[derive(Debug, Clone, Node)]
#[node(key = "circuit.Register", parent = Stmt)]
pub struct Register {
    /// The stored wire.
    pub input: Ref<Wire>,
    /// The driven wire.
    #[node(def)]
    pub output: Ref<Wire>,
    /// Source position.
    pub span: Span,
}

/// The scope of a clock.
#[derive(Debug, Clone, Node)]
#[node(key = "circuit.Clocked", parent = Stmt)]
pub struct Clocked {
    /// Name of the clock.
    pub clock: Str,
    /// Statements in order.
    pub body: Array<Ref<Stmt>>,
    /// Source position.
    pub span: Span,
}

/// A circuit.
#[derive(Debug, Clone, Node)]
#[node(key = "circuit.Circuit")]
pub struct Circuit {
    /// Name, which equality compares.
    pub name: Str,
    /// Input wires.
    #[node(def)]
    pub inputs: Array<Ref<Wire>>,
    /// Statements in order; a driver precedes the uses of its wire.
    pub body: Array<Ref<Stmt>>,
    /// Output wires.
    pub outputs: Array<Ref<Wire>>,
    /// Source position.
    pub span: Span,
}
