//! Placement of underlines and comments requested for parts of the root.
//!
//! Requests are made by path or by node. A statement gets the comment for its node when it is made. The remaining
//! requests are placed after all docs are made: a part without text is looked up under other paths to the same node,
//! and else falls back to its nearest printed ancestor; the comment then names the part.

use std::collections::HashMap;
use std::ops::Range;

use hashbrown::HashSet;
use tvmscript_doc::python::{self, PythonOptions};
use tvmscript_doc::{DocArena, SourceMap, Stmt, StmtDoc, StmtRole};
use tvmscript_ir_core::containers::{ArrayNode, MapNode};
use tvmscript_ir_core::shared::Visited;
use tvmscript_ir_core::type_table::Shape;
use tvmscript_ir_core::vectors::{entry, reverse_above};
use tvmscript_ir_core::{AccessPath, FieldRef, Object, PathId, PathStep, PathTable, Value};

use crate::docsifier::Docsifier;
use crate::error::DocsifyResult;

/// The state of the requests of one print.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    /// Nodes to underline, by index in the options, with the paths at which they were printed.
    pub(crate) underlined: Vec<(usize, PathId)>,
    /// Nodes to annotate, by index in the options, with the first path at which each was printed.
    pub(crate) printed_objects: HashMap<usize, PathId>,
    /// Indices of the nodes whose comment is placed.
    pub(crate) placed_objects: HashSet<usize>,
    /// Indices of the paths whose comment is placed.
    pub(crate) placed_paths: HashSet<usize>,
    /// All paths to underline, once placed.
    pub(crate) to_underline: Vec<AccessPath>,
}

/// Places the remaining requests for a print of `root` with the statements `stmts`.
///
/// # Errors
/// Errors of printing the text.
pub(crate) fn place(
    d: &mut Docsifier<'_>,
    root: &Object,
    stmts: &[StmtDoc],
    options: &PythonOptions,
) -> DocsifyResult<()> {
    let parts = PrintedParts::new(&d.docs, root);
    let config = d.config();
    let mut underline = config.path_to_underline.clone();
    let messages = std::mem::take(&mut d.messages);
    let to_path = |path: &PathId| d.docs.paths().to_path(*path);
    underline.extend(messages.underlined.iter().map(|(_, path)| to_path(path)));
    for (index, object) in config.obj_to_underline.iter().enumerate() {
        if !messages.underlined.iter().any(|(found, _)| *found == index) {
            underline.extend(path_to(root, object));
        }
    }
    let mut comments: Vec<(AccessPath, &str)> = Vec::new();
    for (index, (path, text)) in config.path_to_annotate.iter().enumerate() {
        if !messages.placed_paths.contains(&index) {
            comments.push((path.clone(), text));
        }
    }
    for (index, (object, text)) in config.obj_to_annotate.iter().enumerate() {
        if !messages.placed_objects.contains(&index) {
            let path = messages.printed_objects.get(&index).map(to_path).or_else(|| path_to(root, object));
            comments.extend(path.map(|path| (path, text.as_str())));
        }
    }
    let mut underline: Vec<AccessPath> =
        underline.into_iter().map(|path| parts.printed(d.docs.paths(), root, path)).collect();
    underline.extend(
        config
            .path_to_underline_if_printed
            .iter()
            .filter_map(|path| parts.itself(d.docs.paths(), root, path)),
    );
    if !comments.is_empty() {
        let comments: Vec<_> = comments
            .into_iter()
            .map(|(path, text)| (parts.printed(d.docs.paths(), root, path.clone()), path, text))
            .collect();
        let block = d.docs.block(stmts);
        let (_, map) = python::print_mapped(&d.docs, block, options)?;
        for (printed, asked, text) in comments {
            comment(d, stmts, &map, &printed, &asked, text);
        }
    }
    d.messages = Messages { to_underline: underline, ..messages };
    Ok(())
}

