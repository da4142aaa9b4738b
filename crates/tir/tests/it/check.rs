//! Well-formedness: each kind of mistake, its route and place, and what is not a mistake.

use tvmscript_ir::DictAttrs;
use tvmscript_ir::{BaseFunc, GlobalVar, IRModule};
use tvmscript_ir_core::{Array, DataType, Map, Object, Ref, SourceId, Span, Str};
use tvmscript_prim::ops::{self, BinaryOp};
use tvmscript_prim::{IntImm, StringImm, Var};
use tvmscript_tir::check::{
    ERRORS_PER_VARIABLE, MAX_ERRORS, VarUse, WellFormedError, WellFormedErrorKind, well_formed,
};
use tvmscript_tir::*;

use crate::support::*;

fn errors(function: PrimFunc) -> Vec<WellFormedError> {
    well_formed(&Ref::new(function).into())
}

/// The one error of a function: its kind, and its path as text.
fn error(function: PrimFunc) -> (WellFormedErrorKind, String) {
    let mut errors = errors(function);
    assert_eq!(errors.len(), 1, "{errors:?}");
    let error = errors.remove(0);
    (error.kind, error.path.to_string())
}

fn undefined(var: &str, used: VarUse, was_defined: bool) -> WellFormedErrorKind {
    WellFormedErrorKind::UndefinedVar { var: Str::new(var), used, was_defined }
}

fn thread(var: &Ref<Var>, body: StmtRef) -> StmtRef {
    let axis = IterVar::try_new(Some(range(0, 4)), var.clone(), IterType::ThreadIndex, "threadIdx.x".into());
    Ref::new(AttrStmt {
        span: Span::UNKNOWN,
        node: axis.expect("an axis of integers").into(),
        attr_key: "thread_extent".into(),
        value: int(4),
        body,
    })
    .upcast()
}

#[test]
fn what_is_defined_may_be_used() {
    let (a, own) = (buffer("A", &[64]), buffer("own", &[8]));
    let (i, v, x) = (var("i"), var("v"), var("x"));
    let store_own = store(&own, [expr(&v)], zero());
    let bound = LetStmt::try_new(x.clone(), expr(&v), store(&a, [expr(&x)], zero())).expect("types agree");
    let inner = Block { alloc_buffers: [own].into_iter().collect(), ..block("b", seq([store_own, bound])) };
    let body = for_loop(&i, int(8), realize(inner, &[(&v, 8, expr(&i))]));
    assert_eq!(errors(function(&[&a], body)), []);
}

#[test]
fn an_undefined_variable_is_reported_with_its_route_and_place() {
    let a = buffer("A", &[64]);
    let place = Span::range(SourceId::new("script.py"), 10, 20);
    let sum = add(expr(&var("n")), int(1)).with_span(place);
    let errors = errors(function(&[&a], store(&a, [sum], zero())));
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].kind, undefined("n", VarUse::Value, false));
    assert_eq!(errors[0].path.to_string(), "<root>.body.indices[0].a");
    assert_eq!(errors[0].span, place);
    assert_eq!(errors[0].to_string(), "variable `n` is not defined");
    assert!(errors[0].help().is_some_and(|help| help.contains("`n`")));
}

#[test]
fn a_variable_does_not_hold_after_its_scope() {
    let a = buffer("A", &[64]);
    let i = var("i");
    let inside = for_loop(&i, int(8), store(&a, [expr(&i)], zero()));
    let body = seq([inside, store(&a, [expr(&i)], zero())]);
    let errors = errors(function(&[&a], body));
    assert_eq!(errors[0].kind, undefined("i", VarUse::Value, true));
    assert_eq!(errors[0].path.to_string(), "<root>.body.seq[1].indices[0]");
    assert_eq!(errors[0].notes[0].text, "it was defined at `<root>.body.seq[0].loop_var`");
}

#[test]
fn a_check_stops_after_many_errors() {
    let a = buffer("A", &[64]);
    let wrong = (0..300).map(|i| store(&a, [expr(&var(&format!("n{i}")))], zero()));
    let errors = errors(function(&[&a], seq(wrong)));
    assert_eq!(errors.len(), MAX_ERRORS);
    assert_eq!(errors[MAX_ERRORS - 1].notes[0].text, "the check stops after 100 errors");
}

#[test]
fn all_parts_of_a_used_buffer_must_be_defined() {
    let (a, b) = (buffer("A", &[64]), buffer("B", &[64]));
    let used = VarUse::Data { buffer: Str::new("B") };
    let wanted = (undefined("B", used, false), "<root>.body.value.buffer.data".to_owned());
    assert_eq!(error(function(&[&a], store(&a, [int(0)], load(&b, [int(0)])))), wanted);
    let n = var("n");
    let mut symbolic = Buffer::clone(&a);
    symbolic.shape = Array::new([expr(&n)]);
    let symbolic = Ref::new(symbolic);
    let declared =
        |body| Ref::new(DeclBuffer { span: Span::UNKNOWN, buffer: symbolic.clone(), body }).upcast();
    let used = VarUse::Layout { buffer: Str::new("A") };
    let wanted = (undefined("n", used, false), "<root>.body.buffer.shape[0]".to_owned());
    assert_eq!(error(function(&[&a], declared(store(&symbolic, [int(0)], zero())))), wanted);
    assert_eq!(errors(function(&[&symbolic], store(&symbolic, [expr(&n)], zero()))), []);
}

