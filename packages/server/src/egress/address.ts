import { BlockList, isIP } from 'node:net';

/**
 * `public`: anybody may be called there. `private`: the operator's own machine or network, closed unless opened by
 * configuration. `special`: cloud metadata, tunnels and everything that is no ordinary unicast address, always closed.
 */
export type AddressKind = 'public' | 'private' | 'special';

// A list with rules of both families judges IPv4 addresses by its IPv6 rules too, so each list holds one family.
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

/** Says what an IP address in its textual form is. Whatever is no such address counts as special. */
export function classifyAddress(address: string): AddressKind {
  switch (isIP(address)) {
    case 4:
      if (specialV4.check(address, 'ipv4')) return 'special';
      return privateV4.check(address, 'ipv4') ? 'private' : 'public';
    case 6:
      // A zone names an interface of this machine; no public address has one.
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
