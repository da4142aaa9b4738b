//! The statements of a function for one of its calls.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tvmscript_ir_core::names::UniqueNames;
use tvmscript_python_syntax::ast::{Ast, Constant, Expr, ExprId, Name, ParamKind, Stmt, StmtId, UnaryOp};
use tvmscript_python_syntax::walk::{exprs_in, names_bound_by};

use super::budget::Budget;
use super::edits::Edits;
use super::scopes::{Found, Kind, Scopes, ScriptFunction, blocks};

/// An argument of a call, as text of the script.
#[derive(Debug, Clone)]
pub(super) struct Argument {
    pub(super) text: String,
    /// `true` for names, literals, calls: text that needs no parentheses.
    pub(super) is_atom: bool,
    /// `true` if evaluating it twice may build more than once.
    pub(super) has_calls: bool,
}

/// The replacement of a call.
#[derive(Debug)]
pub(super) struct Inlined {
    /// The lines before the statement with the call, without its indentation.
    pub(super) before: Vec<String>,
    /// The result; `None` without one.
    pub(super) value: Option<(String, bool)>,
}

/// Reason for which a call stays.
pub(super) type Reason = String;

/// The text and syntax tree of one round.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) ast: &'t Ast,
    pub(super) text: &'t str,
}

impl<'t> Source<'t> {
    pub(super) fn range(self, id: ExprId) -> Range<usize> {
        self.ast.range(id).to_usize()
    }

    pub(super) fn slice(self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or("")
    }

    /// The text before an offset in its line.
    pub(super) fn line_start(self, offset: usize) -> &'t str {
        let before = self.slice(0..offset);
        before.get(before.rfind('\n').map_or(0, |end| end + 1)..).unwrap_or("")
    }

    /// Tests whether an expression needs no parentheses as an operand or before `.` and `[`.
    pub(super) fn is_atom(self, id: ExprId) -> bool {
        match *self.ast.expr(id) {
            Expr::Name(_) | Expr::Call { .. } | Expr::Attribute { .. } | Expr::Subscript { .. } => true,
            Expr::List { .. } | Expr::Dict { .. } | Expr::Set { .. } | Expr::ListComp { .. } => true,
            Expr::Constant(Constant::None | Constant::Bool(_) | Constant::Ellipsis) => true,
            Expr::Constant(Constant::Int(_) | Constant::Float(_)) => true,
            // Adjacent literals are one constant.
            Expr::Constant(Constant::Str(_)) => {
                let text = self.slice(self.range(id));
                matches!(text.as_bytes(), [quote @ (b'"' | b'\''), inner @ .., end] if quote == end && !inner.contains(quote))
            }
            Expr::Tuple { .. } => self.slice(self.range(id)).starts_with('('),
            _ => false,
        }
    }
}

/// The parts of a function that do not depend on the call.
struct Body {
    /// The statements behind the documentation string, without a `return` at the end.
    statements: Vec<StmtId>,
    returned: Option<ExprId>,
    /// All expressions, also those of nested statements.
    exprs: Vec<ExprId>,
    /// The names that the statements bind.
    bound: HashSet<Name>,
}

/// The script around a call.
pub(super) struct Site<'s> {
    pub(super) script: &'s ScriptFunction,
    /// The module of its decorator: `T` of `@T.prim_func`.
    pub(super) prefix: &'s str,
    /// The names that variables of a function must not have; it receives those that they get.
    pub(super) used: &'s mut UniqueNames,
    pub(super) budget: &'s mut Budget,
}

