// Notices in place of results: the reason, and the next step.

import { forget, hasToken, keepToken } from './api.js';
import { button, h, multiline } from './dom.js';
import { t } from './i18n.js';

/**
 * @param {string} title
 * @param {import('./dom.js').Child[]} children
 * @param {string} [kind]
 */
export function notice(title, children, kind = '') {
  return h('section', { class: `notice ${kind}`.trim() }, h('h2', null, title), children);
}

/**
 * Returns a notice for a failed request.
 * @param {any} error
 * @param {() => void} retry
 */
export function failure(error, retry) {
  const again = () => button(t('retry'), retry, { class: 'primary' });
  switch (error.status) {
    case 0:
      return notice(t('offline.title'), [h('p', null, t('offline.text')), again()], 'bad');
    case 401:
      return tokenBox(retry);
    case 403:
      if (error.code === 'no-right')
        return notice(t('forbidden.right'), [said(error), tokenForm(retry)], 'locked');
      return notice(t('forbidden.title'), [h('p', null, t('forbidden.text')), said(error)], 'bad');
    case 429:
    case 503:
      return busy(error, retry);
    default:
      return notice(t('error.title'), [said(error), again()], 'bad');
  }
}

/** @param {any} error @param {boolean} [isAside] true if it follows a text for people */
function said(error, isAside = false) {
  return [
    h(
      'p',
      { class: isAside ? 'said dim' : 'said' },
      error.code ? h('code', { class: 'code' }, error.code) : null,
      ' ',
      multiline(error.message || String(error)),
    ),
    error.hint ? h('p', { class: 'hint' }, error.hint) : null,
  ];
}

/** The error codes with texts for people. */
const KNOWN = [
  'binary',
  'change-not-found',
  'conflict',
  'document-not-found',
  'document-read-failed',
  'document-too-large',
  'internal-error',
  'invalid-cursor',
  'invalid-path',
  'invalid-query',
  'invalid-request',
  'limit-reached',
  'not-granted',
  'not-text',
  'query-too-short',
  'read-only',
  'sensitive',
  'timeout',
  'unsupported-format',
  'write-failed',
];

/** Returns the text for the outcome of a call. @param {string} outcome `answered`, or a code */
export function outcomeOf(outcome) {
  if (outcome === 'answered') return t('outcome.answered');
  return KNOWN.includes(outcome) ? t(`refused.${outcome}`) : outcome;
}

/**
 * Returns a notice for a refusal by a tool: a text for people, and the message of the tool. The
 * hint is only shown to people who write the arguments.
 * @param {import('./api.js').Answer} answer
 * @param {{asAgent?: boolean}} [options]
 */
export function refused(answer, { asAgent = false } = {}) {
  const error = answer.error ?? { code: '', message: answer.sent.text, hint: '' };
  const known = KNOWN.includes(error.code);
  return notice(
    known ? t(`refused.${error.code}`) : t('refused.title'),
    [
      known && !asAgent ? h('p', null, t(`why.${error.code}`)) : null,
      said({ ...error, hint: asAgent ? error.hint : '' }, known && !asAgent),
    ],
    'bad',
  );
}

/** @param {() => void} retry */
function tokenForm(retry) {
  const input = /** @type {HTMLInputElement} */ (
    h('input', {
      id: 'token',
      type: 'password',
      autocomplete: 'off',
      spellcheck: 'false',
      required: true,
    })
  );
  return h(
    'form',
    {
      class: 'token',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        keepToken(input.value);
        forget();
        dispatchEvent(new CustomEvent('docent:token'));
        retry();
      },
    },
    h('label', { for: 'token' }, t('token.label')),
    input,
    h('button', { class: 'button primary', type: 'submit' }, t('token.go')),
  );
}

/** @param {() => void} retry */
function tokenBox(retry) {
  const wrong = hasToken() ? h('p', { class: 'said' }, t('token.wrong')) : null;
  return notice(
    t('token.title'),
    [
      wrong,
      tokenForm(retry),
      h(
        'p',
        { id: 'token-help', class: 'hint' },
        t('token.text'),
        ' ',
        h('code', null, 'docent token new NAME --root ROOT --right page'),
      ),
    ],
    'locked',
  );
}

/**
 * Counts down, then retries.
 * @param {any} error
 * @param {() => void} retry
 */
function busy(error, retry) {
  let left = Math.max(1, error.wait || 1);
  const count = h('p', { class: 'said' }, t('busy.text', { n: left }));
  const box = notice(t('busy.title'), [
    count,
    error.message ? h('p', { class: 'hint' }, error.message) : null,
  ]);
  const timer = setInterval(() => {
    // Another view has replaced the notice.
    if (!box.isConnected) return clearInterval(timer);
    left -= 1;
    if (left > 0) {
      count.textContent = t('busy.text', { n: left });
    } else {
      clearInterval(timer);
      retry();
    }
  }, 1000);
  return box;
}

/**
 * Returns the files that were not examined, with the reasons.
 * @param {{count: number, entries: {path: string, reason: string}[]} | undefined} skipped
 */
export function skippedFiles(skipped) {
  if (!skipped?.count) return null;
  const shown = skipped.entries.map((entry) =>
    h(
      'li',
      null,
      h('span', { class: 'path' }, entry.path),
      ' ',
      h('span', { class: 'dim' }, t(`skip.${entry.reason}`)),
    ),
  );
  const more = skipped.count - skipped.entries.length;
  return h(
    'details',
    { class: 'skipped' },
    h('summary', null, t('skipped', { n: skipped.count })),
    h(
      'ul',
      null,
      shown,
      more > 0 ? h('li', { class: 'dim' }, t('skipped.more', { n: more })) : null,
    ),
  );
}

/**
 * Shows that a call is running, once it has taken long enough to be noticed.
 * @param {() => void} stop
 */
export function running(stop) {
  const started = performance.now();
  const time = h('span', { class: 'dim' });
  const box = h(
    'div',
    { class: 'running', hidden: true },
    h('span', { class: 'spinner', 'aria-hidden': 'true' }),
    h('span', null, t('running')),
    time,
    button(t('stop'), stop, { key: 'Escape' }),
  );
  const timer = setInterval(() => {
    const seconds = (performance.now() - started) / 1000;
    if (seconds > 0.3) box.hidden = false;
    if (seconds > 1) time.textContent = t('running.seconds', { n: Math.floor(seconds) });
  }, 100);
  return {
    box,
    end: () => {
      clearInterval(timer);
      box.remove();
    },
  };
}
