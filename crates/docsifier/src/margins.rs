//! Spans and comments beside statements.
//!
//! A statement stands for the first node, among those whose doc it is, that can hold a span: the node that its handler
//! printed, before the sequence that the statement ends. A type can name a field whose span is shown in place of its own
//! ([`DocsifyDialect::span_of_field`](crate::DocsifyDialect::span_of_field)). Lines that stand for no such node (headers,
//! `else:`, attributes) and `return` of a name show no span, since nothing is made there.

use hashbrown::{HashMap, HashSet};
use tvmscript_doc::{Expr, ExprDoc, Stmt, StmtDoc, StmtRole};
use tvmscript_ir_core::span::{CommentedStmt, SpanMark};
use tvmscript_ir_core::type_table::FieldKind;
use tvmscript_ir_core::{FieldRef, Object, SourceComments, Span, Value, for_each_own_child};

use crate::docsifier::Docsifier;
use crate::messages::PathValues;

/// Maximum number of expressions in which the origin of a declaration is searched.
const MAX_PARTS: usize = 16;

/// Adds the requested spans and comments to the margins of all statements.
pub(crate) fn place(d: &mut Docsifier<'_>, root: &Object, roots: &[StmtDoc]) {
    let config = d.config();
    let stmts = d.docs.nested_stmts(roots);
    let mut values = PathValues::new(root);
    let spans: Vec<Option<Span>> = stmts.iter().map(|(stmt, _)| span_of(d, &mut values, *stmt)).collect();
    if let Some(comments) = &config.keep_comments {
        keep(d, &mut values, comments, &stmts, &spans);
    }
    if let Some(texts) = &config.show_spans {
        for ((stmt, _), span) in stmts.iter().zip(spans) {
            if let Some(span) = span {
                d.docs.margin_mut(*stmt).trailing.push(span.to_marker(texts));
            }
            let Stmt::Function(function) = d.docs.stmt(*stmt) else { continue };
            for param in d.docs.stmts(d.docs.function_of(function).args).to_vec() {
                if let Some(span) = role_of_param(d, &mut values, param) {
                    d.docs.margin_mut(param).trailing.push(span.to_marker(texts));
                }
            }
        }
    }
}

/// The span of a parameter that stands for an input or a weight of a model.
fn role_of_param(d: &Docsifier<'_>, values: &mut PathValues, param: StmtDoc) -> Option<Span> {
    let Stmt::Assign { lhs, .. } = d.docs.stmt(param) else { return None };
    let paths = d.docs.paths();
    let mut spans = d.docs.paths_of(lhs).filter_map(|path| match values.get(paths, path) {
        Some(Value::Node(node)) => Some(node.span()),
        _ => None,
    });
    spans.find(|span| span.has_mark(SpanMark::Input) || span.has_mark(SpanMark::Parameter))
}

/// The span of the node that a statement stands for; `None` without such a node.
fn span_of(d: &Docsifier<'_>, values: &mut PathValues, stmt: StmtDoc) -> Option<Span> {
    match d.docs.stmt(stmt) {
        Stmt::Comment | Stmt::DocString => return None,
        Stmt::Return(value) if is_made_elsewhere(d, value) => return None,
        _ if d.docs.role_of(stmt) == StmtRole::DeclareParam => return None,
        _ => {}
    }
    let paths = d.docs.paths();
    let mut nodes = d.docs.paths_of(stmt).filter_map(|path| match values.get(paths, path) {
        Some(Value::Node(node)) => Some(node.clone()),
        _ => None,
    });
    let node = nodes.find(|node| node.info().fields().iter().any(|field| field.kind == FieldKind::Span))?;
    let field = d.table().span_field(node.info()).and_then(|name| node.info().field_index(name));
    let is_value_made_here = match d.docs.stmt(stmt) {
        Stmt::Assign { rhs: Some(value), .. } => !is_made_elsewhere(d, value),
        _ => true,
    };
    let shown = field.map(|index| match node.field(index) {
        FieldRef::Node(part) if is_value_made_here && !d.table().is_variable(part.info()) => part.span(),
        _ => Span::UNKNOWN,
    });
    Some(shown.filter(|span| span.is_known()).unwrap_or_else(|| node.span()))
}

