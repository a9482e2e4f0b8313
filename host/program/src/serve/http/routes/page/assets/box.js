// The search box at the top. Its text is part of the question as soon as it is typed.

import { byId } from './dom.js';
import { composes } from './keys.js';
import { fromAddress, fromBox, toAddress, toBox } from './query.js';
import { go } from './router.js';

/** @typedef {import('./query.js').Question} Question */

/** Milliseconds without input before a search starts; fewer would send every letter. */
const IDLE = 200;

const box = /** @type {HTMLInputElement} */ (byId('q'));
const rootPicker = /** @type {HTMLSelectElement} */ (byId('root'));

/** True if the box or the root picker has a value that the address does not have. */
let isTyped = false;

export function hasTyped() {
  return isTyped;
}

/**
 * Shows a question in the box. Text that is being typed is only replaced after going back.
 * @param {Question} question
 * @param {boolean} isBack
 */
export function showInBox(question, isBack) {
  if (isBack || document.activeElement !== box) {
    box.value = toBox(question);
    isTyped = false;
  } else {
    isTyped = toAddress(asked()) !== toAddress(question);
  }
}

/**
 * Returns the current question: that of the address of a search, with the text of the box. In
 * another view it is a new question, in the selected root.
 * @returns {Question}
 */
export function asked() {
  const isSearch = location.pathname === '/';
  const question = fromAddress(new URLSearchParams(isSearch ? location.search : ''));
  const root = rootPicker.selectedIndex > 0 ? rootPicker.value : '';
  return { ...question, ...fromBox(box.value), root };
}

/** Returns the question to search for: the mode `tool` becomes `keyword`. @returns {Question} */
function searched() {
  const question = asked();
  return question.mode === 'tool' ? { ...question, mode: 'keyword' } : question;
}

export function wireBox() {
  const isSearch = () => location.pathname === '/';
  /** @type {number | undefined} */
  let idle;
  byId('find').addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(idle);
    go(toAddress(searched()));
  });
  box.addEventListener('keydown', (event) => {
    // Enter that ends a composition belongs to the input method.
    if (event.key === 'Enter' && composes(event)) event.preventDefault();
    if (event.key === 'ArrowDown' && !composes(event)) {
      event.preventDefault();
      /** @type {HTMLElement | null} */ (document.querySelector('.results a'))?.focus();
    }
  });
  box.addEventListener('input', (event) => {
    clearTimeout(idle);
    isTyped = true;
    // A syllable of Hangul in composition is text already; letters that an input method converts to
    // another script are not.
    const composing = /** @type {InputEvent} */ (event).isComposing;
    if (!isSearch() || (composing && !/[가-힣]$/.test(box.value))) return;
    // In the view of a tool the search waits until the form is submitted.
    if (asked().mode === 'tool') return;
    idle = setTimeout(() => {
      const address = toAddress(asked());
      if (isSearch() && address !== location.pathname + location.search)
        go(address, { replace: true });
    }, IDLE);
  });
  rootPicker.addEventListener('change', () => {
    isTyped = true;
    if (isSearch()) go(toAddress(asked()));
  });
}
