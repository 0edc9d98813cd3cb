import { notFound, platformNames, principalId } from '@latchkey/kernel';
import { communityKey, selectCommunity } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { touch } from '../../gating/touches/index.ts';
import { isHeldByRival, setWalletCommunity, spellingsOf, toWalletConnection } from '../wallets/index.ts';
import { askToSign } from './ask-to-sign.ts';
import type { ConnectedWallet, WalletConnectionRequest } from './connection.ts';
import { readClaim, refusedField } from './read-claim.ts';
import { addressOfSk } from './wallet-sk.ts';

/**
 * Notes which community a linked wallet is for, and has the roles of its user there looked at. For an account id that is
 * not linked yet, or that another member has linked too, it asks for a signature of a message that names the community.
 */
export async function attachWallet(
  user: Context,
  { walletSk, communityId, platform, walletType, walletSubType }: WalletConnectionRequest & { walletSk: string },
): Promise<ConnectedWallet> {
  if (!communityId) throw refusedField('/communityId', 'must name the community to connect the wallet for');
  const known = platformNames.find((name) => name === platform);
  const isQualified = known === undefined || communityId.includes('#');
  const id = isQualified ? communityId : communityKey(known, communityId);
  // Under the user's own tenant: a community that the user is not in does not exist.
  const community = await user.tx((tx) => selectCommunity(tx, id));
  if (community === undefined) throw notFound('community');
  const address = addressOfSk(walletSk);
  const userId = principalId(user.actor);
  const attached = await user.db.transaction('system', async (tx) => {
    for (const spelling of new Set([address, ...spellingsOf(user, address)])) {
      const found = await setWalletCommunity(tx, { user_id: userId, address: spelling }, community.id);
      if (found === undefined) continue;
      await touch(tx, { communityId: community.id, members: [userId], cause: 'wallet' });
      const isExclusive = user.settings.allowSharedWallets !== true;
      return { connection: toWalletConnection(found), isTaken: isExclusive && (await isHeldByRival(tx, found)) };
    }
    return undefined;
  });
  if (attached?.isTaken === false) return attached.connection;
  const accountId = attached?.connection.accountId ?? walletSk;
  if (accountId.includes('#') || !accountId.includes(':')) throw notFound('wallet');
  const asTypedData = walletSubType?.toLowerCase() === 'eip712';
  return askToSign(user, readClaim(user, { accountId }), { walletType, communityId: community.id, asTypedData });
}
