// Drives docent with the official TypeScript clients: the current one in both lifecycles of the
// protocol, and the one that most programs were built with.
//
// Usage: client.mjs DOCENT DIRECTORY, where DIRECTORY holds `guide/setup.md` with the word `lantern`.

import assert from 'node:assert/strict';

const INVALID_PARAMS = -32602;
const SETUP = 'docent://docs/guide/setup.md';
const [docent, directory] = process.argv.slice(2);
const server = { command: docent, args: ['mcp', '--root', `docs=${directory}`, '--tools', 'all'] };
const info = { name: 'docent-test', version: '1.0.0' };

async function session(label, client, transport) {
  await client.connect(transport);
  assert.equal(client.getServerVersion()?.name, 'docent');

  const { tools } = await client.listTools();
  const search = tools.find((tool) => tool.name === 'search_documents');
  assert.deepEqual(search.annotations, {
    title: "Search documents",
    readOnlyHint: true,
    openWorldHint: false,
  });

  const found = await client.callTool({ name: 'search_documents', arguments: { query: 'lantern' } });
  assert.ok(!found.isError && found.structuredContent === undefined, JSON.stringify(found));
  assert.match(found.content[0].text, /^# Search Results for 'lantern'[^]*## \/guide\/setup\.md/);

  const refused = await client.callTool({ name: 'read_document', arguments: { path: '../outside.md' } });
  assert.equal(refused.isError, true);
  assert.match(refused.content[0].text, /^\[ERR_MCP_101\] invalid-path:/);

  await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), { code: INVALID_PARAMS });
  const { resources } = await client.listResources();
  assert.ok(resources.some((resource) => resource.uri === SETUP), JSON.stringify(resources));
  const { contents } = await client.readResource({ uri: SETUP });
  assert.match(contents[0].text, /lantern/);
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'docent://{root}/{+path}' },
    argument: { name: 'path', value: 'guide/s' },
    context: { arguments: { root: 'docs' } },
  });
  assert.deepEqual(completion.values, ['guide/setup.md']);

  await client.close();
  console.log(`typescript client, ${label}: ok`);
}

const current = await import('@modelcontextprotocol/client');
const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) {
  const client = new current.Client(info, { versionNegotiation: { mode } });
  await session(`version 2, ${mode.pin ?? mode}`, client, new StdioClientTransport(server));
}

const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const stdio = await import('@modelcontextprotocol/sdk/client/stdio.js');
await session('version 1', new Client(info), new stdio.StdioClientTransport(server));
