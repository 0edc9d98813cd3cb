export { fingerprintsOf } from './fingerprints.ts';
export * from './hash.ts';
export * from './keyring.ts';
