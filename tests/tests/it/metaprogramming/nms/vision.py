"""Non-maximum suppression as the library of TVM 0.27 has it: keeps the best of the boxes that overlap.

Boxes are rows `[class, score, left, top, right, bottom]`. The hard kernel drops boxes that overlap a better one of their class
and returns the places of the others. The soft kernel lowers their scores instead.
"""

from tvm.script import tirx as T

CLASS, SCORE, CORNERS, FIELDS = 0, 1, 2, 6


def number(value):
    """A constant of the type of the boxes."""
    return T.Cast("float32", T.float32(value))


def corners(boxes, batch, box):
    """The low and the high corner of a box, whichever corners it states."""
    pairs = [(boxes[batch, box, axis], boxes[batch, box, axis + 2]) for axis in (CORNERS, CORNERS + 1)]
    return [T.min(*pair) for pair in pairs], [T.max(*pair) for pair in pairs]


def overlap(boxes, batch, a, b):
    """Intersection over union of two boxes."""
    (a_low, a_high), (b_low, b_high) = corners(boxes, batch, a), corners(boxes, batch, b)
    width, height = [
        T.max(number(0), T.min(a_high[axis], b_high[axis]) - T.max(a_low[axis], b_low[axis])) for axis in (0, 1)
    ]
    common = height * width
    a_area, b_area = [(high[0] - low[0]) * (high[1] - low[1]) for low, high in ((a_low, a_high), (b_low, b_high))]
    union = a_area + b_area - common
    return T.Select(union <= number(0), number(0), common / union)


def packed_array(buffer, zero):
    """A buffer as an argument of a packed function."""
    return T.tvm_stack_make_array(
        buffer.data, T.tvm_stack_make_shape(*buffer.shape), 0, len(buffer.shape), zero, 0
    )


@T.macro
def fill(out, i, j):
    for k in range(FIELDS):
        out[i, j, k] = number(-1)


@T.macro
def drop(out, places, i, j):
    fill(out, i, j)
    places[i, j] = -1


@T.macro
def swap(buffer, spare, a, b):
    spare = buffer[a]
    buffer[a] = buffer[b]
    buffer[b] = spare


