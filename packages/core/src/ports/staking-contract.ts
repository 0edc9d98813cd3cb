/** One asset that can be staked in a contract, and how the contract is asked for it. */
export interface StakableAsset {
  /** What rules call the asset, in `collectionName`. */
  name: string;
  /** The asset itself, as `evm:<chain>/<standard>:<contract>`. */
  asset: string;
  /** The view function that takes the staker; its first answer is an amount, or the list of staked tokens. */
  read: `function ${string}(address) view returns (${string})`;
  /** How many decimals an amount has; 0 where tokens are counted. */
  decimals: number;
}

/** A contract that holds staked assets and says who staked them. */
export interface StakingContract {
  name: string;
  chainId: number;
  /** In lower case. */
  address: string;
  assets: readonly StakableAsset[];
}
