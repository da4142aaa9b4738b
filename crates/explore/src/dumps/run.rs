//! A run of a page from a dump.
//!
//! Texts of dumps have no spans into a common source, so the first text is the source, and lines of later texts inherit the
//! origins of the lines that they come from by comparison. Each text is read and split into functions once; only functions whose
//! text differs are compared.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Object, structural_hash};
use tvmscript_pass::instrument::source_coverage;

use super::parts::{PartText, parts};
use super::{Dump, Item};
use crate::comparison::{
    Fingerprint, Ir, Matched, Piece, Words, key, lines_of, matched_lines, of_matched, paired,
    version_hunks_by,
};
use crate::page::{Change, Hunk, Origin, Part, Run, Store, Version};

/// Maximum number of origins of a line.
const MAX_ORIGINS: usize = 64;
/// Number of texts whose IR is kept for comparisons.
const KEPT_IR: usize = 4;
/// Lines with fewer bytes are too common to be recognised in another function.
const MIN_LINE_BYTES: usize = 8;

/// A run with the contents of its versions, which [`crate::comparison::parting`] compares.
#[derive(Debug)]
pub struct ReadRun {
    /// The run.
    pub run: Run,
    /// Contents by version.
    pub fingerprints: Vec<Fingerprint>,
}

/// Makes the run of this index of a dump. `parse` reads a script; its error is shown with the text.
pub fn run(
    dump: &Dump,
    index: u32,
    store: &mut Store,
    parse: &dyn Fn(&str) -> Result<Object, String>,
) -> ReadRun {
    let (read, kept, matched) = (HashMap::new(), Vec::new(), HashMap::new());
    let mut reader = Reader { dump, index, store, parse, read, kept, matched };
    let mut run = Run { name: dump.name.clone(), ..Run::default() };
    let mut fingerprints = Vec::new();
    let mut states: Vec<Rc<State>> = Vec::new();
    for (number, item) in dump.items.iter().enumerate() {
        let last = number.checked_sub(1).and_then(|last| dump.items.get(last).zip(states.get(last)));
        let facts = reader.facts(item);
        let (state, hunks) = match last {
            Some((last, state)) if last.text == item.text => (state.clone(), Vec::new()),
            _ => {
                let base = item.base.or(last.map(|_| 0)).filter(|base| *base < number);
                let base = base.and_then(|base| Some((dump.items.get(base)?, states.get(base)?)));
                let pieces = reader.pieces(item);
                let hunks = last.map_or_else(Vec::new, |(last, _)| reader.hunks(last, item, &pieces));
                (Rc::new(reader.state(number, item, &pieces, base)), hunks)
            }
        };
        run.versions.push(Version {
            name: item.name.clone(),
            phase: item.phase.clone(),
            inside: item.inside.and_then(|inside| u32::try_from(inside).ok()),
            ms: item.ms,
            changed: last.is_some_and(|(last, _)| last.text != item.text),
            nodes: item.nodes.map(|[nodes, _]| nodes).or(facts.nodes),
            sourced: item.nodes.map(|[_, sourced]| sourced),
            reads_back: facts.is_read,
            well_formed: None,
            error: item.error.clone().or_else(|| facts.error.clone()),
            inferred: number > 0,
            language: item.language,
            parts: state.0.iter().flat_map(|piece| piece.parts.iter().cloned()).collect(),
            hunks,
        });
        fingerprints.push(facts.fingerprint);
        states.push(state);
    }
    ReadRun { run, fingerprints }
}

/// Facts about a text.
#[derive(Debug, Clone)]
struct Facts {
    error: Option<String>,
    /// Nothing for a text that is no script.
    is_read: Option<bool>,
    nodes: Option<u64>,
    fingerprint: Fingerprint,
}

/// The IR of a text, and of its functions by name.
#[derive(Debug)]
struct ReadText {
    functions: HashMap<String, Object>,
    root: Object,
    whole: Ir,
}

/// The pieces of a version: functions, and what stands between them.
#[derive(Debug, Default)]
struct State(Vec<StatePiece>);

/// A piece with the origins of each line.
#[derive(Debug, Clone)]
struct StatePiece {
    /// Its parts of the page, see [`chunks`].
    parts: Rc<Vec<Part>>,
    origins: Rc<Vec<Vec<u32>>>,
}

