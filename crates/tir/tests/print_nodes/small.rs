//! Functions written as lambdas, types, small nodes.

use tvmscript_ir::GlobalVar;
use tvmscript_ir_core::{Array, DataType, Ref, Span};
use tvmscript_prim::Op;
use tvmscript_prim::*;
use tvmscript_tir::*;

use crate::support::*;

#[test]
fn lambdas() {
    let [a, b] = ["x", "y"].map(|n| Var::new(n, DataType::FLOAT32));
    let reducer = Ref::new(CommReducer {
        lhs: Array::new([a.clone()]),
        rhs: Array::new([b.clone()]),
        result: Array::new([Add::try_new(a.upcast(), b.upcast()).expect("fits")]),
        identity_element: Array::new([float(0.0)]),
        span: Span::UNKNOWN,
    });
    assert_eq!(text(reducer.clone()), "T.comm_reducer(lambda x, y: x + y, [T.float32(0.0)])");
    let [i, j] = ["i", "j"].map(|n| Var::new(n, DataType::INT32));
    let map = IndexMap {
        initial_indices: Array::new([i.clone(), j.clone()]),
        final_indices: Array::new([j.upcast(), i.upcast()]),
        inverse_index_map: None,
    };
    assert_eq!(text(Ref::new(map)), "T.index_map(lambda i, j: (j, i), index_dtype=\"int32\")");
    let k = axis("k", Range::from_min_extent(int(0), int(4)), IterType::CommReduce);
    let reduce = Reduce {
        span: Span::UNKNOWN,
        dtype: DataType::FLOAT32,
        combiner: reducer,
        source: Array::new([float(1.0)]),
        init: Array::default(),
        axis: Array::new([k]),
        condition: IntImm::bool(true),
        value_index: 0,
    };
    assert_eq!(
        text(Ref::new(reduce)),
        "T.reduce(T.comm_reducer(lambda x, y: x + y, [T.float32(0.0)]), source=[T.float32(1.0)], init=[], \
         axis=[T.iter_var(k, T.Range(0, 4), \"CommReduce\", \"\")], condition=T.bool(True), value_index=0)"
    );
}

#[test]
fn types_ranges_and_names() {
    assert_eq!(text(PrimType::new(DataType::VOID)), "T.void");
    assert_eq!(
        text(PointerType::new(PrimType::new(DataType::FLOAT32), "shared")),
        "T.handle(\"float32\", \"shared\")"
    );
    assert_eq!(text(TupleType::void()), "None");
    assert_eq!(text(Range::from_min_extent(int(2), int(4))), "I.Range(2, 6)");
    assert_eq!(text(Range::from_min_extent(x(), int(4))), "tvm.ir.Range.from_min_extent(x, 4)");
    assert_eq!(text(GlobalVar::new("f")), "I.GlobalVar(\"f\")");
    assert_eq!(text(Op::get("tir.exp")), "I.Op(\"tir.exp\")");
    assert_eq!(text(Array::new([int(1), int(2)]).object().clone()), "[1, 2]");
}
