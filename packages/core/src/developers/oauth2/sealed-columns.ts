import type { SealedColumn } from '../signing-keys/index.ts';
import { contentPlace } from './artifact.ts';

/** The sealed column of this feature, for a change of the master key. */
export const oauth2Sealed: readonly SealedColumn[] = [
  {
    table: 'oauth_artifacts',
    column: 'content',
    idColumns: ['kind', 'id_hash'],
    placeOf: (kind = '', idHash = '') => contentPlace(kind, idHash),
  },
];
