"""Pages, and the books made of them."""
import posixpath
import re
import urllib.parse
import zipfile

from references.reference import Reference, local, own, parse

UNSEEN = {
    "script", "style", "template", "head", "svg", "math", "select", "textarea", "iframe", "object", "audio", "video",
    "canvas", "rp", "title", "noframes", "noembed", "datalist",
}
BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "dd", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html",
    "legend", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot",
    "th", "thead", "tr", "ul", "br", "details", "option", "button",
}
HEADING = re.compile("h[1-6]")
# Text of a cell that is longer is a part of the page.
CELL = 2000


def is_hidden(element):
    style = (element.get("style") or "").replace(" ", "").lower()
    return element.get("hidden") is not None or "display:none" in style or "visibility:hidden" in style


def seen(element, cuts=()):
    """Returns the visible text of an element; blocks are lines."""
    parts = []

    def say(text, is_kept):
        parts.append(text or "" if is_kept else re.sub(r"\s+", " ", text or ""))

    last = [""]

    def walk(each, is_kept, is_again=False):
        tag = local(each)
        if not tag or tag in UNSEEN or tag in cuts or is_hidden(each):
            return
        if tag == "epub:switch":
            # The first alternative that programs know.
            cases = [case for case in each if local(case) == "epub:case" and "MathML" in case.get("required-namespace", "")]
            each = cases[0] if cases else next((case for case in each if local(case) == "epub:default"), each)
        if tag in BLOCKS:
            parts.append("\n")
        # Pages that load their images late give each a second time for programs without scripts.
        is_again = is_again or tag == "noscript"
        if tag == "img" and each.get("alt") and not (is_again and each.get("alt") == last[0]):
            last[0] = each.get("alt")
            parts.append(f" {last[0]} ")
        is_kept = is_kept or tag == "pre"
        say(each.text, is_kept)
        for child in each:
            walk(child, is_kept, is_again)
            say(child.tail, is_kept)
        if tag in BLOCKS:
            parts.append("\n")

    walk(element, False)
    return "".join(parts)


def structure(element, reference):
    """Adds the headings, rows and items below an element, in so far as they are none of a table's cell."""
    for child in element:
        tag = local(child)
        if not tag or tag in UNSEEN or is_hidden(child):
            continue
        if tag == "table" and (rows := data_rows(child)):
            reference.rows.extend(rows)
            continue
        if HEADING.fullmatch(tag):
            reference.headings.append(seen(child))
        if tag == "li":
            # Its first line; lists within have items of their own.
            lines = [line for line in seen(child, ("ul", "ol", "table", *HEADINGS)).split("\n") if line.strip()]
            reference.items.extend(lines[:1])
        structure(child, reference)


HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def data_rows(table):
    """Returns the rows of a table, or none if it only frames or arranges parts of the page."""
    rows = [[cell for cell in own(row, ("td", "th"), "table")] for row in own(table, "tr", "table")]
    has_head = any(local(cell) == "th" for row in rows for cell in row)
    texts = [[seen(cell) for cell in row] for row in rows]
    if max((sum(map(bool, map(str.strip, row))) for row in texts), default=0) < 2:
        return []
    parts = [
        any(local(each) in (*HEADINGS, "pre") or local(each) == "table" and data_rows(each) for each in cell.iter())
        or len(text) > CELL
        for row, shown in zip(rows, texts)
        for cell, text in zip(row, shown)
    ]
    return texts if has_head or not any(parts) else []


def page(text):
    import html5lib

    tree = html5lib.parse(text, namespaceHTMLElements=False, scripting=False)
    reference = Reference(texts=seen(tree).split("\n"))
    structure(tree, reference)
    return reference


def decode(content):
    """Decodes a page by its mark or declaration, as UTF-8 otherwise."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(mark):
            return content.decode(name, "replace")
    declared = re.search(rb"charset\s*=\s*[\"']?\s*([\w-]+)|encoding\s*=\s*[\"']([\w-]+)", content[:2048])
    name = (declared.group(1) or declared.group(2)).decode().lower() if declared else "utf-8"
    # As browsers read them.
    name = {"euc-kr": "cp949", "ks_c_5601-1987": "cp949", "iso-8859-1": "cp1252"}.get(name, name)
    try:
        return content.decode(name, "replace")
    except LookupError:
        return content.decode("utf-8", "replace")


def html_page(path):
    with open(path, "rb") as file:
        return page(decode(file.read()))


def epub(path):
    package = zipfile.ZipFile(path)
    container = parse(package.read("META-INF/container.xml"))
    book = next(each.get("full-path") for each in container.iter() if local(each) == "rootfile")
    xml = parse(package.read(book))
    files = {item.get("id"): item for item in xml.iter() if local(item) == "item"}
    reference = Reference()
    for listed in xml.iter():
        if local(listed) != "itemref" or listed.get("idref") not in files:
            continue
        item = files[listed.get("idref")]
        if "nav" in (item.get("properties") or "").split():
            continue
        name = posixpath.normpath(posixpath.join(posixpath.dirname(book), urllib.parse.unquote(item.get("href"))))
        if name in package.namelist() and "html" in (item.get("media-type") or ""):
            reference.add(page(decode(package.read(name))))
    return reference
