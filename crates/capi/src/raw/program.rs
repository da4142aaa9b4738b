//! Parsing, printing and checking.

use std::sync::Arc;

use super::findings::report;
use super::handle::{Errors, Handle as _, Object, Program, Registry, Text};
use super::{Out, Plain, Str, enter, read_options};
use crate::diagnostics::Findings;
use crate::options::{Parsing, Printing};
use crate::program;
use crate::status::{Outcome, Status};
use crate::text::OwnedText;

/// Options of `tvmscript_parse`. Zero in a field is the default, so a program sets `size` and what it needs.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ParseOptions {
    /// `sizeof(tvmscript_parse_options)`.
    pub size: usize,
    /// Release of the text, such as "tvm-0.27"; by default the text tells.
    pub release: Str,
    /// Dialect of which the text is a fragment, such as "tir": statements outside of any function.
    pub fragment_of: Str,
    /// Maximum number of steps of Python code around scripts.
    pub max_steps: u64,
    /// Maximum size of all nodes, in bytes.
    pub max_node_bytes: u64,
    /// Maximum size of the text, in bytes.
    pub max_text_bytes: u32,
    /// 1 to leave out the positions of nodes.
    pub omit_spans: u8,
    /// 1 to check that the scripts are well-formed, too, as `tvmscript_check` does.
    pub check: u8,
}

// SAFETY: texts and numbers, the first one `size`.
unsafe impl Plain for ParseOptions {}

/// Options of `tvmscript_print`. Zero in a field is the default, so a program sets `size` and what it needs.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PrintOptions {
    /// `sizeof(tvmscript_print_options)`.
    pub size: usize,
    /// Release to print in; by default that of the text that the node comes from.
    pub release: Str,
    /// Name of the function or module, instead of "main" or "Module".
    pub name: Str,
    /// Options of dialects as the command has them, `NAME=VALUE` or `NAME` for switches, one per line.
    pub dialect_options: Str,
    /// Lines wider than this are broken inside brackets; never by default.
    pub width: u32,
    /// Spaces per level of indentation, at most 64; by default 4.
    pub indent: u32,
    /// 1 to print the metadata section, which large constants need to be read back.
    pub show_metadata: u8,
    /// 1 to print every node in full.
    pub no_syntax_sugar: u8,
    /// 1 to declare the free variables of an expression or statement that is printed on its own.
    pub verbose_expressions: u8,
    /// 1 to print line numbers.
    pub line_numbers: u8,
    /// 1 to print the comments of the text that the node comes from.
    pub keep_comments: u8,
    /// 1 to print the source position of each statement.
    pub show_spans: u8,
}

// SAFETY: texts and numbers, the first one `size`.
unsafe impl Plain for PrintOptions {}

impl PrintOptions {
    /// # Safety
    /// The texts are those of a caller, as for [`Str::read`].
    unsafe fn printing<'a>(self) -> Outcome<Printing<'a>> {
        // SAFETY: the same contract.
        let (release, name, dialect_options) =
            unsafe { (self.release.read()?, self.name.read()?, self.dialect_options.read()?) };
        Ok(Printing {
            release,
            name,
            dialect_options,
            width: self.width,
            indent: self.indent,
            show_metadata: self.show_metadata != 0,
            no_syntax_sugar: self.no_syntax_sugar != 0,
            verbose_expressions: self.verbose_expressions != 0,
            line_numbers: self.line_numbers != 0,
            keep_comments: self.keep_comments != 0,
            show_spans: self.show_spans != 0,
        })
    }
}

