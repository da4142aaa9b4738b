//! A schedule, as a program over `tvmscript::schedule`.

use tvmscript::ir_core::DataType;
use tvmscript::prim::ops;
use tvmscript::schedule::{Argument, Result, Schedule, index_map, results};

/// Applies the primitives of the schedule.
pub fn apply(sch: &mut Schedule) -> Result<()> {
    let b0 = sch.get_block("C", Some("main"))?;
    let [l1, l2, l3] = results(sch.get_loops(b0)?)?;
    let [l4, l5] = results(sch.split(l1, vec![None, Some(32)])?)?;
    let [v6, v7] = results(sch.sample_perfect_tile(l2, 2, 16, Some(vec![8, 16]))?)?;
    let [l8, l9] = results(sch.call("split", vec![Argument::Rv(l2), Argument::List(vec![Argument::Rv(v6), Argument::Rv(v7)]), Argument::Bool(true), Argument::Bool(false)])?)?;
    sch.reorder(vec![l4, l8, l3, l5, l9])?;
    let b10 = sch.cache_write(b0, 0, "local", Vec::new())?;
    sch.reverse_compute_at(b10, l8, false, -1)?;
    sch.transform_layout(b0, ("read", 1), index_map(["i", "j"], DataType::INT32, |[i, j]| Ok(vec![ops::floordiv(j.clone(), ops::make_const(DataType::INT32, 16)?)?, i.clone(), ops::floormod(j.clone(), ops::make_const(DataType::INT32, 16)?)?]))?, None)?;
    sch.parallel(l4)?;
    sch.vectorize(l9)?;
    sch.annotate(l5, "step", Argument::Int(2))?;
    sch.decompose_reduction(b0, l3)?;
    Ok(())
}
