import { anyone, op, record, resource, T, text, type ValueOf } from '@latchkey/kernel';
import known from './contracts.json' with { type: 'json' };

const FlowNFTContractMetadata = record('FlowNFTContractMetadata', 'A collection of NFTs on Flow.', {
  address: text('The account that holds the contract.'),
  name: text('The name of the contract.'),
  label: text('The name of the collection.'),
  collection: text('The public type that lists an account’s NFTs.'),
  path: text('The public path where accounts keep it.'),
  id: text('How rules name the collection, in contractAddress.'),
  supportsMetadata: T.Boolean({ description: 'Whether its NFTs have metadata.' }),
});

const FlowFTContractMetadata = record('FlowFTContractMetadata', 'A fungible token on Flow.', {
  address: text('The account that holds the contract.'),
  name: text('The name of the contract.'),
  path: text('The public path of an account’s balance.'),
});

const FlowContracts = record('FlowContracts', 'Flow contracts that rules can use.', {
  nfts: T.Array(FlowNFTContractMetadata, { description: 'The collections of NFTs.', maxItems: 1000 }),
  fts: T.Array(FlowFTContractMetadata, { description: 'The fungible tokens.', maxItems: 1000 }),
});
type FlowContracts = ValueOf<typeof FlowContracts>;

const contracts: FlowContracts = {
  nfts: known.nfts.map((collection) => ({
    ...collection,
    id: `A.${collection.address.slice(2)}.${collection.name}.${collection.collection}.${collection.path}`,
    supportsMetadata: true,
  })),
  fts: known.fts,
};

export function getFlowContracts(): FlowContracts {
  return contracts;
}

export const flow = resource('flow', 'Well-known contracts on Flow.', [
  op(
    'GET /flow/contracts',
    {
      id: 'getFlowContracts',
      sdk: 'FlowContractsController.getContracts',
      summary: 'List well-known contracts on Flow',
      description:
        'Returns well-known collections and tokens on Flow to use in rules. Rules can use any other contract too.',
      access: anyone,
      returns: FlowContracts,
    },
    getFlowContracts,
  ),
]);
