import { anyone, app, op, resource, T } from '@latchkey/kernel';
import { createContractMetadata, createTokenMetadata } from './describe.ts';
import { ContractMetadata, ContractMetadataCreate, TokenMetadata, TokenMetadataCreate } from './nft-metadata.ts';
import { address, chainId } from './params.ts';
import { getContractMetadata, getTokenMetadata } from './reads.ts';
import { requireController } from './require-controller.ts';

const id = T.String({
  description: 'The number of the token, as decimal digits or as the 64 hexadecimal ones of ERC-1155.',
  pattern: '^(0x)?[0-9a-fA-F]{1,78}$',
  maxLength: 80,
});

export const nftMetadata = resource('nft-metadata', 'What NFT contracts and tokens say of themselves.', [
  op(
    'POST /nft-contracts/{chainId}/{address}',
    {
      id: 'createContractMetadata',
      sdk: 'NFTMetadataController.createContractMetadata',
      summary: 'Describe an NFT contract',
      description:
        'Keeps what the contract says of itself to marketplaces (ERC-7572): a contractURI that leads to the GET of the same path shows it. You need a linked wallet that owns the contract: the account that its owner() names, a holder of its default admin role, or its deployer if it names no owner. An API key counts as the owner of its application. The operator can name others. Sending it again replaces what was there. Fails with ROLE_NOT_ALLOWED for everybody else, and with UNAVAILABLE while the chain cannot be read.',
      facts: {
        senderDecides:
          'name description image symbol banner_image featured_image collaborators external_link seller_fee_basis_points fee_recipient',
        idsOfNobody: {
          chainId: 'A chain.',
          address: 'Public on its chain, which says who owns it.',
          pk: 'Not read: the path names the contract.',
          sk: 'Not read: the path names the contract.',
        },
      },
      access: app(),
      params: { chainId, address },
      body: ContractMetadataCreate,
      returns: ContractMetadata,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
      before: requireController,
      repeatable: true,
    },
    createContractMetadata,
  ),
  op(
    'GET /nft-contracts/{chainId}/{address}',
    {
      id: 'getContractMetadata',
      sdk: 'NFTMetadataController.getContractMetadata',
      summary: 'Get an NFT contract’s metadata',
      description:
        'Returns metadata in the form that marketplaces read from a contractURI: name, description, image, symbol, banner_image, featured_image, collaborators, external_link, seller_fee_basis_points and fee_recipient.',
      access: anyone,
      params: { chainId, address },
      returns: ContractMetadata,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getContractMetadata,
  ),
  op(
    'POST /nft-tokens/{chainId}/{address}/{id}',
    {
      id: 'createTokenMetadata',
      sdk: 'NFTMetadataController.createTokenMetadata',
      summary: 'Describe a token',
      description:
        'Keeps what a token says of itself, in the fields of ERC-721, ERC-1155 and marketplaces. The contract must have been described before. The same callers as for the contract may send it. Sending it again replaces what was there.',
      facts: {
        senderDecides:
          'name description image transactionHash decimals properties attributes animation_url external_url image_data background_color youtube_url localization trait_type value display_type max_value order',
        idsOfNobody: {
          chainId: 'A chain.',
          address: 'Public on its chain, which says who owns it.',
          id: 'A token of the contract that admits the caller.',
          pk: 'Not read: the path names the token.',
          sk: 'Not read: the path names the token.',
          tokenId: 'Not read: the path names the token.',
        },
      },
      access: app(),
      params: { chainId, address, id },
      body: TokenMetadataCreate,
      returns: TokenMetadata,
      errors: ['ENTITY_NOT_FOUND', 'UNAVAILABLE'],
      before: requireController,
      repeatable: true,
    },
    createTokenMetadata,
  ),
  op(
    'GET /nft-tokens/{chainId}/{address}/{id}',
    {
      id: 'getTokenMetadata',
      sdk: 'NFTMetadataController.getTokenMetadata',
      summary: 'Get a token’s metadata',
      description:
        'Returns metadata in the form that wallets and marketplaces read from a tokenURI of ERC-721 or a uri of ERC-1155: name, description, image, attributes, animation_url, external_url, image_data, background_color, youtube_url, decimals, properties and localization.',
      access: anyone,
      params: { chainId, address, id },
      returns: TokenMetadata,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getTokenMetadata,
  ),
]);
