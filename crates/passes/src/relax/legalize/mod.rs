//! From Relax to TIR: operators as calls of functions that compute them.
//!
//! Each operator has one template ([`table`]), which states its result as a tensor expression ([`tvmscript_te`]), with the
//! stages and names of TVM's operator library; `create_prim_func` makes the function. A function that equals one of the
//! module is not added again. Every node of a function and of its call has the span of the call that it replaces.
//!
//! Upstream counterparts: `src/relax/transform/legalize_ops.cc`, `python/tvm/relax/transform/legalize_ops`.

mod all_class_nms;
mod conv;
mod dynamic_slice;
mod elementwise;
mod grad;
mod grid;
mod grid_sample;
mod image;
mod index;
mod inspect;
mod layout;
mod loss;
mod manipulate;
mod multibox;
mod narrow;
mod nms;
mod nn;
mod pad;
mod pool;
mod reduce;
mod roi_align;
mod roi_pool;
mod scalar;
mod scatter;
mod search;
mod site;
mod sort;
mod statements;
mod table;
mod tensor;
mod window;

use hashbrown::HashMap;
use tvmscript_ir::{BaseFunc, DictAttrs, GlobalVar, IRModule};
use tvmscript_ir_core::names::UniqueNames;
use tvmscript_ir_core::{DataType, Map, Ref, Span, structural_equal, structural_hash};
use tvmscript_prim as prim;
use tvmscript_relax::func_type::prim_func_type;
use tvmscript_relax::op::index::dynamic_strided_slice;
use tvmscript_relax::op::reduce::prod;
use tvmscript_relax::op::shape::{shape_of, shape_to_tensor, tensor_to_shape};

use tvmscript_relax::syntax as relax;
use tvmscript_relax::{
    Call, Expr, ExternFunc, Function, PrimStructInfo, PrimValue, RelaxSyntax, ShapeExpr, ShapeStructInfo,
    StructInfo, TensorStructInfo, Tuple, TupleGetItem, TupleStructInfo, Var,
};
use tvmscript_tir::node::PrimFunc;
use tvmscript_tir::signature::signature;
use tvmscript_tir::{TirSyntax, syntax as tir};

use self::inspect::{Inspection, inspection};
use self::layout::Layout;
use self::site::{Legalized, Site};
use self::table::{Template, template};
use self::tensor::{Answer, Tensor};
use super::rewrite::{CurrentSpan, Rewriter, Rules, info_of, relax_error, rewrite};
use crate::Result;
use tvmscript_pass::{PassError, map_parts, pass};

pass! {
    /// Replaces operators by calls of functions that compute them as loops, which it adds to the module. An operator
    /// without a template, or with a shape that is not known, stays.
    pub LegalizeOps = "relax.LegalizeOps" for IRModule |module, context| {
        let release = context.session().and_then(|session| session.dialects().ok());
        let forms = release.map_or(Forms { tir: &tir::TVM_0_23, relax: &relax::TVM_0_23 }, |release| Forms {
            tir: TirSyntax::of(release),
            relax: RelaxSyntax::of(release),
        });
        let mut legalizer = Legalizer::new(&module, context.fills_spans()?, forms);
        let new = map_parts::<Function, _>(module, |function| rewrite(&function, &mut legalizer))?;
        legalizer.added_to(new)
    }
}

