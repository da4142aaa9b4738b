//! `#[script_fn]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Expr, FnArg, ItemFn, LitStr, Meta, Pat, Result, ReturnType, Type};

/// The ways in which a parameter takes arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParamKind {
    Plain,
    KeywordOnly,
    /// `*args`.
    Args,
    /// `**kwargs`.
    Kwargs,
}

struct Parameter {
    ident: syn::Ident,
    ty: Type,
    kind: ParamKind,
    default: Option<Expr>,
    /// `true` if it is a parameter of the Rust function despite its default.
    is_given: bool,
}

impl Parameter {
    fn is_required(&self) -> bool {
        self.default.is_none() && matches!(self.kind, ParamKind::Plain | ParamKind::KeywordOnly)
    }
}

fn parameter(arg: &FnArg) -> Result<Parameter> {
    let FnArg::Typed(arg) = arg else {
        return Err(syn::Error::new_spanned(arg, "a script function has no receiver"));
    };
    let Pat::Ident(pat) = &*arg.pat else {
        return Err(syn::Error::new_spanned(&arg.pat, "a parameter of a script function is a plain name"));
    };
    let mut out = Parameter {
        ident: pat.ident.clone(),
        ty: (*arg.ty).clone(),
        kind: ParamKind::Plain,
        default: None,
        is_given: false,
    };
    for attr in &arg.attrs {
        match &attr.meta {
            Meta::NameValue(nv) if nv.path.is_ident("default") => {
                // Tokens passed on by another macro are grouped.
                let mut value = &nv.value;
                while let Expr::Group(group) = value {
                    value = &group.expr;
                }
                out.default = Some(value.clone());
            }
            Meta::Path(path) if path.is_ident("kw_only") => out.kind = ParamKind::KeywordOnly,
            Meta::Path(path) if path.is_ident("given") => out.is_given = true,
            Meta::Path(path) if path.is_ident("args") => out.kind = ParamKind::Args,
            Meta::Path(path) if path.is_ident("kwargs") => out.kind = ParamKind::Kwargs,
            other => {
                let message =
                    "expected `#[default = ..]`, `#[given]`, `#[kw_only]`, `#[args]` or `#[kwargs]`";
                return Err(syn::Error::new_spanned(other, message));
            }
        }
    }
    Ok(out)
}

