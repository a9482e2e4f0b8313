// The access log: read on any screen, told apart, and taken along.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { accessible, fits, open, settled } from './browser.mjs';
import { asAgent, serve } from './server.mjs';

/** An entry, as `/api/log` tells of it. */
function entry(seq, more = {}) {
  const files = Array.from({ length: 9 }, (_, n) => ({
    root: 'docs',
    path: `a-directory-of-some-length/another-one/file-${n}.md`,
  }));
  return {
    seq,
    time: '2026-11-23T07:00:00.000Z',
    who: 'continuous-integration',
    client: 'a-client-with-a-name 1.2.3',
    tool: 'summarize_document',
    outcome: 'answered',
    ms: 12,
    opened: 9,
    files,
    refused: [],
    memory: 0,
    ...more,
  };
}

const LOG = {
  enabled: true,
  seal: { intact: 12, broken: null, signed: '2026-11-23T07:00:00.000Z', anchored: 10 },
  before: null,
  entries: [
    entry(12),
    entry(11, {
      tool: 'explore',
      files: [],
      opened: 0,
      outcome: 'sensitive',
      refused: [{ root: 'docs', path: '.env', why: 'sensitive' }],
    }),
    entry(10, { opened: 700, memory: 3 }),
  ],
};

export const records = {
  async 'an entry is a few lines high on every screen, and its words stay whole'({ browser, url }) {
    for (const locale of ['en-US', 'ko-KR']) {
      for (const width of [360, 768, 1000, 1100, 1400]) {
        const it = await open(browser, url, { viewport: { width, height: 800 }, locale });
        await it.page.route('**/api/log*', (route) => route.fulfill({ json: LOG }));
        await it.go('/log');
        await fits(it.page, `log ${width}`);
        const rows = await it.page.locator('.entry').evaluateAll((entries) =>
          entries.map((one) => ({
            height: one.getBoundingClientRect().height,
            // A word that is cut has more boxes than one.
            cut: [...one.querySelectorAll('.seq, time, .tool, .outcome .tag')].filter((part) => {
              const range = document.createRange();
              range.selectNodeContents(part);
              return (
                new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1
              );
            }).length,
          })),
        );
        for (const { height, cut } of rows) {
          assert.ok(height <= (width < 500 ? 170 : 110), `${width}: ${height} high`);
          assert.equal(cut, 0, String(width));
        }
        await accessible(it.page, `log ${width} ${locale}`);
        await it.check();
        await it.close();
      }
    }
  },

  async 'the files of an entry are folded'({ browser, url }) {
    const it = await open(browser, url);
    await it.page.route('**/api/log*', (route) => route.fulfill({ json: LOG }));
    await it.go('/log');
    const first = it.page.locator('.entry').first();
    assert.equal(await first.getByRole('link').first().isVisible(), false);
    await first.getByText('9 files').click();
    assert.equal(await first.getByRole('link').count(), 9);
    assert.equal(await first.getByRole('link').first().isVisible(), true);
    assert.match(
      await it.page.locator('.entry').nth(1).innerText(),
      /docs\/\.env: This file is never opened/,
    );
    await it.page.locator('.entry').nth(2).locator('summary').click();
    assert.match(
      await it.page.locator('.entry').nth(2).innerText(),
      /700 files[\s\S]*and 691 more files[\s\S]*of 3 earlier calls/,
    );
    await it.check();
    await it.close();
  },

  async 'entries are told by time, tool and outcome, and saved'({ browser, docent, trees }) {
    const server = await serve(docent, trees, ['--log', join(trees.base, 'told-log')]);
    try {
      const { url } = server;
      await asAgent(url, 'explore', { query: 'lantern' });
      await asAgent(url, 'find_files', { glob: '**/*.py' });
      await asAgent(url, 'explore', { query: 'x'.repeat(300) }).catch(() => '');
      const it = await open(browser, url, { timezoneId: 'Asia/Seoul', acceptDownloads: true });
      const { page } = it;
      await it.go('/log?tool=explore');
      assert.equal(await page.locator('.entry').count(), 2);
      await page.selectOption('[name=outcome]', 'not-answered');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.waitForURL(/outcome=not-answered/);
      await settled(page);
      assert.equal(await page.locator('.entry').count(), 1);
      assert.match(await page.locator('.entry').innerText(), /cannot be searched for/);
      // Times are those of who looks.
      await it.go('/log?from=2020-01-01T00:00&to=2020-01-02T00:00');
      assert.match(await page.locator('.notice').innerText(), /No entries/);
      const asked = it.asked.map((request) => request.url()).filter((to) => to.includes('from='));
      assert.ok(
        asked.some((to) => decodeURIComponent(to).includes('from=2019-12-31T15:00:00.000Z')),
      );
      // What was typed is there again, though nothing was pressed.
      await it.go('/log');
      await page.fill('[name=path]', 'guide/setup.md');
      await page.focus('[name=who]');
      await page.reload();
      await settled(page);
      assert.equal(await page.inputValue('[name=path]'), 'guide/setup.md');
      await it.go('/log?tool=explore');
      const saved = async (name) => {
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name }).click();
        const file = await download;
        return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8')];
      };
      const [csvName, csv] = await saved(/^CSV/);
      assert.equal(csvName, 'docent-log.csv');
      assert.match(csv, /^\ufeff"entry","time","who"/);
      assert.equal(csv.trim().split('\r\n').length, 3);
      assert.ok(!csv.includes('find_files'));
      const [linesName, lines] = await saved(/^JSON Lines/);
      assert.equal(linesName, 'docent-log.jsonl');
      const entries = lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.equal(entries.length, 2);
      assert.ok(lines.includes('lantern'));
      await it.check();
      await it.close();
    } finally {
      await server.stop();
    }
  },

  async 'names that steer are shown in the log as on the terminal'({ browser, url }) {
    const it = await open(browser, url);
    const path = 'oil\u202egnp.exe.md';
    const log = {
      ...LOG,
      entries: [entry(3, { who: 'a\u2066b', files: [{ root: 'docs', path }], opened: 1 })],
    };
    await it.page.route('**/api/log*', (route) => route.fulfill({ json: log }));
    await it.go('/log');
    const row = it.page.locator('.entry');
    assert.match(await row.innerText(), /a\\u\{2066\}b[\s\S]*docs\/oil\\u\{202e\}gnp\.exe\.md/);
    const to = await row.getByRole('link').getAttribute('href');
    assert.equal(to, `/read/docs/${encodeURIComponent(path)}`);
    await it.check();
    await it.close();
  },
};
