import type { Tx } from '@latchkey/db';
import { selectCoHoldersIn } from '../../communities/memberships/index.ts';
import {
  type ConnectionRow,
  countEverywhere,
  deleteCommunity,
  deleteLink,
  deleteLinkChallenges,
  isConnectedTo,
  isCounted,
  putCommunity,
  selectCoHolders,
  type WalletRow,
  type WalletsChanged,
} from '../../identity/wallets/index.ts';
import { auditOf, recordAudit } from '../../services/audit/index.ts';
import type { Context } from '../../shared/context.ts';
import { reportLink } from './report.ts';

type ConnectContext = Pick<Context, 'actor' | 'clock' | 'origin' | 'random'>;

/** Connects a linked wallet to one community only. Returns whether it did not count there before. */
export async function connectToCommunity(
  ctx: ConnectContext,
  tx: Tx,
  { link, communityId }: { link: WalletRow; communityId: string },
  changed: WalletsChanged,
): Promise<{ connection: ConnectionRow; isNew: boolean }> {
  const isNew = !(await isCounted(tx, link.id, communityId));
  const { isSaidAnew, connection } = await putCommunity(tx, rowOf(ctx, link, { communityId, isConnected: true }));
  if (isSaidAnew) await recordAudit(tx, auditOf(ctx, 'wallet.link', { target: link.id, details: { communityId } }));
  if (isNew) {
    await reportLink(ctx, tx, 'member.wallet-linked', link.user_id, communityId);
    await changed(tx, link.user_id, { communityId });
    for (const other of await coHolders(tx, link, communityId)) await changed(tx, other, { communityId });
  }
  return { connection: { ...link, ...connection }, isNew };
}

/**
 * Disconnects a linked wallet from one community only. A wallet without any other connection is then unlinked, unless
 * it signs in to the account. Returns false if it did not count there.
 */
export async function disconnectFromCommunity(
  ctx: ConnectContext,
  tx: Tx,
  { link, communityId }: { link: WalletRow; communityId: string },
  changed: WalletsChanged,
): Promise<boolean> {
  const { id, user_id: userId, address } = link;
  if (!(await isCounted(tx, id, communityId))) return false;
  const others = await coHolders(tx, link, communityId);
  if (link.is_everywhere) await putCommunity(tx, rowOf(ctx, link, { communityId, isConnected: false }));
  else await deleteCommunity(tx, id, communityId);
  const isIdle = !link.is_everywhere && link.signs_in_since === null && !(await isConnectedTo(tx, id));
  if (isIdle) {
    await deleteLink(tx, id);
    await deleteLinkChallenges(tx, userId, [address]);
  }
  await reportLink(ctx, tx, 'member.wallet-unlinked', userId, communityId);
  await changed(tx, userId, { communityId, gone: [address] });
  await recordAudit(tx, auditOf(ctx, 'wallet.unlink', { subject: userId, target: id, details: { communityId } }));
  for (const other of others) await changed(tx, other, { communityId });
  return true;
}

/**
 * Makes a linked wallet count everywhere, including where it was disconnected. Returns whether that changed anything.
 */
export async function connectEverywhere(
  ctx: ConnectContext,
  tx: Tx,
  link: WalletRow,
  changed: WalletsChanged,
): Promise<boolean> {
  if (!(await countEverywhere(tx, link.id))) return false;
  await reportLink(ctx, tx, 'member.wallet-linked', link.user_id);
  await changed(tx, link.user_id);
  await recordAudit(tx, auditOf(ctx, 'wallet.link', { target: link.id }));
  for (const other of await selectCoHolders(tx, link.user_id, [link.address])) await changed(tx, other);
  return true;
}

/** A wallet counts for one member of a community, so a change affects other members who linked it. */
function coHolders(tx: Tx, { user_id, address }: WalletRow, communityId: string): Promise<string[]> {
  return selectCoHoldersIn(tx, communityId, user_id, [address]);
}

function rowOf(
  { clock, random }: ConnectContext,
  link: WalletRow,
  { communityId, isConnected }: { communityId: string; isConnected: boolean },
) {
  return {
    id: random.id(),
    link_id: link.id,
    community_id: communityId,
    user_id: link.user_id,
    is_connected: isConnected,
    created_at: clock(),
  };
}
