#!/usr/bin/env python3
"""Compares the words that docent reads of PDF files with those that MuPDF and pdfminer.six read.

    compare.py DIR PROGRAM WORK [BEFORE]     needs pymupdf and pdfminer.six

PROGRAM is `pdf` of this folder, BEFORE one of another revision. What the others read is kept below
WORK, for it takes far longer. WORK/files.tsv gets a line a file, WORK/differences.txt the words.
"""
import collections, hashlib, json, multiprocessing, multiprocessing.connection, os, pathlib, re
import statistics, subprocess, sys, time, unicodedata

# Seconds that another program may take for a file.
PATIENCE = 60
# Reference words that a file has to have to be counted.
WORDS = 20
# How often docent reads each file; the least time counts.
ROUNDS = 3

WORD = re.compile(r"[^\W_]+")


def words(text):
    """Returns the words of a text with their counts, whatever their ligatures, forms and hyphens."""
    text = unicodedata.normalize("NFKC", text).casefold()
    # A word may go on behind a hyphen at the end of a line, with or without it.
    text = re.sub(r"(\w)[-\u00ad\u2010]\s*\n\s*(?=\w)", r"\1", text)
    text = text.replace("\u00ad", "").replace("\u200b", "")
    return collections.Counter(WORD.findall(text))


def mupdf(path):
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    # Without what stands for characters that are not known.
    flags = pymupdf.TEXTFLAGS_TEXT & ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
    with pymupdf.open(path) as document:
        return "\n".join(page.get_text("text", flags=flags) for page in document)


def pdfminer(path):
    import logging

    from pdfminer.high_level import extract_text
    from pdfminer.layout import LAParams

    logging.disable(logging.CRITICAL)
    return re.sub(r"\(cid:\d+\)", "\ufffd", extract_text(path, laparams=LAParams(all_texts=True)))


OTHERS = {"mupdf": mupdf, "pdfminer": pdfminer}


def read_one(name, path, kept):
    try:
        start = time.process_time()
        text = OTHERS[name](path)
        seconds = time.process_time() - start
    except BaseException:
        text = seconds = None
    # Surrogates of their own are no text.
    kept.write_text(json.dumps({"seconds": seconds, "text": text}))


def read_by_others(files, kept):
    """Has each file read by each of the others that has not yet, in processes of their own, for they
    may end abnormally or take too long."""
    import pdfminer.high_level, pymupdf

    fork = multiprocessing.get_context("fork")
    ahead = [(name, path, kept(name, path)) for path in files for name in OTHERS]
    ahead = [one for one in ahead if not one[2].exists()]
    running = []
    while ahead or running:
        while ahead and len(running) < os.cpu_count():
            one = ahead.pop()
            process = fork.Process(target=read_one, args=one)
            process.start()
            running.append((process, time.monotonic() + PATIENCE, one[2]))
        multiprocessing.connection.wait([process.sentinel for process, *_ in running], 1)
        for entry in running[:]:
            process, until, place = entry
            if process.is_alive() and time.monotonic() < until:
                continue
            process.kill()
            process.join()
            if not place.exists():
                place.write_text(json.dumps({"seconds": None, "text": None}))
            running.remove(entry)


def read_by_docent(program, files, out):
    """Returns what docent reads of each file, the seconds of CPU, and how it ended."""
    command = [program, str(out)]
    given = "".join(f"{path}\n" for path in files)
    ended = subprocess.run(command, input=given, stdout=subprocess.PIPE, text=True, check=True,
                           stderr=subprocess.DEVNULL)
    found = {}
    for line in ended.stdout.splitlines():
        number, micros, end = line.split("\t")
        text = (out / number).read_text(errors="replace")
        # Headings of pages are docent's own, where there are no others but the title.
        headings = re.findall(r"(?m)^#+ .*$", text)[1:]
        if all(re.fullmatch(r"## Page \d+", heading) for heading in headings):
            text = re.sub(r"(?m)^## Page \d+$", "", text)
        # Markdown escapes what it would read as its own.
        text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
        text = re.sub(r"(?m)^\(Not all that is shown is here as text: .*\)$", "", text)
        found[files[int(number) - 1]] = {"seconds": int(micros) / 1e6, "text": text, "end": end}
    return found


