//! Steps: the way from one release to another.
//!
//! Names that differ are those of the releases ([`Renames`](tvmscript_ir_core::release::Renames)), for programs and for the
//! edits of scripts that only their file can complete.

use std::panic::Location;

use tvmscript_ir_core::registry::RegistrationSite;
use tvmscript_ir_core::release::{NameChange, Release};
use tvmscript_ir_core::{Dialect, Object, Registry, Resolver, RewriteError, Slot};

use crate::keys::Prefix;
use crate::{Level, Rule, Upgraded};

/// The way from one release to another.
#[derive(Debug)]
pub struct Step {
    /// Release of the programs.
    pub from: &'static Release,
    /// The target.
    pub to: &'static Release,
    /// The rules of the direction; a step has those of its levels.
    pub rules: &'static [Rule],
    /// The levels of programs in the two releases.
    pub levels: (Level, Level),
    /// Starts and ends of the comments that the printer of the older text writes itself.
    pub printed_comments: &'static [(&'static str, &'static str)],
    /// An import line that tells texts of the target from those of other releases.
    pub sign: Option<&'static str>,
    /// `true` if scripts in Python files are edited where they differ; otherwise they are printed anew.
    pub edits_scripts: bool,
    /// Rewrites a program.
    pub rewrite: fn(&Object, &Step) -> Result<Upgraded, RewriteError>,
}

/// Packages that export the same namespaces of dialects as the module of scripts.
const SAME_NAMESPACES: [&str; 3] = ["", "parser.", "ir_builder."];

impl Step {
    /// A step between releases that differ in names only: the keys of attributes. Names of functions, keywords and nodes are
    /// those of the release that a program is printed in.
    pub const fn renames(from: &'static Release, to: &'static Release) -> Step {
        let rewrite = crate::rename_keys;
        let levels = (Level::Nested, Level::Nested);
        Step {
            from,
            to,
            rules: &[],
            levels,
            printed_comments: &[],
            sign: None,
            edits_scripts: false,
            rewrite,
        }
    }

    /// The rules of the levels between the releases.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> + use<> {
        let (from, to) = self.levels;
        let (lower, upper) = (from.min(to), from.max(to));
        self.rules.iter().filter(move |rule| lower < rule.level && rule.level <= upper)
    }

    /// Returns `true` for the text of a comment that the printer of the older text writes itself.
    pub fn prints_comment(&self, text: &str) -> bool {
        let text = text.trim();
        self.printed_comments.iter().any(|(start, end)| text.starts_with(start) && text.ends_with(end))
    }

    /// The change of a function by its path, such as `tvm.script.tir.block`.
    pub fn change(&self, path: &str) -> Option<NameChange> {
        let name = path.strip_prefix(self.from.syntax.python.script_module)?.strip_prefix('.')?;
        let (dialect, name) = name.split_once('.')?;
        self.to.renames.function(dialect, name)
    }

    /// The new last part of a module's path, if it changes.
    pub fn module(&self, path: &str) -> Option<&'static str> {
        if self.from.renames.modules == self.to.renames.modules {
            return None;
        }
        let back = || {
            let (parent, last) = path.rsplit_once('.')?;
            let is_new = |(own, new): &&(&'static str, &str)| {
                *new == last && own.rsplit_once('.').is_some_and(|(of, _)| of == parent)
            };
            let (own, _) = self.from.renames.modules.iter().find(is_new)?;
            own.rsplit('.').next()
        };
        self.to.renames.module(path).or_else(back)
    }

    /// The new path of a module of scripts in import statements.
    pub fn import(&self, path: &str) -> Option<String> {
        let scripts = self.from.syntax.python.script_module;
        let name = path.strip_prefix(scripts)?.strip_prefix('.')?;
        let (package, rest) = SAME_NAMESPACES
            .into_iter()
            .rev()
            .find_map(|package| Some((package, name.strip_prefix(package)?)))?;
        let new = self.module(&format!("{scripts}.{rest}"))?;
        Some(format!("{scripts}.{package}{new}"))
    }

    /// The new keyword of calls of a dialect's functions, if it changes.
    pub fn keyword(&self, dialect: &str, name: &str) -> Option<&'static str> {
        let is_it = |(of, own, _): &&(&str, &str, &str)| *own == name && *of == dialect;
        self.to.renames.keywords.iter().find(is_it).map(|(_, _, new)| *new)
    }

    /// The new key of an attribute, if it changes.
    pub fn key(&self, key: &str) -> Option<String> {
        self.key_prefix()?.renamed(key)
    }

    /// The new name of an operator that programs name in a string; `None` if it stays, or the target does not have it.
    pub fn operator_key(&self, name: &str) -> Option<String> {
        let (dialect, function) = name.split_once('.')?;
        if let Some(NameChange::Removed(_)) = self.to.renames.function(dialect, function) {
            return None;
        }
        let new = self.to.renames.operators.name(name);
        (new != name).then(|| new.into_owned())
    }

    /// The prefixes of keys in the two releases, if they differ.
    pub(crate) fn key_prefix(&self) -> Option<Prefix> {
        let (from, to) = (self.from.renames.key_prefix, self.to.renames.key_prefix);
        let (own, _) = from.or(to)?;
        let prefix = Prefix { from: from.map_or(own, |(_, new)| new), to: to.map_or(own, |(_, new)| new) };
        (prefix.from != prefix.to).then_some(prefix)
    }
}

/// The steps to and from the release of a registry.
#[derive(Debug, Default, Clone)]
struct Steps(Vec<(&'static Step, RegistrationSite)>);

impl Slot for Steps {
    fn merge(&mut self, other: Steps, resolver: &mut Resolver) {
        for (step, place) in other.0 {
            if resolver.claim(format!("the step from `{}` to `{}`", step.from.id(), step.to.id()), place) {
                self.0.push((step, place));
            }
        }
    }
}

/// Registration of steps.
pub trait UpgradeDialect {
    /// Adds a step to or from the release that the tables are for.
    #[must_use]
    #[track_caller]
    fn upgrade(self, step: &'static Step) -> Self;
}

impl<T> UpgradeDialect for Dialect<T> {
    #[track_caller]
    fn upgrade(mut self, step: &'static Step) -> Self {
        let place = Location::caller();
        self.slot_mut::<Steps>().0.push((step, place));
        self
    }
}

/// The steps between the releases of a registry, in the order of the releases; of one release, in the order of
/// registration.
pub fn steps(registry: &Registry) -> impl Iterator<Item = &'static Step> {
    let releases = registry.releases().filter_map(|release| registry.of_release(release));
    let slots = releases.filter_map(|dialects| dialects.slot::<Steps>());
    slots.flat_map(|slot| slot.0.iter().map(|(step, _)| *step))
}

/// The step from one release to another.
pub fn find(registry: &Registry, from: &Release, to: &Release) -> Option<&'static Step> {
    steps(registry).find(|step| step.from == from && step.to == to)
}
