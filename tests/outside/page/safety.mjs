// What documents and other pages try, and do not get.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';

import { launch, open } from './browser.mjs';
import { CANARY, HOSTILE, HOSTILE_NAMES } from './documents.mjs';

/** What may stand in a rendered document, as a browser understood it. */
const ALLOWED = {
  '*': ['class', 'data-line', 'tabindex'],
  a: ['href', 'target', 'rel', 'data-to'],
  ol: ['start'],
  mark: [],
  ...Object.fromEntries(['h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, ['data-anchor']])),
  ...Object.fromEntries(
    [
      'p',
      'pre',
      'code',
      'blockquote',
      'ul',
      'li',
      'div',
      'span',
      'table',
      'thead',
      'tbody',
      'tr',
      'th',
      'td',
      'em',
      'strong',
      'del',
      'sup',
      'br',
      'hr',
    ].map((name) => [name, []]),
  ),
};

/** Returns what is in the document that may not be there. */
function foreign(page) {
  return page.evaluate((allowed) => {
    const found = [];
    for (const element of document.querySelectorAll('article.rendered *')) {
      const name = element.tagName.toLowerCase();
      if (!(name in allowed)) found.push(`<${name}>`);
      for (const { name: attribute } of element.attributes) {
        if (![...allowed['*'], ...(allowed[name] ?? [])].includes(attribute))
          found.push(`${name} ${attribute}`);
      }
      const link = /** @type {HTMLAnchorElement} */ (element);
      if (name !== 'a' || !link.hasAttribute('href')) continue;
      const isHere = link.origin === location.origin && link.pathname.startsWith('/read/');
      const isElsewhere =
        ['http:', 'https:', 'mailto:'].includes(link.protocol) &&
        /noopener noreferrer/.test(link.rel) &&
        link.target === '_blank';
      if (!isHere && !isElsewhere) found.push(`a ${link.href}`);
    }
    return found;
  }, ALLOWED);
}

export const safety = {
  async 'hostile documents stay text'({ browser, url }) {
    const it = await open(browser, url);
    for (let n = 0; n < HOSTILE.length; n += 1) {
      await it.go(`/read/docs/hostile/${n}.md?q=hostile`);
      await it.page.waitForSelector('article.rendered');
      assert.deepEqual(await foreign(it.page), [], HOSTILE[n]);
      for (const link of await it.page.locator('article a[data-to]').all()) await link.hover();
      await it.page.keyboard.press('s');
      await it.page.waitForSelector('article.source');
      await it.check(HOSTILE[n]);
    }
    await it.close();
  },

  async 'hostile names and headings stay text in every list'({ browser, url }) {
    const it = await open(browser, url);
    for (const path of [
      '/?q=hostile',
      '/?q=hostile&mode=relevance',
      '/?mode=files&path=names',
      '/?mode=files&path=hostile',
      '/read/docs/names/',
      '/read/docs/hostile',
      '/',
      '/?tool=explore&args=%7B%22paths%22%3A%5B%22names%22%5D%7D',
      '/calls',
    ]) {
      await it.go(path);
      assert.equal(
        await it.page
          .locator('main :is(script, img, svg, iframe, style, base, link, object, embed)')
          .count(),
        0,
        path,
      );
      await it.check(path);
    }
    for (const name of HOSTILE_NAMES) {
      await it.go('/?mode=files&path=names');
      await it.page.getByRole('link', { name }).click();
      await it.page.waitForSelector('article.rendered, .notice');
      assert.equal(await it.page.locator('article.rendered').count(), 1, name);
      assert.deepEqual(await foreign(it.page), [], name);
      await it.check(name);
    }
    await it.go(`/?q=${encodeURIComponent(HOSTILE[0])}`);
    await it.go(
      `/?path=${encodeURIComponent(HOSTILE[1])}&ext=${encodeURIComponent(HOSTILE[2])}&q=x&root=${encodeURIComponent(HOSTILE[3])}`,
    );
    await it.go(`/?tool=${encodeURIComponent(HOSTILE[0])}&args=${encodeURIComponent(HOSTILE[1])}`);
    await it.check();
    await it.close();
  },

  async 'every answer is guarded'({ url }) {
    for (const path of [
      '/',
      '/calls',
      '/read/docs/a.md',
      '/read/docs/',
      '/assets/main.js',
      '/assets/app.css',
    ]) {
      const { headers } = await fetch(url + path);
      assert.match(
        headers.get('content-security-policy') ?? '',
        /^default-src 'none';.*require-trusted-types-for 'script'/,
        path,
      );
      assert.ok(!/unsafe/.test(headers.get('content-security-policy') ?? ''));
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
      assert.equal(headers.get('access-control-allow-origin'), null);
      const again = await fetch(url + path, {
        headers: { 'If-None-Match': headers.get('etag') ?? '' },
      });
      assert.equal(again.status, 304, path);
    }
    for (const path of [
      '/nothing',
      '/index.html',
      '/changes',
      '/read',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-authorization-server',
      '/api',
      '/api/nothing',
    ]) {
      const response = await fetch(url + path);
      assert.equal(response.status, 404, path);
      assert.ok(!/<html/i.test(await response.text()), path);
    }
  },

  async 'a policy stops what a mistake would let through'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/');
    const stopped = await it.page.evaluate(async () => {
      const results = [];
      try {
        document.body.innerHTML = '<img src=x onerror=window.__pwned=1>';
        results.push('markup');
      } catch {
        /* as it should */
      }
      try {
        /** @type {any} */ (window).trustedTypes.createPolicy('other', {});
        results.push('policy');
      } catch {
        /* as it should */
      }
      const script = document.createElement('script');
      try {
        script.textContent = 'window.__pwned=1';
        document.body.append(script);
      } catch {
        /* as it should */
      }
      return results;
    });
    assert.deepEqual(stopped, []);
    assert.equal(await it.page.evaluate(() => /** @type {any} */ (window).__pwned), undefined);
    await it.close();
  },

  async 'a name that leads here by rebinding reads nothing'({ url }) {
    const port = new URL(url).port;
    const browser = await launch(['--host-resolver-rules=MAP evil.test 127.0.0.1']);
    try {
      const page = await browser.newPage();
      const response = await page.goto(`http://evil.test:${port}/`);
      assert.equal(response?.status(), 403);
      assert.match((await response?.text()) ?? '', /--allow-host/);
      const got = await page.evaluate(
        async (canary) => {
          const ask = async (path, options) => (await fetch(path, options)).text().catch(String);
          const texts = await Promise.all([
            ask(`/context?action=search&query=${canary}`),
            ask('/api/about'),
            ask('/api/calls'),
            ask('/api/call', {
              method: 'POST',
              headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify({ tool: 'search_documents', arguments: { query: canary } }),
            }),
            ask('/mcp', {
              method: 'POST',
              headers: {
                'Content-Type': 'application/json',
                Accept: 'application/json, text/event-stream',
              },
              body: JSON.stringify({
                jsonrpc: '2.0',
                id: 1,
                method: 'tools/call',
                params: { name: 'explore', arguments: { query: canary } },
              }),
            }),
          ]);
          return texts.join('\n');
        },
        CANARY.slice(0, 6),
      );
      assert.ok(!got.includes(CANARY) && !got.includes('"roots"'), got);
    } finally {
      await browser.close();
    }
  },

  async 'a page of another origin reads nothing and shows nothing'({ browser, url }) {
    const other = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(
        `<iframe src="${url}/"></iframe><script src="${url}/api/about"></script><img src="${url}/api/calls">`,
      );
    });
    await new Promise((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve(undefined));
    });
    const page = await browser.newPage();
    try {
      const { port } = /** @type {import('node:net').AddressInfo} */ (other.address());
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.waitForTimeout(500);
      const frames = page.frames().filter((frame) => frame.url().startsWith(url));
      for (const frame of frames) assert.equal(await frame.locator('#q').count(), 0);
      const got = await page.evaluate(async (base) => {
        const ask = (path, options) =>
          fetch(base + path, options)
            .then((it) => it.text())
            .catch(() => '');
        return (
          await Promise.all([
            ask('/api/about'),
            ask('/context?action=list'),
            ask('/api/call', {
              method: 'POST',
              headers: { 'Content-Type': 'application/json' },
              body: '{"tool":"get_config"}',
            }),
            ask('/api/call', { method: 'POST', body: '{"tool":"get_config"}' }),
          ])
        ).join('');
      }, url);
      assert.equal(got, '');
    } finally {
      await page.close();
      other.close();
    }
  },
};
