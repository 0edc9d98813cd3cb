import { feature } from '../../feature.ts';
import { nftMetadataErasure } from './forget.ts';
import { nftMetadata } from './operations.ts';

export const nftMetadataFeature = feature('nft-metadata', {
  resources: [nftMetadata],
  erasures: [nftMetadataErasure],
  tables: ['nft_contract_metadata', 'nft_token_metadata'],
});
