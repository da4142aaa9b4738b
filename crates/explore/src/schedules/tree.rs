//! The schedule tree of a function of TIR: its loops and blocks, a line each, indented by two spaces.
//!
//! Statements that compute have no lines: the text of the function has them.

use std::fmt::Write as _;

use tvmscript_ir_core::{Map, Object, Ref, Registry, Str, Value};
use tvmscript_prim::IntImm;
use tvmscript_te::tedd::text;
use tvmscript_tir::{
    Allocate, AllocateConst, AssertStmt, AttrStmt, Block, BlockRealize, Buffer, BufferRealize, DeclBuffer,
    For, ForKind, IfThenElse, IterType, LetStmt, PrimFunc, SeqStmt, StmtRef, While,
};

/// Maximum number of levels of indentation; deeper lines are at this level.
const MAX_DEPTH: usize = 64;

/// The tree of a function. Other statements than loops, blocks, conditions and allocations are left out.
pub fn tree(function: &Ref<PrimFunc>, registry: &Registry) -> String {
    let mut tree = Tree { registry, lines: String::new(), work: Vec::new() };
    tree.work.push(Work::Stmt(function.body.clone(), 0));
    while let Some(work) = tree.work.pop() {
        match work {
            Work::Line(line, depth) => tree.line(&line, depth),
            Work::Stmt(stmt, depth) => tree.stmt(stmt.object(), depth),
        }
    }
    tree.lines
}

/// A part of the tree that is still to be written.
enum Work {
    Line(String, usize),
    Stmt(StmtRef, usize),
}

struct Tree<'r> {
    registry: &'r Registry,
    lines: String,
    work: Vec<Work>,
}

