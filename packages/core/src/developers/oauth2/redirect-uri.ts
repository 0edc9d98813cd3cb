const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

interface Registered {
  redirectUris: readonly string[];
  isPublic: boolean;
}

/**
 * Whether a URI is one that the application registered, byte for byte. An application with a registered loopback URI
 * may use any port and sub-path of it, under any of the three names of the machine. If `isStrict`, only a public one
 * may, and only the port may differ (RFC 8252 7.3).
 */
export function isRegistered({ redirectUris, isPublic }: Registered, asked: string, isStrict = false): boolean {
  if (redirectUris.includes(asked)) return true;
  const place = isStrict && !isPublic ? undefined : readLoopback(asked);
  if (place === undefined) return false;
  const covers = isStrict ? differsInPortOnly : isBelow;
  return redirectUris.some((uri) => {
    const registered = readLoopback(uri);
    return registered !== undefined && covers(place, registered);
  });
}

/** Whether a URI is on the user's own machine, where any other program may listen as well. */
export function isLoopback(uri: string): boolean {
  return readLoopback(uri) !== undefined;
}

interface LoopbackAddress {
  scheme: string;
  host: string;
  path: string;
  query: string;
}

// Does not use a URL parser, which is lenient: compares what the browser will get.
function readLoopback(uri: string): LoopbackAddress | undefined {
  const [, scheme = '', host = '', port, path = '', query = ''] =
    /^(https?):\/\/([a-z0-9.]+|\[::1\])(:[0-9]{1,5})?((?:\/[^?]*)?)((?:\?.*)?)$/s.exec(uri) ?? [];
  if (!loopbackHosts.includes(host) || /[^!-~]|[\\#]/.test(path + query)) return undefined;
  const isPort = port === undefined || (Number(port.slice(1)) > 0 && Number(port.slice(1)) < 65_536);
  return isPort ? { scheme, host, path, query } : undefined;
}

function differsInPortOnly(asked: LoopbackAddress, registered: LoopbackAddress): boolean {
  const parts = ['scheme', 'host', 'path', 'query'] as const;
  return parts.every((part) => asked[part] === registered[part]);
}

function isBelow(asked: LoopbackAddress, registered: LoopbackAddress): boolean {
  if (asked.scheme !== registered.scheme || asked.query !== registered.query) return false;
  const path = asked.path || '/';
  const folder = registered.path.endsWith('/') ? registered.path : `${registered.path}/`;
  return path === registered.path || (path.startsWith(folder) && !leadsUpwards(path));
}

/** Browsers and servers resolve dot segments, in any encoding. */
function leadsUpwards(path: string): boolean {
  return /%2e|%2f|%5c/i.test(path) || path.split('/').some((segment) => segment === '.' || segment === '..');
}
