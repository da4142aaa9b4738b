//! Settings of a run: its session, and the global flags.

use tvmscript::script_parser::{CaptureRule, HostCode, UnknownFunctions};
use tvmscript::{ParseOptions, PrinterConfig, Registry, Release, Session};

use crate::args::{ColorWhen, GlobalArgs};
use crate::modules;
use crate::pasted::Part;
use crate::python_args::{Capture, HostCodeRule, Unknown};

/// The settings with which a run reads, prints and loads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings<'a> {
    session: Session<'a>,
    flags: &'a GlobalArgs,
    /// Diagnostics are coloured.
    pub(crate) color: bool,
}

impl<'a> Settings<'a> {
    pub(crate) fn new(registry: &'a Registry, flags: &'a GlobalArgs, color: bool) -> Settings<'a> {
        let mut session = Session { release: flags.release, ..Session::new(registry) };
        session.limits.max_text_bytes = flags.max_input_bytes;
        session.limits.max_node_bytes = flags.max_node_bytes;
        session.limits.max_steps = flags.python.max_python_steps;
        session.limits.max_memory_bytes = flags.python.max_value_bytes;
        session.limits.max_call_depth = flags.python.max_call_depth;
        Settings { session, flags, color }
    }

    /// The same settings with another registry.
    #[must_use]
    pub(crate) fn with_registry<'b>(&self, registry: &'b Registry) -> Settings<'b>
    where
        'a: 'b,
    {
        Settings { session: Session { registry, ..self.session }, ..*self }
    }

    /// The same settings for programs of a release, unless a flag selects another one.
    #[must_use]
    pub(crate) fn with_release(&self, release: Option<&'static Release>) -> Settings<'a> {
        Settings { session: Session { release: self.session.release.or(release), ..self.session }, ..*self }
    }

    /// Registry, release and limits.
    pub(crate) fn session(&self) -> Session<'a> {
        self.session
    }

    /// The dialects, and the constants of `--constants`.
    pub(crate) fn registry(&self) -> &'a Registry {
        self.session.registry
    }

    /// When to colour.
    pub(crate) fn color_when(&self) -> ColorWhen {
        self.flags.color
    }

    /// Number of files to process in parallel; 0 for one per processor.
    pub(crate) fn jobs(&self) -> usize {
        self.flags.jobs
    }

    /// Dialect of which all scripts are fragments, if `--fragment` is given.
    pub(crate) fn fragment_of(&self) -> Option<&'static str> {
        self.flags.fragment
    }

    /// Maximum size of an input file, in bytes.
    pub(crate) fn max_input_bytes(&self) -> u32 {
        self.session.limits.max_text_bytes
    }

    /// The part of a notebook that is read.
    pub(crate) fn notebook_part(&self) -> Part {
        if self.flags.python.outputs { Part::Outputs } else { Part::Code }
    }

    /// Names of the scripts to take; all if empty.
    pub(crate) fn selected(&self) -> &'a [String] {
        &self.flags.python.select
    }

    /// Options for parsing scripts of an input file.
    pub(crate) fn parse_options(&self, file: &str) -> ParseOptions {
        let python = &self.flags.python;
        let mut options = self.reparse_options();
        options.header = self.flags.header.clone().unwrap_or_default();
        options.set = python.set.clone();
        options.calls = python.call.clone();
        options.capture = match self.flags.capture {
            Capture::Tvm => CaptureRule::All,
            Capture::Rfc => CaptureRule::Declared,
        };
        options.host_code = match python.host_code {
            HostCodeRule::Run => HostCode::Runs,
            HostCodeRule::None => HostCode::Refused,
        };
        options.unknown_functions = match self.flags.unknown_functions {
            Unknown::Printed => UnknownFunctions::KeptInPrinted,
            Unknown::Keep => UnknownFunctions::Kept,
            Unknown::Refuse => UnknownFunctions::Refused,
        };
        let root = python.import_root.as_deref();
        options.modules = root.and_then(|root| modules::loader(root, file, self.max_input_bytes()));
        options
    }

    /// Options for parsing text that this command printed, which contains its own header.
    pub(crate) fn reparse_options(&self) -> ParseOptions {
        let mut options = ParseOptions::of(&self.session);
        options.fragment_of = self.flags.fragment;
        options.unknown_functions = UnknownFunctions::Kept;
        #[cfg(feature = "ruff")]
        {
            options.python.backend = tvmscript::python_syntax::Backend::Ruff;
        }
        options
    }

    /// The printer configuration of the session.
    pub(crate) fn printer_config(&self) -> PrinterConfig {
        PrinterConfig::of(&self.session)
    }
}
