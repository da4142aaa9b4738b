//! The descriptions of dialects whose types were registered at run time, in texts of all forms.

use super::error::{JsonError, JsonErrorKind};
use crate::registry::Registry;
use crate::type_table::TypeInfo;

/// Checks that a dialect is the one that a text was written with: `found` is the edition and content key in the text.
///
/// # Errors
/// If another description of the dialect is loaded, or none.
pub fn check_description(dialect: &str, found: &str, registry: &Registry) -> Result<(), JsonError> {
    let mut origins = registry.nodes().filter_map(TypeInfo::origin);
    match origins.find(|origin| origin.dialect == dialect) {
        Some(origin) if origin.description == found => Ok(()),
        loaded => Err(JsonError::new(JsonErrorKind::OtherDescription {
            dialect: dialect.to_owned(),
            found: found.to_owned(),
            loaded: loaded.map(|origin| origin.description.clone()),
        })),
    }
}
