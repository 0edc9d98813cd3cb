/** What the operator decides about outside partners. */
export interface PartnerSettings {
  /** Who is notified of tickets that are stored here. */
  supportEmail?: string | undefined;
  /** What Snapshot may send in the Authentication header of its webhook; several while one is being replaced. */
  snapshotWebhookSecrets?: readonly string[];
  waitingList?: WaitingListSettings;
  paymaster?: PaymasterPolicy;
}

export interface WaitingListSettings {
  /** The contracts that take quotes, by chain; the first is used unless another chain is asked for. */
  contracts: readonly { chainId: number; address: string }[];
  priceWei: bigint;
  quoteTtlSeconds: number;
}

/** Whose transactions the paymaster may pay for. */
export interface PaymasterPolicy {
  /** What the caller must send as authToken. */
  secrets: readonly string[];
  /** The only calls that are paid for. Without a selector every method of the contract is. */
  calls: readonly { chainId: number; address: string; selector?: string }[];
  maxValueWei: bigint;
  /** Of one owner, and of all owners together. */
  transactionsPerDay: number;
  totalPerDay: number;
}