struct Reader<'d> {
    dump: &'d Dump,
    index: u32,
    store: &'d mut Store,
    parse: &'d dyn Fn(&str) -> Result<Object, String>,
    read: HashMap<usize, Facts>,
    /// Texts that were read last, the newest one at the end.
    kept: Vec<(usize, Option<Rc<ReadText>>)>,
    /// The lines that lines come from, found with the hunks of the current version: the pass nearly always got the version before.
    matched: HashMap<[*const u8; 2], Vec<Vec<u32>>>,
}

/// The functions of a text, and what stands between them, each with its IR.
type Pieces<'d> = (Vec<PartText<'d>>, Vec<Option<Ir>>);

/// The places of two pieces in the texts of a dump.
fn places(before: &Piece<'_>, after: &Piece<'_>) -> [*const u8; 2] {
    [before.text.as_ptr(), after.text.as_ptr()]
}

impl<'d> Reader<'d> {
    fn text(&self, item: &Item) -> &'d str {
        self.dump.texts.get(item.text).map_or("", String::as_str)
    }

    fn facts(&mut self, item: &Item) -> Facts {
        if let Some(facts) = self.read.get(&item.text) {
            return facts.clone();
        }
        self.ir(item);
        let unread = Facts {
            error: None,
            is_read: None,
            nodes: None,
            fingerprint: Fingerprint::Text(key(self.text(item))),
        };
        self.read.entry(item.text).or_insert(unread).clone()
    }

    /// The IR of a text, if it is a script that can be read.
    fn ir(&mut self, item: &Item) -> Option<Rc<ReadText>> {
        if let Some(at) = self.kept.iter().position(|(text, _)| *text == item.text) {
            let kept = self.kept.remove(at);
            let ir = kept.1.clone();
            self.kept.push(kept);
            return ir;
        }
        let text = self.text(item);
        let is_failed = self.read.get(&item.text).is_some_and(|facts| facts.error.is_some());
        if item.language != "python" || text.trim().is_empty() || is_failed {
            return None;
        }
        let ir = match (self.parse)(text) {
            Ok(root) => {
                let nodes = source_coverage(&root).nodes as u64;
                let fingerprint = Fingerprint::Ir(structural_hash(&root));
                self.read.insert(
                    item.text,
                    Facts { error: None, is_read: Some(true), nodes: Some(nodes), fingerprint },
                );
                Some(Rc::new(ReadText::new(root, text)))
            }
            Err(error) => {
                let fingerprint = Fingerprint::Text(key(text));
                self.read.insert(
                    item.text,
                    Facts { error: Some(error), is_read: Some(false), nodes: None, fingerprint },
                );
                None
            }
        };
        if self.kept.len() >= KEPT_IR {
            self.kept.remove(0);
        }
        self.kept.push((item.text, ir.clone()));
        ir
    }

    fn pieces(&mut self, item: &Item) -> Pieces<'d> {
        let ir = self.ir(item);
        let parts = split(self.text(item), item.language);
        let functions = parts.iter().filter(|part| part.function.is_some()).count();
        let ir_of = |part: &PartText<'_>| {
            let ir = ir.as_ref()?;
            let function = ir.functions.get(part.function?);
            let function =
                function.or_else(|| (functions == 1 && ir.functions.is_empty()).then_some(&ir.root))?;
            Some(ir.whole.part(function, part.lines_before))
        };
        let irs = parts.iter().map(ir_of).collect();
        (parts, irs)
    }

    fn hunks(&mut self, last: &Item, item: &Item, (after, after_irs): &Pieces<'d>) -> Vec<Hunk> {
        self.matched.clear();
        if last.language != item.language {
            let lines = |text: &str| u32::try_from(lines_of(text).len()).unwrap_or(u32::MAX);
            let (before, after) = ([1, lines(self.text(last))], [1, lines(self.text(item))]);
            return vec![Hunk { kind: Change::Edited, before, after, note: None }];
        }
        let (before, before_irs) = self.pieces(last);
        let matched = &mut self.matched;
        version_hunks_by(
            &to_pieces(&before, &before_irs),
            &to_pieces(after, after_irs),
            &mut |before, after| {
                if before.text == after.text {
                    return Vec::new();
                }
                let both = Matched::new(&before.text(), &after.text());
                matched.insert(places(before, after), both.lines(lines_of(after.text).len()));
                of_matched(&both)
            },
        )
    }

    /// The parts of a version whose pass got the version `base`.
    fn state(
        &mut self,
        number: usize,
        item: &Item,
        (after, after_irs): &Pieces<'d>,
        base: Option<(&Item, &Rc<State>)>,
    ) -> State {
        let (mut before, before_irs) = base.map(|(base, _)| self.pieces(base)).unwrap_or_default();
        let mut known = base.map(|(_, state)| state.clone()).unwrap_or_default();
        if let Some((base, _)) = base
            && base.language != item.language
        {
            // Functions of another language are in other places.
            before = vec![PartText { function: None, text: self.text(base), lines_before: 0 }];
            let origins = known.0.iter().flat_map(|piece| piece.origins.iter().cloned()).collect();
            known = Rc::new(State(vec![StatePiece { parts: Rc::default(), origins: Rc::new(origins) }]));
        }
        let (before, after) = (to_pieces(&before, &before_irs), to_pieces(after, after_irs));
        let pairs = paired(&before, &after);
        let mut elsewhere = None;
        let of_base = |index: usize| Some((before.get(index)?, known.0.get(index)?));
        // New functions come last, because they come from the lines that call them.
        let mut order: Vec<(&Piece<'_>, Option<usize>, usize)> =
            after.iter().zip(pairs).zip(0..).map(|((piece, pair), index)| (piece, pair, index)).collect();
        order.sort_by_key(|(_, pair, index)| (pair.is_none(), *index));
        let new: HashSet<&str> = order
            .iter()
            .filter(|(_, pair, _)| pair.is_none())
            .filter_map(|(piece, _, _)| piece.function)
            .collect();
        let mut calls: HashMap<&str, Vec<u32>> = HashMap::new();
        let mut pieces: Vec<Option<StatePiece>> = vec![None; after.len()];
        for (piece, pair, index) in order {
            let counterpart = pair.and_then(of_base);
            let is_same = |other: &Piece<'_>| (other.text, other.function) == (piece.text, piece.function);
            let made = match counterpart.filter(|(other, _)| is_same(other)) {
                Some((_, same)) => same.clone(),
                None => {
                    let counterpart = counterpart.or_else(|| namesake(piece, &before).and_then(of_base));
                    let mut origins = inherited(piece, counterpart, &self.matched);
                    let calls = piece.function.and_then(|name| calls.get(name));
                    for (at, (line, text)) in origins.iter_mut().zip(lines_of(piece.text)).enumerate() {
                        if !line.is_empty() || text.trim().is_empty() {
                            continue;
                        }
                        if text.trim().len() >= MIN_LINE_BYTES {
                            let elsewhere = elsewhere.get_or_insert_with(|| single_lines(&before));
                            let found = elsewhere.get(&key(text)).copied().flatten();
                            let known = found.and_then(|(piece, line)| known.0.get(piece)?.origins.get(line));
                            known.into_iter().for_each(|known| line.clone_from(known));
                        }
                        if line.is_empty() {
                            let new = || vec![self.new_origin(number, piece.lines_before as usize + at + 1)];
                            *line = calls.cloned().unwrap_or_else(new);
                        }
                    }
                    let parts = self.parts(piece.function, &lines_of(piece.text), &origins);
                    StatePiece { parts: Rc::new(parts), origins: Rc::new(origins) }
                }
            };
            if !new.is_empty() && pair.is_some() {
                for (text, origins) in lines_of(piece.text).into_iter().zip(made.origins.iter()) {
                    for name in Words::of(text).filter_map(|word| new.get(word)) {
                        merge(calls.entry(name).or_default(), origins);
                    }
                }
            }
            pieces.get_mut(index).into_iter().for_each(|place| *place = Some(made.clone()));
        }
        State(pieces.into_iter().flatten().collect())
    }

    /// The parts of the page for a piece. The first one has the name of the function.
    fn parts(&mut self, function: Option<&str>, lines: &[&str], origins: &[Vec<u32>]) -> Vec<Part> {
        let mut function = function.map(str::to_owned);
        let parts = chunks(lines).into_iter().map(|range| Part {
            text: self.store.text(&lines.get(range.clone()).unwrap_or_default().join("\n")),
            links: self.store.links(origins.get(range).unwrap_or_default().iter().cloned()),
            function: function.take(),
        });
        parts.collect()
    }

    fn new_origin(&mut self, version: usize, line: usize) -> u32 {
        let (run, line) = (self.index, u32::try_from(line).unwrap_or(u32::MAX));
        self.store.origin(match u32::try_from(version).unwrap_or(u32::MAX) {
            0 => Origin::Line { run, line },
            version => Origin::Made { run, version, line },
        })
    }
}

