//! Deep and shared statements: passes end with a result or an error, on a small stack.
#![allow(missing_docs)]

use tvmscript_ir::{DictAttrs, GlobalVar, IRModule};
use tvmscript_ir_core::{Array, DataType, Map, Ref, Registry, RegistryBuilder, Span};
use tvmscript_pass::{PassContext, PassTable};
use tvmscript_prim::{Expr, IntImm, TupleType, Var};
use tvmscript_tir::node::*;

const STACK_BYTES: usize = 2 << 20;

fn registry() -> Registry {
    let dialects = [
        tvmscript_prim::dialect(),
        tvmscript_ir::dialect(),
        tvmscript_tir::dialect(),
        tvmscript_relax::dialect(),
        tvmscript_passes::dialect(),
    ];
    dialects.into_iter().fold(RegistryBuilder::new(), RegistryBuilder::with).build().unwrap()
}

fn module(param: &Ref<Var>, body: StmtRef) -> Ref<IRModule> {
    let function = PrimFunc {
        span: Span::UNKNOWN,
        struct_info_: None,
        attrs: Ref::new(DictAttrs::default()),
        params: Array::new([param.clone()]),
        ret_type: TupleType::void(),
        buffer_map: Map::default(),
        body,
    };
    let functions = [(GlobalVar::new("main".to_owned()), Ref::new(function).upcast())];
    IRModule::new(functions, DictAttrs::new([]), Map::default())
}

/// Runs the passes whose name starts with `prefix` over a body that `build` makes.
fn run_each(prefix: &'static str, build: fn(&Ref<Var>) -> StmtRef, check: fn(&str, bool)) {
    let work = move || {
        let registry = registry();
        for pass in PassTable::<IRModule>::of(&registry).unwrap().passes() {
            let name = pass.info().name;
            if name.starts_with(prefix) {
                let n = Var::new("n", DataType::INT32);
                let module = module(&n, build(&n));
                let context = PassContext::of(&registry);
                check(&name, context.run(pass.as_ref(), module).is_ok());
            }
        }
    };
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap().join().unwrap();
}

/// `f(n)`, which no pass removes.
fn effect(n: &Ref<Var>) -> StmtRef {
    Evaluate::new(
        tvmscript_tir::op::find("tir.call_extern").unwrap().call(DataType::INT32, [n.clone().upcast()]),
    )
}

fn deep(n: &Ref<Var>) -> StmtRef {
    (0..30_000).fold(effect(n), |body, _| {
        let condition: Expr = Var::new("c", DataType::BOOL).upcast();
        let span = Span::UNKNOWN;
        let node = tvmscript_ir_core::Value::Node(n.object().clone());
        Ref::new(AttrStmt { span, node, attr_key: "deep".into(), value: condition, body }).upcast()
    })
}

fn deep_expression(n: &Ref<Var>) -> StmtRef {
    let sum = (0..30_000).fold(n.clone().upcast(), |sum: Expr, i| {
        tvmscript_prim::Add::try_new(sum, IntImm::int32(i)).unwrap()
    });
    Evaluate::new(tvmscript_tir::op::find("tir.call_extern").unwrap().call(DataType::INT32, [sum]))
}

fn nested_loops(n: &Ref<Var>) -> StmtRef {
    (0..300).fold(effect(n), |body, _| {
        Ref::new(For {
            span: Span::UNKNOWN,
            loop_var: Var::new("i", DataType::INT32),
            min: IntImm::int32(0),
            extent: IntImm::int32(2),
            kind: ForKind::Unrolled,
            body,
            thread_binding: None,
            annotations: Map::default(),
            step: None,
        })
        .upcast()
    })
}

/// A graph of 60 statements that unfolds to 2^60.
fn shared(n: &Ref<Var>) -> StmtRef {
    (0..60).fold(effect(n), |body, _| {
        let (span, condition) = (Span::UNKNOWN, Var::new("c", DataType::BOOL).upcast());
        Ref::new(IfThenElse { span, condition, then_case: body.clone(), else_case: Some(body) }).upcast()
    })
}

#[test]
fn deep_statements_are_transformed_on_a_small_stack() {
    run_each("tir.", deep, |pass, is_done| assert!(is_done, "{pass}"));
}

#[test]
fn deep_expressions_are_transformed_on_a_small_stack() {
    run_each("tir.", deep_expression, |pass, is_done| assert!(is_done, "{pass}"));
}

#[test]
fn loops_that_unroll_to_too_many_statements_are_rejected() {
    run_each("tir.", nested_loops, |pass, is_done| assert_eq!(is_done, pass != "tir.UnrollLoop", "{pass}"));
}

#[test]
fn shared_statements_do_not_take_exponential_time() {
    run_each("tir.Lower", shared, |pass, is_done| assert!(!is_done, "{pass}"));
}
