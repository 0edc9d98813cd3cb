/**
 * Whether the address of a page is that of `allowed` or below it, by whole segments of the path: `/app` admits `/app`,
 * `/app/x` and `/app?y`, and not `/app-evil`.
 */
export function isUnder(page: string, allowed: string): boolean {
  const [asked, base] = [URL.parse(page), URL.parse(allowed)];
  if (asked === null || base === null || asked.origin !== base.origin) return false;
  return asked.pathname === base.pathname || asked.pathname.startsWith(base.pathname.replace(/\/?$/, '/'));
}
