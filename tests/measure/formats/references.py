"""The content of documents, read from their own XML, JSON or records, as a reference for readers.

Each function of FORMATS takes a path and returns a Reference. What every reader leaves out on
purpose is not in it: comments, headers and footers, hidden sheets, slide numbers, deletions.
"""
import dataclasses
import email
import email.policy
import html
import html.parser
import json
import mailbox
import posixpath
import re
import urllib.parse
import xml.etree.ElementTree as ET
import zipfile
import zlib


@dataclasses.dataclass
class Reference:
    """The content of a document, as texts in the order of reading."""

    # Paragraphs and cells, each once.
    texts: list = dataclasses.field(default_factory=list)
    headings: list = dataclasses.field(default_factory=list)
    # Rows of tables, each a list of the texts of its cells.
    rows: list = dataclasses.field(default_factory=list)
    # Items of lists, without those within them.
    items: list = dataclasses.field(default_factory=list)
    # Names of attached files.
    names: list = dataclasses.field(default_factory=list)

    def add(self, other):
        for field in dataclasses.fields(self):
            getattr(self, field.name).extend(getattr(other, field.name))


def plain(line):
    """Returns a line of Markdown or HTML without its marks."""
    line = re.sub(r"!?\[([^\]]*)\]\((?:[^()\s]|\([^()]*\))*(?: \"[^\"]*\")?\)", r" \1 ", line)
    line = re.sub(r"<((?:https?|mailto):[^>]*)>", r" \1 ", line)
    line = re.sub(r"</?[a-zA-Z][^<>]*>", " ", line)
    # Emphasis within a word would part it.
    line = re.sub(r"(?<!\\)[*~`]+|(?<!\\)__", "", line)
    line = re.sub(r"\\([^\w\s])", r"\1", line)
    return html.unescape(line)


def local(element):
    return element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""


def attribute(element, name):
    return next((value for key, value in element.attrib.items() if key.rsplit("}", 1)[-1] == name), None)


def parse(content):
    return ET.fromstring(content)


# Presentations of Office Open XML.


def relationships(package, part):
    """Returns the relationships of a part: id to (kind, part)."""
    folder, name = posixpath.split(part)
    try:
        xml = parse(package.read(posixpath.join(folder, "_rels", name + ".rels")))
    except KeyError:
        return {}
    found = {}
    for element in xml:
        target = element.get("Target", "")
        if element.get("TargetMode") == "External":
            continue
        target = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        found[element.get("Id")] = (element.get("Type", "").rsplit("/", 1)[-1], target)
    return found


# Placeholders that repeat on each slide.
REPEATED = ("sldNum", "dt", "ftr", "hdr")


def placeholder(shape):
    return next((each.get("type") for each in shape.iter() if local(each) == "ph"), None)


def drawn_texts(element):
    """Yields the paragraphs below an element of DrawingML."""
    kind = local(element)
    if kind in ("sp", "pic", "graphicFrame") and placeholder(element) in REPEATED:
        return
    if kind in ("extLst", "timing"):
        return
    if kind == "AlternateContent":
        # The first alternative with text; the others say the same for older programs.
        for alternative in element:
            texts = list(drawn_texts(alternative))
            if any(text.strip() for text in texts):
                yield from texts
                return
        return
    if kind == "p":
        yield "".join(runs(element))
        return
    for child in element:
        yield from drawn_texts(child)


def runs(element):
    kind = local(element)
    if kind == "fld" and element.get("type") == "slidenum":
        return
    if kind == "t":
        yield element.text or ""
    elif kind == "br":
        yield " "
    else:
        for child in element:
            yield from runs(child)


def pptx(path):
    package = zipfile.ZipFile(path)
    main = next(part for kind, part in relationships(package, "").values() if kind == "officeDocument")
    related = relationships(package, main)
    reference = Reference()
    for listed in parse(package.read(main)).iter():
        if local(listed) != "sldId":
            continue
        part = related[next(value for key, value in listed.attrib.items() if key.startswith("{"))][1]
        slide = parse(package.read(part))
        reference.texts.extend(drawn_texts(slide))
        for shape in slide.iter():
            if local(shape) == "sp" and placeholder(shape) in ("title", "ctrTitle"):
                title = " ".join(drawn_texts(shape)).strip()
                if title:
                    reference.headings.append(title)
                break
        for row in slide.iter():
            if local(row) == "tr":
                cells = [cell for cell in row if local(cell) == "tc"]
                reference.rows.append([" ".join(drawn_texts(cell)) for cell in cells])
        for kind, target in relationships(package, part).values():
            if kind not in ("notesSlide", "diagramData") or target not in package.namelist():
                continue
            xml = parse(package.read(target))
            if kind == "notesSlide":
                reference.texts.extend(drawn_texts(xml))
            else:
                for point in xml.iter():
                    if local(point) == "pt" and point.get("type") != "pres":
                        reference.texts.extend(drawn_texts(point))
    return reference


