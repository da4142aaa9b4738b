//! Index maps in traces: text is a lambda, JSON a graph of nodes in a string.
//!
//! A free variable of a map is a sampled value, by the name that it has in the trace of its schedule.

use hashbrown::HashMap;
use tvmscript_ir_core::{
    Array, DataType, Object, ObjectLike as _, PtrMap, Ref, Span, Value, free_variables, post_order_mutate,
    substitute,
};
use tvmscript_prim::{Expr, IndexMap, IntImm, PrimExpr, PrimExprExt as _, Var, ops};

use crate::argument::{Argument, Rv};
use crate::buffers;
use crate::error::{Result, ScheduleError};
use crate::primitive::{Place, Primitive};
use crate::registry::registry;
use crate::schedule::Schedule;

impl Argument {
    /// An index map.
    ///
    /// # Errors
    /// If it is something else.
    pub fn index_map(&self) -> Result<&Ref<IndexMap>> {
        let map = if let Argument::Node(node) = self { node.downcast_ref::<IndexMap>() } else { None };
        map.ok_or_else(|| ScheduleError::plain(format!("expected an index map, found {}", self.kind())))
    }
}

impl From<Ref<IndexMap>> for Argument {
    fn from(map: Ref<IndexMap>) -> Self {
        Argument::Node(map.into_object())
    }
}

/// The index map of a function of variables with these names and of one type.
///
/// # Errors
/// Those of the function.
pub fn index_map<const N: usize>(
    names: [&str; N],
    dtype: DataType,
    results: impl FnOnce([Expr; N]) -> Result<Vec<Expr>>,
) -> Result<Ref<IndexMap>> {
    let vars = names.map(|name| Var::new(name, dtype));
    let results = results(vars.clone().map(|var| var.upcast()))?;
    Ok(Ref::new(IndexMap {
        initial_indices: Array::new(vars),
        final_indices: Array::new(results),
        inverse_index_map: None,
    }))
}

/// The type of the iterators of the block that is the first argument; without iterators, of its regions.
pub(crate) fn index_dtype(schedule: &Schedule, arguments: &[Argument]) -> Result<DataType> {
    let Some(block) = arguments.first() else { return Ok(DataType::INT64) };
    let block = schedule.state().block_of(schedule.item(block)?)?;
    let of_axis = block.iter_vars.first().map(|axis| axis.var.dtype);
    let mut ranges = block.reads.iter().chain(block.writes.iter()).flat_map(|region| region.region.iter());
    Ok(of_axis.or_else(|| ranges.next().map(|range| range.min.dtype())).unwrap_or(DataType::INT64))
}

/// If the arguments so far have a buffer and its map, the type of the buffer and the number of its new dimensions.
pub(crate) fn filled(
    schedule: &Schedule,
    primitive: &Primitive,
    arguments: &[Argument],
) -> Result<Option<(DataType, usize)>> {
    let mut found = (None, None);
    let mut resolved = arguments.to_vec();
    buffers::resolve(schedule, primitive, &mut resolved)?;
    for (parameter, argument) in primitive.parameters.iter().zip(&resolved) {
        if parameter.place == Place::Buffer {
            let (kind, index) = buffers::parts(argument)?;
            let Some(block) = resolved.first() else { continue };
            let block = schedule.state().block_of(schedule.item(block)?)?;
            found.0 = Some(kind.buffer(block, index)?.dtype);
        } else if let Ok(map) = argument.index_map() {
            found.1 = Some(map.final_indices.len());
        }
    }
    Ok(found.0.zip(found.1))
}

/// Makes maps of the numbers that fill a buffer.
pub(crate) fn resolve(schedule: &Schedule, primitive: &Primitive, arguments: &mut [Argument]) -> Result<()> {
    for (at, parameter) in primitive.parameters.iter().enumerate() {
        let Some((before, [argument, ..])) = arguments.split_at_mut_checked(at) else { continue };
        let value = match argument {
            Argument::Int(value) if parameter.place == Place::Map => ops::Number::from(*value),
            Argument::Float(value) if parameter.place == Place::Map => ops::Number::from(*value),
            _ => continue,
        };
        let Some((dtype, rank)) = filled(schedule, primitive, before)? else { continue };
        let index = index_dtype(schedule, before)?;
        let map = IndexMap {
            initial_indices: (0..rank).map(|at| Var::new(format!("indices_{at}"), index)).collect(),
            final_indices: Array::new([ops::make_const(dtype, value)?]),
            inverse_index_map: None,
        };
        *argument = Ref::new(map).into();
    }
    Ok(())
}

/// A node as TVM's JSON; `names` are those of the random variables there.
pub(crate) fn to_json(node: &Object, names: &HashMap<Rv, String>) -> Option<String> {
    tvmscript_tvm_json::save(&Value::Node(named(node, names))).ok()
}

/// A node with the names of sampled values in a trace.
fn named(node: &Object, names: &HashMap<Rv, String>) -> Object {
    let named = replaced(node.clone(), |variable| {
        let name = names.get(&rv_of(variable)?).filter(|name| **name != *variable.name.text())?;
        Some(Ok(Var::new(name.as_str(), variable.dtype).upcast()))
    });
    match named {
        Ok(Argument::Node(named)) => named,
        _ => node.clone(),
    }
}

