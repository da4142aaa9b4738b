//! Dialects from dynamic libraries.
//!
//! A plugin describes its nodes, operators and statements as a file of `--dialect` does, and adds functions, printers and passes in code.
//! What follows from a description (text both ways, JSON, equality, visitors, stubs) is the same for both.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use tvmscript::dialect_file::{DescriptionErrorKind, DialectFile};
use tvmscript::docsifier::doc::ExprDoc;
use tvmscript::docsifier::{Docsifier, DocsifyDialect as _, DocsifyError, DocsifyResult};
use tvmscript::ir::IRModule;
use tvmscript::ir_core::containers::ArrayNode;
use tvmscript::ir_core::{Dialect, PathId, TypeInfo, error_codes};
use tvmscript::irbuilder::{
    Binding, BuildDialect as _, BuildError, BuildResult, CallArgs, Param, ParamKind, PyType, ScriptFn,
    ScriptValue,
};
use tvmscript::pass::{Pass, PassContext, PassDialect as _, PassError, PassInfo};
use tvmscript::{Diagnostic, Object, Ref, Registry, Value, diagnostics};

use crate::callable::{Callback, Refusal};
use crate::program::{Dialects, Origin, Part};
use crate::status::Status;
use crate::value::Datum;

/// Error of loading a plugin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginError {
    /// The library cannot be opened.
    #[error("the library cannot be opened: {reason}")]
    Unreadable {
        /// The reason, as the system says it.
        reason: String,
    },
    /// The library exports no plugin.
    #[error("the library does not export the function `{symbol}`")]
    NoSymbol {
        /// The name of the function.
        symbol: &'static str,
    },
    /// The plugin was made for another version of the interface.
    #[error("the plugin has version {found} of the interface, not {known}: build it for this version")]
    Version {
        /// The version of the plugin.
        found: u32,
        /// The version of this program.
        known: u32,
    },
    /// The plugin returns no table.
    #[error("the plugin refuses to be loaded: its function returns null")]
    Refused,
    /// A part of the tables cannot be read.
    #[error("{what} of the plugin cannot be read: {}", status.describe().to_string_lossy())]
    Table {
        /// The part.
        what: &'static str,
        /// The reason.
        status: Status,
    },
    /// The description of the dialect has mistakes.
    #[error("the description of the dialect has {} mistakes, the first in line {line}: {first}", .found.len())]
    Description {
        /// Line of the first mistake in the description.
        line: usize,
        /// The first mistake.
        first: String,
        /// The mistakes.
        found: Vec<Diagnostic<DescriptionErrorKind>>,
        /// The description.
        text: String,
    },
    /// The plugin was loaded before.
    #[error("the dialect `{dialect}` is there already: name each plugin once")]
    Twice {
        /// Name of the dialect.
        dialect: String,
    },
    /// The dialect does not go together with another one.
    #[error("{message}")]
    Clash {
        /// The conflicts, one per line.
        message: String,
    },
    /// A function of the program or of a plugin failed.
    #[error("{message}")]
    Callback {
        /// The reason that it gives.
        message: String,
    },
    /// A function, printer or pass that cannot be registered.
    #[error("{item} cannot be registered: {reason}")]
    Item {
        /// The item, with backticks.
        item: String,
        /// The reason.
        reason: String,
    },
}

error_codes! {
    PluginError {
        PluginError::Unreadable { .. } => "E1301" "plugin-unreadable"
            "The file of a plugin does not exist, is not a dynamic library of this system, or needs a library that is missing.";
        PluginError::NoSymbol { .. } => "E1302" "plugin-symbol" "The library is not a plugin: it does not export `tvmscript_plugin`.";
        PluginError::Version { .. } => "E1303" "plugin-version"
            "The plugin was built for another version of the interface. Build it again with the header of this version.";
        PluginError::Refused => "E1304" "plugin-refused" "The function of the plugin returns null instead of its table.";
        PluginError::Table { .. } => "E1305" "plugin-table"
            "A table of the plugin has a wrong size, a text that is not UTF-8, a null pointer, or an unknown kind of item.";
        PluginError::Clash { .. } => "E1306" "dialect-clash"
            "A dialect has a name, a node or a function that another one has.";
        PluginError::Twice { .. } => "E1307" "plugin-twice"
            "A plugin, or another dialect of its name, is in the registry already. Name each plugin once.";
        PluginError::Item { .. } => "E1308" "plugin-item"
            "A function, printer or pass of a plugin has a name that cannot be written or is taken, or is for a node that the dialect \
             does not have.";
        PluginError::Callback { .. } => "E1309" "callback"
            "A function of the program or of a plugin failed for the reason that it gives.";
    }
    delegate {
        PluginError::Description { found, .. } => match found.first() {
            Some(first) => first.kind.error_code(),
            None => PluginError::Refused.error_code(),
        };
    }
}

