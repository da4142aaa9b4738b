//! Instructions of devices on tiles: copies of boxes, products by groups of warps, running totals.

use tvmscript::interpreter::{Argument, Limits, Scalar, Tensor, run};
use tvmscript::ir_core::DataType;
use tvmscript::tir::PrimFunc;
use tvmscript_tests::parse_ok;

/// Runs a function of TileLang.
fn run_text(body: &str, arguments: &mut [Argument]) -> Result<(), String> {
    let text = format!("# from tvm.script import tirx as T\n\n@T.prim_func\n{body}");
    let object = parse_ok("script.py", &text)?.remove(0);
    let function = object.downcast::<PrimFunc>().expect("a function");
    run(&function, arguments, Limits::default()).map(|_| ()).map_err(|error| error.to_string())
}

fn tensor(dtype: DataType, shape: &[i64], value: impl Fn(usize) -> f64) -> Argument {
    let mut tensor = Tensor::zeros(dtype, shape).expect("a tensor");
    for index in 0..tensor.len() {
        let value =
            if dtype.is_float() { Scalar::Float(value(index)) } else { Scalar::Int(value(index) as i64) };
        assert!(tensor.set(index, value));
    }
    Argument::Tensor(tensor)
}

fn read(argument: &Argument) -> Vec<f64> {
    let tensor = argument.tensor().expect("a tensor");
    let number = |value: Scalar| value.as_float().or(value.as_int().map(|value| value as f64));
    (0..tensor.len()).filter_map(|index| tensor.get(index).and_then(number)).collect()
}

/// A small number that depends on a position.
fn small(index: usize) -> f64 {
    ((index * 37 + index / 7) % 11) as f64 - 5.0
}

#[test]
fn boxes_are_copied_with_zeros_outside_and_their_bytes_counted() {
    // A box of 4 rows of 8 halves from a tensor of 6 by 12, and back to another place.
    let body = r#"def f(A: T.Buffer((6, 12), "float16"), B: T.Buffer((6, 12), "float16")):
    tx = T.launch_thread("threadIdx.x", 2)
    s = T.alloc_buffer((32,), "float16", scope="shared.dyn")
    bar = T.alloc_buffer((1,), "uint64", scope="shared.barrier")
    if tx == 0:
        T.ptx_init_barrier_thread_count(bar[0], 1)
    T.tvm_storage_sync("shared")
    if tx == 0:
        T.ptx_arrive_barrier_expect_tx(bar[0], 64)
        T.tma_load(T.create_tma_descriptor(6, 2, A.data, 12, 6, 2, 24, 8, 4, 1, 1, 0, 0, 2, 0), bar[0], T.tvm_access_ptr(T.type_annotation("float16"), s.data, 0, 32, 2), 6, 3, 0)
    T.mbarrier_wait_parity(bar[0], 0)
    if tx == 1:
        T.tma_store(T.create_tma_descriptor(6, 2, B.data, 12, 6, 2, 24, 8, 4, 1, 1, 0, 0, 2, 0), T.tvm_access_ptr(T.type_annotation("float16"), s.data, 0, 32, 1), -1, 1, 0, 0)
"#;
    let half = DataType::float(16);
    let mut arguments = [tensor(half, &[6, 12], |index| index as f64), tensor(half, &[6, 12], |_| 100.0)];
    run_text(body, &mut arguments).unwrap();
    let mut expected = vec![100.0; 72];
    for row in 0..4usize {
        for column in 0..8usize {
            let (from_row, from_column) = (row + 3, column + 6);
            let value =
                if from_row < 6 && from_column < 12 { (from_row * 12 + from_column) as f64 } else { 0.0 };
            if column >= 1 {
                expected[(row + 1) * 12 + column - 1] = value;
            }
        }
    }
    assert_eq!(read(&arguments[1]), expected);
    let less = body.replace("expect_tx(bar[0], 64)", "expect_tx(bar[0], 96)");
    let mut arguments = [tensor(half, &[6, 12], |_| 0.0), tensor(half, &[6, 12], |_| 0.0)];
    assert_eq!(
        run_text(&less, &mut arguments).unwrap_err(),
        "the threads wait for each other: none of them can go on"
    );
}

