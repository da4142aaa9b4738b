//! Deserialization of objects without duplicate keys, of which serde would keep the last.

use std::fmt;

use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::Value as Json;

type Fields = serde_json::Map<String, Json>;

/// Deserializes the fields of a node.
///
/// # Errors
/// Fails for a duplicate key, or if the value is not an object.
pub(super) fn fields<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Fields>, D::Error> {
    struct Unique;
    impl<'de> Visitor<'de> for Unique {
        type Value = Fields;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of fields")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Fields, A::Error> {
            let mut fields = Fields::new();
            while let Some((key, value)) = access.next_entry::<String, Json>()? {
                if fields.contains_key(&key) {
                    return Err(A::Error::custom(format_args!("`{key}` appears twice")));
                }
                fields.insert(key, value);
            }
            Ok(fields)
        }
    }
    deserializer.deserialize_map(Unique).map(Some)
}
