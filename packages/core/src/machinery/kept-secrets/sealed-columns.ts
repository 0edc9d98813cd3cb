import type { SealedColumn } from '../../developers/signing-keys/index.ts';
import { placeOf } from './kept-secret.ts';

/** The sealed column of this feature, for a change of the master key. */
export const keptSecretsSealed: readonly SealedColumn[] = [
  {
    table: 'kept_secrets',
    column: 'secret',
    idColumns: ['name', 'version'],
    placeOf: (name = '', version = '') => placeOf(name, version),
  },
];