/// The node of TVM's JSON. `rvs` are the random variables by their names there.
pub(crate) fn from_json(text: &str, rvs: &HashMap<String, Rv>) -> Result<Argument> {
    let value = tvmscript_tvm_json::load(text, registry()?);
    let node = match value.map_err(|error| ScheduleError::plain(format!("the node is not read: {error}")))? {
        Value::Node(node) => node,
        _ => return Err(ScheduleError::plain("expected a node in JSON, found another value")),
    };
    replaced(node, |variable| {
        let rv = rvs.get(variable.name.text())?;
        Some(Ok(variable_of(*rv, variable.dtype).upcast()))
    })
}

/// The variable that a sampled value is in index maps.
pub(crate) fn variable_of(rv: Rv, dtype: DataType) -> Ref<Var> {
    Var::new(format!("v{}", rv.0), dtype)
}

/// The sampled value that a variable is.
pub(crate) fn rv_of(variable: &Var) -> Option<Rv> {
    variable.name.text().strip_prefix('v')?.parse().ok().map(Rv)
}

/// The sampled values in a node.
pub(crate) fn rvs(node: &Object) -> Vec<Rv> {
    free_variables(node).iter().filter_map(|variable| rv_of(variable.as_node::<Var>()?)).collect()
}

/// An argument with sampled values in place of their variables. Expressions without a source get the current one.
pub(crate) fn with_values(schedule: &Schedule, argument: &Argument) -> Result<Argument> {
    let Argument::Node(node) = argument else { return Ok(argument.clone()) };
    let node = post_order_mutate(node.clone(), |node| {
        let e = node.downcast_ref::<PrimExpr>().filter(|e| !e.span().is_known() && !e.is::<Var>())?;
        Some(e.clone().with_span(Span::current()).into_object())
    })?;
    replaced(node, |variable| {
        // A variable that is not a sampled value stays.
        let value = schedule.int(&Argument::Rv(rv_of(variable)?)).ok()?;
        Some(IntImm::try_new(variable.dtype, value).map_err(Into::into))
    })
}

/// A node with other expressions in place of free variables.
fn replaced(node: Object, new: impl Fn(&Ref<Var>) -> Option<Result<Expr>>) -> Result<Argument> {
    let mut values: PtrMap<Object> = PtrMap::default();
    for free in free_variables(&node) {
        if let Some(new) = free.downcast_ref::<Var>().and_then(&new) {
            values.insert(free, new?.object().clone());
        }
    }
    Ok(Argument::Node(if values.is_empty() { node } else { substitute(node, &values)? }))
}

/// A node as text: an index map as the lambda that TVM prints, with a comma after each result.
pub(crate) fn to_text(node: &Object, names: &HashMap<Rv, String>) -> String {
    let node = &named(node, names);
    let Some(map) = node.downcast_ref::<IndexMap>() else {
        return format!("<{}>", node.info().display_key());
    };
    let inverse = map.inverse_index_map.as_ref().and_then(Object::downcast_ref::<IndexMap>);
    match inverse {
        None => lambda(map),
        Some(inverse) => {
            format!("tvm.tir.IndexMap.from_func({}, inverse_index_map={})", lambda(map), lambda(inverse))
        }
    }
}

/// A map of begins and ends of ranges as TVM prints it: pairs, or one expression that is both.
pub(crate) fn ranges_to_text(node: &Object, names: &HashMap<Rv, String>) -> String {
    let node = &named(node, names);
    let Some(map) = node.downcast_ref::<IndexMap>() else { return to_text(node, names) };
    let (mut head, mut ranges) = (String::new(), Vec::new());
    let bounds: Vec<_> = map.final_indices.iter().collect();
    for pair in bounds.chunks(2) {
        let mut texts: Vec<String> = Vec::new();
        for bound in pair {
            let mut single = map.clone();
            single.make_mut().final_indices = Array::new([(*bound).clone()]);
            let text = lambda(&single);
            let (before, result) = text.split_once(": (").unwrap_or(("lambda", &text));
            texts.push(result.strip_suffix(",)").unwrap_or(result).to_owned());
            head = before.to_owned();
        }
        ranges.push(match (pair, texts.as_slice()) {
            ([begin, end], [text, _]) if begin.ptr_eq(end) => text.clone(),
            _ => format!("({})", texts.join(", ")),
        });
    }
    format!("{head}: [{}]", ranges.join(", "))
}

#[cfg(not(feature = "print"))]
fn lambda(map: &Ref<IndexMap>) -> String {
    format!("<{}>", map.object().info().display_key())
}

#[cfg(feature = "print")]
fn lambda(map: &Ref<IndexMap>) -> String {
    use tvmscript_docsifier::{PrinterConfig, print};
    let mut plain = map.clone();
    plain.make_mut().inverse_index_map = None;
    let config = PrinterConfig { max_width_columns: None, ..PrinterConfig::default() };
    let Some(text) = registry().ok().and_then(|registry| print(plain.object(), registry, &config).ok())
    else {
        return format!("<{}>", map.object().info().display_key());
    };
    // The call is `T.index_map(lambda i, j: (j, i), index_dtype="int32")`, after comments.
    let call = text.lines().last().unwrap_or_default();
    let call = call.split_once("index_map(").map_or(call, |(_, arguments)| arguments);
    let call = call.strip_suffix(')').unwrap_or(call);
    let call = call.rsplit_once(", index_dtype=").map_or(call, |(lambda, _)| lambda);
    match call.strip_suffix(",)").or_else(|| call.strip_suffix(')')) {
        Some(results) => format!("{results},)"),
        None => call.to_owned(),
    }
}
