import type { Erasure } from '../../shared/module.ts';
import { deleteLinkChallenges } from './challenge-queries.ts';
import { deleteLinksOf } from './service-accounts.ts';

/** Forgets the wallets of a person and every message that was written to link one. */
export const walletsErasure: Erasure = {
  columns: [
    'wallet_connections.user_id',
    'wallet_connections.user_name',
    'wallet_connections.address',
    'wallet_connections.signer_address',
    'wallet_connections.account_name',
    'wallet_connections.shown_address',
    'wallet_communities.user_id',
    'wallet_link_challenges.user_id',
    'wallet_link_challenges.address',
    'wallet_link_challenges.shown_address',
    'wallet_link_challenges.signer',
  ],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await deleteLinkChallenges(tx, userId);
    await deleteLinksOf(tx, userId);
  },
};
