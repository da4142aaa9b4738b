//! Keys of attributes that begin with the name of the dialect.

use tvmscript_ir::DictAttrs;
use tvmscript_ir_core::{Map, Object, ObjectLike as _, Str, Value};
use tvmscript_tir::{AttrStmt, Block, For};

/// The prefix of keys in the releases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prefix {
    /// In the program.
    pub(crate) from: &'static str,
    /// In the target.
    pub(crate) to: &'static str,
}

impl Prefix {
    pub(crate) fn renamed(self, key: &str) -> Option<String> {
        key.strip_prefix(self.from).map(|rest| format!("{}{rest}", self.to))
    }

    /// The entries with renamed keys; `None` if all keys stay.
    fn entries(self, map: &Map<Str, Value>) -> Option<Vec<(Str, Value)>> {
        if !map.iter().any(|(key, _)| key.as_str().starts_with(self.from)) {
            return None;
        }
        let entry = |(key, value): (&Str, &Value)| {
            (self.renamed(key.as_str()).map_or_else(|| key.clone(), Str::from), value.clone())
        };
        Some(map.iter().map(entry).collect())
    }

    /// The node with renamed keys of its attributes; `None` if all keys stay.
    pub(crate) fn rename(self, node: &Object) -> Option<Object> {
        if let Some(attrs) = node.as_node::<DictAttrs>() {
            return Some(DictAttrs::new(self.entries(&attrs.dict)?).into_object());
        }
        if let Some(attr) = node.downcast_ref::<AttrStmt>() {
            let key = self.renamed(attr.attr_key.as_str())?;
            let mut attr = attr.clone();
            attr.make_mut().attr_key = key.into();
            return Some(attr.into_object());
        }
        if let Some(block) = node.downcast_ref::<Block>() {
            let annotations = Map::new(self.entries(&block.annotations)?);
            let mut block = block.clone();
            block.make_mut().annotations = annotations;
            return Some(block.into_object());
        }
        let looped = node.downcast_ref::<For>()?;
        let annotations = Map::new(self.entries(&looped.annotations)?);
        let mut looped = looped.clone();
        looped.make_mut().annotations = annotations;
        Some(looped.into_object())
    }
}
