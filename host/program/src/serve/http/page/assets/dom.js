// Elements without markup: what comes from documents is a text node or an attribute, never HTML.

/** @typedef {Node | string | number | null | undefined | false | any[]} Child */
/** @typedef {Record<string, unknown>} Props */

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
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  fill(element, ...children);
  return element;
}

/**
 * Puts these children in place of those that are there.
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  const nodes = /** @type {Child[]} */ (children.flat(Infinity));
  const shown = nodes.filter((child) => child !== null && child !== undefined && child !== false);
  element.replaceChildren(
    .../** @type {(Node | string)[]} */ (
      shown.map((child) => (child instanceof Node ? child : String(child)))
    ),
  );
}

/** @type {{createHTML(html: string): any} | undefined} */
const rendered = /** @type {any} */ (globalThis).trustedTypes?.createPolicy('docent-html', {
  createHTML: (/** @type {string} */ html) => html,
});

/**
 * Shows a document as the server rendered it: the one place where HTML comes in. The server writes
 * no element and no attribute but those of its own list, whatever the document says.
 * @param {Element} element
 * @param {string} html of `/api/render`
 */
export function fillRendered(element, html) {
  element.innerHTML = rendered ? rendered.createHTML(html) : html;
}

/** @param {string} id */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Tells people who hear the page what changed on it.
 * @param {string} text
 */
export function announce(text) {
  byId('live').textContent = text;
}

/**
 * A button, whose key is told to those who point at it and to those who hear it.
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

/** @param {string} text */
export async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Over plain http from another machine there is no clipboard; the old way still works there.
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
 * Copies a text and says so on the button for a moment.
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
