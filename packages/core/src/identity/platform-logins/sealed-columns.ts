import type { SealedColumn } from '../../shared/module.ts';
import { contentPlace } from './login.ts';

/** The sealed column of this feature, for a change of the master key. */
export const platformLoginsSealed: readonly SealedColumn[] = [
  {
    table: 'platform_logins',
    column: 'content',
    idColumns: ['state_hash'],
    placeOf: (stateHash = '') => contentPlace(stateHash),
  },
];
