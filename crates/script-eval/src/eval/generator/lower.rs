//! The code of generator functions in a form that can be suspended.
//!
//! The evaluator recurses through an expression, so it cannot stop inside one. Here each `yield` becomes a statement of
//! its own: `yield v` or `x = yield v`. The rest of its expression follows in later statements. What the expression
//! evaluates before the `yield` is kept in hidden variables, so that the order of evaluation is Python's:
//!
//! ```text
//! f(a(), (yield b)) + c          .0 = f; .1 = a(); .2 = yield b; .0(.1, .2) + c
//! ```
//!
//! A `yield` in a decorator, a default value, a class of `except`, a guard, a `del`, the target of a loop, and in other
//! rare places stays, and is an error when it is evaluated.

use tvmscript_ir_core::with_stack;
use tvmscript_python_syntax::ast::{
    Assert, Assign, Ast, AugAssign, BoolOp, Clause, Comparison, Constant, Expr, ExprId, ExprStmt, For, If,
    List, Match, Name, Raise, Return, Stmt, StmtId, TextRange, Try, While, With, WithItem,
};

use crate::id_hash::IdMap;

/// The code of the generator functions of a text.
#[derive(Default)]
pub(crate) struct Generators {
    /// By statement, whether it contains a `yield` of the function that it is in.
    suspends: Vec<bool>,
    defs: IdMap<StmtId, Code>,
    /// By the body of the lambda.
    lambdas: IdMap<ExprId, Code>,
}

/// The code of a generator function.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    pub(crate) body: List<StmtId>,
    /// Its hidden variables.
    pub(crate) hidden: Vec<Name>,
}

impl Generators {
    /// Finds the generator functions of a text and adds their code to the tree.
    pub(crate) fn new(ast: &mut std::rc::Rc<Ast>) -> Generators {
        if !ast.all_exprs().any(|expr| matches!(expr, Expr::Yield { .. } | Expr::YieldFrom { .. })) {
            return Generators::default();
        }
        let ast = std::rc::Rc::make_mut(ast);
        ast.begin_added();
        let mut lowering = Lowering { ast, exprs: Vec::new(), stmts: Vec::new(), hidden: Vec::new() };
        lowering.scan();
        let (mut defs, mut lambdas) = (IdMap::default(), IdMap::default());
        for id in lowering.ast.stmt_ids() {
            if let Stmt::FunctionDef(def) = *lowering.ast.stmt(id)
                && lowering.ast.list(def.body).iter().any(|stmt| lowering.suspends(*stmt))
            {
                let body = lowering.body(def.body);
                defs.insert(id, lowering.code(body));
            }
        }
        for id in lowering.ast.expr_ids() {
            if let Expr::Lambda { body, .. } = *lowering.ast.expr(id)
                && lowering.yields(body)
            {
                let range = lowering.ast.range(body);
                let stmts = lowering.block(|l, out| {
                    let value = Some(l.lower(body, out));
                    l.push(Stmt::Return(Return { value }), range, out);
                });
                lambdas.insert(body, lowering.code(stmts));
            }
        }
        lowering.scan();
        Generators { suspends: lowering.stmts, defs, lambdas }
    }

    pub(crate) fn of_def(&self, def: StmtId) -> Option<&Code> {
        self.defs.get(&def)
    }

    pub(crate) fn of_lambda(&self, body: ExprId) -> Option<&Code> {
        self.lambdas.get(&body)
    }

    /// Tests whether a statement contains a `yield` of the function that it is in.
    pub(super) fn suspends(&self, stmt: StmtId) -> bool {
        self.suspends.get(stmt.index()).is_some_and(|suspends| *suspends)
    }
}

struct Lowering<'a> {
    ast: &'a mut Ast,
    /// By expression and by statement, whether it contains a `yield` of the function that it is in.
    exprs: Vec<bool>,
    stmts: Vec<bool>,
    /// Hidden variables of the function.
    hidden: Vec<Name>,
}

type Out = Vec<StmtId>;

