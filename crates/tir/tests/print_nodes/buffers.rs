//! Buffers: where they are used and where they are declared.

use tvmscript_ir_core::{Array, DataType};
use tvmscript_prim::*;
use tvmscript_tir::*;

use crate::support::*;

#[test]
fn slices_regions_and_rank_zero() {
    let a = buffer("A", [int(16), int(16)]);
    let ramp = Ramp::try_new(x(), int(2), &int(4)).expect("fits");
    let load = BufferLoad::try_new(a.clone(), Array::new([int(0), ramp]), None).expect("fits");
    assert_eq!(text(load), "A[0, x:x + 8:2]");
    let ranges = [Range::from_min_extent(int(0), int(4)), Range::from_min_extent(x(), int(1))];
    assert_eq!(text(BufferRegion::try_new(a, Array::new(ranges)).expect("fits")), "A[0:4, x]");
    let scalar = buffer("S", []);
    assert_eq!(text(BufferLoad::try_new(scalar, Array::default(), None).expect("fits")), "S[()]");
}

#[test]
fn predicates_print_as_methods() {
    let a = buffer("A", [int(16)]);
    let ramp = Ramp::try_new(int(0), int(1), &int(4)).expect("fits");
    let mask = Broadcast::try_new(IntImm::bool(true), &int(4)).expect("fits");
    let load = BufferLoad::try_new(a, Array::new([ramp]), Some(mask)).expect("fits");
    assert_eq!(text(load), "A.vload([T.Ramp(0, 1, 4)], predicate=T.Broadcast(T.bool(True), 4))");
}

#[test]
fn free_buffers_and_variables_are_declared_on_demand() {
    let n = Var::new("n", DataType::INT64);
    let a = buffer("A", [n.clone().upcast()]);
    let load = BufferLoad::try_new(a, Array::new([n.upcast()]), None).expect("fits");
    assert_eq!(text_with(load.clone(), &verbose()), "n = T.int64()\nA = T.Buffer((n,))\nA[n]");
    assert_eq!(text(load), "A[n]");
}

#[test]
fn every_part_of_a_buffer_is_said() {
    let a = Var::with_type("a", PrimType::new(DataType::HANDLE));
    let [m, n, s, t, o] = ["m", "n", "s", "t", "o"].map(|name| Var::new(name, DataType::INT32));
    let parts = BufferParts {
        data: Var::with_type("A", Buffer::pointer_type(DataType::float(16), "shared")),
        strides: Array::new([s.clone().upcast(), t.upcast()]),
        elem_offset: Some(o.upcast()),
        data_alignment: 128,
        offset_factor: 4,
        axis_separators: Array::new([int(1)]),
        ..BufferParts::compact("A", DataType::float(16), [m.upcast(), n.upcast()])
    };
    let f = func(vec![a.clone()], vec![(a, Buffer::try_new(parts).expect("fits"))], evaluate(s.upcast()));
    assert_eq!(
        body_of(f),
        "def f(a: T.handle):\n    m, n = T.int32(), T.int32()\n    A = T.match_buffer(a, (m, n), \"float16\", \
         strides=(\"s\", \"t\"), scope=\"shared\", align=128, offset_factor=4, axis_separators=[1])\n    \
         T.evaluate(A.strides[0])"
    );
}

