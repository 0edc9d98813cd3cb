import type { Near } from '../../ports/index.ts';
import { findMints, type NearMint } from '../near-indexer/index.ts';
import type { NearContext } from './near-setup.ts';
import { findDone } from './queries.ts';

/** What a mint is called among the transactions of this server. */
export const mintPurpose = (address: string, tokenId: string) => `mint/${address}/${tokenId}`;

/** Whether the index is about the network that tokens are read from. */
export function isIndexed({ settings }: Pick<NearContext, 'settings'>, { network }: Pick<Near, 'network'>): boolean {
  return settings.nearIndex === network;
}

/**
 * When and by which transaction tokens were minted: what the index saw, of any contract, and what this server minted
 * itself. Tokens of which neither knows are left out.
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
