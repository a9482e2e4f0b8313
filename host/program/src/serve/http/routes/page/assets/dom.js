// Elements without markup: content of documents becomes a text node or an attribute, never HTML,
// and its control characters cannot reorder or hide other text.

import { t } from './i18n.js';
import { visible, visibleLines } from './visible.js';

/** @typedef {Node | string | number | null | undefined | false | any[]} Child */
/** @typedef {Record<string, unknown>} Props */

/** The attributes that people see or hear, which are escaped. Others keep their value. */
const SHOWN = ['title', 'aria-label', 'placeholder', 'alt', 'label'];

/** Maximum characters of a text that are shown at once. */
const MOST_SHOWN = 200_000;

/** Returns a text of several lines, for elements that keep line breaks. @param {string} text */
export function multiline(text) {
  return document.createTextNode(visibleLines(text));
}

/**
 * Returns a new element. A property `on…` is a listener, `true` an attribute without a value, and
 * `false`, `null` and `undefined` are left out.
 * @param {string} tag
 * @param {Props | null} [props]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else {
      const text = value === true ? '' : String(value);
      element.setAttribute(name, SHOWN.includes(name) ? visible(text) : text);
    }
  }
  fill(element, ...children);
  return element;
}

/**
 * Replaces the children of an element.
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  const nodes = /** @type {Child[]} */ (children.flat(Infinity));
  const shown = nodes.filter((child) => child !== null && child !== undefined && child !== false);
  element.replaceChildren(
    .../** @type {(Node | string)[]} */ (
      shown.map((child) => (child instanceof Node ? child : visible(String(child))))
    ),
  );
}

/** @type {{createHTML(html: string): any} | undefined} */
const rendered = /** @type {any} */ (globalThis).trustedTypes?.createPolicy('docent-html', {
  createHTML: (/** @type {string} */ html) => html,
});

/**
 * Shows a document as the server rendered it; no other place inserts HTML. The server only writes
 * elements and attributes of its own list, whatever the document contains.
 * @param {Element} element
 * @param {string} html of `/api/render`
 */
export function fillRendered(element, html) {
  element.innerHTML = rendered ? rendered.createHTML(html) : html;
}

/**
 * Returns a block with a text as it was sent, cut to a length that browsers show at once.
 * @param {string} text
 * @param {string} label
 */
export function textBlock(text, label) {
  const block = h(
    'pre',
    { class: 'sent', tabindex: '0', role: 'region', 'aria-label': label },
    multiline(text.slice(0, MOST_SHOWN)),
  );
  const more = text.length - MOST_SHOWN;
  return more > 0 ? [block, h('p', { class: 'dim' }, t('text.more', { n: more }))] : [block];
}

/** Sets the title of the view, for the tab and the history of the browser. @param {string} text */
export function entitle(text) {
  document.title = visible(text ? `${text} · docent` : 'docent');
}

/** @param {string} id */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Announces a change of the page to screen readers.
 * @param {string} text
 */
export function announce(text) {
  byId('live').textContent = visible(text);
}

/**
 * Returns a button. Its tooltip and its description for screen readers name its key.
 * @param {string} label
 * @param {() => void} act
 * @param {{key?: string, class?: string, pressed?: boolean, label?: string, expanded?: boolean,
 *   disabled?: boolean}} [options]
 */
export function button(label, act, options = {}) {
  return h(
    'button',
    {
      type: 'button',
      class: `button ${options.class ?? ''}`.trim(),
      title: options.key ? `${options.label ?? label} (${options.key})` : options.label,
      'aria-label': options.label,
      'aria-keyshortcuts': options.key,
      'aria-pressed': options.pressed === undefined ? null : String(options.pressed),
      'aria-expanded': options.expanded === undefined ? null : String(options.expanded),
      disabled: options.disabled,
      onclick: act,
    },
    label,
  );
}

/**
 * Asks for confirmation of an action.
 * @param {string} title
 * @param {Child} text
 * @param {string} label of the action
 * @param {() => void} act
 */
export function choose(title, text, label, act) {
  const before = document.activeElement;
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      'dialog',
      { 'aria-labelledby': 'choose-title' },
      h('h2', { id: 'choose-title' }, title),
      typeof text === 'string' ? h('p', null, text) : text,
      h(
        'p',
        { class: 'bar' },
        button(t('cancel'), () => dialog.close()),
        button(
          label,
          () => {
            dialog.close();
            act();
          },
          { class: 'primary' },
        ),
      ),
    )
  );
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {string} text */
export async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page over plain HTTP from another machine has no clipboard; `execCommand` still works.
    const before = document.activeElement;
    const area = /** @type {HTMLTextAreaElement} */ (h('textarea', { class: 'unseen' }));
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}

/**
 * Copies a text, and shows that on the button for a moment.
 * @param {HTMLElement} from
 * @param {string} text
 * @param {string} done
 */
export async function copy(from, text, done) {
  await toClipboard(text);
  const before = from.textContent ?? '';
  if (before !== done) {
    from.textContent = done;
    setTimeout(() => {
      from.textContent = before;
    }, 1200);
  }
  announce(done);
}
