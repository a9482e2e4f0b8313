// Answers of the tools that search, as lists of links.

import { h, multiline } from './dom.js';
import { moment, number, size, t } from './i18n.js';
import { toAddress } from './query.js';
import { documentAt } from './router.js';

/** @typedef {import('./query.js').Question} Question */

/** Minimum letters that overlapping excerpts share; fewer may be equal by chance. */
const SHARED = 4;

/** @param {string} text */
function folded(text) {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ');
}

/**
 * @typedef {object} Excerpt
 * @property {string} text without the marks around its hits
 * @property {[number, number][]} hits their positions in the text
 */

/**
 * Parses an excerpt. The hit is enclosed in `**`, which the document's own text may contain too, so
 * the pair must enclose the query.
 * @param {string} excerpt
 * @param {string} q
 * @returns {Excerpt}
 */
function read(excerpt, q) {
  const wanted = folded(q.trim());
  for (let start = excerpt.indexOf('**'); start >= 0; start = excerpt.indexOf('**', start + 1)) {
    const end = excerpt.indexOf('**', start + 2);
    if (end < 0) break;
    const inside = excerpt.slice(start + 2, end);
    if (folded(inside) === wanted) {
      const text = excerpt.slice(0, start) + inside + excerpt.slice(end + 2);
      return { text, hits: [[start, end - 2]] };
    }
  }
  return { text: excerpt, hits: [] };
}

/**
 * Joins two excerpts of the same line; returns null if they do not overlap.
 * @param {Excerpt} before
 * @param {Excerpt} next
 * @returns {Excerpt | null}
 */
function joined(before, next) {
  const cut = before.text.endsWith('...') ? before.text.slice(0, -3) : before.text;
  const begun = next.text.startsWith('...') ? 3 : 0;
  const plain = next.text.slice(begun);
  const last = before.hits.at(-1)?.[1] ?? 0;
  const hit = (next.hits[0]?.[0] ?? 0) - begun;
  // The longest overlap after which the next hit follows the previous one.
  for (let n = Math.min(cut.length, plain.length); n >= SHARED; n -= 1) {
    const at = cut.length - n;
    if (at + hit < last || !cut.endsWith(plain.slice(0, n))) continue;
    const moved = next.hits.map(
      ([start, end]) => /** @type {[number, number]} */ ([start - begun + at, end - begun + at]),
    );
    return { text: cut + plain.slice(n), hits: [...before.hits, ...moved] };
  }
  return null;
}

/**
 * Groups the hits of a document by line.
 * @param {{line: number, excerpt: string}[]} matches
 * @param {string} q
 */
export function byLine(matches, q) {
  /** @type {{line: number, excerpts: Excerpt[]}[]} */
  const rows = [];
  for (const { line, excerpt } of matches) {
    const next = read(excerpt, q);
    const row = rows.at(-1);
    if (row?.line !== line) {
      rows.push({ line, excerpts: [next] });
      continue;
    }
    const before = /** @type {Excerpt} */ (row.excerpts.pop());
    const one = joined(before, next);
    row.excerpts.push(...(one ? [one] : [before, next]));
  }
  return rows;
}

/** Marks the hits of an excerpt. @param {Excerpt} excerpt */
function marked({ text, hits }) {
  let end = 0;
  const parts = hits.map(([start, stop]) => {
    const before = text.slice(end, start);
    end = stop;
    return [before, h('mark', null, text.slice(start, stop))];
  });
  return [parts, text.slice(end)];
}

/** @param {string} path */
function shownPath(path) {
  const parts = path.replace(/^\/+/, '').split('/');
  const name = parts.pop() ?? '';
  // A long path may wrap after each directory.
  return h(
    'span',
    { class: 'path' },
    parts.map((part) => [part, '/', h('wbr')]),
    h('b', null, name),
  );
}

/**
 * @param {string} root
 * @param {any} found
 * @param {Question} question
 */
function keyword(root, found, question) {
  const { q } = question;
  const hits = byLine(found.matches, q).map(({ line, excerpts }) =>
    h(
      'li',
      null,
      h(
        'a',
        { class: 'hit', href: documentAt(root, found.path, { line, q }) },
        h('span', { class: 'line' }, number(line)),
        h(
          'span',
          { class: 'excerpt' },
          excerpts.map((one, n) => [n ? h('span', { class: 'dim' }, ' … ') : null, marked(one)]),
        ),
      ),
    ),
  );
  const more = found.matchCount - found.matches.length;
  return h(
    'article',
    { class: 'found' },
    h(
      'h2',
      null,
      h(
        'a',
        { class: 'name', href: documentAt(root, found.path, { q }) },
        found.name || found.path,
      ),
      h('span', { class: 'count' }, t('hits', { n: found.matchCount })),
    ),
    shownPath(found.path),
    h('ol', { class: 'hits' }, hits),
    // An answer has limited room for the hits of each document; a search of one document shows all.
    more > 0 && question.path !== found.path
      ? h(
          'p',
          { class: 'more' },
          h(
            'a',
            { href: toAddress({ ...question, path: found.path }) },
            t('hits.more', { n: more }),
          ),
        )
      : null,
  );
}

/** @param {number} first @param {number} last */
function linesOf(first, last) {
  return first === last ? t('line', { n: first }) : t('lines', { first, last });
}

