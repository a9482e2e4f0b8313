// Keys, composed letters, reloading, and two languages.

import assert from 'node:assert/strict';

import { calls, open, settled } from './browser.mjs';

const focused = (page) =>
  page.evaluate(
    () => document.activeElement?.getAttribute('href') ?? document.activeElement?.id ?? '',
  );

export const hands = {
  async 'everything is reached by keys'({ browser, url }) {
    const it = await open(browser, url);
    const { page } = it;
    await it.go('/');
    await page.keyboard.press('/');
    assert.equal(await focused(page), 'q');
    await page.keyboard.type('lantern');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.found');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    const first = await focused(page);
    assert.match(first, /^\/read\/docs\//);
    await page.keyboard.press('j');
    assert.notEqual(await focused(page), first);
    await page.keyboard.press('k');
    assert.equal(await focused(page), first);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/read\//);
    await page.waitForSelector('.body article');
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');
    await page.keyboard.press('s');
    await page.waitForSelector('.source');
    await page.keyboard.press('s');
    await page.waitForSelector('.rendered');
    const place = () => page.locator('.hits-nav [role=status]').innerText();
    const before = await place();
    await page.keyboard.press('n');
    assert.notEqual(await place(), before);
    await page.keyboard.press('Shift+N');
    assert.equal(await place(), before);
    await page.keyboard.press('o');
    assert.equal(await page.locator('.outline').isVisible(), false);
    await page.keyboard.press('a');
    assert.equal(await page.locator('.agent').isVisible(), true);
    assert.match(await page.locator('.agent pre').innerText(), /What stands between the fences/);
    await page.keyboard.press('Escape');
    await page.waitForURL(`${url}/?q=lantern`);
    // Back where it was left.
    await page.waitForFunction(
      (href) => document.activeElement?.getAttribute('href') === href,
      first,
    );
    for (const [keys, path] of [
      ['gc', '/calls'],
      ['gl', '/log'],
      ['gh', '/log?changes'],
      ['ga', '/about'],
      ['gs', '/'],
    ]) {
      for (const key of keys) await page.keyboard.press(key);
      await page.waitForURL(url + path);
      await settled(page);
    }
    await page.keyboard.press('?');
    assert.ok(await page.getByRole('dialog').isVisible());
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('dialog').count(), 0);
    await it.check();
    await it.close();
  },

  async 'the tab key goes from the top to the end'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/?q=lantern&path=guide');
    await it.page.keyboard.press('Tab');
    assert.equal(await focused(it.page), '#main');
    const seen = new Set();
    for (let n = 0; n < 60; n += 1) {
      await it.page.keyboard.press('Tab');
      seen.add(
        await it.page.evaluate(() => {
          const { activeElement: at } = document;
          return at?.closest('.hit')
            ? 'hit'
            : at?.closest('.copies')
              ? 'copies'
              : at?.closest('.tabs')
                ? 'tabs'
                : at?.closest('.choices')
                  ? 'choices'
                  : at?.id;
        }),
      );
    }
    for (const part of ['q', 'root', 'language', 'help', 'tabs', 'choices', 'hit', 'copies'])
      assert.ok(seen.has(part), part);
    await it.check();
    await it.close();
  },

  async 'keys act on a Korean keyboard, and not while somebody writes'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/?q=lantern');
    await it.page.evaluate(() =>
      document.body.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'ㅓ', code: 'KeyJ', bubbles: true }),
      ),
    );
    assert.match(await focused(it.page), /^\/read\//);
    await it.page.focus('#q');
    await it.page.keyboard.type(' gc');
    assert.ok(it.page.url().startsWith(`${url}/?q=`));
    await it.page.keyboard.press('Escape');
    await it.page.getByRole('button', { name: 'Shortcuts and help' }).click();
    await it.page.getByLabel('Single-key shortcuts').uncheck();
    await it.page.keyboard.press('Escape');
    await it.page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
    await it.page.keyboard.press('/');
    assert.notEqual(await focused(it.page), 'q');
    await it.check();
    await it.close();
  },

  async 'Enter that ends a composition does not search'({ browser, url }) {
    const it = await open(browser, url);
    const { page } = it;
    await it.go('/');
    await page.focus('#q');
    const devtools = await page.context().newCDPSession(page);
    const compose = (text) =>
      devtools.send('Input.imeSetComposition', {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    const enter = () =>
      devtools.send('Input.dispatchKeyEvent', {
        type: 'rawKeyDown',
        windowsVirtualKeyCode: 229,
        key: 'Enter',
        code: 'Enter',
      });
    // Letters on the way to something else are not searched for.
    await compose('ｎ');
    await compose('にほん');
    await page.waitForTimeout(500);
    await enter();
    await devtools.send('Input.insertText', { text: '日本' });
    await page.evaluate(() => {
      const box = /** @type {HTMLInputElement} */ (document.getElementById('q'));
      const taken = !box.dispatchEvent(
        new KeyboardEvent('keydown', {
          key: 'Enter',
          isComposing: true,
          bubbles: true,
          cancelable: true,
        }),
      );
      if (!taken) throw new Error('Enter of a composition was let through');
    });
    assert.equal(page.url(), `${url}/`);
    assert.equal(calls(it.asked, 'search_documents'), 0);
    // A syllable is text already, and is searched for as it is written.
    await page.fill('#q', '');
    await page.focus('#q');
    await compose('등');
    await compose('등불');
    await page.waitForSelector('.found');
    const searches = calls(it.asked, 'search_documents');
    const entries = await page.evaluate(() => history.length);
    await enter();
    await devtools.send('Input.insertText', { text: '등불' });
    await page.waitForTimeout(500);
    assert.equal(await page.evaluate(() => history.length), entries);
    assert.equal(calls(it.asked, 'search_documents'), searches);
    assert.equal(await page.inputValue('#q'), '등불');
    await it.check();
    await it.close();
  },

  async 'typing searches when it rests, and not for every letter'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/');
    await it.page.locator('#q').pressSequentially('lantern', { delay: 20 });
    await it.page.waitForSelector('.found');
    assert.equal(calls(it.asked, 'search_documents'), 1);
    assert.equal(await focused(it.page), 'q');
    assert.equal(it.page.url(), `${url}/?q=lantern`);
    await it.check();
    await it.close();
  },

  async 'an address is a view, before and after it is loaded anew'({ browser, url }) {
    const it = await open(browser, url);
    for (const path of [
      '/?q=lantern&mode=relevance',
      '/?q=lantern&ctx=100&case=1',
      '/?mode=files&path=guide',
      '/read/docs/guide/setup.md?view=source&line=7',
      '/calls',
      '/log',
      '/about',
    ]) {
      await it.go(path);
      const shown = () =>
        it.page.evaluate(() => [
          document.title,
          document.querySelector('h1')?.textContent,
          /** @type {HTMLInputElement} */ (document.getElementById('q')).value,
        ]);
      const before = await shown();
      await it.page.reload();
      await settled(it.page);
      assert.equal(it.page.url(), url + path);
      assert.deepEqual(await shown(), before, path);
    }
    await it.go('/?q=lantern');
    await it.page.locator('.hit').first().click();
    await it.page.waitForSelector('.body article');
    await it.page.goBack();
    await it.page.waitForSelector('.found');
    assert.equal(await it.page.inputValue('#q'), 'lantern');
    await it.check();
    await it.close();
  },

  async 'the page speaks Korean to who reads it, and keeps a choice'({ browser, url }) {
    const it = await open(browser, url, { locale: 'ko-KR' });
    await it.go('/?q=등불');
    assert.equal(await it.page.evaluate(() => document.documentElement.lang), 'ko');
    assert.match(await it.page.locator('.tabs').innerText(), /검색\s+호출\s+접근 기록/);
    assert.match(await it.page.locator('.hit mark').first().innerText(), /등불/);
    await it.page.selectOption('#language', 'en');
    assert.match(await it.page.locator('.tabs').innerText(), /Access log/);
    await it.page.reload();
    await settled(it.page);
    assert.equal(await it.page.evaluate(() => document.documentElement.lang), 'en');
    await it.go('/read/docs/안내/시작하기.md');
    assert.equal(await it.page.locator('article').getAttribute('lang'), 'ko');
    await it.check();
    await it.close();
  },

  async 'selected text stays selected'({ browser, url }) {
    const it = await open(browser, url);
    await it.go('/?q=lantern');
    const hit = await it.page.locator('.hit .excerpt').first().boundingBox();
    assert.ok(hit);
    await it.page.keyboard.down('Shift');
    await it.page.keyboard.up('Shift');
    await it.page.evaluate(() => {
      const text = document.querySelector('.hit .excerpt');
      if (text) getSelection()?.selectAllChildren(text);
    });
    await it.page.evaluate(() =>
      document
        .querySelector('.hit')
        ?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })),
    );
    assert.equal(it.page.url(), `${url}/?q=lantern`);
    await it.check();
    await it.close();
  },
};
