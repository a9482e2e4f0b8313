//! Tests of pages, from their bytes to Markdown.

use docent_extract::fixtures::named;
use docent_extract::{Beyond, Failure, Format, Limits, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::Refuse,
};

fn markdown_of(page: &str) -> String {
    extract(Format::Html, page.as_bytes().to_vec(), &LIMITS).expect("it can be read")
}

/// Checks each page against the Markdown of its body.
fn check(pages: &[(&str, &str)]) {
    for (page, expected) in pages {
        assert_eq!(markdown_of(page), *expected, "{page}");
    }
}

#[test]
fn paragraphs_and_blanks() {
    check(&[
        (
            "<p>one\n  <b>two</b>three\u{a0} <i>four</i> .</p>",
            "one twothree four .\n",
        ),
        (
            "a<br>b<br><br>c<hr>d<div>e</div>f",
            "a\nb\n\nc\n\nd\n\ne\n\nf\n",
        ),
        ("<p>a<p>b</b></p></div>c", "a\n\nb\n\nc\n"),
        ("<blockquote>a<p>b</blockquote>", "a\n\nb\n"),
        (
            "&lt;p&gt; &amp;amp; &eacute;&#44032;&hangul;",
            "\\<p> &amp; é가&hangul;\n",
        ),
        ("<![CDATA[x]]>a<!-- b --><?c?>", "a\n"),
        ("# a<p>- b", "\\# a\n\n\\- b\n"),
    ]);
}

#[test]
fn the_title_is_a_heading_unless_it_is_repeated() {
    check(&[
        ("<title>A  b</title><p>x", "# A b\n\nx\n"),
        ("<title>A b</title><h1>A <i>b</i></h1>x", "# A b\n\nx\n"),
        (
            "<title>A</title><h1>B</h1><h2>A</h2>",
            "# A\n\n# B\n\n## A\n",
        ),
        ("<title></title><p>x", "x\n"),
        ("<title>A", "# A\n"),
        ("<title>a<b></title><title>c</title>", "# a<b>\n"),
    ]);
}

#[test]
fn headings() {
    check(&[
        ("<h1>A</h1><h6>B<br>c</h6>", "# A\n\n###### B c\n"),
        (
            "<h2><div>1</div><div>Title</div></h2><p>x",
            "## 1 Title\n\nx\n",
        ),
        (
            "<h2>A<h3>B</h2>c<h2>D<ul><li>e</ul>f",
            "## A\n\n### B\n\nc\n\n## D\n\n- e\n\nf\n",
        ),
        ("<ul><li><h3>A</h3>b</ul>", "### A\n\n- b\n"),
        ("<h2><img alt='a cat'></h2><h3> </h3>", "## a cat\n"),
    ]);
    let endless = format!("<h1>{}", "word ".repeat(1000));
    assert!(markdown_of(&endless).starts_with("word word"));
}

#[test]
fn lists() {
    check(&[
        (
            "<ul><li>a<li>b<ul><li>c</ul>d<li>e</ul>",
            "- a\n- b\n    - c\n\nd\n\n- e\n",
        ),
        (
            "<ol start=3><li>a<li value=7>b<li>c</ol>",
            "3. a\n7. b\n8. c\n",
        ),
        ("<ol start=-9999999999999><li>a</ol><li>b", "0. a\n- b\n"),
        ("<ul><ul><li>a</ul><li><p>b<p>c</li></ul>", "- a\n- b c\n"),
        (
            "<ol><li>a<ol><li>b<ul><li>c</ul>d</ol></ol>",
            "1. a\n    1. b\n        - c\n    - d\n",
        ),
        (
            "<dl><dt>a<dd>b<dd>c<dt>d<dd><p>e<ul><li>f</ul></dl>",
            "- a\n    - b\n    - c\n- d\n    - e\n        - f\n",
        ),
        ("<div><ul><li>a</div>b", "- a\n\nb\n"),
    ]);
}

