"""Archives with any bytes, and containers with any links: libraries refuse to write hostile ones."""

import struct
import zlib

FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
SECTOR = 512


class Part:
    """A part of a zip archive, with what its headers claim of it."""

    def __init__(self, name, content=b"", packed=None, size=None, crc=None, at=None):
        self.name, self.method = name.encode(), 8
        if packed is None:
            packed = deflated(content)
        self.packed = packed
        self.size = len(content) if size is None else size
        self.crc = zlib.crc32(content) if crc is None else crc
        self.at = at


def deflated(content):
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


def bomb(before, fill, count, after, wbits=-15):
    """Deflated bytes of `before`, `fill` as often as `count`, and `after`, made without unpacking them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    start = packer.compress(before) + packer.flush(zlib.Z_FULL_FLUSH)
    one = packer.compress(fill) + packer.flush(zlib.Z_FULL_FLUSH)
    return start + one * count + packer.compress(after) + packer.flush()


def archive(parts, entries=None, directory_size=None):
    """A zip archive of parts. It claims to have `entries` parts and a directory of this size."""
    out, directory = bytearray(), bytearray()
    count = 0
    for part in parts:
        sizes = struct.pack("<III", part.crc, len(part.packed), part.size & 0xFFFFFFFF)
        fields = struct.pack("<HHHHH", 20, 0x800, part.method, 0, 33)
        at = len(out) if part.at is None else part.at
        if part.at is None:
            out += b"PK\x03\x04" + fields + sizes + struct.pack("<HH", len(part.name), 0)
            out += part.name + part.packed
        directory += b"PK\x01\x02\x14\0" + fields + sizes
        directory += struct.pack("<HHHHHII", len(part.name), 0, 0, 0, 0, 0, at) + part.name
        count += 1
    at, size = len(out), len(directory)
    out += directory
    if count > 0xFFFE and entries is None:
        end = len(out)
        out += b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, size, at)
        out += b"PK\x06\x07" + struct.pack("<IQI", 0, end, 1)
    claimed = min(count, 0xFFFF) if entries is None else entries
    size = size if directory_size is None else directory_size
    out += b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, claimed, claimed, size, at, 0)
    return bytes(out)


class Ole:
    """An OLE container. Streams are all in whole sectors, and links may be changed before it is made."""

    def __init__(self, streams):
        self.sectors, self.fat = [], []
        # Name, kind (1 storage, 2 stream, 5 root), left, right, child, start, size.
        self.entries = [["Root Entry", 5, FREE, FREE, FREE, END, 0]]
        folders = {"": 0}
        for path, content in streams:
            folder, _, name = path.rpartition("/")
            if folder not in folders:
                folders[folder] = self.add(0, [folder, 1, FREE, FREE, FREE, 0, 0])
            content = content.ljust(4096, b"\0")
            start = self.store(content)
            self.add(folders[folder], [name, 2, FREE, FREE, FREE, start, len(content)])

    def add(self, folder, entry):
        self.entries.append(entry)
        number = len(self.entries) - 1
        parent = self.entries[folder]
        if parent[4] == FREE:
            parent[4] = number
        else:
            # A list to the right; readers that search the tree do not matter here.
            other = parent[4]
            while self.entries[other][3] != FREE:
                other = self.entries[other][3]
            self.entries[other][3] = number
        return number

    def store(self, content):
        start = len(self.sectors)
        for at in range(0, len(content), SECTOR):
            self.sectors.append(content[at : at + SECTOR].ljust(SECTOR, b"\0"))
            self.fat.append(len(self.sectors))
        self.fat[-1] = END
        return start

    def file(self, fat_sectors=None, difat=END):
        directory = bytearray()
        for name, kind, left, right, child, start, size in self.entries:
            units = name.encode("utf-16-le")
            directory += units.ljust(64, b"\0") + struct.pack("<HBB", len(units) + 2, kind, 1)
            directory += struct.pack("<III", left, right, child) + bytes(36)
            directory += struct.pack("<IQ", start, size)
        first = self.store(bytes(directory))
        count = 1
        while (len(self.fat) + count) * 4 > count * SECTOR:
            count += 1
        fat_at = len(self.sectors)
        links = self.fat + [FAT] * count
        links += [FREE] * (count * SECTOR // 4 - len(links))
        table = struct.pack(f"<{len(links)}I", *links)
        head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
        head += struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
        head += struct.pack("<III", 0, count if fat_sectors is None else fat_sectors, first)
        head += struct.pack("<IIIII", 0, 4096, END, 0, difat)
        head += struct.pack("<I", 0 if difat == END else 0xFFFFFFFF)
        numbers = [fat_at + place for place in range(min(count, 109))]
        head += struct.pack("<109I", *(numbers + [FREE] * (109 - len(numbers))))
        return head + b"".join(self.sectors) + table