/// Adds a comment to the statement that contains the text of a part.
fn comment(
    d: &mut Docsifier<'_>,
    stmts: &[StmtDoc],
    map: &SourceMap,
    printed: &AccessPath,
    asked: &AccessPath,
    text: &str,
) {
    let ranges = map.ranges_of(&d.docs, printed);
    let around = ranges.first().and_then(|range| statement_around(d, map, range));
    let Some(stmt) = around.or_else(|| stmts.last().copied()) else { return };
    let whole = &asked.steps[..];
    let own = d.docs.paths_of(stmt).map(|path| d.docs.paths().to_path(path).steps);
    let own = own.filter(|steps| whole.starts_with(steps)).map(|steps| steps.len()).max().unwrap_or(0);
    let part: String = whole.iter().skip(own).map(PathStep::to_string).collect();
    let part = part.strip_prefix('.').unwrap_or(&part);
    let message = if part.is_empty() { text.to_owned() } else { format!("{part}: {text}") };
    d.add_message(stmt, &message);
}

/// The innermost statement that contains a range and may have a comment.
fn statement_around(d: &Docsifier<'_>, map: &SourceMap, range: &Range<usize>) -> Option<StmtDoc> {
    let around = map.statements().iter().filter(|(at, _)| at.start <= range.start && range.end <= at.end);
    around.map(|(_, stmt)| *stmt).rfind(|stmt| d.docs.role_of(*stmt) != StmtRole::DeclareParam)
}

impl Docsifier<'_> {
    /// Adds a message to the comment of a statement: on a line of its own above a statement with a body, else after the
    /// existing comment at the end of the line.
    pub(crate) fn add_message(&mut self, stmt: StmtDoc, text: &str) {
        let is_inline = matches!(
            self.docs.stmt(stmt),
            Stmt::Assign { .. }
                | Stmt::ExprStmt(_)
                | Stmt::Assert { .. }
                | Stmt::Return(_)
                | Stmt::Break
                | Stmt::Continue
        );
        match self.docs.comment_of(stmt).filter(|_| is_inline) {
            Some(before) => {
                let joined = format!("{before}; {text}");
                self.docs.set_comment(stmt, Some(&joined));
            }
            None => self.docs.add_comment(stmt, text),
        }
    }
}

/// The parts of the root that have text.
#[derive(Debug)]
pub(crate) struct PrintedParts {
    /// Paths of docs, by the address of the node that holds the part and a hash of the last step.
    by_holder: HashMap<(usize, u64), Vec<PathId>>,
}

impl PrintedParts {
    pub(crate) fn new(docs: &DocArena, root: &Object) -> PrintedParts {
        let table = docs.paths();
        let mut values = PathValues::new(root);
        let mut parts = PrintedParts { by_holder: HashMap::new() };
        for (_, path) in docs.docs_with_paths() {
            let Some((parent, step)) = table.parent(path) else { continue };
            if let Some(Value::Node(holder)) = values.get(table, parent) {
                parts.by_holder.entry((holder.address(), step_word(step))).or_default().push(path);
            }
        }
        parts
    }

    /// The path, if it leads to a part with text.
    fn itself(&self, table: &PathTable, root: &Object, path: &AccessPath) -> Option<AccessPath> {
        let (step, around) = path.steps.split_last()?;
        let holders = holders(root, path);
        let holder = holders.get(around.len())?;
        let found = self.by_holder.get(&(holder.address(), step_word(step)))?;
        found.iter().any(|at| table.to_path(*at) == *path).then(|| path.clone())
    }

    /// The path itself if a node along it has text at this path; else the equivalent path through the innermost node
    /// that has text elsewhere.
    pub(crate) fn printed(&self, table: &PathTable, root: &Object, path: AccessPath) -> AccessPath {
        let holders = holders(root, &path);
        for (depth, step) in path.steps.iter().enumerate().rev() {
            let Some(holder) = holders.get(depth) else { continue };
            let Some(found) = self.by_holder.get(&(holder.address(), step_word(step))) else { continue };
            let mut elsewhere = None;
            for at in found.iter().filter(|at| table.parent(**at).is_some_and(|(_, last)| last == step)) {
                let other = table.to_path(*at);
                if Some(&other.steps[..]) == path.steps.get(..=depth) {
                    return path;
                }
                elsewhere.get_or_insert(other);
            }
            if let Some(mut other) = elsewhere {
                other.steps.extend(path.steps.iter().skip(depth + 1).cloned());
                return other;
            }
        }
        path
    }
}

