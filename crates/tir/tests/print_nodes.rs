//! Nodes printed alone, one fact a test: the literal forms, what is declared where, the strict forms, the options.
#![cfg(feature = "print")]

use tvmscript_docsifier::{PrinterConfig, print};
use tvmscript_ir::{GlobalVar, IRModule};
use tvmscript_ir_core::{Array, DataType, DictAttrs, Map, Object, Op, Ref, Registry, Span, Str, Value};
use tvmscript_prim::*;
use tvmscript_tir::print::TirOptions;
use tvmscript_tir::*;

fn registry() -> Registry {
    Registry::new()
        .with(tvmscript_prim::dialect())
        .and_then(|r| r.with(tvmscript_ir::dialect()))
        .and_then(|r| r.with(tvmscript_tir::dialect()))
        .expect("no clash")
}

fn text_with(node: impl Into<Object>, config: &PrinterConfig) -> String {
    print(&node.into(), &registry(), config).expect("prints")
}

fn text(node: impl Into<Object>) -> String {
    text_with(node, &PrinterConfig::default())
}

fn verbose() -> PrinterConfig {
    PrinterConfig { verbose_expr: true, ..PrinterConfig::default() }
}

fn x() -> Expr {
    Var::new("x", DataType::INT32).upcast()
}

fn y() -> Expr {
    Var::new("y", DataType::INT32).upcast()
}

fn int(value: i32) -> Expr {
    IntImm::int32(value)
}

fn float(value: f64) -> Expr {
    FloatImm::try_new(DataType::FLOAT32, value).expect("fits")
}

fn buffer_of(name: &str, dtype: DataType, shape: impl IntoIterator<Item = Expr>) -> BufferParts {
    BufferParts {
        data: Var::with_type(name, Buffer::pointer_type(dtype, "global")),
        dtype,
        shape: Array::new(shape),
        strides: Array::default(),
        elem_offset: None,
        name: name.into(),
        data_alignment: 64,
        offset_factor: 1,
        buffer_type: BufferType::Default,
        axis_separators: Array::default(),
    }
}

fn buffer(name: &str, shape: impl IntoIterator<Item = Expr>) -> Ref<Buffer> {
    Buffer::try_new(buffer_of(name, DataType::FLOAT32, shape)).expect("a buffer")
}

fn store(buffer: &Ref<Buffer>, value: Expr, indices: impl IntoIterator<Item = Expr>) -> StmtRef {
    BufferStore::try_new(buffer.clone(), value, Array::new(indices), None).expect("fits")
}

fn evaluate(value: Expr) -> StmtRef {
    Evaluate::new(value)
}

fn seq(stmts: impl IntoIterator<Item = StmtRef>) -> StmtRef {
    Ref::new(SeqStmt { span: Span::UNKNOWN, seq: Array::new(stmts) }).upcast()
}

fn for_parts(name: &str, extent: Expr, body: StmtRef) -> ForParts {
    ForParts {
        loop_var: Var::new(name, extent.dtype()),
        min: IntImm::try_new(extent.dtype(), 0).expect("fits"),
        extent,
        kind: ForKind::Serial,
        body,
        thread_binding: None,
        annotations: Map::default(),
        step: None,
    }
}

fn for_loop(parts: ForParts) -> StmtRef {
    For::try_new(parts).expect("a loop")
}

fn func(params: Vec<Ref<Var>>, buffers: Vec<(Ref<Var>, Ref<Buffer>)>, body: StmtRef) -> Ref<PrimFunc> {
    Ref::new(PrimFunc {
        span: Span::UNKNOWN,
        struct_info_: None,
        attrs: DictAttrs::new([(Str::new("global_symbol"), Value::str("f"))]),
        params: Array::new(params),
        ret_type: TupleType::void(),
        buffer_map: Map::new(buffers),
        body,
    })
}

/// A function's text below its decorator.
fn body_of(f: Ref<PrimFunc>) -> String {
    let text = text(f);
    text.split_once("@T.prim_func\n").expect("a function").1.to_owned()
}

// --- literals ------------------------------------------------------------------------------------------------------

