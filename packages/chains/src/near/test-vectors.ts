import type { WalletNamespace, WalletProof } from '@latchkey/core/ports';
import type { Vector } from '../../vectors/read-vectors.ts';
import type { AccessKeyState } from './access-keys.ts';
import { createNearWallets } from './index.ts';

/** Returns the proof of a vector, on the network of its account and notes. */
export function proofOfVector(vector: Vector): WalletProof {
  return {
    chain: vector.address.endsWith('.testnet') || vector.address.startsWith('dev-') ? 'testnet' : 'mainnet',
    address: vector.address,
    message: vector.message,
    publicKey: vector.publicKey,
    signature: vector.signature,
    details: { format: vector.scheme, ...vector.context },
  };
}

function readAccessKeys(vector: Vector): { public_key: string; permission: unknown }[] | undefined {
  return Array.isArray(vector.accessKeys) ? vector.accessKeys : undefined;
}

/** Creates wallets whose network has the access keys of a vector. A vector without keys is of an account that does not exist. */
export function walletsOfVector(vector: Vector): WalletNamespace {
  return createNearWallets({
    recipient: String(vector.context?.recipient),
    allowsCallbackUrl: () => true,
    async findAccessKey(_accountId, publicKey): Promise<AccessKeyState> {
      const keys = readAccessKeys(vector);
      if (keys === undefined) return 'no-such-account';
      const key = keys.find((candidate) => candidate.public_key === publicKey);
      if (key === undefined) return 'no-such-key';
      return key.permission === 'FullAccess' ? 'full-access' : 'limited';
    },
  });
}
