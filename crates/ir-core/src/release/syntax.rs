//! The syntax of a release: what printers and parsers of a whole family of dialects share.
//!
//! Header comments, the metadata section, the Python modules that scripts import and the meaning of slices belong to a
//! release, not to a dialect. How nodes of a class are printed, converted to truth values or subscripted is not part of
//! it: dialects register that by class.

use super::Sign;
use crate::json::{self, JsonError, SaveError, UnknownTypes};
use crate::registry::Registry;
use crate::value::Value;

/// Syntax of a release's texts.
#[derive(Debug, Clone, Copy)]
pub struct Syntax {
    /// Names of dialects in import lines, where they differ from the names in the registry: `(dialect, import)`.
    pub import_names: &'static [(&'static str, &'static str)],
    /// Lines of the header behind the import line of a dialect: `(dialect, line)`.
    pub import_lines: &'static [(&'static str, &'static str)],
    /// Forms by which a text of the release is recognised.
    pub signs: &'static [Sign],
    /// Label of the header comment that names printer options, `# LABEL: option=value, option=value`.
    pub option_label: &'static str,
    /// The metadata section.
    pub metadata: MetadataFormat,
    /// Python modules and functions that scripts and their files use.
    pub python: PythonNames,
    /// Reading of slices in script bodies.
    pub slices: SliceRule,
    /// `true` if `a < b == c` in a script body is `(a < b) == c` where nodes are compared, and not Python's chain.
    pub comparisons_nest: bool,
    /// `true` if values of keyword arguments in a script body follow Python's rules: `3 < x` is `x > 3` there.
    pub keywords_follow_python: bool,
    /// Groups of functions that no table of the release lists, such as the instructions of a device: dialect and name. Calls
    /// of all their functions are kept as they are.
    pub open_groups: &'static [(&'static str, &'static str)],
    /// Flags of decorators that the release reads and ignores: name of the decorator and argument.
    pub ignored_flags: &'static [(&'static str, &'static str)],
    /// Decorators of functions that most texts call with arguments: dialect and name. Most decorators are names alone.
    pub called_decorators: &'static [(&'static str, &'static str)],
    /// `true` if the names of keyword arguments may have dots.
    pub dotted_keywords: bool,
    /// `true` if texts of the release come from between passes, where programs need not be well-formed: what a check
    /// finds is a note, not an error, and so is a second definition of a name.
    pub may_be_ill_formed: bool,
    /// Examples in messages.
    pub examples: Examples,
}

/// Code that messages show as an example of what they expect.
#[derive(Debug, Clone, Copy)]
pub struct Examples {
    /// A scope, as in `with SCOPE:`.
    pub scope: Option<&'static str>,
    /// The decorator of a function, without `@`.
    pub function: Option<&'static str>,
    /// The decorator of a class, without `@`.
    pub class: Option<&'static str>,
}

impl Examples {
    /// No examples.
    pub const NONE: Examples = Examples { scope: None, function: None, class: None };

    /// Help for a text that contains no script.
    pub fn script(&self) -> Option<String> {
        let function = self.function.map(|decorator| format!("a function under `@{decorator}`"));
        let class = self.class.map(|decorator| format!("a class under `@{decorator}`"));
        let kinds: Vec<String> = function.into_iter().chain(class).collect();
        (!kinds.is_empty()).then(|| format!("a script is {}", kinds.join(" or ")))
    }
}

