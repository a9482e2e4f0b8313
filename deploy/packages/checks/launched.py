"""The checks of packages that launchers and clients run: npm, Python's installers, bundles."""

import base64
import contextlib
import hashlib
import http.server
import io
import json
import subprocess
import sys
import tarfile
import threading

from checks.place import (
    Failed,
    bare,
    checker,
    empty,
    is_here,
    need,
    run,
    runner,
    search,
    speak,
    tools,
)
from formats import mcpb, npm, wheel
from project import TARGETS


@contextlib.contextmanager
def registry(artifacts, project):
    """Serves the packages for npm on this machine as a registry does."""
    names = [npm.platform_name(project, target) for target in TARGETS.values()]
    files = {name: artifacts / npm.file_name(project, name) for name in [project.package, *names]}
    files = {name: path.read_bytes() for name, path in files.items() if path.exists()}

    class Handler(http.server.BaseHTTPRequestHandler):
        """Answers for packages and their files."""

        def do_GET(self):
            """Answers a request."""
            wanted = self.path.strip("/")
            name = wanted.partition("/")[0]
            if name not in files:
                return self.send_error(404)
            data = files[name]
            if wanted == name:
                data = json.dumps(self.described(name, data)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
            return None

        def described(self, name, data):
            """Returns what a registry says of a package."""
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                about = json.load(archive.extractfile("package/package.json"))
            digest = base64.b64encode(hashlib.sha512(data).digest()).decode()
            address = f"http://{self.headers['Host']}/{name}/-/{name}-{about['version']}.tgz"
            about["dist"] = {"tarball": address, "integrity": f"sha512-{digest}"}
            versions = {about["version"]: about}
            return {"name": name, "dist-tags": {"latest": about["version"]}, "versions": versions}

        def log_message(self, *_):
            """Says nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


def check_npm(artifacts, project, _):
    """Installs with npm and runs with npx, from a registry that has nothing else."""
    need("npm", "npm")
    with empty() as place, registry(artifacts, project) as address:
        env = {**bare(place), "npm_config_registry": address, "npm_config_audit": "false"}
        env |= {"npm_config_update_notifier": "false", "npm_config_ignore_scripts": "true"}
        run("npm", "install", "--prefix", place / "p", project.package, env=env, cwd=place)
        installed = sorted(path.name for path in (place / "p/node_modules").glob("docent*"))
        here = [t for t in TARGETS.values() if is_here(t.triple)]
        expected = [project.package, *(npm.platform_name(project, target) for target in here)]
        if installed != sorted(expected):
            raise Failed(f"npm has installed {installed}; expected {expected}")
        search(place, place / "p/node_modules/.bin/docent", env=env)
        search(place, "npx", "--yes", project.package, env=env)
        command = ["npx", "--yes", project.package, "mcp", "--root", "docs"]
        if "The lantern is lit" not in speak(command, place, env)[1]:
            raise Failed("the server that npx has started does not find the document")
        check_launcher(place, env)
    return "installed by npm, run by npx: a search, and a server of MCP"


def check_launcher(place, env):
    """Has the launcher pass on the exit code, and end the program with itself."""
    launcher = place / "p/node_modules/.bin/docent"
    done = subprocess.run(
        [launcher, "search", "absent", "docs"], cwd=place, env=env, capture_output=True
    )
    if done.returncode != 1:
        raise Failed(f"a search without a hit ends with {done.returncode}; expected 1")
    server = subprocess.Popen(
        [launcher, "mcp", "docs"], cwd=place, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
    server.stdout.readline()
    server.terminate()
    # Its output ends when the program has ended, too.
    server.stdout.read()
    server.wait(timeout=60)


def check_wheel_style(artifacts, project, target):
    """Has the checkers of Python's packages look at the wheel."""
    path = artifacts / wheel.name(project, target)
    # W007: it has no library, and shall have none.
    run(checker("check-wheel-contents"), "--ignore=W007", path)
    run(checker("twine"), "check", "--strict", path)
    return "check-wheel-contents and twine have nothing to say"


def check_wheel(artifacts, project, _):
    """Installs the wheel with pip and runs it with uvx, without an index."""
    offline = ["--no-index", "--find-links", artifacts]
    with empty() as place:
        run(sys.executable, "-m", "venv", place / "venv")
        run(place / "venv/bin/pip", "install", "--quiet", *offline, project.package)
        search(place, place / "venv/bin/docent")
        search(place, place / "venv/bin" / project.package)
        uv = [checker("uv"), "tool", "run", "--offline", *offline, project.package]
        search(place, *uv)
        command = [*uv, "mcp", "--root", "docs"]
        if "The lantern is lit" not in speak(command, place, bare(place))[1]:
            raise Failed("the server that uvx has started does not find the document")
    return "installed by pip, run by uvx: a search, and a server of MCP"


def check_bundle(artifacts, project, target):
    """Validates and unpacks the bundle, and starts its server as Claude Desktop does."""
    tool = tools() / "npm/node_modules/.bin/mcpb"
    with empty() as place:
        unpacked = place / "unpacked"
        run(tool, "unpack", artifacts / mcpb.name(project, target), unpacked, env=bare(place))
        run(tool, "validate", unpacked / "manifest.json", env=bare(place))
        (place / "more").mkdir()
        config = json.loads((unpacked / "manifest.json").read_text())["server"]["mcp_config"]
        command = [config["command"].replace("${__dirname}", str(unpacked))]
        for argument in config["args"]:
            chosen = [str(place / "docs"), str(place / "more")]
            command += chosen if argument == "${user_config.directories}" else [argument]
        command = [*runner(target.triple), *command]
        instructions, answer = speak(command, place, bare(place))
        if "docs (read-only" not in instructions or "more (read-only" not in instructions:
            raise Failed(f"the server does not name both directories: {instructions}")
        if "The lantern is lit" not in answer:
            raise Failed(f"the server does not find the document: {answer}")
    return "valid for mcpb; its server has two directories and finds the document"
