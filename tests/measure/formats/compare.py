#!/usr/bin/env python3
"""Compares what readers of documents return with the content of the documents.

    compare.py DIR PROGRAM WORK [--files N] [--half seen|unseen] [--only FORMAT] [--tools A,B]

DIR holds documents, in folders of any depth. Of each format N are drawn (60), by the digest of
their content, so that a file is always in the same half. PROGRAM is the example `read` of
docent-extract. WORK has the peers, as `run` installs them; it gets `differences.txt`, the words,
rows and headings that each tool lost, and `figures.json`.
"""
import argparse
import collections
import hashlib
import json
import os
import re
import resource
import select
import shutil
import statistics
import subprocess
import sys
import time
import unicodedata

from references import FORMATS, SISTERS, plain
from table import show

HERE = os.path.dirname(os.path.abspath(__file__))
# Seconds that a tool may take for a file.
PATIENCE = 60
# Maximum bytes of a file.
BYTES = 4 << 20
# Words of a difference that are written down.
SHOWN = 12

# Numbers of words, headings and others up to which a document counts in full.
LONGEST = {"words": 2000, "headings": 50, "rows": 50, "items": 50, "names": 50}

WORD = re.compile(r"[^\W_]+")

# The number of an item within a cell, whose paragraphs are lines.
NUMBER_IN_CELL = re.compile(r"(^|<br ?/?>|</p>|<li>|<p>)\s*\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxlcIVXLC]{1,5})[.)]+\s+")

# Words that tools add to name the parts of a document.
LABELS = set(
    "slide notes note sheet page left out picture pictures image images chart comment comments subject from to "
    "cc bcc date attachments attachment message cell output outputs hidden title table damaged sent bytes kb mb "
    "python julia"
    .split()
)

# Tools whose output has no structure.
PLAIN = {"tika", "officeparser", "antiword", "catdoc"}

# The formats that each peer says it reads.
READS = {
    "markitdown": {"pptx", "html", "epub", "ipynb", "eml", "msg", "xls"},
    "kreuzberg": set(FORMATS) - {"odp", "hwp", "hwpx", "mbox"},
    "tika": set(FORMATS),
    "pandoc": {"pptx", "odt", "html", "epub", "ipynb", "rtf"},
    "kordoc": {"hwp", "hwpx", "xls"},
    "officeparser": {"pptx", "odt", "ods", "odp", "rtf", "epub", "html"},
    "antiword": {"doc"},
    "catdoc": {"doc", "ppt", "xls", "rtf"},
}


def words(text):
    text = unicodedata.normalize("NFKC", text).casefold().replace("\u00ad", "").replace("\u200b", "")
    return WORD.findall(text)


def spoken(line):
    return " ".join(words(plain(line)))


class Output:
    """What a tool returned, taken apart."""

    def __init__(self, text):
        self.words = collections.Counter(words(plain(text)))
        self.headings = collections.Counter()
        self.items = collections.Counter()
        self.rows = set()
        item = None
        for line in [*text.split("\n"), ""]:
            match = re.match(r"\s*(?:[-*+•]|\(?\w{1,4}[.)])\s+(.*)", line)
            if item and (match or not line.strip() or line.lstrip()[0] in "#|"):
                # Programs may wrap the text of an item.
                if len(item) > 1:
                    self.items[spoken(" ".join(item))] += 1
                item = None
            elif item:
                item.append(line)
            if heading := re.match(r"\s{0,3}#{1,6}\s+(.*)", line):
                # The address of a part that a tool puts before its title counts for nothing.
                self.headings[spoken(heading[1])] += 1
                self.headings[spoken(re.sub(r"^(slide|page) \d+:", "", heading[1], flags=re.I))] += 1
            elif match:
                item = [match[1]]
                self.items[spoken(match[1])] += 1
            elif line.strip().startswith("|"):
                cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
                self.add_row(cells)
        for row in re.findall(r"<tr\b[^>]*>(.*?)</tr>", text, re.S | re.I):
            self.add_row(re.findall(r"<t[dh]\b[^>]*>(.*?)(?=</t[dh]>|<t[dh]\b|$)", row, re.S | re.I))
        for level in re.findall(r"<h[1-6]\b[^>]*>(.*?)</h[1-6]>", text, re.S | re.I):
            self.headings[spoken(level)] += 1
        for item in re.findall(r"<li\b[^>]*>(.*?)(?=</li>|<li\b|<[uo]l\b|$)", text, re.S | re.I):
            self.items[spoken(item)] += 1

    def add_row(self, cells):
        # Lists within a cell may have their numbers, or not.
        for shown in (cells, [re.sub(NUMBER_IN_CELL, r"\1", cell) for cell in cells]):
            shown = tuple(cell for cell in map(spoken, shown) if cell)
            self.rows.add(shown)
            # A number of the row may precede it.
            self.rows.add(shown[1:])