/// Spelling of the metadata section, `VARIABLE = LOADER("""DATA""")`.
#[derive(Debug, Clone, Copy)]
pub struct MetadataFormat {
    /// Variable that holds the section.
    pub variable: &'static str,
    /// Dotted name of the function that reads the data.
    pub loader: &'static str,
    /// Key under which the section lists nodes of a type, given the type key.
    pub type_key: fn(&'static str, &Registry) -> &'static str,
    /// Comment that stands in place of a section that is not printed.
    pub omitted: &'static str,
    /// Writes the data.
    pub save: fn(&Value, &Registry) -> Result<String, SaveError>,
    /// Reads the data.
    pub load: fn(&str, &Registry, UnknownTypes) -> Result<Value, JsonError>,
}

/// Python names with a meaning in the family's files.
#[derive(Debug, Clone, Copy)]
pub struct PythonNames {
    /// Module whose members are the dialects' namespaces, as in the header comment `# from MODULE import DIALECT as
    /// PREFIX`. All of its members are known: another name is a mistake.
    ///
    /// The field alone does not declare the module to Python code. For the statement `from MODULE import DIALECT as
    /// PREFIX`, a dialect registers it with the parser: `.python_modules(&[PythonModule::new(&["MODULE"])
    /// .members(&[("DIALECT", Member::Namespace)])])`.
    pub script_module: &'static str,
    /// Package of the family. Its members that no dialect declares are reported when code calls them.
    pub package: &'static str,
    /// Subpackage of test helpers, which are not reported.
    pub testing: &'static str,
    /// Name of the helper that declares a test's parameter, `n = testing.parameter(1, 2)`.
    pub parameter: &'static str,
    /// Name of the helper that declares several parameters at once, `n, m = testing.parameters((1, 2), (3, 4))`.
    pub parameters: &'static str,
    /// Prefixes of dotted names of decorators that return the decorated function, or one with the same results,
    /// beside those of well-known modules of Python.
    pub transparent_decorators: &'static [&'static str],
    /// Base class of tests that compare scripts, if the family has one.
    pub comparison: Option<ComparisonTests>,
}

/// Test classes whose bare methods are scripts to compare.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonTests {
    /// End of the names of the base classes.
    pub base_suffix: &'static str,
    /// Names of the methods and inner classes that are scripts.
    pub scripts: &'static [&'static str],
    /// The attribute of the classes that is a flag of the decorator: whether the scripts are checked.
    pub checked: &'static str,
}

/// Meaning of `a[lower:upper]`, a subscript without a step, in the body of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceRule {
    /// A slice without a step, everywhere.
    AsWritten,
    /// A slice of step 1 (a vector of elements) where it is a value: an operand, an assigned value, an argument of a
    /// method. Elsewhere a slice without a step (a region).
    VectorsAsValues,
}

impl Syntax {
    /// The syntax of dialects without a release.
    pub const PLAIN: Syntax = Syntax {
        import_names: &[],
        import_lines: &[],
        signs: &[],
        option_label: "options",
        metadata: MetadataFormat {
            variable: "metadata",
            loader: "load_json",
            type_key: |key, _| key,
            omitted: "The metadata section is not shown; set show_meta to print it.",
            save: save_native,
            load: |text, registry, _| json::native::load(text, registry),
        },
        python: PythonNames::NONE,
        slices: SliceRule::AsWritten,
        comparisons_nest: false,
        keywords_follow_python: true,
        open_groups: &[],
        ignored_flags: &[],
        called_decorators: &[],
        dotted_keywords: false,
        may_be_ill_formed: false,
        examples: Examples::NONE,
    };

    /// Name of a dialect in import lines.
    pub fn import_name(&self, dialect: &'static str) -> &'static str {
        self.import_names.iter().find(|(own, _)| *own == dialect).map_or(dialect, |(_, name)| name)
    }

    /// Dialect that an import line names.
    pub fn dialect_of_import<'a>(&self, name: &'a str) -> &'a str {
        self.import_names.iter().find(|(_, import)| *import == name).map_or(name, |(dialect, _)| dialect)
    }

    /// Names reserved in printed text.
    pub fn words(&self) -> [&'static str; 2] {
        let loader = self.metadata.loader;
        [self.metadata.variable, loader.split('.').next().unwrap_or(loader)]
    }
}

impl PythonNames {
    /// No special names.
    pub const NONE: PythonNames = PythonNames {
        script_module: "dialects",
        package: "dialects",
        testing: "dialects",
        parameter: "parameter",
        parameters: "parameters",
        transparent_decorators: &[],
        comparison: None,
    };
}

fn save_native(value: &Value, _: &Registry) -> Result<String, SaveError> {
    Ok(json::native::save_pretty(value))
}
