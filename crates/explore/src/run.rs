//! A run of the page from the versions of programs that passes made.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use tvmscript_doc::DocRef;
use tvmscript_docsifier::{DocsifyError, MappedText, PrinterConfig, print_mapped};
use tvmscript_ir::BaseFunc;
use tvmscript_ir_core::{Object, Registry, SourceComments};
use tvmscript_pass::instrument::{SourceCoverage, source_coverage};

use crate::capture::Captured;
use crate::comparison::{Ir, Piece, version_hunks};
use crate::lineage::{Places, Sources};
use crate::page::{Hunk, Origin, Part, Run, Store, Version};

/// The input of a run.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// Name without folders.
    pub name: String,
    /// The text, if the programs were read from one.
    pub text: Option<String>,
    /// Comments of the text; markers among them name origins of their lines.
    pub comments: SourceComments,
    /// The input and other texts that spans refer to.
    pub sources: Sources,
}

/// The versions of one program of the input.
#[derive(Debug)]
pub struct Program<'r> {
    /// Line above the program, such as `# kernels["add"]`; empty for none.
    pub heading: String,
    /// The input and the program after each pass, as [`crate::capture::Capture`] keeps them.
    pub versions: Vec<Captured>,
    /// How it is printed.
    pub config: PrinterConfig,
    /// The dialects that print and check it.
    pub registry: &'r Registry,
    /// `true` if it has to be well-formed.
    pub is_checked: bool,
}

/// Tests whether the text of a program reads back to it.
pub type ReadsBack<'a> = dyn Fn(&Program<'_>, &Object) -> bool + 'a;

/// The extent of a run.
pub struct RunOptions<'a> {
    /// Index of the run.
    pub index: u32,
    /// Shows times of passes, which differ from run to run.
    pub shows_times: bool,
    /// Tests whether the text of a program reads back to it; nothing to leave the test out.
    pub reads_back: Option<&'a ReadsBack<'a>>,
    /// Called with the numbers of finished and of all versions.
    pub progress: &'a dyn Fn(usize, usize),
}

/// Makes a run. All programs went through the same passes.
///
/// # Errors
/// If a program cannot be printed.
pub fn make(
    input: &Input,
    programs: &[Program<'_>],
    options: &RunOptions<'_>,
    store: &mut Store,
) -> Result<Run, Box<DocsifyError>> {
    let mut places = Places::new(options.index, &input.sources);
    let source = source_part(input, &mut places, options.index, store);
    let mut maker = Maker { options, places, store };
    let mut run =
        Run { name: input.name.clone(), source: source.into_iter().collect(), versions: Vec::new() };
    let count = programs.iter().map(|program| program.versions.len()).max().unwrap_or(0);
    let mut last: Vec<Rc<Printed>> = Vec::new();
    for index in 0..count {
        (options.progress)(index, count);
        let mut printed = Vec::with_capacity(programs.len());
        for (at, program) in programs.iter().enumerate() {
            // A program that did not get to this pass stays as it is.
            let Some(captured) = program.versions.get(index).or(program.versions.last()) else { continue };
            printed.push(match last.get(at) {
                Some(last) if last.root.ptr_eq(&captured.root) => last.clone(),
                _ => Rc::new(maker.print(program, &captured.root)?),
            });
        }
        let mut version = maker.version(index, programs, &printed);
        if index == 0 {
            version.name.clone_from(&input.name);
        }
        version.changed = run.versions.last().is_some_and(|before| !same_text(before, &version));
        if version.changed {
            version.hunks = hunks(&last, &printed);
        }
        run.versions.push(version);
        last = printed;
    }
    Ok(run)
}

/// The differences of two versions.
fn hunks(before: &[Rc<Printed>], after: &[Rc<Printed>]) -> Vec<Hunk> {
    version_hunks(&pieces(before), &pieces(after))
}

fn pieces(printed: &[Rc<Printed>]) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut lines_before = 0;
    for printed in printed {
        // A heading, and the blank line before the next program.
        lines_before += printed.heading_lines;
        pieces.extend(printed.fragments.iter().zip(printed.ir()).map(|(fragment, ir)| Piece {
            function: fragment.function.as_ref().map(|(name, _)| name.as_str()),
            text: printed.mapped.text().get(fragment.text.clone()).unwrap_or_default(),
            lines_before: lines_before + fragment.first_line,
            ir: ir.as_ref(),
        }));
        lines_before += printed.lines + 1;
    }
    pieces
}