/// Returns `true` for a variable and a part of the metadata section, whose spans are those of their definition.
fn is_made_elsewhere(d: &Docsifier<'_>, mut value: ExprDoc) -> bool {
    let mut is_part = false;
    loop {
        match d.docs.expr(value) {
            Expr::Id(name) => return !is_part || d.docs.text(name) == d.syntax().metadata.variable,
            Expr::Index { value: whole, .. } => (value, is_part) = (whole, true),
            _ => return false,
        }
    }
}

/// Printed statements and the source statements that they come from.
struct Pairs {
    /// By source statement, the printed statement that carries its comments: the first one that comes from it.
    carrier: Vec<Option<StmtDoc>>,
    /// By printed statement, the source statement.
    origin: Vec<Option<usize>>,
}

impl Pairs {
    /// The source statement of a printed one.
    fn origin(&self, index: usize) -> Option<usize> {
        self.origin.get(index).copied().flatten()
    }

    /// Returns `true` if no printed statement comes from a source statement.
    fn is_free(&self, at: usize) -> bool {
        self.carrier.get(at).is_some_and(Option::is_none)
    }

    fn add(&mut self, index: usize, stmt: StmtDoc, at: usize) {
        if let (Some(origin), Some(carrier)) = (self.origin.get_mut(index), self.carrier.get_mut(at)) {
            (*origin, *carrier) = (Some(at), Some(stmt));
        }
    }
}

/// Adds the comments of the source statements that the printed statements come from.
fn keep(
    d: &mut Docsifier<'_>,
    values: &mut PathValues,
    comments: &SourceComments,
    stmts: &[(StmtDoc, Option<usize>)],
    spans: &[Option<Span>],
) {
    let source = comments.stmts();
    let mut pairs = Pairs { carrier: vec![None; source.len()], origin: vec![None; stmts.len()] };
    for (index, (span, (stmt, _))) in spans.iter().zip(stmts).enumerate() {
        let found = span.map(|span| comments.stmts_of(span)).unwrap_or_default();
        if let Some(at) = found.into_iter().find(|at| pairs.is_free(*at)) {
            pairs.add(index, *stmt, at);
        }
    }
    // A statement without span, such as a class, comes from the one around that of its first inner statement.
    let mut inner: HashMap<usize, usize> = HashMap::new();
    for (index, ((stmt, parent), span)) in stmts.iter().zip(spans).enumerate().rev() {
        if pairs.origin(index).is_none()
            && span.is_none()
            && let Some(around) = inner.get(&index).and_then(|at| source.get(*at)?.parent)
            && pairs.is_free(around as usize)
        {
            pairs.add(index, *stmt, around as usize);
        }
        if let (Some(parent), Some(at)) = (parent, pairs.origin(index)) {
            inner.insert(*parent, at);
        }
    }
    // A statement that only declares (`Toy.uses`) comes from where the parts in it do, if that is inside the same statement.
    for (index, (stmt, parent)) in stmts.iter().enumerate() {
        let around = parent.and_then(|parent| pairs.origin(parent));
        let Some(around) = around.filter(|_| pairs.origin(index).is_none()) else { continue };
        let found =
            parts_of(d, values, *stmt).into_iter().flat_map(|span| comments.stmts_of(span)).find(|at| {
                source.get(*at).is_some_and(|stmt| stmt.parent == Some(around as u32)) && pairs.is_free(*at)
            });
        if let Some(at) = found {
            pairs.add(index, *stmt, at);
        }
    }
    match_gaps(d, source, stmts, &mut pairs);
    let own = own_comments(d, stmts);
    let is_kept = |text: &&String| !own.contains(text.as_str());
    // Comments of source statements that are not printed go to the next one that is.
    let mut carried: Vec<String> = Vec::new();
    let mut last = None;
    let mut inside: Vec<bool> = Vec::with_capacity(source.len());
    for (stmt, carrier) in source.iter().zip(pairs.carrier) {
        // Statements follow the ones around them.
        let around = stmt.parent.and_then(|parent| inside.get(parent as usize));
        let is_inside = carrier.is_some() || around == Some(&true);
        inside.push(is_inside);
        let Some(doc) = carrier else {
            if is_inside {
                let all = stmt.above.iter().chain(&stmt.trailing).chain(&stmt.below);
                carried.extend(all.filter(is_kept).cloned());
            }
            continue;
        };
        let margin = d.docs.margin_mut(doc);
        margin.above.append(&mut carried);
        margin.above.extend(stmt.above.iter().filter(is_kept).cloned());
        margin.trailing.extend(stmt.trailing.iter().filter(is_kept).cloned());
        margin.below.extend(stmt.below.iter().filter(is_kept).cloned());
        last = Some(doc);
    }
    if let Some(last) = last {
        d.docs.margin_mut(last).below.append(&mut carried);
    }
}

