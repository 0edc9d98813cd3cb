import { createHash } from 'node:crypto';
import { notSetUp } from '@latchkey/kernel';
import type { Safes } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';

/** The owner of a wallet. */
export interface Holder {
  kind: 'community' | 'organization';
  id: string;
}

/** The same holder always gets the same salt, so its address can be derived again from its owner's address. */
export function saltNonceOf({ kind, id }: Holder): bigint {
  const hash = createHash('sha256').update(`latchkey/${kind}-wallet:${id}`).digest('hex');
  return BigInt(`0x${hash}`);
}

/** Returns the id under which the signer stores a holder's key. No user has such an id. */
export function signerUserOf({ kind, id }: Holder): string {
  return `$treasury/${kind}/${id}`;
}

/** Returns the budget that fees are paid from. */
export function coinOf(chainId: number): string {
  return `evm:${chainId}/wallets`;
}

/** Returns the chain of a wallet, if this server can reach it. */
export function findSafes({ safes }: Pick<Context, 'safes'>, chainId: number): Safes | undefined {
  return safes?.chainId === chainId ? safes : undefined;
}

export function getSafes(ctx: Pick<Context, 'safes'>, chainId: number): Safes {
  const safes = findSafes(ctx, chainId);
  if (safes !== undefined) return safes;
  throw notSetUp(
    `This server cannot reach chain ${chainId}, where this wallet is deployed. The operator can set LATCHKEY_WALLET_CHAIN_ID and LATCHKEY_EVM_RPC_URLS.`,
  );
}