/// `true` if all answers are.
fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a && b),
        (a, b) => a.or(b),
    }
}

fn same_text(a: &Version, b: &Version) -> bool {
    let texts = |version: &Version| version.parts.iter().map(|part| part.text).collect::<Vec<_>>();
    texts(a) == texts(b)
}

/// The text of the input. A line comes from itself, and from the places that markers on it state.
pub(crate) fn source_part(
    input: &Input,
    places: &mut Places<'_>,
    run: u32,
    store: &mut Store,
) -> Option<Part> {
    let text = input.text.as_deref()?.trim_end_matches('\n');
    let mut marked: HashMap<u32, Vec<u32>> = HashMap::new();
    if let Some(source) = input.sources.input {
        for stmt in input.comments.stmts() {
            let Some(marker) = stmt.marker else { continue };
            if let Some((line, _)) = input.sources.texts.line_column(source, stmt.start_bytes) {
                marked.entry(line).or_default().extend_from_slice(places.of(marker, store));
            }
        }
    }
    let lines = text.split('\n').zip(1..).map(|(_, line)| {
        let mut origins = marked.remove(&line).unwrap_or_default();
        origins.push(store.origin(Origin::Line { run, line }));
        origins
    });
    let lines: Vec<_> = lines.collect();
    Some(Part { text: store.text(text), links: store.links(lines), function: None })
}

/// A printed program.
#[derive(Debug)]
struct Printed {
    root: Object,
    mapped: MappedText,
    heading_lines: u32,
    /// Lines without the heading.
    lines: u32,
    parts: Vec<Part>,
    fragments: Vec<Fragment>,
    /// The IR of each fragment that is a function, once a comparison asks for it.
    ir: OnceCell<Vec<Option<Ir>>>,
    counts: SourceCoverage,
    well_formed: Option<bool>,
    reads_back: Option<bool>,
}

/// A function, or what stands between functions, without blank lines at the end.
#[derive(Debug)]
struct Fragment {
    text: Range<usize>,
    /// Lines before it.
    first_line: u32,
    function: Option<(String, Object)>,
}

impl Printed {
    fn ir(&self) -> &[Option<Ir>] {
        self.ir.get_or_init(|| {
            let whole = Ir::of_mapped(&self.mapped);
            let part =
                |fragment: &Fragment| Some(whole.part(&fragment.function.as_ref()?.1, fragment.first_line));
            self.fragments.iter().map(part).collect()
        })
    }
}

struct Maker<'a> {
    options: &'a RunOptions<'a>,
    places: Places<'a>,
    store: &'a mut Store,
}