#[test]
fn integers_say_their_type_unless_int32() {
    assert_eq!(text(int(-5)), "-5");
    assert_eq!(text(IntImm::int64(5)), "T.int64(5)");
    assert_eq!(text(IntImm::bool(true)), "T.bool(True)");
    assert_eq!(text(IntImm::try_new(DataType::int(4), 3).expect("fits")), "T.int4(3)");
}

#[test]
fn floats_always_say_their_type() {
    assert_eq!(text(float(1.0)), "T.float32(1.0)");
    assert_eq!(text(float(f64::INFINITY)), "T.float32(\"inf\")");
    let double = |value| FloatImm::try_new(DataType::float(64), value).expect("fits");
    assert_eq!(text(double(0.1)), "T.float64(0.10000000000000001)");
    assert_eq!(text(double(1e300)), format!("T.float64({:.1})", 1e300));
}

#[test]
fn options_say_which_types_go_without_saying() {
    let options = TirOptions {
        int_dtype: DataType::INT64,
        float_dtype: DataType::FLOAT32,
        buffer_dtype: DataType::INT32,
    };
    let config = PrinterConfig { verbose_expr: true, ..PrinterConfig::default() }.with_part(options);
    assert_eq!(text_with(int(5), &config), "T.int32(5)");
    assert_eq!(text_with(IntImm::int64(5), &config), "5");
    assert_eq!(text_with(float(1.5), &config), "1.5");
    assert_eq!(text_with(buffer("A", [IntImm::int64(4)]), &config), "A = T.Buffer((4,), \"float32\")\nA");
}

#[test]
fn strings_of_several_lines_stand_in_the_metadata() {
    assert_eq!(text(StringImm::new("a\"b")), "\"a\\\"b\"");
    let text = text(StringImm::new("a\nb"));
    assert!(text.starts_with("metadata[\"tir.StringImm\"][0]\n# Metadata omitted."), "{text}");
    let config = PrinterConfig { show_meta: true, ..PrinterConfig::default() };
    let text = text_with(StringImm::new("a\nb"), &config);
    assert!(text.starts_with("metadata = tvm.ir.load_json(\"\"\"{\n"), "{text}");
    assert!(text.ends_with("\"\"\")\nmetadata[\"tir.StringImm\"][0]"), "{text}");
}

// --- operators -----------------------------------------------------------------------------------------------------

#[test]
fn operators_that_would_fold_print_as_calls() {
    let (x, y) = (x(), y());
    assert_eq!(text(Add::try_new(x.clone(), y.clone()).expect("fits")), "x + y");
    assert_eq!(text(Add::try_new(int(1), int(2)).expect("fits")), "T.Add(1, 2)");
    assert_eq!(text(Mul::try_new(x.clone(), int(1)).expect("fits")), "T.Mul(x, 1)");
    assert_eq!(text(Min::try_new(x.clone(), x.clone()).expect("fits")), "T.Min(x, x)");
    assert_eq!(text(Max::try_new(x.clone(), y.clone()).expect("fits")), "T.max(x, y)");
    assert_eq!(text(Mod::try_new(int(7), int(2)).expect("fits")), "T.Mod(7, 2)");
    assert_eq!(text(FloorDiv::try_new(x.clone(), int(0)).expect("fits")), "T.FloorDiv(x, 0)");
    assert_eq!(text(Div::try_new(x, y).expect("fits")), "T.Div(x, y)");
}

#[test]
fn logic_on_vectors_prints_as_calls() {
    let boolean = Broadcast::try_new(IntImm::bool(true), &int(4)).expect("fits");
    let and = And::try_new(boolean.clone(), boolean).expect("fits");
    assert_eq!(text(and), "T.And(T.Broadcast(T.bool(True), 4), T.Broadcast(T.bool(True), 4))");
}

#[test]
fn a_number_on_the_left_of_a_comparison_in_a_keyword_prints_as_a_call() {
    let t = Var::new("t", DataType::BOOL);
    let value = LT::try_new(int(3), x()).expect("fits");
    let node = Let::try_new(t.clone(), value.clone(), t.upcast()).expect("fits");
    assert_eq!(text(value), "3 < x");
    assert_eq!(text(node), "T.Let(t, where={t: T.LT(3, x)})");
}

// --- calls ---------------------------------------------------------------------------------------------------------

