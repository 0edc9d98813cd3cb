export * from './token-ids.ts';
