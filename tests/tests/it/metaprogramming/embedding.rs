//! Functions of one dialect defined inside those of another: each body is read under its own dispatch token.

use tvmscript::relax::Function;
use tvmscript::tir::PrimFunc;
use tvmscript::{Object, Value, post_order_visit};

use super::support::{errors, script};

const TEXT: &str = r#"
def probe(n):
    @R.function(private=True)
    def reference(x: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        y = R.add(x, x)
        return y
    return reference

def kernel(n):
    @T.prim_func(private=True)
    def double(A: T.Buffer((n, 4), "float32"), B: T.Buffer((n, 4), "float32")):
        T.func_attr({"reference": probe(n)})
        for i, j in T.grid(n, 4):
            B[i, j] = A[i, j] + A[i, j]
    return double

@R.function
def main(x: R.Tensor((8, 4), "float32")) -> R.Tensor((8, 4), "float32"):
    R.func_attr({"kernel": kernel(8)})
    y = R.multiply(x, x)
    return y
"#;

/// The type keys of the operators' calls and the statements inside a node.
fn calls(node: &Object) -> Vec<String> {
    let mut found = Vec::new();
    post_order_visit(node, |node| {
        let key = node.info().key();
        if ["tir.For", "tir.BufferStore", "tir.Add", "relax.expr.Call"].contains(&key) {
            found.push(key.to_owned());
        }
    });
    found
}

#[test]
fn p79_15_relax_inside_tir_inside_relax() {
    let main = script(TEXT, "main").node;
    let outer = main.downcast_ref::<Function>().expect("a Relax function");
    let Some(Value::Node(kernel)) = outer.attrs.dict.get_str("kernel") else { panic!("no attribute") };
    let middle = kernel.downcast_ref::<PrimFunc>().expect("a TIR function");
    let Some(Value::Node(probe)) = middle.attrs.dict.get_str("reference") else { panic!("no attribute") };
    let inner = probe.downcast_ref::<Function>().expect("a Relax function");
    // The rules of each dialect hold again behind the function of the other.
    assert_eq!(calls(outer.body.object()), ["relax.expr.Call"]);
    assert_eq!(calls(middle.body.object()), ["tir.Add", "tir.BufferStore", "tir.For", "tir.For"]);
    assert_eq!(calls(inner.body.object()), ["relax.expr.Call"]);
}

#[test]
fn p79_15_functions_of_another_dialect_in_a_body_are_refused_as_in_tvm() {
    let inline = "
@R.function
def main(x: R.Tensor((4,), 'float32')):
    @T.prim_func
    def inner(A: T.Buffer((4,), 'float32')):
        T.evaluate(0)
    return x
";
    let [error] = &errors(inline)[..] else { panic!("one error") };
    assert!(error.contains("a nested function of another dialect"), "{error}");
    let inline = "
@T.prim_func
def main(A: T.Buffer((4,), 'float32')):
    @R.function
    def inner(x: R.Tensor((4,), 'float32')):
        return x
    T.evaluate(0)
";
    let [error] = &errors(inline)[..] else { panic!("one error") };
    assert!(error.contains("a nested function"), "{error}");
}
