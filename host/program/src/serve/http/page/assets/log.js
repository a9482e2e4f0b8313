// The record of every file that was opened, and for whom.

import { ask } from './api.js';
import { fill, h } from './dom.js';
import { moment, t } from './i18n.js';
import { at, documentAt, go } from './router.js';
import { failure, notice } from './states.js';

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
 * @property {number | null} anchored the last entry that something outside of this machine vouches for
 *
 * @typedef {object} Entry
 * @property {number} seq
 * @property {string} time ISO 8601
 * @property {string} who
 * @property {string | null} client
 * @property {string} tool
 * @property {string} outcome
 * @property {{root: string, path: string}[]} files opened for this call
 * @property {{root: string, path: string, why: string}[]} refused
 * @property {number} memory calls before it, of whose files the instance may have remembered some
 */

const FILTERS = ['path', 'who', 'call'];

export class LogView {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.title = h('h1', { tabindex: '-1' }, t('log.title'));
    this.body = h('div', { class: 'log' });
    fill(main, this.title, this.body);
    this.keys = {};
  }

  close() {}

  /** @param {import('./router.js').Route} route */
  async show(route) {
    document.title = `${t('log.title')} · docent`;
    const { params } = route;
    try {
      const query = Object.fromEntries(
        ['root', ...FILTERS, 'before'].map((name) => [name, params.get(name)]),
      );
      const log = /** @type {Log} */ (await ask(at('/api/log', query)));
      if (!log.enabled) return fill(this.body, this.off());
      fill(
        this.body,
        seal(log.seal),
        this.filters(params),
        log.entries.length
          ? this.table(log.entries)
          : notice(t('log.none'), [h('p', null, t('log.none.text'))]),
        log.before
          ? h(
              'div',
              { class: 'end' },
              h(
                'a',
                {
                  class: 'button',
                  href: at('/log', { ...Object.fromEntries(params), before: log.before }),
                },
                t('more'),
              ),
            )
          : null,
      );
    } catch (error) {
      fill(
        this.body,
        failure(error, () => this.show(route)),
      );
    }
  }

  off() {
    return notice(t('log.off'), [
      h('p', null, t('log.off.text')),
      h('pre', { class: 'sent', tabindex: '0' }, 'docent serve --log DIR --root …'),
      h('p', { class: 'hint' }, t('log.off.hint'), ' ', h('code', null, 'docent log verify --log DIR')),
    ]);
  }

  /** @param {URLSearchParams} params */
  filters(params) {
    const fields = FILTERS.map((name) =>
      h(
        'label',
        null,
        h('span', null, t(`log.by.${name}`)),
        h('input', {
          name,
          value: params.get(name) ?? '',
          autocomplete: 'off',
          spellcheck: 'false',
        }),
      ),
    );
    return h(
      'form',
      {
        class: 'bar filters',
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          const data = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
          go(
            at(
              '/log',
              Object.fromEntries(FILTERS.map((name) => [name, String(data.get(name) ?? '')])),
            ),
          );
        },
      },
      fields,
      h('button', { class: 'button primary', type: 'submit' }, t('log.filter')),
    );
  }

  /** @param {Entry[]} entries */
  table(entries) {
    const heads = ['seq', 'time', 'who', 'tool', 'outcome', 'files', 'memory'];
    const rows = entries.map((entry) =>
      h(
        'tr',
        null,
        h('td', null, String(entry.seq)),
        h('td', null, moment(entry.time)),
        h(
          'td',
          null,
          entry.who,
          entry.client ? h('span', { class: 'dim' }, ` ${entry.client}`) : null,
        ),
        h('td', null, h('code', null, entry.tool)),
        h('td', null, entry.outcome),
        h(
          'td',
          null,
          h(
            'ul',
            { class: 'plain' },
            entry.files.map((file) =>
              h(
                'li',
                null,
                h('a', { href: documentAt(file.root, file.path) }, `${file.root}/${file.path}`),
              ),
            ),
            entry.refused.map((file) =>
              h('li', { class: 'failed' }, `${file.root}/${file.path}: ${file.why}`),
            ),
          ),
        ),
        h('td', null, entry.memory ? t('log.memory.calls', { n: entry.memory }) : '–'),
      ),
    );
    return h(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('log.title') },
      h(
        'table',
        null,
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            heads.map((head) => h('th', { scope: 'col' }, t(`log.${head}`))),
          ),
        ),
        h('tbody', null, rows),
      ),
    );
  }
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
