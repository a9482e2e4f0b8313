// Keyboard shortcuts; each does the same as a button or a link.

import { button, h } from './dom.js';
import { t } from './i18n.js';

/** @typedef {Record<string, () => void>} Keys */

const OFF = 'docent-keys-off';

/** @type {Keys} */
let ofView = {};
/** @type {Keys} */
let always = {};
/** The first key of a shortcut of two keys. */
let first = '';
/** @type {number | undefined} */
let patience;

/** @param {Keys} keys */
export function useKeys(keys) {
  ofView = keys;
}

/** @param {KeyboardEvent} event */
export function composes(event) {
  // Browsers that end the composition before the key event send 229.
  return event.isComposing || event.keyCode === 229;
}

/**
 * Returns the Latin letter of a key, even while the keyboard writes Hangul.
 * @param {KeyboardEvent} event
 */
function letter(event) {
  if (event.key.length !== 1 || event.key <= '\x7f') return event.key;
  const found = /^Key([A-Z])$/.exec(event.code);
  if (!found) return event.key;
  return event.shiftKey ? found[1] : found[1].toLowerCase();
}

/** @param {EventTarget | null} target */
function isWriting(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** @param {Keys} keys those of every view */
export function listen(keys) {
  always = keys;
  document.addEventListener('keydown', (event) => {
    if (composes(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = letter(event);
    if (document.querySelector('dialog[open]')) return;
    if (isWriting(event.target)) {
      if (key === 'Escape') /** @type {HTMLElement} */ (event.target).blur();
      return;
    }
    if (key !== 'Escape' && localStorage.getItem(OFF)) return;
    const both = first && `${first} ${key}`;
    first = '';
    clearTimeout(patience);
    const act = (both && always[both]) || ofView[key] || always[key];
    if (act) {
      event.preventDefault();
      act();
    } else if (key === 'g') {
      first = 'g';
      patience = setTimeout(() => {
        first = '';
      }, 1500);
    }
  });
}

/**
 * Moves the focus among links, as `j` and `k` do.
 * @param {ParentNode} within
 * @param {string} selector
 * @param {1 | -1} step
 */
export function move(within, selector, step) {
  const all = /** @type {HTMLElement[]} */ ([...within.querySelectorAll(selector)]);
  const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const next =
    all[
      at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1)
    ];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

const TOLD = [
  '/',
  'j',
  'k',
  'Enter',
  'a',
  'o',
  's',
  'n',
  'N',
  'c',
  'p',
  'g s',
  'g c',
  'g l',
  'g h',
  'g a',
  '?',
  'Escape',
];

/** Shows the shortcuts, and lets people who use speech input switch them off. */
export function showHelp() {
  const before = document.activeElement;
  const off = /** @type {HTMLInputElement} */ (h('input', { type: 'checkbox', id: 'keys-on' }));
  off.checked = !localStorage.getItem(OFF);
  off.addEventListener('change', () => {
    if (off.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, '1');
  });
  const rows = TOLD.map((key) =>
    h(
      'div',
      { class: 'key' },
      h(
        'dt',
        null,
        key.split(' ').map((part) => h('kbd', null, part)),
      ),
      h('dd', null, t(`key.${key}`)),
    ),
  );
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      'dialog',
      { class: 'help', 'aria-labelledby': 'help-title' },
      h('h2', { id: 'help-title' }, t('help.title')),
      h('dl', null, rows),
      h('label', { class: 'check' }, off, t('help.keys')),
      h(
        'p',
        null,
        button(t('close'), () => dialog.close(), { class: 'primary' }),
      ),
    )
  );
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before instanceof HTMLElement) before.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}
