export { EmbeddedPostgresError } from './error.ts';
export { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from './start.ts';
