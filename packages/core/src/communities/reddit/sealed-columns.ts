import type { SealedColumn } from '../../developers/signing-keys/index.ts';
import { tokenPlace } from './config.ts';

/** The sealed column of this feature, for a change of the master key. */
export const redditSealed: readonly SealedColumn[] = [
  {
    table: 'reddit_tokens',
    column: 'refresh_token',
    idColumns: ['community_id'],
    placeOf: (communityId = '') => tokenPlace(communityId),
  },
];
