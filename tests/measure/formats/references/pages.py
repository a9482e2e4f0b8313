"""Pages, and the books made of them."""
import html.parser
import posixpath
import re
import urllib.parse
import zipfile

from references.reference import Reference, local, parse

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
UNSEEN = {"script", "style", "template", "noscript", "head", "svg", "math", "select", "textarea", "iframe", "object"}
BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "dd", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html",
    "legend", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot",
    "th", "thead", "tr", "ul", "br", "details",
}


class Page(html.parser.HTMLParser):
    """Reads the visible text of a page, its headings, rows and items."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.reference = Reference()
        self.unseen = 0
        self.text = []
        self.heading = self.item = self.cell = self.row = None

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in BLOCKS:
            self.say("\n")
        if tag in UNSEEN:
            self.unseen += 1
        if self.unseen:
            return
        if tag == "img" and values.get("alt"):
            self.say(" " + values["alt"] + " ")
        if re.fullmatch("h[1-6]", tag):
            self.heading = []
        elif tag in ("ul", "ol"):
            self.end_item()
        elif tag == "li":
            self.end_item()
            self.item = []
        elif tag == "tr":
            self.end_row()
            self.row = []
        elif tag in ("td", "th"):
            self.end_cell()
            self.cell = []

    def handle_endtag(self, tag):
        if tag in UNSEEN and self.unseen:
            self.unseen -= 1
            return
        if tag in BLOCKS:
            self.say("\n")
        if re.fullmatch("h[1-6]", tag) and self.heading is not None:
            self.reference.headings.append("".join(self.heading))
            self.heading = None
        elif tag == "li":
            self.end_item()
        elif tag in ("td", "th"):
            self.end_cell()
        elif tag in ("tr", "table"):
            self.end_row()

    def handle_data(self, data):
        if not self.unseen:
            self.say(data)

    def say(self, text):
        if self.unseen:
            return
        for into in (self.text, self.heading, self.item, self.cell):
            if into is not None:
                into.append(text)

    def end_item(self):
        if self.item is not None:
            self.reference.items.append("".join(self.item))
            self.item = None

    def end_cell(self):
        if self.cell is not None and self.row is not None:
            self.row.append("".join(self.cell))
        self.cell = None

    def end_row(self):
        self.end_cell()
        if self.row:
            self.reference.rows.append(self.row)
        self.row = None


def page(text):
    reader = Page()
    reader.feed(text)
    reader.close()
    reader.end_item()
    reader.reference.texts.extend("".join(reader.text).split("\n"))
    return reader.reference


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
