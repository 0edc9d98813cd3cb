export * from './smtp/index.ts';
