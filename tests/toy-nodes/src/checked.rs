//! Nodes with invariants.

use tvmscript_ir_core::invariants::{Checked, Invalid};
use tvmscript_ir_core::{Dialect, Node, Object, Ref};

/// Two numbers in order, and an untyped field that takes a [`Leaf`].
#[derive(Debug, Clone, Node)]
#[node(key = "inv.Pair", check = Pair::check)]
pub struct Pair {
    pub low: i64,
    pub high: i64,
    #[node(class = Leaf)]
    pub any: Option<Object>,
}

impl Pair {
    fn check(&self) -> Checked {
        match self.low <= self.high {
            true => Ok(()),
            false => Err(Invalid::at("high", "it is below `low`")),
        }
    }
}

#[derive(Debug, Clone, Node)]
#[node(key = "inv.Leaf")]
pub struct Leaf {
    pub value: i64,
}

pub fn dialect() -> Dialect {
    Dialect::new("inv").node::<Pair>().node::<Leaf>().finish()
}

pub fn pair(low: i64, high: i64) -> Ref<Pair> {
    Ref::new(Pair { low, high, any: None })
}

pub fn leaf(value: i64) -> Object {
    Ref::new(Leaf { value }).into()
}
