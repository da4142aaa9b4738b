//! The nodes of a toy dialect, for the tests and benches of the crates that know no dialect.
//!
//! Variables, binders, operators, attributes and a module show each rule of equality; [`graphs`] makes random graphs of
//! them. The nodes of [`checked`] have invariants.
#![allow(missing_docs)]

pub mod checked;
pub mod graphs;

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use tvmscript_ir_core::type_table::EqSteps;
use tvmscript_ir_core::{
    Array, Class, DataType, Map, NameCell, Node, Object, Ref, Registry, RegistryBuilder, Span, Str, Value,
};

/// The class of toy expressions.
#[derive(Class)]
#[class(key = "toy.Expr")]
pub struct Expr(());

#[derive(Debug, Clone, Node)]
#[node(key = "toy.Var", parent = Expr, eq = free_var)]
pub struct Var {
    pub span: Span,
    pub dtype: DataType,
    pub name: NameCell,
}

#[derive(Debug, Clone, Node)]
#[node(key = "toy.Int", parent = Expr)]
pub struct Int {
    pub span: Span,
    pub dtype: DataType,
    pub value: i64,
}

#[derive(Debug, Clone, Node)]
#[node(key = "toy.Float", parent = Expr)]
pub struct Float {
    pub span: Span,
    pub dtype: DataType,
    pub value: f64,
}

#[derive(Debug, Clone, Node)]
#[node(key = "toy.Add", parent = Expr)]
pub struct Add {
    pub span: Span,
    pub dtype: DataType,
    pub a: Ref<Expr>,
    pub b: Ref<Expr>,
}

/// An operator, one node per name.
#[derive(Debug, Clone, Node)]
#[node(key = "toy.Op", eq = unique, by_name = Op::get)]
pub struct Op {
    pub name: Str,
}

impl Op {
    pub fn get(name: &str) -> Ref<Op> {
        static OPS: LazyLock<Mutex<HashMap<String, Ref<Op>>>> = LazyLock::new(Default::default);
        let mut ops = OPS.lock().unwrap_or_else(|e| e.into_inner());
        ops.entry(name.to_owned()).or_insert_with(|| Ref::new(Op { name: name.into() })).clone()
    }
}

#[derive(Debug, Clone, Node)]
#[node(key = "toy.Call", parent = Expr)]
pub struct Call {
    pub span: Span,
    pub op: Ref<Op>,
    pub args: Array<Ref<Expr>>,
    pub attrs: Map<Value, Value>,
}

#[derive(Debug, Clone, Node)]
#[node(key = "toy.Let", parent = Expr)]
pub struct Let {
    pub span: Span,
    #[node(def)]
    pub var: Ref<Var>,
    pub value: Ref<Expr>,
    pub body: Ref<Expr>,
}

#[derive(Debug, Clone, Node)]
#[node(key = "toy.Lambda", parent = Expr)]
pub struct Lambda {
    #[node(def)]
    pub params: Array<Ref<Var>>,
    pub table: Map<Ref<Var>, Ref<Expr>>,
    pub body: Ref<Expr>,
    pub label: Option<Str>,
    pub span: Span,
}

#[derive(Debug, Clone, Node)]
#[node(key = "toy.Shared", parent = Expr, eq = dag)]
pub struct Shared {
    pub value: Ref<Expr>,
}

#[derive(Debug, Clone, Node)]
#[node(key = "toy.GlobalVar", parent = Expr, eq = free_var)]
pub struct GlobalVar {
    pub name_hint: Str,
}

#[derive(Debug, Clone, Node)]
#[node(key = "toy.Module", custom_eq = module_eq)]
pub struct Module {
    pub functions: Map<Ref<GlobalVar>, Ref<Expr>>,
    pub attrs: Map<Str, Value>,
}

fn module_eq<'a>(lhs: &'a Object, rhs: &'a Object, steps: &mut EqSteps<'a>) {
    let (Some(a), Some(b)) = (lhs.as_node::<Module>(), rhs.as_node::<Module>()) else { return };
    steps.field(1);
    let mut names: Vec<_> = a.functions.iter().map(|(var, _)| var).collect();
    names.sort_by(|x, y| x.name_hint.as_str().cmp(y.name_hint.as_str()));
    for var in names {
        if let Some((other, _)) = b.functions.iter().find(|(o, _)| o.name_hint == var.name_hint) {
            steps.bind(0, var.object(), other.object());
        }
    }
    steps.field(0);
}