/// Matches the remaining statements in order, such as `return x`: those between two matched ones, if as many source
/// statements are there.
fn match_gaps(
    d: &Docsifier<'_>,
    source: &[CommentedStmt],
    stmts: &[(StmtDoc, Option<usize>)],
    pairs: &mut Pairs,
) {
    let mut lines: Vec<Vec<(usize, StmtDoc)>> = vec![Vec::new(); stmts.len()];
    for (index, (stmt, parent)) in stmts.iter().enumerate() {
        if let Some(lines) = parent.and_then(|parent| lines.get_mut(parent))
            && !matches!(d.docs.stmt(*stmt), Stmt::Comment | Stmt::DocString)
        {
            lines.push((index, *stmt));
        }
    }
    let mut inside: Vec<Vec<usize>> = vec![Vec::new(); source.len()];
    for (at, stmt) in source.iter().enumerate() {
        if let Some(inside) = stmt.parent.and_then(|parent| inside.get_mut(parent as usize)) {
            inside.push(at);
        }
    }
    for (parent, lines) in lines.iter().enumerate() {
        let Some(sources) = pairs.origin(parent).and_then(|at| inside.get(at)) else { continue };
        let mut next_source = 0;
        let mut gap: Vec<(usize, StmtDoc)> = Vec::new();
        for line in lines.iter().map(Some).chain([None]) {
            let end = match line {
                Some(line) => match pairs.origin(line.0) {
                    Some(at) => sources.partition_point(|source| *source < at),
                    None => {
                        gap.push(*line);
                        continue;
                    }
                },
                None => sources.len(),
            };
            let free = sources.get(next_source..end).unwrap_or_default();
            if free.len() == gap.len() && free.iter().all(|at| pairs.is_free(*at)) {
                for ((line, stmt), at) in gap.iter().zip(free) {
                    pairs.add(*line, *stmt, *at);
                }
            }
            gap.clear();
            next_source = next_source.max(end + 1);
        }
    }
}

/// Comments that the printer writes itself. Those of an earlier print are not kept, or they would double.
fn own_comments(d: &Docsifier<'_>, stmts: &[(StmtDoc, Option<usize>)]) -> HashSet<String> {
    let texts = stmts.iter().filter_map(|(stmt, _)| d.docs.comment_of(*stmt));
    texts.flat_map(str::lines).map(str::to_owned).collect()
}

/// Spans of the parts of an assignment's sides, or of a call's arguments.
fn parts_of(d: &Docsifier<'_>, values: &mut PathValues, stmt: StmtDoc) -> Vec<Span> {
    let mut exprs: Vec<ExprDoc> = match d.docs.stmt(stmt) {
        Stmt::Assign { lhs, rhs, .. } => [lhs].into_iter().chain(rhs).collect(),
        Stmt::ExprStmt(expr) => vec![expr],
        _ => return Vec::new(),
    };
    let mut spans = Vec::new();
    let mut next = 0;
    while let Some(&expr) = exprs.get(next).filter(|_| next < MAX_PARTS) {
        next += 1;
        for path in d.docs.paths_of(expr) {
            if let Some(Value::Node(node)) = values.get(d.docs.paths(), path) {
                spans.push(node.span());
                for_each_own_child(node, |child| spans.push(child.span()));
            }
        }
        match d.docs.expr(expr) {
            Expr::Tuple(items) | Expr::List(items) => exprs.extend(d.docs.items(items)),
            Expr::Call(call) => exprs.extend(d.docs.items(d.docs.call_of(call).args)),
            _ => {}
        }
    }
    spans.retain(|span| span.is_known());
    spans
}
