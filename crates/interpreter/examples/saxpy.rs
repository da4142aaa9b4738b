//! Builds `y[i] = y[i] + x[i] * 2` and runs it on generated inputs.

use tvmscript_interpreter::{InputOptions, Limits, generate, run};
use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{Array, Map, Ref, Span};
use tvmscript_prim::{DataType, FloatImm, IntImm, PrimType, Var, ops};
use tvmscript_tir::node::{Buffer, BufferLoad, BufferParts, BufferStore, For, ForKind, PrimFunc};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let buffer = |name| Buffer::try_new(BufferParts::compact(name, DataType::FLOAT32, [IntImm::int32(4)]));
    let (x, y) = (buffer("x")?, buffer("y")?);
    let i = Var::new("i", DataType::INT32);
    let at = || Array::new([i.clone().upcast()]);
    let two = FloatImm::try_new(DataType::FLOAT32, 2.0)?;
    let product = ops::mul(BufferLoad::try_new(x.clone(), at(), None)?, two)?;
    let sum = ops::add(BufferLoad::try_new(y.clone(), at(), None)?, product)?;
    let body = For::try_new(For {
        span: Span::UNKNOWN,
        loop_var: i.clone(),
        min: IntImm::int32(0),
        extent: IntImm::int32(4),
        kind: ForKind::Serial,
        body: BufferStore::try_new(y.clone(), sum, at(), None)?,
        thread_binding: None,
        annotations: Map::default(),
        step: None,
    })?;
    let (a, b) = (Var::new("a", DataType::HANDLE), Var::new("b", DataType::HANDLE));
    let function = Ref::new(PrimFunc {
        span: Span::UNKNOWN,
        struct_info_: None,
        attrs: DictAttrs::new([]),
        params: Array::new([a.clone(), b.clone()]),
        ret_type: PrimType::new(DataType::VOID),
        buffer_map: Map::new([(a, x), (b, y)]),
        body,
    });
    let mut arguments = generate(&function, &InputOptions::default())?;
    run(&function, &mut arguments, Limits::default())?;
    for argument in arguments.iter().filter_map(|argument| argument.tensor()) {
        let values: Vec<_> =
            (0..argument.len()).filter_map(|index| argument.get(index)?.as_float()).collect();
        println!("{values:?}");
    }
    Ok(())
}
