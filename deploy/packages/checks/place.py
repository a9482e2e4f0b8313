"""Empty places, commands that must succeed, and the main job of the program."""

import contextlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile

DOCUMENT = "# Note\n\nThe lantern is lit.\n"


class Failed(Exception):
    """A package that does not do what it has to."""


class LeftOut(Exception):
    """A check that cannot be done here, with what it would need."""


@contextlib.contextmanager
def empty():
    """Gives an empty directory, with a document to be found in `docs`."""
    with tempfile.TemporaryDirectory(prefix="docent-packages-") as home:
        place = pathlib.Path(home)
        place.chmod(0o755)
        (place / "docs").mkdir()
        (place / "docs/note.md").write_text(DOCUMENT)
        yield place


def need(tool, package):
    """Returns the path of a tool, or leaves the check out."""
    path = shutil.which(tool)
    if path is None:
        raise LeftOut(f"{tool} is not installed (apt-get install {package})")
    return path


def tools():
    """Returns the place of the tools that `fetch` installs."""
    return pathlib.Path(os.environ["DOCENT_PACKAGES"])


def checker(name):
    """Returns the path of a checker that `fetch` installs, or leaves the check out."""
    path = tools() / "checkers/bin" / name
    if not path.exists():
        raise LeftOut(f"{name} is not installed (just dist-fetch)")
    return path


def run(*command, **options):
    """Runs a command that must succeed, and returns what it prints."""
    done = subprocess.run(
        [str(part) for part in command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        **options,
    )
    if done.returncode != 0:
        said = f"{done.stdout}{done.stderr}".strip()
        raise Failed(f"`{' '.join(map(str, command))}` has ended with {done.returncode}:\n{said}")
    return done.stdout


def search(place, *command, **options):
    """Searches the document of a place with the program that a command starts."""
    options.setdefault("env", bare(place))
    found = run(*command, "search", "lantern", "docs", cwd=place, **options)
    if not found.startswith("docs/note.md:3: ") or "The lantern is lit." not in found:
        raise Failed(f"the search has found {found!r}; expected line 3 of docs/note.md")


def bare(place):
    """Returns an environment with nothing of this machine but the places of its tools."""
    return {"PATH": os.environ["PATH"], "HOME": str(place)}


def is_here(triple):
    """Returns true if a program for this kind of machine runs here without an emulator."""
    return triple.startswith(platform.machine())


def runner(triple):
    """Returns the command before a program for this kind of machine."""
    if is_here(triple):
        return []
    architecture = triple.partition("-")[0]
    return [need(f"qemu-{architecture}-static", "qemu-user-static")]


def speak(command, cwd, env):
    """Starts a server as a client does, and returns its instructions and the answer of a search."""
    messages = [
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "check", "version": "1"},
            },
        },
        {"method": "notifications/initialized"},
        {
            "id": 2,
            "method": "tools/call",
            "params": {"name": "explore", "arguments": {"query": "lantern"}},
        },
    ]
    server = subprocess.Popen(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    answers = []
    for message in messages:
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        server.stdin.flush()
        if "id" in message:
            line = server.stdout.readline()
            if not line:
                raise Failed(f"the server answers nothing; it has ended with {server.wait(60)}")
            answers.append(json.loads(line))
    server.stdin.close()
    if server.wait(timeout=60) != 0:
        raise Failed(f"the server has ended with {server.returncode}")
    texts = [part.get("text", "") for part in answers[1]["result"]["content"]]
    return answers[0]["result"]["instructions"], "\n".join(texts)
