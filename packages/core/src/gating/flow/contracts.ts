import { record, T, text, type ValueOf } from '@latchkey/kernel';

const FlowNFTContractMetadata = record('FlowNFTContractMetadata', 'A collection of NFTs on Flow.', {
  address: T.Optional(text('The account that holds the contract.')),
  name: T.Optional(text('The name of the contract.')),
  label: T.Optional(text('What people call the collection.')),
  collection: T.Optional(text('The public type that lists what an account holds.')),
  path: T.Optional(text('The public path where accounts keep it.')),
  id: T.Optional(text('How rules name the collection, in contractAddress.')),
  supportsMetadata: T.Optional(T.Boolean({ description: 'Whether its NFTs describe themselves.' })),
});

const FlowFTContractMetadata = record('FlowFTContractMetadata', 'A fungible token on Flow.', {
  address: T.Optional(text('The account that holds the contract.')),
  name: T.Optional(text('The name of the contract.')),
  path: T.Optional(text('The public path of an account’s balance.')),
});

export const FlowContracts = record('FlowContracts', 'Contracts on Flow that rules can name.', {
  nfts: T.Optional(T.Array(FlowNFTContractMetadata, { description: 'The collections of NFTs.', maxItems: 1000 })),
  fts: T.Optional(T.Array(FlowFTContractMetadata, { description: 'The fungible tokens.', maxItems: 1000 })),
});
export type FlowContracts = ValueOf<typeof FlowContracts>;

function nft(label: string, address: string, name: string, collection: string, path: string) {
  const id = `A.${address.slice(2)}.${name}.${collection}.${path}`;
  return { label, address, name, collection, path, id, supportsMetadata: true };
}

/** Public facts: each contract is on Flow's main network under this address, name and path. */
const contracts: FlowContracts = {
  nfts: [
    nft('NBA Top Shot', '0x0b2a3299cc857e29', 'TopShot', 'MomentCollectionPublic', 'MomentCollection'),
    nft('NFL ALL DAY', '0xe4cf4bdc1751c65d', 'AllDay', 'MomentNFTCollectionPublic', 'AllDayNFTCollection'),
    nft('Flovatar', '0x921ea449dffec68a', 'Flovatar', 'CollectionPublic', 'FlovatarCollection'),
  ],
  fts: [
    { address: '0x1654653399040a61', name: 'FlowToken', path: 'flowTokenBalance' },
    { address: '0x3c5959b568896393', name: 'FUSD', path: 'fusdBalance' },
    { address: '0xb19436aae4d94622', name: 'FiatToken', path: 'USDCVaultBalance' },
  ],
};

export function getFlowContracts(): FlowContracts {
  return contracts;
}
