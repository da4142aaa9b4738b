//! Global infos, operators, function types, ranges and targets.

use crate::DictAttrs;
use tvmscript_docsifier::doc::ExprDoc;
use tvmscript_docsifier::{Docsifier, DocsifyResult};
use tvmscript_ir_core::{Map, ObjectLike, PathId, Ref, Str, Value, field, structural_equal};
use tvmscript_prim::Op;
use tvmscript_prim::{Expr, FuncType, IntImm, Range, ops};

use super::data::data_dict;
use crate::node::{DummyGlobalInfo, GlobalVar, Omitted, Target, VDevice};

/// `{"key": value}`
pub(super) fn dict_attrs(
    node: &Ref<DictAttrs>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let DictAttrs { dict } = &**node;
    let at = d.field(path, "__dict__");
    let entries = data_dict(dict, at, d)?;
    // A dictionary that stands alone is a map.
    let is_whole = d.is_root(node.object()) && d.config().verbose_expr;
    if !is_whole && !d.is_data(node.object()) {
        return Ok(entries);
    }
    let callee = d.prefixed("ir", "DictAttrs");
    Ok(d.docs.call_args(callee, &[entries]))
}

/// `I.GlobalVar("f")`
pub(super) fn global_var(
    node: &Ref<GlobalVar>,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let GlobalVar { span: _, struct_info_: _, name_hint } = &**node;
    let name = d.docs.str(name_hint.as_str());
    let name = d.at_field(name, path, field!(GlobalVar, name_hint));
    let callee = d.prefixed("ir", "GlobalVar");
    Ok(d.docs.call_args(callee, &[name]))
}

/// `metadata["relax.expr.Constant"][0]`, for a value that the text of the program left out
pub(super) fn omitted(node: &Ref<Omitted>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Omitted { span: _, struct_info_: _, type_key, index } = &**node;
    let place = d.omitted_metadata(type_key, *index);
    Ok(d.at_field(place, path, field!(Omitted, index)))
}

/// `I.dummy_global_info()`
pub(super) fn dummy_global_info(
    node: &Ref<DummyGlobalInfo>,
    _: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let DummyGlobalInfo {} = &**node;
    let callee = d.prefixed("ir", "dummy_global_info");
    Ok(d.docs.call_args(callee, &[]))
}

/// `I.vdevice({"kind": "llvm"}, 0, "global")`
pub(super) fn vdevice(node: &Ref<VDevice>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let VDevice { target, vdevice_id, memory_scope } = &**node;
    let target = match target {
        Some(target) => {
            let at = d.field(path, field!(VDevice, target));
            target_config(target, at, d)?
        }
        None => d.docs.none(),
    };
    let id = d.docs.int(*vdevice_id);
    let id = d.at_field(id, path, field!(VDevice, vdevice_id));
    let scope = d.docs.str(memory_scope.as_str());
    let scope = d.at_field(scope, path, field!(VDevice, memory_scope));
    let callee = d.prefixed("ir", "vdevice");
    Ok(d.docs.call_args(callee, &[target, id, scope]))
}

/// `I.Op("tir.exp")`
pub(super) fn op(node: &Ref<Op>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let Op { name } = &**node;
    let name = d.docs.str(name.as_str());
    let name = d.at_field(name, path, field!(Op, name));
    let callee = d.prefixed("ir", "Op");
    Ok(d.docs.call_args(callee, &[name]))
}

/// `I.FuncType([a, b], r)`
pub(super) fn func_type(node: &Ref<FuncType>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let FuncType { span: _, arg_types, ret_type } = &**node;
    let at = d.field(path, field!(FuncType, arg_types));
    let args = d.values(arg_types.values(), at)?;
    let args = d.docs.list(&args);
    let at = d.field(path, field!(FuncType, ret_type));
    let result = d.expr(ret_type, at)?;
    let callee = d.prefixed("ir", "FuncType");
    Ok(d.docs.call_args(callee, &[args, result]))
}

/// `I.Range(0, 16)`
pub(super) fn range(node: &Ref<Range>, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let callee = d.prefixed("ir", "Range");
    range_call(node, callee, path, d)
}

/// `callee(min, min + extent)`: a range by its bounds.
///
/// # Errors
/// If a bound cannot be printed.
pub fn range_call(
    node: &Range,
    callee: ExprDoc,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    range_with(node, callee, path, d, |end, at, d| d.expr(end, at))
}

/// As [`range_call`], with a custom printer of scalars.
///
/// The parser computes the extent as the difference of the bounds, without simplification. If that is not the extent,
/// the range prints as `tvm.ir.Range.from_min_extent(min, extent)`, which TVM reads too.
///
/// # Errors
/// If a bound cannot be printed.
pub fn range_with(
    node: &Range,
    callee: ExprDoc,
    path: PathId,
    d: &mut Docsifier<'_>,
    scalar: impl Fn(&Expr, PathId, &mut Docsifier<'_>) -> DocsifyResult<ExprDoc>,
) -> DocsifyResult<ExprDoc> {
    let Range { min, extent, span: _ } = node;
    let at = d.field(path, field!(Range, min));
    let first = scalar(min, at, d)?;
    let at = d.field(path, field!(Range, extent));
    match end_of(min, extent) {
        Some(end) => {
            let end = match end.ptr_eq(extent) {
                true => scalar(&end, at, d)?,
                // The sum is not a node of the range.
                false => d.untracked(|d| scalar(&end, at, d))?,
            };
            let end = d.at(end, at);
            Ok(d.docs.call_args(callee, &[first, end]))
        }
        None => {
            let extent = scalar(extent, at, d)?;
            let callee = tvm_name(&["ir", "Range", "from_min_extent"], d);
            Ok(d.docs.call_args(callee, &[first, extent]))
        }
    }
}

/// The package of names that no dialect's namespace has.
pub(super) const TVM: &str = "tvm";

/// `tvm.ir.Range`: a qualified name of TVM, for rarely used forms.
pub fn tvm_name(path: &[&str], d: &mut Docsifier<'_>) -> ExprDoc {
    let tvm = d.word(TVM);
    path.iter().fold(tvm, |doc, name| d.docs.attr(doc, *name))
}

/// The upper bound of a range, if the parser's difference of the bounds is the extent.
fn end_of(min: &Expr, extent: &Expr) -> Option<Expr> {
    let end = ops::add(extent.clone(), min.clone()).ok()?;
    let again = match min.as_node::<IntImm>() {
        Some(lit) if lit.value == 0 => end.clone(),
        _ => ops::sub(end.clone(), min.clone()).ok()?,
    };
    structural_equal(again.object(), extent.object()).then_some(end)
}

/// A target as the dictionary that constructs it.
///
/// # Errors
/// If an option cannot be printed.
pub fn target_config(node: &Target, path: PathId, d: &mut Docsifier<'_>) -> DocsifyResult<ExprDoc> {
    let config = exported(node).into_object();
    d.expr_object(&config, path)
}

fn exported(node: &Target) -> Map<Str, Value> {
    let Target { kind, tag, keys, attrs, features: _, host } = node;
    let mut entries: Vec<(Str, Value)> = vec![
        (Str::new("kind"), kind.name.clone().into()),
        (Str::new("tag"), tag.clone().into()),
        (Str::new("keys"), keys.clone().into()),
    ];
    entries.extend(attrs.iter().map(|(key, value)| (key.clone(), value.clone())));
    if let Some(host) = host.as_ref().and_then(|host| host.downcast_ref::<Target>()) {
        entries.push((Str::new("host"), exported(host).into()));
    }
    Map::new(entries)
}
