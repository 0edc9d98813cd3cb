import type { Near } from '../../ports/index.ts';
import { findMints, type NearMint } from '../near-indexer/index.ts';
import type { NearContext } from './near-setup.ts';
import { findDone } from './queries.ts';

/** Returns the purpose of a mint among this server's transactions. */
export const mintPurpose = (address: string, tokenId: string) => `mint/${address}/${tokenId}`;

/** Whether the index is of the network that tokens are read from. */
export function isIndexed({ settings }: Pick<NearContext, 'settings'>, { network }: Pick<Near, 'network'>): boolean {
  return settings.nearIndex === network;
}

/**
 * Finds when and by which transaction tokens were minted: from the index, for any contract, and from this server's own
 * mints. Tokens that are in neither are left out.
 */
export async function mintsOf(
  ctx: NearContext,
  near: Near,
  address: string,
  tokenIds: readonly string[],
): Promise<Map<string, NearMint>> {
  const { system } = ctx.db;
  const [own, seen] = await Promise.all([
    findDone(
      system,
      near.network,
      tokenIds.map((id) => mintPurpose(address, id)),
    ),
    isIndexed(ctx, near) ? findMints(system, address, tokenIds) : new Map<string, NearMint>(),
  ]);
  const byPurpose = new Map(own.map((row) => [row.purpose, row]));
  return new Map(
    tokenIds.flatMap((id): [string, NearMint][] => {
      const done = byPurpose.get(mintPurpose(address, id));
      const mint = seen.get(id) ?? (done?.settled_at && { transactionHash: done.hash, at: done.settled_at });
      return mint ? [[id, mint]] : [];
    }),
  );
}
