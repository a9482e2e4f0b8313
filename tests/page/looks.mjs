// Each view, light and dark, wide and narrow: usable by everybody, and a picture to look at.

import { join } from 'node:path';

import { accessible, fits, open } from './browser.mjs';
import { asAgent } from './server.mjs';

const VIEWS = {
  home: '/',
  search: '/?q=lantern',
  korean: '/?q=등불',
  question: '/?q=how+do+I+light+the+lantern&mode=relevance',
  all: '/?q=lantern&mode=explore',
  files: '/?mode=files',
  tags: '/?mode=tags&q=setup',
  none: '/?q=zzqqxx&case=1&path=guide',
  refused: '/?q=lantern&path=nowhere',
  tool: '/?tool=explore&args=%7B%22query%22%3A%22lantern%22%7D',
  document: '/read/docs/guide/setup.md?q=lantern',
  source: '/read/docs/guide/setup.md?view=source&line=7',
  hangul: '/read/docs/안내/시작하기.md',
  parts: '/read/docs/long/lines.txt?line=20000',
  gone: '/read/docs/gone.md',
  secret: '/read/docs/.env',
  calls: '/calls',
  call: '/calls/1',
  log: '/log',
  changes: '/log?changes',
  about: '/about',
};

// Contrast goes by the colours and order by the width, so that two of them show both of each.
const SCREENS = [
  {
    name: 'wide-light',
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    locale: 'en-US',
    isChecked: true,
  },
  {
    name: 'wide-dark',
    viewport: { width: 1280, height: 800 },
    colorScheme: 'dark',
    locale: 'ko-KR',
  },
  {
    name: 'narrow-light',
    viewport: { width: 390, height: 844 },
    colorScheme: 'light',
    locale: 'ko-KR',
    hasTouch: true,
  },
  {
    name: 'narrow-dark',
    viewport: { width: 320, height: 640 },
    colorScheme: 'dark',
    locale: 'en-US',
    hasTouch: true,
    isChecked: true,
  },
];

/** Over a thousand lines of one kind, each of which axe would look at for long. */
const LONG = 'parts';

export const looks = Object.fromEntries(
  SCREENS.map(({ name, isChecked, ...options }) => [
    `every view looks right, ${name}`,
    async ({ browser, url }) => {
      await asAgent(url, 'write', { root: 'notes', path: `${name}.md`, content: '# New\n' });
      const it = await open(browser, url, { ...options, reducedMotion: 'reduce' });
      for (const [view, path] of Object.entries(VIEWS)) {
        await it.go(path);
        await it.page.screenshot({
          path: join(process.env.PAGE_SHOTS ?? '.', `${view}-${name}.png`),
        });
        await fits(it.page, `${view} ${name}`);
        if (isChecked && view !== LONG) await accessible(it.page, `${view} ${name}`);
      }
      await it.page.getByRole('button', { name: /Keys and help|단축키와 도움말/ }).click();
      await it.page.screenshot({ path: join(process.env.PAGE_SHOTS ?? '.', `help-${name}.png`) });
      if (isChecked) await accessible(it.page, `help ${name}`);
      await it.check();
      await it.close();
    },
  ]),
);