/// Returns the statements that stand for a call of a function in a script.
pub(super) fn inline(
    source: Source<'_>,
    scopes: &Scopes,
    found: Found,
    call: (&[Argument], &[(Name, Argument)]),
    Site { script, prefix, used, budget }: Site<'_>,
) -> Result<Inlined, Reason> {
    let ast = source.ast;
    if found.kind == Kind::Decorated {
        return Err("has a decorator".to_owned());
    }
    let is_host = found.kind == Kind::Host;
    budget.text(length(source, found))?;
    let body = body(source, found)?;
    let args = bind(source, found, call)?;
    if args.keys().any(|param| body.bound.contains(param)) {
        return Err("assigns to a parameter".to_owned());
    }
    if is_host && !script.is_tir && !body.statements.is_empty() {
        return Err("has statements of Python, for which Relax has no text".to_owned());
    }
    let is_hygienic = found.kind != Kind::Macro { hygienic: false };
    let mut uses: HashMap<Name, usize> = HashMap::new();
    for id in &body.exprs {
        let Expr::Name(name) = *ast.expr(*id) else { continue };
        *uses.entry(name).or_default() += 1;
        let is_own = args.contains_key(&name) || body.bound.contains(&name);
        if is_hygienic && !is_own && !scopes.is_same(name, found.scope, script.scope) {
            return Err(format!("uses `{}`, which is another name in the script", ast.name(name)));
        }
    }
    let quoted = in_f_strings(source, &body.exprs);
    let mut names: HashMap<Name, (String, bool)> = HashMap::new();
    let mut before = Vec::new();
    let mut bound: Vec<Name> = body.bound.iter().copied().collect();
    bound.sort_unstable_by_key(|name| name.index());
    for name in bound {
        names.insert(name, (used.take(ast.name(name)), true));
    }
    for param in ast.list(found.def.params) {
        let Some(arg) = args.get(&param.name) else { continue };
        let count = uses.get(&param.name).copied().unwrap_or(0);
        let is_quoted = quoted.contains(&param.name) && !is_plain(&arg.text);
        let is_shared = arg.has_calls && (count != 1 || !body.statements.is_empty());
        let by = if is_quoted || is_shared {
            if !script.is_tir {
                return Err(format!("uses `{}` more than once", ast.name(param.name)));
            }
            let variable = used.take(ast.name(param.name));
            before.push(format!("{variable} = {prefix}.meta_var({})", arg.text));
            (variable, true)
        } else {
            (arg.text.clone(), arg.is_atom)
        };
        names.insert(param.name, by);
    }

    for (name, (by, _)) in &names {
        budget.text(by.len().saturating_mul(uses.get(name).copied().unwrap_or(0)))?;
    }
    let mut edits = Edits::default();
    for id in &body.exprs {
        let Expr::Name(name) = *ast.expr(*id) else { continue };
        let Some((by, is_atom)) = names.get(&name) else { continue };
        let range = source.range(*id);
        if source.slice(range.clone()) != ast.name(name) {
            return Err("has a formatted string with a parameter".to_owned());
        }
        let is_whole =
            *is_atom && (!is_number(by) || !source.slice(range.end..source.text.len()).starts_with('.'));
        edits.replace(range, if is_whole { by.clone() } else { format!("({by})") });
    }
    for id in &body.exprs {
        if let Expr::Lambda { params, .. } = *ast.expr(*id) {
            for param in ast.list(params) {
                if let Some((by, _)) = names.get(&param.name) {
                    let start = ast.range(param.place).start as usize;
                    edits.replace(start..start + ast.name(param.name).len(), by.clone());
                }
            }
        }
    }
    if is_host {
        host_statements(source, scopes, found, &body.statements, &mut edits, prefix)?;
    }

    if let (Some(first), Some(last)) = (body.statements.first(), body.statements.last()) {
        let range = ast.range(*first).start as usize..ast.range(*last).end as usize;
        let indent = source.line_start(range.start);
        for (index, line) in edits.apply(source.text, range).split('\n').enumerate() {
            let line = if index == 0 { line } else { line.strip_prefix(indent).unwrap_or(line.trim_start()) };
            before.push(line.to_owned());
        }
    }
    let mut value = body.returned.map(|id| {
        let text = edits.apply(source.text, source.range(id));
        let is_atom = match *ast.expr(id) {
            Expr::Name(name) => names.get(&name).is_none_or(|(_, is_atom)| *is_atom),
            _ => source.is_atom(id),
        };
        (text, is_atom)
    });
    // A macro of Relax binds its result.
    if let Some((text, is_atom)) = &mut value
        && !is_host
        && !script.is_tir
        && !body.returned.is_some_and(|id| matches!(ast.expr(id), Expr::Name(_)))
    {
        let variable = used.take("gv");
        before.push(if *is_atom { format!("{variable} = {text}") } else { format!("{variable} = ({text})") });
        (*text, *is_atom) = (variable, true);
    }
    Ok(Inlined { before, value })
}

