//! `operators!`: parsing of the declarations, and what follows from each.

use std::collections::HashMap;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, Expr, Ident, LitInt, LitStr, Path, Result, Token, Type};

/// One invocation: what its operators share, then the operators.
pub(crate) struct Operators {
    header: Header,
    entries: Vec<Entry>,
}

/// `prefix = "tir."; result = Expr; error = PrimError; script = crate::build::operator; around = convention;`
#[derive(Default)]
struct Header {
    /// What stands before the name of each operator in the IR.
    prefix: Option<LitStr>,
    /// The type of a call.
    result: Option<Type>,
    /// The error of functions that can fail.
    error: Option<Type>,
    /// A module with the script side of each parameter type, under the same name.
    script: Option<Path>,
    /// A function of that module around the binding of arguments.
    around: Option<Path>,
    /// The result has a poison value.
    has_poison: bool,
}

/// `exp(x: Expr) -> same_as(x) = fold::exp, effect = Pure;`
struct Entry {
    docs: Vec<Attribute>,
    ident: Ident,
    /// Declared with `fn`: a function of scripts that makes calls of no operator of its own.
    is_function: bool,
    params: Vec<Param>,
    rule: Option<Rule>,
    make: Option<Expr>,
    /// `{ .. }`: the body of the script function, on arguments as scripts give them.
    body: Option<TokenStream>,
    attrs: Option<Type>,
    name: Option<LitStr>,
    text: Option<LitStr>,
    effect: Option<Ident>,
    is_hidden: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plain,
    KeywordOnly,
    /// `*args: T`.
    Rest,
    /// `**attrs: T`.
    Extra,
}

#[derive(Clone)]
struct Param {
    ident: Ident,
    ty: Type,
    default: Option<Expr>,
    kind: Kind,
    /// It follows `;` and becomes a field of the call's attributes, not an operand.
    is_attribute: bool,
}

/// Where the type of a call comes from.
enum Rule {
    /// `same_as(x)`: the type of an operand, by its index among them; of a rest parameter, which of its items.
    SameAs { index: usize, param: Ident, item: Option<LitInt> },
    /// `dtype`: the parameter of this name.
    Param { ident: Ident, is_first: bool },
    /// `infer(path)`: a function of the call.
    Infer(Expr),
    /// Any other path: always this type.
    Fixed(Path),
}

impl Param {
    fn is_type(&self) -> bool {
        matches!(&self.ty, Type::Path(path) if path.path.is_ident("DataType"))
    }

    fn is_option(&self) -> bool {
        matches!(&self.ty, Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "Option"))
    }
}

impl Parse for Operators {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut header = Header::default();
        while input.peek(Ident) && input.peek2(Token![=]) {
            let key: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            match key.to_string().as_str() {
                "prefix" => header.prefix = Some(input.parse()?),
                "result" => header.result = Some(input.parse()?),
                "error" => header.error = Some(input.parse()?),
                "script" => header.script = Some(input.call(Path::parse_mod_style)?),
                "poison" => header.has_poison = input.parse::<syn::LitBool>()?.value,
                "around" => header.around = Some(input.call(Path::parse_mod_style)?),
                _ => {
                    return Err(Error::new(
                        key.span(),
                        "expected `prefix`, `result`, `error`, `script`, `around` or `poison`",
                    ));
                }
            }
            input.parse::<Token![;]>()?;
        }
        let mut groups = Groups::new();
        let mut entries: Vec<Entry> = Vec::new();
        while !input.is_empty() {
            if input.peek(Ident) && input.peek2(Ident) {
                let (name, params) = group(input, &groups)?;
                groups.insert(name, params);
                continue;
            }
            let entry = Entry::parse(input, &groups)?;
            if entries.iter().any(|other| other.ident == entry.ident) {
                let message = format!("`{}` is declared twice", entry.ident);
                return Err(Error::new(entry.ident.span(), message));
            }
            entries.push(entry);
        }
        Ok(Operators { header, entries })
    }
}

/// Named lists of parameters.
type Groups = HashMap<String, Vec<Param>>;

