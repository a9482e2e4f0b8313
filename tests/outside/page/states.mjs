// What is shown where there is no answer.

import assert from 'node:assert/strict';
import { join } from 'node:path';

import { open, settled } from './browser.mjs';
import { newToken, serve } from './server.mjs';

const notice = (page) => page.locator('.notice').first().innerText();

/** Has the server answer otherwise. */
async function answered(browser, url, reply) {
  const it = await open(browser, url);
  await it.page.route('**/api/call', reply);
  await it.page.goto(`${url}/?q=lantern`);
  await it.page.waitForSelector('.notice');
  return it;
}

export const states = {
  async 'no hits offer what else could be asked'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/?q=zzqqxx&path=guide&case=1');
    assert.match(
      await notice(it.page),
      /No matches[\s\S]*2 documents were searched[\s\S]*Ignore case[\s\S]*whole root/,
    );
    await it.page.getByRole('link', { name: 'Search the whole root' }).click();
    await it.page.waitForURL(`${url}/?q=zzqqxx&case=1`);
    await it.check();
    await it.close();
  },

  async 'what a tool refuses is told in its words'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/?q=lantern&path=nowhere');
    assert.match(await notice(it.page), /nowhere/);
    await it.go(`/?q=${'x'.repeat(300)}`);
    assert.match(await notice(it.page), /300 characters/);
    await it.go('/read/docs/.env');
    assert.match(await notice(it.page), /never opened/);
    await it.go('/read/docs/gone.md');
    assert.match(await notice(it.page), /Not found/);
    await it.go('/read/docs/binary.md');
    assert.match(await notice(it.page), /not text/);
    await it.go('/read/nowhere/a.md');
    assert.match(await notice(it.page), /nowhere/);
    await it.check();
    await it.close();
  },

  async 'a tool is told what is wrong with its arguments'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/?tool=explore&args=%7B');
    assert.match(await it.page.locator('[role=alert]').innerText(), /not a JSON object/);
    await it.page.fill('#args', '{"nonsense": 1}');
    await it.page.getByRole('button', { name: 'Call', exact: true }).click();
    await it.page.waitForSelector('.notice');
    assert.match(await notice(it.page), /nonsense/);
    await it.go('/?tool=nothing');
    assert.match(await notice(it.page), /no such tool/);
    // An address may not write, whoever made it.
    await it.go(
      `/?${new URLSearchParams({ tool: 'write', args: '{"root":"notes","path":"x.md","content":"x"}' })}`,
    );
    assert.match(await notice(it.page), /This tool writes/);
    await it.check();
    await it.close();
  },

  async 'a server that is gone is tried again'({ browser, url }) {
    const it = await open(browser, url);
    await it.page.route('**/api/**', (route) => route.abort('failed'));
    await it.page.goto(`${url}/?q=lantern`);
    await it.page.waitForSelector('.notice');
    assert.match(await notice(it.page), /does not answer/);
    assert.match(await it.page.locator('#connection').innerText(), /No connection/);
    await it.page.unroute('**/api/**');
    await it.page.getByRole('button', { name: 'Try again' }).click();
    await it.page.waitForSelector('.found');
    assert.match(await it.page.locator('#connection').innerText(), /Connected/);
    await it.check();
    await it.close();
  },

  async 'a busy server is asked again by itself'({ browser, url }) {
    let times = 0;
    const it = await answered(browser, url, (route) => {
      times += 1;
      if (times > 1) return route.continue();
      return route.fulfill({
        status: 429,
        headers: { 'Retry-After': '2' },
        json: { error: { code: 'limit-reached', message: 'too many' } },
      });
    });
    assert.match(await notice(it.page), /Too many calls[\s\S]*2 seconds/);
    await it.page.waitForSelector('.found');
    await it.check();
    await it.close();
  },

  async 'a refused address and an error are told apart'({ browser, url }) {
    const host = await answered(browser, url, (route) =>
      route.fulfill({
        status: 403,
        body: 'host `x` is not allowed; the operator can allow it with `--allow-host x`',
      }),
    );
    assert.match(await notice(host.page), /refuses this address[\s\S]*--allow-host x/);
    await host.close();
    const error = await answered(browser, url, (route) =>
      route.fulfill({
        status: 500,
        json: { error: { code: 'internal-error', message: 'it broke', hint: 'mend it' } },
      }),
    );
    assert.match(await notice(error.page), /went wrong[\s\S]*it broke[\s\S]*mend it/);
    await error.check();
    await error.close();
  },

  async 'a slow call is shown and stopped'({ browser, url }) {
    const it = await open(browser, url);
    const aborted = it.page.waitForEvent('requestfailed');
    await it.page.route('**/api/call', () => {});
    await it.page.goto(`${url}/?q=lantern`);
    await it.page.waitForSelector('.running:not([hidden])');
    await it.page.getByRole('button', { name: 'Stop' }).click();
    await it.page.waitForSelector('.notice');
    assert.match(await notice(it.page), /Stopped/);
    await aborted;
    await it.check();
    await it.close();
  },

  async 'a token is asked for, kept out of addresses, and forgotten with the tab'({
    browser,
    docent,
    trees,
  }) {
    const file = join(trees.base, 'tokens.json');
    const token = newToken(docent, trees, 'ann', [
      '--root',
      'docs',
      '--right',
      'page',
      '--tokens',
      file,
    ]);
    const other = newToken(docent, trees, 'ben', ['--root', 'docs', '--tokens', file]);
    const server = await serve(docent, trees, ['--tokens', file]);
    try {
      const it = await open(browser, server.url);
      await it.page.goto(`${server.url}/?q=lantern`);
      await it.page.waitForSelector('#token');
      assert.match(await notice(it.page), /A token is needed[\s\S]*docent token new/);
      const use = async (text) => {
        await it.page.fill('#token', text);
        await it.page.getByRole('button', { name: 'Use token' }).click();
      };
      await use('dct_wrong');
      await it.page.waitForSelector('.notice .said');
      assert.match(await notice(it.page), /does not know this token/);
      await use(other);
      await it.page.waitForFunction(() =>
        /may not/.test(document.querySelector('.notice')?.textContent ?? ''),
      );
      await use(token);
      await it.page.waitForSelector('.found');
      // A root that it does not open is not there.
      assert.deepEqual(await it.page.locator('#root option').allInnerTexts(), ['docs']);
      await it.page.reload();
      await it.page.waitForSelector('.found');
      const fresh = await open(browser, server.url);
      await fresh.page.goto(`${server.url}/about#t=${token}`);
      await settled(fresh.page);
      assert.equal(fresh.page.url(), `${server.url}/about`);
      assert.match(await fresh.page.locator('.about').innerText(), /ann/);
      // A link from elsewhere does not switch what a tab may see, unless who uses it says so.
      const third = newToken(docent, trees, 'cat', [
        '--root',
        'notes',
        '--right',
        'page',
        '--tokens',
        file,
      ]);
      const dialog = fresh.page.getByRole('dialog');
      const who = () => fresh.page.locator('.about').innerText();
      for (const answer of ['Cancel', 'Use the new token']) {
        await fresh.page.evaluate((to) => {
          location.hash = `t=${to}`;
        }, third);
        await dialog.getByRole('button', { name: answer }).waitFor();
        assert.ok(!fresh.page.url().includes(third));
        assert.match(await who(), /ann/);
        await dialog.getByRole('button', { name: answer }).click();
        await settled(fresh.page);
        if (answer === 'Cancel') assert.match(await who(), /ann/);
      }
      await fresh.page.waitForFunction(() =>
        /cat/.test(document.querySelector('.about')?.textContent ?? ''),
      );
      await fresh.page.goto(`${server.url}/?q=list#t=${token}`);
      await dialog.waitFor();
      await fresh.page.keyboard.press('Escape');
      assert.deepEqual(await fresh.page.locator('#root option').allInnerTexts(), ['notes']);
      for (const request of [...it.asked, ...fresh.asked]) {
        assert.ok(!request.url().includes(token));
        assert.ok(!(request.headers().referer ?? '').includes(token));
      }
      assert.deepEqual(
        await fresh.page.evaluate(() => [document.cookie, Object.values(localStorage).join()]),
        ['', ''],
      );
      await it.check();
      await fresh.check();
      await it.close();
      await fresh.close();
    } finally {
      await server.stop();
    }
  },
};
