import { createCipheriv, createDecipheriv, createHash, type KeyObject } from 'node:crypto';
import { writeBytes } from './tl.ts';

export const sha1 = (...parts: readonly Uint8Array[]) => createHash('sha1').update(Buffer.concat(parts)).digest();
export const sha256 = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

export const xor = (left: Buffer, right: Buffer) => Buffer.from(left.map((byte, at) => byte ^ (right[at] ?? 0)));

const blockBytes = 16;

/** AES-256 in IGE mode (infinite garble extension), which Node does not have: each block is mixed with both previous blocks. */
export function encryptIge(plain: Buffer, key: Buffer, iv: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  return chain(plain, iv.subarray(0, blockBytes), iv.subarray(blockBytes), (block) => cipher.update(block));
}

export function decryptIge(secret: Buffer, key: Buffer, iv: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  return chain(secret, iv.subarray(blockBytes), iv.subarray(0, blockBytes), (block) => decipher.update(block));
}

function chain(input: Buffer, lastOutput: Buffer, lastInput: Buffer, turn: (block: Buffer) => Buffer): Buffer {
  const blocks: Buffer[] = [];
  let [before, beforeInput] = [lastOutput, lastInput];
  for (let at = 0; at < input.length; at += blockBytes) {
    const block = input.subarray(at, at + blockBytes);
    before = xor(turn(xor(block, before)), beforeInput);
    beforeInput = block;
    blocks.push(before);
  }
  return Buffer.concat(blocks);
}

export function toNumber(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex') || '0'}`);
}

export function toBytes(value: bigint, length: number): Buffer {
  return Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex');
}

export function powerOf(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n, base % modulus];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** Returns the fingerprint by which clients identify a server key. */
export function fingerprintOf(publicKey: KeyObject): bigint {
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const [modulus, exponent] = [Buffer.from(n, 'base64url'), Buffer.from(e, 'base64url')];
  return sha1(writeBytes(modulus), writeBytes(exponent)).readBigInt64LE(12);
}
