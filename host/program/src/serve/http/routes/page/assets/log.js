// The view of the access log.

import { about, ask, askFile } from './api.js';
import { announce, button, entitle, fill, h } from './dom.js';
import { duration, instant, moment, t } from './i18n.js';
import { move } from './keys.js';
import { at, documentAt, go, keep } from './router.js';
import { failure, notice, outcomeOf } from './states.js';
import { exact, typable } from './visible.js';

/**
 * @typedef {object} Log what `/api/log` answers; all but `enabled` only where a log is kept
 * @property {boolean} enabled
 * @property {Seal | null} seal
 * @property {Entry[]} entries those that meet the criteria, newest first
 * @property {number | null} before the first of these, where older ones are left
 *
 * @typedef {object} Seal
 * @property {number} intact the last entry up to which everything matches
 * @property {number | null} broken the first entry that does not
 * @property {string | null} signed when: ISO 8601
 * @property {number | null} anchored last entry covered by a checkpoint that was kept elsewhere
 *
 * @typedef {object} Entry
 * @property {number} seq
 * @property {string} time ISO 8601
 * @property {string} who
 * @property {string | null} client
 * @property {string} tool
 * @property {string} outcome
 * @property {number} ms
 * @property {number} opened files, named or not
 * @property {{root: string, path: string}[]} files opened for this call
 * @property {{root: string, path: string, why: string}[]} refused
 * @property {number} memory earlier calls of its instance, which may remember their files
 */

/** The criteria for entries, each with the type of its field. @type {Record<string, string>} */
const FILTERS = {
  path: 'text',
  who: 'text',
  tool: 'text',
  outcome: 'select',
  from: 'datetime-local',
  to: 'datetime-local',
  call: 'number',
};

/** The outcomes on offer; an address may name any code. */
const OUTCOMES = ['', 'answered', 'not-answered'];

/** Width of the window, in pixels, up to which the filters are folded. */
const NARROW = 600;

/** Maximum files listed with an entry; more are folded. */
const NAMED = 2;

export class LogView {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.title = h('h1', { tabindex: '-1' }, t('log.title'));
    this.body = h('div', { class: 'log' });
    fill(main, this.title, this.body);
    this.keys = {
      j: () => move(this.body, '.entry a, .entry summary', 1),
      k: () => move(this.body, '.entry a, .entry summary', -1),
    };
  }

  close() {}

  /** @param {import('./router.js').Route} route */
  async show(route) {
    entitle(t('log.title'));
    this.params = route.params;
    try {
      const log = /** @type {Log} */ (await ask(asked(route.params)));
      if (!log.enabled) return fill(this.body, this.off());
      const entries = h('ol', { class: 'entries' }, log.entries.map(entry));
      const end = h('div', { class: 'end' });
      fill(
        this.body,
        seal(log.seal),
        await this.filters(route.params),
        log.entries.length ? entries : notice(t('log.none'), [h('p', null, t('log.none.text'))]),
        end,
      );
      this.offerMore(route.params, log, entries, end);
    } catch (error) {
      fill(
        this.body,
        failure(error, () => this.show(route)),
      );
    }
  }

  /** @param {URLSearchParams} params @param {Log} log @param {HTMLElement} entries @param {HTMLElement} end */
  offerMore(params, log, entries, end) {
    if (!log.before) return fill(end);
    const more = async () => {
      try {
        const next = /** @type {Log} */ (await ask(asked(params, { before: log.before })));
        if (!entries.isConnected) return;
        const found = next.entries.map(entry);
        entries.append(...found);
        announce(t('found.more', { n: found.length }));
        this.offerMore(params, next, entries, end);
        /** @type {HTMLElement | null} */ (found[0]?.querySelector('a, summary'))?.focus();
      } catch (error) {
        fill(end, failure(error, more));
      }
    };
    fill(end, button(t('more'), more, { class: 'primary' }));
  }

  off() {
    return notice(t('log.off'), [
      h('p', null, t('log.off.text')),
      h('pre', { class: 'sent', tabindex: '0' }, 'docent serve --log DIR --root …'),
      h(
        'p',
        { class: 'hint' },
        t('log.off.hint'),
        ' ',
        h('code', null, 'docent log verify --log DIR'),
      ),
    ]);
  }

  /** @param {URLSearchParams} params */
  async filters(params) {
    const { tools } = await about();
    const form = /** @type {HTMLFormElement} */ (
      h(
        'form',
        {
          class: 'bar filters',
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            go(said());
          },
          // The input is kept when people go back or reload the page.
          onfocusout: () => keep(said()),
        },
        Object.entries(FILTERS).map(([name, kind]) => field(name, kind, params)),
        h(
          'datalist',
          { id: 'log-tools' },
          tools.map((/** @type {any} */ tool) => h('option', { value: tool.name })),
        ),
        h('button', { class: 'button primary', type: 'submit' }, t('log.filter')),
        h('a', { class: 'button', href: '/log' }, t('log.all')),
        h('span', { class: 'gap' }),
        h(
          'span',
          { class: 'group', role: 'group', 'aria-label': t('log.export') },
          ['csv', 'jsonl'].map((format) =>
            button(t(`log.${format}`), () => this.save(form, format), {
              label: t(`log.${format}.help`),
            }),
          ),
        ),
      )
    );
    const isAsked = Object.keys(FILTERS).some((name) => params.get(name));
    const said = () => {
      const data = new FormData(form);
      const values = Object.keys(FILTERS).map((name) => [
        name,
        exact(String(data.get(name) ?? '')),
      ]);
      const root = params.get('root');
      return at('/log', { root, ...Object.fromEntries(values) });
    };
    // On a narrow screen open filters would push the entries out of view.
    const open = isAsked || window.innerWidth > NARROW;
    return h('details', { class: 'filterbox', open }, h('summary', null, t('log.filters')), form);
  }

  /**
   * Saves the entries that match the filters as a file.
   * @param {HTMLFormElement} form @param {string} format
   */
  async save(form, format) {
    const data = new FormData(form);
    const params = new URLSearchParams();
    for (const name of Object.keys(FILTERS)) params.set(name, exact(String(data.get(name) ?? '')));
    params.set('root', this.params?.get('root') ?? '');
    try {
      const file = URL.createObjectURL(await askFile(asked(params, { format })));
      h('a', { href: file, download: `docent-log.${format}` }).click();
      URL.revokeObjectURL(file);
      announce(t('log.saved'));
    } catch (error) {
      form.after(failure(error, () => this.show({ view: 'log', params: this.params ?? params })));
    }
  }
}

