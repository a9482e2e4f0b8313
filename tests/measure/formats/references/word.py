"""Documents of Word 97 to 2007, read record by record ([MS-DOC]); those of Word 6 and 95, as antiword reads them."""
import subprocess

from references.reference import Reference

# Sizes of the operands of property modifiers, by the three highest bits of their number.
OPERANDS = (1, 1, 2, 4, 2, 2, None, 3)
DELETED, HIDDEN = 0x0800, 0x083C
IN_TABLE, ROW_END, INNER_CELL, INNER_ROW_END, LIST, OUTLINE = 0x2416, 0x2417, 0x244B, 0x244C, 0x460B, 0x2640
# Table definitions have a length of two bytes.
TABLE_DEFINITION = 0xD608
# Properties that are too many for their page are at a place in another stream.
ELSEWHERE = (0x6645, 0x6646)
BODY_LEVEL = 9
# Values of a property that is set: as such, or against the style.
SET = (1, 0x81)


def number(content, at, size):
    return int.from_bytes(content[at : at + size], "little")


def modifiers(content):
    """Yields the property modifiers of a list: number and operand."""
    at = 0
    while at + 2 <= len(content):
        modifier = number(content, at, 2)
        at += 2
        size = OPERANDS[modifier >> 13]
        if modifier == TABLE_DEFINITION:
            size, at = number(content, at, 2) - 1, at + 2
        elif size is None:
            size, at = number(content, at, 1), at + 1
        yield modifier, number(content, at, size)
        at += size


class WordFile:
    """The parts of a document that its text and structure depend on."""

    def __init__(self, main, tables, data=b""):
        self.main, self.tables, self.data = main, tables, data
        self.pieces = list(self.read_pieces())
        self.styles = self.read_styles()
        self.paragraphs = self.runs(0x102, is_paragraph=True)
        self.characters = self.runs(0xFA, is_paragraph=False)

    def table(self, place):
        start, length = number(self.main, place, 4), number(self.main, place + 4, 4)
        return self.tables[start : start + length]

    def read_pieces(self):
        """Yields the pieces of the text: first character, end, offset in the file, bytes of a character."""
        content, at = self.table(0x1A2), 0
        while at < len(content) and content[at] == 1:
            at += 3 + number(content, at + 1, 2)
        places = content[at + 5 : at + 5 + number(content, at + 1, 4)]
        count = (len(places) - 4) // 12
        for index in range(count):
            start, end = number(places, index * 4, 4), number(places, index * 4 + 4, 4)
            offset = number(places, (count + 1) * 4 + index * 8 + 2, 4)
            if offset & 1 << 30:
                yield start, end, (offset & ~(1 << 30)) // 2, 1
            else:
                yield start, end, offset, 2

    def read_styles(self):
        """Returns the outline level and the list of each style of paragraphs."""
        sheet = self.table(0xA2)
        base, at, own = number(sheet, 4, 2), 2 + number(sheet, 0, 2), []
        while at + 2 <= len(sheet):
            length = number(sheet, at, 2)
            style = sheet[at + 2 : at + 2 + length]
            at += 2 + length
            values = {"base": 0xFFF}
            if number(style, 2, 2) & 15 == 1:
                values["base"] = number(style, 2, 2) >> 4
                built_in = number(style, 0, 2) & 0xFFF
                if 1 <= built_in <= 9:
                    values["outline"] = built_in - 1
                # The table of contents, which repeats the headings.
                values["contents"] = 19 <= built_in <= 27
                properties = base + 2 + 2 * number(style, base, 2) + 2
                properties += properties % 2
                size = number(style, properties, 2)
                values.update(self.values(style[properties + 4 : properties + 2 + size]))
                properties += 2 + size + size % 2
                size = number(style, properties, 2)
                characters = self.values(style[properties + 2 : properties + 2 + size])
                if "hidden" in characters:
                    values["hidden"] = characters["hidden"] in SET
            own.append(values)
        return [self.inherited(own, index) for index in range(len(own))]

    @staticmethod
    def inherited(own, index):
        values, seen = {}, 0
        while index < len(own) and seen < 20:
            values = {**own[index], **values}
            index, seen = own[index]["base"], seen + 1
        return values

    def values(self, content, is_whole=False):
        names = {
            IN_TABLE: "in_table", ROW_END: "row_end", INNER_CELL: "inner_cell", INNER_ROW_END: "inner_row_end", LIST: "list",
            OUTLINE: "outline", DELETED: "deleted", HIDDEN: "hidden",
        }
        found = {}
        for modifier, operand in modifiers(content):
            if modifier in ELSEWHERE and not is_whole:
                found.update(self.values(self.data[operand + 2 : operand + 2 + number(self.data, operand, 2)], True))
            elif modifier in names:
                found[names[modifier]] = operand
        return found

    def runs(self, place, is_paragraph):
        """Returns the runs of equal properties: start in the file, end, values."""
        pages, found = self.table(place), []
        count = (len(pages) - 4) // 8
        for index in range(count):
            page = 512 * (number(pages, (count + 1) * 4 + index * 4, 4) & 0x3FFFFF)
            page = self.main[page : page + 512]
            if len(page) < 512:
                continue
            for run in range(page[511]):
                start, end = number(page, run * 4, 4), number(page, run * 4 + 4, 4)
                offset = 2 * page[(page[511] + 1) * 4 + run * (13 if is_paragraph else 1)]
                values = {}
                if offset and is_paragraph:
                    size, offset = 2 * page[offset] - 1, offset + 1
                    if size < 0:
                        size, offset = 2 * page[offset], offset + 1
                    style = number(page, offset, 2)
                    values = dict(self.styles[style]) if style < len(self.styles) else {}
                    values.update(self.values(page[offset + 2 : offset + size]))
                elif offset:
                    values = self.values(page[offset + 1 : offset + 1 + page[offset]])
                found.append((start, end, values))
        return sorted(found, key=lambda run: run[0])

    @staticmethod
    def values_at(runs, offset):
        low, high = 0, len(runs)
        while low < high:
            middle = (low + high) // 2
            if runs[middle][1] <= offset:
                low = middle + 1
            else:
                high = middle
        return runs[low][2] if low < len(runs) and runs[low][0] <= offset else {}

    def spoken(self, start, end):
        """Yields the characters that are seen, each with its place in the file."""
        depth = []
        for first, last, offset, size in self.pieces:
            for place in range(max(first, start), min(last, end)):
                at = offset + (place - first) * size
                if size == 1:
                    character = bytes(self.main[at : at + 1]).decode("cp1252", "replace")
                else:
                    character = chr(number(self.main, at, 2))
                if character == "\x13":
                    depth.append(True)
                elif character == "\x14" and depth:
                    depth[-1] = False
                elif character == "\x15" and depth:
                    depth.pop()
                elif not any(depth) or character in "\r\x07":
                    if character in "\r\x07" or self.is_shown(at):
                        yield character, at

    def is_shown(self, at):
        values = self.values_at(self.characters, at)
        is_hidden = self.values_at(self.paragraphs, at).get("hidden", False)
        is_hidden = {0: False, 1: True, 0x81: not is_hidden}.get(values.get("hidden"), is_hidden)
        return not is_hidden and values.get("deleted") not in SET


