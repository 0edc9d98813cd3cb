/** One action of a transaction or receipt on an account. */
export interface NearAction {
  /** The chain's name for it: CreateAccount, FunctionCall, Transfer … */
  kind: string;
  /** For a function call. */
  method?: string;
  /** For a function call: its arguments, in base64. */
  args?: string;
}

export interface NearTransactionSeen {
  hash: string;
  signer: string;
  signerKey: string;
  receiver: string;
  nonce: number;
  signature: string;
  actions: readonly NearAction[];
}

export interface NearReceiptSeen {
  id: string;
  kind: 'ACTION' | 'DATA';
  predecessor: string;
  receiver: string;
  /** Empty for data receipts. */
  actions: readonly NearAction[];
}

export interface NearChunkSeen {
  hash: string;
  transactions: readonly NearTransactionSeen[];
  receipts: readonly NearReceiptSeen[];
}

export interface NearBlockSeen {
  height: number;
  hash: string;
  previousHash: string;
  /** Nanoseconds since 1970, as a decimal. */
  timestamp: string;
  /** The chunks that are new in this block. */
  chunks: readonly NearChunkSeen[];
}

/** The outcome of a transaction, as far as known. */
export interface NearTransactionOutcome {
  status: 'FAILURE' | 'SUCCESS_RECEIPT_ID' | 'SUCCESS_VALUE' | 'UNKNOWN';
  /** False while further receipts may follow. */
  isFinal: boolean;
  /** The first receipt, which carries the actions of the transaction. */
  receiptId?: string;
  gasBurnt: string;
  tokensBurnt: string;
  /** Every receipt that resulted from it. */
  receiptIds: readonly string[];
  /** The contracts' log lines, by receipt. */
  logs: readonly { receiptId: string; contract: string; lines: readonly string[] }[];
}

/** A NEAR network, read block by block. Every call throws if the network cannot be reached. */
export interface NearBlocks {
  /** The name of the network: mainnet, testnet, localnet. */
  network: string;
  /** The height after which to start; defaults to the latest block. */
  startsAfter?: number;
  /** The height of the latest final block. */
  newest(signal: AbortSignal): Promise<number>;
  /** A block by height or hash; undefined if there is none, as at heights that the network skipped. */
  block(at: number | string, signal: AbortSignal): Promise<NearBlockSeen | undefined>;
  /** Undefined if the network does not know the transaction (any more). */
  outcome(hash: string, signer: string, signal: AbortSignal): Promise<NearTransactionOutcome | undefined>;
}
