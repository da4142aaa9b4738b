//! Loops: a function of the module that calls itself.

use tvmscript_ir_core::{Ref, structural_equal};
use tvmscript_prim::ops::int_value;
use tvmscript_relax::op::create::zeros;
use tvmscript_relax::{
    Expr, FuncStructInfo, StructInfo, TensorStructInfo, Tuple, TupleStructInfo, struct_info_of,
};

use super::super::functions::Params;
use super::super::importer::{Importer, Value};
use super::super::list::List;
use super::flow::{Operands, call_of, choice, condition, tuple};
use crate::error::Reason;
use crate::graph::{Graph, described};
use crate::ops::{self, field};

/// Makes one value of the values that enter a round.
type Test<'m, 'f> = &'f dyn Fn(&mut Importer<'m>, Vec<Value>) -> Result<Expr, Reason>;
/// Makes the values that leave a round.
type Body<'m, 'f> = &'f dyn Fn(&mut Importer<'m>, Vec<Value>) -> Result<Vec<Value>, Reason>;

/// A loop.
pub(super) struct Loop<'m, 'f> {
    /// Begins the names of its functions.
    pub(super) name: String,
    /// The values that enter.
    pub(super) values: Vec<Value>,
    /// The values that no round changes.
    pub(super) fixed: Vec<bool>,
    /// The condition of a round.
    pub(super) test: Test<'m, 'f>,
    /// A round.
    pub(super) body: Body<'m, 'f>,
}

/// Converts a loop; the results are the values after the last round.
pub(super) fn run<'m>(importer: &mut Importer<'m>, mut steps: Loop<'m, '_>) -> Result<Vec<Value>, Reason> {
    let is_fixed = |fixed: &[bool], index: usize| fixed.get(index) == Some(&true);
    // A list may get its elements from another one that the round before wrote.
    while let Some(values) = with_elements(importer, &steps)? {
        steps.values = values;
    }
    let Loop { name, values, fixed, test, body } = steps;
    let operands = Operands::of(importer, values, |index| is_fixed(&fixed, index))?;
    let args = operands.tensors();
    let params = Params::of(&args)?;
    let test_name = importer.global(&name, "_cond");
    let test = importer.lower(test_name, &params.types, true, |importer, params| {
        condition(test(importer, operands.with(params.iter().cloned()))?)
    })?;
    let params = Params::of(&args)?;
    let body_name = importer.global(&name, "_body");
    let body = importer.lower(body_name, &params.types, true, |importer, params| {
        let values = body(importer, operands.with(params.iter().cloned()))?;
        let mut next = Vec::new();
        for ((index, _), param) in operands.args.iter().zip(params) {
            let value = values.get(*index).cloned().unwrap_or(Value::Failed);
            let value = importer.tensor(&value)?;
            next.push(Value::Tensor(of_type(importer, value, param)?));
        }
        tuple(importer, &next)
    })?;
    let params = Params::of(&args)?.types;
    let infos: Vec<Ref<StructInfo>> = params.iter().map(|(_, info)| info.clone()).collect();
    let mut function = importer.global(&name, "_loop");
    let result = TupleStructInfo::new(infos.iter().cloned());
    let info = FuncStructInfo::new(infos.into_iter().collect(), result, true);
    function.make_mut().struct_info_ = Some(info.into());
    let again = function.clone();
    let function = importer.lower(function, &params, false, |importer, params| {
        let test = importer.graph.emit(call_of(&test, params))?;
        let next = |graph: &mut Graph| {
            let next = graph.emit(call_of(&body, params))?;
            let next = (0..params.len()).map(|index| graph.emit(field(&next, index)));
            Ok(call_of(&again, &next.collect::<Result<Vec<_>, _>>()?))
        };
        choice(&mut importer.graph, &test, next, Tuple::new(params.iter().cloned()).upcast())
    })?;
    let last = importer.graph.normalize(call_of(&function, &args))?;
    let fields = (0..args.len()).map(|index| importer.graph.normalize(field(&last, index)));
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    Ok(operands.with(fields))
}

