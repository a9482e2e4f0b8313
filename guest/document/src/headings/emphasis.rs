//! Emphasis in headings of markup languages that enclose words in signs, such as `*bold*`.

/// The signs of emphasis in a markup language.
pub struct Signs {
    /// Signs around text, which may be nested.
    pub text: &'static str,
    /// Signs around code, in which no other sign counts.
    pub code: &'static str,
}

/// Returns `title` without the signs around words. As in Org and Textile, an opening sign follows a
/// blank or an opening bracket, and a closing sign precedes a blank or punctuation: `2*3*4` has
/// none.
pub fn without_emphasis(title: &str, signs: &Signs) -> String {
    let marks: Vec<(usize, char)> = title.char_indices().collect();
    let is_sign = |c: char| signs.text.contains(c) || signs.code.contains(c);
    if !title.contains(is_sign) {
        return title.to_owned();
    }
    let mut removed = vec![false; marks.len()];
    // The position up to which a sign is known to open nothing: within its own emphasis, or, when
    // it has no closing sign left, up to the end. Each sign is searched for once over the title.
    let mut spent: Vec<(char, usize)> = Vec::new();
    let mut index = 0;
    while index < marks.len() {
        let sign = marks[index].1;
        let is_spent = spent.iter().any(|(own, end)| *own == sign && index < *end);
        if is_sign(sign) && !is_spent && opens(&marks, index) {
            let close = (index + 2..marks.len())
                .find(|&close| marks[close].1 == sign && closes(&marks, close));
            spent.retain(|(own, _)| *own != sign);
            spent.push((sign, close.map_or(marks.len(), |close| close + 1)));
            if let Some(close) = close {
                removed[index] = true;
                removed[close] = true;
                if signs.code.contains(sign) {
                    index = close;
                }
            }
        }
        index += 1;
    }
    let kept = marks.iter().zip(removed).filter(|(_, removed)| !removed);
    kept.map(|((_, c), _)| *c).collect()
}

/// Returns true if a sign at `index` may open emphasis.
fn opens(marks: &[(usize, char)], index: usize) -> bool {
    let before = index.checked_sub(1).map(|before| marks[before].1);
    let is_free = before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, ')' | ']' | '.'));
    is_free
        && marks
            .get(index + 1)
            .is_some_and(|(_, c)| !c.is_whitespace())
}

/// Returns true if a sign at `index` may close emphasis.
fn closes(marks: &[(usize, char)], index: usize) -> bool {
    let is_free = marks
        .get(index + 1)
        .is_none_or(|(_, c)| !c.is_alphanumeric());
    is_free && !marks[index - 1].1.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_around_words() {
        let signs = Signs {
            text: "*_",
            code: "=",
        };
        for (title, expected) in [
            ("a *b* c", "a b c"),
            ("*_a_ b*", "a b"),
            ("=*a*= *b*", "*a* b"),
            ("설정 (*값*)", "설정 (값)"),
            ("a * b * c", "a * b * c"),
            ("snake_case_name", "snake_case_name"),
            ("*open", "*open"),
            ("**", "**"),
            ("", ""),
        ] {
            assert_eq!(without_emphasis(title, &signs), expected, "{title}");
        }
    }
}