#[test]
fn tables() {
    check(&[
        (
            "<table><caption>T<thead><tr><th>a<th>b<tbody><tr><td>1<td>2<td>3</table>",
            "T\n\n| a | b |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n",
        ),
        (
            "<table><tr><td colspan=2>a<td>b<tr><td rowspan=2>c<td>d<td>e<tr><td>f<td>g</table>",
            "| a |  | b |\n| --- | --- | --- |\n| c | d | e |\n|  | f | g |\n",
        ),
        (
            "<table><td>a</td><td>b<p>c<tr><td><ul><li>d</ul><tr><td>e|<td>f</table>",
            "| a | b<br>c |\n| --- | --- |\n| - d |  |\n| e\\| | f |\n",
        ),
        (
            "<table><tr><td>a<table><tr><td>b<td>c<tr><td>d</table><td>e</table>f",
            "a\n\n| b | c |\n| --- | --- |\n| d |  |\n\ne\n\nf\n",
        ),
        (
            "<table><tr><td>a<table><tr><td>b<td>c</table><td>e</table>f",
            "| a<br>b c | e |\n| --- | --- |\n\nf\n",
        ),
        (
            "<table><tr><th>a<th>b<tr><td>a<table><tr><td>b<td>c<tr><td>d</table><td>e</table>f",
            "| a | b |\n| --- | --- |\n| a<br>b c<br>d | e |\n\nf\n",
        ),
        (
            "<table>x<tr>y<td>a</td>z<td>b</td></table>",
            "x y z\n\n| a | b |\n| --- | --- |\n",
        ),
        ("<tr><td>a<td>b", "a\n\nb\n"),
        (
            "<table><tr><td><b>a<td>b</b></table>c</b>",
            "| a | b |\n| --- | --- |\n\nc\n",
        ),
        (
            "<table><tr><td>a<td>b<tr style='display:none'><td>c<td>d<tr><td><td></table>",
            "| a | b |\n| --- | --- |\n\nLeft out: 1 hidden element.\n",
        ),
    ]);
}

#[test]
fn a_table_of_too_many_columns_loses_nothing() {
    let cells: String = (0..300).map(|number| format!("<td>c{number}")).collect();
    let text = markdown_of(&format!("<table><tr>{cells}</table>"));
    assert!(text.contains("| c254 | c255<br>c256<br>c257<br>"), "{text}");
    assert!(
        text.lines()
            .next()
            .is_some_and(|line| line.ends_with("c299 |"))
    );
}

#[test]
fn tables_that_arrange_a_page_are_none() {
    check(&[
        (
            "<table><tr><td><h2>a</h2>b<tr><td><ul><li>c</ul></table>",
            "## a\n\nb\n\n- c\n",
        ),
        ("<table><tr><td>&nbsp;<td><p>a<p>b</table>", "a\n\nb\n"),
        (
            "<table><tr><td>1<td>2<tr><td>menu<td><h1>a</h1>b<tr><td>3<td>4</table>",
            "| 1 | 2 |\n| --- | --- |\n\nmenu\n\n# a\n\nb\n\n| 3 | 4 |\n| --- | --- |\n",
        ),
        (
            "<table><tr><td><pre>1\n2</pre><td><pre>a\n b</pre></table>",
            "```\n1\n2\n```\n\n```\na\n b\n```\n",
        ),
        (
            "<table><tr><th>a<th>b<tr><td><h4>c</h4><td>d</table>",
            "| a | b |\n| --- | --- |\n| c | d |\n",
        ),
    ]);
    let long = "word ".repeat(300);
    let page = format!("<table><tr><td><a>menu</a><td><p>{long}<p>{long}</table>");
    assert!(markdown_of(&page).starts_with("menu\n\nword"));
}

#[test]
fn code() {
    check(&[
        (
            "<pre>\n a\n  <b>b</b>\n\n</pre>c",
            "```\n a\n  b\n```\n\nc\n",
        ),
        (
            "<pre><code>a<br>b</code><div>c</div></pre>",
            "```\na\nb\nc\n```\n",
        ),
        (
            "<p>the <code> a`b </code>, <code>c<a href=x>d</a></code></p>",
            "the ``a`b`` , `cd`\n",
        ),
        (
            "<xmp><b>x</xmp><plaintext><p>",
            "```\n<b>x\n```\n\n```\n<p>\n```\n",
        ),
    ]);
}

