import { notFound, principalId } from '@latchkey/kernel';
import { endSessionsBy } from '../../identity/credentials/index.ts';
import {
  deleteLinkChallenges,
  deleteSignedLink,
  deleteWalletRows,
  isConnectedTo,
  lockWallet,
  selectCoHolders,
  selectLinks,
  serviceNamespaces,
  unnamedChainsOf,
  type WalletRow,
  type WalletsChanged,
  walletsOfUsers,
} from '../../identity/wallets/index.ts';
import { auditOf, recordAudit } from '../../services/audit/index.ts';
import type { Context } from '../../shared/context.ts';
import { disconnectFromCommunity } from './communities-of-link.ts';
import { reportLink } from './report.ts';

/**
 * Disconnects one of the caller's wallets from one community. Elsewhere it stays connected. In a community that the
 * caller is no longer in, only an explicit connection can be ended.
 */
export async function disconnectWalletFrom(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'origin' | 'random' | 'wallets'>,
  { address, communityId, isKnown }: { address: string; communityId: string; isKnown: boolean },
  changed: WalletsChanged,
): Promise<void> {
  const spellings = [...new Set([address, ...spellingsOf(ctx, address)])];
  await ctx.db.transaction('system', async (tx) => {
    let disconnected = 0;
    for (const link of await selectLinks(tx, principalId(ctx.actor), spellings)) {
      if (!isKnown && !(await isConnectedTo(tx, link.id, communityId))) continue;
      await lockWallet(tx, link.namespace, link.address);
      if (await disconnectFromCommunity(ctx, tx, { link, communityId }, changed)) disconnected += 1;
    }
    if (disconnected === 0) throw notFound('wallet connection');
  });
}

/** Unlinks one wallet from the caller's account, and so from every community. Accepts any notation of the address. */
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
    await reportLink(ctx, tx, 'member.wallet-unlinked', userId);
    await changed(tx, userId, { gone: [...spellings] });
    await recordAudit(tx, auditOf(ctx, 'wallet.unlink'));
    for (const other of others) await changed(tx, other);
  });
}

/** Returns how an address may be stored: in the notation of each namespace that accepts it. */
export function spellingsOf({ wallets }: Pick<Context, 'wallets'>, address: string): string[] {
  return Object.entries(wallets).flatMap(([namespace, { normalizeAddress }]) =>
    unnamedChainsOf(namespace).flatMap((chain) => normalizeAddress(address, chain) ?? []),
  );
}

/** Unlinks every wallet from the caller's account. */
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
    await reportLink(ctx, tx, 'member.wallet-unlinked', userId);
    await changed(tx, userId, { gone: held.map(({ address }) => address) });
    for (const other of others) await changed(tx, other);
  });
}

/**
 * Ends a link whose signer no longer controls the address. Returns false if it is gone or has another signer by now.
 */
export function endLink(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'origin' | 'random'>,
  { id, user_id, namespace, address, signer_address }: WalletRow,
  changed: WalletsChanged,
): Promise<boolean> {
  return ctx.db.transaction('system', async (tx) => {
    await lockWallet(tx, namespace, address);
    const others = await selectCoHolders(tx, user_id, [address]);
    if (!(await deleteSignedLink(tx, id, signer_address))) return false;
    await reportLink(ctx, tx, 'member.wallet-unlinked', user_id);
    await changed(tx, user_id, { gone: [address] });
    await recordAudit(
      tx,
      auditOf(ctx, 'wallet.unlink', { subject: user_id, target: id, details: { signer: 'removed' } }),
    );
    for (const other of others) await changed(tx, other);
    return true;
  });
}