impl Maker<'_> {
    fn blank(&mut self) -> Part {
        Part { text: self.store.text(""), links: None, function: None }
    }

    /// A version without its differences.
    fn version(&mut self, index: usize, programs: &[Program<'_>], printed: &[Rc<Printed>]) -> Version {
        let mut version = Version { language: "python", ..Version::default() };
        let (mut nodes, mut sourced) = (0, 0);
        for (program, printed) in programs.iter().zip(printed) {
            if let Some(captured) = program.versions.get(index) {
                version.name.clone_from(&captured.pass);
                version.inside = captured.inside.and_then(|inside| u32::try_from(inside).ok());
                if let Some(elapsed) = captured.elapsed.filter(|_| self.options.shows_times) {
                    version.ms = Some(version.ms.unwrap_or_default() + elapsed.as_secs_f64() * 1e3);
                }
            }
            if !version.parts.is_empty() {
                version.parts.push(self.blank());
            }
            version.parts.extend(printed.parts.iter().cloned());
            nodes += printed.counts.nodes as u64;
            sourced += printed.counts.nodes_with_source as u64;
            version.well_formed = both(version.well_formed, printed.well_formed);
            version.reads_back = both(version.reads_back, printed.reads_back);
        }
        (version.nodes, version.sourced) = (Some(nodes), Some(sourced));
        version
    }

    fn print(&mut self, program: &Program<'_>, root: &Object) -> Result<Printed, Box<DocsifyError>> {
        let mapped = print_mapped(root, program.registry, &program.config)?;
        let lines: Vec<&str> = mapped.text().trim_end_matches('\n').split('\n').collect();
        let mut origins = self.places.of_lines(&mapped, lines.len(), self.store);
        let mut parts = Vec::new();
        if !program.heading.is_empty() {
            parts.push(Part { text: self.store.text(&program.heading), links: None, function: None });
        }
        let mut fragments = Vec::new();
        let (mut done, mut offset) = (0, 0);
        for FunctionLines { function, first, end } in
            functions(&mapped).into_iter().chain([FunctionLines::end(lines.len())])
        {
            for (end, function) in [(first, None), (end, function)] {
                let (lines, origins) = match (lines.get(done..end), origins.get_mut(done..end)) {
                    (Some(lines), Some(origins)) => (lines, origins),
                    _ => continue,
                };
                // Texts have no empty lines at the end; these are parts of their own.
                let filled = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
                let (text, empty) = lines.split_at(filled);
                if !text.is_empty() {
                    let links = self.store.links(origins.iter_mut().take(filled).map(std::mem::take));
                    let length = text.iter().map(|line| line.len() + 1).sum::<usize>() - 1;
                    let range = offset..offset + length;
                    let text = self.store.text(mapped.text().get(range.clone()).unwrap_or_default());
                    let name = function.as_ref().map(|(name, _)| name.clone());
                    parts.push(Part { text, links, function: name });
                    let first_line = u32::try_from(done).unwrap_or(u32::MAX);
                    fragments.push(Fragment { text: range, first_line, function });
                    offset += length + 1;
                }
                parts.extend(empty.iter().map(|_| self.blank()));
                offset += empty.len();
                done = end;
            }
        }
        Ok(Printed {
            root: root.clone(),
            heading_lines: u32::from(!program.heading.is_empty()),
            lines: u32::try_from(lines.len()).unwrap_or(u32::MAX),
            parts,
            fragments,
            ir: OnceCell::new(),
            counts: source_coverage(root),
            well_formed: program.is_checked.then(|| program.registry.check(root).is_empty()),
            reads_back: self.options.reads_back.map(|reads_back| reads_back(program, root)),
            mapped,
        })
    }
}

/// The lines of a printed function, counted from 0.
struct FunctionLines {
    /// Name and node.
    function: Option<(String, Object)>,
    first: usize,
    end: usize,
}

impl FunctionLines {
    /// No function, at the end of the text.
    fn end(lines: usize) -> FunctionLines {
        FunctionLines { function: None, first: lines, end: lines }
    }
}

/// The functions of a printed program in the order of the text, without those inside others.
fn functions(mapped: &MappedText) -> Vec<FunctionLines> {
    let text = mapped.text();
    let mut found: Vec<FunctionLines> = Vec::new();
    let (mut line, mut at) = (0, 0);
    mapped.for_each_node(|entry, _, node| {
        let is_inside = entry.range.start < at;
        if is_inside || !matches!(entry.doc, DocRef::Stmt(_)) || !node.is::<BaseFunc>() {
            return;
        }
        let Some(own) = text.get(entry.range.clone()).map(str::trim_end) else { return };
        let newlines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
        let first = line + text.get(at..entry.range.start).map_or(0, newlines);
        let last = first + newlines(own);
        (line, at) = (last, entry.range.start + own.len());
        let name = entry.head.clone().and_then(|head| text.get(head)).unwrap_or_default().to_owned();
        found.push(FunctionLines { function: Some((name, node.clone())), first, end: last + 1 });
    });
    found
}
