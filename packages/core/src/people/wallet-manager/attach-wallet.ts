import { notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { lookAtRoles } from '../../gating/role-plans/index.ts';
import {
  connectToCommunity,
  isHeldByRival,
  lockWallet,
  selectLinks,
  spellingsOf,
  toWalletConnection,
  type WalletConnection,
  walletAccountId,
} from '../wallets/index.ts';
import { askToSign } from './ask-to-sign.ts';
import type { ConnectedWallet, WalletConnectionRequest } from './connection.ts';
import { getNamedCommunity } from './named-community.ts';
import { readClaim, refusedField } from './read-claim.ts';
import { readWalletSk } from './wallet-sk.ts';

/**
 * Connects a linked wallet to a community and touches no other. For an account id that is not linked yet, or that counts for
 * another member there, it asks for a signature of a message that names the community.
 */
export async function attachWallet(
  user: Context,
  { walletSk, communityId, platform, walletType, walletSubType }: WalletConnectionRequest & { walletSk: string },
): Promise<ConnectedWallet> {
  if (!communityId) throw refusedField('/communityId', 'must name the community to connect the wallet to');
  const community = await getNamedCommunity(user, { communityId, platform });
  const linked = await connectLinked(user, readWalletSk(walletSk).address, community.id);
  if (linked?.connection !== undefined) return linked.connection;
  const accountId = linked?.accountId ?? walletSk;
  if (accountId.includes('#') || !accountId.includes(':')) throw notFound('wallet');
  const asTypedData = walletSubType?.toLowerCase() === 'eip712';
  return askToSign(user, readClaim(user, { accountId }), { walletType, communityId: community.id, asTypedData });
}

/** Connects the caller's linked wallet; without a connection when it counts for somebody else there. */
function connectLinked(
  user: Context,
  address: string,
  communityId: string,
): Promise<{ accountId: string; connection?: WalletConnection } | undefined> {
  return user.db.transaction('system', async (tx) => {
    const spellings = [...new Set([address, ...spellingsOf(user, address)])];
    const links = await selectLinks(tx, principalId(user.actor), spellings);
    const isExclusive = user.settings.allowSharedWallets !== true;
    for (const link of links) {
      await lockWallet(tx, link.namespace, link.address);
      if (isExclusive && (await isHeldByRival(tx, { ...link, community_id: communityId })))
        return { accountId: walletAccountId(link) };
    }
    let connected: { accountId: string; connection: WalletConnection } | undefined;
    for (const link of links) {
      const { connection } = await connectToCommunity(user, tx, { link, communityId }, lookAtRoles);
      connected ??= { accountId: walletAccountId(link), connection: toWalletConnection(connection) };
    }
    return connected;
  });
}
