"""What `docent-http.wasm` has to do on any engine: asked over HTTP, and by the official client."""

import http.client
import json
import re
import time

from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

MODERN = "2026-07-28"
BODY_BYTES = 256 << 10
DOCUMENTS = 60
REQUESTS = 100


def make_documents(directory):
    for number in range(DOCUMENTS):
        below = directory / f"part-{number % 3}"
        below.mkdir(exist_ok=True)
        text = f"# Note {number}\n\n" + "The lantern is lit.\n" * (1 + number % 5)
        (below / f"note-{number:03}.md").write_text(text)


class Endpoint:
    """Where an engine serves, and as which host it is asked."""

    def __init__(self, address, port, host=None, token=None):
        self.address = address
        self.port = port
        self.host = host or f"{address}:{port}"
        self.token = token

    def ask(self, body, method="POST", path="/mcp", **headers):
        """Returns the status of a request and its body; a header of none is left out."""
        wanted = {"host": self.host, "content-type": "application/json"}
        wanted |= {"accept": "application/json, text/event-stream"}
        wanted |= {"authorization": f"Bearer {self.token}" if self.token else None}
        wanted |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection(self.address, self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in wanted.items():
                if value is not None:
                    connection.putheader(name, value)
            text = body if isinstance(body, bytes) else json.dumps(body).encode()
            if method == "POST":
                connection.putheader("content-length", str(len(text)))
            connection.endheaders(text if method == "POST" else None)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def answer(self, tool, arguments):
        """Returns what the protocol answers to a call."""
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
        status, text = self.ask(message)
        assert status == 200, (status, text[:300])
        return json.loads(text)

    def call(self, tool, arguments):
        """Returns the text of a tool's answer."""
        answer = self.answer(tool, arguments)
        assert "result" in answer and not answer["result"]["isError"], answer
        return answer["result"]["content"][0]["text"]

    def refused(self, tool, arguments):
        """Returns why a tool refuses a call."""
        answer = self.answer(tool, arguments)
        assert "result" in answer and answer["result"]["isError"], answer
        return answer["result"]["content"][0]["text"]

    def unknown(self, tool, arguments):
        """Returns what is said of a tool that is not on offer."""
        return self.answer(tool, arguments)["error"]["message"]

    def wait(self, has_ended, expected=200, seconds=300):
        """Waits until a ping is answered with that status, and returns the answer; `has_ended` says
        whether the process behind it is gone."""
        end = time.monotonic() + seconds
        while True:
            try:
                status, text = self.ask({"jsonrpc": "2.0", "id": 1, "method": "ping"})
                if status == expected:
                    return status, text
                problem = (status, text[:300])
            except OSError as error:
                problem = error
            assert time.monotonic() < end, f"not ready after {seconds} s: {problem}"
            assert has_ended() is None, f"the engine has ended: {problem}"
            time.sleep(0.2)


async def session(url, mode):
    """Lists, searches and is refused, as the official client does."""
    async with Client(url, mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert "explore" in tools and "search_documents" in tools, tools
        # Only tools that read are on offer, whatever the engine allows.
        assert not {"change", "write", "manage", "create_document"} & set(tools), tools

        found = await client.call_tool("search_documents", {"query": "lantern"})
        assert not found.is_error and "lantern" in found.content[0].text, found
        refused = await client.call_tool("read_document", {"path": "../outside.md"})
        assert refused.is_error, refused
        assert refused.content[0].text.startswith("[ERR_MCP_101] invalid-path:"), refused
        try:
            await client.call_tool("write", {"path": "a.md", "content": "x"})
        except MCPError as error:
            assert "it writes, and this server only reads" in error.error.message, error
        else:
            raise AssertionError("a file was written")


def refusals(endpoint):
    """Requests that are not answered, by their status."""
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    host = endpoint.host
    for expected, (status, text) in [
        (200, endpoint.ask(ping)),
        (200, endpoint.ask(ping, origin=f"http://{host}")),
        (202, endpoint.ask({"jsonrpc": "2.0", "method": "notifications/initialized"})),
        (403, endpoint.ask(ping, origin="http://evil.example")),
        (404, endpoint.ask(ping, path="/.well-known/oauth-protected-resource")),
        (404, endpoint.ask(ping, path="/")),
        (405, endpoint.ask(b"", method="GET")),
        (405, endpoint.ask(b"", method="DELETE")),
        (413, endpoint.ask(b" " * (BODY_BYTES + 1))),
        (415, endpoint.ask(ping, content_type="text/plain")),
        (400, endpoint.ask(b"{")),
        (400, endpoint.ask([ping])),
        (400, endpoint.ask(ping, mcp_protocol_version="2099-01-01")),
        (400, endpoint.ask(ping, mcp_protocol_version=MODERN)),
    ]:
        assert status == expected, (expected, status, text[:300])
    if endpoint.token:
        for wrong in [None, "Bearer wrong", endpoint.token]:
            status, text = endpoint.ask(ping, authorization=wrong)
            assert status == 401, (wrong, status, text[:300])


def pages(ask):
    """Returns the names of the documents on all pages of a search, and how many pages there were;
    `ask` makes each call, perhaps elsewhere than the one before."""
    arguments = {"query": "lantern", "maxResults": 1, "maxTokens": 300}
    found, calls = [], 0
    while True:
        text = ask(arguments)
        calls += 1
        found += re.findall(r"/(note-\d+)\.md", text)
        following = text.rpartition("Next: search_documents ")[2]
        if '"cursor"' not in following:
            return found, calls
        arguments = json.loads(following)
        assert calls < DOCUMENTS, text


def many(endpoint):
    """Returns the milliseconds of the median of many calls, all of which are answered alike."""
    times, answers = [], set()
    for _ in range(REQUESTS):
        start = time.monotonic()
        answers.add(endpoint.call("explore", {"query": "lantern"}))
        times.append(time.monotonic() - start)
    assert len(answers) == 1, answers
    return sorted(times)[len(times) // 2] * 1000
