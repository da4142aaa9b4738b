//! A run of the page from the versions of programs that passes made.

use std::collections::HashMap;
use std::rc::Rc;

use tvmscript_doc::DocRef;
use tvmscript_docsifier::{DocsifyError, MappedText, PrinterConfig, print_mapped};
use tvmscript_ir::BaseFunc;
use tvmscript_ir_core::{Object, Registry, SourceComments};
use tvmscript_pass::instrument::{SourceCoverage, source_coverage};

use crate::capture::Captured;
use crate::comparison::Fingerprint;
use crate::lineage::{Places, Sources};
use crate::page::{Origin, Part, Run, Store, Version};

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

/// The extent of a run.
pub struct RunOptions<'a> {
    /// Index of the run.
    pub index: u32,
    /// Shows times of passes, which differ from run to run.
    pub shows_times: bool,
    /// Tests whether the text of a program reads back to it; nothing to leave the test out.
    pub reads_back: Option<&'a dyn Fn(&Program<'_>, &Object) -> bool>,
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
    let mut last: Vec<Option<Rc<Printed>>> = programs.iter().map(|_| None).collect();
    for index in 0..count {
        (options.progress)(index, count);
        let mut version = Version { language: "python", ..Version::default() };
        let mut counts = SourceCoverage::default();
        let (mut ms, mut well_formed, mut reads_back) = (None, None, None);
        for (program, last) in programs.iter().zip(&mut last) {
            // A program that did not get to this pass stays as it is.
            let captured = program.versions.get(index).or(program.versions.last());
            let Some(captured) = captured else { continue };
            if index < program.versions.len() {
                version.name.clone_from(&captured.pass);
                version.inside = captured.inside.and_then(|inside| u32::try_from(inside).ok());
            }
            ms = options
                .shows_times
                .then_some(captured.elapsed)
                .flatten()
                .map_or(ms, |elapsed| Some(ms.unwrap_or_default() + elapsed.as_secs_f64() * 1e3));
            let printed = match last.take() {
                Some(printed) if printed.root.ptr_eq(&captured.root) => printed,
                _ => Rc::new(maker.print(program, &captured.root)?),
            };
            *last = Some(printed.clone());
            if !version.parts.is_empty() {
                version.parts.push(maker.blank());
            }
            version.parts.extend(printed.parts.iter().cloned());
            counts.nodes += printed.counts.nodes;
            counts.nodes_with_source += printed.counts.nodes_with_source;
            well_formed = both(well_formed, printed.well_formed);
            reads_back = both(reads_back, printed.reads_back);
        }
        if index == 0 {
            version.name = input.name.clone();
        }
        version.ms = ms;
        version.nodes = Some(counts.nodes as u64);
        version.sourced = Some(counts.nodes_with_source as u64);
        (version.well_formed, version.reads_back) = (well_formed, reads_back);
        version.changed = run.versions.last().is_some_and(|before| !same_text(before, &version));
        run.versions.push(version);
    }
    Ok(run)
}

/// Contents of the versions, which [`crate::comparison::parting`] compares.
pub fn fingerprints(programs: &[Program<'_>]) -> Vec<Fingerprint> {
    let count = programs.iter().map(|program| program.versions.len()).max().unwrap_or(0);
    let of_version = |index: usize| {
        let roots =
            programs.iter().filter_map(|program| program.versions.get(index).or(program.versions.last()));
        Fingerprint::of_all(roots.map(|captured| &captured.root))
    };
    (0..count).map(of_version).collect()
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
fn source_part(input: &Input, places: &mut Places<'_>, run: u32, store: &mut Store) -> Option<Part> {
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
    parts: Vec<Part>,
    counts: SourceCoverage,
    well_formed: Option<bool>,
    reads_back: Option<bool>,
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

    fn print(&mut self, program: &Program<'_>, root: &Object) -> Result<Printed, Box<DocsifyError>> {
        let mapped = print_mapped(root, program.registry, &program.config)?;
        let mut parts = Vec::new();
        if !program.heading.is_empty() {
            parts.push(Part { text: self.store.text(&program.heading), links: None, function: None });
        }
        parts.extend(self.parts(&mapped));
        Ok(Printed {
            root: root.clone(),
            parts,
            counts: source_coverage(root),
            well_formed: program.is_checked.then(|| program.registry.check(root).is_empty()),
            reads_back: self.options.reads_back.map(|reads_back| reads_back(program, root)),
        })
    }

    /// The text in parts: its functions and what stands between them.
    fn parts(&mut self, mapped: &MappedText) -> Vec<Part> {
        let lines: Vec<&str> = mapped.text().trim_end_matches('\n').split('\n').collect();
        let mut origins = self.places.of_lines(mapped, lines.len(), self.store);
        let mut parts = Vec::new();
        let mut rest = (lines.as_slice(), origins.as_mut_slice());
        let mut done = 0;
        for function in functions(mapped) {
            for (end, name) in [(function.first, None), (function.end, Some(function.name))] {
                let count = end.saturating_sub(done).min(rest.0.len());
                done += count;
                let (lines, more_lines) = rest.0.split_at(count);
                let (origins, more_origins) = rest.1.split_at_mut(count);
                rest = (more_lines, more_origins);
                self.push(&mut parts, lines, origins, name);
            }
        }
        self.push(&mut parts, rest.0, rest.1, None);
        parts
    }

    /// Adds lines as a part. Empty lines at the end are parts of their own, because texts have none there.
    fn push(
        &mut self,
        parts: &mut Vec<Part>,
        lines: &[&str],
        origins: &mut [Vec<u32>],
        function: Option<String>,
    ) {
        let filled = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        let (text, empty) = lines.split_at(filled);
        if !text.is_empty() {
            let links = self.store.links(origins.iter_mut().take(filled).map(std::mem::take));
            parts.push(Part { text: self.store.text(&text.join("\n")), links, function });
        }
        parts.extend(empty.iter().map(|_| self.blank()));
    }
}

/// The lines of a printed function, counted from 0.
struct FunctionLines {
    name: String,
    first: usize,
    end: usize,
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
        let head = entry.head.clone().and_then(|head| text.get(head));
        found.push(FunctionLines { name: head.unwrap_or_default().to_owned(), first, end: last + 1 });
    });
    found
}
