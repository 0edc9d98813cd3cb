import type { EvmDigests, EvmKeys } from '@latchkey/core/ports';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { addressOfPoint } from './checksum-address.ts';
import { personalSignHash } from './personal-sign.ts';
import { signRecoverably } from './recover-signer.ts';
import { evmWallets } from './safe-address.ts';

// Imported on demand with its libraries, which most processes never need.
async function isTransaction(hex: string): Promise<boolean> {
  const { parseTransaction } = await import('viem/utils');
  try {
    parseTransaction(hex as `0x${string}`);
    return true;
  } catch {
    return false;
  }
}

export const evmDigests: EvmDigests = {
  textDigest: (text) => personalSignHash(text),
  typedDataDigest: async (json) => {
    const { parseTypedData, wholeTypedDataHash } = await import('./typed-data.ts');
    return wholeTypedDataHash(parseTypedData(json));
  },
};

/** Keys of Ethereum accounts. They are bytes throughout, so that the caller can overwrite them after use. */
export const evmKeys: EvmKeys = {
  ...evmDigests,
  createKey(random) {
    const { privateKey } = evmWallets.createOwnerKey(random);
    const point = secp256k1.getPublicKey(privateKey, false);
    return { privateKey, address: addressOfPoint(point), publicKey: `0x${bytesToHex(point)}` };
  },
  tokenIdOf: (publicKey) => BigInt(`0x${bytesToHex(keccak_256(hexToBytes(publicKey.slice(2))))}`).toString(),
  isTransaction,
  sign: signRecoverably,
};
