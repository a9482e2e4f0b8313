// The start view: the roots with their size, file types and newest files.

import { about, call } from './api.js';
import { button, fill, h } from './dom.js';
import { moment, number, size, t } from './i18n.js';
import { toAddress } from './query.js';
import { at, directoryAt, documentAt } from './router.js';
import { failure, refused, skippedFiles } from './states.js';
import { directory } from './tree.js';

/** Files whose types and sizes are counted: the maximum of one call. */
const COUNTED = 1000;

/** Maximum file types and newest files that are shown. */
const KINDS = 8;
const NEWEST = 6;

/** Roots whose contents are loaded at once; others have a button. */
const ROOTS = 4;

export class Start {
  /**
   * @param {HTMLElement} place
   * @param {import('./query.js').Question} question other input, such as a path
   */
  constructor(place, question) {
    this.place = place;
    this.question = question;
    this.asked = new AbortController();
  }

  async show() {
    let known;
    try {
      known = await about();
    } catch (error) {
      return fill(
        this.place,
        failure(error, () => this.show()),
      );
    }
    if (this.asked.signal.aborted) return;
    const sections = known.roots.map((/** @type {any} */ root) => this.root(root));
    fill(
      this.place,
      h('p', { class: 'lead' }, t('empty.text')),
      h(
        'div',
        { class: 'roots' },
        sections.map((/** @type {any} */ one) => one.section),
      ),
      this.examples(),
      keysLine(),
    );
    this.lookInto(sections.slice(0, ROOTS));
  }

  /**
   * Loads roots one after the other, while the page stays usable.
   * @param {{look: () => Promise<void>}[]} sections
   */
  async lookInto(sections) {
    for (const one of sections) await one.look();
  }

  examples() {
    const example = (/** @type {string} */ href, /** @type {string} */ key) =>
      h(
        'li',
        null,
        h('a', { href }, t(`${key}.title`)),
        h('p', { class: 'dim' }, t(`${key}.text`)),
      );
    const { question } = this;
    return h(
      'ul',
      { class: 'examples' },
      example(at('/', { mode: 'files' }), 'example.files'),
      example(
        toAddress({ ...question, q: t('example.question.title'), mode: 'relevance' }),
        'example.question',
      ),
      example(at('/', { tool: 'explore', args: '{"paths":["."]}' }), 'example.tool'),
    );
  }

  /** @param {any} root */
  root(root) {
    const facts = h('div', { class: 'facts-of-root' });
    const look = () => this.look(root.name, facts);
    fill(facts, button(t('root.look'), look));
    const section = h(
      'section',
      { class: 'granted' },
      h(
        'h2',
        null,
        h('a', { class: 'path', href: directoryAt(root.name) }, root.name),
        ' ',
        h('span', { class: 'tag' }, t(`right.${root.right}`)),
        root.isDefault ? h('span', { class: 'count' }, t('about.default')) : null,
      ),
      facts,
    );
    return { section, look };
  }

  /** @param {string} root @param {HTMLElement} facts */
  async look(root, facts) {
    fill(facts, h('p', { class: 'dim', role: 'status' }, t('root.looking')));
    try {
      const { signal } = this.asked;
      const answer = await call('find_files', { root, limit: COUNTED }, signal);
      if (signal.aborted) return;
      if (answer.outcome !== 'answered') return fill(facts, refused(answer));
      const files = answer.structured.matches;
      if (!files.length) {
        return fill(
          facts,
          h('p', { class: 'dim' }, t('root.empty')),
          skippedFiles(answer.structured.stats.skipped),
        );
      }
      const tree = h('div', { class: 'inside' });
      const details = /** @type {HTMLDetailsElement} */ (
        h('details', { class: 'whole' }, h('summary', null, t('root.tree')), tree)
      );
      details.addEventListener('toggle', () => {
        if (details.open && !tree.children.length) fill(tree, directory(root, '', signal).box);
      });
      fill(
        facts,
        h('p', { class: 'summary' }, counted(answer.structured)),
        kinds(root, files),
        h('h3', null, t('root.newest')),
        h('ol', { class: 'newest' }, files.slice(0, NEWEST).map(newest(root))),
        details,
        skippedFiles(answer.structured.stats.skipped),
      );
    } catch (error) {
      if (!this.asked.signal.aborted)
        fill(
          facts,
          failure(error, () => this.look(root, facts)),
        );
    }
  }
}

/** Returns the number and size of the files, and the part that was counted. @param {any} answer */
function counted({ matches, nextCursor, stats }) {
  const bytes = matches.reduce(
    (/** @type {number} */ sum, /** @type {any} */ file) => sum + (file.sizeBytes ?? 0),
    0,
  );
  if (!nextCursor) return [t('found.files', { n: matches.length }), size(bytes)].join(' · ');
  return [
    stats.complete
      ? t('found.files', { n: stats.filesScanned })
      : t('root.atleast', { n: stats.filesScanned }),
    t('root.some', { n: matches.length, size: size(bytes) }),
  ].join(' · ');
}

/** @param {string} path */
function kindOf(path) {
  const name = path.split('/').pop() ?? '';
  const end = name.lastIndexOf('.');
  return end > 0 ? name.slice(end + 1).toLowerCase() : '';
}

/** @param {string} root @param {any[]} files */
function kinds(root, files) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { path } of files) counts.set(kindOf(path), (counts.get(kindOf(path)) ?? 0) + 1);
  const all = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const shown = all
    .slice(0, KINDS)
    .map(([kind, n]) =>
      h(
        'li',
        null,
        kind
          ? h('a', { class: 'chip', href: at('/', { root, mode: 'files', ext: kind }) }, `.${kind}`)
          : h('span', { class: 'chip' }, t('root.nokind')),
        ' ',
        h('span', { class: 'count' }, number(n)),
      ),
    );
  const rest = all.length - shown.length;
  return h(
    'ul',
    { class: 'kinds', 'aria-label': t('root.kinds') },
    shown,
    rest > 0 ? h('li', { class: 'dim' }, t('root.morekinds', { n: rest })) : null,
  );
}

/** @param {string} root */
function newest(root) {
  return (/** @type {any} */ file) =>
    h(
      'li',
      null,
      h('a', { class: 'path', href: documentAt(root, file.path) }, file.path),
      h('span', { class: 'dim' }, moment(file.time)),
    );
}

function keysLine() {
  return h(
    'p',
    { class: 'dim keys' },
    h('kbd', null, '/'),
    ' ',
    t('key./'),
    ' · ',
    h('kbd', null, '?'),
    ' ',
    t('key.?'),
    ' · ',
    t('empty.box'),
    ' ',
    h('code', null, 'path:guide/ ext:md lantern'),
  );
}
