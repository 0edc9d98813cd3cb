const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const values = new Map([...alphabet].map((letter, value) => [letter, value]));

// Five digits at a time: hashes are written by the hundred thousand, and the work grows with the square of the length.
const limb = 58 ** 5;

/** Bytes as base58 with the alphabet of Bitcoin, which NEAR writes its hashes and keys in. */
export function toBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  const limbs: number[] = [];
  for (let index = zeros; index < bytes.length; index += 1) {
    let carry = bytes[index] ?? 0;
    for (let at = 0; at < limbs.length; at += 1) {
      const value = (limbs[at] ?? 0) * 256 + carry;
      carry = Math.floor(value / limb);
      limbs[at] = value - carry * limb;
    }
    if (carry > 0) limbs.push(carry);
  }
  const digits = limbs.reverse().map(writeLimb).join('').replace(/^1+/, '');
  return '1'.repeat(zeros) + digits;
}

function writeLimb(value: number): string {
  let text = '';
  for (let rest = value, place = 0; place < 5; place += 1, rest = Math.floor(rest / 58))
    text = alphabet[rest % 58] + text;
  return text;
}

/** The bytes of a base58 text; undefined when it is none. */
export function fromBase58(text: string): Uint8Array | undefined {
  let zeros = 0;
  while (zeros < text.length && text[zeros] === '1') zeros += 1;
  const bytes: number[] = [];
  for (const letter of text.slice(zeros)) {
    let carry = values.get(letter);
    if (carry === undefined) return undefined;
    for (let at = 0; at < bytes.length; at += 1) {
      carry += (bytes[at] ?? 0) * 58;
      bytes[at] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
  }
  return Uint8Array.from([...Array<number>(zeros).fill(0), ...bytes.reverse()]);
}