/// `params reduction = (x: Expr; axis: Option<Ints> = None);`
fn group(input: ParseStream<'_>, groups: &Groups) -> Result<(String, Vec<Param>)> {
    let keyword: Ident = input.parse()?;
    if keyword != "params" {
        return Err(Error::new(keyword.span(), "expected an operator or `params name = (..);`"));
    }
    let name: Ident = input.parse()?;
    input.parse::<Token![=]>()?;
    let content;
    syn::parenthesized!(content in input);
    input.parse::<Token![;]>()?;
    Ok((name.to_string(), parameters(&content, groups)?))
}

impl Entry {
    fn parse(input: ParseStream<'_>, groups: &Groups) -> Result<Self> {
        let docs = input.call(Attribute::parse_outer)?;
        let is_function = input.parse::<Option<Token![fn]>>()?.is_some();
        let ident: Ident = input.parse()?;
        if docs.is_empty() {
            return Err(Error::new(ident.span(), format!("`{ident}` needs a doc comment")));
        }
        let content;
        syn::parenthesized!(content in input);
        let params = parameters(&content, groups)?;
        let mut entry = Entry {
            docs,
            ident,
            is_function,
            params,
            rule: None,
            make: None,
            body: None,
            attrs: None,
            name: None,
            text: None,
            effect: None,
            is_hidden: false,
        };
        if input.parse::<Option<Token![->]>>()?.is_some() {
            entry.rule = Some(rule(input, &entry.params)?);
        }
        if input.parse::<Option<Token![=]>>()?.is_some() {
            entry.make = Some(input.parse()?);
        }
        while input.parse::<Option<Token![,]>>()?.is_some() {
            entry.option(input)?;
        }
        if input.peek(syn::token::Brace) {
            let body;
            syn::braced!(body in input);
            entry.body = Some(body.parse()?);
        } else {
            input.parse::<Token![;]>()?;
        }
        let span = entry.ident.span();
        match (&entry.rule, entry.is_function) {
            (None, false) => {
                Err(Error::new(span, "an operator needs the type of its calls: `-> same_as(x)`"))
            }
            (_, true) if entry.make.is_none() && entry.body.is_none() => {
                Err(Error::new(span, "a function without an operator needs what it does: `= path` or a body"))
            }
            _ => Ok(entry),
        }
    }
}

impl Entry {
    fn option(&mut self, input: ParseStream<'_>) -> Result<()> {
        let key: Ident = input.parse()?;
        if key == "hidden" {
            self.is_hidden = true;
            return Ok(());
        }
        input.parse::<Token![=]>()?;
        match key.to_string().as_str() {
            "name" => self.name = Some(input.parse()?),
            "text" => self.text = Some(input.parse()?),
            "effect" => self.effect = Some(input.parse()?),
            "attrs" => self.attrs = Some(input.parse()?),
            _ => {
                let expected = "expected `name`, `text`, `effect`, `attrs` or `hidden`";
                return Err(Error::new(key.span(), expected));
            }
        }
        Ok(())
    }

    /// The Rust name without what keywords ask for.
    fn bare(&self) -> String {
        self.ident.to_string().trim_start_matches("r#").trim_end_matches('_').to_owned()
    }

    /// The name in text.
    fn text(&self) -> String {
        self.text.as_ref().map_or_else(|| self.bare(), LitStr::value)
    }

    fn constant(&self) -> Ident {
        Ident::new(&self.bare().to_uppercase(), self.ident.span())
    }

    fn operands(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|param| !param.is_type() && !param.is_attribute)
    }

    /// Whether the typed function returns a `Result`.
    fn is_fallible(&self) -> bool {
        self.make.is_some() || matches!(self.rule, Some(Rule::SameAs { item: Some(_), .. }))
    }
}