#[test]
fn links() {
    check(&[
        (
            "<a href='https://example.org/a b'>the [site]</a> <a href=b.html#c>d</a>",
            "[the \\[site\\]](https://example.org/a%20b) [d](b.html#c)\n",
        ),
        (
            "<a href=#a>b</a><a href=' JavaScript:x()'>c</a><a>d</a><a href=x> </a>",
            "bcd\n",
        ),
        ("<a href=x>a<a href=y>b</a>", "[a](x)[b](y)\n"),
        ("<a href=x><h2>a</h2><p>b</p></a>", "## [a](x)\n\nb\n"),
        ("<a href=x><img alt='a cat'></a>", "[a cat](x)\n"),
    ]);
}

#[test]
fn images_and_drawings() {
    check(&[
        (
            "see<img alt='a cat'>and<img alt=''><img>",
            "see a cat and\n\nLeft out: 1 picture.\n",
        ),
        (
            "<img alt=A>b <img alt='x y'>. <img alt=z><noscript><img alt=z></noscript>",
            "Ab x y. z\n",
        ),
        (
            "<svg><title>a</title><style>b</style><text>c</text><text>d</text><path/></svg>e",
            "a c d e\n",
        ),
        ("<map><area alt=a><area alt=bc></map>", "a bc\n"),
    ]);
}

#[test]
fn ruby_and_formulas() {
    check(&[
        (
            "<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</ruby>",
            "漢(かん)字(じ)\n",
        ),
        (
            "<ruby>東<rb>京<rt>とう<rt>きょう</ruby>へ",
            "東京(とうきょう)へ\n",
        ),
        (
            "10<sup>-6</sup>, 1<sup>st</sup>, <q>a</q>",
            "10⁻⁶, 1st, “a”\n",
        ),
        (
            "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1 \\le 2</annotation></semantics></math>.",
            "$x_1 \\le 2$.\n",
        ),
        (
            "<math><mfrac>\n<mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>\n<msup><mi>c</mi><mn>2</mn></msup></mfrac></math>",
            "(a+b)/c^2\n",
        ),
        ("<math><mi>x<p>a</p>b</math>", "x\n\na\n\nb\n"),
        (
            "a<span class='katex-html' aria-hidden=true>x</span>",
            "a\n\nLeft out: 1 hidden element.\n",
        ),
    ]);
}

#[test]
fn forms_and_details() {
    check(&[
        (
            "<form><label>Name</label><input value=Kim><input type=hidden value=x><input type=radio checked>yes<button>Send</button></form>",
            "Name Kim ☒ yes Send\n",
        ),
        (
            "<select><option>a<option hidden>b<option>c</select>d",
            "a\nc d\n\nLeft out: 1 hidden element.\n",
        ),
        ("<textarea>a\nb <i></textarea>", "a\nb <i>\n"),
        ("<details><summary>a</summary>b</details>", "a\n\nb\n"),
    ]);
}

#[test]
fn hidden_text_is_left_out() {
    check(&[
        (
            "<div hidden>a<div>b</div></div>c",
            "c\n\nLeft out: 1 hidden element.\n",
        ),
        (
            "<p style='color:red; DISPLAY : none!important'>a<p>b",
            "b\n\nLeft out: 1 hidden element.\n",
        ),
        ("<div hidden><img><br></div><template>a</template>b", "b\n"),
        (
            "<span hidden>a<span>b</span>c</span>d<i hidden>",
            "d\n\nLeft out: 1 hidden element.\n",
        ),
        ("<p hidden=until-found>a", "a\n"),
        (
            "<script>'<p>a'</script><style>b</style><iframe>c</iframe><noscript>d</noscript>",
            "d\n",
        ),
    ]);
}

