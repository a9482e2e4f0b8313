// The contents of a directory, loaded in pages when it is opened.

import { call } from './api.js';
import { button, fill, h } from './dom.js';
import { moment, size, t } from './i18n.js';
import { directoryAt, documentAt } from './router.js';
import { failure, refused, skippedFiles } from './states.js';

/** Entries of a page. */
const PIECE = 100;

/**
 * @typedef {object} Entry
 * @property {string} path
 * @property {'file' | 'directory'} kind
 * @property {string} time
 * @property {number} [sizeBytes]
 */

/**
 * Returns a list of the entries of a directory, and fills it.
 * @param {string} root
 * @param {string} path empty for the root itself
 * @param {AbortSignal} signal
 * @param {(answer: import('./api.js').Answer, args: Record<string, unknown>) => void} [told]
 */
export function directory(root, path, signal, told) {
  const entries = h('ul', { class: 'tree' });
  const end = h('div', { class: 'end' });
  const box = h('div', { class: 'listing' }, entries, end);
  const more = async (/** @type {string | null} */ cursor) => {
    const args = {
      root,
      ...(path ? { path } : {}),
      maxDepth: 1,
      includeDirectories: true,
      sort: 'path-asc',
      limit: PIECE,
      ...(cursor ? { cursor } : {}),
    };
    fill(end, h('span', { class: 'dim', role: 'status' }, t('running')));
    try {
      const answer = await call('find_files', args, signal);
      told?.(answer, args);
      if (answer.outcome !== 'answered') return fill(end, refused(answer));
      const { matches, nextCursor, stats } = answer.structured;
      const others = matches.filter(
        (/** @type {Entry} */ one) => one.path !== '.' && one.path !== path,
      );
      // If all entries are loaded, directories come first.
      const isFile = (/** @type {Entry} */ one) => Number(one.kind === 'file');
      if (!cursor && !nextCursor)
        others.sort((/** @type {Entry} */ a, /** @type {Entry} */ b) => isFile(a) - isFile(b));
      const found = others.map((/** @type {Entry} */ one) => entry(root, one, signal));
      entries.append(...found);
      fill(
        end,
        entries.children.length ? null : h('p', { class: 'dim' }, t('tree.empty')),
        skippedFiles(stats.skipped),
        nextCursor ? button(t('more'), () => more(nextCursor)) : null,
      );
      if (cursor) found[0]?.querySelector('a, summary')?.focus();
    } catch (error) {
      if (!signal.aborted)
        fill(
          end,
          failure(error, () => more(cursor)),
        );
    }
  };
  return { box, filled: more(null) };
}

/** @param {string} root @param {Entry} one @param {AbortSignal} signal */
function entry(root, one, signal) {
  const name = one.path.split('/').pop() ?? '';
  if (one.kind === 'file') {
    const facts = [
      one.sizeBytes !== undefined && size(one.sizeBytes),
      one.time && moment(one.time),
    ];
    return h(
      'li',
      { class: 'leaf' },
      h('a', { class: 'path', href: documentAt(root, one.path) }, name),
      h('span', { class: 'dim' }, facts.filter(Boolean).join(' · ')),
    );
  }
  const inside = h('div', { class: 'inside' });
  const details = /** @type {HTMLDetailsElement} */ (
    h('details', null, h('summary', { class: 'path' }, `${name}/`), inside)
  );
  details.addEventListener('toggle', () => {
    if (!details.open || inside.children.length) return;
    fill(
      inside,
      h('a', { class: 'open', href: directoryAt(root, one.path) }, t('tree.open')),
      directory(root, one.path, signal).box,
    );
  });
  return h('li', null, details);
}