#[test]
fn swizzled_boxes_lie_where_the_device_puts_them() {
    // Parts of 16 bytes of a line of 128 bytes are swapped by the number of the line.
    let body = r#"def f(A: T.Buffer((8, 64), "float16"), B: T.Buffer((512,), "float16")):
    tx = T.launch_thread("threadIdx.x", 1)
    s = T.alloc_buffer((512,), "float16", scope="shared.dyn")
    bar = T.alloc_buffer((1,), "uint64", scope="shared.barrier")
    T.ptx_init_barrier_thread_count(bar[0], 1)
    T.ptx_arrive_barrier_expect_tx(bar[0], 1024)
    T.tma_load(T.create_tma_descriptor(6, 2, A.data, 64, 8, 2, 128, 64, 8, 1, 1, 0, MODE, 2, 0), bar[0], T.tvm_access_ptr(T.type_annotation("float16"), s.data, 0, 512, 2), 0, 0, 0)
    T.mbarrier_wait_parity(bar[0], 0)
    for i in range(512):
        B[i] = s[i]
"#;
    let half = DataType::float(16);
    for (mode, parts) in [(0usize, 1usize), (1, 2), (2, 4), (3, 8)] {
        let mut arguments = [tensor(half, &[8, 64], |index| index as f64), tensor(half, &[512], |_| 0.0)];
        run_text(&body.replace("MODE", &mode.to_string()), &mut arguments).unwrap();
        let mut expected = vec![0.0; 512];
        for index in 0..512usize {
            let (line, part) = (index / 64, index / 8 % 8);
            let part = part ^ (line % parts);
            expected[line * 64 + part * 8 + index % 8] = index as f64;
        }
        assert_eq!(read(&arguments[1]), expected, "mode {mode}");
    }
}