/// The values of a loop, with zeros as the elements of lists that the first round writes to. `None` if there are no such
/// lists.
fn with_elements<'m>(
    importer: &mut Importer<'m>,
    steps: &Loop<'m, '_>,
) -> Result<Option<Vec<Value>>, Reason> {
    let is_fixed = |index: usize| steps.fixed.get(index) == Some(&true);
    let is_empty = |(index, value): (usize, &Value)| {
        !is_fixed(index) && matches!(value, Value::List(List::Empty { .. }))
    };
    if !steps.values.iter().enumerate().any(is_empty) {
        return Ok(None);
    }
    let operands = Operands::of(importer, steps.values.clone(), is_fixed)?;
    let params = Params::of(&operands.tensors())?;
    let results = importer.attempt(|importer| {
        let global = importer.global(&steps.name, "_body");
        let mut results = Vec::new();
        importer.lower(global, &params.types, true, |importer, params| {
            results = (steps.body)(importer, operands.with(params.iter().cloned()))?;
            let known: Vec<Value> =
                results.iter().filter(|value| matches!(value, Value::Tensor(_))).cloned().collect();
            tuple(importer, &known)
        })?;
        Ok(results)
    })?;
    let mut values = steps.values.clone();
    let mut has_changed = false;
    for (index, (value, result)) in values.iter_mut().zip(&results).enumerate() {
        if let (Value::List(list @ List::Empty { .. }), Value::List(List::Written(stacked))) =
            (&*value, result)
            && !is_fixed(index)
        {
            // The number of elements is known outside already.
            let length = list.length();
            let of_element = ops::dims(stacked)?;
            let rest = of_element.iter().skip(1).map(|dim| params.outside(dim));
            let outside = std::iter::once(length).chain(rest).collect::<Option<Vec<_>>>();
            let dims = outside.ok_or_else(|| Reason::from("writes tensors of unknown shape to a list"))?;
            let start = zeros(ops::shape_of(dims), ops::dtype_of(stacked));
            *value = Value::List(List::Written(importer.graph.normalize(start)?));
            has_changed = true;
        }
    }
    Ok(has_changed.then_some(values))
}

/// A value with the type of a parameter; a cast states what is known only at run time.
fn of_type(importer: &mut Importer<'_>, value: Expr, param: &Expr) -> Result<Expr, Reason> {
    let value = importer.graph.normalize(value)?;
    let (Some(found), Some(wanted)) = (struct_info_of(&value), struct_info_of(param)) else {
        return Ok(value);
    };
    if structural_equal(found.object(), wanted.object()) {
        return Ok(value);
    }
    let fits = |found: &TensorStructInfo, wanted: &TensorStructInfo| {
        let known =
            |info: &TensorStructInfo| info.known_dims().map(|dims| dims.iter().cloned().collect::<Vec<_>>());
        let differs = match (known(found), known(wanted)) {
            (Some(found), Some(wanted)) => found.iter().zip(&wanted).any(|(found, wanted)| {
                matches!((int_value(found), int_value(wanted)), (Some(a), Some(b)) if a != b)
            }),
            _ => false,
        };
        found.dtype == wanted.dtype && (found.ndim == wanted.ndim || found.ndim < 0) && !differs
    };
    let can_fit = match (found.as_node::<TensorStructInfo>(), wanted.as_node::<TensorStructInfo>()) {
        (Some(found), Some(wanted)) => fits(found, wanted),
        _ => false,
    };
    match can_fit {
        true => Ok(importer.graph.match_cast(value, wanted)?),
        false => {
            let [found, wanted] = [described(&value), described(param)];
            Err(Reason(format!("a value of the loop changes its type from {wanted} to {found}")))
        }
    }
}
