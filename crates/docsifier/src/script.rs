//! Printing a node as a script: root frame, header, metadata section.

use std::fmt::Write as _;

use tvmscript_doc::python::{self, PythonOptions};
use tvmscript_doc::{Doc, ExprDoc, PrintError, StmtDoc, StmtList};

use tvmscript_ir_core::containers::{ArrayNode, MapNode, TensorNode};
use tvmscript_ir_core::json::{UnknownNode, UnknownTypes};
use tvmscript_ir_core::{FieldRef, Object, ObjectLike, PathId, Registry, Value, fallible, pre_order_visit};

use crate::DocsifyError;
use crate::config::PrinterConfig;
use crate::docsifier::Docsifier;
use crate::error::DocsifyResult;
use crate::frame::Frame;
use crate::list;
use crate::margins;
use crate::messages;
use crate::preamble::Preamble;
use crate::prefixes::Prefix;
use crate::shared::Shared;

/// Prints a node.
///
/// # Errors
/// If a node has no text form, or the text is too long.
pub fn print(object: &Object, registry: &Registry, config: &PrinterConfig) -> DocsifyResult<String> {
    print_text(object, registry, config).map(|printed| printed.text)
}

/// A printed node.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrintedText {
    /// The text.
    pub text: String,
    /// `true` if the text refers to a metadata section that is omitted, so that it does not read back
    /// ([`PrinterConfig::show_meta`]).
    pub omits_metadata: bool,
}

/// Prints a node and reports whether the text is complete.
///
/// # Errors
/// As [`print()`].
pub fn print_text(
    object: &Object,
    registry: &Registry,
    config: &PrinterConfig,
) -> DocsifyResult<PrintedText> {
    let (mut d, stmts) = docsify(registry, config, object, |d| docsify_root(d, object))?;
    let mut options = python_options(&d);
    if d.config().has_messages() {
        messages::place(&mut d, object, &stmts, &options)?;
        options.underline = std::mem::take(&mut d.messages.to_underline);
    }
    let block = d.docs.block(&stmts);
    let mut text = if config.show_meta { metadata_line(&d)? } else { String::new() };
    let omits_metadata = !config.show_meta && !d.metadata_section().is_empty();
    let script = python::print(&d.docs, block, &options)?;
    if text.is_empty() {
        return Ok(PrintedText { text: script, omits_metadata });
    }
    text.push_str(&script);
    Ok(PrintedText { text, omits_metadata })
}

/// Writes the syntax tree of a node's text as one line of JSON.
///
/// # Errors
/// As [`print()`].
pub fn doc_json(object: &Object, registry: &Registry, config: &PrinterConfig) -> DocsifyResult<String> {
    let (mut d, stmts) = docsify(registry, config, object, |d| docsify_root(d, object))?;
    let block = d.docs.block(&stmts);
    Ok(d.docs.dump_json(block, config.max_bytes)?)
}

pub(crate) fn python_options(d: &Docsifier<'_>) -> PythonOptions {
    let config = d.config();
    PythonOptions {
        indent_spaces: config.indent_spaces,
        max_width_columns: config.max_width_columns,
        max_bytes: config.max_bytes,
        print_line_numbers: config.print_line_numbers,
        num_context_lines: config.num_context_lines,
        comparisons_nest: d.syntax().comparisons_nest,
        ..PythonOptions::default()
    }
}

/// Makes docs of `object`: at first on assumptions about the scopes of variables, which hold for nearly all
/// programs and save a walk over the program; if one was wrong, again without; and again if parts of the text share nodes.
pub(crate) fn docsify<'r, R>(
    registry: &'r Registry,
    config: &'r PrinterConfig,
    object: &Object,
    make: impl Fn(&mut Docsifier<'r>) -> DocsifyResult<R>,
) -> DocsifyResult<(Docsifier<'r>, R)> {
    let mut d = Docsifier::new(registry, config, object)?;
    d.assume_scopes();
    let mut made = match make(&mut d) {
        Ok(made) if !d.assumed_wrongly() => {
            debug_assert!(!d.inner_is_deceived && !d.is_deceived(), "a wrong assumption is noticed");
            made
        }
        _ => {
            d = Docsifier::new(registry, config, object)?;
            make(&mut d)?
        }
    };
    let shared = d.shared.take_found();
    if !shared.is_empty() {
        let mut again = Docsifier::new(registry, config, object)?;
        again.shared = Shared::knowing(shared);
        // Not every node has a declaration; without, the text shows as many nodes as parts.
        if let Ok(text) = make(&mut again) {
            (d, made) = (again, text);
        }
    }
    Ok((d, made))
}

