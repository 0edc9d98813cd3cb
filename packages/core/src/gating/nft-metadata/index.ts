export { nftMetadataFeature } from './feature.ts';
