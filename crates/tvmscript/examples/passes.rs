//! Three small passes: unrolling loops with fresh definitions, renaming buffers, counting loads per buffer.
//!
//! `cargo run -p tvmscript --example passes` prints a function after the first two passes.

use std::collections::BTreeMap;
use std::error::Error;

use tvmscript::prelude::*;
use tvmscript::prim::ops::{int_value, make_const};
use tvmscript::tir::{BufferLoad, For, ForKind, flatten};
use tvmscript::{ParseOptions, RewriteError, copy_fresh, parse, post_order_mutate, ptr_map, substitute};
use tvmscript::{try_post_order_mutate, visit_nodes};

/// Unrolls `T.unroll` loops with constant bounds. Each copy of a body defines its own variables, block axes and
/// buffers.
fn unroll(function: Ref<PrimFunc>) -> Result<Ref<PrimFunc>, Box<dyn Error>> {
    try_post_order_mutate(function, |node| {
        let Some(node) = node.as_node::<For>().filter(|node| node.kind == ForKind::Unrolled) else {
            return Ok(None);
        };
        let (Some(min), Some(extent)) = (int_value(&node.min), int_value(&node.extent)) else {
            return Ok(None);
        };
        let copies = (min..min + extent).map(|value| {
            let value = make_const(node.loop_var.dtype, value)?;
            Ok(substitute(copy_fresh(&node.body)?, &ptr_map([(&node.loop_var, value.into())]))?)
        });
        Ok(Some(flatten(copies.collect::<Result<_, Box<dyn Error>>>()?, true).into()))
    })
}

/// Renames buffers.
fn rename_buffers(
    function: Ref<PrimFunc>,
    rename: impl Fn(&str) -> String,
) -> Result<Ref<PrimFunc>, RewriteError> {
    post_order_mutate(function, |node| {
        let mut buffer = node.downcast_ref::<Buffer>()?.clone();
        buffer.make_mut().name = rename(buffer.name.text()).into();
        Some(buffer.into())
    })
}

/// Counts the loads of each buffer in a function.
fn count_loads(function: &Ref<PrimFunc>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    visit_nodes(function, |load: &Ref<BufferLoad>| {
        *counts.entry(load.buffer.name.to_string()).or_default() += 1;
    });
    counts
}

const TEXT: &str = r#"
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8, 2), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        for j in T.unroll(2):
            with T.block("update"):
                vi = T.axis.spatial(8, i)
                scaled = T.alloc_buffer((1,))
                scaled[0] = A[vi, j] * T.float32(0.5)
                B[vi] = B[vi] + scaled[0]
"#;

/// Runs the passes on a function, prints the result and checks it.
///
/// # Errors
/// If a pass fails.
pub fn main() -> Result<(), Box<dyn Error>> {
    let parsed = parse("main.py", TEXT, registry(), &ParseOptions::default());
    let Some(script) = parsed.scripts.first().filter(|_| parsed.errors.is_empty()) else {
        return Err(tvmscript::render_errors(&parsed.errors, "main.py", TEXT, false).into());
    };
    let function = script.node.clone().downcast::<PrimFunc>().map_err(|_| "no function of scalars")?;

    let unrolled = unroll(function.clone())?;
    let renamed = rename_buffers(unrolled.clone(), |name| format!("{name}_buffer"))?;
    let text = print(renamed.object(), registry(), &PrinterConfig::default())?;
    println!("{text}");

    // All definitions are distinct, and names do not matter.
    assert!(tvmscript::tir::check::well_formed(unrolled.object()).is_empty());
    assert!(structural_equal(unrolled.object(), renamed.object()));
    assert_eq!(text.matches("T.alloc_buffer").count(), 2);
    assert!(text.contains("B_buffer[vi]") && !text.contains("T.unroll"), "{text}");
    let loads = count_loads(&renamed);
    assert_eq!(loads.get("A_buffer"), Some(&2));
    assert_eq!(loads.get("scaled_buffer"), Some(&2), "one of each of the two buffers");
    // The original function is unchanged.
    assert_eq!(count_loads(&function).get("A"), Some(&1));

    // A plain copy shares definitions and is not well-formed.
    let seq = post_order_mutate(function, |node| {
        let node = node.as_node::<For>().filter(|node| node.kind == ForKind::Unrolled)?;
        Some(flatten(vec![node.body.clone(), node.body.clone()], true).into())
    })?;
    assert!(!tvmscript::tir::check::well_formed(seq.object()).is_empty());
    Ok(())
}
