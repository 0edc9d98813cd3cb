import { anyone, app, op, resource, T } from '@latchkey/kernel';
import { createContractMetadata, createTokenMetadata } from './describe.ts';
import { ContractMetadata, ContractMetadataCreate, TokenMetadata, TokenMetadataCreate } from './nft-metadata.ts';
import { getContractMetadata, getTokenMetadata } from './reads.ts';

const chainId = T.String({
  description: 'The number of the EVM chain, for example 137.',
  pattern: '^[1-9][0-9]{0,14}$',
  maxLength: 15,
});
const address = T.String({
  description: 'The address of the contract.',
  pattern: '^0x[0-9a-fA-F]{40}$',
  maxLength: 42,
});
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
        'Keeps what the contract says of itself to marketplaces: a contractURI that leads to the GET of the same path shows it. Whoever describes a contract first goes on to describe it and its tokens; sending it again replaces what was there.',
      facts: {
        senderDecides: 'name description image external_link seller_fee_basis_points fee_recipient',
        idsOfNobody: {
          chainId: 'A chain.',
          address: 'Whoever describes a contract first goes on to; to others it is taken.',
          pk: 'Not read: the path names the contract.',
          sk: 'Not read: the path names the contract.',
        },
      },
      access: app(),
      params: { chainId, address },
      body: ContractMetadataCreate,
      returns: ContractMetadata,
      errors: ['STATE_CONFLICT'],
      repeatable: true,
    },
    createContractMetadata,
  ),
  op(
    'GET /nft-contracts/{chainId}/{address}',
    {
      id: 'getContractMetadata',
      sdk: 'NFTMetadataController.getContractMetadata',
      summary: 'Read what an NFT contract says of itself',
      description:
        'Answers in the form that marketplaces read from a contractURI: name, description, image, external_link, seller_fee_basis_points and fee_recipient.',
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
        'Keeps what a token says of itself. The contract must have been described before, by the same caller. Sending it again replaces what was there.',
      facts: {
        senderDecides: 'name description image transactionHash decimals properties',
        idsOfNobody: {
          chainId: 'A chain.',
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
      errors: ['ENTITY_NOT_FOUND'],
      repeatable: true,
    },
    createTokenMetadata,
  ),
  op(
    'GET /nft-tokens/{chainId}/{address}/{id}',
    {
      id: 'getTokenMetadata',
      sdk: 'NFTMetadataController.getTokenMetadata',
      summary: 'Read what a token says of itself',
      description:
        'Answers in the form that wallets and marketplaces read from a tokenURI of ERC-721 or a uri of ERC-1155: name, description, image, decimals and properties.',
      access: anyone,
      params: { chainId, address, id },
      returns: TokenMetadata,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getTokenMetadata,
  ),
]);