impl PluginError {
    /// The error for people, with the lines of the description that it is about.
    pub fn render(&self, path: &Path, color: bool) -> String {
        match self {
            PluginError::Description { found, text, .. } => {
                diagnostics::render(found, &format!("{} (description)", path.display()), text, color)
            }
            error => {
                use tvmscript::diagnostics::DiagnosticKind as _;
                format!("[{}] Error: {}: {error}\n", error.error_code().code, path.display())
            }
        }
    }
}

/// Kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Function,
    Printer,
    Pass,
}

/// An item of a plugin, as it was read.
pub(crate) struct Item {
    pub(crate) kind: ItemKind,
    pub(crate) name: String,
    pub(crate) parameters: String,
    pub(crate) doc: String,
    pub(crate) callback: Box<dyn Callback>,
}

/// The tables of a plugin.
pub(crate) struct Table {
    pub(crate) description: String,
    pub(crate) items: Vec<Item>,
}

/// A function in code: an item with its declaration.
struct Code {
    /// The plugin and the item, for messages.
    what: String,
    callback: Box<dyn Callback>,
}

impl Code {
    fn call(&self, args: &[Datum]) -> Result<Datum, CodeError<'_>> {
        self.callback.call(args).map_err(|refusal| CodeError { what: &self.what, refusal })
    }

    fn wrong_result(&self) -> CodeError<'_> {
        CodeError { what: &self.what, refusal: Status::InvalidArgument.into() }
    }
}

/// Failure of code of a plugin.
struct CodeError<'c> {
    what: &'c str,
    refusal: Refusal,
}

impl fmt::Display for CodeError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match (&self.refusal.message, self.refusal.status) {
            (Some(message), _) => message.trim(),
            (None, Status::InvalidArgument) => "its result, or an argument, has a value that it cannot have",
            (None, Status::Stopped) => "it gives no reason",
            (None, status) => &status.describe().to_string_lossy(),
        };
        write!(f, "{} failed: {reason}", self.what)
    }
}

/// A dialect that was loaded from a dynamic library. It stays loaded until the process ends.
pub struct Plugin {
    file: DialectFile,
    functions: Vec<&'static ScriptFn>,
    printers: Vec<(&'static TypeInfo, Arc<Code>)>,
    passes: Vec<CodePass>,
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Plugin").field(&self.file.name()).finish()
    }
}

impl Plugin {
    /// Loads the dialect of a dynamic library. `base` has the dialects that it may refer to and has to go together with.
    ///
    /// # Errors
    /// See [`PluginError`].
    pub fn load(path: &Path, base: &Registry) -> Result<Plugin, PluginError> {
        // A bare name would be searched in the folders of the system.
        let file = if path.components().count() == 1 { Path::new(".").join(path) } else { path.to_owned() };
        let Table { description, items } = crate::raw::plugin::open(&file)?;
        Plugin::of_table(&file, description, items, base)
    }

    fn of_table(
        path: &Path,
        description: String,
        items: Vec<Item>,
        base: &Registry,
    ) -> Result<Plugin, PluginError> {
        let file = DialectFile::load(&description, base).map_err(|found| {
            match found.first().map(|first| &first.kind) {
                Some(DescriptionErrorKind::Taken { what, dialect }) if what.starts_with("the name ") => {
                    PluginError::Twice { dialect: dialect.clone() }
                }
                _ => described(found, &description),
            }
        })?;
        let mut plugin = Plugin { file, functions: Vec::new(), printers: Vec::new(), passes: Vec::new() };
        for item in items {
            plugin.add(path, item)?;
        }
        Ok(plugin)
    }

