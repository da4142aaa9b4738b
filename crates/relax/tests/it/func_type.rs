//! Functions of scalars get Relax types while they are built, and so do their names in a module.

use tvmscript_ir::{GlobalVar, IRModule, RelaxExpr, function_type};
use tvmscript_ir_core::{
    Array, DataType, Object, Ref, Registry, RegistryBuilder, pre_order_visit, structural_equal,
};
use tvmscript_irbuilder::{BuildResult, Builder, ScriptValue};
use tvmscript_prim::{Call, Expr, IntImm, Var};
use tvmscript_relax::{FuncStructInfo, ObjectStructInfo, PrimStructInfo, TensorStructInfo, TupleStructInfo};
use tvmscript_tir::build::{self as tb, TirFrame};
use tvmscript_tir::{Buffer, BufferParts, PrimFunc, Stmt};

fn registry() -> Registry {
    let scalars = RegistryBuilder::new().with(tvmscript_prim::dialect()).with(tvmscript_ir::nodes());
    let all = scalars.with(tvmscript_tir::nodes()).with(tvmscript_relax::dialect());
    all.build().expect("the dialects do not clash")
}

fn buffer(extent: Expr) -> Ref<Buffer> {
    let data = Var::with_type("A", Buffer::pointer_type(DataType::FLOAT32, ""));
    let shape = [IntImm::int32(4), extent];
    let parts = BufferParts { data, ..BufferParts::compact("A", DataType::FLOAT32, shape) };
    Buffer::try_new(parts).expect("a plain buffer")
}

fn func(name: &str, body: impl FnOnce() -> BuildResult<()>) -> BuildResult<()> {
    tb::function::prim_func().try_body(|()| {
        tb::function::try_func_name(name.into())?;
        body()
    })
}

fn arg(name: &str, value: impl Into<ScriptValue>) -> BuildResult<()> {
    tb::function::try_arg(name.into(), value.into()).map(|_| ())
}

fn evaluate(value: Expr) -> BuildResult<()> {
    TirFrame::add(tvmscript_tir::Evaluate::new(value))
}

fn built(build: impl FnOnce() -> BuildResult<()>) -> Object {
    let builder = Builder::for_registry(&registry());
    build().expect("nothing is wrong with it");
    builder.finish().expect("nothing is wrong with it")
}

fn type_of(function: &Object) -> FuncStructInfo {
    let function = function.as_node::<PrimFunc>().expect("a function of scalars");
    let info = function.struct_info_.as_ref().and_then(|info| info.as_node::<FuncStructInfo>());
    info.expect("the function has a type").clone()
}

#[test]
fn parameters_and_result_give_the_type() {
    let n = Var::new("n", DataType::INT32);
    let function = built(|| {
        func("main", || {
            arg("A", buffer(n.clone().upcast()))?;
            arg("n", n.clone())?;
            arg("p", Var::new("p", DataType::HANDLE))?;
            evaluate(IntImm::int32(1))
        })
    });
    let info = type_of(&function);
    assert!(info.purity);
    assert!(info.ret.as_node::<TupleStructInfo>().is_some_and(|ret| ret.fields.is_empty()));
    let params = info.params.expect("the parameters are known");
    let tensor = params[0].as_node::<TensorStructInfo>().expect("a buffer is a tensor");
    assert_eq!((tensor.dtype, tensor.ndim), (DataType::FLOAT32, 2));
    let shape = tensor.shape.as_ref().and_then(|s| s.as_node::<tvmscript_relax::ShapeExpr>());
    let dims = &shape.expect("the shape is known").values;
    assert!(dims.iter().all(|dim| dim.object().dtype() == DataType::INT64));
    assert_eq!(params[1].as_node::<PrimStructInfo>().map(|p| p.dtype), Some(DataType::INT32));
    assert!(params[2].as_node::<ObjectStructInfo>().is_some());
}

#[test]
fn stores_to_parameters_and_opaque_calls_are_impure() {
    let a = buffer(IntImm::int32(8));
    let zero = || IntImm::int32(0);
    let store = |buffer: &Ref<Buffer>| {
        let value = tvmscript_prim::FloatImm::try_new(DataType::FLOAT32, 0.0)?;
        TirFrame::add(tvmscript_tir::BufferStore::try_new(
            buffer.clone(),
            value,
            Array::new([zero(), zero()]),
            None,
        )?)
    };
    let writes = built(|| {
        func("main", || {
            arg("A", a.clone())?;
            store(&a)
        })
    });
    assert!(!type_of(&writes).purity);
    let call = |name| Call::new(DataType::INT32, tvmscript_prim::Op::get(name), [zero()]);
    let calls = |name| type_of(&built(|| func("main", || evaluate(call(name))))).purity;
    assert!(calls("tir.exp"));
    assert!(!calls("tir.call_extern"));
    assert!(!calls("mine.unknown"));
}

#[test]
fn without_a_dialect_of_types_there_is_none() {
    let builder = Builder::new();
    func("main", || evaluate(IntImm::int32(1))).expect("nothing is wrong with it");
    let function = builder.finish().expect("one function");
    assert!(function.as_node::<PrimFunc>().is_some_and(|f| f.struct_info_.is_none()));
}

#[test]
fn names_in_a_module_say_the_types_of_the_functions_they_call() {
    let module = built(|| {
        tvmscript_ir::build::ir_module().try_body(|()| {
            let callee = tvmscript_ir::build::decl_function(&"callee".into(), None)?;
            func("caller", || {
                evaluate(Call::with_callee(
                    DataType::VOID,
                    callee.upcast::<RelaxExpr>().upcast(),
                    Array::default(),
                ))
            })?;
            func("callee", || evaluate(IntImm::int32(1)))
        })
    });
    let module = module.as_node::<IRModule>().expect("a module");
    let mut called = Vec::new();
    for (name, function) in module.functions.iter() {
        let known = function_type(function).expect("the function has a type");
        assert!(name.struct_info_.as_ref().is_some_and(|info| structural_equal(info, &known)));
        pre_order_visit(function.object(), |node| {
            called
                .extend(node.as_node::<Call>().and_then(|call| call.op.downcast_ref::<GlobalVar>().cloned()));
            node.is::<PrimFunc>() || node.is::<Stmt>()
        });
    }
    let [callee] = &called[..] else { panic!("one call, not {}", called.len()) };
    assert!(module.functions.iter().any(|(name, _)| name.ptr_eq(callee)));
}
