const key = 'latchkey.recent-pages';
const keptCount = 6;
/** Pages without a subject. */
const notKept = /^\/(?:search|404\.html)?$/;

export interface RecentPage {
  path: string;
  title: string;
}

/** The pages that were opened last in this browser, newest first. Empty without storage. */
export function recentPages(): RecentPage[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isPage).slice(0, keptCount) : [];
  } catch {
    return [];
  }
}

export function keepPage({ path, title }: RecentPage): void {
  if (notKept.test(path)) return;
  // The name of the site after the bar is the same on every page.
  const page = { path, title: title.split(' | ')[0] ?? title };
  try {
    localStorage.setItem(
      key,
      JSON.stringify([page, ...recentPages().filter((other) => other.path !== path)].slice(0, keptCount)),
    );
  } catch {
    // Reading works without storage.
  }
}

export function forgetPages(): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // There was nothing to delete.
  }
}

/** Other scripts can write there too: only a path of this site is a link. */
function isPage(value: unknown): value is RecentPage {
  if (typeof value !== 'object' || value === null || !('path' in value) || !('title' in value)) return false;
  const { path, title } = value;
  return typeof path === 'string' && typeof title === 'string' && /^\/(?![/\\])/.test(path) && title !== '';
}