    fn add(&mut self, path: &Path, item: Item) -> Result<(), PluginError> {
        let Item { kind, name, parameters, doc, callback } = item;
        let kind_name = match kind {
            ItemKind::Function => "function",
            ItemKind::Printer => "printer",
            ItemKind::Pass => "pass",
        };
        let library = path.file_name().unwrap_or_default().to_string_lossy();
        let what = format!("the {kind_name} `{name}` of the plugin `{library}`");
        let refuse = |reason: &str| PluginError::Item { item: what.clone(), reason: reason.to_owned() };
        let is_name = tvmscript::docsifier::names::is_identifier;
        match kind {
            ItemKind::Function => {
                if !name.split('.').all(is_name) {
                    return Err(refuse("its name is not a Python identifier"));
                }
                if self.functions.iter().any(|function| function.name == name) {
                    return Err(refuse("the plugin has two of this name"));
                }
                let params = parameters.split(',').map(str::trim).filter(|param| !param.is_empty());
                let params = params.map(|param| {
                    let (name, default) = match param.strip_suffix('=') {
                        Some(name) => (name.trim(), Some("None")),
                        None => (param, None),
                    };
                    if !is_name(name) {
                        return Err(refuse(&format!("the parameter `{name}` is not a Python identifier")));
                    }
                    let name: &'static str = String::leak(name.to_owned());
                    Ok(Param { name, kind: ParamKind::Plain, default, py_type: PyType::ANY })
                });
                let params = params.collect::<Result<Vec<Param>, PluginError>>()?;
                // Functions live as long as the process, like the types of the dialect.
                let code: &'static Code = Box::leak(Box::new(Code { what, callback }));
                self.functions.push(Box::leak(Box::new(ScriptFn {
                    name: String::leak(name),
                    doc: String::leak(doc),
                    params: Vec::leak(params),
                    returns: PyType::ANY,
                    is_annotation: false,
                    members: &[],
                    around: None,
                    call: call_code,
                    data: Some(code),
                })));
            }
            ItemKind::Printer => {
                let info = self.file.types().iter().find(|info| info.key() == name);
                let info = *info.ok_or_else(|| refuse("the description declares no such node"))?;
                if self.printers.iter().any(|(other, _)| std::ptr::eq(*other, info)) {
                    return Err(refuse("the plugin has two for this node"));
                }
                self.printers.push((info, Arc::new(Code { what, callback })));
            }
            ItemKind::Pass => {
                if self.passes.iter().any(|pass| pass.name == name) {
                    return Err(refuse("the plugin has two of this name"));
                }
                let code = Arc::new(Code { what, callback });
                self.passes.push(CodePass { name, doc: String::leak(doc), code });
            }
        }
        Ok(())
    }

    /// The name of the dialect.
    pub fn name(&self) -> &'static str {
        self.file.name()
    }

    /// The dialect, for a registry.
    #[track_caller]
    pub fn dialect(&self) -> Dialect {
        let mut dialect = self.file.dialect().functions(&self.functions);
        let name = self.file.name();
        for (info, code) in &self.printers {
            let code = Arc::clone(code);
            dialect = dialect.docsify_info(info, move |node, path, d| print(&code, name, node, path, d));
        }
        for pass in &self.passes {
            dialect = dialect.pass(pass.clone());
        }
        dialect
    }
}

/// The origin of nodes that code of a plugin gets while a text is read or printed.
static DETACHED: LazyLock<Arc<Origin>> = LazyLock::new(|| {
    let release = tvmscript::registry().release();
    Arc::new(Origin::without_text(Arc::new(Dialects::shared()), release, "<plugin>"))
});

fn detached(node: Object) -> Part {
    Part { node, origin: Arc::clone(&DETACHED) }
}

/// The body of all functions in code.
fn call_code(function: &'static ScriptFn, args: CallArgs) -> BuildResult<ScriptValue> {
    let Some(code) = function.data.and_then(|data| data.downcast_ref::<Code>()) else {
        return Err(BuildError::not_callable(function.name));
    };
    let mut binding = Binding::new(function, args)?;
    let mut values = Vec::with_capacity(function.params.len());
    for (index, param) in function.params.iter().enumerate() {
        let value: Value = match param.default {
            None => binding.required(index)?,
            Some(_) => binding.optional(index)?.unwrap_or_default(),
        };
        values.push(Datum::of(value, &detached_any()));
    }
    let result = code.call(&values).map_err(|error| BuildError::message(error.to_string()))?;
    let value = result.into_value().map_err(|_| BuildError::message(code.wrong_result().to_string()))?;
    Ok(ScriptValue::from(&value))
}

