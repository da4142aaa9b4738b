//! `operator`.

use tvmscript_python_syntax::ast::{BinOp, CmpOp, UnaryOp};
use tvmscript_script_value::{CallArgs, ScriptValue};

use super::Library;
use crate::Eval;
use crate::eval::Raise;
use crate::host::Operator;
use crate::python::builtins::{self, Table, own};
use crate::python::number::{int, integer};
use crate::python::object::{LibraryObject, Protocol};
use crate::python::{Outcome, compare, repr, subscript};

pub(super) static OPERATOR: Library =
    Library { path: "operator", functions: FUNCTIONS, types: &[TYPES], missing: MISSING, ..Library::EMPTY };

const MISSING: &str = "call concat countOf iadd iand iconcat ifloordiv ilshift imatmul imod imul indexOf ior ipow irshift isub \
    itruediv ixor length_hint matmul methodcaller";

static FUNCTIONS: Table = &[
    own("add").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Add), &[x, y])),
    own("sub").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Sub), &[x, y])),
    own("mul").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Mult), &[x, y])),
    own("truediv").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Div), &[x, y])),
    own("floordiv").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::FloorDiv), &[x, y])),
    own("mod").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Mod), &[x, y])),
    own("pow").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::Pow), &[x, y])),
    own("and_").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::BitAnd), &[x, y])),
    own("or_").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::BitOr), &[x, y])),
    own("xor").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::BitXor), &[x, y])),
    own("lshift").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::LShift), &[x, y])),
    own("rshift").two(|p, _, x, y| p.apply(Operator::Binary(BinOp::RShift), &[x, y])),
    own("lt").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::Lt), &[x, y])),
    own("le").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::LtE), &[x, y])),
    own("eq").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::Eq), &[x, y])),
    own("ne").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::NotEq), &[x, y])),
    own("gt").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::Gt), &[x, y])),
    own("ge").two(|p, _, x, y| p.apply(Operator::Compare(CmpOp::GtE), &[x, y])),
    own("neg").one(|p, _, x| p.apply(Operator::Unary(UnaryOp::USub), &[x])),
    own("pos").one(|p, _, x| p.apply(Operator::Unary(UnaryOp::UAdd), &[x])),
    own("invert").one(|p, _, x| p.apply(Operator::Unary(UnaryOp::Invert), &[x])),
    own("inv").one(|p, _, x| p.apply(Operator::Unary(UnaryOp::Invert), &[x])),
    own("not_").one(|p, _, x| p.apply(Operator::Unary(UnaryOp::Not), &[x])),
    own("is_").two(|p, _, x, y| compare::compare(p, CmpOp::Is, &x, &y)),
    own("is_not").two(|p, _, x, y| compare::compare(p, CmpOp::IsNot, &x, &y)),
    own("abs").one(|p, _, x| builtins::abs(p, &x)),
    own("contains").two(|p, _, x, y| Ok(ScriptValue::Bool(compare::contains(p, &x, &y)?))),
    own("delitem").two(|p, _, x, key| {
        subscript::delete(p, &x, &key)?;
        Ok(ScriptValue::None)
    }),
    own("getitem").two(|p, _, x, key| subscript::get(p, &x, &key)),
    own("index").one(|p, _, x| {
        let x = p.as_index(x)?;
        Ok(int(integer(&x)?.into_owned()))
    }),
    own("setitem").any(|p, _, a| match a.positional.as_slice() {
        [x, key, value] => {
            subscript::set(p, x, key.clone(), value.clone())?;
            Ok(ScriptValue::None)
        }
        other => raise!(Type, "setitem expected 3 arguments, got {}", other.len()),
    }),
    own("truth").one(|p, _, x| Ok(ScriptValue::Bool(p.truth(&x)?))),
];

static TYPES: Table = &[
    own("attrgetter").any(|_, _, a| {
        if a.positional.is_empty() {
            raise!(Type, "attrgetter expected 1 argument, got 0");
        }
        if a.positional.iter().any(|name| name.as_str().is_none()) {
            raise!(Type, "attribute name must be a string");
        }
        Ok(LibraryObject::value(Getter { kind: Kind::Attribute, keys: a.positional.into_vec() }))
    }),
    own("itemgetter").any(|_, _, a| {
        if a.positional.is_empty() {
            raise!(Type, "itemgetter expected 1 argument, got 0");
        }
        Ok(LibraryObject::value(Getter { kind: Kind::Item, keys: a.positional.into_vec() }))
    }),
];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Item,
    Attribute,
}

/// `itemgetter(..)` or `attrgetter(..)`.
struct Getter {
    kind: Kind,
    keys: Vec<ScriptValue>,
}

impl Getter {
    fn get(&self, p: &mut Eval<'_>, value: &ScriptValue, key: &ScriptValue) -> Outcome {
        if self.kind == Kind::Item {
            return subscript::get(p, value, key);
        }
        let mut value = value.clone();
        for name in key.as_str().unwrap_or_default().split('.') {
            value = p.needed_attribute(&value, name)?;
        }
        Ok(value)
    }
}

impl Protocol for Getter {
    fn class(&self) -> &'static str {
        match self.kind {
            Kind::Item => "operator.itemgetter",
            Kind::Attribute => "operator.attrgetter",
        }
    }
    fn parts(&mut self, out: &mut Vec<ScriptValue>) {
        out.append(&mut self.keys);
    }
    fn is_callable(&self) -> bool {
        true
    }
    fn call(&self, p: &mut Eval<'_>, _: &ScriptValue, args: CallArgs) -> Outcome {
        let name = self.class().trim_start_matches("operator.");
        if !args.keywords.is_empty() {
            raise!(Type, "{name}() takes no keyword arguments");
        }
        let [value] = args.positional.as_slice() else {
            raise!(Type, "{name} expected 1 argument, got {}", args.positional.len());
        };
        if let [key] = self.keys.as_slice() {
            return self.get(p, value, key);
        }
        let mut found = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            found.push(self.get(p, value, key)?);
        }
        Ok(ScriptValue::tuple(found))
    }
    fn write(&self, p: &mut Eval<'_>, out: &mut String, open: &mut Vec<*const ()>) -> Result<(), Raise> {
        repr::list(p, &format!("{}(", self.class()), &self.keys, out, open)?;
        out.push(')');
        Ok(())
    }
}