class Score:
    """Counts of what was there and what was found."""

    def __init__(self):
        self.found = collections.Counter()
        self.there = collections.Counter()
        self.times = []
        self.failed = []
        self.added = self.returned = 0

    def add(self, reference, text):
        output = Output(text)
        lost = {}
        # What looks like a mark of Markdown is treated as in the output.
        expected = collections.Counter(word for each in reference.texts for word in words(plain(each)))
        missing = expected - output.words
        self.count("words", expected.total(), expected.total() - missing.total())
        lost["words"] = [f"{word} {number}" for word, number in missing.most_common(SHOWN)]
        for name, listed, found in (
            ("headings", reference.headings, output.headings),
            ("items", reference.items, output.items),
        ):
            all_listed = [spoken(each) for each in listed]
            all_listed = [each for each in all_listed if each]
            rest = collections.Counter(found)
            gone = []
            for each in all_listed:
                if rest[each] > 0:
                    rest[each] -= 1
                elif not any(count > 0 and known.endswith(" " + each) for known, count in rest.items()):
                    gone.append(each)
            self.count(name, len(all_listed), len(all_listed) - len(gone))
            lost[name] = gone[:SHOWN]
        rows = [tuple(cell for cell in map(spoken, row) if cell) for row in reference.rows]
        rows = [row for row in rows if row]
        gone = [row for row in rows if row not in output.rows]
        self.count("rows", len(rows), len(rows) - len(gone))
        lost["rows"] = [" | ".join(row) for row in gone[:SHOWN]]
        names = [name for name in reference.names if not set(words(name)) <= set(output.words)]
        self.count("names", len(reference.names), len(reference.names) - len(names))
        lost["names"] = names[:SHOWN]
        known = set(expected) | {word for name in reference.names for word in words(name)} | LABELS
        noise = {word: count for word, count in output.words.items() if word not in known and not word.isdigit()}
        self.added += sum(noise.values())
        self.returned += output.words.total()
        lost["noise"] = sorted(noise, key=noise.get, reverse=True)[:SHOWN]
        return {name: values for name, values in lost.items() if values}

    def count(self, name, there, found):
        # A long document counts no more than some short ones.
        weight = min(1, LONGEST[name] / there) if there else 0
        self.there[name] += there * weight
        self.found[name] += found * weight

    def figures(self, is_plain):
        share = lambda name: self.found[name] / self.there[name] if self.there[name] else None
        structure = ("headings", "rows", "items")
        figures = {name: share(name) for name in ("words", *structure, "names")}
        for name in structure if is_plain else ():
            figures[name] = None
        figures["noise"] = self.added / self.returned if self.returned else None
        figures["ms"] = statistics.median(self.times) * 1000 if self.times else None
        figures["failed"] = len(self.failed)
        figures["files"] = len(self.failed) + len(self.times)
        return figures


class Peer:
    """A peer that runs in a process of its own, which is replaced when it hangs or dies."""

    def __init__(self, name, work):
        self.name = name
        if name in ("kordoc", "officeparser"):
            script = os.path.join(work, "peers.mjs")
            self.command = [os.path.join(work, "node_modules/node/bin/node"), script, name]
        else:
            self.command = [os.path.join(work, "venv/bin/python"), os.path.join(HERE, "peers.py"), name]
        self.log = open(os.path.join(work, f"{name}.log"), "ab")
        self.process = None

    def read(self, path):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, bufsize=0
            )
        try:
            self.process.stdin.write(path.encode() + b"\n")
        except BrokenPipeError:
            return {"error": "it died"}
        answer, end = b"", time.monotonic() + PATIENCE
        while not answer.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not piece:
                self.process.kill()
                self.process.wait()
                return {"error": "it died" if ready else f"over {PATIENCE} s"}
            answer += piece
        return json.loads(answer)


