// The answer that an agent would receive for the same call, and the call as MCP JSON, `curl` and
// command line.

import { button, copy, fill, h, textBlock } from './dom.js';
import { duration, number, size, t } from './i18n.js';

const CLOSED = 'docent-agent-closed';

/** @param {string} text for a shell */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The tools that `/context` accepts in a query string, with their short names. */
/** @type {Record<string, string>} */
const ACTIONS = { search_documents: 'search', list_documents: 'list', read_document: 'read' };

/** @param {string} tool @param {Record<string, unknown>} args */
export function asMcp(tool, args) {
  const request = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: args },
  };
  return JSON.stringify(request, null, 2);
}

/**
 * Returns a command for `curl`. It names the variable of the token instead of the token, because
 * copied text ends up in histories and chats.
 * @param {string} tool @param {Record<string, unknown>} args
 */
export function asCurl(tool, args) {
  const start = 'curl -H "Authorization: Bearer $DOCENT_TOKEN"';
  const action = ACTIONS[tool];
  if (action && Object.values(args).every((value) => typeof value !== 'object')) {
    const query = new URLSearchParams({ action });
    for (const [name, value] of Object.entries(args)) {
      query.set(
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        String(value),
      );
    }
    return `${start} ${quoted(`${location.origin}/context?${query}`)}`;
  }
  const body = JSON.stringify(JSON.parse(asMcp(tool, args)));
  return `${start} -H 'Content-Type: application/json' -d ${quoted(body)} ${quoted(`${location.origin}/context`)}`;
}

/** @param {string} tool @param {Record<string, unknown>} args */
export function asCommand(tool, args) {
  return `docent call ${tool} ${quoted(JSON.stringify(args))}`;
}

/** The pane next to an answer. */
export class AgentPane {
  constructor() {
    this.box = h('aside', { class: 'agent', 'aria-labelledby': 'agent-title' });
    this.toggle = button(t('agent.toggle'), () => this.flip(), { key: 'a', expanded: true });
    /** @type {(() => void) | null} */
    this.onflip = null;
    this.show(window.innerWidth > 900 && !localStorage.getItem(CLOSED));
    this.clear();
  }

  /** @param {boolean} open */
  show(open) {
    this.box.hidden = !open;
    this.toggle.setAttribute('aria-expanded', String(open));
    this.onflip?.();
  }

  flip() {
    const open = this.box.hidden;
    if (open) localStorage.removeItem(CLOSED);
    else localStorage.setItem(CLOSED, '1');
    this.show(open);
    if (open) this.box.scrollIntoView({ block: 'nearest' });
  }

  clear() {
    fill(
      this.box,
      h('h2', { id: 'agent-title' }, t('agent.title')),
      h('p', { class: 'dim' }, t('agent.none')),
    );
  }

  /**
   * @param {string} tool
   * @param {Record<string, unknown>} args
   * @param {import('./api.js').Answer} answer
   */
  set(tool, args, answer) {
    fill(
      this.box,
      h('h2', { id: 'agent-title' }, t('agent.title')),
      figures(answer),
      textBlock(answer.sent.text, t('agent.text')),
      copies(tool, args, answer),
    );
  }
}

/** @param {import('./api.js').Answer} answer */
export function figures({ sent, ms, files, outcome }) {
  const pairs = [
    [t('figure.tokens'), number(sent.tokens)],
    [t('figure.bytes'), size(sent.bytes)],
    [t('figure.time'), duration(ms)],
    files ? [t('figure.files'), number(files.opened)] : null,
    outcome === 'answered' ? null : [t('figure.outcome'), t(`outcome.${outcome}`)],
  ];
  return h(
    'dl',
    { class: 'figures' },
    pairs.map((pair) => pair && h('div', null, h('dt', null, pair[0]), h('dd', null, pair[1]))),
  );
}

/**
 * @param {string} tool
 * @param {Record<string, unknown>} args
 * @param {import('./api.js').Answer} [answer]
 */
export function copies(tool, args, answer) {
  /** @type {[string, () => string][]} */
  const forms = [
    ['MCP JSON', () => asMcp(tool, args)],
    ['curl', () => asCurl(tool, args)],
    [t('copy.command'), () => asCommand(tool, args)],
  ];
  if (answer) forms.push([t('copy.answer'), () => answer.sent.text]);
  return h(
    'div',
    { class: 'copies', role: 'group', 'aria-label': t('copy.as') },
    h('span', { class: 'dim' }, t('copy.as')),
    forms.map(([name, text]) =>
      h(
        'button',
        {
          type: 'button',
          class: 'button small',
          onclick: (/** @type {Event} */ event) =>
            copy(/** @type {HTMLElement} */ (event.currentTarget), text(), t('copied')),
        },
        name,
      ),
    ),
  );
}
