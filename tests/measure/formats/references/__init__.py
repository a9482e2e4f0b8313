"""The content of documents, read from their own XML, JSON or records, as a reference for readers.

Each function of FORMATS takes a path and returns a Reference. What every reader leaves out on
purpose is not in it: comments, headers and footers, hidden sheets, slide numbers, deletions.
"""
from references.hangul import hwp, hwpx
from references.mail import eml, mbox, msg
from references.notebooks import ipynb
from references.opendocument import odf
from references.pages import epub, html_page
from references.presentations import ppt
from references.reference import plain
from references.rich_text import rtf
from references.slides import pptx
from references.word import doc
from references.workbooks import xls

__all__ = ["FORMATS", "SISTERS", "plain"]

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
    "msg": msg,
    "rtf": rtf,
    "doc": doc,
    "ppt": ppt,
    "xls": xls,
}

# Extensions of each format, where it has more than its own.
SISTERS = {
    "htm": "html", "xhtml": "html", "fodt": "odt", "fods": "ods", "fodp": "odp", "ppsx": "pptx", "pptm": "pptx",
    "pps": "ppt", "xlt": "xls",
}
