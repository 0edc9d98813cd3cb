import type { SealedColumn } from '../signing-keys/index.ts';
import { secretPlace } from './endpoint.ts';

/** The sealed column of this feature, for a change of the master key. */
export const webhooksSealed: readonly SealedColumn[] = [
  {
    table: 'webhook_endpoints',
    column: 'secret',
    idColumns: ['client_id'],
    placeOf: (clientId = '') => secretPlace(clientId),
  },
];
