//! Layers (optional content groups): content that a viewer can show and hide. Content hidden by
//! default is not shown.

use std::collections::HashSet;

use hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier};

use crate::limits::GROUP_LAYERS;

/// The hidden layers of a document.
#[derive(Debug, Default)]
pub struct Layers {
    hidden: HashSet<ObjectIdentifier>,
}

impl Layers {
    /// Reads the layers that the catalog of a document hides by default.
    pub fn from_catalog(catalog: &Dict<'_>) -> Self {
        let Some(all) = catalog.get::<Dict<'_>>(b"OCProperties") else {
            return Self::default();
        };
        let Some(at_first) = all.get::<Dict<'_>>(b"D") else {
            return Self::default();
        };
        let mut hidden = HashSet::new();
        let base = at_first.get::<Name<'_>>(b"BaseState");
        if base.is_some_and(|base| base.as_ref() == b"OFF") {
            hidden.extend(identifiers(&all, b"OCGs"));
            for shown in identifiers(&at_first, b"ON") {
                hidden.remove(&shown);
            }
        }
        hidden.extend(identifiers(&at_first, b"OFF"));
        Self { hidden }
    }

    /// Returns true if content of a layer, or of a group of layers, is shown.
    pub fn are_shown(&self, layer: &Dict<'_>, id: Option<ObjectIdentifier>) -> bool {
        let kind = layer.get::<Name<'_>>(b"Type");
        if kind.is_none_or(|kind| kind.as_ref() != b"OCMD") {
            return id.is_none_or(|id| !self.hidden.contains(&id));
        }
        let mut members = identifiers(layer, b"OCGs");
        members.truncate(GROUP_LAYERS);
        members.extend(layer.get_ref(b"OCGs").map(ObjectIdentifier::from));
        if members.is_empty() {
            return true;
        }
        let is_hidden = |id: &ObjectIdentifier| self.hidden.contains(id);
        let policy = layer.get::<Name<'_>>(b"P");
        match policy.as_deref() {
            Some(b"AllOn") => !members.iter().any(is_hidden),
            Some(b"AnyOff") => members.iter().any(is_hidden),
            Some(b"AllOff") => members.iter().all(is_hidden),
            _ => !members.iter().all(is_hidden),
        }
    }
}

/// Returns the objects that an array refers to.
fn identifiers(dict: &Dict<'_>, key: &[u8]) -> Vec<ObjectIdentifier> {
    let array = dict.get::<Array<'_>>(key);
    let entries = array.iter().flat_map(Array::raw_iter);
    entries
        .filter_map(|entry| entry.as_obj_ref().map(ObjectIdentifier::from))
        .collect()
}
