"""Sends one request over and over for some seconds: `flood.py PORT SECONDS`, the request on stdin."""

import sys

from wire import drive

CLIENTS = 16

port, seconds = sys.argv[1:]
request = sys.stdin.buffer.read()
samples = drive(("127.0.0.1", int(port)), CLIENTS, lambda _: request, float(seconds))
told = ", ".join(f"{status}: {number}" for status, number in sorted(samples.statuses.items(), key=str))
print(f"{samples.rate:.0f} a second; {told}")
