//! The project as its tools see it: the few calls of the facade that they make.
//!
//! The tools touch the library here alone, so that a change of its interface changes one file.

use tvmscript::Severity;
use tvmscript::ir_core::{ObjectLike, Str};
use tvmscript::pass::instrument::source_coverage;
use tvmscript::pass::{PassContext, PassTable, Sequential};
use tvmscript::passes::on_module;
use tvmscript::script_parser::{
    EvalErrorKind, ParseError, ParseErrorKind, ParseOptions, UnknownFunctions, parse_script,
};
use tvmscript::tvm_json::TvmJsonVersion;
use tvmscript::{Object, PrinterConfig, Release, Session};

/// The script objects of a text or of a JSON file, in order.
pub struct Program {
    nodes: Vec<Object>,
    /// The release that it was read in.
    release: &'static Release,
}

/// An error of the parser, with the place of its first label.
pub struct Diagnostic {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The message with its notes.
    pub message: String,
    /// The lines of all labels.
    pub label_lines: Vec<usize>,
}

/// The release that wrote a text in TVM's JSON, and the form of its JSON.
pub fn release_of_json(text: &str) -> (&'static Release, &'static TvmJsonVersion) {
    let registry = tvmscript::registry();
    let (dialects, version) =
        TvmJsonVersion::of_text(text, registry).unwrap_or((registry, &TvmJsonVersion::V0_23));
    (dialects.release(), version)
}

/// Parses a text; all errors if there is one.
pub fn parse(name: &str, text: &str) -> Result<Program, Vec<Diagnostic>> {
    parse_with_unknown(name, text).map(|(program, _)| program)
}

/// Parses a text of a release; all errors if there is one.
pub fn parse_in(name: &str, text: &str, release: &'static Release) -> Result<Program, Vec<Diagnostic>> {
    let mut options = ParseOptions::default();
    options.release = Some(release);
    parse_with(name, text, &options).map(|(program, _)| program)
}

/// A function that no dialect has, and the number of its calls.
pub type UnknownCalls = (String, usize);

/// Parses a text, and returns the reported functions that no dialect has; all errors if there is one.
pub fn parse_with_unknown(name: &str, text: &str) -> Result<(Program, Vec<UnknownCalls>), Vec<Diagnostic>> {
    parse_with(name, text, &ParseOptions::default())
}

fn parse_with(
    name: &str,
    text: &str,
    options: &ParseOptions,
) -> Result<(Program, Vec<UnknownCalls>), Vec<Diagnostic>> {
    let parsed = parse_script(name, text, tvmscript::registry(), options);
    if parsed.errors.is_empty() {
        let unknown = parsed.warnings.into_iter().filter_map(|warning| match warning.kind {
            ParseErrorKind::UnknownFunction { name, count, .. } => Some((name, count)),
            _ => None,
        });
        let unknown = unknown.collect();
        return Ok((
            Program { nodes: parsed.scripts.into_iter().map(|s| s.node).collect(), release: parsed.release },
            unknown,
        ));
    }
    Err(parsed.errors.iter().map(|e| diagnostic(text, e)).collect())
}

/// A script of a whole Python file.
pub struct FoundScript {
    /// The path of its definition: names joined by dots.
    pub path: String,
    /// The line of its definition.
    pub line: usize,
    /// TVM's JSON of it, or why there is none.
    pub json: Result<String, String>,
    /// Whether its text reads back to it, and prints the same again, or why not.
    pub round_trip: Result<(), String>,
}

