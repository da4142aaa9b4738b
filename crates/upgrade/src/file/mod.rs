//! Scripts of a Python file upgraded in the file. Everything outside the scripts and their imports stays as it is.
//!
//! A script is edited where its words and forms differ ([`PythonFile::replace`]). The edited text is read again and must
//! build the upgraded programs; a script for which it does not is printed anew, unless its text would hold values of the
//! code around it. Then it stays, with a finding.

mod assigned;
mod captured;
mod definitions;
mod edit;
mod imports;
mod names;
mod print;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tvmscript_diagnostics::{Anchor, Diagnostic, EditError, ErrorCode, TextEdit, apply};
use tvmscript_docsifier::{DocsifyError, PrinterConfig};
use tvmscript_ir_core::diagnostic::Message;
use tvmscript_ir_core::equal::{StructuralEqual, structural_equal};
use tvmscript_ir_core::release::NameChange;
use tvmscript_ir_core::{Object, Registry, SourceId, SpanKind, Visitor, Walk};
use tvmscript_python_syntax::ast::{Ast, Expr, ExprId, Stmt, TextRange};
use tvmscript_python_syntax::{PythonOptions, parse_python};
use tvmscript_script_parser::{
    EvalErrorKind, ParseError, ParseErrorKind, ParseOptions, Parsed, detect_release, parse_script,
};
use tvmscript_tir::LetStmt;

use crate::{Step, codes};
use assigned::{Known, helpers};
use captured::{Decorated, captured, names_outside};
use definitions::{Definition, definitions, exprs_outside};
use edit::{Edited, Undecided, edit};
use imports::Imports;
use names::Names;
use print::{line_end, print};

/// A Python file, and how its scripts are upgraded.
pub struct PythonFile<'a> {
    /// Name of the file in diagnostics.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    /// Dialects of the scripts.
    pub registry: &'a Registry,
    /// The way from the release of the file to that of the result.
    pub step: &'a Step,
    /// The configuration for scripts that are printed anew; it selects the target of the step.
    pub config: &'a PrinterConfig,
    /// The options for reading upgraded text again, except for the release.
    pub options: &'a ParseOptions,
    /// Losses are warnings, and the script changes all the same.
    pub accepts_losses: bool,
}

/// A program of a Python file, and the program that replaces it.
pub struct Replacement<'s> {
    /// Name of the definition in the text.
    pub name: Option<&'s str>,
    /// Range of the decorated definition in the text.
    pub definition: TextRange,
    /// `false` if the decorator disables the check of well-formedness.
    pub is_checked: bool,
    /// The text, if the spans of the program are known.
    pub source: Option<SourceId>,
    /// The program before the upgrade.
    pub old: &'s Object,
    /// The upgraded program.
    pub new: Object,
    /// The script stays as it is.
    pub stays: bool,
}

/// Returns `true` if a text has nothing but the given number of scripts, their metadata and their type variables.
pub fn is_printed(text: &str, script_count: usize) -> bool {
    let parsed = parse_python(text, &PythonOptions::default());
    let ast = &parsed.ast;
    let mut definitions = 0;
    for stmt in ast.module_body() {
        match ast.stmt(*stmt) {
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => definitions += 1,
            Stmt::Assign(assign) if matches!(ast.expr(assign.value), Expr::Call { .. }) => {
                let targets = ast.exprs(assign.targets);
                let is_metadata = targets.iter().all(|target| name_of(ast, *target) == Some("metadata"));
                let is_type_variable = text
                    .get(ast.range(assign.value).to_usize())
                    .is_some_and(|value| value.starts_with("TypeVar("));
                if !is_metadata && !is_type_variable {
                    return false;
                }
            }
            _ => return false,
        }
    }
    definitions == script_count
}

fn name_of(ast: &Ast, id: ExprId) -> Option<&str> {
    match ast.expr(id) {
        Expr::Name(name) => Some(ast.name(*name)),
        _ => None,
    }
}