/// The answer of a template.
enum Outcome {
    /// The results of a function.
    Tensors(Vec<Tensor>),
    /// The same, of a function with another name than the operator's.
    Named(&'static str, Vec<Tensor>),
    /// Rows, and their number, which only a run knows; the others are left out afterwards.
    Trimmed([Tensor; 2]),
    /// The result of a function `full`, which does not read the operands.
    Detached(Tensor),
    /// The copy of the operand in another layout.
    LaidOut(Layout),
    /// A value without a function.
    Value(Expr),
    /// An operand.
    Operand(usize),
    /// The call stays.
    Keep,
}

impl Outcome {
    fn one(tensor: Tensor) -> Answer<Outcome> {
        Ok(Outcome::Tensors(vec![tensor]))
    }
}

/// The forms of the release that the program is of.
#[derive(Clone, Copy)]
struct Forms {
    tir: &'static TirSyntax,
    relax: &'static RelaxSyntax,
}

/// A function of the module with its name.
type NamedFunction = (Ref<GlobalVar>, Ref<BaseFunc>);

struct Legalizer {
    fills_spans: bool,
    forms: Forms,
    /// Functions of the module and new ones, by structural hash.
    known: HashMap<u64, Vec<NamedFunction>>,
    names: UniqueNames,
    added: Vec<NamedFunction>,
}

impl Rules for Legalizer {
    fn expression(&mut self, _: &Expr, new: Expr, cx: &mut Rewriter) -> Result<Expr> {
        let Some(operator) = new.as_node::<Call>().and_then(Call::op_name) else { return Ok(new) };
        if let Some((_, function)) = PACKED.iter().find(|(packed, _)| *packed == operator) {
            return self.packed(new, function, cx);
        }
        if operator == "relax.dynamic_strided_slice" {
            return Ok(self.dynamic_slice(&new, cx)?.unwrap_or(new));
        }
        if operator == "relax.size" {
            return self.size(new, cx);
        }
        if let Some(inspection) = inspection(operator) {
            return self.inspected(new, inspection, cx);
        }
        let Some(template) = template(operator) else { return Ok(new) };
        let new = cx.blocks.normalize(new).map_err(relax_error)?;
        let Some(call) = new.as_node::<Call>() else { return Ok(new) };
        let result = call.struct_info_.as_ref().and_then(|info| info.downcast_ref::<StructInfo>());
        let infos = call.args.iter().map(info_of).chain(result.cloned());
        if result.is_none() || !infos.into_iter().all(|info| has_known_shape(&info)) {
            return Ok(new.clone());
        }
        let _span = self.span_of(call);
        let legalized = self.legalized(call, template, cx)?;
        Ok(legalized.unwrap_or_else(|| new.clone()))
    }
}

/// Operators that the runtime library computes, with its functions. They need no shapes.
const PACKED: [(&str, &str); 2] =
    [("relax.nonzero", "relax.run.nonzero"), ("relax.unique", "relax.run.unique")];

/// Operators whose tuple of tensors is taken apart even if its fields are known.
const TAKEN_APART: [&str; 1] = ["index_tensor"];

/// `true` if all lengths are known, as numbers or as expressions.
fn has_known_shape(info: &Ref<StructInfo>) -> bool {
    if let Some(tensor) = info.as_node::<TensorStructInfo>() {
        return tensor.dims().is_some();
    }
    if let Some(shape) = info.as_node::<ShapeStructInfo>() {
        return shape.values.is_some();
    }
    match info.as_node::<TupleStructInfo>() {
        Some(tuple) => tuple.fields.iter().all(has_known_shape),
        None => info.is::<PrimStructInfo>(),
    }
}

impl Legalizer {
    fn new(module: &IRModule, fills_spans: bool, forms: Forms) -> Legalizer {
        let mut new = Legalizer {
            fills_spans,
            forms,
            known: HashMap::new(),
            names: UniqueNames::numbered_from(1).separated_by(""),
            added: Vec::new(),
        };
        for (var, function) in module.functions.iter() {
            new.names.insert(&var.name_hint);
            if function.is::<PrimFunc>() {
                new.remember(var.clone(), function.clone());
            }
        }
        new
    }

    fn remember(&mut self, var: Ref<GlobalVar>, function: Ref<BaseFunc>) {
        self.known.entry(structural_hash(function.object())).or_default().push((var, function));
    }

