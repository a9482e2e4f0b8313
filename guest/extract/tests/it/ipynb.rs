//! Tests of notebooks, from the bytes of the file to Markdown.

use docent_extract::fixtures::{Notebook, code, named};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::Refuse,
};

fn read(file: &[u8]) -> Result<String, Failure> {
    extract(Format::Ipynb, file.to_vec(), &LIMITS)
}

fn markdown_of(notebook: &Notebook) -> String {
    read(&notebook.file()).expect("it can be read")
}

fn outputs_of(outputs: &str) -> String {
    let text = markdown_of(&Notebook::default().cell(&code("x", outputs)));
    let rest = text.strip_prefix("```python cell=1\nx\n```\n");
    rest.expect("the source comes first")
        .trim_start()
        .to_owned()
}

#[test]
fn cells_in_order_with_their_outputs() {
    assert_eq!(
        read(&named("sums.ipynb")).as_deref(),
        Ok(
            "<!-- cell=1 -->\n# 설정\n\n설정을 바꾼다.\n\n```python cell=2\nprint(1 + 1)\n```\n\n```output\n2\n```\n"
        )
    );
}

#[test]
fn markdown_stays_as_it_is() {
    let notebook = Notebook::default()
        .markdown("---\n* a\n  * b\n\n| x |\n|---|\n# not escaped")
        .markdown("~~~ py\nopen")
        .markdown("<!-- open")
        .cell(r#"{"cell_type": "raw", "source": ["```\n", "raw"]}"#)
        .markdown("## end");
    assert_eq!(
        markdown_of(&notebook),
        "<!-- cell=1 -->\n---\n* a\n  * b\n\n| x |\n|---|\n# not escaped\n\n\
        <!-- cell=2 -->\n~~~ py\nopen\n~~~\n\n<!-- cell=3 -->\n<!-- open\n-->\n\n\
        ````raw cell=4\n```\nraw\n````\n\n<!-- cell=5 -->\n## end\n"
    );
}

#[test]
fn empty_cells_are_counted() {
    let notebook = Notebook::default()
        .cell(&code("", ""))
        .markdown("")
        .cell(&code("a", ""));
    assert_eq!(markdown_of(&notebook), "```python cell=3\na\n```\n");
}

#[test]
fn outputs_by_kind() {
    for (outputs, expected) in [
        (
            r#"{"output_type": "stream", "name": "stdout", "text": "a"}, {"output_type": "stream", "name": "stdout", "text": ["b\n", "c\r\nd\re"]}, {"output_type": "stream", "name": "stderr", "text": "f"}"#,
            "```output\nab\nc\nd\ne\n```\n\n```stderr\nf\n```\n",
        ),
        (
            r#"{"output_type": "execute_result", "data": {"text/plain": "```\nx", "text/html": "<b>x</b>"}}"#,
            "````output\n```\nx\n````\n",
        ),
        (
            r##"{"output_type": "display_data", "data": {"text/markdown": ["# x\n", "y"]}}"##,
            "# x\ny\n",
        ),
        (
            r#"{"output_type": "display_data", "data": {"text/plain": "<IPython.core.display.Markdown object>", "text/markdown": "*x*"}}"#,
            "*x*\n",
        ),
        (
            r#"{"output_type": "display_data", "data": {"text/html": "<b>x</b>"}}"#,
            "Left out: 1 HTML output.\n",
        ),
        (
            r#"{"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Figure size 1x1>"}}"#,
            "```output\n<Figure size 1x1>\n```\n\nLeft out: 1 picture.\n",
        ),
        (
            r#"{"output_type": "display_data", "data": {"application/x": {}}}"#,
            "Left out: 1 other output.\n",
        ),
        (
            r#"{"output_type": "display_data", "data": {"application/json": {"a": [1]}}}"#,
            "```json\n{\"a\": [1]}\n```\n",
        ),
        (
            r#"{"output_type": "display_data", "data": {"text/latex": "$x$"}}"#,
            "```latex\n$x$\n```\n",
        ),
        (
            r#"{"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\u001b[0;31mE\u001b[0m: v", "at 1"]}"#,
            "```error\nE: v\nat 1\n```\n",
        ),
        (
            r#"{"output_type": "error", "ename": "E", "evalue": "v", "traceback": []}"#,
            "```error\nE: v\n```\n",
        ),
        (r#"1, null, [], {"data": 1}"#, ""),
    ] {
        assert_eq!(outputs_of(outputs), expected, "{outputs}");
    }
}

#[test]
fn version_3() {
    let file = br##"{"metadata": {"name": ""}, "nbformat": 3, "worksheets": [{"cells": [
        {"cell_type": "heading", "level": 2, "source": ["Head\n", "ing"]},
        {"cell_type": "code", "language": "python", "input": "x = 1", "outputs": [
            {"output_type": "pyout", "text": ["1"], "prompt_number": 1},
            {"output_type": "stream", "stream": "stderr", "text": "warn"},
            {"output_type": "display_data", "png": "AAAA", "text": "fig"},
            {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": ["tb"]}]},
        {"cell_type": "markdown", "source": "end"}]}]}"##;
    assert_eq!(
        read(file).as_deref(),
        Ok(
            "<!-- cell=1 -->\n## Head ing\n\n```python cell=2\nx = 1\n```\n\n```output\n1\n```\n\n```stderr\nwarn\n```\n\n\
            ```output\nfig\n```\n\n```error\ntb\n```\n\n<!-- cell=3 -->\nend\n\nLeft out: 1 picture.\n"
        )
    );
}

#[test]
fn pictures_in_markdown_are_counted() {
    let notebook = Notebook::default()
        .markdown("![a](data:image/png;base64,AAAA/+=) b")
        .cell(r#"{"cell_type": "markdown", "attachments": {"a.png": {}}, "source": "c"}"#);
    assert_eq!(
        markdown_of(&notebook),
        "<!-- cell=1 -->\n![a](data:image/png;base64,) b\n\n<!-- cell=2 -->\nc\n\n\
        Left out: 2 pictures.\n"
    );
}

#[test]
fn languages_cannot_end_the_fence() {
    let file = br#"{"cells": [{"cell_type": "code", "source": "a"}], "metadata": {"language_info": {"name": "C`+\n+ x"}}, "nbformat": 4}"#;
    assert_eq!(read(file).as_deref(), Ok("```c++x cell=1\na\n```\n"));
}

#[test]
fn damaged_notebooks_give_the_cells_before_the_damage() {
    let file = named("sums.ipynb");
    for end in 0..file.len() - 2 {
        match read(&file[..end]) {
            Ok(text) => assert!(text.ends_with("The file is damaged: the text ends early.\n")),
            Err(failure) => assert_eq!(failure, Failure::Malformed),
        }
    }
    for file in [&b""[..], b"{}", b"[]", b"1", b"{\"cells\"", b"{\"a\": [}]}"] {
        assert_eq!(read(file), Err(Failure::Malformed), "{file:?}");
    }
}

#[test]
fn text_ends_at_the_limit() {
    let stream = r#"{"output_type": "stream", "name": "stdout", "text": "words words words"}"#;
    let notebooks = [
        Notebook::default().markdown(&"words ".repeat(100)),
        Notebook::default().cell(&code(&"words ".repeat(100), "")),
        Notebook::default().cell(&code("", &[stream; 50].join(","))),
    ];
    for notebook in notebooks {
        let limits = Limits {
            text_bytes: 100,
            ..LIMITS
        };
        let read = extract(Format::Ipynb, notebook.file(), &limits);
        assert_eq!(read, Err(Failure::TooLarge));
    }
}

#[test]
fn nesting_and_many_cells_take_no_memory() {
    let deep = format!("{{\"cells\": [{}", "[{\"a\":".repeat(1 << 18));
    assert!(read(deep.as_bytes()).is_ok());
    let cells = vec!["{}"; 1 << 18].join(",");
    let many = format!("{{\"cells\": [{cells}], \"nbformat\": 4}}");
    assert_eq!(read(many.as_bytes()).as_deref(), Ok(""));
}
