/** How roles are checked, held back and written. */
export interface GatingSettings {
  /** So many endpoints of a chain must agree before a role is taken, where it has that many. */
  removalQuorum: number;
  /** Removing a role from a larger share of its holders than this needs approval … */
  heldRemovalShare: number;
  /** … if at least this many members lose it. */
  heldRemovalCount: number;
  /** Removing a role from more members than this within 24 hours needs approval, whatever their share. */
  heldRemovalsPerDay: number;
  /** Removals of so long ago still count towards both, so that many small steps are not freer than a large one. */
  brakeWindowSeconds: number;
  /** A result is read again after this time even if no change was announced. */
  rereadSeconds: number;
  /** Stored answers count only while the end of their chain was reached at most so long ago. */
  followLagSeconds: number;
  /** A look at a member's roles that is older than this is repeated before they are changed. */
  memberFreshSeconds: number;
  /** The pause between two looks at the end of a chain. */
  followPauseMs: number;
  /** How many blocks below its head a chain is followed, unless set for that chain. */
  followDepth: number;
  followDepths: Readonly<Record<string, number>>;
}

/** An EVM chain that this installation reads. */
export interface EvmChainSetting {
  chainId: number;
  /** Public addresses. Those that contain keys, or are meant for this server alone, are not among them. */
  publicRpcUrls: readonly string[];
  /** How many blocks are requested at a time when reading logs. */
  maxBlocks?: number;
}

/** What the operator decides of hosted wallets, as far as the platform itself needs to know; the signer has its own policy. */
export interface HostedWalletSettings {
  /** Whether a bare hash can be signed at all. */
  allowsHashes: boolean;
  /** How long an authenticator must be known before it approves what is signed. */
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

/** What the operator lets others have this server pay for. Without it nothing. */
export interface SpendingSettings {
  /** The ids of client applications; `apps` stands for all of them, `people` for all signed-in users. */
  spenders: readonly string[];
  /** By coin, such as `near:mainnet` or `evm:8453`. */
  budgets: Readonly<Record<string, SpendingBudget>>;
}

/** For 24 hours, in the smallest unit of the coin. The operator's own requests do not count. */
export interface SpendingBudget {
  total: bigint;
  perCaller: bigint;
}
