// Any document opens, whatever is in it, and any directory.

import assert from 'node:assert/strict';

import { open, settled } from './browser.mjs';
import { SIGNS, STEERING_NAMES } from './documents.mjs';

const text = (page, selector) => page.locator(selector).first().innerText();

/** How many elements an article has, and how deep they are in each other. */
function measured(page) {
  return page.locator('article').evaluate((article) => {
    let deepest = 0;
    for (const element of article.querySelectorAll('*')) {
      let depth = 0;
      for (let at = element; at !== article; at = /** @type {Element} */ (at.parentElement))
        depth += 1;
      deepest = Math.max(deepest, depth);
    }
    return { elements: article.querySelectorAll('*').length, deepest, width: article.scrollWidth };
  });
}

/** Reads a document to its end, and returns its parts. */
async function readOn(page, most) {
  const parts = [];
  for (let n = 0; n < most; n += 1) {
    await settled(page);
    parts.push(await page.locator('article').textContent());
    const next = page.locator('.pages').first().getByRole('link', { name: 'Continue reading' });
    if (!(await next.count())) return parts;
    const before = page.url();
    await next.click();
    await page.waitForURL((now) => String(now) !== before);
  }
  return parts;
}

export const reading = {
  async 'a line of any length is read to its end, in pieces'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/read/docs/long/end.txt?line=2');
    assert.match(await text(it.page, '.note'), /too long to be shown at once/);
    const parts = await readOn(it.page, 12);
    assert.ok(parts.length > 2, String(parts.length));
    const all = parts.join('');
    assert.ok(all.includes('the-very-end'));
    assert.ok(all.includes('behind it'));
    assert.equal(all.split('no-blank-').length - 1 >= 19990, true);
    // Each piece has an address of its own.
    const last = await it.page.locator('article').textContent();
    await it.page.reload();
    await settled(it.page);
    assert.equal(await it.page.locator('article').textContent(), last);
    await it.page.locator('.pages').first().getByRole('link', { name: 'From the start' }).click();
    await it.page.waitForURL(`${url}/read/docs/long/end.txt`);
    await it.check();
    await it.close();
  },

  async 'a line that no answer has room for is shown too'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/read/docs/long/packed.json');
    assert.match(await text(it.page, 'article code'), /^\{"all":\["item"/);
    assert.equal(await it.page.locator('.notice').count(), 0);
    await it.page.locator('.pages').first().getByRole('link', { name: 'Continue reading' }).click();
    await it.page.waitForURL(/piece=/);
    await settled(it.page);
    assert.match(await text(it.page, 'article code'), /item/);
    assert.ok(((await it.page.locator('.agent pre').textContent()) ?? '').length <= 200_000);
    await it.check();
    await it.close();
  },

  async 'what would fill the page many times over is bounded, and that is told'({ browser, url }) {
    const it = await open(browser, url);
    for (const [path, note] of [
      ['deep/quotes.md', /nested too deeply/],
      ['deep/signs.md', /nested too deeply/],
      ['deep/columns.md', /the source is shown: the document has too many elements/],
    ]) {
      await it.go(`/read/docs/${path}`);
      await it.page.waitForSelector('article');
      assert.match(await text(it.page, '.note'), note, path);
      const { elements, deepest, width } = await measured(it.page);
      assert.ok(elements < 13_000 && deepest < 60, `${path}: ${elements} ${deepest}`);
      const body = await it.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(body <= 1280 && width < 4000, `${path} is ${body} wide`);
    }
    await it.go('/read/docs/deep/quotes.md');
    assert.match(await text(it.page, 'article'), /the bottom/);
    await it.go('/read/docs/long/short-lines.txt');
    assert.equal(await it.page.locator('.row').count(), 5000);
    await it.page.locator('.pages').first().getByRole('link', { name: 'Continue reading' }).click();
    await it.page.waitForURL(/lines=5001-/);
    await settled(it.page);
    assert.equal(await text(it.page, '.row .number'), '5001');
    await it.check();
    await it.close();
  },

  async 'what is not opened is told in words for people'({ browser, url }) {
    const it = await open(browser, url);
    for (const [path, words] of [
      ['places/picture.png', /not text[\s\S]*such as a picture/],
      ['binary.md', /not text/],
      ['office/damaged.docx', /cannot be read[\s\S]*damaged/],
      ['.env', /never opened[\s\S]*secrets/],
      ['gone.md', /Not found/],
    ]) {
      await it.go(`/read/docs/${path}`);
      const told = await text(it.page, '.notice');
      assert.match(told, words, path);
      assert.doesNotMatch(told, /maxTokens|allow[A-Z]|search_|list_documents|find_files/, path);
    }
    const korean = await open(browser, url, { locale: 'ko-KR' });
    await korean.go('/read/docs/places/picture.png');
    assert.match(await text(korean.page, '.notice'), /텍스트가 아닙니다/);
    await korean.close();
    await it.check();
    await it.close();
  },

  async 'a directory has an address, with and without a slash'({ browser, url }) {
    const it = await open(browser, url);
    for (const path of ['/read/docs/guide/', '/read/docs/guide']) {
      await it.page.goto(url + path);
      await it.page.waitForSelector('.tree');
      assert.equal(it.page.url(), `${url}/read/docs/guide/`);
      await it.page.getByRole('link', { name: 'setup.md' }).waitFor();
    }
    for (const path of ['/read/docs', '/read/docs/']) {
      await it.go(path);
      await it.page.locator('.tree summary', { hasText: 'guide/' }).waitFor();
      await it.page.getByRole('link', { name: 'plain.txt' }).waitFor();
    }
    await it.go('/read/docs/places/links.md');
    await it.page.getByRole('link', { name: 'guide' }).click();
    await it.page.waitForURL(`${url}/read/docs/guide/`);
    await it.page.goBack();
    await it.page.getByRole('link', { name: 'many' }).click();
    await it.page.waitForURL(`${url}/read/docs/many/`);
    await it.page.waitForSelector('.leaf');
    assert.ok((await it.page.locator('.leaf').count()) <= 100);
    await it.page.getByRole('button', { name: 'Show more' }).click();
    await it.page.waitForFunction(() => document.querySelectorAll('.leaf').length === 150);
    await it.go('/read/docs/nowhere/');
    assert.match(await text(it.page, '.notice'), /Not found/);
    await it.go('/read/nowhere/');
    assert.match(await text(it.page, '.notice'), /no such root/);
    await it.check();
    await it.close();
  },

  async 'names that steer are shown as on the terminal, wherever they stand'({ browser, url }) {
    const it = await open(browser, url);
    const steers = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;
    /** All that is shown of a page, or told of it. */
    const told = () =>
      it.page.evaluate(() => {
        const parts = [document.title, document.body.innerText];
        for (const element of document.querySelectorAll('*'))
          for (const name of ['title', 'aria-label', 'placeholder'])
            parts.push(element.getAttribute(name) ?? '');
        return parts.join('\n');
      });
    const paths = [
      '/?q=helmsman',
      '/?q=helmsman&mode=relevance',
      '/?q=helmsman&mode=explore',
      '/?mode=files&path=steering',
      '/read/docs/steering/',
      '/calls',
      ...Object.keys(STEERING_NAMES).map(
        (name) => `/read/docs/steering/${encodeURIComponent(name)}`,
      ),
    ];
    for (const path of paths) {
      await it.go(path);
      if (path.endsWith('/')) await it.page.waitForSelector('.leaf');
      const all = await told();
      assert.doesNotMatch(all, steers, path);
      if (path !== '/calls') assert.match(all, /\\u\{/, path);
    }
    for (const [name, shown] of Object.entries(STEERING_NAMES)) {
      await it.go('/read/docs/steering/');
      await it.page.getByRole('link', { name: shown, exact: true }).click();
      await it.page.waitForSelector('article.rendered');
      assert.ok(decodeURIComponent(it.page.url()).endsWith(name));
      assert.ok((await told()).includes(shown), shown);
      // A field shows it so as well, and what it says is the name.
      const place = new URLSearchParams({ q: 'helmsman', path: `steering/${name}` });
      await it.go(`/?${place}`);
      assert.ok((await it.page.inputValue('#q')).includes(shown), shown);
      assert.equal(await it.page.locator('.hit').count(), 1);
      await it.page.press('#q', 'Enter');
      await settled(it.page);
      assert.equal(new URL(it.page.url()).searchParams.get('path'), `steering/${name}`);
      const args = { root: 'docs', path: `steering/${name}`, query: 'helmsman' };
      await it.go(
        `/?${new URLSearchParams({ tool: 'search_documents', args: JSON.stringify(args) })}`,
      );
      const json = await it.page.inputValue('#args');
      assert.doesNotMatch(json, steers);
      assert.deepEqual(JSON.parse(json), args);
    }
    await it.check();
    await it.close();
  },

  async 'both languages of the program show the same signs'({ browser, url }) {
    const it = await open(browser, url);
    const answer = await fetch(`${url}/api/render`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ root: 'docs', path: 'signs.md' }),
    });
    const { html, nextLines } = (await answer.json()).document;
    assert.equal(nextLines ?? null, null);
    await it.go('/about');
    const [program, page] = await it.page.evaluate(async ([lines, rendered]) => {
      const { visible } = await import(`${location.origin}/assets/visible.js`);
      const [, code] = /<code>([^]*)\n<\/code>/.exec(rendered) ?? [];
      const signs = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
      const plain = (code ?? '').replace(/&[#\w]+;/g, (sign) => signs[sign]);
      return [plain.split('\n'), lines.map(visible)];
    }, /** @type {[string[], string]} */ ([SIGNS, html]));
    assert.ok(page.length > 50);
    assert.deepEqual(program, page);
    await it.check();
    await it.close();
  },
};
