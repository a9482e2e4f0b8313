// The view of the server: its roots, their rights, its tools and its limits.

import { about, call, forget } from './api.js';
import { entitle, fill, h } from './dom.js';
import { number, t } from './i18n.js';
import { at } from './router.js';
import { failure, refused } from './states.js';

export class AboutView {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.title = h('h1', { tabindex: '-1' }, t('about.title'));
    this.body = h('div', { class: 'about' });
    fill(main, this.title, this.body);
    this.keys = {};
  }

  close() {}

  async show() {
    entitle(t('about.title'));
    let known;
    try {
      known = await about();
    } catch (error) {
      forget();
      return fill(
        this.body,
        failure(error, () => this.show()),
      );
    }
    const limits = part(t('about.limits'), null);
    fill(
      this.body,
      this.server(known),
      this.roots(known.roots),
      this.tools(known.tools),
      limits,
      this.component(known.component),
    );
    await this.fillLimits(limits);
  }

  /**
   * Shows the limits of the component, from the tool that reports them to agents.
   * @param {HTMLElement} place
   */
  async fillLimits(place) {
    try {
      const answer = await call('get_config', {});
      place.append(
        answer.outcome === 'answered' ? limitTable(answer.structured.limits) : refused(answer),
      );
    } catch (error) {
      place.append(failure(error, () => this.show()));
    }
  }

  /** @param {any} known */
  server(known) {
    return part(
      t('about.server'),
      pairs([
        [t('about.version'), known.version],
        [t('about.you'), known.principal],
        [t('about.mcp'), h('code', null, `${location.origin}/mcp`)],
      ]),
    );
  }

  /** @param {any[]} roots */
  roots(roots) {
    return part(
      t('about.roots'),
      list(
        roots.map((root) => [
          h('a', { href: at('/', { mode: 'files', root: root.name }) }, root.name),
          ' ',
          h('span', { class: 'tag' }, t(`right.${root.right}`)),
          root.isDefault ? [' ', h('span', { class: 'dim' }, t('about.default'))] : null,
        ]),
      ),
    );
  }

  /** @param {any[]} tools */
  tools(tools) {
    return part(
      t('about.tools'),
      list(
        tools.map((tool) => [
          h('a', { href: at('/', { tool: tool.name, args: '{}' }) }, h('code', null, tool.name)),
          ' ',
          tool.title,
          tool.readOnly ? null : [' ', h('span', { class: 'tag' }, t('about.writes'))],
        ]),
      ),
    );
  }

  /** @param {{sha256: string, bytes: number, imports: string[]}} component */
  component(component) {
    return part(t('about.component'), [
      h('p', { class: 'dim' }, t('about.component.text')),
      pairs([['SHA-256', h('code', { class: 'digest' }, component.sha256)]]),
      h(
        'details',
        null,
        h('summary', null, t('about.imports', { n: component.imports.length })),
        list(component.imports.map((name) => h('code', null, name))),
      ),
    ]);
  }
}

/** @param {string} title @param {import('./dom.js').Child} content */
function part(title, content) {
  return h('section', { class: 'part' }, h('h2', null, title), content);
}

/** @param {[string, import('./dom.js').Child][]} all */
function pairs(all) {
  return h(
    'dl',
    { class: 'facts' },
    all
      .filter(([, value]) => value)
      .map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))),
  );
}

/** @param {import('./dom.js').Child[]} items */
function list(items) {
  return h(
    'ul',
    { class: 'plain' },
    items.map((item) => h('li', null, item)),
  );
}

/** @param {{name: string, value: number, unit: string}[]} limits */
function limitTable(limits) {
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('about.limits') },
    h(
      'table',
      null,
      h(
        'tbody',
        null,
        limits.map((limit) =>
          h(
            'tr',
            null,
            h('th', { scope: 'row' }, limit.name),
            h('td', { class: 'number' }, number(limit.value)),
            h('td', null, limit.unit),
          ),
        ),
      ),
    ),
  );
}
