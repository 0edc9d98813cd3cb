import type { Block, Chunk } from './block.ts';
import type { Chain } from './chain.ts';
import { gasPrice } from './gas.ts';
import { hashOf, noHash } from './hashes.ts';
import { writeKey } from './keys.ts';
import { writeReceipt, writeTransaction } from './write-views.ts';

export const validator = 'node0';
export const protocolVersion = 80;
export const epochLength = 43_200;
const chunkGasLimit = 1_000_000_000_000_000;
const noSignature = writeKey('ed25519', new Uint8Array(64));

export function epochOf({ height }: Pick<Block, 'height'>): string {
  return hashOf(`epoch/${Math.floor(height / epochLength)}`);
}

function writeChunkHeader(chunk: Chunk): Record<string, unknown> {
  const root = (name: string) => hashOf(chunk.hash, name);
  return {
    chunk_hash: chunk.hash,
    prev_block_hash: chunk.prevBlockHash,
    outcome_root: root('outcome'),
    prev_state_root: root('state'),
    encoded_merkle_root: root('encoded'),
    encoded_length: 8 + chunk.transactions.length * 256 + chunk.receipts.length * 256,
    height_created: chunk.height,
    height_included: chunk.height,
    shard_id: chunk.shardId,
    gas_used: chunk.gasUsed,
    gas_limit: chunkGasLimit,
    validator_reward: '0',
    rent_paid: '0',
    balance_burnt: String(chunk.balanceBurnt),
    outgoing_receipts_root: root('receipts'),
    tx_root: root('transactions'),
    validator_proposals: [],
    signature: noSignature,
    congestion_info: null,
    bandwidth_requests: null,
  };
}

export function writeChunk(chain: Chain, chunk: Chunk): Record<string, unknown> {
  return {
    author: validator,
    header: writeChunkHeader(chunk),
    transactions: chunk.transactions.flatMap((hash) => {
      const included = chain.transactions.get(hash);
      return included === undefined ? [] : [writeTransaction(included.signed)];
    }),
    receipts: chunk.receipts.flatMap((id) => {
      const receipt = chain.receipts.get(id);
      return receipt === undefined ? [] : [writeReceipt(receipt)];
    }),
  };
}

export function writeBlock(chain: Chain, block: Block): Record<string, unknown> {
  const mask = block.chunks.map(({ height }) => height === block.height);
  return {
    author: validator,
    header: {
      ...lightFields(block),
      hash: block.hash,
      prev_hash: block.prevHash,
      prev_height: block.prevHeight,
      block_ordinal: block.ordinal,
      chunk_mask: mask,
      chunks_included: mask.filter((isNew) => isNew).length,
      gas_price: String(gasPrice),
      total_supply: String(block.totalSupply),
      last_final_block: finalBefore(chain, block),
      last_ds_final_block: block.prevHash,
      latest_protocol_version: protocolVersion,
    },
    chunks: block.chunks.map(writeChunkHeader),
  };
}

function lightFields(block: Block): Record<string, unknown> {
  const root = (name: string) => hashOf(block.hash, name);
  return {
    height: block.height,
    epoch_id: epochOf(block),
    next_epoch_id: epochOf({ height: block.height + epochLength }),
    prev_state_root: root('state'),
    outcome_root: root('outcome'),
    timestamp: Number(block.timestampNs),
    timestamp_nanosec: String(block.timestampNs),
    next_bp_hash: hashOf('producers'),
    block_merkle_root: root('merkle'),
    block_body_hash: root('body'),
    chunk_receipts_root: root('receipts'),
    chunk_headers_root: root('headers'),
    chunk_tx_root: root('transactions'),
    challenges_root: noHash,
    challenges_result: [],
    random_value: root('random'),
    validator_proposals: [],
    validator_reward: '0',
    rent_paid: '0',
    approvals: [noSignature],
    signature: noSignature,
    epoch_sync_data_hash: null,
    chunk_endorsements: null,
  };
}

/** The block that this one made final: the second one before it. */
function finalBefore(chain: Chain, block: Block): string {
  return chain.blockOf(block.prevHash)?.prevHash ?? block.prevHash;
}
