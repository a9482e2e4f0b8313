"""OpenDocument, packed or flat."""
import zipfile

from references.reference import Reference, outer_tables, own, parse

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"

LEFT_OUT = {
    OFFICE + "annotation", TEXT + "tracked-changes", TEXT + "note-citation", OFFICE + "binary-data",
    OFFICE + "forms", OFFICE + "event-listeners", TEXT + "table-of-content", TEXT + "number",
    TABLE + "content-validations", OFFICE + "document", TEXT + "script", TEXT + "index-title-template",
    PRESENTATION + "footer-decl", PRESENTATION + "header-decl", PRESENTATION + "date-time-decl",
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
        if properties.get(TABLE + "display") == "false" or properties.get(TEXT + "display") == "none"
    }
    for parent in list(body.iter()):
        for child in list(parent):
            is_hidden = (child.get(TABLE + "style-name") or child.get(TEXT + "style-name")) in hidden
            # A section that is hidden, or whose condition hides it.
            is_hidden = is_hidden or child.tag == TEXT + "section" and child.get(TEXT + "display") == "none"
            is_hidden = is_hidden or child.tag == TEXT + "hidden-text" and child.get(TEXT + "is-hidden") == "true"
            repeats = child.get(PRESENTATION + "class") in ("footer", "header", "date-time", "page-number")
            if is_hidden or repeats:
                # The text after it stays.
                children = list(parent)
                before = children[children.index(child) - 1] if children[0] is not child else None
                if before is None:
                    parent.text = (parent.text or "") + (child.tail or "")
                else:
                    before.tail = (before.tail or "") + (child.tail or "")
                parent.remove(child)
    reference = Reference(texts=flowing(body).split("\n"))
    note = (TEXT + "note",)
    names = ("table", "table-row", ("table-cell", "covered-table-cell"))
    if body.find(OFFICE + "spreadsheet") is not None:
        # A sheet is a table even of one column.
        tables = [[list(own(row, names[2], names[0])) for row in body.iter(TABLE + "table-row")]]
    else:
        tables = list(outer_tables(body, names))
    in_cells, headings_in_cells = set(), set()
    for row in (row for rows in tables for row in rows):
        reference.rows.append([])
        for cell in row:
            repeated = int(cell.get(TABLE + "number-columns-repeated") or 1)
            reference.rows[-1].extend([flowing(cell, note)] * min(repeated, 100))
            in_cells.update(cell.iter(TEXT + "list-item"))
            headings_in_cells.update(cell.iter(TEXT + "h"))
    # A cell of Markdown has no headings, and a heading with a number is no item.
    reference.headings.extend(flowing(each, note) for each in body.iter(TEXT + "h") if each not in headings_in_cells)
    for item in body.iter(TEXT + "list-item"):
        paragraph = next((child for child in item if child.tag in (TEXT + "p", TEXT + "h")), None)
        if paragraph is not None and paragraph.tag == TEXT + "h":
            continue
        if paragraph is not None and item not in in_cells:
            reference.items.append(flowing(paragraph, note))
    return reference
