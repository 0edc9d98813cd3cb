const key = 'latchkey.server';

/** A URL as it is stored, or why it cannot be used. */
export type ReadAddress = { address: string } | { problem: string };

/** Parses the server URL that the reader typed. `pageOrigin` is the origin of this site. */
export function readAddress(text: string, pageOrigin: string): ReadAddress {
  const trimmed = text.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)
    ? trimmed
    : `${isLocal(trimmed) ? 'http' : 'https'}://${trimmed}`;
  if (trimmed === '' || !URL.canParse(whole)) return { problem: 'Write an address such as http://127.0.0.1:3000.' };
  const { protocol, hostname, origin, pathname, username, password } = new URL(whole);
  if (protocol !== 'http:' && protocol !== 'https:') return { problem: 'The address starts with https:// or http://.' };
  if (username !== '' || password !== '')
    return { problem: 'Remove the user name and password from the address: keys have their own field.' };
  const isReachable = protocol === 'https:' || isLocal(hostname) || origin === pageOrigin;
  if (!isReachable)
    return {
      problem:
        'Pages of this site reach https:// addresses, and http:// only on your own machine (localhost or 127.0.0.1).',
    };
  return { address: `${origin}${pathname.replace(/\/+$/, '')}` };
}

function isLocal(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1)(?:[:/]|$)/i.test(host);
}

/** The reader's own choice, which lasts for the tab. */
export function keptAddress(): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepAddress(address: string | undefined): void {
  try {
    if (address === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, address);
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
}
