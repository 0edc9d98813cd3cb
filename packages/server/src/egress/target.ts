import { isIP } from 'node:net';
import { EgressRefused } from '@latchkey/core/ports';
import { classifyAddress } from './address.ts';

/** Where a connection is about to go. `hostname` carries no brackets, `port` is empty for the scheme's own port. */
export interface Target {
  protocol: string;
  hostname: string;
  port: string;
}

/** Tells the hosts whose private addresses the operator has opened. */
export type IsOpened = (hostname: string) => boolean;

// Services that act on a line of text, so that an HTTP request to them can do harm.
const refusedPorts = new Set([
  ...[20, 21, 22, 23, 25, 53, 69, 110, 111, 135, 137, 139, 143, 161, 389, 445, 465, 514, 587, 636, 873, 993, 995],
  ...[1433, 1521, 2049, 2181, 2375, 2376, 2379, 3306, 3389, 5432, 5672, 5900, 6379, 6667, 9042, 9092, 9200, 9300],
  ...[11211, 26257, 27017, 27018, 27019],
]);

const localNames = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'lan',
  'home.arpa',
  'ip6-localhost',
  'ip6-loopback',
];

/** Builds the test for opened hosts from the setting. A host may be written in any spelling a URL may use. */
export function openedHosts(allowPrivate: boolean | { hosts: readonly string[] }): IsOpened {
  if (typeof allowPrivate === 'boolean') return () => allowPrivate;
  const hosts = new Set(allowPrivate.hosts.map(canonicalHost));
  return (hostname) => hosts.has(hostname);
}

/** Reads a URL and refuses the ones that may not be called, as far as that shows without resolving the name. */
export function readTarget(url: string, isOpened: IsOpened): URL {
  if (!URL.canParse(url)) throw new EgressRefused('bad_url', 'The address is not a valid URL.');
  const parsed = new URL(url);
  const target = { protocol: parsed.protocol, hostname: withoutBrackets(parsed.hostname), port: parsed.port };
  if (parsed.username !== '' || parsed.password !== '') {
    throw new EgressRefused('userinfo', `The address of ${target.hostname} must not carry a user name or password.`);
  }
  checkTarget(target, isOpened);
  return parsed;
}

/** Refuses schemes, ports, local names and address literals. Names are judged again by what they resolve to. */
export function checkTarget({ protocol, hostname, port }: Target, isOpened: IsOpened): void {
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new EgressRefused('scheme', 'Only http and https addresses can be called.');
  }
  if (refusedPorts.has(Number(port))) {
    throw new EgressRefused('port', `Port ${port} of ${hostname} belongs to another kind of service than HTTP.`);
  }
  if (isIP(hostname) !== 0) {
    checkAddress(hostname, hostname, isOpened);
    return;
  }
  if (hostname === '' || hostname.endsWith('.')) {
    throw new EgressRefused('host', 'The host name must not be empty or end in a dot.');
  }
  if (isLocalName(hostname) && !isOpened(hostname)) {
    throw new EgressRefused('host', `${hostname} is a name of the local machine or network.`);
  }
}

/** Refuses an address that `hostname` stands for. The address itself stays out of the message: it may be internal. */
export function checkAddress(address: string, hostname: string, isOpened: IsOpened): void {
  const kind = classifyAddress(address);
  if (kind === 'public' || (kind === 'private' && isOpened(hostname))) return;
  throw new EgressRefused('address', `${hostname} does not lead to a public address.`);
}

function isLocalName(hostname: string): boolean {
  return localNames.some((name) => hostname === name || hostname.endsWith(`.${name}`));
}

function canonicalHost(host: string): string {
  const url = isIP(host) === 6 ? `http://[${host}]` : `http://${host}`;
  if ((isIP(host) === 6 || !/[/\\:@?#]/.test(host)) && URL.canParse(url)) return withoutBrackets(new URL(url).hostname);
  throw new TypeError(`"${host}" is not a host name or an IP address. Write the host alone, without scheme or port.`);
}

/** The host as a socket is told it. */
export function hostOf({ hostname }: URL): string {
  return withoutBrackets(hostname);
}

const usualPorts: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
  'smtp:': 587,
  'smtps:': 465,
};

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (usualPorts[protocol] ?? 0) : Number(port);
}

function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
