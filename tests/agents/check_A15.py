"""A15 zustand: the eight dead anchors in the pages' tables of contents under docs/ repaired, nothing else touched.

    check_A15.py TREE UNTOUCHED
"""
import sys, os; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_common import *
SCREEN = ("(#i’ve-updated-the-state,-but-the-screen-doesn’t-update)", "ive-updated-the-state-but-the-screen-doesnt-update")
SCOPED = ("(<#using-scoped-(non-global)-vanilla-store-in-react>)", "using-scoped-non-global-vanilla-store-in-react")
DYNAMIC = ("(<#using-dynamic-scoped-(non-global)-vanilla-stores-in-react>)", "using-dynamic-scoped-non-global-vanilla-stores-in-react")
FIX = {
 "docs/reference/apis/create.md": [SCREEN],
 "docs/reference/apis/create-store.md": [SCREEN],
 "docs/reference/apis/create-with-equality-fn.md": [SCREEN],
 "docs/reference/hooks/use-store.md": [SCOPED, DYNAMIC],
 "docs/reference/hooks/use-store-with-equality-fn.md": [SCOPED, DYNAMIC],
 "docs/reference/middlewares/devtools.md": [("(#all-action-names-are-labeled-as-'anonymous')", "all-action-names-are-labeled-as-anonymous")],
}
def main(tree, untouched):
    base, idx = fresh(untouched), index(tree)
    bad = collateral(idx, base, set(FIX))
    for rel, pairs in FIX.items():
        got = read(idx, rel)
        if got is None: bad.append(f"file is gone: {rel}"); continue
        want = []
        for l in base["text"][rel].split("\n"):
            hit = [(a, b) for a, b in pairs if a in l]
            want.append({l.replace(a, f) for a, b in hit for f in (f"(#{b})", f"(<#{b}>)")} if hit else {l})
        assert sum(len(x) > 1 for x in want) == len(pairs), rel
        bad += diff(rel, want, got.split("\n"))
    finish(bad)
if __name__ == "__main__": main(*sys.argv[1:3])
