//! Struct info as text for error messages, independent of the printer.

use std::fmt::{Display, Formatter, Result, Write};

use tvmscript_ir_core::{Array, Ref, with_stack};
use tvmscript_prim::{self as prim, IntImm};

use crate::node::{
    DTensorStructInfo, FuncStructInfo, PrimStructInfo, ShapeStructInfo, StructInfo, TensorStructInfo,
    TupleStructInfo, UNKNOWN_NDIM,
};

/// Maximum length in bytes: the text of shared parts may be exponentially long.
const MAX_BYTES: usize = 600;

/// Text truncated to [`MAX_BYTES`].
struct Shortened(String);

impl Write for Shortened {
    fn write_str(&mut self, text: &str) -> Result {
        let left = MAX_BYTES - self.0.len();
        if text.len() <= left {
            self.0.push_str(text);
            return Ok(());
        }
        let fits = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= left).last();
        self.0.push_str(&text[..fits.unwrap_or_default()]);
        Err(std::fmt::Error)
    }
}

/// The text of a value, truncated.
fn shortened(value: &dyn Display) -> String {
    let mut text = Shortened(String::new());
    // Writing fails at the limit.
    if write!(text, "{value}").is_err() {
        text.0.push_str("..");
    }
    text.0
}

/// Struct info as text, truncated if it is long.
pub fn struct_info(info: &Ref<StructInfo>) -> String {
    shortened(&Shown(info))
}

/// Describes a script value: struct info of an expression, the type of any other.
#[cfg(feature = "build")]
pub(crate) fn value(value: &tvmscript_irbuilder::ScriptValue) -> String {
    use tvmscript_ir::GlobalVar;
    use tvmscript_prim::BaseExpr;
    if let Some(name) = value.as_node::<GlobalVar>() {
        return format!("the function `{}`", name.name_hint);
    }
    if let Some(var) = value.as_node::<prim::Var>() {
        return format!("the scalar `{}`", var.name.get());
    }
    if value.as_node::<StructInfo>().is_some() {
        return "struct info".to_owned();
    }
    match value.as_node::<BaseExpr>().and_then(crate::node::struct_info_of) {
        Some(info) => format!("`{}`", struct_info(&info)),
        None => value.type_name().to_owned(),
    }
}

pub(crate) fn scalar(value: &prim::Expr) -> String {
    struct Scalar<'a>(&'a prim::Expr);
    impl Display for Scalar<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> Result {
            dim(self.0, f)
        }
    }
    shortened(&Scalar(value))
}

struct Shown<'a>(&'a Ref<StructInfo>);

fn dim(value: &prim::Expr, f: &mut Formatter<'_>) -> Result {
    if let Some(literal) = value.as_node::<IntImm>() {
        return write!(f, "{}", literal.value);
    }
    if let Some(var) = value.as_node::<prim::Var>() {
        return f.write_str(&var.name.get());
    }
    let binary = [
        value.as_node::<prim::Add>().map(|n| (&n.a, "+", &n.b)),
        value.as_node::<prim::Sub>().map(|n| (&n.a, "-", &n.b)),
        value.as_node::<prim::Mul>().map(|n| (&n.a, "*", &n.b)),
        value.as_node::<prim::FloorDiv>().map(|n| (&n.a, "//", &n.b)),
        value.as_node::<prim::FloorMod>().map(|n| (&n.a, "%", &n.b)),
    ];
    match binary.into_iter().flatten().next() {
        Some((a, op, b)) => {
            f.write_char('(')?;
            with_stack(|| dim(a, f))?;
            write!(f, " {op} ")?;
            with_stack(|| dim(b, f))?;
            f.write_char(')')
        }
        None => f.write_char('?'),
    }
}

fn list<T: tvmscript_ir_core::ObjectLike>(
    items: &Array<T>,
    f: &mut Formatter<'_>,
    show: impl Fn(&T, &mut Formatter<'_>) -> Result,
) -> Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        show(item, f)?;
    }
    Ok(())
}

fn tensor(name: &str, info: &TensorStructInfo, f: &mut Formatter<'_>) -> Result {
    write!(f, "R.{name}")?;
    let mut rest = Vec::new();
    if !info.is_unknown_dtype() {
        rest.push(format!("dtype=\"{}\"", info.dtype));
    }
    if info.shape.is_none() && info.ndim != UNKNOWN_NDIM {
        rest.push(format!("ndim={}", info.ndim));
    }
    let rest = rest.join(", ");
    match info.dims() {
        Some(dims) => {
            f.write_str("((")?;
            list(dims, f, dim)?;
            f.write_str(if dims.len() == 1 { ",)" } else { ")" })?;
            if !rest.is_empty() {
                write!(f, ", {rest}")?;
            }
            f.write_char(')')
        }
        None if rest.is_empty() => Ok(()),
        None => write!(f, "({rest})"),
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let infos = |infos: &Array<Ref<StructInfo>>, f: &mut Formatter<'_>| {
            list(infos, f, |info, f| with_stack(|| Shown(info).fmt(f)))
        };
        if let Some(node) = self.0.as_node::<TensorStructInfo>() {
            return tensor("Tensor", node, f);
        }
        if let Some(node) = self.0.as_node::<DTensorStructInfo>() {
            return tensor("DTensor", &node.tensor_sinfo, f);
        }
        if let Some(node) = self.0.as_node::<PrimStructInfo>() {
            return match &node.value {
                Some(value) => {
                    f.write_str("R.Prim(value=")?;
                    dim(value, f)?;
                    f.write_char(')')
                }
                None => write!(f, "R.Prim(\"{}\")", node.dtype),
            };
        }
        if let Some(node) = self.0.as_node::<ShapeStructInfo>() {
            return match &node.values {
                Some(values) => {
                    f.write_str("R.Shape([")?;
                    list(values, f, dim)?;
                    f.write_str("])")
                }
                None => write!(f, "R.Shape(ndim={})", node.ndim),
            };
        }
        if let Some(node) = self.0.as_node::<TupleStructInfo>() {
            if node.fields.is_empty() {
                return f.write_str("R.Tuple");
            }
            f.write_str("R.Tuple(")?;
            infos(&node.fields, f)?;
            return f.write_char(')');
        }
        if let Some(node) = self.0.as_node::<FuncStructInfo>() {
            let Some(params) = &node.params else { return f.write_str("R.Callable") };
            f.write_str("R.Callable((")?;
            infos(params, f)?;
            f.write_str("), ")?;
            with_stack(|| Shown(&node.ret).fmt(f))?;
            return f.write_char(')');
        }
        f.write_str("R.Object")
    }
}
