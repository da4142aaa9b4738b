//! Syntax of `operators!`; [`expand`] generates the code.

mod expand;
#[cfg(test)]
mod tests;

pub(crate) use expand::expand;

use std::collections::HashMap;

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, Expr, Ident, LitInt, LitStr, Path, Result, Token, Type};

use crate::script_fn::ParamKind;

/// An invocation of the macro.
pub(crate) struct Operators {
    header: Header,
    entries: Vec<OperatorDecl>,
}

/// `prefix = "toy."; result = Expr; error = PrimError; script = crate::build::operator; around = convention;`
#[derive(Default)]
struct Header {
    /// Prefix of names in the IR.
    prefix: Option<LitStr>,
    /// Type of a call.
    result: Option<Type>,
    /// Error of fallible functions.
    error: Option<Type>,
    /// Module with the script counterpart of each parameter type, under the same name.
    script: Option<Path>,
    /// Function of that module that wraps the binding of arguments.
    around: Option<Path>,
    /// Function that makes the call of any entry, in place of a typed function per entry.
    call: Option<Path>,
    /// Namespace of the names in text.
    namespace: Option<LitStr>,
    /// Effect of entries that state none.
    effect: Option<Ident>,
    /// `true` if the result has a poison value.
    has_poison: bool,
}

/// `exp(x: Expr) -> same_as(x) = fold::exp, effect = Pure;`
struct OperatorDecl {
    docs: Vec<Attribute>,
    ident: Ident,
    /// Declared with `fn`: a script function without an operator.
    is_function: bool,
    params: Vec<Param>,
    rule: Option<Rule>,
    make: Option<Expr>,
    /// `{ .. }`: the body of the script function.
    body: Option<TokenStream>,
    attrs: Option<Attrs>,
    /// `args = [b, a]`: the operands, in place of all parameters that are not attributes.
    args: Option<Expr>,
    /// `stated = types`: the parameter that holds the types of the results.
    stated: Option<Ident>,
    name: Option<LitStr>,
    text: Option<LitStr>,
    effect: Option<Ident>,
    is_hidden: bool,
    /// Further properties of the operator: `key = value` is `.with_key(value)`.
    properties: Vec<(Ident, Expr)>,
}

/// `attrs = Type`, or `attrs = Type { field: value, other, .. }`.
struct Attrs {
    ty: Path,
    /// The fields in braces.
    fields: Vec<(Ident, Option<Expr>)>,
    /// The parameters after `;` that the braces do not name are fields too.
    takes_rest: bool,
}

impl Parse for Attrs {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut attrs =
            Attrs { ty: input.call(Path::parse_mod_style)?, fields: Vec::new(), takes_rest: true };
        if input.peek(syn::token::Brace) {
            let content;
            syn::braced!(content in input);
            attrs.takes_rest = false;
            while !content.is_empty() {
                if content.parse::<Option<Token![..]>>()?.is_some() {
                    attrs.takes_rest = true;
                    break;
                }
                let field: Ident = content.parse()?;
                let value = match content.parse::<Option<Token![:]>>()? {
                    Some(_) => Some(content.parse()?),
                    None => None,
                };
                attrs.fields.push((field, value));
                if !content.is_empty() {
                    content.parse::<Token![,]>()?;
                }
            }
        }
        Ok(attrs)
    }
}

#[derive(Clone)]
struct Param {
    ident: Ident,
    ty: Type,
    default: Option<Expr>,
    kind: ParamKind,
    /// Follows `;`: a field of the call's attributes, not an operand.
    is_attribute: bool,
}

