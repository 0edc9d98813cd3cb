/** Returns the end of a host name, which identifies the provider: the labels before it can be a key. */
export function hostEnd(host: string): string {
  const [name = '', port] = host.split(/:(?=\d+$)/);
  const shown = /^[\d.]+$|^\[/.test(name) ? name : name.split('.').slice(-2).join('.');
  return port === undefined ? shown : `${shown}:${port}`;
}

/** Returns the same for a URL. */
export function hostEndOf(url: string): string {
  return URL.canParse(url) ? hostEnd(new URL(url).host) : 'unknown';
}
