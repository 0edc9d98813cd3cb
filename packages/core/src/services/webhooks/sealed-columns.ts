import type { SealedColumn } from '../../shared/module.ts';
import { oldSecretPlace, secretPlace } from './secret-place.ts';

/** The sealed columns of this feature, for a change of the master key. */
export const webhooksSealed: readonly SealedColumn[] = [
  {
    table: 'webhook_endpoints',
    column: 'secret',
    idColumns: ['client_id'],
    placeOf: (clientId = '') => secretPlace(clientId),
  },
  {
    table: 'webhook_endpoints',
    column: 'old_secret',
    idColumns: ['client_id'],
    placeOf: (clientId = '') => oldSecretPlace(clientId),
  },
];
