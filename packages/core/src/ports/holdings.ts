/** A question about one account: how much of an asset it holds. Equal questions are read once. */
export interface Question {
  /** The chain of the asset, in CAIP-2 form: `evm:1`, `solana:mainnet-beta`, `tezos:mainnet`, `poap:poap`. */
  chain: string;
  /**
   * The standard of the asset, in lower case: `erc20`, `erc721`, `erc1155`, `native`, `spl`, `fa2`, `safe`, `call` …
   */
  standard: string;
  /** The asset: a contract, a mint, a collection, an issuer and currency. In its chain's format. */
  reference: string;
  /** The account, in the canonical form of its namespace. */
  account: string;
  /** Only these tokens count: lists, ranges and globs, as written in rules. Absent means every token. */
  tokenIds?: string;
  /** `amount` is one number; `tokens` also names each token held; `metadata` also reads each token's metadata. */
  needs: 'amount' | 'tokens' | 'metadata';
  /** Read the value at this past block instead of the latest one. */
  atBlock?: string;
  /** Read the minimum amount held at any time since then (ISO 8601), instead of the current amount. */
  leastSince?: string;
  /** What some standards need in addition: the function of `call`, the receiver of `superfluid` … */
  details?: Readonly<Record<string, string>>;
}

/** One token of a collection that an account holds. */
export interface HeldToken {
  id: string;
  /** A decimal in whole tokens. */
  amount: string;
  uri?: string;
  metadata?: Readonly<Record<string, unknown>>;
}

/** The block that an answer was read at. */
export interface BlockPoint {
  number: string;
  hash?: string;
}

/** The result of a read. `unknown` is not zero: no role may be removed because of it. */
export type Answer =
  | {
      kind: 'read';
      /** An exact decimal in whole tokens: `12.5`, never in the chain's smallest unit. */
      amount: string;
      tokens?: readonly HeldToken[];
      /** Absent for services that have no blocks. */
      block?: BlockPoint;
    }
  | { kind: 'unknown'; reason: string };

export interface ReadOptions {
  signal?: AbortSignal;
  /**
   * This many independent endpoints, or all of them if there are fewer, must give the same answer; otherwise it is
   * unknown. Defaults to 1.
   */
  quorum?: number;
  /** Read at these blocks, by chain, instead of the latest ones. */
  blocks?: ReadonlyMap<string, BlockPoint>;
}

/** Reads what accounts hold. This is the only source of external data for rules. */
export interface HoldingsReader {
  /** Whether this chain and standard can be read, as configured here. */
  reads(question: Pick<Question, 'chain' | 'standard'>): boolean;
  /**
   * Returns answers in the order of the questions, batched, with all answers of one chain read at one block. Never
   * throws if a service is down, slow or wrong: those answers are unknown.
   */
  read(questions: readonly Question[], options?: ReadOptions): Promise<readonly Answer[]>;
}

/** The position up to which a chain was followed. */
export interface ChainCursor {
  number: string;
  hash: string;
}

/** The account's holding of this contract may have changed in this block. */
export interface HoldingChange {
  contract: string;
  account: string;
  block: ChainCursor;
}

/** One step along a chain. */
export type ChainStep =
  /** Everything up to `to` was read; `blocks` are the followed headers, to recognize them later. */
  | { kind: 'advanced'; to: ChainCursor; blocks: readonly ChainCursor[]; changes: readonly HoldingChange[] }
  /** No new block at the requested depth. */
  | { kind: 'waiting' }
  /** Blocks that were followed are orphaned; `ancestor` is the newest followed block that the chain still has. */
  | { kind: 'reorganised'; ancestor: ChainCursor }
  /** The chain has none of the followed blocks: it is a different chain, such as a restarted development node. */
  | { kind: 'lost' }
  | { kind: 'unknown'; reason: string };

/** Follows chains that announce changes of holdings, at a given depth below their latest block. */
export interface ChainFollower {
  /** Whether changes of this asset are announced, so that a stored answer stays valid until one is. */
  announces(asset: Pick<Question, 'chain' | 'standard' | 'reference'>): boolean;
  /** The latest block at the depth, where following starts. */
  start(chain: string, depth: number, signal?: AbortSignal): Promise<ChainCursor | undefined>;
  /**
   * Advances from the newest of `passed` (newest first), for these contracts; changes name them as written here. The
   * list is never mutated, so data derived from it can be cached for the next step.
   */
  next(
    chain: string,
    options: { passed: readonly ChainCursor[]; contracts: readonly string[]; depth: number; signal?: AbortSignal },
  ): Promise<ChainStep>;
}
