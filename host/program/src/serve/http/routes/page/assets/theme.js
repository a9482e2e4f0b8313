// The theme: light, dark, or that of the system.

const KEPT = 'docent-theme';
const THEMES = ['system', 'light', 'dark'];

export function theme() {
  const kept = localStorage.getItem(KEPT) ?? '';
  return THEMES.includes(kept) ? kept : 'system';
}

export function nextTheme() {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
  localStorage.setItem(KEPT, next);
  apply();
}

function apply() {
  document.documentElement.setAttribute('data-theme', theme());
}

apply();
