//! Derives that make a plain struct a node of the IR.
//!
//! `#[derive(Node)]` is the whole declaration of a node:
//!
//! - `#[node(key = "tir.For", parent = Stmt)]`: the type key (the struct's name follows a key that ends with a dot) and the
//!   parent class (`parent_key = "tir.Stmt"` names a
//!   class of a dialect that this crate does not know; that dialect must be loaded first, else a registry refuses the node); `eq = tree | dag | free_var |
//!   const_tree | unique` says how structural equality treats it (default `tree`), `custom_eq = path` replaces it;
//!   `by_name = path` (a function from a name to the node) says that in JSON the node is only its field `name`;
//!   `sequence` says that the node only lists nodes that may also stand alone in its place (`SeqStmt`);
//!   `check = path` (`fn(&Self) -> Result<(), Invalid>`) declares the node's invariants, which hold wherever reflection
//!   makes or rewrites it; `normalize = path` (`fn(Ref<Self>) -> Object`) restores a normal form after a rewrite;
//!   `defines = path` (`fn(&Self, &mut Definitions)`) names what the node defines, for copies with fresh definitions;
//! - on a field: `#[node(def)]` (defines variables), `#[node(skip_eq)]` (ignored by equality and hash),
//!   `#[node(name = "..")]` (another name in text and JSON), `#[node(class = C)]` (nodes of an untyped field must be of the
//!   class `C`), `#[node(derived)]` (repeats what other fields say; walks may skip it).
//!
//! A field named `span` of type `Span` is the node's span, one named `dtype` of type `DataType` its dtype.
//! `#[script_fn]` on a plain function is the whole declaration of a script function: the binding of arguments, the Rust
//! face, the stub and the hover text. `name = ".."` gives another name in scripts, `around = path` a function that may rewrite
//! the arguments before they are bound, `has_poison` says that the result has a poison value; on parameters
//! `#[default = ..]`, `#[kw_only]`, `#[args]`, `#[kwargs]`. The body returns a `Result`.
//!
//! `operators!` is the whole declaration of the operators of a module. See [`operators!`].
//!
//! `#[derive(Class)]` with `#[class(key = "..", parent = ..)]` declares an abstract class on `struct Name(());`.

use proc_macro::TokenStream;

mod class;
mod node;
mod operators;
mod script_fn;

/// Declares a node; see the crate's documentation.
#[proc_macro_derive(Node, attributes(node))]
pub fn derive_node(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    node::derive(input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// Declares an abstract class; see the crate's documentation.
#[proc_macro_derive(Class, attributes(class))]
pub fn derive_class(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    class::derive(input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// Declares a script function; see the crate's documentation.
#[proc_macro_attribute]
pub fn script_fn(attr: TokenStream, item: TokenStream) -> TokenStream {
    let item = syn::parse_macro_input!(item as syn::ItemFn);
    script_fn::expand(attr.into(), item).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// Declares the operators of a module, one entry each; one invocation per module.
///
/// ```text
/// operators! {
///     prefix = "toy.";                  // before each name in the IR
///     result = Expr;                    // the type of a call
///     error = ToyError;                 // of functions that can fail
///     script = crate::build::operator;  // the script side of each parameter type, under the same name
///
///     /// The arc tangent of `y / x`.
///     atan2(y: Expr, x: Expr) -> same_as(y);
///     /// The value with the bits of another type.
///     reinterpret(dtype: DataType, value: Expr) -> dtype = ops::reinterpret;
///     /// Copies `count` elements.
///     copy(from: Expr, to: Expr, count: Expr = 1, *flags: Expr) -> INT32, name = "toy.mem.copy", effect = Update;
///     /// The absolute value, without an operator of its own.
///     fn abs(x: Expr) = fold::abs;
///
///     params reduction = (x: Expr; axis: Option<Int> = None);
///     /// The sum along an axis.
///     sum(..reduction) -> infer(reduced), attrs = ReductionAttrs;
///     /// Writes values.
///     print(*values: ExprArg) -> infer(nothing), effect = Opaque {
///         Ok(call_of("toy.print", values))
///     }
/// }
/// ```
///
/// Two more keys of the header are optional: `around = function` (of the module `script`, around the binding of arguments), and
/// `poison = true` where the result has a poison value.
///
/// An entry consists of documentation; the name in Rust and in text; the parameters, with defaults, `*rest`, `*` before
/// keyword-only ones and `;` before attributes; the type of a call; optionally `= function`, which makes the call in place of
/// the generated code; and options. The type is `same_as(operand)`, the name of a parameter of type `DataType`, a type, or
/// `infer(function)`. A parameter of type `DataType` is not an operand; a default of `None` leaves the operand out.
/// `..group` stands for the parameters of `params group = (..);`.
///
/// | option | meaning |
/// |---|---|
/// | `name = ".."`, `text = ".."` | name in the IR, name in scripts |
/// | `attrs = Type` | attributes of a call; the parameters after `;` are the fields |
/// | `attrs = Type { a, b: value, .. }` | fields as written, over the parameters; `..` adds the parameters after `;` |
/// | `args = [b, a]` | operands, where they are not the parameters in order |
/// | `stated = types` | the parameter with the types of the results, which the call states |
/// | `effect = ..`, `hidden` | effect; left out of stubs |
/// | `key = value` | any other property: `.with_key(value)` on the `Operator` |
///
/// An entry may end in a block instead of `;`: the body of its script function, on parameters of the types that scripts pass.
/// It returns a `Result` with an error of the builder, and there is no typed function then.
///
/// An entry becomes
///
/// - `fn atan2(y: Expr, x: Expr) -> Expr`, which takes typed arguments only; with `= function` it returns a `Result` if the
///   header has an `error`;
/// - `static ATAN2: Operator`, the properties for printers and analyses, listed in `OPERATORS`. `Operator`, `ResultType` and
///   `Effect` are what these names mean in the module; `Operator` has `new`, `call`, `with_effect` and `with_function`,
///   `call_stated` for `stated`, and for types that are not inferred `with_operands`, `call_same_as`, `made_by` and `hidden`;
/// - with the feature `build`, in the module `script`, a `#[script_fn]` of the same name, listed in `FUNCTIONS`.
#[proc_macro]
pub fn operators(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as operators::Operators);
    operators::expand(input).unwrap_or_else(|e| e.to_compile_error()).into()
}
