/**
 * Whether a page's URL equals `allowed` or is below it, by whole path segments: `/app` matches `/app`, `/app/x` and
 * `/app?y`, but not `/app-evil`.
 */
export function isUnder(page: string, allowed: string): boolean {
  const [asked, base] = [URL.parse(page), URL.parse(allowed)];
  if (asked === null || base === null || asked.origin !== base.origin) return false;
  return asked.pathname === base.pathname || asked.pathname.startsWith(base.pathname.replace(/\/?$/, '/'));
}
