//! The context of a run of passes: options, selection and instruments.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use tvmscript_ir_core::{Class, Ref, Session};

use crate::table::{OptionKind, OptionValue, PassOptions, PassTable};
use crate::{Pass, PassError, PassErrorKind, PassInfo, PassInstrument, PassRun};

/// Error of an option.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// No dialect declares the option.
    #[error("unknown pass option `{key}`")]
    Unknown {
        /// The key.
        key: String,
    },
    /// The value is of another type.
    #[error("the pass option `{key}` is {expected}, not {found:?}")]
    Value {
        /// The key.
        key: String,
        /// The type of the option.
        expected: OptionKind,
        /// The value.
        found: String,
    },
}

/// Options, selection and instruments of passes over roots of class `R`.
pub struct PassContext<'r, R> {
    session: Option<Session<'r>>,
    passes: Option<&'r PassTable<R>>,
    declared: Option<&'r PassOptions>,
    fills_spans: bool,
    opt_level: u8,
    options: BTreeMap<String, OptionValue>,
    required: BTreeSet<String>,
    disabled: BTreeSet<String>,
    instruments: RefCell<Vec<Box<dyn PassInstrument + 'r>>>,
    /// Names of the passes whose requirements are being run.
    requiring: RefCell<Vec<String>>,
}

impl<R> Default for PassContext<'_, R> {
    fn default() -> Self {
        PassContext::new()
    }
}

