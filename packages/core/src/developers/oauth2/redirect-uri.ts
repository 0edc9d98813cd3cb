const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether a person may be sent to an address: byte for byte one that the application registered. An application on the
 * person's own machine cannot choose its port, so that a public one may come back on another port of a loopback address
 * (RFC 8252 7.3); everything else of the address must still be the same.
 */
export function isRegistered(
  { redirectUris, isPublic }: { redirectUris: readonly string[]; isPublic: boolean },
  asked: string,
): boolean {
  if (redirectUris.includes(asked)) return true;
  const place = isPublic ? withoutPort(asked) : undefined;
  return place !== undefined && redirectUris.some((registered) => withoutPort(registered) === place);
}

/** True for an address on the person's own machine, where any other program may listen as well. */
export function isLoopback(uri: string): boolean {
  return withoutPort(uri) !== undefined;
}

// Not by a URL parser, which forgives: what is compared is what the browser will be given.
function withoutPort(uri: string): string | undefined {
  const [, host = '', port, rest = ''] = /^http:\/\/([a-z0-9.]+|\[::1\])(:[0-9]{1,5})?((?:[/?].*)?)$/s.exec(uri) ?? [];
  if (!loopbackHosts.includes(host) || /[^!-~]/.test(rest)) return undefined;
  const isPort = port === undefined || (Number(port.slice(1)) > 0 && Number(port.slice(1)) < 65_536);
  return isPort ? `http://${host}${rest}` : undefined;
}
