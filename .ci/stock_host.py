"""Runs docent's component in stock wasmtime: WASI, preopened directories, and nothing else.

Usage: stock_host.py COMPONENT [MODEL]
"""

import os
import sys
import tempfile
import zipfile
from pathlib import Path

from wasmtime import Engine, Store, WasiConfig
from wasmtime.component import Component, Linker


def instance(component: Component, engine: Engine, preopens: dict[str, Path], mutable=False):
    wasi = WasiConfig()
    for guest_path, directory in preopens.items():
        wasi.preopen_dir(str(directory), guest_path, fs_mutable=mutable)
    store = Store(engine)
    store.set_wasi(wasi)
    linker = Linker(engine)
    linker.add_wasip2()
    made = linker.instantiate(store, component)

    def call(name: str, *arguments: object) -> object:
        function = made.get_func(store, name)
        assert function is not None, f"`{name}` is not exported"
        return function(store, *arguments)

    return call


def write(component: Component, engine: Engine, notes: Path) -> None:
    """Writes without a state directory, which no stock host grants."""
    read_only = instance(component, engine, {"/notes": notes})
    refused = read_only("create-document", "day/one.md", "# One\n", None)
    assert (refused.tag, refused.payload.code) == ("err", "read-only"), vars(refused)
    assert list(notes.iterdir()) == []

    call = instance(component, engine, {"/notes": notes}, mutable=True)
    made = vars(call("create-document", "day/one.md", "# One\n", None).payload)
    # What undoes it would have to be kept somewhere.
    assert made["rollback-available"] is False, made
    assert made["undo-id"] is None, made
    assert (notes / "day/one.md").read_text() == "# One\n"
    # The journal stood here while it lasted, and a new instance finds nothing to do.
    again = instance(component, engine, {"/notes": notes}, mutable=True)
    assert again("read-document", "day/one.md", None).payload.text == "# One\n"
    left = sorted(str(path.relative_to(notes)) for path in notes.rglob("*"))
    assert left == ["day", "day/one.md"], left
    gone = again("delete-document", "day/one.md", None)
    assert gone.tag == "ok", vars(gone)
    assert not (notes / "day/one.md").exists()


def means(component: Component, engine: Engine, docs: Path, model: str | None) -> None:
    """Asks for documents: by meaning where a model is inside."""
    (docs / "pets.md").write_text("# Pets\n\nThe cat sat on a mat.\n")
    for _ in range(2):
        # As most hosts do: what the call before knew is gone.
        call = instance(component, engine, {"/docs": docs})
        answer = vars(call("smart-search", "cat mat", None).payload)
        assert answer["model-info"] == model, answer
        assert answer["mode"] == ("semantic" if model else "keyword"), answer
        assert [found.path for found in answer["documents"]] == ["pets.md"], answer
    assert call("get-config").payload.embedder == model


def main() -> None:
    path, *model = sys.argv[1:]
    engine = Engine()
    component = Component.from_file(engine, path)
    with tempfile.TemporaryDirectory() as home:
        names = ("docs", "wiki", "outside", "notes")
        docs, wiki, outside, notes = (Path(home, name) for name in names)
        for directory in (docs, wiki, outside, notes):
            directory.mkdir()
        (docs / "setup.md").write_text("# Setup\n\nLight the lantern first.\n")
        (wiki / "index.md").write_text("# Index\n")
        (outside / "secret.md").write_text("The lantern outside.\n")
        (docs / "link.md").symlink_to(outside / "secret.md")
        (docs / ".env").write_text("lantern=1\n")
        with zipfile.ZipFile(docs / "lamp.docx", "w", zipfile.ZIP_DEFLATED) as lamp:
            lamp.writestr(
                "word/document.xml",
                '<w:document xmlns:w="w"><w:body><w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr>'
                "<w:r><w:t>Lamp</w:t></w:r></w:p></w:body></w:document>",
            )
        # Opening this one would wait for ever.
        os.mkfifo(docs / "pipe.md")

        # Any guest path will do; the last segment names the root.
        call = instance(component, engine, {"/docs": docs, str(wiki): wiki})

        config = call("get-config").payload
        roots = [(root.name, root.right) for root in config.roots]
        assert roots == [("docs", "read-only"), ("wiki", "read-only")], roots

        found = call("search-documents", "LANTERN", None).payload
        paths = [result.path for result in found.results]
        assert paths == ["/setup.md"], paths
        assert "**lantern**" in found.results[0].matches[0].excerpt
        lines = call("grep", r"lant\w+", None).payload.matches
        told = [(vars(file)["file-path"], [line.text for line in file.lines]) for file in lines.found]
        assert told == [("setup.md", ["Light the lantern first."])], told
        left_out = vars(lines)["left-out"]
        assert "1 that may hold secrets" in left_out, left_out
        lamp = call("read-document", "lamp.docx", None).payload
        assert (lamp.text, lamp.encoding) == ("# Lamp\n", "docx"), lamp
        skipped = {entry.path: entry.reason for entry in found.stats.skipped.entries}
        assert skipped == {"link.md": "symlink", "pipe.md": "not-regular"}, skipped

        refused = call("read-document", "../outside/secret.md", None)
        assert (refused.tag, refused.payload.code) == ("err", "invalid-path"), vars(refused)
        hidden = call("read-document", "link.md", None)
        assert (hidden.tag, hidden.payload.code) == ("err", "document-not-found"), vars(hidden)
        write(component, engine, notes)
        means(component, engine, docs, *(model or [None]))
    print("component in stock wasmtime: ok")


main()
