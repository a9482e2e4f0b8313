// The server, as the page asks it. The token goes in a header and nowhere else.

/**
 * @typedef {object} Sent what an agent would be sent
 * @property {string} text
 * @property {number} bytes
 * @property {number} tokens
 *
 * @typedef {object} Answer
 * @property {'answered' | 'refused' | 'failed'} outcome
 * @property {any} [structured]
 * @property {{code: string, message: string, hint: string}} [error]
 * @property {Sent} sent
 * @property {number} ms
 * @property {{opened: number} | null} files opened by the call; none where they are not counted
 */

const KEPT = 'docent-token';

/** An answer that is none. */
export class ApiError extends Error {
  /**
   * @param {number} status of HTTP; 0 where the server was not reached
   * @param {string} code
   * @param {string} message
   * @param {string} [hint]
   * @param {number} [wait] seconds until it may be asked again
   */
  constructor(status, code, message, hint = '', wait = 0) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.wait = wait;
  }
}

/**
 * Returns the token that the address brings behind `#t=`, and takes it out of there: that part is
 * never sent, and the history of the browser is not to keep it. None where it brings none, or the
 * one that this tab has.
 * @returns {string | null}
 */
export function tokenOfAddress() {
  const found = /^#t=(.+)$/.exec(location.hash);
  if (!found) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  let token;
  try {
    token = decodeURIComponent(found[1]).trim();
  } catch {
    return null;
  }
  return token === sessionStorage.getItem(KEPT) ? null : token;
}

/** @param {string} token */
export function keepToken(token) {
  sessionStorage.setItem(KEPT, token.trim());
}

export function hasToken() {
  return sessionStorage.getItem(KEPT) !== null;
}

/** @param {'ok' | 'offline' | 'locked'} state */
function connected(state) {
  dispatchEvent(new CustomEvent('docent:connection', { detail: state }));
}

/**
 * @param {string} path
 * @param {{body?: unknown, signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 */
export async function ask(path, { body, signal } = {}) {
  return (await request(path, { body, signal })).json();
}

/**
 * Asks for a file.
 * @param {string} path
 * @returns {Promise<Blob>}
 */
export async function askFile(path) {
  return (await request(path)).blob();
}

/**
 * @param {string} path
 * @param {{body?: unknown, signal?: AbortSignal}} [options]
 */
async function request(path, { body, signal } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: 'application/json' };
  const token = sessionStorage.getItem(KEPT);
  // What is no token of ours may hold letters that no header takes.
  if (token && /^[\x21-\x7e]+$/.test(token)) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let response;
  try {
    response = await fetch(path, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      signal,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    connected('offline');
    throw new ApiError(0, 'offline', '');
  }
  connected(response.status === 401 ? 'locked' : 'ok');
  if (!response.ok) throw await refusal(response);
  return response;
}

/** @param {Response} response */
async function refusal(response) {
  const text = await response.text();
  const wait = Number(response.headers.get('Retry-After')) || 0;
  try {
    const { error } = JSON.parse(text);
    if (typeof error === 'string') return new ApiError(response.status, '', error, '', wait);
    return new ApiError(response.status, error.code ?? '', error.message, error.hint, wait);
  } catch {
    return new ApiError(response.status, '', text.trim().slice(0, 1000), '', wait);
  }
}

/**
 * Calls a tool. What the tool refuses is an answer too; what the server refuses is thrown.
 * @param {string} tool
 * @param {Record<string, unknown>} args
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer>}
 */
export function call(tool, args, signal) {
  return ask('/api/call', { body: { tool, arguments: args }, signal });
}

/** Who is asked, and with which rights; asked once, and again after a token was given. */
/** @type {Promise<any> | null} */
let known = null;

/** @returns {Promise<any>} */
export function about() {
  known ??= ask('/api/about').catch((error) => {
    known = null;
    throw error;
  });
  return known;
}

export function forget() {
  known = null;
}
