//! Children of expressions.

use super::{
    Ast, BinOp, BoolOp, CmpOp, Comparison, Comprehension, Constant, Conversion, DictItem, ExprId,
    Keyword, List, Listed, Name, Parameter, UnaryOp,
};

/// A field of an expression. Most have no children.
pub(super) trait Children: Copy {
    fn children(self, _ast: &Ast, _out: &mut Vec<ExprId>) {}

    fn with_children(self, _ast: &mut Ast, _new: &mut dyn Iterator<Item = ExprId>) -> Self {
        self
    }
}

macro_rules! leaves {
    ($($t:ty),*) => { $(impl Children for $t {})* };
}

leaves!(Name, Constant, Conversion, BinOp, BoolOp, CmpOp, UnaryOp);

impl Children for ExprId {
    fn children(self, _: &Ast, out: &mut Vec<ExprId>) {
        out.push(self);
    }

    fn with_children(self, _: &mut Ast, new: &mut dyn Iterator<Item = ExprId>) -> Self {
        new.next().unwrap_or(self)
    }
}

impl<T: Children> Children for Option<T> {
    fn children(self, ast: &Ast, out: &mut Vec<ExprId>) {
        self.into_iter().for_each(|part| part.children(ast, out));
    }

    fn with_children(self, ast: &mut Ast, new: &mut dyn Iterator<Item = ExprId>) -> Self {
        self.map(|part| part.with_children(ast, new))
    }
}

impl<T: Children + Listed> Children for List<T> {
    fn children(self, ast: &Ast, out: &mut Vec<ExprId>) {
        ast.list(self).iter().for_each(|item| item.children(ast, out));
    }

    fn with_children(self, ast: &mut Ast, new: &mut dyn Iterator<Item = ExprId>) -> Self {
        let items = ast.list(self).to_vec();
        let items: Vec<T> = items.into_iter().map(|item| item.with_children(ast, new)).collect();
        ast.add_list(&items)
    }
}

/// Structs of which some fields have children, in order of evaluation.
macro_rules! structs {
    ($($t:ty { $($field:ident),* })*) => {$(
        impl Children for $t {
            fn children(self, ast: &Ast, out: &mut Vec<ExprId>) {
                $(self.$field.children(ast, out);)*
            }

            fn with_children(mut self, ast: &mut Ast, new: &mut dyn Iterator<Item = ExprId>) -> Self {
                $(self.$field = self.$field.with_children(ast, new);)*
                self
            }
        }
    )*};
}

structs! {
    Comparison { right }
    Comprehension { iter, target, ifs }
    DictItem { key, value }
    Keyword { value }
    Parameter { default }
}

impl Ast {
    /// Adds the children of an expression to `out`, in the order in which Python evaluates them.
    pub fn children(&self, id: ExprId, out: &mut Vec<ExprId>) {
        self.expr(id).children(self, out);
    }

    /// Adds an expression like another one, with other children, in the order of [`Ast::children`].
    pub fn add_with_children(&mut self, id: ExprId, children: &[ExprId]) -> ExprId {
        let expr = self.expr(id).with_children(self, &mut children.iter().copied());
        self.add_expr(expr, self.range(id))
    }
}