#[test]
fn p74_26_equal_names_are_numbered_and_parts_of_buffers_are_expressions() {
    let [first, second] = ["x", "x"].map(|name| Var::new(name, DataType::INT32));
    let uses = seq([evaluate(second.clone().upcast()), evaluate(first.clone().upcast())]);
    let f = func(vec![first, second], vec![], uses);
    assert_eq!(body_of(f), "def f(x: T.int32, x_1: T.int32):\n    T.evaluate(x_1)\n    T.evaluate(x)");

    let handle = Var::with_type("a", PrimType::new(DataType::HANDLE));
    let [stride, offset] = ["s", "o"].map(|name| Var::new(name, DataType::INT32));
    let data = Var::with_type("A", Buffer::pointer_type(DataType::FLOAT32, "global"));
    let parts = BufferParts {
        data: data.clone(),
        strides: Array::new([stride.clone().upcast()]),
        elem_offset: Some(offset.clone().upcast()),
        ..BufferParts::compact("A", DataType::FLOAT32, [int(8)])
    };
    let buffer = Buffer::try_new(parts).expect("fits");
    let uses = seq([evaluate(data.upcast()), evaluate(stride.upcast()), evaluate(offset.upcast())]);
    let text = body_of(func(vec![handle.clone()], vec![(handle, buffer)], uses));
    let body = text.split_once("\n    T.evaluate(").map(|(_, body)| body);
    assert_eq!(body, Some("A.data)\n    T.evaluate(A.strides[0])\n    T.evaluate(A.elem_offset)"), "{text}");
}

#[test]
fn a_pointer_of_another_type_is_said() {
    let a = Var::with_type("a", PrimType::new(DataType::HANDLE));
    let parts = BufferParts {
        data: Var::with_type("p", PointerType::new(PrimType::new(DataType::int(8)), "global")),
        ..BufferParts::compact("A", DataType::FLOAT32, [int(4)])
    };
    let f = func(vec![a.clone()], vec![(a, Buffer::try_new(parts).expect("fits"))], evaluate(int(0)));
    assert_eq!(
        body_of(f),
        "def f(a: T.handle):\n    p = T.handle(\"int8\", \"global\")\n    A = T.match_buffer(a, (4,), data=p)\n    \
         T.evaluate(0)"
    );
}

#[test]
fn one_buffer_of_two_parameters_is_referred_to() {
    let [a, b] = ["a", "b"].map(|name| Var::with_type(name, PrimType::new(DataType::HANDLE)));
    let buffer = buffer("A", [int(4)]);
    let f = func(vec![a.clone(), b.clone()], vec![(a, buffer.clone()), (b, buffer)], evaluate(int(0)));
    assert_eq!(
        body_of(f),
        "def f(a: T.handle, b: T.handle):\n    A = T.match_buffer(a, (4,))\n    T.match_buffer(b, buffer=A)\n    \
         T.evaluate(0)"
    );
}

/// The lines of a function's body.
fn lines_of(source: &str, begin: &str) -> usize {
    let (_, rest) = source.split_once(begin).expect("the function");
    let (_, rest) = rest.split_once("{\n").expect("a body");
    let (body, _) = rest.split_once("\n}").expect("the end of the body");
    body.lines().filter(|line| !line.trim().is_empty()).count()
}

/// RFC 0074 shows the printer of regions as what two stages make short.
#[test]
fn p74_28_a_region_prints_in_no_more_lines_than_in_the_rfc() {
    let of_rfc = "ExprDoc PrintBufferRegion(tir::BufferRegion buffer_region, IRDocsifier p) {
  Array<Doc> indices;
  for (const Range& range : buffer_region->region) {
    if (tir::is_one(range->extent)) {
      indices.push_back(p->AsExprDoc(range->min));
    } else {
      indices.push_back(p->AsExprDoc(range));
    }
  }
  return p->AsExprDoc(buffer_region->buffer)->Index(indices);
}";
    let a = buffer("A", [int(16), int(4)]);
    let ranges = [Range::from_min_extent(int(1), int(9)), Range::from_min_extent(int(2), int(1))];
    assert_eq!(text(BufferRegion::try_new(a, Array::new(ranges)).expect("fits")), "A[1:10, 2]");
    let ours = include_str!("../../src/print/buffer.rs");
    let (ours, of_rfc) = (lines_of(ours, "fn region_of("), lines_of(of_rfc, "PrintBufferRegion("));
    assert!(ours <= of_rfc, "{ours} lines instead of {of_rfc}");
}
