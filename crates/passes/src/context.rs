//! The context of a run of passes: options, selection and instruments.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use tvmscript_ir::IRModule;
use tvmscript_ir_core::{Ref, Registry};
use tvmscript_si_builder as si_builder;

use crate::table::{OptionKind, OptionValue, PassTable};
use crate::{ENABLE_SI_BUILDER, Pass, PassError, PassInfo, PassInstrument, PassRun};

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

/// Options, selection and instruments of passes.
#[derive(Default)]
pub struct PassContext<'r> {
    table: Option<&'r PassTable>,
    opt_level: u8,
    options: BTreeMap<String, OptionValue>,
    required: BTreeSet<String>,
    disabled: BTreeSet<String>,
    instruments: RefCell<Vec<Box<dyn PassInstrument + 'r>>>,
    /// Names of the passes whose requirements are being run.
    requiring: RefCell<Vec<String>>,
}

impl<'r> PassContext<'r> {
    /// Creates a context of optimisation level 2, without a registry: no pass can require another one, and the only
    /// option is [`ENABLE_SI_BUILDER`].
    pub fn new() -> PassContext<'r> {
        PassContext { opt_level: 2, ..PassContext::default() }
    }

    /// Creates a context with the passes and options of a registry.
    pub fn of(registry: &'r Registry) -> PassContext<'r> {
        PassContext { table: PassTable::of(registry), ..PassContext::new() }
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
        match self.table.and_then(|table| table.option(key)) {
            Some(option) => Ok(option.default.clone()),
            None if key == ENABLE_SI_BUILDER => Ok(OptionValue::Bool(true)),
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
    /// Fails if the option is unknown or no bool.
    pub fn flag(&self, key: &str) -> Result<bool, OptionError> {
        match self.option(key)? {
            OptionValue::Bool(value) => Ok(value),
            value => Err(wrong_kind(key, OptionKind::Bool, &value)),
        }
    }

    /// Returns the value of an integer option, or its default.
    ///
    /// # Errors
    /// Fails if the option is unknown or no integer.
    pub fn integer(&self, key: &str) -> Result<i64, OptionError> {
        match self.option(key)? {
            OptionValue::Int(value) => Ok(value),
            value => Err(wrong_kind(key, OptionKind::Int, &value)),
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
    /// Fails with the error of the pass or of an instrument, and the name of the pass.
    pub fn run(&self, pass: &dyn Pass, module: Ref<IRModule>) -> Result<Ref<IRModule>, PassError> {
        let info = pass.info();
        self.run_named(pass, &info, module).map_err(|error| error.in_pass(&info.name))
    }

    fn run_named(
        &self,
        pass: &dyn Pass,
        info: &PassInfo,
        module: Ref<IRModule>,
    ) -> Result<Ref<IRModule>, PassError> {
        let _switch = si_builder::set_enabled(self.flag(ENABLE_SI_BUILDER)?);
        if self.instruments.borrow().is_empty() {
            return pass.transform(module, self);
        }
        if info.is_sequence {
            self.each_instrument(|instrument| instrument.before_sequence(&module, info))?;
            let result = pass.transform(module, self)?;
            self.each_instrument(|instrument| instrument.after_sequence(&result, info))?;
            return Ok(result);
        }
        let should_run = |instrument: &mut Box<dyn PassInstrument + 'r>| instrument.should_run(&module, info);
        if !self.instruments.borrow_mut().iter_mut().all(should_run) {
            return Ok(module);
        }
        self.each_instrument(|instrument| instrument.before(&module, info))?;
        let start = Instant::now();
        let result = pass.transform(module.clone(), self)?;
        let elapsed = start.elapsed();
        let run = PassRun::new(info, &module, &result, elapsed);
        self.each_instrument(|instrument| instrument.after(&run))?;
        Ok(result)
    }

    fn each_instrument(
        &self,
        mut f: impl FnMut(&mut (dyn PassInstrument + 'r)) -> Result<(), PassError>,
    ) -> Result<(), PassError> {
        self.instruments.borrow_mut().iter_mut().try_for_each(|instrument| f(instrument.as_mut()))
    }

    /// Runs the passes that a pass requires.
    pub(crate) fn run_required(
        &self,
        pass: &PassInfo,
        mut module: Ref<IRModule>,
    ) -> Result<Ref<IRModule>, PassError> {
        if pass.required.is_empty() {
            return Ok(module);
        }
        if self.requiring.borrow().contains(&pass.name) {
            return Err(PassError::CircularRequirement { pass: pass.name.clone() });
        }
        self.requiring.borrow_mut().push(pass.name.clone());
        let result = pass.required.iter().try_for_each(|required| {
            let found = self.table.and_then(|table| table.pass(required));
            let found = found.ok_or_else(|| PassError::MissingRequired {
                pass: pass.name.clone(),
                required: required.clone(),
            })?;
            module = self.run_required(&found.info(), module.clone())?;
            module = self.run(found.as_ref(), module.clone())?;
            Ok(())
        });
        self.requiring.borrow_mut().pop();
        result.map(|()| module)
    }
}

#[cold]
fn wrong_kind(key: &str, expected: OptionKind, found: &OptionValue) -> OptionError {
    OptionError::Value { key: key.to_owned(), expected, found: found.to_string() }
}

impl std::fmt::Debug for PassContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PassContext")
            .field("opt_level", &self.opt_level)
            .field("options", &self.options)
            .field("required", &self.required)
            .field("disabled", &self.disabled)
            .finish_non_exhaustive()
    }
}
