"""Notebooks."""
import json
import re

from references.reference import Reference, plain


# Colours of a terminal.
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
OBJECT = re.compile(r"<.* object( at \w+)?>")


def joined(value):
    return "".join(value) if isinstance(value, list) else value or ""


def headings(source):
    """Yields the headings of a Markdown cell."""
    is_code = False
    for line in source.split("\n"):
        if re.match(r"\s*(```|~~~)", line):
            is_code = not is_code
        elif not is_code and (match := re.match(r" {0,3}#{1,6}\s+(.*?)[#\s]*$", line)):
            yield plain(match[1])


def ipynb(path):
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    cells = notebook.get("cells") or [
        cell for sheet in notebook.get("worksheets", []) for cell in sheet.get("cells", [])
    ]
    reference = Reference()
    for cell in cells:
        source = joined(cell.get("source", cell.get("input")))
        if cell.get("cell_type") == "code":
            reference.texts.append(source)
        else:
            reference.texts.extend(map(plain, source.split("\n")))
        if cell.get("cell_type") == "markdown":
            reference.headings.extend(headings(source))
        for output in cell.get("outputs", []):
            add_output(output, reference)
    return reference


def add_output(output, reference):
    data = output.get("data", output)
    if output.get("output_type") == "stream":
        reference.texts.append(ESCAPE.sub("", joined(output.get("text"))))
    elif output.get("output_type") in ("error", "pyerr"):
        reference.texts.append(ESCAPE.sub("", output.get("evalue") or ""))
    elif not any(kind.startswith("image/") or kind in ("png", "jpeg") for kind in data):
        # The text beside a picture only names its class.
        text = data.get("text/plain", data.get("text"))
        text = joined(text) if isinstance(text, (str, list)) else ""
        # The name of an object stands for another form of it.
        reference.texts.append(ESCAPE.sub("", text) if not OBJECT.fullmatch(text) else "")
