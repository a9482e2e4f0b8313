// Conversion of a question between the search box, an address and a call.

import { at } from './router.js';
import { exact, typable } from './visible.js';

/** @typedef {'keyword' | 'relevance' | 'explore' | 'files' | 'tags' | 'tool'} Mode */

/**
 * @typedef {object} Question
 * @property {Mode} mode
 * @property {string} q
 * @property {string} root
 * @property {string} path
 * @property {string} ext
 * @property {number} ctx characters round a hit
 * @property {boolean} exact whether case counts
 * @property {string} tool of the mode `tool`
 * @property {string} args of the mode `tool`, as JSON
 */

/** @type {Mode[]} */
export const MODES = ['keyword', 'relevance', 'explore', 'files', 'tags', 'tool'];

/** The modes that can be limited to file types. */
const WITH_KINDS = ['keyword', 'files'];

/** Returns true if a mode can be limited to file types. @param {Mode} mode */
export function takesKinds(mode) {
  return WITH_KINDS.includes(mode);
}

/** Characters of context around a hit that the tools accept. */
export const CONTEXT = { least: 10, usual: 50, most: 500 };

/** @param {URLSearchParams} params @returns {Question} */
export function fromAddress(params) {
  const mode = /** @type {Mode} */ (
    params.get('mode') ?? (params.has('tool') ? 'tool' : 'keyword')
  );
  const ctx = Number(params.get('ctx')) || CONTEXT.usual;
  return {
    mode: MODES.includes(mode) ? mode : 'keyword',
    q: params.get('q') ?? '',
    root: params.get('root') ?? '',
    path: params.get('path') ?? '',
    ext: params.get('ext') ?? '',
    exact: params.get('case') === '1',
    ctx: Math.min(Math.max(Math.round(ctx), CONTEXT.least), CONTEXT.most),
    tool: params.get('tool') ?? '',
    args: params.get('args') ?? '',
  };
}

/**
 * Returns the address of a question. It includes the input of the other modes, so that it is kept
 * when one of them is selected.
 * @param {Question} question
 */
export function toAddress(question) {
  return at('/', {
    q: question.q,
    root: question.root,
    path: question.path,
    mode: question.mode === (question.tool ? 'tool' : 'keyword') ? '' : question.mode,
    ctx: question.ctx === CONTEXT.usual ? '' : question.ctx,
    ext: question.ext,
    case: question.exact ? 1 : '',
    tool: question.tool,
    args: question.args,
  });
}

/**
 * Returns the same question in another mode. The mode `tool` begins with the call of the previous
 * mode.
 * @param {Question} question
 * @param {Mode} mode
 * @returns {Question}
 */
export function inMode(question, mode) {
  if (mode !== 'tool' || question.tool) return { ...question, mode };
  const { tool, args } = toCall(question);
  return { ...question, mode, tool, args: JSON.stringify(args) };
}

/** Returns the text of the box: the words, with `path:` and `ext:` before them.
 * @param {Question} question */
export function toBox({ path, ext, q }) {
  const shown = typable(path);
  const quoted = /\s/.test(shown) ? `"${shown}"` : shown;
  return [path && `path:${quoted}`, ext && `ext:${ext}`, q].filter(Boolean).join(' ');
}

/** @param {string} text @returns {{q: string, path: string, ext: string}} */
export function fromBox(text) {
  let [path, ext] = ['', ''];
  const q = text
    .replace(/(^|\s)(path|ext):("[^"]*"|\S+)/g, (_, space, name, value) => {
      const plain = value.replace(/^"|"$/g, '');
      if (name === 'path') path = exact(plain);
      else ext = plain.replaceAll('.', '');
      return space;
    })
    .trim();
  return { q, path, ext };
}

/** @param {Question} question */
export function isAsked(question) {
  return question.mode === 'files' || question.q !== '' || question.mode === 'tool';
}

/**
 * Returns the call that answers a question.
 * @param {Question} question
 * @param {string | null} [cursor] of the previous page
 * @returns {{tool: string, args: Record<string, unknown>}}
 */
export function toCall(question, cursor = null) {
  const { q, root, path, ext, ctx, exact, mode } = question;
  /** @type {Record<string, unknown>} */
  const args = {};
  const put = (/** @type {string} */ name, /** @type {unknown} */ value) => {
    if (value !== '' && value !== null && value !== false) args[name] = value;
  };
  if (mode === 'tool') return { tool: question.tool, args: JSON.parse(question.args || '{}') };
  if (['keyword', 'relevance', 'explore'].includes(mode)) put('query', q);
  if (mode === 'tags')
    put(
      'tags',
      q
        .split(/[\s,]+/)
        .map((tag) => tag.replace(/^#/, ''))
        .filter(Boolean),
    );
  put('root', root);
  if (mode === 'explore') put('paths', path ? [path] : null);
  else put('path', path);
  if (mode === 'keyword') {
    put('extensions', ext ? ext.split(',').filter(Boolean) : null);
    put('contextChars', ctx === CONTEXT.usual ? null : ctx);
    put('caseSensitive', exact);
  }
  if (mode === 'files') put('glob', glob(q, ext));
  put('cursor', cursor && mode === 'explore' ? { items: cursor } : cursor);
  const tools = {
    keyword: 'search_documents',
    relevance: 'smart_search',
    explore: 'explore',
    files: 'find_files',
    tags: 'context_search',
  };
  return { tool: tools[mode], args };
}

/** @param {string} q @param {string} ext */
function glob(q, ext) {
  const end = ext ? (ext.includes(',') ? `.{${ext}}` : `.${ext}`) : '';
  if (/[*?[{]/.test(q)) return q + end;
  // Without special characters the text is a part of a name.
  return q || end ? `**/*${q}${q ? '*' : ''}${end}` : null;
}

/**
 * Returns the address at which a call can be repeated: in the view that makes the same call,
 * otherwise in that of the tool.
 * @param {string} tool
 * @param {any} args
 * @returns {string}
 */
export function whereToRepeat(tool, args) {
  const known = {
    search_documents: 'keyword',
    smart_search: 'relevance',
    explore: 'explore',
    find_files: 'files',
    context_search: 'tags',
  };
  const mode = /** @type {Mode | undefined} */ (/** @type {any} */ (known)[tool]);
  if (mode) {
    const question = fromAddress(new URLSearchParams());
    Object.assign(question, {
      mode,
      q: args.query ?? args.glob ?? (args.tags ?? []).join(' '),
      root: args.root ?? '',
      path: args.path ?? args.paths?.[0] ?? '',
      ext: (args.extensions ?? []).join(','),
      ctx: args.contextChars ?? CONTEXT.usual,
      exact: args.caseSensitive === true,
    });
    // The view must make exactly the same call.
    const { args: same } = toCall(question);
    const equal = (/** @type {any} */ one) => JSON.stringify(Object.entries(one).sort());
    if (equal(same) === equal(args)) return toAddress(question);
  }
  return at('/', { tool, args: JSON.stringify(args) });
}