#[test]
fn pages_in_xml() {
    check(&[
        (
            "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script src='a'/></head><body><p/><a id='x'/>a<![CDATA[<b>]]></body></html>",
            "a<b>\n",
        ),
        (
            "<html xmlns='http://www.w3.org/1999/xhtml'><h:p xmlns:h='x'>a</h:p><div hidden='hidden'/>b</html>",
            "a\n\nb\n",
        ),
        (
            "<?xml version='1.0'?><epub:switch><epub:case required-namespace='http://www.w3.org/1998/Math/MathML'><math><mi>x</mi></math></epub:case><epub:default>y</epub:default></epub:switch>",
            "x\n",
        ),
    ]);
}

#[test]
fn encodings() {
    let bytes = b"<p>\x8Cc\xB9\xE6\xB0\xA2\xC7\xCF \xBC\x84</p>";
    let read = |bytes: &[u8]| extract(Format::Html, bytes.to_vec(), &LIMITS);
    assert_eq!(read(bytes).as_deref(), Ok("똠방각하 펲\n"));
    assert_eq!(read(b"<p>caf\xE9 d\xE9j\xE0").as_deref(), Ok("café déjà\n"));
    assert_eq!(read(b"PK\x03\x04\0\0\0\0"), Err(Failure::Malformed));
}

#[test]
fn the_text_has_a_limit() {
    let page = named("page.html");
    let all = extract(Format::Html, page.clone(), &LIMITS).expect("it can be read");
    for text_bytes in 0..all.len() {
        let limits = |beyond| Limits {
            text_bytes,
            beyond,
            ..LIMITS
        };
        let refused = extract(Format::Html, page.clone(), &limits(Beyond::Refuse));
        assert_eq!(refused, Err(Failure::TooLarge));
        let beginning = extract(Format::Html, page.clone(), &limits(Beyond::LeaveOut));
        let beginning = beginning.expect("the beginning can be read");
        assert!(beginning.len() <= text_bytes && all.starts_with(&beginning));
    }
}

#[test]
fn pages_may_be_cut_anywhere() {
    let page = named("page.html");
    for length in 0..page.len() {
        let read = extract(Format::Html, page[..length].to_vec(), &LIMITS);
        assert!(read.is_ok(), "{length}");
    }
}

#[test]
fn hostile_pages_end() {
    let many = |part: &str| part.repeat(50_000);
    for page in [
        many("<div>") + "a",
        many("<table><tr><td>") + "a",
        many("<ul><li>") + "a",
        many("<a href=x><code><b>") + "a" + &many("</b></code></a>"),
        many("<span hidden>") + "a",
        many("<table><td rowspan=0 colspan=1000>"),
        "<table><td rowspan=0 colspan=1000>a".to_owned() + &many("<tr><td>"),
        many("<ruby>a<rt>b"),
        many("<math><mfrac>") + "a",
        many("<svg>") + &many("</svg>"),
        many("</p></div></table>"),
        many("&amp;&x;&#1;"),
        format!("<p a='{}'>a", many("&lt; ")),
        format!("<p {}>a", many("alt=x ")),
        many("<!--") + &many("<![CDATA["),
        "<table>".to_owned() + &many("<tr><td>a<td>b"),
    ] {
        let limits = Limits {
            beyond: Beyond::LeaveOut,
            ..LIMITS
        };
        let read = extract(Format::Html, page.clone().into_bytes(), &limits);
        assert!(read.is_ok(), "{}", &page[..60]);
    }
}

#[test]
fn elements_that_find_others_among_many() {
    // Each of these looks for an open element behind hundreds of others.
    for (start, repeated) in [
        ("", "<div>"),
        ("<li><ul><div>", "<li></li>"),
        ("<table><tr><td>", "</p></li></option>"),
        ("<title>a</title>", "<h1>b"),
    ] {
        let start = start.replace("<div>", &"<div>".repeat(240));
        let page = format!("<!DOCTYPE html>{start}{}<p>end", repeated.repeat(50_000));
        assert!(markdown_of(&page).contains("end"), "{start}");
    }
}
