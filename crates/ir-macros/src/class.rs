//! `#[derive(Class)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, LitStr, Path, Result};

pub(crate) fn derive(input: DeriveInput) -> Result<TokenStream> {
    let mut key = None;
    let mut parent = None;
    let mut ancestors = Vec::new();
    for attr in input.attrs.iter().filter(|a| a.path().is_ident("class")) {
        attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("key") {
                key = Some(meta.value()?.parse::<LitStr>()?);
            } else if meta.path.is_ident("parent") {
                parent = Some(meta.value()?.parse::<Path>()?);
            } else if meta.path.is_ident("ancestors") {
                ancestors = paths(&meta)?;
            } else {
                return Err(meta.error("expected `key`, `parent` or `ancestors`"));
            }
            Ok(())
        })?;
    }
    let name = &input.ident;
    let key = key.ok_or_else(|| syn::Error::new_spanned(name, "a class needs `#[class(key = \"..\")]`"))?;
    let core = quote!(::tvmscript_ir_core);
    let (parent_info, subclass) = parent_tokens(&core, &quote!(#name), parent.as_ref(), &ancestors);
    Ok(quote! {
        // SAFETY: the entry is registered for this type; an abstract class has no values.
        unsafe impl #core::node::Class for #name {
            #[inline]
            fn type_info() -> &'static #core::type_table::TypeInfo {
                static INFO: ::std::sync::OnceLock<&'static #core::type_table::TypeInfo> = ::std::sync::OnceLock::new();
                INFO.get_or_init(|| #core::type_table::register_class::<#name>(#core::type_table::TypeDecl {
                    key: #key,
                    parent: #parent_info,
                    missing_parent: ::core::option::Option::None,
                    eq: #core::type_table::EqKind::Tree,
                    custom_eq: ::core::option::Option::None,
                    shape: #core::type_table::Shape::Fields,
                    fields: &[],
                }))
            }
        }
        #subclass
    })
}

/// Parses `ancestors(A, B)`.
pub(crate) fn paths(meta: &syn::meta::ParseNestedMeta<'_>) -> Result<Vec<Path>> {
    let inner;
    syn::parenthesized!(inner in meta.input);
    Ok(inner.parse_terminated(Path::parse_mod_style, syn::Token![,])?.into_iter().collect())
}

/// Returns the parent's entry and the `SubclassOf` impls.
pub(crate) fn parent_tokens(
    core: &TokenStream,
    name: &TokenStream,
    parent: Option<&Path>,
    ancestors: &[Path],
) -> (TokenStream, TokenStream) {
    match parent {
        None => (quote!(::core::option::Option::None), quote!()),
        Some(parent) => (
            quote!(::core::option::Option::Some({
                let parent = <#parent as #core::node::Class>::type_info();
                #(assert!(parent.is_a(<#ancestors as #core::node::Class>::type_info()), "not an ancestor");)*
                parent
            })),
            quote! {
                // SAFETY: the type table has the same parent, and checks the payload if the parent is a node.
                unsafe impl #core::node::SubclassOf<#parent> for #name {}
                #(
                    // SAFETY: registration, which precedes any value, checks that the type table agrees.
                    unsafe impl #core::node::SubclassOf<#ancestors> for #name {}
                )*
            },
        ),
    }
}