    /// The call of a function of the runtime library.
    fn packed(&self, call: Expr, function: &str, cx: &mut Rewriter) -> Result<Expr> {
        let normal = cx.blocks.normalize(call).map_err(relax_error)?;
        let Some(call) = normal.as_node::<Call>() else { return Ok(normal) };
        let result = call.struct_info_.as_ref().and_then(|info| info.downcast_ref::<StructInfo>()).cloned();
        let function: Expr = ExternFunc::new(function, None).upcast();
        let operands = std::iter::once(function).chain(call.args.iter().cloned());
        let op = prim::Op::get("relax.call_pure_packed").upcast();
        let new: Expr = Call::new(op, operands, None, result).upcast();
        Ok(new.with_span(call.span))
    }

    /// The call of a function that reads the header of a tensor. It needs no shapes.
    fn inspected(&mut self, call: Expr, inspection: &Inspection, cx: &mut Rewriter) -> Result<Expr> {
        let normal = cx.blocks.normalize(call).map_err(relax_error)?;
        let Some(call) = normal.as_node::<Call>() else { return Ok(normal) };
        let _span = self.span_of(call);
        let Ok(function) = inspection.function() else { return Ok(normal.clone()) };
        let mut function = (self.forms.tir.made)(function)?;
        if !inspection.is_schedulable {
            // The mark of functions that schedules work on is the only attribute without a dialect in its name.
            let attrs = function.attrs.dict.iter().filter(|(key, _)| key.contains('.'));
            let attrs = DictAttrs::new(attrs.map(|(key, value)| (key.clone(), value.clone())));
            function.make_mut().attrs = attrs;
        }
        let var = self.add(inspection.name, function);
        Ok(Call::new(var.upcast(), call.args.iter().cloned(), None, []).upcast())
    }

    /// The number of elements, as the product of the lengths.
    fn size(&mut self, old: Expr, cx: &mut Rewriter) -> Result<Expr> {
        let Some(x) = old.as_node::<Call>().and_then(|call| call.args.first().cloned()) else {
            return Ok(old);
        };
        let shape = cx.blocks.emit(shape_of(x).upcast(), None).map_err(relax_error)?.upcast();
        let lengths = self.expression(&old, shape_to_tensor(shape).upcast(), cx)?;
        let lengths = cx.blocks.emit(lengths, None).map_err(relax_error)?.upcast();
        self.expression(&old, prod(lengths, None, false).upcast(), cx)
    }

    /// The span of what replaces a call.
    fn span_of(&self, call: &Call) -> CurrentSpan {
        if self.fills_spans { CurrentSpan::set(call.span) } else { CurrentSpan::replace(Span::UNKNOWN) }
    }

    /// A slice whose lengths a function computes at run time; `None` if the call stays.
    fn dynamic_slice(&mut self, call: &Expr, cx: &mut Rewriter) -> Result<Option<Expr>> {
        let call = cx.blocks.normalize(call.clone()).map_err(relax_error)?;
        let Some(call) = call.as_node::<Call>() else { return Ok(None) };
        let _span = self.span_of(call);
        let site = || Site::new(call, call.args.iter().cloned().collect());
        let (mut measured, mut copied) = (site(), site());
        let Ok((lengths, rank)) = dynamic_slice::lengths(&mut measured) else { return Ok(None) };
        let dims: Vec<_> = (0..rank).map(|_| prim::Var::new("s", DataType::INT64)).collect();
        let Ok(result) = dynamic_slice::sliced(&mut copied, &dims) else { return Ok(None) };
        let Some(lengths) = self.call_of(measured, "shape_func", vec![lengths])? else { return Ok(None) };
        let lengths = cx.blocks.emit(lengths, None).map_err(relax_error)?;
        let shape = tensor_to_shape(lengths.upcast()).upcast();
        let shape = cx.blocks.emit(shape, None).map_err(relax_error)?;
        let info = ShapeStructInfo::try_of(dims.iter().map(|dim| dim.clone().upcast()));
        let info = info.map_err(|error| PassError::unsupported(error.to_string()))?;
        cx.blocks.emit_match_cast(shape.upcast(), info).map_err(relax_error)?;
        self.call_of(copied, "dynamic_strided_slice", vec![result])
    }

