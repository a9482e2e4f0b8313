use std::collections::BTreeMap;

use super::*;

fn html(text: &str) -> String {
    render(text, 1).html
}

/// Returns every element of the output, with its attributes.
fn allowed() -> BTreeMap<&'static str, &'static [&'static str]> {
    let block: &[&str] = &["data-line"];
    let heading: &[&str] = &["class", "data-line", "data-anchor"];
    let scrolled: &[&str] = &["class", "tabindex", "data-line"];
    let cell: &[&str] = &["class"];
    let mut all = BTreeMap::from([
        ("p", &["class", "data-line"][..]),
        ("blockquote", block),
        ("li", block),
        ("tr", block),
        ("pre", scrolled),
        ("div", scrolled),
        ("a", &["href", "target", "rel", "data-to"]),
        ("ol", &["start"]),
        ("span", cell),
        ("th", cell),
        ("td", cell),
    ]);
    for name in ["h2", "h3", "h4", "h5", "h6"] {
        all.insert(name, heading);
    }
    for name in [
        "ul", "code", "em", "strong", "del", "sup", "br", "hr", "table", "thead", "tbody",
    ] {
        all.insert(name, &[]);
    }
    all
}

/// Parses HTML strictly, and asserts that it contains nothing else.
fn check(text: &str) {
    let html = html(text);
    let allowed = allowed();
    let mut open: Vec<String> = Vec::new();
    let mut rest = html.as_str();
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("an element ends");
        let inside = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "{text:?}: {html}");
            continue;
        }
        let (name, mut attributes) = inside.split_once(' ').unwrap_or((inside, ""));
        let known = allowed
            .get(name)
            .unwrap_or_else(|| panic!("<{name}> of {text:?}"));
        while let Some((attribute, value)) = attributes.split_once("=\"") {
            let attribute = attribute.trim();
            assert!(known.contains(&attribute), "{attribute} of {text:?}");
            let (value, more) = value.split_once('"').expect("a value ends");
            assert!(!value.contains(['<', '\'']), "{value}");
            if attribute == "href" {
                let scheme = value.split(':').next().unwrap_or_default();
                let known = ["http", "https", "mailto"];
                assert!(
                    known.iter().any(|it| it.eq_ignore_ascii_case(scheme)),
                    "{value}"
                );
            }
            attributes = more;
        }
        assert_eq!(attributes.trim(), "", "{text:?}");
        if !matches!(name, "br" | "hr") {
            open.push(name.to_owned());
        }
    }
    assert_eq!(open, [""; 0], "{text:?}: {html}");
}

/// Fragments that have fooled renderers, and the syntax of Markdown.
const PIECES: &[&str] = &[
    "<script>window.__pwned=1</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<!-- x -->",
    "<![CDATA[x]]>",
    "<a href=\"javascript:alert(1)\">",
    "[x](javascript:alert(1))",
    "[x](\tjavascript:alert(1))",
    "[x](java&#115;cript:alert(1))",
    "[x](<java\tscript:alert(1)>)",
    "[x](data:text/html;base64,AAAA)",
    "[x](//evil.example)",
    "[x](https://a.example/\"onclick=alert(1))",
    "[x](https://a.example '\" onclick=\"alert(1)')",
    "![x](javascript:alert(1))",
    "![\"onerror=alert(1)](x.png)",
    "![a [b](c) d](e)",
    "<javascript:alert(1)>",
    "<https://a.example>",
    "[x]: javascript:alert(1)",
    "[x]",
    "# \"><script>",
    "## a <b> `c`",
    "```\"><script>\n</code></pre>\n```",
    "| a | b |\n|:-|-:|\n| <i> | \"c |",
    "> ",
    "- ",
    "1. ",
    "- [ ] x",
    "[^1]",
    "[^1]: <b>",
    "**",
    "~~",
    "`",
    "---\n",
    "\\",
    "&lt;script&gt;",
    "&#60;script&#62;",
    "\0",
    "\u{202e}",
    "    <b>",
    "한국어 **강조**입니다",
    "\n",
    "\n\n",
    " ",
];

