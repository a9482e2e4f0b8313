//! Truncation of texts to a number of characters.

/// Truncates `text` to `most` characters, the last three of which are then dots.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => {
            let end = text.char_indices().nth(most.saturating_sub(3));
            let end = end.map_or(text.len(), |(end, _)| end);
            format!("{}...", text[..end].trim_end())
        }
    }
}
