/** How roles are checked, held back and written. */
export interface GatingSettings {
  /** How many endpoints of a chain must agree before a role is removed, if it has that many. */
  removalQuorum: number;
  /** Removing a role from a larger share of its holders than this needs approval … */
  heldRemovalShare: number;
  /** … if at least this many members lose it. */
  heldRemovalCount: number;
  /** Removing a role from more members than this within 24 hours needs approval, whatever their share. */
  heldRemovalsPerDay: number;
  /** Removals within this time count towards both, so that many small steps are limited like a large one. */
  brakeWindowSeconds: number;
  /** A result is read again after this time even if no change was announced. */
  rereadSeconds: number;
  /** Stored holdings count only if the head of their chain was reached within this time. */
  followLagSeconds: number;
  /** A member's roles that were read longer ago than this are read again before they are changed. */
  memberFreshSeconds: number;
  /** The pause between two checks for new blocks at the head of a chain. */
  followPauseMs: number;
  /** How many blocks below its head a chain is followed, unless set for that chain. */
  followDepth: number;
  followDepths: Readonly<Record<string, number>>;
}

/** An EVM chain that this server reads. */
export interface EvmChainSetting {
  chainId: number;
  /** Public URLs only: not those that contain keys or are meant for this server alone. */
  publicRpcUrls: readonly string[];
  /** How many blocks are requested at a time when reading logs. */
  maxBlocks?: number;
}

/** The operator's settings for hosted wallets that the platform itself needs; the signer has its own policy. */
export interface HostedWalletSettings {
  /** Whether a bare hash can be signed at all. */
  allowsHashes: boolean;
  /** How long an authenticator must have been registered before it can approve signatures. */
  stepUpRestSeconds: number;
  /** How long a request waits for the signer. */
  signerPatienceMs: number;
  /** How long a claim waits for the chain. */
  chainPatienceMs: number;
}

/** How the operator sells plans. */
export interface SellingSettings {
  /** Without it nothing is sold, and plans restrict no features or scopes. */
  isOn: boolean;
  /** How long a plan stays after a payment failed. */
  graceDays: number;
}

/** What the operator lets others spend on this server's account. Nothing by default. */
export interface SpendingSettings {
  /** The ids of client applications; `apps` means all of them, `people` means all signed-in users. */
  spenders: readonly string[];
  /** By coin, such as `near:mainnet` or `evm:8453`. */
  budgets: Readonly<Record<string, SpendingBudget>>;
}

/** Per 24 hours, in the smallest unit of the coin. The operator's own requests do not count. */
export interface SpendingBudget {
  total: bigint;
  perCaller: bigint;
}