/**
 * Returns the address of a request for entries.
 * @param {URLSearchParams} params
 * @param {Record<string, string | number | null>} [more]
 */
function asked(params, more = {}) {
  const values = ['root', ...Object.keys(FILTERS)].map((name) => [name, params.get(name)]);
  const query = Object.fromEntries(values);
  // Times in the address are local; the log has UTC.
  for (const name of ['from', 'to']) {
    const time = new Date(query[name] ?? '');
    query[name] = Number.isNaN(time.getTime()) ? null : time.toISOString();
  }
  return at('/api/log', { ...query, ...more });
}

/** @param {string} name @param {string} kind @param {URLSearchParams} params */
function field(name, kind, params) {
  const value = params.get(name) ?? '';
  const known = OUTCOMES.includes(value) ? OUTCOMES : [...OUTCOMES, value];
  const control =
    kind === 'select'
      ? h(
          'select',
          { name },
          known.map((one) =>
            h('option', { value: one, selected: one === value }, outcomeName(one)),
          ),
        )
      : h('input', {
          name,
          type: kind,
          value: typable(value),
          min: kind === 'number' ? 0 : null,
          list: name === 'tool' ? 'log-tools' : null,
          autocomplete: 'off',
          spellcheck: 'false',
        });
  return h('label', { class: name }, h('span', null, t(`log.by.${name}`)), control);
}

/** @param {string} outcome */
function outcomeName(outcome) {
  if (outcome === '') return t('log.outcome.any');
  return outcome === 'not-answered' ? t('log.outcome.none') : outcomeOf(outcome);
}

/** @param {Entry} one */
function entry(one) {
  const isAnswered = one.outcome === 'answered';
  return h(
    'li',
    { class: 'entry' },
    h('span', { class: 'seq', title: t('log.seq') }, `#${one.seq}`),
    h('time', { datetime: one.time }, instant(one.time)),
    h(
      'span',
      { class: 'who' },
      h('b', null, one.who),
      one.client ? h('span', { class: 'dim' }, ` ${one.client}`) : null,
    ),
    h('code', { class: 'tool' }, one.tool),
    h(
      'span',
      { class: 'outcome' },
      h(
        'span',
        { class: isAnswered ? 'tag' : 'tag failed', title: one.outcome },
        outcomeOf(one.outcome),
      ),
      ' ',
      h('span', { class: 'dim' }, duration(one.ms)),
    ),
    h(
      'div',
      { class: 'files' },
      files(one),
      one.memory ? h('p', { class: 'dim' }, t('log.memory.calls', { n: one.memory })) : null,
    ),
  );
}

/** Returns the files of an entry, refused ones first. @param {Entry} one */
function files(one) {
  const all = [
    ...one.refused.map((file) =>
      h('li', { class: 'failed path' }, `${file.root}/${file.path}: ${outcomeOf(file.why)}`),
    ),
    ...one.files.map((file) =>
      h(
        'li',
        null,
        h(
          'a',
          { class: 'path', href: documentAt(file.root, file.path) },
          `${file.root}/${file.path}`,
        ),
      ),
    ),
  ];
  const more = one.opened - one.files.length;
  if (more > 0) all.push(h('li', { class: 'dim' }, t('changes.morefiles', { n: more })));
  if (!all.length) return null;
  const list = h('ul', { class: 'plain' }, all);
  if (all.length <= NAMED) return list;
  const told = [
    one.opened ? t('log.files.n', { n: one.opened }) : '',
    one.refused.length ? t('log.refused.n', { n: one.refused.length }) : '',
  ];
  return h('details', null, h('summary', null, told.filter(Boolean).join(' · ')), list);
}

/** @param {Seal | null} of */
function seal(of) {
  if (!of) return null;
  if (of.broken !== null) {
    return notice(
      t('seal.broken', { n: of.broken }),
      [h('p', null, t('seal.broken.text'), ' ', h('code', null, 'docent log verify --log DIR'))],
      'bad',
    );
  }
  const parts = [t('seal.intact', { n: of.intact })];
  if (of.signed) parts.push(t('seal.signed', { time: moment(of.signed) }));
  parts.push(of.anchored ? t('seal.anchored', { n: of.anchored }) : t('seal.unanchored'));
  return h('p', { class: 'seal' }, parts.join(' · '));
}