/// A whole Python file as the library reads it.
pub struct FileReading {
    /// The scripts.
    pub scripts: Vec<FoundScript>,
    /// Errors, also of scripts that are not well-formed.
    pub errors: Vec<Diagnostic>,
    /// Lines of scripts that only need arguments.
    pub need_arguments: Vec<Diagnostic>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a Python file, and checks its scripts.
pub fn read_file(name: &str, text: &str) -> FileReading {
    let parsed = parse_script(name, text, tvmscript::registry(), &ParseOptions::default());
    let of = |severity| {
        let found = parsed.errors.iter().chain(&parsed.warnings).filter(|e| e.severity == severity);
        found.map(|e| diagnostic(text, e)).collect()
    };
    let mut reading = FileReading {
        scripts: Vec::new(),
        errors: of(Severity::Error),
        need_arguments: of(Severity::Note),
        warnings: of(Severity::Warning),
    };
    let line = |offset: u32| line_of(text, offset as usize);
    for script in &parsed.scripts {
        let definition = line(script.definition.start);
        if script.is_checked {
            let of_tir = tvmscript::tir::check::well_formed(&script.node);
            let of_relax = tvmscript::relax::check::well_formed(&script.node);
            let messages = of_tir.iter().map(|e| e.kind.to_string());
            let messages = messages.chain(of_relax.iter().map(|e| e.kind.to_string()));
            reading.errors.extend(messages.map(|message| Diagnostic {
                line: definition,
                column: 1,
                message: format!("not well-formed: {message}"),
                label_lines: Vec::new(),
            }));
        }
        reading.scripts.push(FoundScript {
            path: script.name.clone().unwrap_or_default(),
            line: definition,
            json: tvmscript::to_tvm_json_of(&script.node, parsed.release, tvmscript::registry())
                .map_err(|error| error.to_string()),
            round_trip: Program { nodes: vec![script.node.clone()], release: parsed.release }.round_trip(),
        });
    }
    reading
}

/// Decorators of scripts, and of macros.
pub const SCRIPT_MARKS: [&str; 6] =
    ["@T.prim_func", "@T.macro", "@I.ir_module", "@R.function", "@R.macro", "@tvm.script.ir_module"];

/// The lines of a Python file that belong to no script and to no import, by their indentation alone: scripts of every
/// release count, and no parser of the project is trusted.
pub fn outside_scripts(text: &str) -> Vec<&str> {
    let mut outside = Vec::new();
    // Lines that belong to a script only if more of it follows.
    let mut open: Vec<&str> = Vec::new();
    let mut script: Option<usize> = None;
    let (mut has_body, mut is_import) = (false, false);
    for line in text.lines() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if let Some(of) = script {
            if code.is_empty() || code.starts_with('#') {
                open.push(line);
                continue;
            }
            let is_head = !has_body && ["@", "def ", "class "].iter().any(|start| code.starts_with(start));
            if indent > of || indent == of && (is_head || code.starts_with(')')) {
                has_body |= indent > of;
                open.clear();
                continue;
            }
            outside.append(&mut open);
            script = None;
        }
        if SCRIPT_MARKS.iter().any(|mark| code.starts_with(mark)) {
            script = Some(indent);
            has_body = false;
            continue;
        }
        if is_import || code.starts_with("from ") || code.starts_with("import ") {
            is_import = line.contains('(') && !line.contains(')') || is_import && !line.contains(')');
            continue;
        }
        outside.push(line);
    }
    outside.append(&mut open);
    outside
}

/// The line of a byte, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}

/// Places an error in the text.
fn diagnostic(text: &str, error: &ParseError) -> Diagnostic {
    let offset = usize::min(error.range().start as usize, text.len());
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let mut message = error.kind.to_string();
    for note in error.notes.iter().chain(&error.help) {
        message.push_str("; ");
        message.push_str(note);
    }
    Diagnostic {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        message,
        label_lines: (error.labels.iter().filter_map(|label| label.range()))
            .map(|range| line_of(text, range.start as usize))
            .collect(),
    }
}

impl Program {
    /// The only object; `None` if there are none or several.
    pub fn into_only(self) -> Option<Object> {
        <[Object; 1]>::try_from(self.nodes).ok().map(|[object]| object)
    }

    /// The canonical text, with its metadata section.
    ///
    /// # Errors
    /// The error of the printer.
    pub fn print(&self) -> Result<String, String> {
        let release = Some(self.release);
        let config = PrinterConfig { show_meta: true, release, ..PrinterConfig::default() };
        let print = |node| tvmscript::print(node, tvmscript::registry(), &config).map_err(|e| e.to_string());
        Ok(self.nodes.iter().map(print).collect::<Result<Vec<_>, _>>()?.join("\n\n"))
    }

