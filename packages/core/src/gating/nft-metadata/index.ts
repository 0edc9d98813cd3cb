export { nftMetadataErasure } from './forget.ts';
export { nftMetadata } from './operations.ts';
