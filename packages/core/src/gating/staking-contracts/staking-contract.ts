import { record, T, text, type ValueOf } from '@latchkey/kernel';
import { stakingContracts } from './known-contracts.ts';

const StakingAsset = record('StakingAsset', 'Something that can be staked in a contract.', {
  name: T.Optional(text('What rules call it, in collectionName.')),
  asset: T.Optional(text('The asset in CAIP form.')),
});

export const StakingContractMetadata = record('StakingContractMetadata', 'A staking contract that rules can name.', {
  contractName: T.Optional(text('What people call the contract.')),
  contractAddress: T.Optional(text('The contract, in lower case.')),
  chainId: T.Optional(T.Number({ description: 'The EVM chain it is on.' })),
  supportedAssets: T.Optional(T.Array(StakingAsset, { description: 'What can be staked there.', maxItems: 100 })),
});
export type StakingContractMetadata = ValueOf<typeof StakingContractMetadata>;

export function getStakingContracts(): StakingContractMetadata[] {
  return stakingContracts.map(({ name, address, chainId, assets }) => ({
    contractName: name,
    contractAddress: address,
    chainId,
    supportedAssets: assets.map((staked) => ({ name: staked.name, asset: staked.asset })),
  }));
}
