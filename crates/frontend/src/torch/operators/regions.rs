//! Regions of images, by torchvision.

use tvmscript_relax::op::elementwise::subtract;
use tvmscript_relax::op::index::strided_slice;
use tvmscript_relax::op::join::concat;
use tvmscript_relax::op::tvm_0_27::vision;
use tvmscript_relax::{Expr, Tuple};

use super::super::node::Node;
use super::super::value::Converted;
use super::elementwise::like;
use super::rows;
use crate::ops::{int_operand, ints};

rows! { "torchvision.":
    "roi_align.default" => "vision.roi_align", align;
    "roi_pool.default" => "vision.roi_pool" ("positions that are used"), pool;
}
fn align(cx: &mut Node<'_, '_>) -> Converted {
    let (x, mut regions) = (cx.tensor(0)?, cx.tensor(1)?);
    let scale = cx.float(2, "spatial_scale", 1.0)?;
    let height = cx.int(3, "pooled_height", 1)?;
    let size = [height, cx.int(4, "pooled_width", height)?];
    let samples = cx.int(5, "sampling_ratio", -1)?;
    let is_aligned = cx.flag(6, "aligned", false)?;
    if is_aligned {
        let one = |value: i64| -> Expr { Tuple::new([int_operand(value)]).upcast() };
        let columns = |x: Expr, begin, end| strided_slice(x, one(1), one(begin), one(end), None, false);
        let batches = cx.emit(columns(regions.clone(), 0, 1))?;
        let boxes = cx.emit(columns(regions.clone(), 1, 5))?;
        let half = like(&regions, 0.5);
        let boxes = cx.emit(subtract(boxes, half))?;
        regions = cx.emit(concat(Tuple::new([batches, boxes]).upcast(), Some(1)))?;
    }
    cx.result(vision::roi_align(
        x,
        regions,
        ints(&size),
        scale,
        samples,
        is_aligned,
        "NCHW".into(),
        "avg".into(),
    ))
}

fn pool(cx: &mut Node<'_, '_>) -> Converted {
    if cx.uses_result(1) {
        return Err("the positions of the maxima are not supported".into());
    }
    let (x, regions) = (cx.tensor(0)?, cx.tensor(1)?);
    let scale = cx.float(2, "spatial_scale", 1.0)?;
    let size = [cx.int(3, "pooled_height", 1)?, cx.int(4, "pooled_width", 1)?];
    cx.result(vision::roi_pool(x, regions, ints(&size), scale, "NCHW".into()))
}