impl Lowering<'_> {
    /// Finds what contains a `yield` among the nodes added since the last time. Children come before their parents.
    fn scan(&mut self) {
        let mut parts = Vec::new();
        for id in self.ast.expr_ids().skip(self.exprs.len().saturating_sub(1)) {
            match *self.ast.expr(id) {
                // A lambda with a `yield` is a generator function of its own.
                Expr::Lambda { params, .. } => {
                    parts.extend(self.ast.list(params).iter().filter_map(|p| p.default));
                }
                _ => self.ast.children(id, &mut parts),
            }
            let is_yield = matches!(self.ast.expr(id), Expr::Yield { .. } | Expr::YieldFrom { .. });
            let yields = parts.drain(..).any(|part| self.yields(part)) || is_yield;
            self.exprs.resize(id.index(), false);
            self.exprs.push(yields);
        }
        for id in self.ast.stmt_ids().skip(self.stmts.len().saturating_sub(1)) {
            self.ast.own_exprs(id, &mut parts);
            let mut suspends = parts.drain(..).any(|part| self.yields(part));
            if !matches!(self.ast.stmt(id), Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
                let mut inner = Vec::new();
                self.ast.inner_stmts(id, &mut inner);
                suspends |= inner.into_iter().any(|stmt| self.suspends(stmt));
            }
            self.stmts.resize(id.index(), false);
            self.stmts.push(suspends);
        }
    }

    fn yields(&self, id: ExprId) -> bool {
        self.exprs.get(id.index()).is_some_and(|yields| *yields)
    }

    fn suspends(&self, id: StmtId) -> bool {
        self.stmts.get(id.index()).is_some_and(|suspends| *suspends)
    }

    fn code(&mut self, body: List<StmtId>) -> Code {
        Code { body, hidden: std::mem::take(&mut self.hidden) }
    }

    /// The statements that `f` makes.
    fn block(&mut self, f: impl FnOnce(&mut Self, &mut Out)) -> List<StmtId> {
        let mut out = Vec::new();
        f(self, &mut out);
        self.ast.add_list(&out)
    }

    fn body(&mut self, body: List<StmtId>) -> List<StmtId> {
        let stmts = self.ast.list(body).to_vec();
        self.block(|l, out| stmts.into_iter().for_each(|id| with_stack(|| l.stmt(id, out))))
    }

    fn push(&mut self, stmt: Stmt, range: TextRange, out: &mut Out) {
        out.push(self.ast.add_stmt(stmt, range));
    }

    /// A new hidden variable.
    fn variable(&mut self, range: TextRange) -> ExprId {
        let name = self.ast.add_name(&format!(".{}", self.hidden.len()));
        self.hidden.push(name);
        self.ast.add_expr(Expr::Name(name), range)
    }

    /// `target = value`
    fn set(&mut self, target: ExprId, value: ExprId, out: &mut Out) {
        let targets = self.ast.add_list(&[target]);
        let range = self.ast.range(value);
        self.push(Stmt::Assign(Assign { targets, value }), range, out);
    }

    /// Sets a hidden variable to a value that may contain a `yield`.
    fn compute(&mut self, variable: ExprId, value: ExprId, out: &mut Out) {
        let value = self.value(value, out);
        self.set(variable, value, out);
    }

    /// Keeps a value in a hidden variable.
    fn keep(&mut self, id: ExprId, out: &mut Out) -> ExprId {
        let range = self.ast.range(id);
        let (value, wrap): (_, fn(ExprId) -> Expr) = match *self.ast.expr(id) {
            Expr::Constant(_) => return id,
            Expr::Name(name) if self.ast.name(name).starts_with('.') => return id,
            Expr::Starred { .. } => {
                let elts = self.ast.add_list(&[id]);
                (self.ast.add_expr(Expr::List { elts }, range), |value| Expr::Starred { value })
            }
            Expr::FormattedValue { .. } => {
                (id, |value| Expr::FormattedValue { value, conversion: None, spec: None })
            }
            _ => {
                let variable = self.variable(range);
                self.set(variable, id, out);
                return variable;
            }
        };
        let variable = self.variable(range);
        self.set(variable, value, out);
        self.ast.add_expr(wrap(variable), range)
    }

    /// `if test: body else: orelse`
    fn branch(&mut self, test: ExprId, body: List<StmtId>, orelse: List<StmtId>, out: &mut Out) {
        let clauses = self.ast.add_list(&[Clause { test, body, place: Default::default() }]);
        let range = self.ast.range(test);
        self.push(Stmt::If(If { clauses, orelse }), range, out);
    }

    /// An expression without a `yield`, after the statements in `out`.
    fn lower(&mut self, id: ExprId, out: &mut Out) -> ExprId {
        if !self.yields(id) {
            return id;
        }
        let range = self.ast.range(id);
        match *self.ast.expr(id) {
            Expr::Yield { .. } | Expr::YieldFrom { .. } => {
                let value = self.operands(id, out);
                let variable = self.variable(range);
                self.set(variable, value, out);
                variable
            }
            Expr::IfExp { test, body, orelse } => {
                let test = self.lower(test, out);
                let result = self.variable(range);
                let [body, orelse] =
                    [body, orelse].map(|value| self.block(|l, out| l.compute(result, value, out)));
                self.branch(test, body, orelse, out);
                result
            }
            Expr::BoolOp { op, values } => {
                let result = self.variable(range);
                for (index, value) in self.ast.list(values).to_vec().into_iter().enumerate() {
                    if index == 0 {
                        self.compute(result, value, out);
                        continue;
                    }
                    let more = self.block(|l, out| l.compute(result, value, out));
                    match op {
                        BoolOp::And => self.branch(result, more, List::EMPTY, out),
                        BoolOp::Or => self.branch(result, List::EMPTY, more, out),
                    }
                }
                result
            }
            Expr::Compare { left, rest } if rest.len() > 1 => {
                let result = self.variable(range);
                let mut left = self.lower(left, out);
                for (index, Comparison { op, right }) in self.ast.list(rest).to_vec().into_iter().enumerate()
                {
                    let mut inner = Vec::new();
                    let into = if index == 0 { &mut *out } else { &mut inner };
                    left = self.keep(left, into);
                    let right = self.lower(right, into);
                    let right = self.keep(right, into);
                    let rest = self.ast.add_list(&[Comparison { op, right }]);
                    let range = TextRange::new(self.ast.range(left).start, self.ast.range(right).end);
                    let compared = self.ast.add_expr(Expr::Compare { left, rest }, range);
                    self.set(result, compared, into);
                    if index > 0 {
                        let inner = self.ast.add_list(&inner);
                        self.branch(result, inner, List::EMPTY, out);
                    }
                    left = right;
                }
                result
            }
            _ => self.operands(id, out),
        }
    }

    /// An expression whose operands have no `yield`. Those before the last `yield` are kept.
    fn operands(&mut self, id: ExprId, out: &mut Out) -> ExprId {
        let mut operands = self.operands_of(id);
        let Some(last) = operands.iter().rposition(|operand| self.yields(*operand)) else { return id };
        for (at, operand) in operands.iter_mut().enumerate() {
            *operand = with_stack(|| self.lower(*operand, out));
            if at < last {
                *operand = self.keep(*operand, out);
            }
        }
        self.ast.add_with_children(id, &operands)
    }

    fn operands_of(&self, id: ExprId) -> Vec<ExprId> {
        let mut operands = Vec::new();
        if !matches!(self.ast.expr(id), Expr::Lambda { .. }) {
            self.ast.children(id, &mut operands);
        }
        operands
    }

    /// The value of an assignment: a `yield`, or an expression without one.
    fn value(&mut self, id: ExprId, out: &mut Out) -> ExprId {
        match self.ast.expr(id) {
            Expr::Yield { .. } | Expr::YieldFrom { .. } => self.operands(id, out),
            _ => self.lower(id, out),
        }
    }

    /// A statement whose header has no `yield`, except as the value of an assignment.
    fn stmt(&mut self, id: StmtId, out: &mut Out) {
        if !self.suspends(id) {
            return out.push(id);
        }
        let range = self.ast.range(id);
        let stmt = match *self.ast.stmt(id) {
            Stmt::Expr(s) => Stmt::Expr(ExprStmt { value: self.value(s.value, out) }),
            Stmt::Return(s) => Stmt::Return(Return { value: s.value.map(|value| self.lower(value, out)) }),
            Stmt::Assign(s) => {
                let targets = self.ast.list(s.targets).to_vec();
                if targets.iter().any(|target| self.yields(*target)) {
                    let value = self.lower(s.value, out);
                    let value = self.keep(value, out);
                    return targets.into_iter().for_each(|target| {
                        let target = self.operands(target, out);
                        self.set(target, value, out);
                    });
                }
                Stmt::Assign(Assign { value: self.value(s.value, out), ..s })
            }
            Stmt::AnnAssign(s) => {
                let value = s.value.map(|value| self.value(value, out));
                return value.into_iter().for_each(|value| self.set(s.target, value, out));
            }
            Stmt::AugAssign(s) => {
                let target = self.operands(s.target, out);
                if !self.yields(s.value) {
                    return self.push(Stmt::AugAssign(AugAssign { target, ..s }), range, out);
                }
                let operands: Vec<_> =
                    self.operands_of(target).into_iter().map(|operand| self.keep(operand, out)).collect();
                let target = self.ast.add_with_children(target, &operands);
                let old = self.variable(range);
                self.set(old, target, out);
                let value = self.lower(s.value, out);
                self.push(Stmt::AugAssign(AugAssign { target: old, op: s.op, value }), range, out);
                return self.set(target, old, out);
            }
            Stmt::Raise(s) => Stmt::Raise(Raise { exc: s.exc.map(|exc| self.lower(exc, out)), ..s }),
            Stmt::Assert(s) => {
                let test = self.lower(s.test, out);
                let failed = self.block(|l, out| {
                    let msg = s.msg.map(|msg| l.lower(msg, out));
                    let test = l.ast.add_expr(Expr::Constant(Constant::Bool(false)), range);
                    l.push(Stmt::Assert(Assert { test, msg }), range, out);
                });
                return self.branch(test, List::EMPTY, failed, out);
            }
            Stmt::If(s) => {
                let clauses = self.ast.list(s.clauses).to_vec();
                return self.clauses(&clauses, s.orelse, range, out);
            }
            Stmt::While(s) if self.yields(s.test) => {
                // goes = True; while goes: if test: body else: goes = False
                let goes = self.variable(range);
                let [yes, no] = [true, false]
                    .map(|value| self.ast.add_expr(Expr::Constant(Constant::Bool(value)), range));
                self.set(goes, yes, out);
                let body = self.body(s.body);
                let stop = self.block(|l, out| l.set(goes, no, out));
                let body = self.block(|l, out| {
                    let test = l.lower(s.test, out);
                    l.branch(test, body, stop, out);
                });
                Stmt::While(While { test: goes, body, orelse: self.body(s.orelse) })
            }
            Stmt::While(s) => {
                Stmt::While(While { body: self.body(s.body), orelse: self.body(s.orelse), ..s })
            }
            Stmt::For(s) => Stmt::For(For {
                iter: self.lower(s.iter, out),
                body: self.body(s.body),
                orelse: self.body(s.orelse),
                ..s
            }),
            Stmt::With(s) => {
                let items = self.ast.list(s.items).to_vec();
                return self.with(&items, s.body, range, out);
            }
            Stmt::Try(s) => {
                let [body, orelse, finalbody] = [s.body, s.orelse, s.finalbody].map(|body| self.body(body));
                let mut handlers = self.ast.list(s.handlers).to_vec();
                handlers.iter_mut().for_each(|handler| handler.body = self.body(handler.body));
                Stmt::Try(Try { body, handlers: self.ast.add_list(&handlers), orelse, finalbody })
            }
            Stmt::Match(s) => {
                let subject = self.lower(s.subject, out);
                let mut cases = self.ast.list(s.cases).to_vec();
                cases.iter_mut().for_each(|case| case.body = self.body(case.body));
                Stmt::Match(Match { subject, cases: self.ast.add_list(&cases) })
            }
            _ => return out.push(id),
        };
        self.push(stmt, range, out);
    }

    /// The rest of an `if`. A clause whose test has a `yield` is an `if` inside the `else` of those before.
    fn clauses(&mut self, clauses: &[Clause], orelse: List<StmtId>, range: TextRange, out: &mut Out) {
        let [first, rest @ ..] = clauses else { return };
        let mut made = vec![Clause { test: self.lower(first.test, out), ..*first }];
        let (flat, nested) =
            rest.split_at(rest.iter().position(|clause| self.yields(clause.test)).unwrap_or(rest.len()));
        made.extend(flat);
        made.iter_mut().for_each(|clause| clause.body = self.body(clause.body));
        let orelse = match nested.is_empty() {
            true => self.body(orelse),
            false => self.block(|l, out| with_stack(|| l.clauses(nested, orelse, range, out))),
        };
        let clauses = self.ast.add_list(&made);
        self.push(Stmt::If(If { clauses, orelse }), range, out);
    }

    /// A `with`: one item, and the others inside it.
    fn with(&mut self, items: &[WithItem], body: List<StmtId>, range: TextRange, out: &mut Out) {
        let [first, rest @ ..] = items else { return };
        let item = WithItem { context: self.lower(first.context, out), ..*first };
        let items = self.ast.add_list(&[item]);
        let body = match rest.is_empty() {
            true => self.body(body),
            false => self.block(|l, out| with_stack(|| l.with(rest, body, range, out))),
        };
        self.push(Stmt::With(With { items, body }), range, out);
    }
}
