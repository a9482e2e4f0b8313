"""Prints which files rustc reads for each crate of a repository: its root TAB the file.

Arguments: the repository, and a target directory for its crates, which are checked there.
"""

import glob
import json
import os
import re
import subprocess
import sys

root, target = (os.path.realpath(path) for path in sys.argv[1:])


def cargo(*arguments):
    # An incremental build may write an order of files in which the root is not the first.
    own = {**os.environ, "CARGO_TARGET_DIR": target, "CARGO_INCREMENTAL": "0"}
    run = subprocess.run(["cargo", *arguments], cwd=root, env=own, stdout=subprocess.PIPE, check=True)
    return run.stdout


# Whatever features a file needs, it is looked at. Benches need another compiler, mostly.
targets = ["--bins", "--examples", "--tests"]
cargo("check", "--quiet", "--workspace", *targets, "--all-features", "--ignore-rust-version")
packages = json.loads(cargo("metadata", "--no-deps", "--format-version", "1"))["packages"]
roots = {os.path.realpath(target["src_path"]) for package in packages for target in package["targets"]}
crates = {}
for info in glob.glob(os.path.join(target, "debug", "**", "*.d"), recursive=True):
    with open(info, encoding="utf-8") as lines:
        # The first rule has all files.
        _, _, files = lines.readline().rstrip("\n").partition(": ")
    paths = [path.replace("\\ ", " ") for path in re.split(r"(?<!\\) ", files) if path]
    paths = [os.path.realpath(os.path.join(root, path)) for path in paths]
    own = [path for path in paths if path.startswith(root + os.sep) and not path.startswith(target)]
    # The compiler itself reads these.
    own = [path for path in own if os.path.basename(path) not in ("Cargo.toml", "clippy.toml")]
    if own and own[0] in roots:
        first, *rest = (os.path.relpath(path, root) for path in own)
        crates.setdefault(first, set()).update(rest)
for crate, files in sorted(crates.items()):
    print(crate)
    for file in sorted(files):
        print(f"{crate}\t{file}")