impl PythonFile<'_> {
    /// The text with upgraded scripts and imports, and a finding for each script that stays.
    ///
    /// # Errors
    /// If a script cannot be printed.
    pub fn replace(&self, new: &[Replacement<'_>]) -> Result<(String, Vec<Diagnostic>), ReplaceError> {
        let parsed = parse_python(self.text, &PythonOptions::default());
        let names = Names::of(&parsed.ast);
        let mut plans = Plans {
            file: self,
            ast: &parsed.ast,
            names: &names,
            helpers: helpers(&parsed.ast, &names),
            outside: names_outside(self.text, new, &Decorated::of(&parsed.ast)),
            definitions: Vec::new(),
            modules: HashSet::new(),
            findings: Vec::new(),
        };
        plans.plan(new);
        // Each round takes at least one edited script back.
        loop {
            let text = plans.apply()?;
            let wrong = plans.compare(&text);
            if wrong.is_empty() {
                if text != self.text {
                    plans.report_code_around();
                }
                return Ok((text, plans.findings));
            }
            for (index, reason) in wrong {
                plans.take_back(index, &reason);
            }
        }
    }

    /// The finding for a printed text that does not build the upgraded programs when it is read again.
    pub fn unread(&self, text: &str, new: &[Replacement<'_>]) -> Option<Diagnostic> {
        let parsed = self.read(text);
        let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
        let is_same = || {
            let pairs = parsed.scripts.iter().zip(new);
            parsed.scripts.len() == new.len()
                && pairs.into_iter().all(|(read, new)| equal.compare(&read.node, &new.new))
        };
        let reason = match parsed.errors.first() {
            Some(error) => format!("its upgraded text does not read back: {}", error.kind),
            None if is_same() => return None,
            None => "its upgraded text reads back as another program".to_owned(),
        };
        Some(stays(new.first()?.definition.into(), &reason))
    }

    /// Reads a text of the target.
    fn read(&self, text: &str) -> Parsed {
        let mut options = self.options.clone();
        options.release = Some(self.step.to);
        options.omit_spans = true;
        parse_script(self.name, text, self.registry, &options)
    }
}

/// An error while scripts of a Python file are replaced.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// An upgraded program has no text.
    #[error("the upgraded program cannot be printed: {0}")]
    Unprintable(Box<DocsifyError>),
    /// Two edits change one place.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// The plan for a definition.
enum Plan {
    Stays,
    Edited(Vec<TextEdit>),
    Printed,
}

/// A definition of a script or of a macro, and the plan for it.
struct Planned<'r> {
    range: TextRange,
    /// Its position among the decorated definitions; none for a script that Python code makes.
    index: Option<usize>,
    /// The programs that it built.
    builds: Vec<&'r Replacement<'r>>,
    plan: Plan,
}

/// A file and the plans for its scripts.
struct Plans<'a> {
    file: &'a PythonFile<'a>,
    ast: &'a Ast,
    names: &'a Names,
    helpers: HashMap<String, Known>,
    /// Names that the code around scripts defines.
    outside: HashSet<String>,
    definitions: Vec<Planned<'a>>,
    /// Names of modules that edited scripts use.
    modules: HashSet<String>,
    findings: Vec<Diagnostic>,
}

