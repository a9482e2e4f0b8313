"""Draws docs/terminal.svg: commands as a terminal shows them, run by the real program.

Usage: terminal.py DOCENT, on Linux or macOS. Each command runs in a copy of docs/example.
"""

import fcntl
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from html import escape
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
COMMANDS = [
    "docent search -C 32 proxy notes",
    "docent explore 'parse_config()' src",
    "docent edit notes/tokens.md --old 'shown once' --new 'shown only once'",
]

# Wide enough for the lines of these commands. So many rows that nothing is folded.
COLUMNS, ROWS = 92, 200
CELL, LINE, EDGE, BAR = 8.4, 19, 18, 34

# A terminal is dark in either theme of the reader.
STYLE = """
.ground { fill: #161b22; stroke: #30363d; }
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #e6edf3; white-space: pre; }
.prompt { fill: #7ee787; }
.typed, .bold { font-weight: 600; }
.dim { fill: #8b949e; }
.red { fill: #ff7b72; }
.green { fill: #7ee787; }
.magenta { fill: #d2a8ff; }
.cyan { fill: #79c0ff; }
"""

# The attributes that the program sets, by their numbers in "Select Graphic Rendition".
ATTRIBUTES = {1: "bold", 2: "dim", 31: "red", 32: "green", 35: "magenta", 36: "cyan"}
# A link (OSC 8), whose text stays, or a change of attributes.
ESCAPE = re.compile(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[([0-9;]*)m")


def written(program, command, directory, home):
    """Returns what a command writes to a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    arguments = [program, *shlex.split(command)[1:]]
    environment = {"HOME": home, "TERM": "xterm-256color", "TZ": "UTC"}
    child = subprocess.Popen(
        arguments, cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux reports so that the other end is closed.
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    if child.wait() != 0:
        sys.exit(f"{command}: exit status {child.returncode}")
    return b"".join(parts).decode("utf-8").replace("\r\n", "\n").rstrip("\n")


def spans(text):
    """Returns the pieces of a text, each with the classes of its attributes."""
    classes, at = [], 0
    for match in ESCAPE.finditer(text):
        if match.start() > at:
            yield text[at : match.start()], list(classes)
        at = match.end()
        for number in (match[1] or "0").split(";") if match[1] is not None else []:
            if int(number) == 0:
                classes.clear()
            else:
                classes.append(ATTRIBUTES[int(number)])
    if at < len(text):
        yield text[at:], list(classes)


def rows(text):
    """Returns the rows of a terminal: lists of pieces, no row wider than `COLUMNS`."""
    row, width = [], 0
    for piece, classes in spans(text):
        for number, line in enumerate(piece.split("\n")):
            if number > 0:
                yield row
                row, width = [], 0
            while width + len(line) > COLUMNS:
                row.append((line[: COLUMNS - width], classes))
                line = line[COLUMNS - width :]
                yield row
                row, width = [], 0
            if line:
                row.append((line, classes))
                width += len(line)
    yield row


def drawn(screen):
    """Returns the picture of these rows."""
    width = round(COLUMNS * CELL + 2 * EDGE)
    height = BAR + len(screen) * LINE + EDGE
    shapes = [f'<rect class="ground" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>']
    for number, colour in enumerate(["#ff5f57", "#febc2e", "#28c840"]):
        shapes.append(f'<circle cx="{EDGE + 4 + 18 * number}" cy="17" r="5.5" fill="{colour}"/>')
    for number, row in enumerate(screen):
        if not row:
            continue
        pieces, column = [], 0
        for text, classes in row:
            # Each piece has its place, so that a font of another width shifts nothing.
            place = f'x="{EDGE + column * CELL:.1f}" textLength="{len(text) * CELL:.1f}"'
            name = f' class="{" ".join(classes)}"' if classes else ""
            pieces.append(f"<tspan {place}{name}>{escape(text, quote=False)}</tspan>")
            column += len(text)
        shapes.append(f'<text y="{BAR + (number + 1) * LINE - 5}" xml:space="preserve">{"".join(pieces)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="docent in a terminal">\n'
        f"<style>{STYLE}</style>\n" + "\n".join(shapes) + "\n</svg>\n"
    )


def main():
    program = str(Path(sys.argv[1]).resolve())
    screen = []
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as home:
        shutil.copytree(DOCS / "example", directory, dirs_exist_ok=True)
        for command in COMMANDS:
            if screen:
                screen.append([])
            screen.append([("$ ", ["prompt"]), (command, ["typed"])])
            screen += rows(written(program, command, directory, home))
    (DOCS / "terminal.svg").write_text(drawn(screen), encoding="utf-8")


main()
