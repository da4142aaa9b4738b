//! Statements: scopes, loops, blocks, allocations, attributes.

use tvmscript_docsifier::PrinterConfig;
use tvmscript_ir_core::{Array, DataType, Map, Ref, Span, Str, Value};
use tvmscript_prim::Op;
use tvmscript_prim::*;
use tvmscript_tir::*;

use crate::support::*;

#[test]
fn scopes_last_to_the_end_only_where_nothing_follows() {
    let x = Var::new("x", DataType::INT32);
    let bound = LetStmt::try_new(x.clone(), int(1), evaluate(x.clone().upcast())).expect("fits");
    assert_eq!(text(bound.clone()), "with T.LetStmt(1) as x:\n    T.evaluate(x)");
    assert_eq!(text(seq([evaluate(int(0)), bound.clone()])), "T.evaluate(0)\nx: T.int32 = 1\nT.evaluate(x)");
    assert_eq!(
        text(seq([bound, evaluate(int(0))])),
        "with T.LetStmt(1) as x:\n    T.evaluate(x)\nT.evaluate(0)"
    );
}

#[test]
fn a_variable_that_two_lets_bind_is_declared_before_them() {
    let v = Var::new("v", DataType::INT32);
    let bind = |value| LetStmt::try_new(v.clone(), int(value), evaluate(v.clone().upcast())).expect("fits");
    let f = func(vec![], vec![], seq([bind(1), bind(2)]));
    assert_eq!(
        body_of(f),
        "def f():\n    v = T.int32()\n    with T.LetStmt(1, var=v):\n        T.evaluate(v)\n    \
         with T.LetStmt(2, var=v):\n        T.evaluate(v)"
    );
}

#[test]
fn size_variables_keep_their_kind() {
    let n = Var::size_var("n", DataType::INT32);
    let f = func(vec![n.clone()], vec![], evaluate(n.upcast()));
    assert_eq!(body_of(f), "def f(n: T.int32(is_size_var=True)):\n    T.evaluate(n)");
}

#[test]
fn loops_of_each_kind() {
    let body = || evaluate(int(0));
    assert_eq!(text(for_loop(for_parts("i", int(4), body()))), "for i in range(4):\n    T.evaluate(0)");
    let inner = for_loop(for_parts("j", IntImm::int64(8), body()));
    let grid = for_loop(for_parts("i", int(4), inner));
    assert_eq!(text(grid.clone()), "for i, j in T.grid(4, T.int64(8)):\n    T.evaluate(0)");
    let plain = PrinterConfig { syntax_sugar: false, ..PrinterConfig::default() };
    assert_eq!(
        text_with(grid, &plain),
        "for i in range(4):\n    for j in range(T.int64(8)):\n        T.evaluate(0)"
    );
    let annotations = Map::new([(Str::new("k"), Value::from(int(1))), (Str::new("l"), Value::Int(1))]);
    let parts = For {
        min: int(2),
        kind: ForKind::Unrolled,
        annotations,
        step: Some(int(2)),
        ..for_parts("i", int(8), body())
    };
    assert_eq!(
        text(for_loop(parts)),
        "for i in T.unroll(2, 10, annotations={\"k\": T.int32(1), \"l\": 1}, step=2):\n    T.evaluate(0)"
    );
}

#[test]
fn a_variable_called_range_gives_way_to_loops() {
    let range = Var::new("range", DataType::INT32);
    let f = func(vec![range.clone()], vec![], evaluate(range.clone().upcast()));
    assert_eq!(body_of(f), "def f(range: T.int32):\n    T.evaluate(range)");
    let body = for_loop(for_parts("i", int(4), evaluate(range.clone().upcast())));
    let f = func(vec![range], vec![], body);
    assert_eq!(body_of(f), "def f(range_1: T.int32):\n    for i in range(4):\n        T.evaluate(range_1)");
}

#[test]
fn p74_27_axes_are_remapped_where_they_are_loops() {
    let [i, j] = ["i", "j"].map(|n| Var::new(n, DataType::INT32));
    let dom = |extent| Range::from_min_extent(int(0), int(extent));
    let inner = block(
        vec![axis("vi", dom(4), IterType::DataPar), axis("vj", dom(8), IterType::CommReduce)],
        evaluate(int(0)),
    );
    let values = Array::new([i.clone(), j.clone()].map(Ref::upcast));
    let realize = BlockRealize::try_new(values, IntImm::bool(true), inner).expect("fits");
    let body = for_loop(For { loop_var: j, ..for_parts("j", int(8), realize.clone()) });
    let loops = for_loop(For { loop_var: i, ..for_parts("i", int(4), body) });
    assert_eq!(
        text(loops),
        "for i, j in T.grid(4, 8):\n    with T.block(\"b\"):\n        vi, vj = T.axis.remap(\"SR\", [i, j])\n        \
         T.reads()\n        T.writes()\n        T.evaluate(0)"
    );
    assert_eq!(
        text(realize),
        "i = T.int32()\nj = T.int32()\nwith T.block(\"b\"):\n    vi = T.axis.spatial(4, i)\n    \
         vj = T.axis.reduce(8, j)\n    T.reads()\n    T.writes()\n    T.evaluate(0)"
    );
}

