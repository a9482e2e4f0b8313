"""Runs docent's component in stock wasmtime: WASI, two preopened directories, and nothing else.

Usage: stock_host.py COMPONENT
"""

import os
import sys
import tempfile
import zipfile
from pathlib import Path

from wasmtime import Engine, Store, WasiConfig
from wasmtime.component import Component, Linker


def instance(component: Component, engine: Engine, preopens: dict[str, Path]):
    wasi = WasiConfig()
    for guest_path, directory in preopens.items():
        wasi.preopen_dir(str(directory), guest_path, fs_mutable=False)
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


def main() -> None:
    engine = Engine()
    component = Component.from_file(engine, sys.argv[1])
    with tempfile.TemporaryDirectory() as home:
        docs, wiki, outside = (Path(home, name) for name in ("docs", "wiki", "outside"))
        for directory in (docs, wiki, outside):
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
        lamp = call("read-document", "lamp.docx", None).payload
        assert (lamp.text, lamp.encoding) == ("# Lamp\n", "docx"), lamp
        skipped = {entry.path: entry.reason for entry in found.stats.skipped.entries}
        assert skipped == {"link.md": "symlink", "pipe.md": "not-regular"}, skipped

        refused = call("read-document", "../outside/secret.md", None)
        assert (refused.tag, refused.payload.code) == ("err", "invalid-path"), vars(refused)
        hidden = call("read-document", "link.md", None)
        assert (hidden.tag, hidden.payload.code) == ("err", "document-not-found"), vars(hidden)
    print("component in stock wasmtime: ok")


main()
