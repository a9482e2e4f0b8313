"""The archive for people who unpack it themselves, and for `cargo binstall`."""

from contents import COMPLETIONS
from formats.archive import File, gzipped, tar


def name(project, target):
    """Returns the name of the archive and of the directory in it; binstall's metadata knows it."""
    return f"docent-{project.version}-{target.triple}"


def make(project, program, contents):
    """Returns the archive."""
    files = {"docent": File(program.binary, executable=True)}
    for shell, script in contents.completions.items():
        files[f"completions/{COMPLETIONS[shell]}"] = File(script)
    for page, text in contents.manual.items():
        files[f"man/{page}"] = File(text)
    for document, text in {**contents.documents, **contents.licences}.items():
        files[document] = File(text)
    files["NOTICES"] = File(contents.notices)
    top = name(project, program.target)
    entries = {f"{top}/{path}": file for path, file in files.items()}
    return gzipped(tar(entries, project.time))
