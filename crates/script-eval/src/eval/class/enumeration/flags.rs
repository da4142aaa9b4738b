//! Members of `Flag` and `IntFlag`: operators on bits.

use super::*;

macro_rules! flag_operators {
    ($($name:literal $op:ident;)*) => {
        vec![$((
            $name,
            Generated::value($name, |p, args| match args.positional.as_slice() {
                [a, b] => combine(p, BinOp::$op, a, b),
                _ => raise!(Type, "{} takes 2 arguments", $name),
            }),
        ),)*]
    };
}

pub(super) fn flag_members() -> Vec<(&'static str, ScriptValue)> {
    let mut members = flag_operators! {
        "__or__" BitOr; "__and__" BitAnd; "__xor__" BitXor;
        "__ror__" BitOr; "__rand__" BitAnd; "__rxor__" BitXor;
    };
    members.push((
        "__invert__",
        Generated::value("__invert__", |p, args| {
            let member = receiver(&args);
            let class = p.class_of(&member).unwrap_or_default();
            let mask = mask_of(p, &class)?;
            let value = bits(&member).unwrap_or_default();
            of_bits(p, &class, &mask - (&mask & value))
        }),
    ));
    members.push((
        "__bool__",
        Generated::value("__bool__", |_, args| {
            Ok(ScriptValue::Bool(bits(&receiver(&args)).is_some_and(|bits| !bits.is_zero())))
        }),
    ));
    members.push((
        "__contains__",
        Generated::value("__contains__", |p, args| {
            let [whole, part] = args.positional.as_slice() else { return Ok(ScriptValue::Bool(false)) };
            let same = match (p.class_of(whole), p.class_of(part)) {
                (Some(a), Some(b)) => compare::identical(&a, &b),
                _ => false,
            };
            if !same {
                let (own, class) = (crate::python::type_name(part), crate::python::type_name(whole));
                raise!(Type, "unsupported operand type(s) for 'in': '{own}' and '{class}'");
            }
            let (whole, part) = (bits(whole).unwrap_or_default(), bits(part).unwrap_or_default());
            Ok(ScriptValue::Bool(&whole & &part == part))
        }),
    ));
    members.push((
        "__iter__",
        Generated::value("__iter__", |p, args| {
            let parts = single_bits(p, &receiver(&args))?;
            Ok(IterObject::value("generator", Iter::Items(parts.into_iter())))
        }),
    ));
    members.push((
        "__len__",
        Generated::value("__len__", |_, args| {
            let ones = bits(&receiver(&args)).map_or(0, |bits| bits.magnitude().count_ones());
            Ok(ScriptValue::Int(ones as i64))
        }),
    ));
    members
}

/// The bits of a flag or integer.
pub(super) fn bits(value: &ScriptValue) -> Option<BigInt> {
    let own = field(value, "_value_");
    let value = own.as_ref().unwrap_or(value);
    Number::of(value)?.to_big().map(|bits| bits.into_owned())
}

pub(super) fn combine(p: &mut Eval<'_>, op: BinOp, a: &ScriptValue, b: &ScriptValue) -> Outcome {
    let Some(class) = p.class_of(a) else { return Ok(not_implemented()) };
    let is_same = p.class_of(b).is_some_and(|other| compare::identical(&class, &other));
    let is_int = class.as_host::<ClassObject>().is_some_and(|class| class.layout == Some("int"));
    let fits = is_same || is_int && Number::of(b).is_some_and(|number| number.to_big().is_some());
    if !fits {
        return Ok(not_implemented());
    }
    let (Some(x), Some(y)) = (bits(a), bits(b)) else { return Ok(not_implemented()) };
    cost::words(p.state, x.bits().max(y.bits()))?;
    let value = match op {
        BinOp::BitOr => x | y,
        BinOp::BitAnd => x & y,
        _ => x ^ y,
    };
    of_bits(p, &class, value)
}

/// The bits of all members.
pub(super) fn mask_of(p: &mut Eval<'_>, class: &ScriptValue) -> Result<BigInt, Raise> {
    let mut mask = BigInt::zero();
    for member in members(p, class)? {
        mask |= bits(&member).unwrap_or_default();
    }
    Ok(mask)
}

/// The members with a single bit that a flag contains, in the order of their definition.
pub(super) fn single_bits(p: &mut Eval<'_>, flag: &ScriptValue) -> Result<Vec<ScriptValue>, Raise> {
    let class = p.class_of(flag).unwrap_or_default();
    let whole = bits(flag).unwrap_or_default();
    let mut parts = Vec::new();
    for member in members(p, &class)? {
        let own = bits(&member).unwrap_or_default();
        if own.magnitude().count_ones() == 1 && &whole & &own == own {
            parts.push(member);
        }
    }
    Ok(parts)
}

/// The flag with these bits: a member, or a combination, which is made once.
pub(super) fn of_bits(p: &mut Eval<'_>, class: &ScriptValue, value: BigInt) -> Outcome {
    let Some(object) = class.as_host::<ClassObject>() else { return Ok(ScriptValue::None) };
    let mask = mask_of(p, class)?;
    let is_int = object.layout == Some("int");
    let value = if value.is_negative() {
        // The complement within the bits of the class.
        let size = mask.bits().max(value.bits());
        cost::integer(p.state, size)?;
        let all = (BigInt::one() << size) - 1;
        if is_int || (&all & &value) == (&mask & &value) { &mask & &value } else { value }
    } else {
        value
    };
    let number = int(value.clone());
    if let Some(member) = by_value(p, class, &number)? {
        return Ok(member);
    }
    if !is_int && (value.is_negative() || &value & &mask != value) {
        let (flag, given) = (object.name.clone(), repr::repr(p, &number)?);
        let width = mask.bits().max(value.bits()) as usize;
        let digits = |n: &BigInt| {
            let sign = if n.is_negative() { "1" } else { "0" };
            format!("0b{sign} {:0>width$}", n.magnitude().to_str_radix(2))
        };
        raise!(
            Value,
            "<flag '{flag}'> invalid value {given}\n    given {}\n  allowed {}",
            digits(&value),
            digits(&mask)
        );
    }
    let payload = is_int.then(|| number.clone());
    p.state.program.budget.allocate(4 * cost::OBJECT_BYTES)?;
    let member = ScriptValue::host(Instance::new(class.clone(), payload));
    if let Some(instance) = member.as_host::<Instance>() {
        p.set_field(instance, "_value_", number.clone())?;
        let parts = single_bits(p, &member)?;
        let known = parts.iter().filter_map(bits).fold(BigInt::zero(), |all, bits| all | bits);
        let mut names: Vec<String> = Vec::new();
        for part in &parts {
            if let Some(ScriptValue::Str(name)) = field(part, "_name_") {
                names.push(name.to_string());
            }
        }
        let rest = &value - &known;
        if !rest.is_zero() {
            names.push(repr::repr(p, &int(rest))?);
        }
        let name = match names.is_empty() || parts.is_empty() {
            true => ScriptValue::None,
            false => ScriptValue::str(&names.join("|")),
        };
        p.set_field(instance, "_name_", name)?;
    }
    if let Some(ScriptValue::Dict(values)) = object.own(COMBINED) {
        let key = p.hashable(number)?;
        p.state.program.keep_container(&ScriptValue::Dict(values.clone()), &member)?;
        values.borrow_mut().insert(key, member.clone());
    }
    Ok(member)
}
