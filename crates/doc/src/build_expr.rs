//! Builder methods for expression docs.

use crate::arena::DocArena;
use crate::error::DocError;
use crate::expr::{Call, Expr, ExprDoc, SliceDoc, Subscript};
use crate::operation::{BinaryOp, OperationKind, UnaryOp};
use crate::sym::Name;

impl DocArena {
    /// `None`
    pub fn none(&mut self) -> ExprDoc {
        self.push_expr(Expr::None)
    }

    /// `True` or `False`
    pub fn bool(&mut self, value: bool) -> ExprDoc {
        self.push_expr(Expr::Bool(value))
    }

    /// An integer literal.
    #[inline]
    pub fn int(&mut self, value: i64) -> ExprDoc {
        self.push_expr(Expr::Int(value))
    }

    /// A float literal.
    #[inline]
    pub fn float(&mut self, value: f64) -> ExprDoc {
        self.push_expr(Expr::Float(value))
    }

    /// A string literal; `text` is its value, without quotes or escapes.
    #[inline]
    pub fn str(&mut self, text: impl Name) -> ExprDoc {
        let text = text.sym_in(self);
        self.push_expr(Expr::Str(text))
    }

    /// A literal of raw bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> ExprDoc {
        self.push_bytes(bytes)
    }

    /// A name, printed as it is. The caller ensures that it is valid.
    #[inline]
    pub fn id(&mut self, name: impl Name) -> ExprDoc {
        let name = name.sym_in(self);
        self.push_expr(Expr::Id(name))
    }

    /// `value.name`
    #[inline]
    pub fn attr(&mut self, value: ExprDoc, name: impl Name) -> ExprDoc {
        let name = name.sym_in(self);
        self.push_expr(Expr::Attr { value, name })
    }

    /// `value[indices]` with expressions, or with [`Subscript`]s for slices.
    #[inline]
    pub fn index<T: Copy + Into<Subscript>>(&mut self, value: ExprDoc, indices: &[T]) -> ExprDoc {
        let indices = self.push_list(indices.iter().map(|&item| item.into().0));
        self.push_expr(Expr::Index { value, indices })
    }

    /// `start:stop:step`, for use in an index.
    pub fn slice(
        &mut self,
        start: Option<ExprDoc>,
        stop: Option<ExprDoc>,
        step: Option<ExprDoc>,
    ) -> SliceDoc {
        SliceDoc(self.push_expr(Expr::Slice { start, stop, step }))
    }

    /// `callee(args, key=value)`
    #[inline]
    pub fn call<N: Name + Copy>(
        &mut self,
        callee: ExprDoc,
        args: &[ExprDoc],
        kwargs: &[(N, ExprDoc)],
    ) -> ExprDoc {
        let args = self.push_list(args.iter().copied());
        let kwargs = self.push_kwargs(kwargs);
        self.push_call(Call { callee, args, kwargs, function: None })
    }

    /// `callee(args)`
    #[inline]
    pub fn call_args(&mut self, callee: ExprDoc, args: &[ExprDoc]) -> ExprDoc {
        let args = self.push_list(args.iter().copied());
        self.push_call(Call { callee, args, kwargs: Default::default(), function: None })
    }

    /// `-x`, `~x`, `not x`
    #[inline]
    pub fn unary(&mut self, op: UnaryOp, operand: ExprDoc) -> ExprDoc {
        self.push_expr(Expr::Unary { op, operand })
    }

    /// `left op right`
    #[inline]
    pub fn binary(&mut self, op: BinaryOp, left: ExprDoc, right: ExprDoc) -> ExprDoc {
        self.push_expr(Expr::Binary { op, left, right })
    }

    /// `then_value if condition else else_value`
    pub fn conditional(&mut self, condition: ExprDoc, then_value: ExprDoc, else_value: ExprDoc) -> ExprDoc {
        self.push_expr(Expr::Conditional { condition, then_value, else_value, is_chained: false })
    }

    /// As [`DocArena::conditional`], but a conditional `else_value` prints without parentheses, so a long chain is not
    /// nested.
    pub fn chained_conditional(
        &mut self,
        condition: ExprDoc,
        then_value: ExprDoc,
        else_value: ExprDoc,
    ) -> ExprDoc {
        self.push_expr(Expr::Conditional { condition, then_value, else_value, is_chained: true })
    }

    /// An operation of any kind; the condition is the first operand of a conditional.
    ///
    /// # Errors
    /// [`DocError::Arity`] if the number of operands does not match the kind.
    pub fn operation(
        &mut self,
        kind: impl Into<OperationKind>,
        operands: &[ExprDoc],
    ) -> Result<ExprDoc, DocError> {
        let kind = kind.into();
        match (kind, operands) {
            (OperationKind::Unary(op), &[operand]) => Ok(self.unary(op, operand)),
            (OperationKind::Binary(op), &[left, right]) => Ok(self.binary(op, left, right)),
            (OperationKind::IfThenElse, &[condition, then_value, else_value]) => {
                Ok(self.conditional(condition, then_value, else_value))
            }
            (OperationKind::Unary(_) | OperationKind::Binary(_) | OperationKind::IfThenElse, _) => {
                Err(DocError::Arity { kind, got: operands.len() })
            }
        }
    }

    /// `lambda args: body`
    ///
    /// # Errors
    /// [`DocError::NotAName`] if an argument is not a name.
    pub fn lambda(&mut self, args: &[ExprDoc], body: ExprDoc) -> Result<ExprDoc, DocError> {
        for &arg in args {
            self.expect_name(arg, "a parameter of a lambda")?;
        }
        let args = self.push_list(args.iter().copied());
        Ok(self.push_expr(Expr::Lambda { args, body }))
    }

    /// `(a, b)`
    pub fn tuple(&mut self, elements: &[ExprDoc]) -> ExprDoc {
        let elements = self.push_list(elements.iter().copied());
        self.push_expr(Expr::Tuple(elements))
    }

    /// `[a, b]`
    pub fn list(&mut self, elements: &[ExprDoc]) -> ExprDoc {
        let elements = self.push_list(elements.iter().copied());
        self.push_expr(Expr::List(elements))
    }

    /// `{key: value}`
    pub fn dict(&mut self, entries: &[(ExprDoc, ExprDoc)]) -> ExprDoc {
        let entries = self.push_pairs(entries);
        self.push_expr(Expr::Dict(entries))
    }

    /// `"expression"`: an expression in a string literal.
    pub fn quoted(&mut self, inner: ExprDoc) -> ExprDoc {
        self.push_expr(Expr::Quoted(inner))
    }

    pub(crate) fn expect_name(&self, doc: ExprDoc, role: &'static str) -> Result<(), DocError> {
        if matches!(self.expr(doc), Expr::Id(_)) || self.check().is_err() {
            return Ok(());
        }
        Err(DocError::NotAName { role })
    }
}
