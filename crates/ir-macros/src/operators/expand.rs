//! Code generation of `operators!`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Error, Expr, Path, Result, Type};

use super::{Attrs, Header, OperatorDecl, Operators, Param, Rule};
use crate::script_fn::{ParamKind, declaration, documentation};

fn missing(key: &str) -> Error {
    Error::new(Span::call_site(), format!("`{key} = ..;` is missing"))
}

impl Header {
    fn name_of(&self, entry: &OperatorDecl) -> Result<String> {
        if let Some(name) = &entry.name {
            return Ok(name.value());
        }
        let prefix = self.prefix.as_ref().ok_or_else(|| missing("prefix"))?;
        Ok(prefix.value() + &entry.text())
    }

    /// The name in text, with its namespace.
    fn text_of(&self, entry: &OperatorDecl) -> String {
        match &self.namespace {
            Some(namespace) => format!("{}.{}", namespace.value(), entry.text()),
            None => entry.text(),
        }
    }
}

pub(crate) fn expand(Operators { header, entries }: Operators) -> Result<TokenStream> {
    let result = header.result.as_ref().ok_or_else(|| missing("result"))?;
    let error = match &header.error {
        Some(error) => error,
        None if entries.iter().any(|entry| entry.is_fallible(&header)) => return Err(missing("error")),
        None => result,
    };
    let script = header.script.as_ref().ok_or_else(|| missing("script"))?;
    let typed = entries.iter().filter(|entry| entry.body.is_none() && header.call.is_none());
    let typed = typed.map(|entry| typed_function(&header, entry, result, error));
    let scripts = entries.iter().map(|entry| match &header.call {
        Some(call) => declared_function(&header, entry, script, call),
        None => Ok(script_function(&header, entry, script)),
    });
    let scripts = scripts.collect::<Result<Vec<_>>>()?;
    let records = entries.iter().filter(|e| !e.is_function).map(|entry| record(&header, entry));
    let records = records.collect::<Result<Vec<_>>>()?;
    let operators = entries.iter().filter(|entry| !entry.is_function).map(OperatorDecl::constant);
    let functions = entries.iter().map(OperatorDecl::constant);
    // Without typed functions nothing else names the type in a build without script functions.
    let made = match header.call {
        Some(_) => quote!(#[allow(dead_code)] type Made = #result;),
        None => quote!(#[cfg(feature = "build")] type Made = #result;),
    };
    Ok(quote! {
        #(#typed)*
        #(#records)*
        /// The operators of this module.
        pub static OPERATORS: &[&Operator] = &[#(&#operators),*];
        #made
        /// The script functions of this module, and their Rust counterparts, which convert arguments.
        #[cfg(feature = "build")]
        #[allow(non_snake_case)]
        pub mod script {
            #[allow(unused_imports)]
            use super::*;
            #(#scripts)*
        }
        /// The script functions of this module.
        #[cfg(feature = "build")]
        pub static FUNCTIONS: &[&::tvmscript_irbuilder::ScriptFn] = &[#(&script::#functions),*];
    })
}

/// Returns an expression for the operands of a call, in order.
fn operand_list(entry: &OperatorDecl) -> TokenStream {
    if let Some(args) = &entry.args {
        return quote!(#args);
    }
    let operands: Vec<&Param> = entry.operands().collect();
    if operands.iter().all(|p| p.kind == ParamKind::Plain && !p.is_option()) {
        let idents = operands.iter().map(|p| &p.ident);
        return quote!([#(#idents),*]);
    }
    if let [Param { ident, kind: ParamKind::Args, .. }] = operands[..] {
        return quote!(#ident);
    }
    let chain = operands.iter().map(|param| match (&param.ident, param.kind) {
        (ident, ParamKind::Plain | ParamKind::KeywordOnly) if !param.is_option() => quote!(.chain([#ident])),
        (ident, _) => quote!(.chain(#ident)),
    });
    quote!(::core::iter::empty()#(#chain)*)
}

/// The typed function: `pub fn exp(x: Expr) -> Expr`.
fn typed_function(header: &Header, entry: &OperatorDecl, result: &Type, error: &Type) -> TokenStream {
    let OperatorDecl { docs, ident, params, .. } = entry;
    let inputs = params.iter().map(|Param { ident, ty, kind, .. }| match kind {
        ParamKind::Args | ParamKind::Kwargs => quote!(#ident: impl ::core::iter::IntoIterator<Item = #ty>),
        _ => quote!(#ident: #ty),
    });
    let idents = params.iter().map(|param| &param.ident);
    let constant = entry.constant();
    let operands = operand_list(entry);
    let body = match (&entry.make, &entry.rule) {
        (Some(make), _) => quote_spanned!(ident.span()=> (#make)(#(#idents),*)),
        (None, Some(Rule::SameAs { param, item: None, .. })) => quote! {
            let dtype = #param.dtype();
            #constant.call(dtype, #operands)
        },
        (None, Some(Rule::SameAs { index, .. })) => quote! {
            #constant.call_same_as(#index, #operands)
        },
        (None, Some(Rule::Param { ident, .. })) => quote!(#constant.call(#ident, #operands)),
        (None, Some(Rule::Fixed(dtype))) => quote!(#constant.call(#dtype, #operands)),
        (None, Some(Rule::Open)) => {
            quote!(#constant.call(::tvmscript_ir_core::DataType::VOID, #operands))
        }
        (None, _) => {
            let attrs = attributes(entry);
            match entry.stated.as_ref().map(|stated| (stated, entry.is_optional(stated))) {
                None => quote!(#constant.call(#attrs, #operands)),
                Some((types, false)) => quote!(#constant.call_stated(#attrs, #operands, #types)),
                Some((types, true)) => {
                    quote!(#constant.call_stated(#attrs, #operands, #types.into_iter().flatten()))
                }
            }
        }
    };
    let (returns, section) = match entry.is_fallible(header) {
        true => (
            quote!(::core::result::Result<#result, #error>),
            quote!(#[doc = "\n# Errors\nFails if the arguments do not fit."]),
        ),
        false => (quote!(#result), quote!()),
    };
    quote! {
        #(#docs)*
        #section
        #[allow(clippy::too_many_arguments, clippy::redundant_closure_call, clippy::useless_conversion, non_snake_case)]
        pub fn #ident(#(#inputs),*) -> #returns {
            #body
        }
    }
}

/// The attributes of a call: the fields in braces as they are written there, the others from the parameters after `;`.
fn attributes(entry: &OperatorDecl) -> TokenStream {
    let Some(Attrs { ty, fields, takes_rest }) = &entry.attrs else {
        return quote!(::core::option::Option::None);
    };
    let written = fields.iter().map(|(field, value)| match value {
        Some(value) => quote!(#field: #value),
        None => quote!(#field: #field.into()),
    });
    let is_written = |param: &&Param| fields.iter().any(|(field, _)| *field == param.ident);
    let rest = entry.params.iter().filter(|param| *takes_rest && param.is_attribute && !is_written(param));
    let rest = rest.map(|Param { ident, .. }| quote!(#ident: #ident.into()));
    quote!(::core::option::Option::Some(
        ::tvmscript_ir_core::Ref::new(#ty { #(#written,)* #(#rest),* }).upcast()
    ))
}

fn result_type(rule: &Rule) -> TokenStream {
    match rule {
        Rule::SameAs { index, .. } => quote!(ResultType::SameAs(#index)),
        Rule::Param { is_first: true, .. } => quote!(ResultType::First),
        Rule::Param { is_first: false, .. } => quote!(ResultType::Last),
        Rule::Open => quote!(ResultType::Fixed(::tvmscript_ir_core::DataType::VOID)),
        Rule::Fixed(dtype) => quote!(ResultType::Fixed(#dtype)),
        Rule::Infer(infer) => quote!(#infer),
    }
}

fn operand_counts(entry: &OperatorDecl) -> TokenStream {
    let is_omitted = |p: &Param| p.is_option() || p.default.as_ref().is_some_and(is_none);
    let least = entry.operands().filter(|p| !is_omitted(p) && p.kind != ParamKind::Args).count();
    let most = match entry.operands().any(|p| p.kind == ParamKind::Args) {
        true => quote!(usize::MAX),
        false => {
            let most = entry.operands().count();
            quote!(#most)
        }
    };
    quote!(.with_operands(#least, #most))
}

/// The record of an operator: `pub static EXP: Operator`.
fn record(header: &Header, entry: &OperatorDecl) -> Result<TokenStream> {
    let constant = entry.constant();
    let (name, text) = (header.name_of(entry)?, header.text_of(entry));
    let (rule, operands) = match &entry.rule {
        Some(Rule::Infer(infer)) => (quote!(#infer), None),
        Some(rule) => (result_type(rule), Some(operand_counts(entry))),
        None => return Err(Error::new(entry.ident.span(), "an operator needs the type of its calls")),
    };
    let effect =
        entry.effect.as_ref().or(header.effect.as_ref()).map(|effect| quote!(.with_effect(Effect::#effect)));
    let properties = entry.properties.iter().map(|(key, value)| {
        let method = quote::format_ident!("with_{key}");
        quote!(.#method(#value))
    });
    let open = matches!(entry.rule, Some(Rule::Open)).then(|| quote!(.with_open_result()));
    let hidden = entry.is_hidden.then(|| quote!(.hidden()));
    let is_annotated = header.call.is_some() && entry.params.iter().any(|param| param.is_attribute);
    let annotated = is_annotated.then(|| quote!(.annotated()));
    let made_by = match (&entry.make, &entry.rule) {
        (Some(make), Some(_)) if header.call.is_some() => Some(quote!(.made_by(#make))),
        (Some(_), Some(rule)) if !matches!(rule, Rule::Infer(_)) => Some(remake(entry)),
        _ => None,
    };
    let doc = format!("The operator `{name}`.");
    Ok(quote! {
        #[doc = #doc]
        pub static #constant: Operator = {
            let operator = Operator::new(#name, #text, #rule)#operands #open #effect #(#properties)* #hidden #annotated #made_by;
            #[cfg(feature = "build")]
            let operator = operator.with_function(&script::#constant);
            operator
        };
    })
}

/// A closure that rebuilds a call from its type and operands.
fn remake(entry: &OperatorDecl) -> TokenStream {
    let dtype = match entry.params.iter().any(Param::is_type) {
        true => quote!(dtype),
        false => quote!(_),
    };
    let count = entry.operands().count();
    let mut index = 0..count;
    let args = entry.params.iter().map(|param| match param.is_type() {
        true => quote!(dtype),
        false => {
            let index = index.next();
            quote!(::core::convert::Into::into(::core::clone::Clone::clone(&operands[#index])))
        }
    });
    let ident = &entry.ident;
    quote! {
        .made_by(|#dtype, operands| match operands.len() {
            #count => ::core::option::Option::Some(#ident(#(#args),*)),
            _ => ::core::option::Option::None,
        })
    }
}

/// The script function, which also is the function for Rust programs that use a builder.
fn script_function(header: &Header, entry: &OperatorDecl, script: &Path) -> TokenStream {
    let OperatorDecl { docs, ident, params, .. } = entry;
    let text = header.text_of(entry);
    let around = header.around.as_ref().map(|around| quote!(, around = #script::#around));
    let poison = header.has_poison.then(|| quote!(, has_poison));
    if let Some(body) = &entry.body {
        let inputs = params.iter().map(|param| input(param, param.kind, None));
        return quote! {
            #(#docs)*
            #[::tvmscript_irbuilder::script_fn(name = #text #poison #around)]
            pub fn #ident(#(#inputs),*) -> ::tvmscript_irbuilder::BuildResult<super::Made> {
                #body
            }
        };
    }
    // A leading parameter with a default is keyword-only.
    let is_leading = |i: usize, p: &Param| {
        i == 0 && p.default.is_some() && params.iter().skip(1).any(|p| p.default.is_none())
    };
    let leading: Vec<&Param> =
        params.iter().enumerate().filter(|(i, p)| is_leading(*i, p)).map(|(_, p)| p).collect();
    let others = params.iter().skip(leading.len());
    let inputs = others
        .clone()
        .map(|param| input(param, param.kind, Some(script)))
        .chain(leading.iter().map(|param| input(param, ParamKind::KeywordOnly, Some(script))));
    let args = params.iter().map(|param| {
        let ident = &param.ident;
        match param.kind {
            ParamKind::Args => quote!(#ident.into_iter().map(::core::convert::Into::into)),
            _ if param.is_option() => quote!(#ident.map(::core::convert::Into::into)),
            _ => quote!(::core::convert::Into::into(#ident)),
        }
    });
    let call = quote!(super::#ident(#(#args),*));
    // An error of a function with one operand is about that operand.
    let mut operands = params.iter().enumerate().filter(|(_, p)| params.len() == 1 || !p.is_type());
    let position = match (operands.next(), operands.next()) {
        (Some((index, param)), None) if param.kind == ParamKind::Plain => quote!(.at_position(#index)),
        _ => quote!(),
    };
    let body = match entry.is_fallible(header) {
        true => quote!(#call.map_err(|error| ::tvmscript_irbuilder::BuildError::from(error)#position)),
        false => quote!(::core::result::Result::Ok(#call)),
    };
    quote! {
        #(#docs)*
        #[::tvmscript_irbuilder::script_fn(name = #text #poison #around)]
        #[allow(clippy::useless_conversion, clippy::too_many_arguments)]
        pub fn #ident(#(#inputs),*) -> ::tvmscript_irbuilder::BuildResult<super::Made> {
            #body
        }
    }
}

/// The script function of an entry whose calls the function `call` of the header makes from the record, the arguments
/// and the defaults by index.
fn declared_function(
    header: &Header,
    entry: &OperatorDecl,
    script: &Path,
    call: &Path,
) -> Result<TokenStream> {
    let OperatorDecl { docs, ident, params, is_function, body, .. } = entry;
    if *is_function || body.is_some() {
        return Err(Error::new(ident.span(), "an entry under `call = ..;` is an operator without a body"));
    }
    let (constant, text) = (entry.constant(), header.text_of(entry));
    let doc = documentation(docs);
    let build = quote!(::tvmscript_irbuilder);
    let infos = params.iter().map(|Param { ident, ty, default, kind, .. }| {
        let ty = script_type(ty, script);
        let ty = match kind {
            ParamKind::Args => quote!(::std::vec::Vec<#ty>),
            _ => quote!(#ty),
        };
        declaration(ident, *kind, default.as_ref(), &ty)
    });
    let infos = infos.collect::<Result<Vec<_>>>()?;
    let defaults = params.iter().enumerate().filter(|(_, param)| !param.is_type());
    let defaults = defaults.filter_map(|(index, param)| {
        let default = match param.default.as_ref()? {
            default if is_none(default) => return None,
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(value), .. }) => quote!(Bool(#value)),
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(value), .. }) => quote!(Str(#value.into())),
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(value), .. }) => quote!(Float(#value)),
            number => quote!(Int(#number)),
        };
        Some(quote!(#index => ::core::option::Option::Some(#build::ScriptValue::#default),))
    });
    let static_doc = format!("The script function `{text}`.");
    Ok(quote! {
        #[doc = #static_doc]
        pub static #constant: #build::ScriptFn = #build::ScriptFn {
            name: #text,
            doc: #doc,
            params: &[#(#infos),*],
            returns: <super::Made as #build::IntoScript>::TYPE,
            is_annotation: false,
            members: &[],
            around: ::core::option::Option::None,
            call: |function, args| #call(&super::#constant, function, args, |index| match index {
                #(#defaults)*
                _ => ::core::option::Option::None,
            }),
            data: ::core::option::Option::None,
        };
    })
}

fn is_none(default: &Expr) -> bool {
    matches!(default, Expr::Path(path) if path.path.is_ident("None"))
}

/// A parameter of a script function; its type is taken from the module `script`, if given.
fn input(param: &Param, kind: ParamKind, script: Option<&Path>) -> TokenStream {
    let Param { ident, ty, default, .. } = param;
    let ty = match script {
        Some(script) => script_type(ty, script),
        None => quote!(#ty),
    };
    let default = default.as_ref().map(|default| match default {
        Expr::Path(_) => quote!(#[default = #default]),
        _ if script.is_some() && param.is_option() => {
            quote!(#[default = ::core::option::Option::Some(::core::convert::Into::into(#default))])
        }
        _ => quote!(#[default = #default]),
    });
    match kind {
        ParamKind::Plain => quote!(#default #ident: #ty),
        ParamKind::KeywordOnly => quote!(#[kw_only] #default #ident: #ty),
        ParamKind::Args => quote!(#[args] #ident: ::std::vec::Vec<#ty>),
        ParamKind::Kwargs => quote!(#[kwargs] #ident: ::std::vec::Vec<(::tvmscript_ir_core::Str, #ty)>),
    }
}

/// Maps `Expr` to `script::Expr` and `Option<Expr>` to `Option<script::Expr>`, but not `bool` and `i64`.
fn script_type(ty: &Type, script: &Path) -> TokenStream {
    let Type::Path(path) = ty else { return quote!(#ty) };
    let Some(segment) = path.path.segments.last().filter(|_| path.path.segments.len() == 1) else {
        return quote!(#ty);
    };
    if let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments {
        let ident = &segment.ident;
        let arguments = arguments.args.iter().map(|argument| match argument {
            syn::GenericArgument::Type(ty) => script_type(ty, script),
            other => quote!(#other),
        });
        return match ident == "Option" {
            true => quote!(#ident<#(#arguments),*>),
            false => quote!(#script::#ident<#(#arguments),*>),
        };
    }
    match segment.ident.to_string().starts_with(|c: char| c.is_lowercase()) {
        true => quote!(#ty),
        false => quote!(#script::#segment),
    }
}
