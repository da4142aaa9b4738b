//! The schedule that a Python file makes.

use std::sync::{Arc, Mutex, PoisonError};

use tvmscript_ir_core::Registry;
use tvmscript_irbuilder::{Builder, CallArgs, HostFunction, ScriptValue};
use tvmscript_script_parser::{ParseError, ParseErrorKind, ParseOptions, parse_script};

use super::schedule::Schedules;
use crate::Schedule;

/// The name of the function that takes the selected schedule of a file.
const TAKE: &str = "__take_schedule__";

/// Reasons for which a file gives no schedule.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file has errors.
    #[error("the file has errors")]
    Script(Vec<ParseError>),
    /// The file makes no schedule.
    #[error("the file makes no schedule with `te.create_schedule`")]
    NoSchedule,
    /// The file makes several schedules.
    #[error("the file makes {count} schedules; name the variable of one with `--select`")]
    Several {
        /// Their number.
        count: usize,
    },
    /// The selected variable is not a schedule.
    #[error("the file has no schedule `{name}`")]
    NotASchedule {
        /// The variable.
        name: String,
    },
}

/// Runs a Python file and returns the only schedule that it makes, or the one in a variable, with its record.
///
/// # Errors
/// [`FileError`].
pub fn schedule_of_file(
    name: &str,
    text: &str,
    registry: &Registry,
    mut options: ParseOptions,
    select: Option<&str>,
) -> Result<Schedule, FileError> {
    let schedules = Schedules::recording();
    let builder = Builder::for_registry(registry);
    builder.set_context(schedules.clone());
    let selected: Arc<Mutex<Option<Schedule>>> = Arc::default();
    let mut whole = text.to_owned();
    if let Some(select) = select {
        let is_path = select.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        if !is_path {
            return Err(FileError::NotASchedule { name: select.to_owned() });
        }
        let selected = selected.clone();
        options.globals.value(TAKE, move || {
            let selected = selected.clone();
            HostFunction::value(TAKE, move |mut args: CallArgs| {
                let found = args.positional.pop().as_ref().and_then(Schedules::of_value);
                *selected.lock().unwrap_or_else(PoisonError::into_inner) = found;
                Ok(ScriptValue::None)
            })
        });
        whole.push_str(&format!("\n{TAKE}({select})\n"));
    }
    let read = parse_script(name, &whole, registry, &options);
    drop(builder);
    // A file of schedules has no script, and the call that is added is not the file's.
    let is_own = |error: &ParseError| {
        let start = error.labels.first().and_then(|label| label.range()).map_or(0, |range| range.start);
        let is_before = start as usize <= text.len();
        !matches!(error.kind, ParseErrorKind::NoScript) && is_before
    };
    let errors: Vec<ParseError> = read.errors.into_iter().filter(is_own).collect();
    if !errors.is_empty() {
        return Err(FileError::Script(errors));
    }
    let mut made = schedules.made();
    if let Some(select) = select {
        let found = selected.lock().unwrap_or_else(PoisonError::into_inner).take();
        return found.ok_or_else(|| match made.is_empty() {
            true => FileError::NoSchedule,
            false => FileError::NotASchedule { name: select.to_owned() },
        });
    }
    match (made.pop(), made.len()) {
        (Some(schedule), 0) => Ok(schedule),
        (None, _) => Err(FileError::NoSchedule),
        (Some(_), others) => Err(FileError::Several { count: others + 1 }),
    }
}
