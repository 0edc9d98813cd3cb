const anyOrigin = 'http://console.invalid';
const home = '/console';

/**
 * Returns where a browser goes after signing in to the console: the requested path if it is one of the console's,
 * otherwise its first page. Parses the path as browsers do, so that no notation leads to another host.
 */
export function consolePath(asked: string | undefined): string {
  const url = URL.parse(asked ?? home, anyOrigin);
  if (url === null || url.origin !== anyOrigin) return home;
  const isOurs = url.pathname === home || url.pathname.startsWith(`${home}/`);
  return isOurs ? `${url.pathname}${url.search}${url.hash}` : home;
}