/// `x: Expr, y: Expr = 8, *args: Expr, *, key: Str; attribute: bool = false`
fn parameters(input: ParseStream<'_>, groups: &Groups) -> Result<Vec<Param>> {
    let mut params: Vec<Param> = Vec::new();
    let (mut kind, mut is_attribute) = (Kind::Plain, false);
    while !input.is_empty() {
        if input.parse::<Option<Token![;]>>()?.is_some() {
            is_attribute = true;
            continue;
        }
        if input.parse::<Option<Token![..]>>()?.is_some() {
            let name: Ident = input.parse()?;
            let group = groups.get(&name.to_string());
            let group = group.ok_or_else(|| Error::new(name.span(), format!("no `params {name} = ..;`")))?;
            params.extend(group.iter().cloned());
            is_attribute |= group.iter().any(|param| param.is_attribute);
            if !input.is_empty() && !input.peek(Token![;]) {
                input.parse::<Token![,]>()?;
            }
            continue;
        }
        let mut this = kind;
        if input.parse::<Option<Token![*]>>()?.is_some() {
            kind = Kind::KeywordOnly;
            if input.parse::<Option<Token![,]>>()?.is_some() {
                continue;
            }
            this = match input.parse::<Option<Token![*]>>()? {
                Some(_) => Kind::Extra,
                None => Kind::Rest,
            };
        }
        let ident: Ident = input.call(syn::ext::IdentExt::parse_any)?;
        let ident = match syn::parse_str::<Ident>(&ident.to_string()) {
            Ok(_) => ident,
            Err(_) => Ident::new_raw(&ident.to_string(), ident.span()),
        };
        input.parse::<Token![:]>()?;
        let ty: Type = input.parse()?;
        let default = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse::<Expr>()?),
            None => None,
        };
        if params.iter().any(|other| other.ident == ident) {
            return Err(Error::new(ident.span(), format!("two parameters are called `{ident}`")));
        }
        let has_default_before = params.iter().skip(1).any(|p| p.default.is_some() && p.kind == Kind::Plain);
        if this == Kind::Plain && default.is_none() && has_default_before {
            let message = format!("`{ident}` needs a default: a parameter before it has one");
            return Err(Error::new(ident.span(), message));
        }
        params.push(Param { ident, ty, default, kind: this, is_attribute });
        if !input.is_empty() && !input.peek(Token![;]) {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(params)
}

fn rule(input: ParseStream<'_>, params: &[Param]) -> Result<Rule> {
    let path = input.call(Path::parse_mod_style)?;
    if !input.peek(syn::token::Paren) {
        let param = path.get_ident().and_then(|ident| params.iter().position(|p| p.ident == *ident));
        return Ok(match param {
            Some(at) => Rule::Param { ident: params[at].ident.clone(), is_first: at == 0 },
            None => Rule::Fixed(path),
        });
    }
    let content;
    syn::parenthesized!(content in input);
    if path.is_ident("infer") {
        return Ok(Rule::Infer(content.parse()?));
    }
    if !path.is_ident("same_as") {
        return Err(Error::new_spanned(
            path,
            "expected `same_as(operand)`, `infer(function)`, a parameter or a type",
        ));
    }
    let param: Ident = content.parse()?;
    let operands = params.iter().filter(|p| !p.is_type() && !p.is_attribute);
    let Some((index, found)) = operands.enumerate().find(|(_, p)| p.ident == param) else {
        return Err(Error::new(param.span(), format!("no operand is called `{param}`")));
    };
    let item = match (found.kind, content.peek(syn::token::Bracket)) {
        (Kind::Rest, true) => {
            let item;
            syn::bracketed!(item in content);
            Some(item.parse::<LitInt>()?)
        }
        (Kind::Rest, false) => {
            let message = format!("`{param}` has several types: write `same_as({param}[0])`");
            return Err(Error::new(param.span(), message));
        }
        _ => None,
    };
    let offset = item.as_ref().map_or(Ok(0), LitInt::base10_parse::<usize>)?;
    Ok(Rule::SameAs { index: index + offset, param, item })
}

fn missing(key: &str) -> Error {
    Error::new(Span::call_site(), format!("`{key} = ..;` is missing"))
}

impl Header {
    fn name_of(&self, entry: &Entry) -> Result<String> {
        if let Some(name) = &entry.name {
            return Ok(name.value());
        }
        let prefix = self.prefix.as_ref().ok_or_else(|| missing("prefix"))?;
        Ok(prefix.value() + &entry.text())
    }
}

