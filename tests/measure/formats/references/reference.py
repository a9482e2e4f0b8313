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
