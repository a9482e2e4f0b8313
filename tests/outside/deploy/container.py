"""Runs docent as `deploy/container/Containerfile` says, in a container of crun: a program alone on a
read-only root, as nobody, without capabilities, its documents and tokens mounted for reading.

Usage: container.py DOCENT CONTAINERFILE CRUN, as root, in a network of its own.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

DOCENT, CONTAINERFILE, CRUN = (pathlib.Path(argument) for argument in sys.argv[1:])
URL = "http://127.0.0.1:7780"


def image():
    """Returns what the Containerfile says of its last stage: user, command, and where the program is."""
    text = CONTAINERFILE.read_text().rpartition("FROM scratch")[2]
    said = dict(re.findall(r"^(USER|ENTRYPOINT|CMD) (.*)$", text, re.MULTILINE))
    copied = re.findall(r"^COPY .* (\S+)$", text, re.MULTILINE)
    user, group = map(int, said["USER"].split(":"))
    program = copied[0]
    command = json.loads(said["ENTRYPOINT"]) + json.loads(said["CMD"])
    assert command[0] == program, (command, program)
    return user, group, command


def fill(root, program):
    """Puts the program into the root; one that is not static brings its libraries."""
    shutil.copy(DOCENT, root / program.lstrip("/"))
    told = subprocess.run(["ldd", DOCENT], capture_output=True, text=True)
    libraries = re.findall(r"(/\S+) \(0x", told.stdout) if told.returncode == 0 else []
    for library in libraries:
        target = root / library.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)
    return libraries


def bundle(directory, user, group, command, mounts, state):
    """Writes what crun wants to know."""
    spaces = [{"type": name} for name in ("pid", "ipc", "uts", "mount")]
    read_only = ["bind", "ro", "nosuid", "nodev", "noexec"]
    mounted = [
        {"destination": target, "source": str(source), "type": "bind", "options": read_only}
        for target, source in mounts.items()
    ]
    writable = [option for option in read_only if option != "ro"]
    mounted.append(
        {"destination": "/state", "source": str(state), "type": "bind", "options": writable}
    )
    nothing = {name: [] for name in ("bounding", "effective", "permitted", "inheritable", "ambient")}
    config = {
        "ociVersion": "1.0.0",
        "root": {"path": "rootfs", "readonly": True},
        "process": {
            "user": {"uid": user, "gid": group},
            "args": command,
            "env": [],
            "cwd": "/",
            "noNewPrivileges": True,
            "capabilities": nothing,
        },
        "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"}, *mounted],
        "linux": {"namespaces": spaces},
    }
    (directory / "config.json").write_text(json.dumps(config))


def get(path, token=None):
    """Returns the status of a request and its body."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(URL + path, headers=headers)) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def program_of(container):
    """Returns the process of the program, which is the one that crun has started."""
    children = pathlib.Path(f"/proc/{container.pid}/task/{container.pid}/children").read_text()
    return int(children.split()[0])


def main():
    user, group, command = image()
    with tempfile.TemporaryDirectory() as home:
        directory = pathlib.Path(home)
        directory.chmod(0o755)
        root, documents = directory / "rootfs", directory / "docs"
        # Every engine makes these places itself.
        for path in (root, documents, root / "docs", root / "state", root / "proc", root / "dev", root / "sys"):
            path.mkdir()
        (root / "tokens.json").touch()
        (documents / "note.md").write_text("# Note\n\nThe lantern is lit.\n")
        libraries = fill(root, command[0])
        told = "static" if not libraries else f"not static: with {len(libraries)} libraries"
        print(f"the program is {told}")

        tokens = directory / "tokens.json"
        making = [DOCENT, "token", "new", "ann", "--root", "docs", "--tokens", tokens]
        made = subprocess.run(making, capture_output=True, text=True, check=True).stdout
        token = next(word for word in made.split() if word.startswith("dct_"))
        os.chown(tokens, user, group)
        # As an engine makes a volume of a directory in the image.
        state = directory / "volume"
        state.mkdir()
        os.chown(state, user, group)

        bundle(directory, user, group, command, {"/docs": documents, "/tokens.json": tokens}, state)
        name = f"docent-{os.getpid()}"
        run = [CRUN, "--cgroup-manager=disabled", "--root", directory / "state", "run"]
        container = subprocess.Popen([*run, "--bundle", directory, name])
        try:
            end = time.monotonic() + 30
            while True:
                assert container.poll() is None, f"it has ended with {container.returncode}"
                try:
                    status, text = get("/readyz")
                    break
                except OSError:
                    assert time.monotonic() < end, "it does not listen"
                    time.sleep(0.05)
            assert status == 200, (status, text)
            assert get("/context?action=list")[0] == 401
            status, text = get("/context?action=search&query=lantern", token)
            assert status == 200 and b"note.md" in text, (status, text)
            print("/readyz: 200; a search: 401 without a token, 200 with one")

            process = program_of(container)
            about = pathlib.Path(f"/proc/{process}/status").read_text()
            assert re.search(rf"^Uid:\t{user}\t{user}\t{user}\t{user}$", about, re.MULTILINE), about
            for kind in ("CapEff", "CapPrm", "CapBnd"):
                assert re.search(rf"^{kind}:\t0+$", about, re.MULTILINE), about
            assert "NoNewPrivs:\t1" in about, about
            mounts = pathlib.Path(f"/proc/{process}/mountinfo").read_text().splitlines()
            flags = {line.split()[4]: line.split()[5].split(",") for line in mounts}
            for place in ("/", "/docs", "/tokens.json"):
                assert "ro" in flags[place], (place, flags)
            print(f"it runs as {user}, without capabilities, on a read-only root")

            os.kill(process, signal.SIGTERM)
            assert container.wait(timeout=45) == 0, container.returncode
            shown = [DOCENT, "log", "show", "--log", state / "log", "--path", "docs/note.md"]
            found = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
            assert "search_documents" in found, found
            print("told to end it ends with 0, and the log says what was shown")
        finally:
            container.kill()
            container.wait()


main()
