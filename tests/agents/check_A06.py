"""A06 doc.rust-kr.org: two appendix files of src renamed, everything that leads to them right, the other editions' own files as they were.

    check_A06.py TREE UNTOUCHED
"""
import sys, os; sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_common import *
MOVED = {"src/appendix-05-editions.md": "src/appendix-05-rust-editions.md", "src/appendix-07-nightly-rust.md": "src/appendix-07-release-channels.md"}
REFS = {
 "src/SUMMARY.md": [("(appendix-05-editions.md)", "(appendix-05-rust-editions.md)"), ("(appendix-07-nightly-rust.md)", "(appendix-07-release-channels.md)")],
 "src/ch01-03-hello-cargo.md": [("[appendix-e]: appendix-05-editions.html", "[appendix-e]: appendix-05-rust-editions.html")],
 "src/title-page.md": [("[editions]: appendix-05-editions.html", "[editions]: appendix-05-rust-editions.html")],
 "src/appendix-01-keywords.md": [("[appendix-e]: appendix-05-editions.html", "[appendix-e]: appendix-05-rust-editions.html")],
 "2018-edition/src/appendix-05-editions.md": [("(../appendix-05-editions.html)", "(../appendix-05-rust-editions.html)")],
 "2018-edition/src/appendix-07-nightly-rust.md": [("(../appendix-07-nightly-rust.html)", "(../appendix-07-release-channels.html)")],
 "redirects/release-channels.md": [("[2]: appendix-07-nightly-rust.html", "[2]: appendix-07-release-channels.html")],
}
def main(tree, untouched):
    base, idx = fresh(untouched), index(tree)
    bad = collateral(idx, base, set(REFS) | set(MOVED) | set(MOVED.values()), may_vanish=set(MOVED), may_appear=set(MOVED.values()))
    for old, new in MOVED.items():
        if old in idx: bad.append(f"{old} is still there")
        got = read(idx, new)
        if got is None: bad.append(f"{new} does not exist"); continue
        bad += diff(new, base["text"][old].split("\n"), got.split("\n"))
    for rel, pairs in REFS.items():
        got = read(idx, rel)
        if got is None: bad.append(f"file is gone: {rel}"); continue
        want = base["text"][rel]
        for a, b in pairs:
            assert want.count(a) == 1, (rel, a)
            want = want.replace(a, b)
        bad += diff(rel, want.split("\n"), got.split("\n"))
    finish(bad)
if __name__ == "__main__": main(*sys.argv[1:3])
