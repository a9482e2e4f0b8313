// The view of changes in a writable root, with undo and redo.

import { about, call } from './api.js';
import { announce, button, choose, entitle, fill, h, multiline } from './dom.js';
import { moment, t } from './i18n.js';
import { at, documentAt, go } from './router.js';
import { failure, notice, refused, running } from './states.js';

export class ChangesView {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.title = h('h1', { tabindex: '-1' }, t('changes.title'));
    this.bar = h('div', { class: 'bar' });
    this.body = h('div', { class: 'changes' });
    fill(main, this.title, this.bar, this.body);
    this.keys = {};
  }

  close() {}

  /** @param {import('./router.js').Route} route */
  async show(route) {
    entitle(t('changes.title'));
    let known;
    try {
      known = await about();
    } catch (error) {
      return fill(
        this.body,
        failure(error, () => this.show(route)),
      );
    }
    const writable = known.roots
      .filter((/** @type {any} */ root) => root.right === 'read-write')
      .map((/** @type {any} */ root) => root.name);
    if (!writable.length) {
      return fill(
        this.body,
        notice(t('changes.readonly'), [
          h('p', null, t('changes.readonly.text'), ' ', h('code', null, '--root notes=PATH:rw')),
        ]),
      );
    }
    this.root = writable.includes(route.params.get('root'))
      ? route.params.get('root')
      : writable[0];
    fill(
      this.bar,
      writable.length < 2
        ? null
        : h(
            'nav',
            { class: 'choices', 'aria-label': t('root') },
            writable.map((/** @type {string} */ name) =>
              h(
                'a',
                {
                  class: 'choice',
                  href: at('/log', { changes: 1, root: name }),
                  'aria-current': name === this.root ? 'true' : null,
                },
                name,
              ),
            ),
          ),
    );
    this.items = h('ol', { class: 'operations' });
    await this.more(null);
  }

  /** @param {string | null} cursor */
  async more(cursor) {
    const items = /** @type {HTMLElement} */ (this.items);
    const asked = new AbortController();
    const wait = running(() => asked.abort());
    const end = h('div', { class: 'end' }, wait.box);
    fill(this.body, items, end);
    try {
      const args = { command: 'history', root: this.root, ...(cursor ? { cursor } : {}) };
      const answer = await call('manage', args, asked.signal);
      if (items !== this.items) return;
      if (answer.outcome !== 'answered') return fill(this.body, refused(answer));
      const { operations, nextCursor, message } = answer.structured;
      items.append(...operations.map((/** @type {any} */ one) => this.operation(one)));
      if (!items.children.length) {
        return fill(
          this.body,
          notice(t('changes.none'), [h('p', null, message || t('changes.none.text'))]),
        );
      }
      fill(
        end,
        nextCursor ? button(t('more'), () => this.more(nextCursor), { class: 'primary' }) : null,
      );
    } catch (error) {
      fill(
        end,
        failure(error, () => this.more(cursor)),
      );
    } finally {
      wait.end();
    }
  }

  /** @param {any} one */
  operation(one) {
    const root = this.root ?? '';
    const files = one.files.map((/** @type {any} */ file) =>
      h(
        'li',
        null,
        h('span', { class: `tag ${file.action}` }, t(`action.${file.action}`)),
        ' ',
        file.action === 'deleted'
          ? h('span', { class: 'path' }, file.path)
          : h(
              'a',
              { class: 'path', href: documentAt(root, file.movedTo ?? file.path) },
              file.movedTo ? `${file.path} → ${file.movedTo}` : file.path,
            ),
        ' ',
        h('span', { class: 'added' }, `+${file.addedLines}`),
        ' ',
        h('span', { class: 'removed' }, `−${file.removedLines}`),
        file.conflict ? h('span', { class: 'tag failed' }, t('changes.conflict')) : null,
      ),
    );
    // An undo is reverted by `redo`, with the number of the undo.
    const act =
      one.kind === 'undo' || one.undone
        ? null
        : button(t('undo'), () => this.confirm('undo', one), {
            label: t('undo.label', { id: one.id }),
          });
    const redo =
      one.kind === 'undo' && !one.undone
        ? button(t('redo'), () => this.confirm('redo', one), {
            label: t('redo.label', { id: one.id }),
          })
        : null;
    return h(
      'li',
      { class: one.undone ? 'operation undone' : 'operation' },
      h(
        'div',
        { class: 'head' },
        h('b', null, moment(one.writtenAt)),
        ' ',
        h('code', null, one.tool),
        ' ',
        h('span', { class: 'dim' }, `#${one.id}`),
        one.undone ? h('span', { class: 'tag' }, t('changes.undone')) : null,
        one.kind === 'change'
          ? null
          : h('span', { class: 'tag' }, t(`kind.${one.kind}`, { id: one.reverses ?? '' })),
        h('span', { class: 'gap' }),
        act,
        redo,
      ),
      one.note ? h('p', null, one.note) : null,
      h(
        'ul',
        null,
        files,
        one.moreFiles
          ? h('li', { class: 'dim' }, t('changes.morefiles', { n: one.moreFiles }))
          : null,
      ),
      this.differences(one),
    );
  }

  /** Returns the differences of a change, which are requested when opened. @param {any} one */
  differences(one) {
    const box = h('div', { class: 'differences' });
    const details = /** @type {HTMLDetailsElement} */ (
      h('details', null, h('summary', null, t('changes.differences')), box)
    );
    details.addEventListener('toggle', () => {
      if (details.open && !box.children.length) this.compare(one.id, box);
    });
    return details;
  }

  /** @param {string} id @param {HTMLElement} box */
  async compare(id, box) {
    const asked = new AbortController();
    const wait = running(() => asked.abort());
    fill(box, wait.box);
    try {
      const args = { command: 'history', target: id, root: this.root };
      const answer = await call('manage', args, asked.signal);
      if (answer.outcome !== 'answered') return fill(box, refused(answer));
      const [{ files, moreFiles }] = answer.structured.operations;
      fill(
        box,
        files.map((/** @type {any} */ file) => difference(file)),
        moreFiles ? h('p', { class: 'dim' }, t('changes.morefiles', { n: moreFiles })) : null,
      );
    } catch (error) {
      fill(
        box,
        failure(error, () => this.compare(id, box)),
      );
    } finally {
      wait.end();
    }
  }

  /** @param {'undo' | 'redo'} command @param {any} one */
  confirm(command, one) {
    const files = one.files.map((/** @type {any} */ file) =>
      h('li', { class: 'path' }, file.movedTo ?? file.path),
    );
    choose(
      t(`${command}.label`, { id: one.id }),
      [h('p', null, t(`${command}.text`)), h('ul', null, files)],
      t(command),
      () => this.take(command, one.id),
    );
  }

  /** @param {'undo' | 'redo'} command @param {string} id */
  async take(command, id) {
    try {
      const answer = await call('manage', { command, target: id, root: this.root });
      if (answer.outcome !== 'answered') return this.body.prepend(refused(answer));
      announce(answer.structured.message ?? t(`${command}.done`));
      go(at('/log', { changes: 1, root: this.root }), { replace: true });
      this.title.focus();
    } catch (error) {
      this.body.prepend(failure(error, () => this.take(command, id)));
    }
  }
}

/** Returns the difference of one file. @param {any} file */
function difference(file) {
  const path = file.movedTo ?? file.path;
  const known = file.difference;
  const lines = (known?.diff ?? '').split('\n');
  // The lines before the first hunk name the file, as the heading does.
  const first = lines.findIndex((/** @type {string} */ line) => line.startsWith('@@'));
  const shown = first < 0 ? [] : lines.slice(first, lines.at(-1) ? undefined : -1);
  return h(
    'section',
    { 'aria-label': path },
    h('h3', { class: 'path' }, path),
    shown.length
      ? h(
          'pre',
          { class: 'difference', tabindex: '0', 'aria-label': path },
          shown.map((/** @type {string} */ line) =>
            h('span', { class: KINDS[line[0]] ?? null }, multiline(`${line}\n`)),
          ),
        )
      : h('p', { class: 'dim' }, t(known ? 'changes.same' : 'changes.gone')),
    known?.diffIsCut ? h('p', { class: 'dim' }, t('changes.cut')) : null,
  );
}

/** The class of a line of a difference, by its first character. @type {Record<string, string>} */
const KINDS = { '+': 'added', '-': 'removed', '@': 'dim' };
