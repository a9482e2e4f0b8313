"""Measures `docent serve` under load, beside other servers of MCP over HTTP, and prints a table.

Usage: load.py DOCENT [PEERS], where PEERS is the directory that `tests/measure/load/run` installs them in.
"""

import pathlib
import sys
import tempfile
import time

import figures
import peers

DOCUMENTS = 60


def make_documents(directory):
    for number in range(DOCUMENTS):
        below = directory / f"part-{number % 3}"
        below.mkdir(parents=True, exist_ok=True)
        text = f"# Note {number}\n\n" + "The lantern is lit.\n\n" * (1 + number % 5)
        (below / f"note-{number:03}.md").write_text(text + "Nothing else stands here. " * 20)


def show(rows):
    cells = [("figure", "measured", "wanted", "")] + [row.cells for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    for number, row in enumerate(cells):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))


def main():
    docent, *installed = sys.argv[1:]
    rows, begun = [], time.monotonic()
    with tempfile.TemporaryDirectory() as home:
        directory = pathlib.Path(home)
        documents = directory / "docs"
        make_documents(documents)
        for measure, more in [
            (figures.start, []),
            (figures.calls, []),
            (figures.processor, []),
            (figures.idle, []),
            (figures.malformed, []),
            (figures.flood, [directory]),
            (figures.log, [directory]),
        ]:
            print(f"{measure.__name__} ...", file=sys.stderr, flush=True)
            rows += measure(docent, documents, *more)
        for path in installed:
            rows += peers.measured(pathlib.Path(path), documents)
    show(rows)
    missed = sum(not row.is_met for row in rows)
    print(f"\n{time.monotonic() - begun:.0f} s, {missed} missed")
    return 1 if missed else 0


sys.exit(main())