#[test]
fn whatever_a_document_says_nothing_comes_out_that_is_not_on_the_list() {
    for piece in PIECES {
        check(piece);
    }
    // Pairs and triples, with a sample of the triples: 46 fragments make 97 336 of them.
    for (n, first) in PIECES.iter().enumerate() {
        for (m, second) in PIECES.iter().enumerate() {
            check(&format!("{first}{second}"));
            let third = PIECES[(7 * n + 13 * m) % PIECES.len()];
            check(&format!("{first}\n{second}{third}\n{first}"));
        }
    }
}

#[test]
fn links_lead_where_they_may() {
    assert_eq!(
        html("[a](https://b.example/c)"),
        "<p data-line=\"1\"><a href=\"https://b.example/c\" target=\"_blank\" \
         rel=\"noopener noreferrer nofollow\">a</a> <span class=\"host\">(b.example)</span></p>"
    );
    assert_eq!(
        html("[a](../b.md#c)"),
        "<p data-line=\"1\"><a data-to=\"../b.md#c\">a</a></p>"
    );
    assert_eq!(html("[a](javascript:b)"), "<p data-line=\"1\">a</p>");
    assert_eq!(
        html("[a](&#x09;java&Tab;script&colon;b)"),
        "<p data-line=\"1\">a</p>"
    );
}

#[test]
fn html_and_comments_are_shown_as_text() {
    assert_eq!(
        html("<!-- read this -->"),
        "<p class=\"raw\" data-line=\"1\">&lt;!-- read this --&gt;</p>"
    );
    assert_eq!(
        html("a <b>c"),
        "<p data-line=\"1\">a <span class=\"raw\">&lt;b&gt;</span>c</p>"
    );
}

#[test]
fn images_are_described_and_never_loaded() {
    let shown = html("![a *b*](https://c.example/d.png)");
    assert_eq!(
        shown,
        "<p data-line=\"1\"><span class=\"image\">a b <code>https://c.example/d.png</code></span></p>"
    );
    assert!(html("![](data:image/png;base64,AAAA)").contains("data:image/png;base64,…"));
}

#[test]
fn lines_are_those_of_the_file() {
    let text = "# One\n\ntext\n\n## Two `x`\n\n- a\n- b\n";
    let rendered = render(text, 11);
    let titles: Vec<_> = rendered
        .outline
        .iter()
        .map(|it| (it.level, it.title.as_str(), it.line))
        .collect();
    assert_eq!(titles, [(1, "One", 11), (2, "Two x", 15)]);
    for line in [11, 13, 15, 17, 18] {
        assert!(
            rendered.html.contains(&format!("data-line=\"{line}\"")),
            "{line}"
        );
    }
}

#[test]
fn headings_have_the_anchors_that_links_name() {
    let shown = html("# Set up: the *host*\n\n# Set up: the host\n\n# 설치 방법\n");
    for anchor in ["set-up-the-host", "set-up-the-host-1", "설치-방법"] {
        assert!(
            shown.contains(&format!("data-anchor=\"{anchor}\"")),
            "{shown}"
        );
    }
}

/// Returns the maximum depth of nested elements.
fn depth(html: &str) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    for (at, _) in html.match_indices('<') {
        let rest = &html[at + 1..];
        if rest.starts_with('/') {
            depth -= 1;
        } else if !rest.starts_with("br") && !rest.starts_with("hr") {
            depth += 1;
            most = most.max(depth);
        }
    }
    most
}

