export { keptSecretsFeature } from './feature.ts';
export { type KeptSecret, keptSecrets, replaceSecret, type SecretContext } from './kept-secret.ts';
