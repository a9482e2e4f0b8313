//! The JSON schema of an object: the arguments of a tool, or an object within one of them.

use serde_json::{Map, Value};

use super::nearest::{nearest, nearest_whole};

/// The schema of an object.
#[derive(Clone, Copy)]
pub(super) struct ObjectSchema<'a>(&'a Map<String, Value>);

impl<'a> ObjectSchema<'a> {
    /// Returns the object schema in `schema`.
    pub(super) fn new(schema: &'a Map<String, Value>) -> Self {
        Self(schema)
    }

    /// Returns the object schema in `schema`; none if it describes another type.
    pub(super) fn from_value(schema: &'a Value) -> Option<Self> {
        let schema = schema.as_object()?;
        schema.contains_key("properties").then_some(Self(schema))
    }

    /// Returns the names of the required members, in order.
    pub(super) fn required_members(self) -> impl Iterator<Item = &'a str> {
        let required = self.0.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Returns true if a member may be left out.
    pub(super) fn is_optional(self, name: &str) -> bool {
        self.required_members().all(|required| required != name)
    }

    /// Returns the names of all members: the required ones first, then the others, each in the
    /// order of the contract.
    pub(super) fn names(self) -> impl Iterator<Item = &'a str> {
        let is_optional = move |name: &&str| self.is_optional(name);
        let all = self.properties().into_iter().flat_map(Map::keys);
        self.required_members()
            .chain(all.map(String::as_str).filter(is_optional))
    }

    /// Returns the canonical name and the schema of the member `name`.
    pub(super) fn member(self, name: &str) -> Option<(&'a str, &'a Value)> {
        let (name, schema) = self.properties()?.get_key_value(name)?;
        Some((name.as_str(), schema))
    }

    /// Returns the member that was probably meant by `name`: one of the object's own, or
    /// `OUTER.INNER` for one of an object within it. Similar names take precedence over names of
    /// which it is a part.
    pub(super) fn nearest(self, name: &str) -> Option<String> {
        // A caller may know the name of a member but not the object that contains it:
        // `maxChars` at the top level is reported with its full path, `limits.maxChars`.
        let inner: Vec<(&str, &str)> = self
            .names()
            .filter_map(|outer| Some((outer, Self::from_value(self.member(outer)?.1)?)))
            .flat_map(|(outer, object)| object.names().map(move |inner| (outer, inner)))
            .collect();
        let within = |near: &str| {
            let (outer, inner) = inner.iter().find(|(_, inner)| *inner == near)?;
            Some(format!("{outer}.{inner}"))
        };
        let inner_names = || inner.iter().map(|(_, inner)| *inner);
        let own = nearest(name, self.names()).map(str::to_owned);
        own.or_else(|| nearest(name, inner_names()).and_then(within))
            .or_else(|| nearest_whole(name, self.names()).map(str::to_owned))
            .or_else(|| nearest_whole(name, inner_names()).and_then(within))
    }

    fn properties(self) -> Option<&'a Map<String, Value>> {
        self.0.get("properties").and_then(Value::as_object)
    }
}