def make_nms(batch, anchors, *, iou=0.5, top_k=-1, max_output=-1, soft_sigma=0.0):
    """Makes the soft kernel if there is a sigma, else the hard one."""
    boxes, rows = (batch, anchors, FIELDS), (batch, anchors)

    def has_room(kept):
        """More boxes may be kept."""
        return T.Select(T.bool(max_output > 0), kept < max_output, T.bool(True))

    def counts(out, i, j):
        return out[i, j, SCORE] > number(0)

    @T.macro
    def sort(data, valid_count, score_tensor, order):
        for i, j in T.grid(batch, anchors):
            with T.sblock("score_tensor"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                score_tensor[v_i, v_j] = data[v_i, v_j, SCORE]
        with T.sblock("argsort_nms_cpu"):
            T.reads()
            T.writes()
            scores = T.meta_var(packed_array(score_tensor, T.float32(0)))
            counts, places = T.meta_var((packed_array(valid_count, 0), packed_array(order, 0)))
            T.call_packed("tvm.contrib.sort.argsort_nms", scores, counts, places, 1, T.bool(False))

    @T.macro
    def copy_best(data, order, out, places, i, count):
        for j in range(anchors):
            if j < count:
                for k in range(FIELDS):
                    out[i, j, k] = data[i, order[i, j], k]
                places[i, j] = order[i, j]
            else:
                drop(out, places, i, j)

    @T.macro
    def keep_hard(out, places, i, count, kept):
        for j in range(count):
            if counts(out, i, j) and has_room(kept):
                kept = kept + 1
                for k in range(count):
                    if k > j and counts(out, i, k):
                        if out[i, j, CLASS] == out[i, k, CLASS]:
                            if overlap(out, i, j, k) >= T.float32(iou):
                                out[i, k, SCORE] = number(-1)
                                places[i, k] = -1
            else:
                drop(out, places, i, j)

    @T.macro
    def find_best(out, places, i, count, kept, best, best_score):
        best = -1
        best_score = number(0)
        for j in range(count):
            if j >= kept and places[i, j] >= 0 and out[i, j, SCORE] > best_score:
                best = j
                best_score = out[i, j, SCORE]

    @T.macro
    def weaken(out, places, i, kept, j):
        common = T.meta_var(overlap(out, i, kept, j))
        if common >= T.float32(iou):
            places[i, j] = -1
        if common < T.float32(iou):
            out[i, j, SCORE] = out[i, j, SCORE] * T.exp(number(-0.5 / soft_sigma) * common * common)
            if out[i, j, SCORE] <= number(0):
                places[i, j] = -1

    @T.macro
    def keep_soft(out, places, i, count, kept, best, best_score, spare, spare_field):
        for _ in range(count):
            if has_room(kept):
                find_best(out, places, i, count, kept, best, best_score)
                if best >= 0:
                    if best != kept:
                        swap(places, spare, (i, kept), (i, best))
                        for k in range(FIELDS):
                            swap(out, spare_field, (i, kept, k), (i, best, k))
                    for j in range(count):
                        if j > kept and places[i, j] >= 0 and counts(out, i, j):
                            if out[i, kept, CLASS] == out[i, j, CLASS]:
                                weaken(out, places, i, kept, j)
                    kept = kept + 1

    @T.macro
    def return_places(indices, places, places_count, i):
        found: T.int32 = 0
        for j in range(anchors):
            if places[i, j] >= 0:
                places[i, found] = indices[i, places[i, j]]
                found = found + 1
        places_count[i, 0] = found
        for j in range(anchors):
            if j >= found:
                places[i, j] = -1

    @T.macro
    def suppress(data, valid_count, indices, out, order, places, places_count):
        with T.sblock("non_max_suppression"):
            T.reads()
            T.writes()
            for i in T.parallel(batch):
                count: T.int32 = valid_count[i]
                if T.bool(top_k > 0):
                    count = top_k
                copy_best(data, order, out, places, i, count)
                kept: T.int32 = 0
                best: T.int32
                best_score: T.float32
                spare: T.int32
                spare_field: T.float32
                if soft_sigma > 0:
                    keep_soft(out, places, i, count, kept, best, best_score, spare, spare_field)
                    for j in range(anchors):
                        if j >= kept:
                            fill(out, i, j)
                else:
                    keep_hard(out, places, i, count, kept)
                    return_places(indices, places, places_count, i)

    if soft_sigma > 0:

        @T.prim_func(s_tir=True)
        def soft(
            data: T.Buffer(boxes, "float32"),
            valid_count: T.Buffer((batch,), "int32"),
            indices: T.Buffer(rows, "int32"),
            out: T.Buffer(boxes, "float32"),
        ):
            T.func_attr({"global_symbol": "main", "tirx.noalias": True})
            score_tensor = T.sblock_alloc_buffer(rows)
            order = T.sblock_alloc_buffer(rows, "int32", align=8)
            places = T.sblock_alloc_buffer(rows, "int32")
            sort(data, valid_count, score_tensor, order)
            suppress(data, valid_count, indices, out, order, places, None)

        return soft

    @T.prim_func(s_tir=True)
    def hard(
        data: T.Buffer(boxes, "float32"),
        valid_count: T.Buffer((batch,), "int32"),
        indices: T.Buffer(rows, "int32"),
        places: T.Buffer(rows, "int32"),
        places_count: T.Buffer((batch, 1), "int32"),
    ):
        T.func_attr({"global_symbol": "main", "tirx.noalias": True})
        score_tensor = T.sblock_alloc_buffer(rows)
        order = T.sblock_alloc_buffer(rows, "int32", align=8)
        out = T.sblock_alloc_buffer(boxes)
        sort(data, valid_count, score_tensor, order)
        suppress(data, valid_count, indices, out, order, places, places_count)

    return hard


hard = make_nms(1, 100)
soft = make_nms(1, 100, soft_sigma=0.5)
