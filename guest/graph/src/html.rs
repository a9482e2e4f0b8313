//! Attributes and headings of HTML within Markdown.

use std::ops::Range;

/// An attribute with its value.
#[derive(Debug, PartialEq, Eq)]
pub struct Attribute<'h> {
    /// Name of its tag.
    pub tag: &'h str,
    /// Name of the attribute.
    pub name: &'h str,
    /// Byte range of the value, without quotes.
    pub value: Range<usize>,
}

/// Elements whose content is not HTML.
const RAW: [&str; 3] = ["script", "style", "textarea"];

/// Calls `take` for each attribute of `html`, in order.
pub fn attributes<'h>(html: &'h str, mut take: impl FnMut(Attribute<'h>)) {
    let mut at = 0;
    while let Some(open) = html[at..].find('<') {
        at += open + 1;
        let rest = &html[at..];
        if let Some(remark) = rest.strip_prefix("!--") {
            at = remark
                .find("-->")
                .map_or(html.len(), |end| at + 3 + end + 3);
            continue;
        }
        let length = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && !"-.:_".contains(c))
            .unwrap_or(rest.len());
        let tag = &rest[..length];
        if tag.starts_with(|c: char| c.is_ascii_alphabetic()) {
            at = tag_attributes(html, at + length, tag, &mut take);
            if RAW.iter().any(|raw| raw.eq_ignore_ascii_case(tag)) {
                at = html[at..].find("</").map_or(html.len(), |end| at + end);
            }
        }
    }
}

/// Calls `take` for the text of each heading of `html` without an id, in order.
pub fn headings(html: &str, mut take: impl FnMut(&str)) {
    let mut at = 0;
    while let Some(open) = html[at..].find(['h', 'H']) {
        at += open + 1;
        let level = html.as_bytes().get(at).copied().unwrap_or_default();
        let is_tag = html[..at - 1].ends_with('<') && (b'1'..=b'6').contains(&level);
        if !is_tag {
            continue;
        }
        let rest = &html[at..];
        // Here and below the function returns instead of continuing with the next tag. If no `>`
        // or no `</h` follows this tag, none follows a later one, and to search for it again
        // from each tag in `<h1<h1<h1…` would be quadratic in the length of the text.
        let Some((tag, behind)) = rest.split_once('>') else {
            return;
        };
        let mut ends = behind.match_indices("</").map(|(end, _)| end);
        let is_heading = |end: &usize| behind[end + 2..].starts_with(['h', 'H']);
        let Some(end) = ends.find(is_heading) else {
            return;
        };
        at += tag.len() + 1 + end;
        if !tag.to_ascii_lowercase().contains(" id=") {
            take(&text_of(&behind[..end]));
        }
    }
}

/// Returns the text content of HTML, on one line.
fn text_of(html: &str) -> String {
    let mut text = String::new();
    for (index, piece) in html.split('<').enumerate() {
        let shown = match piece.split_once('>') {
            Some((_, behind)) if index > 0 => behind,
            _ => piece,
        };
        text.push_str(shown);
    }
    let plain = text.replace("&amp;", "&").replace("&nbsp;", " ");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Calls `take` for each attribute of a tag, from after its name, and returns the end of the tag.
fn tag_attributes<'h>(
    html: &'h str,
    mut at: usize,
    tag: &'h str,
    take: &mut impl FnMut(Attribute<'h>),
) -> usize {
    let skip = |at: usize, is_skipped: &dyn Fn(char) -> bool| {
        let rest = &html[at..];
        at + (rest.len() - rest.trim_start_matches(is_skipped).len())
    };
    let is_blank = |c: char| c.is_ascii_whitespace() || c == '/';
    loop {
        at = skip(at, &is_blank);
        let rest = &html[at..];
        if rest.is_empty() || rest.starts_with(['>', '<']) {
            return at;
        }
        let length = rest.find(|c: char| is_blank(c) || "=><".contains(c));
        let name = &rest[..length.unwrap_or(rest.len())];
        let behind = skip(at + name.len(), &|c| c.is_ascii_whitespace());
        let Some(value) = html[behind..].strip_prefix('=') else {
            // At least one character is consumed, so that the loop ends on any input.
            at += name
                .len()
                .max(rest.chars().next().map_or(1, char::len_utf8));
            continue;
        };
        let start = skip(html.len() - value.len(), &|c| c.is_ascii_whitespace());
        let rest = &html[start..];
        let quote = rest.chars().next().filter(|c| "\"'".contains(*c));
        let (start, length) = match quote {
            Some(quote) => (start + 1, rest[1..].find(quote).unwrap_or(rest.len() - 1)),
            None => {
                let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '>');
                (start, end.unwrap_or(rest.len()))
            }
        };
        let value = start..start + length;
        at = (value.end + usize::from(quote.is_some())).min(html.len());
        // `src={image}` of MDX is an expression.
        let is_text = quote.is_some() || !html[value.clone()].starts_with('{');
        if is_text && !name.is_empty() {
            take(Attribute { tag, name, value });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_tags() {
        let html = "<a\nhref=\"a b.md\" x><IMG src='c.png'/> <p id=d> 1 < 2 <!-- <a href=no> -->\
                    <script>\"<a href=no>\"</script><b href={no} href = e><c f=\"g";
        let mut found = Vec::new();
        attributes(html, |one| {
            found.push((one.tag, one.name, &html[one.value]))
        });
        assert_eq!(
            found,
            [
                ("a", "href", "a b.md"),
                ("IMG", "src", "c.png"),
                ("p", "id", "d"),
                ("b", "href", "e"),
                ("c", "f", "g")
            ]
        );
    }

    #[test]
    fn headings_of_html() {
        let html = "<h1 align=\"center\">\n A &amp; <a href=x>b</a></h1><h7>no</h7><H2>C</H2>\
                    <h3 id=d>no</h3><h4>open";
        let mut found = Vec::new();
        headings(html, |heading| found.push(heading.to_owned()));
        assert_eq!(found, ["A & b", "C"]);
    }

    #[test]
    fn ends_on_whatever_it_is_given() {
        for html in [
            "<",
            "<a =",
            "<a ==>",
            "<a \"",
            "<!--",
            "<a href=",
            "<a é=é é",
            "<script",
        ] {
            attributes(html, |_| {});
            headings(html, |_| {});
        }
    }
}
