//! Parameters of functions, also of those that take their arguments packed.
//!
//! A packed function has four parameters: a context, an array of values, their number, and the place of its result. What it
//! expects in the array is what it reads from there, and what it asserts about that.

use tvmscript_ir_core::ptr_map::AddressMap;
use tvmscript_ir_core::{DataType, Object, Ref, TypeCode, Value, pre_order_visit};
use tvmscript_prim::{Expr, ExprKind, ExprView as _, IntImm, PrimExprExt as _, Var};
use tvmscript_tir::node::{Buffer, BufferLoad, DeclBuffer, LetStmt, PrimFunc};
use tvmscript_tirx::Bind;

use crate::compile::{call_of, evaluate, pointee};
use crate::intrinsics::{Intrinsic, PointerOperator, RecordOperator, intrinsic};
use crate::records::{self, PackedKind};

/// Names and types of the parameters of a function, and the sizes that its arguments determine.
#[derive(Debug, Clone, Default)]
pub struct Signature {
    /// Parameters, in order; the type of one that is a buffer or a pointer is a handle.
    pub parameters: Vec<(String, DataType)>,
    /// Names of variables in shapes.
    pub sizes: Vec<String>,
}

/// The signature of a function. That of a packed function is the one before its arguments were packed.
pub fn signature(function: &Ref<PrimFunc>) -> Signature {
    let name = |var: &Ref<Var>| var.name.get().to_string();
    if let Some(packed) = Packed::of(function) {
        let parameter = |parameter: &PackedParameter| (parameter.name.clone(), parameter.dtype());
        let parameters = packed.parameters.iter().map(parameter).collect();
        return Signature { parameters, sizes: packed.sizes.iter().map(name).collect() };
    }
    let parameters = function.params.iter().map(|param| (name(param), param.dtype)).collect();
    let mut sizes = Vec::new();
    for (_, buffer) in function.buffer_map.iter() {
        pre_order_visit(buffer.object(), |node| {
            sizes.extend(node.downcast_ref::<Var>().map(name));
            true
        });
    }
    Signature { parameters, sizes }
}

/// Tests whether a function takes its arguments packed.
pub(crate) fn is_packed(function: &PrimFunc) -> bool {
    let convention = match function.attrs.dict.get_str("calling_conv") {
        Some(Value::Int(number)) => Some(*number),
        Some(value) => value.as_object().and_then(|node| node.as_node::<IntImm>()).map(|number| number.value),
        None => None,
    };
    let is_handle = |at: usize| function.params.get(at).is_some_and(|param| param.dtype.is_handle());
    let is_count = function.params.get(2).is_some_and(|param| param.dtype.is_int());
    convention == Some(1)
        && function.params.len() == 4
        && is_handle(0)
        && is_handle(1)
        && is_count
        && is_handle(3)
}

/// The meaning of an expression of a packed function, by the number of the argument.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Meaning {
    Count,
    Arguments,
    Content(usize),
    Field(usize, i64),
    Extent(usize, usize),
}

/// A parameter of a packed function.
#[derive(Debug, Clone)]
pub(crate) struct PackedParameter {
    pub(crate) name: String,
    pub(crate) kind: PackedKind,
    is_named: bool,
    code: Option<i64>,
    bits: Option<i64>,
    lanes: i64,
    rank: usize,
    /// The required extents.
    extents: Vec<Option<Expr>>,
    pointee: Option<DataType>,
}

impl PackedParameter {
    fn dtype(&self) -> DataType {
        match self.kind {
            PackedKind::Int => DataType::INT64,
            PackedKind::Float => DataType::float(64),
            PackedKind::Pointer | PackedKind::Tensor { .. } => DataType::HANDLE,
        }
    }

    /// The type of the elements.
    pub(crate) fn element(&self) -> DataType {
        let code = self.code.and_then(|code| TypeCode::from_number(u8::try_from(code).ok()?));
        let bits = self.bits.and_then(|bits| u8::try_from(bits).ok());
        match (code, bits) {
            (Some(code), Some(bits)) => DataType { code, bits, lanes: self.lanes as i16 },
            _ => self.pointee.unwrap_or(DataType::FLOAT32),
        }
    }
}

