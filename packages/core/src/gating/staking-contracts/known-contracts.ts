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
  if (name === undefined || returns === undefined) throw new Error(`A staking contract cannot be read by ${read}.`);
  return `function ${name}(address) view returns (${returns})`;
}
