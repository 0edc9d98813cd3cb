import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE } from '@noble/curves/utils.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';

export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const token2022Program = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const metadataProgram = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';

const { p: prime, d: curveD } = ed25519.Point.CURVE();
const marker = utf8ToBytes('ProgramDerivedAddress');

// Decoded once, because base58 is slow.
const programBytes = new Map(
  [tokenProgram, token2022Program, metadataProgram, associatedTokenProgram].map((text) => [text, base58.decode(text)]),
);

/** Returns the associated token account, where a wallet holds a token by default. */
export function associatedTokenAddress(owner: string, mint: string, program: string): string {
  return programAddress([bytesOf(owner), bytesOf(program), bytesOf(mint)], associatedTokenProgram);
}

/** Returns the address of a mint's Metaplex metadata. */
export function metadataAddress(mint: string): string {
  return programAddress([utf8ToBytes('metadata'), bytesOf(metadataProgram), bytesOf(mint)], metadataProgram);
}

/** Returns the address of the Metaplex edition account, which says whether a mint is an original or a print. */
export function editionAddress(mint: string): string {
  const seeds = [utf8ToBytes('metadata'), bytesOf(metadataProgram), bytesOf(mint), utf8ToBytes('edition')];
  return programAddress(seeds, metadataProgram);
}

function bytesOf(text: string): Uint8Array {
  return programBytes.get(text) ?? base58.decode(text);
}

/** Returns the first address of these seeds, counting down from 255, that is not on the curve. */
function programAddress(seeds: readonly Uint8Array[], program: string): string {
  const [start, end] = [concatBytes(...seeds), concatBytes(bytesOf(program), marker)];
  for (let bump = 255; bump >= 0; bump -= 1) {
    const address = sha256(concatBytes(start, Uint8Array.of(bump), end));
    if (!isOnCurve(address)) return base58.encode(address);
  }
  throw new Error('These seeds have no address.');
}

// Bytes are a point if their y has an x, that is, if (y² - 1) / (d·y² + 1) is a square. The Jacobi symbol decides this ten times faster
// than taking the root, which matters for thousands of wallets.
function isOnCurve(bytes: Uint8Array): boolean {
  const y = bytesToNumberLE(bytes) & (2n ** 255n - 1n);
  const square = (y * y) % prime;
  return isSquare(((square - 1n + prime) * (curveD * square + 1n)) % prime);
}

function isSquare(value: bigint): boolean {
  let [top, bottom, isResidue] = [value, prime, true];
  if (top === 0n) return true;
  while (top !== 0n) {
    while ((top & 1n) === 0n) {
      top >>= 1n;
      const rest = bottom & 7n;
      if (rest === 3n || rest === 5n) isResidue = !isResidue;
    }
    if ((top & 3n) === 3n && (bottom & 3n) === 3n) isResidue = !isResidue;
    [top, bottom] = [bottom % top, top];
  }
  return isResidue;
}