#[test]
fn domains_that_the_short_forms_would_change_print_as_ranges() {
    let text_of = |dom: Ref<Range>| {
        let text = text(block(vec![axis("v", dom, IterType::DataPar)], evaluate(int(0))));
        text.lines().find_map(|l| l.trim().strip_prefix("v = ")).map(str::to_owned).expect("an axis")
    };
    let n = || Var::new("n", DataType::INT32).upcast();
    assert_eq!(text_of(Range::from_min_extent(int(0), int(4))), "T.axis.spatial(4)");
    assert_eq!(text_of(Range::from_min_extent(int(2), int(4))), "T.axis.spatial((2, 6))");
    assert_eq!(
        text_of(Range::from_min_extent(int(0), IntImm::int64(4))),
        "T.axis.spatial(T.Range(0, T.int64(4)))"
    );
    assert_eq!(text_of(Range::from_min_extent(n(), int(4))), "T.axis.spatial((n, n + 4))");
    assert_eq!(
        text_of(Range::from_min_extent(int(2), n())),
        "T.axis.spatial(tvm.ir.Range.from_min_extent(2, n))"
    );
}

#[test]
fn a_block_axis_of_a_loop_kind_prints_as_it_is() {
    let dom = Range::from_min_extent(int(0), int(4));
    let node = block(vec![axis("v", dom, IterType::Unrolled)], evaluate(int(0)));
    let expected = "\
with T.block(\"b\", no_realize=True):
    v = T.int32()
    T.axis.iter_var(T.iter_var(v, T.Range(0, 4), \"Unrolled\", \"\"))
    T.reads()
    T.writes()
    T.evaluate(0)";
    assert_eq!(text(node), expected);
}

#[test]
fn allocations_and_declarations() {
    let a = buffer("A", [int(4)]);
    let inner = Ref::new(DeclBuffer {
        span: Span::UNKNOWN,
        buffer: a.clone(),
        body: store(&a, float(0.0), [int(0)]),
    });
    let allocate = |body: StmtRef| {
        let extents = Array::new([int(4)]);
        let condition = IntImm::bool(true);
        Allocate::try_new(a.data.clone(), DataType::FLOAT32, extents, condition, body, Map::default())
            .expect("fits")
    };
    let node = allocate(inner.upcast());
    let config = PrinterConfig { syntax_sugar: false, ..PrinterConfig::default() };
    assert_eq!(text(node.clone()), "with T.decl_buffer((4,)) as A:\n    A[0] = T.float32(0.0)");
    assert_eq!(
        text_with(node, &config),
        "with T.allocate([4], \"float32\", \"global\") as A:\n    A_1 = T.decl_buffer((4,), data=A)\n    \
         A_1[0] = T.float32(0.0)"
    );
}

#[test]
fn a_pointer_declared_before_its_allocation_is_referred_to() {
    let a = buffer("A", [int(4)]);
    let extents = Array::new([int(4)]);
    let body = store(&a, float(0.0), [int(0)]);
    let allocate = Allocate::try_new(
        a.data.clone(),
        DataType::FLOAT32,
        extents,
        IntImm::bool(true),
        body,
        Map::default(),
    )
    .expect("fits");
    let node = Ref::new(DeclBuffer { span: Span::UNKNOWN, buffer: a, body: allocate });
    assert_eq!(
        text(node),
        "A = T.handle(\"float32\", \"global\")\nwith T.decl_buffer((4,), data=A) as A_1:\n    \
         T.allocate([4], \"float32\", \"global\", var=A)\n    A_1[0] = T.float32(0.0)"
    );
}

fn attr(node: impl Into<Value>, key: &str, value: Expr, body: StmtRef) -> StmtRef {
    let node = AttrStmt { span: Span::UNKNOWN, node: node.into(), attr_key: Str::new(key), value, body };
    Ref::new(node).upcast()
}

#[test]
fn threads_of_every_form() {
    let thread = |var: &Ref<Var>, tag: &str, extent: i32| {
        let dom = Range::from_min_extent(int(0), int(extent));
        IterVar::try_new(Some(dom), var.clone(), IterType::ThreadIndex, Str::new(tag)).expect("fits")
    };
    let tx = Var::new("tx", DataType::INT32);
    let launch = |key: &str, tag: &str, extent: i32| {
        attr(thread(&tx, tag, extent), key, int(4), evaluate(tx.clone().upcast()))
    };
    assert_eq!(
        text(launch("thread_extent", "threadIdx.x", 4)),
        "with T.launch_thread(\"threadIdx.x\", 4) as tx:\n    T.evaluate(tx)"
    );
    // Another domain than the launch would give the thread.
    assert_eq!(
        text(launch("thread_extent", "threadIdx.x", 8)),
        "tx = T.int32()\nwith T.attr(T.iter_var(tx, T.Range(0, 8), \"ThreadIndex\", \"threadIdx.x\"), \
         \"thread_extent\", 4):\n    T.evaluate(tx)"
    );
    let twice = seq([launch("thread_extent", "threadIdx.x", 4), launch("thread_extent", "threadIdx.x", 4)]);
    let f = func(vec![], vec![], twice);
    assert_eq!(
        body_of(f),
        "def f():\n    tx = T.env_thread(\"threadIdx.x\")\n    with T.launch_thread(tx, 4):\n        T.evaluate(tx)\n    \
         T.launch_thread(tx, 4)\n    T.evaluate(tx)"
    );
}

#[test]
fn other_statements() {
    let condition = LT::try_new(x(), int(4)).expect("fits");
    let test = AssertStmt::try_new(condition.clone(), StringImm::new("m"), evaluate(int(0))).expect("fits");
    assert_eq!(
        text(test),
        "with T.Assert(x < 4, \"m\"):\n    T.evaluate(0)".replace("with", "x = T.int32()\nwith")
    );
    let ret = evaluate(Call::new(DataType::INT32, Op::get("tir.ret"), [int(0)]));
    assert_eq!(text(ret), "return 0");
    let branches = IfThenElse {
        span: Span::UNKNOWN,
        condition: condition.clone(),
        then_case: evaluate(int(1)),
        else_case: Some(evaluate(int(2))),
    };
    assert_eq!(
        text(Ref::new(branches)),
        "x = T.int32()\nif x < 4:\n    T.evaluate(1)\nelse:\n    T.evaluate(2)"
    );
    let repeat = While { span: Span::UNKNOWN, condition, body: evaluate(int(1)) };
    assert_eq!(text(Ref::new(repeat)), "x = T.int32()\nwhile x < 4:\n    T.evaluate(1)");
    let a = buffer("A", [int(4)]);
    let realize = BufferRealize {
        span: Span::UNKNOWN,
        buffer: a.clone(),
        bounds: Array::new([Range::from_min_extent(int(0), int(1))]),
        condition: IntImm::bool(true),
        body: evaluate(int(1)),
    };
    let realize: StmtRef = Ref::new(realize).upcast();
    assert_eq!(text(realize.clone()), "A = T.Buffer((4,))\nwith T.realize(A[0:1]):\n    T.evaluate(1)");
    assert_eq!(
        text(attr(a, "realize_scope", StringImm::new("shared"), realize)),
        "A = T.Buffer((4,))\nwith T.realize(A[0:1], \"shared\"):\n    T.evaluate(1)"
    );
}

#[test]
fn constants_of_every_type_are_said_in_full() {
    use tvmscript_ir_core::containers::TensorNode;
    let constant = |dtype: DataType, data: Vec<u8>| {
        let tensor = TensorNode { dtype, shape: Box::new([2]), data: data.into() };
        let node = AllocateConst {
            span: Span::UNKNOWN,
            buffer_var: Var::with_type("p", Buffer::pointer_type(dtype, "global")),
            data: Some(Ref::new(tensor)),
            irmod_storage_idx: None,
            dtype,
            extents: Array::new([int(2)]),
            body: evaluate(int(1)),
            annotations: Map::default(),
        };
        let text = text(Ref::new(node));
        text.lines().next().map(str::to_owned).unwrap_or_default()
    };
    assert_eq!(
        constant(DataType::int(8), vec![255, 1]),
        "with T.allocate_const([-1, 1], \"int8\", [2]) as p:"
    );
    assert_eq!(
        constant(DataType::float(16), vec![0, 0x3c, 0, 0xc0]),
        "with T.allocate_const([1.0, -2.0], \"float16\", [2]) as p:"
    );
    assert_eq!(
        constant(DataType::BOOL, vec![1, 0]),
        "with T.allocate_const([True, False], \"bool\", [2]) as p:"
    );
}
