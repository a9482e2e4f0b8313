"""Other servers of MCP over HTTP, measured as docent is: start, calls of one client and of many,
memory. Each is asked what comes nearest to finding a word in a small tree."""

import itertools
import json
import os
import pathlib
import subprocess
import sys

from figures import CLIENTS, FEW, Row, times
from processes import Http, free_port
from wire import drive, post

SECONDS = 5
VERSION = "2025-06-18"


def supergateway(directory, documents, port):
    """It starts a server on stdin and stdout for each session; so there is one, for all clients."""
    own = directory / "node_modules/.bin"
    inner = f"{own}/mcp-server-filesystem {documents}"
    command = [own / "supergateway", "--stdio", inner, "--outputTransport", "streamableHttp"]
    command += ["--stateful", "--port", str(port), "--logLevel", "none"]
    arguments = {"path": str(documents), "pattern": "**/*.md"}
    return [str(word) for word in command], "search_files", arguments


def qmd(directory, documents, port):
    """It searches an index of its own, made beforehand; here by words alone, without its models."""
    own = directory / "node_modules/.bin/qmd"
    # What it keeps it keeps in the home directory.
    at = {"HOME": str(documents.parent / "qmd"), "XDG_CACHE_HOME": str(documents.parent / "qmd")}
    pathlib.Path(at["HOME"]).mkdir(exist_ok=True)
    os.environ.update(at, XDG_CONFIG_HOME=at["HOME"])
    for words in [["collection", "add", documents, "--name", "docs"], ["update"]]:
        subprocess.run([own, *words], check=True, capture_output=True, timeout=120)
    command = [own, "mcp", "--http", "--port", str(port)]
    searches = [{"type": "lex", "query": "lantern"}]
    arguments = {"searches": searches, "intent": "lantern", "rerank": False}
    return [str(word) for word in command], "query", arguments


PEERS = {"supergateway": supergateway, "qmd": qmd}


def opened(server):
    """Begins a session, and returns the headers of its requests."""
    told = {"name": "load", "version": "1"}
    params = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": told}
    begin = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    once = times(post(server.path, begin, server.host), 1)
    samples = drive(server.address, 1, once)
    assert set(samples.statuses) == {200}, (samples.statuses, samples.first)
    head = samples.first.partition(b"\r\n\r\n")[0].decode().splitlines()
    headers = {"mcp_protocol_version": VERSION}
    for line in head:
        name, _, value = line.partition(":")
        if name.lower() == "mcp-session-id":
            headers["mcp_session_id"] = value.strip()
    done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    drive(server.address, 1, times(post(server.path, done, server.host, **headers), 1))
    return headers


def asking(server, tool, arguments, headers):
    """Returns a function that gives requests, each with a number of its own: sessions need that."""
    params = {"name": tool, "arguments": arguments}
    numbers = itertools.count(1)

    def asked(_):
        message = {"jsonrpc": "2.0", "id": next(numbers), "method": "tools/call", "params": params}
        return post(server.path, message, server.host, **headers)

    return asked


def answered(samples):
    assert set(samples.statuses) == {200}, (samples.statuses, samples.first)
    text = samples.first.partition(b"\r\n\r\n")[2].decode(errors="replace")
    # Some answer in a stream of events.
    lines = [line.removeprefix("data: ") for line in text.splitlines()]
    message = next(json.loads(line) for line in lines if line.startswith('{"'))
    assert "result" in message and not message["result"].get("isError"), message
    return samples


def one(name, directory, documents):
    port = free_port()
    command, tool, arguments = PEERS[name](directory, documents, port)
    with Http(command, port) as server:
        listening = server.wait()
        headers = opened(server)
        asked = asking(server, tool, arguments, headers)
        answered(drive(server.address, 1, asked, SECONDS / 5))
        single = answered(drive(server.address, 1, asked, SECONDS))
        few = answered(drive(server.address, FEW, asked, SECONDS))
        many = answered(drive(server.address, CLIENTS, asked, SECONDS))
        held = server.megabytes()
    median, p99 = single.percentile(0.5), many.percentile(0.99)
    return Row(
        f"{name}, {tool}: start; calls a second; median of one, of {FEW}; p99 of {CLIENTS}; memory",
        f"{listening * 1000:.0f} ms; {many.rate:.0f}; {median * 1000:.2f} ms, "
        f"{few.percentile(0.5) * 1000:.1f} ms; "
        f"{p99 * 1000:.1f} ms, {p99 / median:.1f} x; {held:.0f} MB",
    )


def measured(directory, documents):
    """Returns a row for each that is installed in `directory`."""
    rows = []
    for name in PEERS:
        if not (directory / "node_modules/.bin" / name).exists():
            rows.append(Row(name, "left out: not installed"))
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            rows.append(one(name, directory, documents))
        except (AssertionError, OSError, StopIteration, ValueError, subprocess.SubprocessError) as error:
            rows.append(Row(name, f"failed: {str(error)[:120]}"))
    return rows
