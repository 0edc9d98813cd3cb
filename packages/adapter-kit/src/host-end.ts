/** The end of a host name, by which people know a provider: what comes before it may be a key. */
export function hostEnd(host: string): string {
  const [name = '', port] = host.split(/:(?=\d+$)/);
  const shown = /^[\d.]+$|^\[/.test(name) ? name : name.split('.').slice(-2).join('.');
  return port === undefined ? shown : `${shown}:${port}`;
}

/** The same for an address. */
export function hostEndOf(url: string): string {
  return URL.canParse(url) ? hostEnd(new URL(url).host) : 'unknown';
}