    /// Whether its text reads back to an equal program, and that prints the same text, or why not.
    fn round_trip(&self) -> Result<(), String> {
        let text = self.print()?;
        let mut options = ParseOptions::default();
        options.release = Some(self.release);
        options.unknown_functions = UnknownFunctions::Kept;
        let (again, _) = parse_with("printed", &text, &options).map_err(|errors| {
            let first = errors.first().map(|error| format!("{}: {}", error.line, error.message));
            format!("the print does not parse: {}", first.unwrap_or_default())
        })?;
        if !self.equal(&again) {
            return Err(format!("the print reads back as another program: {}", self.difference(&again)));
        }
        if again.print()? == text { Ok(()) } else { Err("the second print differs".to_owned()) }
    }

    /// Names of the operators that it calls, e.g. `tir.exp`, sorted.
    pub fn operator_names(&self) -> Vec<String> {
        let mut names = std::collections::BTreeSet::new();
        for node in &self.nodes {
            tvmscript::ir_core::visit::post_order_visit(node, |node| {
                if let Some(op) = node.downcast_ref::<tvmscript::prim::Op>() {
                    names.insert(op.name.to_string());
                }
            });
        }
        names.into_iter().collect()
    }

    /// Structural equality, object by object. A variable that nothing defines comes back as another node, so such
    /// variables may be matched.
    pub fn equal(&self, other: &Program) -> bool {
        let equal = tvmscript::ir_core::equal::StructuralEqual { map_free_vars: true, ..Default::default() };
        self.nodes.len() == other.nodes.len()
            && self.nodes.iter().zip(&other.nodes).all(|(a, b)| equal.compare(a, b))
    }

    /// The form of its JSON; `None` if the release has none of its own.
    pub fn json_version(&self) -> Option<&'static TvmJsonVersion> {
        TvmJsonVersion::of(tvmscript::registry().of_release(self.release)?)
    }

    /// Returns `true` if TVM's JSON has a form for the program: one object, in a release that has its own.
    pub fn has_tvm_json(&self) -> bool {
        self.nodes.len() == 1 && self.json_version().is_some()
    }

    /// The first path at which the programs differ.
    pub fn difference(&self, other: &Program) -> String {
        let different = self.nodes.iter().zip(&other.nodes).filter_map(|(a, b)| {
            let equal =
                tvmscript::ir_core::equal::StructuralEqual { map_free_vars: true, ..Default::default() };
            Some(equal.mismatches(a, b, 1).first()?.to_string())
        });
        different.into_iter().next().unwrap_or_else(|| "in the number of objects".to_owned())
    }

    /// TVM's JSON of the only object, as the release writes it whose text was read.
    ///
    /// # Errors
    /// When there is not exactly one.
    pub fn to_tvm_json(&self) -> Result<String, String> {
        match self.nodes.as_slice() {
            [one] => {
                let json = tvmscript::to_tvm_json_of(one, self.release, tvmscript::registry());
                json.map_err(|error| error.to_string())
            }
            many => Err(format!("{} objects in one text", many.len())),
        }
    }

    /// Reads TVM's JSON.
    ///
    /// # Errors
    /// The error of the reader.
    pub fn from_tvm_json(json: &str) -> Result<Program, String> {
        let registry = tvmscript::registry();
        let loaded = tvmscript::from_tvm_json(json, registry);
        let release =
            TvmJsonVersion::of_text(json, registry).map_or(registry, |(dialects, _)| dialects).release();
        loaded.map(|node| Program { nodes: vec![node], release }).map_err(|e| e.to_string())
    }
}

/// The names of the passes.
pub fn pass_names() -> Vec<String> {
    let table = PassTable::<tvmscript::ir::IRModule>::of(tvmscript::registry());
    table.into_iter().flat_map(PassTable::passes).map(|pass| pass.info().name).collect()
}

