import { feature } from '../../feature.ts';
import { signingKeysSealed } from './sealed-column.ts';

export const signingKeysFeature = feature('signing-keys', {
  sealed: signingKeysSealed,
  tables: ['signing_keys', 'master_key_check'],
});