/// Number of bytes of the statements of a function.
fn length(source: Source<'_>, found: Found) -> usize {
    let body = source.ast.list(found.def.body);
    let start = body.first().map_or(0, |first| source.ast.range(*first).start);
    let end = body.last().map_or(0, |last| source.ast.range(*last).end);
    end.saturating_sub(start) as usize
}

/// Checks that the statements of a function can stand elsewhere.
fn body(source: Source<'_>, found: Found) -> Result<Body, Reason> {
    let ast = source.ast;
    let mut statements = ast.list(found.def.body).to_vec();
    if let Some(Stmt::Expr(first)) = statements.first().map(|id| *ast.stmt(*id))
        && matches!(ast.expr(first.value), Expr::Constant(Constant::Str(_)))
    {
        statements.remove(0);
    }
    let mut returned = None;
    if let Some(Stmt::Return(last)) = statements.last().map(|id| *ast.stmt(*id)) {
        statements.pop();
        returned = last.value.filter(|value| !matches!(ast.expr(*value), Expr::Constant(Constant::None)));
    }
    if let [only] = statements.as_slice()
        && matches!(ast.stmt(*only), Stmt::Pass)
    {
        statements.clear();
    }
    let mut roots: Vec<ExprId> = returned.into_iter().collect();
    let mut bound = HashSet::new();
    let mut work = statements.clone();
    while let Some(id) = work.pop() {
        match *ast.stmt(id) {
            Stmt::Return(_) => return Err("returns early".to_owned()),
            Stmt::AnnAssign(s) => roots.push(s.annotation),
            ref stmt @ (Stmt::FunctionDef(_)
            | Stmt::ClassDef(_)
            | Stmt::Try(_)
            | Stmt::Raise(_)
            | Stmt::Match(_)
            | Stmt::Import(_)
            | Stmt::ImportFrom(_)
            | Stmt::Global(_)
            | Stmt::Nonlocal(_)
            | Stmt::Unsupported(_)
            | Stmt::Invalid) => return Err(format!("contains {}", stmt.kind().describe())),
            _ => {}
        }
        ast.own_exprs(id, &mut roots);
        bound.extend(names_bound_by(ast, id));
        work.extend(blocks(ast, id).into_iter().flat_map(|body| ast.list(body)));
    }
    let exprs: Vec<ExprId> = roots.into_iter().flat_map(|root| exprs_in(ast, root)).collect();
    for id in &exprs {
        match *ast.expr(*id) {
            Expr::Yield { .. } | Expr::YieldFrom { .. } => return Err("is a generator".to_owned()),
            Expr::Await { .. } => return Err("awaits".to_owned()),
            Expr::BoolOp { .. } | Expr::UnaryOp { op: UnaryOp::Not, .. } if found.kind == Kind::Host => {
                return Err("has `and`, `or` or `not` of Python".to_owned());
            }
            Expr::Compare { rest, .. } if rest.len() > 1 && found.kind == Kind::Host => {
                return Err("has a chain of comparisons of Python".to_owned());
            }
            Expr::NamedExpr { .. } => return Err("assigns in an expression".to_owned()),
            Expr::Lambda { params, .. } => bound.extend(ast.list(params).iter().map(|param| param.name)),
            Expr::ListComp { generators, .. }
            | Expr::SetComp { generators, .. }
            | Expr::DictComp { generators, .. }
            | Expr::GeneratorExp { generators, .. } => {
                for target in ast.list(generators).iter().flat_map(|part| exprs_in(ast, part.target)) {
                    if let Expr::Name(name) = *ast.expr(target) {
                        bound.insert(name);
                    }
                }
            }
            Expr::Constant(Constant::Str(_)) if source.slice(source.range(*id)).contains('\n') => {
                return Err("has a string of several lines".to_owned());
            }
            _ => {}
        }
    }
    Ok(Body { statements, returned, exprs, bound })
}