#[test]
fn patches_of_an_image_are_rows() {
    // An image of 1 x 3 x 4 with 2 channels, a kernel of 3 x 3 with a border of 1: places from -1 on.
    let body = r#"def f(X: T.Buffer((1, 3, 4, 2), "float16"), B: T.Buffer((12, 2), "float16")):
    tx = T.launch_thread("threadIdx.x", 1)
    s = T.alloc_buffer((24,), "float16", scope="shared.dyn")
    bar = T.alloc_buffer((1,), "uint64", scope="shared.barrier")
    T.ptx_init_barrier_thread_count(bar[0], 1)
    T.ptx_arrive_barrier_expect_tx(bar[0], 48)
    T.tma_load_im2col(T.create_tma_im2col_descriptor(6, 4, X.data, 2, 4, 3, 1, 2, 4, 16, 48, 1, 1, 1, 1, -1, -1, -1, -1, 12, 2, 0, 0, 2, 0), bar[0], T.tvm_access_ptr(T.type_annotation("float16"), s.data, 0, 24, 2), 0, -1, -1, 0, 2, 1, 0)
    T.mbarrier_wait_parity(bar[0], 0)
    for i in range(24):
        B[i // 2, i % 2] = s[i]
"#;
    let half = DataType::float(16);
    let mut arguments =
        [tensor(half, &[1, 3, 4, 2], |index| index as f64 + 1.0), tensor(half, &[12, 2], |_| -7.0)];
    run_text(body, &mut arguments).unwrap();
    let mut expected = Vec::new();
    for place in 0..12i64 {
        // The column 2 and the row 1 of the kernel.
        let (x, y) = (place % 4 - 1 + 2, place / 4 - 1 + 1);
        for channel in 0..2 {
            let is_inside = (0..4).contains(&x) && (0..3).contains(&y);
            expected.push(if is_inside { ((y * 4 + x) * 2 + channel + 1) as f64 } else { 0.0 });
        }
    }
    assert_eq!(read(&arguments[1]), expected);
}

/// `A @ B` of 64 rows by `columns`, over a depth of `depth`.
fn product(a: &[f64], b: &[f64], columns: usize, depth: usize) -> Vec<f64> {
    let mut c = vec![0.0; 64 * columns];
    for (place, value) in c.iter_mut().enumerate() {
        let (row, column) = (place / columns, place % columns);
        *value = (0..depth).map(|k| a[row * depth + k] * b[k * columns + column]).sum();
    }
    c
}

/// A product of 64 x 16 halves with 16 x `n`, both brought to shared memory by copies of boxes.
fn warpgroup_kernel(
    n: usize,
    b_shape: &str,
    b_map: &str,
    b_bytes: usize,
    b_descriptor: &str,
    is_k_major: &str,
) -> String {
    format!(
        r#"def f(A: T.Buffer((64, 16), "float16"), B: T.Buffer({b_shape}, "float16"), C: T.Buffer((64, {n}), "float32")):
    tx = T.launch_thread("threadIdx.x", 128)
    As = T.alloc_buffer((1024,), "float16", scope="shared.dyn")
    Bs = T.alloc_buffer(({len},), "float16", scope="shared.dyn")
    acc = T.alloc_buffer(({own},), "float32", scope="local")
    desc_a = T.alloc_buffer((1,), "uint64", scope="local.descriptor.wgmma")
    desc_b = T.alloc_buffer((1,), "uint64", scope="local.descriptor.wgmma")
    bar = T.alloc_buffer((1,), "uint64", scope="shared.barrier")
    if tx == 0:
        T.ptx_init_barrier_thread_count(bar[0], 1)
    T.tvm_storage_sync("shared")
    if tx == 0:
        T.ptx_arrive_barrier_expect_tx(bar[0], {bytes})
        T.tma_load(T.create_tma_descriptor(6, 2, A.data, 16, 64, 2, 32, 16, 64, 1, 1, 0, 1, 2, 0), bar[0], T.tvm_access_ptr(T.type_annotation("float16"), As.data, 0, 1024, 2), 0, 0, 0)
        T.tma_load(T.create_tma_descriptor({b_map}, 2, 0), bar[0], T.tvm_access_ptr(T.type_annotation("float16"), Bs.data, 0, {len}, 2), 0, 0, 0)
    T.mbarrier_wait_parity(bar[0], 0)
    for i in range({own}):
        acc[i] = T.float32(1)
    T.initialize_wgmma_descriptor(desc_a[0], T.tvm_access_ptr(T.type_annotation("float16"), As.data, 0, 1024, 1), 3, 1, 16)
    T.initialize_wgmma_descriptor(desc_b[0], T.tvm_access_ptr(T.type_annotation("float16"), Bs.data, 0, {len}, 1), {b_descriptor})
    T.warpgroup_arrive()
    T.ptx_wgmma_ss("m64n{n}k16", T.bool(True), T.bool({is_k_major}), "fp16", "fp16", "fp32", desc_a.data, 0, desc_b.data, 0, acc.data, 0, 1, 1, 1)
    T.warpgroup_commit_batch()
    T.warpgroup_wait(0)
    for i in range({own}):
        C[tx // 32 * 16 + i % 4 // 2 * 8 + tx % 32 // 4, i // 4 * 8 + tx % 4 * 2 + i % 2] = acc[i]
"#,
        len = b_bytes / 2,
        own = n / 2,
        bytes = 2048 + b_bytes,
    )
}

#[test]
fn a_group_of_warps_multiplies_what_boxes_brought() {
    let half = DataType::float(16);
    let a: Vec<f64> = (0..1024).map(small).collect();
    // B with its columns innermost, in lines of 128 bytes.
    let kernel = warpgroup_kernel(
        64,
        "(16, 64)",
        "6, 2, B.data, 64, 16, 2, 128, 64, 16, 1, 1, 0, 3",
        2048,
        "1, 0, 64",
        "False",
    );
    let b: Vec<f64> = (0..1024).map(|index| small(index + 5)).collect();
    let mut arguments = [
        tensor(half, &[64, 16], |index| a[index]),
        tensor(half, &[16, 64], |index| b[index]),
        tensor(DataType::FLOAT32, &[64, 64], |_| 0.0),
    ];
    run_text(&kernel, &mut arguments).unwrap();
    let expected: Vec<f64> = product(&a, &b, 64, 16).iter().map(|value| value + 1.0).collect();
    assert_eq!(read(&arguments[2]), expected);
    // B transposed, with the depth innermost, in lines of 32 bytes.
    let kernel = warpgroup_kernel(
        32,
        "(32, 16)",
        "6, 2, B.data, 16, 32, 2, 32, 16, 32, 1, 1, 0, 1",
        1024,
        "3, 1, 16",
        "True",
    );
    let transposed: Vec<f64> = (0..512).map(|index| small(index * 3 + 1)).collect();
    let mut arguments = [
        tensor(half, &[64, 16], |index| a[index]),
        tensor(half, &[32, 16], |index| transposed[index]),
        tensor(DataType::FLOAT32, &[64, 32], |_| 0.0),
    ];
    run_text(&kernel, &mut arguments).unwrap();
    let b: Vec<f64> = (0..512).map(|place| transposed[place % 32 * 16 + place / 32]).collect();
    let expected: Vec<f64> = product(&a, &b, 32, 16).iter().map(|value| value + 1.0).collect();
    assert_eq!(read(&arguments[2]), expected);
}

#[test]
fn a_wavefront_multiplies() {
    let body = r#"def f(A: T.Buffer((16, 16), "float16"), B: T.Buffer((16, 16), "float16"), C: T.Buffer((16, 16), "float32")):
    T.func_attr({"target": T.target({"keys": ["hip", "gpu"], "kind": "hip", "tag": "", "thread_warp_size": 64})})
    tx = T.launch_thread("threadIdx.x", 64)
    a = T.alloc_buffer((4,), "float16", scope="local")
    b = T.alloc_buffer((4,), "float16", scope="local")
    c = T.alloc_buffer((4,), "float32", scope="local")
    T.pdl_sync()
    for i in range(4):
        a[i] = A[tx % 16, tx // 16 * 4 + i]
        b[i] = B[tx // 16 * 4 + i, tx % 16]
        c[i] = T.float32(2)
    T.tvm_mfma("f32_16x16x16f16", "row", "row", "float16x4", "float16x4", "float32x4", a.data, 0, b.data, 0, c.data, 0)
    for i in range(4):
        C[tx // 16 * 4 + i, tx % 16] = c[i]
"#;
    let half = DataType::float(16);
    let (a, b): (Vec<f64>, Vec<f64>) =
        ((0..256).map(small).collect(), (0..256).map(|at| small(at + 3)).collect());
    let mut arguments = [
        tensor(half, &[16, 16], |index| a[index]),
        tensor(half, &[16, 16], |index| b[index]),
        tensor(DataType::FLOAT32, &[16, 16], |_| 0.0),
    ];
    run_text(body, &mut arguments).unwrap();
    let sum =
        |place: usize| (0..16).map(|k| a[place / 16 * 16 + k] * b[k * 16 + place % 16]).sum::<f64>() + 2.0;
    assert_eq!(read(&arguments[2]), (0..256).map(sum).collect::<Vec<f64>>());
    let narrow = body.replace("\"thread_warp_size\": 64", "\"thread_warp_size\": 32");
    assert_eq!(
        run_text(&narrow, &mut arguments).unwrap_err(),
        "a product of a wavefront of less than 64 lanes cannot be run"
    );
}

#[test]
fn running_totals_of_lines() {
    let scan = |name: &str, extents: &str| {
        format!(
            r#"def f(A: T.Buffer((3, 40), "int32"), B: T.Buffer((3, 40), "int32")):
    tx = T.launch_thread("threadIdx.x", 32)
    s = T.alloc_buffer((120,), "int32", scope="shared.dyn")
    d = T.alloc_buffer((120,), "int32", scope="shared.dyn")
    for i in range(4):
        if i * 32 + tx < 120:
            s[i * 32 + tx] = A[(i * 32 + tx) // 40, (i * 32 + tx) % 40]
    T.tvm_storage_sync("shared")
    T.call_extern("int32", "tl::{name}::run", T.tvm_access_ptr(T.type_annotation("int32"), s.data, 0, 120, 1), T.tvm_access_ptr(T.type_annotation("int32"), d.data, 0, 120, 2), {extents})
    T.tvm_storage_sync("shared")
    for i in range(4):
        if i * 32 + tx < 120:
            B[(i * 32 + tx) // 40, (i * 32 + tx) % 40] = d[i * 32 + tx]
"#
        )
    };
    let totals = |name: &str, extents: &str| {
        let mut arguments =
            [tensor(DataType::INT32, &[3, 40], small), tensor(DataType::INT32, &[3, 40], |_| 0.0)];
        run_text(&scan(name, extents), &mut arguments).unwrap();
        read(&arguments[1])
    };
    let rows = |place: usize| (place / 40 * 40..=place).map(small).sum::<f64>();
    assert_eq!(totals("CumSum2D<32, 1, false>", "3, 40, 40, 40"), (0..120).map(rows).collect::<Vec<f64>>());
    let columns = |place: usize| (0..=place / 40).map(|row| small(row * 40 + place % 40)).sum::<f64>();
    assert_eq!(
        totals("CumSum2D<32, 0, false>", "3, 40, 40, 40"),
        (0..120).map(columns).collect::<Vec<f64>>()
    );
    let from_end = |place: usize| (place..(place / 40 + 1) * 40).map(small).fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(
        totals("CumMax2D<32, 1, true>", "3, 40, 40, 40"),
        (0..120).map(from_end).collect::<Vec<f64>>()
    );
    let line = |place: usize| (0..=place).map(small).sum::<f64>();
    assert_eq!(totals("CumSum1D<32, false>", "120"), (0..120).map(line).collect::<Vec<f64>>());
}

#[test]
fn threads_of_different_branches_come_together_at_a_barrier() {
    // Neighbours are sorted in turn; those that swap have more steps to take than others.
    let body = r#"def f(A: T.Buffer((8,), "int32")):
    for bx in T.thread_binding(1, thread="blockIdx.x"):
        tx: T.int32 = T.launch_thread_idx(0)
        with T.sblock("tilelang_root"):
            T.reads()
            T.writes()
            T.sblock_attr({"tl.launch_threads": [8, 1, 1]})
            s = T.sblock_alloc_buffer((8,), "int32", scope="shared.dyn")
            t = T.sblock_alloc_buffer((1,), "int32", scope="local")
            s[tx] = A[tx]
            T.tvm_storage_sync("shared")
            for q in range(8):
                if tx % 2 == q % 2 and tx < 7:
                    if s[tx] > s[tx + 1]:
                        t[0] = s[tx]
                        s[tx] = s[tx + 1]
                        s[tx + 1] = t[0]
                T.tvm_storage_sync("shared")
            A[tx] = s[tx]
"#;
    let mut arguments =
        [tensor(DataType::INT32, &[8], |index| [5.0, 8.0, 1.0, 7.0, 3.0, 6.0, 2.0, 4.0][index])];
    run_text(body, &mut arguments).unwrap();
    assert_eq!(read(&arguments[0]), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
}

#[test]
fn axes_without_a_tag_are_those_of_their_variables() {
    let body = r#"def f(A: T.Buffer((2, 3), "int32")):
    bx = T.int32()
    by = T.int32()
    T.launch_thread(bx, 2)
    T.launch_thread(by, 3)
    tx = T.launch_thread("threadIdx.x", 1)
    s = T.alloc_buffer((1,), "int32", scope="shared.dyn")
    s[0] = bx * 10 + by
    T.pdl_sync()
    T.tvm_storage_sync("shared")
    A[bx, by] = s[0]
"#;
    let mut arguments = [tensor(DataType::INT32, &[2, 3], |_| -1.0)];
    run_text(body, &mut arguments).unwrap();
    assert_eq!(read(&arguments[0]), [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
}
