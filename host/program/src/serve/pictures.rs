//! Pictures in answers of `explore`: blocks that a client shows to its model, in place of base64
//! that a model would read as text.

use rmcp::model::ContentBlock;
use serde_json::{Map, Value, json};

/// Maximum bytes of the pictures of one answer together.
const PICTURE_BYTES: u64 = 1 << 20;

/// Media types of the pictures that models see.
const MEDIA_TYPES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/webp"];

/// The groups of items in an answer.
const GROUPS: [&str; 3] = ["docs", "code", "data"];

/// Removes the bytes of pictures from the items of an answer, and returns them as blocks.
pub fn take(answer: &mut Value) -> Vec<ContentBlock> {
    let Some(data) = answer.get_mut("data") else {
        return Vec::new();
    };
    let mut blocks = Vec::new();
    for group in GROUPS {
        let items = data.get_mut(group).and_then(Value::as_array_mut);
        for item in items.into_iter().flatten() {
            let Some(media_type) = media_type(item).map(str::to_owned) else {
                continue;
            };
            let content = item.as_object_mut().and_then(|item| item.remove("content"));
            if let Some(Value::String(base64)) = content {
                blocks.push(ContentBlock::image(base64, media_type));
            }
        }
    }
    blocks
}

/// Returns the calls of `explore` that read the pictures of an answer, in the order of its items.
/// There are none unless the request asks for whole files. Pictures for which there is no room are
/// left out: the answer describes them.
pub fn calls(request: &Map<String, Value>, answer: &Value) -> Vec<Map<String, Value>> {
    if request.get("view") != Some(&json!("full")) {
        return Vec::new();
    }
    let items = GROUPS
        .iter()
        .filter_map(|group| answer.pointer(&format!("/data/{group}")));
    let items = items.filter_map(Value::as_array).flatten();
    let pictures = items.filter(|item| media_type(item).is_some() && item.get("content").is_none());
    let mut room = PICTURE_BYTES;
    let mut calls = Vec::new();
    for picture in pictures {
        let size = picture.pointer("/metadata/size").and_then(Value::as_u64);
        let Some(rest) = size.and_then(|size| room.checked_sub(size)) else {
            continue;
        };
        room = rest;
        let mut call = Map::new();
        call.insert("paths".to_owned(), json!([picture["filePath"]]));
        call.insert("view".to_owned(), json!("full"));
        call.insert("allowBinary".to_owned(), json!(true));
        call.insert("limits".to_owned(), json!({ "maxBytes": PICTURE_BYTES }));
        // The root of the answer: the request may have named it by a path.
        let root = answer.get("root").or_else(|| request.get("root"));
        for (name, value) in [
            ("root", root),
            ("allowSensitive", request.get("allowSensitive")),
        ] {
            if let Some(value) = value {
                call.insert(name.to_owned(), value.clone());
            }
        }
        calls.push(call);
    }
    calls
}

/// Returns the media type of an item that is a picture.
fn media_type(item: &Value) -> Option<&str> {
    let media_type = item.pointer("/metadata/mediaType")?.as_str()?;
    MEDIA_TYPES.contains(&media_type).then_some(media_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(sizes: &[u64]) -> Value {
        let item = |size| {
            let metadata = json!({ "mediaType": "image/png", "size": size });
            json!({ "filePath": format!("{size}.png"), "metadata": metadata })
        };
        let docs: Vec<Value> = sizes.iter().map(item).collect();
        json!({ "root": "notes", "data": { "docs": docs, "code": [], "data": [] } })
    }

    fn request(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn pictures_are_read_as_far_as_they_fit() {
        let whole = request(json!({ "view": "full" }));
        let read = |sizes: &[u64]| calls(&whole, &answer(sizes)).len();
        assert_eq!(read(&[400_000, 600_000, 100_000, 5]), 3);
        assert_eq!(read(&[(1 << 20) + 1]), 0);
        assert_eq!(read(&[1 << 20]), 1);
        assert!(calls(&request(json!({})), &answer(&[5])).is_empty());
        assert_eq!(
            calls(&whole, &answer(&[5])),
            [request(json!({
                "paths": ["5.png"], "view": "full", "allowBinary": true,
                "limits": { "maxBytes": 1 << 20 }, "root": "notes"
            }))]
        );
    }

    #[test]
    fn base64_of_pictures_alone_becomes_a_block() {
        let mut taken = answer(&[5, 6]);
        taken["data"]["docs"][0]["content"] = json!("AAAA");
        taken["data"]["data"] = json!([{
            "filePath": "a.wasm", "content": "AGFzbQ==",
            "metadata": { "mediaType": "application/wasm" }
        }]);
        let blocks = take(&mut taken);
        assert_eq!(blocks, [ContentBlock::image("AAAA", "image/png")]);
        assert!(taken["data"]["docs"][0].get("content").is_none());
        assert_eq!(taken["data"]["data"][0]["content"], "AGFzbQ==");
        assert!(take(&mut json!({ "items": [] })).is_empty());
    }
}
