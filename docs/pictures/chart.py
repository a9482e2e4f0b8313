"""Draws docs/chart.svg from the table "Three figures" of docs/benchmarks.md.

Usage: chart.py [--check], which writes nothing and ends with 1 if the chart is out of date.
"""

import re
import sys
from html import escape
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
WIDTH, LEFT, RIGHT = 720, 190, 84
EDGE, BAR, GAP = 16, 18, 8

# The colours follow the reader's theme. The ground is drawn too, for a page whose theme differs.
STYLE = """
.ground { fill: #ffffff; }
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; }
.unit { fill: #59636e; }
.docent { fill: #0969da; }
.other { fill: #afb8c1; }
@media (prefers-color-scheme: dark) {
  .ground { fill: #0d1117; }
  text { fill: #f0f6fc; }
  .unit { fill: #9198a1; }
  .docent { fill: #4493f8; }
  .other { fill: #656c76; }
}
"""


def figures(page):
    """Returns title, unit and bars (name, figure, whether it is docent's) of each row."""
    section = page.split("## Three figures\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    for row in rows:
        title, unit, own, others = [cell.strip() for cell in row.strip("|").split("|")]
        bars = [(split(part), True) for part in own.split(", ")]
        bars += [(split(part), False) for part in others.split(", ")]
        yield title, unit, [(name, figure, is_own) for (name, figure), is_own in bars]


def split(part):
    """Returns the name and the figure of `server-filesystem 413`."""
    name, figure = re.fullmatch(r"(.+) ([0-9.]+)", part).groups()
    return name, figure


def drawn(rows):
    """Returns the chart: a group of bars for each row, to a scale of its own."""
    shapes, y = [], EDGE + 14
    for title, unit, bars in rows:
        shapes.append(
            f'<text x="{EDGE}" y="{y}"><tspan class="title">{escape(title)}</tspan>'
            f'<tspan class="unit" dx="8">{escape(unit)}</tspan></text>'
        )
        y += 12
        most = max(float(figure) for _, figure, _ in bars)
        for name, figure, is_own in bars:
            length = max(2, round((WIDTH - LEFT - RIGHT) * float(figure) / most))
            middle = y + BAR - 5
            label = f"docent, {name}" if is_own and name != "docent" else name
            shapes.append(f'<text x="{LEFT - 10}" y="{middle}" text-anchor="end">{escape(label)}</text>')
            shapes.append(
                f'<rect class="{"docent" if is_own else "other"}" x="{LEFT}" y="{y}" '
                f'width="{length}" height="{BAR}" rx="2"/>'
            )
            shapes.append(f'<text x="{LEFT + length + 8}" y="{middle}">{figure}</text>')
            y += BAR + GAP
        y += 22
    height = y - 30 + EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Three figures of docent beside others">\n'
        f"<style>{STYLE}</style>\n"
        f'<rect class="ground" width="{WIDTH}" height="{height}" rx="6"/>\n'
        + "\n".join(shapes) + "\n</svg>\n"
    )


def main():
    chart = drawn(figures((DOCS / "benchmarks.md").read_text(encoding="utf-8")))
    target = DOCS / "chart.svg"
    if sys.argv[1:] != ["--check"]:
        target.write_text(chart, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != chart:
        sys.exit("docs/chart.svg is out of date: run `just chart`")


main()
