// The box at the top, and what is asked by it: what was typed is part of the question at once.

import { byId } from './dom.js';
import { composes } from './keys.js';
import { fromAddress, fromBox, toAddress, toBox } from './query.js';
import { go } from './router.js';

/** @typedef {import('./query.js').Question} Question */

/** Milliseconds of rest in typing, after which is searched: fewer would send every letter. */
const IDLE = 200;

const box = /** @type {HTMLInputElement} */ (byId('q'));
const rootPicker = /** @type {HTMLSelectElement} */ (byId('root'));

/** Whether the box or the root holds something that no address says. */
let isTyped = false;

export function hasTyped() {
  return isTyped;
}

/**
 * Shows a question in the box, but never under the hands of who is writing, unless they went back.
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
 * Returns what is asked now: what the address of a search says, with what stands in the box. In
 * another view the question begins anew, in the root that is picked.
 * @returns {Question}
 */
export function asked() {
  const isSearch = location.pathname === '/';
  const question = fromAddress(new URLSearchParams(isSearch ? location.search : ''));
  const root = rootPicker.selectedIndex > 0 ? rootPicker.value : '';
  return { ...question, ...fromBox(box.value), root };
}

/** A text is searched for where a tool was called before. @returns {Question} */
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
    // Enter that ends a composition is for the keyboard's own window.
    if (event.key === 'Enter' && composes(event)) event.preventDefault();
    if (event.key === 'ArrowDown' && !composes(event)) {
      event.preventDefault();
      /** @type {HTMLElement | null} */ (document.querySelector('.results a'))?.focus();
    }
  });
  box.addEventListener('input', (event) => {
    clearTimeout(idle);
    isTyped = true;
    // A syllable of Hangul under composition is text already, letters for another script are not.
    const composing = /** @type {InputEvent} */ (event).isComposing;
    if (!isSearch() || (composing && !/[가-힣]$/.test(box.value))) return;
    // Beside the form of a tool it waits until it is sent.
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
