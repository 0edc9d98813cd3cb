import type { SealedColumn } from '../../developers/signing-keys/index.ts';
import { contentPlace } from './slug.ts';

/** The sealed column of this feature, for a change of the master key. */
export const slugsSealed: readonly SealedColumn[] = [
  { table: 'slugs', column: 'content', idColumns: ['slug_hash'], placeOf: (slugHash = '') => contentPlace(slugHash) },
];
