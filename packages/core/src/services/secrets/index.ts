import { defineModule } from '../../shared/module.ts';
import { keptSecretsSealed } from './sealed-columns.ts';

export { type KeptSecret, keptSecrets, replaceSecret, type SecretContext } from './sealed-columns.ts';

export const keptSecretsModule = defineModule('secrets', { sealed: keptSecretsSealed, tables: ['kept_secrets'] });
