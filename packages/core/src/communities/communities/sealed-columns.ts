import type { SealedColumn } from '../../developers/signing-keys/index.ts';
import { ownerKeyPlace } from './wallet.ts';

/** The sealed columns of this feature, for a change of the master key. */
export const communitiesSealed: readonly SealedColumn[] = [
  {
    table: 'community_wallets',
    column: 'owner_key',
    idColumns: ['community_id'],
    placeOf: (communityId = '') => ownerKeyPlace(communityId),
  },
];