SPACES = {"\x0b": " ", "\x0c": "\n", "\x0e": "\n", "\t": " ", "\x1e": "-", "\x1f": "", "\xa0": " "}


def story(file, start, end, reference):
    paragraph, cell, row, table = [], [], [], []
    for character, at in file.spoken(start, end):
        if character not in "\r\x07":
            character = SPACES.get(character, character)
            paragraph.append(character if character >= " " or character == "\n" else "")
            continue
        units = "".join(paragraph).encode("utf-16-le", "surrogatepass")
        text = units.decode("utf-16-le", "replace").strip()
        paragraph = []
        values = file.values_at(file.paragraphs, at)
        if values.get("contents"):
            continue
        if character == "\x07" and values.get("row_end"):
            table.append(row)
            row, cell = [], []
            continue
        if table and not values.get("in_table"):
            add_table(table, reference)
            table = []
        cell = [*cell, text] if values.get("in_table") else []
        if character == "\x07":
            row.append(" ".join(cell))
            cell = []
        elif values.get("in_table") or values.get("inner_cell"):
            pass
        elif values.get("outline", BODY_LEVEL) < BODY_LEVEL and text:
            reference.headings.append(text)
        elif values.get("list") and text:
            reference.items.append(text)
        reference.texts.extend(text.split("\n"))
    add_table(table, reference)


def add_table(table, reference):
    # A table of one column is a frame around text.
    if max(map(len, table), default=0) > 1:
        reference.rows.extend(table)


def doc(path):
    import olefile

    with olefile.OleFileIO(path) as container:
        main = container.openstream("WordDocument").read()
        flags, version = number(main, 10, 2), number(main, 2, 2)
        if flags & 0x100:
            raise ValueError("encrypted")
        if version < 0xC1:
            return antiword(path)
        tables = container.openstream("1Table" if flags & 0x200 else "0Table").read()
        data = container.openstream("Data").read() if container.exists("Data") else b""
    file = WordFile(main, tables, data)
    reference = Reference()
    start = 0
    # The text, footnotes, headers, macros, comments, endnotes, text boxes and those of headers.
    for place in range(0x4C, 0x6C, 4):
        end = start + number(main, place, 4)
        if place in (0x4C, 0x50, 0x60, 0x64):
            story(file, start, end, reference)
        start = end
    return reference


def antiword(path):
    done = subprocess.run(["antiword", "-m", "UTF-8.txt", "-w", "0", path], capture_output=True, check=True)
    text = done.stdout.decode().replace("|", " ")
    if sum(not character.isascii() for character in text) * 5 > len(text):
        raise ValueError("an encoding that antiword does not know")
    return Reference(texts=text.split("\n"))