#[test]
fn a_variable_is_defined_once() {
    let a = buffer("A", &[64]);
    let i = var("i");
    let inner = for_loop(&i, int(8), store(&a, [expr(&i)], zero()));
    let nested = for_loop(&i, int(8), inner.clone());
    let name = || Str::new("i");
    let wanted = WellFormedErrorKind::NestedDefinition { var: name() };
    assert_eq!(error(function(&[&a], nested)), (wanted, "<root>.body.body.loop_var".to_owned()));
    let repeated = seq([inner.clone(), inner]);
    let errors = errors(function(&[&a], repeated));
    assert_eq!(errors[0].kind, WellFormedErrorKind::RepeatedDefinition { var: name() });
    assert_eq!(errors[0].notes[0].text, "it was first defined at `<root>.body.seq[0].loop_var`");
}

#[test]
fn a_thread_may_be_entered_again() {
    let a = buffer("A", &[64]);
    let t = var("t");
    let inner = thread(&t, store(&a, [expr(&t)], zero()));
    let body = seq([inner.clone(), thread(&t, seq([inner, store(&a, [expr(&t)], zero())]))]);
    assert_eq!(errors(function(&[&a], body)), []);
}

#[test]
fn a_block_with_axes_binds_the_loops_around_it() {
    let a = buffer("A", &[64]);
    let (i, v, w) = (var("i"), var("v"), var("w"));
    let body = store(&a, [expr(&i)], zero());
    let in_block = |axes: &[_]| for_loop(&i, int(8), realize(block("b", body.clone()), axes));
    assert_eq!(errors(function(&[&a], in_block(&[]))), []);
    let kind = |block, defined_in: Option<&str>| WellFormedErrorKind::LoopVarInBlock {
        var: Str::new("i"),
        block: Str::new(block),
        defined_in: defined_in.map(Str::new),
    };
    let path = "<root>.body.body.block.body.indices[0]".to_owned();
    assert_eq!(error(function(&[&a], in_block(&[(&v, 8, int(0))]))), (kind("b", None), path));
    let outer = realize(block("outer", in_block(&[(&v, 8, int(0))])), &[(&w, 8, int(0))]);
    assert_eq!(error(function(&[&a], outer)).0, kind("b", Some("outer")));
}

#[test]
fn every_mistake_is_reported_and_repetitions_are_counted() {
    let a = buffer("A", &[64]);
    let (n, m) = (var("n"), var("m"));
    let uses = (0..ERRORS_PER_VARIABLE + 5).map(|_| store(&a, [expr(&n)], zero()));
    let body = seq(uses.chain([store(&a, [expr(&m)], zero())]));
    let errors = errors(function(&[&a], body));
    assert_eq!(errors.len(), ERRORS_PER_VARIABLE + 1);
    assert_eq!(errors[ERRORS_PER_VARIABLE - 1].notes[0].text, "5 more errors of this variable");
    assert_eq!(errors[ERRORS_PER_VARIABLE].kind, undefined("m", VarUse::Value, false));
}

#[test]
fn functions_of_a_module_do_not_share_variables() {
    let a = buffer("A", &[64]);
    let i = var("i");
    let one = function(&[&a], for_loop(&i, int(8), store(&a, [expr(&i)], zero())));
    let b = buffer("B", &[64]);
    let two = function(&[&b], for_loop(&i, int(8), store(&b, [expr(&i)], zero())));
    let members = [("one", one), ("two", two)].map(|(name, function)| {
        let function: Ref<BaseFunc> = Ref::new(function).upcast();
        (GlobalVar::new(name), function)
    });
    let module: Object = IRModule::new(members, DictAttrs::new([]), Map::default()).into();
    let errors = well_formed(&module);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].kind, WellFormedErrorKind::RepeatedDefinition { var: Str::new("i") });
    assert_eq!(errors[0].function.as_deref(), Some("two"));
    assert_eq!(errors[0].notes[0].text, "it was first defined at `<root>.body.loop_var` of function `one`");
}

#[test]
fn deep_and_shared_bodies_are_walked() {
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
    let whole = function(&[&a], body);
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    let found = thread.spawn(move || errors(whole).len()).expect("a thread").join().expect("no panic");
    assert_eq!(found, 2, "one use in the load, one in the store");
}

#[test]
fn other_objects_have_no_mistakes() {
    assert_eq!(well_formed(&StringImm::new("text").into()), []);
    let unused = Var::new("unused", DataType::INT32);
    assert_eq!(well_formed(&unused.into()), []);
}
