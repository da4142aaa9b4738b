//! Releases: editions of a family of dialects.
//!
//! A [`Release`] is plain data: a name, the [`Syntax`] of its texts, and the [`Renames`] that lead to it from the first
//! release of the registry. Everything that reads or writes programs of the release (printers, parsers, JSON, upgrades)
//! uses these tables, so a rename stands once.
//!
//! The dialects are those of the first release, which one of them names with [`Dialect::of_release`]. An
//! [`Overlay`](crate::registry::Overlay) says which dialects differ in another release, and
//! [`RegistryBuilder::release`](crate::RegistryBuilder::release) lays it over all dialects of a registry. A
//! `&'static Release` is the handle: it is copied, compared by identity, and carried by whatever was read or is to be
//! printed. Names of releases occur where users write them: in flags and in files.

mod renames;
mod signs;
mod syntax;

use std::fmt;
use std::panic::Location;

pub use renames::{FunctionChange, NameChange, OperatorKeys, Renames};
pub use signs::{Form, Sign, Strength};
pub use syntax::{ComparisonTests, Examples, MetadataFormat, PythonNames, SliceRule, Syntax};

use crate::registry::{Dialect, Registry};

/// A release of a family of dialects.
pub struct Release {
    /// Name of the family.
    pub name: &'static str,
    /// Version.
    pub version: &'static str,
    /// Syntax of the texts.
    pub syntax: Syntax,
    /// Names that differ from those of the first release.
    pub renames: Renames,
}

/// The release of a registry whose dialects name none.
pub static PLAIN: Release =
    Release { name: "plain", version: "1", syntax: Syntax::PLAIN, renames: Renames::NONE };

impl Release {
    /// Name and version, `NAME-VERSION`: the release in flags and files.
    pub fn id(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }
}

impl PartialEq for Release {
    fn eq(&self, other: &Release) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Release {}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.name, self.version)
    }
}

/// The registry does not have a release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown release `{id}`; known: {}", known.join(", "))]
pub struct UnknownRelease {
    /// The release.
    pub id: String,
    /// The releases of the registry.
    pub known: Vec<String>,
}

/// The release of a text, with the reason.
#[derive(Debug, Clone, Copy)]
pub struct ReleaseChoice {
    /// The release.
    pub release: &'static Release,
    /// The reason.
    pub reason: Reason,
}

/// The reason of a [`ReleaseChoice`].
#[derive(Debug, Clone, Copy)]
pub enum Reason {
    /// An option selects the release.
    Option,
    /// The text imports a namespace or a module of the release: module and name; the name is empty for the module itself.
    Import(&'static str, &'static str),
    /// The form in the text that the fewest other releases have.
    Sign(Sign),
    /// The text uses functions or keywords that the others lack.
    Names,
    /// The file is JSON, which names its release.
    Json,
    /// The text has no sign, so the first release applies.
    Default,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Option => write!(f, "an option selects it"),
            Reason::Import(module, "") => write!(f, "the text imports `{module}`"),
            Reason::Import(module, name) => write!(f, "the text imports `{name}` from `{module}`"),
            Reason::Sign(sign) => write!(f, "the text has `{}`", sign.text),
            Reason::Names => write!(f, "the text uses names that other releases lack"),
            Reason::Json => write!(f, "the JSON names it"),
            Reason::Default => write!(f, "it is the default, and the text has no sign of another one"),
        }
    }
}

impl<T> Dialect<T> {
    /// Names the release that the dialects of a family are written for. One dialect of the family names it.
    #[track_caller]
    pub fn of_release(mut self, release: &'static Release) -> Dialect<T> {
        self.set_release(release, Location::caller());
        self
    }
}

impl Registry {
    /// Returns the release with a name that a user wrote, `NAME-VERSION`.
    ///
    /// # Errors
    /// If the registry has no such release.
    pub fn find_release(&self, id: &str) -> Result<&'static Release, UnknownRelease> {
        self.releases().find(|release| release.id() == id).ok_or_else(|| self.unknown_release(id.to_owned()))
    }

    /// Returns the dialects as a release has them; without a release, as the first one has them.
    ///
    /// # Errors
    /// If the registry does not have the release.
    pub fn select_release(&self, release: Option<&'static Release>) -> Result<&Registry, UnknownRelease> {
        match release {
            Some(release) => self.of_release(release).ok_or_else(|| self.unknown_release(release.id())),
            None => Ok(self),
        }
    }

    fn unknown_release(&self, id: String) -> UnknownRelease {
        UnknownRelease { id, known: self.releases().map(Release::id).collect() }
    }
}
