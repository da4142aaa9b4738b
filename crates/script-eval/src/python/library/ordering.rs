//! `functools.total_ordering`: the comparisons that a class lacks, made from one that it has and `==`.

use tvmscript_python_syntax::ast::CmpOp;
use tvmscript_script_value::ScriptValue;

use crate::Eval;
use crate::eval::Raise;
use crate::eval::class::natives::{Generated, not_implemented};
use crate::eval::class::{self, Special};
use crate::host::Operator;
use crate::python::Outcome;
use crate::python::builtins::{Builtin, BuiltinKind};

/// The comparisons, those first from which the others are made, with the way to make each other one.
const COMPARISONS: [(&str, [(&str, Rule); 3]); 4] = [
    ("__lt__", [("__gt__", Rule::NotAndUnequal), ("__le__", Rule::OrEqual), ("__ge__", Rule::Not)]),
    ("__le__", [("__ge__", Rule::NotOrEqual), ("__lt__", Rule::AndUnequal), ("__gt__", Rule::Not)]),
    ("__gt__", [("__lt__", Rule::NotAndUnequal), ("__ge__", Rule::OrEqual), ("__le__", Rule::Not)]),
    ("__ge__", [("__le__", Rule::NotOrEqual), ("__gt__", Rule::AndUnequal), ("__lt__", Rule::Not)]),
];

/// A comparison as made from another one.
#[derive(Clone, Copy)]
enum Rule {
    Not,
    OrEqual,
    NotOrEqual,
    AndUnequal,
    NotAndUnequal,
}

/// The class with all comparisons.
pub(super) fn total_ordering(p: &mut Eval<'_>, _: &ScriptValue, class: ScriptValue) -> Outcome {
    // Those of `object` do not count.
    let is_of_object = |member: &ScriptValue| {
        member.as_host::<Builtin>().is_some_and(|builtin| matches!(builtin.kind, BuiltinKind::Slot("object")))
    };
    let is_defined = |name: &str| class::lookup(&class, name).is_some_and(|member| !is_of_object(&member));
    let defined = COMPARISONS.iter().find(|(name, _)| is_defined(name));
    let Some((root, others)) = defined else {
        raise!(Value, "must define at least one ordering operation: < > <= >=");
    };
    for (name, rule) in others {
        if !is_defined(name) {
            let (root, rule) = (*root, *rule);
            let function = Generated::value(name, move |p, args| match args.positional.as_slice() {
                [own, other] => compare(p, root, rule, own, other),
                other => raise!(Type, "expected 2 arguments, got {}", other.len()),
            });
            p.set_attribute(&class, name, function)?;
        }
    }
    Ok(class)
}

fn compare(p: &mut Eval<'_>, root: &str, rule: Rule, own: &ScriptValue, other: &ScriptValue) -> Outcome {
    let Special::Value(known) = p.call_special(own, root, [other.clone()])? else {
        return Ok(not_implemented());
    };
    let holds = p.truth(&known)?;
    let equality = |p: &mut Eval<'_>, op: CmpOp| -> Result<ScriptValue, Raise> {
        p.apply(Operator::Compare(op), &[own.clone(), other.clone()])
    };
    match rule {
        Rule::Not => Ok(ScriptValue::Bool(!holds)),
        Rule::OrEqual if holds => Ok(known),
        Rule::NotOrEqual if !holds => Ok(ScriptValue::Bool(true)),
        Rule::OrEqual | Rule::NotOrEqual => equality(p, CmpOp::Eq),
        Rule::AndUnequal if !holds => Ok(known),
        Rule::NotAndUnequal if holds => Ok(ScriptValue::Bool(false)),
        Rule::AndUnequal | Rule::NotAndUnequal => equality(p, CmpOp::NotEq),
    }
}
