"""Runs docent-pillars.wasm in stock wasmtime, as hosts do that show its functions to a model: a
fresh instance for each call.

Usage: stock_pillars.py COMPONENT
"""

import json
import re
import sys
import tempfile
from pathlib import Path

from wasmtime import Engine, Store, WasiConfig
from wasmtime.component import Component, Linker, Record

# What the published component imports, but for interfaces that hold types alone.
IMPORTS = Path(__file__).parent.parent / "wit/imports.txt"
TYPES = {
    f"wasi:{name}@0.2.6" for name in ("io/error", "cli/terminal-input", "cli/terminal-output")
}


class Host:
    def __init__(self, path: str, notes: Path):
        self.engine = Engine()
        self.component = Component.from_file(self.engine, path)
        self.notes = notes
        self.mutable = True

    def call(self, name: str, *arguments: object) -> tuple[str, str]:
        wasi = WasiConfig()
        wasi.preopen_dir(str(self.notes), "/notes", fs_mutable=self.mutable)
        store = Store(self.engine)
        store.set_wasi(wasi)
        linker = Linker(self.engine)
        linker.add_wasip2()
        function = linker.instantiate(store, self.component).get_func(store, name)
        assert function is not None, f"`{name}` is not exported"
        answer = function(store, *arguments)
        return answer.tag, answer.payload

    def answers(self, *call: object) -> str:
        tag, text = self.call(*call)
        assert tag == "ok", text
        return text

    def refuses(self, *call: object) -> str:
        tag, text = self.call(*call)
        assert tag == "err", text
        return text


    def imports(self) -> set[str]:
        """Returns the interfaces that it imports, but for those of docent, which hold types."""
        names = self.component.type.imports(self.engine)
        return {name for name in names if not name.startswith("docent:docent/")}


def edit(path: str | None, old: str | None, new: str | None, more: dict | None = None) -> Record:
    made = Record()
    fields = (path, old, new, more and json.dumps(more))
    for name, value in zip(("path", "old-text", "new-text", "more"), fields):
        setattr(made, name, value)
    return made


def reads(host: Host) -> None:
    found = host.answers("explore", "lantern", None, None, None)
    assert "setup.md" in found and "Light the lantern first." in found, found
    lines = host.answers("explore", None, ["setup.md"], r"lant\w+", '{"output":"count"}')
    assert "1 line" in lines, lines
    part = host.answers("explore", "", ["setup.md#Use"], "", "")
    assert "Hold it high." in part and "first" not in part, part

    # The line that names the next call is followed as the documentation says.
    files = host.answers("find-files", "**/*.md", None, '{"limit":1,"sort":"path-asc"}')
    tool, more = re.fullmatch(r"Next: (\w+) (.*)", files.splitlines()[-1]).groups()
    assert tool == "find_files" and "index.md" in files, files
    rest = host.answers("find-files", None, None, more)
    assert "setup.md" in rest and "index.md" not in rest, rest

    known = host.answers("understand", ["index.md"], None)
    assert "setup.md" in known, known


def refuses(host: Host) -> None:
    outside = host.refuses("explore", None, ["../secret.md"], None, None)
    assert "[ERR_MCP_101] invalid-path" in outside, outside
    for more in ("view=full", '["full"]'):
        told = host.refuses("explore", None, ["setup.md"], None, more)
        problem, hint = told.splitlines()
        assert problem.startswith("[invalid-request] `more` is "), told
        assert hint.startswith("Send it as in `{"), told
    unknown = host.refuses("explore", "lantern", None, None, '{"maxChars":5}')
    assert "expected `limits.maxChars`" in unknown, unknown
    beside = host.refuses("explore", "lantern", None, None, '{"query":"lamp"}')
    assert "a different `query`" in beside, beside
    inside = host.refuses("change", [edit("setup.md", "first", "", {"nth": 1})], None, None)
    assert "unknown argument `edits[0].nth`" in inside, inside


def writes(host: Host) -> None:
    setup = host.notes / "setup.md"
    before = setup.read_text()
    edits = [edit("setup.md", "first", "last")]
    shown = host.answers("change", edits, None, None)
    assert "# Not written yet" in shown and setup.read_text() == before, shown
    assert "# Not written yet" in host.answers("change", edits, "", '{"planId":null}')
    plan = re.search(r"send the same edits with `plan-id` `([^`]+)`", shown).group(1)
    other = host.refuses("change", [edit("setup.md", "first", "now")], plan, None)
    assert "planId" in other and setup.read_text() == before, other
    written = host.answers("change", edits, plan, None)
    assert "# Written" in written, written
    assert setup.read_text() == before.replace("first", "last"), setup.read_text()
    added = [edit("setup.md", None, None, {"insert": "End.\n", "at": "end"})]
    host.answers("change", added, None, '{"dryRun":false}')
    assert setup.read_text().endswith("End.\n"), setup.read_text()

    assert "Created" in host.answers("write", "day/one.md", "# One\n", None)
    assert "exists" in host.refuses("write", "day/one.md", "# Two\n", None)
    host.answers("write", "day/one.md", "", '{"ifExists":"overwrite"}')
    assert (host.notes / "day/one.md").read_text() == ""

    assert "no history is kept" in host.answers("manage", "status", None)
    undone = host.refuses("manage", "undo", None)
    assert "expected a state directory" in undone, undone

    host.mutable = False
    closed = host.refuses("write", "day/two.md", "# Two\n", None)
    assert "read-only" in closed, closed


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        notes = Path(home, "notes")
        notes.mkdir()
        Path(home, "secret.md").write_text("The lantern outside.\n")
        (notes / "index.md").write_text("# Index\n\nSee [setup](setup.md).\n")
        (notes / "setup.md").write_text(
            "# Setup\n\nLight the lantern first.\n\n# Use\n\nHold it high.\n"
        )
        host = Host(sys.argv[1], notes)
        assert host.imports() - TYPES == set(IMPORTS.read_text().split()), host.imports()
        reads(host)
        refuses(host)
        writes(host)
    print("the pillars in stock wasmtime: ok")


main()
