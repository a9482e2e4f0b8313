"""Archives whose bytes follow from their entries alone: sorted, with one time and two modes."""

import gzip
import io
import tarfile
import time
import zipfile
from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    """A file in an archive."""

    data: bytes
    executable: bool = False

    @property
    def mode(self):
        """The mode of a file: everyone reads, and runs what can be run."""
        return 0o755 if self.executable else 0o644


@dataclass(frozen=True)
class Directory:
    """An empty directory that belongs to somebody."""

    owner: int


def tar(entries, seconds, directories=True, prefix=""):
    """Returns a tar archive of entries by their paths, with the directories above them."""
    entries = dict(entries)
    if directories:
        for path in list(entries):
            parts = path.split("/")[:-1]
            for count in range(1, len(parts) + 1):
                entries.setdefault("/".join(parts[:count]), Directory(0))
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, entry in sorted(entries.items()):
            about = tarfile.TarInfo(prefix + path)
            about.mtime = seconds
            if isinstance(entry, Directory):
                about.type, about.mode = tarfile.DIRTYPE, 0o755
                about.uid = about.gid = entry.owner
                archive.addfile(about)
            else:
                about.mode, about.size = entry.mode, len(entry.data)
                archive.addfile(about, io.BytesIO(entry.data))
    return written.getvalue()


def gzipped(data):
    """Returns data in gzip, without a time."""
    return gzip.compress(data, 9, mtime=0)


def zipped(entries, seconds):
    """Returns a zip archive of files by their paths, in the order in which they are given."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for path, file in entries.items():
            about = zipfile.ZipInfo(path, time.gmtime(seconds)[:6])
            about.create_system = 3
            about.external_attr = (0o100000 | file.mode) << 16
            about.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(about, file.data, compresslevel=9)
    return written.getvalue()
