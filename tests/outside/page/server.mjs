// The program as people start it.

import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const START = 60_000;

/**
 * Starts `docent serve` on a port of its own.
 * @param {string} docent
 * @param {{base: string, docs: string, notes: string}} trees
 * @param {string[]} more arguments
 */
export async function serve(docent, trees, more = []) {
  const args = [
    'serve',
    '--listen',
    '127.0.0.1:0',
    '--root',
    `docs=${trees.docs}`,
    '--root',
    `notes=${trees.notes}:rw`,
    // One log has one writer, and several servers share a home here.
    ...(more.includes('--log') ? [] : ['--no-log']),
    ...more,
  ];
  const child = spawn(docent, args, {
    env: environment(trees),
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const said = [];
  const url = await new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`docent serve said only: ${said.join('\n')}`)),
      START,
    );
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      const found = /serving at (http:\/\/\S+)/.exec(line);
      if (!found) return;
      clearTimeout(late);
      resolve(found[1]);
    });
    child.on('exit', (code) =>
      reject(new Error(`docent serve ended with ${code}: ${said.join('\n')}`)),
    );
  });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  return {
    url,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Nobody's own configuration takes part. */
function environment({ base }) {
  return {
    ...process.env,
    XDG_CONFIG_HOME: join(base, 'config'),
    XDG_STATE_HOME: join(base, 'state'),
    HOME: base,
  };
}

/** Makes a token, and returns it. */
export function newToken(docent, trees, name, args) {
  return execFileSync(docent, ['token', 'new', name, ...args], {
    env: environment(trees),
    encoding: 'utf8',
    // It says there, for people, that it is shown this once.
    stdio: ['ignore', 'pipe', 'pipe'],
  })
    .trim()
    .split('\n')
    .at(-1)
    .trim();
}

/** Calls a tool as an agent does, and returns the text that it is sent. */
export async function asAgent(url, tool, args, token) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-06-18',
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: args },
    }),
  });
  const answer = JSON.parse((await response.text()).replace(/^[\s\S]*?data: (?=\{)/, ''));
  if (!answer.result || answer.result.isError) throw new Error(JSON.stringify(answer));
  return answer.result.content[0].text;
}
