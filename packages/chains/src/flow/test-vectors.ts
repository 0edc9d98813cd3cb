import type { WalletNamespace, WalletProof } from '@latchkey/core/ports';
import { readVectors, type Vector } from '../../vectors/read-vectors.ts';
import { normalizeAddress } from './address.ts';
import { createFlowWallets } from './index.ts';
import { createAccountKeyReader } from './read-account-keys.ts';

/** A key in the vectors, with the names that the client libraries use. */
export interface VectorKey {
  index: number;
  publicKey: string;
  signAlgo: string;
  hashAlgo: string;
  weight: number;
  revoked: boolean;
}

export const flowVectors: readonly Vector[] = readVectors('flow');

export function keysOfVector(vector: Vector): VectorKey[] {
  return vector.accountKeys as VectorKey[]; // All vectors of this chain have the field.
}

/** Returns an access node's response about an account: numbers are strings, and algorithm names have no punctuation. */
export function accountAnswer(address: string, keys: readonly VectorKey[]) {
  return {
    address: address.replace(/^0x/, ''),
    balance: '100000',
    keys: keys.map((key) => ({
      index: `${key.index}`,
      public_key: `0x${key.publicKey}`,
      signing_algorithm: key.signAlgo.replace('ECDSA_P256', 'ECDSAP256').replace('ECDSA_secp', 'ECDSASecp'),
      hashing_algorithm: key.hashAlgo,
      sequence_number: '0',
      weight: `${key.weight}`,
      revoked: key.revoked,
    })),
    _links: { _self: `/v1/accounts/${address}` },
  };
}

/** Creates wallets of a chain on which one account exists. */
export function walletsOf(address: string, keys: readonly VectorKey[]): WalletNamespace {
  const account = normalizeAddress(address, 'emulator')?.slice(2);
  const findAccountKeys = createAccountKeyReader({
    urls: { emulator: 'http://emulator.test' },
    fetch: async (url) =>
      url === `http://emulator.test/v1/accounts/${account}?expand=keys`
        ? Response.json(accountAnswer(address, keys))
        : Response.json({ code: 404, message: 'not found' }, { status: 404 }),
  });
  return createFlowWallets({ findAccountKeys });
}

/** The messages of the vectors are hexadecimal: of text for user signatures, of RLP for account proofs. */
export function proofOfVector({ address, message, signature, scheme }: Vector): WalletProof {
  const text = scheme === 'account-proof' ? message : Buffer.from(message, 'hex').toString('utf8');
  return { chain: 'emulator', address, message: text, signature, details: { scheme } };
}
