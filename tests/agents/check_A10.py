"""A10 just: the option --list-heading is --list-header everywhere (option, variable, code, tests, both readmes); the changelog keeps its record.

    check_A10.py TREE UNTOUCHED
"""
import sys, os; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_common import *
NAMES = [("--list-heading", "--list-header"), ("JUST_LIST_HEADING", "JUST_LIST_HEADER"), ("DEFAULT_LIST_HEADING", "DEFAULT_LIST_HEADER"), ("list_heading", "list_header")]
TOUCH = ["src/arguments.rs", "src/config.rs", "src/subcommand.rs", "tests/misc.rs", "README.md", "README.中文.md"]
TEST_NAMES = {"fn list_heading() {": "fn list_header() {", "fn list_empty_prefix_and_heading() {": "fn list_empty_prefix_and_header() {"}  # may be renamed or not
def main(tree, untouched):
    base, idx = fresh(untouched), index(tree)
    bad = collateral(idx, base, set(TOUCH))
    for rel in TOUCH:
        got = read(idx, rel)
        if got is None: bad.append(f"file is gone: {rel}"); continue
        want = []
        for l in base["text"][rel].split("\n"):
            if l in TEST_NAMES: want.append({l, TEST_NAMES[l]}); continue
            for a, b in NAMES: l = l.replace(a, b)
            want.append({l})
        bad += diff(rel, want, got.split("\n"))
    finish(bad)
if __name__ == "__main__": main(*sys.argv[1:3])
