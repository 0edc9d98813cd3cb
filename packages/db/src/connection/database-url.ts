/**
 * Returns the addresses in a database URL. As in libpq, `postgres://me@a:5432,b:5432/name` and `?host=a,b` name several
 * hosts of one database, of which one accepts writes.
 */
export function hostsIn(url: string): string[] {
  const { head, hosts, rest } = split(url);
  return hosts.split(',').flatMap((host) => hostsInQuery(`${head}${host}${rest}`));
}

/** Returns the URL of the same database with another login. */
export function withLogin(url: string, user: string, password = ''): string {
  const { scheme, hosts, rest } = split(url);
  const secret = password === '' ? '' : `:${encodeURIComponent(password)}`;
  return `${scheme}${encodeURIComponent(user)}${secret}@${hosts}${rest}`;
}

/** Whether this is the URL of a PostgreSQL database, including all of its hosts. */
export function isDatabaseUrl(url: string): boolean {
  try {
    return hostsIn(url).every((one) => URL.canParse(one));
  } catch {
    return false;
  }
}

/** Returns what may be shown of a URL: the host and the port, never the login. */
export function shownHost(url: string): string {
  const { host, port, searchParams } = new URL(url);
  const elsewhere = searchParams.get('host');
  if (elsewhere === null) return host;
  return elsewhere.startsWith('/') ? elsewhere : `${elsewhere}:${searchParams.get('port') ?? (port || '5432')}`;
}

function split(url: string): { scheme: string; head: string; hosts: string; rest: string } {
  const [, scheme, login = '', hosts = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s.exec(url) ?? [];
  if (scheme === undefined) throw new Error('This is not the URL of a PostgreSQL database.');
  return { scheme, head: `${scheme}${login}`, hosts, rest };
}

function hostsInQuery(url: string): string[] {
  if (!URL.canParse(url)) return [url];
  const { searchParams } = new URL(url);
  const hosts = searchParams.get('host')?.split(',') ?? [];
  if (hosts.length < 2) return [url];
  const ports = searchParams.get('port')?.split(',') ?? [];
  return hosts.map((host, at) => {
    const one = new URL(url);
    one.searchParams.set('host', host);
    const port = ports[at] ?? ports[0];
    if (port !== undefined) one.searchParams.set('port', port);
    return one.href;
  });
}
