//! Arguments of primitives as expressions of Rust, by the type of a method's parameter.
//!
//! Expressions of index maps are calls of `prim::ops`. A value without an expression gives nothing.

use hashbrown::HashMap;
use tvmscript_ir_core::{DataType, Object, Ref, TypeCode};
use tvmscript_prim::{
    Add, Div, EQ, Expr, FloatImm, FloorDiv, FloorMod, GE, GT, IndexMap, IntImm, LE, LT, Max, Min, Mod, Mul,
    NE, Sub, Var,
};

use crate::argument::{Argument, Rv};

/// The variables of a program, by what they hold.
pub(crate) type Names = HashMap<Rv, String>;

/// Deepest expression that is written.
const MAX_DEPTH: usize = 100;

/// A type of parameters.
pub(crate) trait RustSource {
    /// An argument as an expression of this type.
    fn rust_source(argument: &Argument, names: &Names) -> Option<String>;
}

impl RustSource for Rv {
    fn rust_source(argument: &Argument, names: &Names) -> Option<String> {
        names.get(&argument.rv().ok()?).cloned()
    }
}

impl RustSource for &str {
    fn rust_source(argument: &Argument, _: &Names) -> Option<String> {
        Some(format!("{:?}", argument.str().ok()?.as_str()))
    }
}

impl RustSource for i64 {
    fn rust_source(argument: &Argument, _: &Names) -> Option<String> {
        argument.int().ok().map(|value| value.to_string())
    }
}

impl RustSource for bool {
    fn rust_source(argument: &Argument, _: &Names) -> Option<String> {
        argument.bool().ok().map(|value| value.to_string())
    }
}

impl RustSource for (&str, i64) {
    fn rust_source(argument: &Argument, names: &Names) -> Option<String> {
        let [kind, index] = argument.list().ok()? else { return None };
        Some(format!("({}, {})", <&str>::rust_source(kind, names)?, i64::rust_source(index, names)?))
    }
}

impl<T: RustSource> RustSource for Vec<T> {
    fn rust_source(argument: &Argument, names: &Names) -> Option<String> {
        let items: Option<Vec<String>> =
            argument.list().ok()?.iter().map(|item| T::rust_source(item, names)).collect();
        Some(match items?.as_slice() {
            [] => "Vec::new()".to_owned(),
            items => format!("vec![{}]", items.join(", ")),
        })
    }
}

impl<T: RustSource> RustSource for Option<T> {
    fn rust_source(argument: &Argument, names: &Names) -> Option<String> {
        match argument {
            Argument::None => Some("None".to_owned()),
            given => T::rust_source(given, names).map(|value| format!("Some({value})")),
        }
    }
}

impl RustSource for Ref<IndexMap> {
    fn rust_source(argument: &Argument, _: &Names) -> Option<String> {
        let map = argument.index_map().ok()?;
        if map.inverse_index_map.is_some() {
            return None;
        }
        let vars: Vec<Ref<Var>> = map.initial_indices.iter().cloned().collect();
        let names = unique(&vars);
        let dtype = dtype_source(vars.first().map_or(DataType::INT32, |var| var.dtype))?;
        let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        let vars = Vars { vars: &vars, names: &names };
        let results: Option<Vec<String>> = map.final_indices.iter().map(|e| vars.expr(e, 0)).collect();
        let results = results?.join(", ");
        let unused = |name: &String| if mentions(&results, name) { name.clone() } else { "_".to_owned() };
        let parameters: Vec<String> = names.iter().map(unused).collect();
        Some(format!(
            "index_map([{}], {dtype}, |[{}]| Ok(vec![{results}]))?",
            quoted.join(", "),
            parameters.join(", ")
        ))
    }
}