/// The statements of the complete script for `object`.
///
/// # Errors
/// As [`print()`].
pub(crate) fn docsify_root(d: &mut Docsifier<'_>, object: &Object) -> DocsifyResult<Vec<StmtDoc>> {
    let (is_bare, mut stmts) = in_own_frame(d, object, |_| Ok(()))?;
    // A lone fragment gets only the header lines that its text needs to read back.
    if !is_bare && !d.has_header {
        let has_scripts = d.has_scripts;
        let preamble = d.take_preamble();
        let mut lines = preamble.imports();
        lines.extend(imports(d, |prefix| has_scripts || !prefix.is_default));
        let mut whole = header(d, lines)?;
        whole.extend(preamble.stmts());
        whole.append(&mut stmts);
        stmts = whole;
    }
    let section = d.metadata_section();
    if section.lacks_section && d.has_header || !section.is_empty() && !d.config().show_meta {
        let omitted = d.syntax().metadata.omitted;
        stmts.push(d.docs.comment(omitted));
    }
    d.resolve_words()?;
    d.docs.check()?;
    if d.config().has_margins() {
        margins::place(d, object, &stmts);
    }
    Ok(stmts)
}

/// The statements of a node in a frame of its own, after `begin`; `true` if they are a bare expression.
pub(crate) fn in_own_frame(
    d: &mut Docsifier<'_>,
    object: &Object,
    begin: impl FnOnce(&mut Docsifier<'_>) -> DocsifyResult<()>,
) -> DocsifyResult<(bool, Vec<StmtDoc>)> {
    let (token, frame) = d.table().root(object);
    let frame = frame.unwrap_or_else(|| Frame::fragment(()));
    let verbose = d.config().verbose_expr;
    d.with_token_id(token, |d| {
        d.with_frame(frame, |d| {
            begin(d)?;
            if list::print(object, d)?.is_some() {
                return Ok(false);
            }
            let is_container =
                object.as_node::<ArrayNode>().is_some() || object.as_node::<MapNode>().is_some();
            // Text meant for reading back is more explicit.
            let doc = match d.table().data().filter(|_| verbose && is_container) {
                Some(print) => print(&Value::Node(object.clone()), PathId::ROOT, d)?.into(),
                None => d.doc(object, PathId::ROOT)?,
            };
            let is_bare = matches!(doc, Doc::Expr(_)) && !verbose;
            if is_bare {
                d.frame_mut().stmts.clear();
            }
            d.push_doc(doc);
            Ok(is_bare)
        })
    })
}

/// The metadata section, `metadata = load_json("""...""")` and a newline; empty without metadata. The syntax
/// of the release supplies names and data format ([`tvmscript_ir_core::release::MetadataFormat`]).
///
/// The data is ASCII: other characters, which occur in JSON strings only, are written as JSON escapes.
///
/// # Errors
/// If the elements of a constant are left out, or the section is longer than the text may be.
fn metadata_line(d: &Docsifier<'_>) -> DocsifyResult<String> {
    if d.metadata_section().is_empty() {
        return Ok(String::new());
    }
    let max_bytes = d.config().max_bytes;
    let metadata = d.metadata_section().to_map().into_object();
    if d.metadata_section().lacks_section {
        let reason =
            "the text refers to values of a section that was left out, and needs a section for others";
        return Err(DocsifyError::unwritable(&metadata, reason));
    }
    let too_long = || PrintError::OutputBudget { max_bytes };
    // Constants dominate large sections, and their encoded length is known in advance.
    if encoded_bytes(&metadata) > max_bytes {
        return Err(too_long().into());
    }
    let format = &d.syntax().metadata;
    let metadata = Value::Node(metadata);
    let load = |text: &str| (format.load)(text, d.registry(), UnknownTypes::Kept);
    let json = match UnknownNode::whole_graph(&metadata, load) {
        Some(section) => section.as_str().to_owned(),
        None => (format.save)(&metadata, d.registry())?,
    };
    if json.len() > max_bytes {
        return Err(too_long().into());
    }
    let mut text = String::new();
    if !fallible::reserve_text(&mut text, json.len() + json.len() / 8 + 64) {
        return Err(PrintError::OutOfMemory.into());
    }
    text.extend([format.variable, " = ", format.loader, "(\"\"\""]);
    let mut units = [0; 2];
    for c in json.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' | ' '..='~' => text.push(c),
            _ => {
                for unit in c.encode_utf16(&mut units) {
                    // Writing to a string does not fail.
                    let _ = write!(text, "\\\\u{unit:04x}");
                }
            }
        }
    }
    text.push_str("\"\"\")\n");
    Ok(text)
}

