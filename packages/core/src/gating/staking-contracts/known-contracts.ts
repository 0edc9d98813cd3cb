import type { StakingContract } from '../../ports/index.ts';

/** The staking contracts that rules can name. Public facts only: each function is part of the contract's published ABI. */
export const stakingContracts: readonly StakingContract[] = [
  {
    name: 'ApeCoin Staking',
    chainId: 1,
    address: '0x5954ab967bc958940b7eb73ee84797dc8a2afbb9',
    assets: [
      {
        name: 'ApeCoin',
        asset: 'evm:1/ERC20:0x4d224452801aced8b2f0aebe155379bb5d594381',
        read: 'function stakedTotal(address) view returns (uint256)',
        decimals: 18,
      },
    ],
  },
  {
    name: 'The Graph Staking',
    chainId: 1,
    address: '0xf55041e37e12cd407ad00ce2910b8269b01263b9',
    assets: [
      {
        name: 'Graph Token',
        asset: 'evm:1/ERC20:0xc944e90c64b2c07662a292be6244bdf05cda44a7',
        read: 'function getIndexerStakedTokens(address) view returns (uint256)',
        decimals: 18,
      },
    ],
  },
  {
    name: 'Aave Safety Module',
    chainId: 1,
    address: '0x4da27a545c0c5b758a6ba100e3a049001de870f5',
    assets: [
      {
        name: 'Aave Token',
        asset: 'evm:1/ERC20:0x7fc66500c84a76ad7e9c93437bfc5ac33e2ddae9',
        read: 'function balanceOf(address) view returns (uint256)',
        decimals: 18,
      },
    ],
  },
  {
    name: 'Axie Infinity Staking',
    chainId: 2020,
    address: '0x05b0bb3c1c320b280501b86706c3551995bc8571',
    assets: [
      {
        name: 'Axie Infinity Shard',
        asset: 'evm:2020/ERC20:0x97a9107c1793bc407d6f527b77e7fff4d812bece',
        read: 'function getStakingAmount(address) view returns (uint256)',
        decimals: 18,
      },
    ],
  },
];
