# from tvm.script import tir as T

@T.prim_func
def nms(data: T.Buffer((1, 1000, 6), "float32"), sorted_index: T.Buffer((1, 1000), "int32"), valid_count: T.Buffer((1,), "int32"), out: T.Buffer((1, 1000, 6), "float32"), box_indices: T.Buffer((1, 1000), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    with T.launch_thread("blockIdx.y", 1) as i:
        tx = T.launch_thread("threadIdx.x", 128)
        bx = T.launch_thread("blockIdx.x", 8)
        if valid_count[i] > 0:
            if bx * 128 + tx < valid_count[i]:
                for k in range(6):
                    out[i, bx * 128 + tx, k] = data[i, sorted_index[i, bx * 128 + tx], k]
                box_indices[i, bx * 128 + tx] = sorted_index[i, bx * 128 + tx]
            else:
                if bx * 128 + tx < 1000:
                    for k in range(6):
                        out[i, bx * 128 + tx, k] = T.float32(-1.0)
                    box_indices[i, bx * 128 + tx] = -1
    with T.launch_thread("blockIdx.y", 1) as i:
        num_valid = T.decl_buffer((1,), "int32", scope="local")
        num_valid[0] = 0
        if valid_count[i] > 0:
            for j in range(valid_count[i]):
                for k in range(j):
                    if num_valid[0] < valid_count[i] and (out[i, k, 1] > T.float32(0.0) and out[i, k, 0] >= T.float32(0.0)):
                        if out[i, j, 0] >= T.float32(0.0) and out[i, k, 0] == out[i, j, 0]:
                            if T.Select((T.max(out[i, j, 2], out[i, j, 4]) - T.min(out[i, j, 2], out[i, j, 4])) * (T.max(out[i, j, 3], out[i, j, 5]) - T.min(out[i, j, 3], out[i, j, 5])) + (T.max(out[i, k, 2], out[i, k, 4]) - T.min(out[i, k, 2], out[i, k, 4])) * (T.max(out[i, k, 3], out[i, k, 5]) - T.min(out[i, k, 3], out[i, k, 5])) - T.max(T.float32(0.0), T.min(T.max(out[i, j, 3], out[i, j, 5]), T.max(out[i, k, 3], out[i, k, 5])) - T.max(T.min(out[i, j, 3], out[i, j, 5]), T.min(out[i, k, 3], out[i, k, 5]))) * T.max(T.float32(0.0), T.min(T.max(out[i, j, 2], out[i, j, 4]), T.max(out[i, k, 2], out[i, k, 4])) - T.max(T.min(out[i, j, 2], out[i, j, 4]), T.min(out[i, k, 2], out[i, k, 4]))) <= T.float32(0.0), T.float32(0.0), T.max(T.float32(0.0), T.min(T.max(out[i, j, 3], out[i, j, 5]), T.max(out[i, k, 3], out[i, k, 5])) - T.max(T.min(out[i, j, 3], out[i, j, 5]), T.min(out[i, k, 3], out[i, k, 5]))) * T.max(T.float32(0.0), T.min(T.max(out[i, j, 2], out[i, j, 4]), T.max(out[i, k, 2], out[i, k, 4])) - T.max(T.min(out[i, j, 2], out[i, j, 4]), T.min(out[i, k, 2], out[i, k, 4]))) / ((T.max(out[i, j, 2], out[i, j, 4]) - T.min(out[i, j, 2], out[i, j, 4])) * (T.max(out[i, j, 3], out[i, j, 5]) - T.min(out[i, j, 3], out[i, j, 5])) + (T.max(out[i, k, 2], out[i, k, 4]) - T.min(out[i, k, 2], out[i, k, 4])) * (T.max(out[i, k, 3], out[i, k, 5]) - T.min(out[i, k, 3], out[i, k, 5])) - T.max(T.float32(0.0), T.min(T.max(out[i, j, 3], out[i, j, 5]), T.max(out[i, k, 3], out[i, k, 5])) - T.max(T.min(out[i, j, 3], out[i, j, 5]), T.min(out[i, k, 3], out[i, k, 5]))) * T.max(T.float32(0.0), T.min(T.max(out[i, j, 2], out[i, j, 4]), T.max(out[i, k, 2], out[i, k, 4])) - T.max(T.min(out[i, j, 2], out[i, j, 4]), T.min(out[i, k, 2], out[i, k, 4]))))) >= T.float32(0.5):
                                out[i, j, 1] = T.float32(-1.0)
                                out[i, j, 0] = T.float32(-1.0)
                                box_indices[i, j] = -1
                if box_indices[i, j] != -1:
                    num_valid[0] = num_valid[0] + 1
    i = T.launch_thread("blockIdx.y", 1)
    tx = T.launch_thread("threadIdx.x", 128)
    bx = T.launch_thread("blockIdx.x", 8)
    if valid_count[i] <= 0:
        if bx * 128 + tx < valid_count[i]:
            for k in range(6):
                out[i, bx * 128 + tx, k] = data[i, bx * 128 + tx, k]
            box_indices[i, bx * 128 + tx] = bx * 128 + tx
