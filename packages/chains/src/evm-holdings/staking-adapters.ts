/** A known interface of staking contracts: how it reports a staked amount, and which events announce a change. */
export interface StakingAdapter {
  id: string;
  /** Which contracts use this interface. */
  name: string;
  /** The view function that takes the staker. */
  read: `${string}(address)`;
  /** `amount` is the first word of the result, `tokens` the first list in it. */
  gives: 'amount' | 'tokens';
  /** The functions that may return the token whose decimals an amount has. Without any, an amount is whole. */
  tokenFrom: readonly `${string}()`[];
  /** The events after which the result may differ. The staker is their first indexed field. */
  events: readonly string[];
}

/** In the order in which they are tried on a contract without a description. */
export const stakingAdapters: readonly StakingAdapter[] = [
  {
    id: 'deposits',
    name: 'Collections that list the deposits of an owner',
    read: 'depositsOf(address)',
    gives: 'tokens',
    tokenFrom: [],
    events: ['Deposited(address,uint256)', 'Withdrawn(address,uint256)'],
  },
  {
    id: 'stake-info',
    name: 'thirdweb staking of collections',
    read: 'getStakeInfo(address)',
    gives: 'tokens',
    tokenFrom: [],
    events: ['TokensStaked(address,uint256[])', 'TokensWithdrawn(address,uint256[])'],
  },
  {
    id: 'staked-tokens',
    name: 'Collections that list the staked tokens of an owner',
    read: 'getStakedTokens(address)',
    gives: 'tokens',
    tokenFrom: [],
    events: ['Staked(address,uint256)', 'Unstaked(address,uint256)'],
  },
  {
    id: 'staked',
    name: 'Coins that are kept for their owner',
    read: 'stakedOf(address)',
    gives: 'amount',
    tokenFrom: ['coin()', 'token()', 'stakingToken()'],
    events: ['Staked(address,uint256)', 'Unstaked(address,uint256)'],
  },
  {
    id: 'rewards',
    name: 'Synthetix StakingRewards and its many copies',
    read: 'balanceOf(address)',
    gives: 'amount',
    tokenFrom: ['stakingToken()', 'token()', 'lpToken()'],
    events: ['Staked(address,uint256)', 'Withdrawn(address,uint256)'],
  },
];
