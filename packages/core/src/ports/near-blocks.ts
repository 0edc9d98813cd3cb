/** One action that a transaction or receipt asks of an account. */
export interface NearAction {
  /** As the chain calls it: CreateAccount, FunctionCall, Transfer … */
  kind: string;
  /** Of a function call. */
  method?: string;
  /** Of a function call: the bytes it is given, in base64. */
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
  /** Empty for data. */
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
  /** False as long as receipts of it may still be to come. */
  isFinal: boolean;
  /** The first receipt, which carries the actions of the transaction. */
  receiptId?: string;
  gasBurnt: string;
  tokensBurnt: string;
  /** Every receipt that came of it. */
  receiptIds: readonly string[];
  /** What contracts wrote into their logs, by receipt. */
  logs: readonly { receiptId: string; contract: string; lines: readonly string[] }[];
}

/** A NEAR network, read block by block. Every call throws when the network cannot be asked. */
export interface NearBlocks {
  /** The name of the network: mainnet, testnet, localnet. */
  network: string;
  /** The height after which to begin; the newest block when absent. */
  startsAfter?: number;
  /** The height of the newest block that is final. */
  newest(signal: AbortSignal): Promise<number>;
  /** A block by height or hash; undefined when there is none, as at heights that the network skipped. */
  block(at: number | string, signal: AbortSignal): Promise<NearBlockSeen | undefined>;
  /** Undefined when the network does not know the transaction (any more). */
  outcome(hash: string, signer: string, signal: AbortSignal): Promise<NearTransactionOutcome | undefined>;
}
