import type { WalletProof } from '@latchkey/core/ports';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { base58xrp } from '@scure/base';
import { deriveAddress, deriveKeypair, generateSeed, sign } from 'ripple-keypairs';
import type { SeededRandom } from '../../vectors/mutate.ts';

export type XrplAlgorithm = 'ed25519' | 'ecdsa-secp256k1';

/** Proofs whose fields are always strings, so that mutations need no checks. */
export interface XrplProof extends WalletProof {
  signature: string;
}

export interface Signer {
  address: string;
  publicKey: string;
  sign(bytes: Uint8Array): string;
}

/** A key pair of the ledger's own library, which signs the proofs of these tests. */
export function createSigner(random: SeededRandom, algorithm: XrplAlgorithm): Signer {
  const { publicKey, privateKey } = deriveKeypair(generateSeed({ entropy: random.bytes(16), algorithm }));
  const address = deriveAddress(publicKey);
  return { address, publicKey, sign: (bytes) => sign(bytesToHex(bytes), privateKey) };
}

export function signText({ address, publicKey, sign: signBytes }: Signer, message: string): XrplProof {
  return { chain: '0', address, publicKey, message, signature: signBytes(utf8ToBytes(message)) };
}

function blob(header: string, bytes: Uint8Array): string {
  const length = bytes.length;
  const prefix = length <= 192 ? [length] : [193 + ((length - 193) >> 8), (length - 193) & 255];
  return header + bytesToHex(concatBytes(Uint8Array.of(...prefix), bytes));
}

/** Returns a sign-in as Xaman signs it, with the text in a memo. `extra` goes in front, like a transaction type would. */
export function signIn(signer: Signer, message: string, extra = ''): XrplProof {
  const accountId = base58xrp.decode(signer.address).subarray(1, 21);
  const head = `${extra}2280000000240000000268400000000000000C${blob('73', hexToBytes(signer.publicKey))}`;
  const memo = message === '' ? '' : `f9ea${blob('7d', utf8ToBytes(message))}e1f1`;
  const tail = `${blob('81', accountId)}${memo}`;
  const signature = signer.sign(concatBytes(utf8ToBytes('STX\0'), hexToBytes(head + tail)));
  const signed = `${head}${blob('74', hexToBytes(signature))}${tail}`.toUpperCase();
  return { chain: '0', address: signer.address, message, signature: signed };
}
