"""Drives docent with the official Python client, in both lifecycles of the protocol.

Usage: client.py DOCENT DIRECTORY, where DIRECTORY holds `guide/setup.md` with the word `lantern`.
"""

import asyncio
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

INVALID_PARAMS = -32602
SETUP = "docent://docs/guide/setup.md"


async def session(docent: str, directory: str, mode: str) -> None:
    server = StdioServerParameters(command=docent, args=["mcp", "--root", f"docs={directory}", "--tools", "all"])
    async with Client(server, mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert "search_documents" in tools, tools
        annotations = tools["search_documents"].annotations
        assert annotations.read_only_hint is True, annotations
        # Of what only reads nothing more is said: the protocol has the other hints mean nothing there.
        assert annotations.destructive_hint is None, annotations
        assert annotations.open_world_hint is False, annotations

        found = await client.call_tool("search_documents", {"query": "lantern"})
        assert not found.is_error, found
        assert found.structured_content is None, found
        text = found.content[0].text
        assert text.startswith("# Search Results for 'lantern'"), text
        assert "## /guide/setup.md" in text, text

        refused = await client.call_tool("read_document", {"path": "../outside.md"})
        assert refused.is_error, refused
        assert refused.content[0].text.startswith("[ERR_MCP_101] invalid-path:"), refused

        try:
            await client.call_tool("no_such_tool", {})
        except MCPError as error:
            assert error.error.code == INVALID_PARAMS, error
        else:
            raise AssertionError("an unknown tool was called")
        resources = [str(resource.uri) for resource in (await client.list_resources()).resources]
        assert SETUP in resources, resources
        read = await client.read_resource(SETUP)
        assert "lantern" in read.contents[0].text, read
    print(f"python client, {mode}: ok")


async def structured(docent: str, directory: str) -> None:
    """The client itself holds each answer against the schema that the tool was listed with."""
    arguments = ["mcp", "--root", f"docs={directory}", "--structured", "--tools", "all"]
    async with Client(StdioServerParameters(command=docent, args=arguments)) as client:
        assert all(tool.output_schema for tool in (await client.list_tools()).tools)
        for name, arguments in {
            "explore": {"query": "lantern"},
            "search_documents": {"query": "lantern", "mode": "full-context"},
            "grep": {"pattern": "lantern"},
            "find_files": {"sort": "path-asc", "glob": "**/*.md"},
            "list_documents": {},
            "list_full_tree": {},
            "read_document": {"path": "guide/setup.md"},
            "query_document": {"path": "guide/setup.md", "query": "lantern"},
            "summarize_document": {"path": "guide/setup.md"},
            "smart_search": {"query": "lantern"},
            "context_search": {"title": "setup", "operator": "or", "content": "lantern"},
            "get_config": {},
        }.items():
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, answer
            assert answer.structured_content and not answer.content, answer
    print("python client, structured: ok")


async def main() -> None:
    docent, directory = sys.argv[1:]
    for mode in ["legacy", "auto", "2026-07-28"]:
        await asyncio.wait_for(session(docent, directory, mode), timeout=60)
    await asyncio.wait_for(structured(docent, directory), timeout=60)


asyncio.run(main())