pub fn registry() -> Registry {
    use tvmscript_ir_core::{Dialect, containers};
    let toy = Dialect::new("toy")
        .node::<Expr>()
        .node::<Var>()
        .node::<Int>()
        .node::<Float>()
        .node::<Add>()
        .node::<Call>()
        .node::<Let>()
        .node::<Lambda>()
        .node::<Shared>()
        .node::<GlobalVar>()
        .node::<Module>()
        .node::<Op>()
        .node::<containers::TensorNode>();
    RegistryBuilder::new().with(toy).build().expect("one dialect")
}

pub fn var(name: &str) -> Ref<Var> {
    Ref::new(Var { span: Span::UNKNOWN, dtype: DataType::INT32, name: name.into() })
}

pub fn int(value: i64) -> Ref<Expr> {
    Ref::new(Int { span: Span::UNKNOWN, dtype: DataType::INT32, value }).upcast()
}

pub fn float(value: f64) -> Ref<Expr> {
    Ref::new(Float { span: Span::UNKNOWN, dtype: DataType::FLOAT32, value }).upcast()
}

pub fn up(var: &Ref<Var>) -> Ref<Expr> {
    var.clone().upcast()
}

pub fn add(a: Ref<Expr>, b: Ref<Expr>) -> Ref<Expr> {
    Ref::new(Add { span: Span::UNKNOWN, dtype: DataType::INT32, a, b }).upcast()
}

pub fn call(op: &str, args: impl IntoIterator<Item = Ref<Expr>>) -> Ref<Expr> {
    call_with(op, args, Map::default())
}

pub fn call_with(op: &str, args: impl IntoIterator<Item = Ref<Expr>>, attrs: Map<Value, Value>) -> Ref<Expr> {
    Ref::new(Call { span: Span::UNKNOWN, op: Op::get(op), args: Array::new(args), attrs }).upcast()
}

pub fn let_in(var: &Ref<Var>, value: Ref<Expr>, body: Ref<Expr>) -> Ref<Expr> {
    Ref::new(Let { span: Span::UNKNOWN, var: var.clone(), value, body }).upcast()
}

pub fn lambda(params: &[&Ref<Var>], body: Ref<Expr>) -> Ref<Expr> {
    lambda_with(params, [], body)
}

pub fn lambda_with(
    params: &[&Ref<Var>],
    table: impl IntoIterator<Item = (Ref<Var>, Ref<Expr>)>,
    body: Ref<Expr>,
) -> Ref<Expr> {
    let params = Array::new(params.iter().map(|&p| p.clone()));
    Ref::new(Lambda { params, table: Map::new(table), body, label: None, span: Span::UNKNOWN }).upcast()
}

pub fn shared(value: Ref<Expr>) -> Ref<Expr> {
    Ref::new(Shared { value }).upcast()
}

pub fn global(name: &str) -> Ref<GlobalVar> {
    Ref::new(GlobalVar { name_hint: name.into() })
}

pub fn module(functions: impl IntoIterator<Item = (Ref<GlobalVar>, Ref<Expr>)>) -> Object {
    Ref::new(Module { functions: Map::new(functions), attrs: Map::default() }).into()
}

/// `leaf + leaf`, doubled `levels` times: few nodes, `2^levels` paths.
pub fn doubled(leaf: Ref<Expr>, levels: usize) -> Ref<Expr> {
    (0..levels).fold(leaf, |e, _| add(e.clone(), e))
}

/// `((leaf + 1) + 1) + ...`.
pub fn chain(leaf: Ref<Expr>, length: usize) -> Ref<Expr> {
    (0..length).fold(leaf, |e, _| add(e, int(1)))
}

/// A program of flat statements, `store(buffer, i + 4 + 1, load(buffer, i + 2) + 1.0)`.
pub fn statements(count: usize) -> Object {
    let (i, data) = (var("i"), var("data"));
    let buffer = lambda(&[&data], up(&data));
    let none: Map<Value, Value> = Map::default();
    let statement = || {
        let index = add(add(up(&i), int(4)), int(1));
        let load = call_with("toy.load", [buffer.clone(), add(up(&i), int(2))], none.clone());
        call_with("toy.store", [buffer.clone(), index, add(load, float(1.0))], none.clone())
    };
    let body = call_with("toy.seq", (0..count).map(|_| statement()), none.clone());
    lambda(&[&i], body).into()
}

/// Runs `f` on a thread whose stack is too small for recursion over deep input.
pub fn on_small_stack(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(f);
    thread.expect("a thread starts").join().expect("the thread ends well");
}
