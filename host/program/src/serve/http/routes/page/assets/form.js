// The arguments of a tool as a form, made from its schema. Values that the form cannot show stay in
// the JSON.

import { h } from './dom.js';
import { t } from './i18n.js';

/**
 * @typedef {Record<string, any>} Schema of JSON, as far as tools use it
 *
 * @typedef {object} Field
 * @property {HTMLElement} box
 * @property {(value: unknown) => void} show puts in what an argument is
 * @property {() => unknown} value what it is to be; none where it is left out
 *
 * @typedef {object} Form
 * @property {HTMLElement} box
 * @property {(args: Record<string, unknown>) => void} show
 * @property {(args: Record<string, unknown>) => Record<string, unknown>} apply
 *   returns these arguments with the values of the form
 */

/**
 * Returns the form for the members of an object, required ones first.
 * @param {Schema} schema
 * @param {string} prefix of the ids
 * @param {() => void} changed
 * @returns {Form}
 */
export function formOf(schema, prefix, changed) {
  const required = /** @type {string[]} */ (schema.required ?? []);
  const names = Object.keys(schema.properties ?? {});
  const ordered = [
    ...names.filter((it) => required.includes(it)),
    ...names.filter((it) => !required.includes(it)),
  ];
  const fields = ordered.map((name) => ({
    name,
    field: fieldOf(
      name,
      schema.properties[name],
      `${prefix}-${name}`,
      required.includes(name),
      changed,
    ),
  }));
  return {
    box: h(
      'div',
      { class: 'fields' },
      fields.map(({ field }) => field.box),
    ),
    show: (args) => fields.forEach(({ name, field }) => field.show(args[name])),
    apply: (args) => {
      const known = new Set(names);
      const others = Object.entries(args).filter(([name]) => !known.has(name));
      const said = fields
        .map(({ name, field }) => /** @type {[string, unknown]} */ ([name, field.value()]))
        .filter(([, value]) => value !== undefined);
      return Object.fromEntries([...said, ...others]);
    },
  };
}

/**
 * @param {string} name @param {Schema} schema @param {string} id @param {boolean} required
 * @param {() => void} changed
 * @returns {Field}
 */
function fieldOf(name, schema, id, required, changed) {
  if (schema.properties) return group(name, schema, id, changed);
  const kind = kindOf(schema);
  const control = controlOf(kind, schema, id, required);
  const { show, value } = CONVERSIONS[kind](/** @type {any} */ (control));
  // A field that was not edited keeps its value, even one that the form cannot show.
  let isTouched = false;
  /** @type {unknown} */
  let kept;
  control.addEventListener('input', () => {
    isTouched = true;
    changed();
  });
  const help = schema.description ? `${id}-help` : null;
  if (help) control.setAttribute('aria-describedby', help);
  const box = h(
    'div',
    { class: 'argument' },
    h(
      'label',
      { for: id },
      h('code', null, name),
      required ? h('span', { class: 'tag' }, t('form.required')) : null,
    ),
    control,
    help ? h('p', { class: 'dim', id: help }, short(schema.description)) : null,
  );
  return {
    box,
    show: (given) => {
      [kept, isTouched] = [given, false];
      show(given);
    },
    value: () => (isTouched ? value() : kept),
  };
}

/** Returns the fields of a nested object, which can be folded. @returns {Field} */
function group(
  /** @type {string} */ name,
  /** @type {Schema} */ schema,
  /** @type {string} */ id,
  /** @type {() => void} */ changed,
) {
  const inner = formOf(schema, id, changed);
  const box = h(
    'details',
    { class: 'argument group' },
    h('summary', null, h('code', null, name)),
    inner.box,
  );
  /** @type {Record<string, unknown>} */
  let kept = {};
  return {
    box,
    show: (value) => {
      kept = isObject(value) ? value : {};
      inner.show(kept);
      if (Object.keys(kept).length) box.setAttribute('open', '');
    },
    value: () => {
      const value = inner.apply(kept);
      return Object.keys(value).length ? value : undefined;
    },
  };
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @typedef {'choice' | 'flag' | 'number' | 'words' | 'text' | 'json'} Kind */

/** @param {Schema} schema @returns {Kind} */
function kindOf(schema) {
  const type = Array.isArray(schema.type) ? schema.type.find((it) => it !== 'null') : schema.type;
  if (schema.enum) return 'choice';
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return 'text';
  if (type === 'array' && schema.items?.type === 'string' && !schema.items.enum) return 'words';
  return 'json';
}

/** @param {Kind} kind @param {Schema} schema @param {string} id @param {boolean} required */
function controlOf(kind, schema, id, required) {
  const usual = schema.default === undefined ? '' : String(schema.default);
  const plain = { id, autocomplete: 'off', spellcheck: 'false' };
  switch (kind) {
    case 'choice':
    case 'flag': {
      const options = kind === 'flag' ? ['true', 'false'] : schema.enum.map(String);
      const none = usual ? t('form.default', { value: usual }) : t('form.none');
      return h(
        'select',
        { id },
        required && kind === 'choice' ? null : h('option', { value: '' }, none),
        options.map((/** @type {string} */ one) => h('option', { value: one }, one)),
      );
    }
    case 'number':
      return h('input', {
        ...plain,
        type: 'number',
        step: 'any',
        min: schema.minimum,
        max: schema.maximum,
        placeholder: usual,
      });
    case 'words':
      return h('textarea', { ...plain, rows: '2', placeholder: t('form.words') });
    case 'json':
      return h('textarea', { ...plain, rows: '3', placeholder: 'JSON' });
    default:
      return h('textarea', { ...plain, rows: '1', placeholder: usual });
  }
}

/** @type {Record<Kind, (control: any) => {show: (value: unknown) => void, value: () => unknown}>} */
const CONVERSIONS = {
  choice: (control) => ({
    show: (value) => {
      control.value = value === undefined ? '' : String(value);
    },
    value: () => control.value || undefined,
  }),
  flag: (control) => ({
    show: (value) => {
      control.value = value === undefined ? '' : String(value);
    },
    value: () => (control.value ? control.value === 'true' : undefined),
  }),
  number: (control) => ({
    show: (value) => {
      control.value = value === undefined ? '' : String(value);
    },
    value: () => (control.value === '' ? undefined : Number(control.value)),
  }),
  words: (control) => ({
    show: (value) => {
      control.value = Array.isArray(value) ? value.join('\n') : '';
    },
    value: () => {
      const lines = control.value.split('\n').filter(Boolean);
      return lines.length ? lines : undefined;
    },
  }),
  text: (control) => ({
    show: (value) => {
      control.value = value === undefined ? '' : String(value);
    },
    value: () => control.value || undefined,
  }),
  json: (control) => ({
    show: (value) => {
      control.value = value === undefined ? '' : JSON.stringify(value, null, 2);
    },
    value: () => {
      try {
        const value = control.value.trim() ? JSON.parse(control.value) : undefined;
        control.removeAttribute('aria-invalid');
        return value;
      } catch {
        control.setAttribute('aria-invalid', 'true');
        return control.value;
      }
    },
  }),
};

/** Returns the first sentences of a description, without markup. @param {string} text */
function short(text) {
  return text.replaceAll('`', '').split('\n\n')[0];
}
