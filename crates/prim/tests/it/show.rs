//! Expressions as short text: `(Add x 1)`, literals of other types with their type, `x` for variables.

use tvmscript_prim::{DataType, Expr, ExprKind, ExprView, PrimError, PrimExprExt, Var};

/// A variable, named after its type: `i32`, `f32x4`.
pub(crate) fn var(dtype: &str) -> Expr {
    let short = dtype.replace("bfloat", "bf").replace("uint", "u").replace("float", "f").replace("int", "i");
    Var::new(short, ty(dtype)).upcast()
}

/// A type from its text.
pub(crate) fn ty(text: &str) -> DataType {
    text.parse().expect("a type")
}

/// The literal of a type.
pub(crate) fn lit(dtype: &str, value: impl Into<tvmscript_prim::ops::Number>) -> Expr {
    tvmscript_prim::ops::make_const(ty(dtype), value).expect("a literal")
}

/// The text of an expression.
pub(crate) fn show(e: &Expr) -> String {
    let list = |name: &str, parts: &[&Expr]| {
        let parts: String = parts.iter().map(|p| format!(" {}", show(p))).collect();
        format!("({name}{parts})")
    };
    macro_rules! binary {
        ($e:expr, $($name:ident)*) => {
            match $e.kind() {
                $(ExprKind::$name(n) => list(stringify!($name), &[&n.a, &n.b]),)*
                ExprKind::IntImm(n) if n.dtype == DataType::INT32 => n.value.to_string(),
                ExprKind::IntImm(n) if n.dtype == DataType::BOOL => (n.value != 0).to_string(),
                ExprKind::IntImm(n) => format!("{}:{}", n.value, n.dtype),
                ExprKind::FloatImm(n) if n.dtype == DataType::FLOAT32 => format!("{:?}", n.value),
                ExprKind::FloatImm(n) => format!("{:?}:{}", n.value, n.dtype),
                ExprKind::StringImm(n) => format!("{:?}", n.value.as_str()),
                ExprKind::Var(n) => n.name.get().as_str().to_owned(),
                ExprKind::Not(n) => list("Not", &[&n.a]),
                ExprKind::Cast(n) => list(&format!("Cast {}", n.dtype), &[&n.value]),
                ExprKind::Select(n) => list("Select", &[&n.condition, &n.true_value, &n.false_value]),
                ExprKind::Ramp(n) => list("Ramp", &[&n.base, &n.stride, &n.lanes]),
                ExprKind::Broadcast(n) => list("Broadcast", &[&n.value, &n.lanes]),
                ExprKind::Call(n) => {
                    let name = n.op_name().unwrap_or("?").trim_start_matches("tir.");
                    let args: Vec<&Expr> = n.args.iter().collect();
                    list(&format!("{name}:{}", n.dtype), &args)
                }
                other => format!("{other:?}"),
            }
        };
    }
    binary!(e, Add Sub Mul Div Mod FloorDiv FloorMod Min Max EQ NE LT LE GT GE And Or)
}

/// The text of a result.
pub(crate) fn shown(result: Result<Expr, PrimError>) -> String {
    match result {
        Ok(e) => show(&e),
        Err(error) => format!("error: {error}"),
    }
}

/// The type of a result.
pub(crate) fn dtype_of(result: Result<Expr, PrimError>) -> String {
    result.map_or_else(|error| format!("error: {error}"), |e| e.dtype().to_string())
}
