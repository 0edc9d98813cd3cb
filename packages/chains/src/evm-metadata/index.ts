export { createEvmTokenMetadata, type EvmTokenMetadataOptions } from './read-token-metadata.ts';
