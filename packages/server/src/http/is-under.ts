/**
 * Whether a page's URL equals `allowed` or is below it, by whole path segments: `/app` matches `/app`, `/app/x` and
 * `/app?y`, but not `/app-evil`.
 */
export function isUnder(page: string, allowed: string): boolean {
  const [request, base] = [URL.parse(page), URL.parse(allowed)];
  if (request === null || base === null || request.origin !== base.origin) return false;
  return request.pathname === base.pathname || request.pathname.startsWith(base.pathname.replace(/\/?$/, '/'));
}
