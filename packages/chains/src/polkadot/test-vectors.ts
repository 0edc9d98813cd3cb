import type { WalletNamespace, WalletProof } from '@latchkey/core/ports';
import { readVectors, type Vector } from '../../vectors/read-vectors.ts';
import { createPolkadotWallets } from './index.ts';
import { decodeSs58 } from './ss58.ts';

export const polkadotVectors: readonly Vector[] = readVectors('polkadot');

/** Most vectors sign the bare text. For vectors that require wrapping, the wallets accept only wrapped text. */
export function walletsOfVector({ context }: Vector): WalletNamespace {
  return createPolkadotWallets({ allowUnwrapped: context?.allowRaw !== false });
}

export function proofOfVector({ address, message, signature, cryptoType, context }: Vector): WalletProof {
  const chain = context?.ss58Prefix === 0 ? 'polkadot' : chainOf(address);
  return { chain, address, message, signature, details: { cryptoType } };
}

function chainOf(address: string): string {
  if (address.startsWith('0x')) return 'moonbeam';
  return decodeSs58(address)?.prefix === 5 ? 'astar' : 'kusama';
}
