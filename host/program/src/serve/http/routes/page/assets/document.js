// The view of one document, rendered, as source, and as an agent reads it.

import { ask, call } from './api.js';
import { AgentPane } from './agent.js';
import { crumbs } from './directory.js';
import { announce, button, copy, entitle, fill, fillRendered, h } from './dom.js';
import { mark } from './find.js';
import { number, size, t } from './i18n.js';
import { at, directoryAt, documentAt, go } from './router.js';
import { failure, notice, refused, running } from './states.js';

/** Lines shown before the requested line of a long document. */
const BEFORE = 40;

/** Maximum headings shown of an outline: more than a person goes through. */
const HEADINGS = 1000;

/**
 * @typedef {object} Shown
 * @property {string} name
 * @property {string} text
 * @property {string | null} html null if it is not Markdown
 * @property {{level: number, title: string, line: number}[]} outline
 * @property {string | null} extracted format from which the text was extracted
 * @property {number} firstLine
 * @property {number} lastLine
 * @property {number} [totalLines] a piece of a line has neither this nor the tokens
 * @property {number} size
 * @property {number} [tokens]
 * @property {string} [encoding]
 * @property {string} hash
 * @property {string} [nextLines]
 * @property {boolean} [isPiece] true if it is read in pieces, because a line is too long
 * @property {string | null} [nextPiece] cursor of the next piece
 * @property {boolean} [isFlattened] true if it is nested too deeply to be shown in full
 * @property {number | null} [plainFrom] line from which on its source is shown
 */

