//! Operators of expression docs.

/// A unary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum UnaryOp {
    /// `-x`
    USub = 1,
    /// `~x`
    Invert = 2,
    /// `not x`
    Not = 3,
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BinaryOp {
    /// `a + b`
    Add = 6,
    /// `a - b`
    Sub = 7,
    /// `a * b`
    Mult = 8,
    /// `a / b`
    Div = 9,
    /// `a // b`
    FloorDiv = 10,
    /// `a % b`
    Mod = 11,
    /// `a ** b`
    Pow = 12,
    /// `a << b`
    LShift = 13,
    /// `a >> b`
    RShift = 14,
    /// `a & b`
    BitAnd = 15,
    /// `a | b`
    BitOr = 16,
    /// `a ^ b`
    BitXor = 17,
    /// `a < b`
    Lt = 18,
    /// `a <= b`
    LtE = 19,
    /// `a == b`
    Eq = 20,
    /// `a != b`
    NotEq = 21,
    /// `a > b`
    Gt = 22,
    /// `a >= b`
    GtE = 23,
    /// `a and b`
    And = 24,
    /// `a or b`
    Or = 25,
}

/// An operator of any arity, with upstream's number, which is visible to Python code.
///
/// Upstream counterpart: `OperationDocNode::Kind` in `include/tvm/script/printer/doc.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// One operand.
    Unary(UnaryOp),
    /// Two operands.
    Binary(BinaryOp),
    /// A conditional with the operands condition, value if true, value if false; number 28.
    IfThenElse,
}

impl From<UnaryOp> for OperationKind {
    fn from(op: UnaryOp) -> Self {
        Self::Unary(op)
    }
}

impl From<BinaryOp> for OperationKind {
    fn from(op: BinaryOp) -> Self {
        Self::Binary(op)
    }
}

const UNARY: [UnaryOp; 3] = [UnaryOp::USub, UnaryOp::Invert, UnaryOp::Not];

const BINARY: [BinaryOp; 20] = {
    use BinaryOp::*;
    [
        Add, Sub, Mult, Div, FloorDiv, Mod, Pow, LShift, RShift, BitAnd, BitOr, BitXor, Lt, LtE, Eq, NotEq,
        Gt, GtE, And, Or,
    ]
};

impl OperationKind {
    /// All kinds, in numerical order.
    pub fn all() -> impl Iterator<Item = Self> {
        let unary = UNARY.into_iter().map(Self::Unary);
        unary.chain(BINARY.into_iter().map(Self::Binary)).chain([Self::IfThenElse])
    }

    /// Upstream's number of the kind.
    pub fn number(self) -> u8 {
        match self {
            Self::Unary(op) => op as u8,
            Self::Binary(op) => op as u8,
            Self::IfThenElse => 28,
        }
    }

    /// The kind with this number. Upstream's range markers (4, 26) are not kinds.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::all().find(|kind| kind.number() == number)
    }

    /// Number of operands.
    pub fn arity(self) -> usize {
        match self {
            Self::Unary(_) => 1,
            Self::Binary(_) => 2,
            Self::IfThenElse => 3,
        }
    }

    /// Upstream's name of the kind, such as `FloorDiv`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unary(op) => op.name(),
            Self::Binary(op) => op.name(),
            Self::IfThenElse => "IfThenElse",
        }
    }
}

impl UnaryOp {
    /// Upstream's name of the operator.
    pub fn name(self) -> &'static str {
        match self {
            Self::USub => "USub",
            Self::Invert => "Invert",
            Self::Not => "Not",
        }
    }
}

impl BinaryOp {
    /// Upstream's name of the operator.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "Add",
            Self::Sub => "Sub",
            Self::Mult => "Mult",
            Self::Div => "Div",
            Self::FloorDiv => "FloorDiv",
            Self::Mod => "Mod",
            Self::Pow => "Pow",
            Self::LShift => "LShift",
            Self::RShift => "RShift",
            Self::BitAnd => "BitAnd",
            Self::BitOr => "BitOr",
            Self::BitXor => "BitXor",
            Self::Lt => "Lt",
            Self::LtE => "LtE",
            Self::Eq => "Eq",
            Self::NotEq => "NotEq",
            Self::Gt => "Gt",
            Self::GtE => "GtE",
            Self::And => "And",
            Self::Or => "Or",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_upstream() {
        let numbers: Vec<u8> = OperationKind::all().map(OperationKind::number).collect();
        let expected: Vec<u8> = (1..=3).chain(6..=25).chain([28]).collect();
        assert_eq!(numbers, expected);
        for kind in OperationKind::all() {
            assert_eq!(OperationKind::from_number(kind.number()), Some(kind));
        }
        assert_eq!(OperationKind::from_number(4), None);
        assert_eq!(OperationKind::from_number(26), None);
    }
}
