"""Verifies an access log by what is written of its form alone: docs/access-log.md.

Usage: verify.py DIRECTORY KEY [CHECKPOINTS...]

KEY is what `docent log key` prints. Exits with 0 when nothing was changed, with 1 and the number of
the first bad entry when something was.
"""

import base64
import hashlib
import json
import sys
from pathlib import Path

# Ed25519, as section 6 of RFC 8032 has it.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def recover(y: int, sign: int):
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    return (P - x if x & 1 != sign else x, y)


def point(text: bytes):
    number = int.from_bytes(text, "little")
    y = number & (1 << 255) - 1
    found = recover(y, number >> 255)
    return None if found is None else (found[0], y, 1, found[0] * y % P)


def add(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    return (f - e) * (h - g) % P, (h + g) * (f + e) % P, (h - g) * (h + g) % P, (f - e) * (f + e) % P


def times(number: int, of):
    result = (0, 1, 1, 0)
    while number:
        if number & 1:
            result = add(result, of)
        of = add(of, of)
        number >>= 1
    return result


Y = 4 * pow(5, P - 2, P) % P
BASE = point((Y).to_bytes(32, "little"))


def is_signed(key: bytes, text: bytes, signature: bytes) -> bool:
    a, r = point(key), point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    digest = hashlib.sha512(signature[:32] + key + text).digest()
    h = int.from_bytes(digest, "little") % L
    left, right = times(s, BASE), add(r, times(h, a))
    return not ((left[0] * right[2] - right[0] * left[2]) % P
                or (left[1] * right[2] - right[1] * left[2]) % P)


def sha(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


class Bad(Exception):
    """That an entry is not what was written."""

    def __init__(self, entry: int, why: str):
        super().__init__(f"entry {entry}: {why}")


class Key:
    def __init__(self, text: str):
        self.name, number, key = text.strip().split("+", 2)
        decoded = base64.b64decode(key)
        if decoded[0] != 1 or sha(self.name.encode(), b"\n", decoded)[:4].hex() != number:
            raise Bad(0, "no key")
        self.number, self.key = bytes.fromhex(number), decoded[1:]

    def has_signed_line(self, line: bytes) -> bool:
        """Whether a line was signed by itself."""
        before, mark, signature = line.rpartition(b',"signature":"')
        if not mark or not signature.endswith(b'"}'):
            return False
        text = b"docent log line\n" + before + b"}"
        return is_signed(self.key, text, base64.b64decode(signature[:-2]))

    def checkpoint(self, note: str):
        """Returns size and root of a signed checkpoint, or nothing where another key signed it."""
        at = note.rindex("\n\n")
        text, lines = note[:at + 1], note[at + 2:].splitlines()
        for line in lines:
            dash, name, signature = line.split(" ")
            signature = base64.b64decode(signature)
            if (dash, name, signature[:4]) == ("\u2014", self.name, self.number):
                if not is_signed(self.key, text.encode(), signature[4:]):
                    raise Bad(0, "a signature is wrong")
                origin, size, root = text.splitlines()
                if origin != self.name:
                    raise Bad(0, "a checkpoint of another log")
                return int(size), base64.b64decode(root)
        return None


def root(nodes: list) -> bytes:
    """Returns the root over full trees, the largest first."""
    if not nodes:
        return sha()
    found = nodes[-1]
    for node in reversed(nodes[:-1]):
        found = sha(b"\x01", node, found)
    return found


def push(nodes: list, size: int, leaf: bytes) -> None:
    while size & 1:
        leaf = sha(b"\x01", nodes.pop(), leaf)
        size >>= 1
    nodes.append(leaf)


BEHIND = "it follows a stop and is not a signed start"


class Course:
    """What may follow what."""

    def __init__(self):
        self.phase, self.format, self.found, self.begun = None, 0, [], set()

    def take(self, seq: int, entry: dict, line: bytes, is_signed_for: bool, key: Key):
        """Returns what is wrong with the next entry, or nothing."""
        if set(entry) == {"seq", "withheld"}:
            wrong = BEHIND if self.phase == "stop" and not is_signed_for else None
            self.phase = None
            return wrong
        kind = entry["kind"]
        if kind == "start":
            self.format = max(self.format, entry.get("format", 1))
            if self.format >= 2:
                if not key.has_signed_line(line):
                    return "it is a start that this key has not signed"
                found = entry.get("found") or {}
                if found.get("entries") != seq or not 0 <= found.get("signed", -1) <= seq:
                    return "it is a start that found another log"
                self.found.append((found["signed"], seq))
        elif self.phase == "stop":
            if self.format >= 2 or not (is_signed_for or kind == "repaired"):
                return BEHIND
        if kind in ("start", "stop"):
            self.phase = kind
        if kind == "begin":
            self.begun.add(seq)
        self.begun.discard(entry.get("begun"))
        return None


def verify(directory: Path, key: Key, elsewhere: list) -> tuple:
    expected = {}
    for line in (directory / "checkpoints.jsonl").read_text().splitlines():
        found = key.checkpoint(json.loads(line)["note"])
        if found is None:
            raise Bad(0, "another key has signed a checkpoint")
        expected.setdefault(found[0], set()).add(found[1])
    for note in elsewhere:
        found = key.checkpoint(note)
        if found is None:
            raise Bad(0, "a checkpoint kept elsewhere is of another log")
        expected.setdefault(found[0], set()).add(found[1])
    signed, course, misplaced = max(expected, default=0), Course(), None
    size, nodes, last = 0, [], None
    dropped = directory / "dropped.json"
    if dropped.exists():
        known = json.loads(dropped.read_text())
        size = known["tree"]["size"]
        nodes = [bytes.fromhex(node) for node in known["tree"]["nodes"]]
        last = bytes.fromhex(known["last"])
        expected = {at: roots for at, roots in expected.items() if at >= size}
    for segment in sorted(directory.glob("[0-9]*.jsonl")):
        for line in segment.read_bytes().splitlines():
            try:
                entry = json.loads(line)
            except ValueError as error:
                raise Bad(size, "no entry") from error
            if entry.get("seq") != size:
                raise Bad(size, "another one is in its place")
            if set(entry) == {"seq", "withheld"}:
                leaf = bytes.fromhex(entry["withheld"])
            else:
                leaf = sha(b"\x00", line)
                if entry["prev"] != (last.hex() if last else None):
                    raise Bad(max(size - 1, 0), "the next entry refers to a different one")
            wrong = course.take(size, entry, line, size < signed, key)
            if wrong and size < signed:
                raise Bad(size, wrong)
            misplaced = misplaced or (wrong and Bad(size, wrong))
            push(nodes, size, leaf)
            size, last = size + 1, leaf
            if expected.pop(size, {root(nodes)}) != {root(nodes)}:
                raise Bad(0, f"the first {size} entries are not what was signed")
    if misplaced:
        raise misplaced
    if expected:
        raise Bad(size, "entries that were signed are missing")
    unsigned = sum(end - start for start, end in course.found) + size - max(signed, 0)
    return size, key.name, unsigned, sorted(course.begun)


def notes(text: str) -> list:
    """Returns the signed notes in a file where one follows the other, parted by blank lines."""
    parts = [part for part in text.split("\n\n") if part.strip()]
    return [f"{head}\n\n{tail.rstrip()}\n" for head, tail in zip(parts[::2], parts[1::2])]


def main() -> None:
    directory, key, *files = sys.argv[1:]
    elsewhere = [note for file in files for note in notes(Path(file).read_text())]
    try:
        size, name, unsigned, begun = verify(Path(directory), Key(key), elsewhere)
    except Bad as bad:
        print(bad)
        sys.exit(1)
    print(f"{size} entries of `{name}` are intact, unsigned: {unsigned}, begun: {begun}")


if __name__ == "__main__":
    main()
