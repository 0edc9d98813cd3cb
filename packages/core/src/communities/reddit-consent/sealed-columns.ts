import type { SealedColumn } from '../../developers/signing-keys/index.ts';

/** The sealed column of this feature, for a change of the master key. */
export const redditConsentSealed: readonly SealedColumn[] = [
  { table: 'reddit_grants', column: 'refresh_token', idColumns: ['place', 'id'], placeOf: (place = '') => place },
];
