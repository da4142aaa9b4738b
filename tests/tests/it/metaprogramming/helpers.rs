//! Host functions called inside scripts (79-05).

use super::support::{errors, same};

#[test]
fn p79_05_get_box_coordinates_of_the_rfc() {
    same(
        r#"
def get_box_coordinates(output, batch_idx, box_idx, box_start_idx):
  """a method executed by the evaluator"""
  box_l = T.min(
    output[batch_idx, box_idx, box_start_idx],
    output[batch_idx, box_idx, box_start_idx + 2],
  )
  box_t = T.min(output[batch_idx, box_idx, box_start_idx + 1], output[batch_idx, box_idx, box_start_idx + 3])
  box_r = T.max(output[batch_idx, box_idx, box_start_idx], output[batch_idx, box_idx, box_start_idx + 2])
  box_b = T.max(output[batch_idx, box_idx, box_start_idx + 1], output[batch_idx, box_idx, box_start_idx + 3])
  return box_l, box_t, box_r, box_b

@T.prim_func(capture=[get_box_coordinates])
def nms(output: T.Buffer((1, 8, 6), "float32"), area: T.Buffer((8, 8), "float32")):
  for i in range(8):
    a_l, a_t, a_r, a_b = get_box_coordinates(output, 0, i, 2)
    for k in range(i):
      b_l, b_t, b_r, b_b = get_box_coordinates(output, 0, k, 2)
      area[i, k] = (T.min(a_r, b_r) - T.max(a_l, b_l)) * (T.min(a_b, b_b) - T.max(a_t, b_t))
"#,
        r#"
@T.prim_func
def nms(output: T.Buffer((1, 8, 6), "float32"), area: T.Buffer((8, 8), "float32")):
  for i in range(8):
    a_l = T.min(output[0, i, 2], output[0, i, 4])
    a_t = T.min(output[0, i, 3], output[0, i, 5])
    a_r = T.max(output[0, i, 2], output[0, i, 4])
    a_b = T.max(output[0, i, 3], output[0, i, 5])
    for k in range(i):
      b_l = T.min(output[0, k, 2], output[0, k, 4])
      b_t = T.min(output[0, k, 3], output[0, k, 5])
      b_r = T.max(output[0, k, 2], output[0, k, 4])
      b_b = T.max(output[0, k, 3], output[0, k, 5])
      area[i, k] = (T.min(a_r, b_r) - T.max(a_l, b_l)) * (T.min(a_b, b_b) - T.max(a_t, b_t))
"#,
    );
}

#[test]
fn p79_05_a_function_of_an_index() {
    same(
        r#"
def compute_magic_number(index):
    return index * 7 + 3

@T.prim_func
def f(A: T.Buffer((16,), "int32")):
    for i in range(16):
        A[i] = compute_magic_number(i)
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((16,), "int32")):
    for i in range(16):
        A[i] = i * 7 + 3
"#,
    );
}

#[test]
fn p79_05_helpers_build_statements() {
    same(
        r#"
def fill(buffer, n, value):
    with T.serial(n) as i:
        T.buffer_store(buffer, value, [i])

def copy_block(source, target, n):
    with T.grid(n) as i:
        with T.block("copy"):
            vi = T.axis.spatial(n, i)
            T.buffer_store(target, source[vi], [vi])

def scratch(n):
    return T.alloc_buffer((n,), "float32")

def guarded(condition, buffer, index):
    with T.If(condition):
        with T.Then():
            T.buffer_store(buffer, T.float32(1), [index])

@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    B = scratch(16)
    fill(A, 16, T.float32(0))
    copy_block(A, B, 16)
    for i in range(16):
        guarded(B[i] > T.float32(0), A, i)
        T.evaluate(0)
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((16,), "float32")
    for i in range(16):
        A[i] = T.float32(0)
    for i in range(16):
        with T.block("copy"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi]
    for i in range(16):
        if B[i] > T.float32(0):
            A[i] = T.float32(1)
        T.evaluate(0)
"#,
    );
}

#[test]
fn p79_05_helpers_of_any_arguments() {
    same(
        r#"
class Tile:
    def __init__(self, buffer, size):
        self.buffer = buffer
        self.size = size

    def at(self, block, *inside, scale=1):
        return self.buffer[block * self.size + sum(inside) * scale]

def reduce(op, values):
    first, *rest = values
    for value in rest:
        first = op(first, value)
    return first

@T.prim_func
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        B[i] = reduce(lambda x, y: T.max(x, y), [Tile(A, 16).at(i, k, scale=4) for k in range(4)])
"#,
        r#"
@T.prim_func
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        B[i] = T.max(T.max(T.max(A[i * 16], A[i * 16 + 4]), A[i * 16 + 8]), A[i * 16 + 12])
"#,
    );
}

#[test]
fn p79_05_wrong_results_are_reported_at_the_call() {
    let found = errors(
        "def helper(i):\n    return [i]\n\n@T.prim_func\ndef f(A: T.Buffer((4,), 'int32')):\n    for i in range(4):\n        A[i] = helper(i)\n",
    );
    assert_eq!(found.len(), 1, "{found:?}");
}
