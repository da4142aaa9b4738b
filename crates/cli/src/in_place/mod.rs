//! Scripts of a Python file replaced in the file. Everything outside the scripts and their imports stays as it is.

mod assigned;
mod definitions;
mod edit;
mod imports;
mod names;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use tvmscript::diagnostics::{Anchor, Diagnostic, ErrorCode, TextEdit, apply};
use tvmscript::docsifier::print_text;
use tvmscript::ir_core::diagnostic::Message;
use tvmscript::ir_core::equal::StructuralEqual;
use tvmscript::ir_core::release::NameChange;
use tvmscript::ir_core::{SpanKind, Visitor, Walk};
use tvmscript::python_syntax::ast::{Ast, Expr, ExprId, Stmt, TextRange};
use tvmscript::python_syntax::{PythonOptions, parse_python};
use tvmscript::script_parser::{EvalErrorKind, ParseError, ParseErrorKind, Parsed};
use tvmscript::tir::LetStmt;
use tvmscript::upgrade::{Step, codes};
use tvmscript::{Object, PrinterConfig, Release, structural_equal};

use crate::failure::FileErrorKind;
use crate::input::{Script, Source};
use crate::registry::{parse_options, registry};
use crate::timings::Timings;
use assigned::{Known, helpers};
use definitions::{Definition, at_sign, definitions, exprs_outside};
use edit::{Edited, Undecided, edit};
use imports::Imports;
use names::Names;

/// A script and the node that replaces it.
pub(crate) struct Replacement<'s> {
    pub(crate) script: &'s Script,
    pub(crate) node: Object,
    /// The script stays as it is.
    pub(crate) stays: bool,
}

impl Replacement<'_> {
    /// The script with the new node.
    pub(crate) fn script(&self) -> Script {
        let Script { name, range, definition, is_checked, origin, .. } = self.script;
        let (name, origin) = (name.clone(), origin.clone());
        Script {
            name,
            node: self.node.clone(),
            range: *range,
            definition: *definition,
            is_checked: *is_checked,
            release: self.script.release,
            origin,
        }
    }
}

/// Returns `true` if a text has nothing but scripts, their metadata and their type variables.
pub(crate) fn is_printed(text: &str, scripts: &[Script]) -> bool {
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
    definitions == scripts.len()
}

fn name_of(ast: &Ast, id: ExprId) -> Option<&str> {
    match ast.expr(id) {
        Expr::Name(name) => Some(ast.name(*name)),
        _ => None,
    }
}

/// The text with upgraded scripts and imports, and a finding for each script that stays.
///
/// A script is edited where its words and forms differ. The edited text is read again, and must build the upgraded programs;
/// a script for which it does not is printed anew, unless its text would hold values of the code around it.
///
/// # Errors
/// If a script cannot be printed.
pub(crate) fn replace(
    source: &Source,
    new: &[Replacement<'_>],
    step: &Step,
    config: &PrinterConfig,
    accept_losses: bool,
    timings: &mut Timings,
) -> Result<(String, Vec<Diagnostic>), FileErrorKind> {
    let parsed = parse_python(&source.text, &PythonOptions::default());
    let names = Names::of(&parsed.ast);
    let mut file = File {
        source,
        ast: &parsed.ast,
        names: &names,
        helpers: helpers(&parsed.ast, &names),
        outside: names_outside(&source.text, new, &Decorated::of(&parsed.ast)),
        step,
        config,
        accept_losses,
        places: Vec::new(),
        modules: HashSet::new(),
        findings: Vec::new(),
    };
    file.plan(new);
    // Each round takes at least one edited script back.
    loop {
        let text = file.apply(timings)?;
        let wrong = timings.time("compare", || file.compare(&text));
        if wrong.is_empty() {
            if text != source.text {
                file.report_code_around();
            }
            return Ok((text, file.findings));
        }
        for (index, reason) in wrong {
            file.take_back(index, &reason);
        }
    }
}

/// The plan for a definition.
enum Plan {
    Stays,
    Edited(Vec<TextEdit>),
    Printed,
}

/// A definition of a script, or of a macro.
struct Place<'r> {
    range: TextRange,
    /// Its position among the decorated definitions; none for a script that Python code makes.
    index: Option<usize>,
    /// The programs that it built.
    builds: Vec<&'r Replacement<'r>>,
    plan: Plan,
}

