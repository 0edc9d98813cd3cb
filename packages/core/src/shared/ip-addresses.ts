import { BlockList, isIP } from 'node:net';

/** Whether a text is an IP address, or a network such as 192.0.2.0/24 or 2001:db8::/32. */
export function isAddressOrNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  // A zone such as %eth0 is meaningful on one machine only.
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32));
}

/** Whether an address is listed, or in one of the listed networks. */
export function isAddressListed(address: string, allowed: readonly string[]): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  if (isIP(plain) === 0) return false;
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  const blocks = new BlockList();
  for (const entry of allowed) {
    const [base = '', prefix] = entry.split('/');
    const type = isIP(base) === 6 ? 'ipv6' : 'ipv4';
    // A single list would apply the rules of both families to an address, so only those of its own family are added.
    if (isIP(base) === 0 || type !== family) continue;
    blocks.addSubnet(base, prefix === undefined ? (type === 'ipv6' ? 128 : 32) : Number(prefix), type);
  }
  return blocks.check(plain, family);
}
