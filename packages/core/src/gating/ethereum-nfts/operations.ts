import { alsoLimited, app, listOf, op, resource, T } from '@latchkey/kernel';
import { getNftAttributesSummary, maxTokensRead } from './read-attributes.ts';
import { NftTraits } from './summarize-traits.ts';

export const ethereumNfts = resource('ethereum-nfts', 'Traits of NFT collections on EVM chains.', [
  op(
    'GET /ethereum-nfts/{address}/attributes',
    {
      id: 'getNftAttributesSummary',
      sdk: 'EthereumNftMetadataController.getNftAttributesSummary',
      summary: 'Summarize a collection’s traits',
      description: `Returns the traits that the tokens of a collection have and the values they take, from the metadata of its first ${maxTokensRead} tokens. Metadata is read at most once a day. A contract without such tokens has no traits.`,
      access: alsoLimited(app(), { harmless: 'Collection metadata is public.' }),
      params: {
        address: T.String({
          description: 'The contract of the collection.',
          maxLength: 42,
          pattern: '^0x[0-9a-fA-F]{40}$',
        }),
        network: T.Optional(
          T.String({
            description: 'The chain id, or a name of the chain. Defaults to mainnet.',
            minLength: 1,
            maxLength: 50,
          }),
        ),
      },
      returns: listOf(NftTraits, 'The traits, in alphabetical order.'),
      errors: ['ENTITY_NOT_FOUND', 'UNAVAILABLE'],
    },
    getNftAttributesSummary,
  ),
]);