/// A file and what happens to its scripts.
struct File<'a> {
    source: &'a Source,
    ast: &'a Ast,
    names: &'a Names,
    helpers: HashMap<String, Known>,
    /// Names that the code around scripts defines.
    outside: HashSet<String>,
    step: &'a Step,
    config: &'a PrinterConfig,
    accept_losses: bool,
    places: Vec<Place<'a>>,
    /// Names of modules that edited scripts use.
    modules: HashSet<String>,
    findings: Vec<Diagnostic>,
}

impl<'a> File<'a> {
    fn text(&self, range: TextRange) -> &'a str {
        self.source.text.get(range.to_usize()).unwrap_or_default()
    }

    /// Reports a form; a loss may be accepted.
    fn report(&mut self, undecided: Undecided) {
        let Undecided { code, range, message, help, is_loss } = undecided;
        let message = Message::new(code, message);
        let finding = match is_loss && self.accept_losses {
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
        let definitions = definitions(self.ast, &self.source.text, self.names);
        for (index, definition) in definitions.iter().enumerate() {
            let builds: Vec<&Replacement<'_>> =
                new.iter().filter(|new| new.script.definition.start == definition.start).collect();
            let is_known = match definition.kind.is_macro() {
                true => !new.is_empty(),
                false => !builds.is_empty(),
            };
            let plan = self.plan_of(definition, &builds, is_known.then_some(&bindings[..]));
            self.places.push(Place { range: definition.range, index: Some(index), builds, plan });
        }
        let mut seen: HashSet<u32> = HashSet::new();
        for replacement in new {
            let range = replacement.script.definition;
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
        if !self.step.edits_scripts {
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
            edit(self.ast, &self.source.text, self.names, &self.helpers, self.step, definition, bindings);
        let is_blocked =
            undecided.iter().any(|undecided| !undecided.is_loss || builds.is_empty() && !self.accept_losses);
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
        self.findings.push(stays(first.script.definition.into(), &why));
        Plan::Stays
    }

    /// Prints a script anew, or lets it stay, in place of its edits.
    fn take_back(&mut self, index: usize, reason: &str) {
        let Some(place) = self.places.get(index) else { return };
        let (range, builds) = (place.range, place.builds.clone());
        let plan = self.printed(range, &builds, Some(reason));
        if let Some(place) = self.places.get_mut(index) {
            place.plan = plan;
        }
    }

    /// The text of the plans.
    fn apply(&self, timings: &mut Timings) -> Result<String, FileErrorKind> {
        let text = self.source.text.as_str();
        let imports = Imports::of(self.ast, text, self.step, &self.modules);
        let mut edits: Vec<TextEdit> = Vec::new();
        let mut needed: Vec<String> = Vec::new();
        let mut is_edited = false;
        for place in &self.places {
            match (&place.plan, place.builds.first()) {
                (Plan::Printed, Some(build)) => {
                    let (edit, header) = print(text, place.range, build, self.config, &imports, timings)?;
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
        let all = |sign: Option<&str>| -> Result<String, FileErrorKind> {
            let mut edits = edits.clone();
            imports.clone().update(&needed, sign, &replaced, (first, line_end(text)), &mut edits);
            apply(text, &edits).map_err(|error| FileErrorKind::Upgrade(error.to_string()))
        };
        let after = all(None)?;
        // A text that changes shows its release.
        let is_shown = after == text || registry().detect_release(&after).release == self.step.to;
        let Some(sign) = self.step.sign.filter(|_| !is_shown) else { return Ok(after) };
        let signed = all(Some(sign))?;
        // A header of the older release in a string of the file is as strong.
        let is_shown = registry().detect_release(&signed).release == self.step.to;
        Ok(if is_shown { signed } else { after })
    }

    /// The edited scripts that do not build the upgraded programs, each with the reason.
    fn compare(&self, text: &str) -> Vec<(usize, String)> {
        let edited: Vec<(usize, &Place<'_>)> = self
            .places
            .iter()
            .enumerate()
            .filter(|(_, place)| matches!(place.plan, Plan::Edited(_)) && !place.builds.is_empty())
            .collect();
        if edited.is_empty() || text == self.source.text {
            return Vec::new();
        }
        let parsed = parse_as(&self.source.name, text, self.step.to);
        let python = parse_python(text, &PythonOptions::default());
        let definitions = definitions(&python.ast, text, &Names::of(&python.ast));
        let position =
            |at: u32| definitions.iter().position(|place| place.range.start <= at && at < place.range.end);
        let mut wrong = Vec::new();
        for (index, place) in &edited {
            let is_unknown = |error: &ParseError| {
                matches!(error.kind, ParseErrorKind::Eval(EvalErrorKind::UnknownValue { .. }))
            };
            let mut errors = parsed.errors.iter().filter(|error| !is_unknown(error));
            let error = errors.find(|error| position(error.range().start) == place.index);
            if let Some(error) = error {
                wrong.push((*index, format!("the release does not read its edited text: {}", error.kind)));
                continue;
            }
            let built = parsed.scripts.iter().filter(|script| {
                let at = script.definition.start;
                definitions.iter().position(|definition| definition.start == at) == place.index
            });
            let built: Vec<&Object> = built.map(|script| &script.node).collect();
            let is_same = built.len() == place.builds.len()
                && built.iter().zip(&place.builds).all(|(new, old)| structural_equal(new, &old.node));
            if !is_same {
                wrong.push((*index, "its edited text builds another program".to_owned()));
            }
        }
        wrong
    }

    /// Reports words of the code around scripts that differ in the release.
    fn report_code_around(&mut self) {
        if !self.step.edits_scripts {
            return;
        }
        let definitions = definitions(self.ast, &self.source.text, self.names);
        for (range, path) in imports::old_modules(self.ast, self.step, &self.modules) {
            let new = self.step.module(&path).unwrap_or_default();
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
            let Some(change) = self.step.change(&format!("{base}.{}", self.ast.name(attr))) else { continue };
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
        let Some(source) = replacement.script.origin.as_ref().map(|origin| origin.source) else { continue };
        let _ = Visitor::new().pre_order(&replacement.script.node, |node| {
            if let Some(bound) = node.as_node::<LetStmt>() {
                let mut work = vec![bound.span, bound.var.span];
                while let Some(span) = work.pop() {
                    match span.kind() {
                        SpanKind::Range { source: of, start_bytes, .. } if of == source => {
                            found.push(start_bytes)
                        }
                        SpanKind::CallSite { callee, caller } => work.extend([callee, caller]),
                        SpanKind::Sequence { spans, .. } => work.extend(spans),
                        SpanKind::Output { of } => work.push(of),
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

/// The edit that prints a script anew, and the imports that its text needs.
fn print(
    text: &str,
    range: TextRange,
    build: &Replacement<'_>,
    config: &PrinterConfig,
    imports: &Imports,
    timings: &mut Timings,
) -> Result<(TextEdit, Vec<String>), FileErrorKind> {
    let script = build.script;
    let name = script.name.as_deref().and_then(|name| name.rsplit('.').next());
    let mut config = PrinterConfig { name: name.map(str::to_owned), ..config.clone() };
    config.prefixes.extend(imports.prefixes.iter().cloned());
    let printed = timings
        .time("print", || print_text(&build.node, registry(), &config))
        .map_err(FileErrorKind::Unprintable)?;
    let (header, body) = split_header(&printed.text);
    let body = if script.is_checked { body.to_owned() } else { unchecked(body) };
    let start =
        text.get(..range.start as usize).map_or(0, |before| before.rfind('\n').map_or(0, |at| at + 1));
    let indent = text.get(start..range.start as usize).unwrap_or_default();
    // The comment behind the last statement is printed with it.
    let rest = text.get(range.end as usize..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let comment = if rest.trim_start().starts_with('#') { rest.len() } else { 0 };
    let end = range.end + u32::try_from(comment).unwrap_or(0);
    let replacement = indented(&body, indent).replace('\n', line_end(text));
    Ok((TextEdit { range: range.start..end, replacement }, header))
}

/// The end of the lines of a text.
fn line_end(text: &str) -> &'static str {
    let is_windows =
        text.find('\n').is_some_and(|at| text.get(..at).is_some_and(|line| line.ends_with('\r')));
    if is_windows { "\r\n" } else { "\n" }
}

/// The finding for a printed text that does not build the upgraded programs when it is read again.
pub(crate) fn unread(name: &str, text: &str, step: &Step, new: &[Replacement<'_>]) -> Option<Diagnostic> {
    let parsed = parse_as(name, text, step.to);
    let equal = StructuralEqual { map_free_vars: true, ..StructuralEqual::default() };
    let is_same = || {
        let pairs = parsed.scripts.iter().zip(new);
        parsed.scripts.len() == new.len()
            && pairs.into_iter().all(|(read, new)| equal.compare(&read.node, &new.node))
    };
    let reason = match parsed.errors.first() {
        Some(error) => format!("its upgraded text does not read back: {}", error.kind),
        None if is_same() => return None,
        None => "its upgraded text reads back as another program".to_owned(),
    };
    Some(stays(new.first()?.script.definition.into(), &reason))
}

/// A text of the target.
fn parse_as(name: &str, text: &str, release: &'static Release) -> Parsed {
    let mut options = parse_options(name);
    options.release = Some(release);
    options.omit_spans = true;
    tvmscript::parse(name, text, registry(), &options)
}

/// The finding that a script is not rewritten.
fn stays(range: Range<u32>, reason: &str) -> Diagnostic {
    let message = Message::new(&codes::CAPTURED, format!("this script is not rewritten: {reason}"));
    Diagnostic::new(message, range).with_help("write its values into it, or upgrade it by hand")
}

/// The first decorator of each definition.
struct Decorated(BTreeMap<u32, u32>);

impl Decorated {
    fn of(ast: &Ast) -> Decorated {
        let definitions = ast.all_stmts().filter_map(|stmt| match stmt {
            Stmt::FunctionDef(def) => Some((def.name_place, def.decorators)),
            Stmt::ClassDef(class) => Some((class.name_place, class.decorators)),
            _ => None,
        });
        let places = definitions.filter_map(|(name, decorators)| {
            let first = ast.exprs(decorators).first()?;
            Some((ast.range(name).start, ast.range(*first).start))
        });
        Decorated(places.collect())
    }

    /// The range of a definition with its decorators.
    fn range(&self, text: &str, definition: TextRange) -> TextRange {
        let next = self.0.range(definition.start..).next();
        let Some((_, decorator)) =
            next.filter(|(name, at)| **name < definition.end && **at < definition.start)
        else {
            return definition;
        };
        TextRange::new(at_sign(text, *decorator).unwrap_or(definition.start), definition.end)
    }
}

/// The import lines of a printed header, and what follows the header.
fn split_header(text: &str) -> (Vec<String>, &str) {
    let mut header = Vec::new();
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        match line.strip_prefix("# ") {
            Some(import) => header.push(import.to_owned()),
            None if line.is_empty() => {}
            None => break,
        }
        rest = after;
    }
    (header, rest)
}

/// The text of a script whose decorator disables the check.
fn unchecked(text: &str) -> String {
    const FLAG: &str = "check_well_formed=False";
    let at = text.lines().position(|line| line.starts_with('@'));
    let lines = text.lines().enumerate().map(|(index, line)| match line.strip_suffix(')') {
        _ if Some(index) != at => line.to_owned(),
        Some(call) => format!("{call}, {FLAG})"),
        None => format!("{line}({FLAG})"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Indents all lines but the first, except inside texts of several lines.
fn indented(text: &str, indent: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_inside = false;
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            out.push('\n');
            if !is_inside && !line.is_empty() {
                out.push_str(indent);
            }
        }
        out.push_str(line);
        is_inside ^= line.matches("\"\"\"").count() % 2 == 1;
    }
    out
}

/// Names that statements of the file define outside its scripts.
fn names_outside(text: &str, new: &[Replacement<'_>], decorated: &Decorated) -> HashSet<String> {
    let mut edits: Vec<TextEdit> = Vec::new();
    for replacement in new {
        let range = decorated.range(text, replacement.script.definition);
        let edit = TextEdit { range: range.into(), replacement: "pass".to_owned() };
        if !edit.range.is_empty()
            && edits
                .iter()
                .all(|other| other.range.end <= edit.range.start || edit.range.end <= other.range.start)
        {
            edits.push(edit);
        }
    }
    let rest = apply(text, &edits).unwrap_or_else(|_| text.to_owned());
    let mut names = bound(&parse_python(&rest, &PythonOptions::default()).ast);
    // A script is known to the others by its name.
    names.extend(new.iter().filter_map(|new| Some(new.script.name.as_ref()?.rsplit('.').next()?.to_owned())));
    names
}

/// A name of the code around a script that it uses.
fn captured(code: &str, outside: &HashSet<String>) -> Option<String> {
    let code = dedented(code);
    let parsed = parse_python(&code, &PythonOptions::default());
    let own = bound(&parsed.ast);
    let mut used = parsed.ast.all_exprs().filter_map(|expr| match expr {
        Expr::Name(name) => Some(parsed.ast.name(*name)),
        _ => None,
    });
    used.find(|name| outside.contains(*name) && !own.contains(*name)).map(str::to_owned)
}

/// The definition at the left margin; its first line is there already.
fn dedented(code: &str) -> String {
    let def = code.lines().find(|line| !line.trim_start().starts_with('@') || line.starts_with(' '));
    let is_def = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("def ") || line.starts_with("class ")
    };
    let indent = def.filter(is_def).or_else(|| code.lines().find(|line| is_def(line)));
    let indent = indent.map_or(0, |line| line.len() - line.trim_start().len());
    let line =
        |line: &str| line.get(indent.min(line.len() - line.trim_start().len())..).unwrap_or(line).to_owned();
    code.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Names that the statements of a tree bind, except by imports.
fn bound(ast: &Ast) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut targets: Vec<ExprId> = Vec::new();
    for stmt in ast.all_stmts() {
        match stmt {
            Stmt::FunctionDef(def) => {
                names.insert(ast.name(def.name).to_owned());
                names.extend(ast.list(def.params).iter().map(|param| ast.name(param.name).to_owned()));
            }
            Stmt::ClassDef(class) => {
                names.insert(ast.name(class.name).to_owned());
            }
            Stmt::Assign(assign) => targets.extend(ast.exprs(assign.targets)),
            Stmt::AnnAssign(assign) => targets.push(assign.target),
            Stmt::For(each) => targets.push(each.target),
            Stmt::With(with) => targets.extend(ast.list(with.items).iter().filter_map(|item| item.target)),
            _ => {}
        }
    }
    while let Some(target) = targets.pop() {
        match ast.expr(target) {
            Expr::Name(name) => {
                names.insert(ast.name(*name).to_owned());
            }
            Expr::Tuple { elts } | Expr::List { elts } => targets.extend(ast.exprs(*elts)),
            Expr::Starred { value } => targets.push(*value),
            _ => {}
        }
    }
    names
}