    /// The call of a function in place of an operator; `None` if the call stays.
    fn legalized(&mut self, call: &Call, template: &Template, cx: &mut Rewriter) -> Result<Option<Expr>> {
        let resolve = if TAKEN_APART.contains(&template.operator) { taken_apart } else { resolved };
        let operands = call.args.iter().map(|operand| resolve(operand, cx)).collect::<Result<Vec<_>>>()?;
        let mut site = Site::new(call, operands);
        // A call that its template does not fit stays, as one whose shape is unknown.
        let Ok(outcome) = (template.define)(&mut site) else { return Ok(None) };
        let trims = self.forms.relax.has_bare_scalars && matches!(outcome, Outcome::Trimmed(_));
        let (name, outputs) = match outcome {
            Outcome::Keep => return Ok(None),
            Outcome::Value(value) => return Ok(Some(value.with_span(call.span))),
            Outcome::Operand(index) => return Ok(call.args.get(index).cloned()),
            Outcome::LaidOut(layout) => {
                let made = layout.function(&site, self.forms.relax.has_bare_scalars);
                return made.map_or(Ok(None), |(name, function)| self.call(name, function));
            }
            Outcome::Tensors(outputs) => (template.function, outputs),
            Outcome::Named(name, outputs) => (name, outputs),
            Outcome::Trimmed(outputs) => (template.function, outputs.into()),
            Outcome::Detached(output) => {
                site = site.without_operands();
                ("full", vec![output])
            }
        };
        let new = self.call_of(site, name, outputs)?;
        match new {
            Some(new) if trims => self.trimmed(call, new, cx).map(Some),
            new => Ok(new),
        }
    }

    /// The first two results of a call: rows, as many as the second result says, and their number.
    fn trimmed(&mut self, old: &Call, new: Expr, cx: &mut Rewriter) -> Result<Expr> {
        let both: Expr = cx.blocks.emit(new, None).map_err(relax_error)?.upcast();
        let [rows, count] = [0, 1].map(|index| item(&both, index, cx));
        let (rows, count) = (rows?, count?);
        let mut bound = |operands: Vec<Expr>, name: &str, make: dynamic_slice::Bound| -> Result<Expr> {
            let mut site = Site::new(old, operands);
            let call = match make(&mut site) {
                Ok(bound) => self.call_of(site, name, vec![bound])?,
                Err(_) => None,
            };
            let unknown = || PassError::unsupported("the bounds of the rows cannot be computed".to_owned());
            Ok(cx.blocks.emit(call.ok_or_else(unknown)?, None).map_err(relax_error)?.upcast())
        };
        let begin = bound(Vec::new(), "build_begin", |_| dynamic_slice::constant_bound("begin", 0))?;
        let end = bound(vec![count.clone()], "build_end", dynamic_slice::end_of_rows)?;
        let strides = bound(Vec::new(), "build_strides", |_| dynamic_slice::constant_bound("strides", 1))?;
        let slice: Expr = dynamic_strided_slice(rows.clone(), begin, end, strides).upcast();
        let slice = self.dynamic_slice(&slice, cx)?.unwrap_or(slice);
        let slice = cx.blocks.emit(slice, None).map_err(relax_error)?.upcast();
        Ok(Tuple::new([slice, count]).upcast())
    }

    /// The call of a new function that computes the tensors; `None` if there is no such function.
    fn call_of(&mut self, site: Site<'_>, name: &str, outputs: Vec<Tensor>) -> Result<Option<Expr>> {
        let made = site.finish(outputs, self.forms.relax.has_bare_scalars);
        made.map_or(Ok(None), |function| self.call(name, function))
    }

