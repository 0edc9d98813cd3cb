const key = 'latchkey.recent-searches';
const keptCount = 5;

/** What was searched for with success in this browser, newest first. Nothing where the browser keeps nothing. */
export function recentSearches(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.filter((text) => typeof text === 'string').slice(0, keptCount) : [];
  } catch {
    return [];
  }
}

export function keepSearch(text: string): void {
  const kept = [text.trim(), ...recentSearches().filter((other) => other !== text.trim())].slice(0, keptCount);
  try {
    localStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing can still search.
  }
}

export function forgetSearches(): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // There was nothing to forget.
  }
}