/// Parses a text in Python syntax.
///
/// Scripts without errors are in the program even if others have errors; then the status is `TVMSCRIPT_ERRORS`.
///
/// @param registry the dialects
/// @param name name of the text for messages, such as a file name
/// @param text the text
/// @param options options, or NULL
/// @param out_program the program, to be freed with `tvmscript_program_free`
/// @param out_errors errors, warnings and notes, to be freed with `tvmscript_errors_free`; null if there are none. NULL to ignore
/// them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_parse(
    registry: Registry,
    name: Str,
    text: Str,
    options: *const ParseOptions,
    out_program: *mut Program,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors) = unsafe { (Out::new(out_program)?, Out::optional(out_errors)?) };
        // SAFETY: as above.
        let (name, text, options) = unsafe { (name.read()?, text.read()?, read_options(options)?) };
        let ParseOptions { size: _, release, fragment_of, max_steps, max_node_bytes, max_text_bytes, .. } =
            options;
        // SAFETY: as above.
        let (release, fragment_of) = unsafe { (release.read()?, fragment_of.read()?) };
        let omit_spans = options.omit_spans != 0;
        let parsing = Parsing { release, fragment_of, omit_spans, max_text_bytes, max_steps, max_node_bytes };
        let registry = registry.load()?;
        let parse_options = parsing.options(&registry)?;
        let (program, mut findings) = program::Program::parse(registry, name, text, &parse_options);
        if options.check != 0 {
            findings = findings.and(program.check(), &program.whole());
        }
        out.set(Program::store(Arc::new(program))?);
        report(findings, errors)
    })
}

/// Returns the number of scripts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_program_count(program: Program, out_count: *mut usize) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_count)? };
        out.set(program.load()?.scripts.len());
        Ok(())
    })
}

/// Returns a script and the name of its definition in the text, which is empty if it has none and lives until the program is freed.
///
/// @param out_name NULL to ignore the name
/// @param out_object the node, to be freed with `tvmscript_object_free`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_program_get(
    program: Program,
    index: usize,
    out_name: *mut Str,
    out_object: *mut Object,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (name, out) = unsafe { (Out::optional(out_name)?, Out::new(out_object)?) };
        let program = program.load()?;
        let part = program.part(index).ok_or(Status::OutOfRange)?;
        out.set(Object::store(part)?);
        if let Some(script) = program.scripts.get(index) {
            name.set(Str::of(&script.name));
        }
        Ok(())
    })
}

/// Returns the only script of a text, or the array of all scripts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_program_object(program: Program, out_object: *mut Object) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_object)? };
        out.set(Object::store(program.load()?.whole())?);
        Ok(())
    })
}

/// Returns the name of the release of a text, such as "tvm-0.27".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_program_release(program: Program, out_name: *mut Text) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_name)? };
        let name = program.load()?.origin.release.id();
        out.set(Text::store(Arc::new(OwnedText::new(name)))?);
        Ok(())
    })
}

/// Frees a program. Its objects stay valid. Does nothing for the null handle.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_program_free(program: Program) -> Status {
    enter(|| program.free())
}

/// Prints a node.
///
/// @param registry the dialects to print with; the null handle for those that the node was read with
/// @param options options, or NULL
/// @param out_text the text, to be freed with `tvmscript_text_free`
/// @param out_errors the reason why the node cannot be printed; NULL to ignore it
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_print(
    registry: Registry,
    object: Object,
    options: *const PrintOptions,
    out_text: *mut Text,
    out_errors: *mut Errors,
) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let (out, errors) = unsafe { (Out::new(out_text)?, Out::optional(out_errors)?) };
        // SAFETY: as above.
        let printing = unsafe { read_options(options)?.printing()? };
        let part = object.load()?;
        let registry = registry.load_or(&part)?;
        let config = printing.config(&registry, &part)?;
        match tvmscript::print(&part.node, &registry, &config) {
            Ok(text) => {
                out.set(Text::store(Arc::new(OwnedText::new(text)))?);
                Ok(())
            }
            Err(error) => report(Findings::of_print(&error, &part), errors),
        }
    })
}

/// Checks that a node is well-formed, with the checks of its release.
///
/// @param out_errors what is wrong, in the text that the node comes from; NULL to learn only if anything is
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_check(object: Object, out_errors: *mut Errors) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let errors = unsafe { Out::optional(out_errors)? };
        let part = object.load()?;
        report(Findings::of_part(part.check(), &part), errors)
    })
}

/// Returns another handle of the same node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvmscript_object_clone(object: Object, out_object: *mut Object) -> Status {
    enter(|| {
        // SAFETY: the promises of the caller.
        let out = unsafe { Out::new(out_object)? };
        out.set(Object::store(object.load()?)?);
        Ok(())
    })
}

/// Frees a handle of a node; other handles of it, and of its parts, stay valid. Does nothing for the null handle.
#[unsafe(no_mangle)]
pub extern "C" fn tvmscript_object_free(object: Object) -> Status {
    enter(|| object.free())
}
