//! JSON front matter: an object at the start of a text, as in Hugo. No fence separates it from the
//! body:
//!
//! ```text
//! {"title": "Setup", "tags": ["guide"]}
//! # Setup
//! ```

use serde_json::Value as Json;

use crate::front_matter::field::Field;
use crate::front_matter::field::FrontMatter;
use crate::limits::FRONT_MATTER_BYTES;
use docent_text::lines::with_ends;

/// Reads the top-level fields of an object at the start of `text`. Returns `None` if there is no
/// object, or if text follows it on its last line.
pub fn read_json(text: &str) -> Option<FrontMatter> {
    let head = &text[..text.floor_char_boundary(FRONT_MATTER_BYTES)];
    // The object is read as the start of a stream, because the body follows without a separator. A
    // parser of a whole text would refuse it as trailing characters.
    let mut stream = serde_json::Deserializer::from_str(head).into_iter::<Json>();
    let Ok(Json::Object(object)) = stream.next()? else {
        return None;
    };
    let end = stream.byte_offset();
    // Text after the object on its last line means that the object is part of the text, as in
    // `{"a": 1} is an object`, and not metadata.
    let rest_of_line = with_ends(&text[end..]).next().unwrap_or_default();
    if !rest_of_line.trim().is_empty() {
        return None;
    }
    let fields = object
        .iter()
        .filter_map(|(key, value)| Some((key.clone(), field(value)?)));
    Some(FrontMatter {
        fields: Some(fields.collect()),
        body: end + rest_of_line.len(),
    })
}

fn field(value: &Json) -> Option<Field> {
    match value {
        Json::Array(items) => Some(Field::List(items.iter().filter_map(scalar).collect())),
        value => scalar(value).map(Field::Text),
    }
}

fn scalar(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
