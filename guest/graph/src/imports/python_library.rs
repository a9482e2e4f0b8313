//! The standard library of Python. Its modules take precedence over those of a tree with the same
//! names, except over files next to a program that is run.

/// First names of the modules in the standard library, up to 3.14.
const MODULES: &str = "\
    __future__ abc aifc annotationlib argparse array ast asynchat asyncio asyncore atexit \
    audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath \
    cmd code codecs codeop collections colorsys compileall compression concurrent configparser \
    contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm \
    decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler \
    fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob \
    graphlib grp gzip hashlib heapq hmac html http imaplib imghdr imp importlib inspect io \
    ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap \
    marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib \
    numbers operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil \
    platform plistlib poplib posix pprint profile pstats pty pwd py_compile pyclbr pydoc \
    pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets \
    select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver \
    spwd sqlite3 ssl stat statistics string stringprep struct subprocess sunau symtable sys \
    sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading time \
    timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing \
    unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound \
    wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo";

/// Returns true if a module with this first name belongs to the standard library.
pub(super) fn is_standard(name: &str) -> bool {
    MODULES.split(' ').any(|module| module == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_by_their_whole_names() {
        assert!(
            ["__future__", "os", "zoneinfo"]
                .into_iter()
                .all(is_standard)
        );
        assert!(!["", "yaml", "o", "os "].into_iter().any(is_standard));
    }
}
