const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Bytes in the base 58 of Bitcoin: no 0, O, I and l; each leading zero byte becomes a 1. */
export function base58(bytes: Uint8Array): string {
  let zeros = 0;
  while (bytes[zeros] === 0) zeros++;
  let rest = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let digits = '';
  for (; rest > 0n; rest /= 58n) digits = `${alphabet[Number(rest % 58n)]}${digits}`;
  return '1'.repeat(zeros) + digits;
}
