"""Shared helpers of the edit checkers. A baseline is a file taken before any edit, or an untouched copy of the tree."""
import hashlib, json, os, re, sys, unicodedata, urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))

def nfc(s): return unicodedata.normalize("NFC", s)

def index(tree):
    """NFC relative path -> real path, symlinks included."""
    out = {}
    for d, ds, fs in os.walk(tree):
        for n in list(ds):
            if os.path.islink(os.path.join(d, n)): fs = fs + [n]
        for f in fs:
            p = os.path.join(d, f)
            out[nfc(os.path.relpath(p, tree))] = p
    return out

def digest(p):
    if os.path.islink(p): return "link:" + os.readlink(p)
    return hashlib.sha256(open(p, "rb").read()).hexdigest()

def read(idx, rel):
    p = idx.get(nfc(rel))
    if p is None: return None
    return open(p, encoding="utf-8").read().replace("\r\n", "\n")

def baseline(name):
    return json.load(open(os.path.join(HERE, f"baseline_{name}.json"), encoding="utf-8"))

def fresh(tree):
    """A baseline taken from an untouched copy of the tree, for checkers without a file of it."""
    idx = index(tree)
    text = {}
    for rel, p in idx.items():
        if os.path.islink(p): continue
        try: text[rel] = open(p, encoding="utf-8").read().replace("\r\n", "\n")
        except (UnicodeDecodeError, IsADirectoryError): pass
    return {"sha": {rel: digest(p) for rel, p in idx.items()}, "text": text}

def collateral(idx, base, allowed, may_vanish=(), may_appear=()):
    """Files outside `allowed` (the files any edit task of this tree may touch) must be as before."""
    bad = []
    for rel, h in base["sha"].items():
        if rel in allowed: continue
        if rel not in idx:
            if rel not in may_vanish: bad.append(f"file is gone: {rel}")
        elif digest(idx[rel]) != h: bad.append(f"file changed that should not: {rel}")
    for rel in idx:
        if rel in base["sha"] or rel in may_appear: continue
        top = rel.split("/")[0]
        if top.startswith(".") and top not in {r.split("/")[0] for r in base["sha"]}: continue  # a tool's own folder
        bad.append(f"unexpected new file: {rel}")
    return bad

def same_lines(before, after, ignore=lambda l: False):
    a = [l.rstrip() for l in before.split("\n") if not ignore(l)]
    b = [l.rstrip() for l in after.split("\n") if not ignore(l)]
    while a and a[-1] == "": a.pop()
    while b and b[-1] == "": b.pop()
    return a, b

def diff(rel, want, got, ignore=lambda l: False, limit=6):
    """`want` is a list of lines, or of sets of acceptable lines."""
    a = [x if isinstance(x, (set, frozenset)) else {x.rstrip()} for x in want]
    a = [{y.rstrip() for y in x} for x in a if not any(ignore(y) for y in x)]
    b = [l.rstrip() for l in got if not ignore(l)]
    while a and a[-1] == {""}: a.pop()
    while b and b[-1] == "": b.pop()
    bad = []
    if len(a) != len(b): bad.append(f"{rel}: {len(b)} lines, expected {len(a)}")
    for i, (x, y) in enumerate(zip(a, b), 1):
        if y not in x:
            bad.append(f"{rel}: expected {sorted(x)[0]!r}, found {y!r}")
            if len(bad) >= limit: break
    return bad

def slug(h):
    h = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", h).strip().lower()
    h = re.sub(r"[`*]", "", h)
    return re.sub(r"[^\w\- ]", "", h).replace(" ", "-")

def outside_fences(text):
    fence = None
    for i, l in enumerate(text.split("\n"), 1):
        m = re.match(r"\s{0,9}(`{3,}|~{3,})", l)
        if m:
            if fence is None: fence = m.group(1)
            elif m.group(1)[0] == fence[0] and len(m.group(1)) >= len(fence): fence = None
            continue
        if fence is None: yield i, l

def anchors(text):
    out, n = set(), {}
    for _, l in outside_fences(text):
        m = re.match(r"#{1,6}\s+(.*?)\s*#*\s*$", l)
        if m:
            s = slug(nfc(m.group(1))); k = n.get(s, 0); n[s] = k + 1
            out.add(s if k == 0 else f"{s}-{k}")
    return out

def broken_links(idx, only=lambda rel: rel.endswith(".md")):
    bad = []
    dirs = {os.path.dirname(r) for r in idx}
    alld = set()
    for d in dirs:
        while d: alld.add(d); d = os.path.dirname(d)
    for rel in sorted(idx):
        if not only(rel) or os.path.islink(idx[rel]): continue
        text = open(idx[rel], encoding="utf-8", errors="replace").read()
        for i, l in outside_fences(text):
            for m in re.finditer(r"\]\(<?([^)>\s]+)>?[^)]*\)", re.sub(r"`[^`]*`", "", l)):
                t = m.group(1)
                if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", t) or t.startswith("/"): continue
                path, _, a = t.partition("#")
                tp = nfc(os.path.normpath(os.path.join(os.path.dirname(rel), urllib.parse.unquote(path)))) if path else rel
                if tp not in idx and tp not in alld: bad.append((rel, t)); continue
                if a and tp.endswith(".md") and tp in idx:
                    if nfc(urllib.parse.unquote(a)) not in anchors(open(idx[tp], encoding="utf-8", errors="replace").read()): bad.append((rel, t))
    return bad

def finish(bad):
    if bad:
        for b in bad[:12]: print(b)
        if len(bad) > 12: print(f"... and {len(bad) - 12} more")
        sys.exit(1)
    print("OK")
