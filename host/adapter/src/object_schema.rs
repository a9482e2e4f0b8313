//! The JSON schema of an object: a tool's arguments, or what one of them holds.

use serde_json::{Map, Value};

use super::tool_table::{nearest, nearest_whole};

/// An object as its schema has it.
#[derive(Clone, Copy)]
pub(super) struct ObjectSchema<'a>(&'a Map<String, Value>);

impl<'a> ObjectSchema<'a> {
    /// Returns what `schema` says of an object.
    pub(super) fn new(schema: &'a Map<String, Value>) -> Self {
        Self(schema)
    }

    /// Returns what `schema` says of an object; none where it is about something else.
    pub(super) fn of(schema: &'a Value) -> Option<Self> {
        let schema = schema.as_object()?;
        schema.contains_key("properties").then_some(Self(schema))
    }

    /// Returns the names of the required members, in order.
    pub(super) fn required(self) -> impl Iterator<Item = &'a str> {
        let required = self.0.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Whether a member may be left out.
    pub(super) fn is_optional(self, name: &str) -> bool {
        self.required().all(|required| required != name)
    }

    /// Returns the names of all members: the required ones first, then the others, each in the
    /// order of the contract.
    pub(super) fn names(self) -> impl Iterator<Item = &'a str> {
        let is_optional = move |name: &&str| self.is_optional(name);
        let all = self.properties().into_iter().flat_map(Map::keys);
        self.required()
            .chain(all.map(String::as_str).filter(is_optional))
    }

    /// Returns the own name and the schema of the member `name`.
    pub(super) fn member(self, name: &str) -> Option<(&'a str, &'a Value)> {
        let (name, schema) = self.properties()?.get_key_value(name)?;
        Some((name.as_str(), schema))
    }

    /// Returns the member that `name` was probably meant to be: one of its own, or `OUTER.INNER`
    /// for one of an object within. What is written alike comes before what it is a part of.
    pub(super) fn nearest(self, name: &str) -> Option<String> {
        // Who knows that there is a `maxResults` and not where is told where.
        let inner: Vec<(&str, &str)> = self
            .names()
            .filter_map(|outer| Some((outer, Self::of(self.member(outer)?.1)?)))
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
