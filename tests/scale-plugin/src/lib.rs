//! A whole dialect from a library that is built apart: a type of nodes, an operator and a pass, in at most 40 lines of code.
//!
//! `Quant.scaled(base, scale)` is a node of its own, `Quant.round(x)` an operator, and the pass `quant.Fold` joins scales.

use tvmscript_plugin::{Call, Dialect, Node, Value, export_dialect};

const DESCRIPTION: &str = "
[dialect]
name = 'quant'
prefix = 'Quant'
expressions = 'ir.PrimExpr'

[op.round]
variables = { T = 'any' }
parameters = { value = 'T' }
result = 'T'

[node.Scaled]
parent = 'ir.PrimExpr'
fields = { dtype = 'dtype', base = 'node', scale = 'int' }
";

fn scaled(base: &Value, scale: i64) -> Result<Node, tvmscript_plugin::Error> {
    let dtype = base.as_node().ok_or("an expression is expected")?.field("dtype")?;
    Node::new("quant.Scaled", &[("dtype", &dtype), ("base", base), ("scale", &scale.into())])
}

fn quant() -> Dialect {
    Dialect::new(DESCRIPTION)
        .function("scaled", &["base", "scale"], "An expression times a scale.", |args| match args {
            [base, Value::Int(scale)] => scaled(base, *scale).map(Value::Node),
            _ => Err("an expression and a scale are expected".into()),
        })
        .printer("quant.Scaled", |node| Ok(Call::new("scaled", [node.field("base")?, node.field("scale")?])))
        .pass("quant.Fold", "Joins scales of scales.", |module| {
            module.rewrite(|node| match (node.field("scale"), node.field("base")) {
                (Ok(Value::Int(outer)), Ok(Value::Node(inner))) if inner.is("quant.Scaled") => {
                    let Value::Int(scale) = inner.field("scale")? else { return Ok(None) };
                    scaled(&inner.field("base")?, scale * outer).map(Some)
                }
                _ => Ok(None),
            })
        })
}

export_dialect!(quant);
