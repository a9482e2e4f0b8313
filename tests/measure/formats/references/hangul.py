"""Hangul documents."""
import re
import zipfile
import zlib

from references.reference import Reference, local, outer_tables, parse


def hwpx(path):
    package = zipfile.ZipFile(path)
    reference = Reference()
    outlines = set()
    if "Contents/header.xml" in package.namelist():
        for shape in parse(package.read("Contents/header.xml")).iter():
            headings = (each.get("type") for each in shape.iter() if local(each) == "heading")
            if local(shape) == "paraPr" and "OUTLINE" in headings:
                outlines.add(shape.get("id"))
    sections = [name for name in package.namelist() if re.fullmatch(r"Contents/section\d+\.xml", name)]
    for name in sorted(sections, key=lambda name: int(re.search(r"\d+", name).group())):
        xml = parse(package.read(name))
        reference.texts.extend(hangul_texts(xml))
        for paragraph in xml:
            if local(paragraph) == "p" and paragraph.get("paraPrIDRef") in outlines:
                text = own_text(paragraph)
                if text.strip():
                    reference.headings.append(text)
        for rows in outer_tables(xml, ("tbl", "tr", "tc")):
            reference.rows.extend([" ".join(hangul_texts(cell)) for cell in row] for row in rows)
    return reference


HANGUL_LEFT_OUT = ("header", "footer", "memo", "hiddenComment")


def own_text(paragraph):
    """Returns the text of a paragraph, whose words may go over several runs, without that of the objects in it."""
    parts, is_deleted = [], False
    for text in (each for run in paragraph if local(run) == "run" for each in run):
        if local(text) in ("checkBtn", "radioBtn", "btn"):
            parts.append(f" {text.get('caption', '')} ")
        elif local(text) not in ("t", "ctrl"):
            parts.append(" ")
        if local(text) != "t":
            continue
        parts.append("" if is_deleted else text.text or "")
        for mark in text:
            if local(mark) in ("deleteBegin", "deleteEnd"):
                is_deleted = local(mark) == "deleteBegin"
            if local(mark) in ("tab", "lineBreak", "nbSpace", "fwSpace"):
                parts.append(" ")
            parts.append("" if is_deleted else mark.tail or "")
    return "".join(parts)


def hangul_texts(element):
    if local(element) in HANGUL_LEFT_OUT:
        return
    if local(element) == "fieldBegin" and element.get("type") == "MEMO":
        return
    if local(element) in ("script", "mainText", "subText"):
        # An equation, and words with their reading.
        yield "".join(element.itertext())
        return
    if local(element) == "p":
        yield own_text(element)
    for child in element:
        yield from hangul_texts(child)


# Characters of HWP that are followed by seven more, and those that stand alone.
LONG_CONTROLS = set(range(1, 24)) - {10, 13} | {4, 5, 6, 7, 8, 9, 19, 20, 22, 23}


# Tags of records.
PARAGRAPH, TEXT, CONTROL, LIST, TABLE, SHAPE = 66, 67, 71, 72, 77, 25
# Controls whose paragraphs are left out: headers, footers, comments, the master pages of a section.
LEFT_OUT = (b"daeh", b"toof", b"tmct", b"dces")
# The begin and the end of a field.
FIELD = (3, 4)


def records(content):
    """Yields the records of a section: tag, level, content."""
    at = 0
    while at + 4 <= len(content):
        head = int.from_bytes(content[at : at + 4], "little")
        at += 4
        size = head >> 20
        if size == 0xFFF:
            size = int.from_bytes(content[at : at + 4], "little")
            at += 4
        yield head & 0x3FF, head >> 10 & 0x3FF, content[at : at + size]
        at += size


def hwp(path):
    import olefile

    reference = Reference()
    with olefile.OleFileIO(path) as container:
        header = container.openstream("FileHeader").read()
        flags = int.from_bytes(header[36:40], "little")
        folder = "ViewText" if flags & 4 else "BodyText"
        if flags & 6:
            raise ValueError("encrypted")

        def stream(entry):
            content = container.openstream(entry).read()
            return zlib.decompressobj(-15).decompress(content) if flags & 1 else content

        shapes = [content for tag, _, content in records(stream("DocInfo")) if tag == SHAPE]
        sections = [entry for entry in container.listdir() if entry[0] == folder]
        for entry in sorted(sections, key=lambda entry: int(re.search(r"\d+", entry[1]).group())):
            Section(shapes, reference).read(stream(entry))
    return reference


class Section:
    """The paragraphs of a section, with the tables that they are in."""

    def __init__(self, shapes, reference):
        self.shapes, self.reference = shapes, reference
        # Controls around a record, each with its level; a table has its cells by row.
        self.controls = []
        self.shape = b""

    def read(self, content):
        for tag, level, content in records(content):
            while self.controls and self.controls[-1]["level"] >= level and tag != LIST:
                self.end()
            if tag == CONTROL:
                self.controls.append({"level": level, "kind": content[:4], "rows": {}, "cell": None, "is_wide": False})
            elif tag == LIST:
                while self.controls and self.controls[-1]["level"] >= level:
                    self.end()
                self.cell(content)
            elif tag == TABLE and self.controls:
                self.controls[-1]["is_table"] = True
                self.controls[-1]["is_wide"] = int.from_bytes(content[6:8], "little") > 1
            elif tag == PARAGRAPH:
                number = int.from_bytes(content[8:10], "little")
                self.shape = self.shapes[number] if number < len(self.shapes) else b""
            elif tag == TEXT:
                self.text(hwp_text(content))
        while self.controls:
            self.end()

    def end(self):
        rows = self.controls.pop()["rows"]
        is_inner = any(control["is_wide"] for control in self.controls)
        if not is_inner and max(map(len, rows.values()), default=0) > 1:
            self.reference.rows.extend([" ".join(cell) for cell in rows[row]] for row in sorted(rows))

    def cell(self, content):
        if self.controls and self.controls[-1].get("is_table"):
            cell = []
            row = int.from_bytes(content[10:12], "little")
            self.controls[-1]["rows"].setdefault(row, []).append(cell)
            self.controls[-1]["cell"] = cell

    def text(self, text):
        if any(control["kind"] in LEFT_OUT for control in self.controls):
            return
        self.reference.texts.append(text)
        cells = [control["cell"] for control in self.controls if control["cell"] is not None]
        for cell in cells:
            cell.append(text)
        # The kind of its number: an outline.
        is_outline = self.shape and int.from_bytes(self.shape[:4], "little") >> 23 & 3 == 1
        if is_outline and not self.controls and text.strip():
            self.reference.headings.append(text)


def hwp_text(units):
    text, at = [], 0
    while at + 2 <= len(units):
        unit = int.from_bytes(units[at : at + 2], "little")
        if unit >= 32:
            text.append(units[at : at + 2])
            at += 2
        else:
            text.append(b"" if unit in FIELD else " ".encode("utf-16-le"))
            at += 16 if unit in LONG_CONTROLS else 2
    return b"".join(text).decode("utf-16-le", "replace")
