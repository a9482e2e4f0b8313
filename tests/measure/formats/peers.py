"""Reads documents with one of the peers: paths on the input, a line of JSON for each on the output.

    peers.py markitdown | kreuzberg | tika | pandoc | antiword | catdoc

A line has `text` or `error`, and `cpu`, seconds of this process and of those that it started.
"""
import json
import os
import resource
import subprocess
import sys


def markitdown():
    from markitdown import MarkItDown

    reader = MarkItDown()
    return lambda path: reader.convert(path).text_content


def kreuzberg():
    import kreuzberg

    options = {}
    try:
        options["config"] = kreuzberg.ExtractionConfig(output_format="markdown")
    except TypeError:
        # An older release, which chooses the form itself.
        pass
    return lambda path: kreuzberg.extract_file_sync(path, **options).content


def tika():
    from extractous import Extractor

    reader = Extractor()
    reader = reader.set_extract_string_max_length(64 << 20)
    return lambda path: reader.extract_file_to_string(path)[0]


def pandoc():
    import pypandoc

    program = pypandoc.get_pandoc_path()
    names = {"htm": "html", "xhtml": "html", "pptm": "pptx", "ppsx": "pptx"}

    def read(path):
        extension = path.rsplit(".", 1)[-1].lower()
        words = [program, "--from", names.get(extension, extension), "--to", "gfm", "--wrap", "none", path]
        return run(words)

    return read


def run(words):
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode != 0 or not done.stdout:
        raise ValueError(done.stderr.decode("utf-8", "replace")[:200])
    return done.stdout.decode("utf-8", "replace")


def antiword():
    return lambda path: run(["antiword", "-m", "UTF-8.txt", "-w", "0", path])


def catdoc():
    programs = {"ppt": "catppt", "xls": "xls2csv"}

    def read(path):
        extension = path.rsplit(".", 1)[-1].lower()[:3]
        return run([programs.get({"pps": "ppt", "pot": "ppt", "xlt": "xls"}.get(extension, extension), "catdoc"), "-d", "utf-8", path])

    return read


def seconds():
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def main():
    # Libraries print what they like; the answers have a descriptor of their own.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    readers = (markitdown, kreuzberg, tika, pandoc, antiword, catdoc)
    read = next(reader for reader in readers if reader.__name__ == sys.argv[1])()
    for line in sys.stdin:
        before = seconds()
        try:
            answer = {"text": str(read(line.rstrip("\n")))}
        except Exception as error:  # A reader may raise anything.
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        answer["cpu"] = seconds() - before
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


main()
