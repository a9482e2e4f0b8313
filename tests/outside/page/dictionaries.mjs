// Both dictionaries say the same things, with the same words left open.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const assets = new URL('../../../host/program/src/serve/http/routes/page/assets/', import.meta.url).pathname;

/** Node takes a file for a module by its name or by its package, and these have neither. */
async function dictionary(name) {
  const text = readFileSync(join(assets, name), 'utf8');
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)).default;
}

const [en, ko] = await Promise.all(['en.js', 'ko.js'].map(dictionary));
assert.deepEqual(Object.keys(ko).sort(), Object.keys(en).sort());
const open = (phrase) => [...new Set(JSON.stringify(phrase).match(/\{\w+\}/g))].sort();
for (const key of Object.keys(en)) {
  assert.deepEqual(open(ko[key]), open(en[key]), key);
  assert.ok(JSON.stringify(ko[key]).length > 2, key);
}

// What is asked for by name is there, and nothing is there that nobody asks for.
const code = readdirSync(assets)
  .filter((name) => /\.(js|html)$/.test(name) && !['en.js', 'ko.js'].includes(name))
  .map((name) => readFileSync(join(assets, name), 'utf8'))
  .join('\n');
const named = [...code.matchAll(/\bt\('([^']+)'|data-t(?:-\w+)?="([^"]+)"/g)].map(
  (found) => found[1] ?? found[2],
);
for (const key of named) assert.ok(key in en, `no words for ${key}`);
const begun = [...code.matchAll(/\bt\(`([\w.]*)\$\{/g)].map((found) => found[1]).filter(Boolean);
const computed = [...begun, 'example.', 'undo', 'redo'];
for (const key of Object.keys(en)) {
  assert.ok(
    named.includes(key) ||
      computed.some((start) => key.startsWith(start)) ||
      code.includes(`'${key}'`),
    `nobody says ${key}`,
  );
}
console.log(`dictionaries: ${Object.keys(en).length} phrases, ok`);
