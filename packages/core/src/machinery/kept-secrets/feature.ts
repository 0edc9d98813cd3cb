import { feature } from '../../feature.ts';
import { keptSecretsSealed } from './sealed-columns.ts';

export const keptSecretsFeature = feature('kept-secrets', { sealed: keptSecretsSealed, tables: ['kept_secrets'] });
