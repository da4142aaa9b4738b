//! Measures steps per second on `c[i, j] = c[i, j] + a[i, k] * b[k, j]`: `cargo run --release --example speed`.

use std::time::Duration;

use tvmscript_interpreter::{Functions, InputOptions, Limits, Progress, generate, run_in};
use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{Array, Map, Ref, Span};
use tvmscript_prim::{DataType, IntImm, PrimType, Var, ops};
use tvmscript_tir::node::{Buffer, BufferLoad, BufferParts, BufferStore, For, ForKind, PrimFunc};

const SIZE: i32 = 256;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let buffer = |name| {
        let shape = [IntImm::int32(SIZE), IntImm::int32(SIZE)];
        Buffer::try_new(BufferParts::compact(name, DataType::FLOAT32, shape))
    };
    let (a, b, c) = (buffer("a")?, buffer("b")?, buffer("c")?);
    let [i, j, k] = ["i", "j", "k"].map(|name| Var::new(name, DataType::INT32));
    let at = |x: &Ref<Var>, y: &Ref<Var>| Array::new([x.clone().upcast(), y.clone().upcast()]);
    let product = ops::mul(
        BufferLoad::try_new(a.clone(), at(&i, &k), None)?,
        BufferLoad::try_new(b.clone(), at(&k, &j), None)?,
    )?;
    let sum = ops::add(BufferLoad::try_new(c.clone(), at(&i, &j), None)?, product)?;
    let mut body = BufferStore::try_new(c.clone(), sum, at(&i, &j), None)?;
    for loop_var in [k, j, i] {
        body = For::try_new(For {
            span: Span::UNKNOWN,
            loop_var,
            min: IntImm::int32(0),
            extent: IntImm::int32(SIZE),
            kind: ForKind::Serial,
            body,
            thread_binding: None,
            annotations: Map::default(),
            step: None,
        })?;
    }
    let params = ["pa", "pb", "pc"].map(|name| Var::new(name, DataType::HANDLE));
    let [pa, pb, pc] = params.clone();
    let function = Ref::new(PrimFunc {
        span: Span::UNKNOWN,
        struct_info_: None,
        attrs: DictAttrs::new([]),
        params: Array::new(params),
        ret_type: PrimType::new(DataType::VOID),
        buffer_map: Map::new([(pa, a), (pb, b), (pc, c)]),
        body,
    });
    let mut arguments = generate(&function, &InputOptions::default())?;
    let mut last = Progress { steps: 0, limit: 0, elapsed: Duration::ZERO };
    let functions = Functions::default();
    run_in(&functions, &function, &mut arguments, Limits::default(), &mut |progress| last = progress)?;
    let seconds = last.elapsed.as_secs_f64();
    println!(
        "{} steps in {seconds:.2} s: {:.0} million per second",
        last.steps,
        last.steps as f64 / seconds / 1e6
    );
    Ok(())
}
