// Calls of any tool, with its arguments as a form and as JSON; also repeats calls that the other
// views cannot make.

import { about, call } from './api.js';
import { figures } from './agent.js';
import { announce, fill, h, textBlock } from './dom.js';
import { formOf } from './form.js';
import { t } from './i18n.js';
import { fromAddress, toAddress } from './query.js';
import { go, keep } from './router.js';
import { failure, notice, refused, running } from './states.js';
import { visibleJson } from './visible.js';

/** Milliseconds without input before it is stored in the address. */
const IDLE = 300;

/** True if a tool was just selected: the picker then keeps the focus. */
let isPicked = false;

export class ToolCall {
  /**
   * @param {HTMLElement} place
   * @param {import('./agent.js').AgentPane} agent
   */
  constructor(place, agent) {
    this.place = place;
    this.agent = agent;
    this.asked = new AbortController();
    /** @type {number | undefined} */
    this.idle = undefined;
    /** The address of the input, if it differs from the current one. */
    this.typed = '';
  }

  close() {
    clearTimeout(this.idle);
  }

  /** Stores the input in the address. */
  keep() {
    clearTimeout(this.idle);
    if (this.typed) keep(this.typed);
    this.typed = '';
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
    const tool = known.tools.find((/** @type {any} */ one) => one.name === question.tool);
    this.select = /** @type {HTMLSelectElement} */ (
      h(
        'select',
        { id: 'tool', onchange: () => this.choose() },
        tool ? null : h('option', { value: question.tool, selected: true }, question.tool),
        known.tools.map((/** @type {any} */ { name, title }) =>
          h('option', { value: name, selected: name === question.tool }, `${name} · ${title}`),
        ),
      )
    );
    this.wrong = h('p', { class: 'said', id: 'args-wrong', role: 'alert' });
    this.out = h('div', { class: 'out' });
    this.area = /** @type {HTMLTextAreaElement} */ (
      h('textarea', {
        id: 'args',
        rows: '6',
        spellcheck: 'false',
        'aria-describedby': 'args-wrong',
        oninput: () => this.fromText(),
      })
    );
    this.area.value = pretty(question.args);
    this.form = tool ? formOf(tool.schema, 'arg', () => this.fromForm()) : null;
    fill(this.place, this.box(tool, Boolean(tool?.readOnly)), this.out);
    if (isPicked) this.select.focus();
    isPicked = false;
    const args = this.fromText(false);
    if (!tool) {
      return fill(
        this.out,
        notice(t('tool.unknown'), [h('p', null, h('code', null, question.tool))], 'bad'),
      );
    }
    if (!tool.readOnly)
      return fill(this.out, notice(t('tool.writes'), [h('p', null, t('tool.writes.text'))]));
    const isComplete = (tool.schema.required ?? []).every(
      (/** @type {string} */ name) => args && name in args,
    );
    if (!args) return;
    if (!isComplete && !Object.keys(args).length)
      return fill(this.out, notice(t('tool.needed'), [h('p', null, t('tool.needed.text'))]));
    await this.run(question.tool, args);
  }