export class DocumentView {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.path = h('nav', { class: 'crumbs', 'aria-label': t('crumbs') });
    this.title = h('h1', { tabindex: '-1' });
    this.meta = h('p', { class: 'meta' });
    this.bar = h('div', { class: 'bar', role: 'toolbar', 'aria-label': t('document.tools') });
    this.outline = h('nav', { class: 'outline', 'aria-label': t('outline') });
    this.body = h('div', { class: 'body' });
    this.agent = new AgentPane();
    this.agent.show(false);
    this.columns = h('div', { class: 'columns reading' }, this.outline, this.body, this.agent.box);
    fill(main, this.path, this.title, this.meta, this.bar, this.columns);
    this.outline.hidden = window.innerWidth <= 900;
    /** @type {HTMLElement[]} */
    this.marks = [];
    this.at = -1;
    this.loaded = '';
    this.position = h('span', { class: 'dim', role: 'status' });
    /** @type {AbortController | null} */
    this.asked = null;
    this.keys = {
      s: () => this.flipSource(),
      o: () => this.flipOutline(),
      a: () => this.agent.flip(),
      n: () => this.step(1),
      N: () => this.step(-1),
    };
    this.agent.onflip = () => this.columns.classList.toggle('with-agent', !this.agent.box.hidden);
  }

  close() {
    this.asked?.abort();
  }

  /** @param {import('./router.js').Route} route */
  async show(route) {
    this.route = route;
    const path = route.path ?? '';
    entitle(path.split('/').pop() ?? '');
    fill(this.path, crumbs(route.root ?? '', path));
    const part = ['lines', 'piece'].map((name) => route.params.get(name) ?? '');
    const wanted = [route.root, path, ...part].join('\n');
    // Another line or another form of the loaded document needs no call.
    if (wanted === this.loaded && this.document) return this.draw(this.document);
    await this.load(wanted, route.params.get('lines'));
  }

  /** @param {string} wanted @param {string | null} lines */
  async load(wanted, lines) {
    const { root, path, params } = /** @type {import('./router.js').Route} */ (this.route);
    this.asked?.abort();
    const asked = new AbortController();
    this.asked = asked;
    const wait = running(() => asked.abort());
    fill(this.title, (path ?? '').split('/').pop());
    fill(this.meta);
    fill(this.bar);
    fill(this.outline);
    fill(this.body, wait.box);
    this.columns.classList.add('no-outline');
    this.document = null;
    try {
      const body = { root, path, lines, piece: params.get('piece') };
      let answer = await ask('/api/render', { body, signal: asked.signal });
      const line = Number(params.get('line'));
      // The part starts some lines before the requested line; if one of those is too long, at the
      // line itself.
      for (const from of [Math.max(1, line - BEFORE), line]) {
        const { nextLines, nextPiece, lastLine } = answer.document ?? {};
        if (lines || !(nextLines || nextPiece) || line <= lastLine) break;
        answer = await ask('/api/render', {
          body: { root, path, lines: `${from}-` },
          signal: asked.signal,
        });
      }
      if (this.asked !== asked) return;
      this.loaded = wanted;
      this.agent.set(answer.tool, answer.arguments, answer);
      if (answer.outcome !== 'answered') {
        if (await this.isDirectory(answer))
          return go(directoryAt(root ?? '', path), { replace: true });
        return fill(this.body, this.drawRefusal(answer));
      }
      this.document = /** @type {Shown} */ (answer.document);
      this.draw(this.document);
    } catch (error) {
      if (this.asked !== asked) return;
      fill(
        this.body,
        asked.signal.aborted
          ? notice(t('stopped.title'), [
              button(t('retry'), () => this.load(wanted, lines), { class: 'primary' }),
            ])
          : failure(error, () => this.load(wanted, lines)),
      );
    } finally {
      wait.end();
    }
  }

  /**
   * Returns true if the refused path is a directory, to which links can lead too.
   * @param {any} answer
   */
  async isDirectory(answer) {
    if (answer.error?.code !== 'invalid-request') return false;
    const { root, path } = /** @type {import('./router.js').Route} */ (this.route);
    const args = { root, path, maxDepth: 0, includeDirectories: true, limit: 1 };
    const found = await call('find_files', args, this.asked?.signal);
    return found.structured?.matches?.[0]?.kind === 'directory';
  }

  /** @param {any} answer */
  drawRefusal(answer) {
    const box = refused(answer);
    const folder = (this.route?.path ?? '').split('/').slice(0, -1).join('/');
    box.append(
      h(
        'p',
        null,
        h('a', { href: directoryAt(this.route?.root ?? '', folder) }, t('document.folder')),
      ),
    );
    return box;
  }

  /** @param {Shown} shown */
  draw(shown) {
    const { params } = /** @type {import('./router.js').Route} */ (this.route);
    const asSource = shown.html === null || params.get('view') === 'source';
    fill(this.title, shown.name || this.route?.path);
    this.drawMeta(shown);
    this.drawBar(shown, asSource);
    this.drawOutline(shown);
    const article = h('article', {
      class: asSource ? 'source' : 'rendered',
      lang: languageOf(shown.text),
    });
    if (asSource) fill(article, this.sourceLines(shown));
    else fillRendered(article, /** @type {string} */ (shown.html));
    if (!asSource) this.mendLinks(article);
    fill(
      this.body,
      this.drawPages(shown, 'before'),
      told(shown, asSource),
      article,
      this.drawPages(shown, 'after'),
    );
    this.markHits(article);
    const line = Number(params.get('line'));
    if (line) this.goToLine(article, line);
  }

  /** @param {Shown} shown */
  drawMeta(shown) {
    const parts = [
      size(shown.size),
      shown.totalLines === undefined ? '' : t('lines.total', { n: shown.totalLines }),
      shown.tokens === undefined ? '' : t('tokens', { n: shown.tokens }),
      shown.encoding === 'utf-8' || shown.extracted ? '' : shown.encoding,
    ].filter(Boolean);
    fill(
      this.meta,
      parts.join(' · '),
      shown.extracted
        ? [' · ', h('span', { class: 'tag' }, t('extracted', { format: shown.extracted }))]
        : null,
      ' · ',
      h('code', { title: t('hash.help') }, `#${shown.hash}`),
    );
  }

  /** @param {Shown} shown @param {boolean} asSource */
  drawBar(shown, asSource) {
    const { root, path } = /** @type {{root: string, path: string}} */ (this.route);
    const hits = h(
      'span',
      { class: 'group hits-nav', hidden: true },
      button('‹', () => this.step(-1), { key: 'N', label: t('hit.before') }),
      this.position,
      button('›', () => this.step(1), { key: 'n', label: t('hit.next') }),
    );
    this.hits = hits;
    fill(
      this.bar,
      shown.html === null
        ? null
        : button(t('source'), () => this.flipSource(), { key: 's', pressed: asSource }),
      shown.outline.length
        ? button(t('outline'), () => this.flipOutline(), {
            key: 'o',
            expanded: !this.outline.hidden,
          })
        : null,
      hits,
      h(
        'button',
        {
          type: 'button',
          class: 'button',
          title: `${t('copy.link')} (c)`,
          onclick: (/** @type {Event} */ event) =>
            copy(/** @type {HTMLElement} */ (event.currentTarget), location.href, t('copied')),
        },
        t('copy.link'),
      ),
      h('a', { class: 'button', href: at('/log', { root, path }) }, t('document.opened')),
      h('span', { class: 'gap' }),
      this.agent.toggle,
    );
  }

  /** @param {Shown} shown */
  drawOutline(shown) {
    this.columns.classList.toggle('no-outline', !shown.outline.length || this.outline.hidden);
    if (!shown.outline.length) return fill(this.outline);
    const least = Math.min(...shown.outline.map((heading) => heading.level));
    fill(
      this.outline,
      h('h2', null, t('outline')),
      h(
        'ul',
        null,
        shown.outline.slice(0, HEADINGS).map((heading) =>
          h(
            'li',
            {
              class: `level-${Math.min(heading.level - least, 4)}`,
            },
            h('a', { href: this.here({ line: heading.line }) }, heading.title || '…'),
          ),
        ),
        shown.outline.length > HEADINGS
          ? h('li', { class: 'dim' }, t('outline.more', { n: shown.outline.length - HEADINGS }))
          : null,
      ),
    );
  }

  /** @param {Record<string, string | number | null>} change */
  here(change) {
    const { root, path, params } =
      /** @type {{root: string, path: string, params: URLSearchParams}} */ (this.route);
    return documentAt(root, path, { ...Object.fromEntries(params), ...change });
  }

  /** @param {Shown} shown */
  sourceLines(shown) {
    const lines = shown.text.replace(/\r?\n$/, '').split(/\r\n|\n|\r/);
    return lines.map((line, n) => {
      const at = shown.firstLine + n;
      return h(
        'div',
        { class: 'row', 'data-line': at },
        h(
          'a',
          {
            class: 'number',
            href: this.here({ line: at }),
            'aria-label': t('line.number', { n: String(at) }),
          },
          String(at),
        ),
        h('code', null, line || '\u200b'),
      );
    });
  }

  /** Makes links to other documents of the root open in this page. @param {Element} article */
  mendLinks(article) {
    const { root, path } = /** @type {{root: string, path: string}} */ (this.route);
    for (const link of article.querySelectorAll('a[data-to]')) {
      const to = link.getAttribute('data-to') ?? '';
      const [file, anchor] = to.split('#');
      if (!file) {
        const heading = article.querySelector(`[data-anchor="${CSS.escape(anchor ?? '')}"]`);
        const line = heading?.closest('[data-line]')?.getAttribute('data-line');
        link.setAttribute('href', this.here({ line: line ?? null }));
        continue;
      }
      const base = file.startsWith('/') ? '' : path.split('/').slice(0, -1).join('/');
      const parts = [];
      for (const part of `${base}/${file.split('?')[0]}`.split('/')) {
        if (part === '..') parts.pop();
        else if (part && part !== '.') parts.push(unescaped(part));
      }
      const target = parts.join('/');
      const isDirectory = file.endsWith('/') || !target;
      link.setAttribute('href', isDirectory ? directoryAt(root, target) : documentAt(root, target));
    }
  }

  /** @param {Shown} shown @param {'before' | 'after'} where */
  drawPages(shown, where) {
    const { params } = /** @type {import('./router.js').Route} */ (this.route);
    const isFirst = shown.firstLine <= 1 && !params.get('piece');
    const next = shown.isPiece
      ? shown.nextPiece && {
          lines: params.get('lines') ?? `${shown.firstLine}-`,
          piece: shown.nextPiece,
        }
      : shown.nextLines && { lines: shown.nextLines };
    if (isFirst && !next) return null;
    const link = (/** @type {any} */ part, /** @type {string} */ label) =>
      h(
        'a',
        { class: 'button', href: this.here({ lines: null, piece: null, line: null, ...part }) },
        label,
      );
    const links = [
      isFirst ? null : link({}, t('page.first')),
      next ? link(next, t('page.next')) : null,
    ];
    return h(
      'nav',
      { class: 'pages', 'aria-label': t(`pages.${where}`) },
      h(
        'span',
        null,
        shown.totalLines === undefined
          ? t('pages.piece', { n: shown.firstLine })
          : t('pages.now', { first: shown.firstLine, last: shown.lastLine, all: shown.totalLines }),
      ),
      links,
    );
  }

  /** @param {Element} article */
  markHits(article) {
    const { params } = /** @type {import('./router.js').Route} */ (this.route);
    const words = params.has('q')
      ? [params.get('q') ?? '']
      : (params.get('words') ?? '').split(/\s+/).filter((word) => word.length > 2);
    this.marks = mark(article, words);
    this.at = -1;
    if (this.hits) this.hits.hidden = !this.marks.length;
    this.tellPosition();
    const line = Number(params.get('line'));
    if (!line && this.marks.length && params.has('q')) this.step(1, true);
  }

  tellPosition() {
    fill(
      this.position,
      t('hit.position', { at: number(this.at + 1), all: number(this.marks.length) }),
    );
  }

  /** @param {1 | -1} by @param {boolean} [isFirst] */
  step(by, isFirst = false) {
    if (!this.marks.length) return;
    this.marks[this.at]?.classList.remove('now');
    this.at = (this.at + by + this.marks.length) % this.marks.length;
    const now = this.marks[this.at];
    now.classList.add('now');
    now.scrollIntoView({ block: 'center' });
    if (!isFirst) now.focus({ preventScroll: true });
    this.tellPosition();
  }

  /** @param {Element} article @param {number} line */
  goToLine(article, line) {
    let target = null;
    for (const element of article.querySelectorAll('[data-line]')) {
      if (Number(element.getAttribute('data-line')) > line) break;
      target = element;
    }
    if (!target) return;
    target.classList.add('here');
    target.scrollIntoView({ block: 'start' });
    const after = this.marks.findIndex(
      (one) =>
        target.contains(one) ||
        Boolean(target.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING),
    );
    if (after >= 0) {
      this.at = after - 1;
      this.step(1, true);
    }
    announce(t('line', { n: line }));
  }

  flipSource() {
    if (!this.document || this.document.html === null) return;
    const isSource = this.route?.params.get('view') === 'source';
    go(this.here({ view: isSource ? null : 'source' }), { replace: true });
    /** @type {HTMLElement | null} */ (this.bar.querySelector('[aria-pressed]'))?.focus();
  }

  flipOutline() {
    this.outline.hidden = !this.outline.hidden;
    this.columns.classList.toggle('no-outline', this.outline.hidden);
    this.bar
      .querySelector('[aria-keyshortcuts=o]')
      ?.setAttribute('aria-expanded', String(!this.outline.hidden));
    if (!this.outline.hidden) this.outline.querySelector('a')?.focus();
  }
}

/**
 * Returns notes on parts that are not rendered, or shown in pieces.
 * @param {Shown} shown @param {boolean} asSource
 */
function told(shown, asSource) {
  const notes = [
    shown.isPiece ? t('shown.piece') : '',
    shown.isFlattened && !asSource ? t('shown.flat') : '',
    shown.plainFrom && !asSource ? t('shown.plain', { n: shown.plainFrom }) : '',
  ].filter(Boolean);
  return notes.map((note) => h('p', { class: 'note', role: 'note' }, note));
}

/** @param {string} part */
function unescaped(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Returns the language of a text; the glyphs of Chinese characters depend on it.
 * @param {string} text
 */
function languageOf(text) {
  const start = text.slice(0, 20000);
  const letters = start.match(/\p{L}/gu)?.length ?? 0;
  const hangul = start.match(/[가-힣]/g)?.length ?? 0;
  const kana = start.match(/[ぁ-ヿ]/g)?.length ?? 0;
  if (hangul > letters / 5) return 'ko';
  if (kana > letters / 10) return 'ja';
  return letters ? 'und' : 'en';
}