/// A hash of a step.
fn step_word(step: &PathStep) -> u64 {
    match step {
        PathStep::Field(name) => {
            name.bytes().fold(0, |word, byte| (word * 31 + u64::from(byte)) & (u64::MAX >> 6))
        }
        PathStep::Index(index) => u64::from(*index),
        _ => u64::MAX,
    }
}

/// A memo of the values at the paths of a table; each step is followed once.
pub(crate) struct PathValues {
    /// By path; the inner `None` is a path that leads nowhere.
    values: Vec<Option<Option<Value>>>,
}

impl PathValues {
    pub(crate) fn new(root: &Object) -> PathValues {
        PathValues { values: vec![Some(Some(Value::Node(root.clone())))] }
    }

    pub(crate) fn get(&mut self, table: &PathTable, path: PathId) -> Option<&Value> {
        let mut open = Vec::new();
        let mut at = path;
        while self.values.get(at.index()).is_none_or(Option::is_none) {
            open.push(at);
            let Some((parent, _)) = table.parent(at) else { break };
            at = parent;
        }
        for at in open.into_iter().rev() {
            let value = table.parent(at).and_then(|(parent, step)| {
                let holder = self.values.get(parent.index())?.as_ref()?.as_ref()?.as_object()?;
                step.follow(holder)
            });
            *entry(&mut self.values, at.index()) = Some(value);
        }
        self.values.get(path.index())?.as_ref()?.as_ref()
    }
}

/// The nodes along a path, starting with the root, as far as it leads.
fn holders(root: &Object, path: &AccessPath) -> Vec<Object> {
    let mut holders = vec![root.clone()];
    for step in &path.steps {
        let next = holders.last().and_then(|at| step.follow(at));
        match next {
            Some(Value::Node(node)) => holders.push(node),
            _ => break,
        }
    }
    holders
}

/// The first path to a node, in field order.
pub(crate) fn path_to(root: &Object, wanted: &Object) -> Option<AccessPath> {
    let mut visited = Visited::default();
    let mut nodes: Vec<(Object, Option<(usize, PathStep)>)> = vec![(root.clone(), None)];
    let mut stack = vec![0usize];
    while let Some(at) = stack.pop() {
        let Some((node, _)) = nodes.get(at).cloned() else { continue };
        if node.ptr_eq(wanted) {
            let mut steps = Vec::new();
            let mut at = at;
            while let Some((before, step)) = nodes.get(at).and_then(|(_, found)| found.clone()) {
                steps.push(step);
                at = before;
            }
            steps.reverse();
            return Some(AccessPath { steps });
        }
        if !visited.is_first(&node) {
            continue;
        }
        let first = stack.len();
        for (step, child) in children(&node) {
            stack.push(nodes.len());
            nodes.push((child, Some((at, step))));
        }
        reverse_above(&mut stack, first);
    }
    None
}

fn children(node: &Object) -> Vec<(PathStep, Object)> {
    let as_object = |value: &Value| value.as_object().cloned();
    match node.info().shape() {
        Shape::Fields => {
            let fields = node.info().fields().iter().enumerate();
            fields
                .filter_map(|(index, field)| match node.field(index) {
                    FieldRef::Node(child) => Some((PathStep::Field(field.name), child.clone())),
                    _ => None,
                })
                .collect()
        }
        Shape::Array => {
            let items = node.as_node::<ArrayNode>().map_or(&[][..], ArrayNode::items).iter().enumerate();
            items.filter_map(|(i, item)| Some((PathStep::Index(i as u32), as_object(item)?))).collect()
        }
        Shape::Map => {
            let entries = node.as_node::<MapNode>().into_iter().flat_map(MapNode::entries);
            entries
                .flat_map(|(key, value)| {
                    let key = key.value();
                    let itself = as_object(key).map(|node| (PathStep::KeyItself(key.clone()), node));
                    let value = as_object(value).map(|node| (PathStep::Key(key.clone()), node));
                    itself.into_iter().chain(value)
                })
                .collect()
        }
        Shape::Str | Shape::Tensor => Vec::new(),
    }
}
