// What each view shows.

import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { accessible, count, open, settled } from './browser.mjs';
import { asAgent, serve } from './server.mjs';

const text = (page, selector) => page.locator(selector).first().innerText();
const hrefs = (page, selector) =>
  page.locator(selector).evaluateAll((all) => all.map((one) => one.getAttribute('href')));

export const views = {
  async 'no calls are said to be none'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/calls');
    assert.match(await text(it.page, '.notice'), /No calls yet[\s\S]*\/mcp/);
    await it.check();
    await it.close();
  },

  async 'the start tells what is there, before something is asked'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/');
    assert.equal(await it.page.locator('.examples a').count(), 3);
    const [docs, notes] = [0, 1].map((n) => it.page.locator('.granted').nth(n));
    await notes.locator('.newest').waitFor();
    // One call for each root, that looks at names alone.
    assert.equal(count(it.asked, '/api/call'), 2);
    const found = (
      await (
        await fetch(`${url}/api/call`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ tool: 'find_files', arguments: { limit: 1000 } }),
        })
      ).json()
    ).structured.matches;
    assert.match(
      await docs.innerText(),
      new RegExp(`docs\\s+read-only\\s+default[\\s\\S]*${found.length} files`),
    );
    const markdown = found.filter(({ path }) => path.toLowerCase().endsWith('.md')).length;
    assert.match(await docs.locator('.kinds').innerText(), new RegExp(`\\.md\\s+${markdown}`));
    assert.deepEqual(
      await docs
        .locator('.newest a')
        .evaluateAll((all) => all.map((one) => one.getAttribute('href'))),
      found
        .slice(0, 6)
        .map(({ path }) => `/read/docs/${path.split('/').map(encodeURIComponent).join('/')}`),
    );
    await docs.getByText('All directories and files').click();
    await docs.locator('.tree summary', { hasText: 'guide/' }).click();
    await docs.getByRole('link', { name: 'setup.md', exact: true }).last().waitFor();
    await docs.locator('.tree summary', { hasText: 'many/' }).click();
    await docs.getByRole('button', { name: 'Show more' }).click();
    await docs.getByRole('link', { name: '149.md', exact: true }).waitFor();
    await docs.locator('.kinds').getByRole('link', { name: '.py' }).click();
    await it.page.waitForURL(/mode=files&ext=py/);
    await it.go('/');
    assert.deepEqual(await it.page.locator('#root option').allInnerTexts(), ['docs', 'notes']);
    await it.check();
    await it.close();
  },

  async 'hits are links to their lines'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/?q=lantern');
    assert.match(await text(it.page, '.summary'), /^\d+ hits · \d+ files/);
    const to = await hrefs(it.page, '.hit');
    assert.ok(to.includes('/read/docs/guide/setup.md?line=7&q=lantern'), to.join('\n'));
    assert.deepEqual([...new Set(await it.page.locator('.hit mark').allInnerTexts())], ['lantern']);
    // Those of one line are one row, in which all of them are marked.
    assert.equal(new Set(to).size, to.length);
    const row = it.page.locator('.hit[href*="setup.md?line=7&"]');
    assert.equal(await row.locator('mark').count(), 2);
    assert.match(await row.innerText(), /Light the lantern first\. The lantern has to burn/);
    assert.match(await text(it.page, '.skipped'), /2 files could not/);
    await it.page.locator('.skipped summary').click();
    const skipped = (await it.page.locator('.skipped li').allInnerTexts()).join('\n');
    assert.match(skipped, /binary\.md/);
    assert.match(skipped, /damaged\.docx/);
    await it.check();
    await it.close();
  },

  async 'beside the hits stands what an agent is sent'({ browser, url }) {
    const it = await open(browser, url);
    // The pillars are on offer to agents; what reads is the same for both.
    await it.go('/?q=lantern&mode=explore');
    const sent = await it.page.locator('.agent pre').textContent();
    assert.equal(sent, await asAgent(url, 'explore', { query: 'lantern' }));
    const figures = await text(it.page, '.agent .figures');
    const bytes = Buffer.byteLength(sent ?? '');
    assert.match(
      figures,
      new RegExp(
        bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1).replace('.0', '')} kB`,
      ),
    );
    assert.match(figures, /Tokens\s+[\d,]+/);
    await it.check();
    await it.close();
  },

  async 'a call is copied as others make it'({ browser, url }) {
    const it = await open(browser, url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await it.go('/?q=lantern&path=guide%2F');
    const copied = async (name) => {
      await it.page.locator('.copies').getByRole('button', { name }).click();
      return it.page.evaluate(() => navigator.clipboard.readText());
    };
    const { params } = JSON.parse(await copied('MCP JSON'));
    assert.deepEqual(params, {
      name: 'search_documents',
      arguments: { query: 'lantern', path: 'guide/' },
    });
    const curl = await copied('curl');
    assert.equal(
      curl,
      `curl -H "Authorization: Bearer $DOCENT_TOKEN" '${url}/context?action=search&query=lantern&path=guide%2F'`,
    );
    assert.equal(
      await copied('Command line'),
      `docent call search_documents '{"query":"lantern","path":"guide/"}'`,
    );
    assert.match(await copied('Answer'), /^# Search Results/);
    await it.check();
    await it.close();
  },

  async 'hits that an answer has no room for are one step away'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/?q=beacon');
    assert.match(await text(it.page, '.summary'), /1,203 hits · 151 files/);
    await it.page.locator('.found .more a[href*=many]').last().click();
    await it.page.waitForURL(/path=/);
    await settled(it.page);
    assert.equal(await it.page.locator('.hit').count(), 1);
    assert.equal(await it.page.locator('.hit mark').count(), 8);
    await it.check();
    await it.close();
  },

  async 'the next page comes behind the one before'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/?mode=files&path=many');
    const before = await it.page.locator('.found').count();
    await it.page.getByRole('button', { name: 'Show more' }).click();
    await it.page.waitForFunction((n) => document.querySelectorAll('.found').length > n, before);
    const paths = await it.page.locator('.found .path').allInnerTexts();
    assert.equal(new Set(paths).size, paths.length);
    await it.check();
    await it.close();
  },

  async 'questions, files and tags have views of their own'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/?q=how+do+I+light+the+lantern&mode=relevance');
    assert.match(await text(it.page, '.section .heading'), /Light|Setting up/);
    await it.go('/?q=lantern&mode=explore');
    assert.ok((await it.page.locator('.found .path').allInnerTexts()).includes('code/lamp.py'));
    assert.match(await text(it.page, '.found .content'), /lantern/);
    await it.go('/?mode=files&q=lamp');
    assert.deepEqual(await hrefs(it.page, '.found .name'), ['/read/docs/code/lamp.py']);
    await it.go('/?mode=files&path=guide');
    assert.equal(await it.page.locator('.found').count(), 2);
    await it.go('/?mode=tags&q=setup');
    assert.deepEqual(await hrefs(it.page, '.found .name'), ['/read/docs/guide/setup.md']);
    await it.check();
    await it.close();
  },

  async 'the box takes a path and kinds of files'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/');
    await it.page.fill('#q', 'path:guide/ ext:md lantern');
    await it.page.press('#q', 'Enter');
    await it.page.waitForURL(`${url}/?q=lantern&path=guide%2F&ext=md`);
    await settled(it.page);
    assert.ok(
      (await it.page.locator('.found .path').allInnerTexts()).every((path) =>
        path.startsWith('guide/'),
      ),
    );
    await it.page.locator('.chip').first().click();
    await it.page.waitForURL(`${url}/?q=lantern&ext=md`);
    await it.check();
    await it.close();
  },

  async 'a document is rendered with its outline'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/read/docs/guide/setup.md?q=lantern');
    assert.equal(await text(it.page, 'h1'), 'Setting up');
    assert.deepEqual(await it.page.locator('.outline a').allInnerTexts(), [
      'Setting up',
      'Tools',
      'Light',
    ]);
    assert.match(await text(it.page, '.rendered'), /a comment that agents read/);
    assert.equal(await it.page.locator('.rendered img').count(), 0);
    assert.match(await text(it.page, '.hits-nav'), /1 of 3/);
    await it.page.getByRole('link', { name: 'trouble' }).click();
    await it.page.waitForURL(`${url}/read/docs/guide/trouble.md`);
    await it.check();
    await it.close();
  },

  async 'documents that are no text are shown by what they say'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/read/docs/office/minutes.docx');
    assert.equal(await text(it.page, '.rendered .level-1'), 'Minutes');
    assert.match(await text(it.page, '.rendered'), /The lamplighter\. <img src=x onerror/);
    assert.equal(await it.page.locator('.rendered img').count(), 0);
    await it.go('/read/docs/office/oil.xlsx');
    // The number of the row stands before its cells.
    assert.deepEqual(await it.page.locator('.rendered td').allInnerTexts(), [
      '2',
      'May',
      '<script>window.__pwned=1</script>',
    ]);
    await it.go('/read/docs/office/plan.pdf?view=source');
    assert.match(await text(it.page, '.rows, main'), /The plan of the lamplighter/);
    await it.go('/?q=lamplighter');
    await it.page.waitForSelector('.hit, article');
    const found = await text(it.page, 'main');
    assert.match(found, /minutes\.docx/);
    assert.match(found, /plan\.pdf/);
    await it.go('/read/docs/office/damaged.docx');
    assert.match(await text(it.page, 'main'), /cannot be read|damaged|broken/i);
    assert.equal(await it.page.evaluate(() => globalThis.__pwned), undefined);
    await it.check();
    await it.close();
  },

  async 'lines are numbered as in the file'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/read/docs/guide/setup.md?view=source&line=7');
    assert.equal(await text(it.page, '.row.here .number'), '7');
    assert.match(await text(it.page, '.row.here code'), /^Light the lantern/);
    await it.go('/read/docs/code/lamp.py');
    assert.deepEqual(await it.page.locator('.row code').allInnerTexts(), [
      'def light():',
      '    return "lantern"',
    ]);
    await it.check();
    await it.close();
  },

  async 'a long text is shown in parts'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/read/docs/long/lines.txt');
    assert.match(await text(it.page, '.pages'), /Lines 1–[\d,]+ of 30,000/);
    await it.page.locator('.pages').first().getByRole('link', { name: 'Continue reading' }).click();
    await it.page.waitForURL(/lines=\d+-30000/);
    await settled(it.page);
    await it.go('/read/docs/long/lines.txt?line=20000');
    assert.match(await text(it.page, '.row.here'), /line 20000 of/);
    await it.check();
    await it.close();
  },

  async 'calls are listed, shown and repeated'({ browser, url }) {
    const it = await open(browser, url);
    await asAgent(url, 'explore', { query: 'wick' });
    await it.go('/calls');
    const first = it.page.locator('tbody tr').first();
    assert.match(await first.innerText(), /explore\s+\{"query":"wick"\}\s+answered/);
    await asAgent(url, 'find_files', { glob: '**/*.py' });
    await it.page.waitForFunction(() =>
      /find_files/.test(document.querySelector('tbody tr')?.textContent ?? ''),
    );
    await it.page.locator('tbody tr', { hasText: '"wick"' }).first().getByRole('link').click();
    await it.page.waitForURL(/\/calls\/\d+$/);
    await settled(it.page);
    assert.equal(
      await it.page.locator('#call-panel pre').textContent(),
      await asAgent(url, 'explore', { query: 'wick' }),
    );
    await it.page.getByRole('tab', { name: 'Request' }).click();
    assert.deepEqual(JSON.parse((await it.page.locator('#call-panel pre').textContent()) ?? ''), {
      query: 'wick',
    });
    await it.page.getByRole('link', { name: 'Repeat in Search' }).click();
    await settled(it.page);
    assert.equal(it.page.url(), `${url}/?q=wick&mode=explore`);
    await it.go('/calls/999999');
    assert.match(await text(it.page, '.notice'), /no longer kept/);
    await it.check();
    await it.close();
  },

  async 'a server without a log says how to keep one'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/log');
    assert.match(await text(it.page, '.notice'), /No access log is kept[\s\S]*--log DIR/);
    await it.check();
    await it.close();
  },

  async 'a log tells who was shown what, and whether it is whole'({ browser, url }) {
    const it = await open(browser, url);
    const entry = {
      seq: 12,
      time: '2026-11-23T07:00:00.000Z',
      who: 'ann',
      client: 'a client',
      tool: 'explore',
      outcome: 'answered',
      ms: 7,
      opened: 1,
      files: [{ root: 'docs', path: 'guide/setup.md' }],
      refused: [{ root: 'docs', path: '.env', why: 'sensitive' }],
      memory: 2,
    };
    let seal = { intact: 12, broken: null, signed: '2026-11-23T07:00:00.000Z', anchored: 10 };
    const asked = [];
    await it.page.route('**/api/log*', (route) => {
      asked.push(new URL(route.request().url()).search);
      return route.fulfill({ json: { enabled: true, seal, entries: [entry], before: 12 } });
    });
    await it.go('/log?root=docs&path=guide/setup.md');
    assert.deepEqual(asked, ['?root=docs&path=guide%2Fsetup.md']);
    assert.match(
      await text(it.page, '.seal'),
      /Intact up to entry 12 · signed .* · anchored up to entry 10/,
    );
    assert.match(
      await text(it.page, '.entry'),
      /12[\s\S]*ann a client[\s\S]*docs\/\.env: This file is never opened\s*docs\/guide\/setup\.md[\s\S]*of 2 earlier calls/,
    );
    await accessible(it.page, 'a log');
    await it.page.getByLabel('Who').fill('ann');
    await it.page.keyboard.press('Enter');
    await it.page.waitForURL(/who=ann/);
    seal = { intact: 4, broken: 5, signed: '', anchored: 0 };
    await it.go('/log');
    assert.match(
      await text(it.page, '.notice.bad'),
      /Entry 5 does not match[\s\S]*docent log verify/,
    );
    await it.check();
    await it.close();
  },

  async 'the log of a server shows its own calls with their files'({ browser, docent, trees }) {
    const server = await serve(docent, trees, ['--log', join(trees.base, 'own-log')]);
    try {
      const it = await open(browser, server.url);
      await it.page.goto(`${server.url}/read/docs/guide/setup.md`);
      await settled(it.page);
      await it.page.goto(`${server.url}/log?root=docs&path=guide/setup.md`);
      await it.page.waitForSelector('.entry');
      assert.match(await text(it.page, '.entries'), /local page[\s\S]*docs\/guide\/setup\.md/);
      assert.match(
        await text(it.page, '.seal'),
        /Intact up to entry \d+ · .*protected only by the key of this machine/,
      );
      await it.check();
      await it.close();
    } finally {
      await server.stop();
    }
  },

  async 'changes are shown and undone'({ browser, url, trees }) {
    const it = await open(browser, url);
    await it.go('/log?changes');
    assert.match(await text(it.page, '.notice'), /No changes/);
    assert.equal(await text(it.page, '.tabs [aria-current=page]'), 'Changes');
    await asAgent(url, 'write', {
      root: 'notes',
      path: 'new.md',
      content: '# New\n',
      note: 'for the test',
    });
    assert.ok(existsSync(join(trees.notes, 'new.md')));
    await it.go('/log?changes=1&root=notes');
    assert.match(
      await text(it.page, '.operation'),
      /write[\s\S]*for the test[\s\S]*created[\s\S]*new\.md[\s\S]*\+1/,
    );
    await it.page.getByText('Differences').click();
    await it.page.waitForSelector('.difference');
    assert.equal(await text(it.page, '.difference'), '@@ -0,0 +1 @@\n+# New\n');
    assert.equal(await it.page.locator('.difference .added').count(), 1);
    await it.check();
    await it.page.getByRole('button', { name: /^Undo/ }).click();
    await it.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    assert.ok(existsSync(join(trees.notes, 'new.md')));
    await it.page.getByRole('button', { name: /^Undo/ }).click();
    await it.page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await it.page.waitForSelector('.operation.undone');
    assert.ok(!existsSync(join(trees.notes, 'new.md')));
    await it.check();
    const change = { root: 'notes', path: 'b.md', content: '<b>one</b>\ntwo\n' };
    await asAgent(url, 'write', change);
    await asAgent(url, 'write', {
      ...change,
      content: '<b>one</b>\nthree\n',
      ifExists: 'overwrite',
    });
    writeFileSync(join(trees.notes, 'b.md'), 'of another program\n');
    await it.go('/log?changes=1&root=notes');
    await it.page.getByText('Differences').first().click();
    await it.page.waitForSelector('.differences .dim');
    assert.match(await text(it.page, '.differences'), /b\.md[\s\S]*cannot be shown/);
    const before = it.page.locator('.operation').nth(1);
    await before.getByText('Differences').click();
    await before.locator('.difference').waitFor();
    assert.match(await before.locator('.difference').innerText(), /\+<b>one<\/b>\n\+two\n/);
    await it.check();
    await it.close();
  },

  async 'about tells roots, rights, limits and the component'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/about');
    await it.page.waitForSelector('.about td.number');
    const about = await text(it.page, '.about');
    assert.match(about, /docs\s+read-only\s+default[\s\S]*notes\s+read and write/);
    assert.match(about, /SHA-256\s+[0-9a-f]{64}/);
    await it.page.getByText('15 imports').click();
    assert.match(await text(it.page, '.about details'), /wasi:filesystem\/types@0\.2\.6/);
    await it.check();
    await it.close();
  },
};
