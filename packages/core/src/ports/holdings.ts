/** One thing to find out about one account: how much of an asset it holds. Equal questions are read once. */
export interface Question {
  /** Where the asset lives, in CAIP-2 form: `evm:1`, `solana:mainnet-beta`, `tezos:mainnet`, `poap:poap`. */
  chain: string;
  /** What the asset is, in lower case: `erc20`, `erc721`, `erc1155`, `native`, `spl`, `fa2`, `safe`, `call` … */
  standard: string;
  /** Which asset: a contract, a mint, a collection, an issuer and currency. As its chain spells it. */
  reference: string;
  /** The account, in the one spelling its namespace prescribes. */
  account: string;
  /** Only these tokens count: lists, ranges, globs, as rules write them. Absent means every token. */
  tokenIds?: string;
  /** `amount` is one number; `tokens` also names each token held; `metadata` also reads each token's metadata. */
  needs: 'amount' | 'tokens' | 'metadata';
  /** The value at this block of the past instead of at the newest one. */
  atBlock?: string;
  /** The least amount held at any time since then (ISO 8601), instead of the amount now. */
  leastSince?: string;
  /** What some standards need beyond the above: the function of `call`, the receiver of `superfluid` … */
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

/** The point of a chain's history an answer is true for. */
export interface BlockPoint {
  number: string;
  hash?: string;
}

/** What was read. `unknown` is not zero: nothing may be taken from anyone because of it. */
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
   * So many independent endpoints, or all there are if they are fewer, must give the same answer; otherwise it is
   * unknown. Default 1.
   */
  quorum?: number;
  /** Read at these blocks, by chain, instead of at the newest ones. */
  blocks?: ReadonlyMap<string, BlockPoint>;
}

/** Reads what accounts hold. The only way by which rules learn anything from outside. */
export interface HoldingsReader {
  /** Whether questions of this chain and standard can be asked at all, as configured here. */
  reads(question: Pick<Question, 'chain' | 'standard'>): boolean;
  /**
   * Answers in the order of the questions: batched, every answer of one chain at one block. Never throws for a service
   * that is down, slow or wrong: those answers are unknown.
   */
  read(questions: readonly Question[], options?: ReadOptions): Promise<readonly Answer[]>;
}

/** How far a chain was followed. */
export interface ChainCursor {
  number: string;
  hash: string;
}

/** Something moved: the account's holding of this contract may have changed in this block. */
export interface HoldingChange {
  contract: string;
  account: string;
  block: ChainCursor;
}

/** One step along a chain. */
export type ChainStep =
  /** Everything up to `to` was seen; `blocks` are the headers passed, to recognise them later. */
  | { kind: 'advanced'; to: ChainCursor; blocks: readonly ChainCursor[]; changes: readonly HoldingChange[] }
  /** Nothing new at the wanted depth. */
  | { kind: 'waiting' }
  /** The chain no longer contains blocks that were passed; `ancestor` is the newest passed block it still has. */
  | { kind: 'reorganised'; ancestor: ChainCursor }
  /** The chain has none of the passed blocks: it is another one, as a development node is after a restart. */
  | { kind: 'lost' }
  | { kind: 'unknown'; reason: string };

/** Follows chains that announce changes of holdings, at a set depth below their newest block. */
export interface ChainFollower {
  /** Whether changes of this asset are announced, so that an unchanged answer stays true. */
  announces(asset: Pick<Question, 'chain' | 'standard' | 'reference'>): boolean;
  /** The newest block at the depth, where following starts. */
  start(chain: string, depth: number, signal?: AbortSignal): Promise<ChainCursor | undefined>;
  /**
   * One step on from the newest of `passed` (newest first), for these contracts; changes name them as they are spelled
   * here. The list is not changed later, so what is made of it may be kept for the next step.
   */
  next(
    chain: string,
    options: { passed: readonly ChainCursor[]; contracts: readonly string[]; depth: number; signal?: AbortSignal },
  ): Promise<ChainStep>;
}