/// Short texts with a long output, each by the number of its parts.
const GREEDY: &[fn(usize) -> String] = &[
    |n| format!("{}x", ">".repeat(n)),
    |n| format!("{}x", "> ".repeat(n)),
    |n| format!("{}x", "- ".repeat(n)),
    |n| format!("{}x", "1. > ".repeat(n)),
    |n| format!("{}x{}", "*a _b ".repeat(n), "_ *".repeat(n)),
    |n| format!("{}x{}", "**a ".repeat(n), "**".repeat(n)),
    |n| "x\n\n".repeat(n),
    |n| "- x\n".repeat(n),
    |n| "*x* ".repeat(n),
    |n| "`x` ".repeat(n),
    |n| "# x\n".repeat(n),
    |n| "***\n".repeat(n),
    |n| "\\\n".repeat(n),
    |n| "[x](y) ".repeat(n),
    |n| "[x](https://a.example) ".repeat(n),
    |n| "![x](y) ".repeat(n),
    |n| "<b>".repeat(n),
    |n| "&\"'<".repeat(n),
    |n| "\u{202e}".repeat(n),
    |n| "[^1] ".repeat(n) + "\n\n[^1]: x",
    |n| format!("[a]: /{}\n\n{}", "y".repeat(n), "[a] ".repeat(n)),
    |n| {
        let columns = n.min(1_000);
        let head = format!("{}|\n{}|\n", "|a".repeat(columns), "|-".repeat(columns));
        head + &"|b|\n".repeat(n)
    },
    |n| format!("{}| a |\n{}|-|\n", ">".repeat(n), ">".repeat(n)),
    |n| format!("{}# x", "- ".repeat(n)),
];

#[test]
fn what_is_shown_is_bounded_by_the_text() {
    for (at, greedy) in GREEDY.iter().enumerate() {
        let text = greedy(30_000);
        let rendered = render(&text, 1);
        // Each open part is closed, and the rest is at most six letters for each.
        let most = (text.len() * (MOST_GROWTH + 7)).max(LEAST_BYTES) + 1_000;
        let bytes = rendered.html.len();
        assert!(bytes <= most, "{at}: {bytes} of {}", text.len());
        let elements = rendered.html.matches('<').count() - rendered.html.matches("</").count();
        assert!(elements <= MOST_ELEMENTS + 100, "{at}: {elements}");
        assert!(depth(&rendered.html) <= MOST_DEPTH + 8, "{at}");
        check(&greedy(60));
        check(&greedy(3_000));
    }
}

#[test]
fn what_is_nested_too_deep_keeps_its_text() {
    let rendered = render(&format!("{}deep *within*", "> ".repeat(500)), 1);
    assert!(rendered.is_flattened);
    assert!(rendered.html.contains("deep within"), "{}", rendered.html);
    assert_eq!(rendered.html.matches("<blockquote").count(), MOST_DEPTH);
    let rendered = render(&format!("{}some *more*", "> ".repeat(20)), 1);
    assert!(!rendered.is_flattened);
    assert!(rendered.html.contains("<em>more</em>"));
}

#[test]
fn what_has_too_many_elements_goes_on_as_it_is_written() {
    let text = "word *one*\n\n".repeat(20_000);
    let rendered = render(&text, 5);
    let from = rendered.plain_from.unwrap();
    assert!(from > 5_000, "{from}");
    let (shown, rest) = rendered.html.split_once("<pre").unwrap();
    let lines_shown = shown.matches("word").count() + rest.matches("word").count();
    assert_eq!(lines_shown, 20_000);
    assert!(rest.starts_with(&format!(" tabindex=\"0\" data-line=\"{from}\"><code>")));
    assert_eq!(render("# A\n\nb\n", 1).plain_from, None);
}

#[test]
fn what_turns_the_direction_of_text_is_shown() {
    let shown = html("a\u{202e}b\u{7}\n\n```\nx\u{2066}\n\ty\r\n```\n\n[\u{202e}](c\u{202e}.md)\n");
    assert!(shown.contains("a\\u{202e}b\\u{7}"), "{shown}");
    assert!(shown.contains("x\\u{2066}\n\ty\n"), "{shown}");
    // The target of the path is unchanged.
    assert!(
        shown.contains("data-to=\"c\u{202e}.md\">\\u{202e}</a>"),
        "{shown}"
    );
}
