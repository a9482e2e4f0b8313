#!/usr/bin/env python3
"""Prints the figures of compare.py as one table: `table.py WORK/figures.json`."""
import json
import math
import sys

NAMES = ("words", "headings", "rows", "items", "names", "noise")


def show(value):
    """Returns a share, rounded down, so that only a whole is 1."""
    if value is None:
        return ""
    return f"{math.floor(value * 10000) / 10000:.4f}".lstrip("0") if value < 1 else "1"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        figures = json.load(file)
    print("| format | program |", " | ".join(NAMES), "| failed |")
    print("|---" * (len(NAMES) + 3) + "|")
    for kind, tools in figures.items():
        files = tools["docent"]["files"] if "docent" in tools else 0
        for index, (tool, found) in enumerate(sorted(tools.items(), key=lambda each: each[0] != "docent")):
            label = f"{kind} ({files})" if index == 0 else ""
            cells = [show(found[name]) for name in NAMES]
            # The structure that no document of the format has, or no program shows, is left empty.
            print(f"| {label} | {tool} |", " | ".join(cells), f"| {found['failed'] or ''} |")


if __name__ == "__main__":
    main()
