export interface Chunk {
  hash: string;
  shardId: number;
  /** The block that it was produced for and included in. A later block without its own chunk repeats this one. */
  height: number;
  prevBlockHash: string;
  transactions: readonly string[];
  /** The outgoing receipts of the previous chunk in the same shard. */
  receipts: readonly string[];
  gasUsed: number;
  balanceBurnt: bigint;
}

export interface Block {
  height: number;
  hash: string;
  prevHash: string;
  prevHeight: number;
  ordinal: number;
  timestampNs: bigint;
  /** One for each shard, new or repeated. */
  chunks: readonly Chunk[];
  totalSupply: bigint;
}
