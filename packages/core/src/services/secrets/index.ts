import { feature } from '../../shared/feature.ts';
import { keptSecretsSealed } from './sealed-columns.ts';

export { type KeptSecret, keptSecrets, replaceSecret, type SecretContext } from './sealed-columns.ts';

export const keptSecretsFeature = feature('secrets', { sealed: keptSecretsSealed, tables: ['kept_secrets'] });
