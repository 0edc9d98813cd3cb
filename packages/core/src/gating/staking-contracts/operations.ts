import { anyone, listOf, op, record, resource, T, text, type ValueOf } from '@latchkey/kernel';
import type { StakingContract } from '../../ports/index.ts';
import known from './known-contracts.json' with { type: 'json' };

/** The staking contracts that rules can name. The data names the public source of each. */
export const stakingContracts: readonly StakingContract[] = known.contracts.map(
  ({ source: _, assets, ...contract }) => ({
    ...contract,
    assets: assets.map(({ read, ...asset }) => ({ ...asset, read: asView(read) })),
  }),
);

function asView(read: string): StakingContract['assets'][number]['read'] {
  const [, name, returns] = /^function (\w+)\(address\) view returns \(([\w[\]]+)\)$/.exec(read) ?? [];
  if (name === undefined || returns === undefined)
    throw new Error(`Staking contracts do not support the read method ${read}.`);
  return `function ${name}(address) view returns (${returns})`;
}

const StakingAsset = record('StakingAsset', 'Something that can be staked in a contract.', {
  name: text('What rules call it, in collectionName.'),
  asset: text('The asset in CAIP form.'),
});

const StakingContractMetadata = record('StakingContractMetadata', 'A staking contract that rules can name.', {
  contractName: text('What people call the contract.'),
  contractAddress: text('The contract, in lower case.'),
  chainId: T.Number({ description: 'The EVM chain it is on.' }),
  supportedAssets: T.Array(StakingAsset, { description: 'What can be staked there.', maxItems: 100 }),
});
type StakingContractMetadata = ValueOf<typeof StakingContractMetadata>;

export function getStakingContracts(): StakingContractMetadata[] {
  return stakingContracts.map(({ name, address, chainId, assets }) => ({
    contractName: name,
    contractAddress: address,
    chainId,
    supportedAssets: assets.map((staked) => ({ name: staked.name, asset: staked.asset })),
  }));
}

export const stakings = resource('staking-contracts', 'Staking contracts that rules can use.', [
  op(
    'GET /staking-contracts',
    {
      id: 'getStakingContracts',
      sdk: 'StakingContractsController.getStakingContracts',
      summary: 'List the staking contracts',
      description: 'Returns the staking contracts that staking rules can use, and what can be staked in each.',
      access: anyone,
      returns: listOf(StakingContractMetadata, 'The contracts.'),
    },
    getStakingContracts,
  ),
]);
