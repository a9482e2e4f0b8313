"""`docent-http.wasm` under `wasmtime serve`.

Usage: wasmtime_serve.py WASMTIME COMPONENT [DOCENT]
"""

import asyncio
import contextlib
import hashlib
import json
import pathlib
import socket
import subprocess
import sys
import tempfile

import engine

WASMTIME, COMPONENT, *DOCENT = sys.argv[1:]
TOKEN = "dct_only-for-this-test"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def served(documents, port, *variables):
    command = [WASMTIME, "serve", "-Scli,http", "--addr", f"127.0.0.1:{port}"]
    command += ["--dir", f"{documents}::/docs", "--env", "DOCENT_TOOLS=all"]
    command += [part for variable in variables for part in ("--env", variable)]
    process = subprocess.Popen([*command, COMPONENT], stderr=subprocess.DEVNULL)
    try:
        yield process.poll
    finally:
        process.kill()
        process.wait()


def tools(endpoint):
    status, text = endpoint.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert status == 200, (status, text)
    return json.loads(text)["result"]["tools"]


@contextlib.contextmanager
def host(documents, port):
    command = [*DOCENT, "serve", "--listen", f"127.0.0.1:{port}", "--tools", "all"]
    command += ["--root", f"docs={documents}"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield process.poll
    finally:
        process.kill()
        process.wait()


def same_as_host(endpoint, documents):
    """What clients are told and answered is byte for byte what `docent serve` says."""
    port = free_port()
    with host(documents, port) as has_ended:
        own = engine.Endpoint("127.0.0.1", port)
        own.wait(has_ended)
        assert tools(endpoint) == tools(own)
        calls = [
            ("explore", {"query": "lantern"}),
            ("search_documents", {"query": "lantern", "maxResults": 2}),
            ("read_document", {"path": "part-0/note-000.md"}),
            ("find_files", {"sort": "path-asc", "limit": 5}),
            ("list_full_tree", {"limit": 5}),
            ("understand", {}),
            ("get_config", {}),
        ]
        for tool, arguments in calls:
            here, there = endpoint.call(tool, arguments), own.call(tool, arguments)
            # Whether a root may be written to, and limits, are the host's.
            if tool != "get_config":
                assert here == there, f"{tool}:\n{here}\n---\n{there}"
    print(f"the same as docent serve: tools, and {len(calls) - 1} answers")


def main():
    with tempfile.TemporaryDirectory() as directory:
        documents = pathlib.Path(directory)
        engine.make_documents(documents)
        before = sorted(path.name for path in documents.rglob("*"))

        port = free_port()
        endpoint = engine.Endpoint("127.0.0.1", port)
        with served(documents, port) as has_ended:
            endpoint.wait(has_ended)
            for mode in ["legacy", engine.MODERN]:
                asyncio.run(engine.session(f"http://127.0.0.1:{port}/mcp", mode))
                print(f"official client, {mode}: lists, searches, is refused to write")
            engine.refusals(endpoint)
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            for other in ["evil.example", "localhost.evil.example", f"evil.example:{port}"]:
                status, text = endpoint.ask(ping, host=other)
                assert status == 403 and b"DOCENT_ALLOW_HOSTS" in text, (other, status, text)
            print("other hosts, origins, paths, methods and malformed bodies: refused")
            found, calls = engine.pages(lambda wanted: endpoint.call("search_documents", wanted))
            assert calls > 1 and len(found) == len(set(found)) == engine.DOCUMENTS, (calls, found)
            print(f"{calls} pages, each with the cursor of the one before: each document once")
            print(f"{engine.REQUESTS} calls of explore: alike, {engine.many(endpoint):.0f} ms in the median")
            if DOCENT:
                same_as_host(endpoint, documents)

        digest = hashlib.sha256(TOKEN.encode()).hexdigest()
        port = free_port()
        with served(documents, port, f"DOCENT_TOKENS_SHA256={digest}", "DOCENT_ALLOW_HOSTS=docs.example.org") as has_ended:
            named = engine.Endpoint("127.0.0.1", port, "docs.example.org", TOKEN)
            named.wait(has_ended)
            engine.refusals(named)
            print("with a token and a name: answered; without the token or with another: 401")

        port = free_port()
        with served(documents, port, "DOCENT_ALLOW_HOSTS=docs.example.org") as has_ended:
            open_to_all = engine.Endpoint("127.0.0.1", port, "docs.example.org")
            status, text = open_to_all.wait(has_ended, 500)
            assert status == 500 and b"DOCENT_TOKENS_SHA256" in text, (status, text)
            print("other hosts without tokens: nothing is answered")

        assert sorted(path.name for path in documents.rglob("*")) == before, "something was written"


main()
