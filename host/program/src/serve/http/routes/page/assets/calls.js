// The view of recent calls: who made them, and the answers that were sent.

import { ask } from './api.js';
import { copies, figures } from './agent.js';
import { announce, button, entitle, fill, h, textBlock } from './dom.js';
import { clock, duration, moment, number, size, t } from './i18n.js';
import { move } from './keys.js';
import { whereToRepeat } from './query.js';
import { documentAt } from './router.js';
import { failure, notice } from './states.js';

/** Milliseconds between two requests for new calls. */
const PERIOD = 2000;

/** Characters of a call's arguments in its row; the page of the call shows all of them. */
const SHOWN = 400;

export class CallsView {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.title = h('h1', { tabindex: '-1' });
    this.body = h('div', { class: 'calls' });
    fill(main, this.title, this.body);
    this.isPaused = false;
    this.last = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.keys = {
      j: () => move(this.body, 'tbody a', 1),
      k: () => move(this.body, 'tbody a', -1),
      ArrowDown: () => move(this.body, 'tbody a', 1),
      ArrowUp: () => move(this.body, 'tbody a', -1),
      p: () => this.flip(),
    };
    this.looks = () => {
      if (!document.hidden) this.look();
    };
    document.addEventListener('visibilitychange', this.looks);
  }

  close() {
    clearTimeout(this.timer);
    this.isClosed = true;
    document.removeEventListener('visibilitychange', this.looks);
  }

  /** @param {import('./router.js').Route} route */
  async show(route) {
    clearTimeout(this.timer);
    this.id = route.id;
    entitle(t('tab.calls'));
    if (route.id) return this.showOne(route.id);
    fill(this.title, t('calls.title'));
    this.pause = button(t('pause'), () => this.flip(), { key: 'p', pressed: this.isPaused });
    this.state = h('span', { class: 'dim', role: 'status' });
    this.rows = h('tbody');
    this.last = 0;
    this.place = h('div');
    fill(
      this.body,
      h('div', { class: 'bar' }, this.state, h('span', { class: 'gap' }), this.pause),
      this.place,
    );
    await this.look();
  }

  flip() {
    this.isPaused = !this.isPaused;
    this.pause?.setAttribute('aria-pressed', String(this.isPaused));
    if (!this.isPaused) this.look();
    else this.tell();
  }

  tell() {
    if (!this.state) return;
    const text = this.isPaused ? t('calls.paused') : t('calls.live');
    // The text is only set when it changes, so that screen readers do not repeat it.
    if (this.state.textContent !== text) this.state.textContent = text;
  }

  async look() {
    clearTimeout(this.timer);
    if (this.id || this.isClosed || (this.isPaused && this.last)) return;
    try {
      const answer = await ask(`/api/calls?after=${this.last}`);
      if (this.id || this.isClosed) return;
      this.draw(answer);
    } catch (error) {
      if (this.id || this.isClosed || !this.place) return;
      this.last = 0;
      fill(
        this.place,
        failure(error, () => this.look()),
      );
      return;
    }
    this.tell();
    if (!document.hidden && !this.isPaused) this.timer = setTimeout(() => this.look(), PERIOD);
  }

  /** @param {any} answer */
  draw(answer) {
    const rows = /** @type {HTMLElement} */ (this.rows);
    const place = /** @type {HTMLElement} */ (this.place);
    if (answer.off) return fill(place, notice(t('calls.off'), [h('p', null, t('calls.off.text'))]));
    // A restarted server numbers its calls from the beginning.
    if (answer.latest < this.last) {
      fill(rows);
      this.last = 0;
    }
    for (const call of answer.calls) rows.prepend(row(call));
    while (rows.children.length > answer.most) rows.lastElementChild?.remove();
    if (this.last && answer.calls.length) announce(t('calls.new', { n: answer.calls.length }));
    this.last = answer.latest;
    if (!rows.children.length) {
      return fill(
        place,
        notice(t('calls.none'), [
          h('p', null, t('calls.none.text')),
          h(
            'pre',
            { class: 'sent', tabindex: '0' },
            `claude mcp add --transport http docent ${location.origin}/mcp --header "Authorization: Bearer $DOCENT_TOKEN"`,
          ),
        ]),
      );
    }
    if (!rows.isConnected) fill(place, table(rows));
  }

  /** @param {string} id */
  async showOne(id) {
    fill(this.title, t('call.title', { id }));
    let call;
    try {
      call = await ask(`/api/calls/${encodeURIComponent(id)}`);
    } catch (error) {
      const gone = /** @type {any} */ (error).status === 404;
      fill(
        this.body,
        gone
          ? notice(t('call.gone'), [
              h('p', null, t('call.gone.text')),
              h('a', { href: '/calls' }, t('call.back')),
            ])
          : failure(error, () => this.showOne(id)),
      );
      return;
    }
    if (this.id !== id) return;
    fill(
      this.title,
      h('code', null, call.tool),
      ' ',
      h('span', { class: 'dim' }, t('call.title', { id })),
    );
    const facts = [
      [t('call.when'), moment(call.time)],
      [t('call.who'), call.principal],
      [t('call.client'), call.client],
    ].filter(([, value]) => value);
    fill(
      this.body,
      h('p', null, h('a', { href: '/calls' }, `‹ ${t('call.back')}`)),
      h(
        'dl',
        { class: 'figures' },
        facts.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))),
      ),
      figures(call),
      h(
        'p',
        { class: 'bar' },
        h(
          'a',
          { class: 'button primary', href: whereToRepeat(call.tool, call.arguments) },
          t('call.repeat'),
        ),
      ),
      copies(call.tool, call.arguments, call),
      tabs([
        [t('call.text'), () => textBlock(call.sent.text, t('call.text'))],
        [
          t('call.request'),
          () => textBlock(JSON.stringify(call.arguments, null, 2), t('call.request')),
        ],
        call.structured === undefined
          ? null
          : [
              t('call.structured'),
              () => textBlock(JSON.stringify(call.structured, null, 2), t('call.structured')),
            ],
      ]),
      opened(call),
    );
  }
}

