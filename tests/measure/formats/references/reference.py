"""The content of a document, and what each module needs to read it."""
import dataclasses
import html
import re
import xml.etree.ElementTree as ET


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


ADDRESS = r"\((?:[^()\s]|\([^()]*\))*(?: \"[^\"]*\")?\)"
INLINE = "a|b|i|em|strong|span|sub|sup|u|s|code|font|mark|small|ins|del|cite|abbr|q|tt"


def plain(line):
    """Returns a line of Markdown or HTML without its marks."""
    line = re.sub(rf"!\[([^\]]*)\]{ADDRESS}", r" \1 ", line)
    # The mark of a footnote.
    line = re.sub(r"\[\^[\w-]+\]:?", "", line)
    # A link may begin or end within a word.
    line = re.sub(rf"\[([^\]]*)\]{ADDRESS}", r"\1", line)
    line = re.sub(r"<((?:https?|mailto):[^>]*)>", r" \1 ", line)
    line = re.sub(rf"</?(?:{INLINE})(?:\s[^<>]*)?>", "", line)
    # The address of a mail in `<` and `>` is no element.
    line = re.sub(r"</?[a-zA-Z][\w:-]*(?:\s[^<>]*)?/?>", " ", line)
    # Emphasis within a word would part it.
    line = re.sub(r"(?<!\\)[*`]+|(?<!\\)(?:__|~~)", "", line)
    line = re.sub(r"\\([^\w\s])", r"\1", line)
    return html.unescape(line)


def local(element):
    return element.tag.rsplit("}", 1)[-1] if isinstance(element.tag, str) else ""


def attribute(element, name):
    return next((value for key, value in element.attrib.items() if key.rsplit("}", 1)[-1] == name), None)


def parse(content):
    return ET.fromstring(content)


def outer_tables(element, names):
    """Yields the tables below an element that Markdown can show, as lists of rows.

    A table of one column is a frame around text, and one within the cell of another is a part of its text. `names`
    are those of tables, rows and cells.
    """
    table, row, cell = names
    for child in element:
        if local(child) != table:
            yield from outer_tables(child, names)
            continue
        rows = list(own(child, row, table))
        rows = [list(own(each, cell, table)) for each in rows]
        if max(map(len, rows), default=0) > 1:
            yield rows
        else:
            yield from outer_tables(child, names)


def own(element, name, limit):
    """Yields the elements of a name below another, without those of an inner table."""
    names = name if isinstance(name, tuple) else (name,)
    for child in element:
        if local(child) in names:
            yield child
        elif local(child) != limit:
            yield from own(child, name, limit)
