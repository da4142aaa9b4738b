//! Limits that keep the time of loading linear in the text.
//!
//! A typed field checks each element of its array: once per node that shares the array, and multiplied for arrays of
//! arrays. The number of checked elements per text is therefore limited, and so is the number of parts of span
//! sequences, which are flattened. Untyped containers are not checked and load with their sharing, however large they
//! unfold.

use super::error::JsonErrorKind;
use crate::dtype::DataType;
use crate::raw::Object;
use crate::session::Limits;
use crate::type_table::TypeInfo;
use crate::value::{FieldError, Value};

/// Containers up to this length are not counted: the text has a field per check, and container types nest only a few
/// levels.
const SMALL: usize = 16;

/// Number of elements that may still be checked.
#[derive(Debug)]
pub struct ElementBudget(u64);

impl ElementBudget {
    /// The budget of a check outside of a load.
    pub fn unlimited() -> ElementBudget {
        ElementBudget(u64::MAX)
    }

    /// Counts the elements of a container. Returns `false` if the limit is exceeded.
    #[inline]
    pub(crate) fn may_check(&mut self, count: usize) -> bool {
        count <= SMALL || self.charge(count)
    }

    fn charge(&mut self, count: usize) -> bool {
        if self.0 != u64::MAX {
            self.0 = self.0.saturating_sub(count as u64);
        }
        self.0 > 0
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// Budget of one load: limits the elements that typed fields check and the parts of span sequences.
#[derive(Debug)]
pub struct Counter {
    elements: ElementBudget,
    span_parts: u64,
    limits: Limits,
}

impl Counter {
    /// The budget of a load.
    pub fn new(limits: Limits) -> Counter {
        Counter { elements: ElementBudget(limits.max_json_elements), span_parts: 0, limits }
    }

    /// Constructs a node, moving its fields out of a buffer.
    ///
    /// # Errors
    /// Those of [`TypeInfo::construct`], and [`JsonErrorKind::TooManyElements`]; with the name of the field.
    pub fn construct(
        &mut self,
        info: &'static TypeInfo,
        values: &mut [Value],
    ) -> Result<Object, (Option<&'static str>, JsonErrorKind)> {
        info.construct_within(values, &mut self.elements)
            .map_err(|error| (error.field(), self.explain(error)))
    }

    fn explain(&self, error: FieldError) -> JsonErrorKind {
        match self.elements.is_spent() {
            true => JsonErrorKind::TooManyElements { limit: self.limits.max_json_elements },
            false => error.into(),
        }
    }

    /// Counts parts of a span sequence.
    ///
    /// # Errors
    /// Fails beyond [`Limits::max_json_span_parts`].
    pub fn spans(&mut self, count: usize) -> Result<(), JsonErrorKind> {
        self.span_parts = self.span_parts.saturating_add(count as u64);
        let limit = self.limits.max_json_span_parts;
        match self.span_parts <= limit {
            true => Ok(()),
            false => Err(JsonErrorKind::TooManyElements { limit }),
        }
    }
}

/// Parses a dtype in the spelling in which it is saved.
pub fn dtype(text: &str) -> Option<DataType> {
    let dtype: DataType = text.parse().ok()?;
    let is_plain = text.is_empty() || dtype.to_string() == text;
    (is_plain && dtype.is_valid()).then_some(dtype)
}