pub(crate) fn expand(Operators { header, entries }: Operators) -> Result<TokenStream> {
    let result = header.result.as_ref().ok_or_else(|| missing("result"))?;
    let error = match &header.error {
        Some(error) => error,
        None if entries.iter().any(Entry::is_fallible) => return Err(missing("error")),
        None => result,
    };
    let script = header.script.as_ref().ok_or_else(|| missing("script"))?;
    let typed =
        entries.iter().filter(|entry| entry.body.is_none()).map(|entry| typed_function(entry, result, error));
    let scripts = entries.iter().map(|entry| script_function(&header, entry, script));
    let records = entries.iter().filter(|e| !e.is_function).map(|entry| record(&header, entry));
    let records = records.collect::<Result<Vec<_>>>()?;
    let operators = entries.iter().filter(|entry| !entry.is_function).map(Entry::constant);
    let functions = entries.iter().map(Entry::constant);
    Ok(quote! {
        #(#typed)*
        #(#records)*
        /// The operators of this module.
        pub static OPERATORS: &[&Operator] = &[#(&#operators),*];
        #[cfg(feature = "build")]
        type Made = #result;
        /// The functions of this module as scripts call them, and with their arguments converted as the builder does.
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

/// The operands of a call, in order.
fn operand_list(entry: &Entry) -> TokenStream {
    let operands: Vec<&Param> = entry.operands().collect();
    if operands.iter().all(|p| p.kind == Kind::Plain && !p.is_option()) {
        let idents = operands.iter().map(|p| &p.ident);
        return quote!([#(#idents),*]);
    }
    if let [Param { ident, kind: Kind::Rest, .. }] = operands[..] {
        return quote!(#ident);
    }
    let chain = operands.iter().map(|param| match (&param.ident, param.kind) {
        (ident, Kind::Plain | Kind::KeywordOnly) if !param.is_option() => quote!(.chain([#ident])),
        (ident, _) => quote!(.chain(#ident)),
    });
    quote!(::core::iter::empty()#(#chain)*)
}

/// The function with typed parameters: `pub fn exp(x: Expr) -> Expr`.
fn typed_function(entry: &Entry, result: &Type, error: &Type) -> TokenStream {
    let Entry { docs, ident, params, .. } = entry;
    let inputs = params.iter().map(|Param { ident, ty, kind, .. }| match kind {
        Kind::Rest | Kind::Extra => quote!(#ident: impl ::core::iter::IntoIterator<Item = #ty>),
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
        (None, _) => {
            let attrs = attributes(entry);
            quote!(#constant.call(#attrs, #operands))
        }
    };
    let (returns, section) = match entry.is_fallible() {
        true => (
            quote!(::core::result::Result<#result, #error>),
            quote!(#[doc = "\n# Errors\nWhen the arguments do not fit."]),
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

/// The attributes of a call: a struct whose fields are the parameters after `;`.
fn attributes(entry: &Entry) -> TokenStream {
    let Some(attrs) = &entry.attrs else { return quote!(::core::option::Option::None) };
    let fields = entry.params.iter().filter(|param| param.is_attribute).map(|param| &param.ident);
    quote!(::core::option::Option::Some(
        ::tvmscript_ir_core::Ref::new(#attrs { #(#fields: #fields.into()),* }).upcast()
    ))
}

fn result_type(rule: &Rule) -> TokenStream {
    match rule {
        Rule::SameAs { index, .. } => quote!(ResultType::SameAs(#index)),
        Rule::Param { is_first: true, .. } => quote!(ResultType::First),
        Rule::Param { is_first: false, .. } => quote!(ResultType::Last),
        Rule::Fixed(dtype) => quote!(ResultType::Fixed(#dtype)),
        Rule::Infer(infer) => quote!(#infer),
    }
}

fn operand_counts(entry: &Entry) -> TokenStream {
    let least = entry.operands().filter(|p| !p.is_option() && p.kind != Kind::Rest).count();
    let most = match entry.operands().any(|p| p.kind == Kind::Rest) {
        true => quote!(usize::MAX),
        false => {
            let most = entry.operands().count();
            quote!(#most)
        }
    };
    quote!(.with_operands(#least, #most))
}

/// `pub static EXP: Operator`, the facts about an operator.
fn record(header: &Header, entry: &Entry) -> Result<TokenStream> {
    let constant = entry.constant();
    let (name, text) = (header.name_of(entry)?, entry.text());
    let (rule, operands) = match &entry.rule {
        Some(Rule::Infer(infer)) => (quote!(#infer), None),
        Some(rule) => (result_type(rule), Some(operand_counts(entry))),
        None => return Err(Error::new(entry.ident.span(), "an operator needs the type of its calls")),
    };
    let effect = entry.effect.as_ref().map(|effect| quote!(.with_effect(Effect::#effect)));
    let hidden = entry.is_hidden.then(|| quote!(.hidden()));
    let made_by = match (&entry.make, &entry.rule) {
        (Some(_), Some(rule)) if !matches!(rule, Rule::Infer(_)) => Some(remake(entry)),
        _ => None,
    };
    let doc = format!("The operator `{name}`.");
    Ok(quote! {
        #[doc = #doc]
        pub static #constant: Operator = {
            let operator = Operator::new(#name, #text, #rule)#operands #effect #hidden #made_by;
            #[cfg(feature = "build")]
            let operator = operator.with_function(&script::#constant);
            operator
        };
    })
}

/// Makes a call again from its type and operands, as its function would.
fn remake(entry: &Entry) -> TokenStream {
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

/// The function of scripts, and its counterpart for Rust programs that use a builder.
fn script_function(header: &Header, entry: &Entry, script: &Path) -> TokenStream {
    let Entry { docs, ident, params, .. } = entry;
    let text = entry.text();
    let around = header.around.as_ref().map(|around| quote!(, around = #script::#around));
    let poison = header.has_poison.then(|| quote!(, has_poison));
    if let Some(body) = &entry.body {
        let inputs = params.iter().map(|param| input(param, param.kind, None));
        return quote! {
            #(#docs)*
            #[::tvmscript_irbuilder::script_fn(name = #text #poison #around)]
            pub fn #ident(#(#inputs),*) -> ::tvmscript_irbuilder::Result<super::Made> {
                #body
            }
        };
    }
    // A leading parameter with a default stands in front by position, and is found by keyword.
    let is_leading = |i: usize, p: &Param| {
        i == 0 && p.default.is_some() && params[1..].iter().any(|p| p.default.is_none())
    };
    let leading: Vec<&Param> =
        params.iter().enumerate().filter(|(i, p)| is_leading(*i, p)).map(|(_, p)| p).collect();
    let others = params.iter().skip(leading.len());
    let inputs = others
        .clone()
        .map(|param| input(param, param.kind, Some(script)))
        .chain(leading.iter().map(|param| input(param, Kind::KeywordOnly, Some(script))));
    let args = params.iter().map(|param| {
        let ident = &param.ident;
        match param.kind {
            Kind::Rest => quote!(#ident.into_iter().map(::core::convert::Into::into)),
            _ if param.is_option() => quote!(#ident.map(::core::convert::Into::into)),
            _ => quote!(::core::convert::Into::into(#ident)),
        }
    });
    let call = quote!(super::#ident(#(#args),*));
    // With one operand there is no doubt which is wrong.
    let mut operands = params.iter().enumerate().filter(|(_, p)| params.len() == 1 || !p.is_type());
    let position = match (operands.next(), operands.next()) {
        (Some((index, param)), None) if param.kind == Kind::Plain => quote!(.at_position(#index)),
        _ => quote!(),
    };
    let body = match entry.is_fallible() {
        true => quote!(#call.map_err(|error| ::tvmscript_irbuilder::BuildError::from(error)#position)),
        false => quote!(::core::result::Result::Ok(#call)),
    };
    quote! {
        #(#docs)*
        #[::tvmscript_irbuilder::script_fn(name = #text #poison #around)]
        #[allow(clippy::useless_conversion, clippy::too_many_arguments)]
        pub fn #ident(#(#inputs),*) -> ::tvmscript_irbuilder::Result<super::Made> {
            #body
        }
    }
}

/// A parameter of a script function; its type is the one of the same name in the module `script`, if that is given.
fn input(param: &Param, kind: Kind, script: Option<&Path>) -> TokenStream {
    let Param { ident, ty, default, .. } = param;
    let ty = match script {
        Some(script) => script_type(ty, script),
        None => quote!(#ty),
    };
    let default = default.as_ref().map(|default| quote!(#[default = #default]));
    match kind {
        Kind::Plain => quote!(#default #ident: #ty),
        Kind::KeywordOnly => quote!(#[kw_only] #default #ident: #ty),
        Kind::Rest => quote!(#[args] #ident: ::std::vec::Vec<#ty>),
        Kind::Extra => quote!(#[kwargs] #ident: ::std::vec::Vec<(::tvmscript_ir_core::Str, #ty)>),
    }
}

/// `Expr` as `script::Expr`, `Option<Expr>` as `Option<script::Expr>`; `bool` and `i64` as they are.
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
        return quote!(#ident<#(#arguments),*>);
    }
    match segment.ident.to_string().starts_with(|c: char| c.is_lowercase()) {
        true => quote!(#ty),
        false => quote!(#script::#segment),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "prefix = \"toy.\"; result = Expr; error = ToyError; script = crate::build;";

    fn declared(entries: &str) -> std::result::Result<String, String> {
        let parsed = syn::parse_str::<Operators>(&format!("{HEADER} {entries}"));
        parsed.and_then(expand).map(|tokens| tokens.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_entry_gives_a_function_a_record_and_a_script_function() {
        let out =
            declared("/// Sum.\n add(a: Expr, b: Expr) -> same_as(a), effect = Pure;").expect("it is right");
        for part in [
            "pub fn add (a : Expr , b : Expr) -> Expr",
            "pub static ADD : Operator",
            "Operator :: new (\"toy.add\" , \"add\" , ResultType :: SameAs (0usize)) . with_operands (2usize , 2usize)",
            "script_fn (name = \"add\")",
        ] {
            assert!(out.contains(part), "{part} in {out}");
        }
    }

    #[test]
    fn defaults_rest_parameters_and_names_are_kept() {
        let out = declared(
            "/// Call.\n call_(dtype: DataType, name: Expr, n: Expr = 8, *args: Expr) -> dtype, name = \"toy.invoke\", hidden;",
        );
        let out = out.expect("it is right");
        for part in [
            "\"toy.invoke\" , \"call\" , ResultType :: First",
            "# [default = 8] n",
            "# [args] args",
            "hidden ()",
        ] {
            assert!(out.contains(part), "{part} in {out}");
        }
    }

    #[test]
    fn groups_and_attributes_follow_into_the_call() {
        let out = declared(
            "params along = (x: Expr; axis: Option<Int> = None); /// Sum.\n sum(..along) -> infer(reduced), attrs = SumAttrs;",
        );
        let out = out.expect("it is right");
        for part in [
            "pub fn sum (x : Expr , axis : Option < Int >) -> Expr",
            "SumAttrs { axis : axis . into () }",
            "axis : Option < crate :: build :: Int >",
            "Operator :: new (\"toy.sum\" , \"sum\" , reduced)",
        ] {
            assert!(out.contains(part), "{part} in {out}");
        }
    }

    #[test]
    fn a_body_is_that_of_the_script_function() {
        let out = declared(
            "/// Print.\n print(*values: ExprArg) -> infer(nothing), effect = Opaque { call(values) }",
        );
        let out = out.expect("it is right");
        assert!(
            out.contains("-> :: tvmscript_irbuilder :: Result < super :: Made > { call (values) }"),
            "{out}"
        );
        assert!(!out.contains("pub fn print (values : impl"), "{out}");
    }

    #[test]
    fn mistakes_are_named() {
        for (entries, message) in [
            ("/// A.\n a(..b) -> INT;", "no `params b = ..;`"),
            ("exp(x: Expr) -> same_as(x);", "`exp` needs a doc comment"),
            ("/// Exp.\n exp(x: Expr) -> same_as(y);", "no operand is called `y`"),
            ("/// Exp.\n exp(x: Expr);", "an operator needs the type of its calls: `-> same_as(x)`"),
            (
                "/// Abs.\n fn abs(x: Expr);",
                "a function without an operator needs what it does: `= path` or a body",
            ),
            ("/// A.\n a(x: Expr, x: Expr) -> INT;", "two parameters are called `x`"),
            (
                "/// A.\n a(w: Expr, x: Expr = 1, y: Expr) -> INT;",
                "`y` needs a default: a parameter before it has one",
            ),
            ("/// A.\n a(*x: Expr) -> same_as(x);", "`x` has several types: write `same_as(x[0])`"),
            ("/// A.\n a() -> INT;\n/// A.\n a() -> INT;", "`a` is declared twice"),
            ("/// A.\n a() -> INT, pure;", "expected `=`"),
            ("/// A.\n a() -> INT, purity = Pure;", "expected `name`, `text`, `effect`, `attrs` or `hidden`"),
            (
                "/// A.\n a() -> like(x);",
                "expected `same_as(operand)`, `infer(function)`, a parameter or a type",
            ),
        ] {
            assert_eq!(declared(entries), Err(message.to_owned()), "{entries}");
        }
        let bare = syn::parse_str::<Operators>("/// A.\n a() -> INT;").and_then(expand);
        assert_eq!(bare.map(drop).map_err(|e| e.to_string()), Err("`result = ..;` is missing".to_owned()));
    }
}
