//! Block completion: the implicit root block, detected regions, and what stays as it was.

use tvmscript_ir_core::{DataType, Object, Ref, Str, pre_order_visit, structural_equal, with_stack};
use tvmscript_prim::ops::{self, BinaryOp};
use tvmscript_prim::{Call, Expr, IntImm, Var};
use tvmscript_tir::complete::{CompleteErrorKind, complete};
use tvmscript_tir::*;

use crate::support::*;

fn completed(function: PrimFunc) -> PrimFunc {
    complete(function, Vec::new()).expect("the function can be completed")
}

/// The first block of this name.
fn find_block(function: &PrimFunc, name: &str) -> Ref<Block> {
    let mut found = None;
    pre_order_visit(function.body.object(), |node| {
        if let Some(block) = node.downcast_ref::<Block>()
            && block.name_hint == name
        {
            found = found.take().or_else(|| Some(block.clone()));
        }
        found.is_none()
    });
    found.expect("there is a block of this name")
}

/// A region of constants, as `A[0:8]`.
fn text(region: &BufferRegion) -> String {
    let value = |e: &Expr| e.as_node::<IntImm>().expect("a constant").value;
    let ranges =
        region.region.iter().map(|r| format!("{}:{}", value(&r.min), value(&r.min) + value(&r.extent)));
    format!("{}[{}]", region.buffer.name.get(), ranges.collect::<Vec<_>>().join(", "))
}

fn texts<'a>(regions: impl IntoIterator<Item = &'a Ref<BufferRegion>>) -> Vec<String> {
    regions.into_iter().map(|region| text(region)).collect()
}

fn less(a: Expr, b: Expr) -> Expr {
    ops::binary(BinaryOp::Lt, a, b).expect("two integers")
}

#[test]
fn loops_inside_a_block_are_relaxed_and_the_root_stays_empty() {
    let (a, b) = (buffer("A", &[16]), buffer("B", &[32]));
    let (i, v) = (var("i"), var("v"));
    let body = for_loop(&i, int(8), store(&b, [add(expr(&i), int(2))], load(&a, [expr(&i)])));
    let done = completed(function(&[&a, &b], realize(detecting_block("inner", body), &[(&v, 4, int(0))])));
    let inner = find_block(&done, "inner");
    assert_eq!(texts(inner.reads.iter()), ["A[0:8]"]);
    assert_eq!(texts(inner.writes.iter()), ["B[2:10]"]);
    assert!(inner.annotations.is_empty());
    let root = find_block(&done, "root");
    assert!(root.reads.is_empty() && root.writes.is_empty());
}

#[test]
fn accesses_are_united_per_dimension() {
    let a = buffer("A", &[64, 64]);
    let (i, v) = (var("i"), var("v"));
    let far = store(&a, [int(40), expr(&i)], load(&a, [int(3), int(7)]));
    let body = for_loop(&i, int(4), seq([store(&a, [int(1), int(50)], zero()), far]));
    let done = completed(function(&[&a], realize(detecting_block("inner", body), &[(&v, 4, int(0))])));
    let inner = find_block(&done, "inner");
    assert_eq!(texts(inner.reads.iter()), ["A[3:4, 7:8]"]);
    assert_eq!(texts(inner.writes.iter()), ["A[1:41, 0:51]"]);
}

#[test]
fn conditions_narrow_loops() {
    let a = buffer("A", &[64]);
    let (i, v) = (var("i"), var("v"));
    let condition = less(expr(&i), int(5));
    let body = for_loop(&i, int(32), if_then(condition, store(&a, [expr(&i)], zero())));
    let done = completed(function(&[&a], realize(detecting_block("inner", body), &[(&v, 4, int(0))])));
    assert_eq!(texts(find_block(&done, "inner").writes.iter()), ["A[0:5]"]);
}

#[test]
fn bound_values_are_put_in_place() {
    let a = buffer("A", &[64]);
    let (i, v, x, y) = (var("i"), var("v"), var("x"), var("y"));
    let inner = LetStmt::try_new(y.clone(), add(expr(&x), int(1)), store(&a, [expr(&y)], zero()));
    let outer = LetStmt::try_new(x.clone(), add(expr(&i), int(10)), inner.expect("types agree"));
    let body = for_loop(&i, int(4), outer.expect("types agree"));
    let done = completed(function(&[&a], realize(detecting_block("inner", body), &[(&v, 4, int(0))])));
    assert_eq!(texts(find_block(&done, "inner").writes.iter()), ["A[11:15]"]);
}

#[test]
fn inner_blocks_count_by_their_regions_alone() {
    let (a, hidden) = (buffer("A", &[64]), buffer("H", &[8]));
    let (i, v, w) = (var("i"), var("v"), var("w"));
    let inner_body = seq([store(&a, [expr(&w)], zero()), store(&hidden, [int(0)], zero())]);
    let inner = Block {
        alloc_buffers: [hidden.clone()].into_iter().collect(),
        ..detecting_block("inner", inner_body)
    };
    let body = for_loop(&i, int(8), realize(inner, &[(&w, 8, add(expr(&i), int(4)))]));
    let done = completed(function(&[&a], realize(detecting_block("outer", body), &[(&v, 4, int(0))])));
    assert_eq!(texts(find_block(&done, "outer").writes.iter()), ["A[4:12]"]);
    let inner = find_block(&done, "inner");
    assert_eq!(inner.writes.len(), 1, "a block's own buffers are not among its regions");
    assert!(inner.writes[0].region[0].min.ptr_eq(&w));
}

