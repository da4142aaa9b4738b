//! The declared operators, and their typed functions.

use std::collections::HashSet;

use tvmscript_relax::node::attrs::StatisticalAttrs;
use tvmscript_relax::op::{self, Effect};
use tvmscript_relax::{Expr, Var};

#[test]
fn names_are_unique_and_the_text_is_the_name_without_the_dialect() {
    let names: HashSet<&str> = op::operators().map(|op| op.name).collect();
    assert_eq!(names.len(), op::operators().count());
    for operator in op::operators() {
        assert_eq!(operator.name.strip_prefix("relax."), Some(operator.text));
        let function = operator.function.expect("every operator has a function of scripts");
        assert_eq!(function.name, operator.text);
        assert!(!function.doc.is_empty(), "{}", operator.name);
    }
}

#[test]
fn effects_are_those_declared() {
    let of = |name: &str| op::operator(name).map(|operator| operator.effect);
    assert_eq!(of("relax.print"), Some(Effect::Opaque));
    assert_eq!(of("relax.add"), Some(Effect::Pure));
    assert_eq!(of("relax.no_such_operator"), None);
}

#[test]
fn typed_functions_make_calls_with_their_attributes() {
    let x: Expr = Var::new("x", None).upcast();
    let sum = op::reduce::sum(x.clone(), None, true);
    assert_eq!(sum.op_name(), Some("relax.sum"));
    let attrs = sum.attrs.as_ref().and_then(|attrs| attrs.as_node::<StatisticalAttrs>());
    assert!(attrs.is_some_and(|attrs| attrs.keepdims && attrs.axis.is_none()));
    let product = op::elementwise::multiply(x.clone(), x.clone());
    assert!(product.attrs.is_none() && product.args.iter().all(|arg| arg.ptr_eq(&x)));
}