class Docent:
    """The readers of docent, natively, in a process for each file."""

    def __init__(self, program):
        self.program = program

    def read(self, path):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run([self.program, "--text", path], capture_output=True, check=False, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return {"error": f"over {PATIENCE} s"}
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        head, _, text = done.stdout.decode("utf-8", "replace").partition("\n")
        if "\ttext\t" not in head:
            return {"error": head.rsplit("\t", 1)[-1] or "it died"}
        # The last line counts what was left out.
        text = re.sub(r"\nLeft out: .*\s*$", "\n", text)
        # The names of pictures are docent's own words, as labels are. In mail it names none, and what looks like one is
        # a part of the text.
        if not path.lower().endswith((".eml", ".msg", ".mbox")):
            text = re.sub(r"\[[^]\[\n]{1,255}?\.(?:gif|jpe?g|png|webp)(?:: ([^]\n]*))?\]", r"\1", text, flags=re.I)
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return {"text": text, "cpu": cpu}


def draw(directory, number, half):
    """Returns the documents of each format: in turns one of each folder of DIR, in the order of their digests."""
    found = collections.defaultdict(dict)
    for folder, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(folder, name)
            extension = name.rsplit(".", 1)[-1].lower()
            extension = SISTERS.get(extension, extension)
            if extension in FORMATS and 0 < os.path.getsize(path) <= BYTES and not os.path.islink(path):
                with open(path, "rb") as file:
                    digest = hashlib.sha256(file.read()).hexdigest()
                is_unseen = int(digest[-1], 16) % 2 == 1
                if half is None or is_unseen == (half == "unseen"):
                    found[extension].setdefault(digest, path)
    drawn = {}
    for kind, files in found.items():
        turns = collections.Counter()
        order = []
        for digest in sorted(files):
            source = os.path.relpath(files[digest], directory).split(os.sep)[0]
            order.append((turns[source], digest))
            turns[source] += 1
        drawn[kind] = [files[digest] for _, digest in sorted(order)][:number]
    return drawn


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("program")
    parser.add_argument("work")
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--half", choices=("seen", "unseen"))
    parser.add_argument("--only", choices=FORMATS)
    parser.add_argument("--tools", default=",".join(("docent", *READS)))
    options = parser.parse_args()
    # Those of the distribution may be missing.
    tools = [name for name in options.tools.split(",") if name not in ("antiword", "catdoc") or shutil.which(name)]
    readers = {name: Docent(options.program) if name == "docent" else Peer(name, options.work) for name in tools}
    drawn = draw(options.directory, options.files, options.half)
    figures = {}
    with open(os.path.join(options.work, "differences.txt"), "w", encoding="utf-8") as differences:
        for kind in FORMATS:
            if options.only not in (None, kind) or kind not in drawn:
                continue
            references, unread = {}, 0
            for path in drawn[kind]:
                try:
                    references[path] = FORMATS[kind](path)
                except Exception as error:  # A damaged document has no reference.
                    unread += 1
                    differences.write(f"{path}\treference\t{type(error).__name__}: {error}\n")
            print(f"\n{kind}: {len(references)} files; {unread} more have no reference\n")
            print("| | words | headings | rows | items | names | noise | failed | ms |\n|---|---|---|---|---|---|---|---|---|")
            for name, reader in readers.items():
                if name != "docent" and kind not in READS[name]:
                    continue
                score = Score()
                for path, reference in references.items():
                    answer = reader.read(os.path.abspath(path))
                    if "error" in answer:
                        score.failed.append(path)
                        score.add(reference, "")
                        differences.write(f"{path}\t{name}\tfailed\t{answer['error']}\n")
                        continue
                    score.times.append(answer["cpu"])
                    for what, lost in score.add(reference, answer["text"]).items():
                        differences.write(f"{path}\t{name}\t{what}\t{'; '.join(lost)}\n")
                figures.setdefault(kind, {})[name] = found = score.figures(name in PLAIN)
                shown = [show(found[each]) for each in ("words", "headings", "rows", "items", "names", "noise")]
                time_taken = "" if found["ms"] is None else f"{found['ms']:.1f}"
                print(f"| {name} | {' | '.join(shown)} | {found['failed']} | {time_taken} |")
                sys.stdout.flush()
    with open(os.path.join(options.work, "figures.json"), "w", encoding="utf-8") as file:
        json.dump(figures, file, indent=1)


main()