/// A part whose origin is that of nodes without one.
fn detached_any() -> Part {
    use tvmscript::ir_core::{Array, ObjectLike as _};
    detached(Array::<Value>::of_values([]).into_object())
}

/// The call that a printer in code returns.
fn print(
    code: &Code,
    dialect: &str,
    node: &Object,
    path: PathId,
    d: &mut Docsifier<'_>,
) -> DocsifyResult<ExprDoc> {
    let unwritable = |error: CodeError<'_>| DocsifyError::unwritable(node, error.to_string());
    let result = code.call(&[Datum::Object(detached(node.clone()))]).map_err(unwritable)?;
    let Datum::Object(result) = result else { return Err(unwritable(code.wrong_result())) };
    let items = result.node.as_node::<ArrayNode>().map(ArrayNode::items).unwrap_or_default();
    let name = items
        .first()
        .and_then(Value::as_str)
        .filter(|name| name.split('.').all(tvmscript::docsifier::names::is_identifier));
    let Some(name) = name else { return Err(unwritable(code.wrong_result())) };
    let mut args = Vec::with_capacity(items.len());
    for item in items.iter().skip(1) {
        // An argument that a field holds has the path of the field.
        let field = item.as_object().and_then(|item| {
            let is_it = |index: &usize| {
                matches!(node.field(*index).to_value(), Value::Node(field) if field.ptr_eq(item))
            };
            let index = (0..node.info().fields().len()).find(is_it)?;
            node.info().fields().get(index)
        });
        let path = field.map_or(path, |field| d.field(path, field.name));
        args.push(d.value(item, path)?);
    }
    let callee = d.prefixed(dialect, name);
    Ok(d.docs.call_args(callee, &args))
}

/// A pass in code.
#[derive(Clone)]
struct CodePass {
    name: String,
    doc: &'static str,
    code: Arc<Code>,
}

impl Pass<IRModule> for CodePass {
    fn info(&self) -> PassInfo {
        PassInfo::new(self.name.as_str(), self.doc)
    }

    fn transform(
        &self,
        root: Ref<IRModule>,
        _: &PassContext<'_, IRModule>,
    ) -> Result<Ref<IRModule>, PassError> {
        let result = self.code.call(&[Datum::Object(detached(root.object().clone()))]);
        let module = match result.map_err(|error| PassError::unsupported(error.to_string()))? {
            Datum::Object(part) => part.node.downcast::<IRModule>().ok(),
            _ => None,
        };
        module.ok_or_else(|| PassError::unsupported(self.code.wrong_result().to_string()))
    }
}

/// Descriptions and plugins on top of the dialects of the library.
#[derive(Default)]
pub(crate) struct Additions {
    files: Vec<DialectFile>,
    plugins: Vec<Plugin>,
}

impl Additions {
    /// A registry with what was added.
    fn registry(&self) -> Result<Registry, PluginError> {
        let builder = tvmscript::registry_builder();
        let builder = self.files.iter().fold(builder, |builder, file| builder.with(file.dialect()));
        let builder = self.plugins.iter().fold(builder, |builder, plugin| builder.with(plugin.dialect()));
        builder.build().map_err(|errors| PluginError::Clash { message: errors.to_string() })
    }

    /// Loads descriptions and plugins in order.
    pub(crate) fn load(descriptions: &[&str], plugins: &[&str]) -> Result<Registry, (String, PluginError)> {
        let mut all = Additions::default();
        let named = |name: &str| {
            let name = name.to_owned();
            move |error| (name, error)
        };
        let mut registry = all.registry().map_err(named(""))?;
        for text in descriptions {
            let failed = named("<description>");
            let file = DialectFile::load(text, &registry).map_err(|found| failed(described(found, text)))?;
            all.files.push(file);
            registry = all.registry().map_err(named("<description>"))?;
        }
        for path in plugins {
            all.plugins.push(Plugin::load(Path::new(path), &registry).map_err(named(path))?);
            registry = all.registry().map_err(named(path))?;
        }
        Ok(registry)
    }
}

/// The error of a description.
fn described(found: Vec<Diagnostic<DescriptionErrorKind>>, text: &str) -> PluginError {
    let start = found.first().map_or(0, |first| first.range().start);
    let before = text.get(..start as usize).unwrap_or_default();
    PluginError::Description {
        line: before.matches('\n').count() + 1,
        first: found.first().map(ToString::to_string).unwrap_or_default(),
        found,
        text: text.to_owned(),
    }
}