impl<'r, R> PassContext<'r, R> {
    /// Creates a context of optimisation level 2, without a registry: no pass can require another one, and there are no
    /// options.
    pub fn new() -> PassContext<'r, R> {
        PassContext {
            session: None,
            passes: None,
            declared: None,
            fills_spans: true,
            opt_level: 2,
            options: BTreeMap::new(),
            required: BTreeSet::new(),
            disabled: BTreeSet::new(),
            instruments: RefCell::default(),
            requiring: RefCell::default(),
        }
    }

    /// Creates a context with the passes and options of a session, or of a registry.
    pub fn of(session: impl Into<Session<'r>>) -> PassContext<'r, R>
    where
        R: Class,
    {
        let session = session.into();
        let Session { registry, fills_spans, .. } = session;
        PassContext {
            session: Some(session),
            passes: PassTable::of(registry),
            declared: PassOptions::of(registry),
            fills_spans,
            ..PassContext::new()
        }
    }

    /// Returns the session that the context was made for.
    pub fn session(&self) -> Option<Session<'r>> {
        self.session
    }

    /// Sets the optimisation level.
    #[must_use]
    pub fn with_opt_level(self, opt_level: u8) -> Self {
        PassContext { opt_level, ..self }
    }

    /// Makes sequences run a pass whatever its optimisation level.
    #[must_use]
    pub fn with_required(mut self, pass: impl Into<String>) -> Self {
        self.required.insert(pass.into());
        self
    }

    /// Makes sequences leave out a pass.
    #[must_use]
    pub fn with_disabled(mut self, pass: impl Into<String>) -> Self {
        self.disabled.insert(pass.into());
        self
    }

    /// Adds an instrument. Instruments run in the order in which they were added.
    #[must_use]
    pub fn with_instrument(self, instrument: impl PassInstrument + 'r) -> Self {
        self.instruments.borrow_mut().push(Box::new(instrument));
        self
    }

    /// Sets an option from text, such as `"16"`.
    ///
    /// # Errors
    /// Fails if the option is unknown or the text is not a value of it.
    pub fn set_option(&mut self, key: &str, text: &str) -> Result<(), OptionError> {
        let kind = self.default_of(key)?.kind();
        let value = OptionValue::parse(kind, text).ok_or_else(|| OptionError::Value {
            key: key.to_owned(),
            expected: kind,
            found: text.to_owned(),
        })?;
        self.options.insert(key.to_owned(), value);
        Ok(())
    }

    fn default_of(&self, key: &str) -> Result<OptionValue, OptionError> {
        match self.declared.and_then(|declared| declared.option(key)) {
            Some(option) => Ok(option.default.clone()),
            None => Err(OptionError::Unknown { key: key.to_owned() }),
        }
    }

    /// Returns the value of an option, or its default.
    ///
    /// # Errors
    /// Fails if the option is unknown.
    pub fn option(&self, key: &str) -> Result<OptionValue, OptionError> {
        match self.options.get(key) {
            Some(value) => Ok(value.clone()),
            None => self.default_of(key),
        }
    }

    /// Returns the value of a bool option, or its default.
    ///
    /// # Errors
    /// Fails if the option is unknown or not a bool.
    pub fn flag(&self, key: &str) -> Result<bool, OptionError> {
        match self.option(key)? {
            OptionValue::Bool(value) => Ok(value),
            value => Err(wrong_kind(key, OptionKind::Bool, &value)),
        }
    }

    /// Returns the value of an integer option, or its default.
    ///
    /// # Errors
    /// Fails if the option is unknown or not an integer.
    pub fn integer(&self, key: &str) -> Result<i64, OptionError> {
        match self.option(key)? {
            OptionValue::Int(value) => Ok(value),
            value => Err(wrong_kind(key, OptionKind::Int, &value)),
        }
    }

    /// Returns `true` if passes give the nodes that they make the spans of those that they replace: unless the session or
    /// an option switches that off.
    ///
    /// # Errors
    /// Fails if the option that switches it is not a bool.
    pub fn fills_spans(&self) -> Result<bool, OptionError> {
        match self.declared.and_then(PassOptions::span_switch) {
            Some(key) if self.fills_spans => self.flag(key),
            _ => Ok(self.fills_spans),
        }
    }

    /// Returns `true` if a sequence runs the pass.
    pub fn is_enabled(&self, pass: &PassInfo) -> bool {
        let is_required = self.required.contains(&pass.name);
        !self.disabled.contains(&pass.name) && (is_required || pass.opt_level <= self.opt_level)
    }

    /// Runs a pass with the instruments of the context.
    ///
    /// # Errors
    /// Fails with the error of the pass or of an instrument, with the name and the input of the pass.
    pub fn run(&self, pass: &dyn Pass<R>, root: Ref<R>) -> Result<Ref<R>, PassError>
    where
        R: Class,
    {
        let info = pass.info();
        let before = root.object().clone();
        self.run_named(pass, &info, root).map_err(|error| error.in_pass(&info.name, &before))
    }

    fn run_named(&self, pass: &dyn Pass<R>, info: &PassInfo, root: Ref<R>) -> Result<Ref<R>, PassError>
    where
        R: Class,
    {
        if self.instruments.borrow().is_empty() {
            return pass.transform(root, self);
        }
        if info.is_sequence {
            self.each_instrument(|instrument| instrument.before_sequence(root.object(), info))?;
            let result = pass.transform(root, self)?;
            self.each_instrument(|instrument| instrument.after_sequence(result.object(), info))?;
            return Ok(result);
        }
        let before = root.object().clone();
        let should_run = |instrument: &mut Box<dyn PassInstrument + 'r>| instrument.should_run(&before, info);
        if !self.instruments.borrow_mut().iter_mut().all(should_run) {
            return Ok(root);
        }
        self.each_instrument(|instrument| instrument.before(&before, info))?;
        let start = Instant::now();
        let result = pass.transform(root, self)?;
        let elapsed = start.elapsed();
        let run = PassRun::new(info, &before, result.object(), elapsed);
        self.each_instrument(|instrument| instrument.after(&run))
            .map_err(|error| error.in_pass(&info.name, run.after))?;
        Ok(result)
    }

    fn each_instrument(
        &self,
        mut f: impl FnMut(&mut (dyn PassInstrument + 'r)) -> Result<(), PassError>,
    ) -> Result<(), PassError> {
        self.instruments.borrow_mut().iter_mut().try_for_each(|instrument| f(instrument.as_mut()))
    }

    /// Runs the passes that a pass requires.
    pub(crate) fn run_required(&self, pass: &PassInfo, mut root: Ref<R>) -> Result<Ref<R>, PassError>
    where
        R: Class,
    {
        if pass.required.is_empty() {
            return Ok(root);
        }
        if self.requiring.borrow().contains(&pass.name) {
            return Err(PassErrorKind::CircularRequirement { pass: pass.name.clone() }.into());
        }
        self.requiring.borrow_mut().push(pass.name.clone());
        let result = pass.required.iter().try_for_each(|required| {
            let found = self.passes.and_then(|passes| passes.pass(required));
            let found = found.ok_or_else(|| PassErrorKind::MissingRequired {
                pass: pass.name.clone(),
                required: required.clone(),
            })?;
            root = self.run_required(&found.info(), root.clone())?;
            root = self.run(found.as_ref(), root.clone())?;
            Ok(())
        });
        self.requiring.borrow_mut().pop();
        result.map(|()| root)
    }
}

#[cold]
fn wrong_kind(key: &str, expected: OptionKind, found: &OptionValue) -> OptionError {
    OptionError::Value { key: key.to_owned(), expected, found: found.to_string() }
}

impl<R> std::fmt::Debug for PassContext<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PassContext")
            .field("opt_level", &self.opt_level)
            .field("options", &self.options)
            .field("required", &self.required)
            .field("disabled", &self.disabled)
            .finish_non_exhaustive()
    }
}