/// The type of a call.
enum Rule {
    /// `same_as(x)`: the type of an operand, by its index; `same_as(x[0])`: that of an item of a rest parameter.
    SameAs { index: usize, param: Ident, item: Option<LitInt> },
    /// `dtype`: the value of a parameter.
    Param { ident: Ident, is_first: bool },
    /// `infer(path)`: the result of a function of the call.
    Infer(Expr),
    /// `open`: the type that the place of the call asks for; none for a statement.
    Open,
    /// Any other path: a fixed type.
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
                "call" => header.call = Some(input.call(Path::parse_mod_style)?),
                "namespace" => header.namespace = Some(input.parse()?),
                "effect" => header.effect = Some(input.parse()?),
                _ => {
                    return Err(Error::new(
                        key.span(),
                        "expected `prefix`, `result`, `error`, `script`, `around`, `call`, `namespace`, `effect` or `poison`",
                    ));
                }
            }
            input.parse::<Token![;]>()?;
        }
        let mut groups = Groups::new();
        let mut entries: Vec<OperatorDecl> = Vec::new();
        while !input.is_empty() {
            if input.peek(Ident) && input.peek2(Ident) {
                let (name, params) = group(input, &groups)?;
                groups.insert(name, params);
                continue;
            }
            let mut entry = OperatorDecl::parse(input, &groups)?;
            if header.call.is_some() {
                // Keywords are annotations of the call.
                for param in entry.params.iter_mut().filter(|param| !param.is_type()) {
                    param.is_attribute |= matches!(param.kind, ParamKind::KeywordOnly | ParamKind::Kwargs);
                }
            }
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

impl OperatorDecl {
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
        let mut entry = OperatorDecl {
            docs,
            ident,
            is_function,
            params,
            rule: None,
            make: None,
            body: None,
            attrs: None,
            args: None,
            stated: None,
            name: None,
            text: None,
            effect: None,
            is_hidden: false,
            properties: Vec::new(),
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
        let fields = entry.attrs.iter().flat_map(|attrs| &attrs.fields);
        let fields: Vec<Ident> = fields.map(|(field, _)| field.clone()).collect();
        for param in &mut entry.params {
            param.is_attribute |= fields.contains(&param.ident);
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

impl OperatorDecl {
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
            "args" => self.args = Some(input.parse()?),
            "stated" => self.stated = Some(input.parse()?),
            _ => {
                let value = input.call(Expr::parse_without_eager_brace)?;
                self.properties.push((key, value));
            }
        }
        Ok(())
    }

    /// The Rust name without the affixes that keywords require.
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
        let is_stated = |param: &Param| self.stated.as_ref() == Some(&param.ident);
        self.params.iter().filter(move |p| !p.is_type() && !p.is_attribute && !is_stated(p))
    }

    fn is_optional(&self, param: &Ident) -> bool {
        self.params.iter().any(|p| p.ident == *param && p.is_option())
    }

    /// Tests whether the typed function returns a `Result`: with an `error` in the header, one that calls another function.
    fn is_fallible(&self, header: &Header) -> bool {
        self.make.is_some() && header.error.is_some()
            || matches!(self.rule, Some(Rule::SameAs { item: Some(_), .. }))
    }
}

/// `x: Expr, y = 8, *args: Expr, *, key: Str; attribute: bool = false`
fn parameters(input: ParseStream<'_>, groups: &Groups) -> Result<Vec<Param>> {
    let mut params: Vec<Param> = Vec::new();
    let (mut kind, mut is_attribute) = (ParamKind::Plain, false);
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
            kind = ParamKind::KeywordOnly;
            if input.parse::<Option<Token![,]>>()?.is_some() {
                continue;
            }
            this = match input.parse::<Option<Token![*]>>()? {
                Some(_) => ParamKind::Kwargs,
                None => ParamKind::Args,
            };
        }
        let ident: Ident = input.call(syn::ext::IdentExt::parse_any)?;
        let ident = match syn::parse_str::<Ident>(&ident.to_string()) {
            Ok(_) => ident,
            Err(_) => Ident::new_raw(&ident.to_string(), ident.span()),
        };
        let ty: Type = match input.parse::<Option<Token![:]>>()? {
            Some(_) => input.parse()?,
            None => syn::parse_quote!(Expr),
        };
        let default = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse::<Expr>()?),
            None => None,
        };
        if params.iter().any(|other| other.ident == ident) {
            return Err(Error::new(ident.span(), format!("two parameters are called `{ident}`")));
        }
        let has_default_before =
            params.iter().skip(1).any(|p| p.default.is_some() && p.kind == ParamKind::Plain);
        if this == ParamKind::Plain && default.is_none() && has_default_before {
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
        let mut numbered = params.iter().enumerate();
        let param = path.get_ident().and_then(|ident| numbered.find(|(_, p)| p.ident == *ident));
        return Ok(match param {
            Some((at, param)) => Rule::Param { ident: param.ident.clone(), is_first: at == 0 },
            None if path.is_ident("open") => Rule::Open,
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
        (ParamKind::Args, true) => {
            let item;
            syn::bracketed!(item in content);
            Some(item.parse::<LitInt>()?)
        }
        (ParamKind::Args, false) => {
            let message = format!("`{param}` has several types: write `same_as({param}[0])`");
            return Err(Error::new(param.span(), message));
        }
        _ => None,
    };
    let offset = item.as_ref().map_or(Ok(0), LitInt::base10_parse::<usize>)?;
    Ok(Rule::SameAs { index: index + offset, param, item })
}
