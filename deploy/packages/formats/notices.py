"""The licences of other people's crates, whose texts have to come along."""

import re

NAMES = re.compile(r"^(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)
STANDARD = "Rust's standard library: MIT OR Apache-2.0, copyright (c) The Rust Project Contributors"


def make(crates, musl):
    """Returns every text once, with the crates that it came with; one is that of the C library."""
    holders = {musl.strip(): ["musl"]}
    named = []
    for crate in crates:
        if not crate.checksum:
            continue
        named.append(f"{crate.name} {crate.version}: {crate.licence}")
        for path in sorted(crate.directory.iterdir()):
            if NAMES.match(path.name) and path.is_file():
                lines = path.read_text(errors="replace").strip().splitlines()
                text = "\n".join(line.rstrip() for line in lines)
                holders.setdefault(text, []).append(f"{crate.name} {crate.version}")
    texts = sorted(holders.items(), key=lambda item: item[1][0])
    parts = ["docent contains these libraries.\n", STANDARD, *named]
    for text, names in texts:
        parts.append(f"\n{'=' * 72}\n{', '.join(dict.fromkeys(names))}\n{'-' * 72}\n\n{text}")
    return ("\n".join(parts) + "\n").encode()
