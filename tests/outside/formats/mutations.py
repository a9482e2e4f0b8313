"""Damages of real documents, chosen by a seed: cuts and changes of bytes and bits, also within the
parts of archives."""

import io
import random
import zipfile
import zlib


def cut(content, chance):
    return content[: chance.randrange(len(content))]


def cut_at_60(content, _chance):
    return content[: len(content) * 6 // 10]


def some_bytes(content, chance):
    content = bytearray(content)
    for _ in range(chance.randint(1, 8)):
        content[chance.randrange(len(content))] = chance.randrange(256)
    return bytes(content)


def some_bits(content, chance):
    content = bytearray(content)
    for _ in range(chance.randint(1, 8)):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return bytes(content)


def zeros(content, chance):
    at = chance.randrange(len(content))
    count = min(len(content) - at, chance.randint(1, 1024))
    return content[:at] + bytes(count) + content[at + count :]


def end(content, chance):
    """Changes bytes at the end, where an archive has its directory."""
    at = content.rfind(b"PK\1\2")
    at = max(0, len(content) - 64) if at < 0 else at
    return content[:at] + some_bytes(content[at:], chance)


def parts_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def packed(parts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts:
            archive.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def within(damage):
    """Returns a damage of the content of one part, which is packed again; of the file if it has no parts."""

    def change(content, chance):
        try:
            parts = parts_of(content)
        except (zipfile.BadZipFile, zlib.error):
            return damage(content, chance)
        places = [place for place, (_, part) in enumerate(parts) if part]
        place = chance.choice(places)
        name, part = parts[place]
        parts[place] = (name, damage(part, chance))
        return packed(parts)

    return change


DAMAGES = {
    "cut": cut,
    "cut60": cut_at_60,
    "bytes": some_bytes,
    "bits": some_bits,
    "zeros": zeros,
    "end": end,
    "part-cut": within(cut),
    "part-bytes": within(some_bytes),
    "part-bits": within(some_bits),
    "part-zeros": within(zeros),
}


def mutations(paths, count, seed):
    """Yields names and contents of `count` damaged documents: each damage of each file in turn."""
    kinds = list(DAMAGES.items())
    for number in range(count):
        path = paths[number % len(paths)]
        kind, damage = kinds[number // len(paths) % len(kinds)]
        chance = random.Random(f"{seed} {number} {path.name}")
        yield f"{path.stem}-{number}-{kind}{path.suffix}", damage(path.read_bytes(), chance)