/// The signature of a packed function.
#[derive(Default)]
pub(crate) struct Packed {
    pub(crate) parameters: Vec<PackedParameter>,
    /// Variables that are an extent or a number among the arguments.
    pub(crate) sizes: Vec<Ref<Var>>,
    meanings: AddressMap<Meaning>,
    count: Option<i64>,
}

/// Maximum number of arguments.
const MAX_ARGUMENTS: usize = 1 << 10;
/// Maximum number of equal extents that lead from one to another.
const MAX_EQUAL: usize = 64;

impl Packed {
    /// Reads what a function expects; `None` if it is not packed.
    pub(crate) fn of(function: &PrimFunc) -> Option<Packed> {
        if !is_packed(function) {
            return None;
        }
        let mut packed = Packed::default();
        for (at, meaning) in [(1, Meaning::Arguments), (2, Meaning::Count)] {
            let param = function.params.get(at)?;
            packed.meanings.insert(param.object().address(), meaning);
        }
        pre_order_visit(&function.body, |node| {
            packed.visit(node);
            true
        });
        let count = packed.count.and_then(|count| usize::try_from(count).ok());
        if let Some(count) = count.filter(|count| *count <= MAX_ARGUMENTS) {
            packed.parameters.truncate(count);
            if let Some(last) = count.checked_sub(1) {
                packed.parameter(last);
            }
        }
        Some(packed)
    }

    fn visit(&mut self, node: &Object) {
        if let Some(s) = node.as_node::<LetStmt>() {
            self.define(&s.var, &s.value);
        } else if let Some(s) = node.as_node::<Bind>() {
            self.define(&s.var, &s.value);
        } else if let Some(s) = node.as_node::<DeclBuffer>() {
            self.declare(&s.buffer, self.meanings.get(&s.buffer.data.object().address()).copied());
        } else if let Some(s) = node.as_node::<tvmscript_tirx::DeclBuffer>() {
            let own = s.buffer.data.object().address();
            let meaning = match &s.data {
                Some(data) => self.meaning(data).inspect(|meaning| _ = self.meanings.insert(own, *meaning)),
                None => self.meanings.get(&own).copied(),
            };
            self.declare(&s.buffer, meaning);
        } else if let Some(s) = node.as_node::<tvmscript_tir::node::AssertStmt>() {
            self.assume(&s.condition);
        } else if let Some(s) = node.as_node::<tvmscript_tirx::AssertStmt>() {
            self.assume(&s.condition);
        } else if let Some(expr) = node.downcast_ref::<tvmscript_prim::PrimExpr>()
            && call_of(expr).is_some()
        {
            self.meaning(expr);
        }
    }

    fn declare(&mut self, buffer: &Buffer, meaning: Option<Meaning>) {
        self.name(meaning, buffer.name.get().as_str());
        if let Some(Meaning::Field(at, records::STRIDES)) = meaning
            && buffer.shape.first().and_then(known) != Some(0)
            && let Some(PackedKind::Tensor { has_strides, .. }) =
                self.parameter(at).map(|parameter| &mut parameter.kind)
        {
            *has_strides = true;
        }
    }

    fn define(&mut self, var: &Ref<Var>, value: &Expr) {
        let Some(meaning) = self.meaning(value) else { return };
        self.meanings.insert(var.object().address(), meaning);
        let is_number = !var.dtype.is_handle();
        match meaning {
            Meaning::Extent(at, dimension) => {
                self.sizes.push(var.clone());
                self.equate(at, dimension, &var.clone().upcast());
            }
            Meaning::Content(at) => {
                let name = var.name.get().to_string();
                if is_number {
                    self.sizes.push(var.clone());
                }
                self.parameter(at).into_iter().for_each(|parameter| parameter.name = name.clone());
            }
            Meaning::Field(at, records::DATA) => {
                let dtype = pointee(&var.clone().upcast()).filter(|dtype| !dtype.is_handle());
                self.name(Some(meaning), var.name.get().as_str());
                self.parameter(at).into_iter().for_each(|parameter| parameter.pointee = dtype);
            }
            _ => {}
        }
    }

