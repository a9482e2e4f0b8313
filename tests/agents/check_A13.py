"""A13 click: docs/entry-points.md and docs/shell-completion.md moved to docs/packaging/, every page list and reference right.

    check_A13.py TREE UNTOUCHED
"""
import sys, os; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_common import *
MOVED = {"docs/entry-points.md": "docs/packaging/entry-points.md", "docs/shell-completion.md": "docs/packaging/shell-completion.md"}
def forms(role, page):  # a document can be named from the page or from the top
    return ["{%s}`%s`" % (role, p) for p in (page, "/" + page)]
ENTRY, COMPLETION = forms("doc", "packaging/entry-points"), forms("doc", "packaging/shell-completion")
REFS = {
 "docs/setuptools.md": ("{doc}`entry-points`", ENTRY),
 "docs/quickstart.md": ("{doc}`entry-points`", ENTRY),
 "docs/api.md": ("{doc}`/shell-completion`", COMPLETION),
 "docs/packaging/shell-completion.md": ("{doc}`entry-points`", ["{doc}`entry-points`", "{doc}`./entry-points`", "{doc}`/packaging/entry-points`"]),
}
LIST = {"entry-points": {"packaging/entry-points", "/packaging/entry-points", "packaging/entry-points.md"},
        "shell-completion": {"packaging/shell-completion", "/packaging/shell-completion", "packaging/shell-completion.md"}}
def main(tree, untouched):
    base, idx = fresh(untouched), index(tree)
    bad = collateral(idx, base, {"docs/index.md", *REFS, *MOVED, *MOVED.values()}, may_vanish=set(MOVED), may_appear=set(MOVED.values()))
    for old, new in MOVED.items():
        if old in idx: bad.append(f"{old} is still there")
        if new not in idx: bad.append(f"{new} does not exist"); continue
        if new not in REFS: bad += diff(new, base["text"][old].split("\n"), read(idx, new).split("\n"))
    for rel, (old, news) in REFS.items():
        got = read(idx, rel)
        if got is None:
            if rel not in MOVED.values(): bad.append(f"file is gone: {rel}")
            continue
        before = base["text"][rel if rel in base["text"] else {v: k for k, v in MOVED.items()}[rel]]
        assert before.count(old) == 1, (rel, old)
        bad += diff(rel, [{l.replace(old, n) for n in news} for l in before.split("\n")], got.split("\n"))
    got = read(idx, "docs/index.md")
    if got is None: finish(bad + ["file is gone: docs/index.md"])
    bad += diff("docs/index.md", [LIST.get(l, {l}) for l in base["text"]["docs/index.md"].split("\n")], got.split("\n"))
    finish(bad)
if __name__ == "__main__": main(*sys.argv[1:3])