# OpenDocument, packed or flat.

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"

LEFT_OUT = {
    OFFICE + "annotation", TEXT + "tracked-changes", TEXT + "note-citation", OFFICE + "binary-data",
    OFFICE + "forms", OFFICE + "event-listeners", TEXT + "table-of-content", TEXT + "number",
    TABLE + "content-validations", OFFICE + "document", TEXT + "script",
}


def flow(element, into, cuts=()):
    """Adds the text below an element of OpenDocument; paragraphs are lines."""
    tag = element.tag
    if tag in LEFT_OUT or tag in cuts:
        return
    if tag in (TEXT + "s", TEXT + "tab", TEXT + "line-break"):
        into.append(" ")
    if tag in (TEXT + "p", TEXT + "h"):
        into.append("\n")
    if tag not in (TEXT + "list", TEXT + "list-item", TEXT + "section", TABLE + "table"):
        into.append(element.text or "")
    for child in element:
        flow(child, into, cuts)
        if tag.startswith(TEXT) and tag not in (TEXT + "list", TEXT + "list-item", TEXT + "section"):
            into.append(child.tail or "")
    if tag in (TEXT + "p", TEXT + "h"):
        into.append("\n")


def flowing(element, cuts=()):
    into = []
    flow(element, into, cuts)
    return "".join(into)


def odf(path):
    with open(path, "rb") as file:
        content = file.read()
    if content.startswith(b"PK"):
        content = zipfile.ZipFile(path).read("content.xml")
    root = parse(content)
    body = root.find(OFFICE + "body")
    hidden = {
        style.get(STYLE + "name")
        for style in root.iter(STYLE + "style")
        for properties in style
        if properties.get(TABLE + "display") == "false"
    }
    for parent in list(body.iter()):
        for child in list(parent):
            is_hidden = child.tag == TABLE + "table" and child.get(TABLE + "style-name") in hidden
            repeats = child.get(PRESENTATION + "class") in ("footer", "header", "date-time", "page-number")
            if is_hidden or repeats:
                parent.remove(child)
    reference = Reference(texts=flowing(body).split("\n"))
    note = (TEXT + "note",)
    reference.headings.extend(flowing(heading, note) for heading in body.iter(TEXT + "h"))
    for row in body.iter(TABLE + "table-row"):
        cells = [cell for cell in row if cell.tag in (TABLE + "table-cell", TABLE + "covered-table-cell")]
        reference.rows.append([flowing(cell, note) for cell in cells])
    for item in body.iter(TEXT + "list-item"):
        paragraph = next((child for child in item if child.tag in (TEXT + "p", TEXT + "h")), None)
        if paragraph is not None:
            reference.items.append(flowing(paragraph, note))
    return reference


# Hangul documents.


def hwpx(path):
    package = zipfile.ZipFile(path)
    reference = Reference()
    sections = [name for name in package.namelist() if re.fullmatch(r"Contents/section\d+\.xml", name)]
    for name in sorted(sections, key=lambda name: int(re.search(r"\d+", name).group())):
        xml = parse(package.read(name))
        reference.texts.extend(hangul_texts(xml))
        for row in xml.iter():
            if local(row) == "tr":
                cells = [cell for cell in row if local(cell) == "tc"]
                reference.rows.append([" ".join(hangul_texts(cell)) for cell in cells])
    return reference


def hangul_texts(element):
    if local(element) in ("header", "footer", "memo", "hiddenComment", "deleteBegin"):
        return
    if local(element) == "t":
        yield "".join(element.itertext())
        return
    for child in element:
        yield from hangul_texts(child)


# Characters of HWP that are followed by seven more, and those that stand alone.
LONG_CONTROLS = set(range(1, 24)) - {10, 13} | {4, 5, 6, 7, 8, 9, 19, 20, 22, 23}


