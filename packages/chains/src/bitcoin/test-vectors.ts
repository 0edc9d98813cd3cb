import type { WalletNamespace, WalletProof } from '@latchkey/core/ports';
import { readVectors, type Vector } from '../../vectors/read-vectors.ts';
import published from './bip322.vectors.json' with { type: 'json' };
import { createBitcoinWallets } from './index.ts';

/** Time locks in scripts. BIP-322 allows a validator without an interpreter to call them inconclusive. */
export const inconclusiveNames: readonly string[] = [
  'bip322 full generated 3.0 p2tr-time-lock',
  'bip322 full generated 5.0 p2wsh-time-lock',
];

export const bitcoinVectors: readonly Vector[] = readVectors('bitcoin');

export function walletsOfVector(vector: Vector): WalletNamespace {
  return createBitcoinWallets({ lenientHeader: vector.context?.lenientHeader === true });
}

export function proofOfVector({ address, message, signature, network }: Vector): WalletProof {
  return { chain: typeof network === 'string' ? network : 'mainnet', address, message, signature };
}

export const proofsOfFunds: readonly WalletProof[] = published.proofsOfFunds.map(({ address, message, signature }) => ({
  chain: 'mainnet',
  address,
  message,
  signature,
}));

/** Every proof that is valid under the strict rules. */
export const validProofs: readonly WalletProof[] = [
  ...bitcoinVectors
    .filter(({ name, valid, context }) => valid && !context?.lenientHeader && !inconclusiveNames.includes(name))
    .map(proofOfVector),
  ...proofsOfFunds,
];
