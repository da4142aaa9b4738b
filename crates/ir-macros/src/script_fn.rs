//! `#[script_fn]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Expr, FnArg, ItemFn, LitStr, Meta, Pat, Result, ReturnType, Type};

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plain,
    KeywordOnly,
    Args,
    Kwargs,
}

struct Parameter {
    ident: syn::Ident,
    ty: Type,
    kind: Kind,
    default: Option<Expr>,
}

impl Parameter {
    fn is_required(&self) -> bool {
        self.default.is_none() && matches!(self.kind, Kind::Plain | Kind::KeywordOnly)
    }
}

fn parameter(arg: &FnArg) -> Result<Parameter> {
    let FnArg::Typed(arg) = arg else {
        return Err(syn::Error::new_spanned(arg, "a script function has no receiver"));
    };
    let Pat::Ident(pat) = &*arg.pat else {
        return Err(syn::Error::new_spanned(&arg.pat, "a parameter of a script function is a plain name"));
    };
    let mut out =
        Parameter { ident: pat.ident.clone(), ty: (*arg.ty).clone(), kind: Kind::Plain, default: None };
    for attr in &arg.attrs {
        match &attr.meta {
            Meta::NameValue(nv) if nv.path.is_ident("default") => out.default = Some(nv.value.clone()),
            Meta::Path(path) if path.is_ident("kw_only") => out.kind = Kind::KeywordOnly,
            Meta::Path(path) if path.is_ident("args") => out.kind = Kind::Args,
            Meta::Path(path) if path.is_ident("kwargs") => out.kind = Kind::Kwargs,
            other => {
                let message = "expected `#[default = ..]`, `#[kw_only]`, `#[args]` or `#[kwargs]`";
                return Err(syn::Error::new_spanned(other, message));
            }
        }
    }
    Ok(out)
}

