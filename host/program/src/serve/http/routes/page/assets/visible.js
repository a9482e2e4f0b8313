// Text that somebody else wrote, as it may be shown: the same signs as on the terminal, which
// `visible` of the program shows there.

/** What steers a terminal or turns the direction of text. A tab and the end of a line stay. */
const STEERS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** @param {string} sign */
function told(sign) {
  return `\\u{${sign.charCodeAt(0).toString(16)}}`;
}

/**
 * Returns a name, or a line, with what would make it look like another one shown as `\u{…}`.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(STEERS, told);
}

/**
 * Returns the same of several lines: what ends a line stays, of CRLF the LF.
 * @param {string} text
 */
export function visibleLines(text) {
  if (text.search(STEERS) < 0) return text;
  const lines = text.split('\n');
  return lines
    .map((line, n) => visible(n < lines.length - 1 ? line.replace(/\r$/, '') : line))
    .join('\n');
}

/**
 * Returns a name as a field shows it, where it is read back by `exact`.
 * @param {string} text
 */
export function typable(text) {
  return visible(text.replaceAll('\\u{', '\\u{5c}u{'));
}

/**
 * Returns the name that a field shows.
 * @param {string} text
 */
export function exact(text) {
  return text.replace(/\\u\{([0-9a-f]{1,4})\}/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/**
 * Returns JSON with the same signs as JSON escapes them: it says the same.
 * @param {string} json
 */
export function visibleJson(json) {
  return json.replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
