//! Parsers of the values of arguments that several commands share.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tvmscript::Release;
use tvmscript::script_parser::{Header, HeaderError, Parsers};

use crate::dialects::registry;

/// Parses a header and checks its options.
pub(crate) fn header(text: &str) -> Result<Header, HeaderError> {
    let header: Header = text.parse()?;
    header.check(registry()).map(|()| header)
}

/// Parses the name of a release.
pub(crate) fn release() -> impl TypedValueParser<Value = &'static Release> {
    one_of(registry().releases())
}

/// Parses the name of one of some releases.
pub(crate) fn one_of(
    releases: impl Iterator<Item = &'static Release>,
) -> impl TypedValueParser<Value = &'static Release> {
    let family = registry().release().name;
    // A version alone is one of the first family.
    let names = PossibleValuesParser::new(releases.map(|release| match release.name == family {
        true => PossibleValue::new(release.id()).alias(release.version),
        false => PossibleValue::new(release.id()),
    }));
    names.try_map(move |name| {
        let registry = registry();
        match registry.releases().find(|release| release.name == family && release.version == name) {
            Some(release) => Ok(release),
            None => registry.find_release(&name),
        }
    })
}

/// Parses the name of a dialect with fragments.
pub(crate) fn fragment_dialect() -> impl TypedValueParser<Value = &'static str> {
    let parsers = registry().slot::<Parsers>();
    let names: Vec<&str> = parsers.into_iter().flat_map(Parsers::fragment_dialects).collect();
    PossibleValuesParser::new(names.clone()).map(move |given| {
        // `PossibleValuesParser` accepts no other name.
        names.iter().copied().find(|name| *name == given).unwrap_or_default()
    })
}
