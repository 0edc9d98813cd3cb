import { isIPv4 } from 'node:net';

/** Whether a host name or address, with or without IPv6 brackets, is always the local machine. */
export function isLoopbackName(name: string): boolean {
  const plain = name.toLowerCase().replace(/^\[|\]$/g, '');
  return plain === 'localhost' || plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}
