"""The names that a WebAssembly component imports and exports, read from its own sections."""

from project import Refused

HEADER = b"\0asm\x0d\0\x01\0"
IMPORTS, EXPORTS = 10, 11
# The kind of an import that is an interface; others are types.
INTERFACE = 5


class Reader:
    """A place in the bytes of a component."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def byte(self):
        """Reads a byte."""
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        """Reads a number in LEB128."""
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def take(self, count):
        """Reads so many bytes."""
        self.at += count
        return self.data[self.at - count : self.at]

    def name(self):
        """Reads the name of an import or export."""
        kind = self.byte()
        if kind > 1:
            raise Refused(f"the component has a name of kind {kind}; expected 0 or 1")
        return self.take(self.number()).decode()

    def description(self):
        """Reads past the description of an import or export, and returns its kind."""
        kind = self.byte()
        if kind in (1, 4, 5):
            self.number()
        elif kind == 0:
            self.byte()
            self.number()
        elif kind in (2, 3):
            # Each says which of two forms it has, then names a type: bounds of resources do not.
            if self.byte() == 0 or kind == 2:
                self.number()
        else:
            raise Refused(f"the component has an import or export of kind {kind}; expected 0 to 5")
        return kind


def sections(wasm):
    """Returns the sections of a component by their numbers, those within it left out."""
    if not wasm.startswith(HEADER):
        raise Refused("this is no component of WebAssembly")
    reader = Reader(wasm)
    reader.take(len(HEADER))
    while reader.at < len(wasm):
        number, size = reader.byte(), reader.number()
        yield number, reader.take(size)


def imports(wasm):
    """Returns the names of the interfaces that a component imports, in order."""
    names = []
    for number, section in sections(wasm):
        if number == IMPORTS:
            reader = Reader(section)
            for _ in range(reader.number()):
                name = reader.name()
                if reader.description() == INTERFACE:
                    names.append(name)
    return names


def exports(wasm):
    """Returns the names of what a component exports, in order."""
    names = []
    for number, section in sections(wasm):
        if number == EXPORTS:
            reader = Reader(section)
            for _ in range(reader.number()):
                names.append(reader.name())
                # Its sort, of which that of core things has two bytes, and its index.
                if reader.byte() == 0:
                    reader.byte()
                reader.number()
                if reader.byte() == 1:
                    reader.description()
    return names
