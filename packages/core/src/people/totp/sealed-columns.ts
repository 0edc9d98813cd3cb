import type { SealedColumn } from '../../developers/signing-keys/index.ts';
import { secretPlace } from './enrolment.ts';

/** The sealed column of this feature, for a change of the master key. */
export const totpSealed: readonly SealedColumn[] = [
  {
    table: 'totp_enrolments',
    column: 'secret',
    idColumns: ['user_id', 'request_id'],
    placeOf: (userId = '', requestId = '') => secretPlace(userId, requestId),
  },
];