#[test]
fn calls_that_their_function_would_not_make_print_strictly() {
    let call = |dtype, name, args: Vec<Expr>| Call::new(dtype, Op::get(name), args);
    assert_eq!(text(call(DataType::FLOAT32, "tir.exp", vec![float(1.0)])), "T.exp(T.float32(1.0))");
    assert_eq!(text(call(DataType::INT32, "tir.exp", vec![int(1)])), "T.Call(\"int32\", \"tir.exp\", [1])");
    assert_eq!(
        text(call(DataType::INT32, "tir.shift_left", vec![int(1), int(2)])),
        "T.Call(\"int32\", \"tir.shift_left\", [1, 2])"
    );
    assert_eq!(
        text(call(DataType::INT32, "tir.tvm_throw_last_error", vec![])),
        "T.Call(\"int32\", \"tir.tvm_throw_last_error\", [])"
    );
    assert_eq!(text(call(DataType::INT32, "my.op", vec![])), "T.Call(\"int32\", \"my.op\", [])");
    let extern_args = vec![StringImm::new("f"), int(1)];
    assert_eq!(
        text(call(DataType::INT32, "tir.call_extern", extern_args)),
        "T.call_extern(\"int32\", \"f\", 1)"
    );
}

// --- buffers -------------------------------------------------------------------------------------------------------

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
        ..buffer_of("A", DataType::float(16), [m.upcast(), n.upcast()])
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
fn a_pointer_of_another_type_is_said() {
    let a = Var::with_type("a", PrimType::new(DataType::HANDLE));
    let parts = BufferParts {
        data: Var::with_type("p", PointerType::new(PrimType::new(DataType::int(8)), "global")),
        ..buffer_of("A", DataType::FLOAT32, [int(4)])
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

// --- statements ----------------------------------------------------------------------------------------------------

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
    let parts = ForParts {
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

fn axis(name: &str, dom: Ref<Range>, kind: IterType) -> Ref<IterVar> {
    let var = Var::new(name, dom.extent.dtype());
    IterVar::try_new(Some(dom), var, kind, Str::new("")).expect("fits")
}

fn block(axes: Vec<Ref<IterVar>>, body: StmtRef) -> Ref<Block> {
    Ref::new(Block {
        span: Span::UNKNOWN,
        iter_vars: Array::new(axes),
        reads: Array::default(),
        writes: Array::default(),
        name_hint: Str::new("b"),
        alloc_buffers: Array::default(),
        match_buffers: Array::default(),
        annotations: Map::default(),
        init: None,
        body,
    })
}

#[test]
fn axes_join_where_they_are_loops() {
    let [i, j] = ["i", "j"].map(|n| Var::new(n, DataType::INT32));
    let dom = |extent| Range::from_min_extent(int(0), int(extent));
    let inner = block(
        vec![axis("vi", dom(4), IterType::DataPar), axis("vj", dom(8), IterType::CommReduce)],
        evaluate(int(0)),
    );
    let values = Array::new([i.clone(), j.clone()].map(Ref::upcast));
    let realize = BlockRealize::try_new(values, IntImm::bool(true), inner).expect("fits");
    let body = for_loop(ForParts { loop_var: j, ..for_parts("j", int(8), realize.clone()) });
    let loops = for_loop(ForParts { loop_var: i, ..for_parts("i", int(4), body) });
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

// --- functions written as lambdas, types, small nodes ------------------------------------------------------------------

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

// --- functions and modules -----------------------------------------------------------------------------------------

#[test]
fn a_module_prints_its_functions_in_order_and_main_last() {
    let member = |name: &str| -> (Ref<GlobalVar>, Ref<tvmscript_ir::BaseFunc>) {
        let f = PrimFunc {
            attrs: DictAttrs::new([(Str::new("global_symbol"), Value::str(name))]),
            ..(*func(vec![], vec![], evaluate(int(0)))).clone()
        };
        (GlobalVar::new(name), Ref::new(f).upcast())
    };
    let module = IRModule::new(
        [member("main"), member("b"), member("a")],
        DictAttrs::new([(Str::new("k"), Value::Int(1))]),
        Map::default(),
    );
    assert_eq!(
        text(module),
        "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n    \
         I.module_attrs({\"k\": 1})\n    @T.prim_func\n    def a():\n        T.evaluate(0)\n\n    @T.prim_func\n    \
         def b():\n        T.evaluate(0)\n\n    @T.prim_func\n    def main():\n        T.evaluate(0)"
    );
}

#[test]
fn prefixes_are_options() {
    let config = PrinterConfig {
        prefixes: [("tir".to_owned(), "TT".to_owned())].into(),
        name: Some("g".to_owned()),
        ..PrinterConfig::default()
    };
    let text = text_with(func(vec![], vec![], evaluate(int(0))), &config);
    assert_eq!(
        text,
        "# from tvm.script import tir as TT\n\n@TT.prim_func\ndef g():\n    TT.func_attr({\"global_symbol\": \"f\"})\n    \
         TT.evaluate(0)"
    );
}

#[test]
fn nodes_are_underlined_and_annotated() {
    let a = buffer("A", [int(4)]);
    let [first, second] = [0, 1].map(|i| store(&a, float(0.0), [int(i)]));
    let f = func(vec![], vec![], seq([first.clone(), second.clone()]));
    let config = PrinterConfig {
        obj_to_underline: vec![first.clone().into()],
        obj_to_annotate: vec![(second.into(), "note".to_owned())],
        ..PrinterConfig::default()
    };
    let text = text_with(f, &config);
    assert!(text.contains("    A[0] = T.float32(0.0)\n    ^^^^^^^^^^^^^^^^^^^^^\n"), "{text}");
    assert!(text.contains("    A[1] = T.float32(0.0)  # note"), "{text}");
}

// --- depth and size ------------------------------------------------------------------------------------------------

fn on_small_stack(f: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(f)
        .expect("a thread")
        .join()
        .expect("no overflow");
}

#[test]
fn long_sums_and_deep_loops_print() {
    on_small_stack(|| {
        let x = x();
        let mut sum = x.clone();
        for _ in 1..100_000 {
            sum = Add::try_new(sum, x.clone()).expect("fits");
        }
        assert_eq!(text(sum).len(), 100_000 * 4 - 3);
        let mut body = evaluate(int(1));
        for _ in 0..10_000 {
            body = for_loop(ForParts { kind: ForKind::Parallel, ..for_parts("i", int(2), body) });
        }
        let config = PrinterConfig { indent_spaces: 1, ..PrinterConfig::default() };
        assert_eq!(text_with(body, &config).lines().count(), 10_001);
    });
}

#[test]
fn a_long_chain_of_lets_prints_in_linear_time() {
    on_small_stack(|| {
        let mut body = evaluate(int(1));
        for _ in 0..100_000 {
            body = LetStmt::try_new(Var::new("x", DataType::INT32), int(1), body).expect("fits");
        }
        assert_eq!(text(seq([evaluate(int(0)), body])).lines().count(), 100_002);
    });
}

#[test]
fn a_ladder_too_long_to_nest_prints_with_elif() {
    let variable = Var::new("x", DataType::INT32);
    let ladder = move |rungs: i32| {
        let mut node: Option<StmtRef> = None;
        for i in (0..rungs).rev() {
            let condition = EQ::try_new(variable.clone().upcast(), int(i)).expect("fits");
            let then_case = evaluate(int(i));
            let rung = IfThenElse { span: Span::UNKNOWN, condition, then_case, else_case: node };
            node = Some(Ref::new(rung).upcast());
        }
        node.expect("a rung")
    };
    let short = func(vec![], vec![], ladder(96));
    assert!(!text(short).contains("elif"));
    on_small_stack(move || {
        let text = text(func(vec![], vec![], ladder(100_000)));
        assert_eq!(text.matches("elif").count(), 99_999);
        assert!(!text.contains("else"));
    });
}

#[test]
fn a_graph_that_doubles_at_each_level_is_an_error() {
    on_small_stack(|| {
        let mut node = x();
        for _ in 0..64 {
            node = Add::try_new(node.clone(), node).expect("fits");
        }
        let config = PrinterConfig { max_bytes: 1 << 16, ..PrinterConfig::default() };
        assert!(print(&node.into(), &registry(), &config).is_err());
    });
}