impl ReadText {
    fn new(root: Object, text: &str) -> ReadText {
        let functions = root.downcast_ref::<IRModule>().map(|module| {
            let functions = module.functions.iter();
            functions
                .map(|(var, function)| (var.name_hint.as_str().to_owned(), function.object().clone()))
                .collect()
        });
        let whole = Ir::of_read(&root, text);
        ReadText { functions: functions.unwrap_or_default(), root, whole }
    }
}

fn split<'a>(text: &'a str, language: &str) -> Vec<PartText<'a>> {
    if language == "python" || text.is_empty() {
        return parts(text);
    }
    vec![PartText { function: None, text, lines_before: 0 }]
}

fn to_pieces<'a>(parts: &[PartText<'a>], irs: &'a [Option<Ir>]) -> Vec<Piece<'a>> {
    let pieces = parts.iter().zip(irs).map(|(part, ir)| {
        let PartText { function, text, lines_before } = *part;
        Piece { function, text, lines_before, ir: ir.as_ref() }
    });
    pieces.collect()
}

/// The origins of the lines of a piece that come from lines of its counterpart.
fn inherited(
    piece: &Piece<'_>,
    counterpart: Option<(&Piece<'_>, &StatePiece)>,
    matched: &HashMap<[*const u8; 2], Vec<Vec<u32>>>,
) -> Vec<Vec<u32>> {
    let mut origins = vec![Vec::new(); lines_of(piece.text).len()];
    if let Some((other, of_other)) = counterpart {
        let matched = matched.get(&places(other, piece)).cloned();
        let matched = matched.unwrap_or_else(|| matched_lines(&other.text(), &piece.text()));
        for (line, found) in origins.iter_mut().zip(matched) {
            for known in found.iter().filter_map(|at| of_other.origins.get((*at as usize).checked_sub(1)?)) {
                merge(line, known);
            }
        }
    }
    origins
}

/// Adds origins to those of a line.
fn merge(line: &mut Vec<u32>, more: &[u32]) {
    line.extend_from_slice(more);
    line.sort_unstable();
    line.dedup();
    line.truncate(MAX_ORIGINS);
}

/// The function of `before` with the longest name that a new function's name begins with, e.g. `main` of `main_kernel`.
fn namesake(piece: &Piece<'_>, before: &[Piece<'_>]) -> Option<usize> {
    let name = piece.function?;
    let names = before.iter().enumerate().filter_map(|(index, piece)| Some((index, piece.function?)));
    let alike = names.filter(|(_, other)| name.starts_with(other));
    alike.max_by_key(|(_, other)| other.len()).map(|(index, _)| index)
}