#[test]
fn with_an_initialisation_the_written_buffers_are_not_read() {
    let (a, b) = (buffer("A", &[64]), buffer("B", &[64]));
    let v = var("v");
    let sum = ops::binary(BinaryOp::Add, load(&b, [int(1)]), load(&a, [int(2)])).expect("two floats");
    let with_init = |init| Block { init, ..detecting_block("inner", store(&b, [int(1)], sum.clone())) };
    let reads = |block| {
        let done = completed(function(&[&a, &b], realize(block, &[(&v, 4, int(0))])));
        texts(find_block(&done, "inner").reads.iter())
    };
    assert_eq!(reads(with_init(None)), ["B[1:2]", "A[2:3]"]);
    assert_eq!(reads(with_init(Some(store(&b, [int(1)], zero())))), ["A[2:3]"]);
}

#[test]
fn a_matched_buffer_counts_as_part_of_its_source() {
    let (a, part) = (buffer("A", &[4, 64]), buffer("P", &[8]));
    let v = var("v");
    let region = [range(3, 1), range(16, 8)].into_iter().collect();
    let source = BufferRegion::try_new(a.clone(), region).expect("two dimensions");
    let matched = Ref::new(MatchBufferRegion { buffer: part.clone(), source });
    let body = seq([store(&part, [int(2)], zero()), store(&part, [int(5)], zero())]);
    let block = Block { match_buffers: [matched].into_iter().collect(), ..detecting_block("inner", body) };
    let done = completed(function(&[&a], realize(block, &[(&v, 4, int(0))])));
    assert_eq!(texts(find_block(&done, "inner").writes.iter()), ["A[3:4, 18:22]"]);
}

#[test]
fn a_raw_pointer_is_opaque_and_an_access_pointer_is_the_whole_buffer() {
    let a = buffer("A", &[64]);
    let v = var("v");
    let op = |name: &str| tvmscript_prim::Op::get(name);
    let handle = |name, args: Vec<Expr>| Call::new(DataType::HANDLE, op(name), args);
    let run = |value: Expr| {
        let body = Evaluate::new(value);
        complete(function(&[&a], realize(detecting_block("inner", body), &[(&v, 4, int(0))])), Vec::new())
    };
    let error = run(handle("tir.call_extern", vec![expr(&a.data)])).expect_err("the pointer is opaque");
    let kind = CompleteErrorKind::OpaqueAccess { buffer: Str::new("A"), block: Str::new("inner") };
    assert_eq!(error.kind, kind);
    assert!(error.help().is_some());
    let access = |mask| handle("tir.tvm_access_ptr", vec![zero(), expr(&a.data), int(0), int(8), int(mask)]);
    let done = run(access(1)).expect("a read");
    assert_eq!(texts(find_block(&done, "inner").reads.iter()), ["A[0:64]"]);
    let done = run(access(2)).expect("a write");
    assert_eq!(texts(find_block(&done, "inner").writes.iter()), ["A[0:64]"]);
    assert!(run(access(3)).is_err());
}

#[test]
fn values_of_axes_are_signed_integers() {
    let v = Var::new("v", DataType::uint(32));
    let axis = IterVar::try_new(None, v, IterType::DataPar, "".into()).expect("an axis");
    let block = Block { iter_vars: [axis].into_iter().collect(), ..block("inner", Evaluate::new(int(1))) };
    let value = IntImm::try_new(DataType::uint(32), 1).expect("one fits");
    let body = BlockRealize::try_new([value].into_iter().collect(), IntImm::bool(true), Ref::new(block));
    let error = complete(function(&[], body.expect("one value")), Vec::new()).expect_err("an unsigned value");
    assert_eq!(error.kind, CompleteErrorKind::AxisValue { found: DataType::uint(32) });
}

#[test]
fn a_body_without_blocks_and_one_with_all_regions_keep_their_pointers() {
    let a = buffer("A", &[64]);
    let plain = store(&a, [int(1)], zero());
    assert!(completed(function(&[&a], plain.clone())).body.ptr_eq(&plain));
    let root = realize(block("mine", plain), &[]);
    assert!(completed(function(&[&a], root.clone())).body.ptr_eq(&root));
}

#[test]
fn completion_is_idempotent() {
    let (a, b) = (buffer("A", &[64]), buffer("B", &[64]));
    let (i, v) = (var("i"), var("v"));
    let body = for_loop(&i, int(8), store(&b, [add(expr(&i), expr(&v))], load(&a, [expr(&i)])));
    let once = completed(function(&[&a, &b], realize(detecting_block("inner", body), &[(&v, 4, int(0))])));
    let twice = completed(once.clone());
    assert!(twice.body.ptr_eq(&once.body));
    let (once, twice): (Object, Object) = (Ref::new(once).into(), Ref::new(twice).into());
    assert!(structural_equal(&once, &twice));
}

#[test]
fn deep_and_shared_bodies_are_no_trouble() {
    let a = buffer("A", &[64]);
    let v = var("v");
    let mut sum = load(&a, [expr(&v)]);
    for _ in 0..64 {
        sum = ops::binary(BinaryOp::Add, sum.clone(), sum).expect("two floats");
    }
    let mut body = store(&a, [expr(&v)], sum);
    for _ in 0..100_000 {
        body = if_then(IntImm::bool(true), body);
    }
    let whole = function(&[&a], realize(detecting_block("inner", body), &[(&v, 4, int(0))]));
    let done = std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(move || with_stack(|| completed(whole)))
        .expect("a thread")
        .join()
        .expect("no panic");
    assert_eq!(find_block(&done, "inner").reads.len(), 1);
}
