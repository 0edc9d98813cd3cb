const anyOrigin = 'http://console.invalid';
const home = '/console';

/**
 * Where a browser goes after a login for the console: the path that it asked for, if that is one of the console, or else
 * the console's first page. It is read as browsers read it, so that no spelling leads to another host.
 */
export function consolePath(asked: string | undefined): string {
  const url = URL.parse(asked ?? home, anyOrigin);
  if (url === null || url.origin !== anyOrigin) return home;
  const isOurs = url.pathname === home || url.pathname.startsWith(`${home}/`);
  return isOurs ? `${url.pathname}${url.search}${url.hash}` : home;
}
