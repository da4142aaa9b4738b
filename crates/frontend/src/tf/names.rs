//! Names in models, and references to values.

use std::borrow::Cow;

/// The text of a name; each byte that is no UTF-8 becomes a replacement character.
pub(super) fn text(name: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(name)
}

/// A value that a node uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reference<'m> {
    /// Name of a node, or of a parameter of a function.
    pub(super) node: &'m [u8],
    /// In functions: the name of the result, which may be a list.
    pub(super) result: Option<&'m [u8]>,
    /// Position among the results, or in the list.
    pub(super) index: usize,
}

/// Reads a reference: `node`, `node:1`, or in functions `node:result:0`. `None` for an order without a value (`^node`).
pub(super) fn reference(input: &[u8]) -> Option<Reference<'_>> {
    if input.starts_with(b"^") {
        return None;
    }
    let mut parts = input.splitn(3, |byte| *byte == b':');
    let node = parts.next().unwrap_or_default();
    let number = |part: Option<&[u8]>| part.and_then(|part| std::str::from_utf8(part).ok()?.parse().ok());
    Some(match (parts.next(), parts.next()) {
        (Some(result), index @ Some(_)) => {
            Reference { node, result: Some(result), index: number(index).unwrap_or(usize::MAX) }
        }
        (Some(index), None) => match number(Some(index)) {
            Some(index) => Reference { node, result: None, index },
            None => Reference { node, result: Some(index), index: 0 },
        },
        (None, _) => Reference { node, result: None, index: 0 },
    })
}

/// The results of operators that have several with names of their own.
pub(super) fn results(operator: &[u8]) -> &'static [&'static str] {
    match operator {
        b"TopK" | b"TopKV2" => &["values", "indices"],
        b"FusedBatchNorm" | b"FusedBatchNormV2" | b"FusedBatchNormV3" => {
            &["y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3"]
        }
        b"SoftmaxCrossEntropyWithLogits" | b"SparseSoftmaxCrossEntropyWithLogits" => &["loss", "backprop"],
        b"Switch" => &["output_false", "output_true"],
        b"Merge" => &["output", "value_index"],
        b"Unique" | b"UniqueV2" => &["y", "idx"],
        b"UniqueWithCounts" | b"UniqueWithCountsV2" => &["y", "idx", "count"],
        b"ListDiff" => &["out", "idx"],
        b"TensorArrayV3" => &["handle", "flow"],
        b"TensorListConcatV2" => &["tensor", "lengths"],
        b"NonMaxSuppressionV4" => &["selected_indices", "valid_outputs"],
        b"NonMaxSuppressionV5" => &["selected_indices", "selected_scores", "valid_outputs"],
        b"CombinedNonMaxSuppression" => &["nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"],
        b"MaxPoolWithArgmax" => &["output", "argmax"],
        b"QuantizeV2" => &["output", "output_min", "output_max"],
        _ => &[],
    }
}
