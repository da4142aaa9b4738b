//! `#[derive(Node)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::meta::ParseNestedMeta;
use syn::{Data, DeriveInput, Fields, Ident, LitStr, Path, Result, Type};

/// Attributes on the struct.
#[derive(Default)]
struct Options {
    key: Option<LitStr>,
    parent: Option<Path>,
    parent_key: Option<LitStr>,
    ancestors: Vec<Path>,
    eq: Option<Ident>,
    custom_eq: Option<Path>,
    by_name: Option<Path>,
    namer: Option<Path>,
    sequence: bool,
    check: Option<Path>,
    normalize: Option<Path>,
    defines: Option<Path>,
}

/// Attributes on a field.
struct FieldOptions<'a> {
    ident: &'a Ident,
    ty: &'a Type,
    name: String,
    def: bool,
    skip_eq: bool,
    derived: bool,
    optional: bool,
    class: Option<Path>,
}

fn options(input: &DeriveInput) -> Result<Options> {
    let mut out = Options::default();
    for attr in input.attrs.iter().filter(|a| a.path().is_ident("node")) {
        attr.parse_nested_meta(|meta| {
            let name = meta.path.get_ident().map(Ident::to_string).unwrap_or_default();
            let path = match &*name {
                "parent" => &mut out.parent,
                "custom_eq" => &mut out.custom_eq,
                "by_name" => &mut out.by_name,
                "namer" => &mut out.namer,
                "check" => &mut out.check,
                "normalize" => &mut out.normalize,
                "defines" => &mut out.defines,
                _ => return out.other(&name, &meta),
            };
            *path = Some(meta.value()?.parse()?);
            Ok(())
        })?;
    }
    Ok(out)
}

impl Options {
    /// Parses an attribute whose value is not a path.
    fn other(&mut self, name: &str, meta: &ParseNestedMeta<'_>) -> Result<()> {
        match name {
            "key" => self.key = Some(meta.value()?.parse()?),
            "parent_key" => self.parent_key = Some(meta.value()?.parse()?),
            "ancestors" => self.ancestors = super::class::paths(meta)?,
            "sequence" => self.sequence = true,
            "eq" => self.eq = Some(eq_kind(&meta.value()?.parse()?)?),
            _ => {
                return Err(meta.error(
                    "expected `key`, `parent`, `parent_key`, `ancestors`, `eq`, `custom_eq`, `by_name`, `namer`, `check`, `normalize`, `defines` or `sequence`",
                ));
            }
        }
        Ok(())
    }
}

/// Returns the variant of `EqKind`.
fn eq_kind(kind: &Ident) -> Result<Ident> {
    let variant = match kind.to_string().as_str() {
        "tree" => "Tree",
        "dag" => "Dag",
        "free_var" => "FreeVar",
        "const_tree" => "ConstTree",
        "unique" => "Unique",
        _ => {
            let message = "expected `tree`, `dag`, `free_var`, `const_tree` or `unique`";
            return Err(syn::Error::new_spanned(kind, message));
        }
    };
    Ok(format_ident!("{variant}"))
}

fn field_options(field: &syn::Field) -> Result<FieldOptions<'_>> {
    let Some(ident) = &field.ident else {
        return Err(syn::Error::new_spanned(field, "a node's fields have names"));
    };
    let mut out = FieldOptions {
        ident,
        ty: &field.ty,
        name: ident.to_string(),
        def: false,
        skip_eq: ident == "span" || is_name_cell(&field.ty),
        derived: false,
        optional: false,
        class: None,
    };
    for attr in field.attrs.iter().filter(|a| a.path().is_ident("node")) {
        attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("def") {
                out.def = true;
            } else if meta.path.is_ident("skip_eq") {
                out.skip_eq = true;
            } else if meta.path.is_ident("name") {
                out.name = meta.value()?.parse::<LitStr>()?.value();
            } else if meta.path.is_ident("derived") {
                out.derived = true;
            } else if meta.path.is_ident("optional") {
                out.optional = true;
            } else if meta.path.is_ident("class") {
                out.class = Some(meta.value()?.parse::<Path>()?);
            } else {
                return Err(meta.error("expected `def`, `skip_eq`, `derived`, `optional`, `class` or `name`"));
            }
            Ok(())
        })?;
    }
    Ok(out)
}

