export interface Chunk {
  hash: string;
  shardId: number;
  /** The block that it was made for and came in. A later block that misses its own chunk shows this one again. */
  height: number;
  prevBlockHash: string;
  transactions: readonly string[];
  /** What the chunk before it in the same shard sent off. */
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
  /** One for each shard, new or shown again. */
  chunks: readonly Chunk[];
  totalSupply: bigint;
}