def hwp(path):
    import olefile

    reference = Reference()
    with olefile.OleFileIO(path) as container:
        header = container.openstream("FileHeader").read()
        flags = int.from_bytes(header[36:40], "little")
        folder = "ViewText" if flags & 4 else "BodyText"
        if flags & 6:
            raise ValueError("encrypted")
        for entry in sorted(container.listdir()):
            if entry[0] != folder:
                continue
            content = container.openstream(entry).read()
            if flags & 1:
                content = zlib.decompressobj(-15).decompress(content)
            at = 0
            while at + 4 <= len(content):
                head = int.from_bytes(content[at : at + 4], "little")
                at += 4
                size = head >> 20
                if size == 0xFFF:
                    size = int.from_bytes(content[at : at + 4], "little")
                    at += 4
                # HWPTAG_PARA_TEXT
                if head & 0x3FF == 67:
                    reference.texts.append(hwp_text(content[at : at + size]))
                at += size
    return reference


def hwp_text(units):
    text, at = [], 0
    while at + 2 <= len(units):
        unit = int.from_bytes(units[at : at + 2], "little")
        if unit >= 32:
            text.append(units[at : at + 2])
            at += 2
        else:
            text.append(" ".encode("utf-16-le"))
            at += 16 if unit in LONG_CONTROLS else 2
    return b"".join(text).decode("utf-16-le", "replace")


# Pages, and the books made of them.

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


# Notebooks.


def joined(value):
    return "".join(value) if isinstance(value, list) else value or ""


def ipynb(path):
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    cells = notebook.get("cells") or [
        cell for sheet in notebook.get("worksheets", []) for cell in sheet.get("cells", [])
    ]
    reference = Reference()
    for cell in cells:
        source = joined(cell.get("source", cell.get("input")))
        is_code = cell.get("cell_type") == "code"
        reference.texts.extend([source] if is_code else map(plain, source.split("\n")))
        for output in cell.get("outputs", []):
            data = output.get("data", output)
            if output.get("output_type") == "stream":
                reference.texts.append(joined(output.get("text")))
            elif output.get("output_type") in ("error", "pyerr"):
                reference.texts.append(output.get("evalue") or "")
            elif not any(kind.startswith("image/") or kind in ("png", "jpeg") for kind in data):
                # The text beside a picture only names its class.
                text = data.get("text/plain", data.get("text"))
                reference.texts.append(joined(text) if isinstance(text, (str, list)) else "")
    return reference


# Mail.


def eml(path):
    with open(path, "rb") as file:
        return message(email.message_from_binary_file(file, policy=email.policy.default))


def mbox(path):
    reference = Reference()
    for each in mailbox.mbox(path, factory=lambda file: email.message_from_binary_file(file, policy=email.policy.default)):
        reference.add(message(each))
    return reference


def message(mail):
    reference = Reference()
    if mail["subject"]:
        reference.headings.append(str(mail["subject"]))
        reference.texts.append(str(mail["subject"]))
    for name in ("from", "to", "cc"):
        if mail[name]:
            reference.texts.append(str(mail[name]))
    for part in mail.walk():
        name = part.get_filename()
        if name:
            reference.names.append(name)
    body = mail.get_body(("plain", "html"))
    if body is not None:
        content = body.get_content()
        if body.get_content_type() == "text/html":
            reference.texts.extend(page(content).texts)
        else:
            reference.texts.extend(content.split("\n"))
    return reference


# Formats whose reference is another program's reading.


def rtf(path):
    from striprtf.striprtf import rtf_to_text

    with open(path, encoding="latin-1") as file:
        return Reference(texts=rtf_to_text(file.read(), errors="ignore").split("\n"))


def xls(path):
    import xlrd

    reference = Reference()
    with open("/dev/null", "w") as log, xlrd.open_workbook(path, logfile=log) as workbook:
        for sheet in workbook.sheets():
            if sheet.visibility != 0:
                continue
            for number in range(sheet.nrows):
                # Numbers are shown by their formats, which programs render in different ways.
                cells = [str(cell.value) if cell.ctype == xlrd.XL_CELL_TEXT else "" for cell in sheet.row(number)]
                reference.texts.extend(cells)
                if all(cell.ctype in (xlrd.XL_CELL_TEXT, xlrd.XL_CELL_EMPTY) for cell in sheet.row(number)):
                    reference.rows.append(cells)
    return reference


FORMATS = {
    "pptx": pptx,
    "odt": odf,
    "ods": odf,
    "odp": odf,
    "hwpx": hwpx,
    "hwp": hwp,
    "html": html_page,
    "epub": epub,
    "ipynb": ipynb,
    "eml": eml,
    "mbox": mbox,
    "rtf": rtf,
    "xls": xls,
}

# Extensions of each format, where it has more than its own.
SISTERS = {"htm": "html", "xhtml": "html", "fodt": "odt", "fods": "ods", "fodp": "odp", "ppsx": "pptx", "pptm": "pptx"}
