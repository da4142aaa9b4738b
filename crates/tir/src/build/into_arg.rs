//! Conversions of Rust values to arguments of script functions: expressions, shapes, indices, domains, types.

use std::ops;

use tvmscript_ir_core::{Array, Class, DataType, Ref, SubclassOf};
use tvmscript_irbuilder::{BuildError, BuildResult, FromScript, IntoArg, ScriptValue};
use tvmscript_prim::class::IsPrim;
use tvmscript_prim::{CommReducer, Expr, Range, Type, Var};

use super::args::{Binding, Domain, ExprArg, LoopStart, NodeArg, Region, Shape, Stride, poisoned};
use super::operator::{Element, LlvmName, Operand, Packed};
use super::subscript::Index;
use super::types::TypeArg;
use crate::extent;
use crate::node::{Buffer, BufferRegion, IterVar};

/// The indices of a buffer access, one per dimension.
#[derive(Debug, Clone)]
pub struct Indices(pub Vec<Index>);

/// Values that convert to an expression, and from there to a one-dimensional shape, an index, and so on.
macro_rules! expressions {
    ($([$($generic:tt)*] $ty:ty => |$x:ident| $value:expr;)*) => {$(
        impl<$($generic)*> IntoArg<ExprArg> for $ty {
            fn into_arg(self) -> BuildResult<ExprArg> {
                let $x = self;
                $value.map(ExprArg)
            }
        }
        impl<$($generic)*> IntoArg<Shape> for $ty {
            fn into_arg(self) -> BuildResult<Shape> {
                Ok(Shape(Array::new([IntoArg::<ExprArg>::into_arg(self)?.0])))
            }
        }
        impl<$($generic)*> IntoArg<Binding> for $ty {
            fn into_arg(self) -> BuildResult<Binding> {
                Ok(Binding(Some(IntoArg::<ExprArg>::into_arg(self)?.0)))
            }
        }
        impl<$($generic)*> IntoArg<Stride> for $ty {
            fn into_arg(self) -> BuildResult<Stride> {
                Ok(Stride::Expr(IntoArg::<ExprArg>::into_arg(self)?.0))
            }
        }
        impl<$($generic)*> IntoArg<Index> for $ty {
            fn into_arg(self) -> BuildResult<Index> {
                Ok(Index::Point(IntoArg::<ExprArg>::into_arg(self)?.0))
            }
        }
        impl<$($generic)*> IntoArg<Indices> for $ty {
            fn into_arg(self) -> BuildResult<Indices> {
                Ok(Indices(vec![self.into_arg()?]))
            }
        }
    )*};
}

fn int(value: impl TryInto<i64>) -> BuildResult<Expr> {
    let value = value.try_into().map_err(|_| BuildError::message("the integer does not fit 64 bits"))?;
    ExprArg::convert(ScriptValue::Int(value))
}

expressions! {
    [T: IsPrim] Ref<T> => |x| ExprArg::convert(x.into());
    [T: IsPrim] &Ref<T> => |x| ExprArg::convert(x.clone().into());
    [] i32 => |x| int(x);
    [] i64 => |x| int(x);
    [] u32 => |x| int(x);
    [] usize => |x| int(x);
    [] f64 => |x| ExprArg::convert(ScriptValue::Float(x));
    [] bool => |x| ExprArg::convert(ScriptValue::Bool(x));
}

/// Arguments that accept any node and convert it as scripts do.
macro_rules! from_nodes {
    ($($arg:ident)*) => {$(
        impl<T: Class> IntoArg<$arg> for Ref<T> {
            fn into_arg(self) -> BuildResult<$arg> {
                $arg::from_script(self.into())
            }
        }
        impl<T: Class> IntoArg<$arg> for &Ref<T> {
            fn into_arg(self) -> BuildResult<$arg> {
                $arg::from_script(self.clone().into())
            }
        }
    )*};
}
from_nodes! { Element LlvmName Operand Packed LoopStart Domain }

/// Arguments that accept numbers and text and convert them as scripts do.
macro_rules! operands {
    ($($arg:ident)*) => {$(
        impl IntoArg<$arg> for i32 {
            fn into_arg(self) -> BuildResult<$arg> {
                $arg::from_script(ScriptValue::Int(self.into()))
            }
        }
        impl IntoArg<$arg> for i64 {
            fn into_arg(self) -> BuildResult<$arg> {
                $arg::from_script(ScriptValue::Int(self))
            }
        }
        impl IntoArg<$arg> for &str {
            fn into_arg(self) -> BuildResult<$arg> {
                $arg::from_script(ScriptValue::str(self))
            }
        }
    )*};
}
operands! { Element LlvmName Operand Packed }

impl IntoArg<ExprArg> for &str {
    fn into_arg(self) -> BuildResult<ExprArg> {
        ExprArg::convert(ScriptValue::str(self)).map(ExprArg)
    }
}

impl IntoArg<Stride> for &str {
    fn into_arg(self) -> BuildResult<Stride> {
        Ok(Stride::Name(self.into()))
    }
}

