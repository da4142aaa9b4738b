//! The record of a schedule as a table, which prints in a terminal and reads back.

use std::fmt::{self, Write as _};

use hashbrown::HashMap;
use tvmscript_ir_core::{PtrMap, Ref, Str};
use tvmscript_prim::{Expr, IntImm, Var};
use tvmscript_tir::{IterType, IterVar};

use crate::error::{Result, TeError};
use crate::schedule::{RecordArgument, Schedule};
use crate::stage::{Stage, StageId, name};

/// Titles of the columns.
const TITLES: [&str; 5] = ["record", "primitive", "stage", "arguments", "loops"];

/// The primitives of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Table {
    /// One row per record.
    pub rows: Vec<Row>,
}

/// A record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Its number.
    pub record: usize,
    /// The primitive.
    pub primitive: String,
    /// The stage that it changed.
    pub stage: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The loops of the stage afterwards.
    pub loops: Vec<String>,
}

impl Table {
    /// The record of a schedule. `text` prints expressions.
    pub fn of(schedule: &Schedule, text: impl Fn(&Expr) -> String) -> Table {
        let rows = schedule.record().iter().enumerate().map(|(number, record)| {
            let named = |name: &Str| {
                record.schedule.stages().map(|(_, stage)| stage).find(|stage| stage.op.name == *name)
            };
            let stage = record.stage.as_ref().and_then(named);
            let own = stage.map(labels).unwrap_or_default();
            let iter = |iter: &Ref<IterVar>, labels: &PtrMap<String>| match labels.get(iter.object()) {
                Some(label) => label.clone(),
                None => name(iter).to_string(),
            };
            let argument = |argument: &RecordArgument| match argument {
                RecordArgument::Iter(one) => vec![iter(one, &own)],
                RecordArgument::At(parent, one) => {
                    vec![parent.to_string(), iter(one, &named(parent).map(labels).unwrap_or_default())]
                }
                RecordArgument::Expr(expr) => vec![text(expr)],
                RecordArgument::Text(text) => vec![text.to_string()],
                RecordArgument::Thread(thread) => vec![thread.thread_tag.to_string()],
            };
            Row {
                record: number,
                primitive: record.primitive.to_owned(),
                stage: record.stage.as_ref().map_or_else(String::new, Str::to_string),
                arguments: record.arguments.iter().flat_map(argument).collect(),
                loops: stage.map_or_else(Vec::new, |stage| {
                    stage.leaf_iters.iter().map(|one| iter(one, &own)).collect()
                }),
            }
        });
        Table { rows: rows.collect() }
    }

    /// The record of a schedule of TIR: the calls of its trace, each with its results.
    pub fn of_tir(schedule: &tvmscript_schedule::Schedule) -> Table {
        let rows = schedule.recorded_calls().into_iter().enumerate().map(|(number, (record, line))| {
            let line = line.as_deref().unwrap_or_default();
            let (results, call) =
                line.split_once(" = ").filter(|(_, call)| call.starts_with("sch.")).unwrap_or(("", line));
            let results =
                results.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
            Row {
                record: number,
                primitive: record.primitive.to_owned(),
                arguments: Some(call.to_owned()).filter(|call| !call.is_empty()).into_iter().collect(),
                loops: results.collect(),
                ..Row::default()
            }
        });
        Table { rows: rows.collect() }
    }

    /// Reads a printed table. Other lines, and the titles, are ignored.
    ///
    /// # Errors
    /// If a row has a wrong number of columns.
    pub fn parse(text: &str) -> Result<Table> {
        let mut rows = Vec::new();
        for line in text.lines() {
            let cells: Vec<String> = split(line, '|');
            let Some(Ok(record)) = cells.first().map(|cell| cell.trim().parse::<usize>()) else { continue };
            let [_, primitive, stage, arguments, loops] = cells.as_slice() else {
                let message = format!("expected {} columns, found {}: `{line}`", TITLES.len(), cells.len());
                return Err(TeError::Node(message));
            };
            let plain = |cell: &str| unescape(cell.trim());
            let items = |cell: &str| match cell.trim() {
                "" => Vec::new(),
                items => split(items, ',').iter().map(|item| plain(item)).collect(),
            };
            let (arguments, loops) = (items(arguments), items(loops));
            rows.push(Row { record, primitive: plain(primitive), stage: plain(stage), arguments, loops });
        }
        Ok(Table { rows })
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |items: &[String]| items.iter().map(|item| escape(item)).collect::<Vec<_>>().join(", ");
        let rows = self.rows.iter().map(|row| {
            let Row { record, primitive, stage, arguments, loops } = row;
            [record.to_string(), escape(primitive), escape(stage), list(arguments), list(loops)]
        });
        let rows: Vec<[String; 5]> = rows.collect();
        let widths: Vec<usize> = TITLES
            .iter()
            .enumerate()
            .map(|(at, title)| {
                let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count());
                cells.fold(title.len(), usize::max)
            })
            .collect();
        let line = |cells: &[String]| {
            let mut line = String::new();
            for (at, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                let _ = write!(line, "{}{cell:width$}", if at == 0 { "" } else { " | " });
            }
            line.trim_end().to_owned()
        };
        writeln!(f, "{}", line(&TITLES.map(str::to_owned)))?;
        writeln!(f, "{}", widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("-+-"))?;
        rows.iter().try_for_each(|row| writeln!(f, "{}", line(row)))
    }
}

/// The names of the iteration variables of a stage, with numbers where several have one name.
fn labels(stage: &Stage) -> PtrMap<String> {
    let mut counts: HashMap<Str, usize> = HashMap::new();
    for iter in &stage.all_iters {
        *counts.entry(name(iter)).or_default() += 1;
    }
    let label = |(at, iter): (usize, &Ref<IterVar>)| {
        let own = name(iter);
        let label = match counts.get(&own) {
            Some(2..) => format!("{own}#{at}"),
            _ => own.to_string(),
        };
        (iter.object().clone(), label)
    };
    stage.all_iters.iter().enumerate().map(label).collect()
}

