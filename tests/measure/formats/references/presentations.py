"""Presentations of PowerPoint 97 to 2003, read record by record ([MS-PPT])."""
from references.reference import Reference

DOCUMENT, SLIDE, NOTES, LIST, PLACE = 1000, 1006, 1008, 4080, 1011
SLIDE_ATOM, HEADER, CHARACTERS, BYTES, PLACEHOLDER = 1007, 3999, 4000, 4008, 3011
USER_EDIT, PERSIST = 4085, 6002
# Placeholders that repeat on each slide: date, number, footer, header.
REPEATED = (7, 8, 9, 10)
TITLES = (0, 6)
SHAPE = 0xF004
# A placeholder that PowerPoint 2007 has put into a file of an older one.
NEWER = 0x420


def number(content, at, size):
    return int.from_bytes(content[at : at + size], "little")


def records(content, start=0, end=None):
    """Yields the records of a range: type, instance, whether it holds others, start and end of its content."""
    end = len(content) if end is None else end
    while start + 8 <= end:
        head, kind, size = number(content, start, 2), number(content, start + 2, 2), number(content, start + 4, 4)
        last = min(start + 8 + size, end)
        yield kind, head >> 4, head & 15 == 15, start + 8, last
        start += 8 + size


def persistent(stream, edit):
    """Returns the offsets of the objects by their number, of the last edit and those before it."""
    found, seen = {}, set()
    while edit and edit not in seen:
        seen.add(edit)
        directory = number(stream, edit + 20, 4)
        for kind, _, _, at, end in records(stream, directory, directory + 8 + number(stream, directory + 4, 4)):
            while kind == PERSIST and at + 4 <= end:
                head = number(stream, at, 4)
                at += 4
                for index in range(head >> 20):
                    found.setdefault((head & 0xFFFFF) + index, number(stream, at, 4))
                    at += 4
        edit = number(stream, edit + 8 + 8, 4)
    return found


class Texts:
    """The texts of a list or a drawing, with their titles."""

    def __init__(self):
        self.texts, self.titles, self.kind = [], [], None

    def read(self, content, start, end):
        for kind, _, is_container, at, last in records(content, start, end):
            if kind == SHAPE and self.repeats(content, at, last):
                continue
            if is_container:
                self.read(content, at, last)
            else:
                self.atom(kind, content[at:last])

    def repeats(self, content, start, end):
        for kind, _, is_container, at, last in records(content, start, end):
            if is_container or kind == 0xF011:
                if self.repeats(content, at, last):
                    return True
            elif kind == PLACEHOLDER and content[at + 4] in REPEATED or kind == NEWER and content[at] in REPEATED:
                return True
        return False

    def atom(self, kind, content):
        if kind == HEADER:
            self.kind = number(content, 0, 4)
        elif kind in (CHARACTERS, BYTES):
            text = content.decode("utf-16-le" if kind == CHARACTERS else "latin-1", "replace")
            text = text.replace("\x0b", " ")
            self.texts.extend(text.split("\r"))
            if self.kind in TITLES and text.strip():
                self.titles.append(text.replace("\r", " "))


def ppt(path):
    import olefile

    with olefile.OleFileIO(path) as container:
        stream = container.openstream("PowerPoint Document").read()
        user = container.openstream("Current User").read()
    if number(user, 12, 4) == 0xF3D1C4DF:
        raise ValueError("encrypted")
    edit = number(user, 16, 4)
    places = persistent(stream, edit)
    document = places[number(stream, edit + 8 + 16, 4)]
    reference = Reference()
    start, end = document + 8, document + 8 + number(stream, document + 4, 4)
    for kind, instance, _, at, last in records(stream, start, end):
        if kind == LIST and instance == 0:
            slides(stream, at, last, places, reference)
        elif kind == LIST and instance == 2:
            for each, _, _, place, _ in records(stream, at, last):
                if each == PLACE and number(stream, place, 4) in places:
                    notes = Texts()
                    drawing(stream, places[number(stream, place, 4)], notes)
                    reference.texts.extend(notes.texts)
    return reference


def slides(stream, start, end, places, reference):
    listed, slide = None, None

    def finish():
        if slide is None:
            return
        drawn = Texts()
        drawing(stream, slide, drawn)
        reference.texts.extend(listed.texts + drawn.texts)
        reference.headings.extend((listed.titles + drawn.titles)[:1])

    for kind, _, _, at, last in records(stream, start, end):
        if kind == PLACE:
            finish()
            listed, slide = Texts(), places.get(number(stream, at, 4))
        elif listed is not None:
            listed.atom(kind, stream[at:last])
    finish()


def drawing(stream, at, into):
    into.read(stream, at + 8, at + 8 + number(stream, at + 4, 4))
