//! Macros that declare nodes, classes, script functions and operators.
//!
//! `#[derive(Node)]` declares a node:
//!
//! | on the struct: `#[node(..)]` | meaning |
//! |---|---|
//! | `key = "toy.Trace"` | type key; the struct's name follows a key that ends in a dot |
//! | `parent = Stmt` | parent class; `ancestors(..)` lists further ones to upcast to |
//! | `parent_key = "toy.Step"` | parent class of a dialect that the crate does not depend on; the dialect must be loaded first |
//! | `eq = tree` | rule of structural equality: `tree` (default), `dag`, `free_var`, `const_tree` or `unique` |
//! | `custom_eq = path` | custom comparison, a `CustomEq` |
//! | `by_name = path` | function from a name to the node, whose JSON data is only its field `name` |
//! | `namer = path` | function that sets the name, for nodes without a `NameCell` |
//! | `sequence` | the node lists nodes, and a single element is equivalent to a sequence of one (`SeqStmt`) |
//! | `check = path` | invariants, `fn(&Self) -> Result<(), Invalid>` |
//! | `normalize = path` | restores a normal form after a rewrite, `fn(Ref<Self>) -> Object` |
//! | `defines = path` | lists what the node defines, `fn(&Self, &mut Definitions)` |
//!
//! | on a field: `#[node(..)]` | meaning |
//! |---|---|
//! | `def` | defines the variables in it; see "Order of fields" |
//! | `skip_eq` | ignored by equality and hash; implied for `span` and for a `NameCell` |
//! | `name = ".."` | name in text and JSON |
//! | `class = C` | nodes in an untyped field must be of class `C` |
//! | `derived` | follows from other fields; walks may skip it |
//! | `optional` | left out of JSON while it is `None` |
//!
//! Three kinds of fields have a meaning of their own:
//!
//! - a field `span` of type `Span` is the node's span; equality ignores it;
//! - a field `dtype` of type `DataType` is the node's dtype;
//! - a field of type `NameCell` is the node's name, which builders set; equality ignores it.
//!
//! **Order of fields.** Equality and hash visit fields in declaration order. A `def` field binds the variables in it for
//! the fields after it and for later siblings of the node: in an array of statements, a statement sees the definitions
//! of those before it. A field before the `def` field does not see its definitions. So the operands of a binding come
//! before its `def` field, and the body of a loop after it.
//!
//! `#[derive(Class)]` with `#[class(key = "..", parent = ..)]` on `struct Name(());` declares an abstract class.
//!
//! [`#[script_fn]`](macro@script_fn) on a function that returns a `Result` declares a script function: argument binding,
//! the Rust functions, stub and hover text.
//!
//! [`operators!`] declares the operators of a module.
//!
//! The derives are re-exported by `tvmscript-ir-core`:
//!
//! ```
//! use tvmscript_ir_core::{Class, Node, Ref, structural_equal};
//!
//! /// The class of shapes.
//! #[derive(Class)]
//! #[class(key = "doc.Figure")]
//! struct Figure(());
//!
//! /// A circle; its label is ignored by equality.
//! #[derive(Debug, Clone, Node)]
//! #[node(key = "doc.Circle", parent = Figure)]
//! struct Circle {
//!     radius: i64,
//!     #[node(skip_eq)]
//!     label: i64,
//! }
//!
//! let circle = |label| -> Ref<Figure> { Ref::new(Circle { radius: 2, label }).upcast() };
//! assert!(structural_equal(circle(1).object(), circle(2).object()));
//! ```

#![warn(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing))]

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