impl Program {
    /// Runs passes on each object.
    ///
    /// # Errors
    /// The error of the first pass that fails.
    pub fn run_passes(&self, names: &[String], options: &[(String, String)]) -> Result<Program, String> {
        let registry = tvmscript::registry();
        let session = Session { release: Some(self.release), ..Session::new(registry) };
        let mut context = PassContext::of(session).with_opt_level(3);
        for (key, value) in options {
            context.set_option(key, value).map_err(|error| error.to_string())?;
        }
        let mut passes = Sequential::new("xtask");
        for name in names {
            let pass = PassTable::<tvmscript::ir::IRModule>::of(registry).and_then(|table| table.pass(name));
            passes = passes.then_shared(pass.ok_or_else(|| format!("unknown pass `{name}`"))?.clone());
            context = context.with_required(name);
        }
        let one = |node: &Object| on_module(node.clone(), |module| context.run(&passes, module));
        let new = self.nodes.iter().map(one).collect::<Result<_, _>>();
        new.map(|nodes| Program { nodes, release: self.release }).map_err(|error| error.to_string())
    }

    /// The number of nodes that can have a source, and of those that have one.
    pub fn sources(&self) -> (usize, usize) {
        self.nodes.iter().map(source_coverage).fold((0, 0), |(nodes, with), coverage| {
            (nodes + coverage.nodes, with + coverage.nodes_with_source)
        })
    }

    /// Why the program is not well-formed.
    pub fn findings(&self) -> Vec<String> {
        let of_tir =
            self.nodes.iter().flat_map(tvmscript::tir::check::well_formed).map(|e| e.kind.to_string());
        let of_relax = self.nodes.iter().flat_map(tvmscript::relax::check::well_formed);
        of_tir.chain(of_relax.map(|e| e.kind.to_string())).collect()
    }
}

/// The result of a program of host code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostAnswer {
    /// The `repr` of its `result`.
    Value(String),
    /// The class of the exception that it raises; for limits their name.
    Raises(String),
    /// It is not Python.
    NotPython,
}

impl HostAnswer {
    /// Returns `true` if this answer is CPython's.
    pub fn agrees_with(&self, cpython: &HostAnswer) -> bool {
        match (self, cpython) {
            (HostAnswer::NotPython, HostAnswer::Raises(class)) => class == "SyntaxError",
            // Deep calls end at a limit of ours.
            (HostAnswer::Raises(ours), HostAnswer::Raises(class)) => {
                ours == class || ours == "CallsTooDeep" && class == "RecursionError"
            }
            (ours, theirs) => ours == theirs,
        }
    }
}

/// Runs host code that sets `result`. Returns the message of its exception, too.
pub fn run_host(code: &str) -> (HostAnswer, String) {
    let text = format!("{code}@T.prim_func\ndef main():\n    T.func_attr({{\"result\": repr(result)}})\n");
    let parsed = parse_script("<host>", &text, tvmscript::registry(), &ParseOptions::default());
    if let Some(error) = parsed.errors.first() {
        let (class, message) = match &error.kind {
            ParseErrorKind::Eval(EvalErrorKind::Host(error)) => (error.class(), error.message.clone()),
            ParseErrorKind::Eval(EvalErrorKind::UndefinedName { name }) => {
                ("NameError", format!("name '{name}' is not defined"))
            }
            ParseErrorKind::Eval(EvalErrorKind::NoAttribute { what, name }) => {
                ("AttributeError", format!("{what} has no attribute '{name}'"))
            }
            ParseErrorKind::Eval(EvalErrorKind::Syntax(_)) => {
                return (HostAnswer::NotPython, error.kind.to_string());
            }
            other => (other.name(), other.to_string()),
        };
        return (HostAnswer::Raises(class.to_owned()), message);
    }
    let function = parsed.scripts.last().and_then(|s| s.node.downcast_ref::<tvmscript::tir::PrimFunc>());
    let value = function.and_then(|function| function.attrs.dict.get_str("result"));
    let answer = match value.and_then(|value| value.as_object()).and_then(|object| Str::try_ref(object)) {
        Some(text) => HostAnswer::Value(text.to_string()),
        None => HostAnswer::Raises("no result".to_owned()),
    };
    (answer, String::new())
}
