"""Programs that are measured, and what the kernel says of them."""

import json
import os
import pathlib
import socket
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def tree(root):
    """Returns a process and those below it."""
    found = [root]
    for process in found:
        for task in pathlib.Path(f"/proc/{process}/task").iterdir():
            try:
                found += [int(child) for child in (task / "children").read_text().split()]
            except OSError:
                continue
    return found


class Process:
    """A program that runs, with those that it starts."""

    def __init__(self, command, **options):
        self.started = time.monotonic()
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **options)

    def seconds(self):
        """Returns the seconds of a processor that it has taken."""
        total = 0
        for process in tree(self.process.pid):
            fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def precise(self):
        """The same to the nanosecond, of the program itself alone."""
        # As `clock_getcpuclockid` makes the number of a process's clock.
        return time.clock_gettime((~self.process.pid << 3) | 2)

    def megabytes(self, what="VmRSS"):
        """Returns the memory that it holds, or with `VmHWM` the most that it has held."""
        total = 0
        for process in tree(self.process.pid):
            lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith(what + ":"))
        return total / 1000

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is not None:
            return
        for process in reversed(tree(self.process.pid)):
            try:
                os.kill(process, 9)
            except ProcessLookupError:
                continue
        self.process.wait()


class Stdio(Process):
    """A server of MCP on stdin and stdout."""

    def __init__(self, command):
        super().__init__(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        told = {"name": "load", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": told}
        self.ask("initialize", params)

    def ask(self, method, params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()


class Http(Process):
    """A server of MCP over HTTP."""

    def __init__(self, command, port, path="/mcp"):
        super().__init__(command, stdout=subprocess.DEVNULL)
        self.port = port
        self.path = path
        self.address = ("127.0.0.1", port)
        self.host = f"127.0.0.1:{port}"

    def wait(self, seconds=120):
        """Waits until it takes connections, and returns the seconds since it was started."""
        while True:
            assert self.process.poll() is None, "the server has ended"
            assert time.monotonic() < self.started + seconds, f"not ready after {seconds} s"
            try:
                socket.create_connection(self.address).close()
                return time.monotonic() - self.started
            except OSError:
                time.sleep(0.002)
