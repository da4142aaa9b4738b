//! Words of text that differ between releases, for edits of scripts that only their file can complete.
//!
//! Rules rewrite programs; these tables say how the same differences look in a script that takes values from the code
//! around it, so that no program shows all of its text.

/// The future of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The release has it under another name, with the same arguments; dots lead into namespaces.
    Renamed(&'static str),
    /// The release has none with the same meaning; what comes next, if anything does.
    Gone(&'static str),
}

/// The words of a step.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// Modules by path, and the last part of their new path: `tvm.script.tir` becomes `tvm.script.tirx`.
    pub modules: &'static [(&'static str, &'static str)],
    /// Functions and types by path: `tvm.script.tir.block`.
    pub names: &'static [(&'static str, Fate)],
    /// Keywords of calls.
    pub keywords: &'static [(&'static str, &'static str)],
    /// Prefixes of keys of attributes.
    pub key_prefix: (&'static str, &'static str),
    /// The fate of an operator by its name in the program, `tir.exp`.
    pub operator: fn(&str) -> Option<Fate>,
    /// The new name of an operator that programs name in a string.
    pub operator_key: fn(&str) -> Option<String>,
}

impl Words {
    /// The fate of a name by its path, if it changes.
    pub fn fate(&self, path: &str) -> Option<Fate> {
        let of_name = self.names.iter().find(|(name, _)| *name == path).map(|(_, fate)| *fate);
        of_name.or_else(|| (self.operator)(path.strip_prefix("tvm.script.")?))
    }

    /// The new last part of a module's path, if it changes.
    pub fn module(&self, path: &str) -> Option<&'static str> {
        self.modules.iter().find(|(module, _)| *module == path).map(|(_, new)| *new)
    }
}
