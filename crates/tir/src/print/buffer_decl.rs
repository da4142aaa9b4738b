//! Declarations of buffers: `T.Buffer`, `T.match_buffer`, `T.alloc_buffer`, `T.decl_buffer`.
//!
//! The order of the parts is fixed, because free variables are named and declared as they occur. A part is omitted
//! only if it equals the parser's default, including its type.

use smallvec::SmallVec;
use tvmscript_docsifier::doc::{ExprDoc, StmtRole};
use tvmscript_docsifier::{Docsifier, DocsifyError, DocsifyResult};
use tvmscript_ir_core::visit::{Visitor, Walk};
use tvmscript_ir_core::{Array, DataType, PathId, Ref, field, structural_equal};
use tvmscript_prim::ops::is_zero;
use tvmscript_prim::{Expr, IntImm, PointerType, PrimExprExt, Var};

use super::expr::list;
use super::state::TirDocsifier;
use super::var;
use crate::node::{AUTO_WITHOUT_STRIDES, Buffer, BufferType, DEFAULT_ALIGNMENT};

/// The new variables of a buffer that its declaration defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Inline {
    /// None.
    Nothing,
    /// The data pointer.
    DataPointer,
    /// The data pointer, strides and offset.
    DataAndParts,
}

type Kwargs = SmallVec<[(&'static str, ExprDoc); 8]>;

/// The arguments of a declaration.
struct DeclArgs {
    shape: ExprDoc,
    dtype: Option<ExprDoc>,
    kwargs: Kwargs,
}

/// Free variables that must be declared before a declaration.
#[derive(Default)]
struct NewVars {
    names: SmallVec<[ExprDoc; 4]>,
    values: SmallVec<[ExprDoc; 4]>,
}

impl NewVars {
    fn add(&mut self, variable: &Ref<Var>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<()> {
        let name = var::define(variable, d)?;
        self.names.push(d.at(name, path));
        self.values.push(var::creation(variable, path, d)?);
        Ok(())
    }

    /// `m, n = T.int32(), T.int64()`
    fn declare(self, d: &mut Docsifier<'_>) {
        let stmt = match (&*self.names, &*self.values) {
            ([], _) | (_, []) => return,
            ([name], [value]) => d.docs.bind(*name, *value),
            (names, values) => {
                let (names, values) = (d.docs.tuple(names), d.docs.tuple(values));
                d.docs.bind(names, values)
            }
        };
        d.docs.set_role(stmt, StmtRole::DefineName);
        d.push_stmt(stmt);
    }
}

/// `T.method(args, shape, dtype, ..., kwargs)`; new variables are declared in the innermost frame.
///
/// # Errors
/// Those of the parts.
pub fn declaration(
    buffer: &Ref<Buffer>,
    method: &str,
    (args, kwargs): (&[ExprDoc], &[(&'static str, ExprDoc)]),
    path: PathId,
    inline: Inline,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    // The type that the parser gives to a stride that is given by name.
    let stride_dtype = match method {
        "match_buffer" => new_var_dtype(&buffer.shape),
        _ => DataType::INT32,
    };
    let mut parts = parts(buffer, path, (inline, stride_dtype), None, d)?;
    // Functions that are named for a storage scope.
    let implied = method.strip_prefix("alloc_").filter(|scope| buffer.scope() == *scope);
    if implied.is_some() {
        parts.kwargs.retain(|(key, _)| *key != "scope");
    }
    let mut all: SmallVec<[ExprDoc; 4]> = SmallVec::from_slice(args);
    all.push(parts.shape);
    all.extend(parts.dtype);
    // The data comes first.
    let (data, kwargs): (Kwargs, Kwargs) = kwargs.iter().copied().partition(|(key, _)| *key == "data");
    parts.kwargs.insert_many(0, data);
    parts.kwargs.extend(kwargs);
    let callee = d.t(method);
    let call = d.docs.call(callee, &all, &parts.kwargs);
    Ok(d.at(call, path))
}

/// `T.Buffer((16,), "float32")`, as the annotation of a parameter.
pub(crate) fn annotation(
    buffer: &Ref<Buffer>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    full_annotation(buffer, None, path, d)
}

/// `T.Buffer((16,), "float32", align=8)`, with a doc for the shape if it is given. Variables of the shape that are not
/// defined are declared before, unless that doc stands for them.
///
/// # Errors
/// Those of the parts.
pub fn full_annotation(
    buffer: &Ref<Buffer>,
    shape: Option<ExprDoc>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let inline = (Inline::DataPointer, DataType::INT32);
    let DeclArgs { shape, dtype, kwargs } = parts(buffer, path, inline, shape, d)?;
    let dtype = match dtype {
        Some(dtype) => dtype,
        None => dtype_doc(buffer.dtype, path, d),
    };
    let call = d.call_t_with("Buffer", &[shape, dtype], &kwargs);
    Ok(d.at(call, path))
}

/// Fails for a buffer with a layout, which the text of the first release cannot express.
pub(crate) fn no_layout(
    buffer: &Ref<Buffer>,
    _: PathId,
    _: &mut Docsifier<'_>,
) -> DocsifyResult<Option<super::forms::Keyword>> {
    match buffer.layout {
        None => Ok(None),
        Some(_) => {
            let reason = "it has a layout".to_owned();
            Err(DocsifyError::Unwritable { key: buffer.object().info().key(), reason }.into())
        }
    }
}

fn dtype_doc(dtype: DataType, path: PathId, d: &mut Docsifier<'_>) -> ExprDoc {
    let doc = d.dtype(dtype);
    d.at_field(doc, path, field!(Buffer, dtype))
}

/// The number of parts of the buffer in which a variable occurs.
fn use_count(buffer: &Buffer, variable: &Ref<Var>) -> usize {
    let parts = [&buffer.elem_offset].into_iter().chain(buffer.strides.iter()).chain(buffer.shape.iter());
    usize::from(buffer.data.ptr_eq(variable))
        + parts.filter(|part| var::mentions(part, |node| node.ptr_eq(variable.object()))).count()
}

/// Index of the outermost frame that may contain a declaration of the buffer.
pub(crate) fn visible_from(buffer: &Buffer, d: &mut Docsifier<'_>) -> usize {
    let mut frame = d.visible_from(&buffer.data);
    let parts = [&buffer.elem_offset].into_iter().chain(buffer.strides.iter()).chain(buffer.shape.iter());
    for part in parts.filter(|part| !part.is::<IntImm>()) {
        let _ = Visitor::new().pre_order(part.object(), |object| {
            if let Some(variable) = object.downcast_ref::<Var>() {
                frame = frame.max(d.visible_from(variable));
            }
            Walk::Advance
        });
    }
    frame
}

fn new_var<'a>(e: &'a Expr, d: &mut Docsifier<'_>) -> Option<&'a Ref<Var>> {
    e.downcast_ref::<Var>().filter(|var| d.may_define(var.object()))
}

/// Returns `true` if a declaration that omits or only names the variable creates an equal one: of this type, not a
/// size variable, and used in no other part.
fn is_made_anew(buffer: &Buffer, variable: &Ref<Var>, dtype: DataType) -> bool {
    use_count(buffer, variable) == 1 && variable.dtype == dtype && !var::is_size_var(variable)
}

/// Returns `true` if a declaration without `data=` creates an equal pointer.
pub fn has_default_pointer(buffer: &Buffer) -> bool {
    let made = Buffer::pointer_type(buffer.dtype, &buffer.scope());
    structural_equal(made.object(), buffer.data.type_annotation.object())
        && std::ptr::eq(buffer.data.object().info(), <Var as tvmscript_ir_core::Class>::type_info())
}

/// The type of variables that a declaration creates for an offset or for strides given by name.
fn new_var_dtype(shape: &Array<Expr>) -> DataType {
    shape.first().map_or(DataType::INT32, |extent| extent.dtype())
}

/// Returns `true` if a declaration without an offset creates an equal one.
pub fn has_default_offset(buffer: &Buffer) -> bool {
    is_zero(&buffer.elem_offset) && buffer.elem_offset.dtype() == Buffer::index_dtype(&buffer.shape)
}

fn parts(
    buffer: &Ref<Buffer>,
    path: PathId,
    (inline, stride_dtype): (Inline, DataType),
    shape_doc: Option<ExprDoc>,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<DeclArgs> {
    let Buffer {
        data,
        dtype,
        shape,
        strides,
        axis_separators,
        elem_offset,
        name: _,
        data_alignment,
        offset_factor,
        buffer_type,
        layout: _,
        span: _,
    } = &**buffer;
    let mut new_vars = NewVars::default();
    let mut kwargs = Kwargs::new();

    let at = d.field(path, field!(Buffer, shape));
    let shape_doc = match shape_doc {
        Some(doc) => doc,
        None => {
            let mut extents: SmallVec<[ExprDoc; 4]> = SmallVec::new();
            for (i, extent) in shape.iter().enumerate() {
                let at = d.item(at, i);
                if let Some(variable) = new_var(extent, d) {
                    new_vars.add(variable, at, d)?;
                }
                extents.push(d.expr(extent, at)?);
            }
            d.docs.tuple(&extents)
        }
    };
    let shape_doc = d.at(shape_doc, at);

    let dtype = match *dtype == d.tir().options.buffer_dtype {
        true => None,
        false => Some(dtype_doc(*dtype, path, d)),
    };

    let at = d.field(path, field!(Buffer, data));
    let inline_data = d.may_define(data.object())
        && inline >= Inline::DataPointer
        && has_default_pointer(buffer)
        && use_count(buffer, data) == 1;
    if inline_data {
        let (of, path) = (buffer.clone(), path);
        d.define_by_doc(
            data.object(),
            std::rc::Rc::new(move |d| {
                let buffer = d.expr(&of, path)?;
                Ok(d.docs.attr(buffer, "data"))
            }),
        )?;
    } else {
        if d.may_define(data.object()) {
            new_vars.add(data, at, d)?;
        }
        kwargs.push(("data", d.expr(data, at)?));
    }

    if !strides.is_empty() {
        let at = d.field(path, field!(Buffer, strides));
        let strides = strides_doc(buffer, (path, at), stride_dtype, &mut new_vars, d)?;
        kwargs.push(("strides", strides));
    }

    let at = d.field(path, field!(Buffer, elem_offset));
    let mut says_factor = false;
    let new_offset = new_var(elem_offset, d).cloned();
    if let Some(variable) = new_offset {
        says_factor = true;
        if is_made_anew(buffer, &variable, new_var_dtype(shape)) {
            let (of, path) = (buffer.clone(), path);
            d.define_by_doc(
                variable.object(),
                std::rc::Rc::new(move |d| {
                    let buffer = d.expr(&of, path)?;
                    Ok(d.docs.attr(buffer, "elem_offset"))
                }),
            )?;
        } else {
            new_vars.add(&variable, at, d)?;
            kwargs.push(("elem_offset", d.keyword_value(|d| d.expr(elem_offset, at))?));
        }
    } else if !has_default_offset(buffer) || *offset_factor != 1 {
        // With a factor but no offset, the parser would create a variable.
        kwargs.push(("elem_offset", d.keyword_value(|d| d.expr(elem_offset, at))?));
    }

    let scope = buffer.scope();
    if scope != "global" {
        let doc = d.docs.str(scope.as_str());
        let at = d.field(path, field!(Buffer, data));
        let at = d.field(at, field!(Var, type_annotation));
        kwargs.push(("scope", d.at_field(doc, at, field!(PointerType, storage_scope))));
    }
    if *data_alignment != DEFAULT_ALIGNMENT {
        let doc = d.docs.int(*data_alignment);
        kwargs.push(("align", d.at_field(doc, path, field!(Buffer, data_alignment))));
    }
    if says_factor || *offset_factor != 1 {
        let doc = d.docs.int(*offset_factor);
        kwargs.push(("offset_factor", d.at_field(doc, path, field!(Buffer, offset_factor))));
    }
    if *buffer_type != BufferType::Default {
        // The parser gives a broadcasting buffer strides unless the text says that it has none.
        let has_none = strides.is_empty() && !shape.is_empty();
        let doc = d.docs.str(if has_none { AUTO_WITHOUT_STRIDES } else { "auto" });
        kwargs.push(("buffer_type", d.at_field(doc, path, field!(Buffer, buffer_type))));
    }
    if !axis_separators.is_empty() {
        let at = d.field(path, field!(Buffer, axis_separators));
        kwargs.push(("axis_separators", list(axis_separators, at, d)?));
    }
    let layout = d.tir().syntax.print.layout;
    kwargs.extend(layout(buffer, path, d)?);
    new_vars.declare(d);
    Ok(DeclArgs { shape: shape_doc, dtype, kwargs })
}

/// `(s, "t")`: a new stride that occurs nowhere else is given by its name alone.
fn strides_doc(
    buffer: &Ref<Buffer>,
    (buffer_path, path): (PathId, PathId),
    named_dtype: DataType,
    new_vars: &mut NewVars,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let mut docs: SmallVec<[ExprDoc; 4]> = SmallVec::new();
    for (i, stride) in buffer.strides.iter().enumerate() {
        let at = d.item(path, i);
        if let Some(variable) = new_var(stride, d).cloned() {
            if is_made_anew(buffer, &variable, named_dtype) {
                let of = buffer.clone();
                d.define_by_doc(
                    variable.object(),
                    std::rc::Rc::new(move |d| {
                        let buffer = d.expr(&of, buffer_path)?;
                        let strides = d.docs.attr(buffer, "strides");
                        let index = d.docs.int(i as i64);
                        Ok(d.docs.index(strides, &[index]))
                    }),
                )?;
                let name = d.docs.str(variable.name.get().as_str());
                docs.push(d.at(name, at));
                continue;
            }
            new_vars.add(&variable, at, d)?;
        }
        docs.push(d.keyword_value(|d| d.expr(stride, at))?);
    }
    let tuple = d.docs.tuple(&docs);
    Ok(d.at(tuple, path))
}
