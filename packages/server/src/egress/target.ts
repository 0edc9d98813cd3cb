import { BlockList, isIP } from 'node:net';
import { EgressRefused } from '@latchkey/core/ports';

/** The target of a connection. `hostname` has no brackets, `port` is empty for the scheme's default port. */
export interface Target {
  protocol: string;
  hostname: string;
  port: string;
}

/** Whether the operator allowed private addresses for a host. */
export type IsOpened = (hostname: string) => boolean;

// Line-based text services, which an HTTP request could harm.
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

/** Creates the check for allowed private hosts from the setting. A host may be in any notation that a URL accepts. */
export function openedHosts(allowPrivate: boolean | { hosts: readonly string[] }): IsOpened {
  if (typeof allowPrivate === 'boolean') return () => allowPrivate;
  const hosts = new Set(allowPrivate.hosts.map(canonicalHost));
  return (hostname) => hosts.has(hostname);
}

/** Parses a URL and refuses those that may not be called, as far as that can be decided without resolving the name. */
export function readTarget(url: string, isOpened: IsOpened): URL {
  if (!URL.canParse(url)) throw new EgressRefused('bad_url', 'The address is not a valid URL.');
  const parsed = new URL(url);
  const target = { protocol: parsed.protocol, hostname: withoutBrackets(parsed.hostname), port: parsed.port };
  if (parsed.username !== '' || parsed.password !== '') {
    throw new EgressRefused('userinfo', `The URL for ${target.hostname} must not contain a user name or password.`);
  }
  checkTarget(target, isOpened);
  return parsed;
}

/** Refuses schemes, ports, local names and address literals. Names are checked again after they are resolved. */
export function checkTarget({ protocol, hostname, port }: Target, isOpened: IsOpened): void {
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new EgressRefused('scheme', 'Only http and https URLs are allowed.');
  }
  if (refusedPorts.has(Number(port))) {
    throw new EgressRefused('port', `Port ${port} of ${hostname} is reserved for a service other than HTTP.`);
  }
  if (isIP(hostname) !== 0) {
    checkAddress(hostname, hostname, isOpened);
    return;
  }
  if (hostname === '' || hostname.endsWith('.')) {
    throw new EgressRefused('host', 'The host name must not be empty or end in a dot.');
  }
  if (isLocalName(hostname) && !isOpened(hostname)) {
    throw new EgressRefused('host', `${hostname} is a local host name.`);
  }
}

/** Refuses an address that `hostname` resolves to. The message leaves out the address, which may be internal. */
export function checkAddress(address: string, hostname: string, isOpened: IsOpened): void {
  const kind = classifyAddress(address);
  if (kind === 'public' || (kind === 'private' && isOpened(hostname))) return;
  throw new EgressRefused('address', `${hostname} does not resolve to a public address.`);
}

function isLocalName(hostname: string): boolean {
  return localNames.some((name) => hostname === name || hostname.endsWith(`.${name}`));
}

function canonicalHost(host: string): string {
  const url = isIP(host) === 6 ? `http://[${host}]` : `http://${host}`;
  if ((isIP(host) === 6 || !/[/\\:@?#]/.test(host)) && URL.canParse(url)) return withoutBrackets(new URL(url).hostname);
  throw new TypeError(`"${host}" is not a host name or an IP address. Write the host alone, without scheme or port.`);
}

/** Returns the host as passed to a socket. */
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

/**
 * `public`: may always be called. `private`: the operator's machine or network, blocked unless the configuration allows
 * it. `special`: cloud metadata, tunnels and everything that is not an ordinary unicast address, always blocked.
 */
type AddressKind = 'public' | 'private' | 'special';

// A list with rules of both families applies its IPv6 rules to IPv4 addresses too, so each list holds one family.
const privateV4 = blockList('ipv4', ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10']);
const privateV6 = blockList('ipv6', ['::1/128', 'fc00::/7']);
const globalUnicastV6 = blockList('ipv6', ['2000::/3']);

const specialV4 = blockList('ipv4', [
  '100.100.100.200/32', // Alibaba Cloud metadata, inside the carrier-grade NAT range
  '168.63.129.16/32', // Azure host services, an otherwise public address
  '0.0.0.0/8', // this network
  '169.254.0.0/16', // link-local, home of most metadata services
  '192.0.0.0/24', // IETF protocol assignments and Oracle Cloud metadata
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, with the broadcast address
]);

// Outside 2000::/3 everything but loopback and unique-local is special: that covers the unspecified address, IPv4-mapped
// and -compatible forms, NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard-only, link-local, site-local and multicast.
const specialV6 = blockList('ipv6', [
  'fd00:ec2::/32', // Amazon metadata, inside the unique-local range
  'fd20:ce::/32', // Google metadata, inside the unique-local range
  '2001::/23', // IETF protocol assignments: Teredo, ORCHID, benchmarking
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which carries an IPv4 address inside
  '3fff::/20', // documentation
]);

/** Classifies a textual IP address. Anything else counts as special. */
export function classifyAddress(address: string): AddressKind {
  switch (isIP(address)) {
    case 4:
      if (specialV4.check(address, 'ipv4')) return 'special';
      return privateV4.check(address, 'ipv4') ? 'private' : 'public';
    case 6:
      // A zone id names an interface of this machine; no public address has one.
      if (address.includes('%') || specialV6.check(address, 'ipv6')) return 'special';
      if (privateV6.check(address, 'ipv6')) return 'private';
      return globalUnicastV6.check(address, 'ipv6') ? 'public' : 'special';
    default:
      return 'special';
  }
}

function blockList(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
