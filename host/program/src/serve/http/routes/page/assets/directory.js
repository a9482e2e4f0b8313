// The view of one directory.

import { AgentPane } from './agent.js';
import { entitle, fill, h } from './dom.js';
import { t } from './i18n.js';
import { move } from './keys.js';
import { at, directoryAt } from './router.js';
import { directory } from './tree.js';

export class DirectoryView {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.path = h('nav', { class: 'crumbs', 'aria-label': t('crumbs') });
    this.title = h('h1', { tabindex: '-1' });
    this.bar = h('div', { class: 'bar' });
    this.results = h('div', { class: 'results' });
    this.agent = new AgentPane();
    this.columns = h('div', { class: 'columns' }, this.results, this.agent.box);
    fill(main, this.path, this.title, this.bar, this.columns);
    this.agent.onflip = () => this.columns.classList.toggle('wide', this.agent.box.hidden);
    this.agent.onflip();
    this.asked = new AbortController();
    this.keys = {
      j: () => move(this.results, 'a, summary', 1),
      k: () => move(this.results, 'a, summary', -1),
      a: () => this.agent.flip(),
    };
  }

  close() {
    this.asked.abort();
  }

  /** @param {import('./router.js').Route} route */
  async show(route) {
    const [root, path] = [route.root ?? '', route.path ?? ''];
    this.asked.abort();
    this.asked = new AbortController();
    const name = path.split('/').pop() || root;
    entitle(name);
    fill(this.path, crumbs(root, path));
    fill(this.title, `${name}/`);
    fill(
      this.bar,
      h('a', { class: 'button', href: at('/', { mode: 'files', root, path }) }, t('tree.newest')),
      h(
        'a',
        { class: 'button', href: at('/', { root, path: path && `${path}/` }) },
        t('tree.search'),
      ),
      h('span', { class: 'gap' }),
      this.agent.toggle,
    );
    const { box, filled } = directory(root, path, this.asked.signal, (answer, args) =>
      this.agent.set('find_files', args, answer),
    );
    fill(this.results, box);
    await filled;
  }
}

/**
 * Returns the path to a file or directory, each segment of which is a link.
 * @param {string} root
 * @param {string} path
 */
export function crumbs(root, path) {
  const parts = path.split('/').filter(Boolean);
  if (!parts.length) return [];
  const up = parts
    .slice(0, -1)
    .map((part, n) => [
      h('a', { href: directoryAt(root, parts.slice(0, n + 1).join('/')) }, part),
      ' / ',
    ]);
  return [h('a', { href: directoryAt(root) }, root), ' / ', up, h('b', null, parts.at(-1))];
}
