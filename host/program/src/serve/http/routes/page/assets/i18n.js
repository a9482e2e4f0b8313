// The texts of the page, with a dictionary for each language.

import en from './en.js';
import ko from './ko.js';

/** @typedef {string | {one: string, other: string}} Phrase */
/** @typedef {Record<string, Phrase>} Dictionary */

/** @type {Record<string, {name: string, words: Dictionary}>} */
export const languages = { en: { name: 'English', words: en }, ko: { name: '한국어', words: ko } };

const KEPT = 'docent-language';

/** The selected language. */
export let language = chosen();

function chosen() {
  const kept = localStorage.getItem(KEPT);
  if (kept && kept in languages) return kept;
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  return wanted.find((tag) => tag in languages) ?? 'en';
}

/** @param {string} tag */
export function speak(tag) {
  language = tag in languages ? tag : 'en';
  localStorage.setItem(KEPT, language);
  document.documentElement.lang = language;
}

/**
 * Returns the text of `key`, with `{name}` replaced; `n` selects singular or plural.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  const phrase = languages[language].words[key] ?? en[key] ?? key;
  const n = Number(values.n);
  const text =
    typeof phrase === 'string'
      ? phrase
      : new Intl.PluralRules(language).select(n) === 'one'
        ? phrase.one
        : phrase.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? number(value) : value;
  });
}

/** @param {number} value */
export function number(value) {
  return new Intl.NumberFormat(language).format(value);
}

/** @param {number} bytes */
export function size(bytes) {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  let unit = 0;
  let value = bytes;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: units[unit],
    unitDisplay: unit ? 'short' : 'long',
    maximumFractionDigits: unit && value < 100 ? 1 : 0,
  }).format(value);
}

/** @param {string} time of ISO 8601 */
export function moment(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  // A date without a time is shown unchanged, because it has no time zone.
  if (time.length <= 10) return time;
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    date,
  );
}

/** Returns a time to the second, as for log entries. @param {string} time of ISO 8601 */
export function instant(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(
    date,
  );
}

/** @param {string} time of ISO 8601 */
export function clock(time) {
  return new Intl.DateTimeFormat(language, { timeStyle: 'medium' }).format(new Date(time));
}

/** @param {number} ms */
export function duration(ms) {
  return ms < 1000 ? `${number(Math.round(ms))} ms` : `${number(Math.round(ms / 100) / 10)} s`;
}

/**
 * Fills in the texts of the markup of the page.
 * @param {ParentNode} part
 */
export function translate(part) {
  for (const element of part.querySelectorAll('[data-t]')) {
    element.textContent = t(element.getAttribute('data-t') ?? '');
  }
  for (const [data, attribute] of [
    ['data-t-label', 'aria-label'],
    ['data-t-placeholder', 'placeholder'],
  ]) {
    for (const element of part.querySelectorAll(`[${data}]`)) {
      element.setAttribute(attribute, t(element.getAttribute(data) ?? ''));
    }
  }
}
