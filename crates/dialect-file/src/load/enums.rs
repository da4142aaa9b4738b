//! Enums and their values.

use tvmscript_irbuilder::ScriptFn;

use super::{Loader, function, leak};
use crate::node::{EnumValue, Enumeration};

impl Loader {
    pub(super) fn make_enums(&mut self) {
        let dialect = leak(&self.description.name.text);
        for found in &self.description.enums {
            let values: Vec<String> = found.values.iter().map(|value| value.text.clone()).collect();
            let enumeration: &'static Enumeration = Box::leak(Box::new(Enumeration {
                dialect,
                name: leak(&found.name.text),
                path: found.path.as_deref().map(leak),
                words: values.iter().map(|value| leak(value)).collect(),
                values,
            }));
            self.enums.insert(found.name.text.clone(), enumeration);
        }
    }

    /// The values of enums as functions of scripts: those under the prefix, and those without it.
    pub(super) fn enum_values(&self) -> (Vec<&'static ScriptFn>, Vec<(&'static str, &'static ScriptFn)>) {
        let (mut values, mut words) = (Vec::new(), Vec::new());
        for found in &self.description.enums {
            let Some(of) = self.enums.get(&found.name.text) else { continue };
            for value in &of.words {
                let name = leak(&format!("{}{value}", of.path.unwrap_or_default()));
                let made = function::enum_value(name, leak(&found.doc), EnumValue { of, value });
                match of.path {
                    Some(_) => values.push(made),
                    None => words.push((*value, made)),
                }
            }
        }
        (values, words)
    }
}
