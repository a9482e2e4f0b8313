// Any tool with its arguments as they are written: what the other views do not show, and repeats.

import { about, call } from './api.js';
import { figures } from './agent.js';
import { announce, fill, h } from './dom.js';
import { t } from './i18n.js';
import { at, go } from './router.js';
import { failure, notice, refused, running } from './states.js';

export class ToolCall {
  /**
   * @param {HTMLElement} place
   * @param {import('./agent.js').AgentPane} agent
   */
  constructor(place, agent) {
    this.place = place;
    this.agent = agent;
    this.asked = new AbortController();
  }

  /** @param {import('./query.js').Question} question */
  async show(question) {
    this.agent.clear();
    /** @type {any} */
    let known;
    try {
      known = await about();
    } catch (error) {
      return fill(
        this.place,
        failure(error, () => this.show(question)),
      );
    }
    const tools = known.tools.map((/** @type {any} */ tool) => tool.name);
    const select = /** @type {HTMLSelectElement} */ (
      h(
        'select',
        { id: 'tool' },
        tools.map((/** @type {string} */ name) =>
          h('option', { value: name, selected: name === question.tool }, name),
        ),
      )
    );
    const area = /** @type {HTMLTextAreaElement} */ (
      h('textarea', {
        id: 'args',
        rows: '6',
        spellcheck: 'false',
        'aria-describedby': 'args-wrong',
      })
    );
    area.value = pretty(question.args);
    const wrong = h('p', { class: 'said', id: 'args-wrong', role: 'alert' });
    const out = h('div');
    const form = h(
      'form',
      {
        class: 'toolform',
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          try {
            const args = JSON.stringify(JSON.parse(area.value || '{}'));
            wrong.textContent = '';
            // What writes is run by the button alone; an address only fills the form in.
            if (isReading(known, select.value)) go(at('/', { tool: select.value, args }));
            else this.run(select.value, JSON.parse(args), out);
          } catch (error) {
            wrong.textContent = t('tool.json', { why: /** @type {Error} */ (error).message });
          }
        },
      },
      h('label', { for: 'tool' }, t('tool')),
      select,
      h('label', { for: 'args' }, t('tool.args')),
      area,
      wrong,
      h('button', { class: 'button primary', type: 'submit' }, t('tool.run')),
    );
    fill(this.place, form, out);
    if (!tools.includes(question.tool)) {
      return fill(
        out,
        notice(t('tool.unknown'), [h('p', null, h('code', null, question.tool))], 'bad'),
      );
    }
    if (!isReading(known, question.tool))
      return fill(out, notice(t('tool.writes'), [h('p', null, t('tool.writes.text'))]));
    let args;
    try {
      args = JSON.parse(question.args || '{}');
    } catch (error) {
      wrong.textContent = t('tool.json', { why: /** @type {Error} */ (error).message });
      return;
    }
    await this.run(question.tool, args, out);
  }

  /** @param {string} tool @param {Record<string, unknown>} args @param {HTMLElement} out */
  async run(tool, args, out) {
    const wait = running(() => this.asked.abort());
    fill(out, wait.box);
    try {
      const answer = await call(tool, args, this.asked.signal);
      this.agent.set(tool, args, answer);
      announce(t(`outcome.${answer.outcome}`));
      if (answer.outcome !== 'answered') return fill(out, refused(answer));
      fill(
        out,
        figures(answer),
        h(
          'pre',
          { class: 'sent', tabindex: '0', 'aria-label': t('tool.structured') },
          JSON.stringify(answer.structured, null, 2),
        ),
      );
    } catch (error) {
      if (this.asked.signal.aborted)
        fill(out, notice(t('stopped.title'), [h('p', null, t('stopped.text'))]));
      else
        fill(
          out,
          failure(error, () => this.run(tool, args, out)),
        );
    } finally {
      wait.end();
    }
  }
}

/** @param {any} known @param {string} name */
function isReading(known, name) {
  return known.tools.some((/** @type {any} */ tool) => tool.name === name && tool.readOnly);
}

/** @param {string} json */
function pretty(json) {
  try {
    return JSON.stringify(JSON.parse(json || '{}'), null, 2);
  } catch {
    return json;
  }
}
