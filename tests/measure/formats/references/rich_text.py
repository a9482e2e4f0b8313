"""Rich Text, by its control words."""
import re

from references.reference import Reference

TOKEN = re.compile(rb"\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.I)
# Groups without a text of the document.
UNSEEN = set(
    "fonttbl colortbl stylesheet info header headerl headerr headerf footer footerl footerr footerf pict objdata "
    "fldinst annotation atnid atnauthor atnref atndate atrfstart atrfend atntime listtable listoverridetable "
    "listtext pntext xmlnstbl "
    "themedata colorschememapping latentstyles datastore generator bkmkstart bkmkend nonshppict sn sv fldtype xe tc "
    "objclass objname objalias filetbl revtbl rsidtbl pgptbl ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn "
    "pnseclvl pntxta pntxtb template passwordhash wgrffmtfilter mmathPr blipuid docvar userprops xmlopen formfield "
    "datafield ftntsep background nonesttables".split()
)
# Those that are marked as unknown to older programs and yet hold text.
KNOWN = {"shpinst", "ud", "shptxt", "shppict", "nesttableprops", "pn"}
CHARACTERS = {
    "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
    "tab": " ", "line": " ", "emspace": " ", "enspace": " ", "qmspace": " ",
}
CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250",
}
HEADING = re.compile(rb"\\s(\d+)\b(?:(?!\\s\d)[^{};]|\{[^{}]*\})*?(?:heading|\xdcberschrift|Titre|Rubrik) ?\d\b", re.I)
LEVEL = re.compile(rb"\{(?:\\\*)?\\s(\d+)\b[^{}]*\\outlinelevel[0-8]\b")
CONTENTS = re.compile(rb"\\s(\d+)\b(?:(?!\\s\d)[^{};]|\{[^{}]*\})*?toc \d\b", re.I)
FONT = re.compile(rb"\{\\f(\d+)\b[^{}]*?\\fcharset(\d+)")


def rtf(path):
    with open(path, "rb") as file:
        content = file.read()
    if not content.lstrip().startswith(b"{\\rtf"):
        raise ValueError("no Rich Text")
    return Walk(content).reference


def destination(content, name):
    """Returns the content of the first group that begins with a control word."""
    start = re.search(rb"\{\\" + name + rb"\b", content)
    depth, at = 0, start.start() if start else len(content)
    for brace in re.finditer(rb"(?<!\\)[{}]", content[at:]):
        depth += 1 if brace[0] == b"{" else -1
        if depth == 0:
            return content[at : at + brace.end()]
    return b""


class Walk:
    def __init__(self, content):
        styles = destination(content, b"stylesheet")
        self.headings = {int(each) for each in HEADING.findall(styles) + LEVEL.findall(styles)}
        # The table of contents, which repeats the headings.
        self.contents = {int(each) for each in CONTENTS.findall(styles)}
        self.fonts = {int(font): int(charset) for font, charset in FONT.findall(destination(content, b"fonttbl"))}
        page = re.search(rb"\\ansicpg(\d+)", content[:4096])
        self.encoding = f"cp{page[1].decode()}" if page and page[1] not in (b"0", b"10000") else "cp1252"
        self.reference = Reference()
        self.text, self.bytes, self.cell, self.row = [], bytearray(), [], []
        self.state = {"seen": True, "uc": 1, "font": None, "hidden": False}
        self.paragraph = {}
        self.outer, self.skip, self.is_starred, self.is_first = [], 0, False, False
        for token in TOKEN.finditer(content):
            self.read(token)
        self.end_paragraph()

    def read(self, token):
        word, argument, code, symbol, brace, text = token.groups()
        if code:
            if self.skip:
                self.skip -= 1
            elif self.is_seen():
                self.bytes.append(int(code, 16))
            return
        if text:
            skipped = min(self.skip, len(text))
            self.skip -= skipped
            if self.is_seen():
                self.bytes.extend(text[skipped:])
            self.is_first = False
            return
        self.flush()
        if brace == b"{":
            self.outer.append(dict(self.state))
            self.is_first, self.is_starred, self.skip = True, False, 0
        elif brace == b"}":
            self.state = self.outer.pop() if self.outer else self.state
            self.is_first, self.skip = False, 0
        elif symbol:
            self.symbol(symbol.decode("latin-1"))
        elif word:
            self.word(word.decode(), int(argument) if argument else None)

    def is_seen(self):
        return self.state["seen"] and not self.state["hidden"]

    def flush(self):
        if self.bytes:
            encoding = CHARSETS.get(self.fonts.get(self.state["font"]), self.encoding)
            if self.fonts.get(self.state["font"]) == 0:
                encoding = self.encoding
            try:
                self.text.append(self.bytes.decode(encoding, "replace"))
            except LookupError:
                self.text.append(self.bytes.decode("cp1252", "replace"))
            self.bytes.clear()

    def symbol(self, symbol):
        if symbol == "*":
            self.is_starred = self.is_first
        elif self.skip:
            self.skip -= 1
        elif self.is_seen():
            self.text.append({"~": " ", "_": "-", "-": "", "\n": "\n", "\r": "\n"}.get(symbol, symbol if symbol in "\\{}" else ""))
            if symbol in "\r\n":
                self.end_paragraph()

    def word(self, word, argument):
        if self.is_first and (word in UNSEEN or self.is_starred and word not in KNOWN):
            self.state["seen"] = False
        self.is_first = False
        if word == "uc":
            self.state["uc"] = argument or 0
        elif word == "f":
            self.state["font"] = argument
        elif word == "plain":
            self.state["hidden"] = False
        elif word in ("v", "deleted"):
            self.state["hidden"] = argument != 0
        if not self.state["seen"]:
            return
        if word == "u":
            if self.is_seen():
                self.text.append(chr((argument or 0) & 0xFFFF))
            self.skip = self.state["uc"]
        elif word in CHARACTERS:
            if self.is_seen():
                self.text.append(CHARACTERS[word])
        elif word in ("par", "sect", "page", "column"):
            self.end_paragraph()
        elif word == "pard":
            self.paragraph = {}
        elif word == "s":
            self.paragraph["heading"] = argument in self.headings
            self.paragraph["contents"] = argument in self.contents
        elif word == "outlinelevel":
            self.paragraph["heading"] = (argument or 0) < 9
        elif word == "ls":
            self.paragraph["item"] = argument != 0
        elif word in ("pnlvlbody", "pnlvlblt"):
            self.paragraph["item"] = True
        elif word in ("intbl", "itap"):
            self.paragraph["table"] = argument != 0
        elif word in ("cell", "nestcell"):
            self.end_paragraph()
            self.row.append(" ".join(self.cell))
            self.cell = []
        elif word in ("row", "nestrow"):
            # A single cell is a frame around text.
            if len(self.row) > 1:
                self.reference.rows.append(self.row)
            self.row = []

    def end_paragraph(self):
        self.flush()
        text = "".join(self.text).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self.text = []
        if self.paragraph.get("contents"):
            return
        self.reference.texts.append(text)
        if self.paragraph.get("table"):
            self.cell.append(text)
        elif text.strip() and self.paragraph.get("heading"):
            self.reference.headings.append(text)
        elif text.strip() and self.paragraph.get("item"):
            self.reference.items.append(text)
        if not self.paragraph.get("table"):
            self.cell = []
