//! A plugin in Rust: the toy dialect with a node that code makes and prints, and a pass.
//!
//! The program that loads it may be built by another compiler: only the tables of the header are shared.

use tvmscript_plugin::{Call, Dialect, Node, Value, export_dialect};

const PAIR: &str =
    "[node.Pair]\nparent = 'ir.PrimExpr'\nfields = { dtype = 'dtype', first = 'node', second = 'node' }\n";

/// The description of the toy dialect, without its lowering, whose functions are in a file of their own.
fn description() -> String {
    let lines = include_str!("../../dialects/toy.toml").lines().filter(|line| !line.starts_with("lower"));
    lines.flat_map(|line| [line, "\n"]).collect::<String>() + PAIR
}

fn toy() -> Dialect {
    Dialect::new(&description())
        .function("pair", &["first", "second"], "Pairs two values.", |args| match args {
            [Value::Node(node), second] => {
                let (dtype, first) = (node.field("dtype")?, &args[0]);
                let fields = [("dtype", &dtype), ("first", first), ("second", second)];
                Node::new("toy.Pair", &fields).map(Value::Node)
            }
            [first, _] => Err(format!("a pair begins with an expression, not {first:?}").into()),
            _ => Err("two arguments are expected".into()),
        })
        .function("panic", &[], "Panics.", |_| panic!("this function is broken"))
        .printer("toy.Pair", |pair| Ok(Call::new("pair", [pair.field("first")?, pair.field("second")?])))
        .pass("toy.DropTwice", "Replaces `Toy.twice(x)` by x.", |module| {
            module.rewrite(|node| match node.is("toy.Twice") {
                true => Ok(node.field("value")?.as_node().cloned()),
                false => Ok(None),
            })
        })
}

export_dialect!(toy);
