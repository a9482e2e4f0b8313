// A browser that notices what a page must not do.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.env.PAGE_TOOLS ?? '.', 'x.js'));
const { chromium } = require('playwright-core');
const { AxeBuilder } = require('@axe-core/playwright');

/** @param {string[]} [args] */
export function launch(args = []) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // CI runs as root, where Chromium's own sandbox does not start.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-dev-shm-usage',
      ...args,
    ],
  });
}

/** Errors of the browser that say what a test has brought about itself. */
const EXPECTED =
  /Failed to load resource: (the server responded with a status of (4\d\d|5\d\d)|net::ERR_(FAILED|INTERNET_DISCONNECTED|CONNECTION_REFUSED))/;

/**
 * Opens a page. `check()` fails if it broke its policy, ran what it should not, threw, or asked
 * anybody but the server.
 */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    colorScheme: 'light',
    ...options,
  });
  const page = await context.newPage();
  // It ends what hangs, not what is slow on a busy machine.
  page.setDefaultTimeout(120_000);
  const wrong = [];
  const asked = [];
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text())) wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(String(error.stack)));
  page.on('dialog', (dialog) => {
    wrong.push(`dialog ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => asked.push(request));
  const check = async (where = page.url()) => {
    assert.equal(await page.evaluate(() => /** @type {any} */ (window).__pwned), undefined, where);
    assert.deepEqual(wrong, [], where);
    for (const request of asked) {
      const to = request.url();
      assert.ok(to.startsWith(`${url}/`) || to.startsWith('data:'), `${where} asked ${to}`);
    }
  };
  const go = async (path) => {
    await page.goto(url + path);
    await settled(page);
  };
  return { page, context, check, go, asked, url, close: () => context.close() };
}

/** Waits until a view shows what it shows. */
export async function settled(page) {
  await page.waitForFunction(
    () =>
      document.querySelector('main h1')?.textContent && !document.querySelector('main[aria-busy]'),
  );
}

/** Fails on what people with other senses and hands could not use. */
export async function accessible(page, where) {
  // Targets are large enough to be hit, which is not looked at unless it is asked for.
  const rules = {
    'target-size': { enabled: true },
    'label-content-name-mismatch': { enabled: true },
  };
  const { violations } = await new AxeBuilder({ page }).options({ rules }).analyze();
  const told = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map((node) => `${node.target} ${node.failureSummary ?? ''}`)
        .join('\n  ')}`,
  );
  assert.deepEqual(told, [], where);
}

/** Fails where something is wider than the screen. */
export async function fits(page, where) {
  const over = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.ok(over <= 0, `${where} is ${over} wider than the screen`);
}

export function count(asked, part) {
  return asked.filter((request) => request.url().includes(part)).length;
}

/** How often a tool was called. */
export function calls(asked, tool) {
  return asked.filter(
    (request) =>
      request.url().endsWith('/api/call') && JSON.parse(request.postData()).tool === tool,
  ).length;
}
