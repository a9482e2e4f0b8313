// The search view: the results, and next to them the answer that an agent would receive.

import { about, call } from './api.js';
import { AgentPane } from './agent.js';
import { asked } from './box.js';
import { announce, button, entitle, fill, h } from './dom.js';
import { list, nextOf, skippedOf, summary } from './hits.js';
import { t } from './i18n.js';
import { move } from './keys.js';
import {
  CONTEXT,
  MODES,
  fromAddress,
  inMode,
  isAsked,
  takesKinds,
  toAddress,
  toCall,
} from './query.js';
import { go, keep } from './router.js';
import { Start } from './start.js';
import { failure, notice, refused, running, skippedFiles } from './states.js';
import { ToolCall } from './tool.js';

/** @typedef {import('./query.js').Question} Question */

/** Factor by which `-` and `+` change the context around a hit. */
const STEP = 2;

export class SearchView {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.title = h('h1', { tabindex: '-1' });
    this.modes = h('div', { class: 'modes' });
    this.bar = h('div', { class: 'bar' });
    this.results = h('div', { class: 'results' });
    this.agent = new AgentPane();
    this.columns = h('div', { class: 'columns' }, this.results, this.agent.box);
    fill(main, this.title, this.modes, this.bar, this.columns);
    this.agent.onflip = () => this.columns.classList.toggle('wide', this.agent.box.hidden);
    this.agent.onflip();
    /** @type {AbortController | null} */
    this.asked = null;
    /** @type {ToolCall | null} */
    this.tool = null;
    this.keys = {
      j: () => move(this.results, 'a', 1),
      k: () => move(this.results, 'a', -1),
      ArrowDown: () => move(this.results, 'a', 1),
      ArrowUp: () => move(this.results, 'a', -1),
      a: () => this.agent.flip(),
      Escape: () => this.stop(),
    };
  }

  close() {
    this.tool?.close();
    this.stop();
  }

  stop() {
    this.asked?.abort();
  }

  /** @param {import('./router.js').Route} route */
  async show(route) {
    const question = fromAddress(route.params);
    this.question = question;
    this.tool = null;
    entitle(question.mode === 'tool' ? question.tool : question.q);
    this.drawModes(question);
    this.columns.classList.toggle('alone', !isAsked(question));
    this.drawBar(question);
    if (question.mode === 'tool') return this.showTool(question);
    if (!isAsked(question)) return this.showNothingAsked(question);
    fill(this.title, question.q ? t('search.of', { q: question.q }) : t(`title.${question.mode}`));
    await this.run(question);
  }

  /** @param {Question} question */
  drawModes(question) {
    const links = MODES.map((mode) =>
      h(
        'a',
        {
          class: 'choice',
          href: toAddress(inMode(question, mode)),
          'aria-current': mode === question.mode ? 'true' : null,
          'aria-describedby': mode === question.mode ? 'mode-help' : null,
          title: t(`mode.${mode}.help`),
          onclick: (/** @type {MouseEvent} */ event) => {
            if (event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            this.tool?.keep();
            // The input is stored in the address first, so that it is kept when people go back.
            keep(toAddress(asked()));
            go(toAddress(inMode(asked(), mode)));
          },
        },
        t(`mode.${mode}`),
      ),
    );
    const nav = h('nav', { class: 'choices', 'aria-label': t('mode') }, links);
    // A mode that is opened in another tab gets the input too.
    const refresh = () => {
      this.tool?.keep();
      links.forEach((link, n) => link.setAttribute('href', toAddress(inMode(asked(), MODES[n]))));
    };
    nav.addEventListener('pointerover', refresh);
    nav.addEventListener('focusin', refresh);
    fill(
      this.modes,
      nav,
      h('span', { class: 'gap' }),
      isAsked(question) ? this.agent.toggle : null,
      h('p', { class: 'dim', id: 'mode-help' }, t(`mode.${question.mode}.help`)),
    );
  }

  /** @param {Question} question */
  drawBar(question) {
    const change = (/** @type {Partial<Question>} */ part) =>
      go(toAddress({ ...asked(), ...part }));
    const wider = (/** @type {number} */ ctx) =>
      Math.min(Math.max(ctx, CONTEXT.least), CONTEXT.most);
    const keyword = question.mode === 'keyword' && isAsked(question);
    fill(
      this.bar,
      keyword
        ? h(
            'div',
            { class: 'group', role: 'group', 'aria-label': t('context') },
            button('−', () => change({ ctx: wider(Math.round(question.ctx / STEP)) }), {
              label: t('context.less'),
              disabled: question.ctx <= CONTEXT.least,
            }),
            h('span', { class: 'dim' }, t('context.now', { n: question.ctx })),
            button('+', () => change({ ctx: wider(question.ctx * STEP) }), {
              label: t('context.more'),
              disabled: question.ctx >= CONTEXT.most,
            }),
          )
        : null,
      keyword
        ? button(t('case'), () => change({ exact: !question.exact }), {
            pressed: question.exact,
            label: t('case.help'),
          })
        : null,
      question.path && question.mode !== 'tool'
        ? button(`${question.path} ×`, () => change({ path: '' }), {
            class: 'chip',
            label: t('path.remove', { path: question.path }),
          })
        : null,
      question.ext && takesKinds(question.mode)
        ? button(`.${question.ext} ×`, () => change({ ext: '' }), {
            class: 'chip',
            label: t('ext.remove'),
          })
        : null,
    );
  }

  /** @param {Question} question */
  async showNothingAsked(question) {
    this.stop();
    fill(this.title, t('title.search'));
    this.agent.clear();
    const start = new Start(this.results, question);
    this.asked = start.asked;
    await start.show();
  }

  /** @param {Question} question */
  async showTool(question) {
    this.stop();
    fill(this.title, t('title.tool'));
    const tool = new ToolCall(this.results, this.agent);
    this.tool = tool;
    this.asked = tool.asked;
    await tool.show(question);
  }

  /** @param {Question} question */
  async run(question) {
    this.stop();
    const asked = new AbortController();
    this.asked = asked;
    const wait = running(() => asked.abort());
    this.results.prepend(wait.box);
    this.results.setAttribute('aria-busy', 'true');
    try {
      const { tool, args } = toCall(question);
      const answer = await call(tool, args, asked.signal);
      const root = question.root || (await about()).defaultRoot;
      if (this.asked !== asked) return;
      this.agent.set(tool, args, answer);
      if (answer.outcome !== 'answered') fill(this.results, refused(answer));
      else this.draw(question, root, answer);
    } catch (error) {
      if (this.asked !== asked) return;
      this.agent.clear();
      if (asked.signal.aborted) fill(this.results, this.stopped(question));
      else
        fill(
          this.results,
          failure(error, () => this.run(question)),
        );
    } finally {
      wait.end();
      if (this.asked === asked) this.results.removeAttribute('aria-busy');
    }
  }

  /** @param {Question} question */
  stopped(question) {
    return notice(t('stopped.title'), [
      h('p', null, t('stopped.text')),
      button(t('retry'), () => this.run(question), { class: 'primary' }),
    ]);
  }

  /** @param {Question} question @param {string} root @param {import('./api.js').Answer} answer */
  draw(question, root, answer) {
    const { structured } = answer;
    const found = list(question, root, structured);
    if (!found.length) return this.drawNone(question, structured);
    const line = h('p', { class: 'summary' });
    const items = h('div', { class: 'items' }, found);
    const end = h('div', { class: 'end' });
    const told = () => summary(question, structured, items.children.length);
    fill(line, told());
    announce(told());
    fill(this.results, line, skippedFiles(skippedOf(question, structured)), items, end);
    this.offerMore(question, root, nextOf(structured), items, end, () => fill(line, told()));
  }

  /**
   * @param {Question} question @param {string} root @param {string | null | undefined} cursor
   * @param {HTMLElement} items @param {HTMLElement} end @param {() => void} told
   */
  offerMore(question, root, cursor, items, end, told) {
    if (!cursor) return fill(end);
    const more = async () => {
      const asked = new AbortController();
      this.stop();
      this.asked = asked;
      const wait = running(() => asked.abort());
      fill(end, wait.box);
      try {
        const { tool, args } = toCall(question, cursor);
        const answer = await call(tool, args, asked.signal);
        if (!items.isConnected) return;
        this.agent.set(tool, args, answer);
        if (answer.outcome !== 'answered') return fill(end, refused(answer));
        const found = withoutThose(items, list(question, root, answer.structured));
        items.append(...found);
        // The button is gone, so the focus moves to the first new result.
        found[0]?.querySelector('a')?.focus();
        told();
        announce(t('found.more', { n: found.length }));
        this.offerMore(question, root, nextOf(answer.structured), items, end, told);
      } catch (error) {
        if (asked.signal.aborted) this.offerMore(question, root, cursor, items, end, told);
        else fill(end, failure(error, more));
      } finally {
        wait.end();
      }
    };
    fill(end, button(t('more'), more, { class: 'primary' }));
  }

  /** @param {Question} question @param {any} answer */
  drawNone(question, answer) {
    const searched =
      answer.stats?.documentsSearched ?? answer.stats?.filesScanned ?? answer.stats?.files;
    const near = answer.nearWords ?? [];
    const offers = [
      question.exact && [toAddress({ ...question, exact: false }), t('none.case')],
      question.path && [toAddress({ ...question, path: '' }), t('none.wider')],
      question.ext && [toAddress({ ...question, ext: '' }), t('none.ext')],
      question.mode !== 'relevance' && [
        toAddress({ ...question, mode: 'relevance' }),
        t('none.relevance'),
      ],
      question.mode !== 'keyword' && [
        toAddress({ ...question, mode: 'keyword' }),
        t('none.keyword'),
      ],
      question.mode !== 'files' && [toAddress({ ...question, mode: 'files' }), t('none.files')],
    ].filter(Boolean);
    const title = t('none.title');
    announce(title);
    fill(
      this.results,
      notice(title, [
        searched === undefined ? null : h('p', null, t('none.searched', { n: searched })),
        near.length
          ? h(
              'p',
              null,
              t('none.near'),
              ' ',
              near.map((/** @type {string} */ word) => [
                h('a', { href: toAddress({ ...question, q: word }) }, word),
                ' ',
              ]),
            )
          : null,
        h(
          'ul',
          { class: 'offers' },
          offers.map(
            (offer) =>
              offer &&
              h(
                'li',
                null,
                h(
                  'a',
                  { href: /** @type {string[]} */ (offer)[0] },
                  /** @type {string[]} */ (offer)[1],
                ),
              ),
          ),
        ),
        skippedFiles(skippedOf(question, answer)),
      ]),
    );
  }
}

/**
 * Returns the results of a further page that are not shown yet, and removes results that the page
 * shows with their text.
 * @param {HTMLElement} there
 * @param {HTMLElement[]} further
 */
function withoutThose(there, further) {
  return further.filter((article) => {
    const key = article.getAttribute('data-key');
    const same = key && there.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!same) return true;
    if (article.hasAttribute('data-named')) return false;
    same.remove();
    return true;
  });
}