/// A text with the separators of the table escaped, and those of lists if it would not read back as one item.
fn escape(text: &str) -> String {
    let is_item = split(text, ',').len() == 1 && !text.is_empty() && is_balanced(text);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\\' | '|' => out.extend(['\\', c]),
            ',' | '(' | ')' | '[' | ']' | '"' if !is_item => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// Tests whether brackets and quotes are closed.
fn is_balanced(text: &str) -> bool {
    let mut nesting = Nesting::default();
    text.chars().all(|c| nesting.enter(c)) && nesting.is_outside()
}

/// Brackets and quotes around a character.
#[derive(Default)]
struct Nesting {
    depth: usize,
    is_quoted: bool,
}

impl Nesting {
    /// Takes a character; `false` if it closes a bracket that is not open.
    fn enter(&mut self, c: char) -> bool {
        match c {
            '"' => self.is_quoted = !self.is_quoted,
            '(' | '[' if !self.is_quoted => self.depth += 1,
            ')' | ']' if !self.is_quoted => match self.depth.checked_sub(1) {
                Some(depth) => self.depth = depth,
                None => return false,
            },
            _ => {}
        }
        true
    }

    fn is_outside(&self) -> bool {
        self.depth == 0 && !self.is_quoted
    }
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().map(|c| if c == 'n' { '\n' } else { c })),
            c => out.push(c),
        }
    }
    out
}

/// Splits at separators that are neither escaped nor, in lists, inside brackets or quotes; the parts keep their escapes.
fn split(text: &str, separator: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut nesting = Nesting::default();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == separator && (separator == '|' || nesting.is_outside()) {
            parts.push(String::new());
            continue;
        }
        let Some(part) = parts.last_mut() else { break };
        part.push(c);
        if c == '\\' {
            part.extend(chars.next());
        } else {
            nesting.enter(c);
        }
    }
    parts
}

impl Schedule {
    /// Applies the primitives of a table to a plain schedule of the same operations.
    ///
    /// # Errors
    /// If a primitive does not apply, is one of a cache, or has a factor that is not an integer.
    pub fn apply_table(&mut self, table: &Table) -> Result<()> {
        table.rows.iter().filter(|row| row.primitive != "vanilla").try_for_each(|row| self.apply_row(row))
    }

    fn apply_row(&mut self, row: &Row) -> Result<()> {
        let stage = self.stage_named(&row.stage)?;
        let argument = |at: usize| {
            let missing =
                || TeError::Node(format!("record {}: `{}` needs more arguments", row.record, row.primitive));
            row.arguments.get(at).map(String::as_str).ok_or_else(missing)
        };
        let known = self.iters_named(stage);
        let iter = |at: usize| iter_of(&known, argument(at)?);
        let iters = || (0..row.arguments.len()).map(iter).collect::<Result<Vec<_>>>();
        let int = |at: usize| -> Result<Expr> {
            let text = argument(at)?;
            let value = text.parse().map_err(|_| TeError::Node(format!("`{text}` is not an integer")))?;
            Ok(IntImm::int32(value))
        };
        match row.primitive.as_str() {
            "split" => self.split(stage, &iter(0)?, int(1)?).map(drop),
            "split_by_nparts" => self.split_by_nparts(stage, &iter(0)?, int(1)?).map(drop),
            "fuse" => self.fuse(stage, &iters()?).map(drop),
            "reorder" => self.reorder(stage, &iters()?),
            "vectorize" => self.vectorize(stage, &iter(0)?),
            "parallel" => self.parallel(stage, &iter(0)?),
            "unroll" => self.unroll(stage, &iter(0)?),
            "pragma" => self.pragma(stage, &iter(0)?, argument(1)?.into(), int(2)?),
            "bind" => {
                let tag = argument(1)?;
                let var = Var::new(tag, tvmscript_ir_core::DataType::INT32);
                let thread = IterVar::try_new(None, var, IterType::ThreadIndex, tag.into())?;
                self.bind(stage, &iter(0)?, &thread)
            }
            "compute_at" => {
                let parent = self.stage_named(argument(0)?)?;
                self.compute_at(stage, parent, &iter_of(&self.iters_named(parent), argument(1)?)?)
            }
            "compute_inline" => self.compute_inline(stage),
            "compute_root" => self.compute_root(stage),
            "set_scope" => self.set_scope(stage, argument(0)?),
            other => Err(TeError::Node(format!("record {}: there is no primitive `{other}`", row.record))),
        }
    }

    fn stage_named(&self, name: &str) -> Result<StageId> {
        let found = self.stages().find(|(_, stage)| stage.op.name.as_str() == name);
        found.map(|(id, _)| id).ok_or_else(|| TeError::NoStage { name: name.into() })
    }

    /// The iteration variables of a stage by their labels.
    fn iters_named(&self, stage: StageId) -> HashMap<String, Ref<IterVar>> {
        let Some(stage) = self.stage(stage) else { return HashMap::new() };
        let mut labels = labels(stage);
        let named = |iter: &Ref<IterVar>| Some((labels.remove(iter.object())?, iter.clone()));
        stage.all_iters.iter().filter_map(named).collect()
    }
}

fn iter_of(iters: &HashMap<String, Ref<IterVar>>, label: &str) -> Result<Ref<IterVar>> {
    let missing = || TeError::Node(format!("there is no iteration variable `{label}`"));
    iters.get(label).cloned().ok_or_else(missing)
}