fn documentation(attrs: &[Attribute]) -> String {
    let lines = attrs.iter().filter_map(|attr| match &attr.meta {
        Meta::NameValue(nv) if nv.path.is_ident("doc") => match &nv.value {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    lines.map(|l| l.trim().to_owned()).collect::<Vec<_>>().join("\n")
}

/// The default as Python writes it.
fn default_text(default: &Expr) -> String {
    let text = quote!(#default).to_string();
    match text.as_str() {
        "true" => "True".to_owned(),
        "false" => "False".to_owned(),
        _ => match default {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(s), .. }) => format!("{:?}", s.value()),
            Expr::Lit(_) | Expr::Unary(_) => text.replace(' ', ""),
            _ if text.contains("FLOAT32") => "\"float32\"".to_owned(),
            _ if text.contains("INT32") => "\"int32\"".to_owned(),
            _ => "None".to_owned(),
        },
    }
}

pub(crate) fn expand(attr: TokenStream, mut item: ItemFn) -> Result<TokenStream> {
    let mut name = item.sig.ident.to_string();
    name = name.trim_start_matches("r#").trim_end_matches('_').to_owned();
    let parser = syn::meta::parser(|meta| {
        if meta.path.is_ident("name") {
            name = meta.value()?.parse::<LitStr>()?.value();
            return Ok(());
        }
        Err(meta.error("expected `name`"))
    });
    syn::parse::Parser::parse2(parser, attr)?;

    let params = item.sig.inputs.iter().map(parameter).collect::<Result<Vec<_>>>()?;
    for input in &mut item.sig.inputs {
        if let FnArg::Typed(arg) = input {
            arg.attrs.clear();
        }
    }
    let ReturnType::Type(_, returns) = &item.sig.output else {
        return Err(syn::Error::new_spanned(&item.sig, "a script function returns a `Result`"));
    };
    let build = quote!(::tvmscript_irbuilder);
    let doc = documentation(&item.attrs);
    let static_name = format_ident!("{}", item.sig.ident.to_string().trim_end_matches('_').to_uppercase());
    let body_name = item.sig.ident.clone();
    let infos = params.iter().map(|p| {
        let Parameter { ident, ty, kind, default } = p;
        let name = ident.to_string();
        let name = name.trim_start_matches("r#").trim_end_matches('_');
        let default = match default {
            Some(default) => {
                let text = default_text(default);
                quote!(::core::option::Option::Some(#text))
            }
            None => quote!(::core::option::Option::None),
        };
        let (kind, ty) = match kind {
            Kind::Plain => (quote!(Plain), quote!(<#ty as #build::FromScript>::TYPE)),
            Kind::KeywordOnly => (quote!(KeywordOnly), quote!(<#ty as #build::FromScript>::TYPE)),
            Kind::Args => (quote!(Args), quote!("Any")),
            Kind::Kwargs => (quote!(Kwargs), quote!("Any")),
        };
        quote!(#build::Param { name: #name, kind: #build::ParamKind::#kind, default: #default, type_name: #ty })
    });
    let take = params.iter().enumerate().map(|(i, p)| match (p.kind, &p.default) {
        (Kind::Args, _) => quote!(binding.rest(#i)?),
        (Kind::Kwargs, _) => quote!(binding.extra(#i)?),
        (_, None) => quote!(binding.required(#i)?),
        (_, Some(default)) => quote!(match binding.optional(#i)? {
            ::core::option::Option::Some(value) => value,
            ::core::option::Option::None => ::core::convert::Into::into(#default),
        }),
    });
    let vis = &item.vis;
    let static_doc = format!("`{name}` as scripts call it.");
    let face = face(&build, &item, &params, returns, &doc);
    let has_face = face.is_some();
    let (body, call_name) = if has_face {
        let mut body = item.clone();
        let hidden = format_ident!("{}_body", body_name);
        body.sig.ident = hidden.clone();
        body.vis = syn::Visibility::Inherited;
        (quote!(#[allow(clippy::too_many_arguments)] #body), hidden)
    } else {
        (quote!(#item), body_name)
    };
    Ok(quote! {
        #body
        #face
        #[doc = #static_doc]
        #vis static #static_name: #build::ScriptFn = #build::ScriptFn {
            name: #name,
            doc: #doc,
            params: &[#(#infos),*],
            returns: <<#returns as #build::ScriptResult>::Out as #build::IntoScript>::TYPE,
            call: |function, args| {
                #[allow(unused_mut)]
                let mut binding = #build::Binding::new(function, args)?;
                let result = #call_name(#(#take),*)?;
                ::core::result::Result::Ok(#build::IntoScript::into_script(result))
            },
        };
    })
}

/// The Rust face of a function with optional parameters: required arguments, then chained setters.
fn face(
    build: &TokenStream,
    item: &ItemFn,
    params: &[Parameter],
    returns: &Type,
    doc: &str,
) -> Option<TokenStream> {
    if params.iter().all(|p| p.default.is_none()) {
        return None;
    }
    let (vis, name) = (&item.vis, &item.sig.ident);
    let body = format_ident!("{}_body", name);
    let call: String = name
        .to_string()
        .split('_')
        .map(|part| part[..1.min(part.len())].to_uppercase() + part.get(1..).unwrap_or_default())
        .collect();
    let call = format_ident!("{call}Call");
    let struct_doc = format!("A call of [`{name}`] whose optional arguments may still be given.");
    let required: Vec<_> = params.iter().filter(|p| p.is_required()).collect();
    let required_args = required.iter().map(|p| {
        let (ident, ty) = (&p.ident, &p.ty);
        quote!(#ident: impl ::core::convert::Into<#ty>)
    });
    let fields = params.iter().map(|p| {
        let (ident, ty) = (&p.ident, &p.ty);
        if p.default.is_some() { quote!(#ident: ::core::option::Option<#ty>) } else { quote!(#ident: #ty) }
    });
    let init = params.iter().map(|p| {
        let ident = &p.ident;
        match (p.kind, &p.default) {
            (_, Some(_)) => quote!(#ident: ::core::option::Option::None),
            (Kind::Args | Kind::Kwargs, None) => quote!(#ident: ::core::default::Default::default()),
            _ => quote!(#ident: #ident.into()),
        }
    });
    let setters = params.iter().filter(|p| !p.is_required()).map(|p| {
        let (ident, ty) = (&p.ident, &p.ty);
        let doc = format!("Sets `{ident}`.");
        let value = if p.default.is_some() {
            quote!(::core::option::Option::Some(::core::convert::Into::into(value)))
        } else {
            quote!(::core::convert::Into::into(value))
        };
        quote! {
            #[doc = #doc]
            pub fn #ident(mut self, value: impl ::core::convert::Into<#ty>) -> Self {
                self.#ident = #value;
                self
            }
        }
    });
    let pass = params.iter().map(|p| {
        let ident = &p.ident;
        match &p.default {
            Some(default) => quote!(match self.#ident {
                ::core::option::Option::Some(value) => value,
                ::core::option::Option::None => ::core::convert::Into::into(#default),
            }),
            None => quote!(self.#ident),
        }
    });
    Some(quote! {
        #[doc = #doc]
        #[track_caller]
        #vis fn #name(#(#required_args),*) -> #call {
            #call { caller: ::core::panic::Location::caller(), #(#init),* }
        }

        #[doc = #struct_doc]
        #[must_use = "nothing is built before `emit`, `try_emit` or `scope`"]
        #vis struct #call { caller: &'static ::core::panic::Location<'static>, #(#fields),* }

        impl #call { #(#setters)* }

        impl #build::Emit for #call {
            type Out = <#returns as #build::ScriptResult>::Out;
            fn try_emit(self) -> #build::Result<Self::Out> {
                #body(#(#pass),*)
            }
            fn caller(&self) -> &'static ::core::panic::Location<'static> {
                self.caller
            }
        }
    })
}