impl Tree<'_> {
    fn line(&mut self, line: &str, depth: usize) {
        let _ = writeln!(self.lines, "{:width$}{line}", "", width = 2 * depth.min(MAX_DEPTH));
    }

    fn text(&self, node: &Object) -> String {
        text(node, self.registry)
    }

    /// Writes the line of a statement and adds its parts to the work, the last one first.
    fn stmt(&mut self, stmt: &Object, depth: usize) {
        if let Some(seq) = stmt.as_node::<SeqStmt>() {
            self.work.extend(seq.seq.iter().rev().map(|part| Work::Stmt(part.clone(), depth)));
        } else if let Some(node) = stmt.as_node::<For>() {
            let line = self.of_loop(node);
            self.line(&line, depth);
            self.work.push(Work::Stmt(node.body.clone(), depth + 1));
        } else if let Some(realize) = stmt.as_node::<BlockRealize>() {
            self.realize(realize, depth);
        } else if let Some(block) = stmt.as_node::<Block>() {
            self.block(block, "", depth);
        } else if let Some(node) = stmt.as_node::<IfThenElse>() {
            self.line(&format!("if {}", self.text(node.condition.object())), depth);
            if let Some(other) = &node.else_case {
                self.work.push(Work::Stmt(other.clone(), depth + 1));
                self.work.push(Work::Line("else".to_owned(), depth));
            }
            self.work.push(Work::Stmt(node.then_case.clone(), depth + 1));
        } else if let Some(node) = stmt.as_node::<While>() {
            self.line(&format!("while {}", self.text(node.condition.object())), depth);
            self.work.push(Work::Stmt(node.body.clone(), depth + 1));
        } else if let Some(node) = stmt.as_node::<AttrStmt>() {
            let of = node.node.as_object().map_or_else(String::new, |of| format!(" {}", self.text(of)));
            self.line(&format!("attr {}{of} = {}", node.attr_key, self.text(node.value.object())), depth);
            self.work.push(Work::Stmt(node.body.clone(), depth));
        } else if let Some(node) = stmt.as_node::<Allocate>() {
            let extents: Vec<String> = node.extents.iter().map(|extent| self.text(extent.object())).collect();
            self.line(
                &format!("alloc {} ({}) {}", node.buffer_var.name.get(), extents.join(", "), node.dtype),
                depth,
            );
            self.work.push(Work::Stmt(node.body.clone(), depth));
        } else if let Some(node) = stmt.as_node::<BufferRealize>() {
            self.line(&self.allocation(&node.buffer), depth);
            self.work.push(Work::Stmt(node.body.clone(), depth));
        } else if let Some(body) = body(stmt) {
            self.work.push(Work::Stmt(body.clone(), depth));
        }
    }

    fn of_loop(&self, node: &For) -> String {
        let mut bounds = Vec::new();
        if node.min.as_node::<IntImm>().is_none_or(|min| min.value != 0) {
            bounds.push(format!("{}, extent=", self.text(node.min.object())));
        }
        bounds.push(self.text(node.extent.object()));
        let kind = match (&node.thread_binding, node.kind) {
            (Some(thread), _) => thread.thread_tag.as_str(),
            (None, ForKind::Parallel) => "parallel",
            (None, ForKind::Vectorized) => "vectorized",
            (None, ForKind::Unrolled) => "unroll",
            (None, ForKind::ThreadBinding) => "thread",
            (None, ForKind::Serial) => "range",
        };
        let var = node.loop_var.name.get();
        format!("for {var} in {kind}({}){}", bounds.concat(), self.annotations(&node.annotations))
    }

    fn realize(&mut self, realize: &BlockRealize, depth: usize) {
        let is_always = realize.predicate.as_node::<IntImm>().is_some_and(|predicate| predicate.value != 0);
        let condition = if is_always {
            String::new()
        } else {
            format!(" where {}", self.text(realize.predicate.object()))
        };
        self.block(&realize.block, &condition, depth);
    }

    fn block(&mut self, block: &Block, condition: &str, depth: usize) {
        let axes =
            block.iter_vars.iter().map(|axis| format!("{}: {}", axis.var.name.get(), role(axis.iter_type)));
        let axes = Some(axes.collect::<Vec<_>>().join(", ")).filter(|axes| !axes.is_empty());
        let axes = axes.map_or_else(String::new, |axes| format!("({axes})"));
        let named = |regions: &tvmscript_ir_core::Array<Ref<tvmscript_tir::BufferRegion>>, verb: &str| {
            let mut names: Vec<String> = Vec::new();
            for region in regions.iter() {
                let name = region.buffer.name.get().to_string();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            if names.is_empty() { String::new() } else { format!(" {verb} {}", names.join(", ")) }
        };
        let (reads, writes) = (named(&block.reads, "reads"), named(&block.writes, "writes"));
        let annotations = self.annotations(&block.annotations);
        self.line(&format!("block {}{axes}{reads}{writes}{condition}{annotations}", block.name_hint), depth);
        for buffer in block.alloc_buffers.iter() {
            self.line(&self.allocation(buffer), depth + 1);
        }
        self.work.push(Work::Stmt(block.body.clone(), depth + 1));
        if let Some(init) = &block.init {
            self.work.push(Work::Stmt(init.clone(), depth + 2));
            self.work.push(Work::Line("init".to_owned(), depth + 1));
        }
    }

    fn allocation(&self, buffer: &Buffer) -> String {
        let shape: Vec<String> = buffer.shape.iter().map(|dim| self.text(dim.object())).collect();
        format!("alloc {} ({}) {} {}", buffer.name.get(), shape.join(", "), buffer.dtype, buffer.scope())
    }

    fn annotations(&self, annotations: &Map<Str, Value>) -> String {
        let value = |value: &Value| match (value.as_int(), value.as_str(), value.as_object()) {
            (Some(number), ..) => number.to_string(),
            (_, Some(text), _) => format!("{text:?}"),
            (.., Some(node)) => self.text(node),
            _ => "...".to_owned(),
        };
        let entries: Vec<String> =
            annotations.iter().map(|(key, of)| format!("{key}={}", value(of))).collect();
        if entries.is_empty() { String::new() } else { format!(" [{}]", entries.join(", ")) }
    }
}

/// The body of a statement that has no line.
fn body(stmt: &Object) -> Option<&StmtRef> {
    stmt.as_node::<LetStmt>()
        .map(|node| &node.body)
        .or_else(|| stmt.as_node::<DeclBuffer>().map(|node| &node.body))
        .or_else(|| stmt.as_node::<AllocateConst>().map(|node| &node.body))
        .or_else(|| stmt.as_node::<AssertStmt>().map(|node| &node.body))
}

/// The letter of an axis, as in `T.axis.remap("SR", ..)`, or a word.
fn role(kind: IterType) -> &'static str {
    match kind {
        IterType::DataPar => "S",
        IterType::CommReduce => "R",
        IterType::ThreadIndex => "thread",
        IterType::Ordered => "scan",
        IterType::Unrolled => "unrolled",
        IterType::Vectorized => "vectorized",
        IterType::Parallelized => "parallel",
        IterType::Tensorized => "tensorized",
        IterType::Opaque => "opaque",
    }
}
