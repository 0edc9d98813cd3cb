/** The operator's settings for external partners. */
export interface PartnerSettings {
  /** Who is notified of tickets that are stored here. */
  supportEmail?: string | undefined;
  /** Accepted values of the Authentication header of Snapshot's webhook; several while one is being replaced. */
  snapshotWebhookSecrets?: readonly string[];
  waitingList?: WaitingListSettings;
  paymaster?: PaymasterPolicy;
}

export interface WaitingListSettings {
  /** The contracts that accept quotes, by chain; the first is the default. */
  contracts: readonly { chainId: number; address: string }[];
  priceWei: bigint;
  quoteTtlSeconds: number;
}

/** Whose transactions the paymaster may pay for. */
export interface PaymasterPolicy {
  /** The accepted values of authToken. */
  secrets: readonly string[];
  /** The only calls that are paid for. Without a selector, every method of the contract is. */
  calls: readonly { chainId: number; address: string; selector?: string }[];
  maxValueWei: bigint;
  /** Per owner, and for all owners together. */
  transactionsPerDay: number;
  totalPerDay: number;
}
