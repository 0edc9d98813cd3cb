import type { WalletNamespace, WalletProof } from '@latchkey/core/ports';
import type { Vector } from '../../vectors/read-vectors.ts';
import { createTonWallets } from './index.ts';

/** Returns the proof of a vector. The payload is the one that the server expects, if the vector has it. */
export function proofOfVector(vector: Vector): WalletProof {
  return {
    chain: String(vector.network),
    address: vector.address,
    message: String(vector.context?.expectPayload ?? vector.message),
    signature: vector.signature,
    publicKey: vector.publicKey,
    details: { timestamp: vector.timestamp, domain: vector.domain, stateInit: vector.stateInit },
  };
}

/** Creates wallets with the site and the time of a vector. */
export function walletsOfVector(vector: Vector): WalletNamespace {
  return createTonWallets({
    domain: String(vector.context?.expectDomain),
    clock: () => new Date(Number(vector.context?.now) * 1000),
  });
}
