// What was typed stays, whatever is chosen, and wherever somebody comes back from.

import assert from 'node:assert/strict';

import { open, settled } from './browser.mjs';

const mode = (page, name) =>
  page.getByRole('navigation', { name: 'Search mode' }).getByRole('link', { name });

const box = (page) => page.inputValue('#q');

export const typed = {
  async 'what was typed stays when a mode is chosen'({ browser, url }) {
    const it = await open(browser, url);
    const { page } = it;
    await it.go('/');
    // Chosen at once, before anything was searched for.
    await page.fill('#q', 'path:guide/ lantern');
    await mode(page, 'Question').click();
    await page.waitForURL(`${url}/?q=lantern&path=guide%2F&mode=relevance`);
    await settled(page);
    assert.equal(await box(page), 'path:guide/ lantern');
    await page.fill('#q', 'wick');
    await mode(page, 'Files').click();
    await page.waitForURL(`${url}/?q=wick&mode=files`);
    await settled(page);
    for (const name of ['Tags', 'All', 'Text']) {
      await mode(page, name).click();
      await settled(page);
      assert.equal(await box(page), 'wick', name);
    }
    await page.goBack();
    await page.waitForURL(`${url}/?q=wick&mode=explore`);
    await page.goBack();
    await page.goBack();
    await page.waitForURL(`${url}/?q=wick&mode=files`);
    await page.goBack();
    // As it was when it was left: with what was typed there.
    await page.waitForURL(`${url}/?q=wick&mode=relevance`);
    await settled(page);
    assert.equal(await box(page), 'wick');
    await page.goForward();
    await page.waitForURL(`${url}/?q=wick&mode=files`);
    await page.reload();
    await settled(page);
    assert.equal(await box(page), 'wick');
    assert.equal(await mode(page, 'Files').getAttribute('aria-current'), 'true');
    await it.check();
    await it.close();
  },

  async 'who goes back sees what stood in the box, also while it has the focus'({ browser, url }) {
    const it = await open(browser, url);
    const { page } = it;
    await it.go('/?q=lantern&path=guide');
    await page.getByRole('button', { name: 'Search outside of guide too' }).click();
    await page.waitForURL(`${url}/?q=lantern`);
    await settled(page);
    assert.equal(await box(page), 'lantern');
    await page.focus('#q');
    await page.goBack();
    await page.waitForURL(`${url}/?q=lantern&path=guide`);
    await settled(page);
    assert.equal(await box(page), 'path:guide lantern');
    await it.check();
    await it.close();
  },

  async 'what was typed in another view is searched for in Search'({ browser, url }) {
    const it = await open(browser, url);
    const { page } = it;
    await it.go('/about');
    await page.fill('#q', 'ext:md wick');
    await page.selectOption('#root', 'notes');
    await page.getByRole('link', { name: 'Search', exact: true }).click();
    await page.waitForURL(`${url}/?q=wick&root=notes&ext=md`);
    await settled(page);
    assert.equal(await box(page), 'ext:md wick');
    await page.getByRole('link', { name: 'docent', exact: true }).click();
    await page.waitForURL(`${url}/`);
    assert.equal(await box(page), '');
    await it.check();
    await it.close();
  },

  async 'arguments stay, in the form and as JSON, whatever is chosen'({ browser, url }) {
    const it = await open(browser, url);
    const { page } = it;
    await it.go('/?q=lantern');
    await mode(page, 'Tool').click();
    await settled(page);
    // It begins with the call that was just made.
    assert.equal(await page.inputValue('#tool'), 'search_documents');
    assert.deepEqual(JSON.parse(await page.inputValue('#args')), { query: 'lantern' });
    assert.equal(await page.inputValue('#arg-query'), 'lantern');
    await page.fill('#arg-query', 'wick');
    await page.selectOption('#arg-caseSensitive', 'true');
    await page.fill('#arg-extensions', 'md\ntxt');
    const said = { query: 'wick', caseSensitive: true, extensions: ['md', 'txt'] };
    assert.deepEqual(JSON.parse(await page.inputValue('#args')), said);
    await page.fill('#args', '{"query": "oil", "limit": 3, "unknown": [1]}');
    assert.equal(await page.inputValue('#arg-query'), 'oil');
    assert.equal(await page.inputValue('#arg-limit'), '3');
    assert.equal(await page.inputValue('#arg-caseSensitive'), '');
    await page.fill('#arg-limit', '4');
    const kept = { query: 'oil', limit: 4, unknown: [1] };
    assert.deepEqual(JSON.parse(await page.inputValue('#args')), kept);
    await mode(page, 'Files').click();
    await settled(page);
    assert.equal(await box(page), 'lantern');
    await mode(page, 'Tool').click();
    await settled(page);
    assert.deepEqual(JSON.parse(await page.inputValue('#args')), kept);
    await page.fill('#args', '{"query": "half');
    await mode(page, 'Text').click();
    await settled(page);
    await page.goBack();
    await settled(page);
    assert.equal(await page.inputValue('#args'), '{"query": "half');
    await page.reload();
    await settled(page);
    assert.equal(await page.inputValue('#args'), '{"query": "half');
    await it.check();
    await it.close();
  },

  async 'a form has what the schema of a tool has'({ browser, url }) {
    const it = await open(browser, url);
    const { page } = it;
    await it.go('/?tool=find_files&args={}');
    const { tools } = await (await fetch(`${url}/api/about`)).json();
    for (const { name, schema } of tools) {
      await page.selectOption('#tool', name);
      await page.waitForFunction(
        (wanted) => new URL(location.href).searchParams.get('tool') === wanted,
        name,
      );
      await settled(page);
      await page.waitForSelector('#args');
      const named = await page.locator('.formside > .fields > .argument').count();
      assert.equal(named, Object.keys(schema.properties ?? {}).length, name);
      for (const required of schema.required ?? [])
        assert.match(
          await page.locator('.argument', { has: page.locator(`#arg-${required}`) }).innerText(),
          /required/,
          `${name} ${required}`,
        );
    }
    await page.selectOption('#tool', 'find_files');
    await settled(page);
    await page.selectOption('#arg-sort', 'path-asc');
    await page.fill('#arg-glob', '**/*.py');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.waitForURL(/path-asc/);
    await page.waitForSelector('.out pre');
    assert.match(await page.locator('.out pre').innerText(), /code\/lamp\.py/);
    await it.check();
    await it.close();
  },
};
