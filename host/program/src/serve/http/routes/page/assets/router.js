// Every view has an address, and every address is one view.

/**
 * @typedef {object} Route
 * @property {'search' | 'document' | 'directory' | 'calls' | 'log' | 'changes' | 'about'} view
 * @property {URLSearchParams} params
 * @property {string} [root] of a document or directory
 * @property {string} [path] of a document or directory; empty for the root itself
 * @property {string} [id] of a call
 */

/** @param {URL | Location} address @returns {Route} */
export function parse(address) {
  const params = new URLSearchParams(address.search);
  const [, first, ...rest] = address.pathname.split('/').map(decoded);
  if (first === 'read' && rest[0]) {
    const [root, ...parts] = rest;
    const isDirectory = !parts.length || parts[parts.length - 1] === '';
    const path = parts.filter(Boolean).join('/');
    return { view: isDirectory ? 'directory' : 'document', params, root, path };
  }
  if (first === 'calls') return { view: 'calls', params, id: rest[0] };
  if (first === 'log') return { view: params.has('changes') ? 'changes' : 'log', params };
  if (first === 'about') return { view: 'about', params };
  return { view: 'search', params };
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * @param {string} root
 * @param {string} path
 * @param {Record<string, string | number | null | undefined>} [query]
 */
export function documentAt(root, path, query = {}) {
  const parts = [root, ...path.replace(/^\/+/, '').split('/')];
  return at(`/read/${parts.map(encodeURIComponent).join('/')}`, query);
}

/** @param {string} root @param {string} [path] empty for the root itself */
export function directoryAt(root, path = '') {
  const parts = [root, ...path.split('/')].filter((part) => part && part !== '.');
  return `/read/${parts.map(encodeURIComponent).join('/')}/`;
}

/**
 * Returns an address with the values of `query` that are not empty.
 * @param {string} path
 * @param {Record<string, string | number | null | undefined>} query
 */
export function at(path, query) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') params.set(name, String(value));
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

/**
 * Goes to an address of this page.
 * @param {string} href
 * @param {{replace?: boolean}} [options]
 */
export function go(href, { replace = false } = {}) {
  const depth = history.state?.depth ?? 0;
  if (replace) history.replaceState({ depth }, '', href);
  else if (href !== location.pathname + location.search)
    history.pushState({ depth: depth + 1 }, '', href);
  dispatchEvent(new CustomEvent('docent:route', { detail: { replace, isBack: false } }));
}

/**
 * Stores the input in the address without drawing the view again, so that it is kept when people go
 * back or reload the page.
 * @param {string} href
 */
export function keep(href) {
  if (href !== location.pathname + location.search) history.replaceState(history.state, '', href);
}

/** Goes back, but not to another site. */
export function back() {
  if (history.state?.depth) history.back();
  else go('/');
}

/** Follows links of the page without reloading it. */
export function followLinks() {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const other = event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (!link || other || event.defaultPrevented || link.target || link.hasAttribute('download'))
      return;
    // A click that ends a selection of text keeps it.
    if (String(getSelection()) && getSelection()?.containsNode(link, true)) {
      event.preventDefault();
      return;
    }
    if (link.origin !== location.origin) return;
    const here = link.pathname === location.pathname && link.search === location.search;
    if (here && link.hash) return;
    event.preventDefault();
    // Going back restores the link and the scroll position.
    history.replaceState({ ...history.state, from: link.getAttribute('href'), y: scrollY }, '');
    go(link.pathname + link.search);
  });
  history.scrollRestoration = 'manual';
  addEventListener('popstate', () => {
    dispatchEvent(new CustomEvent('docent:route', { detail: { replace: false, isBack: true } }));
  });
}
