// Runs the tests of the page, one after the other, against one server.

import { rmSync } from 'node:fs';

import { launch } from './browser.mjs';
import { makeDocuments } from './documents.mjs';
import { hands } from './hands.mjs';
import { looks } from './looks.mjs';
import { reading } from './reading.mjs';
import { records } from './records.mjs';
import { safety } from './safety.mjs';
import { serve } from './server.mjs';
import { states } from './states.mjs';
import { typed } from './typed.mjs';
import { views } from './views.mjs';

const [docent] = process.argv.slice(2);
const wanted = process.env.PAGE_TESTS ?? '';
const trees = makeDocuments();
const browser = await launch();
const server = await serve(docent, trees);
const world = { docent, trees, browser, url: server.url };
const failed = [];
let ran = 0;
try {
  // Views come first: the list of calls is empty only at the start.
  const all = {
    ...views,
    ...typed,
    ...reading,
    ...records,
    ...states,
    ...hands,
    ...safety,
    ...looks,
  };
  for (const [name, test] of Object.entries(all)) {
    if (!name.includes(wanted)) continue;
    const start = performance.now();
    ran += 1;
    try {
      await test(world);
      console.log(`ok   ${name} (${Math.round(performance.now() - start)} ms)`);
    } catch (error) {
      failed.push(name);
      console.log(`FAIL ${name}\n${error.stack ?? error}`);
    }
  }
} finally {
  await browser.close();
  await server.stop();
  rmSync(trees.base, { recursive: true, force: true });
}
console.log(`${ran - failed.length} of ${ran} tests of the page passed`);
process.exit(failed.length || !ran ? 1 : 0);