/// Tests for a field that holds the node's name, which equality ignores.
fn is_name_cell(ty: &Type) -> bool {
    matches!(ty, Type::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "NameCell"))
}

pub(crate) fn derive(input: DeriveInput) -> Result<TokenStream> {
    let Options {
        key,
        parent,
        parent_key,
        ancestors,
        eq,
        custom_eq,
        by_name,
        namer,
        check,
        normalize,
        defines,
        sequence,
    } = options(&input)?;
    let key =
        key.ok_or_else(|| syn::Error::new_spanned(&input.ident, "a node needs `#[node(key = \"..\")]`"))?;
    let key = match key.value().ends_with('.') {
        true => LitStr::new(&format!("{}{}", key.value(), input.ident), key.span()),
        false => key,
    };
    let eq = eq.unwrap_or_else(|| format_ident!("Tree"));
    let mark_sequence = sequence.then(|| quote!(info.mark_sequence();));
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new_spanned(&input.ident, "a node is a struct"));
    };
    let fields: Vec<FieldOptions<'_>> = match &data.fields {
        Fields::Named(named) => named.named.iter().map(field_options).collect::<Result<_>>()?,
        Fields::Unit => Vec::new(),
        Fields::Unnamed(_) => {
            return Err(syn::Error::new_spanned(&input.ident, "a node's fields have names"));
        }
    };
    let name = &input.ident;
    let core = quote!(::tvmscript_ir_core);
    let (parent_info, subclass) =
        super::class::parent_tokens(&core, &quote!(#name), parent.as_ref(), &ancestors);
    let none = quote!(::core::option::Option::None);
    let (parent_info, missing_parent) = match parent_key {
        Some(key) => (
            quote!(#core::type_table::type_by_key(#key)),
            quote!(match #core::type_table::type_by_key(#key) {
                ::core::option::Option::Some(_) => #none,
                ::core::option::Option::None => ::core::option::Option::Some(#key),
            }),
        ),
        None => (parent_info, none),
    };
    let check = check.map(|path| {
        quote! {
            const CHECK: ::core::option::Option<
                fn(&Self) -> ::core::result::Result<(), #core::invariants::Invalid>,
            > = ::core::option::Option::Some(#path);
        }
    });
    let defines = defines.map(|path| {
        quote! {
            const DEFINES: ::core::option::Option<fn(&Self, &mut #core::fresh::Definitions)> =
                ::core::option::Option::Some(#path);
        }
    });
    let normalize = normalize.map(|path| {
        quote! {
            const NORMALIZE: ::core::option::Option<fn(#core::Ref<Self>) -> #core::Object> =
                ::core::option::Option::Some(#path);
        }
    });
    let custom_eq = match custom_eq {
        Some(path) => quote!(::core::option::Option::Some(#path)),
        None => quote!(::core::option::Option::None),
    };
    let infos = fields.iter().map(|f| {
        let FieldOptions { ty, name, def, skip_eq, derived, optional, .. } = f;
        quote!(#core::type_table::FieldInfo {
            name: #name, def: #def, skip_eq: #skip_eq, kind: <#ty as #core::value::Field>::KIND, derived: #derived,
            optional: #optional,
        })
    });
    let get = fields.iter().enumerate().map(|(i, f)| {
        let ident = f.ident;
        quote!(#i => #core::value::Field::as_field(&self.#ident),)
    });
    let slot = fields.iter().enumerate().map(|(i, f)| {
        let ident = f.ident;
        quote!(#i => #core::value::Field::node_slot(&mut self.#ident),)
    });
    let show = fields.iter().enumerate().map(|(i, f)| {
        let FieldOptions { ident, def, skip_eq, .. } = f;
        quote!(sink.field(#i, #def, #skip_eq, #core::value::Field::as_field(&self.#ident));)
    });
    let show_fields = quote! {
        #[inline]
        fn fields<'a, S: #core::node::FieldSink<'a>>(
            &'a self,
            _: &'static #core::type_table::TypeInfo,
            sink: &mut S,
        ) {
            let _ = &sink;
            #(#show)*
        }
    };
    let zip = fields.iter().filter(|f| !f.skip_eq).map(|f| {
        let FieldOptions { ident, def, .. } = f;
        quote! {
            && sink.pair(
                #def,
                #core::value::Field::as_field(&self.#ident),
                #core::value::Field::as_field(&other.#ident),
            )
        }
    });
    let by_name = by_name.map(|path| {
        quote! {
            fn by_name() -> ::core::option::Option<fn(&str) -> #core::Object> {
                ::core::option::Option::Some(|name| ::core::convert::Into::into(#path(name)))
            }
        }
    });
    let cell = fields.iter().find(|f| is_name_cell(f.ty));
    let give_name = match (namer, cell) {
        (Some(path), _) => Some(quote!({ #path(self, name); true })),
        (None, Some(FieldOptions { ident, .. })) => {
            Some(quote!({ self.#ident.set(::core::clone::Clone::clone(name)); true }))
        }
        (None, None) => None,
    };
    let give_name = give_name.map(|body| quote!(fn give_name(&self, name: &#core::Str) -> bool #body));
    let set = fields.iter().enumerate().map(|(i, f)| {
        let (ident, ty) = (f.ident, f.ty);
        let assign = match &f.class {
            Some(class) => quote!(assign_of::<#ty, #class>),
            None => quote!(assign::<#ty>),
        };
        quote!(#i => #core::value::#assign(
            &mut self.#ident,
            value,
            <Self as #core::node::Class>::type_info(),
            #i,
        ),)
    });
    let take = fields.iter().map(|f| {
        let (ident, ty) = (f.ident, f.ty);
        match &f.class {
            Some(class) => quote!(#ident: fields.take_of::<#ty, #class>()?,),
            None => quote!(#ident: fields.take()?,),
        }
    });
    let dtype = fields.iter().find(|f| f.ident == "dtype").map(|_| {
        quote! {
            #[inline]
            fn node_dtype(&self) -> #core::DataType { self.dtype }
        }
    });
    let span = fields.iter().find(|f| f.ident == "span").map(|_| {
        quote! {
            #[inline]
            fn node_span(&self) -> #core::Span { self.span }
            fn set_node_span(&mut self, span: #core::Span) { self.span = span; }
        }
    });
    Ok(quote! {
        // SAFETY: the entry is registered for this struct.
        unsafe impl #core::node::Class for #name {
            #[inline]
            fn type_info() -> &'static #core::type_table::TypeInfo {
                static INFO: ::std::sync::OnceLock<&'static #core::type_table::TypeInfo> = ::std::sync::OnceLock::new();
                INFO.get_or_init(|| {
                    let info = #core::type_table::register_node::<#name>(#core::type_table::TypeDecl {
                        key: #key,
                        parent: #parent_info,
                        missing_parent: #missing_parent,
                        eq: #core::type_table::EqKind::#eq,
                        custom_eq: #custom_eq,
                        shape: #core::type_table::Shape::Fields,
                        fields: &[#(#infos),*],
                    });
                    #mark_sequence
                    info
                })
            }
        }
        #subclass
        impl #core::node::Node for #name {
            #check
            #normalize
            #defines
            #[inline]
            fn field(&self, index: usize) -> #core::value::FieldRef<'_> {
                match index {
                    #(#get)*
                    _ => #core::value::FieldRef::None,
                }
            }
            fn set_field(
                &mut self,
                index: usize,
                value: #core::value::Value,
            ) -> ::core::result::Result<(), #core::value::FieldError> {
                match index {
                    #(#set)*
                    _ => ::core::result::Result::Err(#core::value::FieldError::NoField {
                        key: <Self as #core::node::Class>::type_info().key(),
                        index,
                    }),
                }
            }
            fn from_fields(
                fields: &mut #core::value::Fields<'_>,
            ) -> ::core::result::Result<Self, #core::value::FieldError> {
                ::core::result::Result::Ok(Self { #(#take)* })
            }
            fn node_slot(&mut self, index: usize) -> ::core::option::Option<#core::NodeSlot<'_>> {
                match index {
                    #(#slot)*
                    _ => ::core::option::Option::None,
                }
            }
            #show_fields
            #[inline]
            fn zip<'a, S: #core::node::PairSink<'a>>(
                &'a self,
                other: &'a Self,
                _: &'static #core::type_table::TypeInfo,
                sink: &mut S,
            ) -> bool {
                let _ = (&other, &sink);
                true #(#zip)*
            }
            #by_name
            #give_name
            #dtype
            #span
        }
    })
}