/// The arguments by parameter.
fn bind(
    source: Source<'_>,
    found: Found,
    (positional, keywords): (&[Argument], &[(Name, Argument)]),
) -> Result<HashMap<Name, Argument>, Reason> {
    let ast = source.ast;
    let mut args = HashMap::new();
    let mut positional = positional.iter();
    for param in ast.list(found.def.params) {
        if matches!(param.kind, ParamKind::VarArgs | ParamKind::KwArgs) {
            return Err("takes any number of arguments".to_owned());
        }
        let by_position = match param.kind {
            ParamKind::KeywordOnly => None,
            _ => positional.next(),
        };
        let by_name = || keywords.iter().find(|(name, _)| *name == param.name).map(|(_, arg)| arg);
        let arg = match (by_position.or_else(by_name), param.default) {
            (Some(arg), _) => arg.clone(),
            (None, Some(default)) if is_constant(ast, default) => Argument {
                text: source.slice(source.range(default)).to_owned(),
                is_atom: source.is_atom(default),
                has_calls: false,
            },
            (None, Some(_)) => {
                return Err(format!("computes the default of `{}`", ast.name(param.name)));
            }
            (None, None) => return Err("is called with other arguments".to_owned()),
        };
        args.insert(param.name, arg);
    }
    Ok(args)
}

/// Replaces what Python code and the body of a TIR function write differently.
fn host_statements(
    source: Source<'_>,
    scopes: &Scopes,
    found: Found,
    statements: &[StmtId],
    edits: &mut Edits,
    prefix: &str,
) -> Result<(), Reason> {
    let ast = source.ast;
    let mut work = statements.to_vec();
    while let Some(id) = work.pop() {
        match *ast.stmt(id) {
            Stmt::Assign(s) => {
                let [target] = ast.list(s.targets) else {
                    return Err("has an assignment to several targets".to_owned());
                };
                let is_variable = |id: &ExprId| matches!(ast.expr(*id), Expr::Name(_));
                let is_bound = match *ast.expr(*target) {
                    Expr::Tuple { elts } => ast.list(elts).iter().all(is_variable),
                    _ => is_variable(target),
                };
                if !is_bound {
                    return Err("assigns to elements or attributes".to_owned());
                }
                let value = source.range(s.value);
                let is_bare = matches!(ast.expr(s.value), Expr::Tuple { .. }) && !source.is_atom(s.value);
                let (open, close) = if is_bare { ("((", "))") } else { ("(", ")") };
                let text = edits.apply(source.text, value.clone());
                edits.replace(value, format!("{prefix}.meta_var{open}{text}{close}"));
            }
            Stmt::For(s) => {
                let is_range = |name| ast.name(name) == "range" && scopes.is_builtin(name, found.scope);
                let Expr::Call { func, .. } = *ast.expr(s.iter) else {
                    return Err("has a loop of Python".to_owned());
                };
                if !s.orelse.is_empty() || !matches!(*ast.expr(func), Expr::Name(name) if is_range(name)) {
                    return Err("has a loop of Python".to_owned());
                }
                edits.replace(source.range(func), format!("{prefix}.static_range"));
            }
            Stmt::If(_) | Stmt::With(_) | Stmt::Expr(_) | Stmt::Pass => {}
            ref stmt => return Err(format!("contains {} of Python", stmt.kind().describe())),
        }
        work.extend(blocks(ast, id).into_iter().flat_map(|body| ast.list(body)));
    }
    Ok(())
}

/// The names in formatted strings.
fn in_f_strings(source: Source<'_>, exprs: &[ExprId]) -> HashSet<Name> {
    let strings = exprs.iter().filter(|id| matches!(source.ast.expr(**id), Expr::JoinedStr { .. }));
    let inner = strings.flat_map(|id| exprs_in(source.ast, *id));
    inner
        .filter_map(|id| match *source.ast.expr(id) {
            Expr::Name(name) => Some(name),
            _ => None,
        })
        .collect()
}

/// Tests whether a text can stand in a formatted string.
fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// A literal or a negated one: its value is the same everywhere.
fn is_constant(ast: &Ast, id: ExprId) -> bool {
    match *ast.expr(id) {
        Expr::Constant(_) => true,
        Expr::UnaryOp { operand, .. } => matches!(ast.expr(operand), Expr::Constant(_)),
        _ => false,
    }
}