/// Splits a long function at lines that their content selects, so that versions of it that differ in a line share most of their
/// texts. No range ends with a blank line.
fn chunks(lines: &[&str]) -> Vec<Range<usize>> {
    const MIN_LINES: usize = 16;
    const MAX_LINES: usize = 512;
    /// One of so many lines ends a chunk.
    const RATE: u64 = 48;
    let mut ranges = Vec::new();
    let mut begin = 0;
    for (index, line) in lines.iter().enumerate() {
        let (count, key) = (index + 1 - begin, key(line));
        let is_end = (count >= MIN_LINES && key % RATE == 1) || count >= MAX_LINES;
        if is_end && key != 0 && lines.len() - index > MIN_LINES {
            ranges.push(begin..index + 1);
            begin = index + 1;
        }
    }
    ranges.push(begin..lines.len());
    ranges
}

/// Part and index of each line that occurs once, by its key.
fn single_lines(parts: &[Piece<'_>]) -> HashMap<u64, Option<(usize, usize)>> {
    let mut lines = HashMap::new();
    for (part, piece) in parts.iter().enumerate() {
        for (line, text) in lines_of(piece.text).into_iter().enumerate() {
            lines.entry(key(text)).and_modify(|known| *known = None).or_insert(Some((part, line)));
        }
    }
    lines
}
