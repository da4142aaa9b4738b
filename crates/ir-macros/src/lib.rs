//! Derives that make a plain struct a node of the IR.
//!
//! `#[derive(Node)]` is the whole declaration of a node:
//!
//! - `#[node(key = "tir.For", parent = Stmt)]`: the type key and the parent class (`parent_key = "tir.Stmt"` names a
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
//! face, the stub and the hover text. `name = ".."` gives another name in scripts; on parameters `#[default = ..]`,
//! `#[kw_only]`, `#[args]`, `#[kwargs]`. The body returns a `Result`.
//!
//! `#[derive(Class)]` with `#[class(key = "..", parent = ..)]` declares an abstract class on `struct Name(());`.

use proc_macro::TokenStream;

mod class;
mod node;
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
