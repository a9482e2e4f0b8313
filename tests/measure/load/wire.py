"""Many clients on one thread: whole requests out, whole answers in, and how long each took."""

import collections
import errno
import heapq
import json
import selectors
import socket
import time


def post(path, message, host, **headers):
    """Returns the bytes of a request with a JSON body."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    lines = [
        f"POST {path} HTTP/1.1",
        f"host: {host}",
        "content-type: application/json",
        "accept: application/json, text/event-stream",
        f"content-length: {len(body)}",
    ]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Samples:
    """What came of some requests."""

    def __init__(self):
        self.seconds = []
        self.statuses = collections.Counter()
        self.elapsed = 0.0
        self.first = None

    def percentile(self, part):
        """Returns the seconds that this part of the requests, from 0 to 1, took at most."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))]

    @property
    def rate(self):
        return len(self.seconds) / self.elapsed


class Connection:
    """One client: a request is sent when the answer to the one before is there."""

    def __init__(self, number):
        self.number = number
        self.socket = None
        self.out = b""
        self.answer = b""
        self.sent = 0.0
        self.due = 0.0

    def open(self, address):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        if self.socket.connect_ex(address) not in (0, errno.EINPROGRESS):
            raise OSError("the server takes no connections")

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None


def status(answer):
    """Returns the status of a whole answer, none while some of it is missing."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if not end:
        return None
    code = int(head[9:12])
    lower = head.lower()
    if b"transfer-encoding: chunked" in lower:
        return code if body.endswith(b"0\r\n\r\n") else None
    _, named, length = lower.partition(b"content-length:")
    wanted = int(length.split(b"\r\n", 1)[0]) if named else 0
    return code if len(body) >= wanted else None


def drive(address, clients, following, seconds=None, every=None):
    """Has `clients` send one request after the other: `following(client)` gives the next one, or none
    when that client is done; after `seconds` no more are sent. With `every` each client has one due
    every so many seconds, in turns; one that is sent late has waited since then."""
    samples = Samples()
    ready = selectors.DefaultSelector()
    start = time.monotonic()
    end = start + seconds if seconds else float("inf")
    running = 0
    waiting = []

    def begin(one):
        if every is None:
            return send(one, time.monotonic())
        one.due += every
        heapq.heappush(waiting, (one.due, one.number, one))
        if one.socket:
            ready.modify(one.socket, selectors.EVENT_READ, one)

    def send(one, since):
        nonlocal running
        request = following(one.number) if time.monotonic() < end else None
        if request is None:
            running -= 1
            if one.socket:
                ready.unregister(one.socket)
            one.close()
            return
        one.out, one.answer, one.sent = request, b"", since
        if one.socket is None:
            one.open(address)
            ready.register(one.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, one)
        else:
            ready.modify(one.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, one)

    def ended(one, code, is_open):
        samples.seconds.append(time.monotonic() - one.sent)
        samples.statuses[code] += 1
        if samples.first is None:
            samples.first = one.answer
        if not is_open:
            ready.unregister(one.socket)
            one.close()
        begin(one)

    def step(one, events):
        if events & selectors.EVENT_WRITE and one.out:
            one.out = one.out[one.socket.send(one.out) :]
            if not one.out:
                ready.modify(one.socket, selectors.EVENT_READ, one)
        if events & selectors.EVENT_READ:
            read = one.socket.recv(1 << 16)
            one.answer += read
            code = status(one.answer)
            if not read:
                ended(one, code or "closed", False)
            elif code is not None:
                ended(one, code, b"connection: close" not in one.answer[:4096].lower())

    for number in range(clients):
        running += 1
        one = Connection(number)
        one.due = start + (number / clients - 1) * (every or 0)
        begin(one)
    while running > 0:
        while waiting and waiting[0][0] <= time.monotonic():
            due, _, one = heapq.heappop(waiting)
            send(one, due)
        if running == 0:
            break
        pause = max(0, waiting[0][0] - time.monotonic()) if waiting else 30
        events = ready.select(timeout=pause)
        if not events and not waiting:
            raise TimeoutError("nothing was answered for 30 s")
        for key, events in events:
            try:
                step(key.data, events)
            except (ConnectionError, BlockingIOError) as error:
                if not isinstance(error, BlockingIOError):
                    ended(key.data, status(key.data.answer) or "closed", False)
    samples.elapsed = time.monotonic() - start
    ready.close()
    return samples

