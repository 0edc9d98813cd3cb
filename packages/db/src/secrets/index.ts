export * from './hash.ts';
export { fingerprintsOf } from './hash.ts';
export * from './keyring.ts';
