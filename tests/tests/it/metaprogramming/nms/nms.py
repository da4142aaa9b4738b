"""Non-maximum suppression on a GPU: keeps the best of the boxes that overlap.

Boxes are rows `[class, score, left, top, right, bottom]`, by descending score. Suppressed ones get the score -1.
"""

from tvm.script import tir as T


def every(*conditions):
    """The conjunction of all conditions; those known while the script is read vanish or decide."""
    result = True
    for condition in conditions:
        if condition is False:
            return False
        if condition is not True:
            result = condition if result is True else T.And(result, condition)
    return result


def some(*conditions):
    """The disjunction of all conditions."""
    result = False
    for condition in conditions:
        if condition is True:
            return True
        if condition is not False:
            result = condition if result is False else T.Or(result, condition)
    return result


def corners(boxes, batch, box, start):
    """Left, top, right and bottom of a box, whichever corners it states."""
    low = [T.min(boxes[batch, box, start + axis], boxes[batch, box, start + axis + 2]) for axis in range(2)]
    high = [T.max(boxes[batch, box, start + axis], boxes[batch, box, start + axis + 2]) for axis in range(2)]
    return (*low, *high)


def overlap(boxes, batch, a, b, start):
    """Intersection over union of two boxes."""
    zero = T.float32(0)
    a_l, a_t, a_r, a_b = corners(boxes, batch, a, start)
    b_l, b_t, b_r, b_b = corners(boxes, batch, b, start)
    width = T.max(zero, T.min(a_r, b_r) - T.max(a_l, b_l))
    height = T.max(zero, T.min(a_b, b_b) - T.max(a_t, b_t))
    area = height * width
    union = (a_r - a_l) * (a_b - a_t) + (b_r - b_l) * (b_b - b_t) - area
    return T.Select(union <= zero, zero, area / union)


def make_nms(
    batch_size,
    num_anchors,
    box_data_length=6,
    max_threads=128,
    *,
    max_output_size=0,
    iou_threshold=0.5,
    force_suppress=False,
    top_k=-1,
    coord_start=2,
    score_index=1,
    id_index=0,
):
    boxes = (batch_size, num_anchors, box_data_length)
    rows = (batch_size, num_anchors)
    blocks = (num_anchors + max_threads - 1) // max_threads
    has_class = id_index >= 0

    def kept_boxes(valid):
        """The number of boxes that take part."""
        return T.if_then_else(top_k < valid, top_k, valid) if top_k > 0 else valid

    def is_kept(out, i, box):
        """The box has a score and, with classes, a class."""
        return every(out[i, box, score_index] > T.float32(0), is_classified(out, i, box))

    def is_classified(out, i, box):
        return some(not has_class, has_class and out[i, box, id_index] >= T.float32(0))

    def may_suppress(out, i, by, box):
        """Boxes suppress those of their class, or all."""
        same = has_class and out[i, by, id_index] == out[i, box, id_index]
        return some(force_suppress, not has_class, same)

    @T.macro
    def set_box(out, box_indices, i, box, index, value):
        for k in range(box_data_length):
            out[i, box, k] = value(k)
        box_indices[i, box] = index

    @T.macro
    def suppress(out, box_indices, i, box):
        out[i, box, score_index] = T.float32(-1)
        if has_class:
            out[i, box, id_index] = T.float32(-1)
        box_indices[i, box] = -1

    @T.prim_func
    def nms(
        data: T.Buffer(boxes, "float32"),
        sorted_index: T.Buffer(rows, "int32"),
        valid_count: T.Buffer((batch_size,), "int32"),
        out: T.Buffer(boxes, "float32"),
        box_indices: T.Buffer(rows, "int32"),
    ):
        T.func_attr({"tir.noalias": T.bool(True)})
        with T.launch_thread("blockIdx.y", batch_size) as i:
            tx = T.launch_thread("threadIdx.x", max_threads)
            bx = T.launch_thread("blockIdx.x", blocks)
            j = T.meta_var(bx * max_threads + tx)
            if every(iou_threshold > 0, valid_count[i] > 0):
                if j < kept_boxes(valid_count[i]):
                    source = T.meta_var(sorted_index[i, j])
                    set_box(out, box_indices, i, j, source, lambda k: data[i, source, k])
                else:
                    if j < num_anchors:
                        set_box(out, box_indices, i, j, -1, lambda k: T.float32(-1))
        with T.launch_thread("blockIdx.y", batch_size) as i:
            num_valid = T.decl_buffer((1,), "int32", scope="local")
            num_valid[0] = 0
            most = T.meta_var(max_output_size if max_output_size > 0 else valid_count[i])
            if every(iou_threshold > 0, valid_count[i] > 0):
                for j in range(valid_count[i]):
                    for k in range(j):
                        if every(num_valid[0] < most, is_kept(out, i, k)):
                            if every(is_classified(out, i, j), may_suppress(out, i, k, j)):
                                if overlap(out, i, j, k, coord_start) >= T.float32(iou_threshold):
                                    suppress(out, box_indices, i, j)
                    if box_indices[i, j] != -1:
                        num_valid[0] = num_valid[0] + 1
        with T.launch_thread("blockIdx.y", batch_size) as i:
            tx = T.launch_thread("threadIdx.x", max_threads)
            bx = T.launch_thread("blockIdx.x", blocks)
            j = T.meta_var(bx * max_threads + tx)
            if iou_threshold <= 0:
                if j < valid_count[i]:
                    set_box(out, box_indices, i, j, j, lambda k: data[i, j, k])
            else:
                if valid_count[i] <= 0:
                    if j < valid_count[i]:
                        set_box(out, box_indices, i, j, j, lambda k: data[i, j, k])

    return nms


nms = make_nms(1, 1000, force_suppress=False)