def figures(own, mupdf_words, pdfminer_words):
    reference = mupdf_words & pdfminer_words
    missing, extra = reference - own, own - (mupdf_words | pdfminer_words)
    return reference, missing, extra


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


def main(directory, program, work, before=None):
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    digests = {}
    for path in sorted(pathlib.Path(directory).rglob("*")):
        if path.suffix.lower() == ".pdf" and path.is_file():
            # The same file is in the tests of several programs.
            digests.setdefault(hashlib.sha256(path.read_bytes()).hexdigest()[:24], str(path))
    digests = {path: digest for digest, path in digests.items()}
    files = list(digests)
    for name in OTHERS:
        (work / name).mkdir(exist_ok=True)
    kept = lambda name, path: work / name / digests[path]
    read_by_others(files, kept)
    read = {name: {path: json.loads(kept(name, path).read_text()) for path in files} for name in OTHERS}
    programs = {"docent": program, **({"before": before} if before else {})}
    table = {}
    # In turn, so that what else the machine does falls on all alike.
    for _ in range(ROUNDS):
        for name, own in programs.items():
            found = read_by_docent(own, files, work / name)
            for path, one in table.get(name, {}).items():
                found[path]["seconds"] = min(found[path]["seconds"], one["seconds"])
            table[name] = found
    rows, differences = {name: [] for name in table}, []
    for path in files:
        texts = [read[name][path]["text"] for name in OTHERS]
        if None in texts:
            continue
        others = [words(text) for text in texts]
        for name, found in table.items():
            own = found[path]
            reference, missing, extra = figures(words(own["text"]), *others)
            count = sum(reference.values())
            if count < WORDS:
                continue
            share = 1 - sum(missing.values()) / count
            rows[name].append((share, sum(extra.values()), sum(words(own["text"]).values()), count, path, own))
            if name == "docent":
                differences.append((share, path, own["end"], missing, extra))
    for name, found in rows.items():
        shares = [row[0] for row in found]
        print(f"{name}: {len(found)} files of {len(files)}, {sum(row[3] for row in found)} words")
        print(f"  found: median {statistics.median(shares):.4f}, "
              f"at 5 % {quantile(shares, .05):.4f}, "
              f"files with .98 or more {sum(s >= .98 for s in shares) / len(shares):.3f}, "
              f"all {1 - sum((1 - r[0]) * r[3] for r in found) / sum(r[3] for r in found):.4f}")
        print(f"  made up: {sum(r[1] for r in found) / sum(r[2] for r in found):.4f} of all, "
              f"median {statistics.median([r[1] / max(r[2], 1) for r in found]):.4f}")
    counted = [row[4] for row in rows["docent"]]
    for name, found in {**read, **table}.items():
        times = [found[path]["seconds"] * 1000 for path in counted]
        print(f"{name}: {statistics.median(times):.1f} ms a file in the median, {sum(times) / 1000:.1f} s all")
    if before:
        ratios = [table["docent"][path]["seconds"] / max(table["before"][path]["seconds"], 1e-6)
                  for path in counted]
        print(f"docent takes over a tenth longer than before in {sum(r > 1.1 for r in ratios)} files, "
              f"{statistics.median(ratios):.2f} of its time in the median")
    differences.sort(key=lambda d: d[:2])
    with open(work / "files.tsv", "w") as out, open(work / "differences.txt", "w") as detail:
        for share, path, end, missing, extra in differences:
            out.write(f"{share:.4f}\t{end}\t{sum(missing.values())}\t{sum(extra.values())}\t{path}\n")
            if missing or extra:
                detail.write(f"{share:.4f} {path} {end}\n  missing: {dict(missing.most_common(25))}\n"
                             f"  made up: {dict(extra.most_common(25))}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