    /// The name of a tensor is the first one of its data.
    fn name(&mut self, meaning: Option<Meaning>, name: &str) {
        if let Some(Meaning::Field(at, records::DATA)) = meaning
            && let Some(parameter) = self.parameter(at)
            && !std::mem::replace(&mut parameter.is_named, true)
        {
            parameter.name = name.to_owned();
        }
    }

    fn parameter(&mut self, at: usize) -> Option<&mut PackedParameter> {
        if at >= MAX_ARGUMENTS {
            return None;
        }
        while self.parameters.len() <= at {
            self.parameters.push(PackedParameter {
                name: format!("argument {}", self.parameters.len()),
                kind: PackedKind::Pointer,
                is_named: false,
                code: None,
                bits: None,
                lanes: 1,
                rank: 0,
                extents: Vec::new(),
                pointee: None,
            });
        }
        self.parameters.get_mut(at)
    }

    /// Notes that an extent is a value. The first one that is known counts.
    fn equate(&mut self, at: usize, dimension: usize, value: &Expr) {
        let Some(parameter) = self.parameter(at) else { return };
        if dimension >= 64 {
            return;
        }
        if parameter.extents.len() <= dimension {
            parameter.extents.resize(dimension + 1, None);
        }
        if let Some(slot) = parameter.extents.get_mut(dimension)
            && slot.as_ref().is_none_or(|known| known.as_node::<IntImm>().is_none())
        {
            *slot = Some(value.clone());
        }
    }

    /// The meaning of an expression; accesses of arguments tell the types of those.
    fn meaning(&mut self, expr: &Expr) -> Option<Meaning> {
        match expr.kind() {
            ExprKind::Var(_) => self.meanings.get(&expr.object().address()).copied(),
            ExprKind::Cast(node) => self.meaning(&node.value),
            ExprKind::Select(node) => {
                let other = self.meaning(&node.false_value);
                self.meaning(&node.true_value).or(other)
            }
            _ => {
                if let Some(load) = expr.as_node::<BufferLoad>() {
                    let meaning = self.meanings.get(&load.buffer.data.object().address()).copied();
                    return match meaning? {
                        Meaning::Field(at, records::SHAPE) if load.indices.len() == 1 => {
                            let dimension = usize::try_from(known(load.indices.first()?)?).ok()?;
                            Some(Meaning::Extent(at, dimension))
                        }
                        _ => None,
                    };
                }
                let (callee, args) = call_of(expr)?;
                match intrinsic(callee)? {
                    Intrinsic::Record(RecordOperator::Get) => {
                        let base = self.meaning(args.first()?)?;
                        let (index, number) = (known(args.get(1)?)?, known(args.get(2)?)?);
                        self.access(base, index, number, expr.dtype())
                    }
                    Intrinsic::Pointer(PointerOperator::AddOffset) | Intrinsic::Reinterpret => {
                        self.meaning(args.first()?)
                    }
                    Intrinsic::IfThenElse => {
                        let other = args.get(2).and_then(|value| self.meaning(value));
                        self.meaning(args.get(1)?).or(other)
                    }
                    _ => None,
                }
            }
        }
    }

    fn access(&mut self, base: Meaning, index: i64, number: i64, dtype: DataType) -> Option<Meaning> {
        let index = usize::try_from(index).ok()?;
        match (base, number) {
            (Meaning::Arguments, records::ANY_CONTENT) => {
                let parameter = self.parameter(index)?;
                parameter.kind = match &parameter.kind {
                    PackedKind::Pointer if dtype.is_float() => PackedKind::Float,
                    PackedKind::Pointer if !dtype.is_handle() => PackedKind::Int,
                    PackedKind::Int if dtype.is_float() => PackedKind::Float,
                    known => known.clone(),
                };
                Some(Meaning::Content(index))
            }
            (Meaning::Field(at, records::SHAPE), records::INTEGER) => Some(Meaning::Extent(at, index)),
            (Meaning::Content(at), records::ADDRESS..=records::DEVICE_TYPE) => {
                let parameter = self.parameter(at)?;
                if !matches!(parameter.kind, PackedKind::Tensor { .. }) {
                    parameter.kind = PackedKind::Tensor { device: 1, has_strides: false };
                }
                Some(Meaning::Field(at, number))
            }
            _ => None,
        }
    }