  /** @param {any} tool @param {boolean} isReading */
  box(tool, isReading) {
    return h(
      'form',
      {
        class: 'toolform',
        // The error messages of the tool are better than those of the browser.
        novalidate: true,
        onfocusout: () => this.keep(),
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          const args = this.fromText(false);
          if (!args) return;
          this.keep();
          const name = this.select?.value ?? '';
          // Only the button runs a tool that writes; an address only fills in the form.
          if (isReading) go(this.address(), { replace: this.address() === here() });
          else this.run(name, args);
        },
      },
      h('label', { for: 'tool' }, t('tool')),
      this.select,
      tool ? h('p', { class: 'about-tool' }, purpose(tool.description)) : null,
      h(
        'div',
        { class: 'both' },
        this.form
          ? h('fieldset', { class: 'formside' }, h('legend', null, t('tool.form')), this.form.box)
          : null,
        h(
          'div',
          { class: 'jsonside' },
          h('label', { for: 'args' }, t('tool.args')),
          this.area,
          this.wrong,
        ),
      ),
      h('button', { class: 'button primary', type: 'submit' }, t('tool.run')),
    );
  }

  /** Selects another tool, without arguments, because tools have different ones. */
  choose() {
    this.keep();
    isPicked = true;
    const question = fromAddress(new URLSearchParams(location.search));
    go(toAddress({ ...question, mode: 'tool', tool: this.select?.value ?? '', args: '{}' }));
  }

  /** Returns the address of the input. */
  address() {
    const question = fromAddress(new URLSearchParams(location.search));
    const text = this.area?.value ?? '';
    return toAddress({
      ...question,
      mode: 'tool',
      tool: this.select?.value ?? '',
      args: compact(text),
    });
  }

  /** Stores the input after a pause in typing. */
  note() {
    this.typed = this.address();
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.keep(), IDLE);
  }

  /** Updates the JSON from the form. */
  fromForm() {
    const args = parsed(this.area?.value ?? '').args ?? {};
    if (this.area && this.form)
      this.area.value = visibleJson(JSON.stringify(this.form.apply(args), null, 2));
    if (this.wrong) this.wrong.textContent = '';
    this.note();
  }

  /**
   * Updates the form from the JSON, and returns the arguments; undefined if the JSON is invalid.
   * @param {boolean} [isTyped]
   */
  fromText(isTyped = true) {
    const { args, why } = parsed(this.area?.value ?? '');
    fill(/** @type {HTMLElement} */ (this.wrong), why ? t('tool.json', { why }) : null);
    if (why) this.area?.setAttribute('aria-invalid', 'true');
    else this.area?.removeAttribute('aria-invalid');
    if (args) this.form?.show(args);
    if (isTyped) this.note();
    return args;
  }

  /** @param {string} tool @param {Record<string, unknown>} args */
  async run(tool, args) {
    const out = /** @type {HTMLElement} */ (this.out);
    const wait = running(() => this.asked.abort());
    fill(out, wait.box);
    try {
      const answer = await call(tool, args, this.asked.signal);
      this.agent.set(tool, args, answer);
      announce(t(`outcome.${answer.outcome}`));
      if (answer.outcome !== 'answered') return fill(out, refused(answer, { asAgent: true }));
      fill(
        out,
        h('h2', null, t('tool.structured')),
        figures(answer),
        textBlock(JSON.stringify(answer.structured, null, 2), t('tool.structured')),
      );
    } catch (error) {
      if (this.asked.signal.aborted)
        fill(out, notice(t('stopped.title'), [h('p', null, t('stopped.text'))]));
      else
        fill(
          out,
          failure(error, () => this.run(tool, args)),
        );
    } finally {
      wait.end();
    }
  }
}

/** @returns {string} */
function here() {
  return location.pathname + location.search;
}

/**
 * @param {string} text
 * @returns {{args?: Record<string, unknown>, why?: string}}
 */
function parsed(text) {
  try {
    const args = JSON.parse(text.trim() || '{}');
    if (typeof args === 'object' && args && !Array.isArray(args)) return { args };
    return { why: text.trim().slice(0, 20) };
  } catch (error) {
    return { why: /** @type {Error} */ (error).message };
  }
}

/** Returns the arguments in one line; invalid JSON stays unchanged. @param {string} text */
function compact(text) {
  const { args } = parsed(text);
  return args ? JSON.stringify(args) : text;
}

/** @param {string} json */
function pretty(json) {
  const { args } = parsed(json);
  return args ? visibleJson(JSON.stringify(args, null, 2)) : json;
}

/**
 * Returns the purpose of a tool: the first paragraph of its description.
 * @param {string} description
 */
function purpose(description) {
  return description.split('\n\n')[0].replaceAll('`', '').replaceAll('\n', ' ');
}