impl RustSource for Argument {
    fn rust_source(argument: &Argument, names: &Names) -> Option<String> {
        Some(match argument {
            Argument::None => "Argument::None".to_owned(),
            Argument::Bool(value) => format!("Argument::Bool({value})"),
            Argument::Int(value) => format!("Argument::Int({value})"),
            Argument::Float(value) if value.is_finite() => format!("Argument::Float({value:?})"),
            Argument::Float(_) => return None,
            Argument::Str(text) => format!("Argument::from({:?})", text.as_str()),
            Argument::Rv(rv) => format!("Argument::Rv({})", names.get(rv)?),
            Argument::List(_) => {
                format!("Argument::List({})", Vec::<Argument>::rust_source(argument, names)?)
            }
            Argument::Dict(entries) => {
                let entry = |(key, value): &(tvmscript_ir_core::Str, Argument)| {
                    Some(format!("({:?}.into(), {})", key.as_str(), Argument::rust_source(value, names)?))
                };
                let entries: Option<Vec<String>> = entries.iter().map(entry).collect();
                format!("Argument::Dict(vec![{}])", entries?.join(", "))
            }
            Argument::Node(_) => {
                format!("Argument::from({})", Ref::<IndexMap>::rust_source(argument, names)?)
            }
        })
    }
}

/// Names of Rust for variables, one each.
fn unique(vars: &[Ref<Var>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(vars.len());
    for (at, var) in vars.iter().enumerate() {
        let name = var.name.text();
        let mut characters = name.chars();
        let is_plain = characters.next().is_some_and(|c| c.is_ascii_lowercase())
            && characters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let is_word =
            ["as", "dyn", "fn", "for", "if", "in", "let", "loop", "mod", "move", "mut", "ref", "type"]
                .contains(&name)
                || ["ops", "vec", "sch", "self", "super", "crate", "use", "while", "where"].contains(&name);
        let is_free = is_plain && !is_word && !vars.iter().take(at).any(|var| var.name.text() == name);
        names.push(if is_free { name.to_string() } else { format!("index_{at}") });
    }
    names
}

/// Returns `true` if a word stands in a text.
pub(crate) fn mentions(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

/// A type of scalars; others have no expression.
fn dtype_source(dtype: DataType) -> Option<String> {
    Some(match dtype {
        DataType::INT32 => "DataType::INT32".to_owned(),
        DataType::INT64 => "DataType::INT64".to_owned(),
        DataType::FLOAT32 => "DataType::FLOAT32".to_owned(),
        DataType::BOOL => "DataType::BOOL".to_owned(),
        DataType { code: TypeCode::Int, bits, lanes: 1 } => format!("DataType::int({bits})"),
        DataType { code: TypeCode::UInt, bits, lanes: 1 } => format!("DataType::uint({bits})"),
        DataType { code: TypeCode::Float, bits, lanes: 1 } => format!("DataType::float({bits})"),
        _ => return None,
    })
}

/// The parameters of an index map.
struct Vars<'v> {
    vars: &'v [Ref<Var>],
    names: &'v [String],
}

impl Vars<'_> {
    fn expr(&self, e: &Expr, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        let node: &Object = e.object();
        if let Some(var) = node.downcast_ref::<Var>() {
            let at = self.vars.iter().position(|parameter| parameter.ptr_eq(var))?;
            return self.names.get(at).map(|name| format!("{name}.clone()"));
        }
        if let Some(literal) = node.as_node::<IntImm>() {
            return Some(format!("ops::make_const({}, {})?", dtype_source(literal.dtype)?, literal.value));
        }
        if let Some(literal) = node.as_node::<FloatImm>() {
            let value = literal.value;
            let dtype = dtype_source(literal.dtype)?;
            return value.is_finite().then(|| format!("ops::make_const({dtype}, {value:?})?"));
        }
        macro_rules! operators {
            ($($node:ident: $name:literal,)*) => {$(
                if let Some(node) = node.as_node::<$node>() {
                    let (a, b) = (self.expr(&node.a, depth + 1)?, self.expr(&node.b, depth + 1)?);
                    return Some(format!("ops::{}({a}, {b})?", $name));
                }
            )*};
        }
        operators! {
            Add: "add", Sub: "sub", Mul: "mul", Div: "div", Mod: "truncmod", FloorDiv: "floordiv",
            FloorMod: "floormod", Min: "min", Max: "max", EQ: "eq", NE: "ne", LT: "lt", LE: "le", GT: "gt",
            GE: "ge",
        }
        None
    }
}
