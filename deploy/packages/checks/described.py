"""The checks of files that describe packages: digests, bills of materials, the registry entry."""

import hashlib
import json
import os
import shutil
import subprocess
import sys

from checks.place import Failed, checker, empty, run
from formats import tarball
from make import SUMS
from project import TARGETS, WORKSPACE

VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(str(wrong) if wrong else 0)
"""


def check_sums(artifacts, _project, _):
    """Has sha256sum compare the digests, which name every file."""
    run("sha256sum", "--check", "--strict", "--quiet", SUMS, cwd=artifacts)
    named = {line.split("  ")[1] for line in (artifacts / SUMS).read_text().splitlines()}
    files = {path.name for path in artifacts.iterdir()} - {SUMS}
    if named != files:
        raise Failed(f"{SUMS} and the files differ in {sorted(named ^ files)}")
    return f"{len(files)} files"


def check_bills(artifacts, _project, _):
    """Validates every bill of materials by the strict schema of CycloneDX."""
    counts = []
    for path in sorted(artifacts.glob("*.cdx.json")):
        run(checker("python"), "-c", VALIDATE, path)
        counts.append(f"{len(json.loads(path.read_text())['components'])} in {path.name}")
    return f"valid: {', '.join(counts)}"


def check_entry(artifacts, project, _):
    """Has skillsaw look at the entry, whose digests are those of the bundles."""
    with empty() as place:
        shutil.copy(artifacts / "server.json", place / "server.json")
        run(checker("skillsaw"), "lint", "--strict", "--no-plugins", "--quiet", place)
    for package in json.loads((artifacts / "server.json").read_text())["packages"]:
        if package["registryType"] == "mcpb":
            bundle = artifacts / package["identifier"].rpartition("/")[2]
            if hashlib.sha256(bundle.read_bytes()).hexdigest() != package["fileSha256"]:
                raise Failed(f"server.json has another digest of {bundle.name}")
    return f"skillsaw has nothing to say of {project.server}"


def check_again(artifacts, project, _):
    """Makes all packages a second time, from a copy of the sources in another folder."""
    with empty() as place:
        sources = place / "elsewhere/sources"
        names = run("git", "ls-files", "-z", cwd=WORKSPACE).split("\0")
        for name in filter(None, names):
            if (WORKSPACE / name).is_file():
                (sources / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(WORKSPACE / name, sources / name)
        programs = []
        for target in TARGETS.values():
            name = tarball.name(project, target)
            if (artifacts / f"{name}.tar.gz").exists():
                run("tar", "-xzf", artifacts / f"{name}.tar.gz", "-C", place)
                programs.append(f"{target.triple}={place / name / 'docent'}")
        # The commit and its time, which packages name.
        directory = run("git", "rev-parse", "--absolute-git-dir", cwd=WORKSPACE).strip()
        env = {
            **os.environ,
            "GIT_DIR": directory,
            "PYTHONDONTWRITEBYTECODE": "1",
            "TZ": "Asia/Tokyo",
        }
        make = [sys.executable, sources / "deploy/packages/make.py", place / "again"]
        run(*make, *programs, cwd=place, env=env)
        first, again = (path / SUMS for path in (artifacts, place / "again"))
        if first.read_bytes() != again.read_bytes():
            shown = subprocess.run(["diff", first, again], capture_output=True, text=True).stdout
            raise Failed(f"the packages differ from those of another folder:\n{shown}")
    return "made again in another folder and time zone, every byte is the same"