    /// The call of a new function; `None` if it cannot be made.
    fn call(&mut self, name: &str, function: Legalized) -> Result<Option<Expr>> {
        let Legalized { function, mut args, result, scalars } = function;
        // A scalar is an argument like others, or is passed after the results.
        let tir_vars = match self.forms.relax.has_bare_scalars {
            true => {
                args.extend(scalars.into_iter().map(PrimValue::or_variable));
                None
            }
            false if scalars.is_empty() => None,
            false => {
                let Ok(vars) = ShapeExpr::try_new(scalars) else { return Ok(None) };
                Some(vars.upcast())
            }
        };
        let var = self.add(name, (self.forms.tir.made)(function)?);
        let operands = [var.upcast(), Tuple::new(args).upcast()].into_iter().chain(tir_vars);
        let new = Call::new(prim::Op::get("relax.call_tir").upcast(), operands, None, [result]);
        Ok(Some(new.upcast()))
    }

    /// The name of a function in the module: that of an equal one, or a new one.
    fn add(&mut self, name: &str, mut function: Ref<PrimFunc>) -> Ref<GlobalVar> {
        let function_type = prim_func_type(&signature(&function, None));
        function.make_mut().struct_info_ = Some(function_type.clone());
        let function: Ref<BaseFunc> = function.upcast();
        let same = self.known.get(&structural_hash(function.object())).into_iter().flatten();
        let mut same = same.filter(|(_, other)| structural_equal(other.object(), function.object()));
        if let Some((var, _)) = same.next() {
            return var.clone();
        }
        let mut var = GlobalVar::new(self.names.take(name));
        var.make_mut().struct_info_ = Some(function_type);
        self.added.push((var.clone(), function.clone()));
        self.remember(var.clone(), function);
        var
    }

    /// A module with the new functions.
    fn added_to(self, mut module: Ref<IRModule>) -> Result<Ref<IRModule>> {
        if self.added.is_empty() {
            return Ok(module);
        }
        let old = module.functions.iter().map(|(var, function)| (var.clone(), function.clone()));
        let functions: Vec<NamedFunction> = old.chain(self.added).collect();
        let names = functions.iter().map(|(var, _)| (var.name_hint.clone(), var.clone()));
        let global_var_map_ = Map::new(names.collect::<Vec<_>>());
        let node = module.make_mut();
        node.functions = Map::new(functions);
        node.global_var_map_ = global_var_map_;
        Ok(module)
    }
}

/// An operand, or the shape or tuple that a variable is bound to. A tuple that is not known is taken apart.
fn resolved(operand: &Expr, cx: &mut Rewriter) -> Result<Expr> {
    let Some(var) = operand.downcast_ref::<Var>() else { return Ok(operand.clone()) };
    let info = info_of(operand);
    let is_shape = info.is::<ShapeStructInfo>();
    if !info.is::<TupleStructInfo>() {
        let value = if is_shape { cx.value_of(var) } else { None };
        return Ok(value.filter(|value| value.is::<ShapeExpr>()).unwrap_or_else(|| operand.clone()));
    }
    let mut current = var.clone();
    loop {
        match cx.value_of(&current) {
            Some(value) if value.is::<Tuple>() => return Ok(value),
            Some(value) => match value.downcast_ref::<Var>() {
                Some(var) => current = var.clone(),
                None => break,
            },
            None => break,
        }
    }
    taken_apart(&current.upcast(), cx)
}

/// A tuple of its items, each bound to a variable; other operands stay.
fn taken_apart(operand: &Expr, cx: &mut Rewriter) -> Result<Expr> {
    let info = info_of(operand);
    let Some(tuple) = info.as_node::<TupleStructInfo>() else { return Ok(operand.clone()) };
    let item = |index: usize| item(operand, index, cx);
    let fields = (0..tuple.fields.len()).map(item).collect::<Result<Vec<_>>>()?;
    Ok(Tuple::new(fields).upcast())
}

/// An item of a tuple, bound to a variable.
fn item(tuple: &Expr, index: usize, cx: &mut Rewriter) -> Result<Expr> {
    let item = TupleGetItem {
        span: Span::current(),
        struct_info_: None,
        tuple_value: tuple.clone(),
        index: index as i64,
    };
    Ok(cx.blocks.emit(Ref::new(item).upcast(), None).map_err(relax_error)?.upcast())
}
