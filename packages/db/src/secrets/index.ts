export * from './hash.ts';
export * from './keyring.ts';
