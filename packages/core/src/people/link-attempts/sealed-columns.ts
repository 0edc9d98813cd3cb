import type { SealedColumn } from '../../developers/signing-keys/index.ts';
import { verifierPlace } from './attempt.ts';

/** The sealed column of this feature, for a change of the master key. */
export const linkAttemptsSealed: readonly SealedColumn[] = [
  {
    table: 'account_link_attempts',
    column: 'code_verifier',
    idColumns: ['state_hash'],
    placeOf: (stateHash = '') => verifierPlace(stateHash),
  },
];