/// The encoded length of all tensors below a node.
fn encoded_bytes(node: &Object) -> usize {
    let mut sum = 0_usize;
    pre_order_visit(node, |node| {
        for index in 0..node.info().fields().len() {
            if let FieldRef::Node(field) = node.field(index)
                && let Some(bytes) = field.as_node::<TensorNode>().and_then(TensorNode::bytes)
            {
                sum = sum.saturating_add(bytes.len() / 3 * 4);
            }
        }
        true
    });
    sum
}

/// A function or module as a script: the header, the declarations of the fragment's frame, then `stmt`.
///
/// # Errors
/// As [`PrinterConfig::check`].
pub fn script(d: &mut Docsifier<'_>, stmt: StmtDoc) -> DocsifyResult<StmtList> {
    if d.lists_scripts {
        d.has_scripts = true;
        return Ok(d.docs.block(&[stmt]));
    }
    let preamble = match d.frame_count() <= 1 {
        true => d.take_preamble(),
        false => Preamble::default(),
    };
    let mut lines = preamble.imports();
    lines.extend(imports(d, |_| true));
    let mut stmts = header(d, lines)?;
    stmts.extend(preamble.stmts());
    stmts.extend(d.take_declarations());
    stmts.push(stmt);
    Ok(d.docs.block(&stmts))
}

impl Docsifier<'_> {
    /// The declarations of the fragment's frame, which precede the script.
    pub(crate) fn take_declarations(&mut self) -> Vec<StmtDoc> {
        let frame = self.frame_mut();
        match frame.declares_free {
            true => std::mem::take(&mut frame.stmts).into_vec(),
            false => Vec::new(),
        }
    }
}

/// The text of an expression, as a part of the script.
///
/// # Errors
/// If the text is too long.
pub fn expr_text(d: &mut Docsifier<'_>, doc: ExprDoc) -> DocsifyResult<String> {
    let stmt = d.docs.expr_stmt(doc);
    let block = d.docs.block(&[stmt]);
    let options = PythonOptions { max_bytes: d.config().max_bytes, ..PythonOptions::default() };
    Ok(python::print(&d.docs, block, &options)?.trim_end().to_owned())
}

/// Import comments of the used prefixes that `include` accepts.
fn imports(d: &Docsifier<'_>, include: impl Fn(&Prefix) -> bool) -> Vec<String> {
    let syntax = d.syntax();
    let module = syntax.python.script_module;
    let mut lines = Vec::new();
    for Prefix { dialect, prefix, .. } in d.used_prefixes().filter(|used| include(used)) {
        lines.push(format!("from {module} import {} as {prefix}", syntax.import_name(dialect)));
        let behind = syntax.import_lines.iter().filter(|(of, _)| of == dialect);
        lines.extend(behind.map(|(_, line)| (*line).to_owned()));
    }
    lines
}

/// The header: import comments, the option line if options affect reading, and a blank line.
fn header(d: &mut Docsifier<'_>, mut lines: Vec<String>) -> DocsifyResult<Vec<StmtDoc>> {
    // In an inner frame the header follows declarations.
    d.has_header |= d.frame_count() <= 1;
    let values = d.config().header_values(d.table())?;
    if !values.is_empty() {
        lines.push(format!("{}: {}", d.syntax().option_label, values.join(", ")));
    }
    let mut stmts: Vec<StmtDoc> = Vec::new();
    if d.frame_count() <= 1 {
        for line in std::mem::take(&mut d.first_lines) {
            let line = d.docs.id(line);
            stmts.push(d.docs.expr_stmt(line));
            stmts.push(d.docs.comment(""));
        }
    }
    stmts.extend(lines.iter().map(|line| d.docs.comment(line)));
    if !stmts.is_empty() {
        stmts.push(d.docs.comment(""));
    }
    Ok(stmts)
}
