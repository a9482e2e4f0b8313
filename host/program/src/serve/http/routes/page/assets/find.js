// Marks words in a document.

import { h } from './dom.js';

/** Maximum marks; more would make the page slow, and nobody goes through them. */
const MOST = 2000;

/**
 * Marks every occurrence of `words` in `within`, ignoring case.
 * @param {Element} within
 * @param {string[]} words
 * @returns {HTMLElement[]}
 */
export function mark(within, words) {
  const wanted = words.map((word) => word.trim()).filter(Boolean);
  if (!wanted.length) return [];
  const sources = wanted.map((word) =>
    word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/\s+/g, '\\s+'),
  );
  const pattern = new RegExp(sources.join('|'), 'giu');
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  /** @type {HTMLElement[]} */
  const marks = [];
  for (const text of texts) {
    if (marks.length >= MOST) break;
    // Line numbers are not text of the document.
    if (text.parentElement?.closest('.number')) continue;
    markText(text, pattern, marks);
  }
  return marks;
}

/** @param {Text} text @param {RegExp} pattern @param {HTMLElement[]} marks */
function markText(text, pattern, marks) {
  const whole = text.data;
  /** @type {(string | Node)[]} */
  const parts = [];
  let end = 0;
  for (const found of whole.matchAll(pattern)) {
    if (!found[0]) continue;
    const one = h('mark', { tabindex: '-1' }, found[0]);
    parts.push(whole.slice(end, found.index), one);
    marks.push(one);
    end = found.index + found[0].length;
  }
  if (parts.length) text.replaceWith(...parts, whole.slice(end));
}
