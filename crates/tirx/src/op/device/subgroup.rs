//! Shuffles within the subgroups of Metal and WebGPU: `T.metal.simd_shuffle(..)`.

use tvmscript_ir_macros::operators;
use tvmscript_prim::Expr;
use tvmscript_tir::op::{Effect, Operator, ResultType};

operators! {
    prefix = "tirx.";
    result = Expr;
    script = crate::op::types;
    call = crate::op::device::call;
    effect = Update;

    /// The value of a lane of the SIMD group.
    simd_shuffle(var, lane)
        -> same_as(var), name = "tir.metal.simd_shuffle", text = "metal.simd_shuffle", effect = Opaque;
    /// The value of the lane that is `delta` above.
    simd_shuffle_down(
        var, delta
    ) -> same_as(var), name = "tir.metal.simd_shuffle_down", text = "metal.simd_shuffle_down", effect = Opaque;
    /// The value of the lane that is `delta` below.
    simd_shuffle_up(var, delta)
        -> same_as(var), name = "tir.metal.simd_shuffle_up", text = "metal.simd_shuffle_up", effect = Opaque;
    /// The value of a lane of the subgroup.
    subgroup_shuffle(
        var, lane
    ) -> same_as(var), name = "tirx.webgpu.subgroup_shuffle", text = "webgpu.subgroup_shuffle";
    /// The value of the lane that is `delta` above.
    subgroup_shuffle_down(
        var, delta
    ) -> same_as(var), name = "tirx.webgpu.subgroup_shuffle_down", text = "webgpu.subgroup_shuffle_down";
    /// The value of the lane that is `delta` below.
    subgroup_shuffle_up(
        var, delta
    ) -> same_as(var), name = "tirx.webgpu.subgroup_shuffle_up", text = "webgpu.subgroup_shuffle_up";
}
