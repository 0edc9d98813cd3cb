import { notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { endSessionsBy } from '../../developers/credentials/index.ts';
import { auditOf, recordAudit } from '../../machinery/audit/index.ts';
import { deleteLinkChallenges } from './challenge-queries.ts';
import { selectCoHolders } from './holders.ts';
import { walletsOfUsers } from './linked-wallets.ts';
import { deleteWalletRows } from './queries.ts';
import { serviceNamespaces, unnamedChainsOf } from './wallet-chains.ts';
import type { WalletsChanged } from './wallets-changed.ts';

/** Takes one wallet from the caller's account and so from every community, in any spelling its chain allows. */
export async function unlinkWallet(ctx: Context, address: string, changed: WalletsChanged): Promise<void> {
  const userId = principalId(ctx.actor);
  const spellings = new Set([address, ...spellingsOf(ctx, address)]);
  await ctx.db.transaction('system', async (tx) => {
    const others = await selectCoHolders(tx, userId, [...spellings]);
    let removed = 0;
    for (const spelling of spellings) removed += await deleteWalletRows(tx, userId, spelling);
    if (removed === 0) throw notFound('wallet');
    await deleteLinkChallenges(tx, userId, [...spellings]);
    await endSessionsBy(ctx, tx, userId, 'wallet');
    await changed(tx, userId, { gone: [...spellings] });
    await recordAudit(tx, auditOf(ctx, 'wallet.unlink'));
    for (const other of others) await changed(tx, other);
  });
}

/** How an address may be stored: as each namespace that takes it for one of its own spells it. */
export function spellingsOf({ wallets }: Pick<Context, 'wallets'>, address: string): string[] {
  return Object.entries(wallets).flatMap(([namespace, { normalizeAddress }]) =>
    unnamedChainsOf(namespace).flatMap((chain) => normalizeAddress(address, chain) ?? []),
  );
}

/** Takes every wallet from the caller's account. */
export async function unlinkAllWallets(ctx: Context, changed: WalletsChanged): Promise<void> {
  const userId = principalId(ctx.actor);
  await ctx.db.transaction('system', async (tx) => {
    const others = await selectCoHolders(tx, userId);
    const linked = (await walletsOfUsers(tx, [userId])).get(userId) ?? [];
    const held = linked.filter(({ namespace }) => !serviceNamespaces.includes(namespace));
    if ((await deleteWalletRows(tx, userId, undefined)) === 0) return;
    await deleteLinkChallenges(tx, userId);
    await endSessionsBy(ctx, tx, userId, 'wallet');
    await recordAudit(tx, auditOf(ctx, 'wallet.unlink', { details: { all: true } }));
    await changed(tx, userId, { gone: held.map(({ address }) => address) });
    for (const other of others) await changed(tx, other);
  });
}