    /// Takes over what an assertion says.
    fn assume(&mut self, condition: &Expr) {
        match condition.kind() {
            ExprKind::And(node) => {
                self.assume(&node.a);
                self.assume(&node.b);
            }
            // One of the alternatives is enough.
            ExprKind::Or(node) => match known(&node.a) {
                Some(0) => self.assume(&node.b),
                _ => self.assume_type(&node.a),
            },
            ExprKind::EQ(node) => {
                let (a, b) = (self.meaning(&node.a), self.meaning(&node.b));
                self.assume_equal(a, &node.b);
                self.assume_equal(b, &node.a);
            }
            _ => {}
        }
    }

    fn assume_type(&mut self, condition: &Expr) {
        match condition.kind() {
            ExprKind::And(node) => {
                self.assume_type(&node.a);
                self.assume_type(&node.b);
            }
            ExprKind::Or(node) => self.assume_type(&node.a),
            ExprKind::EQ(node) => {
                for (side, other) in [(&node.a, &node.b), (&node.b, &node.a)] {
                    let meaning = self.meaning(side);
                    if let Some(Meaning::Field(_, records::TYPE_CODE..=records::TYPE_LANES)) = meaning {
                        self.assume_equal(meaning, other);
                    }
                }
            }
            _ => {}
        }
    }

    fn assume_equal(&mut self, meaning: Option<Meaning>, value: &Expr) {
        let number = known(value);
        match meaning {
            Some(Meaning::Count) => self.count = number.or(self.count),
            Some(Meaning::Extent(at, dimension)) => self.equate(at, dimension, value),
            Some(Meaning::Field(at, field)) => {
                let (Some(number), Some(parameter)) = (number, self.parameter(at)) else { return };
                match field {
                    records::RANK => parameter.rank = usize::try_from(number).unwrap_or_default().min(64),
                    records::TYPE_CODE => _ = parameter.code.get_or_insert(number),
                    records::TYPE_BITS => _ = parameter.bits.get_or_insert(number),
                    records::TYPE_LANES => parameter.lanes = number.clamp(1, 1 << 12),
                    records::DEVICE_TYPE => {
                        if let PackedKind::Tensor { device, .. } = &mut parameter.kind {
                            *device = number;
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// The shape of an argument, with values for the variables.
    pub(crate) fn shape(&mut self, at: usize, sizes: &[(Ref<Var>, u64)], default: i64) -> Vec<i64> {
        let rank = self.parameters.get(at).map_or(0, |parameter| parameter.rank.max(parameter.extents.len()));
        (0..rank).map(|dimension| self.extent(at, dimension, sizes).unwrap_or(default)).collect()
    }

    fn extent(&mut self, at: usize, dimension: usize, sizes: &[(Ref<Var>, u64)]) -> Option<i64> {
        let (mut at, mut dimension) = (at, dimension);
        for _ in 0..MAX_EQUAL {
            let value = self.parameters.get(at)?.extents.get(dimension)?.clone()?;
            if let Ok(values) = evaluate(std::slice::from_ref(&value), sizes)
                && let Some(value) = values.first()
            {
                return Some(*value);
            }
            match self.meaning(&value)? {
                Meaning::Extent(other, place) if (other, place) != (at, dimension) => {
                    (at, dimension) = (other, place);
                }
                _ => return None,
            }
        }
        None
    }
}

fn known(expr: &Expr) -> Option<i64> {
    expr.as_node::<IntImm>().map(|number| number.value)
}
