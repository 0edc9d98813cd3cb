import type { SealedColumn } from '../signing-keys/index.ts';
import { otpPlace } from './otp.ts';
import { ownerKeyPlace } from './wallet.ts';

/** The sealed columns of this feature, for a change of the master key. */
export const devOrgsSealed: readonly SealedColumn[] = [
  { table: 'organization_otps', column: 'code', idColumns: ['id'], placeOf: (id = '') => otpPlace(id) },
  {
    table: 'organization_wallets',
    column: 'owner_key',
    idColumns: ['organization_id'],
    placeOf: (organizationId = '') => ownerKeyPlace(organizationId),
  },
];