/** @param {string} root @param {any} found @param {string} q */
function relevance(root, found, q) {
  const sections = found.sections.map((/** @type {any} */ section) =>
    h(
      'li',
      null,
      h(
        'a',
        {
          class: 'section',
          href: documentAt(root, found.path, { line: section.firstLine, words: q }),
        },
        h('span', { class: 'heading' }, section.headingPath.join(' › ') || t('document.start')),
        h(
          'span',
          { class: 'dim' },
          linesOf(section.firstLine, section.lastLine),
          ' · ',
          t('tokens', { n: section.tokens }),
        ),
      ),
      h('p', { class: 'content' }, multiline(section.content.trim())),
    ),
  );
  return h(
    'article',
    { class: 'found' },
    h(
      'h2',
      null,
      h(
        'a',
        { class: 'name', href: documentAt(root, found.path, { words: q }) },
        found.name || found.path,
      ),
      h('span', { class: 'count', title: t('score') }, number(Math.round(found.score * 100) / 100)),
    ),
    shownPath(found.path),
    h('ol', { class: 'sections' }, sections),
  );
}

/** @param {string} root @param {any} found */
function file(root, found) {
  return h(
    'article',
    { class: 'found file' },
    h('a', { class: 'name', href: documentAt(root, found.path) }, shownPath(found.path)),
    h(
      'span',
      { class: 'dim' },
      [found.time && moment(found.time), found.sizeBytes !== undefined && size(found.sizeBytes)]
        .filter(Boolean)
        .join(' · '),
    ),
  );
}

/** @param {string} root @param {any} found */
function tagged(root, found) {
  return h(
    'article',
    { class: 'found' },
    h(
      'h2',
      null,
      h('a', { class: 'name', href: documentAt(root, found.path) }, found.title || found.path),
      h('span', { class: 'count', title: found.why.join('\n') }, number(found.relevanceScore)),
    ),
    shownPath(found.path),
    h(
      'p',
      { class: 'tags' },
      found.tags.map((/** @type {string} */ tag) => h('span', { class: 'tag' }, `#${tag}`)),
      found.modified ? h('span', { class: 'dim' }, moment(found.modified)) : null,
    ),
    found.snippet ? h('p', { class: 'excerpt' }, found.snippet) : null,
  );
}

/** @param {string} root @param {any} found @param {string} q */
function item(root, found, q) {
  const to = documentAt(root, found.filePath, { line: found.range?.first, words: q });
  const { headingPath } = found.metadata;
  const lines = found.range && linesOf(found.range.first, found.range.last);
  return h(
    'article',
    // An item that is only listed on one page may be shown with its text on the next.
    {
      class: 'found',
      'data-key': `${found.filePath}:${found.range?.first}`,
      'data-named': found.onlyNamed,
    },
    h('h2', null, h('a', { class: 'name', href: to }, found.title || found.filePath)),
    shownPath(found.filePath),
    found.preview && [
      h('p', { class: 'dim where' }, [headingPath?.join(' › '), lines].filter(Boolean).join(' · ')),
      h(
        'p',
        { class: found.kind === 'symbol' ? 'content code' : 'content' },
        multiline(found.preview.trim()),
      ),
    ],
  );
}

/** @param {any} answer */
function items({ data }) {
  return [...data.docs, ...data.code, ...(data.data ?? [])];
}

/**
 * Returns the cursor of the next page.
 * @param {any} answer
 * @returns {string | null | undefined}
 */
export function nextOf(answer) {
  return answer.nextCursor ?? answer.next?.itemsCursor;
}

/**
 * Returns the results of one page of an answer.
 * @param {Question} question
 * @param {string} root that was searched
 * @param {any} answer
 * @returns {HTMLElement[]}
 */
export function list(question, root, answer) {
  switch (question.mode) {
    case 'keyword':
      return answer.results.map((/** @type {any} */ it) => keyword(root, it, question));
    case 'relevance':
      return answer.documents.map((/** @type {any} */ it) => relevance(root, it, question.q));
    case 'explore':
      return items(answer).map((it) => item(root, it, question.q));
    case 'files':
      return answer.matches.map((/** @type {any} */ it) => file(root, it));
    case 'tags':
      return answer.results.map((/** @type {any} */ it) => tagged(root, it));
    default:
      return [];
  }
}

/**
 * Returns a line that summarizes the results.
 * @param {Question} question
 * @param {any} answer the first page
 * @param {number} shown documents shown so far
 */
export function summary(question, answer, shown) {
  switch (question.mode) {
    case 'keyword': {
      const parts = [
        t('found.hits', { n: answer.totalMatches }),
        t('found.files', { n: answer.totalFiles }),
      ];
      if (shown < answer.totalFiles) parts.push(t('found.shown', { n: shown }));
      return parts.join(' · ');
    }
    case 'relevance':
      return t('found.documents', { n: answer.documentsFound });
    case 'explore':
      return t(nextOf(answer) ? 'found.best' : 'found.places', { n: shown });
    case 'files':
      return t(answer.nextCursor ? 'found.newest' : 'found.files', { n: shown });
    case 'tags':
      return t('found.documents', { n: answer.totalCount });
    default:
      return '';
  }
}

/** @param {Question} question @param {any} answer */
export function skippedOf(question, answer) {
  return ['keyword', 'explore', 'files'].includes(question.mode)
    ? answer.stats.skipped
    : answer.skipped;
}
