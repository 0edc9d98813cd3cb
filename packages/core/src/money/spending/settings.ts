/** What the operator lets others have this server pay for. Without it nothing. */
export interface SpendingSettings {
  /** The ids of client applications; `apps` stands for all of them, `people` for everybody who is signed in. */
  spenders: readonly string[];
  /** By coin, such as `near:mainnet` or `evm:8453`. */
  budgets: Readonly<Record<string, SpendingBudget>>;
}

/** For 24 hours, in the smallest unit of the coin. The operator's own requests do not count. */
export interface SpendingBudget {
  total: bigint;
  perCaller: bigint;
}
