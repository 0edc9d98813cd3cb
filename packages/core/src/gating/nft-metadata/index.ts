import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { describerOperations } from './describer-operations.ts';
import { nftMetadata } from './operations.ts';
import { nftMetadataErasure } from './queries.ts';

export const nftMetadataModule = defineModule('nft-metadata', {
  resources: [nftMetadata, ownOperations(describerOperations)],
  erasures: [nftMetadataErasure],
  tables: ['nft_contract_metadata', 'nft_token_metadata', 'nft_describers'],
});