impl<'a> Plans<'a> {
    fn text(&self, range: TextRange) -> &'a str {
        self.file.text.get(range.to_usize()).unwrap_or_default()
    }

    /// Reports a form; a loss may be accepted.
    fn report(&mut self, undecided: Undecided) {
        let Undecided { code, range, message, help, is_loss } = undecided;
        let message = Message::new(code, message);
        let finding = match is_loss && self.file.accepts_losses {
            true => Diagnostic::warning(message, range),
            false => Diagnostic::new(message, range),
        };
        self.findings.push(finding.with_help(help));
    }

    fn note(&mut self, code: &'static ErrorCode, range: TextRange, message: &str, help: &str) {
        let note = Diagnostic::note_at(Message::new(code, message.to_owned()), Anchor::Text(range.into()));
        self.findings.push(note.with_help(help.to_owned()));
    }

    /// Plans what happens to each definition.
    fn plan(&mut self, new: &'a [Replacement<'a>]) {
        let bindings = bindings(new);
        let definitions = definitions(self.ast, self.file.text, self.names);
        for (index, definition) in definitions.iter().enumerate() {
            let builds: Vec<&Replacement<'_>> =
                new.iter().filter(|new| new.definition.start == definition.start).collect();
            let is_known = match definition.kind.is_macro() {
                true => !new.is_empty(),
                false => !builds.is_empty(),
            };
            let plan = self.plan_of(definition, &builds, is_known.then_some(&bindings[..]));
            self.definitions.push(Planned { range: definition.range, index: Some(index), builds, plan });
        }
        let mut seen: HashSet<u32> = HashSet::new();
        for replacement in new {
            let range = replacement.definition;
            let is_known = definitions.iter().any(|definition| definition.start == range.start);
            if is_known || !seen.insert(range.start) || replacement.stays {
                continue;
            }
            self.findings.push(stays(range.into(), "Python code makes it"));
        }
    }

    fn plan_of(
        &mut self,
        definition: &Definition,
        builds: &[&Replacement<'_>],
        bindings: Option<&[u32]>,
    ) -> Plan {
        if builds.iter().any(|build| build.stays) {
            return Plan::Stays;
        }
        if !self.file.step.edits_scripts {
            return match builds.is_empty() {
                true => {
                    if !definition.kind.is_macro() {
                        let range = TextRange::new(definition.start, definition.range.end);
                        self.findings.push(stays(range.into(), "it needs arguments"));
                    }
                    Plan::Stays
                }
                false => self.printed(definition.range, builds, None),
            };
        }
        let Edited { edits, undecided, modules } =
            edit(self.ast, self.file.text, self.names, &self.helpers, self.file.step, definition, bindings);
        let is_blocked = undecided
            .iter()
            .any(|undecided| !undecided.is_loss || builds.is_empty() && !self.file.accepts_losses);
        if is_blocked && !builds.is_empty() && captured(self.text(definition.range), &self.outside).is_none()
        {
            return Plan::Printed;
        }
        for undecided in undecided {
            // What a program loses is reported at its nodes.
            if !undecided.is_loss || builds.is_empty() {
                self.report(undecided);
            }
        }
        if is_blocked {
            return Plan::Stays;
        }
        if builds.is_empty() && !definition.kind.is_macro() {
            self.note(
                &codes::UNCOMPARED,
                TextRange::new(definition.start, definition.range.end),
                "no program of this script is known, so its edited text is not compared with one",
                "call the function around it with `--call`",
            );
        }
        self.modules.extend(modules);
        Plan::Edited(edits)
    }

    /// The plan to print a script anew, or to let it stay.
    fn printed(&mut self, range: TextRange, builds: &[&Replacement<'_>], reason: Option<&str>) -> Plan {
        let Some(first) = builds.first() else { return Plan::Stays };
        let Some(name) = captured(self.text(range), &self.outside) else { return Plan::Printed };
        let mut why = format!("it uses `{name}` of the code around it");
        if let Some(reason) = reason {
            why = format!("{why}, and {reason}");
        }
        self.findings.push(stays(first.definition.into(), &why));
        Plan::Stays
    }

    /// Prints a script anew, or lets it stay, in place of its edits.
    fn take_back(&mut self, index: usize, reason: &str) {
        let Some(planned) = self.definitions.get(index) else { return };
        let (range, builds) = (planned.range, planned.builds.clone());
        let plan = self.printed(range, &builds, Some(reason));
        if let Some(planned) = self.definitions.get_mut(index) {
            planned.plan = plan;
        }
    }

    /// The text of the plans.
    fn apply(&self) -> Result<String, ReplaceError> {
        let text = self.file.text;
        let imports = Imports::of(self.ast, text, self.file.step, &self.modules);
        let mut edits: Vec<TextEdit> = Vec::new();
        let mut needed: Vec<String> = Vec::new();
        let mut is_edited = false;
        for planned in &self.definitions {
            match (&planned.plan, planned.builds.first()) {
                (Plan::Printed, Some(build)) => {
                    let (edit, header) = print(self.file, planned.range, build, &imports)?;
                    needed.extend(header);
                    edits.push(edit);
                }
                (Plan::Edited(more), _) => {
                    is_edited = true;
                    edits.extend(more.iter().cloned());
                }
                _ => {}
            }
        }
        if edits.is_empty() && !is_edited {
            return Ok(text.to_owned());
        }
        let replaced: String = edits.iter().map(|edit| edit.replacement.as_str()).collect();
        let first = edits.iter().map(|edit| edit.range.start).min();
        let all = |sign: Option<&str>| -> Result<String, ReplaceError> {
            let mut edits = edits.clone();
            imports.clone().update(&needed, sign, &replaced, (first, line_end(text)), &mut edits);
            Ok(apply(text, &edits)?)
        };
        let after = all(None)?;
        // A text that changes shows its release.
        let is_shown =
            after == text || detect_release(&after, self.file.registry).release == self.file.step.to;
        let Some(sign) = self.file.step.sign.filter(|_| !is_shown) else { return Ok(after) };
        let signed = all(Some(sign))?;
        // A header of the older release in a string of the file is as strong.
        let is_shown = detect_release(&signed, self.file.registry).release == self.file.step.to;
        Ok(if is_shown { signed } else { after })
    }

    /// The edited scripts that do not build the upgraded programs, each with the reason.
    fn compare(&self, text: &str) -> Vec<(usize, String)> {
        let edited: Vec<(usize, &Planned<'_>)> = self
            .definitions
            .iter()
            .enumerate()
            .filter(|(_, planned)| matches!(planned.plan, Plan::Edited(_)) && !planned.builds.is_empty())
            .collect();
        if edited.is_empty() || text == self.file.text {
            return Vec::new();
        }
        let parsed = self.file.read(text);
        let python = parse_python(text, &PythonOptions::default());
        let definitions = definitions(&python.ast, text, &Names::of(&python.ast));
        let position =
            |at: u32| definitions.iter().position(|known| known.range.start <= at && at < known.range.end);
        let mut wrong = Vec::new();
        for (index, planned) in &edited {
            let is_unknown = |error: &ParseError| {
                matches!(error.kind, ParseErrorKind::Eval(EvalErrorKind::UnknownValue { .. }))
            };
            let mut errors = parsed.errors.iter().filter(|error| !is_unknown(error));
            let error = errors.find(|error| position(error.range().start) == planned.index);
            if let Some(error) = error {
                wrong.push((*index, format!("the release does not read its edited text: {}", error.kind)));
                continue;
            }
            let built = parsed.scripts.iter().filter(|script| {
                let at = script.definition.start;
                definitions.iter().position(|definition| definition.start == at) == planned.index
            });
            let built: Vec<&Object> = built.map(|script| &script.node).collect();
            let is_same = built.len() == planned.builds.len()
                && built.iter().zip(&planned.builds).all(|(new, old)| structural_equal(new, &old.new));
            if !is_same {
                wrong.push((*index, "its edited text builds another program".to_owned()));
            }
        }
        wrong
    }

    /// Reports words of the code around scripts that differ in the release.
    fn report_code_around(&mut self) {
        if !self.file.step.edits_scripts {
            return;
        }
        let definitions = definitions(self.ast, self.file.text, self.names);
        for (range, path) in imports::old_modules(self.ast, self.file.step, &self.modules) {
            let new = self.file.step.module(&path).unwrap_or_default();
            let start = path.rfind('.').map_or("", |dot| path.get(..=dot).unwrap_or_default());
            self.note(
                &codes::AROUND,
                range,
                &format!("`{path}` is `{start}{new}` in the release"),
                "code around scripts stays: change it by hand",
            );
        }
        for id in exprs_outside(self.ast, &definitions) {
            let Expr::Attribute { value, attr } = *self.ast.expr(id) else { continue };
            let Some(base) = self.names.path(self.ast, value) else { continue };
            let Some(change) = self.file.step.change(&format!("{base}.{}", self.ast.name(attr))) else {
                continue;
            };
            let range = self.ast.range(id);
            let old = self.text(range);
            let message = match change {
                NameChange::Renamed(new) | NameChange::Replaced(new) => {
                    let start = old.rfind('.').map_or("", |dot| old.get(..=dot).unwrap_or_default());
                    format!("`{old}` is `{start}{new}` in the release")
                }
                NameChange::Removed(_) => format!("the release has no `{old}`"),
            };
            let help = "code around scripts stays: change it by hand".to_owned();
            self.report(Undecided {
                code: &codes::AROUND,
                range: range.into(),
                message,
                help,
                is_loss: false,
            });
        }
    }
}

/// The first bytes of the statements that bind a variable in a program.
fn bindings(new: &[Replacement<'_>]) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    for replacement in new {
        let Some(source) = replacement.source else { continue };
        let _ = Visitor::new().pre_order(replacement.old, |node| {
            if let Some(bound) = node.as_node::<LetStmt>() {
                let mut work = vec![bound.span, bound.var.span];
                while let Some(span) = work.pop() {
                    match span.kind() {
                        SpanKind::Range { source: of, start_bytes, .. } if of == source => {
                            found.push(start_bytes)
                        }
                        SpanKind::CallSite { callee, caller } => work.extend([callee, caller]),
                        SpanKind::Sequence { spans, .. } => work.extend(spans),
                        SpanKind::Marked { of, .. } => work.push(of),
                        _ => {}
                    }
                }
            }
            Walk::Advance
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The finding that a script is not rewritten.
fn stays(range: Range<u32>, reason: &str) -> Diagnostic {
    let message = Message::new(&codes::CAPTURED, format!("this script is not rewritten: {reason}"));
    Diagnostic::new(message, range).with_help("write its values into it, or upgrade it by hand")
}
