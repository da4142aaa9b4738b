//! Values and uses of the variables of a function.

use tvmscript_ir_core::{Object, ObjectLike, PtrMap, PtrSet, Ref, visit_nodes};
use tvmscript_relax::{BindingBlock, Expr, Function, If, SeqExpr, Var, VarBinding};

/// The values that variables are bound to, and the values that use them. Casts are not values.
#[derive(Debug, Clone, Default)]
pub struct Bindings {
    /// Values, by identity of the variable.
    values: PtrMap<Expr>,
    /// Variables whose values use a variable, by identity.
    users: PtrMap<Vec<Ref<Var>>>,
    /// Variables that something else than a value uses: a result, a cast, a nested function.
    escaping: PtrSet,
    /// Bound variables in order.
    order: Vec<Ref<Var>>,
}

impl Bindings {
    /// Collects the bindings of a function, including those of branches and nested functions.
    pub fn of(function: &Ref<Function>) -> Bindings {
        let mut bindings = Bindings::default();
        visit_nodes::<VarBinding>(function, |binding| bindings.set(&binding.var, &binding.value));
        visit_nodes::<SeqExpr>(function, |seq| bindings.escapes(&seq.body));
        visit_nodes::<tvmscript_relax::MatchCast>(function, |cast| bindings.escapes(&cast.value));
        bindings
    }

    fn escapes(&mut self, expr: &Expr) {
        visit_nodes::<Var>(expr, |var| {
            self.escaping.insert(var.vid.object().clone());
        });
    }

    /// Binds a variable to a value, in place of its previous one.
    pub fn set(&mut self, var: &Ref<Var>, value: &Expr) {
        if let Some(old) = self.values.insert(var.vid.object().clone(), value.clone()) {
            let users = &mut self.users;
            visit_nodes::<Var>(&old, |used| {
                if let Some(users) = users.get_mut(used.vid.object()) {
                    users.retain(|user| !user.vid.ptr_eq(&var.vid));
                }
            });
        } else {
            self.order.push(var.clone());
        }
        // Values with bindings of their own use variables in them.
        if value.is::<If>() || value.is::<Function>() || value.is::<BindingBlock>() {
            if let Some(node) = value.as_node::<If>() {
                let cond = node.cond.clone();
                self.uses(var, &cond);
            }
            return;
        }
        self.uses(var, value);
    }

    fn uses(&mut self, user: &Ref<Var>, value: &Expr) {
        visit_nodes::<Var>(value, |used| {
            let users = self.users.entry(used.vid.object().clone()).or_default();
            if users.last().is_none_or(|last| !last.ptr_eq(user)) {
                users.push(user.clone());
            }
        });
    }

    /// Returns the value of a variable.
    pub fn value(&self, var: &Ref<Var>) -> Option<&Expr> {
        self.values.get(var.vid.object())
    }

    /// Returns the variables whose values use a variable, in order.
    pub fn users(&self, var: &Ref<Var>) -> &[Ref<Var>] {
        self.users.get(var.vid.object()).map_or(&[], Vec::as_slice)
    }

    /// Returns `true` if something else than the value of a binding uses the variable, such as the function's result.
    pub fn is_result(&self, var: &Ref<Var>) -> bool {
        self.escaping.contains(var.vid.object())
    }

    /// Returns the bound variables in order.
    pub fn variables(&self) -> &[Ref<Var>] {
        &self.order
    }

    /// The expression itself, or the value of a variable.
    pub(super) fn resolve<'a>(&'a self, expr: &'a Expr) -> &'a Expr {
        let mut expr = expr;
        // A variable may be bound to another one; values never refer to later variables, except in recursive functions.
        for _ in 0..=self.order.len() {
            match expr.as_object().downcast_ref::<Var>().and_then(|var| self.value(var)) {
                Some(value) => expr = value,
                None => break,
            }
        }
        expr
    }

    /// Identity of an expression: of variables, their own.
    pub(super) fn identity(expr: &Expr) -> &Object {
        match expr.as_node::<Var>() {
            Some(var) => var.vid.object(),
            None => expr.object(),
        }
    }
}
