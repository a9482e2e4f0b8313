"""Three replicas behind a balancer: every page of a search from another one, and a restart of each
while calls run, without a call that is lost.

Usage: replicas.py DOCENT PROXIES TOOLS
"""

import concurrent.futures
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

DOCENT, PROXIES, TOOLS = (pathlib.Path(argument) for argument in sys.argv[1:])
HOST = "docs.example.org"
REPLICAS = 3
DOCUMENTS = 400
CLIENTS = 8


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def make_documents(directory):
    for number in range(DOCUMENTS):
        below = directory / f"part-{number % 7}"
        below.mkdir(exist_ok=True)
        text = f"# Note {number}\n\n" + "The lantern is lit.\n" * (1 + number % 5)
        (below / f"note-{number:03}.md").write_text(text)


class Replica:
    """One process, started anew at the same address when it is told to."""

    def __init__(self, documents):
        self.port = free_port()
        self.documents = documents
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [DOCENT, "serve", "--no-log", "--listen", f"127.0.0.1:{self.port}", "--allow-host", HOST]
            + ["--drain-delay", "3"]
            + ["--root", f"docs={self.documents}", "--tools", "all"],
            stderr=subprocess.PIPE,
        )
        # It says where it serves when it does.
        self.process.stderr.readline()
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def restart(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=40)
        assert code == 0, f"a replica that was told to end came back with {code}"
        self.start()

    def end(self):
        self.process.kill()
        self.process.wait()


def caddy(port, replicas, directory):
    to = " ".join(f"127.0.0.1:{replica.port}" for replica in replicas)
    config = (PROXIES / "Caddyfile").read_text()
    site = f"\n{HOST} {{\n"
    assert site in config
    # No certificate is made here: everything else is as it stands.
    config = config.replace(site, f"\nhttp://{HOST}:{port} {{\n")
    (directory / "Caddyfile").write_text("{\n\tadmin off\n}\n" + config)
    environment = os.environ | {
        "DOCENT": to,
        "HOME": str(directory),
        "XDG_DATA_HOME": str(directory),
        "XDG_CONFIG_HOME": str(directory),
    }
    program = shutil.which("caddy", path=str(TOOLS / "python/bin"))
    return subprocess.Popen(
        [program, "run", "--config", directory / "Caddyfile", "--adapter", "caddyfile"],
        env=environment,
        stderr=subprocess.DEVNULL,
    )


def nginx(port, replicas, directory):
    program = TOOLS / "nginx/usr/sbin/nginx"
    if not program.exists():
        return None
    config = (PROXIES / "nginx.conf").read_text()
    line = "    server 127.0.0.1:7780 max_fails=1 fail_timeout=2s;\n"
    assert line in config
    lines = "".join(line.replace("7780", str(replica.port)) for replica in replicas)
    config = config.replace(line, lines).replace("127.0.0.1:8080", f"127.0.0.1:{port}")
    paths = "".join(
        f"    {name}_temp_path {directory}/{name};\n"
        for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    )
    whole = (
        f"daemon off;\npid {directory}/pid;\nerror_log {directory}/error.log;\n"
        f"events {{}}\nhttp {{\n    access_log off;\n{paths}{config}}}\n"
    )
    (directory / "nginx.conf").write_text(whole)
    return subprocess.Popen([program, "-p", directory, "-c", directory / "nginx.conf"])


def call(port, tool, arguments, host=HOST):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }
    connection.request(
        "POST",
        "/context",
        json.dumps(body),
        {"Host": host, "Content-Type": "application/json", "Accept": "application/json"},
    )
    response = connection.getresponse()
    text = response.read()
    connection.close()
    if response.status != 200:
        raise RuntimeError(f"{response.status}: {text[:300]!r}")
    answer = json.loads(text)
    if "error" in answer:
        raise RuntimeError(str(answer)[:300])
    return answer["result"]


def pages(port, host=HOST):
    """All pages of a search and of a listing, each item once, in order."""
    found = []
    for tool, arguments, items in [
        ("search_documents", {"query": "lantern", "max_results": 20}, "results"),
        ("list_full_tree", {"limit": 50}, "entries"),
    ]:
        cursor = None
        while True:
            page = call(port, tool, arguments | ({"cursor": cursor} if cursor else {}), host)
            found += [item["path"] for item in page[items]]
            cursor = page.get("next_cursor")
            if not cursor:
                break
    return found


def wait_for(port):
    end = time.monotonic() + 20
    while True:
        try:
            return pages(port)
        except (OSError, RuntimeError):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def check(name, start, replicas, expected):
    with tempfile.TemporaryDirectory() as directory:
        port = free_port()
        proxy = start(port, replicas, pathlib.Path(directory))
        if proxy is None:
            print(f"{name}: not installed, left out")
            return
        try:
            wait_for(port)
            assert pages(port) == expected, f"{name}: pages of several replicas are another whole"
            print(f"{name}: every page from another replica, {len(expected)} items")
            rolling(name, port, replicas, expected)
        finally:
            proxy.terminate()
            proxy.wait()


def rolling(name, port, replicas, expected):
    over = threading.Event()

    def client():
        calls = 0
        while not over.is_set():
            assert pages(port) == expected, "a page is missing"
            calls += 1
        return calls

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
        running = [clients.submit(client) for _ in range(CLIENTS)]
        try:
            for replica in replicas:
                time.sleep(1)
                replica.restart()
            time.sleep(1)
        finally:
            over.set()
        walks = sum(one.result() for one in running)
    print(f"{name}: {walks} walks during a rolling restart, none lost")


def main():
    with tempfile.TemporaryDirectory() as directory:
        documents = pathlib.Path(directory)
        make_documents(documents)
        replicas = [Replica(documents) for _ in range(REPLICAS)]
        try:
            own = f"127.0.0.1:{replicas[0].port}"
            expected = pages(replicas[0].port, own)
            assert len(expected) > DOCUMENTS, len(expected)
            check("caddy", caddy, replicas, expected)
            check("nginx", nginx, replicas, expected)
        finally:
            for replica in replicas:
                replica.end()


main()