/// Lists: arrays and vectors of one type, tuples of several.
macro_rules! lists {
    ($($list:ident($($wrap:tt)*) of $item:ident;)*) => {$(
        impl<A: IntoArg<$item>, const N: usize> IntoArg<$list> for [A; N] {
            fn into_arg(self) -> BuildResult<$list> {
                let items = self.into_iter().map(A::into_arg);
                Ok($list($($wrap)*(items.collect::<BuildResult<Vec<$item>>>()?)))
            }
        }
        impl<A: IntoArg<$item>> IntoArg<$list> for Vec<A> {
            fn into_arg(self) -> BuildResult<$list> {
                let items = self.into_iter().map(A::into_arg);
                Ok($list($($wrap)*(items.collect::<BuildResult<Vec<$item>>>()?)))
            }
        }
        lists! { @tuples $list($($wrap)*) of $item: (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }
    )*};
    (@tuples $list:ident $wrap:tt of $item:ident: $(($($name:ident)+))*) => {
        $(lists! { @tuple $list $wrap of $item: $($name)+ })*
    };
    (@tuple $list:ident($($wrap:tt)*) of $item:ident: $($name:ident)+) => {
        #[allow(non_snake_case)]
        impl<$($name: IntoArg<$item>),+> IntoArg<$list> for ($($name,)+) {
            fn into_arg(self) -> BuildResult<$list> {
                let ($($name,)+) = self;
                Ok($list($($wrap)*(vec![$(<$name as IntoArg<$item>>::into_arg($name)?),+])))
            }
        }
    };
}

fn exprs(items: Vec<ExprArg>) -> Array<Expr> {
    items.into_iter().map(|item| item.0).collect()
}

lists! {
    Shape(exprs) of ExprArg;
    Indices(std::convert::identity) of Index;
}

impl IntoArg<Shape> for Array<Expr> {
    fn into_arg(self) -> BuildResult<Shape> {
        Ok(Shape(self))
    }
}

impl IntoArg<Shape> for &Array<Expr> {
    fn into_arg(self) -> BuildResult<Shape> {
        Ok(Shape(self.clone()))
    }
}

impl<A: IntoArg<ExprArg>> IntoArg<Domain> for ops::Range<A> {
    fn into_arg(self) -> BuildResult<Domain> {
        Domain::try_from_bounds(self.start.into_arg()?.0, self.end.into_arg()?.0)
    }
}

/// Both bounds at once: `T::serial(2..16)`.
impl<A: IntoArg<ExprArg>> IntoArg<LoopStart> for ops::Range<A> {
    fn into_arg(self) -> BuildResult<LoopStart> {
        let (start, stop) = (self.start.into_arg()?.0, self.end.into_arg()?.0);
        if let Some(poison) = poisoned([&start, &stop]) {
            return Ok(LoopStart::Bound(poison));
        }
        let extent = extent::length(&start, stop)?;
        Ok(LoopStart::Range(Range::from_min_extent(start, extent)))
    }
}

macro_rules! bounds {
    ($($ty:ty)*) => {$(
        impl IntoArg<LoopStart> for $ty {
            fn into_arg(self) -> BuildResult<LoopStart> {
                Ok(LoopStart::Bound(IntoArg::<ExprArg>::into_arg(self)?.0))
            }
        }
    )*};
}
bounds! { i32 i64 u32 usize f64 bool }

macro_rules! extents {
    ($($ty:ty)*) => {$(
        impl IntoArg<Domain> for $ty {
            fn into_arg(self) -> BuildResult<Domain> {
                Ok(Domain(Range::try_from_extent(int(self)?)?))
            }
        }
    )*};
}
extents! { i32 i64 u32 usize }

impl<A: IntoArg<ExprArg>> IntoArg<Index> for ops::Range<A> {
    fn into_arg(self) -> BuildResult<Index> {
        let (start, stop) = (self.start.into_arg()?.0, self.end.into_arg()?.0);
        Ok(Index::Slice { start: Some(start), stop: Some(stop), step: None })
    }
}

impl IntoArg<Index> for ops::RangeFull {
    fn into_arg(self) -> BuildResult<Index> {
        Ok(Index::Slice { start: None, stop: None, step: None })
    }
}

impl IntoArg<Region> for Ref<BufferRegion> {
    fn into_arg(self) -> BuildResult<Region> {
        Ok(Region(self))
    }
}

impl IntoArg<Indices> for ops::RangeFull {
    fn into_arg(self) -> BuildResult<Indices> {
        Ok(Indices(vec![self.into_arg()?]))
    }
}

impl<A: IntoArg<ExprArg>> IntoArg<Indices> for ops::Range<A> {
    fn into_arg(self) -> BuildResult<Indices> {
        Ok(Indices(vec![self.into_arg()?]))
    }
}

macro_rules! nodes {
    ($($node:ident)*) => {$(
        impl IntoArg<NodeArg<$node>> for Ref<$node> {
            fn into_arg(self) -> BuildResult<NodeArg<$node>> {
                Ok(NodeArg(self))
            }
        }
        impl IntoArg<NodeArg<$node>> for &Ref<$node> {
            fn into_arg(self) -> BuildResult<NodeArg<$node>> {
                Ok(NodeArg(self.clone()))
            }
        }
    )*};
}
nodes! { Buffer BufferRegion Range Var IterVar Type CommReducer }

impl IntoArg<TypeArg> for DataType {
    fn into_arg(self) -> BuildResult<TypeArg> {
        Ok(TypeArg(tvmscript_prim::PrimType::new(self)))
    }
}

impl IntoArg<TypeArg> for &str {
    fn into_arg(self) -> BuildResult<TypeArg> {
        IntoArg::<DataType>::into_arg(self)?.into_arg()
    }
}

impl<T: SubclassOf<Type>> IntoArg<TypeArg> for Ref<T> {
    fn into_arg(self) -> BuildResult<TypeArg> {
        Ok(TypeArg(self.upcast()))
    }
}
