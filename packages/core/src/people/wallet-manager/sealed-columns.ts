import type { SealedColumn } from '../../developers/signing-keys/index.ts';
import { pendingPlace } from './pending.ts';

/** The sealed column of this feature, for a change of the master key. */
export const walletManagerSealed: readonly SealedColumn[] = [
  {
    table: 'wallet_pending_steps',
    column: 'content',
    idColumns: ['key_hash'],
    placeOf: (keyHash = '') => pendingPlace(keyHash),
  },
];
