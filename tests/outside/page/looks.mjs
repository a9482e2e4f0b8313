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
  writing: '/?tool=change&args=%7B%7D',
  directory: '/read/docs/',
  piece: '/read/docs/long/end.txt?lines=2-',
  flat: '/read/docs/deep/quotes.md',
  picture: '/read/docs/places/picture.png',
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

/** Widths of a phone, a tablet or half a screen, and a desk. */
const WIDTHS = { phone: 360, half: 1000, desk: 1400 };

const COLOURS = /** @type {const} */ (['light', 'dark']);

/** Over a thousand lines of one kind, each of which axe would look at for long. */
const LONG = 'parts';

const LOCALES = ['en-US', 'ko-KR'];

/** Looks at what is shown in every width and both colours. */
async function look(page, view, locale, isLong) {
  for (const [screen, width] of Object.entries(WIDTHS)) {
    await page.setViewportSize({ width, height: width < 500 ? 760 : 860 });
    for (const colorScheme of COLOURS) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const name = `${view}-${screen}-${colorScheme}-${locale.slice(0, 2)}`;
      await page.screenshot({ path: join(process.env.PAGE_SHOTS ?? '.', `${name}.png`) });
      await fits(page, name);
      if (!isLong) await accessible(page, name);
    }
  }
}

export const looks = Object.fromEntries(
  LOCALES.map((locale) => [
    `every view looks right and is usable by everybody, ${locale}`,
    async ({ browser, url }) => {
      await asAgent(url, 'write', { root: 'notes', path: `${locale}.md`, content: '# New\n' });
      const it = await open(browser, url, { locale });
      for (const [view, path] of Object.entries(VIEWS)) {
        // What is beside the results is chosen when a view is opened.
        await it.page.setViewportSize({ width: 1400, height: 860 });
        await it.go(path);
        if (view === 'home') await it.page.waitForSelector('.granted:nth-child(2) .newest');
        if (view === 'directory') await it.page.waitForSelector('.leaf');
        await look(it.page, view, locale, view === LONG);
      }
      await it.page.getByRole('button', { name: /Shortcuts and help|단축키와 도움말/ }).click();
      await look(it.page, 'help', locale, false);
      await it.check();
      await it.close();
    },
  ]),
);
