//! A view of an expression as an enum, so that `match` stays pleasant while the set of nodes stays open.

use std::sync::OnceLock;

use tvmscript_ir_core::{Class, Ref};

use crate::class::{Expr, PrimExpr};
use crate::node::*;

macro_rules! kinds {
    ($($name:ident),* $(,)?) => {
        /// The known expression nodes, and `Other` for those of other dialects.
        #[derive(Debug, Clone, Copy)]
        pub enum ExprKind<'a> {
            $(#[allow(missing_docs)] $name(&'a $name),)*
            /// A node that this crate does not know.
            Other(&'a Expr),
        }

        #[derive(Clone, Copy)]
        #[repr(u8)]
        enum Tag { Other, $($name,)* }

        fn tags() -> &'static [Tag] {
            static TAGS: OnceLock<Vec<Tag>> = OnceLock::new();
            TAGS.get_or_init(|| {
                let known = [$(($name::type_info().index(), Tag::$name),)* (size_var_type().index(), Tag::Var)];
                let len = known.iter().map(|(i, _)| i + 1).max().unwrap_or(0);
                let mut tags = vec![Tag::Other; len];
                for (index, tag) in known {
                    tags[index] = tag;
                }
                tags
            })
        }

        impl ExprView for Ref<PrimExpr> {
            #[inline]
            fn kind(&self) -> ExprKind<'_> {
                let tag = tags().get(self.object().info().index()).copied().unwrap_or(Tag::Other);
                match tag {
                    $(Tag::$name => self.as_node::<$name>().map_or(ExprKind::Other(self), ExprKind::$name),)*
                    Tag::Other => ExprKind::Other(self),
                }
            }
        }
    };
}

/// The view of an expression.
pub trait ExprView {
    /// Which node this is.
    fn kind(&self) -> ExprKind<'_>;
}

kinds! {
    IntImm, FloatImm, StringImm, Var, Cast, Add, Sub, Mul, Div, Mod, FloorDiv, FloorMod, Min, Max, EQ, NE, LT, LE, GT,
    GE, And, Or, Not, Select, Ramp, Broadcast, Shuffle, Let, Call,
}
