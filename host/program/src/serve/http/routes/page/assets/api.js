// Requests to the server. The token is sent only in a header.

/**
 * @typedef {object} Sent the answer that an agent would receive
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
 * @property {{opened: number} | null} files opened by the call; null if they are not counted
 */

const KEPT = 'docent-token';

/** The failure of a request. */
export class ApiError extends Error {
  /**
   * @param {number} status of HTTP; 0 if the server was not reached
   * @param {string} code
   * @param {string} message
   * @param {string} [hint]
   * @param {number} [wait] seconds until the next attempt
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
 * Returns the token in the address, after `#t=`, and removes it from the address, so that the
 * history of the browser does not keep it; browsers do not send that part. Returns null if the
 * address has no token, or the token of this tab.
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
 * Downloads a file.
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
  // Text that is not a token may contain characters that are invalid in a header.
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
 * Calls a tool. A refusal by the tool is an answer; a refusal by the server is thrown.
 * @param {string} tool
 * @param {Record<string, unknown>} args
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer>}
 */
export function call(tool, args, signal) {
  return ask('/api/call', { body: { tool, arguments: args }, signal });
}

/** The reply of `/api/about`, requested once, and again after the token changes. */
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
