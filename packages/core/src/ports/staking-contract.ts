/** One asset that can be staked in a contract, and how to read it. */
export interface StakableAsset {
  /** The name of the asset in rules, in `collectionName`. */
  name: string;
  /** The asset itself, as `evm:<chain>/<standard>:<contract>`. */
  asset: string;
  /** The view function that takes the staker; its first return value is an amount, or the list of staked tokens. */
  read: `function ${string}(address) view returns (${string})`;
  /** How many decimals an amount has; 0 if tokens are counted. */
  decimals: number;
}

/** A contract that holds staked assets and records who staked them. */
export interface StakingContract {
  name: string;
  chainId: number;
  /** In lower case. */
  address: string;
  assets: readonly StakableAsset[];
}
