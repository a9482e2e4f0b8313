// The page: the parts shared by all views, and the view for each address.

import { about, forget, hasToken, keepToken, tokenOfAddress } from './api.js';
import { asked, hasTyped, showInBox, wireBox } from './box.js';
import { announce, button, byId, choose, fill, h, toClipboard } from './dom.js';
import { language, languages, speak, t, translate } from './i18n.js';
import { listen, showHelp, useKeys } from './keys.js';
import { fromAddress, toAddress } from './query.js';
import { back, followLinks, go, keep, parse } from './router.js';
import { AboutView } from './about.js';
import { CallsView } from './calls.js';
import { ChangesView } from './changes.js';
import { DirectoryView } from './directory.js';
import { DocumentView } from './document.js';
import { LogView } from './log.js';
import { SearchView } from './search.js';
import { nextTheme, theme } from './theme.js';

/** @type {Record<string, new (main: HTMLElement) => View>} */
const VIEWS = {
  search: SearchView,
  document: DocumentView,
  directory: DirectoryView,
  calls: CallsView,
  log: LogView,
  changes: ChangesView,
  about: AboutView,
};

/**
 * @typedef {object} View
 * @property {(route: import('./router.js').Route) => Promise<void> | void} show
 * @property {() => void} close
 * @property {Record<string, () => void>} keys
 */

/** @type {View | null} */
let view = null;
let shown = '';
/** The number of the latest route; an older one is outdated. */
let routed = 0;
const rootPicker = /** @type {HTMLSelectElement} */ (byId('root'));

/**
 * @param {boolean} isTyping true if the focus stays in the box
 * @param {boolean} isBack true if people went back or forward to the view
 */
function route(isTyping, isBack) {
  let to = parse(location);
  // Text that was typed in another view is searched for now.
  if (to.view === 'search' && shown !== 'search' && hasTyped() && !isBack) {
    keep(toAddress(asked()));
    to = parse(location);
  }
  if (to.view === 'search') showInBox(fromAddress(to.params), isBack);
  const isNew = to.view !== shown || view === null;
  if (isNew) {
    view?.close();
    const main = byId('main');
    fill(main);
    view = new VIEWS[to.view](main);
    shown = to.view;
    useKeys(view.keys);
    for (const tab of document.querySelectorAll('.tabs a')) {
      if (tab.getAttribute('data-view') === to.view) tab.setAttribute('aria-current', 'page');
      else tab.removeAttribute('aria-current');
    }
  }
  pickRoot();
  routed += 1;
  const number = routed;
  byId('main').setAttribute('aria-busy', 'true');
  Promise.resolve(view?.show(to)).finally(() => {
    if (number !== routed) return;
    byId('main').removeAttribute('aria-busy');
    // After the page loads, the browser sets the focus to the top by itself.
    if (number === 1 || isTyping || document.activeElement === byId('q')) return;
    const from = isBack && history.state?.from;
    const link = from && document.querySelector(`main a[href="${CSS.escape(from)}"]`);
    if (link) {
      link.focus({ preventScroll: true });
      scrollTo(0, history.state.y ?? 0);
    } else if (isNew) {
      document.querySelector('h1')?.focus({ preventScroll: true });
    }
  });
  if (isNew) scrollTo(0, 0);
}

/** Fills the root picker, and shows the tab of changes if a root is writable. */
async function learn() {
  let known;
  try {
    known = await about();
  } catch {
    return;
  }
  fill(
    rootPicker,
    known.roots.map((/** @type {any} */ root) => h('option', { value: root.name }, root.name)),
  );
  /** @type {HTMLElement} */ (rootPicker.closest('label')).hidden = known.roots.length < 2;
  const tab = /** @type {HTMLElement} */ (document.querySelector('.tabs [data-view=changes]'));
  tab.hidden = !known.roots.some((/** @type {any} */ root) => root.right === 'read-write');
  pickRoot();
}

/** Selects the root of the address, otherwise the default root, which is first. */
function pickRoot() {
  const to = parse(location);
  rootPicker.value = to.root ?? to.params.get('root') ?? '';
  if (rootPicker.selectedIndex < 0 && rootPicker.options.length) rootPicker.selectedIndex = 0;
}

function drawTools() {
  const tools = /** @type {HTMLElement} */ (document.querySelector('.tools'));
  tools.querySelector('.settings')?.remove();
  const pick = /** @type {HTMLSelectElement} */ (
    h(
      'select',
      { id: 'language', 'aria-label': t('language') },
      Object.entries(languages).map(([tag, { name }]) =>
        h('option', { value: tag, lang: tag, selected: tag === language }, name),
      ),
    )
  );
  pick.addEventListener('change', () => {
    speak(pick.value);
    redraw();
    byId('language').focus();
  });
  const light = button(
    t(`theme.${theme()}`),
    () => {
      nextTheme();
      drawTools();
      /** @type {HTMLElement} */ (document.querySelector('.settings button')).focus();
    },
    { label: t('theme', { now: t(`theme.${theme()}`) }), class: 'quiet' },
  );
  byId('help').before(h('span', { class: 'settings' }, light, pick));
}

/** Draws the page again, in another language. */
function redraw() {
  translate(document);
  drawTools();
  view?.close();
  view = null;
  route(true, false);
}

/** @param {string} state */
function drawConnection(state) {
  const badge = byId('connection');
  badge.className = `badge ${state}`;
  badge.textContent = t(`connection.${state}`);
}

/** Uses the token of the address; asks first if this tab has another one. */
function offerToken() {
  const token = tokenOfAddress();
  if (token === null) return;
  const use = () => {
    keepToken(token);
    forget();
    if (!shown) return;
    learn();
    view?.close();
    view = null;
    route(false, false);
  };
  if (!hasToken()) return use();
  choose(t('token.other'), t('token.other.text'), t('token.other.use'), use);
}

function start() {
  offerToken();
  document.documentElement.lang = language;
  translate(document);
  drawTools();
  addEventListener('docent:connection', (event) =>
    drawConnection(/** @type {CustomEvent} */ (event).detail),
  );
  addEventListener('docent:token', () => {
    learn();
  });
  addEventListener('docent:route', (event) => {
    const { replace, isBack } = /** @type {CustomEvent} */ (event).detail;
    route(replace, isBack);
  });
  // The address of an open page may get a new token.
  addEventListener('hashchange', offerToken);
  followLinks();
  wireBox();
  byId('help').addEventListener('click', showHelp);
  listen({
    '/': () => {
      const box = /** @type {HTMLInputElement} */ (byId('q'));
      box.focus();
      box.select();
    },
    '?': showHelp,
    c: () => toClipboard(location.href).then(() => announce(t('copied.link'))),
    'g s': () => go('/'),
    'g c': () => go('/calls'),
    'g l': () => go('/log'),
    'g a': () => go('/about'),
    'g h': () => go('/log?changes'),
    Escape: () => {
      if (shown === 'document' || parse(location).id) back();
    },
  });
  learn();
  route(false, false);
}

start();
