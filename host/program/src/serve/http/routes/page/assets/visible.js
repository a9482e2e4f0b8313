// Escapes of control characters in text of documents, the same as those of `visible` in the
// program, which prints to a terminal.

/** Characters that control a terminal or change the direction of text; not the tab. */
const STEERS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** @param {string} sign */
function told(sign) {
  return `\\u{${sign.charCodeAt(0).toString(16)}}`;
}

/**
 * Returns a name, or a line, with control characters shown as `\u{…}`.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(STEERS, told);
}

/**
 * Escapes a text of several lines, in which LF and CRLF stay line breaks.
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
 * Escapes a name for an input field, from which `exact` reads it back.
 * @param {string} text
 */
export function typable(text) {
  return visible(text.replaceAll('\\u{', '\\u{5c}u{'));
}

/**
 * Returns the name that is shown in an input field.
 * @param {string} text
 */
export function exact(text) {
  return text.replace(/\\u\{([0-9a-f]{1,4})\}/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/**
 * Escapes the same characters in JSON, as JSON does, so that its value stays the same.
 * @param {string} json
 */
export function visibleJson(json) {
  return json.replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