/** @param {HTMLElement} rows */
function table(rows) {
  const heads = ['time', 'who', 'tool', 'arguments', 'outcome', 'took', 'files', 'tokens', 'bytes'];
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('calls.title') },
    h(
      'table',
      null,
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          heads.map((head) => h('th', { scope: 'col', class: head }, t(`calls.${head}`))),
        ),
      ),
      rows,
    ),
  );
}

/** @param {any} call */
function row(call) {
  return h(
    'tr',
    { class: call.outcome },
    h('td', { class: 'time' }, h('a', { href: `/calls/${call.id}` }, clock(call.time))),
    h(
      'td',
      { class: 'who' },
      call.principal,
      call.client ? h('span', { class: 'dim' }, ` ${call.client}`) : null,
    ),
    h('td', { class: 'tool' }, h('code', null, call.tool)),
    h(
      'td',
      { class: 'arguments' },
      h('code', null, JSON.stringify(call.arguments).slice(0, SHOWN)),
    ),
    h(
      'td',
      { class: 'outcome' },
      h('span', { class: `tag ${call.outcome}` }, t(`outcome.${call.outcome}`)),
    ),
    h('td', { class: 'took' }, duration(call.ms)),
    h('td', { class: 'files' }, call.files ? number(call.files.opened) : '–'),
    h('td', { class: 'tokens' }, number(call.sent.tokens)),
    h('td', { class: 'bytes' }, size(call.sent.bytes)),
  );
}

/** @param {([string, () => HTMLElement[]] | null)[]} all */
function tabs(all) {
  const parts = /** @type {[string, () => HTMLElement[]][]} */ (all.filter(Boolean));
  const panel = h('div', { role: 'tabpanel', id: 'call-panel', 'aria-labelledby': 'call-tab-0' });
  const select = (/** @type {number} */ n, focus = true) => {
    heads.forEach((head, at) => {
      head.setAttribute('aria-selected', String(at === n));
      head.tabIndex = at === n ? 0 : -1;
    });
    panel.setAttribute('aria-labelledby', `call-tab-${n}`);
    fill(panel, parts[n][1]());
    if (focus) heads[n].focus();
  };
  const heads = parts.map(
    ([name], n) =>
      /** @type {HTMLElement} */ (
        h(
          'button',
          {
            type: 'button',
            role: 'tab',
            id: `call-tab-${n}`,
            'aria-controls': 'call-panel',
            class: 'tab',
            onclick: () => select(n),
            onkeydown: (/** @type {KeyboardEvent} */ event) => {
              const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
              if (by) select((n + by + parts.length) % parts.length);
            },
          },
          name,
        )
      ),
  );
  select(0, false);
  return h(
    'div',
    { class: 'tabbed' },
    h('div', { role: 'tablist', 'aria-label': t('call.parts') }, heads),
    panel,
  );
}

/** @param {any} call */
function opened(call) {
  const names = call.files?.names;
  if (!names) return null;
  return h(
    'section',
    null,
    h('h2', null, t('call.opened')),
    names.length
      ? h(
          'ol',
          { class: 'opened' },
          names.map((/** @type {any} */ file) =>
            h(
              'li',
              null,
              h('a', { href: documentAt(file.root, file.path) }, `${file.root}/${file.path}`),
            ),
          ),
        )
      : h('p', { class: 'dim' }, t('call.opened.none')),
  );
}