/// Declares a script function: a function that scripts call with positional and keyword arguments, and Rust code with
/// typed ones.
///
/// ```text
/// /// The exclusive disjunction of two wires.
/// #[script_fn]
/// pub fn xor(a: Ref<Wire>, b: Ref<Wire>) -> Result<Ref<Wire>> {
///     gate("xor", [a, b])
/// }
/// ```
///
/// expands to three items with the visibility of the function:
///
/// | item | meaning |
/// |---|---|
/// | `fn try_xor(a: Ref<Wire>, b: Ref<Wire>) -> Result<Ref<Wire>>` | the function as written |
/// | `fn xor(a: impl IntoArg<Ref<Wire>>, b: ..) -> Ref<Wire>` | converts its arguments; records an error in the open builder and returns poison |
/// | `static XOR: ScriptFn` | name, documentation, signature and call for scripts; list it in `.functions(..)` of the dialect |
///
/// Trailing underscores are dropped: `fn while_` gives `while_(..)`, `try_while(..)`, `static WHILE` and the name `while`
/// in scripts; those of parameters are dropped in scripts.
///
/// With optional parameters, `xor(..)` takes the required ones and returns a call object. The others are setters, and
/// `emit`, `try_emit`, or for frames `body` and `enter` execute it: `total(1).second(5).emit()`. So does a function
/// without parameters that returns a node or another value, unless it `has_poison`.
///
/// The parameter types implement `FromScript`, the result type `IntoScript`.
///
/// | option | meaning | example |
/// |---|---|---|
/// | `name = ".."` | name in scripts; a dot puts the function in a group | `#[script_fn(name = "Wire")] fn wire()` |
/// | `members = [..]` | functions that are attributes of this one | `members = [FROM_TEXT]` |
/// | `around = path` | a static `Around`: a function that may change the arguments of a call before they are bound, and the forms of calls that it adds | `around = WITHOUT_DTYPE` |
/// | `annotation` | the name also stands for the type of the results in annotations, `a: D.Wire`; stubs declare a class | `#[script_fn(name = "Wire", annotation)]` |
/// | `has_poison` | the result type implements `Poison`, so a function without parameters executes at once | `#[script_fn(has_poison)] fn clock() -> Result<Ref<Wire>>` |
///
/// | on a parameter | meaning | example |
/// |---|---|---|
/// | `#[default = ..]` | optional, with this value: a literal, an array of them, `None`, a constant data type or an enum variant, converted with `Into` | `#[default = 2] bits: i64` |
/// | `#[kw_only]` | by keyword only in scripts | `#[kw_only] #[default = false] negate: bool` |
/// | `#[given]` | a parameter of the Rust function, not a setter, although it has a default in scripts | `#[given] #[default = None] label: Option<Str>` |
/// | `#[args]` | the remaining positional arguments, as a list | `#[args] wires: Vec<Ref<Wire>>` |
/// | `#[kwargs]` | the remaining keyword arguments, with their names | `#[kwargs] options: Vec<(Str, i64)>` |
///
/// The Rust function needs a value to return after an error. For a result of `Ref<C>`, or of a frame whose value is a
/// `Ref<C>`, define one with `poison_node! { C => ..; }`. Without it, the call does not compile, but `try_xor` and
/// `static XOR` do.
#[proc_macro_attribute]
pub fn script_fn(attr: TokenStream, item: TokenStream) -> TokenStream {
    let item = syn::parse_macro_input!(item as syn::ItemFn);
    script_fn::expand(attr.into(), item).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// Declares the operators of a module, one entry per operator. There is one invocation per module.
///
/// ```text
/// operators! {
///     prefix = "toy.";                  // of names in the IR
///     result = Expr;                    // type of a call
///     error = ToyError;                 // of fallible functions
///     script = crate::build::operator;  // module with the script counterpart of each parameter type
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
/// The header has optional keys:
///
/// | key | meaning |
/// |---|---|
/// | `around = convention` | convention of the module `script`, as for [`macro@script_fn`] |
/// | `poison = true` | the result has a poison value |
/// | `namespace = "mem"` | namespace of the names in text |
/// | `effect = Update` | effect of entries that state none |
/// | `call = path` | a function that makes the calls of all entries, from the operator, its script function, the arguments and a function from the index of a parameter to its default value; no typed functions are generated, `= function` is the operator's `make`, and keyword-only parameters and `**rest` are annotations of the call |
///
/// An entry consists of
///
/// - a doc comment and the name in Rust and in text;
/// - parameters, with defaults, `*rest`, `*` before keyword-only ones and `;` before attributes. The type of a parameter
///   without one is `Expr`. A parameter of type `DataType` is not an operand; a default of `None` omits the operand.
///   `..group` inserts the parameters of `params group = (..);`;
/// - the type of a call: `same_as(operand)`, the name of a parameter of type `DataType`, a type, `open` if the place of the
///   call determines it, or `infer(function)`;
/// - optionally `= function`, which makes the call in place of the generated code;
/// - options.
///
/// | option | meaning |
/// |---|---|
/// | `name = ".."`, `text = ".."` | name in the IR, name in scripts |
/// | `attrs = Type` | attributes of a call; the parameters after `;` are the fields |
/// | `attrs = Type { a, b: value, .. }` | fields as written, over the parameters; `..` adds the parameters after `;` |
/// | `args = [b, a]` | operands, where they are not the parameters in order |
/// | `stated = types` | the parameter with the types of the results, which the call states |
/// | `effect = ..`, `hidden` | effect; `.hidden()` on the `Operator` |
/// | `key = value` | any other property: `.with_key(value)` on the `Operator` |
///
/// An entry can end in a block instead of `;`: the body of its script function, with parameters of script types,
/// which returns a `Result` with a builder error. Such an entry has no typed function.
///
/// An entry expands to
///
/// - `fn atan2(y: Expr, x: Expr) -> Expr`, which takes typed arguments only; with `= function` it returns a `Result` if the
///   header has an `error`;
/// - `static ATAN2: Operator`, its record for printers and analyses, listed in `OPERATORS`. The names `Operator`,
///   `ResultType` and `Effect` are resolved in the module; `Operator` has the methods `new`, `call`, `with_effect` and `with_function`,
///   `call_stated` for `stated`, and for types that are not inferred `with_operands`, `call_same_as`, `made_by`, `hidden` and `annotated`;
/// - with the feature `build`, in the module `script`, a `#[script_fn]` of the same name, listed in `FUNCTIONS`.
#[proc_macro]
pub fn operators(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as operators::Operators);
    operators::expand(input).unwrap_or_else(|e| e.to_compile_error()).into()
}