/// Returns an expression for the documentation: its lines, which are literals or macro calls such as `concat!(..)`.
pub(crate) fn documentation(attrs: &[Attribute]) -> TokenStream {
    let mut parts: Vec<TokenStream> = Vec::new();
    let mut text = String::new();
    let lines = attrs.iter().filter_map(|attr| match &attr.meta {
        Meta::NameValue(nv) if nv.path.is_ident("doc") => Some(&nv.value),
        _ => None,
    });
    for (index, line) in lines.enumerate() {
        if index > 0 {
            text.push('\n');
        }
        match line {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(line), .. }) => text.push_str(line.value().trim()),
            other => {
                let before = std::mem::take(&mut text);
                parts.push(quote!(#before, #other));
            }
        }
    }
    if parts.is_empty() { quote!(#text) } else { quote!(::core::concat!(#(#parts,)* #text)) }
}

/// Returns an expression for what signatures and stubs know of a parameter.
///
/// # Errors
/// Fails for defaults that stubs cannot show.
pub(crate) fn declaration(
    ident: &syn::Ident,
    kind: ParamKind,
    default: Option<&Expr>,
    ty: &TokenStream,
) -> Result<TokenStream> {
    let build = quote!(::tvmscript_irbuilder);
    let name = ident.to_string();
    let name = name.trim_start_matches("r#").trim_end_matches('_');
    let default = match default {
        Some(default) => {
            let text = default_text(default)?;
            quote!(::core::option::Option::Some(#text))
        }
        None => quote!(::core::option::Option::None),
    };
    let typed = quote!(<#ty as #build::FromScript>::TYPE);
    let (kind, ty) = match kind {
        ParamKind::Plain => (quote!(Plain), typed),
        ParamKind::KeywordOnly => (quote!(KeywordOnly), typed),
        ParamKind::Args => (quote!(Args), typed),
        ParamKind::Kwargs => (quote!(Kwargs), quote!(#build::PyType::ANY)),
    };
    Ok(quote!(#build::Param { name: #name, kind: #build::ParamKind::#kind, default: #default, py_type: #ty }))
}

/// Returns a default as Python writes it: literals, arrays of them, `None`, data types, and calls with one of these.
///
/// # Errors
/// Fails for other defaults, which stubs cannot show.
fn default_text(default: &Expr) -> Result<String> {
    let unknown = || {
        syn::Error::new_spanned(
            default,
            "no text in Python: a default is a literal, an array of them, `None`, a data type, or one of these in a call",
        )
    };
    Ok(match default {
        Expr::Group(group) => default_text(&group.expr)?,
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(s), .. }) => format!("{:?}", s.value()),
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(b), .. }) => {
            if b.value { "True" } else { "False" }.to_owned()
        }
        Expr::Lit(_) | Expr::Unary(_) => quote!(#default).to_string().replace(' ', ""),
        Expr::Array(array) => {
            let items = array.elems.iter().map(default_text).collect::<Result<Vec<_>>>()?;
            let comma = if items.len() == 1 { "," } else { "" };
            format!("({}{comma})", items.join(", "))
        }
        Expr::Path(path) => {
            let last = path.path.segments.last().map(|last| last.ident.to_string()).ok_or_else(unknown)?;
            match data_type(&last) {
                Some(dtype) => format!("{dtype:?}"),
                // `None`, or a constant such as `ScopeName::NONE`.
                None if last.eq_ignore_ascii_case("none") => "None".to_owned(),
                // A variant of an enum; its values are names in Python.
                None => return variant(path).ok_or_else(unknown),
            }
        }
        Expr::Call(call) => {
            let arg = call.args.first().filter(|_| call.args.len() == 1).ok_or_else(unknown)?;
            let arg = default_text(arg)?;
            let name = match &*call.func {
                Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
                _ => None,
            };
            match name.as_deref() {
                Some(name @ ("int" | "uint" | "float")) => format!("\"{name}{arg}\""),
                _ => arg,
            }
        }
        _ => return Err(unknown()),
    })
}

/// Returns the text of a data type's constant: `uint32` for `UINT32`.
fn data_type(constant: &str) -> Option<String> {
    let text = constant.to_ascii_lowercase();
    let is_sized = ["int", "uint", "float", "bfloat"].iter().any(|prefix| {
        let width = text.strip_prefix(prefix);
        width.is_some_and(|width| !width.is_empty() && width.bytes().all(|b| b.is_ascii_digit()))
    });
    let is_constant = constant == constant.to_ascii_uppercase();
    (is_constant && (is_sized || matches!(&*text, "bool" | "handle" | "void"))).then_some(text)
}

/// Returns the Python name of `Enum::Variant`.
fn variant(path: &syn::ExprPath) -> Option<String> {
    let mut segments = path.path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let (variant, owner) = (segments.next()?, segments.next()?);
    let is_type =
        |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase()) && name != name.to_ascii_uppercase();
    (is_type(&variant) && is_type(&owner)).then(|| format!("{variant:?}"))
}

pub(crate) fn expand(attr: TokenStream, mut item: ItemFn) -> Result<TokenStream> {
    let mut name = item.sig.ident.to_string();
    name = name.trim_start_matches("r#").trim_end_matches('_').to_owned();
    let mut members: Vec<syn::Path> = Vec::new();
    let mut around: Option<syn::Path> = None;
    let mut has_poison = false;
    let mut is_annotation = false;
    let parser = syn::meta::parser(|meta| {
        if meta.path.is_ident("name") {
            name = meta.value()?.parse::<LitStr>()?.value();
            return Ok(());
        }
        if meta.path.is_ident("members") {
            let value = meta.value()?;
            let list;
            syn::bracketed!(list in value);
            members.extend(list.parse_terminated(syn::Path::parse_mod_style, syn::Token![,])?);
            return Ok(());
        }
        if meta.path.is_ident("around") {
            around = Some(meta.value()?.parse()?);
            return Ok(());
        }
        if meta.path.is_ident("has_poison") {
            has_poison = true;
            return Ok(());
        }
        if meta.path.is_ident("annotation") {
            is_annotation = true;
            return Ok(());
        }
        Err(meta.error("expected `name`, `members`, `around`, `annotation` or `has_poison`"))
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
    let infos = params.iter().map(|Parameter { ident, ty, kind, default, is_given: _ }| {
        declaration(ident, *kind, default.as_ref(), &quote!(#ty))
    });
    let infos = infos.collect::<Result<Vec<_>>>()?;
    let take = params.iter().enumerate().map(|(i, p)| match (p.kind, &p.default) {
        (ParamKind::Args, _) => quote!(binding.rest(#i)?),
        (ParamKind::Kwargs, _) => quote!(binding.extra(#i)?),
        (_, None) => quote!(binding.required(#i)?),
        (_, Some(default)) => quote!(match binding.optional(#i)? {
            ::core::option::Option::Some(value) => value,
            ::core::option::Option::None => ::core::convert::Into::into(#default),
        }),
    });
    let vis = &item.vis;
    let static_doc = format!("The script function `{name}`.");
    let rust_function = rust_function(&build, &item, &params, returns, &doc, has_poison);
    let mut body = item.clone();
    let call_name = format_ident!("try_{}", bare(&item.sig.ident));
    body.sig.ident = call_name.clone();
    body.attrs.retain(|attr| !attr.path().is_ident("doc"));
    let body_note = format!("\n\n[`{}`] with all arguments, and the error as a value.", item.sig.ident);
    let call = quote! {
        |function, args| {
            #[allow(unused_mut)]
            let mut binding = #build::Binding::new(function, args)?;
            let result = #call_name(#(#take),*)?;
            ::core::result::Result::Ok(#build::IntoScript::into_script(result))
        }
    };
    let (call, around) = match around {
        Some(around) => {
            let call = quote!(|function, args| (#around.call)(function, args, #call));
            (call, quote!(::core::option::Option::Some(&#around)))
        }
        None => (call, quote!(::core::option::Option::None)),
    };
    Ok(quote! {
        #[doc = ::core::concat!(#doc, #body_note)]
        ///
        /// # Errors
        /// Fails if the arguments do not fit, or the call is misplaced.
        #[allow(clippy::too_many_arguments)]
        #body
        #rust_function
        #[doc = #static_doc]
        #vis static #static_name: #build::ScriptFn = #build::ScriptFn {
            name: #name,
            doc: #doc,
            params: &[#(#infos),*],
            returns: <<#returns as #build::ScriptResult>::Out as #build::IntoScript>::TYPE,
            is_annotation: #is_annotation,
            members: &[#(&#members),*],
            around: #around,
            call: #call,
            data: ::core::option::Option::None,
        };
    })
}

/// Returns a function's name without the affixes that keywords require: `while` for `while_`.
fn bare(ident: &syn::Ident) -> String {
    ident.to_string().trim_start_matches("r#").trim_end_matches('_').to_owned()
}

/// Removes groups, which surround types passed on by another macro.
fn ungrouped(mut ty: &Type) -> &Type {
    while let Type::Group(group) = ty {
        ty = &group.elem;
    }
    ty
}

/// Returns the arguments of the last segment of a path type if it is `name`: `T` of `Option<T>`.
fn type_arguments<'a>(ty: &'a Type, name: &str) -> Option<Vec<&'a Type>> {
    let Type::Path(path) = ungrouped(ty) else { return None };
    let last = path.path.segments.last().filter(|s| s.ident == name)?;
    match &last.arguments {
        syn::PathArguments::AngleBracketed(list) => Some(
            list.args
                .iter()
                .filter_map(|a| if let syn::GenericArgument::Type(t) = a { Some(t) } else { None })
                .collect(),
        ),
        _ => Some(Vec::new()),
    }
}

/// Returns `T` of `BuildResult<T>` and of `Result<T, BuildError>`.
fn returned_value(returns: &Type) -> Option<&Type> {
    let arguments = type_arguments(returns, "BuildResult").or_else(|| type_arguments(returns, "Result"))?;
    arguments.first().copied()
}

/// Returns the type of the value of entering the frame, if the function returns one: `V` of
/// `BuildResult<FrameOf<F, V>>`.
fn entered(returns: &Type) -> Option<Type> {
    let frame = type_arguments(returned_value(returns)?, "FrameOf")?;
    Some(frame.get(1).map_or_else(|| syn::parse_quote!(()), |ty| (*ty).clone()))
}

/// Returns `true` for the type `BuildResult<()>`.
fn returns_unit(returns: &Type) -> bool {
    matches!(returned_value(returns).map(ungrouped), Some(Type::Tuple(unit)) if unit.elems.is_empty())
}

/// Generates the Rust function. Required arguments are its parameters, `#[args]` too unless an optional argument
/// precedes them. If there are no others, the function makes the call; otherwise it returns a call object with a
/// setter per optional argument. So does a function without parameters that returns a value.
fn rust_function(
    build: &TokenStream,
    item: &ItemFn,
    params: &[Parameter],
    returns: &Type,
    doc: &TokenStream,
    has_poison: bool,
) -> TokenStream {
    let (vis, name) = (&item.vis, &item.sig.ident);
    let body = format_ident!("try_{}", bare(name));
    let first_optional =
        params.iter().position(|p| p.default.is_some() && !p.is_given).unwrap_or(params.len());
    let is_given = |i: usize, p: &Parameter| {
        p.is_required() || p.is_given || (p.kind == ParamKind::Args && i < first_optional)
    };
    let given: Vec<(usize, &Parameter)> =
        params.iter().enumerate().filter(|(i, p)| is_given(*i, p)).collect();
    let argument_types: Vec<_> = given.iter().map(|(i, _)| format_ident!("A{i}")).collect();
    let generics = given.iter().zip(&argument_types).map(|((_, p), a)| {
        let ty = &p.ty;
        quote!(#a: #build::IntoArg<#ty>)
    });
    let generics: Vec<_> = generics.collect();
    let arguments = given.iter().zip(&argument_types).map(|((_, p), a)| {
        let ident = &p.ident;
        quote!(#ident: #a)
    });
    let arguments: Vec<_> = arguments.collect();
    let converted = given.iter().map(|(i, p)| {
        let (ident, ty) = (&p.ident, &p.ty);
        quote!(#build::argument::<#ty>(#ident, #i))
    });
    let converted: Vec<_> = converted.collect();
    let attrs = item.attrs.iter().filter(|attr| attr.path().is_ident("allow"));
    let attrs: Vec<_> = attrs.collect();
    let out = quote!(<#returns as #build::ScriptResult>::Out);
    let panics = "# Panics\nPanics on an error if no builder is open.";
    // Without an argument the bound would have no type parameter, and fail to compile if the result has no poison.
    let is_unbound = params.is_empty() && !has_poison && entered(returns).is_none() && !returns_unit(returns);
    if given.len() == params.len() && !is_unbound {
        let (bound, poison) = match argument_types.is_empty() {
            true => (quote!(), quote!(<#out as #build::Poison>::poison)),
            false => (
                quote!(where #out: #build::PoisonAfter<(#(#argument_types,)*)>),
                quote!(<#out as #build::PoisonAfter<(#(#argument_types,)*)>>::dummy),
            ),
        };
        return quote! {
            #[doc = #doc]
            ///
            #[doc = #panics]
            #[allow(dead_code)]
            #[track_caller]
            #(#attrs)*
            #vis fn #name<#(#generics),*>(#(#arguments),*) -> #out #bound {
                let make = || #body(#(#converted?),*);
                #build::value_or_poison(make(), ::core::panic::Location::caller(), #poison)
            }
        };
    }
    let call: String = bare(name)
        .split('_')
        .map(|part| part[..1.min(part.len())].to_uppercase() + part.get(1..).unwrap_or_default())
        .collect();
    let call = format_ident!("{call}Call");
    let struct_doc = format!("A call of [`{name}`] whose optional arguments may still be given.");
    let fields = params.iter().enumerate().map(|(i, p)| {
        let (ident, ty) = (&p.ident, &p.ty);
        match is_given(i, p) {
            true => quote!(#ident: #build::BuildResult<#ty>),
            false => quote!(#ident: ::core::option::Option<#build::BuildResult<#ty>>),
        }
    });
    let init = params.iter().enumerate().map(|(i, p)| {
        let (ident, ty) = (&p.ident, &p.ty);
        match is_given(i, p) {
            true => quote!(#ident: #build::argument::<#ty>(#ident, #i)),
            false => quote!(#ident: ::core::option::Option::None),
        }
    });
    let setters = params.iter().enumerate().filter(|(i, p)| !is_given(*i, p)).map(|(i, p)| {
        let (ident, ty) = (&p.ident, &p.ty);
        let doc = format!("Sets `{ident}`.");
        if p.kind == ParamKind::Kwargs {
            return quote! {
                #[doc = #doc]
                pub fn #ident(mut self, value: #ty) -> Self {
                    self.#ident = ::core::option::Option::Some(::core::result::Result::Ok(value));
                    self
                }
            };
        }
        let inner = type_arguments(ty, "Option").and_then(|args| args.first().copied());
        let (ty, value) = match inner {
            Some(inner) => {
                let value = quote!(#build::argument::<#inner>(value, #i).map(::core::option::Option::Some));
                (inner, value)
            }
            None => (ty, quote!(#build::argument::<#ty>(value, #i))),
        };
        quote! {
            #[doc = #doc]
            pub fn #ident(mut self, value: impl #build::IntoArg<#ty>) -> Self {
                self.#ident = ::core::option::Option::Some(#value);
                self
            }
        }
    });
    let pass = params.iter().enumerate().map(|(i, p)| {
        let (ident, ty) = (&p.ident, &p.ty);
        let missing = match &p.default {
            _ if is_given(i, p) => return quote!(self.#ident?),
            Some(default) => quote!(::core::convert::Into::<#ty>::into(#default)),
            None => quote!(::core::default::Default::default()),
        };
        quote!(match self.#ident {
            ::core::option::Option::Some(value) => value?,
            ::core::option::Option::None => #missing,
        })
    });
    let scope = entered(returns).map(|value| {
        let (bound, run) = match ungrouped(&value) {
            Type::Tuple(unit) if unit.elems.is_empty() => {
                (quote!(::core::ops::FnOnce() -> R), quote!(|()| body()))
            }
            _ => (quote!(::core::ops::FnOnce(#value) -> R), quote!(body)),
        };
        quote! {
            /// Opens the scope, runs `body` in it with the value of entering, and closes it. Errors are recorded in
            /// the current builder.
            ///
            #[doc = #panics]
            pub fn body<R>(self, body: impl #bound) -> R {
                let caller = self.caller;
                #build::Emit::emit(self).body_at(caller, #run)
            }

            /// Opens the scope until the enclosing one closes, and returns the value of entering. Errors are recorded
            /// in the current builder.
            ///
            #[doc = #panics]
            pub fn enter(self) -> #value {
                let caller = self.caller;
                #build::Emit::emit(self).enter_at(caller)
            }
        }
    });
    quote! {
        #[doc = #doc]
        #[allow(dead_code)]
        #[track_caller]
        #(#attrs)*
        #vis fn #name<#(#generics),*>(#(#arguments),*) -> #call {
            #call { caller: ::core::panic::Location::caller(), #(#init),* }
        }

        #[doc = #struct_doc]
        #[allow(dead_code)]
        #[must_use = "nothing is built before `emit`, `try_emit` or `body`"]
        #vis struct #call { caller: &'static ::core::panic::Location<'static>, #(#fields),* }

        #[allow(dead_code)]
        impl #call {
            #(#setters)*
            #scope
        }

        impl #build::Emit for #call {
            type Out = #out;
            fn try_emit(self) -> #build::BuildResult<Self::Out> {
                #body(#(#pass),*)
            }
            fn caller(&self) -> &'static ::core::panic::Location<'static> {
                self.caller
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(default: &str) -> std::result::Result<String, String> {
        let default: Expr = syn::parse_str(default).expect("an expression");
        default_text(&default).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_are_written_as_python_writes_them() {
        for (default, python) in [
            ("true", "True"),
            ("-1", "-1"),
            ("\"mean\"", "\"mean\""),
            ("[1]", "(1,)"),
            ("[0, 0]", "(0, 0)"),
            ("None", "None"),
            ("ScopeName::NONE", "None"),
            ("DataType::INT32", "\"int32\""),
            ("DataType::UINT32", "\"uint32\""),
            ("DataType::BFLOAT16", "\"bfloat16\""),
            ("DataType::BOOL", "\"bool\""),
            ("DataType::uint(8)", "\"uint8\""),
            ("Some(IntArg(0))", "0"),
            ("IterType::DataPar", "\"DataPar\""),
        ] {
            assert_eq!(text(default).as_deref(), Ok(python), "{default}");
        }
    }

    #[test]
    fn a_default_without_a_text_is_an_error() {
        for default in ["MY_INT32_TABLE", "vec![1]", "make()", "make(1, 2)", "a + b"] {
            assert!(text(default).is_err(), "{default}");
        }
    }
}
